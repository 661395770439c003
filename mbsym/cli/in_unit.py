"""Options that are one number, in an SI unit or with a unit behind it."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from mbsym.errors import MbsymError


@dataclass(frozen=True, slots=True)
class InUnit:
    """Parses what is typed for a number in an SI unit.

    Attributes:
        unit: that of a number alone.
    """

    unit: str

    @property
    def __name__(self) -> str:
        """What help calls the values."""
        return "float"

    def __call__(self, typed: str | float) -> float:
        """The number in that unit."""
        try:
            return float(typed)
        except ValueError:
            from mbsym.values.numbers import evaluate
            from mbsym.values.units import is_quantity, si_value

        if not is_quantity(typed):
            raise typer.BadParameter(f"{typed!r} is no number; give one in {self.unit}, or with a unit")
        try:
            return evaluate(si_value(typed, self.unit))
        except MbsymError as error:
            raise typer.BadParameter(str(error)) from None
