"""Drives: states besides coordinates and speeds, which forces name and whose rates the model says."""

from __future__ import annotations

from dataclasses import dataclass, field

from mbsym.values.entries import holds, plain_entries
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class DriveState:
    """A state besides coordinates and speeds (a current, a pressure, an activation), with its rate.

    Attributes:
        name: an identifier, by which expressions know it.
        rate: its rate, of states of drives, coordinates, speeds, frames, t, control inputs and parameters.
        initial: where simulations start.
        unit: SI unit of it as text; that of the rate is this one by s.
        lower, upper: where the state is at one of them or beyond it, no rate leads it farther; None for none.
    """

    name: str
    rate: Value = field(
        metadata=holds(
            "expression",
            "its rate: of states of drives and what forces may name [its unit by s]",
            unit_key="rate_unit",
        )
    )
    initial: Value = field(
        default=0, metadata=holds("value", "where simulations start [its own unit]", unit_key="unit")
    )
    unit: str = field(default="", metadata=holds("text", "SI unit of it, as text"))
    lower: Value | None = field(
        default=None, metadata=holds("value", "below which no rate leads it [its own unit]", unit_key="unit")
    )
    upper: Value | None = field(
        default=None, metadata=holds("value", "above which no rate leads it [its own unit]", unit_key="unit")
    )

    def __post_init__(self) -> None:
        plain_entries(self, self.name)

    @property
    def rate_unit(self) -> str:
        """Of its rate."""
        return f"{self.unit or 1}/s"
