"""Constraint force algorithm: the motion and the constraint forces of a tree from one linear system.

With P F = I A + b, P^T A = H vdot + gamma and F = H-bar tau + W F_S, the constraint forces solve

    A_m F_S = X,   A_m = W^T P^T I^-1 P W,   X = -B tau + W^T P^T I^-1 b + W^T gamma,   B = W^T P^T I^-1 P H-bar

(absolute form), or A_m F_S = -B (tau - h) with the bias force h, where the wrenches of inverse dynamics at vdot = 0 are
added (bias form). A_m is positive definite for every tree and configuration; eliminated leaf to root it has no fill.
Accelerations are those of points, as in the recursions; gravity is an acceleration of the base.

A freedom with rotor inertia a is held by its rotor, tau - a vdot reaching the body: its force joins the unknowns, H-bar
the columns of W, and 1/a the diagonal of A_m, the compliance dual to the rotor's inertia.

A mechanism with a body whose inertia has no inverse is treated in the inertia form: with L = (I^A)^-1,
W (W^T L W)^-1 W^T = I^A - I^A H (H^T I^A H)^-1 H^T I^A, so the articulated-body recursion is the same elimination.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, sections 2
and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from mbsym.errors import DerivationError
from mbsym.formulations.applied_forces import AppliedForces, applied_forces, less, together
from mbsym.formulations.constraint_force.block_system import Block, BlockSystem, ComputedBlocks, Pair, solve
from mbsym.formulations.constraint_force.elimination_order import leaf_to_root
from mbsym.formulations.constraint_force.joint_compliance import (
    LEAST_PART,
    Compliance,
    SpatialBlock,
    carried_sizes,
    compliance,
    joint_blocks,
    why_singular,
)
from mbsym.formulations.contracts import (
    FORWARD_DYNAMICS,
    JOINT_WRENCHES,
    Derived,
    Function,
    functions_by_name,
)
from mbsym.formulations.recursive.articulated_body import RatesAndWrenches, articulated_body
from mbsym.formulations.recursive.newton_euler import inertial_wrench, steady_dynamics, superposed, user_wrenches
from mbsym.joints.motion import Motion, combination, difference_of, motion_of, six, sum_of
from mbsym.joints.subspaces import Column, JointSubspaces
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.recursion import (
    Speeds,
    VelocityTerms,
    joint_speeds,
    turning_matrix,
    velocity_terms,
)
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.vector import Vector3, add, dot, multiply, name_components, negate, subtract, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar

Form: TypeAlias = Literal["absolute", "bias"]
Solver: TypeAlias = Callable[[BlockSystem, tuple[int, ...], list[Scalar]], list[Scalar]]
"""Solves A F = X given the system, the parents of the bodies, and X."""


@dataclass(frozen=True, slots=True)
class HeldJoint:
    """How the algorithm sees a joint.

    Attributes:
        subspaces: H, H-bar and W.
        columns: directions of the unknown forces: W, then H-bar of each freedom with rotor inertia.
        rotors: for each freedom its place in ``columns``, or None where its force is known.
        armature: of each freedom.
    """

    subspaces: JointSubspaces
    columns: tuple[Column, ...]
    rotors: tuple[int | None, ...]
    armature: tuple[Scalar, ...]

    @property
    def driven(self) -> dict[int, int]:
        """The freedoms that rotors hold, by their places in ``columns``."""
        return {place: k for k, place in enumerate(self.rotors) if place is not None}

    def known(self, tau: Sequence[Scalar]) -> list[tuple[Motion, Scalar]]:
        """Directions of the forces that are known, with these."""
        triples = zip(self.subspaces.forces, tau, self.rotors, strict=True)
        return [(motion_of(force), value) for force, value, place in triples if place is None]

    def rates(
        self, label: int, tau: Sequence[Scalar], unknown: Sequence[Scalar], gap: Sequence[Scalar]
    ) -> tuple[Scalar, ...]:
        """vdot of the joint of body ``label``: along the gap between its frames, or what a rotor's force leaves."""
        found = [
            dot(force, gap) if place is None else (tau[k] - unknown[place]) / self.armature[k]
            for k, (force, place) in enumerate(zip(self.subspaces.forces, self.rotors, strict=True))
        ]
        return tuple(rate.named(f"vdot{label}_{k + 1}") for k, rate in enumerate(found))


