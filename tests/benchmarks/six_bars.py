"""Ordinary dynamics of the six bars of Li and Rui, written by hand: the other side of the paper's comparison.

Bars 2, 4, 6, 8 form a loop through ground, 9 and 10 hang on its hinges; arrays run over (2, 4, 6, 8, 9, 10). Centres of
mass are combinations of the bars' directions, r_k = sum_j c_kj d_j, so that inertia couples bars i and j by
a_ij = sum_k m_k c_ki c_kj. Nothing of mbsym is used here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, hypot, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[Any]
GRAVITY = 9.8
BARS = (2, 4, 6, 8, 9, 10)
INERTIA = np.array([1 / 150, 13 / 150, 13 / 150])


@dataclass(frozen=True)
class Case:
    """One arrangement of the bars.

    Attributes:
        lengths: of all bars.
        nodes: number of the loop bar at whose end bars 9 and 10 hang.
        angles: initial ones.
    """

    lengths: tuple[float, ...]
    nodes: tuple[int, int]
    angles: tuple[float, ...]

    @property
    def combinations(self) -> Array:
        """c, rows for centres of mass."""
        l = self.lengths
        rows = []
        for k in range(6):
            inner = k if k < 4 else {2: 1, 4: 2, 6: 3}[self.nodes[k - 4]]
            row = np.zeros(6)
            row[:inner] = l[:inner]
            row[k] = l[k] / 2
            rows.append(row)
        return np.array(rows)


THIRD = np.pi / 3
EQUAL = (1.0,) * 6
START = (-THIRD, -2 * THIRD, 2 * THIRD, THIRD, 0.0, np.pi)
PLANAR = Case(EQUAL, (4, 2), START)
SYMMETRIC = Case(EQUAL, (2, 6), START)
REGULAR = Case(
    (1, 1, 0.9, 0.7, 1, 1), (4, 2), (-THIRD, -2.451347335241202, 1.658587011758497, THIRD, 0.0, np.pi)
)  # fmt: skip


class PlanarBars:
    """Equations in all six angles with the closure differentiated twice."""

    def __init__(self, case: Case, correction: str = "no") -> None:
        """Takes the case apart.

        Args:
            case: which.
            correction: "no"; "velocity" reassigns the speeds of bars 4 and 6 in every stage (equation 12 of the paper);
                "position and velocity" their angles too, after each step (equations 11 and 13, nearer intersection).
        """
        c = case.combinations
        self.lengths = np.array(case.lengths)
        self.coupling = c.T @ c + np.diag(self.lengths**2 / 12)
        self.weight = c.sum(axis=0)
        self.correction = correction
        self.start = np.concatenate([case.angles, np.zeros(6)])

    def rate(self, _: float, x: Array) -> Array:
        """Time derivative of (angles, speeds)."""
        x = self.corrected(x)
        angle, speed = x[:6], x[6:]
        difference = angle[:, None] - angle[None, :]
        loop = np.zeros(6)
        loop[:4] = self.lengths[:4]
        K = np.zeros((8, 8))
        K[:6, :6] = self.coupling * np.cos(difference)
        K[6, :6], K[7, :6] = -loop * np.sin(angle), loop * np.cos(angle)
        K[:6, 6:] = K[6:, :6].T
        squares = speed**2
        right = np.empty(8)
        right[:6] = -(self.coupling * np.sin(difference)) @ squares - GRAVITY * self.weight * np.cos(angle)
        right[6], right[7] = (loop * np.cos(angle)) @ squares, (loop * np.sin(angle)) @ squares
        try:
            acceleration = np.linalg.solve(K, right)[:6]
        except np.linalg.LinAlgError:
            acceleration = np.full(6, np.nan)
        return np.concatenate([speed, acceleration])

    def corrected(self, x: Array, *, positions: bool = False) -> Array:
        """The state after the reassignment of speeds, and of angles where asked for."""
        if self.correction == "no":
            return x
        x = x.copy()
        l2, l4, l6, l8 = self.lengths[:4]
        if positions and self.correction == "position and velocity":
            self._reassign_angles(x)
        t2, t4, t6, t8 = x[:4]
        w2, w8 = x[6], x[9]
        x[7] = -(l2 * sin(t6 - t2) * w2 + l8 * sin(t6 - t8) * w8) / (l4 * sin(t6 - t4))
        x[8] = -(l2 * sin(t4 - t2) * w2 + l8 * sin(t4 - t8) * w8) / (l6 * sin(t4 - t6))
        return x

    def _reassign_angles(self, x: Array) -> None:
        l2, l4, l6, l8 = self.lengths[:4]
        bx, by = l2 * cos(x[0]), l2 * sin(x[0])
        dx, dy = -l8 * cos(x[3]), -l8 * sin(x[3])
        span = hypot(dx - bx, dy - by)
        if span < 1e-9 or span > l4 + l6:
            return
        along = (span**2 + l4**2 - l6**2) / (2 * span)
        across = max(l4**2 - along**2, 0.0) ** 0.5
        ux, uy = (dx - bx) / span, (dy - by) / span
        now = (bx + l4 * cos(x[1]), by + l4 * sin(x[1]))
        candidates = [(bx + along * ux - s * across * uy, by + along * uy + s * across * ux) for s in (1, -1)]
        cx, cy = min(candidates, key=lambda c: hypot(c[0] - now[0], c[1] - now[1]))
        for place, angle in ((1, np.arctan2(cy - by, cx - bx)), (2, np.arctan2(dy - cy, dx - cx))):
            x[place] += (angle - x[place] + np.pi) % (2 * np.pi) - np.pi

    def closure(self, x: Array) -> Array:
        """Gap of the loop."""
        return np.abs(np.exp(1j * x[..., :4]) @ self.lengths[:4])

    def energy(self, x: Array) -> Array:
        """Kinetic and potential energy of states."""
        angle, speed = x[..., :6], x[..., 6:]
        M = self.coupling * np.cos(angle[..., :, None] - angle[..., None, :])
        kinetic = np.einsum("...i,...ij,...j->...", speed, M, speed) / 2
        potential: Array = GRAVITY * np.sin(angle) @ self.weight
        return kinetic + potential


class EqualBars:
    """Lagrange's equations of the second kind in the angles of bars 2, 8, 9, 10; bars 4, 6 stay parallel to 8, 2."""

    def __init__(self, case: Case) -> None:
        """Joins parallel bars."""
        joined = np.zeros((6, 4))
        joined[0, 0], joined[2, 0], joined[3, 1], joined[1, 1], joined[4, 2], joined[5, 3] = 1, -1, 1, -1, 1, 1
        c = case.combinations @ joined
        self.coupling = c.T @ c + joined.T @ joined / 12
        self.weight = c.sum(axis=0)
        self.start = np.concatenate([np.array(case.angles)[[0, 3, 4, 5]], np.zeros(4)])

    def rate(self, _: float, x: Array) -> Array:
        """Time derivative of (angles, speeds)."""
        angle, speed = x[:4], x[4:]
        difference = angle[:, None] - angle[None, :]
        right = -(self.coupling * np.sin(difference)) @ speed**2 - GRAVITY * self.weight * np.cos(angle)
        return np.concatenate([speed, np.linalg.solve(self.coupling * np.cos(difference), right)])

    @staticmethod
    def all_angles(x: Array) -> Array:
        """Angles of all six bars."""
        return np.stack([x[..., 0], x[..., 1] - np.pi, x[..., 0] + np.pi, x[..., 1], x[..., 2], x[..., 3]], axis=-1)


