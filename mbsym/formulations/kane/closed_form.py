"""Kane's equations in closed form through the path matrix T.

All vectors in base axes, frame i at O_i with attitude R_i, C_i its centre of mass, e_j and d_j the angular and linear
columns of H_j, Omega_j = e_j v_j, u_j = d_j v_j, p_j from O_c(j) to O_j. T_ji = -1 exactly if joint j lies on the path
of body i:

    omega_i = -sum_j T_ji Omega_j
    alpha_i = -sum_j T_ji (e_j vdot_j + H-dot_j v_j + omega_c(j) x Omega_j)
    a_i = -sum_j T_ji (d_j vdot_j + H-dot_j v_j + alpha_c x p_j + omega_c x (omega_c x p_j) + (omega_c + omega_j) x u_j)
    w_ij = -T_ji e_j,    v_ij = -T_ji (e_j x (r_Ci - r_Oj) + d_j)
    M_jk = sum_i (m_i v_ij^T v_ik + w_ij^T J_i w_ik)
    h_j  = sum_i (v_ij^T [m_i (a_Ci - g) - f_i] + w_ij^T [J_i alpha_i + omega_i x J_i omega_i - n_i])  at vdot = 0

and the joint wrenches are -T (I A + b), the sum of what the bodies outboard of each joint need.

Source: R. E. Roberson, R. Schwertassek, Dynamics of Multibody Systems, 1988, chapters 8 and 12 (Roberson-Wittenburg
topology); T. R. Kane, D. A. Levinson, Dynamics: Theory and Applications, 1985, chapter 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mbsym.formulations import contracts
from mbsym.formulations.applied_forces import AppliedForces, applied_forces
from mbsym.formulations.constraint_force.joint_compliance import central_inertia
from mbsym.formulations.contracts import Derived, Function, functions_by_name
from mbsym.formulations.recursive.composite_body import SquareMatrix, solve
from mbsym.formulations.recursive.newton_euler import user_wrenches
from mbsym.joints.motion import Motion, combination, sum_of
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import Speeds, joint_speeds, joints_at_rest, poses
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import (
    Symmetric3,
    Vector3,
    add,
    cross,
    dot,
    is_zero,
    name_components,
    negate,
    scale,
    subtract,
    symmetric_multiply,
    zero_vector,
)
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.equality import is_zero as is_zero_everywhere
from mbsym.symbolic.graph import ONE
from mbsym.symbolic.scalar import Scalar
from mbsym.topology.matrices import path_matrix


@dataclass(frozen=True, slots=True)
class KaneBody:
    """A body in base axes.

    Attributes:
        label: regular label.
        frame: internal frame in the base frame.
        mass: [kg].
        arm: rho, from the frame's origin to the centre of mass C. Of a body whose mass may be zero, being a parameter
            by which its first moment cannot be divided exactly, C is the origin.
        center: r_C, from the base's origin to C.
        moment: h, first moment of mass about C: zero, unless C is the origin.
        central: J_C.
        columns: [e_j; d_j] of the inboard joint, at the frame's origin.
        path: joints on the way to the base, ascending.
    """

    label: int
    frame: Transform
    mass: Scalar
    arm: Vector3
    center: Vector3
    moment: Vector3
    central: Symmetric3
    columns: tuple[Motion, ...]
    path: tuple[int, ...]


PartialVelocities: TypeAlias = Mapping[tuple[int, int], tuple[Motion, ...]]
"""[w_ij; v_ij] by (body label, joint label), one for each speed of the joint; zero without an entry."""

Accelerations: TypeAlias = tuple[Sequence[Vector3], Sequence[Vector3], Sequence[Vector3]]
"""omega, alpha and a_C by body label, entry 0 the base."""


def kane_bodies(mechanism: Mechanism) -> tuple[KaneBody, ...]:
    """All bodies in base axes, by label - 1."""
    T = path_matrix(mechanism.labelling.tree)
    frames = poses(mechanism)
    bodies = []
    with mechanism.graph.section("bodies in base axes"):
        for body in mechanism.bodies:
            frame = frames[body.label]
            center, moment, central = point_of_reference(body)
            arm = frame.rotation.to_parent(center)
            bodies.append(
                KaneBody(
                    body.label,
                    frame,
                    body.inertia.mass,
                    arm,
                    add(frame.translation, arm),
                    frame.rotation.to_parent(moment),
                    frame.rotation.symmetric_to_parent(central),
                    tuple((frame.rotation.to_parent(e), frame.rotation.to_parent(d)) for e, d in body.columns),
                    tuple(j for j in range(1, mechanism.nb + 1) if T[j - 1][body.label - 1]),
                )
            )
    return tuple(bodies)


def point_of_reference(body: TreeBody) -> tuple[Vector3, Vector3, Symmetric3]:
    """C from the origin, first moment about C, and J_C; no parameter is divided by, for it may be zero at run time."""
    inertia = body.inertia
    zero = zero_vector(inertia.mass.graph)
    if inertia.mass.constant:
        center, central = central_inertia(inertia)
        return center, zero, central
    exact = _exact_center(inertia)
    if exact is None:
        return zero, inertia.first_moment, inertia.about_origin
    far = RigidInertia(inertia.mass, zero, (*zero, *zero)).to_parent(Rotation(inertia.mass.graph), exact)
    xx, yy, zz, xy, xz, yz = (a - b for a, b in zip(inertia.about_origin, far.about_origin, strict=True))
    return exact, zero, (xx, yy, zz, xy, xz, yz)


def _exact_center(inertia: RigidInertia) -> Vector3 | None:
    """The vector by which the mass has to be multiplied to be the first moment, if it is found without a division."""
    graph, mass = inertia.mass.graph, inertia.mass
    refs = [entry.ref for entry in inertia.first_moment]
    if not mass.ref or graph.kinds[abs(mass.ref)] != "symbol":
        return None if any(refs) else inertia.first_moment
    x, y, z = (Scalar(graph, ref) for ref in forward(graph, refs, {mass.ref: ONE}))
    rest = (h - mass * c for h, c in zip(inertia.first_moment, (x, y, z), strict=True))
    return (x, y, z) if is_zero_everywhere(graph, *(entry.ref for entry in rest)) else None


def kane_partial_velocities(mechanism: Mechanism, bodies: Sequence[KaneBody]) -> PartialVelocities:
    """Partial angular velocities of all bodies and partial velocities of their centres of mass, in base axes."""
    partial: dict[tuple[int, int], tuple[Motion, ...]] = {}
    with mechanism.graph.section("partial velocities"):
        for body in bodies:
            for j in body.path:
                joint = bodies[j - 1]
                lever = subtract(body.center, joint.frame.translation) if j != body.label else body.arm
                partial[body.label, j] = tuple(
                    (e, d if is_zero(e) else add(cross(e, lever), d)) for e, d in joint.columns
                )
    return partial


def kane_columns(mechanism: Mechanism, of_joints: PartialVelocities) -> Mapping[tuple[int, int], Motion]:
    """What motions by body and joint are by body label and place in v: couplings are folded in, zeros left out."""
    found: dict[tuple[int, int], Motion] = {}
    for body, joint in sorted(of_joints):
        for (column, ratio), (w, v) in zip(mechanism.speed_of[joint - 1], of_joints[body, joint], strict=True):
            own = scale(w, ratio), scale(v, ratio)
            known = found.get((body, column))
            found[body, column] = own if known is None else sum_of(known, own)
    return found


def kane_rotors(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """What rotor inertias add to the diagonal of M, over v."""
    total = [Scalar(mechanism.graph, 0)] * mechanism.nv
    for tree, speeds in zip(mechanism.bodies, mechanism.speed_of, strict=True):
        for armature, (column, ratio) in zip(tree.armature, speeds, strict=True):
            total[column] = total[column] + ratio * ratio * armature
    return tuple(total)


def kane_mass_matrix(mechanism: Mechanism, bodies: Sequence[KaneBody]) -> SquareMatrix:
    """M(q), nv x nv, with rotor inertias; couplings are folded in by N^T M N."""
    partial = kane_partial_velocities(mechanism, bodies)
    graph = mechanism.graph
    matrix = [[Scalar(graph, 0)] * mechanism.nv for _ in range(mechanism.nv)]
    with graph.section("mass matrix"):
        for body in bodies:
            terms = [
                (column, ratio, w, v)
                for j in body.path
                for (column, ratio), (w, v) in zip(mechanism.speed_of[j - 1], partial[body.label, j], strict=True)
            ]
            for n, (r, ratio_r, w_r, v_r) in enumerate(terms):
                moment, momentum = symmetric_multiply(body.central, w_r), scale(v_r, body.mass)
                if not is_zero(body.moment):
                    moment, momentum = add(moment, cross(body.moment, v_r)), add(momentum, cross(w_r, body.moment))
                for k, (c, ratio_c, w_c, v_c) in enumerate(terms[: n + 1]):
                    entry = ratio_r * ratio_c * (dot(momentum, v_c) + dot(moment, w_c))
                    if r == c and k != n:
                        entry = entry + entry
                    high, low = max(r, c), min(r, c)
                    matrix[high][low] = matrix[high][low] + entry
        for column, rotors in enumerate(kane_rotors(mechanism)):
            matrix[column][column] = matrix[column][column] + rotors
        for r in range(mechanism.nv):
            for c in range(r + 1):
                matrix[c][r] = matrix[r][c].named(f"m{r + 1}_{c + 1}")
    return matrix


def kane_bias(mechanism: Mechanism, bodies: Sequence[KaneBody]) -> tuple[Scalar, ...]:
    """Velocity, gravity and force element terms over v: M(q) vdot + bias(q, v) = tau."""
    return kane_inverse_dynamics(mechanism, bodies, joints_at_rest(mechanism))


def kane_inverse_dynamics(mechanism: Mechanism, bodies: Sequence[KaneBody], rates: Speeds) -> tuple[Scalar, ...]:
    """Generalised forces over v that produce the given rates of the speeds."""
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    motion = _accelerations(mechanism, bodies, rates)
    wrenches = _inertial_wrenches(mechanism, bodies, motion, mechanism.gravity, applied)
    return _generalised_forces(mechanism, bodies, wrenches, rates, applied)


def kane_inertia_wrenches(mechanism: Mechanism, bodies: Sequence[KaneBody], rates: Speeds) -> list[Motion]:
    """R* of each body: -[J alpha + omega x J omega; m a_C] about C."""
    motion = _accelerations(mechanism, bodies, rates)
    return _negated(_inertial_wrenches(mechanism, bodies, motion, zero_vector(mechanism.graph), None))


def kane_active_wrenches(mechanism: Mechanism, bodies: Sequence[KaneBody]) -> list[Motion]:
    """R of each body: [n; m g + f] of gravity, force elements and outer wrenches about C."""
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    return _negated(_inertial_wrenches(mechanism, bodies, _at_rest(mechanism), mechanism.gravity, applied))


def kane_inertia_forces(mechanism: Mechanism, bodies: Sequence[KaneBody], rates: Speeds) -> tuple[Scalar, ...]:
    """F* over v: generalised inertia forces at the given rates of the speeds, F + F* = 0."""
    motion = _accelerations(mechanism, bodies, rates)
    wrenches = _inertial_wrenches(mechanism, bodies, motion, zero_vector(mechanism.graph), None)
    return tuple(-force for force in _generalised_forces(mechanism, bodies, wrenches, rates, None))


def kane_active_forces(mechanism: Mechanism, bodies: Sequence[KaneBody]) -> tuple[Scalar, ...]:
    """F over v: generalised active forces of tau, gravity, force elements and outer wrenches."""
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    wrenches = _inertial_wrenches(mechanism, bodies, _at_rest(mechanism), mechanism.gravity, applied)
    held = _generalised_forces(mechanism, bodies, wrenches, joints_at_rest(mechanism), applied)
    return tuple(force - other for force, other in zip(mechanism.entries(mechanism.tau), held, strict=True))


def _at_rest(mechanism: Mechanism) -> Accelerations:
    nothing = [zero_vector(mechanism.graph)] * (mechanism.nb + 1)
    return nothing, nothing, nothing


def _negated(wrenches: Sequence[Motion]) -> list[Motion]:
    return [(negate(moment), negate(force)) for moment, force in wrenches]


def _generalised_forces(
    mechanism: Mechanism,
    bodies: Sequence[KaneBody],
    wrenches: Sequence[Motion],
    rates: Speeds,
    applied: AppliedForces | None,
) -> tuple[Scalar, ...]:
    """Wrenches about C along the partial velocities, what rotors need, less what force elements do in the joints."""
    partial = kane_partial_velocities(mechanism, bodies)
    sums = [[Scalar(mechanism.graph, 0)] * len(body.v) for body in mechanism.bodies]
    with mechanism.graph.section("generalised forces"):
        for body, (moment, force) in zip(bodies, wrenches, strict=True):
            for j in body.path:
                for k, (w, v) in enumerate(partial[body.label, j]):
                    sums[j - 1][k] = sums[j - 1][k] + (dot(v, force) + dot(w, moment))
        for j, tree in enumerate(mechanism.bodies):
            for k, (rate, armature) in enumerate(zip(rates[j], tree.armature, strict=True)):
                sums[j][k] = sums[j][k] + armature * rate
                if applied is not None:
                    sums[j][k] = sums[j][k] - applied.joints[j][k]
        return mechanism.gather(tuple(tuple(row) for row in sums))


def kane_joint_wrenches(mechanism: Mechanism, bodies: Sequence[KaneBody], rates: Speeds) -> tuple[Motion, ...]:
    """-T (I A + b): wrench on each body by its parent at its internal frame, in it; entry 0 is nothing."""
    graph = mechanism.graph
    zero = zero_vector(graph)
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    motion = _accelerations(mechanism, bodies, rates)
    inertial = _inertial_wrenches(mechanism, bodies, motion, mechanism.gravity, applied)
    wrenches: list[Motion] = [(zero, zero)]
    with graph.section("joint wrenches"):
        at_base = [
            (add(moment, cross(body.center, force)), force)
            for body, (moment, force) in zip(bodies, inertial, strict=True)
        ]
        for joint in bodies:
            moment, force = zero, zero
            for body, (n, f) in zip(bodies, at_base, strict=True):
                if joint.label in body.path:
                    moment, force = add(moment, n), add(force, f)
            moment = subtract(moment, cross(joint.frame.translation, force))
            rotation = joint.frame.rotation
            wrenches.append((rotation.to_child(moment), rotation.to_child(force)))
    return tuple(wrenches)


def _inertial_wrenches(
    mechanism: Mechanism,
    bodies: Sequence[KaneBody],
    motion: Accelerations,
    gravity: Vector3,
    applied: AppliedForces | None,
) -> list[Motion]:
    """[J alpha + omega x J omega - n; m (a_C - g) - f] of each body about C."""
    omega, alpha, center = motion
    wrenches = []
    with mechanism.graph.section("inertial wrenches"):
        for body in bodies:
            i = body.label
            falling = subtract(center[i], gravity)
            force = scale(falling, body.mass)
            spin = symmetric_multiply(body.central, omega[i])
            moment = add(symmetric_multiply(body.central, alpha[i]), cross(omega[i], spin))
            if not is_zero(body.moment):
                moment = add(moment, cross(body.moment, falling))
                force = add(force, _swing(alpha[i], omega[i], body.moment))
            if applied is not None and i in applied.wrenches:
                n, f = (body.frame.rotation.to_parent(half) for half in applied.wrenches[i])
                moment, force = subtract(moment, subtract(n, cross(body.arm, f))), subtract(force, f)
            wrenches.append((moment, force))
    return wrenches


def _accelerations(mechanism: Mechanism, bodies: Sequence[KaneBody], rates: Speeds) -> Accelerations:
    """omega, alpha and a_C by body label, entry 0 the base."""
    graph = mechanism.graph
    zero = zero_vector(graph)
    turns, slides = [], []
    with graph.section("angular velocities"):
        for body, tree in zip(bodies, mechanism.bodies, strict=True):
            turn, slide = combination(graph, body.columns, tree.v)
            turns.append(turn)
            slides.append(slide)
        omega = [zero, *(name_components(_along(body, turns), f"w{body.label}") for body in bodies)]
    with graph.section("accelerations"):
        turning, sliding = [], []
        for body, tree, rate, turn in zip(bodies, mechanism.bodies, rates, turns, strict=True):
            angular, linear = combination(graph, body.columns, rate)
            bias = tuple(body.frame.rotation.to_parent(half) for half in tree.motion.bias)
            turning.append(add(angular, add(bias[0], cross(omega[tree.parent], turn))))
            sliding.append(add(linear, bias[1]))
        alpha = [zero, *(name_components(_along(body, turning), f"alpha{body.label}") for body in bodies)]
        origins = []
        for tree, step, slide in zip(mechanism.bodies, sliding, slides, strict=True):
            c = tree.parent
            if c:
                p = bodies[c - 1].frame.rotation.to_parent(tree.translation)
                step = add(step, add(cross(alpha[c], p), cross(omega[c], cross(omega[c], p))))
            if not is_zero(slide):
                step = add(step, cross(add(omega[c], omega[tree.label]), slide))
            origins.append(step)
        centers = [zero]
        for body in bodies:
            i = body.label
            swing = _swing(alpha[i], omega[i], body.arm)
            centers.append(name_components(add(_along(body, origins), swing), f"a{i}"))
    return omega, alpha, centers


def _swing(alpha: Vector3, omega: Vector3, arm: Vector3) -> Vector3:
    """alpha x r + omega x (omega x r)."""
    return add(cross(alpha, arm), cross(omega, cross(omega, arm)))


def _along(body: KaneBody, terms: Sequence[Vector3]) -> Vector3:
    """-sum_j T_ji term_j; ascending, so that bodies share the sums of their common path."""
    first, *others = body.path
    total = terms[first - 1]
    for j in others:
        total = add(total, terms[j - 1])
    return total


def _rates(mechanism: Mechanism, bodies: Sequence[KaneBody]) -> list[Scalar]:
    bias = kane_bias(mechanism, bodies)
    right = [f - h for f, h in zip(mechanism.entries(mechanism.tau), bias, strict=True)]
    return solve(mechanism, kane_mass_matrix(mechanism, bodies), right)


def _forward_dynamics(mechanism: Mechanism) -> Derived:
    return Derived(_rates(mechanism, kane_bodies(mechanism)), "Kane's equations, factored mass matrix")


def _inverse_dynamics(mechanism: Mechanism) -> Derived:
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    return Derived(kane_inverse_dynamics(mechanism, kane_bodies(mechanism), rates), "Kane's equations")


def _mass_matrix(mechanism: Mechanism) -> Derived:
    return Derived(kane_mass_matrix(mechanism, kane_bodies(mechanism)), "Kane's equations through the path matrix")


def _bias_force(mechanism: Mechanism) -> Derived:
    return Derived(kane_bias(mechanism, kane_bodies(mechanism)), "Kane's equations")


def user_joint_wrenches(mechanism: Mechanism, rates: Sequence[Scalar]) -> Sequence[Scalar]:
    """Wrench in every joint at given rates of the speeds (nv,), as the user sees it: (nj, 6), row-major."""
    by_joint = mechanism.of_joints(tuple(rates))
    return user_wrenches(mechanism, kane_joint_wrenches(mechanism, kane_bodies(mechanism), by_joint))


def _joint_wrenches(mechanism: Mechanism) -> Derived:
    return Derived(user_joint_wrenches(mechanism, tuple(_rates(mechanism, kane_bodies(mechanism)))), "Kane")


KANE_FUNCTIONS: Final = functions_by_name(
    Function(contracts.FORWARD_DYNAMICS, _forward_dynamics),
    Function(contracts.INVERSE_DYNAMICS, _inverse_dynamics),
    Function(contracts.MASS_MATRIX, _mass_matrix),
    Function(contracts.BIAS_FORCE, _bias_force),
    Function(contracts.JOINT_WRENCHES, _joint_wrenches),
)
"""Functions of the catalogue that Kane's equations derive in their own way."""
