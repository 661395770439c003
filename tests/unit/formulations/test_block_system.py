"""A F = X of symbols, solved in all ways: the solution fulfils every row, in the field of 2^61 - 1."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mbsym.errors import DerivationError
from mbsym.formulations.constraint_force.block_system import (
    BlockSystem,
    ComputedBlocks,
    factorise,
    solve,
    substitute,
    titled_rounds,
)
from mbsym.formulations.constraint_force.elimination_order import leaf_to_root, rake_and_compress
from mbsym.formulations.constraint_force.in_parts import from_all_ends
from mbsym.formulations.constraint_force.odd_even_elimination import odd_even_elimination
from mbsym.formulations.constraint_force.serial import reduction
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mechanisms.exact import equal

Solver = Callable[[BlockSystem, tuple[int, ...], list[Scalar]], list[Scalar]]

SOLVERS: dict[str, Solver] = {
    "leaf to root": lambda system, parents, right: solve(system, leaf_to_root(parents), right),
    "rounds": lambda system, parents, right: solve(system, rake_and_compress(parents), right),
    "reduction": reduction,
    "odd-even elimination": odd_even_elimination,
    "all ends": from_all_ends,
}

TREES = {
    "chain": ((0, 1, 2, 3, 4), (1, 2, 1, 2, 1)),
    "branches": ((0, 1, 1, 2, 2, 3), (1, 1, 1, 1, 1, 1)),
    "nothing held": ((0, 1, 2, 2), (2, 0, 1, 1)),
}
"""Parents, and how many unknowns each joint has; a free joint has none."""


def system_of(parents: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[BlockSystem, list[Scalar]]:
    """Joints that touch one body are coupled."""
    graph, joints = Graph(), range(1, len(parents) + 1)
    blocks = {}
    for j in joints:
        for i in range(1, j + 1):
            beside = parents[i - 1] == parents[j - 1] != 0
            if i == j or parents[j - 1] == i or beside:
                rows, columns = range(sizes[i - 1]), range(sizes[j - 1])
                places = [[(min(r, c), max(r, c)) if i == j else (r, c) for c in columns] for r in rows]
                blocks[i, j] = tuple(tuple(symbol(graph, f"A{i}_{j}_{r}_{c}") for r, c in row) for row in places)
    right = [symbol(graph, f"X{k}") for k in range(sum(sizes))]
    return BlockSystem(graph, tuple(f"J{j}" for j in joints), sizes, blocks), right


def dense(system: BlockSystem) -> list[list[Scalar]]:
    """A in full."""
    rows = [[Scalar(system.graph, 0)] * system.starts[-1] for _ in range(system.starts[-1])]
    for (i, j), block in system.blocks.items():
        for r, row in enumerate(block, start=system.starts[i - 1]):
            for c, entry in enumerate(row, start=system.starts[j - 1]):
                rows[r][c] = rows[c][r] = entry
    return rows


def times(rows: list[list[Scalar]], column: list[Scalar]) -> list[Scalar]:
    zero = Scalar(column[0].graph, 0)
    return [sum((a * b for a, b in zip(row, column, strict=True)), zero) for row in rows]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("tree", TREES)
def test_the_solution_fulfils_every_row(tree: str, solver: str) -> None:
    parents, sizes = TREES[tree]
    system, right = system_of(parents, sizes)
    found = SOLVERS[solver](system, parents, right)
    assert equal(times(dense(system), found), right)


def test_factors_multiply_to_the_matrix_and_serve_many_right_sides() -> None:
    parents, sizes = TREES["chain"]
    system, right = system_of(parents, sizes)
    others = [symbol(system.graph, f"Y{k}") for k in range(len(right))]
    factorisation, reduced = factorise(system, leaf_to_root(parents), [right, others])
    order = [k for _, pivots in factorisation.sections for k in pivots]
    assert sorted(order) == list(range(len(right)))
    zero, one = Scalar(system.graph, 0), Scalar(system.graph, 1)
    column = {k: {k: one, **factorisation.factors[k]} for k in order}
    pairs = [(r, c) for r in range(len(right)) for c in range(len(right))]
    products = [
        sum((column[k].get(r, zero) * column[k].get(c, zero) / factorisation.inverses[k] for k in order), zero)
        for r, c in pairs
    ]
    A = dense(system)
    assert equal(products, [A[r][c] for r, c in pairs])
    for given, own in zip((right, others), reduced, strict=True):
        assert equal(times(A, substitute(factorisation, own)), given)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_pivot_of_zero_names_its_joint(solver: str) -> None:
    graph = Graph()
    zero, one = Scalar(graph, 0), constant(graph, 1)
    system = BlockSystem(graph, ("hinge",), (2,), {(1, 1): ((one, one), (one, one))})
    with pytest.raises(DerivationError, match="the constraint force equations are singular") as error:
        SOLVERS[solver](system, (0,), [one, zero])
    assert error.value.where == "joint hinge"


def test_blocks_are_made_once_and_when_they_are_asked_for() -> None:
    asked: list[tuple[int, int]] = []

    def compute(pair: tuple[int, int]) -> int:
        asked.append(pair)
        return sum(pair)

    blocks = ComputedBlocks([(1, 1), (1, 2)], compute)
    assert (list(blocks), len(blocks), asked) == ([(1, 1), (1, 2)], 2, [])
    assert (blocks[1, 2], blocks[1, 2], asked) == (3, 3, [(1, 2)])
    assert (2, 2) not in blocks
    assert asked == [(1, 2)]


def test_titles_of_rounds() -> None:
    assert titled_rounds(((2,), (1,)), (1, 1)) == [("constraint forces", (2, 1))]
    several = titled_rounds(((1, 3), (2,)), (1, 1, 0))
    assert several == [("constraint forces, round 1: joint 1", (1, 3)), ("constraint forces, round 2: joint 2", (2,))]
    many = tuple(range(1, 21))
    ((title, _),) = titled_rounds((many,), (1,) * 20)
    assert title.endswith("joints 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ..., 20")
    assert titled_rounds(((1, 2),), (0, 0))[0][0].endswith("joints none")
