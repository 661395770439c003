"""Closure equations of cut joints and of rods, points on lines and gears.

A cut joint k joins frame p on its predecessor to frame s on its successor. Its rows are the components of the relative
twist V_s - V_p, in the axes of s, along which the joint resists: G v = W^T (V_s - V_p). Twists are taken at the origin
of s where the joint slides, and at that of p, which is the same point where the loop is closed, where it does not. A
row's multiplier is therefore that component of the wrench [moment; force] that the joint exerts on its successor at
and in s.

Residuals are chosen so that d(residual)/dt = G v wherever the loop is closed, and have no roots but closed loops:

* alignment of two axes: 2 tan(half the angle between them), which has no value where they are opposite;
* equal attitude: 2 tan(half the angle) times the axis of the relative rotation, without value at a half turn;
* points: the place of p in s, or for joints that slide, the distance of s from the axis or plane of p;
* helical joints: the axial gap to the nearest turn of the thread. A thread cannot tell its turns apart.

For points, rods, points on lines and gears that holds everywhere. For alignments, attitudes and what slides,
d(residual)/dt = N(q) G v with N = E + O(residual) away from closed loops; ``residual_jacobian`` is the exact one.

Sources: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 8.2 to 8.4; P. E. Nikravesh, Computer-Aided
Analysis of Mechanical Systems, 1988, chapter 7, for rods and points on lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.errors import DerivationError, SymbolicError
from mbsym.kinematics.joint_motion import Motion
from mbsym.kinematics.mechanism import CutJoint, Mechanism
from mbsym.kinematics.placement import align_z, vector_of
from mbsym.loops.motion import LoopMotion, loop_joints, loop_motion
from mbsym.model.joint import Constraint, DistanceConstraint, GearConstraint, PointOnLineConstraint
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Matrix3, Vector3, add, cross, dot, negate, scale, subtract, transpose, zero_vector
from mbsym.symbolic.scalar import Scalar, constant, sqrt
from mbsym.values.numbers import evaluate, parameter_values, to_scalar
from mbsym.values.parameter import Vector

SLIDING: Final = ("prismatic", "cylindrical", "helical", "planar")
"""Cut joints whose frames part where the loop is closed."""

Row: TypeAlias = Mapping[int, Scalar]
"""Entries of a matrix row by column; what is missing is zero."""


@dataclass(frozen=True, slots=True)
class ClosureRow:
    """One scalar closure equation.

    Attributes:
        closure: name of the cut joint or constraint element.
        number: of the row within it, from 1.
        quantity: what the row holds together, in words.
        unit: of the residual.
        residual: zero where the loop is closed.
        residual_jacobian: derivative of the residual by the motion of v, exact everywhere.
        jacobian: row of G.
        bias: entry of gamma in G vdot = gamma.
        wrench: [moment; force] per unit multiplier on the body of ``target``, and its opposite on the body of
            ``source``, in the axes of ``frame``; None for gears.
        source, target: body labels.
        frame: frame s in the internal frame of ``source``.
        point: where the wrench is taken, in ``frame``.
        target_frame: internal frame of ``target`` in ``frame``.
    """

    closure: str
    number: int
    quantity: str
    unit: str
    residual: Scalar
    residual_jacobian: Row
    jacobian: Row
    bias: Scalar
    wrench: Motion | None
    source: int
    target: int
    frame: Transform | None
    point: Vector3 | None
    target_frame: Transform | None


@dataclass(frozen=True, slots=True)
class Closure:
    """The closure equations of one cut joint or constraint element.

    Attributes:
        name: of the joint or element.
        kind: joint type, or "distance", "point on line", "gear".
        rows: its equations; none for a free joint.
        joints: labels of the tree joints that move its loop, in the order of the walk.
        columns: twists of the loop's joints for unit speeds, for what is to be known about the loop as a whole.
    """

    name: str
    kind: str
    rows: tuple[ClosureRow, ...]
    joints: tuple[int, ...]
    columns: Mapping[int, Motion]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A row before the loop's joints are put in: its residual, the rate of it for any twist, and its wrench."""

    quantity: str
    unit: str
    residual: Scalar
    rate: Motion
    wrench: Motion
    wrench_rate: Motion


def closures(mechanism: Mechanism) -> tuple[Closure, ...]:
    """Closure equations of all cut joints in label order, then of the model's constraints in its order.

    Raises:
        DerivationError: a joint that is cut has a rotor, its axes are opposite in every configuration, a rod has no
            length, or a gear joins joints that have not one coordinate each or are cut.
    """
    with mechanism.graph.section("closure of loops"):
        return (
            *(_cut_joint(mechanism, cut) for cut in mechanism.cut_joints),
            *(_element(mechanism, item) for item in mechanism.model.constraints),
        )


