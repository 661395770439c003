"""Closure constraints between points: by how much they are violated, and along which directions they pull."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mbsym.errors import ModelError
from mbsym.records import Registry
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion, point_bias
from mbsym.reference.rotations import Array, cross


@dataclass(frozen=True, slots=True)
class Reach:
    """From a point of the first body to one of the second, in base axes.

    Attributes:
        mechanism: the mechanism.
        turn: rotation of the first body.
        near, far: the points.
        omega: angular velocity of the first body.
        rate: velocity of the second point relative to the first.
    """

    mechanism: NumericMechanism
    turn: Array
    near: Array
    far: Array
    omega: Array
    rate: Array

    @property
    def between(self) -> Array:
        """From the first point to the second."""
        found: Array = self.far - self.near
        return found


@dataclass(frozen=True, slots=True)
class ReferenceConstraint:
    """A closure constraint between points, by its type in files.

    Attributes:
        name: the type.
        near: attribute of the point on the first body; that on the second is ``second_point``.
        gap: by how much it is violated.
        directions: columns (3, n) along which the points may not part, and the known part of the second rate of the
            gap along them.
        turning: the directions are fixed in the first body.
    """

    name: str
    near: str
    gap: Callable[[Reach, Any], Array]
    directions: Callable[[Reach, Any], tuple[Array, Array]]
    turning: bool = False


def between_points(mechanism: NumericMechanism) -> list[Any]:
    """The constraints of the model that are between points."""
    return [item for item in mechanism.model.constraints if item.type in REFERENCE_CONSTRAINTS]


def reach(mechanism: NumericMechanism, at: Configuration, moving: Motion | None, element: Any) -> Reach:
    """The points of a constraint; at rest where no motion is given."""
    first, second = mechanism.body_labels[element.first_body], mechanism.body_labels[element.second_body]
    local = getattr(element, REFERENCE_CONSTRAINTS.named(element.type, element.name).near)
    near = at.origins[first] + at.rotations[first] @ mechanism.numbers(local)
    far = at.origins[second] + at.rotations[second] @ mechanism.numbers(element.second_point)
    omega = rate = np.zeros(3)
    if moving is not None:
        omega = moving.angular[first, :, 0]
        rate = moving.linear[second, :, 0] + cross(moving.angular[second, :, 0], far - at.origins[second])
        rate = rate - moving.linear[first, :, 0] - cross(omega, near - at.origins[first])
    return Reach(mechanism, at.rotations[first], near, far, omega, rate)


def _rod_gap(found: Reach, element: Any) -> Array:
    return np.array([np.linalg.norm(found.between) - found.mechanism.number(element.length)])


def _rod_directions(found: Reach, element: Any) -> tuple[Array, Array]:
    """r from the first to the second point, n its direction: |r|'' = n . r'' + (|r'|^2 - (n . r')^2) / |r|."""
    length = float(np.linalg.norm(found.between))
    if length == 0:
        raise ModelError("the ends of the rod coincide", where=element.name, remedy="give it a length")
    direction, rate = found.between / length, found.rate
    return direction[:, None], np.array([(rate @ rate - (direction @ rate) ** 2) / length])


def _line_gap(found: Reach, element: Any) -> Array:
    gap: Array = _normals(found, element) @ found.turn.T @ found.between
    return gap


def _line_directions(found: Reach, element: Any) -> tuple[Array, Array]:
    """Normals e_i fixed in the first body:
    (e_i . r)'' = e_i . (r'' - alpha x r - omega x (omega x r) - 2 omega x (r' - omega x r))."""
    normals = found.turn @ _normals(found, element).T
    relative = found.rate - cross(found.omega, found.between)
    return normals, -normals.T @ (point_bias(found.omega, found.between) + 2 * cross(found.omega, relative))


def _normals(found: Reach, element: Any) -> Array:
    line = found.mechanism.numbers(element.line_direction)
    across: Array = np.linalg.svd(line[None, :])[2][1:]
    return across


REFERENCE_CONSTRAINTS: Final = Registry[ReferenceConstraint](
    "constraint of the reference",
    (
        ReferenceConstraint("distance", "first_point", _rod_gap, _rod_directions),
        ReferenceConstraint("point_on_line", "line_point", _line_gap, _line_directions, turning=True),
    ),
    ModelError,
)
"""Gears and linear couplings are laws of joints, which the mechanism itself keeps."""
