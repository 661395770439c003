"""The matrices of the constraint force algorithm, to look at.

Block rows and columns run over regular labels 1..nb. P has the unit matrix on its diagonal and -X_i, the force
transform from body i to its parent, in row c(i); its sparsity is that of -S. With rotor inertias, W has the columns and
A, B and C the entries that ``constraint_force`` describes.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, equations
(16), (22) and (26).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal, TypeAlias

from mbsym.doors import sympy
from mbsym.errors import DerivationError
from mbsym.formulations.constraint_force.block_system import Block, BlockSystem, factorise
from mbsym.formulations.constraint_force.elimination_order import leaf_to_root
from mbsym.formulations.constraint_force.joint_compliance import joint_blocks
from mbsym.formulations.constraint_force.leaf_to_root import (
    HeldJoint,
    block_between,
    compliances,
    constraint_system,
    held_joints,
)
from mbsym.formulations.contracts import Derived, contract
from mbsym.joints.motion import Motion, motion_of, six
from mbsym.joints.subspaces import Column, unit_columns
from mbsym.kinematics.mechanism import Mechanism
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_sympy

MatrixName: TypeAlias = Literal["H", "H_bar", "W", "X", "P", "I", "D", "A", "B", "C"]
Blocks: TypeAlias = Mapping[tuple[int, int], Block]


@dataclass(frozen=True, slots=True)
class JointMatrices:
    """H, H-bar, W, X, P = U - X, I as blocks, and D with the inverse rotor inertias.

    Attributes:
        mechanism: what they belong to.
        blocks: by name, the blocks that are not zero by (row joint, column joint).
        row_sizes, column_sizes: of the blocks, by name.
    """

    mechanism: Mechanism
    blocks: Mapping[str, Blocks]
    row_sizes: Mapping[str, tuple[int, ...]]
    column_sizes: Mapping[str, tuple[int, ...]]

    def rows(self, name: MatrixName) -> list[list[Scalar]]:
        """The dense matrix as graph values."""
        zero = Scalar(self.mechanism.graph, 0)
        row_starts, column_starts = (
            list(accumulate(sizes[name], initial=0)) for sizes in (self.row_sizes, self.column_sizes)
        )
        dense = [[zero] * column_starts[-1] for _ in range(row_starts[-1])]
        for (i, j), block in sorted(self.blocks[name].items()):
            for r, row in enumerate(block, start=row_starts[i - 1]):
                for c, entry in enumerate(row, start=column_starts[j - 1]):
                    dense[r][c] = entry
        return dense

    def block(self, name: MatrixName, row: int, column: int) -> sympy.Matrix:
        """One block as a SymPy matrix, by the labels of its joints."""
        graph = self.mechanism.graph
        found = self.blocks[name].get((row, column))
        size = self.row_sizes[name][row - 1], self.column_sizes[name][column - 1]
        if found is None or 0 in size:
            return sympy.zeros(*size)
        return sympy.Matrix(*size, to_sympy(graph, [entry.ref for entries in found for entry in entries]))

    def to_sympy(self, name: MatrixName) -> sympy.BlockMatrix:
        """The block matrix over the joints that have rows or columns in it.

        Raises:
            DerivationError: it has no entries, as A of a single free body.
        """
        rows = [k for k, size in enumerate(self.row_sizes[name], start=1) if size]
        columns = [k for k, size in enumerate(self.column_sizes[name], start=1) if size]
        if not rows or not columns:
            raise DerivationError(
                f"{name} has no entries here", where=self.mechanism.model.name, remedy="look at the other matrices"
            )
        return sympy.BlockMatrix([[self.block(name, i, j) for j in columns] for i in rows])


@dataclass(frozen=True, slots=True)
class CfaMatrices(JointMatrices):
    """The same with A = W^T L W, B = W^T L H-bar, C = H-bar^T L H-bar in full, L = P^T I^-1 P.

    Attributes:
        system: A with its block sizes.
    """

    system: BlockSystem


def matrices_with_accelerations(mechanism: Mechanism) -> JointMatrices:
    """H, H-bar, W, X, P, I and D, which every tree has: nothing is inverted but the rotor inertias in D.

    Raises:
        DerivationError: a coupling joins two joints.
    """
    held = held_joints(mechanism)
    transforms = _force_transforms(mechanism)
    blocks: dict[str, Blocks] = {
        "H": _diagonal([_of_columns(joint.subspaces.freedoms) for joint in held]),
        "H_bar": _diagonal([_of_columns(joint.subspaces.forces) for joint in held]),
        "W": _diagonal([_of_columns(joint.columns) for joint in held]),
        "X": transforms,
        "P": _recursion_matrix(mechanism, transforms),
        "I": _diagonal([_inertia(mechanism, label) for label in range(1, mechanism.nb + 1)]),
        "D": _diagonal([_rotors(mechanism, joint) for joint in held]),
    }
    freedoms = tuple(len(joint.subspaces.freedoms) for joint in held)
    forces = tuple(len(joint.columns) for joint in held)
    sixes = (6,) * mechanism.nb
    spatial = dict.fromkeys(("H", "H_bar", "W", "X", "P", "I"), sixes)
    columns = {"H": freedoms, "H_bar": freedoms, "W": forces, "X": sixes, "P": sixes, "I": sixes, "D": forces}
    return JointMatrices(mechanism, blocks, {**spatial, "D": forces}, columns)


def cfa_matrices(mechanism: Mechanism) -> CfaMatrices:
    """All matrices of the algorithm.

    Raises:
        DerivationError: a body has no inverse inertia, or a coupling joins two joints.
    """
    held, inverses = held_joints(mechanism), compliances(mechanism)
    system = constraint_system(mechanism, held, inverses)
    drives = [_known_forces(mechanism, joint) for joint in held]
    b: dict[tuple[int, int], Block] = {}
    c: dict[tuple[int, int], Block] = {}
    with mechanism.graph.section("matrices B and C"):
        for (i, j), block in joint_blocks(mechanism, inverses).items():
            b[i, j] = block_between(held[i - 1].columns, block, drives[j - 1])
            c[i, j] = block_between(drives[i - 1], block, drives[j - 1], symmetric=i == j)
            if i != j:
                b[j, i] = _transposed(block_between(drives[i - 1], block, held[j - 1].columns), system.sizes[j - 1])
                c[j, i] = _transposed(c[i, j], len(drives[j - 1]))
        for label, joint in enumerate(held, start=1):
            b[label, label], c[label, label] = _with_rotors(joint, b[label, label], c[label, label])
    a = dict(system.blocks)
    a |= {(j, i): _transposed(block, system.sizes[j - 1]) for (i, j), block in system.blocks.items() if i != j}
    whole = matrices_with_accelerations(mechanism)
    freedoms = whole.column_sizes["H"]
    return CfaMatrices(
        mechanism,
        {**whole.blocks, "A": a, "B": b, "C": c},
        {**whole.row_sizes, "A": system.sizes, "B": system.sizes, "C": freedoms},
        {**whole.column_sizes, "A": system.sizes, "B": freedoms, "C": freedoms},
        system,
    )


INVERSE_MASS_MATRIX: Final = contract("inverse_mass_matrix(q)", "inverse mass matrix", "M_inverse[nv, nv]")


def inverse_mass_matrix(mechanism: Mechanism) -> Program:
    """M^-1 = C - B^T A_m^-1 B, output ``M_inverse``.

    Raises:
        DerivationError: a body has no inverse inertia, or a coupling joins two joints.
    """
    matrices = cfa_matrices(mechanism)
    n = mechanism.nv
    columns = [list(column) for column in zip(*matrices.rows("B"), strict=True)] or [[] for _ in range(n)]
    factorisation, reduced = factorise(matrices.system, leaf_to_root(mechanism.labelling.inboard), columns)
    result = [list(row) for row in matrices.rows("C")]
    with mechanism.graph.section("inverse mass matrix"):
        for k, inverse in sorted(factorisation.inverses.items()):
            scaled = [reduced[c][k] * inverse for c in range(n)]
            for r in range(n):
                for c in range(r, n):
                    result[r][c] = result[r][c] - reduced[r][k] * scaled[c]
    labels = sorted(range(n), key=lambda place: mechanism.columns_by_label[place])
    laid_out = [[result[min(r, c)][max(r, c)] for c in labels] for r in labels]
    return INVERSE_MASS_MATRIX.program(mechanism, Derived(laid_out, "constraint force algorithm, C - B^T A^-1 B"))


def _known_forces(mechanism: Mechanism, joint: HeldJoint) -> tuple[Column, ...]:
    """H-bar with zero columns for freedoms that a rotor holds."""
    nothing: Column = tuple(Scalar(mechanism.graph, 0) for _ in range(6))
    return tuple(
        force if place is None else nothing for force, place in zip(joint.subspaces.forces, joint.rotors, strict=True)
    )


def _with_rotors(joint: HeldJoint, b: Block, c: Block) -> tuple[Block, Block]:
    """A rotor's freedom accelerates by (tau - F) / a: -1/a in B and 1/a in C."""
    rows_b, rows_c = [list(row) for row in b], [list(row) for row in c]
    for place, k in joint.driven.items():
        rows_c[k][k] = 1 / joint.armature[k]
        rows_b[place][k] = -rows_c[k][k]
    return tuple(map(tuple, rows_b)), tuple(map(tuple, rows_c))


