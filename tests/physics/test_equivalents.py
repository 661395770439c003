"""Slid frames, regrouped bodies and followed axes change no result: all functions, exactly, in GF(2^61 - 1)."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import pytest

from mbsym.errors import DerivationError
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics import regrouping
from mbsym.kinematics.equivalents import REGROUP, SLIDE, for_forces, for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import AXES
from mbsym.kinematics.simplifications import SIMPLIFICATIONS
from mbsym.kinematics.simplified import simplified
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, read
from mbsym.registry import available_functions
from mbsym.regressors.base_parameters import base_parameters_of
from mbsym.regressors.parameters import with_symbols
from mbsym.symbolic.equality import compare
from mechanisms.benchmark_chains import benchmark_chain, spatial_chain
from mechanisms.examples import further, some
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_trees import random_tree

BUNDLED = ("cart_pole", "planar_3r", "spinning_top", "puma560", "five_bar")

SEEDS = (0, 4, 7, 10, 12, 15, 26, 93)
"""Random trees that together have every joint type both ways round, couplings, force elements and run-time
parameters."""

LOOPS = (0, 5)

OF_LOOPS = ("constrained_dynamics", "forward_dynamics", "constrained_terms", "position_correction", "joint_wrenches")

UR5 = next(Path(file.locate()) for file in files("example-robot-data") or () if file.name == "ur5_robot.urdf")


@pytest.fixture
def exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long fractions are not rounded, so that equal means equal."""
    monkeypatch.setattr(regrouping, "MOST_BITS", 1 << 30)


def changed_functions(mechanism: Mechanism, ways: tuple[str, ...], names: tuple[str, ...] = ()) -> list[str]:
    """Names of the functions whose values the simplifications change."""
    same = simplified(mechanism, ways, prepared=getattr(mechanism, "prepared", False)).afresh()
    given, shorter = (available_functions(each, "auto").every for each in (mechanism, same))
    found = []
    for name in names or given:
        try:
            before = given[name](mechanism.afresh())
        except DerivationError:
            continue
        if not compare(before, shorter[name](same.afresh()), trials=2):
            found.append(name)
    return found


@pytest.mark.parametrize("name", [further(name)[0] if name == "puma560" else name for name in BUNDLED])
def test_no_function_of_bundled_models_changes(name: str, exactly: None) -> None:
    assert not changed_functions(mechanism_of(read(name)), (SLIDE, REGROUP, AXES))


@pytest.mark.parametrize("name", ["four_bar", *further("stewart_platform")])
def test_no_function_of_bundled_loops_changes(name: str, exactly: None) -> None:
    assert not changed_functions(mechanism_of(read(name)), (SLIDE, REGROUP, AXES), OF_LOOPS)


@pytest.mark.parametrize("seed", some(SEEDS, (0, 4, 7, 15, 26)))
@pytest.mark.parametrize("ways", [(SLIDE, REGROUP, AXES), *further(((SLIDE,),), ((REGROUP,),))])
def test_no_function_of_random_trees_changes(seed: int, ways: tuple[str, ...], exactly: None) -> None:
    mechanism = mechanism_of(random_tree(seed, bodies=(1, 4)))
    names = ("inverse_dynamics", "mass_matrix")
    if len(ways) > 1:
        names += ("forward_dynamics", "kinetic_energy", "gravity_force", "inverse_dynamics_derivatives", "slotine_li")
    assert not changed_functions(mechanism, ways, names)


