"""Transfer matrix elements against maximal coordinates and linear theory: trees, loops, springs, free bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from mbsym import examples
from mbsym.codegen.build import WARNINGS
from mbsym.forces import JointDamper, JointSpring, PointSpringDamper
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.model.body import Body, Placement
from mbsym.model.geometry import placement_numbers
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mbsym.transfer_matrix.coordinates import rotation_matrices
from mbsym.transfer_matrix.stepper import (
    Scheme,
    TransferMatrixStepper,
)
from mbsym.values.numbers import evaluate, parameter_values
from mechanisms.bars import hanging_bars
from mechanisms.random_trees import random_tree
from mechanisms.stepped import at_rest, simulate_transfer_matrix

Array = NDArray[Any]
NUMPY: Any = {"engine": "numpy"}
# Forces of an iterate that is solved directly: rounding errors times the condition of trees of a dozen bodies.
DIRECT = {"rtol": 1e-8, "atol": 1e-8}


def planar_tree(seed: int, bodies: int = 8) -> Model:
    """Revolute joints about one of the base axes, pointing either way, with springs, dampers, rotors."""
    rng = np.random.default_rng(seed)
    normal = int(rng.integers(3))
    axis = tuple(float(k == normal) for k in range(3))
    letter = "xyz"[normal]

    def number() -> float:
        return round(float(rng.uniform(-0.6, 0.6)), 3)

    links, joints, forces = [], [], []
    for k in range(bodies):
        inertia = tuple(round(float(x), 3) for x in rng.uniform(0.1, 0.2, 3))
        mass = round(float(rng.uniform(0.5, 2)), 3)
        links.append(Body(f"b{k}", mass, (number(), number(), number()), (*inertia, 0, 0, 0)))
        parent = "ground" if k == 0 else f"b{int(rng.integers(k))}"
        ends = [parent, f"b{k}"]
        if rng.random() < 0.4:
            ends.reverse()
        sign = 1 if rng.random() < 0.7 else -1
        places = [Placement((number(), number(), number()), ((letter, number()),)) for _ in range(2)]
        joint = Joint(
            f"j{k}", "revolute", *ends, axis=tuple(sign * x for x in axis),
            predecessor_placement=places[0], successor_placement=places[1],
            armature=round(float(rng.uniform(0, 0.1)), 3) if rng.random() < 0.3 else 0,
        )  # fmt: skip
        joints.append(joint)
        if rng.random() < 0.4:
            forces.append(JointSpring(f"s{k}", f"j{k}", round(float(rng.uniform(1, 20)), 2), number()))
        if rng.random() < 0.4:
            forces.append(JointDamper(f"d{k}", f"j{k}", round(float(rng.uniform(0.1, 1)), 2)))
    return Model("tree", tuple(links), tuple(joints), forces=tuple(forces), gravity=(0.3, -9.81, 0.7))


def element_forces(model: Model, stepper: TransferMatrixStepper, q: Array, v: Array) -> tuple[Array, Array]:
    """Forces on the elements at their input ends in the plane's or base axes: by the method, and by the reference."""
    mechanism = stepper.system.mechanism
    reference = Reference(model, mechanism.labelling)
    solution = reference.solve(q, v, np.zeros(reference.nv))
    poses = reference.poses(q)
    labels = {body.joint.name: body.label for body in mechanism.bodies}
    names = mechanism.labelling.body_labels
    expected = []
    for body in stepper.system.bodies:
        joint = body.hinge.joint
        R = poses[names[joint.successor] - 1][:3, :3] if joint.successor != model.ground else np.eye(3)
        placement = placement_rotation(joint.successor_placement, parameter_values(model))
        force = R @ placement @ solution.wrenches[labels[joint.name] - 1][3:]
        expected.append(-force if body.hinge.flipped else force)
    if stepper.system.is_planar:
        expected = [np.array(stepper.system.plane)[:2] @ force for force in expected]
    view = stepper.observe(stepper.start(q, v))
    return view.forces, np.array(expected)


