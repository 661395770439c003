"""Orders of elimination: rounds, chains and nodes of small trees, counted by hand."""

from __future__ import annotations

from itertools import chain as joined

import pytest

from mbsym.formulations.constraint_force.elimination_order import (
    chains,
    elimination_rounds,
    leaf_to_root,
    node_joints,
    rake_and_compress,
)
from mechanisms.trees import arms, binary, chain, comb

STAR = (0, 1, 1, 1)
FORK = (0, 1, 2, 2, 4)
"""A chain of two whose end carries one body and a chain of two."""


def test_leaf_to_root_takes_the_last_label_first() -> None:
    assert leaf_to_root(FORK) == ((5,), (4,), (3,), (2,), (1,))


@pytest.mark.parametrize(
    ("parents", "rounds"),
    [
        ((0,), ((1,),)),
        (chain(3), ((1, 3), (2,))),
        (chain(6), ((1, 3, 6), (2, 5), (4,))),
        ((0, 0, 0), ((1, 2, 3),)),
        (arms(7, 2), ((4, 7), (3, 6), (2,), (1,), (5,))),  # nodes wait until their arms are gone
    ],
)
def test_rounds_of_rake_and_compress(parents: tuple[int, ...], rounds: tuple[tuple[int, ...], ...]) -> None:
    """Ends first, then every second joint between; what shares a body waits, what shares ground does not."""
    assert rake_and_compress(parents) == rounds


def test_joints_of_one_body_take_turns() -> None:
    found = rake_and_compress(STAR)
    assert [len(joints) for joints in found] == [1] * 4
    assert sorted(joined.from_iterable(found)) == [1, 2, 3, 4]


@pytest.mark.parametrize("parents", [chain(17), comb(12), binary(15), arms(13), FORK])
def test_no_two_joints_of_a_round_touch_one_body(parents: tuple[int, ...]) -> None:
    """Bodies that eliminated joints have made one count as one."""
    whole = list(range(len(parents) + 1))

    def one(body: int) -> int:
        return body if whole[body] == body else one(whole[body])

    for joints in rake_and_compress(parents):
        touched = [{one(joint), one(parents[joint - 1])} - {0} for joint in joints]
        assert sum(map(len, touched)) == len(set().union(*touched))
        for joint in joints:
            # A body that is made one with ground keeps its other joints coupled.
            if parents[joint - 1]:
                whole[one(joint)] = one(parents[joint - 1])


def test_chains_run_from_node_to_node() -> None:
    assert chains(FORK) == ((1, 2), (3,), (4, 5))
    assert chains(chain(4)) == ((1, 2, 3, 4),)
    assert chains((0, 0, 1)) == ((1, 3), (2,))
    assert chains(STAR) == ((1,), (2,), (3,), (4,))


def test_joints_of_nodes_and_their_children() -> None:
    assert node_joints(FORK) == (2, 3, 4)
    assert node_joints(STAR) == (1, 2, 3, 4)
    assert node_joints((0, 0, 1)) == ()  # ground is no node


@pytest.mark.parametrize(("length", "rounds"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4)])
def test_rounds_double_the_distance(length: int, rounds: int) -> None:
    assert elimination_rounds(chain(length)) == rounds
    assert elimination_rounds((*chain(length), 0)) == rounds
