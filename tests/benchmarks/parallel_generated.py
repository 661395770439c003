"""Generated code of the constraint force algorithm from all ends by threads: trees of 100 to 10000 bodies, and batches.

``parallel_cfa.py`` prints and writes what is measured here. Every row compares, in turn, the C of the serial recursion
(``--style shared``), that of ``--formulation cfa-parallel --threads N`` compiled without OpenMP, and the same with it.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np

import mbsym
from mbsym.codegen.build import find_compiler
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model

Call = Callable[[], Any]
FLAGS: Final = ("-std=c99", "-O2", "-march=native", "-shared", "-fPIC")
BATCHED: Final = {
    "recursion": "auto",
    "constraint forces": "cfa",
    "in rounds": "cfa-serial",
    "from all ends": "cfa-parallel",
}
STATES: Final = 4096
PERIOD: Final = 13


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


def single(
    scratch: Path, parents: Sequence[int], threads: int, state: Sequence[Any], seconds: float
) -> tuple[list[float], float]:
    """Microseconds of the recursion, and of the parts by one thread and by several; the largest difference."""
    model = model_of(parents)
    functions: list[Any] = []
    asked = {"functions": ["forward_dynamics"], "languages": ["c"], "style": "shared"}
    mbsym.generate(model, scratch / "recursion", **asked, force=True)  # type: ignore[arg-type]
    more = {"formulation": "cfa-parallel", "threads": threads}
    mbsym.generate(model, scratch / "parts", **asked, **more, force=True)  # type: ignore[arg-type]
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
