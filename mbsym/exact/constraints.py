"""What constraints hold, from poses of bodies as series of time alone: places that stay zero, and speeds that do.

The rate of a place is the coefficient of its series. What a row does to a body is its rate while that body alone moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.exact.dynamics import ExactState
from mbsym.exact.kinematics import TIME, axial, cross, going_on, joint_rates, position_rate, swept
from mbsym.exact.mechanism import along_z
from mbsym.exact.residues import Series, UndecidedError, term, vanishes
from mbsym.exact.words import Words, names_of_joints
from mbsym.reference.mechanism import OF_COORDINATES
from mbsym.reference.placements import body_placements
from mbsym.reference.rotations import Array

Held: TypeAlias = tuple[Sequence[Any], Sequence[Any]]
"""Places and speeds that stay zero, as series of time."""


@dataclass(frozen=True)
class Going:
    """A mechanism while its speeds stay what they are, or one body of it moves alone, as series of time.

    Attributes:
        state: where it is.
        q: coordinates.
        v: speeds.
        rotations, origins: of all bodies by label, base axes.
    """

    state: ExactState
    q: Array
    v: Array
    rotations: Array
    origins: Array

    @classmethod
    def on(cls, state: ExactState, v: Array) -> Going:
        """With these speeds."""
        q = going_on(state.mechanism, state.q, v)
        return cls(state, q, v, *body_placements(state.mechanism, q))

    @classmethod
    def along(cls, state: ExactState, k: int) -> Going:
        """With one speed one and the others zero, to first order."""
        v = np.zeros(state.mechanism.nv, dtype=object)
        v[k] = 1
        q = _series(state.q, position_rate(state.mechanism, state.q, v))
        return cls._turning(state, q, v, state.columns[:, :, k])

    @classmethod
    def alone(cls, state: ExactState, label: int, place: int) -> Going:
        """One body alone, with a unit entry of its twist [omega; velocity of the origin], to first order."""
        twists = np.zeros((state.mechanism.nb + 1, 6), dtype=object)
        twists[label, place] = 1
        return cls._turning(state, state.q, np.zeros(state.mechanism.nv, dtype=object), twists)

    @classmethod
    def _turning(cls, state: ExactState, q: Array, v: Array, twists: Array) -> Going:
        rotations, origins = state.moving.rotations.copy(), state.moving.origins.copy()
        for label, twist in enumerate(twists):
            if any(not vanishes(entry) for entry in twist):
                rotations[label] = _series(rotations[label], swept(rotations[label], twist[:3]) * -1)
                origins[label] = _series(origins[label], twist[3:])
        return cls(state, q, v, rotations, origins)

    @cached_property
    def omega(self) -> Array:
        """Angular velocities."""
        return spin(self.rotations)

    @cached_property
    def velocity(self) -> Array:
        """Velocities of the origins."""
        return derivative(self.origins)

    @property
    def coordinates(self) -> list[Array]:
        """Of tree joints by label."""
        return self.state.mechanism.joint_coordinates(self.q)

    def words(self, *, of_speeds: bool) -> Words:
        """What values may name: places, or speeds and places as long as these are known."""
        mechanism = self.state.mechanism
        named = names_of_joints(mechanism, self.coordinates, joint_rates(mechanism, self.v))
        if not of_speeds:
            return Words(mechanism, self.state.numbers, self, named)
        named = {name: _short(value) if isinstance(value, Series) else value for name, value in named.items()}
        return Words(mechanism, self.state.numbers, _Shortened(self), named)

    def point(self, body: str, point: Sequence[Any]) -> tuple[int, Array]:
        """A body's label and the place of one of its points."""
        label = self.state.mechanism.body_labels[body]
        place: Array = self.origins[label] + self.rotations[label] @ self.state.words.vector(point)
        return label, place


class _Shortened:
    """Poses with as many coefficients as twists have."""

    def __init__(self, going: Going) -> None:
        self.rotations, self.origins = short(going.rotations), short(going.origins)
        self.omega, self.velocity = going.omega, going.velocity


