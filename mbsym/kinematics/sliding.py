"""Origins of internal frames moved along their joints' axes, to where offsets between joints have fewest components.

A revolute joint turns about a line, and its frames may stand anywhere on it; those of a prismatic joint may stand
anywhere. As in the convention of Denavit and Hartenberg, they are put where components of the offsets vanish: the foot
of a common normal, a point where axes meet. Coordinates, and all that is told of the user's frames, stay the same.

Of all choices that make components vanish the cheapest is found by dynamic programming along the tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from mbsym.joints.record import Turning
from mbsym.kinematics.mechanism import CutJoint, Mechanism, TreeBody
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Matrix3, Vector3, add, is_zero, multiply, negate, subtract, transpose, zero_vector
from mbsym.symbolic.scalar import Scalar

LEAST_COSINE: Final = 0.25
"""An origin is not slid along an axis that is further from the component to vanish: it would move far."""

MOST_BITS: Final = 512
"""Longer fractions are not made: along a chain they would grow with each joint."""

MOST_CHOICES: Final = 12
"""Places of one origin that are compared."""

Spin: TypeAlias = Literal["none", "about z", "in space"]
"""How a body turns."""

_WEIGHTS: Final[Mapping[tuple[Spin, bool], tuple[int, int, int]]] = {
    ("none", False): (0, 0, 0),
    ("none", True): (0, 0, 0),
    ("about z", False): (3, 3, 0),
    ("about z", True): (2, 2, 0),
    ("in space", False): (5, 5, 4),
    ("in space", True): (3, 3, 2),
}
"""What components of an offset cost, roughly, by how its carrier turns and whether another offset from there is as long
in each component, as those of legs are. Along the carrier's own axis they need no moment about it."""

_PRODUCT: Final = 2
"""What a product of inertia costs beside that."""


def slid(mechanism: Mechanism, *, to_turn: bool = False) -> Mechanism:
    """The same mechanism with origins where offsets have fewest components.

    Args:
        mechanism: of any tree joints.
        to_turn: for Euler's equations, in which offsets from one body share products.
    """
    shifts = _shifts(mechanism, to_turn)
    if all(is_zero(shift) for shift in shifts):
        return mechanism
    graph = mechanism.graph
    moves = [Transform(Rotation(graph), shift) for shift in shifts]
    backs = [move.inverse() for move in moves]
    frames = (replace(frame, placement=backs[frame.label].then(frame.placement)) for frame in mechanism.frames)
    return replace(
        mechanism,
        bodies=tuple(_slid_body(body, moves, backs) for body in mechanism.bodies),
        cut_joints=tuple(_slid_cut(joint, backs) for joint in mechanism.cut_joints),
        frames=tuple(frames),
    )


def _slid_body(body: TreeBody, moves: Sequence[Transform], backs: Sequence[Transform]) -> TreeBody:
    move, back, carrier = moves[body.label], backs[body.label], backs[body.parent]
    if body.joint.kind.is_rigid:
        inboard, placement = carrier.then(body.inboard), body.placement
    else:
        inboard = carrier.then(body.inboard).then(move)
        placement = inboard.then(body.motion.placement)
    return replace(
        body,
        inertia=body.inertia.to_parent(back.rotation, back.translation),
        user_frame=body.user_frame.then(move),
        inboard=inboard,
        placement=placement,
        wrench_frame=(carrier if body.flipped else back).then(body.wrench_frame),
    )


def _slid_cut(joint: CutJoint, backs: Sequence[Transform]) -> CutJoint:
    return replace(
        joint,
        predecessor_frame=backs[joint.predecessor].then(joint.predecessor_frame),
        successor_frame=backs[joint.successor].then(joint.successor_frame),
        wrench_frame=backs[joint.successor].then(joint.wrench_frame),
    )


# ---- the choice -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """A joint that moves, as the choice sees it.

    Attributes:
        label, carrier: of the body, and of the body whose origin its offset starts from.
        offset: of its origin from the carrier's, in the carrier's components.
        matrix: takes its components to the carrier's.
        sliding: axes along which its origin may move.
        weights: what a component of the offset costs.
        inertia: of the body alone.
        spin: how the body turns.
        first_moment: what a component of its first moment costs.
    """

    label: int
    carrier: int
    offset: Vector3
    matrix: Matrix3
    sliding: tuple[int, ...]
    weights: tuple[int, int, int]
    inertia: RigidInertia
    spin: Spin
    first_moment: int

    def own_cost(self, own: Vector3) -> int:
        """Of what the body's inertia about the shifted origin has that joints feel."""
        if self.spin != "in space":
            return 0
        if len(self.sliding) == 3:
            h, mass = self.inertia.first_moment, self.inertia.mass
            return sum(self.first_moment for a, b in zip(h, own, strict=True) if a - mass * b)
        if not self.sliding:
            return 0
        (axis,) = self.sliding
        (x, y, _), (*_, xz, yz) = self.inertia.first_moment, self.inertia.about_origin
        return sum(_PRODUCT for entry in (xz + x * own[axis], yz + y * own[axis]) if entry)

    def cost(self, own: Vector3, carriers: Vector3) -> int:
        """Of the offset between shifted origins."""
        between = self.between(own, carriers)
        return sum(weight for weight, entry in zip(self.weights, between, strict=True) if entry)

    def between(self, own: Vector3, carriers: Vector3) -> Vector3:
        """The offset between shifted origins."""
        offset = subtract(self.offset, carriers)
        for k in self.sliding:
            if own[k]:
                column = (self.matrix[0][k], self.matrix[1][k], self.matrix[2][k])
                offset = add(offset, (column[0] * own[k], column[1] * own[k], column[2] * own[k]))
        return offset


