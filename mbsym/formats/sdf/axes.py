"""Axes of SDF joints: directions, limits, and what damps and stretches along them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mbsym.errors import MbsymError
from mbsym.formats.rigid_frames import turned_vector
from mbsym.formats.sdf.frames import Frames, Node
from mbsym.formats.xml_document import Element
from mbsym.model.geometry import norm
from mbsym.values.numbers import decimal_number, evaluate
from mbsym.values.parameter import Value, Vector

NO_LIMIT = 1e16
"""What stands for no limit before version 1.9."""

INFINITE = ("inf", "-inf", "+inf", "infinity", "-infinity", "+infinity")


@dataclass(frozen=True, slots=True)
class JointAxis:
    """An axis of a joint.

    Attributes:
        element: that describes it.
        direction: in the joint's frame.
        limits: by their words, None where there is none.
        damping, friction, stiffness, reference: of the forces along it, zero where there is none.
        initial: coordinate at the start.
    """

    element: Element
    direction: Vector
    limits: Mapping[str, Value | None]
    damping: Value
    friction: Value
    stiffness: Value
    reference: Value
    initial: Value


def read_axis(frames: Frames, joint: Node, tag: Literal["axis", "axis2"]) -> JointAxis:
    """An axis of a joint.

    Raises:
        FormatError: the joint has no such axis, or a value is no number.
    """
    element = joint.element.child(tag)
    if element is None:
        kind = joint.element.attributes.get("type", "")
        raise joint.element.error(f"{kind} joint {joint.name!r} has no <{tag}>", f"add <{tag}>")
    limit, dynamics = element.part("limit"), element.part("dynamics")
    return JointAxis(
        element,
        _direction(frames, joint, element),
        {word: _limit(limit, word) for word in ("effort", "velocity", "lower", "upper")},
        damping=dynamics.number_of("damping", 0),
        friction=dynamics.number_of("friction", 0),
        stiffness=dynamics.number_of("spring_stiffness", 0),
        reference=dynamics.number_of("spring_reference", 0),
        initial=element.number_of("initial_position", 0),
    )


def _direction(frames: Frames, joint: Node, axis: Element) -> Vector:
    """The direction of an axis in the frame of its joint."""
    element = axis.child("xyz")
    if element is None:
        return (0, 0, 1)
    direction = element.triple("")
    if norm([evaluate(value) for value in direction]) == 0:
        raise element.error(f"the axis of joint {joint.name!r} is zero", "give a direction")
    name = element.words("expressed_in")
    if not name:
        return direction
    frame = frames.named(joint.scope, name, element, f"the axis of joint {joint.name!r}")
    placement = frames.placement(frame, joint)
    if not placement.rotation and placement.quaternion is None:
        return direction
    return turned_vector(placement, direction)


def _limit(around: Element, tag: str) -> Value | None:
    element = around.child(tag)
    if element is None:
        return None
    words = element.text.strip()
    if words.lower() in INFINITE:
        return None
    try:
        stated = decimal_number(words)
    except MbsymError:
        stated = None
    if stated is not None and abs(stated) >= NO_LIMIT:
        return None
    value = element.number()
    # A negative bound of what is never below zero stands for none.
    return None if tag in ("effort", "velocity") and evaluate(value) < 0 else value
