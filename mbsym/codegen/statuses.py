"""What becomes of a call that can fail: one list of statuses, with the same numbers and names in every module.

A generated function that can fail returns one of them in C, and raises or returns them in NumPy; a function that cannot
fail knows nothing of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Status(IntEnum):
    """What became of a call; 0 is good."""

    OK = 0
    SINGULAR = 1
    NOT_CLOSED = 2
    OUT_OF_REACH = 3
    NOT_FINITE = 4
    NOT_CONVERGED = 5
    CHART_LOST = 6
    IMPOSSIBLE_STEP = 7


SENTENCES: Final = {
    Status.OK: "the results are what they are meant to be",
    Status.SINGULAR: "the configuration is singular: closure rows lose rank, or what is divided by vanishes",
    Status.NOT_CLOSED: "no configuration with closed loops was found near the one given",
    Status.OUT_OF_REACH: "no result exists: the joints cannot meet, or a function is outside its domain",
    Status.NOT_FINITE: "an argument or a result is infinite or not a number",
    Status.NOT_CONVERGED: "the iteration of a step did not come to rest",
    Status.CHART_LOST: "a body came to the singular attitude of its angles",
    Status.IMPOSSIBLE_STEP: "the length or the number of the steps cannot be",
}
"""What each means."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A status that a function can return.

    Attributes:
        status: any but OK.
        results: what its results are then, in words.
    """

    status: Status
    results: str
