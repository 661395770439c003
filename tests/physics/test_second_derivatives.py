"""Second derivatives of the dynamics, contracted with weights: exact, counted, against Pinocchio, and in certificates.

Exact means in the field of 2^61 - 1 elements: closed forms equal the formal derivatives of the functions' graphs.
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from mbsym import examples
from mbsym.codegen.load import load_numpy
from mbsym.derivatives import second_derivatives
from mbsym.derivatives.functions import DERIVATIVE_FUNCTIONS
from mbsym.derivatives.of_functions import DerivativeRequest, differentiated
from mbsym.derivatives.tangent import Matrix, along, along_speeds
from mbsym.errors import DerivationError
from mbsym.formats.registry import LoadOptions
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, generate, read
from mbsym.symbolic.scalar import Scalar
from mbsym.verification.certificate import verify
from mbsym.verification.derivative_identities import slope
from mechanisms.benchmark_chains import benchmark_chain
from mechanisms.exact import same
from mechanisms.examples import further, some
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree
from mechanisms.told import assert_as_told

SEEDS = (2, 12, 20, 26, 28, 40, 41, 43, 59, 63, 67, 90, 101, 102, 111)
"""Random trees that together have every joint type both ways round, couplings and all force elements."""

INVERSE, FORWARD = "inverse_dynamics_second_derivatives", "forward_dynamics_second_derivatives"


def mechanism_named(name: str | int) -> Mechanism:
    return mechanism_of(random_tree(name, bodies=(1, 4)) if isinstance(name, int) else examples.load(name))


def weighted(mechanism: Mechanism, function: str) -> Scalar:
    """weights^T times the result of a function."""
    total = Scalar(mechanism.graph, 0)
    for k, ref in enumerate(TREE_FUNCTIONS[function](mechanism).output_references):
        total = total + Scalar(mechanism.graph, mechanism.graph.symbol(f"weights[{k}]")) * Scalar(mechanism.graph, ref)
    return total


def formal(mechanism: Mechanism, value: Scalar, last: tuple[int, ...]) -> list[Matrix]:
    """By q and q, q and v, v and v, q and another argument, differentiated twice as graphs."""
    (by_q,) = along_speeds(mechanism, [value.ref])
    (by_v,) = along(mechanism, [value.ref], mechanism.v.symbols)
    first, second = [entry.ref for entry in by_q], [entry.ref for entry in by_v]
    return [
        along_speeds(mechanism, first),
        along(mechanism, first, mechanism.v.symbols),
        along(mechanism, second, mechanism.v.symbols),
        along(mechanism, first, last),
    ]


def flat(matrix: Matrix) -> list[Scalar]:
    return [entry for row in matrix for entry in row]


def matrices(mechanism: Mechanism, function: str) -> list[Matrix]:
    program = DERIVATIVE_FUNCTIONS[function](mechanism)
    n = mechanism.nv
    return [
        [[Scalar(mechanism.graph, output.values[n * i + j]) for j in range(n)] for i in range(n)]
        for output in program.outputs
    ]


@pytest.mark.parametrize(
    "name",
    [
        "double_pendulum",
        "planar_3r",
        "spinning_top",
        "cart_pole",
        *some(SEEDS, set(SEEDS) - {26, 43, 59}),
        *further("puma560"),
    ],
)
def test_those_of_inverse_dynamics_are_exact(name: str | int) -> None:
    """The closed form, and what is generated, which may be another form."""
    mechanism = mechanism_named(name)
    expected = formal(mechanism, weighted(mechanism, "inverse_dynamics"), mechanism.vdot.symbols)
    for forms in (second_derivatives.in_closed_form(mechanism), matrices(mechanism, INVERSE)):
        for found, right in zip(forms, expected, strict=True):
            assert same(mechanism, flat(found), flat(right))


@pytest.mark.parametrize("name", ["double_pendulum", "cart_pole", "planar_3r", "spinning_top", 28, 40, 67, 102, 111])
def test_those_of_forward_dynamics_are_exact(name: str | int) -> None:
    mechanism = mechanism_named(name)
    expected = formal(mechanism, weighted(mechanism, "forward_dynamics"), mechanism.tau.symbols)
    for found, right in zip(matrices(mechanism, FORWARD), expected, strict=True):
        assert same(mechanism, flat(found), flat(right))


def test_what_is_left_out_is_zero() -> None:
    for function, last in (("inverse_dynamics", "vdot"), ("forward_dynamics", "tau")):
        mechanism = mechanism_named("planar_3r")
        symbols = getattr(mechanism, last).symbols
        (row,) = along(mechanism, [weighted(mechanism, function).ref], symbols)
        first = [entry.ref for entry in row]
        nothing = [Scalar(mechanism.graph, 0)] * mechanism.nv**2
        assert same(mechanism, flat(along(mechanism, first, symbols)), nothing)
        assert same(mechanism, flat(along(mechanism, first, mechanism.v.symbols)), nothing)


@pytest.mark.parametrize("name", ["spinning_top", 12])
def test_turns_do_not_commute(name: str | int) -> None:
    """H - H^T is the derivative along the product of the directions: e_j x e_i for the turns of a quaternion."""
    mechanism = mechanism_named(name)
    body = next(body for body in mechanism.bodies if body.joint.kind.name in ("spherical", "free"))
    start = body.v_range[0]
    hessian, *_ = matrices(mechanism, INVERSE)
    (by_q,) = along_speeds(mechanism, [weighted(mechanism, "inverse_dynamics").ref])
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        difference = hessian[start + i][start + j] - hessian[start + j][start + i]
        assert same(mechanism, [difference], [-by_q[start + k]])


@pytest.mark.parametrize("name", ["planar_3r", "spinning_top", 28])
def test_the_full_ones_come_through_the_door(name: str | int) -> None:
    """Derivatives of the derivatives, contracted here, are what is contracted before."""
    mechanism = mechanism_named(name)
    n, graph = mechanism.nv, mechanism.graph
    request = DerivativeRequest("inverse_dynamics_derivatives", ("q", "v"))
    program = differentiated(request, DERIVATIVE_FUNCTIONS["inverse_dynamics_derivatives"], mechanism)
    full = {output.name: [Scalar(graph, ref) for ref in output.values] for output in program.outputs}
    weights = [Scalar(graph, graph.symbol(f"weights[{k}]")) for k in range(n)]

    def contracted(name: str) -> list[Scalar]:
        tensor = full[name]
        return [
            sum((weights[i] * tensor[(n * i + j) * n + k] for i in range(n)), Scalar(graph, 0))
            for j in range(n)
            for k in range(n)
        ]

    by_qq, by_qv, by_vv, _ = matrices(mechanism, INVERSE)
    for found, expected in (("ddtau_dq_dq", by_qq), ("ddtau_dq_dv", by_qv), ("ddtau_dv_dv", by_vv)):
        assert same(mechanism, contracted(found), flat(expected))


@pytest.mark.parametrize("name", ["cart_pole", *further(5, 63, "floating_two_arm")])
def test_the_certificate_covers_them(name: str | int, tmp_path: Path) -> None:
    model = random_tree(name, bodies=(1, 4)) if isinstance(name, int) else examples.load(name)
    generate(model, tmp_path, functions=[INVERSE, FORWARD])
    certificate = verify(tmp_path, states=2)
    assert certificate.passed, certificate.summary()
    assert {check.function for check in certificate.checks if not check.is_beyond} == {INVERSE, FORWARD}


@pytest.mark.more
def test_differences_of_pinocchio_are_the_same(tmp_path: Path) -> None:
    """Sixth-order differences of its analytic first derivatives, on a free base with twelve joints."""
    path = next(Path(str(f.locate())) for f in files("example-robot-data") or () if f.name == "solo12.urdf")
    generate(read(path, LoadOptions(floating=True)), tmp_path, functions=[INVERSE, FORWARD], languages=["numpy"])
    (file,) = tmp_path.glob("*.py")
    module = load_numpy(file)
    robot = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data, n = robot.createData(), robot.nv
    rows = np.zeros((n, n))
    rows[:6, :6] = np.eye(6)[[3, 4, 5, 0, 1, 2]]
    for joint in module.manifest["joints"]:
        if joint["type"] == "revolute":
            rows[robot.joints[robot.getJointId(joint["name"])].idx_v, joint["v"][0]] = 1
    rng = np.random.default_rng(4)
    for _ in range(3):
        q, (v, x, weights, d, e) = rng.uniform(-1, 1, n + 1), rng.uniform(-1, 1, (5, n))
        q[:4] /= np.linalg.norm(q[:4])
        place = np.concatenate([q[4:7], q[1:4], q[:1], rows[6:, 6:] @ q[7:]])
        for name, first in ((INVERSE, pin.computeRNEADerivatives), (FORWARD, pin.computeABADerivatives)):
            gradients = partial(pinocchio_gradients, robot, data, first, rows, weights, (place, v, x))
            zero = np.zeros(n)
            by_q = slope(partial(gradients, (d, zero, zero)))
            by_v = slope(partial(gradients, (zero, d, zero)))
            pushed = slope(partial(gradients, (zero, zero, e)))
            found = module.functions[name](q, v, x, weights)
            expected = (by_q[:n], by_q[n:], by_v[:n], by_v[n:], pushed[:n])
            ours = (found[0] @ d, d @ found[1], found[1] @ d, found[2] @ d, found[3] @ e)
            # Rounding of the first derivatives, 1e-14 of their largest, over the step of 2e-4.
            size = max(1.0, np.abs(gradients((zero, zero, zero), 0.0)).max())
            for left, right in zip(ours, expected, strict=True):
                assert np.abs(left - right).max() <= 1e-9 * max(size, np.abs(right).max())


def pinocchio_gradients(
    robot: Any, data: Any, first: Any, rows: Any, weights: Any, state: Any, directions: Any, h: float
) -> Any:
    """weights^T its first derivatives by q and by v, at a state moved by h along directions of q, v and the last."""
    (place, v, x), (along, faster, pushed) = state, directions
    there = pin.integrate(robot, place, h * rows @ along)
    by_q, by_v, *_ = first(robot, data, there, rows @ (v + h * faster), rows @ (x + h * pushed))
    return np.concatenate([weights @ rows.T @ by_q @ rows, weights @ rows.T @ by_v @ rows])


# ---- operations ------------------------------------------------------------------------------------------------------


def counts(model: Model, *functions: str) -> list[int]:
    options = GenerationOptions(functions=functions)
    programs = derive(express(read(model), options), options).programs
    found = {item.name: item.operation_count().arithmetic for item in programs}
    return [found[name] for name in functions]


@pytest.mark.more
def test_operations() -> None:
    """No more than these, which a page tells."""
    for model, inverse, forward in (
        (benchmark_chain(7), 4064, 6951),
        (examples.load("puma560"), 2419, 3944),
        (examples.load("quadruped"), 7287, 23944),
    ):
        found = counts(model, INVERSE, FORWARD)
        assert_as_told(found[0], inverse)
        assert_as_told(found[1], forward)


@pytest.mark.more
def test_operations_along_a_chain_of_thirty() -> None:
    assert_as_told(counts(benchmark_chain(30), INVERSE)[0], 63286)


def test_closed_loops_have_those_of_the_open_tree_only(tmp_path: Path) -> None:
    generate("four_bar", tmp_path, functions=[INVERSE])
    assert verify(tmp_path, states=2).passed
    with pytest.raises(DerivationError, match=f"has no function '{FORWARD}'") as caught:
        generate("four_bar", tmp_path / "there", functions=[FORWARD])
    assert "closed loops" in str(caught.value.remedy)