# ---- cut joints -----------------------------------------------------------------------------------------------------


def _cut_joint(mechanism: Mechanism, cut: CutJoint) -> Closure:
    joint = cut.joint
    motors = to_scalar(joint.armature, mechanism.graph, mechanism.names)
    if motors.ref and joint.shape.nv:
        raise DerivationError(
            f"joint {joint.name} is cut and has a rotor inertia, which only joints of the tree can carry",
            where=joint.name,
            remedy="keep the joint in the tree (cut: tree) or set its armature to 0",
        )
    slides = joint.type in SLIDING
    moved = loop_motion(
        mechanism, cut.successor, cut.successor_frame, cut.predecessor, cut.predecessor_frame, at_end=not slides
    )
    try:
        drafts = _drafts(mechanism, cut, moved)
    except SymbolicError:
        raise DerivationError(
            f"the frames of joint {joint.name} face opposite ways in every configuration",
            where=joint.name,
            remedy="turn the joint frame on one of its bodies by half a turn",
        ) from None
    ends = (cut.successor, cut.predecessor)
    return _closure(mechanism, joint.name, joint.type, drafts, moved, ends, cut.successor_frame, at_end=not slides)


def _drafts(mechanism: Mechanism, cut: CutJoint, moved: LoopMotion) -> list[_Draft]:
    graph = mechanism.graph
    unit = _unit_vectors(mechanism)
    zero = zero_vector(graph)
    still = (zero, zero)
    matrix = moved.placement.rotation.matrix()
    d = moved.placement.translation
    kind = cut.joint.type
    pitch = to_scalar(cut.joint.pitch, graph, mechanism.names)
    if kind == "helical" and not pitch.ref:
        kind = "revolute"
    drafts: list[_Draft] = []

    def row(
        quantity: str, length: bool, residual: Scalar, rate: Motion, wrench: Motion, change: Motion = still
    ) -> None:
        drafts.append(_Draft(quantity, "m" if length else "rad", residual, rate, wrench, change))

    if kind in ("revolute", "helical", "cylindrical", "planar"):
        aligned, rates = _alignment(matrix, unit)
        for k in (0, 1):
            row(f"rotation about {'xy'[k]}", False, aligned[k], (rates[k], zero), (negate(unit[k]), zero))
    elif kind in ("fixed", "prismatic"):
        turned, turns = _attitude(matrix, unit)
        for k in range(3):
            row(f"rotation about {'xyz'[k]}", False, turned[k], (turns[k], zero), (negate(unit[k]), zero))
    elif kind == "universal":
        a, b, c = (matrix[i][0] for i in range(3))
        first = (a, b, c)
        wrench = (c, zero[0], -a)
        turning = cross(moved.twist[0], first)
        change = (turning[2], zero[0], -turning[0])
        row("rotation about the normal of both axes", False, -b, (wrench, zero), (wrench, zero), (change, zero))
    if kind in ("revolute", "universal", "spherical", "fixed"):
        for k in range(3):
            across = (zero, negate(unit[k]))
            row(f"translation along {'xyz'[k]}", True, -d[k], across, across)
    elif kind in ("cylindrical", "helical"):
        axis = _column(matrix, 2)
        along = dot(axis, d)
        for k in (0, 1):
            # Rate of d_k - z_k (z . d): that of d is v + w x d, that of z . d is z . v, that of z is w x z.
            pull = subtract(unit[k], scale(axis, axis[k]))
            turn = subtract(cross(d, unit[k]), scale(cross(axis, unit[k]), along))
            residual = -(d[k] - axis[k] * along)
            row(f"translation along {'xy'[k]}", True, residual, (negate(turn), negate(pull)), (zero, negate(unit[k])))
        if kind == "helical":
            residual, rate = _thread(matrix, axis, along, pitch, unit)
            row("advance of the thread", True, residual, rate, (scale(unit[2], pitch), negate(unit[2])))
    elif kind in ("prismatic", "planar"):
        for k in (0, 1) if kind == "prismatic" else (2,):
            axis = _column(matrix, k)
            row(f"translation along {'xyz'[k]}", True, -dot(axis, d), (zero, negate(axis)), (zero, negate(unit[k])))
    return drafts


