"""Incidence matrix, path matrix and fundamental loops of a regular tree, as tuples of rows.

    S*[i, j] = +1 if body i is the inboard body i+(j) of joint j, -1 if it is the outboard body i-(j), else 0
    S0, S    = row 0 of S*, rows 1..nb of S*
    T[j, i]  = -1 if joint j lies on the path from body i to the base (all joints point away from it), else 0

with T S = S T = E and S0 T = -1^T. Column k of T S_cut is the signed fundamental loop of cut joint k. Every function
here makes dense rows and is meant for systems that are looked at; sweeps over large trees use the parents instead.

Source: Roberson and Wittenburg's description of the topology of multibody systems, signs as in the conventions.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.errors import TopologyError
from mbsym.topology.disassembly import RegularLabels
from mbsym.topology.graph import JointGraph
from mbsym.topology.tree import SpanningTree

Matrix = tuple[tuple[int, ...], ...]

MATRIX_LIMIT = 3000
"""Most bodies, and most cut joints, for which dense matrices are made."""


def joint_matrices(graph: JointGraph, patterns: str, labels: RegularLabels) -> dict[str, Matrix]:
    """Returns J of Qi, Huang and Shao on its way: bodies H+ and H- of each joint, and from the second on the joint.

    By what has happened: "as given" in original numbers; "assembled", with a zero for each cut joint; "labelled", all
    numbers replaced by labels; "sorted", joints pointing away from the base, in label order.
    """
    ends = (tuple(graph.predecessors), tuple(graph.successors))
    numbers = tuple(0 if pattern == "d" else joint for joint, pattern in enumerate(patterns, 1))
    return {
        "as given": ends,
        "assembled": (*ends, numbers),
        "labelled": (*(tuple(labels.body_labels[body] for body in row) for row in ends), labels.joint_labels),
        "sorted": (labels.inboard, labels.outboard, tuple(range(1, graph.nj + 1))),
    }


def incidence_matrix(inboard: Sequence[int], outboard: Sequence[int], nb: int) -> Matrix:
    """Returns S* with nb + 1 rows (bodies 0..nb) and a column for each joint of the incidence arrays i+ and i-."""
    _refuse_above_limit(nb, len(inboard))
    rows = [[0] * len(inboard) for _ in range(nb + 1)]
    for column, (tail, head) in enumerate(zip(inboard, outboard, strict=True)):
        rows[tail][column] = 1
        rows[head][column] = -1
    return tuple(map(tuple, rows))


def path_matrix(tree: SpanningTree) -> Matrix:
    """Returns T, nb x nb, rows are joints and columns bodies; upper triangular with -1 on the diagonal."""
    _refuse_above_limit(tree.nb, 0)
    rows = []
    for joint in range(1, tree.nb + 1):
        row = [0] * tree.nb
        for body in tree.subtree(joint):
            row[body - 1] = -1
        rows.append(tuple(row))
    return tuple(rows)


def fundamental_loops(tree: SpanningTree, inboard: Sequence[int], outboard: Sequence[int]) -> Matrix:
    """Returns T S_cut, a row for each tree joint and a column for each cut joint of the incidence arrays."""
    _refuse_above_limit(tree.nb, len(inboard))
    rows = [[0] * len(inboard) for _ in range(tree.nb)]
    for column, (tail, head) in enumerate(zip(inboard, outboard, strict=True)):
        for joint, sign in tree.loop(tail, head).items():
            rows[joint - 1][column] = sign
    return tuple(map(tuple, rows))


def _refuse_above_limit(nb: int, columns: int) -> None:
    if max(nb, columns) > MATRIX_LIMIT:
        raise TopologyError(
            f"dense topology matrices are made for at most {MATRIX_LIMIT} bodies and joints, "
            f"this one would be {nb} by {columns or nb}",
            where="matrix",
            remedy="use the parents, paths and loops of the tree, which are known for any size",
        )