def placement_rotation(placement: Placement, numbers: Mapping[str, float]) -> Array:
    return np.array(placement_numbers(placement, lambda value: evaluate(value, numbers))[0])


@pytest.mark.parametrize("seed", range(8))
def test_planar_trees_have_the_forces_of_maximal_coordinates(seed: int, agreement: Callable[[object], None]) -> None:
    model = planar_tree(seed)
    stepper = TransferMatrixStepper(model, **NUMPY)
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1, 1, 8), rng.uniform(-1, 1, 8)
    got, expected = element_forces(model, stepper, q, v)
    np.testing.assert_allclose(got, expected, **DIRECT)
    agreement(np.abs(got - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("seed", range(8))
def test_spatial_trees_have_the_forces_of_maximal_coordinates(seed: int) -> None:
    model = random_tree(
        seed, bodies=8, joint_types=("spherical", "free", "fixed"), forces=False, couplings=False, free_roots=False
    )
    model = replace(model, joints=tuple(replace(joint, armature=0) for joint in model.joints))
    stepper = TransferMatrixStepper(model, **NUMPY)
    reference = Reference(model, stepper.system.mechanism.labelling)
    rng = np.random.default_rng(seed)
    v = rng.uniform(-1, 1, reference.nv)
    q = reference.integrate_position(reference.neutral, rng.uniform(-1, 1, reference.nv), 1.0)
    got, expected = element_forces(model, stepper, q, v)
    np.testing.assert_allclose(got, expected, **DIRECT)


@pytest.mark.parametrize("example", ["rhombus_regular", "rhombus_spatial"])
def test_loops_have_the_forces_of_maximal_coordinates(example: str) -> None:
    """Initial accelerations are those of the index-1 equations, moving as well as at rest."""
    model = examples.load(example)
    stepper = TransferMatrixStepper(model, **NUMPY)
    q, v = at_rest(stepper.system)
    reference = Reference(model, stepper.system.mechanism.labelling)
    rng = np.random.default_rng(0)
    v = reference.consistent_velocity(q, rng.uniform(-2, 2, len(v)))
    got, expected = element_forces(model, stepper, q, v)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11)


def linkage(
    bars: Sequence[tuple[str, str, str]], points: dict[str, tuple[float, float]], cuts: Sequence[str] = ()
) -> Model:
    """Bars (name, from point, to point) closed at coordinates zero; a point with a capital letter is on ground.

    The first bar that reaches a point carries the joints of all others there. Joints are called BAR@POINT.
    """
    carrier: dict[str, str] = {name: "ground" for name in points if name.isupper()}
    origin: dict[str, str] = {}
    bodies, joints = [], []
    for name, start, end in bars:
        span = np.subtract(points[end], points[start])
        mass = round(float(np.hypot(*span)), 6)
        inertia = (0, 0, mass * float(span @ span) / 12, 0, 0, 0)
        bodies.append(Body(name, mass, (float(span[0] / 2), float(span[1] / 2), 0), inertia))
        origin[name] = start
        for point in (start, end):
            if point not in carrier:
                carrier[point] = name
                continue
            place = [
                points[point] if body == "ground" else tuple(np.subtract(points[point], points[origin[body]]))
                for body in (carrier[point], name)
            ]
            joint = f"{name}@{point}"
            joints.append(
                Joint(
                    joint,
                    "revolute",
                    carrier[point],
                    name,
                    predecessor_placement=Placement((float(place[0][0]), float(place[0][1]), 0)),
                    successor_placement=Placement((float(place[1][0]), float(place[1][1]), 0)),
                    cut="cut" if joint in cuts else "auto",
                )
            )
    return Model("linkage", tuple(bodies), tuple(joints), gravity=(0, -9.8, 0))


DOUBLE_LOOP = (
    [("a", "A", "p"), ("b", "p", "q"), ("c", "q", "B"), ("d", "q", "r"), ("e", "r", "C"), ("f", "p", "t")],
    {"A": (0, 0), "p": (0.3, -1), "q": (1.4, -1.2), "B": (1, 0), "r": (2.3, -0.8), "C": (2.2, 0.1), "t": (0.1, -1.6)},
)


def test_two_loops_have_the_forces_of_maximal_coordinates() -> None:
    model = linkage(*DOUBLE_LOOP)
    stepper = TransferMatrixStepper(model, **NUMPY)
    assert stepper.system.unknowns == 4
    reference = Reference(model, stepper.system.mechanism.labelling)
    v = reference.consistent_velocity(np.zeros(6), np.array([1.0, -0.4, 0.3, 0.8, -1.1, 0.6]))
    got, expected = element_forces(model, stepper, np.zeros(6), v)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11)


