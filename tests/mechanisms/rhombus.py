"""The six-bar systems of Li and Rui in the angles of their bodies, and the direct reassignment of their equations.

Bodies 2, 4, 6, 8 form the loop, 9 and 10 hang on its hinges. Angles run from the x axis to each bar. Equations 12 and
13 of the source give the angles and speeds of bodies 4 and 6 from those of 2 and 8.

Source: C. Li, X. Rui, Validating on the transfer matrix method of multibody system without considering constraint
violation correction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.corrections import Correction, Keeper
from mbsym.loops.looped_system import LoopedSystem
from mbsym.values.numbers import evaluate, parameter_values

BODIES = (2, 4, 6, 8, 9, 10)


class Reassignment(Keeper):
    """Reassignment in closed form, as the source has it: by functions that know the mechanism, after each step."""

    def __init__(
        self,
        velocity: Callable[[Array, Array], Array],
        position: Callable[[Array], Array] | None = None,
        *,
        in_stages: bool = False,
    ) -> None:
        """Takes the mechanism's own functions.

        Args:
            velocity: (q, v) -> v with consistent dependent speeds.
            position: q -> q with consistent dependent coordinates, on the branch that q is on; None leaves positions.
            in_stages: True does so in every stage of the integrator too.
        """
        self.velocity = velocity
        self.position = position
        self.in_stages = in_stages

    def stage(self, system: LoopedSystem, q: Array, v: Array) -> tuple[Array, Array]:
        """The state, put right if that was asked for."""
        return self._assigned(q, v) if self.in_stages else (q, v)

    def after_step(self, system: LoopedSystem, q: Array, v: Array) -> Correction:
        """The state put right."""
        return Correction(*self._assigned(q, v), np.nan, 0, True)

    def _assigned(self, q: Array, v: Array) -> tuple[Array, Array]:
        if self.position is not None:
            q = self.position(q)
        return q, self.velocity(q, v)


@dataclass(frozen=True, slots=True)
class Rhombus:
    """Geometry of a planar six-bar system.

    Attributes:
        lengths: of bodies 2, 4, 6 and 8 [m].
        to_angles: takes q to the angles of the bodies in label order (6, 6).
        order: numbers of the bodies in label order.
        start: initial q.
    """

    lengths: tuple[float, float, float, float]
    to_angles: Array
    order: tuple[int, ...]
    start: Array

    @classmethod
    def of_mechanism(cls, mechanism: Mechanism) -> Rhombus:
        """Reads the geometry off a mechanism.

        Raises:
            SimulationError: it is none of the planar six-bar systems.
        """
        names = [body.name for body in mechanism.bodies]
        if sorted(names) != sorted(f"body_{k}" for k in BODIES) or mechanism.nv != len(BODIES):
            raise SimulationError(
                "reassignment is for the planar six-bar systems alone",
                where=mechanism.model.name,
                remedy="use projection or partitioning",
            )
        to_angles = np.zeros((mechanism.nv, mechanism.nv))
        for body in mechanism.bodies:
            if body.parent:
                to_angles[body.label - 1] = to_angles[body.parent - 1]
            to_angles[body.label - 1, body.v_range[0]] += 1.0
        numbers = parameter_values(mechanism.model)
        centers = {body.name: evaluate(body.center_of_mass[0], numbers) for body in mechanism.model.bodies}
        l2, l4, l6, l8 = (2 * centers[f"body_{k}"] for k in (2, 4, 6, 8))
        order = tuple(int(name.split("_")[1]) for name in names)
        return cls((l2, l4, l6, l8), to_angles, order, initial_coordinates(mechanism))

    def row(self, body: int) -> Array:
        """Derivatives of a body's angle by q (6,)."""
        row: Array = self.to_angles[self.order.index(body)]
        return row

    def angles(self, q: Array) -> Array:
        """Angles of bodies 2, 4, 6, 8, 9, 10 (6,)."""
        return np.array([self.row(body) @ q for body in BODIES])

    def gap(self, q: Array) -> float:
        """Distance between the end of body 8 and its bearing [m]."""
        angles = self.angles(q)[:4]
        return float(np.hypot(np.dot(self.lengths, np.cos(angles)), np.dot(self.lengths, np.sin(angles))))

    def speeds(self, q: Array, v: Array) -> Array:
        """v with the speeds of bodies 4 and 6 from those of 2 and 8 (equation 12); all others are kept."""
        w = self.to_angles @ v
        angle = dict(zip(BODIES, self.angles(q), strict=True))
        l2, l4, l6, l8 = self.lengths
        place = {body: self.order.index(body) for body in BODIES}
        across = np.sin(angle[6] - angle[4])
        for body, other, length in ((4, 6, l4), (6, 4, -l6)):
            driven = l2 * np.sin(angle[other] - angle[2]) * w[place[2]]
            driven += l8 * np.sin(angle[other] - angle[8]) * w[place[8]]
            w[place[body]] = -driven / (length * across)
        solved: Array = np.linalg.solve(self.to_angles, w)
        return solved

    def coordinates(self, q: Array) -> Array:
        """q with hinge 5 where the circles about hinges 3 and 7 meet, nearest to where it was (equation 13)."""
        angle = dict(zip(BODIES, self.angles(q), strict=True))
        l2, l4, l6, l8 = self.lengths
        b = l2 * _direction(angle[2])
        d = -l8 * _direction(angle[8])
        span = d - b
        distance = float(np.hypot(*span))
        along = (distance**2 + l4**2 - l6**2) / (2 * distance)
        across = np.sqrt(max(l4**2 - along**2, 0.0))
        normal = np.array([-span[1], span[0]]) / distance
        before = b + l4 * _direction(angle[4])
        choices = [b + along * span / distance + sign * across * normal for sign in (1.0, -1.0)]
        c = min(choices, key=lambda point: float(np.linalg.norm(point - before)))
        return self._assigned(q, {4: c - b, 6: d - c})

    def parallel_speeds(self, q: Array, v: Array) -> Array:
        """v on the branch on which bars of equal length stay parallel: those of 4 and 8, and of 6 and 2, are equal."""
        w = self.to_angles @ v
        w[self.order.index(4)], w[self.order.index(6)] = w[self.order.index(8)], w[self.order.index(2)]
        solved: Array = np.linalg.solve(self.to_angles, w)
        return solved

    def parallel_coordinates(self, q: Array) -> Array:
        """q on that branch: theta4 = theta8 - pi and theta6 = theta2 + pi. It is regular where circles coincide."""
        angle = self.to_angles @ q
        angle[self.order.index(4)] = angle[self.order.index(8)] - np.pi
        angle[self.order.index(6)] = angle[self.order.index(2)] + np.pi
        solved: Array = np.linalg.solve(self.to_angles, angle)
        return solved

    def _assigned(self, q: Array, directions: dict[int, Array]) -> Array:
        angle = self.to_angles @ q
        for body, (x, y) in directions.items():
            k = self.order.index(body)
            new = np.arctan2(y, x)
            angle[k] = new + 2 * np.pi * np.round((angle[k] - new) / (2 * np.pi))
        solved: Array = np.linalg.solve(self.to_angles, angle)
        return solved

    def reassignment(self, *, positions: bool = True, in_stages: bool = False) -> Reassignment:
        """The direct method: on the parallel branch for bars of equal length, else by equations 12 and 13."""
        if len(set(self.lengths)) == 1:
            return Reassignment(
                self.parallel_speeds, self.parallel_coordinates if positions else None, in_stages=in_stages
            )
        return Reassignment(self.speeds, self.coordinates if positions else None, in_stages=in_stages)


def _direction(angle: float) -> Array:
    return np.array([np.cos(angle), np.sin(angle)])
