"""Composite-body algorithm: the mass matrix, and forward dynamics by its sparse factorisation.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 6 and 8.
"""

from __future__ import annotations

from collections.abc import Collection

from mbsym.formulations.recursive.sparse_factor import SparseFactor, factorised
from mbsym.formulations.regular_mass import never_singular
from mbsym.joints.motion import Motion, power
from mbsym.kinematics.driven import driven_columns, held_matrix
from mbsym.kinematics.equivalents import for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism
from mbsym.spatial.inertia import RigidInertia
from mbsym.symbolic.scalar import Scalar

SquareMatrix = list[list[Scalar]]


def mass_matrix(mechanism: Mechanism) -> SquareMatrix:
    """M(q), nv x nv, with rotor inertias; couplings are folded in by N^T M N."""
    graph, mechanism = mechanism.graph, for_mass_matrix(mechanism)
    zero = Scalar(graph, 0)
    matrix = [[zero] * mechanism.nv for _ in range(mechanism.nv)]
    inertias = composite_inertias(mechanism)
    with graph.section("mass matrix"):
        for body in mechanism.bodies:
            own = mechanism.speed_of[body.label - 1]
            forces: list[Motion] = [inertias[body.label - 1].times(*column) for column in body.columns]
            for k, (column, ratio) in enumerate(own):
                matrix[column][column] = matrix[column][column] + body.armature[k] * ratio * ratio
            carrier = body
            while True:
                for k, force in enumerate(forces):
                    for m, direction in enumerate(carrier.columns):
                        if carrier is body and m > k:
                            continue
                        entry = power(direction, force)
                        _insert(
                            matrix, own[k], mechanism.speed_of[carrier.label - 1][m], entry, carrier is body and m == k
                        )
                if not carrier.parent:
                    break
                forces = [carrier.placement.wrench_to_parent(*wrench) for wrench in forces]
                carrier = mechanism.body(carrier.parent)
    for r in range(mechanism.nv):
        for c in range(r):
            if matrix[r][c]:
                matrix[r][c].named(f"m{r + 1}_{c + 1}")
        matrix[r][r].named(f"m{r + 1}_{r + 1}")
    return matrix


def composite_inertias(mechanism: Mechanism) -> list[RigidInertia]:
    """Inertia of each body with all that hang on it, in its internal frame, by label - 1."""
    inertias = [body.inertia for body in mechanism.bodies]
    with mechanism.graph.section("composite inertias, inward"):
        for body in reversed(mechanism.bodies):
            if body.parent:
                moved = inertias[body.label - 1].to_parent(body.rotation, body.translation)
                summed = RigidInertia.of_entries(mechanism.handed(body, moved.entries()))
                inertias[body.parent - 1] = inertias[body.parent - 1] + summed
    return inertias


def _insert(
    matrix: SquareMatrix, first: tuple[int, Scalar], second: tuple[int, Scalar], entry: Scalar, diagonal: bool
) -> None:
    """Adds an entry and its mirror image to the reduced matrix."""
    (r, ratio_r), (c, ratio_c) = first, second
    term = ratio_r * ratio_c * entry
    if r == c and not diagonal:
        term = term + term
    matrix[r][c] = matrix[r][c] + term
    if r != c:
        matrix[c][r] = matrix[r][c]


def factored_mass_matrix(mechanism: Mechanism, driven: Collection[int] = ()) -> SparseFactor:
    """M = L^T D L, whose pivots are not looked at where M is regular in every state; driven speeds stand by themselves.

    So does what is driven and moves no inertia, whose rows are zero, in any case.

    Raises:
        DerivationError: a pivot is zero in every state.
    """
    matrix = mass_matrix(mechanism)
    held = {*driven, *(k for k in driven_columns(mechanism) if not matrix[k][k])}
    return factored(mechanism, held_matrix(matrix, held) if held else matrix)


def factored(mechanism: Mechanism, matrix: SquareMatrix) -> SparseFactor:
    """L^T D L of a mechanism's mass matrix, however it was found, from the last label inward: no fill for a tree.

    Raises:
        DerivationError: a pivot is zero in every state.
    """

    def joint(speed: int) -> str:
        return next(f"joint {body.joint.name}" for body in mechanism.bodies if speed - 1 in range(*body.v_range))

    regular = never_singular(mechanism)
    return factorised(mechanism, matrix, order=mechanism.columns_by_label, regular=regular, where=joint)


def solve(mechanism: Mechanism, matrix: SquareMatrix, right: list[Scalar]) -> list[Scalar]:
    """M^-1 times a vector.

    Raises:
        DerivationError: a pivot is zero in every state.
    """
    factor = factored(mechanism, matrix)
    for k, inverse in enumerate(factor.inverses, 1):
        inverse.named(f"inv_d{k}")
    reduced = factor.inward(right)
    with mechanism.graph.section("solution"):
        return factor.outward(reduced)
