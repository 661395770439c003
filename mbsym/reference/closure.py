"""Closure of loops at position and velocity level, read off the poses of the opened tree."""

from __future__ import annotations

import numpy as np

from mbsym.reference.constraint_elements import REFERENCE_CONSTRAINTS, between_points, reach
from mbsym.reference.held import held_rows
from mbsym.reference.maximal import constraint_rows
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import (
    Configuration,
    centroidal_twists,
    configuration,
    integrate_position,
    joint_gap,
    motion,
    relative_twist,
)
from mbsym.reference.rotations import Array

SINGULAR = 1e-9
"""Part of the largest singular value of the closure Jacobian below which a direction counts as dependent."""


def closure_gap(mechanism: NumericMechanism, at: Configuration) -> Array:
    """Six entries for each cut joint, one for each relation of coordinates, one for a rod, two for a slide, one for
    each row of ``held_rows``.

    A cut joint's are [rotation vector; shift] in base axes by which the successor's frame misses the nearest place
    that the joint allows, without what lies along its freedom.
    """
    gaps: list[Array] = []
    for joint in mechanism.cut_joints:
        frames = at.joints[joint.label - 1]
        gap = np.kron(np.eye(2), frames.P) @ joint_gap(joint, frames, at.coordinates[joint.label - 1])
        gaps.append(gap - frames.freedom @ (np.linalg.pinv(frames.freedom) @ gap))
    for relation in mechanism.relations:
        total = sum(factor * at.coordinates[label - 1][0] for label, factor in relation.terms)
        gaps.append(np.array([total - relation.offset]))
    for constraint in between_points(mechanism):
        law = REFERENCE_CONSTRAINTS.named(constraint.type, constraint.name)
        gaps.append(law.gap(reach(mechanism, at, None, constraint), constraint))
    gaps.extend(np.array([row.gap(mechanism, at)]) for row in held_rows(mechanism))
    return np.concatenate([np.zeros(0), *gaps])


def closure_jacobian(mechanism: NumericMechanism, at: Configuration) -> Array:
    """Rates of the closure gap for unit speeds of the opened tree, (entries of the gap, nv), at closed loops."""
    unit = motion(mechanism, at, np.eye(mechanism.nv))
    rows: list[Array] = []
    for joint in mechanism.cut_joints:
        frames = at.joints[joint.label - 1]
        relative = relative_twist(joint, frames, at, unit.angular, unit.linear)
        rows.append(relative - frames.freedom @ (np.linalg.pinv(frames.freedom) @ relative))
    # The rows of relations and constraint elements hold no speeds, so those at rest serve.
    still = constraint_rows(mechanism, at, motion(mechanism, at, np.zeros((mechanism.nv, 1)))).matrix
    first = 6 * mechanism.nj + len(mechanism.followers)
    twists = centroidal_twists(at, unit).reshape(6 * mechanism.nb, mechanism.nv)
    rows.append(still[first:] @ np.concatenate([twists, unit.rates]))
    return np.concatenate(rows)


def consistent_velocity(mechanism: NumericMechanism, at: Configuration, v: Array) -> Array:
    """The speeds nearest to v that keep every loop closed, (nv,)."""
    jacobian = closure_jacobian(mechanism, at)
    if not jacobian.size:
        return v
    consistent: Array = v - np.linalg.pinv(jacobian, rcond=SINGULAR) @ (jacobian @ v)
    return consistent


def closed_position(mechanism: NumericMechanism, q: Array, iterations: int = 50) -> Array:
    """Gauss-Newton steps from q towards closed loops, shortened where they overshoot, as many as help.

    The gap of what is returned is no larger than that of q; it tells whether the loops could be closed.
    """
    gap = closure_gap(mechanism, configuration(mechanism, q))
    for _ in range(iterations if gap.size else 0):
        jacobian = closure_jacobian(mechanism, configuration(mechanism, q))
        step = -np.linalg.pinv(jacobian, rcond=1e-6) @ gap
        for length in (1.0, 0.5, 0.25, 0.125, 0.0625):
            moved = integrate_position(mechanism, q, step, length)
            new_gap = closure_gap(mechanism, configuration(mechanism, moved))
            if np.linalg.norm(new_gap) < np.linalg.norm(gap):
                break
        else:
            break
        q, gap = moved, new_gap
    return q
