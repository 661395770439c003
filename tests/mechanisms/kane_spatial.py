"""Kane's equations with spatial vectors at the base's origin: topology is a Kronecker product.

Twists and wrenches of all bodies refer to one point and one frame, so no transform is left between them:
P = -S (x) U6 and P^-1 = -T (x) U6. With S_j the columns of H_j there, V = P^-T S v and

    M = S^T P^-1 I P^-T S,    h = S^T P^-1 (I P^-T sigma + p),
    sigma_j = H_j-dot v_j + V_j x S_j v_j,    p_i = V_i x* I_i V_i - I_i [0; g] - f_i

Source: R. E. Roberson, R. Schwertassek, Dynamics of Multibody Systems, 1988, chapter 8; A. Jain, Robot and Multibody
Dynamics, 2011, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.recursive.composite_body import SquareMatrix
from mbsym.joints.motion import Motion, combination
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds, poses
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.vector import add, cross, dot, is_zero, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar
from mbsym.topology.matrices import incidence_matrix, path_matrix

if TYPE_CHECKING:
    import sympy


def recursion_matrices(mechanism: Mechanism) -> tuple[sympy.Matrix, sympy.Matrix]:
    """P = -S (x) U6 and P^-1 = -T (x) U6, as SymPy matrices of 6 nb rows in label order."""
    import sympy

    labelling = mechanism.labelling
    incidence = incidence_matrix(labelling.inboard, labelling.outboard, labelling.nb)
    S = sympy.Matrix([list(row) for row in incidence[1:]])
    T = sympy.Matrix([list(row) for row in path_matrix(labelling.tree)])
    unit = sympy.eye(6)
    return sympy.kronecker_product(-S, unit), sympy.kronecker_product(-T, unit)


def spatial_mass_matrix(mechanism: Mechanism) -> SquareMatrix:
    """S^T P^-1 I P^-T S with rotor inertias, nv x nv; couplings are folded in by N^T M N.

    Block (j, k) of P^-1 I P^-T is the sum of the inertias outboard of both joints.
    """
    graph = mechanism.graph
    T = path_matrix(mechanism.labelling.tree)
    columns, inertias = _world(mechanism)
    matrix = [[Scalar(graph, 0)] * mechanism.nv for _ in range(mechanism.nv)]
    with graph.section("mass matrix"):
        for body in mechanism.bodies:
            j = body.label
            total = _sum_of([inertias[i] for i in range(mechanism.nb) if T[j - 1][i]])
            for n, (r, ratio_r) in enumerate(mechanism.speed_of[j - 1]):
                moment, momentum = total.times(*columns[j - 1][n])
                for k in range(1, j + 1):
                    # Joint k contributes where it is on the path of body j: then j is the outer one of the two.
                    if not T[k - 1][j - 1]:
                        continue
                    for m, (c, ratio_c) in enumerate(mechanism.speed_of[k - 1]):
                        if k == j and m > n:
                            continue
                        angular, linear = columns[k - 1][m]
                        entry = ratio_r * ratio_c * (dot(angular, moment) + dot(linear, momentum))
                        if r == c and (k, m) != (j, n):
                            entry = entry + entry
                        high, low = max(r, c), min(r, c)
                        matrix[high][low] = matrix[high][low] + entry
                matrix[r][r] = matrix[r][r] + ratio_r * ratio_r * body.armature[n]
        for r in range(mechanism.nv):
            for c in range(r):
                matrix[c][r] = matrix[r][c]
    return matrix


def spatial_bias(mechanism: Mechanism) -> tuple[Scalar, ...]:
    """S^T P^-1 (I P^-T sigma + p) less joint force elements, over v."""
    graph = mechanism.graph
    T = path_matrix(mechanism.labelling.tree)
    columns, inertias = _world(mechanism)
    frames = poses(mechanism)
    applied = applied_forces(mechanism, joint_speeds(mechanism))
    relative = [combination(graph, own, body.v) for own, body in zip(columns, mechanism.bodies, strict=True)]
    twists = [_along(T, i, relative) for i in range(mechanism.nb)]
    with graph.section("bias"):
        sigma: list[Motion] = []
        for body, twist, step in zip(mechanism.bodies, twists, relative, strict=True):
            turning = _cross_motion(twist, step)
            if not (is_zero(body.motion.bias[0]) and is_zero(body.motion.bias[1])):
                turning = _plus(frames[body.label].twist_to_parent(*body.motion.bias), turning)
            sigma.append(turning)
        wrenches: list[Motion] = []
        for i, (inertia, twist) in enumerate(zip(inertias, twists, strict=True)):
            angular, linear = _along(T, i, sigma)
            wrench = _plus(
                inertia.times(angular, subtract(linear, mechanism.gravity)),
                _cross_force(twist, inertia.times(*twist)),
            )
            if applied is not None and i + 1 in applied.wrenches:
                n, f = frames[i + 1].wrench_to_parent(*applied.wrenches[i + 1])
                wrench = (subtract(wrench[0], n), subtract(wrench[1], f))
            wrenches.append(wrench)
        forces: list[tuple[Scalar, ...]] = []
        zero = zero_vector(graph)
        for j, own in enumerate(columns):
            total: Motion = (zero, zero)
            for i, wrench in enumerate(wrenches):
                if T[j][i]:
                    total = _plus(total, wrench)
            known = applied.joints[j] if applied is not None else (Scalar(graph, 0),) * len(own)
            forces.append(
                tuple(dot((*e, *d), (*total[0], *total[1])) - k for (e, d), k in zip(own, known, strict=True))
            )
        return mechanism.gather(tuple(forces))


def _world(mechanism: Mechanism) -> tuple[list[tuple[Motion, ...]], list[RigidInertia]]:
    """Motion subspaces and inertias at the base's origin in base axes, by label - 1."""
    frames = poses(mechanism)
    columns: list[tuple[Motion, ...]] = []
    inertias = []
    with mechanism.graph.section("motion subspaces and inertias at the base's origin"):
        for body in mechanism.bodies:
            frame = frames[body.label]
            columns.append(tuple(frame.twist_to_parent(*column) for column in body.columns))
            inertias.append(body.inertia.to_parent(frame.rotation, frame.translation))
    return columns, inertias


def _sum_of(inertias: Sequence[RigidInertia]) -> RigidInertia:
    total = inertias[0]
    for inertia in inertias[1:]:
        total = total + inertia
    return total


def _along(T: Sequence[Sequence[int]], i: int, terms: Sequence[Motion]) -> Motion:
    """-sum_j T_ji term_j."""
    first, *others = [j for j in range(len(T)) if T[j][i]]
    total = terms[first]
    for j in others:
        total = _plus(total, terms[j])
    return total


def _plus(a: Motion, b: Motion) -> Motion:
    return add(a[0], b[0]), add(a[1], b[1])


def _cross_motion(v: Motion, u: Motion) -> Motion:
    """V x U of two twists."""
    return cross(v[0], u[0]), add(cross(v[1], u[0]), cross(v[0], u[1]))


def _cross_force(v: Motion, f: Motion) -> Motion:
    """V x* F of a twist and a wrench."""
    return add(cross(v[0], f[0]), cross(v[1], f[1])), cross(v[0], f[1])
