"""States that a model names: where it may start, rest or be linearised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mbsym.values.parameter import Value

JointValues: TypeAlias = tuple[tuple[str, tuple[Value, ...]], ...]
"""Values by joint, in the model's order."""


@dataclass(frozen=True, slots=True)
class NamedState:
    """A state with a name.

    Attributes:
        name: unique among states.
        q: coordinates of joints; those that are not there are the model's initial ones.
        v: speeds of joints; those that are not there are zero.
        x: states of drives by their names; those that are not there are the model's initial ones.
    """

    name: str
    q: JointValues = ()
    v: JointValues = ()
    x: tuple[tuple[str, Value], ...] = ()
