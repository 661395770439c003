"""Closure equations of cut joints and of rods, points on lines, gears and linear couplings.

A cut joint k joins frame p on its predecessor to frame s on its successor. Its rows are the components of the relative
twist V_s - V_p, in the axes of s, along which the joint resists: G v = W^T (V_s - V_p). Twists are taken at the origin
of s where the joint slides, and at that of p, which is the same point where the loop is closed, where it does not. A
row's multiplier is therefore that component of the wrench [moment; force] that the joint exerts on its successor at
and in s.

Residuals are chosen so that d(residual)/dt = G v wherever the loop is closed, and have no roots but closed loops; the
record of each joint type says how. For constraint elements that holds everywhere; for what turns or slides,
d(residual)/dt = N(q) G v with N = E + O(residual) away from closed loops. ``residual_jacobian`` is the exact one.

Sources: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 8.2 to 8.4; P. E. Nikravesh, Computer-Aided
Analysis of Mechanical Systems, 1988, chapter 7, for rods and points on lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mbsym.constraints import ConstraintElement
from mbsym.constraints.element import Carried, PointRows, Seen
from mbsym.errors import DerivationError, SymbolicError
from mbsym.joints.closure_rows import ClosureGap, RowDraft
from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import CutJoint, Mechanism, TreeBody
from mbsym.kinematics.placement import aligned, scalars, vector_of
from mbsym.loops.closure_row import Closure, ClosureRow, Row
from mbsym.loops.expressions import expression_closure
from mbsym.loops.motion import LoopMotion, loop_motion, power
from mbsym.loops.scale import RowScale, fixed_length, length, loop_scale, proportion_scale
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import zero_vector
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import to_scalar
from mbsym.values.parameter import Value, Vector


def closures(mechanism: Mechanism) -> tuple[Closure, ...]:
    """Closure equations of all cut joints in label order, then of the model's constraints in its order, of speeds last.

    Raises:
        DerivationError: a joint that is cut has a rotor, its axes are opposite in every configuration, a rod has no
            length, or a gear joins joints that have not one coordinate each or are cut.
    """
    with mechanism.graph.section("closure of loops"):
        found = [_cut_joint(mechanism, cut) for cut in mechanism.cut_joints]
        found += [item.close(_OpenLoops(mechanism)) for item in mechanism.model.constraints]
        return tuple(part for of_speeds in (False, True) for closure in found for part in _part(closure, of_speeds))


def _part(closure: Closure, of_speeds: bool) -> list[Closure]:
    """The closure with its rows that hold speeds, or with the others; nothing where there are none of them."""
    rows = tuple(row for row in closure.rows if row.of_speeds == of_speeds)
    return [replace(closure, rows=rows)] if rows or not (closure.rows or of_speeds) else []


# ---- cut joints -----------------------------------------------------------------------------------------------------


def _cut_joint(mechanism: Mechanism, cut: CutJoint) -> Closure:
    joint = cut.joint
    motors = to_scalar(joint.armature, mechanism.graph, mechanism.names)
    if motors and joint.shape.nv:
        raise DerivationError(
            f"joint {joint.name} is cut and has a rotor inertia, which only joints of the tree can carry",
            where=joint.name,
            remedy="keep the joint in the tree (cut: tree) or set its armature to 0",
        )
    slides = joint.kind.slides
    moved = loop_motion(
        mechanism, cut.successor, cut.successor_frame, cut.predecessor, cut.predecessor_frame, at_end=not slides
    )
    try:
        matrix = moved.placement.rotation.matrix()
        numbers = scalars(joint.values, mechanism.graph, mechanism.names)
        drafts = joint.kind.closure_rows(ClosureGap(matrix, moved.placement.translation, moved.twist, numbers))
    except SymbolicError:
        raise DerivationError(
            f"the frames of joint {joint.name} face opposite ways in every configuration",
            where=joint.name,
            remedy="turn the joint frame on one of its bodies by half a turn",
        ) from None
    fixed = fixed_length(mechanism, joint)
    return closure_of(mechanism, joint.name, joint.type, drafts, moved, fixed=fixed, slides=slides)


# ---- constraint elements --------------------------------------------------------------------------------------------


class _OpenLoops:
    """The mechanism with its loops open, to which constraints say their equations."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._labels = {mechanism.model.ground: 0} | {body.name: body.label for body in mechanism.bodies}

    def value(self, value: Value) -> Scalar:
        return to_scalar(value, self._mechanism.graph, self._mechanism.names)

    def at(self, body: str, point: Vector) -> Carried:
        label = self._labels[body]
        place = vector_of(point, self._mechanism.graph, self._mechanism.names)
        if label:
            place = self._mechanism.body(label).user_frame.point_to_child(place)
        return Carried(label, Transform(Rotation(self._mechanism.graph), place))

    def along(self, body: str, point: Vector, direction: Vector) -> Carried:
        mechanism, label = self._mechanism, self._labels[body]
        turn = aligned(direction, mechanism.graph, mechanism.names, body)
        placed = Transform(turn, vector_of(point, mechanism.graph, mechanism.names))
        return Carried(label, mechanism.body(label).user_frame.inverse().then(placed) if label else placed)

    def between(self, element: ConstraintElement, first: Carried, second: Carried, rows: PointRows) -> Closure:
        mechanism, zero = self._mechanism, zero_vector(self._mechanism.graph)
        moved = loop_motion(mechanism, first.label, first.frame, second.label, second.frame, at_end=True)
        found = rows(Seen(moved.placement.rotation.matrix(), moved.placement.translation, *moved.twist))
        drafts = []
        for row in found:
            pull, change = (row.moment or zero, row.direction), (row.moment_rate or zero, row.direction_rate)
            drafts.append(RowDraft(row.quantity, row.unit, row.residual, pull, pull, change, row.of_speeds))
        rod = next((row.length for row in found if row.length is not None), None)
        return closure_of(mechanism, element.name, _words(element), drafts, moved, fixed=rod, slides=rod is None)

    def of_coordinates(
        self, element: ConstraintElement, terms: Sequence[tuple[str, Scalar]], offset: Scalar
    ) -> Closure:
        mechanism = self._mechanism
        zero = Scalar(mechanism.graph, 0)
        bodies = [self._beyond(element, name) for name, _ in terms]
        residual = zero
        row: dict[int, Scalar] = {}
        for body, (_, factor) in zip(bodies, terms, strict=True):
            residual = residual + factor * body.q[0]
            ((column, share),) = mechanism.speed_of[body.label - 1]
            row[column] = row.get(column, zero) + factor * share
        entries = {column: value for column, value in sorted(row.items()) if value}
        unit = bodies[0].joint.shape.coordinate_units[0]
        kind, labels = _words(element), tuple(body.label for body in reversed(bodies))
        ends, residual = (labels[0], labels[-1]), residual - offset
        scale = proportion_scale(mechanism, [(body, term[1]) for body, term in zip(bodies, terms, strict=True)], offset)
        made = ClosureRow(
            element.name, 1, kind, unit, residual, scale, entries, entries, zero, None, *ends, None, None, None
        )
        return Closure(element.name, kind, (made,), labels, {})

    def of_expression(self, element: ConstraintElement, held: Value, unit: str, *, of_speeds: bool = False) -> Closure:
        return expression_closure(self._mechanism, element.name, _words(element), held, unit, of_speeds=of_speeds)

    def _beyond(self, element: ConstraintElement, name: str) -> TreeBody:
        """The outboard body of a joint of one coordinate."""
        kind = _words(element)
        body = next((body for body in self._mechanism.bodies if body.joint.name == name), None)
        if body is None:
            raise DerivationError(
                f"joint {name} of a {kind} is cut, so it has no coordinate",
                where=element.name,
                remedy=f"keep joint {name} in the tree (cut: tree)",
            )
        if len(body.q) != 1:
            raise DerivationError(
                f"joint {name} of a {kind} has {len(body.q)} coordinates",
                where=element.name,
                remedy=f"a {kind} joins joints of one coordinate each",
            )
        return body


