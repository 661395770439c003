"""Tables: measured curves, whose names are functions in expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mbsym.errors import ModelError

Between: TypeAlias = Literal["linear", "cubic", "spline"]
Outside: TypeAlias = Literal["hold", "extrapolate"]

BETWEEN: Final[tuple[Between, ...]] = ("linear", "cubic", "spline")
OUTSIDE: Final[tuple[Outside, ...]] = ("hold", "extrapolate")


@dataclass(frozen=True, slots=True)
class Table:
    """A function of one number or of two, by its values at some points; all numbers are in SI units.

    Attributes:
        name: an identifier, the function's name in expressions of forces and outputs.
        x: increasing points of the argument, of two arguments the first.
        y: the values there, of two arguments the points of the second, increasing.
        z: of two arguments the values: ``z[i][j]`` at ``x[i]`` and ``y[j]``.
        between: the points: "linear", straight lines; "cubic", cubics with a continuous slope that overshoot nowhere
            (SciPy's PchipInterpolator); "spline", cubics with continuous curvature, the first two of which are one, and
            the last two (SciPy's CubicSpline, not-a-knot). Of two arguments "linear" in each of them.
        outside: "hold" takes the nearest end for an argument beyond the points; "extrapolate" goes on with the first
            or last piece.

    Raises:
        ModelError: something in x, y or z is no number.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    z: tuple[tuple[float, ...], ...] = ()
    between: Between = "linear"
    outside: Outside = "hold"

    def __post_init__(self) -> None:
        try:
            for key in ("x", "y"):
                object.__setattr__(self, key, tuple(map(float, getattr(self, key))))
            object.__setattr__(self, "z", tuple(tuple(map(float, row)) for row in self.z))
        except (TypeError, ValueError) as error:
            what = f"table {self.name!r} holds what is no number: {error}"
            raise ModelError(what, where="tables", remedy="give numbers in sequences, of z in rows") from None

    @property
    def arguments(self) -> int:
        """How many it takes."""
        return 2 if self.z else 1
