"""Functions whose bodies share steps are the functions that are written out, exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mbsym import examples
from mbsym.derivatives.sparsity import sparsity_of
from mbsym.errors import SymbolicError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.shared import kinds
from mbsym.formulations.shared.functions import SHARED_FUNCTIONS
from mbsym.formulations.shared.kinds import Kind, sorted_bodies
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, express, optimise
from mbsym.symbolic.equality import compare
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.finite_field import evaluate
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import For, Program
from mbsym.symbolic.show import show
from mbsym.symbolic.unroll import unrolled
from mechanisms.random_mechanisms import random_tree

NUMERIC = GenerationOptions(symbolic_parameters="none")
MOVING = tuple(name for name, kind in JOINT_TYPES.items() if not kind.is_rigid)


def simplified(rolled: Program) -> Program:
    return optimise(rolled)[0]


def planar_chain(count: int) -> Model:
    """Bodies in a plane on parallel hinges, no two alike."""
    bodies = tuple(Body(f"b{k}", 1 + k, ("0.1", "0.2", 0), (1, 1, 1 + k, 0, 0, 0)) for k in range(count))
    joints = tuple(
        Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}", (0, 0, 1),
              predecessor_placement=Placement(("0.3", 0, 0)))
        for k in range(count)
    )  # fmt: skip
    return Model(f"planar{count}", bodies, joints, gravity=(0, "-9.81", 0))


@pytest.mark.parametrize("function", SHARED_FUNCTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_they_equal_what_is_written_out(seed: int, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Few kinds, so that bodies with zeros in other places share one.
    monkeypatch.setattr(kinds, "MOST_KINDS", 1 + seed % 3)
    model = random_tree(seed, bodies=(3, 6), forces=False, couplings=False, parameters=False)
    mechanism = express(model, NUMERIC)
    rolled = SHARED_FUNCTIONS[function](mechanism)
    assert rolled is not None
    assert compare(unrolled(simplified(rolled)), TREE_FUNCTIONS[function](mechanism.afresh()))


@pytest.mark.parametrize("joint", MOVING)
def test_so_do_those_of_every_type_of_joint(joint: str) -> None:
    model = random_tree(3, bodies=3, joint_types=(joint,), forces=False, couplings=False, parameters=False)
    mechanism = express(model, NUMERIC)
    for function in ("forward_dynamics", "inverse_dynamics"):
        rolled = SHARED_FUNCTIONS[function](mechanism)
        assert rolled is not None
        assert compare(unrolled(simplified(rolled)), TREE_FUNCTIONS[function](mechanism.afresh()))


@pytest.mark.parametrize(
    ("seed", "functions"),
    [
        (10, ("inverse_dynamics", "potential_energy")),
        (16, ("forward_dynamics", "joint_wrenches", "mass_matrix", "potential_energy", "body_poses")),
    ],
)
def test_so_do_those_with_force_elements_and_run_time_parameters(seed: int, functions: tuple[str, ...]) -> None:
    mechanism = express(random_tree(seed, bodies=(3, 6), couplings=False), GenerationOptions())
    assert mechanism.model.forces
    assert bool(mechanism.parameters) == (seed == 16)
    for function in functions:
        rolled = SHARED_FUNCTIONS[function](mechanism)
        assert rolled is not None
        assert compare(unrolled(simplified(rolled)), TREE_FUNCTIONS[function](mechanism.afresh()))


def test_what_depends_on_parameters_is_found_once_as_far_as_steps_look_at_it() -> None:
    mechanism = express(examples.load("cart_pole"), GenerationOptions(symbolic_parameters="all"))
    arrays = {}
    for name in ("body_poses", "potential_energy", "mass_matrix", "bias_force"):
        rolled = SHARED_FUNCTIONS[name](mechanism)
        assert rolled is not None
        arrays[name] = dict(rolled.arrays)
    # Masses and the pole's first moment; the mass of both, the first moment, the inertia with either sign; the motor.
    given = {"potential_energy": {"given": 3}, "mass_matrix": {"given": 4}, "bias_force": {"acting": 1, "given": 4}}
    assert arrays == {"body_poses": {}, **given}
    # It divides by a mass that somebody may set to zero.
    assert SHARED_FUNCTIONS["center_of_mass"](mechanism) is None


def test_armatures_count() -> None:
    model = planar_chain(3)
    model = replace(model, joints=tuple(replace(joint, armature="0.2") for joint in model.joints))
    mechanism = express(model, NUMERIC)
    for function in ("forward_dynamics", "inverse_dynamics", "mass_matrix", "kinetic_energy"):
        rolled = SHARED_FUNCTIONS[function](mechanism)
        assert rolled is not None
        assert compare(unrolled(rolled), TREE_FUNCTIONS[function](mechanism.afresh()))


def test_a_wrong_step_is_found() -> None:
    mechanism = express(planar_chain(3), NUMERIC)
    rolled = SHARED_FUNCTIONS["inverse_dynamics"](mechanism)
    assert rolled is not None
    first, *others = rolled.body
    assert isinstance(first, For)
    changed = tuple(
        replace(call, numbers=(call.numbers[0] + Fraction(1, 7), *call.numbers[1:])) if call.numbers else call
        for call in first.calls
    )
    wrong = replace(rolled, body=(replace(first, calls=changed), *others))
    assert not compare(unrolled(wrong), TREE_FUNCTIONS["inverse_dynamics"](mechanism.afresh()))


def test_calls_that_read_what_was_not_written_are_refused() -> None:
    rolled = SHARED_FUNCTIONS["inverse_dynamics"](express(planar_chain(2), NUMERIC))
    assert rolled is not None
    with pytest.raises(SymbolicError, match="not written"):
        unrolled(replace(rolled, body=rolled.body[1:]))
    with pytest.raises(SymbolicError, match="never written"):
        unrolled(replace(rolled, body=rolled.body[:1]))
    with pytest.raises(SymbolicError, match="again"):
        unrolled(replace(rolled, body=(*rolled.body, rolled.body[-1])))


def test_steps_and_their_operations_do_not_depend_on_the_number_of_bodies() -> None:
    counts = []
    for count in (6, 12):
        rolled = SHARED_FUNCTIONS["forward_dynamics"](express(planar_chain(count), NUMERIC))
        assert rolled is not None
        small = simplified(rolled)
        counts.append({step.program.name: step.program.operation_count() for step in small.steps})
        assert len(small.calls) == 3 * count + 3
    assert counts[0] == counts[1]


def test_tables_of_dense_results_grow_with_the_number_of_bodies_alone() -> None:
    for function, pairs_of in (("mass_matrix", 66), ("body_jacobians", 78)):
        rolled = SHARED_FUNCTIONS[function](express(planar_chain(12), NUMERIC))
        assert rolled is not None
        small = simplified(rolled)
        (pairs,) = small.pairs
        assert len(pairs.outer) == len(pairs.inner) == 12
        assert pairs.count == len(list(pairs.each())) == pairs_of
        # What is found for each pair in a plane: no more than the place of one point seen from another takes.
        assert small.steps[pairs.step].program.operation_count().arithmetic < 20


def test_an_entry_of_a_dense_result_is_written_once() -> None:
    rolled = SHARED_FUNCTIONS["mass_matrix"](express(planar_chain(3), NUMERIC))
    assert rolled is not None
    with pytest.raises(SymbolicError, match=r"writes M\[3\] again"):
        unrolled(replace(rolled, body=(*rolled.body, *rolled.pairs)))
    with pytest.raises(SymbolicError, match="not written"):
        unrolled(replace(rolled, body=(*rolled.body[:2], *rolled.pairs)))


def test_loops_are_shown_compared_and_interpreted_as_they_are() -> None:
    mechanism = express(planar_chain(3), NUMERIC)
    rolled = SHARED_FUNCTIONS["mass_matrix"](mechanism)
    assert rolled is not None
    small, straight = simplified(rolled), TREE_FUNCTIONS["mass_matrix"](mechanism.afresh())
    assert compare(small, straight)
    at = {"q": [[0.3, -0.4, 1.1], [0.0, 0.0, 0.0]]}
    found, expected = interpret(small, at)["M"], interpret(straight, at)["M"]
    # Sums of some dozen terms of at most the size of the largest entry.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * np.max(np.abs(expected)))
    one, other = evaluate((small, straight))
    assert one == other
    (near,) = Evaluator(small)([0.3, -0.4, 1.1]).values()
    np.testing.assert_allclose(near, expected[0], rtol=0, atol=1e-14 * np.max(np.abs(expected)))
    lines = show(small).splitlines()
    assert "  M := 0" in lines and any(line.startswith("  entry(outer_wrench") for line in lines)
    assert lines[-2:] == ["  # mass matrix, each speed with those inward of it", "  M := entry of 3 pairs"]
    assert "  composite_revolute_1, 3 times" in lines
    with pytest.raises(SymbolicError, match="unrolled"):
        small.nodes()
    # Nobody may take what statements write for a zero of the structure.
    assert sparsity_of(small)["M"].columns == ((0, 1, 2),) * 3


def test_what_stays_in_a_plane_costs_no_more_than_that() -> None:
    mechanism = express(planar_chain(10), NUMERIC)
    rolled = SHARED_FUNCTIONS["inverse_dynamics"](mechanism)
    assert rolled is not None
    straight = optimise(TREE_FUNCTIONS["inverse_dynamics"](mechanism.afresh()))[0].operation_count().arithmetic
    assert simplified(rolled).operation_count().arithmetic < 1.5 * straight


def test_few_kinds_however_different_the_bodies() -> None:
    found = sorted_bodies(
        [express(random_tree(1, bodies=60, forces=False, couplings=False, parameters=False), NUMERIC)]
    )
    assert found is not None
    joints = {(kind.joint, kind.flipped) for kind in found.kinds}
    assert len(found.kinds) <= kinds.MOST_KINDS * len(joints)
    for kind, numbers in zip(found.kind, found.numbers, strict=True):
        assert len(numbers) == found.kinds[kind].numbers


def test_kinds_are_joined_where_they_differ() -> None:
    turned = (1, 0, 0, 0, 1, 0, 0, 0, 1)
    first, second = Kind("revolute", False, (*turned, 0, 2)), Kind("revolute", False, (*turned, 2, 1))
    assert first.joined(second).marks == (*turned, 2, 3)
    assert first.joined(first) == first
    other = Kind("revolute", False, (0, -1, 0, 1, 0, 0, 0, 0, 1, 0, 2))
    assert first.joined(other).marks == (*range(2, 11), 0, 11)


def test_others_are_not_made_so() -> None:
    mechanism = express(examples.load("four_bar"), NUMERIC)
    assert not any(roll(mechanism) for roll in SHARED_FUNCTIONS.values())
