"""Floating-point formats and what their operations lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array


@dataclass(frozen=True, slots=True)
class Precision:
    """A binary format, to nearest.

    Attributes:
        name: of its type in C.
        digits: of the significand.
        lowest: exponent of half its least positive number.
        greatest: its greatest finite number.
    """

    name: str
    digits: int
    lowest: int
    greatest: float

    def half_unit(self, size: Array) -> Array:
        """Half a unit in the last place, at least half the least number: bounds |fl(x) - x| for |x| <= ``size``."""
        _, exponents = np.frexp(size)
        units = np.where(size > 0, np.ldexp(1.0, exponents - 1 - self.digits), 0.0)
        # Half of double's least number is no double; the least number is.
        return np.where(np.isfinite(size), np.maximum(units, np.ldexp(1.0, max(self.lowest, -1074))), np.inf)


PRECISIONS: Final = {
    "double": Precision("double", 53, -1075, float(np.finfo(np.float64).max)),
    "float": Precision("float", 24, -150, float(np.finfo(np.float32).max)),
}
