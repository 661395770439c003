"""Rates of coordinates; poses, twists and accelerations of all bodies in base axes, by walking the tree joint by joint.

A body is followed by its rotation matrix and the origin of its frame; a flipped joint is walked from its successor to
its predecessor. Joint motion enters as the user gives it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbsym.model.frame import Frame
from mbsym.reference.joint_types import REFERENCE_JOINTS, joint_freedom
from mbsym.reference.mechanism import NumericJoint, NumericMechanism, placement_numbers
from mbsym.reference.rotations import Array, cross, rotation_vector, skew


@dataclass(frozen=True, slots=True)
class JointFrames:
    """Joint frames in base axes: P and its origin (tail), S and its (head); H, and which of its columns turn with S;
    coordinates, those of a cut joint read off the poses."""

    P: Array
    tail: Array
    S: Array
    head: Array
    freedom: Array
    in_successor: Array
    coordinates: Array


@dataclass(frozen=True, slots=True)
class Configuration:
    """All bodies and joint frames at one q.

    Attributes:
        rotations: (nb+1, 3, 3), columns are the body axes in base axes; the base is the first.
        origins: (nb+1, 3), origins of the body frames.
        centers: (nb+1, 3), centres of mass.
        joints: frames of every joint by label, cut joints included.
        coordinates: of every joint by label; those of cut joints are read off the poses.
    """

    rotations: Array
    origins: Array
    centers: Array
    joints: tuple[JointFrames, ...]
    coordinates: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Motion:
    """Twists of all bodies; with k columns of speeds every entry has a last axis of length k.

    Attributes:
        angular: (nb+1, 3, k), angular velocity in base axes.
        linear: (nb+1, 3, k), velocity of the body frame's origin in base axes.
        rates: (n, k), speeds of all joints; those of cut joints are read off the twists.
    """

    angular: Array
    linear: Array
    rates: Array


def position_rate(mechanism: NumericMechanism, q: Array, v: Array) -> Array:
    """qdot (nq,) for speeds v (nv,); quaternions by qdot = q (0, omega) / 2, omega in the moving axes."""
    rate = np.zeros(mechanism.nq)
    for joint in mechanism.tree_joints:
        if joint.coordinates is None or joint.speeds is None:
            continue
        rate[joint.coordinates] = REFERENCE_JOINTS[joint.type].rate(q[joint.coordinates], v[joint.speeds])
    return rate


def integrate_position(mechanism: NumericMechanism, q: Array, v: Array, h: Any) -> Array:
    """q after the speeds v have acted for the time h; quaternions stay of unit length.

    Its derivative by h at h = 0 is the position rate; a free joint's frame goes straight on, so that larger steps are
    of first order. An imaginary h makes a complex step.
    """
    moved = np.array(q, dtype=np.result_type(q, type(h), float))
    for joint in mechanism.tree_joints:
        if joint.coordinates is None or joint.speeds is None:
            continue
        moved[joint.coordinates] = REFERENCE_JOINTS[joint.type].moved(q[joint.coordinates], h * v[joint.speeds])
    return moved


def body_placements(mechanism: NumericMechanism, q: Array) -> tuple[Array, Array]:
    """Rotations (nb+1, 3, 3) and origins (nb+1, 3) of the body frames; complex q gives a complex step."""
    rotations = np.zeros((mechanism.nb + 1, 3, 3), dtype=q.dtype)
    origins = np.zeros((mechanism.nb + 1, 3), dtype=q.dtype)
    rotations[0] = np.eye(3)
    for joint, entries in zip(mechanism.tree_joints, mechanism.joint_coordinates(q), strict=True):
        inner, outer, _ = joint.walked
        rotations[outer], origins[outer] = outer_placement(joint, entries, rotations[inner], origins[inner])
    return rotations, origins


def outer_placement(joint: NumericJoint, q: Array, rotation: Array, origin: Array) -> tuple[Array, Array]:
    """Rotation and origin of the body that a tree joint leads to, by its coordinates and those of its inner body."""
    turn, shift = REFERENCE_JOINTS[joint.type].placement(joint, q)
    near = joint.predecessor_rotation, joint.predecessor_translation
    far = joint.successor_rotation, joint.successor_translation
    if joint.flipped:
        near, far = far, near
        turn, shift = turn.T, -turn.T @ shift
    # T_outer = T_inner T_near T_joint T_far^-1
    start = rotation @ near[0]
    turned = start @ turn @ far[0].T
    return turned, origin + rotation @ near[1] + start @ shift - turned @ far[1]


def joint_frames(joint: NumericJoint, rotations: Array, origins: Array, q: Array | None = None) -> JointFrames:
    """The joint's frames at the given poses of its bodies, its coordinates read off them if None."""
    P = rotations[joint.predecessor] @ joint.predecessor_rotation
    tail = origins[joint.predecessor] + rotations[joint.predecessor] @ joint.predecessor_translation
    S = rotations[joint.successor] @ joint.successor_rotation
    head = origins[joint.successor] + rotations[joint.successor] @ joint.successor_translation
    if q is None:
        q = REFERENCE_JOINTS[joint.type].coordinates(joint, P.T @ S, P.T @ (head - tail))
    return JointFrames(P, tail, S, head, *joint_freedom(joint, P, S, q), q)