def _words(element: ConstraintElement) -> str:
    return element.type.replace("_", " ")


# ---- both -----------------------------------------------------------------------------------------------------------


def closure_of(
    mechanism: Mechanism,
    name: str,
    kind: str,
    drafts: Sequence[RowDraft],
    moved: LoopMotion,
    *,
    fixed: Scalar | None = None,
    slides: bool = False,
) -> Closure:
    """The closure with these equations between two bodies.

    Args:
        mechanism: whose tree joints move the loop.
        name, kind: of the closure.
        drafts: its equations.
        moved: the predecessor's frame as seen from the successor's.
        fixed: length that stands in the closure itself, such as that of a rod.
        slides: whether what closes the loop lets the frames slide apart.
    """
    source, target = moved.bodies
    zero = Scalar(mechanism.graph, 0)
    slid = length(moved.placement.translation) if slides else zero
    sizes = loop_scale(mechanism, moved.joints, moved.frames, fixed or zero, slid)
    point = moved.placement.translation if moved.at_end else zero_vector(mechanism.graph)
    rows = []
    for number, draft in enumerate(drafts, start=1):
        rows.append(
            ClosureRow(
                closure=name,
                number=number,
                quantity=draft.quantity,
                unit=draft.unit,
                residual=draft.residual,
                scale=RowScale.of_speeds(mechanism, draft.unit) if draft.of_speeds else sizes.of_row(draft.unit),
                residual_jacobian={} if draft.of_speeds else _row(draft.rate, moved.columns),
                jacobian=_row(draft.wrench, moved.columns),
                bias=-power(draft.wrench, moved.bias) - power(draft.wrench_rate, moved.twist),
                wrench=draft.wrench,
                source=source,
                target=target,
                frame=moved.frames[0],
                point=point,
                target_frame=moved.end,
                of_speeds=draft.of_speeds,
            )
        )
    return Closure(name, kind, tuple(rows), (*moved.joints[0], *moved.joints[1]), moved.columns)


def _row(covector: Motion, columns: Mapping[int, Motion]) -> Row:
    entries = {column: power(covector, motion) for column, motion in columns.items()}
    return {column: value for column, value in entries.items() if value}
