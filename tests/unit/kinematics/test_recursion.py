"""Outward recursions: velocities are derivatives of poses, Jacobians of velocities; exactly, on trees of any shape."""

from __future__ import annotations

import pytest

from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import (
    body_jacobian_columns,
    center_of_mass,
    jacobian_entries,
    kinetic_energy,
    momentum,
    pose_entries,
    position_rate,
    potential_energy,
    velocity_entries,
)
from mbsym.kinematics.recursion import poses, turning_matrix
from mbsym.spatial.vector import add, cross, multiply, scale
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.scalar import Scalar, symbol
from mechanisms.exact import equal
from mechanisms.mechanism import mechanism_of
from mechanisms.trees import tree_model

# No quaternions: their identities need unit length, which free symbols do not have.
TREES = {
    "chain": ((0, 1, 2), ("revolute", "prismatic", "helical")),
    "branches": ((0, 1, 1, 3), ("cylindrical", "universal", "revolute", "planar")),
}


@pytest.fixture(params=[(name, backwards) for name in TREES for backwards in (False, True)], ids=str)
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    name, backwards = request.param
    parents, kinds = TREES[name]
    return mechanism_of(tree_model(parents, kinds, backwards=backwards))  # type: ignore[arg-type]


def rate(mechanism: Mechanism, values: list[Scalar]) -> list[Scalar]:
    """The time derivative under v."""
    rates = [value.ref for value in position_rate(mechanism)]
    seeds = dict(zip(mechanism.q.symbols, rates, strict=True))
    graph = mechanism.graph
    return [Scalar(graph, ref) for ref in forward(graph, [value.ref for value in values], seeds)]


def test_velocities_are_the_rates_of_poses(mechanism: Mechanism) -> None:
    """R^T R-dot is the matrix of omega x, R^T p-dot the velocity of the origin, both in body axes."""
    twists = velocity_entries(mechanism)
    entries = pose_entries(mechanism)
    rates = rate(mechanism, entries)
    for k in range(mechanism.nb):
        pose, moved, twist = entries[16 * k :], rates[16 * k :], twists[6 * k : 6 * k + 6]
        R = [[pose[4 * i + j] for j in range(3)] for i in range(3)]
        spin = [[sum(R[m][i] * moved[4 * m + j] for m in range(3)) for j in range(3)] for i in range(3)]
        assert equal((spin[2][1], spin[0][2], spin[1][0]), twist[:3])
        assert equal((spin[1][2], spin[2][0], spin[0][1]), [-w for w in twist[:3]])
        linear = [sum(R[m][i] * moved[4 * m + 3] for m in range(3)) for i in range(3)]
        assert equal(linear, twist[3:])


def test_jacobians_times_speeds_are_velocities(mechanism: Mechanism) -> None:
    v = mechanism.entries(mechanism.v)
    n = mechanism.nv
    entries = jacobian_entries(mechanism)
    found = [sum(entries[n * row + k] * v[k] for k in range(n)) for row in range(6 * mechanism.nb)]
    assert equal(found, velocity_entries(mechanism))


def test_a_body_moves_only_with_the_joints_that_carry_it(mechanism: Mechanism) -> None:
    """Columns of the Jacobian stand where the path matrix is not zero."""
    paths = mechanism.labelling.path_matrix
    for label, columns in enumerate(body_jacobian_columns(mechanism)[1:], start=1):
        carriers = {k for k in range(1, mechanism.nb + 1) if paths[k - 1, label - 1] != 0}
        allowed = {column for k in carriers for column in range(*mechanism.body(k).v_range)}
        assert set(columns) <= allowed
        own = range(*mechanism.body(label).v_range)
        assert set(own) <= set(columns)


def test_momentum_is_mass_times_the_rate_of_the_centre(mechanism: Mechanism) -> None:
    _, linear = momentum(mechanism)
    mass = sum((body.inertia.mass for body in mechanism.bodies), Scalar(mechanism.graph, 0))
    moved = rate(mechanism, list(center_of_mass(mechanism)))
    assert equal(linear, [mass * x for x in moved])


def test_potential_energy_is_the_weight_of_every_body(mechanism: Mechanism) -> None:
    frames = poses(mechanism)
    graph = mechanism.graph
    weight = Scalar(graph, 0)
    for body, frame in zip(mechanism.bodies, frames[1:], strict=True):
        inverse = 1 / body.inertia.mass
        centre = frame.point_to_parent(scale(body.inertia.first_moment, inverse))
        for g, x in zip(mechanism.gravity, centre, strict=True):
            weight = weight - body.inertia.mass * g * x
    assert equal([potential_energy(mechanism)], [weight])


def test_kinetic_energy_is_quadratic_in_the_speeds(mechanism: Mechanism) -> None:
    doubled = tuple(tuple(2 * rate for rate in body.v) for body in mechanism.bodies)
    assert equal([kinetic_energy(mechanism, doubled)], [4 * kinetic_energy(mechanism)])


def test_the_turning_matrix_accelerates_points_of_a_body() -> None:
    """U r = alpha x r + omega x (omega x r)."""
    graph = mechanism_of(tree_model((0,), ("revolute",))).graph
    w, a, r = (tuple(symbol(graph, f"{name}_{axis}") for axis in "xyz") for name in ("w", "a", "r"))
    found = multiply(turning_matrix(w, a), r)  # type: ignore[arg-type]
    assert equal(found, add(cross(a, r), cross(w, cross(w, r))))  # type: ignore[arg-type]
