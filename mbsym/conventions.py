"""Conventions in one place; every generated file repeats those it depends on."""

from __future__ import annotations

import math
import re
from typing import Final

SPATIAL_ORDER: Final = "angular-linear"
QUATERNION_ORDER: Final = "wxyz"
STANDARD_GRAVITY: Final = ("0", "0", "-9.81")

FRAME_CONVENTIONS: Final = (
    "SI units, radians. Ground is body 0; parent label < child label; joint j is the inboard joint of body j.",
    "Spatial vectors are [angular; linear]. Quaternions are scalar-first (w, x, y, z) and of unit length.",
    "Labels count from 1, and names in the code such as sin5, w5_x and m5_3 bear them; entries of arrays count from 0.",
)
"""What a header says first; what the joint types say of their q and v comes next."""

EQUATION_CONVENTIONS: Final = (
    "Equations: M(q) vdot + bias(q, v) = tau, bias with velocity, gravity and modelled force terms.",
    "Joint wrench: [moment; force] on the successor by the predecessor, at and in the successor's joint frame.",
)

LOOP_CONVENTIONS: Final = (
    "Closed loops: M(q) vdot + bias(q, v) = tau + G(q)^T lambda, G(q) vdot = gamma(q, v); a multiplier a row of G.",
)
"""What the equations are beyond those where loops close."""

INLINE_TRIGONOMETRY: Final = (
    "Sines and cosines are computed in place, below one unit in the last place up to 1e5 (float: 1e3), by libm beyond."
)
"""What is said of C code that brings its own."""

GIVEN_TRIGONOMETRY: Final = (
    "Functions take sin_cos, sine and cosine of each angle in turn; sines_cosines({given}) computes it:",
    "the row of an angle has its sine, sin_cos[2*row], and cosine, sin_cos[2*row + 1]: functions read these, no sin5.",
)
"""What is said of code that takes sines and cosines as an argument; what computes them takes what is given."""

CONSTANTS: Final = {
    "NQ": "coordinates, entries of q",
    "NV": "generalised speeds, entries of v, vdot and tau",
    "NB": "bodies, ground not counted",
    "NJ": "joints, of the tree and cut",
    "NR": "independent closure rows, entries of lambda",
    "NP": "standard parameters, columns of regressor",
    "NBASE": "base parameters, columns of base_regressor",
    "WORKSPACE": "entries of workspace, which prepare fills from the parameters",
    "ANGLES": "rows of sin_cos, sine and cosine of an angle each",
    "TRANSFER_BODIES": "bodies that steps move",
    "TRANSFER_CUTS": "cut joints and point springs between bodies",
    "TRANSFER_UNKNOWNS": "force components at cuts",
    "TRANSFER_SCHEME": "entries of scheme, the constants of one step",
    "TRANSFER_CARDAN": "1 where Cardan angles are integrated",
    "TRANSFER_DIMENSION": "2 in the plane, 3 in space",
    "TRANSFER_ANGLES": "rotation unknowns of a body",
    "TRANSFER_BASE": "entries of the attitude that increments start from",
    "TRANSFER_MOTION": "entries of what a body's attitude contributes",
    "TRANSFER_ELIMINATION": "entries kept of an eliminated coordinate",
    "TRANSFER_COORDINATES": "coordinates that each hinge has room for",
    "TRANSFER_LOADS": "entries of loads for each body",
    "TRANSFER_FRAME": "entries of the axes that a coordinate moves in",
    "TRANSFER_TURNED": "entries of a rotation in the table of joints",
    "TRANSFER_SLOT": "entries of a row of the table of joints for each coordinate",
    "TRANSFER_BODY": "entries of a row of the table of bodies",
    "TRANSFER_JOINT": "entries of a row of the table of joints",
    "TRANSFER_CUT": "entries of a row of the table of cuts",
    "TRANSFER_STATE": "entries of state for each body",
    "TRANSFER_CUT_FORCES": "entries of state for the forces at cuts",
    "TRANSFER_SIZE": "entries of state",
    "TRANSFER_WORK": "entries of work, the scratch memory of the caller",
}
"""What the integers of a generated module count, by the names that C headers and Python modules have for them."""

LARGEST_CODE: Final = 100.0
"""Megabytes above which the work does not begin unless it is asked for."""


def unit_factor(stated: str, wanted: str) -> float | None:
    """By what numbers with a stated unit are multiplied to have the wanted one.

    Args:
        stated: as people write it above a column; degrees are known, and nothing stated is the wanted one.
        wanted: of SI, angles in radians.

    Returns:
        None where the units are others.
    """
    unit = _plain(stated)
    if not unit or unit == _plain(wanted):
        return 1.0
    unit = re.sub("degrees|degree|deg|\u00b0", "rad", unit)
    return math.pi / 180 if unit == _plain(wanted) else None


def _plain(unit: str) -> str:
    return re.sub(r"[ *.^\u00b7]", "", unit.replace("\u00b2", "2"))