def _alignment(matrix: Matrix3, unit: Matrix3) -> tuple[tuple[Scalar, Scalar], tuple[Vector3, Vector3]]:
    """2 tan(angle/2) between both z axes about x and y of s, and what to multiply w with for their rates.

    With z = (a, b, c) the predecessor's axis in s: 2 (b, -a) / (1 + c), and the rate of z is w x z.
    """
    a, b, c = _column(matrix, 2)
    axis = (a, b, c)
    factor = 2 / (1 + c)
    residuals = (b * factor, -(a * factor))
    ways = tuple(cross(axis, e) for e in unit)
    half = factor * Fraction(1, 2)
    bending = scale(ways[2], half)
    first = subtract(scale(ways[1], factor), scale(bending, residuals[0]))
    second = subtract(scale(negate(ways[0]), factor), scale(bending, residuals[1]))
    return residuals, (first, second)


def _attitude(matrix: Matrix3, unit: Matrix3) -> tuple[Vector3, tuple[Vector3, ...]]:
    """g = 2 tan(angle/2) axis of the rotation from p to s in s, and the rows of -(E + g~/2 + g g^T/4), which times w
    are its rates."""
    r = transpose(matrix)
    trace = r[0][0] + r[1][1] + r[2][2]
    factor = 2 / (1 + trace)
    g = (
        (r[2][1] - r[1][2]) * factor,
        (r[0][2] - r[2][0]) * factor,
        (r[1][0] - r[0][1]) * factor,
    )
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    rows = []
    for k in range(3):
        # Row k of g~ is (e_k x g)^T up to its sign: (g x w)_k = w . (e_k x g).
        bent = cross(unit[k], g)
        rows.append(
            negate(
                (
                    unit[k][0] + bent[0] * half + g[k] * g[0] * quarter,
                    unit[k][1] + bent[1] * half + g[k] * g[1] * quarter,
                    unit[k][2] + bent[2] * half + g[k] * g[2] * quarter,
                )
            )
        )
    return g, tuple(rows)


def _thread(matrix: Matrix3, axis: Vector3, along: Scalar, pitch: Scalar, unit: Matrix3) -> tuple[Scalar, Motion]:
    """pitch (advance/pitch - angle), wrapped to half a turn either way, and its rate."""
    sine = matrix[0][1] - matrix[1][0]
    cosine = matrix[0][0] + matrix[1][1]
    turned = -along / pitch
    s, c = turned.apply("sin"), turned.apply("cos")
    residual = pitch * (s * cosine - c * sine).apply("atan2", c * cosine + s * sine)
    first, second = _column(matrix, 0), _column(matrix, 1)
    # Rates of the columns of the matrix are w x column.
    sine_rate = subtract(cross(second, unit[0]), cross(first, unit[1]))
    cosine_rate = add(cross(first, unit[0]), cross(second, unit[1]))
    square = sine * sine + cosine * cosine
    angle_rate = scale(subtract(scale(sine_rate, cosine), scale(cosine_rate, sine)), 1 / square)
    return residual, (negate(scale(angle_rate, pitch)), negate(axis))


# ---- constraint elements --------------------------------------------------------------------------------------------


def _element(mechanism: Mechanism, item: Constraint) -> Closure:
    if isinstance(item, GearConstraint):
        return _gear(mechanism, item)
    graph = mechanism.graph
    zero = zero_vector(graph)
    labels = {mechanism.model.ground: 0} | {body.name: body.label for body in mechanism.bodies}
    source, target = labels[item.first_body], labels[item.second_body]
    point = Transform(Rotation(graph), _internal_point(mechanism, target, item.second_point))
    if isinstance(item, DistanceConstraint):
        length = to_scalar(item.length, graph, mechanism.names)
        if not length.ref:
            raise DerivationError(
                "a rod of length zero has no direction", where=item.name, remedy="use a spherical joint instead"
            )
        frame = Transform(Rotation(graph), _internal_point(mechanism, source, item.first_point))
        moved = loop_motion(mechanism, source, frame, target, point, at_end=True)
        d = moved.placement.translation
        now = sqrt(dot(d, d))
        n = scale(d, 1 / now)
        velocity = moved.twist[1]
        change = scale(subtract(velocity, scale(n, dot(n, velocity))), 1 / now)
        drafts = [_Draft("distance", "m", now - length, (zero, n), (zero, n), (zero, change))]
        return _closure(mechanism, item.name, "distance", drafts, moved, (source, target), frame, at_end=True)
    frame = _line_frame(mechanism, source, item)
    moved = loop_motion(mechanism, source, frame, target, point, at_end=True)
    d = moved.placement.translation
    unit = _unit_vectors(mechanism)
    drafts = []
    for k in (0, 1):
        across, still = (zero, unit[k]), (zero, zero)
        drafts.append(_Draft(f"translation along {'xy'[k]} of the line's frame", "m", d[k], across, across, still))
    return _closure(mechanism, item.name, "point on line", drafts, moved, (source, target), frame, at_end=True)