def test_the_result_does_not_depend_on_the_cut() -> None:
    """Two loops cut at different joints; angles after 200 steps."""
    found = []
    for cuts in (("c@B", "e@C"), ("b@p", "e@r"), ("a@A", "d@q")):
        stepper = TransferMatrixStepper(linkage(*DOUBLE_LOOP, cuts=cuts), **NUMPY)
        assert {cut.name for cut in stepper.system.cuts} == set(cuts)
        state, report = stepper.advance(stepper.start(np.zeros(6), np.zeros(6)), 5e-3, 60)
        assert report.status == 0
        view = stepper.observe(state)
        found.append([dict(zip(stepper.elements, view.attitudes[:, 0], strict=True))[name] for name in "abcdef"])
        assert view.closure < 1e-13
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found[2], found[0], rtol=0, atol=1e-11)


def test_two_loops_converge_to_second_order() -> None:
    stepper = TransferMatrixStepper(linkage(*DOUBLE_LOOP), flags=("-O1",))
    values = []
    for h in (4e-3, 2e-3, 1e-3, 5e-4):
        state, _ = stepper.advance(stepper.start(np.zeros(6), np.zeros(6)), h, round(0.4 / h))
        values.append(stepper.observe(state).attitudes[:, 0])
    changes = [np.abs(a - b).max() for a, b in zip(values[1:], values, strict=False)]
    np.testing.assert_allclose(np.log2(np.divide(changes[:-1], changes[1:])), 2, rtol=0, atol=0.1)


def test_closed_chain_of_eighty_bars() -> None:
    count = 80
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    points = {f"p{k}": (float(np.cos(t)), float(np.sin(t))) for k, t in enumerate(turns)}
    points["A"] = points.pop("p0")
    names = ["A", *(f"p{k}" for k in range(1, count)), "A"]
    bars = [(f"bar{k:02}", names[k], names[k + 1]) for k in range(count)]
    stepper = TransferMatrixStepper(linkage(bars, points), flags=("-O1",))
    state, report = stepper.advance(stepper.start(np.zeros(count), np.zeros(count)), 1e-3, 500)
    assert report.status == 0
    view = stepper.observe(state)
    assert view.closure <= 1e-11
    assert stepper.system.unknowns == 2


def test_chain_of_two_hundred_bars() -> None:
    """Accelerations by articulated bodies, energy over 0.2 s; products of matrices would have overflowed."""
    count = 200
    model = hanging_bars(count, 0.1, gravity=9.8)
    stepper = TransferMatrixStepper(model, flags=("-O1",))
    mechanism = stepper.system.mechanism
    rng = np.random.default_rng(3)
    q, v = rng.uniform(-0.1, 0.1, count), rng.uniform(-0.5, 0.5, count)
    q[0] = -1.2
    program = TREE_FUNCTIONS["forward_dynamics"](mechanism)
    vdot = interpret(program, {"q": q, "v": v, "tau": np.zeros(count)})["vdot"]
    start = stepper.start(q, v)
    alphas = start[: count * stepper.system.body_state].reshape(count, -1)[:, 1 + 2 * 3]
    # The chain is as stiff as its length: accelerations of thousands, compared to round-off of the largest.
    np.testing.assert_allclose(alphas, np.cumsum(vdot), rtol=0, atol=1e-10 * np.abs(alphas).max())
    still = np.zeros(count)
    still[0] = -1.2
    start = stepper.start(still, np.zeros(count))
    energy = stepper.observe(start).energy
    errors = []
    for h in (2e-3, 1e-3):
        state, report = stepper.advance(start, h, round(0.2 / h))
        assert (report.status, report.loose_steps) == (0, 0)
        errors.append(abs(stepper.observe(state).energy - energy))
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 1e-6 * abs(energy)


