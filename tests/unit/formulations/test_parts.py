"""Forward dynamics in parts that threads take: divisions of trees, and steps that are the recursion, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, log2

import pytest

from mbsym import examples
from mbsym.errors import SymbolicError
from mbsym.forces.joint_spring import JointSpring
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force import in_parts as in_parts_module
from mbsym.formulations.constraint_force.in_parts import CFA_PARALLEL_FUNCTIONS, forward_dynamics_in_parts
from mbsym.formulations.constraint_force.parts import ALONG_PATH, Division, Join, Parts, Tree, divided
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


def of_single_bodies(parents: Sequence[int]) -> Parts:
    """As many parts as there can be."""
    return Division(Tree(parents), 1.0, 0.0, lambda _: True).shared(len(parents))


def tree(kind: str = "revolute", count: int = 5) -> Model:
    """A chain whose third body carries one more."""
    return tree_model((*chain(count), 3), [kind] * (count + 1))


def moved_alike(mechanism: Mechanism, threads: int = 2) -> bool:
    found = in_parts(mechanism, threads)
    return bool(compare(unrolled(found), TREE_FUNCTIONS["forward_dynamics"](mechanism.afresh())))


@pytest.mark.parametrize("threads", [2, 3, 8, 40])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_body_is_in_one_place(shape: str, threads: int) -> None:
    parents = (0, *SHAPES[shape])
    parts = divided(parents[1:], threads)
    assert 2 <= len(parts.tasks) <= threads
    every = list(range(1, len(parents)))
    assert sorted([*parts.between, *(body for task in parts.tasks for body in task)]) == every
    assert sorted(parts.order(parents[1:])) == every
    place = {body: k for k, task in enumerate(parts.tasks) for body in task}
    for segment in parts.segments:
        assert [parents[body] for body in segment[1:]] == list(segment[:-1])
        assert len({place[body] for body in segment}) == 1
    # What hangs on another part is joined to it; what is joined ends a segment.
    handles = {segment[-1] for segment in parts.segments}
    assert sorted(parents[join.body] for join in parts.joins) == sorted(handles)


@pytest.mark.parametrize("threads", [2, 8, 40])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_joined_is_whole(shape: str, threads: int) -> None:
    """Each round takes parts that are complete, and what is on ground at last is all of the tree."""
    parents = (0, *SHAPES[shape])
    parts = divided(parents[1:], threads)
    last = {segment[0]: segment[-1] for segment in parts.segments}
    joined = {join.body for join in parts.joins}
    waiting = {*last, *parts.between}
    for items in parts.rounds:
        taken: list[int] = []
        for item in items:
            for each in item:
                if isinstance(each, int):
                    assert last.pop(each, 0) == 0 and each in waiting - joined
                    waiting.remove(each)
                    taken.append(each)
                    continue
                assert parents[each.body] == last[each.inner] and last.get(each.body, 0) == each.outer
                last.pop(each.body, None)
                last[each.inner] = each.outer
                waiting.discard(each.body)
                taken += [each.body, each.inner]
        assert len(set(taken)) == len(taken)
    assert not waiting


def test_a_chain_falls_into_as_many_parts_as_are_asked_for() -> None:
    for threads in (2, 3, 4, 7, 16):
        parts = divided(chain(1000), threads)
        assert len(parts.tasks) == threads and len(parts.segments) == threads - 1
        # Rounds that halve what is left, and the first body on ground.
        assert len(parts.rounds) == ceil(log2(threads)) + 1
    single = of_single_bodies(chain(64))
    assert single.segments == tuple((body,) for body in range(1, 64)) and len(single.rounds) == 7


@pytest.mark.parametrize("shape", SHAPES)
def test_no_block_fills_up(shape: str) -> None:
    parents = SHAPES[shape]
    order = divided(parents, 3).order(parents)
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
        along = {body for segment in parts.segments for body in segment}
        cost = [sum(ALONG_PATH if body in along else 1 for body in task) for task in parts.tasks]
        assert max(cost) <= 1.03 * sum(cost) / 2
        assert len(parts.between) <= 2
    many = divided(arms(1001), 4)
    assert sorted(map(len, many.tasks)) == [250] * 4 and many.between == (1,)
    # More threads than arms: every arm falls into parts, and no thread has more than half of one.
    more = divided(arms(1001), 8)
    assert len(more.tasks) == 8 and max(map(len, more.tasks)) < 200 and len(more.segments) >= 4
    # More threads than bodies: joining single ones would take longer.
    assert len(divided(arms(13, 2), 100).tasks) == 2


def test_a_body_without_inverse_inertia_begins_no_part() -> None:
    odd = divided(chain(40), 8, lambda body: body % 2 == 1)
    assert len(odd.tasks) > 4 and all(join.body % 2 for join in odd.joins)
    only = divided(chain(20), 2, lambda body: body == 3)
    assert [join.body for join in only.joins] == [3] and only.segments == ((1, 2),)
    none = divided(chain(20), 2, lambda _: False)
    assert none == Parts((), (tuple(range(1, 21)),), (), ())


@pytest.mark.parametrize("seed", range(2))
def test_the_parts_are_the_recursion(seed: int) -> None:
    mechanism = express(random_tree(seed, bodies=(5, 8), forces=False, couplings=False, parameters=False), EXACT)
    straight = TREE_FUNCTIONS["forward_dynamics"](mechanism.afresh())
    for threads in (2, 4):
        rolled = in_parts(mechanism, threads)
        assert compare(unrolled(rolled), straight)
    assert compare(unrolled(optimise(rolled)[0]), straight)
    assert compare(CFA_PARALLEL_FUNCTIONS["forward_dynamics"](mechanism.afresh()), straight)


@pytest.mark.parametrize(
    ("parents", "in_turn", "expected"),
    [(chain(6), in_parts_module.MOST_IN_TURN, [3, 1, 3]), (CASE_D, 0, [4, 2, 1, 2, 1, 2, 1, 2, 4])],
    ids=["chain", "inner node"],
)
def test_so_are_those_of_single_bodies(
    parents: tuple[int, ...], in_turn: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounds that halve a chain of single bodies, and a path that ends in a node; angular velocities by rounds, too."""
    monkeypatch.setattr(in_parts_module, "MOST_IN_TURN", in_turn)
    monkeypatch.setattr(in_parts_module, "divided", lambda own, *_: of_single_bodies(own))
    model = tree_model(parents, ["revolute", "prismatic", *["revolute"] * 11][: len(parents)])
    mechanism = express(model, EXACT)
    found = in_parts(mechanism)
    between = [loop for loop in found.sweeps if loop.title == "between the parts"]
    assert [len({call.part for call in loop.calls}) for loop in between] == expected
    assert compare(unrolled(found), TREE_FUNCTIONS["forward_dynamics"](mechanism.afresh()))


