"""Forward dynamics in parts that threads take: divisions of trees, and steps that are the recursion, exactly."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbsym import examples
from mbsym.errors import SymbolicError
from mbsym.forces.joint_spring import JointSpring
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force import from_ends
from mbsym.formulations.constraint_force.from_ends import CFA_PARALLEL_FUNCTIONS, forward_dynamics_in_parts
from mbsym.formulations.constraint_force.parts import ALONG_PATH, Parts, divided
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, express, optimise
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import For, Program
from mbsym.symbolic.unroll import unrolled
from mbsym.values.parameter import Parameter
from mechanisms.random_mechanisms import random_tree
from mechanisms.trees import arms, binary, chain, comb, tree_model

EXACT = GenerationOptions(symbolic_parameters="none", simplify=("slide",))
"""Moments that move to other bodies are rounded once their fractions grow long: not for exact comparison."""

CASE_D = (0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 10, 11, 12)
SHAPES = {
    "chain": chain(40), "arms": arms(41), "comb": comb(40), "binary": binary(40), "inner node": CASE_D,
    "several on ground": (0, 0, 1, 2, 3, 4, 4), "star": (0, 1, 1, 1, 1, 1), "loose": (0, 0, 0),
}  # fmt: skip


def in_parts(mechanism: Mechanism, threads: int = 2) -> Program:
    found = forward_dynamics_in_parts(mechanism, threads)
    assert found is not None
    return found


def tree(kind: str = "revolute", count: int = 5) -> Model:
    """A chain whose third body carries one more."""
    return tree_model((*chain(count), 3), [kind] * (count + 1))


def moved_alike(mechanism: Mechanism, threads: int = 2) -> bool:
    found = in_parts(mechanism, threads)
    return bool(compare(unrolled(found), TREE_FUNCTIONS["forward_dynamics"](mechanism.afresh())))


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_body_is_in_one_place(shape: str, threads: int) -> None:
    parents = SHAPES[shape]
    parts = divided(parents, threads)
    assert len(parts.tasks) <= threads
    middle = parts.path[-1:]
    assert sorted([*middle, *parts.between, *(body for task in parts.tasks for body in task)]) == sorted(parts.order())
    assert sorted(parts.order()) == list(range(1, len(parents) + 1))
    if parts.path:
        # It begins on ground, has no gap, and lies in one part but for its end.
        assert [parents[body - 1] for body in parts.path] == [0, *parts.path[:-1]]
        assert set(parts.path[:-1]) <= set(parts.tasks[0])


@pytest.mark.parametrize("shape", SHAPES)
def test_no_block_fills_up(shape: str) -> None:
    parents = SHAPES[shape]
    order = divided(parents, 3).order()
    bodies = [{body for body in (joint, parents[joint - 1]) if body} for joint in range(1, len(parents) + 1)]
    near = {j: {k for k in order if k != j and bodies[j - 1] & bodies[k - 1]} for j in order}
    for joint in order:
        others = near.pop(joint)
        for other in others:
            # What an elimination couples is coupled already.
            assert others <= near[other] | {other}
            near[other].discard(joint)


def test_the_longest_part_is_about_a_threads_share() -> None:
    for parents in (chain(1000), comb(1000), binary(1000)):
        parts = divided(parents, 2)
        cost = [sum(ALONG_PATH if body in parts.path else 1 for body in task) for task in parts.tasks]
        assert max(cost) <= 1.03 * sum(cost) / 2
        assert len(parts.between) <= 2
    many = divided(arms(1001), 4)
    assert sorted(map(len, many.tasks)) == [250] * 4 and many.between == (1,)


def test_a_body_without_inverse_inertia_is_not_on_the_path() -> None:
    assert divided(chain(20), 2, lambda body: body != 3).path in ((), (1, 2))
    assert divided(chain(20), 2, lambda body: body != 1) == Parts((), (tuple(range(1, 21)),), ())


@pytest.mark.parametrize("seed", range(2))
def test_the_parts_are_the_recursion(seed: int) -> None:
    mechanism = express(random_tree(seed, bodies=(5, 8), forces=False, couplings=False, parameters=False), EXACT)
    straight = TREE_FUNCTIONS["forward_dynamics"](mechanism.afresh())
    for threads in (2, 4):
        rolled = in_parts(mechanism, threads)
        assert compare(unrolled(rolled), straight)
    assert compare(unrolled(optimise(rolled)[0]), straight)
    assert compare(CFA_PARALLEL_FUNCTIONS["forward_dynamics"](mechanism.afresh()), straight)


@pytest.mark.parametrize("joint", [name for name, kind in JOINT_TYPES.items() if not kind.is_rigid])
def test_so_are_those_of_every_type_of_joint(joint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Bodies 1 to 4 lie on the path, every second joint walked backwards, and the third carries another one.
    monkeypatch.setattr(from_ends, "divided", lambda *_: Parts((1, 2, 3, 4), ((1, 2, 3, 6), (5,)), ()))
    model = tree_model((*chain(5), 3), [joint] * 6, backwards=True)
    mechanism = express(model, EXACT)
    assert mechanism.labelling.inboard == (0, 1, 2, 3, 4, 3)
    assert {"reach_node", "return_node", "reach", "rake"} <= {
        step.program.name.rpartition(f"_{joint}")[0] for step in in_parts(mechanism).steps
    }
    assert moved_alike(mechanism)


def test_rotors_are_held_and_moments_move_outside_of_the_path() -> None:
    model = tree()
    model = replace(model, joints=tuple(replace(joint, armature="0.2") for joint in model.joints))
    assert moved_alike(express(model, EXACT))
    short = tree_model(chain(9), ["prismatic"] * 9)
    assert moved_alike(express(short, GenerationOptions(symbolic_parameters="none")))


def test_what_acts_besides_gravity_and_what_is_known_at_run_time_has_no_parts() -> None:
    model = tree()
    sprung = replace(model, forces=(JointSpring("spring", model.joints[0].name, "3"),))
    assert forward_dynamics_in_parts(express(sprung, EXACT), 2) is None
    heavy = replace(model.bodies[2], mass="m")
    given = replace(
        model, bodies=(*model.bodies[:2], heavy, *model.bodies[3:]), parameters=(Parameter("m", 2.0, symbolic=True),)
    )
    assert forward_dynamics_in_parts(express(given, GenerationOptions()), 2) is None


def test_parts_may_come_in_any_order_and_read_nothing_of_each_other() -> None:
    mechanism = express(tree(), EXACT)
    rolled = in_parts(mechanism)
    loops = [loop for loop in rolled.body if isinstance(loop, For)]
    assert len(loops) == len(rolled.body)
    turned = tuple(replace(loop, calls=tuple(sorted(loop.calls, key=lambda call: -call.part))) for loop in loops)
    assert turned != rolled.body
    assert compare(unrolled(rolled), unrolled(replace(rolled, body=turned)))
    inward = next(k for k, loop in enumerate(loops) if loop.title == "from all ends inward")
    apart = tuple(replace(call, part=place) for place, call in enumerate(loops[inward].calls))
    torn = (*loops[:inward], replace(loops[inward], calls=apart), *loops[inward + 1 :])
    with pytest.raises(SymbolicError, match="another part"):
        unrolled(replace(rolled, body=torn))


def test_others_are_not_made_so() -> None:
    assert forward_dynamics_in_parts(express(tree_model((0,), ["revolute"]), EXACT), 2) is None
    symbolic = GenerationOptions(symbolic_parameters="all")
    assert forward_dynamics_in_parts(express(examples.load("double_pendulum"), symbolic), 2) is None
