"""Poses, velocities, accelerations and Jacobians of the user's frames, each in the axes that it asks for.

Accelerations at a frame's origin are those of the point there, d/dt of its velocity; in the axes ``base`` they are
those of the spatial velocity. In each case acceleration = Jacobian vdot + what ``jacobian_rate_entries`` gives.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism, PlacedFrame
from mbsym.kinematics.observables import (
    body_jacobian_columns,
    column_entries,
    homogeneous_entries,
    motion_entries,
)
from mbsym.kinematics.recursion import BodyAcceleration, Speeds, accelerations, joint_speeds, joints_at_rest
from mbsym.kinematics.recursion import poses as body_poses
from mbsym.kinematics.recursion import velocities as body_velocities
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, add, cross, multiply, negate, scale, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar


def frame_pose_entries(mechanism: Mechanism) -> list[Scalar]:
    """Homogeneous matrices (nf, 4, 4), row-major, that take coordinates in the frames to base coordinates."""
    bodies = body_poses(mechanism)
    return homogeneous_entries(mechanism, (bodies[frame.label].then(frame.placement) for frame in mechanism.frames))


def frame_velocity_entries(mechanism: Mechanism) -> list[Scalar]:
    """[omega; v] of the frames, (nf, 6)."""
    twists = body_velocities(mechanism, joint_speeds(mechanism))
    bodies = body_poses(mechanism)
    return motion_entries(_expressed(frame, bodies[frame.label], twists[frame.label]) for frame in mechanism.frames)


def frame_jacobian_entries(mechanism: Mechanism) -> list[Scalar]:
    """Jacobians of the frames, (nf, 6, nv)."""
    columns = body_jacobian_columns(mechanism)
    bodies = body_poses(mechanism)
    found: list[dict[int, Motion]] = []
    for frame in mechanism.frames:
        if frame.axes == "local":
            carried = columns[frame.label].items()
            found.append({column: frame.placement.twist_to_child(*motion) for column, motion in carried})
        else:
            found.append(_columns_in_base_axes(mechanism, frame, bodies))
    return column_entries(mechanism, found)


def _columns_in_base_axes(mechanism: Mechanism, frame: PlacedFrame, bodies: Sequence[Transform]) -> dict[int, Motion]:
    """By column of v: each joint's own axes turned into those of the base, which costs less than carrying them out."""
    zero = zero_vector(mechanism.graph)
    here = zero if frame.axes == "base" else bodies[frame.label].point_to_parent(frame.placement.translation)
    found: dict[int, Motion] = {}
    label = frame.label
    while label:
        body, carrier = mechanism.body(label), bodies[label]
        arm = subtract(here, carrier.translation)
        for (angular, linear), (column, ratio) in zip(body.columns, mechanism.speed_of[label - 1], strict=True):
            turn = scale(carrier.rotation.to_parent(angular), ratio)
            slide = add(scale(carrier.rotation.to_parent(linear), ratio), cross(turn, arm))
            before = found.get(column, (zero, zero))
            found[column] = add(before[0], turn), add(before[1], slide)
        label = body.parent
    return found


def frame_acceleration_entries(mechanism: Mechanism) -> list[Scalar]:
    """[alpha; a] of the frames, (nf, 6)."""
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    return _accelerations(mechanism, rates, zero_vector(mechanism.graph))


def proper_acceleration_entries(mechanism: Mechanism) -> list[Scalar]:
    """[alpha; a - g] of the frames, (nf, 6): what gyroscopes differentiated, and accelerometers, tell."""
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    return _accelerations(mechanism, rates, negate(mechanism.gravity))


def jacobian_rate_entries(mechanism: Mechanism) -> list[Scalar]:
    """[alpha; a] of the frames with constant speeds, (nf, 6)."""
    return _accelerations(mechanism, joints_at_rest(mechanism), zero_vector(mechanism.graph))


def _accelerations(mechanism: Mechanism, rates: Speeds, base: Vector3) -> list[Scalar]:
    zero = zero_vector(mechanism.graph)
    speeds = joint_speeds(mechanism)
    standing = BodyAcceleration(zero, zero, base, ((zero[0],) * 3,) * 3)
    with mechanism.graph.section("accelerations, outward"):
        found = {0: standing}
        found.update((body.label, moved) for body, moved in accelerations(mechanism, speeds, rates, base))
    twists, bodies = body_velocities(mechanism, speeds), body_poses(mechanism)
    rows = []
    for frame in mechanism.frames:
        moved, carrier = found[frame.label], bodies[frame.label]
        angular, linear = moved.angular, moved.linear
        if frame.axes == "base":
            angular, at_origin = carrier.rotation.to_parent(angular), carrier.rotation.to_parent(linear)
            omega, velocity = (carrier.rotation.to_parent(part) for part in twists[frame.label])
            carried = add(cross(angular, carrier.translation), cross(omega, velocity))
            rows.append((angular, subtract(at_origin, carried)))
            continue
        linear = add(linear, multiply(moved.turning, frame.placement.translation))
        turn = frame.placement.rotation.to_child if frame.axes == "local" else carrier.rotation.to_parent
        rows.append((turn(angular), turn(linear)))
    return motion_entries(rows)


def _expressed(frame: PlacedFrame, carrier: Transform, motion: Motion) -> Motion:
    """A twist at the origin of the body's internal frame, in the axes and at the point that the frame asks for."""
    if frame.axes == "local":
        return frame.placement.twist_to_child(*motion)
    if frame.axes == "base":
        return carrier.twist_to_parent(*motion)
    angular, linear = motion
    here = add(linear, cross(angular, frame.placement.translation))
    return carrier.rotation.to_parent(angular), carrier.rotation.to_parent(here)
