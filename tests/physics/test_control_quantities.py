"""What controllers make of the dynamics: operational space, centroidal momentum, wrenches of a motion.

Exact means in the field of 2^61 - 1 elements.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from mbsym import examples
from mbsym.cli.application import main
from mbsym.codegen.load import LoadedModule, load_c, load_numpy
from mbsym.codegen.statuses import Status
from mbsym.derivatives.functions import CONTROL_FUNCTIONS, DERIVATIVE_FUNCTIONS, FRAME_CONTROL_FUNCTIONS
from mbsym.derivatives.tangent import along_speeds
from mbsym.errors import DerivationError
from mbsym.formats.registry import LoadOptions
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.body import Placement
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import with_frames
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, generate, read
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar
from mbsym.verification.certificate import verify
from mbsym.verification.checks import Worst, check_function
from mbsym.verification.evidence import Companions, Evidence, Numbers
from mechanisms.exact import same
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree
from mechanisms.told import assert_as_told
from mechanisms.wrong_entries import with_wrong_entries

SEEDS = (2, 12, 20, 26, 28, 40, 41, 43, 59, 63, 67, 90, 101, 102, 111)
"""Random trees that together have every joint type both ways round, couplings and all force elements."""

EVERY = (*CONTROL_FUNCTIONS, *FRAME_CONTROL_FUNCTIONS)


def tree(name: str | int) -> Model:
    return random_tree(name, bodies=(1, 4)) if isinstance(name, int) else examples.load(name)


def with_tool(model: Model, axes: Any = "local") -> Model:
    """With a frame at an angle on the last body, and no other."""
    place = Placement((0.1, "1/5", 0), quaternion=(1, 2, 0, 1))
    return with_frames(replace(model, frames=(Frame("tool", model.bodies[-1].name, place, axes),)), ["tool"])


def entries(program: Program) -> dict[str, list[Scalar]]:
    return {item.name: [Scalar(program.graph, ref) for ref in item.values] for item in program.outputs}


def rows(flat: list[Scalar], columns: int) -> list[list[Scalar]]:
    return [flat[k : k + columns] for k in range(0, len(flat), columns)]


def times(matrix: list[list[Scalar]], vector: Any) -> list[Scalar]:
    zero = Scalar(matrix[0][0].graph, 0)
    return [sum((a * b for a, b in zip(row, vector, strict=True)), zero) for row in matrix]


# ---- exactly ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puma560", "spinning_top", "floating_two_arm", *SEEDS])
def test_the_centroidal_matrix_and_its_rate_are_those_of_momentum(name: str | int) -> None:
    mechanism = mechanism_of(tree(name))
    v = mechanism.entries(mechanism.v)
    momentum = TREE_FUNCTIONS["momentum"](mechanism).output_references
    (matrix,) = entries(CONTROL_FUNCTIONS["centroidal_momentum_matrix"](mechanism)).values()
    assert same(mechanism, times(rows(matrix, mechanism.nv), v), [Scalar(mechanism.graph, ref) for ref in momentum])
    (rate,) = entries(CONTROL_FUNCTIONS["centroidal_momentum_rate_v"](mechanism)).values()
    assert same(mechanism, rate, times(along_speeds(mechanism, momentum), v))


def operational(mechanism: Mechanism) -> tuple[dict[str, list[Scalar]], Scalar]:
    found = entries(FRAME_CONTROL_FUNCTIONS["operational_space"](mechanism))
    return found, Scalar(mechanism.graph, mechanism.graph.symbol("damping[0]"))


@pytest.mark.parametrize("axes", ["local", "aligned", "base"])
@pytest.mark.parametrize("name", ["planar_3r", "cart_pole", 20, 28, 41, 59, 67])
def test_operational_space_is_exact(name: str | int, axes: str) -> None:
    """J J_bar + damping Lambda = 1, M J_bar = J^T Lambda, bias = J_bar^T h - Lambda Jdot v; no tool at an angle."""
    model = tree(name)
    host = replace(model, frames=(Frame("tool", model.bodies[-1].name, Placement((0.1, "1/5", 0)), axes),))  # type: ignore[arg-type]
    mechanism = mechanism_of(host)
    graph, n = mechanism.graph, mechanism.nv
    found, damping = operational(mechanism)
    inertia, bias, inverse = rows(found["Lambda"], 6), found["bias"], rows(found["J_bar"], 6)
    jacobian = rows(entries(FRAME_FUNCTIONS["frame_jacobian"](mechanism))["jacobians"], n)
    moving = [any(row) for row in jacobian]
    M, h, rate = (
        entries(function(mechanism))
        for function in (
            TREE_FUNCTIONS["mass_matrix"],
            TREE_FUNCTIONS["bias_force"],
            FRAME_FUNCTIONS["frame_jacobian_rate_v"],
        )
    )
    columns = list(zip(*inverse, strict=True))
    for k, column in enumerate(columns):
        unit = [Scalar(graph, 0) + int(i == k and moving[k]) for i in range(6)]
        assert same(
            mechanism, [a + damping * b for a, b in zip(times(jacobian, column), inertia[k], strict=True)], unit
        )
        turned = times([list(row) for row in zip(*jacobian, strict=True)], inertia[k])
        assert same(mechanism, times(rows(M["M"], n), column), turned)
    held = times([list(column) for column in columns], h["bias"])
    drift = times(inertia, rate["accelerations"])
    assert same(mechanism, bias, [a - b for a, b in zip(held, drift, strict=True)])
    alone = entries(FRAME_CONTROL_FUNCTIONS["operational_space_inertia"](mechanism))["Lambda"]
    assert same(mechanism, alone, found["Lambda"])


# ---- in certificates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["cart_pole", "spinning_top", *further(111, "floating_two_arm", 12, 26, 41, 43, 63, 90)]
)
def test_the_certificate_covers_them(name: str | int, tmp_path: Path) -> None:
    generate(with_tool(tree(name)), tmp_path, frames=["tool"], functions=EVERY)
    certificate = verify(tmp_path, states=3)
    assert certificate.passed, certificate.summary()
    assert {check.function for check in certificate.checks if not check.is_beyond} == set(EVERY)


def test_single_precision_is_checked_too(tmp_path: Path) -> None:
    generate("puma560", tmp_path, frames=["link6"], functions=EVERY, languages=["c"], real="float")
    certificate = verify(tmp_path, states=3)
    assert certificate.passed, certificate.summary()


@pytest.mark.parametrize("name", ["cart_pole", "spinning_top"])
def test_an_error_in_any_entry_fails_the_certificate(name: str, tmp_path: Path) -> None:
    model = with_tool(examples.load(name), "aligned")
    generate(model, tmp_path, functions=EVERY, frames=["tool"], languages=["numpy"])
    module = load_numpy(tmp_path / f"{name}.py")
    mechanism, reference = mechanism_of(model), Reference(model, model.label())
    rng = np.random.default_rng(5)
    q = reference.integrate_position(initial_coordinates(mechanism), rng.uniform(-1, 1, reference.nv), 0.3)
    state: dict[str, Any] = {"q": q, "t": 0.3, "u": rng.uniform(-1, 1, len(model.inputs)), "damping": 0.7}
    state |= {item: rng.uniform(0.5, 2, reference.nv) for item in ("v", "tau", "vdot")}
    numbers, contracts = Numbers(reference, state), contracts_of(mechanism)

    def passes(module: LoadedModule, function: str) -> bool:
        worst = Worst()
        check_function(worst, contracts[function], Evidence(function, module, numbers, Companions(mechanism)), 1.0, 0)
        return all(check.passed for check in worst.found.values())

    for function in module.functions:
        assert passes(module, function), function
        for damaged, output, entry in with_wrong_entries(module, function, 1e-5):
            assert not passes(damaged, function), (function, output, entry)


# ---- statuses --------------------------------------------------------------------------------------------------------


def test_a_stretched_arm_is_singular_without_damping_and_not_with_it(tmp_path: Path) -> None:
    generate("puma560", tmp_path, frames=["link6"], functions=FRAME_CONTROL_FUNCTIONS)
    modules = load_c(tmp_path, "puma560"), load_numpy(tmp_path / "puma560.py")
    bent, wrist = np.array([0.3, -0.7, 0.4, 0.5, 0.6, 0.7]), np.array([0.3, -0.7, 0.4, 0.5, 0.0, 0.7])
    for module in modules:
        inertia, space = (module.functions[name].with_status for name in FRAME_CONTROL_FUNCTIONS)
        for q, damping, status in ((bent, 0.0, "OK"), (wrist, 0.0, "SINGULAR"), (wrist, 1e-3, "OK")):
            assert inertia(q, damping)[1] == Status[status]
            assert space(q, np.zeros(6), damping)[1] == Status[status]


def test_an_arm_in_a_plane_has_the_inertia_of_its_plane(tmp_path: Path) -> None:
    """Rows in which nothing moves are zero; the others are regular without damping."""
    generate("planar_3r", tmp_path, frames=["link3"], functions=FRAME_CONTROL_FUNCTIONS, languages=["numpy"])
    module = load_numpy(tmp_path / "planar_3r.py")
    found = module.functions["operational_space_inertia"]([0.3, 0.7, -0.5], 0.0)
    moving = np.abs(found).max(axis=0) > 0
    assert moving.sum() == 3
    assert np.linalg.matrix_rank(found) == 3


def test_a_frame_on_ground_feels_nothing(tmp_path: Path) -> None:
    model = replace(examples.load("cart_pole"), frames=(Frame("floor", "ground", Placement((0, 0, 1))),))
    generate(model, tmp_path, frames=["floor"], functions=FRAME_CONTROL_FUNCTIONS)
    assert verify(tmp_path, states=2).passed
    assert not load_numpy(tmp_path / "cart_pole.py").functions["operational_space_inertia"]([0.1, 0.2], 0.0).any()


# ---- against Pinocchio -----------------------------------------------------------------------------------------------


def test_a_floating_robot_agrees_with_pinocchio(tmp_path: Path) -> None:
    """Twelve joints on a free base, foot and base as frames; Pinocchio has linear parts first and w last."""
    path = next(Path(str(f.locate())) for f in files("example-robot-data") or () if f.name == "solo12.urdf")
    model = read(path, LoadOptions(floating=True))
    functions = ("centroidal_momentum_matrix", "centroidal_momentum_rate_v", "operational_space", "inverse_mass_matrix")
    generate(model, tmp_path, frames=["FL_FOOT"], frame_axes="local", functions=functions, languages=["numpy"])
    (file,) = tmp_path.glob("*.py")
    module = load_numpy(file)
    robot = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data, n = robot.createData(), robot.nv
    swap = [3, 4, 5, 0, 1, 2]
    ours = np.zeros((n, n))
    ours[:6, :6] = np.eye(6)[swap]
    for joint in module.manifest["joints"]:
        if joint["type"] == "revolute":
            ours[robot.joints[robot.getJointId(joint["name"])].idx_v, joint["v"][0]] = 1
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, v = rng.uniform(-1, 1, n + 1), rng.uniform(-1, 1, n)
        q[:4] /= np.linalg.norm(q[:4])
        theirs = np.concatenate([q[4:7], q[1:4], q[:1], ours[6:, 6:] @ q[7:]])
        A = pin.computeCentroidalMap(robot, data, theirs).copy()
        rate = pin.dccrba(robot, data, theirs, ours @ v).copy()
        inverse = pin.computeMinverse(robot, data, theirs).copy()
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        h = pin.nonLinearEffects(robot, data, theirs, ours @ v).copy()
        pin.forwardKinematics(robot, data, theirs, ours @ v, np.zeros(n))
        foot = robot.getFrameId("FL_FOOT")
        J = pin.computeFrameJacobian(robot, data, theirs, foot, pin.LOCAL)
        drift = pin.getFrameClassicalAcceleration(robot, data, foot, pin.LOCAL).vector
        inertia = np.linalg.inv(J @ inverse @ J.T)
        expected = {
            "A": A[swap] @ ours,
            "rate": (rate @ ours @ v)[swap],
            "Lambda": inertia[np.ix_(swap, swap)],
            "bias": (inertia @ (J @ inverse @ h - drift))[swap],
            "J_bar": ours.T @ (inverse @ J.T @ inertia)[:, swap],
            "M_inverse": ours.T @ inverse @ ours,
        }
        found = {
            "A": module.functions["centroidal_momentum_matrix"](q),
            "rate": module.functions["centroidal_momentum_rate_v"](q, v),
            "M_inverse": module.functions["inverse_mass_matrix"](q),
        }
        found |= dict(zip(("Lambda", "bias", "J_bar"), module.functions["operational_space"](q, v, 0.0), strict=True))
        condition = np.linalg.cond(inverse) * np.linalg.cond(inertia)
        for name, right in expected.items():
            # Rounding of 1e-13, magnified where something is inverted.
            allowed = 1e-12 * max(1.0, np.abs(right).max()) * (1.0 if name in ("A", "rate") else condition)
            assert np.abs(found[name] - right).max() <= allowed, name


# ---- operations, and what cannot be ----------------------------------------------------------------------------------


def counts(model: str, *functions: str, frames: tuple[str, ...] = ()) -> list[int]:
    options = GenerationOptions(functions=functions, frames=frames)
    programs = derive(express(read(model), options), options).programs
    found = {item.name: item.operation_count().arithmetic for item in programs}
    return [found[name] for name in functions]


def test_operations_of_an_arm() -> None:
    """Wrenches of a motion cost a third of those of tau, and vdot nothing beside its derivatives."""
    solved, given = counts("puma560", "joint_wrenches", "joint_wrenches_of_motion")
    assert_as_told(given, 428)
    assert_as_told(solved, 1189)
    assert solved > 2.5 * given
    alone, together = counts("puma560", "forward_dynamics_derivatives", "forward_dynamics_with_derivatives")
    assert together == alone
    matrix, inertia, space = counts(
        "puma560", "centroidal_momentum_matrix", "operational_space_inertia", "operational_space", frames=("link6",)
    )
    assert_as_told(matrix, 326)
    assert_as_told(inertia, 760)
    assert_as_told(space, 1664)


def test_the_motion_beside_its_derivatives_is_that_of_forward_dynamics() -> None:
    for name in ("cart_pole", 28, 67):
        mechanism = mechanism_of(tree(name))
        together = entries(DERIVATIVE_FUNCTIONS["forward_dynamics_with_derivatives"](mechanism))
        assert same(mechanism, together["vdot"], entries(TREE_FUNCTIONS["forward_dynamics"](mechanism))["vdot"])
        del together["vdot"]
        alone = entries(DERIVATIVE_FUNCTIONS["forward_dynamics_derivatives"](mechanism))
        assert list(alone) == list(together)
        for key, matrix in alone.items():
            assert same(mechanism, matrix, together[key])


def test_frames_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(DerivationError, match="has no function 'operational_space'") as caught:
        generate("puma560", tmp_path, functions=["operational_space"])
    assert "`frames`" in str(caught.value.remedy)
    assert not list(tmp_path.iterdir())


def test_closed_loops_say_that_their_motion_is_constrained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["generate", "four_bar", "-o", str(tmp_path / "there"), "--frame", "coupler"]
    for name in ("joint_wrenches_of_motion", "operational_space"):
        assert main([*words, "--function", name]) == 2
        assert "closed loops constrain its motion" in capsys.readouterr().err
