"""Coordinates and speeds of a model's tree joints to attitudes of transfer matrix elements, and back."""

from __future__ import annotations

import numpy as np

from mbsym.doors import Array
from mbsym.transfer_matrix.system import TransferBody, TransferSystem
from mbsym.values.numbers import evaluate_reference, parameter_values


class ElementCoordinates:
    """The map between (q, v) of a mechanism and what the stepping code takes and shows.

    Attributes of elements, arrays over (times, elements, ...): attitudes are angles (1) or quaternions (4),
    displacements and their rates are those of elastic hinges in base axes (in the plane's axes).
    """

    def __init__(self, system: TransferSystem) -> None:
        self._system = system
        self._ranges = {body.joint.name: (body.q_range, body.v_range) for body in system.mechanism.bodies}

    def to_elements(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Attitudes, angular velocities, displacements and displacement rates of one state."""
        system = self._system
        n, d = len(system.bodies), system.layout.dimension
        displacement, rate = np.zeros((n, d)), np.zeros((n, d))
        if system.is_planar:
            angle, spin = np.zeros(n + 1), np.zeros(n + 1)
            for i, body in enumerate(system.bodies):
                own_q, own_v = self._of(body, q, v)
                hinge = body.hinge
                angle[i + 1] = angle[body.parent] + hinge.outward * own_q[-1] + hinge.offset
                spin[i + 1] = spin[body.parent] + hinge.outward * own_v[-1]
                if hinge.elastic:
                    carrier = i + 1 if hinge.flipped else body.parent
                    local = _plane_turn(angle[carrier]) @ np.array(hinge.predecessor_frame)
                    sign = -1 if hinge.flipped else 1
                    moved = local @ own_q[:2]
                    displacement[i] = sign * moved
                    rate[i] = sign * (local @ own_v[:2] + spin[carrier] * np.array([-moved[1], moved[0]]))
            return angle[1:, None], spin[1:, None], displacement, rate
        R, omega = [np.eye(3)], [np.zeros(3)]  # rotations, and angular velocities in base axes
        for i, body in enumerate(system.bodies):
            own_q, own_v = self._of(body, q, v)
            hinge = body.hinge
            start, end = np.array(hinge.predecessor_frame), np.array(hinge.successor_frame)
            relative = rotation_matrices(own_q[:4] / np.linalg.norm(own_q[:4]))
            inner_R, inner_omega = R[body.parent], omega[body.parent]
            if hinge.flipped:
                own_R = inner_R @ end @ relative.T @ start.T
                own_omega = inner_omega - inner_R @ end @ own_v[:3]
            else:
                own_R = inner_R @ start @ relative @ end.T
                own_omega = inner_omega + own_R @ end @ own_v[:3]
            R.append(own_R)
            omega.append(own_omega)
            if hinge.elastic:
                predecessor, successor = (i + 1, body.parent) if hinge.flipped else (body.parent, i + 1)
                sign = -1 if hinge.flipped else 1
                moved = R[predecessor] @ start @ own_q[4:]
                displacement[i] = sign * moved
                slide = R[successor] @ end @ own_v[3:]
                rate[i] = sign * (slide + np.cross(omega[predecessor], moved))
        attitudes = np.array([quaternion_of(matrix) for matrix in R[1:]])
        body_omega = np.array([matrix.T @ w for matrix, w in zip(R[1:], omega[1:], strict=True)])
        return attitudes, body_omega, displacement, rate

    def to_coordinates(
        self, attitudes: Array, omegas: Array, input_ends: Array, centers: Array, velocities: Array
    ) -> tuple[Array, Array]:
        """q (times, nq) and v (times, nv) of a trajectory; quaternions keep their sign from one time to the next.

        Args:
            attitudes: (times, elements, 1 or 4).
            omegas: angular velocities.
            input_ends: points at the inboard hinges.
            centers: centres of mass.
            velocities: of the centres of mass.
        """
        displacements, rates = self._displacements(attitudes, omegas, input_ends, centers, velocities)
        mechanism = self._system.mechanism
        times = attitudes.shape[0]
        q, v = np.zeros((times, mechanism.nq)), np.zeros((times, mechanism.nv))
        put = self._planar_coordinates if self._system.is_planar else self._spatial_coordinates
        for i, body in enumerate(self._system.bodies):
            own_q, own_v = put(i, body, attitudes, omegas, displacements[:, i], rates[:, i])
            (q_start, q_stop), (v_start, v_stop) = self._ranges[body.hinge.joint.name]
            q[:, q_start:q_stop] = own_q
            v[:, v_start:v_stop] = own_v
        return q, v

    def _displacements(
        self, attitudes: Array, omegas: Array, points: Array, centers: Array, velocities: Array
    ) -> tuple[Array, Array]:
        """Displacements of elastic hinges and their rates."""
        system = self._system
        displacements, rates = np.zeros_like(points), np.zeros_like(points)
        numbers = parameter_values(system.mechanism.model)
        graph = system.mechanism.graph
        turn = _plane_turn if system.is_planar else rotation_matrices
        for i, body in enumerate(system.bodies):
            if not body.hinge.elastic:
                continue
            end = np.array([evaluate_reference(graph, x.ref, numbers) for x in body.hinge.attachment])
            own = _point_rate(velocities[:, i], attitudes[:, i], omegas[:, i], points[:, i] - centers[:, i])
            inner, moving = np.broadcast_to(end, own.shape), np.zeros_like(own)
            p = body.parent - 1
            if p >= 0:
                R = turn(attitudes[:, p, 0] if system.is_planar else attitudes[:, p])
                inner = points[:, p] + R @ end
                moving = _point_rate(velocities[:, p], attitudes[:, p], omegas[:, p], inner - centers[:, p])
            displacements[:, i] = points[:, i] - inner
            rates[:, i] = own - moving
        return displacements, rates

    def _of(self, body: TransferBody, q: Array, v: Array) -> tuple[Array, Array]:
        (q_start, q_stop), (v_start, v_stop) = self._ranges[body.hinge.joint.name]
        return q[q_start:q_stop], v[v_start:v_stop]

    def _planar_coordinates(
        self, i: int, body: TransferBody, attitudes: Array, omegas: Array, displacement: Array, rate: Array
    ) -> tuple[Array, Array]:
        hinge, p = body.hinge, body.parent
        none = np.zeros(attitudes.shape[0])
        inner_angle, inner_spin = (attitudes[:, p - 1, 0], omegas[:, p - 1, 0]) if p else (none, none)
        sign = hinge.outward
        turn = sign * (attitudes[:, i, 0] - inner_angle - hinge.offset)
        spin = sign * (omegas[:, i, 0] - inner_spin)
        if not hinge.elastic:
            return turn[:, None], spin[:, None]
        angle, omega = (attitudes[:, i, 0], omegas[:, i, 0]) if hinge.flipped else (inner_angle, inner_spin)
        local = _plane_turn(angle) @ np.array(hinge.predecessor_frame)
        side = -1 if hinge.flipped else 1
        moved = side * displacement
        drift = side * rate - omega[:, None] * np.stack([-moved[:, 1], moved[:, 0]], axis=-1)
        place, slide = (np.einsum("tji,tj->ti", local, x) for x in (moved, drift))
        return np.column_stack([place, turn]), np.column_stack([slide, spin])

    def _spatial_coordinates(
        self, i: int, body: TransferBody, attitudes: Array, omegas: Array, displacement: Array, rate: Array
    ) -> tuple[Array, Array]:
        hinge, p = body.hinge, body.parent
        times = attitudes.shape[0]
        R = rotation_matrices(attitudes[:, i])
        inner_R = rotation_matrices(attitudes[:, p - 1]) if p else np.broadcast_to(np.eye(3), (times, 3, 3))
        omega = np.einsum("tij,tj->ti", R, omegas[:, i])
        inner_omega = np.einsum("tij,tj->ti", inner_R, omegas[:, p - 1]) if p else np.zeros((times, 3))
        pairs = ((R, omega), (inner_R, inner_omega)) if hinge.flipped else ((inner_R, inner_omega), (R, omega))
        (start_R, start_omega), (end_R, end_omega) = pairs
        start, end = start_R @ np.array(hinge.predecessor_frame), end_R @ np.array(hinge.successor_frame)
        relative = np.swapaxes(start, 1, 2) @ end
        own_q = np.array([quaternion_of(matrix) for matrix in relative])
        flips = np.cumprod(np.concatenate([[1.0], np.where(np.sum(own_q[1:] * own_q[:-1], axis=1) < 0, -1.0, 1.0)]))
        own_q = own_q * flips[:, None]
        own_v = np.einsum("tji,tj->ti", end, end_omega - start_omega)
        if not hinge.elastic:
            return own_q, own_v
        side = -1 if hinge.flipped else 1
        moved = side * displacement
        drift = side * rate - np.cross(start_omega, moved)
        place = np.einsum("tji,tj->ti", start, moved)
        return np.column_stack([own_q, place]), np.column_stack([own_v, np.einsum("tji,tj->ti", end, drift)])


def _point_rate(velocity: Array, attitude: Array, omega: Array, lever: Array) -> Array:
    """Velocity of a point at a lever from the centre of mass."""
    if lever.shape[-1] == 2:
        across: Array = omega * np.stack([-lever[:, 1], lever[:, 0]], axis=-1)
    else:
        across = np.cross(np.einsum("tij,tj->ti", rotation_matrices(attitude), omega), lever)
    return velocity + across


def _plane_turn(angle: Array | float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)


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
