"""Options that are one number, in an SI unit or with a unit behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from mbsym.errors import MbsymError
from mbsym.option import options_of

if TYPE_CHECKING:
    from mbsym.model.system import Model

O = TypeVar("O")


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


def in_si(options: O, model: Model) -> O:
    """Options of a dataclass, in which numbers by name that were typed with units are in SI.

    Args:
        options: as they were typed.
        model: that says what the names are.

    Raises:
        SimulationError: a unit is unknown, or measures something else.
    """
    from mbsym.options.quantities import in_si as by_name

    changed: dict[str, Any] = {}
    flags = {item.name: item.flags[0] for item in options_of(options) if item.flags}
    for item in fields(options):  # type: ignore[arg-type]
        value = getattr(options, item.name)
        if is_dataclass(item.default):
            changed[item.name] = in_si(value, model)
        elif item.name in flags and isinstance(value, Mapping):
            changed[item.name] = by_name(value, model, f"--{flags[item.name]}", forces=item.name == "tau")
    return replace(options, **changed)  # type: ignore[type-var]
