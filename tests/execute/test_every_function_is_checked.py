"""Every function of every formulation has a check, and every entry of its results can fail it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.languages import LANGUAGES
from mbsym.codegen.load import LoadedFunction, LoadedModule, load_numpy
from mbsym.codegen.write import write_files
from mbsym.errors import VerificationError
from mbsym.forces import JointDamper, JointSpring, PointSpringDamper
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.beam import Beam
from mbsym.model.beams_of_models import with_beams
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import generate
from mbsym.reference import Reference
from mbsym.registry import FORMULATIONS, TRANSFER_MATRIX, available_functions, contracts_of
from mbsym.transfer_matrix.layout import RotationVariable
from mbsym.transfer_matrix.module import stepping_module, with_steps
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.verification.certificate import verify
from mbsym.verification.checks import (
    BETWEEN_LANGUAGES,
    Settings,
    Worst,
    check_function,
    require_checked,
    run_checks,
)
from mbsym.verification.closed_states import ClosedStates
from mbsym.verification.evidence import Companions, Evidence, Numbers
from mbsym.verification.identities import IDENTITIES
from mbsym.verification.stepping_checks import STEP_IDENTITIES, check_block, run_stepping_checks
from mbsym.verification.stepping_evidence import StepEvidence, random_arguments
from mechanisms.examples import further, some

MODELS = ("cart_pole", "spinning_top", "floating_two_arm", "five_bar", "four_bar", "rhombus_spatial")
"""A tree with control inputs, quaternions, all in space; loops with motors, in the plane and in space."""

WAYS = tuple(name for name in FORMULATIONS if name != TRANSFER_MATRIX)
TREE_OR_LOOP = ("double_pendulum", "five_bar")

SPATIAL_LOOP = ("rhombus_spatial", "numpy", "double")
BENCHES = (
    *((model, "numpy", "double") for model in MODELS if model != "rhombus_spatial"),
    *((model, "c", real) for model in ("cart_pole", "four_bar") for real in ("double", "float")),
    ("five_bar", "numpy", "float"),
)

REFERENCE_FACTOR = 1.1
"""Errors that must be seen, in terms of the bound, where a function is compared with the reference as it is."""

IDENTITY_FACTOR = {"double": 5.0, "float": 20.0}
"""The same where a result is multiplied with others before it is compared; in single precision differences of the
residuals say nothing of G, so that only its row space is compared."""


@dataclass(frozen=True)
class Bench:
    """A generated module with one state at which it is checked.

    Attributes:
        model: name of the example.
        mechanism: labelled.
        module: as generated.
        numbers: the reference at the state.
        condition: of the mass matrix there.
        real: precision of the module.
    """

    model: str
    mechanism: Mechanism
    module: LoadedModule
    numbers: Numbers
    condition: float
    real: str

    def results(self, function: str) -> tuple[Any, ...]:
        """What a function returns at the state."""
        return Evidence(function, self.module, self.numbers, Companions(self.mechanism)).outputs()

    def checks(self, module: LoadedModule, function: str) -> Worst:
        """The checks of one function."""
        worst = Worst()
        evidence = Evidence(function, module, self.numbers, Companions(self.mechanism), self.real == "float")
        check_function(worst, contracts_of(self.mechanism)[function], evidence, self.condition, 0)
        return worst


@pytest.fixture(scope="module", params=[*BENCHES, *further((SPATIAL_LOOP,))], ids="-".join)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    name, language, real = request.param
    directory: Path = tmp_path_factory.mktemp(name)
    model = examples.load(name)
    generate(model, directory, languages=[language], real=real)
    module = LANGUAGES[language].load(directory, model.name)
    mechanism = build_mechanism(model, model.label())
    reference = Reference(model, model.label())
    rng = np.random.default_rng(5)
    q = reference.integrate_position(initial_coordinates(mechanism), rng.uniform(-1, 1, reference.nv), 0.3)
    v = rng.uniform(-1, 1, reference.nv)
    if mechanism.cut_joints:
        q, v = ClosedStates(reference, mechanism).draw(v, rng)
    state: dict[str, Any] = {"q": q, "v": v, "t": 0.3, "u": rng.uniform(-1, 1, len(model.inputs))}
    state |= {name: rng.uniform(-2, 2, reference.nv) for name in ("tau", "vdot")}
    shapes = {item.name: item.shape for function in module.functions.values() for item in function.inputs}
    state |= {name: rng.uniform(0.5, 2, shape) for name, shape in shapes.items() if name not in state}
    condition = float(np.linalg.cond(reference.mass_matrix(q)))
    yield Bench(model.name, mechanism, module, Numbers(reference, state), condition, real)


def with_error(module: LoadedModule, name: str, output: int, entry: int, error: float) -> LoadedModule:
    """The module with an error in one entry of one result of one function."""
    function = module.functions[name]

    def call(inputs: Sequence[Any], parameters: Any) -> Any:
        found = function.call(inputs, parameters)
        results = [np.array(array, dtype=float) for array in (found if isinstance(found, tuple) else (found,))]
        result = results[output]
        flat = result.reshape(*result.shape[: result.ndim - len(function.outputs[output].shape)], -1)
        flat[..., entry] += error
        return results[0] if len(results) == 1 else tuple(results)

    return replace(module, functions={**module.functions, name: replace(function, call=call)})


def test_every_function_has_a_check_that_it_passes(bench: Bench) -> None:
    for name in bench.module.functions:
        found = bench.checks(bench.module, name).found.values()
        assert found, name
        assert all(check.passed for check in found), [check for check in found if not check.passed]


def test_an_error_just_above_the_bound_in_any_entry_of_any_result_fails_a_check(bench: Bench) -> None:
    unseen = []
    contracts = contracts_of(bench.mechanism)
    for name, function in bench.module.functions.items():
        plain = bench.checks(bench.module, name).found.values()
        bound = max(check.tolerance for check in plain)
        for output, item in enumerate(function.outputs):
            result = bench.results(name)[output]
            size = max(1.0, float(np.abs(result).max(initial=0.0)))
            compared = contracts[name].reference and output == 0
            error = size * bound * (REFERENCE_FACTOR if compared else IDENTITY_FACTOR[bench.real])
            for entry in range(item.size):
                wrong = with_error(bench.module, name, output, entry, error)
                if all(check.passed for check in bench.checks(wrong, name).found.values()):
                    unseen.append((name, item.name, entry))
    assert unseen == []


@pytest.mark.parametrize(
    ("formulation", "model"),
    some(product(WAYS, TREE_OR_LOOP), [(way, TREE_OR_LOOP[place % 2]) for place, way in enumerate(WAYS)]),
)
def test_every_formulation_of_trees_and_loops_passes(formulation: str, model: str, tmp_path: Path) -> None:
    generate(model, tmp_path, languages=["numpy"], formulation=formulation)
    found = verify(tmp_path, states=2)
    assert found.passed, found.summary()
    functions = load_numpy(tmp_path / f"{model}.py").functions
    assert {check.function for check in found.checks if not (check.is_of_text or check.is_beyond)} == set(functions)


def test_contracts_name_checks_that_exist() -> None:
    for model in ("double_pendulum", "five_bar"):
        mechanism = build_mechanism(examples.load(model), examples.load(model).label())
        contracts = contracts_of(mechanism)
        for name in available_functions(mechanism, "auto").functions:
            contract = contracts[name]
            assert contract.reference or contract.identities, name
        for contract in contracts.values():
            assert set(contract.identities) <= set(IDENTITIES), contract.name
            method = contract.reference.partition(".")[0]
            assert not method or hasattr(Reference, method), contract.name


def test_a_function_without_a_check_is_an_error(bench: Bench) -> None:
    stranger = LoadedFunction("stranger", (), (), (), lambda inputs, parameters: np.zeros(0))
    module = replace(bench.module, functions={**bench.module.functions, "stranger": stranger})
    model, settings = bench.mechanism.model, Settings(1, 0, "weight")
    with pytest.raises(VerificationError, match="function stranger has no check: it has no contract"):
        run_checks(model, [module], settings)


def test_agreement_of_languages_is_no_check(bench: Bench) -> None:
    """Two versions of the same wrong operations agree."""
    module = LoadedModule("c", bench.module.manifest, {"mass_matrix": bench.module.functions["mass_matrix"]})
    other = replace(module, language="numpy")
    checks, _ = run_checks(bench.mechanism.model, [module, other], Settings(3, 0, "weight"))
    between = [check for check in checks if check.is_of_text]
    assert [check.against for check in between] == [f"c{BETWEEN_LANGUAGES}"]
    with pytest.raises(VerificationError, match="mass_matrix has no check: nothing was compared in c"):
        require_checked([module, other], between)


# ---- stepping modules ------------------------------------------------------------------------------------------------

OF_MOTIONS = {"transfer_matrix_start", "transfer_matrix_advance", "step", "transfer_matrix_observe"}
"""Functions that are made of the others, and checked by whole motions."""

BLOCK_ERROR = 1e-5
"""Relative error of a building block that must be seen."""

ONE_STATE = Settings(1, 0, "weight")


def carriage() -> Model:
    """A carriage on a bushing with a pendulum of two bodies, springs of all kinds, and a parallelogram."""
    box = (0.2, 0.3, 0.25, 0, 0, 0)
    names = ("carriage", "arm", "weight", "crank", "rod", "rocker")
    bodies = tuple(Body(name, 1.0 + k, (0.1, 0.2 - k / 20, 0), box) for k, name in enumerate(names))
    at = Placement((0.3, 0.2, 0))
    joints = (
        Joint("bushing", "planar", "ground", "carriage", axis=(0, 0, 1)),
        Joint("shoulder", "revolute", "arm", "carriage", axis=(0, 0, 1), successor_placement=at, armature=0.2),
        Joint("weld", "fixed", "arm", "weight", predecessor_placement=Placement((0, -0.5, 0))),
        Joint(
            "pivot", "revolute", "ground", "crank", axis=(0, 0, -1), initial=(0.7,),
            predecessor_placement=Placement((2, 0, 0)),
        ),
        Joint(
            "knee", "revolute", "crank", "rod", axis=(0, 0, 1), initial=(0.7,),
            predecessor_placement=Placement((0, 0.5, 0)),
        ),
        Joint(
            "ankle", "revolute", "rod", "rocker", axis=(0, 0, 1), initial=(-0.7,),
            predecessor_placement=Placement((0.5, 0, 0)),
        ),
        Joint(
            "closing", "revolute", "rocker", "ground", axis=(0, 0, 1),
            predecessor_placement=Placement((0, -0.5, 0)), successor_placement=Placement((2.5, 0, 0)),
        ),
    )  # fmt: skip
    forces = (
        *(JointSpring(f"spring_{k}", "bushing", 40.0, 0.3 * k, index=k) for k in (0, 1)),
        *(JointDamper(f"damper_{k}", "bushing", 3.0, index=k) for k in (0, 1)),
        JointSpring("torsion", "shoulder", 5.0, 0.3),
        JointDamper("friction", "shoulder", 0.4),
        PointSpringDamper("strut", "ground", "arm", 30, 2, 0.8, (-1, 1, 0), (0.1, -0.2, 0)),
    )
    return Model("carriage", bodies, joints, forces=forces, gravity=(0.5, -9.8, 0))


@pytest.fixture(
    scope="module",
    params=[("carriage", None), *further((("rhombus_spatial", "incremental"),)), ("rhombus_spatial", "cardan")],
    ids=lambda chosen: f"{chosen[0]}-{chosen[1]}",
)
def blocks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StepEvidence:
    name, rotation = request.param
    return stepping_bench(
        carriage() if name == "carriage" else examples.load(name), rotation, tmp_path_factory.mktemp(name)
    )


def stepping_bench(model: Model, rotation: RotationVariable | None, directory: Path) -> StepEvidence:
    """A generated stepping module at one state with closed loops."""
    mechanism = build_mechanism(model, model.label())
    system = transfer_system(mechanism, rotation)
    description = with_steps(ModuleDescription(model.name, ()), stepping_module(system))
    paths = write_files(directory, render(description, ("numpy",)))
    module = load_numpy(next(path for path in paths if path.suffix == ".py"))
    reference = Reference(model, mechanism.labelling)
    rng = np.random.default_rng(3)
    q, v = ClosedStates(reference, mechanism).draw(rng.uniform(-1, 1, reference.nv), rng)
    return StepEvidence(module, system, reference, q, v, random_arguments(module, list(STEP_IDENTITIES), system, rng))


def fails(evidence: StepEvidence, name: str) -> bool:
    """True where a building block is not what it must be."""
    worst = Worst()
    check_block(worst, name, evidence, ONE_STATE, 0)
    return not all(check.passed for check in worst.found.values())


def test_every_function_of_a_stepping_module_has_a_check(blocks: StepEvidence) -> None:
    assert set(blocks.module.functions) == {*STEP_IDENTITIES, *OF_MOTIONS}
    assert [name for name in STEP_IDENTITIES if fails(blocks, name)] == []


def test_an_error_in_any_entry_of_any_building_block_is_seen(blocks: StepEvidence) -> None:
    assert unseen_errors(blocks, STEP_IDENTITIES) == []


@pytest.mark.more
def test_an_error_in_any_entry_of_the_tables_of_a_beam_is_seen(tmp_path: Path) -> None:
    """It bends about two axes, stretches and twists, and is walked from its tip, on a body with a slanting axis."""
    bodies = Body("hub", 1, (0.1, 0.2, 0), (0.2, 0.3, 0.25, 0, 0, 0)), Body("tip", 2, (0, 0.1, 0.1), (1, 1, 1, 0, 0, 0))
    joints = (Joint("spin", "revolute", "ground", "tip", axis=(1, 2, 2), armature=0.3),)
    numbers = {"bending_stiffness": (3, 2), "axial_stiffness": 5e3, "torsional_stiffness": 4, "torsional_inertia": 0.1}
    beam = Beam("b", "hub", 1, 0.5, bends="both", damping=0.1, segments=1, tip="tip", **numbers)
    spring = JointSpring("coil", "spin", 20, -0.2)
    model = with_beams(Model("beamed", bodies, joints, forces=(spring,), gravity=(0.5, -9.8, 2)), (beam,))
    # Springs strained by as much as tells one stiffness from another.
    bench = replace(stepping_bench(model, None, tmp_path), q=np.array([0.3, -0.4, 0.5, -0.4, 0.3]))
    assert not fails(bench, "transfer_matrix_system")
    assert unseen_errors(bench, ("transfer_matrix_system",)) == []


def unseen_errors(blocks: StepEvidence, names: Iterable[str]) -> list[tuple[str, str, int]]:
    unseen = []
    for name in names:
        for output, item in enumerate(blocks.module.functions[name].outputs):
            for entry in range(item.size):
                module = with_error(blocks.module, name, output, entry, BLOCK_ERROR)
                if not fails(replace(blocks, module=module), name):
                    unseen.append((name, item.name, entry))
    return unseen


def test_a_function_of_a_stepping_module_without_a_check_is_an_error(tmp_path: Path) -> None:
    bench = stepping_bench(examples.load("double_pendulum"), None, tmp_path)
    stranger = LoadedFunction("stranger", (), (), (), lambda inputs, parameters: np.zeros(0))
    module = replace(bench.module, functions={**bench.module.functions, "stranger": stranger})
    with pytest.raises(VerificationError, match="function stranger has no check: nothing was compared in numpy"):
        run_stepping_checks(examples.load("double_pendulum"), [module], ONE_STATE)
