"""Checks of masses and inertias: what no rigid body can have, and what makes a mass matrix singular."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from mbsym.model.body import Body, Placement
from mbsym.model.geometry import (
    Rotation,
    Triple,
    cross,
    dot,
    inertia_of_point,
    matrix_sum,
    norm,
    placement_numbers,
    principal_moments,
    sum_of,
    times,
    transposed,
    turned_inertia,
)  # fmt: skip
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import constant
from mbsym.values.diagnostic import Diagnostic, Findings, Severity
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

ROUNDING = 1e-2
"""Violation of the triangle inequality, relative to the largest moment, that two or three printed digits explain."""

EXACT = 1e-9
"""Violation that double precision explains."""

SMALLEST_RADIUS = 1e-6
"""Radius of gyration [m] below which an inertia is a rounding error and not looked at."""


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass, centre of mass and inertia about it, in the axes and from the origin of one frame."""

    mass: float
    center: Triple
    inertia: Rotation

    def moved(self, R: Rotation, p: Triple) -> MassProperties:
        """The same body seen from a frame in which its own frame has the rotation R and the origin p."""
        return MassProperties(self.mass, sum_of(p, times(R, self.center)), turned_inertia(self.inertia, R))

    def joined(self, other: MassProperties) -> MassProperties:
        """Both bodies as one."""
        mass = self.mass + other.mass
        if mass == 0:
            return MassProperties(0.0, self.center, matrix_sum(self.inertia, other.inertia))
        x, y, z = ((self.mass * a + other.mass * b) / mass for a, b in zip(self.center, other.center, strict=True))
        inertia = matrix_sum(self.inertia, other.inertia)
        for part in (self, other):
            inertia = matrix_sum(inertia, inertia_of_point(part.mass, sum_of(part.center, (-x, -y, -z))))
        return MassProperties(mass, (x, y, z), inertia)


def center_of_mass(body: Body, mass: float, numbers: Mapping[str, float]) -> Triple:
    """The numbers of a centre of mass; of a body without mass that states a first moment, the origin."""
    if body.first_moment is None:
        x, y, z = (evaluate(value, numbers) for value in body.center_of_mass)
    else:
        x, y, z = (evaluate(value, numbers) / mass if mass else 0.0 for value in body.first_moment)
    return x, y, z


def mass_properties(body: Body, numbers: dict[str, float]) -> MassProperties:
    """The numbers of a body whose values all have one."""
    mass = evaluate(body.mass, numbers)
    x, y, z = center_of_mass(body, mass, numbers)
    xx, yy, zz, xy, xz, yz = (evaluate(value, numbers) for value in body.inertia)
    J: Rotation = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    if body.inertia_about == "frame":
        J = matrix_sum(J, inertia_of_point(-mass, (x, y, z)))
    return MassProperties(mass, (x, y, z), J)


def check_inertias(model: Model, findings: Findings, *, strict: bool) -> None:
    """Notes negative masses, impossible inertias, and bodies whose lack of inertia makes the mass matrix singular.

    Args:
        model: with references and values that are known to be sound.
        findings: where diagnostics are noted.
        strict: an impossible inertia is an error even in a model that accepts them.
    """
    severity: Severity = "warning" if model.accept_impossible_inertia and not strict else "error"
    properties = {body.name: mass_properties(body, findings.numbers) for body in model.bodies}
    before = len(findings.diagnostics)
    for index, body in enumerate(model.bodies):
        if properties[body.name].mass < 0:
            what = f"body {body.name!r} has the negative mass {properties[body.name].mass:g}"
            findings.error(("bodies", index, "mass"), what, "give a mass of zero or more")
    if len(findings.diagnostics) > before:
        return
    if model.bodies and all(_is_nothing(item) for item in properties.values()):
        what = "no body has mass or inertia, so there is topology here but no dynamics"
        findings.warning(("bodies",), what, "give masses to derive equations of motion")
        return
    axes = rotation_axes(model, findings.numbers)
    impossible: set[str] = set()
    # A line has inertia about itself where its cross sections are given no other: what is checked of bars is the beam.
    bars = {name for beam in model.beams for name in beam.bars}
    for index, body in enumerate(model.bodies):
        if body.name in bars:
            continue
        found = _inertia_fault(body.name, properties[body.name], axes.get(body.name), severity)
        if found is not None:
            impossible.add(body.name)
            findings.diagnostics.append(
                Diagnostic(found[0], ("bodies", index, "inertia"), f"body {body.name!r} {found[1]}", found[2])
            )
    _check_end_bodies(model, findings, properties, impossible, severity)


