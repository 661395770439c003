"""Ways to fewer operations, of which a user may leave some out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.errors import DerivationError
from mbsym.kinematics.equivalents import REGROUP, SLIDE
from mbsym.kinematics.recursion import AXES
from mbsym.records import Registry


@dataclass(frozen=True, slots=True)
class Simplification:
    """A way to fewer operations that changes no result.

    Attributes:
        name: as the command line has it.
        sentence: what it does, for help and documentation.
    """

    name: str
    sentence: str


REASSOCIATE: Final = "reassociate"

SIMPLIFICATIONS: Final = Registry(
    "simplification",
    (
        Simplification(SLIDE, "origins of frames slide along joint axes to where offsets have fewest components"),
        Simplification(REGROUP, "moments of mass that a joint does not feel move to the body inboard of it"),
        Simplification(AXES, "angular accelerations follow from those of points on joint axes"),
        Simplification(REASSOCIATE, "sums and products are bracketed so that functions share parts of them"),
    ),
    DerivationError,
)
"""In the order in which they are applied; the first two to the mechanism, the third to recursions outward, the last one
to programs."""