def test_dumbbells_hinged_at_their_centre_of_percussion() -> None:
    """J = m l^2 / 4, for which the reduced 5 x 5 matrix of the body does not exist."""
    model = examples.load("rhombus_symmetric")
    bodies = tuple(replace(body, inertia=(0, "1/4", "1/4", 0, 0, 0)) for body in model.bodies)
    model = replace(model, bodies=bodies)
    run = simulate_transfer_matrix(model, 1, 1e-2, engine="numpy", every=20)
    assert run.closure.max() < 1e-14
    assert np.isfinite(run.q).all()
    assert np.abs(run.energy - run.energy[0]).max() < 0.05


def test_rest_start_scales_with_gravity() -> None:
    """Motions from rest under gravity alone take the time in units of 1/sqrt(g), discretised ones likewise."""
    model = examples.load("rhombus_regular")
    first = simulate_transfer_matrix(model, 1, 1e-2, engine="numpy", every=100)
    second = simulate_transfer_matrix(replace(model, gravity=(0, -39.2, 0)), 0.5, 5e-3, engine="numpy", every=100)
    np.testing.assert_allclose(second.q[-1], first.q[-1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(second.v[-1], 2 * first.v[-1], rtol=0, atol=1e-9)


# ---- springs and free bodies -----------------------------------------------------------------------------------------


def three_masses() -> Model:
    bodies = tuple(Body(f"m{k}", 1.5 - 0.2 * k, inertia=(0.1, 0.1, 0.1, 0, 0, 0)) for k in range(3))
    names = ("ground", "m0", "m1", "m2")
    joints = tuple(Joint(f"j{k}", "planar", names[k], names[k + 1]) for k in range(3))
    springs = tuple(
        JointSpring(f"s{k}{axis}", f"j{k}", 400 + 100 * k, 0.1 if k == 0 and axis == 0 else 0, axis)
        for k in range(3)
        for axis in (0, 1)
    )
    dampers = tuple(JointDamper(f"d{axis}", "j0", 2, axis) for axis in (0, 1))
    return Model("masses", bodies, joints, forces=(*springs, *dampers), gravity=(0, -9.81, 0))


def exact_masses(time: float, start: Array) -> Array:
    """Displacements along x of the absolute positions, by the matrix exponential."""
    k, m = np.array([400.0, 500.0, 600.0]), np.array([1.5, 1.3, 1.1])
    K = np.array([[k[0] + k[1], -k[1], 0], [-k[1], k[1] + k[2], -k[2]], [0, -k[2], k[2]]])
    f = np.array([k[0] * 0.1, 0, 0])
    A = np.block(
        [[np.zeros((3, 3)), np.eye(3)], [-K / m[:, None], np.diag([-2.0 / 1.5, 0, 0])]]
    )  # fmt: skip
    rest = np.concatenate([np.linalg.solve(K, f), np.zeros(3)])
    result: Array = (expm(A * time) @ (np.concatenate([start, np.zeros(3)]) - rest) + rest)[:3]
    return result


def test_elastic_chain_converges_to_second_order() -> None:
    """Three masses on bushings, the first with damper and free displacement, against linear theory."""
    model = three_masses()
    start = np.array([0.2, 0.25, 0.2])
    q = np.array([start[0], 0, 0, start[1] - start[0], 0, 0, start[2] - start[1], 0, 0])
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        run = simulate_transfer_matrix(model, 0.4, h, q=q, engine="numpy", every=1000)
        errors.append(np.abs(np.cumsum(run.q[-1][::3]) - exact_masses(0.4, start)).max())
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2, rtol=0, atol=0.1)


def test_elastic_chain_keeps_its_digits_for_small_steps() -> None:
    """Products of transfer matrices lose (m C / k)^n here; the recursion does not."""
    run = simulate_transfer_matrix(three_masses(), 1e-3, 1e-5, engine="numpy", every=100)
    # The table's reference is 0.1 m: the first mass starts to move with k/m times that.
    assert run.q[-1][0] == pytest.approx(0.5 * 400 * 0.1 / 1.5 * 1e-6, rel=2e-3)


def reference_motion(model: Model, q: Array, v: Array, time: float) -> tuple[Array, Array]:
    """Tight integration of the reference's accelerations, for joints whose speeds are the rates of q."""
    reference = Reference(model)

    def rate(_: float, x: Array) -> Array:
        half = len(x) // 2
        vdot = reference.forward_dynamics(x[:half], x[half:], np.zeros(half))
        return np.concatenate([x[half:], vdot])

    end = solve_ivp(rate, (0, time), np.concatenate([q, v]), method="DOP853", rtol=1e-10, atol=1e-10).y[:, -1]
    return end[: len(q)], end[len(q) :]


def sprung_pendulum() -> Model:
    """Three bars with torsion springs, dampers and rotor inertia, tied to ground and to each other by point springs."""
    bodies = tuple(Body(f"b{k}", 1, (0.25, 0, 0), (0, 0, 0.02, 0, 0, 0)) for k in range(3))
    joints = tuple(
        Joint(
            f"j{k}",
            "revolute",
            "ground" if k == 0 else f"b{k - 1}",
            f"b{k}",
            armature=0.01 * k,
            predecessor_placement=Placement((0.5 if k else 0, 0, 0)),
        )
        for k in range(3)
    )
    forces = (
        JointSpring("k0", "j0", 3, -0.4), JointSpring("k2", "j2", 2, 0.3), JointDamper("d1", "j1", 0.05),
        PointSpringDamper("tie", "ground", "b2", 40, 0.3, 0.6, (0.3, 0.4, 0), (0.5, 0, 0)),
        PointSpringDamper("brace", "b0", "b2", 30, 0, 0.5, (0, 0.1, 0), (0.2, 0.1, 0)),
    )  # fmt: skip
    return Model("sprung", bodies, joints, forces=forces, gravity=(0, -9.81, 0))


def test_springs_against_tight_integration() -> None:
    model = sprung_pendulum()
    q, v = np.array([-1.0, 0.3, 0.2]), np.array([0.5, -1, 0.3])
    expected, rates = reference_motion(model, q, v, 0.5)
    errors = []
    for h in (2e-3, 1e-3):
        run = simulate_transfer_matrix(model, 0.5, h, q=q, v=v, engine="numpy", every=1000)
        errors.append(max(np.abs(run.q[-1] - expected).max(), np.abs(run.v[-1] - rates).max()))
    assert errors[1] < 5e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


def test_spring_energy_is_counted() -> None:
    model = replace(
        sprung_pendulum(),
        forces=tuple(
            replace(force, damping=0) if isinstance(force, PointSpringDamper) else force
            for force in sprung_pendulum().forces
            if not isinstance(force, JointDamper)
        ),
    )
    q, v = np.array([-1.0, 0.3, 0.2]), np.array([0.5, -1, 0.3])
    stepper = TransferMatrixStepper(model, **NUMPY)
    reference = Reference(model)
    energy = reference.kinetic_energy(q, v) + reference.potential_energy(q)
    assert stepper.observe(stepper.start(q, v)).energy == pytest.approx(energy, rel=1e-12)
    run = simulate_transfer_matrix(model, 0.5, 1e-3, q=q, v=v, engine="numpy", every=50)
    assert np.abs(run.energy - energy).max() < 2e-3 * abs(energy)


def free_pair() -> Model:
    """A free body with a second one on a ball joint, the joint between them pointing inward."""
    bodies = (
        Body("a", 2, (0.1, 0.2, -0.1), (0.3, 0.4, 0.5, 0.02, 0.01, 0)),
        Body("b", 1, (0, 0.3, 0.1), (0.2, 0.1, 0.15, 0, 0.01, 0.02)),
    )
    joints = (
        Joint("float", "free", "ground", "a", predecessor_placement=Placement((0.5, 0, 0), (("z", 0.3),))),
        Joint(
            "ball",
            "spherical",
            "b",
            "a",
            predecessor_placement=Placement((0, -0.2, 0), (("x", 0.2),)),
            successor_placement=Placement((0.3, 0, 0), (("y", -0.4),)),
        ),
    )
    return Model("pair", bodies, joints, gravity=(0, 0, -9.81))


@pytest.mark.parametrize("rotation", ["incremental", "cardan"])
def test_free_bodies_keep_their_momentum(rotation: Any) -> None:
    """Linear momentum to round-off, angular about the common centre of mass to second order."""
    model = free_pair()
    reference = Reference(model)
    rng = np.random.default_rng(1)
    q = reference.integrate_position(reference.neutral, rng.uniform(-0.5, 0.5, 9), 1.0)
    v = rng.uniform(-1, 1, 9)
    momentum = reference.momentum(q, v)
    stepper = TransferMatrixStepper(model, rotation=rotation, **NUMPY)
    errors = []
    for steps in (100, 200):
        state, _ = stepper.advance(stepper.start(q, v), 0.4 / steps, steps)
        view = stepper.observe(state)
        masses = np.array([{"a": 2.0, "b": 1.0}[name] for name in stepper.elements])
        linear = masses @ view.velocities
        np.testing.assert_allclose(linear, momentum[3:] - [0, 0, 3 * 9.81 * 0.4], rtol=0, atol=1e-10)
        run = simulate_transfer_matrix(model, 0.4, 0.4 / steps, q=q, v=v, rotation=rotation, engine="numpy", every=1000)
        errors.append(np.abs(reference.momentum(run.q[-1], run.v[-1])[:3] - momentum[:3]).max())
    assert errors[1] < 1e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)
    np.testing.assert_allclose(run.q[0], np.where(np.abs(run.q[0] - q) < 1, q, -q), rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.v[0], v, rtol=0, atol=1e-12)