def _is_nothing(item: MassProperties) -> bool:
    return item.mass == 0 and all(entry == 0 for row in item.inertia for entry in row)


def _inertia_fault(
    name: str, item: MassProperties, axis: Triple | None, severity: Severity
) -> tuple[Severity, str, str] | None:
    J = item.inertia
    if all(entry == 0 for row in J for entry in row):
        return None
    least, middle, largest = principal_moments(J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2])
    scale = max(abs(largest), abs(least))
    if scale <= item.mass * SMALLEST_RADIUS**2:
        return None
    least, middle, largest = (0.0 if abs(x) < 1e-12 * scale else x for x in (least, middle, largest))
    if least < -ROUNDING * scale:
        return (
            severity,
            f"has the negative principal moment of inertia {least:g} about its centre of mass",
            "check the signs and the point that the inertia refers to",
        )
    excess = (largest - middle - least) / scale
    if excess <= EXACT and least >= -EXACT * scale:
        return None
    moments = f"{least:g}, {middle:g}, {largest:g}"
    if excess > 1 - EXACT and least >= -EXACT * scale:
        if axis is not None and _turns_with(axis, J):
            return None
        return (
            "warning",
            f"has inertia about one axis only ({moments})",
            "give all three moments unless it turns about that axis alone",
        )
    what = f"has principal moments of inertia {moments}, of which the largest exceeds the sum of the others"
    if excess <= ROUNDING:
        return "warning", f"{what} by {100 * excess:.2g} %", "give the moments with more digits"
    return severity, what, "no rigid body is like that: check the moments and the point that they refer to"


def _turns_with(axis: Triple, J: Rotation) -> bool:
    """Whether a body that turns about that axis alone, if at all, has its one moment of inertia about it."""
    along = times(J, axis)
    trace = J[0][0] + J[1][1] + J[2][2]
    return all(abs(a - trace * b) <= EXACT * trace * norm(axis) for a, b in zip(along, axis, strict=True))


def rotation_axes(model: Model, numbers: dict[str, float]) -> dict[str, Triple]:
    """The one axis that each body can turn about, in its own frame; (0, 0, 0) for a body that cannot turn.

    Bodies that turn in space, or lie in a loop of joints that turn about different axes, are left out.
    """
    number = partial(evaluate, names=numbers)
    axes: dict[str, Triple] = {model.ground: (0.0, 0.0, 0.0)}
    spatial: set[str] = set()
    pending = list(model.joints)
    while pending:
        later = []
        for joint in pending:
            known = [name for name in (joint.predecessor, joint.successor) if name in axes or name in spatial]
            if not known:
                later.append(joint)
                continue
            forward = joint.predecessor in known
            (start, _), (end, _) = _ends(joint, forward=forward)
            if len(known) == 2:
                continue
            axis = None if start in spatial else _axis_beyond(joint, axes[start], number, forward=forward)
            if axis is None:
                spatial.add(end)
            else:
                axes[end] = axis
        if len(later) == len(pending):
            break
        pending = later
    return axes


def _ends(joint: Joint, *, forward: bool) -> tuple[tuple[str, Placement], tuple[str, Placement]]:
    """The bodies of a joint with its frames on them, that on the near side first: the predecessor's going forward."""
    ends = (joint.predecessor, joint.predecessor_placement), (joint.successor, joint.successor_placement)
    return ends if forward else ends[::-1]


def _axis_beyond(joint: Joint, axis: Triple, number: Callable[[Value], float], *, forward: bool) -> Triple | None:
    """The axis of the body beyond a joint, None if it turns in space."""
    (_, at_near), (_, at_far) = _ends(joint, forward=forward)
    (R_near, _), (R_far, _) = placement_numbers(at_near, number), placement_numbers(at_far, number)
    in_joint = times(transposed(R_near), axis)
    if joint.kind.turning == "about its axis":
        x, y, z = map(number, joint.axis)
        own = (x, y, z)
        if norm(in_joint) > 0 and norm(cross(in_joint, own)) > EXACT * norm(in_joint) * norm(own):
            return None
        in_joint = own
    elif joint.kind.turning != "never":
        return None
    return times(R_far, in_joint)


