"""Odd-even (cyclic) elimination of the constraint forces, chain by chain, as the source has it; kept for reference.

Each round couples the rows of a chain to rows twice as far away: with i counted outward along a chain and stride
s = 1, 2, 4, ...,

    E_i = B_i A_{i+s}^-1,   G_i = B_{i-s}^T A_{i-s}^-1
    A_i <- A_i - E_i B_i^T - G_i B_{i-s},   B_i <- -E_i B_{i+s},   X_i <- X_i - E_i X_{i+s} - G_i X_{i-s}
    Y_ik <- Y_ik - E_i Y_{i+s,k} - G_i Y_{i-s,k}     for every column k outside the chain

all from old values. The last line corrects the source, whose updates of D and b have the wrong neighbour, factor and
side; a chain includes the node that ends it, which the source's number of rounds leaves out. What remains is a dense
system of the nodes' joints and their children's, and one small system for every other joint.

Every row is touched in every round: O(N log N) operations and the cube of the dense size. Reduction by
``elimination_order.rake_and_compress`` needs O(N).

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, equations
(39) to (44).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from mbsym.formulations.constraint_force.block_system import BlockSystem, inverse_pivot
from mbsym.formulations.constraint_force.elimination_order import chains, elimination_rounds, node_joints
from mbsym.formulations.constraint_force.leaf_to_root import functions_by
from mbsym.symbolic.scalar import Scalar

Rows = list[list[Scalar]]
RowBlocks = dict[int, Rows]
"""Blocks of one joint's row by column joint."""

LEAST_OF_SQUARES: Final = Fraction(1, 10**3)
"""What counts as nothing where two neighbours are eliminated from each other: digits are lost twice."""


def odd_even_elimination(
    system: BlockSystem, parents: tuple[int, ...], right: list[Scalar], rounds: int | None = None
) -> list[Scalar]:
    """The solution of A F = X.

    Args:
        system: A.
        parents: of the bodies.
        right: X.
        rounds: number of rounds, by default what the longest chain needs.

    Raises:
        DerivationError: a pivot is the constant zero.
    """
    graph, starts = system.graph, system.starts
    rows = _full_rows(system)
    x: list[Rows] = [[[right[k]] for k in range(starts[j], starts[j + 1])] for j in range(len(system.sizes))]
    every = chains(parents)
    for turn in range(elimination_rounds(parents) if rounds is None else rounds):
        joints = ", ".join(str(chain[0]) for chain in every if len(chain) > 2**turn)
        with graph.section(f"constraint forces, elimination round {turn + 1}: chains from joints {joints}"):
            rows, x = _round(system, rows, x, every, 2**turn)
    dense = [joint for joint in node_joints(parents) if system.sizes[joint - 1]]
    solution: dict[int, Rows] = {}
    if dense:
        with graph.section(f"constraint forces, dense system of joints {', '.join(map(str, dense))}"):
            solution |= _dense_solution(system, rows, x, dense)
    with graph.section("constraint forces, remaining joints"):
        for joint, size in enumerate(system.sizes, start=1):
            if joint in solution or not size:
                continue
            remaining = x[joint - 1]
            for k in sorted(rows[joint - 1]):
                if k in solution:
                    remaining = _difference(remaining, _product(rows[joint - 1][k], solution[k]))
            solution[joint] = _Factored(system, joint, rows[joint - 1][joint]).solve(remaining)
    result: list[Scalar] = []
    for joint, size in enumerate(system.sizes, start=1):
        result.extend(solution[joint][k][0].named(f"F{joint}_{k + 1}") for k in range(size))
    return result


def _full_rows(system: BlockSystem) -> list[RowBlocks]:
    """All blocks of every row, those above the diagonal and their transposes; joints without unknowns have none."""
    rows: list[RowBlocks] = [{} for _ in system.sizes]
    for (i, j), block in system.blocks.items():
        if system.sizes[i - 1] and system.sizes[j - 1]:
            rows[i - 1][j] = [list(row) for row in block]
            if i != j:
                rows[j - 1][i] = _transposed(block)
    return rows


def _round(
    system: BlockSystem, rows: list[RowBlocks], x: list[Rows], every: Sequence[Sequence[int]], stride: int
) -> tuple[list[RowBlocks], list[Rows]]:
    """New rows and right sides from old ones."""
    new_rows, new_x = list(rows), list(x)
    for chain in every:
        factored = {joint: _Factored(system, joint, rows[joint - 1][joint]) for joint in chain if rows[joint - 1]}
        for place, joint in enumerate(chain):
            beside = [chain[k] for k in (place + stride, place - stride) if 0 <= k < len(chain)]
            for other in beside:
                if other in rows[joint - 1]:
                    factor = _transposed(factored[other].solve(_transposed(rows[joint - 1][other])))
                    new_rows[joint - 1] = _updated(joint, other, factor, new_rows[joint - 1], rows)
                    new_x[joint - 1] = _difference(new_x[joint - 1], _product(factor, x[other - 1]))
    return new_rows, new_x


