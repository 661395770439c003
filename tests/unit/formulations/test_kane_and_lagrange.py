"""Kane's and Lagrange's own quantities: partial velocities, centres, energies and momenta of small mechanisms."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from mbsym.errors import DerivationError
from mbsym.forces import AppliedWrench, JointDamper, JointFriction, JointSpring, PointSpringDamper
from mbsym.forces.element import ForceElement
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import references
from mbsym.formulations.kane.closed_form import kane_bodies, kane_joint_wrenches, kane_partial_velocities
from mbsym.formulations.lagrange import LAGRANGE_QUANTITIES, energies, lagrange_bias, lagrange_mass_matrix
from mbsym.formulations.recursive.newton_euler import dynamics_at
from mbsym.joints.motion import combination, motion_of, six
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import velocity_entries
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.spatial.vector import add, cross, dot, subtract
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.equality import compare
from mbsym.symbolic.scalar import Scalar, constant, cos, sin
from mbsym.values.parameter import Parameter
from mechanisms.exact import same
from mechanisms.matrices import flat, results, times
from mechanisms.mechanism import mechanism_of
from mechanisms.one_joint import one_joint
from mechanisms.trees import tree_model

LENGTH = Fraction(3, 10)


@pytest.fixture
def pendulum() -> Mechanism:
    """Two rods of 0.3 m, 2 kg and 1 kg, in the x-y plane; the second angle counts from the first."""
    bodies = (Body("upper", 2, ("0.15", 0, 0), (0, 0, "0.015", 0, 0, 0)), Body("lower", 1, ("0.15", 0, 0)))
    joints = (
        Joint("first", "revolute", "ground", "upper", (0, 0, 1)),
        Joint("second", "revolute", "upper", "lower", (0, 0, 1), predecessor_placement=Placement(("0.3", 0, 0))),
    )
    return mechanism_of(Model("double", bodies, joints, gravity=(0, -10, 0)))


@pytest.fixture
def tree() -> Mechanism:
    return mechanism_of(tree_model((0, 1, 1, 2), ("universal", "cylindrical", "prismatic", "revolute")))


def test_partial_velocities_of_a_double_pendulum(pendulum: Mechanism) -> None:
    """w is z for all joints on the way, v is z x the arm to the centre; no joint is on the way that is not inward."""
    own = pendulum
    q1, q2 = own.entries(own.q)
    found = kane_partial_velocities(own, kane_bodies(own))
    assert sorted(found) == [(1, 1), (2, 1), (2, 2)]
    zero, one, half = (constant(own.graph, number) for number in (0, 1, LENGTH / 2))
    upper, lower = (cos(q1), sin(q1)), (cos(q1 + q2), sin(q1 + q2))
    arms = {
        (1, 1): (half * upper[0], half * upper[1]),
        (2, 1): (LENGTH * upper[0] + half * lower[0], LENGTH * upper[1] + half * lower[1]),
        (2, 2): (half * lower[0], half * lower[1]),
    }
    for place, (x, y) in arms.items():
        (motion,) = found[place]
        assert same(own, six(motion), [zero, zero, one, -y, x, zero])


def test_partial_velocities_times_speeds_are_velocities(tree: Mechanism) -> None:
    """omega_i = sum w_ij v_j, and the velocity of C is that of the frame with the arm that turns."""
    bodies = kane_bodies(tree)
    partial = kane_partial_velocities(tree, bodies)
    twists = [Scalar(tree.graph, ref) for ref in references(velocity_entries(tree))]
    for body in bodies:
        moved = combination(
            tree.graph,
            tuple(column for j in body.path for column in partial[body.label, j]),
            tuple(speed for j in body.path for speed in tree.body(j).v),
        )
        user = body.frame.then(tree.body(body.label).user_frame.inverse())
        turning, sliding = motion_of(twists[6 * (body.label - 1) : 6 * body.label])
        omega = user.rotation.to_parent(turning)
        velocity = add(user.rotation.to_parent(sliding), cross(omega, subtract(body.center, user.translation)))
        assert same(tree, six(moved), [*omega, *velocity])


def test_joint_wrenches_are_those_of_the_recursion(tree: Mechanism) -> None:
    rates = tree.of_joints(tree.entries(tree.vdot))
    found = kane_joint_wrenches(tree, kane_bodies(tree), rates)
    expected = dynamics_at(tree, rates).wrenches
    assert all(same(tree, six(found[k]), six(expected[k])) for k in range(1, tree.nb + 1))


@pytest.mark.parametrize("center", ["l", "2/5"])
def test_no_mass_that_may_be_zero_is_divided_by(center: str) -> None:
    """A first moment of m times a length has its centre exactly; the moment about it is what the file says."""
    parameters = (Parameter("m", 2, symbolic=True), Parameter("l", "0.4", symbolic=True))
    bar = Body("b", "m", (center, 0, 0), (1, 2, 3, 0, 0, 0))
    own = mechanism_of(Model("one", (bar,), one_joint("revolute", bar).joints, parameters=parameters))
    (body,) = kane_bodies(own)
    length = own.names["l"] if center == "l" else constant(own.graph, Fraction(2, 5))
    assert not any(body.moment)
    assert same(own, [dot(body.arm, body.arm)], [length * length])
    assert same(own, [sum(body.central[:3], Scalar(own.graph, 0))], [constant(own.graph, 6)])


def test_a_centre_without_an_exact_quotient_is_the_origin() -> None:
    """m1 c1 + m2 c2 is no multiple of m1 + m2: the first moment stays, about the frame's origin."""
    parameters = (Parameter("m", 2, symbolic=True), Parameter("n", 3, symbolic=True))
    bar = Body("b", "m + n", ("m", 0, 0), (1, 2, 3, 0, 0, 0))
    own = mechanism_of(Model("one", (bar,), one_joint("revolute", bar).joints, parameters=parameters))
    (body,) = kane_bodies(own)
    assert not any(body.arm)
    assert any(body.moment)
    (tree_body,) = own.bodies
    assert same(own, body.moment, body.frame.rotation.to_parent(tree_body.inertia.first_moment))