def _check_end_bodies(
    model: Model,
    findings: Findings,
    properties: dict[str, MassProperties],
    impossible: set[str],
    severity: Severity,
) -> None:
    """Notes end bodies without inertia against the motion of the joint that holds them.

    Bodies fixed to an end body count with it. Bodies whose inertia is impossible are left out, and so are coupled
    joints, whose inertia is shared, and joints that motions drive.
    """
    number = partial(evaluate, names=findings.numbers)
    tied = {name for item in model.couplings for name in (item.joint, item.source)}
    tied |= {motion.joint for motion in model.motions if model.joint(motion.joint).shape.nv == 1}
    index_of = {body.name: index for index, body in enumerate(model.bodies)}
    joints_at: dict[str, list[Joint]] = {name: [] for name in (model.ground, *index_of)}
    for joint in model.joints:
        joints_at[joint.predecessor].append(joint)
        joints_at[joint.successor].append(joint)
    total = dict(properties)
    ends = [body.name for body in model.bodies if len(joints_at[body.name]) == 1]
    while ends:
        name = ends.pop()
        if len(joints_at[name]) != 1:
            continue
        joint = joints_at[name][0]
        (near, at_near), (far, at_far) = _ends(joint, forward=joint.successor == name)
        R_near, p_near = placement_numbers(at_near, number)
        R_far, p_far = placement_numbers(at_far, number)
        back = transposed(R_far)
        x, y, z = times(back, p_far)
        at_joint = total[far].moved(back, (-x, -y, -z))
        if joint.kind.is_rigid:
            joints_at[near].remove(joint)
            joints_at[far].remove(joint)
            if near != model.ground:
                total[near] = total[near].joined(at_joint.moved(R_near, p_near))
                if len(joints_at[near]) == 1:
                    ends.append(near)
        elif (
            name not in impossible
            and joint.name not in tied
            and _is_singular(joint, at_joint, number(joint.armature), number)
        ):
            findings.diagnostics.append(
                Diagnostic(
                    severity,
                    ("bodies", index_of[name], "mass"),
                    f"body {name!r} has no inertia against a motion of joint {joint.name!r}, its only one",
                    "give it mass and inertia, give the joint an armature, or fix the joint",
                )
            )


def _is_singular(joint: Joint, item: MassProperties, armature: float, number: Callable[[Value], float]) -> bool:
    """Whether some motion of a joint costs an end body no kinetic energy."""
    motions = _motions(joint, number)
    momenta = []
    for w, v in motions:
        linear = sum_of(v, cross(w, item.center))
        p = (item.mass * linear[0], item.mass * linear[1], item.mass * linear[2])
        momenta.append((sum_of(times(item.inertia, w), cross(item.center, p)), p))
    n = len(motions)
    D = [[dot(motions[i][0], momenta[j][0]) + dot(motions[i][1], momenta[j][1]) for j in range(n)] for i in range(n)]
    for i in range(n):
        D[i][i] += armature
    # Relative to each diagonal entry, so that units do not matter; 1e-12 is what rounding leaves of an exact zero.
    scale = [abs(D[i][i]) for i in range(n)]
    for k in range(n):
        if D[k][k] <= 1e-12 * scale[k] or scale[k] == 0:
            return True
        for i in range(k + 1, n):
            factor = D[i][k] / D[k][k]
            for j in range(k + 1, n):
                D[i][j] -= factor * D[k][j]
    return False


def _motions(joint: Joint, number: Callable[[Value], float]) -> list[tuple[Triple, Triple]]:
    """Columns (angular, linear) of the motion subspace at the neutral position, in the joint frame."""
    kind, graph = joint.kind, Graph()
    neutral = tuple(constant(graph, value) for value in kind.shape.neutral)
    still = (constant(graph, 0),) * kind.shape.nv
    aligned = joint.aligned(graph, number)
    numbers = tuple(constant(graph, number(value)) for value in joint.values)
    columns = kind.motion(graph, neutral, still, numbers).columns
    return [(_floats(aligned.to_parent(w)), _floats(aligned.to_parent(v))) for w, v in columns]


def _floats(vector: Vector3) -> Triple:
    x, y, z = (float(entry.constant or 0) for entry in vector)
    return x, y, z