def configuration(mechanism: NumericMechanism, q: Array) -> Configuration:
    """All placements at q, shape (nq,)."""
    rotations, origins = body_placements(mechanism, q)
    centers = origins.copy()
    for label, body in enumerate(mechanism.bodies, start=1):
        centers[label] += rotations[label] @ body.center_of_mass
    given = [*mechanism.joint_coordinates(q), *(None for _ in mechanism.cut_joints)]
    frames = tuple(
        joint_frames(joint, rotations, origins, entries) for joint, entries in zip(mechanism.joints, given, strict=True)
    )
    return Configuration(rotations, origins, centers, frames, tuple(at.coordinates for at in frames))


def motion(mechanism: NumericMechanism, at: Configuration, v: Array) -> Motion:
    """Twists for speeds v (nv, k); linear in v, so the identity gives the Jacobians."""
    tree_rates = mechanism.rate_map @ v
    columns = v.shape[1]
    angular = np.zeros((mechanism.nb + 1, 3, columns))
    linear = np.zeros((mechanism.nb + 1, 3, columns))
    for joint, frames in zip(mechanism.tree_joints, at.joints, strict=False):
        relative = frames.freedom @ tree_rates[joint.rates]
        inner, outer, sign = joint.walked
        arm_in, arm_out = frames.head - at.origins[inner], at.origins[outer] - frames.head
        angular[outer] = angular[inner] + sign * relative[:3]
        # Both bodies at the head, where the relative velocity is the joint's.
        linear[outer] = linear[inner] - skew(arm_in) @ angular[inner] + sign * relative[3:]
        linear[outer] -= skew(arm_out) @ angular[outer]
    rates = [tree_rates]
    for joint, frames in zip(mechanism.cut_joints, at.joints[mechanism.nb :], strict=True):
        relative = relative_twist(joint, frames, at, angular, linear)
        rates.append(np.linalg.pinv(frames.freedom) @ relative)
    return Motion(angular, linear, np.concatenate(rates))


def centroidal_twists(at: Configuration, moving: Motion) -> Array:
    """(nb, 6, k): [angular velocity; velocity of the centre of mass] of every body, base axes."""
    arms = at.centers - at.origins
    linear = [
        velocity - skew(arm) @ omega
        for velocity, omega, arm in zip(moving.linear[1:], moving.angular[1:], arms[1:], strict=True)
    ]
    return np.concatenate([moving.angular[1:], np.array(linear).reshape(moving.linear[1:].shape)], axis=1)


def relative_twist(joint: NumericJoint, frames: JointFrames, at: Configuration, angular: Array, linear: Array) -> Array:
    """Twist of the successor relative to the predecessor at the head, base axes, (6, k)."""
    p, s = joint.predecessor, joint.successor
    at_p = linear[p] - skew(frames.head - at.origins[p]) @ angular[p]
    at_s = linear[s] - skew(frames.head - at.origins[s]) @ angular[s]
    return np.concatenate([angular[s] - angular[p], at_s - at_p])


def freedom_rate(joint: NumericJoint, frames: JointFrames, angular: Array, speeds: Array) -> Array:
    """Rate of H, (6, n): each column turns with the frame that it is fixed in; ``angular`` is (nb+1, 3)."""
    rate = REFERENCE_JOINTS[joint.type].change(joint, frames.P, frames.coordinates, speeds)
    for k, in_successor in enumerate(frames.in_successor):
        omega = angular[joint.successor if in_successor else joint.predecessor]
        rate[:3, k] += cross(omega, frames.freedom[:3, k])
        rate[3:, k] += cross(omega, frames.freedom[3:, k])
    return rate