def test_forces_of_a_free_pair_are_those_of_maximal_coordinates() -> None:
    model = free_pair()
    stepper = TransferMatrixStepper(model, **NUMPY)
    reference = Reference(model, stepper.system.mechanism.labelling)
    rng = np.random.default_rng(2)
    q = reference.integrate_position(reference.neutral, rng.uniform(-1, 1, 9), 1.0)
    got, expected = element_forces(model, stepper, q, rng.uniform(-1, 1, 9))
    np.testing.assert_allclose(got, expected, **DIRECT)


def test_planar_joint_that_points_inward_keeps_its_coordinates() -> None:
    """A floating planar body whose joint starts from the body, not from ground."""
    body = Body("a", 1, (0.2, 0, 0.1), (0.1, 0.1, 0.1, 0, 0, 0))
    joint = Joint("j", "planar", "a", "ground", axis=(0, 1, 0), predecessor_placement=Placement((0.3, 0, 0.2)))
    model = Model("plate", (body,), (joint,), gravity=(0.5, 0, -9.81))
    q, v = np.array([0.3, -0.5, 0.8]), np.array([0.4, 0.6, -2.0])
    expected, rates = reference_motion(model, q, v, 0.3)
    run = simulate_transfer_matrix(model, 0.3, 5e-4, q=q, v=v, engine="numpy", every=1000)
    np.testing.assert_allclose(run.q[0], q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.q[-1], expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.v[-1], rates, rtol=0, atol=1e-6)