def _shifts(mechanism: Mechanism, to_turn: bool) -> list[Vector3]:
    """How far each origin moves in its own components, by label (entry 0 is the base)."""
    zero = zero_vector(mechanism.graph)
    carriers = _carriers(mechanism)
    places = _places(mechanism, carriers, to_turn)
    outboard: dict[int, list[_Place]] = {}
    for place in places:
        outboard.setdefault(place.carrier, []).append(place)
    choices: dict[int, list[Vector3]] = {0: [zero]}
    for place in places:
        choices[place.label] = _choices(place, choices[place.carrier], outboard.get(place.label, []), zero)
    # From the leaves inward: what everything outboard costs with each choice, and which choice outboard that takes.
    least: dict[int, list[int]] = {}
    taken: dict[int, list[int]] = {}
    for place in reversed(places):
        own = choices[place.label]
        beyond = [
            place.own_cost(shift) + sum(least[child.label][k] for child in outboard.get(place.label, []))
            for k, shift in enumerate(own)
        ]
        least[place.label], taken[place.label] = [], []
        for carrier in choices[place.carrier]:
            costs = [place.cost(shift, carrier) + more for shift, more in zip(own, beyond, strict=True)]
            best = min(range(len(own)), key=lambda k: costs[k])
            least[place.label].append(costs[best])
            taken[place.label].append(best)
    chosen = {0: 0}
    for place in places:
        chosen[place.label] = taken[place.label][chosen[place.carrier]]
    own_shift = {label: choices[label][k] for label, k in chosen.items()}
    return [own_shift[label] for label in carriers]


def _carriers(mechanism: Mechanism) -> list[int]:
    """For each body the one in whose internal frame it is at rest, by label: bodies on rigid joints share one."""
    carriers = [0]
    for body in mechanism.bodies:
        carriers.append(carriers[body.parent] if body.joint.kind.is_rigid else body.label)
    return carriers


def _places(mechanism: Mechanism, carriers: Sequence[int], to_turn: bool) -> list[_Place]:
    moving = [body for body in mechanism.bodies if not body.joint.kind.is_rigid]
    alike = Counter(_magnitudes(carriers[body.parent], body) for body in moving)
    spins: dict[int, Spin] = {0: "none"}
    found = []
    for body in moving:
        carrier = carriers[body.parent]
        matrix = body.inboard.rotation.matrix()
        weights = _WEIGHTS[spins[carrier], to_turn and alike[_magnitudes(carrier, body)] > 1]
        spins[body.label] = _spin(body.joint.kind.turning, spins[carrier], matrix)
        sliding = body.joint.kind.sliding
        offset, spin = body.inboard.translation, spins[body.label]
        found.append(_Place(body.label, carrier, offset, matrix, sliding, weights, body.inertia, spin, 5 * to_turn))
    return found


def _magnitudes(carrier: int, body: TreeBody) -> tuple[int, ...]:
    return carrier, *(abs(entry.ref) for entry in body.inboard.translation)


def _spin(turning: Turning, carrier: Spin, matrix: Matrix3) -> Spin:
    """How a body turns behind a joint whose inboard frame has that attitude in its carrier."""
    if turning == "never":
        return "none" if carrier == "none" else "in space"
    parallel = carrier == "about z" and abs(matrix[2][2].ref) == 1
    return "about z" if turning == "about its axis" and (carrier == "none" or parallel) else "in space"


def _choices(place: _Place, carriers: Sequence[Vector3], children: Sequence[_Place], zero: Vector3) -> list[Vector3]:
    """Where the origin stands now, and where it must be for components of offsets to vanish."""
    found = [zero]

    def offer(shift: Vector3) -> None:
        if len(found) < MOST_CHOICES and shift not in found:
            found.append(shift)

    if len(place.sliding) == 3:
        for carrier in carriers:
            offset = subtract(place.offset, carrier)
            offer(negate(multiply(transpose(place.matrix), offset)))
        for child in children:
            offer(child.offset)
    elif place.sliding:
        (axis,) = place.sliding
        for carrier in carriers:
            offset = subtract(place.offset, carrier)
            for k in range(3):
                for length in _quotient(-offset[k], place.matrix[k][axis]):
                    offer(_along(axis, length, zero))
        for child in children:
            offer(_along(axis, child.offset[axis], zero))
    return found


def _along(axis: int, length: Scalar, zero: Vector3) -> Vector3:
    x, y, z = (length if k == axis else zero[0] for k in range(3))
    return x, y, z


def _quotient(x: Scalar, y: Scalar) -> Iterator[Scalar]:
    divisor = y.constant
    if divisor is None or abs(divisor) < LEAST_COSINE:
        return
    quotient = x / y
    number = quotient.constant
    if number is None or number.denominator.bit_length() <= MOST_BITS:
        yield quotient