def test_energies_of_a_double_pendulum(pendulum: Mechanism) -> None:
    """T = sum of m v^2 / 2 + J w^2 / 2, U = m g y; p = M v."""
    own = pendulum
    (q1, q2), (v1, v2) = own.entries(own.q), own.entries(own.v)
    half, both = LENGTH / 2, v1 + v2
    speed = LENGTH * LENGTH * v1 * v1 + half * half * both * both + 2 * LENGTH * half * v1 * both * cos(q2)
    turning = Fraction(15, 1000) * v1 * v1
    upper = 2 * half * half * v1 * v1
    found = energies(own)
    assert same(own, [found.kinetic], [(upper + turning + speed) / 2])
    height = 2 * half * sin(q1) + (LENGTH * sin(q1) + half * sin(q1 + q2))
    assert same(own, [found.potential], [10 * height])
    assert same(own, list(found.momenta), times(lagrange_mass_matrix(own, found), [v1, v2]))
    # The work of the bias forces is what the energies lose at constant speeds: Coriolis and weight, by hand.
    pull = LENGTH * half * sin(q2)
    bias = [-pull * (2 * v1 * v2 + v2 * v2), pull * v1 * v1]
    weight = [10 * (2 * half * cos(q1) + LENGTH * cos(q1) + half * cos(q1 + q2)), 10 * half * cos(q1 + q2)]
    assert same(own, lagrange_bias(own, found), [a + b for a, b in zip(bias, weight, strict=True)])


def test_speeds_that_are_no_rates_have_brackets() -> None:
    """Euler's equations of a body on a ball joint at its centre: h = omega x I omega."""
    own = mechanism_of(one_joint("spherical", Body("b", 1, inertia=(1, 2, 4, 0, 0, 0))))
    x, y, z = own.entries(own.v)
    found = energies(own)
    assert same(own, list(found.momenta), [x, 2 * y, 4 * z])
    assert same(own, lagrange_bias(own, found), [2 * y * z, -3 * x * z, x * y])
    expected = results(TREE_FUNCTIONS["bias_force"](own))["bias"]
    assert same(own, lagrange_bias(own, found), expected)
    diagonal = [constant(own.graph, k) for k in (1, 0, 0, 0, 2, 0, 0, 0, 4)]
    assert same(own, flat(lagrange_mass_matrix(own, found)), diagonal)


# ---- dissipation -----------------------------------------------------------------------------------------------------


def damped(damping: Fraction | int, *more: ForceElement) -> Mechanism:
    """A chain with a rotor's brake, a damper on a slide and a rope between points."""
    forces = (
        JointDamper("brake", "J1", damping),
        JointDamper("second", "J2", 2 * damping, 1),
        PointSpringDamper("rope", "ground", "B3", 20, damping, 0.3, (1, 0, 0.5), (0, 0.1, -0.4)),
        JointSpring("spring", "J3", 7),
    )
    model = tree_model((0, 1, 2), ("revolute", "cylindrical", "revolute"))
    return mechanism_of(replace(model, forces=(*forces, *more)))


def test_the_dissipation_function_has_the_forces_of_linear_dampers() -> None:
    """-dR/dv is what they add to Q, and 2 R their power."""
    free, own = (damped(damping) for damping in (0, Fraction(3, 2)))
    found = LAGRANGE_QUANTITIES["R"](own).output_references[0]
    slope = gradient(own.graph, found, own.v.symbols)
    power = dot([Scalar(own.graph, x) for x in slope], own.entries(own.v))
    assert same(own, [power], [2 * Scalar(own.graph, found)])
    quantity = LAGRANGE_QUANTITIES["Q"]
    with_dampers, without = quantity(own), quantity(free)
    (output,) = with_dampers.outputs
    undamped = [own.graph.add(q, s) for q, s in zip(output.values, slope, strict=True)]
    assert compare(replace(with_dampers, outputs=(replace(output, values=tuple(undamped)),)), without)
    assert any(slope)


def test_what_is_no_linear_damper_is_told() -> None:
    friction = JointFriction("friction", "J3", 2)
    R = LAGRANGE_QUANTITIES["R"]
    assert R.told(damped(1)) == ()
    (said,) = R.told(damped(1, friction, AppliedWrench("push", "B2", force=(1, 0, 0))))
    assert said == "Not in R are friction, which depend on speeds by no law of a linear damper: see Q."
    with pytest.raises(DerivationError, match=r"no force element is a linear damper\. Not in R are friction"):
        R.require(damped(0, friction))