IN_SEGMENTS = Parts(
    ((1, 2), (3, 4)), ((1, 2), (3, 4, 6), (5,)), (), (((Join(3, 1, 4),),), ((Join(5, 1, 0),),), ((1,),))
)  # fmt: skip


@pytest.mark.parametrize("joint", [name for name, kind in JOINT_TYPES.items() if not kind.is_rigid])
def test_so_are_those_of_every_type_of_joint(joint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every second joint is walked backwards, and the first body of the second segment carries another one.
    monkeypatch.setattr(in_parts_module, "divided", lambda *_: IN_SEGMENTS)
    model = tree_model((*chain(5), 3), [joint] * 6, backwards=True)
    mechanism = express(model, EXACT)
    assert mechanism.labelling.inboard == (0, 1, 2, 3, 4, 3)
    assert {"along", "join", "join_last", "back", "back_last", "pull_along", "turn", "carry"} <= {
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
    inward = next(k for k, loop in enumerate(loops) if loop.title == "inside the parts, inward")
    apart = tuple(replace(call, part=place) for place, call in enumerate(loops[inward].calls))
    torn = (*loops[:inward], replace(loops[inward], calls=apart), *loops[inward + 1 :])
    with pytest.raises(SymbolicError, match="another part"):
        unrolled(replace(rolled, body=torn))


def test_others_are_not_made_so() -> None:
    assert forward_dynamics_in_parts(express(tree_model((0,), ["revolute"]), EXACT), 2) is None
    symbolic = GenerationOptions(symbolic_parameters="all")
    assert forward_dynamics_in_parts(express(examples.load("double_pendulum"), symbolic), 2) is None
