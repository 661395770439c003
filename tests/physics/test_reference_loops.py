"""Closed loops in maximal coordinates: any joint may close them, redundant closures are no trouble."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mbsym.constraints import DistanceConstraint, PointOnLineConstraint
from mbsym.errors import TopologyError
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference, central_difference
from mechanisms.energy import energy_balance
from mechanisms.examples import some
from mechanisms.random_mechanisms import random_closed_loops

# Rounding of dense solutions, relative to the largest term; loops are drawn with condition below 300.
ROUNDING = 1e-10
TIME = 0.2
SEEDS = some(range(20), set(range(20)) - {4, 5, 14, 16})


def consistent(
    seed: int,
) -> tuple[Model, Reference, np.ndarray, np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """A mechanism with q, v that keep its loops closed, joint forces by name, and control inputs."""
    model, q = random_closed_loops(seed)
    reference = Reference(model)
    rng = np.random.default_rng(seed)
    v = reference.consistent_velocity(q, rng.uniform(-1, 1, reference.nv))
    forces = {
        joint.name: rng.uniform(-1, 1, joint.shape.nv) if joint.cut == "tree" else np.zeros(joint.shape.nv)
        for joint in model.joints
    }
    return model, reference, q, v, forces, rng.uniform(-1, 1, len(model.inputs))


def by_joint(reference: Reference, forces: dict[str, np.ndarray]) -> np.ndarray:
    tau = np.zeros(reference.nv)
    for joint in reference.mechanism.tree_joints:
        tau[joint.speeds] = forces[joint.name]
    return tau


@pytest.mark.parametrize("seed", SEEDS)
def test_closed_motion_obeys_the_tree_equations_and_the_closures(
    seed: int, agreement: Callable[[object], None]
) -> None:
    _, reference, q, v, forces, u = consistent(seed)
    tau = by_joint(reference, forces)
    G = reference.closure_jacobian(q)
    assert reference.closure_gap(q) == pytest.approx(np.zeros(len(G)), abs=1e-13)
    assert G @ v == pytest.approx(np.zeros(len(G)), abs=1e-13)
    vdot = reference.forward_dynamics(q, v, tau, TIME, u)
    # M vdot + bias - tau lies in the range of G^T: no motion that keeps the loops closed feels it.
    M, h = reference.mass_matrix(q), reference.bias_force(q, v, TIME, u)
    size = max(1.0, np.abs(M @ vdot).max(), np.abs(h).max())
    free = np.linalg.svd(G)[2][np.linalg.matrix_rank(G, tol=1e-7 * np.linalg.norm(G, 2)) :]
    assert free @ (M @ vdot + h - tau) == pytest.approx(np.zeros(len(free)), abs=ROUNDING * size)
    agreement(np.abs(free @ (M @ vdot + h - tau)).max() / size)
    # G vdot + Gdot v = 0, Gdot v by differences of sixth order.
    bias = central_difference(reference.mechanism, lambda q: reference.closure_jacobian(q) @ v, q, v)
    assert G @ vdot + bias == pytest.approx(np.zeros(len(G)), abs=1e-10 * max(1, np.abs(vdot).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_result_does_not_depend_on_the_cut(seed: int) -> None:
    model, reference, q, v, forces, u = consistent(seed)
    solution = reference.solve(q, v, by_joint(reference, forces), TIME, u)
    null = reference.reaction_null_space(q)
    other = cut_elsewhere(model, reference)
    if other is None:
        pytest.skip("every joint of the loops is demanded to be where it is")
    moved = Reference(other)
    coordinates = reference.joint_coordinates(q)
    rates = reference.joint_speeds(q, v)
    q_moved, v_moved = np.zeros(moved.nq), np.zeros(moved.nv)
    for joint in moved.mechanism.tree_joints:
        q_moved[joint.coordinates], v_moved[joint.speeds] = coordinates[joint.name], rates[joint.name]
    elsewhere = moved.solve(q_moved, v_moved, by_joint(moved, forces), TIME, u)
    scale = max(1.0, np.abs(solution.rate_changes).max())
    wrench_scale = max(1.0, np.abs(solution.wrenches).max())
    rows = [moved.mechanism.joint_labels[joint.name] - 1 for joint in reference.mechanism.joints]
    for joint, row in zip(reference.mechanism.joints, rows, strict=True):
        found = elsewhere.rate_changes[moved.mechanism.joints[row].rates]
        assert found == pytest.approx(solution.rate_changes[joint.rates], abs=ROUNDING * scale), joint.name
    difference = (elsewhere.wrenches[rows] - solution.wrenches).ravel()
    difference = difference - null @ (null.T @ difference)
    assert difference == pytest.approx(np.zeros(len(difference)), abs=ROUNDING * wrench_scale)


def cut_elsewhere(model: Model, reference: Reference) -> Model | None:
    """The model with a joint of each loop cut that was in the tree, as far as one may be."""
    changed = False
    for joint in reference.mechanism.cut_joints:
        for name in reference.labelling.loops.get(joint.name, {}):
            if model.joint(str(name)).cut == "auto" and model.joint(str(name)).type != "free":
                joints = tuple(
                    replace(other, cut={joint.name: "tree", name: "cut"}.get(other.name, other.cut))
                    for other in model.joints
                )
                candidate = replace(model, joints=joints)
                try:
                    candidate.label()
                except TopologyError:
                    continue
                model, changed = candidate, True
                break
    return model if changed else None


@pytest.mark.parametrize("seed", range(6))
def test_the_rate_of_energy_is_the_power(seed: int) -> None:
    _, reference, q, v, forces, u = consistent(seed)
    tau = by_joint(reference, forces)
    balance = energy_balance(reference, q, v, tau, TIME, u)
    assert balance.rate == pytest.approx(balance.power, abs=1e-8 * balance.scale)


@pytest.mark.parametrize("seed", range(6))
def test_opened_loops_are_a_tree(seed: int) -> None:
    _, reference, q, v, forces, u = consistent(seed)
    tau = by_joint(reference, forces)
    vdot = reference.forward_dynamics(q, v, tau, TIME, u, closed=False)
    size = max(1.0, np.abs(vdot).max() * np.abs(reference.mass_matrix(q)).max())
    assert reference.inverse_dynamics(q, v, vdot, TIME, u) == pytest.approx(tau, abs=ROUNDING * size)


def four_bar(closing: str = "revolute") -> tuple[Model, np.ndarray]:
    """A parallelogram of two cranks of length 1 and a coupler of length 2, closed by a joint at ground."""

    def bar(name: str, length: float) -> Body:
        return Body(name, 1.5, (length / 2, 0, 0), (0.01, 0.2, 0.2, 0, 0, 0))

    bodies = (bar("crank", 1), bar("coupler", 2), bar("rocker", 1))
    joints = (
        Joint("A", "revolute", "ground", "crank", cut="tree"),
        Joint("B", "revolute", "crank", "coupler", predecessor_placement=Placement((1, 0, 0)), cut="tree"),
        Joint("C", "revolute", "coupler", "rocker", predecessor_placement=Placement((2, 0, 0)), cut="tree"),
        Joint(
            "D",
            closing,  # type: ignore[arg-type]
            "ground",
            "rocker",
            predecessor_placement=Placement((2, 0, 0)),
            successor_placement=Placement((1, 0, 0)),
            cut="cut",
        ),
    )
    model = Model("four_bar", bodies, joints, gravity=(0, -9.81, 0))
    labels = model.label().joint_labels
    angle = 1.0
    q = np.zeros(3)
    for name, value in (("A", angle), ("B", -angle), ("C", angle - np.pi)):
        q[labels[name] - 1] = value
    return model, q


def test_planar_four_bar_of_spatial_joints_is_a_pendulum() -> None:
    """In a parallelogram the coupler only shifts: (2 J_A + m_coupler) alpha = -g cos(angle) (...)."""
    model, q = four_bar()
    reference = Reference(model)
    assert reference.closure_gap(q) == pytest.approx(np.zeros(6), abs=1e-15)
    assert reference.reaction_null_space(q).shape[1] == 3
    solution = reference.solve(q, np.zeros(3), np.zeros(3))
    vdot, wrenches = solution.vdot, solution.wrenches[reference.mechanism.nb :]
    inertia = 2 * (0.2 + 1.5 * 0.25) + 1.5
    alpha = -9.81 * np.cos(1.0) * (2 * 1.5 * 0.5 + 1.5) / inertia
    label = reference.mechanism.joint_labels["A"]
    assert vdot[label - 1] == pytest.approx(alpha)
    # Minimum norm leaves no force across the plane and no moment in it.
    assert wrenches[0, :3] == pytest.approx(np.zeros(3), abs=1e-12)
    assert wrenches[0, 5] == pytest.approx(0, abs=1e-12)


def test_joints_that_allow_more_close_it_as_well() -> None:
    expected = Reference(four_bar()[0]).forward_dynamics(four_bar()[1], np.zeros(3), [0.3, 0, 0])
    for closing in ("spherical", "cylindrical", "universal"):
        model, q = four_bar(closing)
        found = Reference(model).forward_dynamics(q, np.zeros(3), [0.3, 0, 0])
        assert found == pytest.approx(expected, abs=1e-11), closing


def test_a_rod_acts_like_a_massless_coupler() -> None:
    """Two cranks with a rod between their tips are the parallelogram whose coupler has no mass."""
    model, q = four_bar()
    massless = replace(
        model, bodies=(model.bodies[0], replace(model.bodies[1], mass=0, inertia=(0,) * 6), model.bodies[2])
    )
    cranks = (
        Joint("A", "revolute", "ground", "crank"),
        Joint("D", "revolute", "ground", "rocker", predecessor_placement=Placement((2, 0, 0))),
    )
    rod = DistanceConstraint("rod", "crank", "rocker", 2, (1, 0, 0), (1, 0, 0))
    with_rod = replace(model, bodies=(model.bodies[0], model.bodies[2]), joints=cranks, constraints=(rod,))
    reference, other = Reference(with_rod), Reference(massless)
    assert reference.closure_gap([1.0, 1.0]) == pytest.approx([0], abs=1e-15)
    speed, tau = 0.7, 0.4
    solution = reference.solve([1.0, 1.0], [speed, speed], [tau, 0])
    v = np.zeros(3)
    for name, factor in (("A", 1), ("B", -1), ("C", 1)):
        v[other.mechanism.joint_labels[name] - 1] = factor * speed
    forces = np.zeros(3)
    forces[other.mechanism.joint_labels["A"] - 1] = tau
    # In the four-bar the rocker's own centre lies on the other side of joint C.
    rocker = replace(massless.bodies[2], center_of_mass=(0.5, 0, 0))
    other = Reference(replace(massless, bodies=(*massless.bodies[:2], rocker)))
    expected = other.forward_dynamics(q, v, forces)[other.mechanism.joint_labels["A"] - 1]
    assert solution.vdot == pytest.approx([expected, expected])
    assert len(solution.multipliers) == 1


def test_a_point_on_a_line_acts_like_a_slider() -> None:
    """A pendulum whose tip runs in a slot is a crank with a pin in a massless slider."""
    crank = Body("crank", 2, (0.4, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    arm = Body("arm", 1, (0.3, 0.1, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    chain = (
        Joint("A", "revolute", "ground", "crank", axis=(0, 0, 1)),
        Joint("B", "revolute", "crank", "arm", predecessor_placement=Placement((1, 0, 0))),
    )
    slot = PointOnLineConstraint("slot", "ground", "arm", (0, 0.2, 0), (3, 0, 0), (1.2, 0, 0))
    slotted = Reference(Model("slot", (crank, arm), chain, constraints=(slot,), gravity=(0, -9.81, 0)))
    q = slotted.closed_position([0.9, -1.2])
    assert slotted.closure_gap(q) == pytest.approx(np.zeros(2), abs=1e-14)
    v = slotted.consistent_velocity(q, [1.0, 0.5])
    tip = slotted.poses(q)[slotted.mechanism.body_labels["arm"] - 1] @ [1.2, 0, 0, 1]

    slider = Body("slider", 0)
    pin = Joint("pin", "revolute", "slider", "arm", successor_placement=Placement((1.2, 0, 0)), cut="cut")
    rail = Joint("rail", "prismatic", "ground", "slider", axis=(1, 0, 0), predecessor_placement=Placement((0, 0.2, 0)))
    built = Reference(Model("rail", (crank, arm, slider), (*chain, rail, pin), gravity=(0, -9.81, 0)))
    coordinates = {"A": q[0], "B": q[1], "rail": tip[0]}
    q_built = np.array([coordinates[joint.name] for joint in built.mechanism.tree_joints])
    assert np.abs(built.closure_gap(q_built)).max() < 1e-14
    rates = {"A": v[0], "B": v[1], "rail": 0.0}
    v_built = np.array([rates[joint.name] for joint in built.mechanism.tree_joints])
    sliding = built.closure_jacobian(q_built)
    at = [joint.name for joint in built.mechanism.tree_joints].index("rail")
    v_built[at] = -(sliding @ v_built)[3] / sliding[3, at]
    vdot = dict(
        zip(
            [joint.name for joint in built.mechanism.tree_joints],
            built.forward_dynamics(q_built, v_built, np.zeros(3)),
            strict=True,
        )
    )
    assert slotted.forward_dynamics(q, v, np.zeros(2)) == pytest.approx([vdot["A"], vdot["B"]])


def test_an_open_loop_is_reported_by_its_gap_and_can_be_closed() -> None:
    model, q = four_bar()
    reference = Reference(model)
    off = q + np.array([0.05, -0.08, 0.04])
    assert np.abs(reference.closure_gap(off)).max() > 0.01
    closed = reference.closed_position(off)
    assert reference.closure_gap(closed) == pytest.approx(np.zeros(6), abs=1e-13)
    assert closed == pytest.approx(q, abs=0.2)


def test_random_loops_are_the_same_for_one_seed() -> None:
    (first, q), (second, again) = random_closed_loops(4), random_closed_loops(4)
    assert first == second
    assert np.array_equal(q, again)
    assert random_closed_loops(5)[0] != first