def _series(values: Array, slopes: Array) -> Array:
    made: Array = np.frompyfunc(lambda value, slope: Series((value, slope, 0), TIME), 2, 1)(values, slopes)
    return made


def _short(value: Any) -> Any:
    return Series([term(value, 0, TIME), term(value, 1, TIME)], TIME)


def rate(value: Any) -> Any:
    """The derivative of a series by time."""
    return Series([term(value, 1, TIME), 2 * term(value, 2, TIME)], TIME)


def short(values: Array) -> Array:
    """Series without their last coefficient."""
    found: Array = np.frompyfunc(_short, 1, 1)(values)
    return found


def derivative(values: Array) -> Array:
    """Derivatives by time."""
    found: Array = np.frompyfunc(rate, 1, 1)(values)
    return found


def spin(axes: Array) -> Array:
    """Angular velocities (..., 3) of axes (..., 3, 3), columns in base axes."""
    return axial(derivative(axes) @ np.swapaxes(short(axes), -1, -2))


# ---- what each holds -------------------------------------------------------------------------------------------------


def held_by(element: Any, going: Going) -> Held:
    """What a constraint holds.

    Raises:
        UndecidedError: it is not rational.
    """
    if element.type in OF_COORDINATES:
        return [_relation(element, going)], []
    if element.type not in _LAWS:
        raise UndecidedError(f"a constraint of type {element.type}")
    return _LAWS[element.type](element, going)


def _relation(element: Any, going: Going) -> Any:
    mechanism, words = going.state.mechanism, going.state.words
    total: Any = -words.of(element.offset)
    for joint, factor in OF_COORDINATES[element.type](element):
        total = total + words.of(factor) * going.coordinates[mechanism.joint_labels[joint] - 1][0]
    return total


def _distance(element: Any, going: Going) -> Held:
    near = going.point(element.first_body, element.first_point)[1]
    way = going.point(element.second_body, element.second_point)[1] - near
    return [np.sqrt(way @ way) - going.state.words.of(element.length)], []


def _point_on_line(element: Any, going: Going) -> Held:
    label, near = going.point(element.first_body, element.line_point)
    way = going.point(element.second_body, element.second_point)[1] - near
    axes = going.rotations[label] @ along_z(element.line_direction, going.state.numbers)
    return [axes[:, k] @ way for k in (0, 1)], []


def _rolling(element: Any, going: Going) -> Held:
    """The lowest point of the rim stays in the plane; where it touches, wheel and plane have one velocity."""
    words, numbers = going.state.words, going.state.numbers
    plane, near = going.point(element.on, element.plane_point)
    wheel, center = going.point(element.wheel, element.center)
    axes = going.rotations[plane] @ along_z(element.normal, numbers)
    about = (going.rotations[wheel] @ along_z(element.axis, numbers))[:, 2]
    normal, profile = axes[:, 2], words.of(element.profile)
    circle = words.of(element.radius) - profile
    down: Any = -(normal * profile)
    if circle != 0:
        tilt = about @ normal
        down = down - (normal - about * tilt) * (circle / np.sqrt(1 - tilt * tilt))
    touches = center + down
    twists, place = _Shortened(going), short(touches)

    def velocity(label: int) -> Array:
        moved: Array = twists.velocity[label] + cross(twists.omega[label], place - twists.origins[label])
        return moved

    slip = velocity(wheel) - velocity(plane)
    return [normal @ (touches - near)], [short(axes)[:, k] @ slip for k in (0, 1)]


_LAWS: Final[Mapping[str, Callable[[Any, Going], Held]]] = {
    "distance": _distance,
    "point_on_line": _point_on_line,
    "rolling": _rolling,
    "expression": lambda element, going: ([going.words(of_speeds=False).of(element.expression)], []),
    "velocity": lambda element, going: ([], [going.words(of_speeds=True).of(element.expression)]),
}
"""By their type in files, but for relations of coordinates."""
