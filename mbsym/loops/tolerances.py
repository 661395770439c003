"""All tolerances of closed loops in one table: of the analysis, of assembly, and of the runtime.

Those of the runtime are in units of epsilon, the distance from 1 to the next number of the type, and gaps are measured
by the sizes of what they are the sum of (``mbsym.loops.scale``), so that they mean the same in every precision and at
every scale.
"""

from __future__ import annotations

from typing import Final

from mbsym.codegen.interface import Tolerance

EPSILON: Final = {"double": 2.0**-52, "float": 2.0**-23}
"""Distance from 1 to the next number of each type."""


def _root(name: str, numerator: int, denominator: int, reason: str) -> Tolerance:
    """A tolerance epsilon^(numerator/denominator), to two digits."""
    double, single = (float(f"{EPSILON[real] ** (numerator / denominator):.1e}") for real in ("double", "float"))
    return Tolerance(name, double, single, f"epsilon^({numerator}/{denominator})", reason)


def _multiple(name: str, factor: int, reason: str) -> Tolerance:
    """A tolerance of so many epsilon."""
    return Tolerance(name, factor * EPSILON["double"], factor * EPSILON["float"], f"{factor} epsilon", reason)


REGULAR: Final = _root(
    "REGULAR",
    1,
    5,
    "Smallest pivot of the factor of J M^-1 J^T at equal size of its rows above which that factor serves: errors grow "
    "with the square of its inverse, where they grow with the inverse in what takes over below.",
)
DEPENDENT: Final = _root(
    "DEPENDENT",
    2,
    3,
    "Part of the largest pivot of D^-1/2 L^-T J^T below which a closure row counts as dependent: it "
    "lies between what round-off leaves of a zero and what rows near a singular configuration have.",
)
ENOUGH: Final = _multiple(
    "ENOUGH", 32, "Part of its scale (see closure_scale) up to which a projection leaves a gap alone: it is round-off."
)
ACCEPTED: Final = _multiple(
    "ACCEPTED",
    256,
    "Part of its scale up to which the gap of a projection that came to rest counts as closed: what round-off leaves "
    "after a few hundred operations with the lengths of the loop.",
)
COARSE: Final = Tolerance(
    "COARSE",
    0.01,
    0.01,
    "a hundredth",
    "Part of a loop's size that round-off of its coordinates is never taken to exceed: so far out nothing is known.",
)
ITERATIONS: Final = Tolerance(
    "ITERATIONS",
    12,
    12,
    "a number of steps",
    "Newton steps of a projection: they double the digits, so that more only help where there is no solution nearby.",
)
RUNTIME: Final = (REGULAR, DEPENDENT, ENOUGH, ACCEPTED, COARSE, ITERATIONS)
"""What the generated code receives."""

CLOSED: Final = 1e-10
"""Part of their size below which gaps count as closed in assembly: far above round-off, far below what any drawing
means."""

FLOOR: Final = 1e-15
"""Gaps below this are not closed further, in the units of the mechanism."""

FOLLOWS: Final = 1e-6
"""Part of the largest singular value of G below which a row follows from others in the analysis of a mechanism. Loops
are closed to about 1e-14, which leaves about 1e-7 to a dependent row of an overconstrained loop, whose gap grows with
the square of the error."""

UNMOVED: Final = 1e-9
"""Part of the largest singular value below which a damped Newton step leaves a direction alone: it is that of an
equation which follows from others."""

BAD_CHOICE: Final = 0.5
"""Independent coordinates are chosen anew where the smallest pivot falls below this part of the best choice's."""