def test_a_free_joint_that_points_inward_keeps_its_coordinates() -> None:
    """A floating body whose joint starts from the turning body: the speed of its frame's origin is taken off."""
    body = Body("a", 1, (0.2, 0, 0.1), (0.1, 0.2, 0.15, 0, 0, 0))
    joint = Joint("j", "free", "a", "ground", predecessor_placement=Placement((0.3, 0, 0.2), (("x", 0.4),)))
    q, v = np.array([0.8, 0.36, -0.48, 0.0, 0.3, -0.5, 0.8]), np.array([0.4, 0.6, -2.0, 0.7, -0.3, 0.2])
    run = simulate_transfer_matrix(Model("brick", (body,), (joint,)), 1e-3, 1e-3, q=q, v=v, engine="numpy")
    np.testing.assert_allclose(run.q[0], q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.v[0], v, rtol=0, atol=1e-12)


def test_quaternions_keep_their_sign_over_several_turns() -> None:
    """A ball turns one and a half times about an axis: at the half angle, quaternions run on without a jump."""
    body = Body("a", 1, (0, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    model = Model("ball", (body,), (Joint("j", "spherical", "ground", "a"),), gravity=(0, 0, 0))
    spin = np.array([0.0, 0.0, 3 * np.pi])
    run = simulate_transfer_matrix(model, 1.0, 0.02, q=[1, 0, 0, 0], v=spin, engine="numpy", every=5)
    half = 1.5 * np.pi * run.times
    exact = np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)])
    assert np.abs(run.q - exact).max() < 1e-3


