"""Coordinates and speeds of a model's tree joints to attitudes of transfer matrix elements, and back."""

from __future__ import annotations

import numpy as np

from mbsym.doors import Array
from mbsym.transfer_matrix.system import Hinge, Kind, TransferSystem


class ElementCoordinates:
    """The map between (q, v) of a mechanism and what the stepping code takes and shows.

    Arrays of elements are over (times, elements, ...): attitudes are angles (1) or quaternions (4), angular velocities
    those of the body in its axes, coordinates of hinges and their rates as the joint table has them.
    """

    def __init__(self, system: TransferSystem) -> None:
        self._system = system

    def to_elements(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Attitudes, angular velocities, hinges' coordinates and their rates of one state."""
        system = self._system
        n, room = len(system.bodies), system.coordinates
        coordinates, rates = np.zeros((n, room)), np.zeros((n, room))
        R, omega = [np.eye(3)], [np.zeros(3)]  # rotations, and angular velocities in base axes
        angles = np.zeros(n + 1)
        for i, body in enumerate(system.bodies):
            hinge = body.hinge
            frame, turning = R[body.parent], omega[body.parent]
            if hinge.ball:
                frame, turning = self._turned_ball(hinge, frame, turning, q, v)
            v = self._with_rates(hinge, q, v)
            for k, each in enumerate(hinge.coordinates):
                if each.kind == Kind.BALL:
                    continue
                coordinates[i, k] = each.sign * q[each.place[0]]
                rates[i, k] = each.sign * v[each.place[1]]
                if each.kind == Kind.TURN:
                    axis = np.array(each.axis) if not system.is_planar else np.array([0.0, 0.0, 1.0])
                    turning = turning + frame @ axis * rates[i, k]
                    frame = frame @ _about(axis, coordinates[i, k])
                    angles[i + 1] += coordinates[i, k]
            if system.is_planar:
                angles[i + 1] += angles[body.parent] + hinge.turned[0]
            R.append(frame if system.is_planar or hinge.ball else frame @ np.reshape(hinge.turned, (3, 3)))
            omega.append(turning)
        if system.is_planar:
            return angles[1:, None], np.array(omega)[1:, 2:], coordinates, rates
        attitudes = np.array([quaternion_of(matrix) for matrix in R[1:]])
        body_omega = np.array([matrix.T @ w for matrix, w in zip(R[1:], omega[1:], strict=True)])
        return attitudes, body_omega, coordinates, rates

    @staticmethod
    def _turned_ball(hinge: Hinge, inner_R: Array, inner_omega: Array, q: Array, v: Array) -> tuple[Array, Array]:
        """Rotation and angular velocity beyond a ball."""
        start, end = (np.array(rows) for rows in hinge.ball)
        q_first, v_first = _ball_places(hinge)
        relative = rotation_matrices(q[q_first : q_first + 4] / np.linalg.norm(q[q_first : q_first + 4]))
        own_v = v[v_first : v_first + 3]
        if hinge.flipped:
            return inner_R @ end @ relative.T @ start.T, inner_omega - inner_R @ end @ own_v
        R = inner_R @ start @ relative @ end.T
        return R, inner_omega + R @ end @ own_v

    @staticmethod
    def _with_rates(hinge: Hinge, q: Array, v: Array) -> Array:
        """Speeds, those of a free joint's displacement turned to rates of its coordinates."""
        if not (hinge.ball and hinge.slides):
            return v
        q_first, v_first = _ball_places(hinge)
        relative = rotation_matrices(q[q_first : q_first + 4] / np.linalg.norm(q[q_first : q_first + 4]))
        turned = np.array(v, dtype=float)
        turned[v_first + 3 : v_first + 6] = relative @ v[v_first + 3 : v_first + 6]
        return turned

    def to_coordinates(self, attitudes: Array, omegas: Array, coordinates: Array, rates: Array) -> tuple[Array, Array]:
        """q (times, nq) and v (times, nv) of a trajectory; quaternions keep their sign from one time to the next.

        Args:
            attitudes: (times, elements, 1 or 4).
            omegas: angular velocities.
            coordinates: of hinges.
            rates: of these.
        """
        mechanism = self._system.mechanism
        times = attitudes.shape[0]
        q, v = np.zeros((times, mechanism.nq)), np.zeros((times, mechanism.nv))
        for i, body in enumerate(self._system.bodies):
            for k, each in enumerate(body.hinge.coordinates):
                if each.kind != Kind.BALL:
                    q[:, each.place[0]] = each.sign * coordinates[:, i, k]
                    v[:, each.place[1]] = each.sign * rates[:, i, k]
            if body.hinge.ball:
                self._put_ball(i, attitudes, omegas, q, v)
        return q, v

    def _put_ball(self, i: int, attitudes: Array, omegas: Array, q: Array, v: Array) -> None:
        """Quaternion and angular velocity of a ball, and a free joint's displacement rates to its speeds."""
        body = self._system.bodies[i]
        hinge, p, times = body.hinge, body.parent, attitudes.shape[0]
        R = rotation_matrices(attitudes[:, i])
        inner_R = rotation_matrices(attitudes[:, p - 1]) if p else np.broadcast_to(np.eye(3), (times, 3, 3))
        omega = np.einsum("tij,tj->ti", R, omegas[:, i])
        inner_omega = np.einsum("tij,tj->ti", inner_R, omegas[:, p - 1]) if p else np.zeros((times, 3))
        pairs = ((R, omega), (inner_R, inner_omega)) if hinge.flipped else ((inner_R, inner_omega), (R, omega))
        (start_R, start_omega), (end_R, end_omega) = pairs
        start, end = start_R @ np.array(hinge.ball[0]), end_R @ np.array(hinge.ball[1])
        relative = np.swapaxes(start, 1, 2) @ end
        own_q = np.array([quaternion_of(matrix) for matrix in relative])
        flips = np.cumprod(np.concatenate([[1.0], np.where(np.sum(own_q[1:] * own_q[:-1], axis=1) < 0, -1.0, 1.0)]))
        q_first, v_first = _ball_places(hinge)
        q[:, q_first : q_first + 4] = own_q * flips[:, None]
        v[:, v_first : v_first + 3] = np.einsum("tji,tj->ti", end, end_omega - start_omega)
        if hinge.slides:
            v[:, v_first + 3 : v_first + 6] = np.einsum("tji,tj->ti", relative, v[:, v_first + 3 : v_first + 6])


def _ball_places(hinge: Hinge) -> tuple[int, int]:
    """Where the quaternion starts in q, and the angular velocity in v."""
    places = [each.place for each in hinge.coordinates if each.kind == Kind.BALL]
    return min(q for q, _ in places), min(v for _, v in places)


def _about(axis: Array, angle: float) -> Array:
    """Rotation matrix, by Rodrigues' formula."""
    x, y, z = axis
    tilde = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    rotation: Array = np.eye(3) + np.sin(angle) * tilde + (1 - np.cos(angle)) * tilde @ tilde
    return rotation


def rotation_matrices(q: Array) -> Array:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_of(R: Array) -> Array:
    """Unit quaternion of a rotation matrix, its largest component positive."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    rows = np.array(
        [
            [1 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + 2 * R[0, 0] - trace, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 + 2 * R[1, 1] - trace, R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 + 2 * R[2, 2] - trace],
        ]
    )
    row = rows[int(np.argmax(np.diag(rows)))]
    q: Array = row / np.linalg.norm(row)
    return q
