"""Newton-Euler, composite and articulated bodies: textbook forms, and exact identities on small trees."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import joint_wrenches_at
from mbsym.formulations.contracts import references
from mbsym.formulations.recursive.articulated_body import articulated_body
from mbsym.formulations.recursive.articulated_factor import articulated_factor
from mbsym.formulations.recursive.composite_body import composite_inertias, factored_mass_matrix, mass_matrix
from mbsym.formulations.recursive.newton_euler import dynamics_at, inertial_wrench, newton_euler, steady_dynamics
from mbsym.formulations.recursive.sparse_factor import Factor, weighted_product
from mbsym.joints.motion import power, six
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joints_at_rest, turning_matrix
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.vector import add, cross, scale, symmetric_multiply
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, constant, cos, sin, symbol
from mbsym.values.parameter import Parameter
from mechanisms.exact import equal, same
from mechanisms.matrices import flat, times
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import BAR, one_joint
from mechanisms.trees import tree_model

# ---- textbook forms --------------------------------------------------------------------------------------------------


@pytest.fixture
def arm() -> Mechanism:
    """Craig's planar arm: point masses at the ends of two links in the x-y plane, gravity g along -y."""
    names = ("l1", "l2", "m1", "m2", "g")
    parameters = tuple(Parameter(name, k, symbolic=True) for k, name in enumerate(names, start=1))
    bodies = (Body("upper", "m1", ("l1", 0, 0)), Body("lower", "m2", ("l2", 0, 0)))
    at_end = Placement(("l1", 0, 0))
    joints = (
        Joint("shoulder", "revolute", "ground", "upper", (0, 0, 1)),
        Joint("elbow", "revolute", "upper", "lower", (0, 0, 1), predecessor_placement=at_end),
    )
    return mechanism_of(Model("arm", bodies, joints, gravity=(0, "-g", 0), parameters=parameters))


def test_the_planar_arm_of_the_book(arm: Mechanism) -> None:
    """J. J. Craig, Introduction to Robotics, 2005, equations (6.58) to (6.61)."""
    l1, l2, m1, m2, g = (arm.names[name] for name in ("l1", "l2", "m1", "m2", "g"))
    (q1, q2), (v1, v2) = arm.entries(arm.q), arm.entries(arm.v)
    c1, c2, s2, c12 = cos(q1), cos(q2), sin(q2), cos(q1 + q2)
    off = m2 * (l2 * l2 + l1 * l2 * c2)
    own = m2 * l2 * l2
    M = [[own + 2 * m2 * l1 * l2 * c2 + (m1 + m2) * l1 * l1, off], [off, own]]
    turning = m2 * l1 * l2 * s2
    h = [-turning * v2 * v2 - 2 * turning * v1 * v2, turning * v1 * v1]
    weight = [m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1, m2 * l2 * g * c12]
    assert same(arm, flat(mass_matrix(arm)), flat(M))
    bias = [a + b for a, b in zip(h, weight, strict=True)]
    assert same(arm, arm.gather(steady_dynamics(arm).forces), bias)
    rates = arm.entries(arm.vdot)
    found = arm.gather(dynamics_at(arm, arm.of_joints(rates)).forces)
    assert equal(found, [a + b for a, b in zip(times(M, rates), bias, strict=True)])


def test_a_hanging_body_pulls_at_its_joint_as_it_is_written() -> None:
    """1 kg, 0.5 m off the hinge's axis: 10 N up and 5 N m act on the body, the opposite on ground."""
    hanging = replace(one_joint("revolute", BAR, axis=(0, 0, 1)), gravity=(0, -10, 0))
    (joint,) = hanging.joints
    written = (hanging, replace(hanging, joints=(replace(joint, predecessor="a", successor="ground"),)))
    for model, sign in zip(written, (1, -1), strict=True):
        own = mechanism_of(model)
        found = references(joint_wrenches_at(own, [Scalar(own.graph, 0)]))
        at_rest = substitute(own.graph, found, {own.q.symbols[0]: 0, own.v.symbols[0]: 0})
        expected = [constant(own.graph, sign * entry) for entry in (0, 0, 5, 0, 10, 0)]
        assert equal([Scalar(own.graph, ref) for ref in at_rest], expected)


