"""Reference positions of MJCF joints: where their coordinates have the values that the file states."""

from __future__ import annotations

import math
from fractions import Fraction

from mbsym.formats.angles import negative
from mbsym.formats.mjcf.frames import turned
from mbsym.formats.rigid_frames import exact
from mbsym.model.body import COINCIDENT, Placement
from mbsym.model.frame_ends import quaternion_of
from mbsym.model.geometry import Triple, norm
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value, Vector


def reference_shift(kind: str, axis: Vector, reference: Value) -> Placement:
    """Where the joint frame sits so that the coordinate at the reference position is the reference value."""
    if evaluate(reference) == 0:
        return COINCIDENT
    x, y, z = (evaluate(value) for value in axis)
    length = norm((x, y, z))
    if length == 0:
        return COINCIDENT
    unit: Triple = (x / length, y / length, z / length)
    if kind == "slide":
        r = evaluate(reference)
        a, b, c = (repr(-r * component) if component else 0 for component in unit)
        return Placement((a, b, c))
    rotation, quaternion = turned(unit, negative(reference))
    return Placement(rotation=rotation, quaternion=quaternion)


def pose_values(placement: Placement) -> tuple[Value, ...]:
    """Quaternion and position of a placement, the coordinates of a free joint."""
    if placement.quaternion is not None:
        w, x, y, z = (exact(value) for value in placement.quaternion)
        square = w * w + x * x + y * y + z * z
        if square == 1:
            return (*placement.quaternion, *placement.translation)
        length = Fraction(math.sqrt(square))
        return (*(repr(float(value / length)) for value in (w, x, y, z)), *placement.translation)
    q = quaternion_of(placement, evaluate)
    values: tuple[Value, ...] = tuple(int(value) if value in (0.0, 1.0) else repr(value) for value in q)
    return (*values, *placement.translation)