def _internal_point(mechanism: Mechanism, label: int, point: Vector) -> Vector3:
    components = vector_of(point, mechanism.graph, mechanism.names)
    return mechanism.body(label).user_frame.point_to_child(components) if label else components


def _line_frame(mechanism: Mechanism, label: int, item: PointOnLineConstraint) -> Transform:
    """The frame with its origin on the line and z along it, in the internal frame of the body that carries it."""
    numbers = parameter_values(mechanism.model)
    direction = [evaluate(component, numbers) for component in item.line_direction]
    placed = Transform(
        align_z(mechanism.graph, direction), vector_of(item.line_point, mechanism.graph, mechanism.names)
    )
    return mechanism.body(label).user_frame.inverse().then(placed) if label else placed


def _gear(mechanism: Mechanism, item: GearConstraint) -> Closure:
    graph, names = mechanism.graph, mechanism.names
    bodies = {body.joint.name: body for body in mechanism.bodies}
    for name in (item.first_joint, item.second_joint):
        if name not in bodies:
            raise DerivationError(
                f"joint {name} of a gear is cut, so it has no coordinate",
                where=item.name,
                remedy=f"keep joint {name} in the tree (cut: tree)",
            )
        if len(bodies[name].q) != 1:
            raise DerivationError(
                f"joint {name} of a gear has {len(bodies[name].q)} coordinates",
                where=item.name,
                remedy="a gear joins joints of one coordinate each",
            )
    first, second = bodies[item.first_joint], bodies[item.second_joint]
    ratio = to_scalar(item.ratio, graph, names)
    residual = first.q[0] - ratio * second.q[0] - to_scalar(item.offset, graph, names)
    row: dict[int, Scalar] = {}
    for body, factor in ((first, constant(graph, 1)), (second, -ratio)):
        ((column, share),) = mechanism.speed_of[body.label - 1]
        row[column] = row.get(column, Scalar(graph, 0)) + factor * share
    entries = {column: value for column, value in sorted(row.items()) if value.ref}
    unit = first.joint.shape.coordinate_units[0]
    zero = Scalar(graph, 0)
    made = ClosureRow(
        item.name, 1, "gear", unit, residual, entries, entries, zero, None, second.label, first.label, None, None, None
    )
    return Closure(item.name, "gear", (made,), (second.label, first.label), {})


# ---- both -----------------------------------------------------------------------------------------------------------


def _closure(
    mechanism: Mechanism,
    name: str,
    kind: str,
    drafts: Sequence[_Draft],
    moved: LoopMotion,
    ends: tuple[int, int],
    frame: Transform,
    *,
    at_end: bool,
) -> Closure:
    source, target = ends
    point = moved.placement.translation if at_end else zero_vector(mechanism.graph)
    rows = []
    for number, draft in enumerate(drafts, start=1):
        rows.append(
            ClosureRow(
                closure=name,
                number=number,
                quantity=draft.quantity,
                unit=draft.unit,
                residual=draft.residual,
                residual_jacobian=_row(draft.rate, moved.columns),
                jacobian=_row(draft.wrench, moved.columns),
                bias=-_power(draft.wrench, moved.bias) - _power(draft.wrench_rate, moved.twist),
                wrench=draft.wrench,
                source=source,
                target=target,
                frame=frame,
                point=point,
                target_frame=moved.end,
            )
        )
    up, down = loop_joints(mechanism, source, target)
    return Closure(name, kind, tuple(rows), (*up, *down), moved.columns)


def _row(covector: Motion, columns: Mapping[int, Motion]) -> Row:
    entries = {column: _power(covector, motion) for column, motion in columns.items()}
    return {column: value for column, value in entries.items() if value.ref}


def _power(wrench: Motion, twist: Motion) -> Scalar:
    return dot((*wrench[0], *wrench[1]), (*twist[0], *twist[1]))


def _column(matrix: Matrix3, k: int) -> Vector3:
    return matrix[0][k], matrix[1][k], matrix[2][k]


def _unit_vectors(mechanism: Mechanism) -> Matrix3:
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    return (one, zero, zero), (zero, one, zero), (zero, zero, one)