def held_joints(mechanism: Mechanism) -> tuple[HeldJoint, ...]:
    """Unknown force directions of all tree joints, in label order.

    Raises:
        DerivationError: a coupling joins two joints.
    """
    if mechanism.is_coupled:
        name = mechanism.model.couplings[0].joint
        raise DerivationError(
            "the constraint force algorithm does not cover couplings",
            where=f"joint {name}",
            remedy="use the formulation kane or newton-euler",
        )
    held = []
    for body in mechanism.bodies:
        spaces = body.joint.kind.subspaces(body.motion, body.q, body.flipped)
        columns, rotors = list(spaces.constraints), list[int | None]()
        for force, armature in zip(spaces.forces, body.armature, strict=True):
            rotors.append(len(columns) if armature else None)
            if armature:
                columns.append(force)
        held.append(HeldJoint(spaces, tuple(columns), tuple(rotors), body.armature))
    return tuple(held)


def first_singular_body(mechanism: Mechanism, least: Fraction = LEAST_PART) -> tuple[TreeBody, str] | None:
    """A body whose inertia has no inverse that numbers can be trusted with, and why; None if there is none."""
    for body, carried in zip(mechanism.bodies, carried_sizes(mechanism), strict=True):
        reason = why_singular(body.inertia, mechanism.parameters, carried, least)
        if reason:
            return body, reason
    return None


def compliances(mechanism: Mechanism) -> tuple[Compliance, ...]:
    """Inverse inertias of all bodies, by label - 1.

    Raises:
        DerivationError: a body has no inverse inertia.
    """
    singular = first_singular_body(mechanism)
    if singular is not None:
        body, reason = singular
        raise DerivationError(
            f"A = W^T P^T I^-1 P W does not exist, for body {body.name} has no inverse inertia: {reason}",
            where=f"body {body.name}",
            remedy="give it mass and inertia, or derive forward_dynamics, which uses the inertia form; or use cfa-kkt",
        )
    with mechanism.graph.section("inverse inertias"):
        return tuple(compliance(body.inertia) for body in mechanism.bodies)


def constraint_system(mechanism: Mechanism, held: Sequence[HeldJoint], inverses: tuple[Compliance, ...]) -> BlockSystem:
    """A_m, with rotor compliances on its diagonal."""
    blocks = joint_blocks(mechanism, inverses)

    def compute(pair: Pair) -> Block:
        i, j = pair
        block = block_between(held[i - 1].columns, blocks[pair], held[j - 1].columns, symmetric=i == j)
        return _with_rotors(block, held[i - 1]) if i == j else block

    return BlockSystem(
        mechanism.graph,
        tuple(body.joint.name for body in mechanism.bodies),
        tuple(len(joint.columns) for joint in held),
        ComputedBlocks(blocks, compute),
    )


def _with_rotors(block: Block, joint: HeldJoint) -> Block:
    rows = [list(row) for row in block]
    for place, k in joint.driven.items():
        rows[place][place] = rows[place][place] + 1 / joint.armature[k]
    return tuple(tuple(row) for row in rows)


def block_between(
    left: Sequence[Column], block: SpatialBlock, right: Sequence[Column], symmetric: bool = False
) -> Block:
    """left^T K right."""
    rows = block.rows()
    zero = Scalar(rows[0][0].graph, 0)
    result: list[list[Scalar]] = []
    for r, column in enumerate(left):
        taken = combined([(x, rows[k]) for k, x in enumerate(column) if x], zero)
        entries = [dot(taken, other) for other in right[r if symmetric else 0 :]]
        result.append([*(result[c][r] for c in range(r)), *entries] if symmetric else entries)
    return tuple(tuple(row) for row in result)


