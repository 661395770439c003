"""Guards of derived functions: what must be looked at before results are used, and what is said where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.codegen.description import Tolerance
from mbsym.codegen.statuses import Failure, Status
from mbsym.symbolic.domains import Guard, Need

GUARDED: Final = "guarded values"
"""The array beside a function's results that holds them; no argument has this name."""

VANISHES: Final = Tolerance(
    "VANISHES",
    1024 * 2.0**-52,
    1024 * 2.0**-23,
    "1024 epsilon",
    "Part of its ordinary size below which a divisor counts as zero: of numbers of that size round-off leaves as much "
    "after a few hundred operations.",
)

STATUS_OF: Final[dict[Need, Status]] = {
    "nonzero": Status.SINGULAR,
    "not negative": Status.OUT_OF_REACH,
    "positive": Status.OUT_OF_REACH,
    "within one": Status.OUT_OF_REACH,
}
"""What is returned where a guard fails."""

_WORDS: Final[dict[Need, str]] = {
    "nonzero": "a divisor vanishes",
    "not negative": "a root has a negative argument",
    "positive": "a logarithm or power has an argument that is not positive",
    "within one": "an arc function has an argument beyond one",
}


def failures_of(guards: Sequence[Guard]) -> tuple[Failure, ...]:
    """The statuses of a derived function with these guards, in the order of their numbers."""
    if not guards:
        return ()
    places: dict[Need, dict[str, None]] = {}
    for guard in guards:
        places.setdefault(guard.need, {})[f" in {guard.section}" if guard.section else ""] = None
    reasons: dict[Status, list[str]] = {}
    for need, found in places.items():
        reasons.setdefault(STATUS_OF[need], []).append(_WORDS[need] + " or".join(filter(None, found)))
    told = [Failure(status, f"not numbers: {', or '.join(reasons[status])}") for status in sorted(reasons)]
    return (*told, Failure(Status.NOT_FINITE, "not numbers"))