def test_no_function_changes_where_parameters_are_prepared() -> None:
    """Other moments are moved there than where each operation on them counts."""
    mechanism = simplified(mechanism_of(benchmark_chain(3)), (), prepared=True)
    assert not changed_functions(mechanism, (SLIDE, REGROUP, AXES), ("inverse_dynamics", "forward_dynamics"))
    moments = [
        [each.inertia.about_origin for each in for_forces(simplified(mechanism, (REGROUP,), prepared=first)).bodies]
        for first in (True, False)
    ]
    assert moments[0] != moments[1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("prepared", [False, True])
def test_no_function_changes_where_every_moment_is_a_symbol(seed: int, prepared: bool, exactly: None) -> None:
    model, _ = with_symbols(random_tree(seed, bodies=(1, 4)))
    mechanism = simplified(mechanism_of(model), (), prepared=prepared)
    assert not changed_functions(mechanism, (SLIDE, REGROUP, AXES), ("inverse_dynamics", "mass_matrix"))


def test_the_seeds_have_everything() -> None:
    models = [random_tree(seed, bodies=(1, 4)) for seed in SEEDS]
    assert {joint.type for model in models for joint in model.joints} >= set(JOINT_TYPES)
    assert any(model.couplings for model in models)
    assert any(model.forces for model in models)
    bodies = [body for model in models for body in mechanism_of(model).bodies]
    assert {body.joint.type for body in bodies if body.flipped} >= set(JOINT_TYPES)


@pytest.mark.parametrize("seed", LOOPS)
def test_no_function_of_random_loops_changes(seed: int, exactly: None) -> None:
    model, _ = random_closed_loops(seed, loops=(1, 2), bodies=(3, 5))
    assert not changed_functions(mechanism_of(model), (SLIDE, REGROUP, AXES), OF_LOOPS)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_as_many_parameters_stay_as_can_be_identified(kind: str) -> None:
    """A finite field counts the base parameters otherwise: by the columns of the regressor that are independent."""
    mechanism = simplified(mechanism_of(on_a_moving_base(kind)), (REGROUP,))
    for same in (for_mass_matrix(mechanism), for_forces(mechanism)):
        inertias = [body.inertia for body in same.bodies]
        entries = [entry for item in inertias for entry in (item.mass, *item.first_moment, *item.about_origin)]
        held = sum(bool(entry) for entry in entries)
        if "second moment zz" in JOINT_TYPES[kind].unfelt:
            # One of the moments follows from the others.
            xx, yy, zz, *_ = inertias[-1].about_origin
            held -= xx + yy == zz
        assert held == len(base_parameters_of(mechanism, None).base)


def on_a_moving_base(kind: str) -> Model:
    bodies = tuple(Body(name, 2, (0.1, 0.2, 0.3), (1.1, 1.2, 1.3, 0.01, 0.02, 0.03)) for name in ("trunk", "tool"))
    joints = (
        Joint("base", "free", "ground", "trunk"),
        Joint("wrist", kind, "trunk", "tool", pitch=0.1 if kind == "helical" else 0),
    )
    return Model("moving", bodies, joints)


def test_what_is_told_of_true_bodies_is_derived_from_them() -> None:
    """They take what they took before; what does not need them takes less."""
    mechanism = mechanism_of(read("puma560"))
    functions = available_functions(mechanism, "auto").every
    same = simplified(mechanism, (SLIDE, REGROUP))
    for name in ("momentum", "center_of_mass", "body_poses", "joint_wrenches", "potential_energy", "kinetic_energy"):
        before, after = (functions[name](each.afresh()).operation_count() for each in (mechanism, same))
        assert before.arithmetic > after.arithmetic if name == "kinetic_energy" else before == after


def test_origins_are_slid_to_where_axes_meet() -> None:
    """The arm of the PUMA 560: its elbow is where the axes of link 4 and its wrist are nearest."""
    mechanism = simplified(mechanism_of(read("puma560")), (SLIDE,))
    offsets = [[float(x.constant or 0) for x in body.inboard.translation] for body in for_forces(mechanism).bodies]
    still = [0.0, 0.0, 0.0]
    assert offsets == [still, [0, 0.1501, 0], [0.4318, 0, 0], [-0.0203, 0, 0], [0, 0, 0.4331], still]


@pytest.mark.parametrize("name", SIMPLIFICATIONS)
def test_each_simplification_can_be_left_out_and_saves(name: str) -> None:
    """Of forward dynamics of a UR5; the others are applied."""
    kept = tuple(other for other in SIMPLIFICATIONS if other != name)
    found = []
    for simplify in ("all", kept):
        options = GenerationOptions(functions=("forward_dynamics",), simplify=simplify)
        (program,) = derive(express(read(UR5), options), options).programs
        found.append(program.operation_count().arithmetic)
    assert found[0] < found[1]


def test_a_simplification_that_is_none_is_named() -> None:
    with pytest.raises(DerivationError, match="did you mean 'regroup'"):
        express(read("puma560"), GenerationOptions(simplify=("regrup",)))


def test_parameters_at_run_time_never_cost_more() -> None:
    """What regrouping takes is counted where it is not numbers that are regrouped."""
    model = spatial_chain(3)
    for function in ("inverse_dynamics", "mass_matrix"):
        found = {}
        for simplify in ("all", "none"):
            options = GenerationOptions(functions=(function,), symbolic_parameters="all", simplify=simplify)
            (program,) = derive(express(model, options), options).programs
            found[simplify] = program.operation_count().arithmetic
            assert [item.name for item in program.parameters] == [item.name for item in model.parameters]
        assert found["all"] <= found["none"]
