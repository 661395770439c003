"""Closed-form solutions of planar loops with three dependent joints: four-bar, slider-crank, five-bar.

With the leading joints held, a planar loop is a triangle of three joints 1, 2, 3. In the axes of joint 1, at zero
coordinates of the three, let c be the place of joint 2 and e the way from joint 2 to joint 3, and let w be the place of
joint 3 and phi the turn that the rest of the loop demands:

    R(a1) (c + R(a2) e) = w,  a1 + a2 + a3 = phi               revolute, revolute, revolute
    R(a1) c + R(phi) (e + s d) = w,  a1 + a2 = phi             revolute, revolute, prismatic along d

Each has two solutions, told apart by the sign ``branch``; where the joints cannot meet the result is not a number.

Source: J. J. Uicker, G. R. Pennock, J. E. Shigley, Theory of Machines and Mechanisms, 2011, chapter 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Derived
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.revolute import REVOLUTE
from mbsym.kinematics.mechanism import CutJoint, Mechanism
from mbsym.loops.contracts import CLOSED_FORM_POSITION
from mbsym.loops.motion import loop_joints
from mbsym.spatial.rotation import MatrixRotation, Rotation
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.spatial.vector import Vector3, transpose
from mbsym.spatial.vector import product as multiplied
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.program import Input, Program
from mbsym.symbolic.scalar import Scalar, cos, sin, sqrt, symbol

NAMES: Final = {(1, "RRRR"): "four-bar", (1, "PRRR"): "slider-crank", (2, "RRRRR"): "five-bar"}
"""Linkages by their number of leading joints and the sorted letters of their joints."""


@dataclass(frozen=True, slots=True)
class _Crossing:
    """A joint on the way around a loop, walked in its own sense (+1) or against it (-1).

    Attributes:
        label: of the joint.
        kind: name of the joint's type, revolute or prismatic.
        sense: of the walk through it.
        before: from the frame behind the previous joint to the frame before this one, at zero coordinates of both.
    """

    label: int
    kind: str
    sense: int
    before: Transform


@dataclass(frozen=True, slots=True)
class PlanarLoop:
    """A loop with a closed-form solution.

    Attributes:
        cut_joint: that closes it.
        kind: "four-bar", "slider-crank" or "five-bar".
        leading: names of the joints whose coordinates are given.
        dependent: names of the tree joints whose coordinates follow.
    """

    cut_joint: str
    kind: str
    leading: tuple[str, ...]
    dependent: tuple[str, ...]


def planar_loops(mechanism: Mechanism, leading: Sequence[str] = ()) -> tuple[PlanarLoop, ...]:
    """The loops of a mechanism that have a closed-form solution.

    Args:
        mechanism: any.
        leading: names of joints that lead, in the order of preference; then come actuated joints, joints on ground,
            and the others in label order.
    """
    found = (_recognised(mechanism, cut, leading) for cut in mechanism.cut_joints)
    return tuple(loop for loop in found if loop is not None)


def _recognised(mechanism: Mechanism, cut: CutJoint, leading: Sequence[str]) -> PlanarLoop | None:
    up, down = loop_joints(mechanism, cut.successor, cut.predecessor)
    labels = [label for label in (*up, *down) if not mechanism.body(label).joint.kind.is_rigid]
    bodies = [mechanism.body(label) for label in labels]
    kinds = [cut.joint.type, *(body.joint.type for body in bodies)]
    count, letters = len(kinds) - 3, "".join(sorted(kind[0].upper() for kind in kinds))
    is_coupled = any(body.q_range[1] == body.q_range[0] for body in bodies)
    known = {REVOLUTE.name, PRISMATIC.name}.issuperset(kinds) and (count, letters) in NAMES
    if not known or is_coupled or not _is_planar(mechanism, cut, labels):
        return None
    order = _by_preference(mechanism, labels, leading)
    joints = {label: mechanism.body(label).joint.name for label in sorted(labels)}
    return PlanarLoop(
        cut.joint.name,
        NAMES[count, letters],
        tuple(name for label, name in joints.items() if label in order[:count]),
        tuple(name for label, name in joints.items() if label in order[count:]),
    )


def _by_preference(mechanism: Mechanism, labels: Sequence[int], leading: Sequence[str]) -> list[int]:
    """Joints in the order in which they lead."""
    model = mechanism.model

    def preference(label: int) -> tuple[int, int, int]:
        joint = mechanism.body(label).joint
        place = list(leading).index(joint.name) if joint.name in leading else len(leading)
        on_ground = model.ground in (joint.predecessor, joint.successor)
        return place, 0 if joint.name in model.motors else 1 if on_ground else 2, label

    return sorted(labels, key=preference)


def _is_planar(mechanism: Mechanism, cut: CutJoint, labels: Sequence[int]) -> bool:
    """True where revolute axes are parallel and sliding joints lie across them, whatever the coordinates."""
    at = identity_transform(mechanism.graph)
    axes: dict[bool, list[Vector3]] = {True: [], False: []}
    axes[cut.joint.type == REVOLUTE.name].append(_axis(at))
    for crossing in _crossings(mechanism, cut, labels)[:-1]:
        at = at.then(crossing.before).flat()
        axes[crossing.kind == REVOLUTE.name].append(_axis(at))
    numbers = {turns: [[x.constant for x in axis] for axis in found] for turns, found in axes.items()}
    if not axes[True] or any(x is None for found in numbers.values() for axis in found for x in axis):
        return False
    turning, sliding = ([[float(x or 0) for x in axis] for axis in numbers[turns]] for turns in (True, False))

    def along(axis: Sequence[float]) -> float:
        return abs(sum(a * b for a, b in zip(axis, turning[0], strict=True)))

    return all(abs(along(axis) - 1) < 1e-12 for axis in turning) and all(along(axis) < 1e-12 for axis in sliding)


def _axis(place: Transform) -> Vector3:
    """Third axis of a frame."""
    (_, _, x), (_, _, y), (_, _, z) = place.rotation.matrix()
    return x, y, z


def _substituted(mechanism: Mechanism, place: Transform, values: dict[int, int]) -> Transform:
    """The transform with symbols replaced."""
    graph = mechanism.graph
    matrix = place.rotation.matrix()
    entries = [x.ref for row in matrix for x in row] + [x.ref for x in place.translation]
    known = {node: value for node, value in values.items() if graph.kinds[node] == "symbol"}
    changed = [Scalar(graph, ref) for ref in substitute(graph, entries, known)]
    rows = (
        (changed[0], changed[1], changed[2]),
        (changed[3], changed[4], changed[5]),
        (changed[6], changed[7], changed[8]),
    )
    return Transform(Rotation(graph, (MatrixRotation(rows),)), (changed[9], changed[10], changed[11]))


def _crossings(mechanism: Mechanism, cut: CutJoint, dependent: Sequence[int]) -> list[_Crossing]:
    """The dependent tree joints and the cut joint around the loop, starting behind the cut joint."""
    up, down = loop_joints(mechanism, cut.successor, cut.predecessor)
    found: list[_Crossing] = []
    way = cut.successor_frame.inverse()
    for label in (*up, *down):
        body = mechanism.body(label)
        if label not in dependent:
            way = way.then(body.placement.inverse() if label in up else body.placement)
            continue
        at_zero = _substituted(mechanism, body.placement, {abs(x.ref): 0 for x in body.q})
        # The joint frames coincide at zero, so the outboard frame of the body may stand for both.
        before = way if label in up else way.then(at_zero)
        found.append(_Crossing(label, body.joint.type, 1 if body.flipped == (label in up) else -1, before.flat()))
        way = at_zero.inverse() if label in up else identity_transform(mechanism.graph)
    found.append(_Crossing(cut.label, cut.joint.type, 1, way.then(cut.predecessor_frame).flat()))
    return found


def closed_form_position(mechanism: Mechanism, loop: PlanarLoop) -> Program:
    """q with a planar loop closed; its leading and all other coordinates stay.

    Raises:
        DerivationError: the loop is none of this mechanism.
    """
    cut = next((item for item in mechanism.cut_joints if item.joint.name == loop.cut_joint), None)
    labels = {body.joint.name: body.label for body in mechanism.bodies}
    if cut is None or any(name not in labels for name in loop.dependent):
        raise DerivationError(
            f"no loop is closed by {loop.cut_joint}", where=mechanism.model.name, remedy="take one of planar_loops"
        )
    graph = mechanism.graph
    branch = symbol(graph, "branch")
    crossings = _crossings(mechanism, cut, [labels[name] for name in loop.dependent])
    # Around the loop any joint may be the first; a sliding joint comes last.
    for place, crossing in enumerate(crossings):
        if crossing.kind == PRISMATIC.name:
            crossings = crossings[place + 1 :] + crossings[: place + 1]
            break
    with graph.section(f"closed form of the {loop.kind} closed by {loop.cut_joint}"):
        values = _triangle(crossings, branch)
    q = list(mechanism.entries(mechanism.q))
    for crossing, value in zip(crossings, values, strict=True):
        if crossing.label <= mechanism.nb:
            start, _ = mechanism.body(crossing.label).q_range
            q[start] = value
    given = Input("branch", (), (branch.ref,), "", "+1 or -1, which of the two ways to assemble")
    words = f"coordinates of the {loop.kind} {loop.cut_joint} by {', '.join(loop.leading)}, in closed form"
    return CLOSED_FORM_POSITION.program(mechanism, Derived(q, description=words, inputs=(given,)))


def only_closed_form_position(mechanism: Mechanism) -> Program:
    """``closed_form_position`` of the only planar loop.

    Raises:
        DerivationError: there is none, or there are several.
    """
    loops = planar_loops(mechanism)
    if len(loops) != 1:
        raise DerivationError(
            f"{len(loops)} loops have a closed form", where=mechanism.model.name, remedy="take one of planar_loops"
        )
    return closed_form_position(mechanism, loops[0])


def _triangle(crossings: Sequence[_Crossing], branch: Scalar) -> list[Scalar]:
    """Coordinates of the three joints in order."""
    first, second, third = crossings
    to_second = second.before
    to_third = to_second.then(third.before).flat()
    around = first.before.inverse()
    c, w = _planar(to_second), _planar(around)
    e = to_third.translation[0] - c[0], to_third.translation[1] - c[1]
    turned = multiplied(around.rotation.matrix(), transpose(to_third.rotation.matrix()))
    turn = turned[1][0].apply("atan2", turned[0][0])
    sense = second.sense * to_second.rotation.matrix()[2][2]
    if third.kind == PRISMATIC.name:
        slide = to_third.rotation.matrix()
        d = _rotated((slide[0][2], slide[1][2]), cos(turn), sin(turn))
        gone = _rotated(e, cos(turn), sin(turn))
        rest = w[0] - gone[0], w[1] - gone[1]
        along = rest[0] * d[0] + rest[1] * d[1]
        under = along * along - (rest[0] * rest[0] + rest[1] * rest[1]) + (c[0] * c[0] + c[1] * c[1])
        s = along + branch * sqrt(under)
        a1 = _angle(rest[0] - s * d[0], rest[1] - s * d[1]) - _angle(*c)
        return [_principal(first.sense * a1), _principal(sense * (turn - a1)), third.sense * s]
    a = c[0] * e[0] + c[1] * e[1]
    b = c[1] * e[0] - c[0] * e[1]
    k = (w[0] * w[0] + w[1] * w[1] - (c[0] * c[0] + c[1] * c[1]) - (e[0] * e[0] + e[1] * e[1])) * Fraction(1, 2)
    a2 = _angle(a, b) + branch * _angle(k, sqrt(a * a + b * b - k * k))
    reached = _rotated(e, cos(a2), sin(a2))
    a1 = _angle(*w) - _angle(c[0] + reached[0], c[1] + reached[1])
    third_sense = third.sense * to_third.rotation.matrix()[2][2]
    return [_principal(first.sense * a1), _principal(sense * a2), _principal(third_sense * (turn - a1 - a2))]


def _planar(place: Transform) -> tuple[Scalar, Scalar]:
    return place.translation[0], place.translation[1]


def _rotated(v: tuple[Scalar, Scalar], c: Scalar, s: Scalar) -> tuple[Scalar, Scalar]:
    return c * v[0] - s * v[1], s * v[0] + c * v[1]


def _angle(x: Scalar, y: Scalar) -> Scalar:
    return y.apply("atan2", x)


def _principal(angle: Scalar) -> Scalar:
    """The same angle in (-pi, pi]."""
    return sin(angle).apply("atan2", cos(angle))
