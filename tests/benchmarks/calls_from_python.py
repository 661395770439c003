"""Calls of compiled functions from Python: directly, by ctypes, the NumPy module, and Pinocchio's binding.

    python tests/benchmarks/calls_from_python.py [--write]

Time by one clock and one thread, all in turn, the median of several rounds: microseconds of a call for one state, and
nanoseconds a state of 10 000, beside the function for many states alone, which C is asked for with all in place. Robots
and Pinocchio's binding where example-robot-data and pin are installed. Results agree. With --write the table goes into
docs/batches.md.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from timeit import Timer
from typing import Any

import numpy as np
from peers.contestants import AGREE, in_their_order
from peers.robots import ROBOTS, STATES, Array, Prepared, found, prepared
from sweep import put, told

import mbsym
from mbsym.codegen.build import compile_c
from mbsym.codegen.load import executed
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.loops.assembly import assemble
from mbsym.model.system import Model

EXAMPLES = {"puma560": ("inverse_dynamics",), "four_bar": ("forward_dynamics", "constrained_dynamics")}
OF_ROBOTS = ("ur5", "solo12")
THEIRS = {"inverse_dynamics": "rnea", "forward_dynamics": "aba"}
MANY, ROUNDS, SECONDS = 10_000, 9, 0.05
NATIVE = ("-std=c99", "-O3", "-march=native", "-fno-math-errno", "-Wno-psabi")
HEAD = (
    "| model | function | us: Pinocchio | NumPy module | ctypes | directly | with out "
    f"| ns a state of {MANY}: C alone | ctypes | directly | with out |",
    "|" + "---|" * 11,
)


def timer(function: Any, *given: Any, out: Any = None) -> Timer:
    """Of a call with arrays by their place, as it is written in a program."""
    names = {f"a{k}": array for k, array in enumerate(given)}
    places = [*names, *([] if out is None else ["out=out"])]
    return Timer(f"f({', '.join(places)})", globals={"f": function, "out": out, **names})


def medians(timers: Mapping[str, Timer]) -> dict[str, float]:
    """Seconds of each call, all in turn."""
    spent: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(ROUNDS):
        for name, timer in timers.items():
            count = max(1, int(SECONDS / timer.timeit(1)))
            spent[name].append(timer.timeit(count) / count)
    return {name: statistics.median(values) for name, values in spent.items()}


def measured(title: str, model: Model, function: str, states: Sequence[Array], pinocchio: Timer | None) -> str:
    """A row of the table; the first state is the one.

    Raises:
        ValueError: results differ.
    """
    direct = mbsym.compile(model, (function,)).functions[function]
    general = direct.__call__  # what the type in C turns to
    many = [np.resize(array, (MANY, *array.shape[1:])) for array in states]
    one = [array[0].copy() for array in many]
    result = direct(*many)
    outputs = result if isinstance(result, tuple) else (result,)
    made = [np.empty_like(array) for array in outputs]
    kept = [np.empty_like(array[0]) for array in outputs]
    into, into_one = (made[0], kept[0]) if len(made) == 1 else (tuple(made), tuple(kept))
    with TemporaryDirectory() as directory:
        mbsym.generate(
            model, directory, functions=(function,), languages=("c", "batch", "numpy"), batch=("all",), style="straight"
        )
        manifest = read_manifest(Path(directory))
        name = manifest["name"]
        module = executed(Path(directory) / f"{name}.py")
        library = compile_c(directory, f"{name}_batch", NATIVE, also=(name,))
    alone = getattr(library.handle, f"{name}_{function}_batch")
    pointers = [x for array in (*many, *made) for x in (ctypes.c_void_p(array.ctypes.data), ctypes.c_void_p(None))]
    pointers += [ctypes.c_void_p(None)] * len(direct.function.statuses[:1])
    times = medians(
        {
            **({} if pinocchio is None else {"pinocchio": pinocchio}),
            "numpy": timer(getattr(module, function), *one),
            "ctypes": timer(general, *one),
            "directly": timer(direct, *one),
            "out": timer(direct, *one, out=into_one),
            "many alone": timer(alone, ctypes.c_ssize_t(MANY), *pointers),
            "many ctypes": timer(general, *many),
            "many directly": timer(direct, *many),
            "many out": timer(direct, *many, out=into),
        }
    )
    for array, other, last in zip(outputs, made, kept, strict=True):
        if not (np.array_equal(array, other) and np.array_equal(array[0], last)):
            raise ValueError(f"{title}, {function}: results differ")
    micro = [f"{times[key] * 1e6:.3g}" if key in times else "" for key in ("pinocchio", "numpy", "ctypes")]
    micro += [f"{times[key] * 1e6:.2f}" for key in ("directly", "out")]
    nano = [f"{times[f'many {key}'] / MANY * 1e9:.1f}" for key in ("alone", "ctypes", "directly", "out")]
    return f"| {title} | {function} | {' | '.join((*micro, *nano))} |"


def robots(place: Path) -> Iterator[Prepared]:
    """Robots whose files are there."""
    for robot in ROBOTS:
        urdf = found(robot, {}) if robot.name in OF_ROBOTS else None
        if urdf is not None:
            yield prepared(robot, urdf, place)


def binding(robot: Prepared, function: str, place: Path) -> Timer | None:
    """Pinocchio's function of the first state, if it is installed.

    Raises:
        ValueError: its result is not that of mbsym.
    """
    if robot.joints is None:
        return None
    import pinocchio as pin

    model = pin.buildModelFromUrdf(
        str(place / f"{robot.robot.name}.urdf"), *((pin.JointModelFreeFlyer(),) if robot.robot.floating else ())
    )
    given = [array[0].copy() for array in (robot.theirs.q, robot.theirs.v, robot.theirs.u)]
    called = getattr(pin, THEIRS[function])
    theirs = called(model, data := model.createData(), *given)
    states = (robot.ours.q, robot.ours.v, robot.ours.u)
    ours = mbsym.compile(robot.model, (function,)).functions[function](*(array[0] for array in states))
    if np.abs(in_their_order(ours, robot.places, False) - theirs).max() > AGREE * np.abs(theirs).max():
        raise ValueError(f"{robot.robot.title}, {function}: Pinocchio's result is another")
    return timer(called, model, data, *given)


def main() -> list[str]:
    """Prints the table and returns its rows."""
    print(*HEAD, sep="\n")
    rows = []

    def told_of(*what: Any) -> None:
        rows.append(measured(*what))
        print(rows[-1], flush=True)

    with TemporaryDirectory() as place:
        for robot in robots(Path(place)):
            for function in THEIRS:
                states = (robot.ours.q, robot.ours.v, robot.ours.u)
                told_of(robot.robot.title, robot.model, function, states, binding(robot, function, Path(place)))
    rng = np.random.default_rng(0)
    for name, functions in EXAMPLES.items():
        model = mbsym.load(name)
        q = np.tile(assemble(model).q, (STATES, 1))
        for function in functions:
            told_of(name, model, function, (q, *rng.uniform(-1, 1, (2, *q.shape))), None)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/batches.md")
    given = parser.parse_args()
    table = main()
    if given.write:
        put("calls from Python", [*HEAD, *table, "", told()])
