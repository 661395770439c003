"""What the constraint force algorithm is made of: inverse inertias, held joints, the KKT system, parts of the work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym.errors import DerivationError
from mbsym.formulations.constraint_force.joint_compliance import carried_sizes, central_inertia, compliance
from mbsym.formulations.constraint_force.kkt import kkt_form, kkt_system, solve_kkt
from mbsym.formulations.constraint_force.leaf_to_root import (
    compliances,
    constraint_forces,
    derive_motion,
    held_joints,
    inertia_form,
)
from mbsym.formulations.constraint_force.matrices import cfa_matrices, matrices_with_accelerations
from mbsym.formulations.constraint_force.serial import level_schedule
from mbsym.formulations.recursive.newton_euler import dynamics_at
from mbsym.joints.motion import six
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.body import Body
from mbsym.model.joint import Coupling
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.vector import Vector3, add, cross, symmetric_multiply, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mechanisms.exact import equal, same
from mechanisms.matrices import by, flat, times, transposed
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import one_joint
from mechanisms.trees import tree_model

KINDS = ("revolute", "universal", "prismatic", "spherical")


def tree(*, armature: bool = False) -> Mechanism:
    """A branch; with a rotor on the joint of several freedoms and on the slide, if they are asked for."""
    model = tree_model((0, 1, 1, 2), KINDS)
    if armature:
        joints = (replace(joint, armature="1/3") if joint.name in ("J2", "J3") else joint for joint in model.joints)
        model = replace(model, joints=tuple(joints))
    return mechanism_of(model)


def tau_of(own: Mechanism) -> tuple[tuple[Scalar, ...], ...]:
    return own.of_joints(own.entries(own.tau))


# ---- inverse inertias ------------------------------------------------------------------------------------------------


@pytest.fixture
def inertia() -> RigidInertia:
    graph = Graph()
    return RigidInertia.of_entries([symbol(graph, f"I{k}") for k in range(10)])


def test_compliance_is_the_inverse_inertia(inertia: RigidInertia) -> None:
    """K(O, O) I = 1."""
    graph = inertia.mass.graph
    origin = zero_vector(graph)
    K = compliance(inertia).between(origin, origin).rows()
    units = [[constant(graph, int(r == c)) for c in range(6)] for r in range(6)]
    columns = [six(inertia.times((u[0], u[1], u[2]), (u[3], u[4], u[5]))) for u in units]
    assert equal(flat(by(K, transposed(columns))), flat(units))


def test_compliance_between_two_points(inertia: RigidInertia) -> None:
    """A wrench at y accelerates x: the wrench is moved to the origin, the acceleration from there to x."""
    graph = inertia.mass.graph
    origin = zero_vector(graph)
    x, y = ((symbol(graph, f"{n}0"), symbol(graph, f"{n}1"), symbol(graph, f"{n}2")) for n in "xy")
    moment, force = ((symbol(graph, f"{n}0"), symbol(graph, f"{n}1"), symbol(graph, f"{n}2")) for n in "nf")
    found = times(compliance(inertia).between(x, y).rows(), [*moment, *force])
    at_origin = [*add(moment, cross(y, force)), *force]
    alpha_x, alpha_y, alpha_z, *linear = times(compliance(inertia).between(origin, origin).rows(), at_origin)
    alpha: Vector3 = (alpha_x, alpha_y, alpha_z)
    moved = add((linear[0], linear[1], linear[2]), cross(alpha, x))
    assert equal(found, [*alpha, *moved])


def test_central_inertia_is_steiners(inertia: RigidInertia) -> None:
    """I_O w = J_C w + s x (m w x s)."""
    graph = inertia.mass.graph
    center, central = central_inertia(inertia)
    assert equal([inertia.mass * entry for entry in center], inertia.first_moment)
    w: Vector3 = (symbol(graph, "w0"), symbol(graph, "w1"), symbol(graph, "w2"))
    shift = cross(center, cross(w, inertia.first_moment))
    assert equal(add(symmetric_multiply(central, w), shift), symmetric_multiply(inertia.about_origin, w))


def test_sizes_of_what_bodies_carry() -> None:
    """The largest outboard mass; masses of the tree are 3/2, 2, 5/2 and 3."""
    own = mechanism_of(tree_model((0, 1, 1, 2), KINDS), order="input")
    assert [float(size.mass) for size in carried_sizes(own)] == [3, 3, 0, 0]


# ---- held joints and matrices ----------------------------------------------------------------------------------------


def test_a_rotor_joins_the_unknown_forces() -> None:
    own = tree(armature=True)
    held = {body.joint.name: joint for body, joint in zip(own.bodies, held_joints(own), strict=True)}
    assert {name: len(joint.columns) for name, joint in held.items()} == {"J1": 5, "J2": 6, "J3": 6, "J4": 3}
    assert (held["J2"].rotors, held["J1"].rotors) == ((4, 5), (None,))
    assert held["J2"].driven == {4: 0, 5: 1}
    tau = [Scalar(own.graph, 1)] * 2
    assert (held["J2"].known(tau), len(held["J1"].known(tau[:1]))) == ([], 1)


def test_a_is_what_its_formula_says() -> None:
    """A = W^T P^T I^-1 P W + D, so that I A' = P W with A' the columns that A and the compliances come from."""
    own = tree(armature=True)
    matrices = cfa_matrices(own)
    P, W, I, A, D = (matrices.rows(name) for name in ("P", "W", "I", "A", "D"))
    driven = by(P, W)
    # I^-1 block by block, from the compliances.
    origin = zero_vector(own.graph)
    inverse = [[Scalar(own.graph, 0)] * (6 * own.nb) for _ in range(6 * own.nb)]
    for k, each in enumerate(compliances(own)):
        for r, row in enumerate(each.between(origin, origin).rows()):
            inverse[6 * k + r][6 * k : 6 * k + 6] = row
    unit = [constant(own.graph, int(r == c)) for r in range(6 * own.nb) for c in range(6 * own.nb)]
    assert same(own, flat(by(inverse, I)), unit)
    inner = by(transposed(driven), by(inverse, driven))
    assert same(own, flat(A), [a + d for a, d in zip(flat(inner), flat(D), strict=True)])


def test_p_is_one_less_x_and_h_is_perpendicular_to_w() -> None:
    own = tree()
    matrices = matrices_with_accelerations(own)
    P, X, H, H_bar, W = (matrices.rows(name) for name in ("P", "X", "H", "H_bar", "W"))
    unit = [[constant(own.graph, int(r == c)) for c in range(6 * own.nb)] for r in range(6 * own.nb)]
    assert same(own, flat(P), [a - b for a, b in zip(flat(unit), flat(X), strict=True)])
    n = own.nv
    assert same(
        own, flat(by(transposed(H), H_bar)), [constant(own.graph, int(r == c)) for r in range(n) for c in range(n)]
    )
    zeros = [Scalar(own.graph, 0)] * (n * len(W[0]))
    assert same(own, flat(by(transposed(H), W)), zeros)


def test_schedule_leaves_out_joints_that_hold_nothing() -> None:
    own = mechanism_of(tree_model((0, 1, 2), ("free", "revolute", "revolute")), order="input")
    assert level_schedule(own) == (("J3",), ("J2",))


# ---- motion ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("armature", [False, True])
def test_all_forms_find_rates_that_inverse_dynamics_takes_back(armature: bool) -> None:
    """tau of the rates is tau again, and the wrenches are those of that motion."""
    own = tree(armature=armature)
    tau = tau_of(own)
    forms = [constraint_forces(own, tau), constraint_forces(own, tau, form="bias"), inertia_form(own, tau)]
    for found in (*forms, kkt_form(own, tau)):
        back = dynamics_at(own, found.rates)
        assert same(own, own.gather(back.forces), own.entries(own.tau))
        for label in range(1, own.nb + 1):
            assert same(own, six(found.wrenches[label]), six(back.wrenches[label]))


def test_the_kkt_system_is_solved_row_by_row_and_each_unknown_once() -> None:
    own = tree(armature=True)
    system = kkt_system(own, tau_of(own))
    size = range(len(system.rows))
    assert (
        sorted(row for row, _, _ in system.pivots) == sorted(unknown for _, unknown, _ in system.pivots) == list(size)
    )
    values = solve_kkt(own, system)
    left = [sum((entry * values[k] for k, entry in row.items()), Scalar(own.graph, 0)) for row in system.rows]
    assert same(own, left, list(system.right))


def test_a_massless_body_takes_the_inertia_form() -> None:
    model = tree_model((0, 1, 2), ("revolute", "revolute", "revolute"))
    bodies = tuple(Body(body.name) if body.name == "B2" else body for body in model.bodies)
    own = mechanism_of(replace(model, bodies=bodies), order="input")
    found, how = derive_motion(own)
    assert how == "inertia form, for body B2 has no inverse inertia: it has no mass"
    assert same(own, own.gather(dynamics_at(own, found.rates).forces), own.entries(own.tau))
    with pytest.raises(DerivationError, match="body B2 has no inverse inertia: it has no mass"):
        compliances(own)


def test_what_is_refused() -> None:
    geared = replace(tree_model((0, 1), ("revolute", "revolute")), couplings=(Coupling("J2", "J1", 2),))
    with pytest.raises(DerivationError, match="does not cover couplings") as error:
        held_joints(mechanism_of(geared))
    assert error.value.where == "joint J2"
    massless = mechanism_of(one_joint("revolute", Body("b"), axis=(0, 0, 1)))
    with pytest.raises(DerivationError, match="nothing resists the motion of this joint"):
        kkt_form(massless, tau_of(massless))
