"""Kinds of bodies: those with joints of one type, whose constants are zero, one or any number in the same places.

A kind stands for all its bodies in derivations: what is any number becomes a symbol, and each body brings the numbers.
Where there would be too many kinds, those that cost least together become one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from mbsym.formulations.shared.heads import vector
from mbsym.formulations.shared.placed import entries_of
from mbsym.joints.motion import JointMotion
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.placement import rounded, scalars
from mbsym.kinematics.simplified import true
from mbsym.spatial.inertia import RIGID_ENTRIES, RigidInertia
from mbsym.spatial.rotation import Factor, MatrixRotation, PlaneRotation, Rotation
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, constant, symbol

MOST_KINDS: Final = 5
"""Kinds of bodies with one type of joint; each has steps of its own."""

MOST_COMPARED: Final = 32
"""Kinds that are compared with each other before they are joined; rarer ones are joined unseen."""

FIRST_NUMBER: Final = 2
_TURNED: Final = 9
_PLACED_INERTIA: Final = 3 + RIGID_ENTRIES
_IDENTITY: Final = (1, 0, 0, 0, 1, 0, 0, 0, 1)

FrameName: TypeAlias = Literal["user_frame", "wrench_frame"]
"""A constant frame of bodies that some functions need."""

Number: TypeAlias = Fraction | Scalar
"""A constant of a body: a number, or an expression of run-time parameters."""

Marks: TypeAlias = tuple[int, ...]
"""Of each constant: 0, 1 or -1 where it is that in all bodies, else ``FIRST_NUMBER`` plus the place of its number,
negative where it is the opposite of that number."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of bodies.

    Attributes:
        joint: name of the joint's type.
        flipped: True where the tree walks the joint from successor to predecessor.
        marks: of the constants in the order of ``constants_of``.
    """

    joint: str
    flipped: bool
    marks: Marks

    @property
    def numbers(self) -> int:
        """How many each body brings."""
        return max((abs(mark) - FIRST_NUMBER + 1 for mark in self.marks), default=0) if self.marks else 0

    def numbers_of(self, constants: Sequence[Number]) -> tuple[Number, ...]:
        """Those of a body of this kind."""
        found: dict[int, Number] = {}
        for mark, value in zip(self.marks, constants, strict=True):
            if abs(mark) >= FIRST_NUMBER:
                found.setdefault(abs(mark), value)  # opposites stand behind their number
        return tuple(found[place] for place in sorted(found))

    def joined(self, other: Kind) -> Kind:
        """The kind of the bodies of both."""
        turned = self.marks[:_TURNED] == other.marks[:_TURNED]
        general = tuple(range(FIRST_NUMBER, FIRST_NUMBER + _TURNED))
        marks = [*(self.marks[:_TURNED] if turned else general)]
        following = max(FIRST_NUMBER, *(abs(mark) + 1 for mark in marks))
        for a, b in zip(self.marks[_TURNED:], other.marks[_TURNED:], strict=True):
            if a == b and abs(a) < FIRST_NUMBER:
                marks.append(a)
            else:
                marks.append(following)
                following += 1
        return Kind(self.joint, self.flipped, tuple(marks))


def constants_of(
    variants: Sequence[TreeBody], numbers: Sequence[Scalar], frame: FrameName | None = None
) -> list[Scalar]:
    """The constants of a body: attitude of the joint's inboard frame, armature and the joint's numbers, which
    equivalent mechanisms have in common, for each of these where the joint stands and the body's inertia, and the frame
    that is asked for."""
    body = variants[0]
    graph = body.motion.graph
    rigid = body.joint.kind.is_rigid
    rotation = Rotation(graph) if rigid else body.inboard.rotation
    found = [entry for row in rotation.matrix() for entry in row] + [*body.armature, *numbers]
    zero = Scalar(graph, 0)
    for each in variants:
        found += [zero] * 3 if rigid else each.inboard.translation
        found += each.inertia.entries()
    if frame is not None:
        place = body.user_frame if frame == "user_frame" else body.wrench_frame
        found += entries_of(place)
    return found


def kind_of(body: TreeBody, constants: Sequence[Number]) -> Kind:
    """The kind of a body by itself: entries of its rotation that are equal but for their signs are one number."""
    marks: list[int] = []
    seen: dict[Number, int] = {}
    following = FIRST_NUMBER
    for place, value in enumerate(constants):
        if isinstance(value, Fraction) and value in (0, 1, -1):
            marks.append(int(value))
        elif place < _TURNED and value in seen:
            marks.append(seen[value])
        elif place < _TURNED and -value in seen:
            marks.append(-seen[-value])
        else:
            marks.append(following)
            if place < _TURNED:
                seen[value] = following
            following += 1
    return Kind(body.joint.type, body.flipped, tuple(marks))


@dataclass(frozen=True, slots=True)
class Sorted:
    """The bodies of a mechanism by their kinds.

    Attributes:
        kinds: in the order of their first bodies.
        kind: of each body, by label - 1.
        numbers: of each body, likewise.
    """

    kinds: tuple[Kind, ...]
    kind: tuple[int, ...]
    numbers: tuple[tuple[Number, ...], ...]

    def given(self, kind: int) -> dict[int, int]:
        """Which numbers of a kind depend on run-time parameters in some body, each with the first that equals it in all
        bodies."""
        own = [numbers for numbers, each in zip(self.numbers, self.kind, strict=True) if each == kind]
        first: dict[tuple[Number, ...], int] = {}
        return {
            place: first.setdefault(column, place)
            for place, column in enumerate(zip(*own, strict=True))
            if any(isinstance(number, Scalar) for number in column)
        }


def sorted_bodies(variants: Sequence[Mechanism], frame: FrameName | None = None) -> Sorted:
    """The bodies of equivalent mechanisms by their kinds."""
    given = true(variants[0])
    values: list[list[Number]] = []
    own: list[Kind] = []
    for bodies in zip(*(variant.bodies for variant in variants), strict=True):
        numbers = [rounded(entry) for entry in scalars(bodies[0].joint.values, given.graph, given.names)]
        constants = constants_of(bodies, numbers, frame)
        known = [entry if entry.constant is None else entry.constant for entry in constants]
        values.append(known)
        own.append(kind_of(bodies[0], known))
    chosen = _few(own)
    kinds = tuple(dict.fromkeys(chosen[kind] for kind in own))
    place = {kind: number for number, kind in enumerate(kinds)}
    return Sorted(
        kinds,
        tuple(place[chosen[kind]] for kind in own),
        tuple(chosen[kind].numbers_of(known) for kind, known in zip(own, values, strict=True)),
    )


def _few(own: Sequence[Kind]) -> dict[Kind, Kind]:
    """For each kind the one that takes its place, so that there are few."""
    bodies: dict[tuple[str, bool], dict[Kind, int]] = {}
    for kind in own:
        group = bodies.setdefault((kind.joint, kind.flipped), {})
        group[kind] = group.get(kind, 0) + 1
    chosen: dict[Kind, Kind] = {}
    for group in bodies.values():
        chosen.update(_joined_until_few(group))
    return chosen


def _joined_until_few(bodies: dict[Kind, int]) -> dict[Kind, Kind]:
    members = {kind: [kind] for kind in bodies}
    count = dict(bodies)

    def join(first: Kind, second: Kind) -> None:
        total = first.joined(second)
        merged = members.pop(first) + members.pop(second)
        number = count.pop(first) + count.pop(second)
        members[total] = members.get(total, []) + merged
        count[total] = count.get(total, 0) + number

    while len(members) > MOST_COMPARED:
        rare = sorted(count, key=lambda kind: count[kind])[:2]
        join(rare[0], rare[1])
    while len(members) > MOST_KINDS:
        pairs = [(a, b) for place, a in enumerate(list(members)) for b in list(members)[:place]]
        join(*min(pairs, key=lambda pair: _loss(count, *pair)))
    return {kind: total for total, kinds in members.items() for kind in kinds}


def _loss(count: dict[Kind, int], first: Kind, second: Kind) -> int:
    """How many constants of bodies are no longer known to be zero or one."""
    total = first.joined(second).numbers
    return count[first] * (total - first.numbers) + count[second] * (total - second.numbers)


# ---- bodies that stand for a kind ------------------------------------------------------------------------------------


def carried_by(motion: JointMotion) -> tuple[Scalar, ...]:
    """What the placement and the columns of a joint are made of, but for constants: each value once."""
    found: dict[int, None] = {}

    def look_at(entry: Scalar) -> Scalar:
        if entry.constant is None:
            found[abs(entry.ref)] = None
        return entry

    _mapped(motion, look_at)
    return tuple(Scalar(motion.graph, ref) for ref in found)


def stand_ins(
    graph: Graph,
    kind: Kind,
    bodies: Sequence[TreeBody],
    numbers: Sequence[Scalar],
    carried: Sequence[Scalar] | None,
    frame: FrameName | None = None,
) -> tuple[TreeBody, ...]:
    """Bodies that stand for all of a kind, one for each equivalent mechanism.

    Args:
        graph: of the step.
        kind: of which.
        bodies: one of the kind in each mechanism, for what it says besides constants.
        numbers: that bodies of the kind bring.
        carried: what an earlier step found to be in ``carried_by``, in its order; None to make it from q.
        frame: that they have besides.
    """
    values = [_value(graph, mark, numbers) for mark in kind.marks]
    given = bodies[0]
    freedoms = len(given.v)
    joint = given.joint.kind
    q = tuple(symbol(graph, f"q{k}") for k in range(len(given.q)))
    v = tuple(symbol(graph, f"v{k}") for k in range(freedoms))
    first = _TURNED + freedoms
    rest = values[first + len(joint.numbers) :]
    armature = tuple(values[_TURNED:first])
    motion = joint.motion(graph, q, v, tuple(values[first : len(values) - len(rest)]))
    motion = motion.reversed() if given.flipped else motion
    if carried is not None:
        images = dict(zip((entry.ref for entry in carried_by(motion)), carried, strict=True))
        motion = _mapped(motion, lambda entry: _replaced(entry, images))
    rotation = _rotation(graph, kind.marks[:_TURNED], values)
    found = []
    for body in bodies:
        inboard = Transform(rotation, vector(rest[:3]))
        found.append(
            replace(
                body,
                label=0,
                q=q,
                v=v,
                armature=armature,
                inertia=RigidInertia.of_entries(rest[3:_PLACED_INERTIA]),
                motion=motion,
                inboard=inboard,
                placement=identity_transform(graph) if joint.is_rigid else inboard.then(motion.placement),
            )
        )
        rest = rest[_PLACED_INERTIA:]
    if frame is not None:
        turned = _rotation(graph, kind.marks[-_TURNED - 3 : -3], rest)
        place = Transform(turned, vector(rest[_TURNED:]))
        found = [
            replace(body, user_frame=place) if frame == "user_frame" else replace(body, wrench_frame=place)
            for body in found
        ]
    return tuple(found)


def _rotation(graph: Graph, marks: Marks, m: Sequence[Scalar]) -> Rotation:
    if marks == _IDENTITY:
        return Rotation(graph)
    return Rotation(graph, (MatrixRotation((vector(m[:3]), vector(m[3:6]), vector(m[6:9]))),))


def _value(graph: Graph, mark: int, numbers: Sequence[Scalar]) -> Scalar:
    if abs(mark) < FIRST_NUMBER:
        return constant(graph, mark)
    number = numbers[abs(mark) - FIRST_NUMBER]
    return number if mark > 0 else -number


def _replaced(entry: Scalar, images: dict[int, Scalar]) -> Scalar:
    found = images.get(abs(entry.ref))
    if found is None:
        return entry
    return found if entry.ref > 0 else -found


def _mapped(motion: JointMotion, of: Callable[[Scalar], Scalar]) -> JointMotion:
    """The motion with other entries of placement and columns."""

    def mapped(a: Vector3) -> Vector3:
        return of(a[0]), of(a[1]), of(a[2])

    def factor(each: Factor) -> Factor:
        if isinstance(each, PlaneRotation):
            return PlaneRotation(each.axis, of(each.cosine), of(each.sine))
        return MatrixRotation((mapped(each.rows[0]), mapped(each.rows[1]), mapped(each.rows[2])))

    place = motion.placement
    rotation = Rotation(motion.graph, tuple(factor(each) for each in place.rotation.factors))
    return replace(
        motion,
        placement=Transform(rotation, mapped(place.translation)),
        columns=tuple((mapped(angular), mapped(linear)) for angular, linear in motion.columns),
    )
