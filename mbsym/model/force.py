"""Force elements. Each acts in the sense it is written: springs pull back, dampers oppose, inputs push along v."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mbsym.values.parameter import Value, Vector


@dataclass(frozen=True, slots=True)
class JointSpring:
    """tau = -stiffness * (q - reference) on one coordinate of a joint whose speeds are the rates of its coordinates."""

    name: str
    joint: str
    stiffness: Value
    reference: Value = 0
    index: int = 0


@dataclass(frozen=True, slots=True)
class JointDamper:
    """tau = -damping * v on one speed of a joint."""

    name: str
    joint: str
    damping: Value
    index: int = 0


@dataclass(frozen=True, slots=True)
class JointFriction:
    """tau = -magnitude * tanh(v / transition_speed): dry friction without its jump."""

    name: str
    joint: str
    magnitude: Value
    transition_speed: Value = 0.01
    index: int = 0


@dataclass(frozen=True, slots=True)
class Actuator:
    """tau = gain * u on one speed of a joint, u the control input of that name."""

    name: str
    joint: str
    input: str
    gain: Value = 1
    index: int = 0


@dataclass(frozen=True, slots=True)
class JointForce:
    """tau = expression of coordinates, speeds, t, control inputs and parameters, on one speed of a joint."""

    name: str
    joint: str
    expression: Value
    index: int = 0


@dataclass(frozen=True, slots=True)
class PointSpringDamper:
    """A spring and damper between two points: tension = stiffness (length - free_length) + damping * rate of length."""

    name: str
    first_body: str
    second_body: str
    stiffness: Value = 0
    damping: Value = 0
    free_length: Value = 0
    first_point: Vector = (0, 0, 0)
    second_point: Vector = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class AppliedWrench:
    """A force at a point of a body and a moment on it; components in base axes or in the body's; may be expressions."""

    name: str
    body: str
    force: Vector = (0, 0, 0)
    moment: Vector = (0, 0, 0)
    point: Vector = (0, 0, 0)
    axes: Literal["base", "body"] = "base"


ForceElement: TypeAlias = (
    JointSpring | JointDamper | JointFriction | Actuator | JointForce | PointSpringDamper | AppliedWrench
)


def expressions_of(force: ForceElement) -> tuple[Value, ...]:
    """Values of a force element that may depend on coordinates, speeds, time and control inputs."""
    if isinstance(force, JointForce):
        return (force.expression,)
    if isinstance(force, AppliedWrench):
        return (*force.force, *force.moment)
    return ()
