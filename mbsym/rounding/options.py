"""What bounds are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypedDict

from mbsym.errors import OptionError
from mbsym.option import NUMBERS, SPEED, WHAT, Checked, option

SAMPLES: Final = 10_000

NOT_ASKED: Final = "it was not asked for"
"""Why a function has no bounds where others were named."""


def _positive(value: float) -> None:
    if not value > 0:
        raise OptionError(f"{value:g} is not positive", remedy="give a number above 0")


@dataclass(frozen=True, slots=True)
class CertifyOptions(Checked):
    """What to bound and how.

    Attributes:
        function: names of functions; none for all that the text has.
        effort: how much is computed for each function; 1 takes some five seconds.
        samples: states at which compiled code is run beside the bounds.
        seed: of these states, and of the boxes in which it is tried what to halve.
        sine_units: bound of the error of sines and cosines of the library, in units in the last place.
        contraction: whether a compiler may fuse products with sums.
    """

    function: tuple[str, ...] = option((), "Only these functions: NAME,...; repeatable", "function", heading=WHAT)
    effort: float = option(
        1.0, "How much is computed for each function: 1 takes some five seconds.", "effort", heading=SPEED,
        check=_positive,
    )  # fmt: skip
    samples: int = option(SAMPLES, "States at which compiled code is run.", "samples", heading=WHAT, least=1)
    seed: int = option(0, "Seed of the states.", "seed", heading=WHAT, least=0)
    sine_units: float = option(
        1.0, "Error of the library's sines and cosines, at most [units in the last place].", "sine-units",
        heading=NUMBERS, check=_positive,
    )  # fmt: skip
    contraction: Literal["allowed", "excluded"] = option(
        "allowed", "Whether a compiler may fuse products with sums.", "contraction",
        heading=NUMBERS, choices=("allowed", "excluded"),
    )  # fmt: skip


class Certify(TypedDict, total=False):
    """The options as keywords."""

    function: tuple[str, ...] | list[str] | str
    effort: float
    samples: int
    seed: int
    sine_units: float
    contraction: Literal["allowed", "excluded"]
