"""Closures after a million radians and a million metres: what is left open, and how far they are from the start's.

Every type of joint that closes loops, every closure constraint and a coupling, in NumPy, C and, where node is there, in
the JavaScript of pages. Gaps and distances are in units of epsilon times the largest coordinate.

    python tests/benchmarks/far_loops.py [STATES]
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import mbsym
from mbsym.codegen.build import compile_c
from mbsym.codegen.load import load_numpy
from mbsym.codegen.load_batch import CHECKED, batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.report.show import show_page
from mechanisms.far import FarLoop, far_loops, judged

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


def in_javascript(loop: FarLoop) -> Callable[[Any], Any]:
    """What a page's solver makes of the same states; Newton steps are not told."""
    text = show_page(loop.model)
    functions = text[text.index("/* Closed loops") : text.index("/* Sliders, and what")]
    controls = re.search(r'id="handles">(.*?)</script>', text)
    assert controls is not None

    def report(q: Any) -> Any:
        script = f"""{functions}
            const controls = {controls.group(1)};
            const solver = closing(controls, {{closure_gap, position_rate}});
            console.log(JSON.stringify({json.dumps(np.asarray(q).tolist())}.map(q => {{
              const found = solver.closed(q, []);
              return [found, Math.max(...closure_gap(found || q).residual.map(Math.abs))];
            }})));"""
        done = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        failed = np.array([closed is None for closed, _ in found], dtype=int)
        closed = np.array([closed or start for (closed, _), start in zip(found, np.asarray(q).tolist(), strict=True)])
        return (closed, np.array([gap for _, gap in found]), np.zeros(len(found), dtype=int)), failed

    return report


def main() -> None:
    """Prints a table, and fails where loops stay open or close elsewhere."""
    states = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    wrong = 0
    print(f"{'closed by':16} {'in':38} {'open':>5} {'gap':>7} {'apart':>7} {'steps':>6}")
    for loop in far_loops():
        with TemporaryDirectory() as first, TemporaryDirectory() as second, TemporaryDirectory() as third:
            ways: list[tuple[str, str, Callable[[Any], Any]]] = []
            if loop.name != "planar":  # all its rows follow from the rails: there is nothing to close
                ways += [("NumPy", "double", in_numpy(loop, first))]
                ways += [("C", "double", compiled(loop, "double", 4, second))]
                ways += [("C", "float", compiled(loop, "float", 8, third))]
            if shutil.which("node"):
                ways.append(("JavaScript", "double", in_javascript(loop)))
            for language, real, report in ways:
                turns, metres = FAR[real]
                for way in ((turns, 0.0), (0, metres), (turns, metres)):
                    found = judged(loop, report, EPSILON[real], *way, states=states)
                    # The page closes by least motion, which mass does not weigh, and to a part of 1e-9 of a size.
                    bad = found.open or (language != "JavaScript" and max(found.gap, found.apart) > MOST)
                    wrong += bool(bad)
                    name = f"{language} {real} {'turned ' * bool(way[0])}{'travelled' * bool(way[1])}"
                    print(f"{loop.name:16} {name:38} {found.open:5} {found.gap:7.1f} {found.apart:7.1f} "
                          f"{found.steps:6}{'  WRONG' * bool(bad)}", flush=True)  # fmt: skip
    print(f"wrong: {wrong or 'none'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
