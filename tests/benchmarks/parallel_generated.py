"""Generated code of the constraint force algorithm in parts by threads: trees of 100 to 10000 bodies, and batches.

``parallel_cfa.py`` prints and writes what is measured here. Every row compares, in turn, the C of the serial recursion
(``--style shared``), that of ``--formulation cfa-parallel --threads N`` compiled without OpenMP, and the same with it.
What is proven before files are written takes far longer than these functions and is left out: rows compare numbers.

Operations are counted for more threads than this machine has: in all, and by the thread that has most to do between two
waits, the calls of a loop shared out as OpenMP's static schedule does.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from unittest.mock import patch

import numpy as np

import mbsym
from mbsym.codegen.build import find_compiler
from mbsym.codegen.interface import lowered, print_files
from mbsym.formulations.constraint_force import in_parts
from mbsym.formulations.constraint_force.in_parts import forward_dynamics_in_parts
from mbsym.formulations.constraint_force.parts import Division, Tree
from mbsym.formulations.shared.dynamics import roll_forward_dynamics
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, describe, express, optimise
from mbsym.symbolic.program import Program

Call = Callable[[], Any]
FLAGS: Final = ("-std=c99", "-O2", "-march=native", "-shared", "-fPIC")
BATCHED: Final = {
    "recursion": "auto",
    "constraint forces": "cfa",
    "in rounds": "cfa-serial",
    "in parts": "cfa-parallel",
}
STATES: Final = 4096
PERIOD: Final = 13
MOST_SINGLE: Final = 1000
"""Bodies up to which a chain is counted in parts of single bodies."""


def model_of(parents: Sequence[int]) -> Model:
    """The tree with the numbers of ``parallel_cfa.rows``."""
    bodies, joints = [], []
    for body, parent in enumerate(parents, start=1):
        i = (body - 1) % PERIOD + 1
        bodies.append(Body(f"B{body}", 1 + i / 2, (0.1, 0.02 * i, 0.2), (0.02 * i, 0.03 * i, 0.04 * i, 0, 0, 0)))
        place = Placement((0.3, 0.1 * i, 0.05), (("x", 0.1 * i), ("y", 0.2)))
        ends = (f"B{parent}" if parent else "ground", f"B{body}")
        joints.append(Joint(f"J{body}", "revolute", *ends, predecessor_placement=place))
    return Model("tree", tuple(bodies), tuple(joints))


def in_turn(calls: Sequence[Call], seconds: float) -> list[float]:
    """Microseconds of the fastest call of each, the calls taking turns, so that all meet the same machine."""
    best = [1e9] * len(calls)
    end = perf_counter() + seconds * len(calls)
    for call in calls:
        call()
    while perf_counter() < end:
        for place, call in enumerate(calls):
            began = perf_counter()
            call()
            best[place] = min(best[place], perf_counter() - began)
    return [1e6 * each for each in best]


def _function(directory: Path, name: str, also: Sequence[str]) -> Any:
    library = directory / f"{name}.so"
    command = [*find_compiler(), *FLAGS, *also, str(directory / "tree.c"), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).tree_forward_dynamics
    function.restype = None
    return function


def _printed(model: Model, directory: Path, **asked: Any) -> Program:
    """The function, whose C is in the directory."""
    options = GenerationOptions(functions=("forward_dynamics",), languages=("c",), style="shared", **asked)
    derivation = derive(express(model, options), options)
    directory.mkdir(exist_ok=True)
    for file in print_files(lowered(describe(derivation, options), options.languages), options.languages, ()):
        (directory / file.name).write_text(file.text, encoding="utf-8")
    (program,) = derivation.programs
    return program


def single(
    scratch: Path, parents: Sequence[int], threads: int, state: Sequence[Any], seconds: float
) -> tuple[list[float], float]:
    """Microseconds of the recursion, and of the parts by one thread and by several; the largest difference."""
    model = model_of(parents)
    functions: list[Any] = []
    _printed(model, scratch / "recursion")
    _printed(model, scratch / "parts", formulation="cfa-parallel", threads=threads)
    tag = f"{len(parents)}_{hash(tuple(parents)) & 0xFFFFFFFF:x}"
    for place, also in (("recursion", ()), ("parts", ("-Wno-unknown-pragmas",)), ("parts", ("-fopenmp",))):
        functions.append(_function(scratch / place, f"{tag}_{len(functions)}", also))
    results = [np.zeros(len(parents)) for _ in functions]

    def call_of(function: Any, result: Any) -> Call:
        arguments = [ctypes.c_void_p(array.ctypes.data) for array in (*state, result)]
        return lambda: function(*arguments)

    found = in_turn([call_of(*pair) for pair in zip(functions, results, strict=True)], seconds)
    expected, alone, together = results
    assert np.array_equal(alone, together), "threads changed a bit"
    return found, float(np.abs(together - expected).max() / np.abs(expected).max())


def longest_way(program: Program, threads: int) -> tuple[int, int]:
    """Operations of the thread that has most to do between two waits, summed, and how often all wait."""
    costs = [step.program.operation_count().arithmetic for step in program.steps]
    total = waits = 0
    for loop in program.sweeps:
        parts: dict[int, int] = {}
        for call in loop.calls:
            parts[call.part] = parts.get(call.part, 0) + costs[call.step]
        own = list(parts.values())
        share = ceil(len(own) / threads)
        total += max(sum(own[start : start + share]) for start in range(0, len(own), share))
        waits += 1
    return total, waits


def counted(parents: Sequence[int], threads: Sequence[int]) -> Iterator[str]:
    """Rows of the table of operations, those of the recursion first."""
    mechanism = express(model_of(parents), GenerationOptions())

    def made(program: Program | None) -> Program:
        assert program is not None
        return optimise(program, mechanism.ways)[0]

    n = len(parents)
    serial = made(roll_forward_dynamics(mechanism)).operation_count().arithmetic
    yield f"| {n} | recursion | 1 | {serial / n:.0f} | {serial} | | 1.00 |"
    for count in threads:
        found = made(forward_dynamics_in_parts(mechanism, count))
        if found.threads == count:
            yield _row(n, f"`--threads {count}`", found, serial)
    if n <= MOST_SINGLE:
        with patch.object(in_parts, "divided", lambda own, *_: Division(Tree(own), 1.0, 0.0, bool).shared(n)):
            yield _row(n, "single bodies", made(forward_dynamics_in_parts(mechanism, n)), serial)


def _row(n: int, what: str, found: Program, serial: int) -> str:
    longest, waits = longest_way(found, found.threads)
    every = found.operation_count().arithmetic / n
    return f"| {n} | {what} | {found.threads} | {every:.0f} | {longest} | {waits} | {serial / longest:.2f} |"


def batches(seconds: float) -> Iterator[str]:
    """Rows of the table of batches: microseconds a state, by one thread and by all, of the paper's space robot."""
    rng = np.random.default_rng(0)
    expected = None
    for title, formulation in BATCHED.items():
        calls: list[Any] = []
        for threads in (False, True):
            robot = mbsym.compile("space_robot", ["forward_dynamics"], formulation=formulation, threads=threads)
            function = robot.forward_dynamics
            if not calls:
                rng = np.random.default_rng(0)
                given = [rng.uniform(-1, 1, (STATES, *item.shape)) for item in function.function.inputs]
                given[0][:, 3:7] /= np.linalg.norm(given[0][:, 3:7], axis=1)[:, None]
            calls.append(lambda function=function, given=given: function(*given))
        found = [call() for call in calls]
        expected = found[0] if expected is None else expected
        difference = max(float(np.abs(each - expected).max() / np.abs(expected).max()) for each in found)
        one, all_ = (each / STATES for each in in_turn(calls, seconds))
        yield f"| {title} (`{formulation}`) | {one:.2f} | {all_:.2f} | {one / all_:.1f} | {difference:.0e} |"
