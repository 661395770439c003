"""What an excitation and an estimate are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.option import option

HELD_BACK: Final = 0.25
"""Part of the samples that an estimate is tried on, if nothing is said."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an excitation is to be.

    Attributes:
        duration: of one period [s].
        harmonics: of the base frequency.
        step: between samples [s].
        acceleration: limit of the rates of speeds [rad/s^2, m/s^2].
        seed: of the shapes that the search starts from.
    """

    duration: float = option(10.0, "Of the motion [s].", "duration", unit="s")
    harmonics: int = option(5, "Of the motion's base frequency.", "harmonics")
    step: float = option(0.01, "Between samples of the motion [s].", "step", unit="s")
    acceleration: float = option(10.0, "Limit of the motion [rad/s^2, m/s^2].", "acceleration")
    seed: int = option(0, "Of the motions that the search starts from.", "seed")


@dataclass(frozen=True, slots=True)
class Estimate:
    """How parameters are estimated.

    Attributes:
        held_back: part of the samples, the last ones, that the estimate is tried on.
        cutoff: of the low-pass filters [Hz]; 0 filters only where speeds or accelerations were not measured.
    """

    held_back: float = option(HELD_BACK, "Part of the samples to try the estimate on.", "hold-back")
    cutoff: float = option(
        0.0, "Of the low-pass filters [Hz]; default by the motion, where v or vdot are missing.", "cutoff", unit="Hz"
    )


DEFAULT_MOTION: Final = Settings()
DEFAULT_ESTIMATE: Final = Estimate()