def test_the_wrench_that_moves_a_body_is_that_of_newton_and_euler() -> None:
    """About the origin: f = m a + alpha x h + w x (w x h), n = I alpha + w x I w + h x a."""
    graph = Graph()
    inertia = RigidInertia.of_entries([symbol(graph, f"I{k}") for k in range(10)])
    assert inertia.entries() == [symbol(graph, f"I{k}") for k in range(10)]
    omega, alpha, a = (
        (symbol(graph, f"{name}x"), symbol(graph, f"{name}y"), symbol(graph, f"{name}z")) for name in ("w", "al", "a")
    )
    h, about = inertia.first_moment, inertia.about_origin
    swing = add(cross(alpha, h), cross(omega, cross(omega, h)))
    spin = cross(omega, symmetric_multiply(about, omega))
    moment = add(add(symmetric_multiply(about, alpha), spin), cross(h, a))
    found = inertial_wrench(inertia, omega, alpha, turning_matrix(omega, alpha), a)
    assert equal(six(found), [*moment, *add(scale(a, inertia.mass), swing)])


# ---- identities ------------------------------------------------------------------------------------------------------

KINDS = ("revolute", "cylindrical", "spherical", "universal")


@pytest.fixture
def tree() -> Mechanism:
    """A branch, several freedoms a joint, each with a rotor."""
    model = tree_model((0, 1, 1, 2), KINDS, backwards=True)
    joints = tuple(replace(joint, armature=f"{k}/3") for k, joint in enumerate(model.joints, start=1))
    return mechanism_of(replace(model, joints=joints))


def vector(mechanism: Mechanism, name: str) -> list[Scalar]:
    return [symbol(mechanism.graph, f"{name}{k}") for k in range(mechanism.nv)]


def solved(factor: Factor, right: list[Scalar]) -> list[Scalar]:
    return factor.outward(factor.inward(right))


def test_both_factors_of_the_mass_matrix_are_those_of_one_matrix(tree: Mechanism) -> None:
    """Articulated inertias never form M; the pivots of both, whatever their order in a joint, have one product."""
    sparse, articulated = factored_mass_matrix(tree), articulated_factor(tree)
    right, other = vector(tree, "x"), vector(tree, "y")
    assert sparse.order == articulated.order
    assert same(tree, [prod(sparse.inverses)], [prod(articulated.inverses)])
    found = solved(articulated, right)
    assert same(tree, times(mass_matrix(tree), found), right)
    halves = articulated.inward(right), articulated.inward(other)
    (power_of_both,) = times([other], found)
    assert same(tree, [weighted_product(articulated, *halves)], [power_of_both])


def test_articulated_bodies_under_forces(tree: Mechanism) -> None:
    """M vdot = tau, and the wrench in each joint has tau less what its rotor takes along the joint's directions."""
    tau = tree.of_joints(tree.entries(tree.tau))
    found = articulated_body(tree, tau)
    rates = tree.laid_out(found.rates)
    assert same(tree, times(mass_matrix(tree), rates), list(tree.entries(tree.tau)))
    for body, forces, own in zip(tree.bodies, tau, found.rates, strict=True):
        driven = [power(column, found.wrenches[body.label]) for column in body.columns]
        rest = [f - a * rate for f, a, rate in zip(forces, body.armature, own, strict=True)]
        assert same(tree, driven, rest)


def test_wrenches_add_up_inward(tree: Mechanism) -> None:
    """The wrench at the root moves the composite of all: its force is the total weight while everything rests."""
    still = joints_at_rest(tree)
    found = newton_euler(tree, still, still, tree.gravity)
    (root,) = (body for body in tree.bodies if not body.parent)
    whole = composite_inertias(tree)[root.label - 1]
    weight = root.rotation.to_child(scale(tree.gravity, -whole.mass))
    pull = root.rotation.to_child(tree.gravity)
    moment = cross(whole.first_moment, (-pull[0], -pull[1], -pull[2]))
    assert same(tree, six(found.wrenches[root.label]), [*moment, *weight])


def test_rates_are_linear_in_inverse_dynamics(tree: Mechanism) -> None:
    rates = tree.entries(tree.vdot)
    whole = tree.gather(dynamics_at(tree, tree.of_joints(rates)).forces)
    steady = tree.gather(steady_dynamics(tree).forces)
    moving = [a - b for a, b in zip(whole, steady, strict=True)]
    assert same(tree, moving, times(mass_matrix(tree), rates))


def test_what_is_refused() -> None:
    massless = mechanism_of(one_joint("revolute", Body("b"), axis=(0, 0, 1)))
    tau = massless.of_joints(massless.entries(massless.tau))
    for derive in (lambda: articulated_body(massless, tau), lambda: articulated_factor(massless)):
        with pytest.raises(DerivationError, match="nothing resists this joint's motion") as error:
            derive()
        assert error.value.where == "joint j"
    geared = tree_model((0, 1), ("revolute", "revolute"))
    geared = replace(geared, couplings=(Coupling("J2", "J1", 2),))
    with pytest.raises(DerivationError, match="couplings join joints of different bodies"):
        articulated_factor(mechanism_of(geared))