def _updated(joint: int, other: int, factor: Rows, row: RowBlocks, rows: list[RowBlocks]) -> RowBlocks:
    """The row less ``factor`` times the other row, whose own column is thereby eliminated."""
    result = {k: block for k, block in row.items() if k != other}
    for k, block in rows[other - 1].items():
        if k == other:
            continue
        change = _product(factor, block, symmetric=k == joint)
        before = result.get(k)
        result[k] = _negated(change) if before is None else _difference(before, change)
    return result


def _dense_solution(system: BlockSystem, rows: list[RowBlocks], x: list[Rows], dense: list[int]) -> dict[int, Rows]:
    """Gaussian elimination on the joints of nodes and of their children, whose matrix has lost its symmetry."""
    zero = Scalar(system.graph, 0)
    sizes = [system.sizes[joint - 1] for joint in dense]
    matrix: Rows = []
    right: Rows = []
    for joint, size in zip(dense, sizes, strict=True):
        blocks = [rows[joint - 1].get(k) for k in dense]
        for r in range(size):
            matrix.append(
                [entry for block, n in zip(blocks, sizes, strict=True) for entry in (block[r] if block else [zero] * n)]
            )
            right.append(list(x[joint - 1][r]))
    owners = [joint for joint, size in zip(dense, sizes, strict=True) for _ in range(size)]
    n = len(matrix)
    inverses = []
    for k in range(n):
        inverses.append(inverse_pivot(system, owners[k], matrix[k][k]))
        for r in range(k + 1, n):
            if matrix[r][k]:
                factor = matrix[r][k] * inverses[k]
                for c in range(k + 1, n):
                    matrix[r][c] = matrix[r][c] - factor * matrix[k][c]
                right[r][0] = right[r][0] - factor * right[k][0]
    values: list[Scalar] = [zero] * n
    for k in range(n - 1, -1, -1):
        total = right[k][0]
        for c in range(k + 1, n):
            total = total - matrix[k][c] * values[c]
        values[k] = total * inverses[k]
    found: dict[int, Rows] = {}
    start = 0
    for joint, size in zip(dense, sizes, strict=True):
        found[joint] = [[value] for value in values[start : start + size]]
        start += size
    return found


class _Factored:
    """L D L^T of one symmetric block."""

    def __init__(self, system: BlockSystem, joint: int, block: Rows) -> None:
        n = len(block)
        self.lower = [list(row) for row in block]
        self.inverses: list[Scalar] = []
        for k in range(n):
            self.inverses.append(inverse_pivot(system, joint, self.lower[k][k]))
            for r in range(k + 1, n):
                factor = self.lower[r][k] * self.inverses[k]
                for c in range(k + 1, r + 1):
                    self.lower[r][c] = self.lower[r][c] - factor * self.lower[c][k]
            for r in range(k + 1, n):
                self.lower[r][k] = self.lower[r][k] * self.inverses[k]

    def solve(self, right: Rows) -> Rows:
        """The block's inverse times the columns of ``right``."""
        n = len(self.inverses)
        x = [list(row) for row in right]
        for c in range(len(x[0]) if x else 0):
            for r in range(n):
                for k in range(r):
                    x[r][c] = x[r][c] - self.lower[r][k] * x[k][c]
            for r in range(n - 1, -1, -1):
                x[r][c] = x[r][c] * self.inverses[r]
                for k in range(r + 1, n):
                    x[r][c] = x[r][c] - self.lower[k][r] * x[k][c]
        return x


def _product(a: Sequence[Sequence[Scalar]], b: Sequence[Sequence[Scalar]], symmetric: bool = False) -> Rows:
    columns = list(zip(*b, strict=True))
    result: Rows = []
    for r, row in enumerate(a):
        entries = []
        for c, column in enumerate(columns):
            if symmetric and c < r:
                entries.append(result[c][r])
                continue
            total = row[0] * column[0]
            for x, y in zip(row[1:], column[1:], strict=True):
                total = total + x * y
            entries.append(total)
        result.append(entries)
    return result


def _difference(a: Rows, b: Rows) -> Rows:
    return [[x - y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]


def _negated(a: Rows) -> Rows:
    return [[-x for x in row] for row in a]


def _transposed(a: Sequence[Sequence[Scalar]]) -> Rows:
    return [list(column) for column in zip(*a, strict=True)]


CFA_ELIMINATION_FUNCTIONS: Final = functions_by(
    "serialised constraint force algorithm, odd-even elimination", odd_even_elimination, least=LEAST_OF_SQUARES
)
"""Functions of the catalogue by the odd-even elimination of the source, corrected."""
