"""Reading the MODEL argument with its options, and telling its warnings."""

from __future__ import annotations

import math
import sys

from mbsym.errors import ModelError
from mbsym.formats.angles import SAME_ANGLE
from mbsym.formats.registry import LoadOptions
from mbsym.model.system import Model
from mbsym.pipeline import read


def read_model(source: str, *, strict: bool = False, snap_angles: float = SAME_ANGLE, floating: bool = False) -> Model:
    """The model, its warnings on standard error."""
    if not 0 <= snap_angles < math.pi / 4:
        raise ModelError(
            f"{snap_angles} rad is no tolerance of angles",
            where="--snap-angles",
            remedy="use a small one, such as 1e-4",
        )
    model = read(source, LoadOptions(strict=strict, snap_angles=snap_angles, floating=floating))
    for warning in model.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return model
