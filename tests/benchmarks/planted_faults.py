"""Faults planted into what makes code shorter: each has to be stopped before a file is written.

    python tests/benchmarks/planted_faults.py [--count 100] [--seed 1] [--room PREFIX] [--processes 4] [--write PAGE]

A fault is another operator, number, sign, truth value or order of arguments (mutations.py), in passes, regrouping,
sliding, preparing, given sines, rolling, lowering, parts and lanes. A process of its own imports mbsym with the fault
and generates code for a few mechanisms with options that use these rooms. The fault is

    stopped     the proof before writing names a function, or the generation ends with an error
    no fault    the texts are the same, or differ and give the same numbers, in C and NumPy
    missed      some text gives other numbers and would have been written

Random states and 1e-9 of the largest entry decide on numbers; the command ends with status 1 if a fault was missed.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import multiprocessing
import os
import pickle
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from multiprocessing.pool import ThreadPool
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import jinja2
import mutations
import numpy as np
import pydantic
import sympy
import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
WARM: Final = (jinja2, pydantic, sympy, yaml)
"""Imported once, before the first fault."""

ROOMS: Final = (
    "mbsym/passes",
    "mbsym/kinematics/regrouping.py",
    "mbsym/kinematics/sliding.py",
    "mbsym/formulations/shared",
    "mbsym/codegen/lower.py",
    "mbsym/codegen/lower_loops.py",
    "mbsym/codegen/usage.py",
    "mbsym/codegen/c/lanes.py",
    "mbsym/codegen/c/parts.py",
)

CHAIN: Final = "chain of 30 bodies"
"""Whose alike sections are lanes."""

CASES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("quadruped", {"functions": ("forward_dynamics", "inverse_dynamics", "mass_matrix")}),
    ("puma560", {"prepare": True, "symbolic_parameters": "all", "functions": ("inverse_dynamics", "mass_matrix")}),
    ("puma560", {"trigonometry": "argument"}),
    ("puma560", {"trigonometry": "inline", "batch": ("all",), "functions": ("forward_dynamics", "body_jacobians")}),
    ("space_robot", {"functions": ("inverse_dynamics", "forward_dynamics", "joint_wrenches")}),
    ("stewart_platform", {"functions": ("constrained_dynamics",)}),
    (CHAIN, {"formulation": "cfa-serial", "functions": ("forward_dynamics",)}),
    (
        "planar_3r",
        {"derivatives": (("inverse_dynamics", ("q", "v")),), "compressed": True, "symbolic_parameters": "all"},
    ),
    ("quadruped", {"style": "shared", "functions": ("inverse_dynamics", "mass_matrix", "body_jacobians", "momentum")}),
    (
        "quadruped",
        {"style": "shared", "formulation": "cfa-parallel", "threads": 2, "functions": ("forward_dynamics",)},
    ),
)

START, END = "<!-- planted faults -->", "<!-- end of planted faults -->"

SECONDS: Final = 120
"""Of processor time for one fault: what takes longer does not end."""

AGREEMENT: Final = 1e-9


class Faulty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with other text."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self.name, self.path, self.text = name, path, text

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module's, none of others."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec: ModuleSpec) -> None:
        """As always."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs the other text."""
        exec(compile(self.text, str(self.path), "exec"), module.__dict__)


def texts_of(cases: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, str]]:
    """The files of all cases."""
    from mbsym.derivatives.of_functions import DerivativeRequest
    from mbsym.options.generation import GenerationOptions
    from mbsym.pipeline import generate_files
    from mechanisms.benchmark_chains import spatial_chain

    found = []
    for source, asked in cases:
        model = spatial_chain(30) if source == CHAIN else source
        requests = tuple(DerivativeRequest(*each) for each in asked.get("derivatives", ()))
        _, files = generate_files(model, GenerationOptions(**{**asked, "derivatives": requests}))
        found.append({file.name: file.text for file in files})
    return found