class SpatialBars:
    """Bars on ball joints: attitudes as quaternions, angular velocities in base axes, closure differentiated twice."""

    def __init__(self, case: Case) -> None:
        """Sets bars 9 and 10 out of the plane."""
        c = case.combinations
        self.coupling = c.T @ c
        self.weight = c.sum(axis=0)
        quaternions = [np.array([cos(t / 2), 0, 0, sin(t / 2)]) for t in case.angles[:4]]
        for alpha, beta in ((-np.pi / 6, np.pi / 8), (np.pi / 6, -np.pi / 8)):
            about_x = np.array([cos(alpha / 2), sin(alpha / 2), 0, 0])
            about_y = np.array([cos(beta / 2), 0, sin(beta / 2), 0])
            quaternions.append(quaternion_product(about_x, about_y))
        self.start = np.concatenate([*quaternions, np.zeros(18)])

    def rate(self, _: float, x: Array) -> Array:
        """Time derivative of (quaternions, angular velocities)."""
        q, w = x[:24].reshape(6, 4), x[24:].reshape(6, 3)
        R = rotations(q)
        d = R[:, :, 0]
        tilde = skew(d)
        J = np.einsum("bik,k,bjk->bij", R, INERTIA, R)
        M = np.einsum("ij,iab,jcb->iajc", self.coupling, tilde, tilde).reshape(18, 18)
        for k in range(6):
            M[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] += J[k]
        inward = np.cross(w, np.cross(w, d))
        forces = np.einsum("ij,jk->ik", self.coupling, inward)
        forces[:, 1] += GRAVITY * self.weight
        torques = -np.cross(d, forces) - np.cross(w, np.einsum("bij,bj->bi", J, w))
        G = np.zeros((3, 18))
        for k in range(4):
            G[:, 3 * k : 3 * k + 3] = -tilde[k]
        K = np.zeros((21, 21))
        K[:18, :18], K[18:, :18], K[:18, 18:] = M, G, G.T
        solution = np.linalg.solve(K, np.concatenate([torques.ravel(), -inward[:4].sum(axis=0)]))
        spin = np.concatenate([np.zeros((6, 1)), w], axis=1)
        return np.concatenate([(quaternion_product(spin, q) / 2).ravel(), solution[:18]])

    @staticmethod
    def closure(x: Array) -> Array:
        """Gap of the loop."""
        q = x[..., :24].reshape(*x.shape[:-1], 6, 4)
        gap: Array = np.linalg.norm(rotations(q)[..., :4, :, 0].sum(axis=-2), axis=-1)
        return gap

    def energy(self, x: Array) -> Array:
        """Kinetic and potential energy of states."""
        q, w = x[..., :24].reshape(*x.shape[:-1], 6, 4), x[..., 24:].reshape(*x.shape[:-1], 6, 3)
        R = rotations(q)
        d = R[..., :, :, 0]
        v = np.cross(w, d)
        own = np.einsum("...bik,...bi->...bk", R, w)
        kinetic = np.einsum("ij,...ik,...jk->...", self.coupling, v, v) + np.einsum(
            "...bk,k,...bk->...", own, INERTIA, own
        )
        potential: Array = GRAVITY * d[..., 1] @ self.weight
        return kinetic / 2 + potential


