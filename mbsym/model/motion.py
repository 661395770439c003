"""Motions: speeds of joints that are what they are told to be, whatever forces that takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mbsym.values.entries import Kind, holds, named, plain_entries
from mbsym.values.parameter import Value

UNITS: Final = {"position": "m or rad", "speed": "m/s or rad/s", "acceleration": "m/s^2 or rad/s^2"}
"""Of what a motion may give."""


@dataclass(frozen=True, slots=True)
class PrescribedMotion:
    """A coordinate follows a law of time, or its speed or acceleration does; the force that this takes is a result.

    Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 9.1 (hybrid dynamics).

    Attributes:
        name: unique among the motions of a model.
        joint: the joint.
        law: what is followed, of t, parameters and tables; that of an acceleration may hold control inputs as well.
        gives: what the law is.
        index: of the joint's speed.
    """

    name: str
    joint: str = field(metadata=holds("joint", "the joint"))
    law: Value = field(
        metadata=holds(
            "expression",
            "what is followed: of t, parameters and tables, of an acceleration control inputs, too",
            unit="m or rad, or a rate of these",
            unit_key="unit",
            of="time",
        )
    )
    gives: str = field(
        default="position", metadata=holds("choice", "what the law is", words=("position", "speed", "acceleration"))
    )
    index: int = field(default=0, metadata=holds("index", "which of the joint's speeds, from 0"))

    def __post_init__(self) -> None:
        plain_entries(self, self.name)

    @property
    def unit(self) -> str:
        """Of the law."""
        return UNITS[self.gives]

    def named(self, kind: Kind) -> tuple[str, ...]:
        """The joint, as the only kind of thing that it names."""
        return named(self, kind)