def test_spatial_motion_of_a_planar_system_is_planar() -> None:
    """The six bars on ball joints in the plane move as on pins, but for the different attitude variables."""
    planar = examples.load("rhombus_regular")
    joints = tuple(
        replace(joint, type="spherical", initial=half_turn(joint.initial) if joint.initial else ())
        for joint in planar.joints
    )
    bodies = tuple(replace(body, inertia=("1/100", *body.inertia[1:])) for body in planar.bodies)
    spatial = replace(planar, joints=joints, bodies=bodies)
    flat_run = simulate_transfer_matrix(planar, 0.5, 1e-2, engine="numpy", every=50)
    for rotation in ("incremental", "cardan"):
        run = simulate_transfer_matrix(spatial, 0.5, 1e-2, rotation=rotation, engine="numpy", every=50)
        R = rotation_matrices(run.attitudes[-1])
        angles = np.arctan2(R[:, 1, 0], R[:, 0, 0])
        turns = np.angle(np.exp(1j * (angles - flat_run.attitudes[-1][:, 0])))
        np.testing.assert_allclose(turns, 0, rtol=0, atol=1e-11)


def half_turn(initial: tuple[Any, ...]) -> tuple[float, float, float, float]:
    angle = evaluate(initial[0])
    return float(np.cos(angle / 2)), 0.0, 0.0, float(np.sin(angle / 2))


def test_loads_are_forces_at_the_centres_of_mass() -> None:
    """A load that undoes gravity leaves the bars at rest."""
    model = examples.load("rhombus_regular")
    loads = np.zeros((6, 4))
    loads[:, 1] = 9.8
    run = simulate_transfer_matrix(model, 0.2, 1e-2, loads=loads, engine="numpy")
    assert np.abs(run.q - run.q[0]).max() < 1e-12
    moments = simulate_transfer_matrix(
        model, 0.2, 1e-2, loads=lambda t: np.full((6, 4), t) * [1, 1, 1, 0], engine="numpy"
    )
    assert np.abs(moments.q - simulate_transfer_matrix(model, 0.2, 1e-2, engine="numpy").q).max() > 1e-4


@pytest.mark.parametrize("name", ["springs", "free bodies"])
def test_c_and_numpy_agree(name: str) -> None:
    """The same sweeps over the same kernels, for a tree with all kinds of springs and for bodies in space."""
    model = sprung_pendulum() if name == "springs" else free_pair()
    ends = []
    for engine in ("c", "numpy"):
        stepper = TransferMatrixStepper(model, engine=engine, flags=(*WARNINGS, "-O1"))
        start = stepper.start(*at_rest(stepper.system))
        states = [stepper.advance(start, 5e-3, 20, Scheme(scheme))[0] for scheme in ("houbolt", "wilson")]
        states.append(stepper.step(start, 5e-3)[0])
        views = [stepper.observe(state) for state in states]
        ends.append((np.concatenate(states), np.array([view.energy for view in views])))
    for compiled, interpreted in zip(*ends, strict=True):
        np.testing.assert_allclose(compiled, interpreted, rtol=1e-8, atol=1e-8)
