"""Numbers that the sweep goes by, in one place: what it reports, how its iteration ends, what it takes for singular."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from mbsym.codegen import statuses


class Status(IntEnum):
    """What became of a step; above DONE it failed and the state is the one before it. Numbers are those everywhere."""

    LOOSE = -1
    DONE = statuses.Status.OK
    SINGULAR = statuses.Status.SINGULAR
    NOT_FINITE = statuses.Status.NOT_FINITE
    NOT_CONVERGED = statuses.Status.NOT_CONVERGED
    CHART_LOST = statuses.Status.CHART_LOST
    IMPOSSIBLE_STEP = statuses.Status.IMPOSSIBLE_STEP


class Report(IntEnum):
    """Places in the report of a number of steps."""

    STATUS = 0
    STEPS = 1
    ITERATIONS = 2
    MOST_ITERATIONS = 3
    LAST_CHANGE = 4
    LOOSE_STEPS = 5
    PIVOT_RATIO = 6


class Setting(IntEnum):
    """Places in the settings of the iteration."""

    TOLERANCE = 0
    ACCEPTABLE = 1
    MOST = 2
    NEWTON = 3


DEFAULT_TOLERANCE: Final = 1e-12
"""Last change of an angle [rad], times the square root of the number of bodies: a few digits above round-off."""

DEFAULT_ACCEPTABLE: Final = 1e-6
"""Last change that still counts as a step."""

DEFAULT_MOST: Final = 20
"""Iterations in a step."""

MOST_STEPS: Final = 2.0**24
"""Steps of one call: single precision counts no further."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What can be asked of a floating-point type.

    Attributes:
        tolerance, acceptable: of the last change of an angle [rad].
        closure: largest gap of a cut joint that an initial configuration may have, in the mechanism's unit of length.
    """

    tolerance: float
    acceptable: float
    closure: float


LIMITS: Final[Mapping[str, Limits]] = {
    # Gaps are what ten decimals of an angle leave, and a hundred roundings of lengths.
    "double": Limits(DEFAULT_TOLERANCE, DEFAULT_ACCEPTABLE, 1e-8),
    "float": Limits(1e-6, 1e-3, 1e-5),
}

_TOLERANCES: Final[Mapping[str, float]] = {
    "DEFAULT_TOLERANCE": DEFAULT_TOLERANCE,
    "DEFAULT_ACCEPTABLE": DEFAULT_ACCEPTABLE,
    "FLOAT_TOLERANCE": LIMITS["float"].tolerance,
    "FLOAT_ACCEPTABLE": LIMITS["float"].acceptable,
    "STALLED_RATIO": 0.25,  # a change above this part of the one before it has stopped to shrink,
    "STALLED_CHANGE": 1e4,  # which is convergence below this multiple of the tolerance
    "SMALLEST_PIVOT": 1e-13,  # of the scaled closure equations at the start: what round-off leaves of zero
    "LARGEST_GAP": 1e-4,  # angle by which attitudes given at the start may differ from what hinges make of them [rad]
    "SMALLEST_CARDAN_COSINE": 0.1,  # of the middle angle, below which a failed step has lost its chart
}

NUMBERS: Final[Mapping[str, int | float]] = {
    **{item.name: int(item) for table in (Status, Report, Setting) for item in table},
    "DEFAULT_MOST": DEFAULT_MOST,
    "MOST_STEPS": MOST_STEPS,
    **_TOLERANCES,
}
"""Everything above by the names under which the sweep knows it."""
