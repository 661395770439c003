"""The same mechanism in other units of length and mass: what is no length and no mass must stay as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mbsym.constraints import DistanceConstraint, PointOnLineConstraint
from mbsym.constraints.element import ConstraintElement
from mbsym.model.body import Placement
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate, parameter_values


def scaled(model: Model, length: float, mass: float = 1.0, time: float = 1.0) -> Model:
    """The model with all lengths and masses multiplied, and in another unit of time. Forces are left out."""
    numbers = parameter_values(model)

    def times(values: Sequence[Any], factor: float) -> tuple[float, ...]:
        return tuple(float(evaluate(value, numbers)) * factor for value in values)

    def placed(place: Placement) -> Placement:
        return replace(place, translation=times(place.translation, length))

    units = {joint.name: joint.shape.coordinate_units for joint in model.joints}
    bodies = tuple(
        replace(
            body,
            mass=times((body.mass,), mass)[0],
            center_of_mass=times(body.center_of_mass, length),
            inertia=times(body.inertia, mass * length * length),
            first_moment=None if body.first_moment is None else times(body.first_moment, mass * length),
        )
        for body in model.bodies
    )
    joints = tuple(
        replace(
            joint,
            predecessor_placement=placed(joint.predecessor_placement),
            successor_placement=placed(joint.successor_placement),
            initial=tuple(
                float(evaluate(x, numbers)) * (length if unit == "m" else 1.0)
                for x, unit in zip(joint.initial, units[joint.name], strict=False)
            ),
            numbers=tuple((name, times((value,), length)[0]) for name, value in joint.numbers),
            armature=times((joint.armature,), mass * (1.0 if "m" in units[joint.name] else length * length))[0],
        )
        for joint in model.joints
    )

    def closed(element: ConstraintElement) -> ConstraintElement:
        if isinstance(element, DistanceConstraint):
            points = {name: times(getattr(element, name), length) for name in ("first_point", "second_point")}
            return replace(element, length=times((element.length,), length)[0], **points)
        if isinstance(element, PointOnLineConstraint):
            return replace(
                element, line_point=times(element.line_point, length), second_point=times(element.second_point, length)
            )
        return element

    return replace(
        model,
        bodies=bodies,
        joints=joints,
        constraints=tuple(closed(element) for element in model.constraints),
        forces=(),
        inputs=(),
        frames=(),
        shapes=(),
        parameters=(),
        gravity=times(model.gravity, length / time**2),
    )
