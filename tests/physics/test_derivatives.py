"""Derivatives of the dynamics, the Coriolis matrix and what control makes of them: exact, counted, and in certificates.

Exact means in the field of 2^61 - 1 elements: closed forms equal the formal derivatives of the functions' graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.cli.application import main
from mbsym.codegen.load import LoadedModule, load_numpy
from mbsym.derivatives.functions import DERIVATIVE_FUNCTIONS, OF_FREE_MOTION
from mbsym.derivatives.tangent import along, along_speeds
from mbsym.errors import DerivationError
from mbsym.forces import FORCE_ELEMENTS
from mbsym.formats.registry import LoadOptions, load
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds, joints_at_rest
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, generate, read
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Input, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.verification.certificate import verify
from mbsym.verification.checks import Worst, check_function
from mbsym.verification.evidence import Companions, Evidence, Numbers
from mechanisms.benchmark_chains import benchmark_chain
from mechanisms.exact import same
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.random_trees import random_tree
from mechanisms.told import assert_as_told
from mechanisms.wrong_entries import with_wrong_entries

TREES = ("double_pendulum", "cart_pole", "planar_3r", "spinning_top", "puma560")
"""Bundled; the larger ones are covered by the random trees and by Pinocchio."""

SEEDS = (2, 12, 20, 26, 28, 40, 41, 43, 59, 63, 67, 90, 101, 102, 111)
LONG = (26, 59)
"""Random trees of a few bodies; together they have every joint type both ways round on a moving body, couplings, and
force elements of all types."""


def random_mechanism(seed: int) -> Mechanism:
    return mechanism_of(random_tree(seed, bodies=(1, 4)))


def mechanisms(names: Sequence[str | int]) -> list[Any]:
    return [pytest.param(name, id=str(name), marks=pytest.mark.more if name in LONG else ()) for name in names]


def mechanism_named(name: str | int) -> Mechanism:
    return random_mechanism(name) if isinstance(name, int) else mechanism_of(examples.load(name))


def formal_derivatives(derived: Program, function: str, mechanism: Mechanism, others: tuple[Input, ...]) -> Program:
    """The outputs of ``derived`` by differentiating the graph of a function."""
    refs = TREE_FUNCTIONS[function](mechanism).output_references
    found = [along_speeds(mechanism, refs), *(along(mechanism, refs, item.symbols) for item in others)]
    outputs = tuple(
        replace(output, values=tuple(entry.ref for row in matrix for entry in row))
        for output, matrix in zip(derived.outputs, found, strict=True)
    )
    return replace(derived, graph=mechanism.graph, outputs=outputs, parameters=mechanism.parameters,
                   inputs=TREE_FUNCTIONS[function](mechanism).inputs)  # fmt: skip


def test_the_random_trees_have_everything() -> None:
    found = [random_mechanism(seed) for seed in SEEDS]
    assert {
        (body.joint.kind.name, body.flipped) for mechanism in found for body in mechanism.bodies if body.parent
    } == {(kind, flipped) for kind in JOINT_TYPES for flipped in (False, True)}
    assert any(mechanism.is_coupled for mechanism in found)
    assert {force.type for mechanism in found for force in mechanism.model.forces} == set(FORCE_ELEMENTS)


@pytest.mark.parametrize("name", mechanisms((*TREES, *SEEDS)))
def test_derivatives_of_inverse_dynamics_are_exact(name: str | int) -> None:
    mechanism = mechanism_named(name)
    derived = DERIVATIVE_FUNCTIONS["inverse_dynamics_derivatives"](mechanism)
    again = mechanism.afresh()
    assert compare(derived, formal_derivatives(derived, "inverse_dynamics", again, (again.v,)))


@pytest.mark.parametrize("name", mechanisms(("double_pendulum", "cart_pole", "planar_3r", 20, 28, 40, 41, 59, 67, 102)))
def test_derivatives_of_forward_dynamics_are_exact(name: str | int) -> None:
    mechanism = mechanism_named(name)
    derived = DERIVATIVE_FUNCTIONS["forward_dynamics_derivatives"](mechanism)
    again = mechanism.afresh()
    assert compare(derived, formal_derivatives(derived, "forward_dynamics", again, (again.v, again.tau)))


@pytest.mark.parametrize("name", mechanisms((*TREES, *SEEDS)))
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(name: str | int) -> None:
    mechanism = mechanism_named(name)
    n, v = mechanism.nv, mechanism.entries(mechanism.v)
    matrix = TREE_FUNCTIONS["mass_matrix"](mechanism).output_references
    changes = along_speeds(mechanism, matrix)
    refs = DERIVATIVE_FUNCTIONS["coriolis_matrix"](mechanism).output_references
    C = [[Scalar(mechanism.graph, refs[n * i + j]) for j in range(n)] for i in range(n)]
    zero = Scalar(mechanism.graph, 0)
    rate = [sum((entry * speed for entry, speed in zip(row, v, strict=True)), zero) for row in changes]
    assert same(mechanism, rate, [C[i][j] + C[j][i] for i in range(n) for j in range(n)])
    still = joints_at_rest(mechanism)
    bare = replace(mechanism, model=replace(mechanism.model, forces=()))
    bias, gravity = (
        mechanism.gather(newton_euler(bare, speeds, still, bare.gravity, applied_forces(bare, speeds)).forces)
        for speeds in (joint_speeds(mechanism), still)
    )
    along_v = [sum((entry * speed for entry, speed in zip(row, v, strict=True)), zero) for row in C]
    assert same(mechanism, along_v, [h - g for h, g in zip(bias, gravity, strict=True)])


@pytest.mark.parametrize("name", mechanisms(("cart_pole", "spinning_top", *SEEDS)))
def test_slotine_li_is_the_sum_of_its_parts(name: str | int) -> None:
    mechanism = mechanism_named(name)
    n, graph = mechanism.nv, mechanism.graph
    program = DERIVATIVE_FUNCTIONS["slotine_li"](mechanism)
    inputs = {item.name: [Scalar(graph, ref) for ref in item.symbols] for item in program.inputs}
    parts = (TREE_FUNCTIONS["mass_matrix"], DERIVATIVE_FUNCTIONS["coriolis_matrix"], TREE_FUNCTIONS["gravity_force"])
    M, C, g = ([Scalar(graph, ref) for ref in part(mechanism).output_references] for part in parts)
    expected = [
        sum((M[n * i + j] * inputs["a_r"][j] + C[n * i + j] * inputs["v_r"][j] for j in range(n)), g[i])
        for i in range(n)
    ]
    assert same(mechanism, [Scalar(graph, ref) for ref in program.output_references], expected)


@pytest.mark.parametrize("name", mechanisms(("double_pendulum", "planar_3r", 20, 28, 59, 67)))
def test_the_inverse_of_the_mass_matrix_is_exact(name: str | int) -> None:
    mechanism = mechanism_named(name)
    n, graph = mechanism.nv, mechanism.graph
    M, inverse = (
        [Scalar(graph, ref) for ref in function(mechanism).output_references]
        for function in (TREE_FUNCTIONS["mass_matrix"], DERIVATIVE_FUNCTIONS["inverse_mass_matrix"])
    )
    product = [
        sum((M[n * i + k] * inverse[n * k + j] for k in range(n)), Scalar(graph, 0)) for i in range(n) for j in range(n)
    ]
    assert same(mechanism, product, [Scalar(graph, 0) + int(i == j) for i in range(n) for j in range(n)])


# ---- operations ------------------------------------------------------------------------------------------------------

INVERSE, FORWARD = "inverse_dynamics_derivatives", "forward_dynamics_derivatives"


def counts(model: Model, *functions: str) -> list[int]:
    options = GenerationOptions(functions=functions)
    return [item.operation_count().arithmetic for item in derive(express(read(model), options), options).programs]


def test_operations_along_a_chain_of_seven() -> None:
    """Inverse dynamics differentiated plainly needs 3633."""
    inverse, forward = counts(benchmark_chain(7), INVERSE, FORWARD)
    assert_as_told(inverse, 2458)
    assert_as_told(forward, 4360)


@pytest.mark.more
def test_operations_along_a_chain_of_thirty() -> None:
    """81606 where it is differentiated plainly."""
    (inverse,) = counts(benchmark_chain(30), INVERSE)
    assert_as_told(inverse, 38652)


def test_operations_of_a_robot_from_its_urdf() -> None:
    """The UR5, six joints."""
    path = next(Path(str(file.locate())) for file in files("example-robot-data") or () if file.name == "ur5_robot.urdf")
    inverse, forward = counts(read(path), INVERSE, FORWARD)
    assert_as_told(inverse, 989)
    assert_as_told(forward, 2035)


def test_operations_of_the_arm_that_is_timed() -> None:
    """The xArm 7 beside other programs: the page has times, which only the benchmark measures, and these counts."""
    path = next(Path(str(file.locate())) for file in files("example-robot-data") or () if file.name == "xarm7.urdf")
    model = load(path, LoadOptions(snap_angles=1e-4))
    second = ("inverse_dynamics_second_derivatives", "forward_dynamics_second_derivatives")
    found = counts(model, INVERSE, "forward_dynamics_with_derivatives", *second)
    for now, told in zip(sorted(found), (2484, 4195, 4544, 7062), strict=True):
        assert_as_told(now, told)


def test_small_mechanisms_are_differentiated_plainly_where_that_costs_less() -> None:
    (inverse,) = counts(examples.load("double_pendulum"), INVERSE)
    assert inverse <= 55


# ---- generated code --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cart_pole", "four_bar", *further("floating_two_arm")])
def test_the_certificate_covers_derivatives(name: str, tmp_path: Path) -> None:
    functions = [item for item in DERIVATIVE_FUNCTIONS if name != "four_bar" or item not in OF_FREE_MOTION]
    generate(name, tmp_path, functions=functions)
    certificate = verify(tmp_path, states=3)
    assert certificate.passed, certificate.summary()
    assert {(check.function, check.language) for check in certificate.checks if not check.is_beyond} == {
        (function, language) for function in functions for language in ("c", "numpy")
    }


@pytest.mark.parametrize("name", ["spinning_top", *further("cart_pole")])
def test_single_precision_is_checked_too(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, functions=list(DERIVATIVE_FUNCTIONS), languages=["c"], real="float")
    assert verify(tmp_path, states=3).passed


@pytest.mark.parametrize("name", ["cart_pole", *further("spinning_top")])
def test_an_error_in_any_entry_fails_the_certificate(name: str, tmp_path: Path) -> None:
    model = examples.load(name)
    generate(model, tmp_path, functions=list(DERIVATIVE_FUNCTIONS), languages=["numpy"])
    module = load_numpy(tmp_path / f"{name}.py")
    mechanism, reference = mechanism_of(model), Reference(model, model.label())
    rng = np.random.default_rng(5)
    q = reference.integrate_position(initial_coordinates(mechanism), rng.uniform(-1, 1, reference.nv), 0.3)
    state: dict[str, Any] = {"q": q, "t": 0.3, "u": rng.uniform(-1, 1, len(model.inputs))}
    state |= {item: rng.uniform(0.5, 2, reference.nv) for item in ("v", "tau", "vdot", "v_r", "a_r", "weights")}
    numbers, contracts = Numbers(reference, state), contracts_of(mechanism)

    companions = Companions(mechanism)

    def passes(module: LoadedModule, function: str) -> bool:
        worst = Worst()
        evidence = Evidence(function, module, numbers, companions)
        check_function(worst, contracts[function], evidence, 1.0, 0)
        return all(check.passed for check in worst.found.values())

    for function in module.functions:
        assert passes(module, function), function
        for damaged, output, entry in with_wrong_entries(module, function, 1e-5):
            assert not passes(damaged, function), (function, output, entry)


DOOR: Any = {
    "cart_pole": [
        ("inverse_dynamics", ("q", "v")),
        ("forward_dynamics", ("u", "m_pole", "t")),
        ("kinetic_energy", ("v", "l")),
        ("inverse_dynamics_by_q_v", ("v", "l")),
    ],
    "spinning_top": [("body_poses", ("q",)), ("forward_dynamics", ("tau", "q")), ("momentum", ("q", "v", "I_t"))],
    "four_bar": [("constraint_jacobian", ("q",)), ("constraint_bias", ("v",))],
}


@pytest.mark.parametrize("name", DOOR)
def test_any_function_by_any_argument_or_parameter(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, functions=["mass_matrix"], derivatives=DOOR[name])
    certificate = verify(tmp_path, states=2)
    assert certificate.passed, certificate.summary()
    module = load_numpy(tmp_path / f"{name}.py")
    assert [(item["function"], tuple(item["with_respect_to"])) for item in module.manifest["derivatives"]] == DOOR[name]
    assert set(module.functions) == {"mass_matrix", *(item["name"] for item in module.manifest["derivatives"])}
    model, mechanism = examples.load(name), mechanism_of(examples.load(name))
    sizes = {"q": (mechanism.nv,), "v": (mechanism.nv,), "tau": (mechanism.nv,), "u": (len(model.inputs),)}
    for item in module.manifest["derivatives"]:
        for output in module.functions[item["name"]].outputs:
            variable = output.name.rpartition("_d")[2]
            behind = sizes.get(variable if variable in sizes else "", ())
            assert output.shape[len(output.shape) - len(behind) :] == behind, output


def test_the_door_leads_to_the_same_derivatives(tmp_path: Path) -> None:
    generate("spinning_top", tmp_path, functions=["inverse_dynamics_derivatives"],
             derivatives=[("inverse_dynamics", ("q", "v"))], languages=["numpy"])  # fmt: skip
    module = load_numpy(tmp_path / "spinning_top.py")
    rng = np.random.default_rng(0)
    q = rng.normal(size=module.manifest["nq"])
    arguments = (q / np.linalg.norm(q), *rng.normal(size=(2, module.manifest["nv"])))
    found, expected = (
        module.functions[name](*arguments) for name in ("inverse_dynamics_by_q_v", "inverse_dynamics_derivatives")
    )
    for left, right in zip(found, expected, strict=True):
        assert np.allclose(left, right, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("model", "of", "by", "what", "remedy"),
    [
        ("cart_pole", "inverse_dynamics", ("tau",), "no argument or run-time parameter 'tau'", "it has q, v, vdot"),
        ("spinning_top", "inverse_dynamics", ("m",), "m is a number in this module", "`symbolic_parameters m`"),
        ("cart_pole", "dynamics", ("q",), "has no function 'dynamics'", "forward_dynamics"),
        ("cart_pole", "mass_matrix", (), "by nothing", "`with_respect_to`"),
        ("cart_pole", "mass_matrix", ("q", "q"), "by one thing twice", "once each"),
        ("four_bar", "project_position", ("q",), "iterates and has no derivative", "constraint_jacobian"),
    ],
)
def test_what_cannot_be_differentiated_is_said(
    model: str, of: str, by: tuple[str, ...], what: str, remedy: str, tmp_path: Path
) -> None:
    with pytest.raises(DerivationError, match=what) as caught:
        generate(model, tmp_path, derivatives=[(of, by)], symbolic_parameters="none" if by == ("m",) else "")
    assert remedy in str(caught.value.remedy)
    assert not list(tmp_path.iterdir())


def test_stepping_code_has_no_derivatives(tmp_path: Path) -> None:
    with pytest.raises(DerivationError, match="the formulation transfer-matrix has no derivatives"):
        generate("four_bar", tmp_path, formulation="transfer-matrix", derivatives=[("step", ("q",))])


def test_the_command_line_pairs_functions_and_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = str(tmp_path / "there")
    words = ["generate", "cart_pole", "-o", there, "--function", "mass_matrix", "--derivative-of", "mass_matrix"]
    assert main([*words, "--with-respect-to", "q, l"]) == 0
    assert set(load_numpy(Path(there) / "cart_pole.py").functions) == {"mass_matrix", "mass_matrix_by_q_l"}
    capsys.readouterr()
    assert main(words) == 2
    assert "1 functions and 0 lists of names" in capsys.readouterr().err


def test_they_are_there_only_where_they_are_named(tmp_path: Path) -> None:
    options = GenerationOptions()
    derived = derive(express(read("cart_pole"), options), options)
    assert not {program.name for program in derived.programs} & set(DERIVATIVE_FUNCTIONS)
    with pytest.raises(DerivationError, match="has no function 'derivative'") as caught:
        generate("cart_pole", tmp_path, functions=["derivative"])
    assert "inverse_dynamics_derivatives" in str(caught.value.remedy)


def test_closed_loops_say_that_their_motion_is_constrained(tmp_path: Path) -> None:
    with pytest.raises(DerivationError, match="has no function 'forward_dynamics_derivatives'") as caught:
        generate("four_bar", tmp_path, functions=["forward_dynamics_derivatives"])
    assert "closed loops" in str(caught.value.remedy)
    assert not list(tmp_path.iterdir())