def joint_bias(joint: NumericJoint, frames: JointFrames, moving: Motion) -> Array:
    """The part sigma of the relative acceleration that the speeds alone make, (6,).

    Relative acceleration is [alpha_S - alpha_P; a_S - a_P] with both at the head, taken as a point of each
    body; it equals H vdot + sigma, sigma = Hdot v + [0; omega_P x V].
    """
    rates = moving.rates[joint.rates, 0]
    bias: Array = freedom_rate(joint, frames, moving.angular[:, :, 0], rates) @ rates
    bias[3:] += cross(moving.angular[joint.predecessor, :, 0], (frames.freedom @ rates)[3:])
    return bias


def point_bias(omega: Array, arm: Array) -> Array:
    """omega x (omega x arm): centripetal acceleration of a body's point relative to another of its points."""
    return cross(omega, cross(omega, arm))


def accelerations(mechanism: NumericMechanism, at: Configuration, moving: Motion, vdot: Array) -> tuple[Array, Array]:
    """Angular accelerations and accelerations of the body frames' origins, base axes, (nb+1, 3) each."""
    rate_changes = mechanism.rate_map @ vdot
    omega = moving.angular[:, :, 0]
    alpha = np.zeros((mechanism.nb + 1, 3))
    linear = np.zeros((mechanism.nb + 1, 3))
    for joint, frames in zip(mechanism.tree_joints, at.joints, strict=False):
        relative = frames.freedom @ rate_changes[joint.rates] + joint_bias(joint, frames, moving)
        inner, outer, sign = joint.walked
        arm_in, arm_out = frames.head - at.origins[inner], at.origins[outer] - frames.head
        alpha[outer] = alpha[inner] + sign * relative[:3]
        here = linear[inner] + cross(alpha[inner], arm_in) + point_bias(omega[inner], arm_in) + sign * relative[3:]
        linear[outer] = here + cross(alpha[outer], arm_out) + point_bias(omega[outer], arm_out)
    return alpha, linear


def joint_gap(joint: NumericJoint, frames: JointFrames, coordinates: Array) -> Array:
    """How far S is from where the coordinates put it: [rotation vector; shift], (6,), in the joint frame P."""
    turn, shift = REFERENCE_JOINTS[joint.type].placement(joint, coordinates)
    rotation, origin = frames.P.T @ frames.S, frames.P.T @ (frames.head - frames.tail)
    return np.concatenate([rotation_vector(rotation @ turn.T), origin - shift])


def frame_pose(mechanism: NumericMechanism, frame: Frame, rotations: Array, origins: Array) -> tuple[Array, Array]:
    """Axes (columns) and origin of a frame in base axes, of bodies that stand so."""
    label = mechanism.body_labels[frame.body]
    rotation, translation = placement_numbers(frame.placement, mechanism.names)
    return rotations[label] @ rotation, origins[label] + rotations[label] @ translation


def frame_twists(mechanism: NumericMechanism, frame: Frame, at: Configuration, moving: Motion) -> Array:
    """[omega; v] for every column of speeds, (6, k)."""
    label = mechanism.body_labels[frame.body]
    axes, origin = frame_pose(mechanism, frame, at.rotations, at.origins)
    point = np.zeros(3) if frame.axes == "base" else origin
    arm = point - at.origins[label]
    omega = moving.angular[label]
    twist = np.concatenate([omega, moving.linear[label] + np.cross(omega, arm[:, None], axis=0)])
    seen: Array = _turned(frame, axes) @ twist
    return seen


def frame_acceleration(
    mechanism: NumericMechanism, frame: Frame, at: Configuration, moving: Motion, alpha: Array, linear: Array
) -> Array:
    """[alpha; a], (6,), of a body whose frame accelerates so, base axes."""
    label = mechanism.body_labels[frame.body]
    axes, origin = frame_pose(mechanism, frame, at.rotations, at.origins)
    omega = moving.angular[label, :, 0]
    if frame.axes == "base":
        # The velocity field at the base's origin, as time goes on: different points of the body pass there.
        arm, velocity = -at.origins[label], moving.linear[label, :, 0]
        here = linear[label] + cross(alpha[label], arm) - cross(omega, velocity)
    else:
        arm = origin - at.origins[label]
        here = linear[label] + cross(alpha[label], arm) + cross(omega, cross(omega, arm))
    seen: Array = _turned(frame, axes) @ np.concatenate([alpha[label], here])
    return seen


def _turned(frame: Frame, axes: Array) -> Array:
    """Takes [angular; linear] in base axes to the frame's, (6, 6)."""
    turn = axes.T if frame.axes == "local" else np.eye(3)
    return np.kron(np.eye(2), turn)