def combined(terms: Sequence[tuple[Scalar, Sequence[Scalar]]], zero: Scalar) -> list[Scalar]:
    """Sum of scalars times rows of six."""
    total = [zero] * 6
    for factor, row in terms:
        total = [t + factor * x for t, x in zip(total, row, strict=True)]
    return total


@dataclass(frozen=True, slots=True)
class _Motion:
    """What moves the bodies but for the wrenches in the joints: speeds, gravity and outer wrenches."""

    terms: VelocityTerms | None
    gravity: Vector3
    wrenches: dict[int, Motion]


def constraint_forces(
    mechanism: Mechanism, tau: Speeds, solver: Solver | None = None, form: Form = "absolute"
) -> RatesAndWrenches:
    """Motion and constraint forces under the generalised forces ``tau`` by joint.

    Raises:
        DerivationError: a body has no inverse inertia, or a coupling joins two joints.
    """
    solver = (lambda system, parents, right: solve(system, leaf_to_root(parents), right)) if solver is None else solver
    held, inverses = held_joints(mechanism), compliances(mechanism)
    if form == "absolute":
        acting, motion = _acting(mechanism, tau)
        return _solved(mechanism, held, inverses, acting, motion, solver)
    bias = steady_dynamics(mechanism)
    nothing = _Motion(None, zero_vector(mechanism.graph), {})
    found = _solved(mechanism, held, inverses, less(tau, bias.forces), nothing, solver)
    with mechanism.graph.section("wrenches of the bias and of the effective forces"):
        return replace(found, wrenches=superposed(bias.wrenches, found.wrenches))


