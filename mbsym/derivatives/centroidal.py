"""Momentum about the centre of mass as a matrix, and its rate at constant speeds.

Column k of the matrix is the momentum of all that joint k moves, as one rigid body that turns and slides along the
joint's direction: the wrench I h of its composite inertia, moved to the centre of mass of the whole.

Source: D. E. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, 2013.
"""

from __future__ import annotations

from mbsym.derivatives.tangent import Matrix
from mbsym.formulations.recursive.composite_body import composite_inertias
from mbsym.formulations.recursive.newton_euler import newton_euler
from mbsym.joints.motion import Motion, sum_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import center_of_mass
from mbsym.kinematics.recursion import joint_speeds, joints_at_rest, poses
from mbsym.spatial.vector import Vector3, add, cross, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar


def centroidal_momentum_matrix(mechanism: Mechanism) -> Matrix:
    """A(q), (6, nv): A v is the momentum, [angular about the centre of mass; linear] in base axes."""
    center = center_of_mass(mechanism)
    wholes, placed = composite_inertias(mechanism), poses(mechanism)
    matrix = [[Scalar(mechanism.graph, 0)] * mechanism.nv for _ in range(6)]
    with mechanism.graph.section("momentum by each speed"):
        for body in mechanism.bodies:
            carrier = placed[body.label]
            arm = subtract(carrier.translation, center)
            for direction, (column, ratio) in zip(body.columns, mechanism.speed_of[body.label - 1], strict=True):
                moment, force = wholes[body.label - 1].times(*direction)
                linear = carrier.rotation.to_parent(force)
                angular = add(carrier.rotation.to_parent(moment), cross(arm, linear))
                for row, entry in enumerate((*angular, *linear)):
                    matrix[row][column] = matrix[row][column] + ratio * entry
    return matrix


def centroidal_momentum_rate_v(mechanism: Mechanism) -> tuple[Vector3, Vector3]:
    """Adot v, (6,): what moves all bodies so, about the centre of mass, in base axes."""
    zero = zero_vector(mechanism.graph)
    found = newton_euler(mechanism, joint_speeds(mechanism), joints_at_rest(mechanism), zero)
    total: Motion = (zero, zero)
    for body in mechanism.bodies:
        if not body.parent:
            total = sum_of(total, body.placement.wrench_to_parent(*found.wrenches[body.label]))
    return subtract(total[0], cross(center_of_mass(mechanism), total[1])), total[1]
