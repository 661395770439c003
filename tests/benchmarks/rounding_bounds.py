"""Guaranteed rounding bounds of arms beside the worst of a hundred thousand samples, and what they cost.

    python tests/benchmarks/rounding_bounds.py [MODEL ...]

Speeds within 2 rad/s (those of Panda, whose fingers are slow, within its limits), accelerations within 5 rad/s^2,
torques within 10 N m, angles within limits of the model or whole turns. A ratio is the bound of an output over its
worst sample; seconds are the processor's, for bounds and samples.
"""

from __future__ import annotations

import sys
from importlib.metadata import files
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import mbsym
from mbsym.rounding.checking import check_bounds

MODELS = ("puma560", "ur5_robot.urdf", "panda.urdf")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
SAMPLES = 100_000
BOX = "vdot: [-5, 5]\ntau: [-10, 10]\n"


def found(name: str) -> str:
    """A bundled example, or a file of the robots that are installed."""
    if not name.endswith(".urdf"):
        return name
    return next(str(file.locate()) for file in files("example-robot-data") or () if file.name == name)


def main() -> None:
    """Prints a row for each function and type of numbers."""
    print("| model | function | numbers | largest bound | median ratio | largest ratio | parts | seconds | confirmed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for model in sys.argv[1:] or MODELS:
        for real in ("float", "double"):
            with TemporaryDirectory() as scratch:
                box = Path(scratch) / "box.yaml"
                box.write_text(BOX if "panda" in model else f"{BOX}v: [-2, 2]\n", encoding="utf-8")
                mbsym.generate(found(model), scratch, languages=["c"], functions=FUNCTIONS, real=real)
                for function in FUNCTIONS:
                    start = process_time()
                    bounds = mbsym.certify(scratch, box, function=function, samples=SAMPLES)
                    seconds = process_time() - start
                    own = bounds[function]
                    checked = check_bounds(Path(scratch) / f"{bounds.name}.bounds.json", parts=20)
                    known = own.ratios if own.is_bounded else []
                    ratios = (f"{median(known):.1f}", f"{known[-1]:.1f}") if known else ("not bounded", "")
                    cells = (
                        bounds.name, function, real, f"{max(item.bound for item in own.outputs):.1e}",
                        *ratios, len(own.parts), f"{seconds:.1f}",
                        "no" if checked.faults else "yes",
                    )  # fmt: skip
                    print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
