"""All tolerances of closed loops in one table: of the analysis, of assembly, and of the runtime in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mbsym.codegen.interface import Real


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A number that something is compared with.

    Attributes:
        name: in the runtime's text, and here.
        double, single: its values in double and single precision.
        reason: one sentence.
    """

    name: str
    double: float
    single: float
    reason: str

    def of(self, real: Real) -> float:
        """The value for a floating-point type."""
        return self.single if real == "float" else self.double


REGULAR: Final = Tolerance(
    "REGULAR",
    1e-3,
    3e-2,
    "Smallest pivot of the factor of J M^-1 J^T at equal size of its rows above which that factor serves: errors grow "
    "with the square of its inverse, where they grow with the inverse in what takes over below.",
)
DEPENDENT: Final = Tolerance(
    "DEPENDENT",
    1e-10,
    1e-5,
    "Part of the largest pivot or singular value of D^-1/2 L^-T J^T below which a closure row counts as dependent: it "
    "lies between what round-off leaves of a zero and what rows near a singular configuration have.",
)
ENOUGH: Final = Tolerance(
    "ENOUGH", 1e-14, 1e-6, "Gap [m, rad] that a projection leaves alone: it is round-off in lengths of about a metre."
)
ACCEPTED: Final = Tolerance(
    "ACCEPTED",
    1e-11,
    1e-3,
    "Gap [m, rad] up to which a projection that came to rest counts as closed: a thousand times that, for long chains.",
)
ITERATIONS: Final = Tolerance(
    "ITERATIONS",
    12,
    12,
    "Newton steps of a projection: they double the digits, so that more only help where there is no solution nearby.",
)
RUNTIME: Final = (REGULAR, DEPENDENT, ENOUGH, ACCEPTED, ITERATIONS)
"""What the generated code receives."""

CLOSED: Final = 1e-10
"""Gaps below this [m, rad] count as closed in assembly: far above round-off, far below what any drawing means."""

FLOOR: Final = 1e-15
"""Gaps below this [m, rad] are not closed further."""

FOLLOWS: Final = 1e-6
"""Part of the largest singular value of G below which a row follows from others in the analysis of a mechanism. Loops
are closed to about 1e-14, which leaves about 1e-7 to a dependent row of an overconstrained loop, whose gap grows with
the square of the error."""

UNMOVED: Final = 1e-9
"""Part of the largest singular value below which a damped Newton step leaves a direction alone: it is that of an
equation which follows from others."""

BAD_CHOICE: Final = 0.5
"""Independent coordinates are chosen anew where the smallest pivot falls below this part of the best choice's."""


def runtime_numbers() -> Mapping[str, Mapping[Real, float]]:
    """The runtime's tolerances by name and floating-point type."""
    return {item.name: {"double": item.double, "float": item.single} for item in RUNTIME}
