"""Reading the MODEL argument with its options, and telling its warnings."""

from __future__ import annotations

import sys

from mbsym.formats.angles import SAME_ANGLE
from mbsym.formats.registry import LoadOptions
from mbsym.model.system import Model
from mbsym.pipeline import read


def read_model(source: str, *, strict: bool = False, snap_angles: float = SAME_ANGLE, floating: bool = False) -> Model:
    """The model, its warnings on standard error."""
    model = read(source, LoadOptions(strict=strict, snap_angles=snap_angles, floating=floating))
    for warning in model.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return model
