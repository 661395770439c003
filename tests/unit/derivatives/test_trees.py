"""Closed forms of derivatives of trees equal the graphs of the functions differentiated, in the field of 2^61 - 1.

A few small trees in which joints of several freedoms move each other; ``tests/physics`` has all joint types.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from mbsym.derivatives.centroidal import centroidal_momentum_matrix, centroidal_momentum_rate_v
from mbsym.derivatives.coriolis import coriolis_matrix, slotine_li
from mbsym.derivatives.forward_dynamics import forward_dynamics_with_derivatives, inverse_mass_matrix
from mbsym.derivatives.functions import functions_on_request, joint_wrenches_of_motion
from mbsym.derivatives.inverse_dynamics import generalised, inverse_dynamics_jacobians
from mbsym.derivatives.operational_space import operational_space
from mbsym.derivatives.second_derivatives import forward_dynamics_second_derivatives, in_closed_form
from mbsym.derivatives.tangent import Matrix, along, along_speeds
from mbsym.derivatives.variations import state_of
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.equivalents import for_forces
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.model.body import Placement
from mbsym.model.frame import Frame
from mbsym.model.system import Model
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.scalar import Scalar
from mechanisms.exact import same
from mechanisms.matrices import flat, refs, results, rows, times, transposed
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree

TURNING, PLANAR, FORCED, COUPLED, DRIVEN = 63, 102, 43, 20, 40
"""A universal joint on a helical one; a flipped hinge under a plane; force elements; a coupling and a ball joint; two
hinges with force elements."""


@cache
def model(seed: int) -> Model:
    """Each joint has a rotor, each another one."""
    drawn = random_tree(seed, bodies=(1, 4))
    return replace(
        drawn, joints=tuple(replace(joint, armature=f"{k}/3") for k, joint in enumerate(drawn.joints, start=1))
    )


def mechanism(seed: int) -> Mechanism:
    return mechanism_of(model(seed))


def entries(mechanism: Mechanism, function: str) -> list[Scalar]:
    (found,) = results({**TREE_FUNCTIONS, **FRAME_FUNCTIONS}[function](mechanism)).values()
    return found


@pytest.mark.parametrize("seed", [TURNING, PLANAR, FORCED, COUPLED])
def test_inverse_dynamics(seed: int) -> None:
    own = for_forces(mechanism(seed))
    rates = own.of_joints(own.entries(own.vdot))
    state = state_of(own, joint_speeds(own), rates, own.gravity)
    by_q, by_v = inverse_dynamics_jacobians(own, state, generalised(own))
    forces = refs(entries(own, "inverse_dynamics"))
    assert same(own, flat(by_q), flat(along_speeds(own, forces)))
    assert same(own, flat(by_v), flat(along(own, forces, own.v.symbols)))


@pytest.mark.parametrize("seed", [PLANAR, DRIVEN])
def test_forward_dynamics(seed: int) -> None:
    own = mechanism(seed)
    found = forward_dynamics_with_derivatives(own).entries
    vdot = entries(own, "forward_dynamics")
    assert same(own, found["vdot"], vdot)
    assert same(own, flat(found["dvdot_dq"]), flat(along_speeds(own, refs(vdot))))
    assert same(own, flat(found["dvdot_dv"]), flat(along(own, refs(vdot), own.v.symbols)))
    assert same(own, flat(found["dvdot_dtau"]), flat(along(own, refs(vdot), own.tau.symbols)))
    assert same(own, flat(found["dvdot_dtau"]), flat(inverse_mass_matrix(own).entries))


@pytest.mark.parametrize("seed", [TURNING, PLANAR, COUPLED])
def test_coriolis_matrix(seed: int) -> None:
    """Mdot = C + C^T and C v = bias - gravity force; Slotine's and Li's sum is the sum of its parts."""
    own = mechanism_of(replace(model(seed), forces=()))
    n, v = own.nv, own.entries(own.v)
    M, C = rows(entries(own, "mass_matrix"), n), coriolis_matrix(own)
    rate = times(along_speeds(own, refs(flat(M))), v)
    assert same(own, rate, [C[i][j] + C[j][i] for i in range(n) for j in range(n)])
    still = entries(own, "gravity_force")
    assert same(own, times(C, v), [a - b for a, b in zip(entries(own, "bias_force"), still, strict=True)])
    derived = slotine_li(own)
    given = {item.name: own.entries(item) for item in derived.inputs}
    parts = zip(times(M, given["a_r"]), times(C, given["v_r"]), still, strict=True)
    assert same(own, list(derived.entries), [a + b + c for a, b, c in parts])


def weighted(own: Mechanism, function: str) -> Scalar:
    weights = [Scalar(own.graph, own.graph.symbol(f"weights[{k}]")) for k in range(own.nv)]
    return product(weights, entries(own, function))


def formal(own: Mechanism, value: Scalar, last: tuple[int, ...]) -> list[Matrix]:
    """By q and q, q and v, v and v, q and another argument."""
    (by_q,), (by_v,) = along_speeds(own, [value.ref]), along(own, [value.ref], own.v.symbols)
    return [
        along_speeds(own, refs(by_q)),
        along(own, refs(by_q), own.v.symbols),
        along(own, refs(by_v), own.v.symbols),
        along(own, refs(by_q), last),
    ]


@pytest.mark.parametrize("seed", [TURNING, PLANAR, FORCED])
def test_second_derivatives_of_inverse_dynamics(seed: int) -> None:
    own = mechanism(seed)
    expected = formal(own, weighted(own, "inverse_dynamics"), own.vdot.symbols)
    for found, right in zip(in_closed_form(own), expected, strict=True):
        assert same(own, flat(found), flat(right))


def test_second_derivatives_of_forward_dynamics() -> None:
    own = mechanism(PLANAR)
    expected = formal(own, weighted(own, "forward_dynamics"), own.tau.symbols)
    derived = forward_dynamics_second_derivatives(own)
    for found, right in zip(derived.entries.values(), expected, strict=True):
        assert same(own, flat(found), flat(right))


@pytest.mark.parametrize("seed", [PLANAR, COUPLED])
def test_momentum_about_the_centre_of_mass(seed: int) -> None:
    own = mechanism(seed)
    v, momentum = own.entries(own.v), entries(own, "momentum")
    assert same(own, times(centroidal_momentum_matrix(own), v), momentum)
    angular, linear = centroidal_momentum_rate_v(own)
    assert same(own, [*angular, *linear], times(along_speeds(own, refs(momentum)), v))


@pytest.mark.parametrize("seed", [TURNING, PLANAR])
def test_operational_space(seed: int) -> None:
    """J J_bar + damping Lambda = 1 where anything moves, M J_bar = J^T Lambda, bias = J_bar^T h - Lambda Jdot v."""
    bare = model(seed)
    tool = Frame("tool", bare.bodies[-1].name, Placement((0.1, "1/5", -0.3)), "local")
    own = mechanism_of(replace(bare, frames=(tool,)))
    derived = operational_space(own)
    (given,) = derived.inputs
    (damping,) = (Scalar(own.graph, ref) for ref in given.symbols)
    inertia, inverse = derived.entries["Lambda"], derived.entries["J_bar"]
    J, M = rows(entries(own, "frame_jacobian"), own.nv), rows(entries(own, "mass_matrix"), own.nv)
    columns, across = transposed(inverse), transposed(J)
    for k, column in enumerate(columns):
        damped = [x + damping * y for x, y in zip(times(J, column), inertia[k], strict=True)]
        assert same(own, damped, [Scalar(own.graph, 0) + int(i == k and any(J[k])) for i in range(6)])
        assert same(own, times(M, column), times(across, inertia[k]))
    drift = times(inertia, entries(own, "frame_jacobian_rate_v"))
    expected = [a - b for a, b in zip(times(columns, entries(own, "bias_force")), drift, strict=True)]
    assert same(own, derived.entries["bias"], expected)


def test_every_function_is_what_its_contract_says() -> None:
    bare = model(DRIVEN)
    own = mechanism_of(replace(bare, frames=(Frame("tool", bare.bodies[-1].name),)))
    sizes = {"nv": own.nv, "nq": own.nq, "nb": own.nb, "6nf": 6}
    for name, function in functions_on_request(own).items():
        program, results = function(own.afresh()), function.contract.results
        assert (program.name, [item.name for item in program.outputs]) == (name, [item.name for item in results])
        assert [item.shape for item in program.outputs] == [
            tuple(sizes.get(size, size) if isinstance(size, str) else size for size in item.shape) for item in results
        ]


def test_wrenches_of_a_motion() -> None:
    """At the rates that tau causes they are those that forward dynamics gives."""
    own = mechanism(FORCED)
    caused = dict(zip(own.vdot.symbols, refs(entries(own, "forward_dynamics")), strict=True))
    found = substitute(own.graph, refs(list(joint_wrenches_of_motion(own))), caused)
    assert same(own, [Scalar(own.graph, ref) for ref in found], entries(own, "joint_wrenches"))
