"""What closes loops, from the poses of both bodies of a cut joint alone: residuals, rows and their rates.

Residuals are functions of where the predecessor's joint frame P is in the successor's S, as the contracts define them:
points and axes by their places, alignments by 2 tan(half the angle). A row of G is a component, in the axes of S, of
the twist of S relative to P, taken at the origin of S where the joint slides and at that of P where it does not. Poses
are series of time, of which rates are coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.exact.dynamics import ExactState
from mbsym.exact.kinematics import TIME, cross, posed
from mbsym.exact.residues import Series, UndecidedError, term
from mbsym.reference.mechanism import NumericJoint, NumericMechanism
from mbsym.reference.rotations import Array

Residuals: TypeAlias = Callable[[Array, Array], Sequence[Any]]
"""Of the rotation from P to S and the place of P in S."""
Direction: TypeAlias = tuple[int, int]
"""0 for the angular or 1 for the linear part of the twist, and its component in S."""


def _aligned(R: Array, d: Array) -> Sequence[Any]:
    a, b, c = R[:, 2]
    factor = 2 / (1 + c)
    return b * factor, -(a * factor)


def _equal(R: Array, d: Array) -> Sequence[Any]:
    factor = 2 / (1 + R[0, 0] + R[1, 1] + R[2, 2])
    return (R[1, 2] - R[2, 1]) * factor, (R[2, 0] - R[0, 2]) * factor, (R[0, 1] - R[1, 0]) * factor


def _same_point(R: Array, d: Array) -> Sequence[Any]:
    return -d[0], -d[1], -d[2]


def _on_axis(R: Array, d: Array) -> Sequence[Any]:
    along = R[:, 2] @ d
    return tuple(-(d[k] - R[k, 2] * along) for k in (0, 1))


def _on_planes(*normals: int) -> Residuals:
    return lambda R, d: tuple(-(R[:, k] @ d) for k in normals)


def _turned(*ks: int) -> list[Direction]:
    return [(0, k) for k in ks]


def _moved(*ks: int) -> list[Direction]:
    return [(1, k) for k in ks]


_PARTS: Final[Mapping[str, tuple[bool, Sequence[tuple[Residuals, list[Direction]]]]]] = {
    "revolute": (False, ((_aligned, _turned(0, 1)), (_same_point, _moved(0, 1, 2)))),
    "prismatic": (True, ((_equal, _turned(0, 1, 2)), (_on_planes(0, 1), _moved(0, 1)))),
    "cylindrical": (True, ((_aligned, _turned(0, 1)), (_on_axis, _moved(0, 1)))),
    "planar": (True, ((_aligned, _turned(0, 1)), (_on_planes(2), _moved(2)))),
    "spherical": (False, ((_same_point, _moved(0, 1, 2)),)),
    "fixed": (False, ((_equal, _turned(0, 1, 2)), (_same_point, _moved(0, 1, 2)))),
    "free": (True, ()),
}
"""Whether a joint slides, and its residuals with the components of the twist that they hold."""


@dataclass(frozen=True, slots=True)
class CutFrames:
    """Frames of a cut joint as series of time, in base axes: axes P and S, origins p and s."""

    P: Array
    S: Array
    p: Array
    s: Array


class LoopState(ExactState):
    """A mechanism at a state, with what closes its loops."""

    @cached_property
    def closures(self) -> Closures:
        """Residuals, rows and their rates."""
        return Closures(self)


@dataclass(frozen=True)
class Closures:
    """All closure rows of a mechanism at a state, those that follow from others included.

    Raises:
        UndecidedError: something that is no cut joint closes a loop, or a joint whose rows are not rational.
    """

    state: ExactState

    @cached_property
    def joints(self) -> tuple[NumericJoint, ...]:
        """The cut joints."""
        mechanism = self.state.mechanism
        if mechanism.relations or mechanism.model.constraints or mechanism.model.motions:
            raise UndecidedError("a closure that is no cut joint")
        for joint in mechanism.cut_joints:
            if joint.type not in _PARTS:
                raise UndecidedError(f"a cut {joint.type} joint")
        return mechanism.cut_joints

    def frames(self, v: Array) -> list[CutFrames]:
        """Frames of all cut joints while the speeds stay what they are."""
        mechanism = self.state.mechanism
        rotations, origins = posed(mechanism, self.state.q, v)
        return [_frames(mechanism, joint, rotations, origins) for joint in self.joints]

    def residuals(self, v: Array) -> list[Any]:
        """Residuals as series of time."""
        found: list[Any] = []
        for joint, at in zip(self.joints, self.frames(v), strict=True):
            turn, place = at.S.T @ at.P, at.S.T @ (at.p - at.s)
            for residual, _ in _PARTS[joint.type][1]:
                found += residual(turn, place)
        return found

    def rates(self, v: Array) -> list[Any]:
        """G v as series of time, of two coefficients."""
        found: list[Any] = []
        for joint, at in zip(self.joints, self.frames(v), strict=True):
            slides, parts = _PARTS[joint.type]
            S, s, p = (_short(each) for each in (at.S, at.s, at.p))
            spin_s, spin_p = _spin(at.S), _spin(at.P)
            velocity_s, velocity_p = _rate(at.s), _rate(at.p)
            if slides:
                velocity_p = velocity_p + cross(spin_p, s - p)
            else:
                velocity_s = velocity_s + cross(spin_s, p - s)
            twist = (S.T @ (spin_s - spin_p), S.T @ (velocity_s - velocity_p))
            found += [twist[part][k] for _, directions in parts for part, k in directions]
        return found

    @cached_property
    def residual(self) -> list[Any]:
        """Of all rows."""
        return [term(each, 0, TIME) for each in self.residuals(self.state.v)]

    @cached_property
    def jacobian(self) -> Array:
        """G of all rows, (gaps, nv)."""
        return self._columns(lambda v: [term(each, 0, TIME) for each in self.rates(v)])

    @cached_property
    def residual_jacobian(self) -> Array:
        """Derivatives of all residuals by the motion of v, (gaps, nv)."""
        return self._columns(lambda v: [term(each, 1, TIME) for each in self.residuals(v)])

    @cached_property
    def bias(self) -> list[Any]:
        """gamma of all rows: the rate of G v is G vdot - gamma."""
        return [-term(each, 1, TIME) for each in self.rates(self.state.v)]

    def _columns(self, of: Callable[[Array], list[Any]]) -> Array:
        unit = np.eye(self.state.mechanism.nv, dtype=int).astype(object)
        columns = [of(row) for row in unit]
        found = np.empty((len(columns[0]), len(columns)), dtype=object)
        for k, column in enumerate(columns):
            found[:, k] = column
        return found

    def wrenches(self, multipliers: Mapping[int, Any]) -> list[tuple[Array, Array, Array]]:
        """Of each cut joint [moment; force] on the successor, base axes, and the point at which it acts.

        Args:
            multipliers: by the number of the row.
        """
        found, number = [], 0
        for joint, at in zip(self.joints, self.frames(self.state.v), strict=True):
            slides, parts = _PARTS[joint.type]
            own = np.zeros((2, 3), dtype=object)
            for _, directions in parts:
                for part, k in directions:
                    own[part, k] = own[part, k] + multipliers.get(number, 0)
                    number += 1
            S, s, p = (_first(each) for each in (at.S, at.s, at.p))
            found.append((S @ own[0], S @ own[1], s if slides else p))
        return found


def _frames(mechanism: NumericMechanism, joint: NumericJoint, rotations: Array, origins: Array) -> CutFrames:
    """The joint's frames, turned so that its axis is z on both sides."""
    a, b = joint.predecessor, joint.successor
    return CutFrames(
        rotations[a] @ joint.predecessor_rotation @ joint.frame,
        rotations[b] @ joint.successor_rotation @ joint.frame,
        origins[a] + rotations[a] @ joint.predecessor_translation,
        origins[b] + rotations[b] @ joint.successor_translation,
    )


def _mapped(of: Callable[[Any], Any], values: Array) -> Array:
    found: Array = np.frompyfunc(of, 1, 1)(values)
    return found


def _first(values: Array) -> Array:
    return _mapped(lambda value: term(value, 0, TIME), values)


def _short(values: Array) -> Array:
    """Series without their last coefficient."""
    return _mapped(lambda value: Series([term(value, 0, TIME), term(value, 1, TIME)], TIME), values)


def _rate(values: Array) -> Array:
    """Derivatives by time."""
    return _mapped(lambda value: Series([term(value, 1, TIME), 2 * term(value, 2, TIME)], TIME), values)


def _spin(axes: Array) -> Array:
    """Angular velocity of axes, columns in base axes."""
    turned = _rate(axes) @ _short(axes).T
    return np.array([turned[2, 1], turned[0, 2], turned[1, 0]], dtype=object)