def with_fault(fault: mutations.Mutation, sent: Any) -> None:
    """Sends what comes of the cases with a fault: texts, or the words of an error."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.environ["MBSYM_CACHE"] = tempfile.gettempdir()
    path = ROOT / fault.path
    source = path.read_text(encoding="utf-8")
    text = source[: fault.start] + fault.text + source[fault.end :]
    name = fault.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    sys.meta_path.insert(0, Faulty(name, path, text))
    sys.setrecursionlimit(2000)
    try:
        result: Any = texts_of(CASES)
    except BaseException as error:  # whatever ends a generation
        result = f"{type(error).__name__}: {error}"
    sent.send_bytes(pickle.dumps(result))
    sent.close()


def outcome(fault: mutations.Mutation, expected: Sequence[dict[str, str]]) -> str:
    """What becomes of a fault, in words."""
    context = multiprocessing.get_context("fork")
    received, sent = context.Pipe(duplex=False)
    process = context.Process(target=with_fault, args=(fault, sent))
    process.start()
    sent.close()
    try:
        result = pickle.loads(received.recv_bytes())
    except EOFError:
        result = "it does not end"
    process.join()
    if isinstance(result, str):
        return f"stopped by {'the proof' if result.startswith('ProofError') else result.split(':')[0]}"
    for case, texts, before in zip(CASES, result, expected, strict=True):
        changed = {name for name, text in texts.items() if text != before.get(name)}
        if changed and not equal_apart(context, texts, before):
            return f"missed: {case[0]} {case[1]}"
    return "no fault"


def equal_apart(context: Any, texts: dict[str, str], before: dict[str, str]) -> bool:
    """Whether two modules give the same numbers, found out by a process without a fault."""
    received, sent = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sent.send(same_numbers(texts, before)))
    process.start()
    sent.close()
    try:
        equal: bool = received.recv()
    except EOFError:
        equal = False
    process.join()
    return equal


def same_numbers(texts: dict[str, str], before: dict[str, str]) -> bool:
    """Whether two modules give the same numbers, in both languages; one that cannot be loaded gives none."""
    from mbsym.errors import CodegenError

    try:
        found, expected = (dict(numbers_of(each)) for each in (texts, before))
    except CodegenError:
        return True
    if found.keys() != expected.keys():
        return False
    for key, a in found.items():
        b = expected[key]
        allowed = AGREEMENT * np.abs(b).max(initial=0)
        if a.shape != b.shape or not np.allclose(a, b, rtol=0, atol=allowed, equal_nan=True):
            return False
    return True


def numbers_of(texts: dict[str, str]) -> Iterator[tuple[tuple[str, str, int], np.ndarray]]:
    """All results of a module's derived functions at random states, in C and in NumPy."""
    from mbsym.codegen.load import load_c, load_numpy

    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        (source,) = (Path(folder) / name for name in texts if name.endswith(".c") and "_batch" not in name)
        for module in (load_c(folder), load_numpy(source.with_suffix(".py"))):
            made: dict[str, np.ndarray] = {}
            for name, function in module.functions.items():
                arguments = [made[item.name] if item.name in made else values(item) for item in function.inputs]
                results = function(*arguments)
                results = results if isinstance(results, tuple) else (results,)
                if name in ("prepare", "sines_cosines"):
                    made[function.outputs[0].name] = results[0]
                    continue
                for place, result in enumerate(results):
                    yield (module.language, name, place), np.asarray(result, dtype=float)


def values(argument: Any) -> np.ndarray:
    """The same random values for an argument of that name and shape each time."""
    drawn = np.random.default_rng(sum(argument.name.encode())).uniform(-2, 2, argument.size)
    for start in argument.quaternions:
        drawn[start : start + 4] /= np.linalg.norm(drawn[start : start + 4])
    return drawn.reshape(argument.shape)


def drawn(rooms: Sequence[str], count: int, seed: int) -> list[mutations.Mutation]:
    """A sample of faults, as many of each room as its share of lines."""
    every = []
    for room in rooms:
        paths = [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))
        for path in paths:
            source = path.read_text(encoding="utf-8")
            every += mutations.python_mutations(path.relative_to(ROOT).as_posix(), source)
    return sorted(random.Random(seed).sample(every, min(count, len(every))))


def main() -> int:
    """Plants the faults and prints what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", default="")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", type=Path, help="page whose table is written")
    parser.add_argument("--list", action="store_true", help="only the faults")
    options = parser.parse_args()
    rooms = [room for room in ROOMS if room.startswith(options.room)]
    faults = drawn(rooms, options.count, options.seed)
    if options.list:
        for fault in faults:
            print(fault.shown((ROOT / fault.path).read_text(encoding="utf-8")))
        return 0
    context = multiprocessing.get_context("fork")
    received, sent = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sent.send(texts_of(CASES)))
    process.start()
    expected = received.recv()
    process.join()
    tally: Counter[str] = Counter()
    began = time.perf_counter()
    with ThreadPool(options.processes) as pool:
        for fault, found in zip(faults, pool.imap(lambda each: outcome(each, expected), faults), strict=True):
            tally[found.split(":")[0]] += 1
            source = (ROOT / fault.path).read_text(encoding="utf-8")
            print(f"{found:40} {fault.shown(source)}", flush=True)
    told = {
        "stopped by the proof": tally.pop("stopped by the proof", 0),
        "ended by an error of their own": sum(count for words, count in tally.items() if words.startswith("stopped")),
        "change no number": tally["no fault"],
        "missed": tally["missed"],
    }
    lines = [f"Of {len(faults)} faults (seed {options.seed}):", "", "| faults | number |", "|---|---|"]
    lines += [f"| {words} | {count} |" for words, count in told.items()]
    print("\n".join(("", *lines, "", f"{time.perf_counter() - began:.0f} s")))
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        before, after = text.split(START)[0], text.split(END)[1]
        options.write.write_text("\n".join((f"{before}{START}", *lines, f"{END}{after}")), encoding="utf-8")
    return 1 if told["missed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