def quaternion_product(a: Array, b: Array) -> Array:
    """Hamilton's product."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    s, p, q, r = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * s - x * p - y * q - z * r,
            w * p + x * s + y * r - z * q,
            w * q + y * s + z * p - x * r,
            w * r + z * s + x * q - y * p,
        ],
        axis=-1,
    )


def rotations(q: Array) -> Array:
    """Rotation matrices of quaternions of any length."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    n = w * w + x * x + y * y + z * z
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2) / n[..., None, None]


def skew(a: Array) -> Array:
    """Matrices of a x."""
    zero = np.zeros(a.shape[:-1])
    x, y, z = np.moveaxis(a, -1, 0)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def tight(rate: Callable[[float, Array], Array], start: Array, times: Array) -> Array:
    """States at times, as accurate as double precision allows."""
    solution = solve_ivp(rate, (0.0, float(times[-1])), start, "DOP853", t_eval=times, rtol=1e-13, atol=1e-13)
    states: Array = solution.y.T
    return states


def runge_kutta(system: PlanarBars | SpatialBars, h: float, steps: int, every: int) -> Array:
    """States at every ``every``-th classical step, the first included; rows of nan after a breakdown."""
    x = system.start
    states = np.full((steps // every + 1, len(x)), np.nan)
    states[0] = x
    with np.errstate(all="ignore"):
        for k in range(1, steps + 1):
            k1 = system.rate(0, x)
            k2 = system.rate(0, x + h / 2 * k1)
            k3 = system.rate(0, x + h / 2 * k2)
            k4 = system.rate(0, x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            if isinstance(system, PlanarBars):
                x = system.corrected(x, positions=True)
            if not np.isfinite(x).all() or np.abs(x).max() > 1e6:
                break
            if k % every == 0:
                states[k // every] = x
    return states