def _rotors(mechanism: Mechanism, joint: HeldJoint) -> Block:
    """1/a on the diagonal where a rotor holds a freedom."""
    rows = [[Scalar(mechanism.graph, 0)] * len(joint.columns) for _ in joint.columns]
    for place, k in joint.driven.items():
        rows[place][place] = 1 / joint.armature[k]
    return tuple(map(tuple, rows))


def _force_transforms(mechanism: Mechanism) -> Blocks:
    """X_i in row c(i), column i; none for children of ground."""
    graph = mechanism.graph
    blocks: dict[tuple[int, int], Block] = {}
    with graph.section("force transforms"):
        for body in mechanism.bodies:
            if body.parent:
                blocks[body.parent, body.label] = _of_map(graph, body.placement.wrench_to_parent)
    return blocks


def _recursion_matrix(mechanism: Mechanism, transforms: Blocks) -> Blocks:
    """P = U - X."""
    unit = _of_columns(unit_columns(mechanism.graph, tuple(range(6))))
    blocks = {pair: tuple(tuple(-entry for entry in row) for row in block) for pair, block in transforms.items()}
    return blocks | {(label, label): unit for label in range(1, mechanism.nb + 1)}


def _inertia(mechanism: Mechanism, label: int) -> Block:
    return _of_map(mechanism.graph, mechanism.body(label).inertia.times)


def _of_map(graph: Graph, image: Callable[[Vector3, Vector3], Motion]) -> Block:
    """The matrix of a linear map of motions or wrenches."""
    return _of_columns([six(image(*motion_of(column))) for column in unit_columns(graph, tuple(range(6)))])


def _of_columns(columns: Sequence[Sequence[Scalar]]) -> Block:
    return _transposed(columns, 6)


def _diagonal(blocks: list[Block]) -> Blocks:
    return {(label, label): block for label, block in enumerate(blocks, start=1)}


def _transposed(block: Sequence[Sequence[Scalar]], columns: int) -> Block:
    """The transposed block; ``columns`` is how many rows it has, which an empty block does not tell."""
    return tuple(tuple(row[k] for row in block) for k in range(columns))