def right_side(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """X of A_m F_S = X in the absolute form under the input tau, the rows of each joint in label order.

    Raises:
        DerivationError: a body has no inverse inertia, or a coupling joins two joints.
    """
    held, inverses = held_joints(mechanism), compliances(mechanism)
    acting, motion = _acting(mechanism, mechanism.of_joints(mechanism.entries(mechanism.tau)))
    gyroscopic = _gyroscopic_moments(mechanism, inverses, motion.terms)
    return tuple(_right_side(mechanism, held, inverses, acting, motion, gyroscopic)[1])


def known_wrenches(mechanism: Mechanism) -> list[Motion]:
    """F - W F_S of each joint under the input tau: H-bar by the forces that no rotor bears.

    Raises:
        DerivationError: a coupling joins two joints.
    """
    tau = mechanism.of_joints(mechanism.entries(mechanism.tau))
    acting = with_applied(tau, applied_forces(mechanism, joint_speeds(mechanism)))
    return _known_wrenches(mechanism, held_joints(mechanism), acting)


def _acting(mechanism: Mechanism, tau: Speeds) -> tuple[Speeds, _Motion]:
    """Generalised forces with those of force elements, and what else moves the bodies."""
    speeds = joint_speeds(mechanism)
    applied = applied_forces(mechanism, speeds)
    terms = velocity_terms(mechanism, speeds)
    outer = dict(applied.wrenches) if applied is not None else {}
    return with_applied(tau, applied), _Motion(terms, mechanism.gravity, outer)


def with_applied(tau: Speeds, applied: AppliedForces | None) -> Speeds:
    """Generalised forces by joint with those of force elements."""
    return tau if applied is None else together(tau, applied.joints)


def _solved(
    mechanism: Mechanism,
    held: tuple[HeldJoint, ...],
    inverses: tuple[Compliance, ...],
    tau: Speeds,
    motion: _Motion,
    solver: Solver,
) -> RatesAndWrenches:
    graph = mechanism.graph
    gyroscopic = _gyroscopic_moments(mechanism, inverses, motion.terms)
    known, right = _right_side(mechanism, held, inverses, tau, motion, gyroscopic)
    system = constraint_system(mechanism, held, inverses)
    forces = solver(system, mechanism.labelling.inboard, right)
    own = [forces[first:last] for first, last in pairwise(system.starts)]
    with graph.section("wrenches and rates of the speeds"):
        wrenches = []
        for label, (joint, wrench, unknown) in enumerate(zip(held, known, own, strict=True), 1):
            total = sum_of(wrench, combination(graph, tuple(map(motion_of, joint.columns)), tuple(unknown)))
            wrenches.append((name_components(total[0], f"n{label}"), name_components(total[1], f"f{label}")))
        gaps = _relative_accelerations(mechanism, inverses, wrenches, gyroscopic, motion)
        parts = enumerate(zip(held, tau, own, gaps, strict=True), 1)
        rates = tuple(joint.rates(label, row, unknown, gap) for label, (joint, row, unknown, gap) in parts)
    zero = zero_vector(graph)
    return RatesAndWrenches(rates, ((zero, zero), *wrenches))


def _right_side(
    mechanism: Mechanism,
    held: tuple[HeldJoint, ...],
    inverses: tuple[Compliance, ...],
    tau: Speeds,
    motion: _Motion,
    gyroscopic: Sequence[Vector3],
) -> tuple[list[Motion], list[Scalar]]:
    """The known wrenches in the joints, and X."""
    with mechanism.graph.section("right side X of the constraint forces"):
        known = _known_wrenches(mechanism, held, tau)
        gaps = _relative_accelerations(mechanism, inverses, known, gyroscopic, motion)
        right: list[Scalar] = []
        for joint, gap, row in zip(held, gaps, tau, strict=True):
            entries = [-dot(column, gap) for column in joint.columns]
            for place, k in joint.driven.items():
                entries[place] = entries[place] + row[k] / joint.armature[k]
            right += entries
    return known, right


def _known_wrenches(mechanism: Mechanism, held: Sequence[HeldJoint], tau: Speeds) -> list[Motion]:
    return [_combination(mechanism.graph, joint.known(row)) for joint, row in zip(held, tau, strict=True)]


def _combination(graph: Graph, terms: list[tuple[Motion, Scalar]]) -> Motion:
    return combination(graph, tuple(column for column, _ in terms), tuple(value for _, value in terms))


def _gyroscopic_moments(
    mechanism: Mechanism, inverses: tuple[Compliance, ...], terms: VelocityTerms | None
) -> list[Vector3]:
    """omega x J_C omega of each body."""
    zero = zero_vector(mechanism.graph)
    if terms is None:
        return [zero] * mechanism.nb
    moments = []
    with mechanism.graph.section("gyroscopic moments"):
        for body, inverse in zip(mechanism.bodies, inverses, strict=True):
            omega = terms.angular[body.label]
            central = RigidInertia(body.inertia.mass, zero, inverse.central)
            moments.append(inertial_wrench(central, omega, zero, turning_matrix(omega, zero), zero)[0])
    return moments


def _relative_accelerations(
    mechanism: Mechanism,
    inverses: tuple[Compliance, ...],
    wrenches: Sequence[Motion],
    gyroscopic: Sequence[Vector3],
    motion: _Motion,
) -> list[list[Scalar]]:
    """P^T A - gamma: acceleration of each joint's outboard frame but for what its inboard body and the speeds cause."""
    graph = mechanism.graph
    zero = zero_vector(graph)
    resultants = list(wrenches)
    for label, wrench in sorted(motion.wrenches.items()):
        resultants[label - 1] = sum_of(resultants[label - 1], wrench)
    for body in mechanism.bodies:
        if body.parent:
            moved = body.placement.wrench_to_parent(*wrenches[body.label - 1])
            resultants[body.parent - 1] = difference_of(resultants[body.parent - 1], moved)
    turnings = [turning_matrix(zero, zero)]
    alphas, centers = [zero], [negate(motion.gravity)]
    gaps: list[list[Scalar]] = []
    for body, inverse, moment in zip(mechanism.bodies, inverses, gyroscopic, strict=True):
        i, c = body.label, body.parent
        alpha, center = inverse.accelerations(*resultants[i - 1], moment)
        omega = zero if motion.terms is None else motion.terms.angular[i]
        turning = turning_matrix(omega, alpha)
        alphas.append(alpha)
        centers.append(center)
        turnings.append(turning)
        own = subtract(center, multiply(turning, inverse.center))
        arm = subtract(body.translation, inverses[c - 1].center) if c else body.translation
        carried = body.rotation.to_child(add(centers[c], multiply(turnings[c], arm)))
        gap = difference_of((alpha, own), (body.rotation.to_child(alphas[c]), carried))
        if motion.terms is not None:
            gap = difference_of(gap, (motion.terms.angular_bias[i], motion.terms.linear_bias[i]))
        gaps.append(six(gap))
    return gaps


def inertia_form(mechanism: Mechanism, tau: Speeds) -> RatesAndWrenches:
    """The same motion and wrenches from inertias alone, for mechanisms with bodies that have no inverse inertia.

    Raises:
        DerivationError: a joint has no inertia to move.
    """
    bias = steady_dynamics(mechanism)
    motion = articulated_body(mechanism, less(tau, bias.forces))
    return RatesAndWrenches(motion.rates, superposed(bias.wrenches, motion.wrenches))


def derive_motion(
    mechanism: Mechanism, solver: Solver | None = None, form: Form = "absolute", least: Fraction = LEAST_PART
) -> tuple[RatesAndWrenches, str]:
    """Motion under the input tau, and the name of the form used: the inertia form where some body needs it.

    Args:
        mechanism: a tree.
        solver: of the constraint forces; leaf to root by default.
        form: of their equations.
        least: what counts as nothing beside other inertias with that solver.
    """
    tau = mechanism.of_joints(mechanism.entries(mechanism.tau))
    held_joints(mechanism)
    singular = first_singular_body(mechanism, least)
    if singular is None:
        return constraint_forces(mechanism, tau, solver, form), f"{form} form"
    body, reason = singular
    return inertia_form(mechanism, tau), f"inertia form, for body {body.name} has no inverse inertia: {reason}"


Solution: TypeAlias = Callable[[Mechanism], tuple[RatesAndWrenches, str]]
"""What a solver finds for the input tau, and the words for how it did."""


def motion_functions(solution: Solution) -> Mapping[str, Function]:
    """``forward_dynamics`` and ``joint_wrenches`` of what a solver finds."""

    def rates(mechanism: Mechanism) -> Derived:
        found, how = solution(mechanism)
        return Derived(mechanism.laid_out(found.rates), how)

    def wrenches(mechanism: Mechanism) -> Derived:
        found, how = solution(mechanism)
        return Derived(user_wrenches(mechanism, found.wrenches), how)

    return functions_by_name(Function(FORWARD_DYNAMICS, rates), Function(JOINT_WRENCHES, wrenches))


def functions_by(
    name: str, solver: Solver | None = None, form: Form = "absolute", least: Fraction = LEAST_PART
) -> Mapping[str, Function]:
    """The same of ``derive_motion`` by a solver of that name."""

    def solution(mechanism: Mechanism) -> tuple[RatesAndWrenches, str]:
        found, used = derive_motion(mechanism, solver, form, least)
        return found, f"{name}, {used}"

    return motion_functions(solution)


CFA_FUNCTIONS: Final = functions_by("constraint force algorithm")
"""Functions of the catalogue that the constraint force algorithm derives in its own way, in absolute form."""

CFA_BIAS_FUNCTIONS: Final = functions_by("constraint force algorithm", form="bias")
"""The same functions by the bias form of the paper."""
