"""The generic rank of closure equations, that of regular closed configurations, and columns that have it.

Where G has rank r and the closed configurations around it form a manifold of dimension nv - r, the rank is r all
around: tangents of the manifold are null vectors of G, so that no more rows can be independent nearby, and rank cannot
fall at once. Such a configuration is regular. Whether it is one is seen by going along null vectors: closing again then
moves the mechanism by the square of the way gone. In a singular configuration, such as a chain of parallel cranks that
lies flat, most null vectors lead nowhere, closing moves by as much as was gone, and the rank says nothing.

Regular configurations near a singular one are found by holding one coordinate aside and closing the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.loops.closing import ClosingProblem, close
from mbsym.loops.tolerances import FOLLOWS
from mbsym.symbolic import finite_field
from mbsym.symbolic.field_matrix import Echelon
from mbsym.symbolic.program import Program

ENOUGH: Final = 4
"""Regular configurations that are looked at."""

_STEPS: Final = (4e-3, 1e-3)
"""Ways along null vectors by which a configuration is tried [rad, the problem's unit of length]."""

_SQUARE: Final = 11.0
"""Ratio of the motions of closing for these ways above which they count as squares, whose ratio is 16; singular
configurations give 4, or 8 at a cusp."""

_UNMOVED: Final = 1e-8
"""Motion of closing that is nothing."""

_TANGENTS: Final = 3
_ASIDE: Final = (0.3, -0.3, 0.9, -0.9)
"""Where a coordinate is held off its initial value [rad, the problem's unit of length]."""

_MOST_HELD: Final = 24
_WORK: Final = 500
"""Coordinates times closings that are spent on leaving a singular start: each closing takes longer than linearly."""

_AROUND: Final = 0.4

EQUAL: Final = 1.0 - 1e-6
"""Part of the largest from which on numbers count as equal: round-off is 1e-14 of them, that of closed loops 1e-10."""


@dataclass(frozen=True, slots=True)
class RegularConfigurations:
    """Where the rank of G is the generic one.

    Attributes:
        q: regular closed configurations, of the largest rank found.
        matrices: G of all closure rows there.
        rank: of each of them; None where no regular configuration was found.
        singular_start: True where the configuration that was started from is not regular.
    """

    q: tuple[Array, ...]
    matrices: tuple[Array, ...]
    rank: int | None
    singular_start: bool


def rank_of(matrix: Array) -> int:
    """Number of singular values that count."""
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(sizes > FOLLOWS * sizes[0])) if len(sizes) and sizes[0] > 0 else 0


def regular_configurations(
    problem: ClosingProblem, rows_at: Callable[[Array], Array], start: Array, most: int
) -> RegularConfigurations:
    """Regular closed configurations: the one started from and others around it, or others near it where it is singular.

    Args:
        problem: the loops.
        rows_at: G of all closure rows at a configuration (m, nv), in the problem's units.
        start: a closed configuration.
        most: rank that cannot be exceeded, from ``rank_anywhere``.
    """
    singular = not is_regular(problem, rows_at, start)
    candidates = held_aside(problem, start) if singular else iter((start,))
    found: list[tuple[int, Array, Array]] = []
    for q in candidates:
        matrix = rows_at(q)
        if not singular or is_regular(problem, rows_at, q):
            found.append((rank_of(matrix), q, matrix))
        if sum(rank == most for rank, _, _ in found) == ENOUGH:
            break
    if not found:
        return RegularConfigurations((), (), None, singular)
    rank = max(rank for rank, _, _ in found)
    chosen = [(q, matrix) for own, q, matrix in found if own == rank][:ENOUGH]
    chosen += [(q, rows_at(q)) for q in _around(problem, chosen[0][0])]
    kept = [(q, matrix) for q, matrix in chosen if rank_of(matrix) == rank]
    return RegularConfigurations(tuple(q for q, _ in kept), tuple(matrix for _, matrix in kept), rank, singular)


def is_regular(problem: ClosingProblem, rows_at: Callable[[Array], Array], q: Array) -> bool:
    """True where the closed configurations around q form a manifold whose tangents are the null vectors of G."""
    matrix = rows_at(q)
    rank = rank_of(matrix)
    null = np.linalg.svd(matrix)[2][rank:]
    generator = np.random.default_rng(5)
    for _ in range(_TANGENTS if len(null) else 0):
        direction = generator.normal(size=len(null)) @ null
        direction /= np.linalg.norm(direction)
        moves = []
        for step in _STEPS:
            gone = problem.move(np.array(q), step * direction)
            closing = close(problem, gone)
            if not closing.closed:
                return False
            moves.append(problem.apart(closing.q, gone))
        if moves[1] > _UNMOVED and moves[0] < _SQUARE * moves[1]:
            return False
    return True


def held_aside(problem: ClosingProblem, start: Array) -> Iterator[Array]:
    """Closed configurations in which one coordinate is held off its value, the others closing from near the start."""
    generator = np.random.default_rng(11)
    attempts = max(_WORK // problem.nv, 2)
    columns = np.unique(np.linspace(0, problem.nv - 1, min(problem.nv, attempts, _MOST_HELD)).round().astype(int))
    for aside in _ASIDE[: max(attempts // len(columns), 1)]:
        for column in columns:
            step = generator.uniform(-0.5, 0.5, problem.nv) * abs(aside)
            step[column] = aside
            closing = close(problem, problem.move(np.array(start), step), (int(column),))
            if closing.closed:
                yield closing.q


def _around(problem: ClosingProblem, q: Array) -> list[Array]:
    """Closed configurations around a regular one."""
    generator = np.random.default_rng(7)
    found: list[Array] = []
    for attempt in range(4 * ENOUGH):
        radius = _AROUND / (1 + attempt // 4) ** 2
        closing = close(problem, problem.move(np.array(q), generator.uniform(-radius, radius, problem.nv)))
        if closing.closed:
            found.append(closing.q)
        if len(found) == ENOUGH:
            break
    return found


def independent_anywhere(program: Program, output: str, columns: int) -> list[int]:
    """Rows of a matrix that are independent of the rows before them somewhere, exactly: all others follow everywhere.

    The rank is taken over GF(p) at a random point of the configuration space, loops open or closed.

    Args:
        program: of the matrix, row-major in that output.
        output: its name.
        columns: of the matrix.
    """
    entries = finite_field.evaluate([program], seed=1)[0][output]
    echelon = Echelon(range(columns))
    rows = (dict(enumerate(entries[k : k + columns])) for k in range(0, len(entries), columns))
    return [k for k, row in enumerate(rows) if echelon.add(row)]


def dependent_columns(jacobian: Array) -> tuple[list[int], float]:
    """Columns of G to be solved for, by pivots of largest size, and the smallest singular value they give.

    Of columns that are as large but for round-off the first is taken, so that symmetric mechanisms do not leave the
    choice to it.
    """
    rest = np.array(jacobian, dtype=float)
    chosen: list[int] = []
    for _ in range(jacobian.shape[0]):
        sizes = np.linalg.norm(rest, axis=0)
        sizes[chosen] = -1.0
        column = int(np.argmax(sizes >= EQUAL * sizes.max()))
        chosen.append(column)
        if sizes[column] > 0:
            direction = rest[:, column] / sizes[column]
            rest = rest - np.outer(direction, direction @ rest)
    return sorted(chosen), smallest_singular_value(jacobian[:, chosen])


def smallest_singular_value(matrix: Array) -> float:
    """Of a matrix; infinite where it is empty."""
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return float(sizes[-1]) if len(sizes) else np.inf
