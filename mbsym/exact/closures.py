"""What closes loops, from the poses of bodies alone: residuals, rows and their rates.

Residuals of cut joints are functions of where the predecessor's joint frame P is in the successor's S, as the contracts
define them: points and axes by their places, alignments by 2 tan(half the angle). A row of G is a component, in the
axes of S, of the twist of S relative to P, taken at the origin of S where the joint slides and at that of P where it
does not. Rows of constraints are rates of what they hold. Poses are series of time, of which rates are coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.exact.constraints import Going, derivative, held_by, rate, short, spin
from mbsym.exact.dynamics import ExactState
from mbsym.exact.kinematics import TIME, cross
from mbsym.exact.residues import Series, UndecidedError, term
from mbsym.exact.words import Words
from mbsym.reference.mechanism import NumericJoint, NumericMechanism
from mbsym.reference.rotations import Array

_UNIT: Final = np.eye(3, dtype=int).astype(object)
_NONE: Final = np.zeros(3, dtype=object)


@dataclass(frozen=True, slots=True)
class Seen:
    """The predecessor's frame P as seen from the successor's frame S of a cut joint.

    Attributes:
        R: rotation from P to S.
        d: the place of P in S.
        numbers: of the joint.
    """

    R: Array
    d: Array
    numbers: Sequence[Any]


Residuals: TypeAlias = Callable[[Seen], Sequence[Any]]
Directions: TypeAlias = Callable[[Seen], Sequence[tuple[Array, Array]]]
"""[moment; force] on the successor per unit multiplier, in S: their power is the row times v."""
Part: TypeAlias = tuple[Residuals, Directions]


def _aligned(seen: Seen) -> Sequence[Any]:
    a, b, c = seen.R[:, 2]
    factor = 2 / (1 + c)
    return b * factor, -(a * factor)


def _equal(seen: Seen) -> Sequence[Any]:
    R = seen.R
    factor = 2 / (1 + R[0, 0] + R[1, 1] + R[2, 2])
    return (R[1, 2] - R[2, 1]) * factor, (R[2, 0] - R[0, 2]) * factor, (R[0, 1] - R[1, 0]) * factor


def _on_axis(seen: Seen) -> Sequence[Any]:
    along = seen.R[:, 2] @ seen.d
    return tuple(-(seen.d[k] - seen.R[k, 2] * along) for k in (0, 1))


def _on_planes(*normals: int) -> Residuals:
    return lambda seen: tuple(-(seen.R[:, k] @ seen.d) for k in normals)


def _advance(seen: Seen) -> Sequence[Any]:
    """How far a thread has advanced more than its angle says, up to whole turns."""
    R, (pitch,) = seen.R, seen.numbers
    turned = -(R[:, 2] @ seen.d) / pitch
    sine, cosine, s, c = R[0, 1] - R[1, 0], R[0, 0] + R[1, 1], np.sin(turned), np.cos(turned)
    return (pitch * (s * cosine - c * sine).stands("atan2", c * cosine + s * sine),)


def _turned(*ks: int) -> Directions:
    return lambda seen: [(_UNIT[k], _NONE) for k in ks]


def _moved(*ks: int) -> Directions:
    return lambda seen: [(_NONE, _UNIT[k]) for k in ks]


_ALIGNED: Final[Part] = _aligned, _turned(0, 1)
_ATTITUDE: Final[Part] = _equal, _turned(0, 1, 2)
_POINT: Final[Part] = (lambda seen: tuple(-seen.d)), _moved(0, 1, 2)
_AXIS: Final[Part] = _on_axis, _moved(0, 1)
_CROSS: Final[Part] = (
    lambda seen: (-seen.R[1, 0],),
    lambda seen: [(np.array([-seen.R[2, 0], 0, seen.R[0, 0]], dtype=object), _NONE)],
)
"""The first axis in P stays perpendicular to the second one, y of S."""
_THREAD: Final[Part] = _advance, (lambda seen: [(_UNIT[2] * -seen.numbers[0], _UNIT[2])])

_PARTS: Final[Mapping[str, tuple[bool, Sequence[Part]]]] = {
    "revolute": (False, (_ALIGNED, _POINT)),
    "prismatic": (True, (_ATTITUDE, (_on_planes(0, 1), _moved(0, 1)))),
    "cylindrical": (True, (_ALIGNED, _AXIS)),
    "helical": (True, (_ALIGNED, _AXIS, _THREAD)),
    "planar": (True, (_ALIGNED, (_on_planes(2), _moved(2)))),
    "spherical": (False, (_POINT,)),
    "universal": (False, (_CROSS, _POINT)),
    "fixed": (False, (_ATTITUDE, _POINT)),
    "free": (True, ()),
}
"""Whether a joint slides, and what it holds."""


@dataclass(frozen=True, slots=True)
class CutFrames:
    """Frames of a cut joint as series of time, in base axes: axes P and S, origins p and s."""

    P: Array
    S: Array
    p: Array
    s: Array


@dataclass(frozen=True, slots=True)
class PrescribedSpeed:
    """A speed that a motion prescribes.

    Attributes:
        column: its place in v.
        coordinate: the place in q of what it is the rate of; None where no position is prescribed.
        rates: what is prescribed, from the law to the acceleration.
    """

    column: int
    coordinate: int | None
    rates: tuple[Any, ...]


class LoopState(ExactState):
    """A mechanism at a state, with what closes its loops and what motions prescribe."""

    @cached_property
    def prescribed(self) -> list[PrescribedSpeed]:
        """What motions prescribe, in the order of the model."""
        mechanism, found = self.mechanism, []
        later = Words(mechanism, self.numbers, self.moving, {**self.words.named, "t": Series((self.t, 1, 0), TIME)})
        for motion in mechanism.model.motions:
            joint = mechanism.joints[mechanism.joint_labels[motion.joint] - 1]
            if joint.speeds is None or joint.coordinates is None:
                raise UndecidedError("a motion of a joint without speeds of its own")
            law = later.of(motion.law)
            count = ("acceleration", "speed", "position").index(motion.gives) + 1
            rates = tuple(term(law, order, TIME) * (1, 1, 2)[order] for order in range(count))
            coordinate = joint.coordinates.start + motion.index if motion.gives == "position" else None
            found.append(PrescribedSpeed(joint.speeds.start + motion.index, coordinate, rates))
        return found

    @cached_property
    def closures(self) -> Closures:
        """Residuals, rows and their rates."""
        return Closures(self)


@dataclass(frozen=True, slots=True)
class HeldRow:
    """What one row holds, as series of time.

    Attributes:
        residual: a place that stays zero; None of what holds speeds alone.
        rate: the row times v, of two coefficients.
    """

    residual: Any
    rate: Any


@dataclass(frozen=True)
class Closures:
    """All closure rows of a mechanism at a state, those that follow from others included: of cut joints by label, then
    of constraints in the order of the model, those that hold speeds last.

    Raises:
        UndecidedError: a joint or a constraint whose rows are not rational.
    """

    state: LoopState

    @cached_property
    def joints(self) -> tuple[NumericJoint, ...]:
        """The cut joints."""
        for joint in self.state.mechanism.cut_joints:
            if joint.type not in _PARTS:
                raise UndecidedError(f"a cut {joint.type} joint")
        return self.state.mechanism.cut_joints

    def frames(self, going: Going) -> list[CutFrames]:
        """Frames of all cut joints."""
        mechanism = self.state.mechanism
        return [_frames(mechanism, joint, going.rotations, going.origins) for joint in self.joints]

    def rows(self, going: Going) -> list[HeldRow]:
        """All rows."""
        places: list[HeldRow] = []
        for joint, at in zip(self.joints, self.frames(going), strict=True):
            places += _cut_rows(joint, at)
        closing, speeds = self._constrained(going)
        return [*places, *closing, *speeds]

    def _constrained(self, going: Going) -> tuple[list[HeldRow], list[HeldRow]]:
        """Of constraints: those that close loops, and those that hold speeds."""
        closing: list[HeldRow] = []
        held: list[HeldRow] = []
        for element in self.state.mechanism.model.constraints:
            places, speeds = held_by(element, going)
            closing += [HeldRow(each, rate(each)) for each in places]
            held += [HeldRow(None, each) for each in speeds]
        return closing, held

    @cached_property
    def of_joints(self) -> int:
        """How many rows are those of cut joints, which stand first."""
        return sum(len(pulls) for _, pulls in self._pulls)

    @cached_property
    def _here(self) -> Going:
        return Going.on(self.state, self.state.v)

    @cached_property
    def _now(self) -> list[HeldRow]:
        return self.rows(self._here)

    @cached_property
    def _along(self) -> list[list[HeldRow]]:
        """With each speed one and the others zero."""
        return [self.rows(Going.along(self.state, k)) for k in range(self.state.mechanism.nv)]

    @cached_property
    def residual(self) -> list[Any]:
        """Of all rows."""
        return [0 if row.residual is None else term(row.residual, 0, TIME) for row in self._now]

    @cached_property
    def jacobian(self) -> Array:
        """G of all rows, (gaps, nv)."""
        return self._columns(lambda row: term(row.rate, 0, TIME))

    @cached_property
    def residual_jacobian(self) -> Array:
        """Derivatives of all residuals by the motion of v, (gaps, nv); of what has none, the row itself."""
        return self._columns(
            lambda row: term(row.rate, 0, TIME) if row.residual is None else term(row.residual, 1, TIME)
        )

    @cached_property
    def bias(self) -> list[Any]:
        """gamma of all rows: the rate of G v is G vdot - gamma."""
        return [-term(row.rate, 1, TIME) for row in self._now]

    def _columns(self, of: Callable[[HeldRow], Any]) -> Array:
        found = np.empty((len(self._now), self.state.mechanism.nv), dtype=object)
        for k, column in enumerate(self._along):
            found[:, k] = [of(row) for row in column]
        return found

    @cached_property
    def _pulls(self) -> list[tuple[Array, list[tuple[Array, Array]]]]:
        """Of each cut joint the point at which it acts, and [moment; force] of a unit of each row on the successor,
        base axes."""
        found = []
        for joint, at in zip(self.joints, self.frames(self._here), strict=True):
            S, s, P, p = (_first(each) for each in (at.S, at.s, at.P, at.p))
            pulls = _directions(joint, Seen(S.T @ P, S.T @ (p - s), joint.numbers))
            turned = [(S @ moment, S @ force) for moment, force in pulls]
            found.append((s if _PARTS[joint.type][0] else p, turned))
        return found

    def wrenches(self, multipliers: Mapping[int, Any]) -> list[tuple[Array, Array, Array]]:
        """Of each cut joint [moment; force] on the successor, base axes, and the point at which it acts.

        Args:
            multipliers: by the number of the row.
        """
        found, rows = [], count()
        for point, pulls in self._pulls:
            moment, force = _NONE, _NONE
            for (turning, moving), number in zip(pulls, rows, strict=False):
                multiplier = multipliers.get(number, 0)
                moment, force = moment + turning * multiplier, force + moving * multiplier
            found.append((moment, force, point))
        return found

    @cached_property
    def _loads(self) -> Array:
        """What a unit of each row of constraints does to all bodies by label, (rows, nb+1, 6)."""
        labels, rows = range(1, self.state.mechanism.nb + 1), len(self._now) - self.of_joints
        found = np.zeros((rows, len(labels) + 1, 6), dtype=object)
        if rows:
            for label in labels:
                for place in range(6):
                    closing, speeds = self._constrained(Going.alone(self.state, label, place))
                    found[:, label, place] = [term(row.rate, 0, TIME) for row in (*closing, *speeds)]
        return found

    def loads(self, multipliers: Mapping[int, Any]) -> Array:
        """What constraints do to all bodies by label: [moment about the origin; force], base axes, (nb+1, 6)."""
        total: Array = np.zeros((self.state.mechanism.nb + 1, 6), dtype=object)
        for number, load in enumerate(self._loads, self.of_joints):
            if number in multipliers:
                total = total + load * multipliers[number]
        return total


def _directions(joint: NumericJoint, seen: Seen) -> list[tuple[Array, Array]]:
    return [each for _, directions in _PARTS[joint.type][1] for each in directions(seen)]


def _cut_rows(joint: NumericJoint, at: CutFrames) -> list[HeldRow]:
    seen = Seen(at.S.T @ at.P, at.S.T @ (at.p - at.s), joint.numbers)
    slides, parts = _PARTS[joint.type]
    residuals = [each for residual, _ in parts for each in residual(seen)]
    S, s, p = (short(each) for each in (at.S, at.s, at.p))
    spin_s, spin_p = spin(at.S), spin(at.P)
    velocity_s, velocity_p = derivative(at.s), derivative(at.p)
    if slides:
        velocity_p = velocity_p + cross(spin_p, s - p)
    else:
        velocity_s = velocity_s + cross(spin_s, p - s)
    angular, linear = S.T @ (spin_s - spin_p), S.T @ (velocity_s - velocity_p)
    now = Seen(short(seen.R), short(seen.d), joint.numbers)
    rates = [turning @ angular + moving @ linear for turning, moving in _directions(joint, now)]
    return [HeldRow(*each) for each in zip(residuals, rates, strict=True)]


def _frames(mechanism: NumericMechanism, joint: NumericJoint, rotations: Array, origins: Array) -> CutFrames:
    """The joint's frames, turned so that its axis is z on both sides."""
    a, b = joint.predecessor, joint.successor
    return CutFrames(
        rotations[a] @ joint.predecessor_rotation @ joint.frame,
        rotations[b] @ joint.successor_rotation @ joint.frame,
        origins[a] + rotations[a] @ joint.predecessor_translation,
        origins[b] + rotations[b] @ joint.successor_translation,
    )


def _first(values: Array) -> Array:
    found: Array = np.frompyfunc(lambda value: term(value, 0, TIME), 1, 1)(values)
    return found
