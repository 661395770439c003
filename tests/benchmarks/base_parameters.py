"""Base parameters of every robot of example-robot-data and of all bundled loops: how many, the numeric rank, and time.

    python tests/benchmarks/base_parameters.py [NAME...]

The numeric rank is that of the regressor of all standard parameters, with closed loops projected on the motions that
these leave, by singular values; it is computed apart and not timed.
"""

from __future__ import annotations

import sys
from importlib.metadata import files
from pathlib import Path
from time import process_time

import numpy as np

from mbsym.errors import MbsymError
from mbsym.formats.registry import LoadOptions
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.pipeline import read
from mbsym.regressors.base_parameters import base_parameters_of
from mbsym.regressors.columns import force_columns
from mbsym.regressors.sampled import loop_rows, random_rows

BUNDLED = ("four_bar", "slider_crank", "five_bar", "stewart_platform", "rhombus_planar", "rhombus_symmetric",
           "rhombus_regular", "rhombus_spatial", "qi_closed_loops", "driver_cab_motion")  # fmt: skip

THRESHOLD = 1e-8
"""Part of the largest column, and of the largest singular value of columns of length one, below which is round-off."""


def robots() -> dict[str, Path]:
    """URDF files by their names."""
    found = [Path(str(item.locate())).resolve() for item in files("example-robot-data") or ()
             if item.suffix == ".urdf"]  # fmt: skip
    return {f"{path.parent.parent.name.removesuffix('_description')}/{path.stem}": path for path in sorted(found)}


def numeric_rank(mechanism: Mechanism, loops: LoopAnalysis | None) -> int:
    """By singular values."""
    columns = force_columns(mechanism)
    rows = (random_rows(mechanism, columns) if loops is None else loop_rows(mechanism, loops, columns)).matrix
    sizes = np.linalg.norm(rows, axis=0)
    felt = sizes > THRESHOLD * sizes.max(initial=0.0)
    values = np.linalg.svd(rows[:, felt] / sizes[felt], compute_uv=False)
    return int(np.sum(values > THRESHOLD * values[0])) if len(values) else 0


def main(names: list[str]) -> int:
    wrong = 0
    print(f"{'model':42} {'speeds':>6} {'parameters':>10} {'base':>5} {'rank':>5} {'seconds':>8}  how")
    sources = {**{name: name for name in BUNDLED}, **{name: str(path) for name, path in robots().items()}}
    for name, source in sources.items():
        for floating in (False, True) if source.endswith(".urdf") else (False,):
            if names and name not in names:
                continue
            try:
                model = read(source, LoadOptions(floating=floating))
            except MbsymError as error:
                print(f"{name:42} {str(error)[:80]}")
                continue
            start = process_time()
            mechanism = build_mechanism(model, model.label())
            loops = analyse_loops(mechanism) if mechanism.cut_joints or model.constraints else None
            found = base_parameters_of(mechanism, loops)
            seconds = process_time() - start
            rank = numeric_rank(mechanism, loops)
            wrong += rank != len(found)
            title = f"{name}{' (floating)' if floating else ''}"
            print(
                f"{title:42} {mechanism.nv:6} {len(found.columns):10} {len(found):5} {rank:5} {seconds:8.2f}  "
                f"{found.how}{'' if found.exact else ', rounded'}{'' if rank == len(found) else '  DIFFERENT'}",
                flush=True,
            )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
