"""How many single faults in generated C its self-test sees.

    python tests/benchmarks/selftest_strength.py [MODEL...] [--every N] [--show] [--write docs/embedded.md]

Constants are off by 1 % in single and by 0.01 % in double precision, signs are turned, in derived functions, in steps
that bodies share and in the fixed texts of closed loops alike. All faults of a text are compiled at once, each behind a
number; the self-test runs with each. What it does not see is looked at again at ``STATES`` others, near, far, at whole
quarters of a turn, at rest and sparse, with the text's numbers in the next wider type, where rounding is another: a
fault that changes no status there, and no entry of a result by more than its own allowance for rounding, is one that no
self-test of this kind can see, and is counted apart. ``--show`` prints what stands where a fault goes unseen.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import files
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np

import mbsym
from mbsym.codegen.description import Real
from mbsym.codegen.load import LoadedFunction
from mbsym.embedded import frozen, results
from mbsym.embedded.choice import CERTAIN, OFF
from mbsym.embedded.results import FrozenFunction
from mbsym.embedded.states import State, agree
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.pipeline import describe
from mbsym.stages.write import Generation

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mechanisms.planted_text import Switched, planted, seen

MODELS = ("puma560", "four_bar", "UR5", "Panda", "stewart_platform", "quadruped", "quadruped, shared steps")
EVERY = {"stewart_platform": 40}
"""Of models with so many faults that every so many-th is taken, if not said otherwise."""
ROBOTS = {"UR5": "ur5_robot.urdf", "Panda": "panda.urdf"}
START, END = "<!-- strength of self-tests -->", "<!-- end of strength -->"

STATES: Final = 400
"""At which it is asked whether a fault can be seen at all."""


def source_of(model: str) -> tuple[str, dict[str, Any]]:
    """A model's file or name, and options."""
    name, _, shared = model.partition(", ")
    listed = {file.name: str(file.locate()) for file in files("example-robot-data") or ()}
    return listed[ROBOTS[name]] if name in ROBOTS else name, {"style": "shared"} if shared else {}


def states(mechanism: Mechanism, functions: Mapping[str, LoadedFunction]) -> Iterator[Mapping[str, np.ndarray]]:
    """Arguments of all functions at many states; loops are closed at half of them where they can be."""
    random = np.random.default_rng(7)
    items = {item.name: item for function in functions.values() for item in function.inputs}
    start = np.array(initial_coordinates(mechanism), dtype=float)
    project = functions.get("project_position")
    for number in range(STATES):
        spread = (0.3, 3.0, 30.0)[number % 3]
        q = start + random.uniform(-spread, spread, len(start))
        if number % 4 == 1:
            q = np.round(q / (np.pi / 2)) * (np.pi / 2)
        for place in mechanism.q.quaternions:
            quaternion = q[place : place + 4]
            # Quarters may all be zero, which is no orientation.
            q[place : place + 4] = quaternion / np.linalg.norm(quaternion) if quaternion.any() else (1, 0, 0, 0)
        if project is not None and number % 2:
            found, status = project.with_status(q)
            q = np.asarray(found[0] if isinstance(found, tuple) else found) if int(status) == 0 else q
        state = {
            name: random.uniform(-1, 1, item.shape) * 10.0 ** random.integers(-1, 3) for name, item in items.items()
        }
        if number % 5 == 2:
            state = {name: value * (random.random(value.shape) < 0.2) for name, value in state.items()}
        yield {**state, "q": q.reshape(items["q"].shape)} if "q" in items else state


class Beyond:
    """Whether faults change anything beyond what rounding may do, at many states.

    Args:
        done: what was generated.
        switched: its module with faults.
    """

    def __init__(self, done: Generation, switched: Switched) -> None:
        description = describe(done.derivation, done.options)
        double, single, rounded = (module.functions for module in frozen.ways_to_compute(description))
        every = states(done.derivation.mechanism, double)
        kept = [each for each in every if all(agree(double[name], single[name], each) for name in double)]
        drawn = [State(each) for each in kept]
        random = np.random.default_rng(8)
        self._functions = [
            results.frozen_function(double[name], single[name], rounded[name], drawn, random)
            for name in double
            if name in switched.calls
        ]
        self._given = {name: np.array([state[name] for state in kept]) for name in kept[0]}
        self._switched = switched
        self._epsilon = np.finfo({"double": np.float64, "float": np.float32}[done.options.real]).eps
        self._right = {item.name: self._found(item) for item in self._functions}

    def changes(self, fault: int) -> bool:
        """Whether one does."""
        self._switched.switch(fault)
        return any(self._differs(item) for item in self._functions)

    def _differs(self, item: FrozenFunction) -> bool:
        (found, status), (right, expected) = self._found(item), self._right[item.name]
        if (status != expected).any():
            return True
        good = status == 0
        for result, a, b in zip(item.results, found, right, strict=True):
            allowed = CERTAIN * self._epsilon * result.allowed
            beyond = (np.abs(a - b) > allowed) | (np.isnan(a) & ~np.isnan(b))
            if (beyond & (allowed >= 0) & good[:, None]).any():
                return True
        return False

    def _found(self, item: FrozenFunction) -> tuple[list[np.ndarray], np.ndarray]:
        """Results that are compared, and statuses, of a function at all states."""
        given = [self._given[name] for name in self._switched.inputs[item.name]]
        found, status = self._switched.calls[item.name](given)
        results = found if isinstance(found, tuple) else (found,)
        names = self._switched.outputs[item.name]
        named = {name: each.reshape(len(each), -1) for name, each in zip(names, results, strict=True)}
        return [named[result.name] for result in item.results], status


def row(model: str, real: Real, every: int, *, show: bool) -> str:
    """A line of the table."""
    source, options = source_of(model)
    with tempfile.TemporaryDirectory() as directory:
        done = mbsym.generate(
            source, directory, languages=("c",), real=real, self_test=True, trigonometry="libm", **options
        )
        code, test = sorted(path for path in done.paths if path.suffix == ".c")
        faults = planted(code.read_text(encoding="utf-8"), OFF[real])
        found = seen(code, test, faults, every)
        unseen = [number for number, is_seen in found.items() if not is_seen]
        switched = Switched(Path(directory) / "switched", code, faults)
        beyond = Beyond(done, switched)
        idle = {number for number in unseen if not beyond.changes(number)}
    columns = []
    for kind in ("constant", "sign"):
        numbers = [number for number in found if faults.kinds[number - 1] == kind]
        nothing = sum(number in idle for number in numbers)
        caught = sum(found[number] for number in numbers)
        columns.append(f"{caught} of {len(numbers) - nothing} | {nothing}")
    if show:
        for number in unseen:
            apart = " (within rounding)" * (number in idle)
            print(f"  {faults.kinds[number - 1]} {number}{apart}: {faults.places[number - 1]}")
    return f"| {model} | {real} | {' | '.join(columns)} |"


def main() -> None:
    """Measures, prints, and writes the page's table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--every", type=int, default=0, help="take each Nth fault")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    table = [
        "| model | real | constants seen | within rounding | signs seen | within rounding |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(table))
    for model in options.models:
        for real in get_args(Real):
            table.append(row(model, real, options.every or EVERY.get(model, 1), show=options.show))
            print(table[-1], flush=True)
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        before, after = text.split(START)[0], text.split(END)[1]
        options.write.write_text(f"{before}{START}\n" + "\n".join(table) + f"\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
