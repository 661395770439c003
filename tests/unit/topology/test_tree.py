"""Queries of the spanning tree against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.errors import TopologyError
from mbsym.topology import SpanningTree


@st.composite
def trees(draw: st.DrawFn) -> SpanningTree:
    nb = draw(st.integers(1, 14))
    return SpanningTree.from_inboard([draw(st.integers(0, body - 1)) for body in range(1, nb + 1)])


def path_to_base(tree: SpanningTree, body: int) -> list[int]:
    path = [body]
    while path[-1]:
        path.append(tree.parents[path[-1]])
    return path


@given(trees())
def test_ancestors_paths_and_depths(tree: SpanningTree) -> None:
    for body in range(tree.nb + 1):
        path = path_to_base(tree, body)
        assert tree.path(body) == tuple(path[:-1])
        assert tree.depths[body] == len(path) - 1


@given(trees())
def test_subtrees_are_ranges_of_the_preorder(tree: SpanningTree) -> None:
    assert sorted(tree.preorder) == list(range(tree.nb + 1))
    for body in range(tree.nb + 1):
        inside = {other for other in range(tree.nb + 1) if body in path_to_base(tree, other)}
        subtree = tree.subtree(body)
        assert set(subtree) == inside
        assert subtree[0] == body
        assert len(subtree) == tree.subtree_sizes[body]
        assert tree.children[body] == tuple(other for other in range(1, tree.nb + 1) if tree.parents[other] == body)


@given(trees())
def test_levels_hold_what_can_be_done_at_once(tree: SpanningTree) -> None:
    bodies = list(range(1, tree.nb + 1))
    assert sorted(body for level in tree.levels_by_depth for body in level) == bodies
    assert all(list(level) == sorted(level) for level in tree.levels_by_depth)
    for number, level in enumerate(tree.levels_by_depth, start=1):
        assert all(len(tree.path(body)) == number for body in level)


@given(trees(), st.data())
def test_loop_is_the_difference_of_paths(tree: SpanningTree, data: st.DataObject) -> None:
    tail, head = (data.draw(st.integers(0, tree.nb)) for _ in range(2))
    expected = {joint: 1 for joint in tree.path(head) if joint not in tree.path(tail)}
    expected |= {joint: -1 for joint in tree.path(tail) if joint not in tree.path(head)}
    assert tree.loop(tail, head) == expected
    assert list(tree.loop(tail, head)) == sorted(expected)


@pytest.mark.parametrize("parents", [(), (0,), (-1, 1), (-1, 0, 3, 0), (-1, -1)])
def test_irregular_parents_are_refused(parents: tuple[int, ...]) -> None:
    with pytest.raises(TopologyError):
        SpanningTree(parents)


def test_base_alone() -> None:
    tree = SpanningTree((-1,))
    assert tree.levels_by_depth == ()
    assert tree.path(0) == ()
    assert tree.subtree(0) == (0,)


def test_a_deep_chain_needs_no_recursion() -> None:
    tree = SpanningTree.from_inboard(range(50_000))
    assert tree.subtree_sizes[1] == tree.depths[50_000] == 50_000
