"""Regressors: exact for every parameter of every joint type and force element, counted, and in certificates.

Exact means in the field of 2^61 - 1 elements, with a symbol for each parameter.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from mbsym import examples
from mbsym.codegen.load import load_numpy
from mbsym.derivatives.tangent import along_speeds
from mbsym.errors import DerivationError, ModelError
from mbsym.forces import FORCE_ELEMENTS
from mbsym.pipeline import GenerationOptions, derive, express, generate, read
from mbsym.reference import Reference
from mbsym.registry import contracts_of
from mbsym.regressors.columns import dense, extracted_columns, force_columns
from mbsym.regressors.functions import REGRESSOR_FUNCTIONS
from mbsym.regressors.parameters import standard_parameters, with_values
from mbsym.regressors.sampled import sampled_program
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.scalar import Scalar
from mbsym.verification.certificate import verify
from mbsym.verification.checks import Worst, check_function
from mbsym.verification.evidence import Companions, Evidence, Numbers
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.symbolic_parameters import SEEDS, Symbolic, model_named, symbolic
from mechanisms.told import assert_as_told

BUNDLED = (
    "double_pendulum", "cart_pole", "planar_3r", "spinning_top", "puma560", "floating_two_arm", "quadruped",
    "space_robot", "five_bar",
)  # fmt: skip
"""All trees, and loops cut open."""


@pytest.mark.parametrize("name", [*BUNDLED, *SEEDS])
def test_forces_are_the_regressor_times_the_parameters(name: str | int) -> None:
    case = symbolic(name)
    found = case.times(REGRESSOR_FUNCTIONS["regressor"](case.mechanism), "Y")
    assert case.same(found, case.of("inverse_dynamics"))


@pytest.mark.parametrize("name", [*BUNDLED, *SEEDS])
def test_energies_are_rows_times_the_parameters(name: str | int) -> None:
    case = symbolic(name)
    program = REGRESSOR_FUNCTIONS["energy_regressor"](case.mechanism)
    assert case.same(case.times(program, "kinetic"), case.of("kinetic_energy"))
    assert case.same(case.times(program, "potential"), case.of("potential_energy"))


@pytest.mark.parametrize("name", [*BUNDLED[:5], *SEEDS])
def test_momenta_and_their_rates_are_linear_in_the_parameters(name: str | int) -> None:
    """P pi = M v, and F pi = Mdot v - h, so that d(M v)/dt = tau + F pi."""
    case = symbolic(name)
    mechanism = case.mechanism
    program = REGRESSOR_FUNCTIONS["momentum_regressor"](mechanism)
    n, v, zero = mechanism.nv, mechanism.entries(mechanism.v), Scalar(mechanism.graph, 0)
    M, h = case.of("mass_matrix"), case.of("bias_force")
    momenta = [sum((M[n * i + j] * v[j] for j in range(n)), zero) for i in range(n)]
    assert case.same(case.times(program, "P"), momenta)
    rates = along_speeds(mechanism, [entry.ref for entry in M])
    forces = [
        sum((rates[n * i + j][k] * v[k] * v[j] for j in range(n) for k in range(n)), zero) - h[i] for i in range(n)
    ]
    assert case.same(case.times(program, "F"), forces)


@pytest.mark.parametrize("name", [2, 12, 40, 90, "puma560"])
def test_both_ways_to_the_regressor_agree(name: str | int) -> None:
    """By Jacobians of the bodies and by differentiation: entries of single columns, where a sum would hide."""
    mechanism = mechanism_of(model_named(name))
    sides = [dense(mechanism, columns) for columns in (force_columns(mechanism), extracted_columns(mechanism))]
    case = Symbolic(mechanism, ())
    assert case.same(*([entry for row in side for entry in row] for side in sides))


def test_the_random_trees_have_all_force_elements_and_these_say_what_they_are_linear_in() -> None:
    elements = [element for seed in SEEDS for element in model_named(seed).forces]
    assert {element.type for element in elements} == set(FORCE_ELEMENTS)
    whole = {name for name, record in FORCE_ELEMENTS.items() if not record.element.linear_in}
    assert whole == {"joint_force", "contact", "tyre"}


def test_parameters_have_the_names_of_those_that_a_module_takes() -> None:
    names = [item.name for item in standard_parameters(examples.load("cart_pole"))]
    ten = ("mass", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    assert names == [*(f"cart_{key}" for key in ten), *(f"pole_{key}" for key in ten), "motor_gain", "bearing_damping"]
    puma = [item.name for item in standard_parameters(examples.load("puma560"))]
    assert [name for name in puma if name.endswith("armature")] == [f"joint{k}_armature" for k in range(1, 7)]


def test_a_model_takes_other_values() -> None:
    model = with_values(examples.load("cart_pole"), {"pole_hz": 0.25, "bearing_damping": 0.5})
    values = {item.name: item.value for item in standard_parameters(model)}
    assert (values["pole_hz"], values["bearing_damping"], values["pole_hx"]) == (0.25, 0.5, 0)
    with pytest.raises(ModelError, match="no parameter 'pole_Hz'"):
        with_values(model, {"pole_Hz": 1})
    whole = model_named(next(seed for seed in SEEDS if any(e.type == "joint_force" for e in model_named(seed).forces)))
    share = next(item.name for item in standard_parameters(whole) if item.kind == "share")
    with pytest.raises(ModelError, match="is known as a whole"):
        with_values(whole, {share: 2})


@pytest.mark.parametrize("name", ["spinning_top", "four_bar", *further("cart_pole")])
def test_certificates_check_every_column(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, functions=list(REGRESSOR_FUNCTIONS))
    assert (found := verify(tmp_path, states=3)).passed, found.summary()
    module = load_numpy(tmp_path / f"{name}.py")
    columns = [item["name"] for item in module.manifest["regressor_columns"]]
    assert columns == [item.name for item in standard_parameters(examples.load(name))]
    Y = module.functions["regressor"].outputs[0]
    assert Y.shape == (module.manifest["nv"], len(columns))
    header = (tmp_path / f"{name}.h").read_text()
    assert f"{name}_NP = {len(columns)}" in header
    assert f"{name}_COLUMN_{columns[3]} = 3" in header


def test_a_wrong_column_fails_its_certificate(tmp_path: Path) -> None:
    generate("cart_pole", tmp_path, functions=["regressor"], languages=["numpy"])
    module = load_numpy(tmp_path / "cart_pole.py")
    mechanism = mechanism_of(examples.load("cart_pole"))
    function = module.functions["regressor"]
    state = {"q": np.array([0.1, 0.7]), "v": np.array([0.3, -1.1]), "vdot": np.array([0.5, 2.0]), "t": 0.0,
             "u": np.array([1.5])}  # fmt: skip
    reached = np.asarray(function(*(state[item.name] for item in function.inputs)))

    def passes(column: int) -> bool:
        def call(inputs: object, parameters: object) -> np.ndarray:
            wrong = reached.copy()
            if column >= 0:
                wrong[1, column] += 1e-6
            return wrong

        wrong = replace(module, functions={"regressor": replace(function, call=call)})
        worst = Worst()
        numbers = Numbers(Reference(mechanism.model, mechanism.labelling), state)
        evidence = Evidence("regressor", wrong, numbers, Companions(mechanism))
        check_function(worst, contracts_of(mechanism)["regressor"], evidence, 10.0, 0)
        return all(check.passed for check in worst.found.values())

    assert passes(-1)
    assert not any(passes(column) for column in range(reached.shape[1]))


@pytest.mark.parametrize("robot", ["ur5_robot", "solo12", "talos_left_arm"])
def test_columns_are_those_of_pinocchio(robot: str) -> None:
    """Whose ten are m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz of each joint's body; joints are matched by name."""
    path = next(
        Path(str(item.locate()))
        for item in files("example-robot-data") or ()
        if item.stem == robot and item.suffix == ".urdf"
    )
    model = read(path)
    mechanism = mechanism_of(model)
    other = pin.buildModelFromUrdf(str(path))
    data = other.createData()
    rng = np.random.default_rng(0)
    columns = force_columns(mechanism)
    program = sampled_program(mechanism, columns)
    order = [other.joints[other.getJointId(body.joint.name)].idx_v for body in mechanism.bodies_by_coordinates]
    ten = (0, 1, 2, 3, 4, 6, 9, 5, 7, 8)
    places = {body.name: [10 * (other.getJointId(body.joint.name) - 1) + k for k in ten] for body in mechanism.bodies}
    names = [item.owner for item in standard_parameters(model) if item.kind == "inertial"][::10]
    theirs = [place for name in names for place in places[name]]
    for _ in range(5):
        q, v, vdot = rng.uniform(-1, 1, (3, mechanism.nv))
        mine = interpret(program, {"q": q, "v": v, "vdot": vdot})["Y"]
        moved = [np.empty(mechanism.nv) for _ in range(3)]
        for own, target in zip((q, v, vdot), moved, strict=True):
            target[order] = own
        Y = pin.computeJointTorqueRegressor(other, data, *moved)[order][:, theirs]
        assert np.allclose(mine[:, : len(theirs)], Y, atol=1e-11 * np.abs(Y).max()), robot


# ---- operations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "most"), [("double_pendulum", 29), ("puma560", 892), ("cart_pole", 16)])
def test_operations(name: str, most: int) -> None:
    options = GenerationOptions(functions=("regressor",), symbolic_parameters="none")
    (program,) = derive(express(examples.load(name), options), options).programs
    assert_as_told(program.operation_count().arithmetic, most)


def test_they_are_there_only_where_they_are_named(tmp_path: Path) -> None:
    options = GenerationOptions()
    derived = derive(express(examples.load("cart_pole"), options), options)
    assert not {program.name for program in derived.programs} & set(REGRESSOR_FUNCTIONS)
    with pytest.raises(DerivationError, match="has no function 'regresor'") as caught:
        generate("cart_pole", tmp_path, functions=["regresor"])
    assert "momentum_regressor" in str(caught.value.remedy)
