"""Cut joints of a mechanism at rest: what they hold, and what acts along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, pi
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.joints.motion import JointMotion
from mbsym.kinematics.mechanism import CutJoint, Mechanism
from mbsym.kinematics.placement import scalars
from mbsym.linear.vibration.elements import Closure, Tie, lever_matrix
from mbsym.model.joint import Joint
from mbsym.symbolic.scalar import Scalar, constant

OPEN: Final = 1e-8
"""Gaps above this [rad, and part of the mechanism's size] leave a loop open: states are closed to about 1e-10."""

STRAINED: Final = 1e-9
"""Stretch of a spring, as a part of its coordinate, of 1 rad or of the mechanism's size, that counts."""


def asked_of_cut(mechanism: Mechanism, cut: CutJoint) -> list[Scalar]:
    """What ``CutAtRest`` is made of, free motions where the joint's frames coincide.

    Those of all joints that are taken span the same in the predecessor's axes and at the successor's origin wherever
    the joint stands: slides, a turn about the axis, or all turns there are.

    Raises:
        AnalysisError: such a joint cannot be cut.
    """
    graph, kind = mechanism.graph, cut.joint.kind
    shape = kind.shape
    bends = any(number.unit != "m/rad" for number in kind.numbers)
    if bends or (not kind.is_unbound and kind.turning == "in space" and len(shape.speeds) < 3):
        raise AnalysisError(
            f"the transfer matrix method cannot cut a {cut.joint.type} joint",
            where=f"joint {cut.joint.name}",
            remedy="cut another (cut: tree)",
        )
    q = tuple(constant(graph, entry) for entry in shape.neutral)
    zero = constant(graph, 0)
    armature, *own = scalars((cut.joint.armature, *cut.joint.values), graph, mechanism.names)
    motion: JointMotion = kind.motion(graph, q, (zero,) * shape.nv, tuple(own))
    frames = (cut.predecessor_frame, cut.successor_frame)
    placed = [entry for frame in frames for row in frame.rotation.matrix() for entry in row]
    placed += [entry for frame in frames for entry in frame.translation]
    columns = [entry for column in motion.columns for part in column for entry in part]
    return [*placed, armature, sum(own, zero), *columns]


@dataclass(frozen=True, slots=True)
class CutAtRest:
    """A cut joint where the mechanism rests.

    Attributes:
        joint: the user's.
        rotations: of the joint's frames on predecessor and successor, in base axes (3, 3).
        ends: their origins (3,) [m].
        columns: free motions of the successor against the predecessor, in the joint's frame (6, k).
        armature: rotor inertia along each.
        pitch: how far it slides in a turn of one radian [m/rad].
    """

    joint: Joint
    rotations: tuple[Array, Array]
    ends: tuple[Array, Array]
    columns: Array
    armature: float
    pitch: float

    @classmethod
    def of(cls, cut: CutJoint, numbers: Array, rotations: Sequence[Array], points: Sequence[Array]) -> CutAtRest:
        """From numbers of what was asked, and the internal frames of all bodies by label."""
        labels = (cut.predecessor, cut.successor)
        turns = tuple(numbers[9 * k : 9 * k + 9].reshape(3, 3) for k in (0, 1))
        places = tuple(numbers[18 + 3 * k : 21 + 3 * k] for k in (0, 1))
        turned = [rotations[label] @ turn for label, turn in zip(labels, turns, strict=True)]
        ends = [points[label] + rotations[label] @ place for label, place in zip(labels, places, strict=True)]
        return cls(
            cut.joint, (turned[0], turned[1]), (ends[0], ends[1]), numbers[26:].reshape(-1, 6).T,
            float(numbers[24]), float(numbers[25]),
        )  # fmt: skip

    @property
    def turn(self) -> Array:
        """Rotation of the successor's frame in the predecessor's (3, 3)."""
        return np.asarray(self.rotations[0].T @ self.rotations[1])

    @property
    def angle(self) -> float:
        """About the joint's axis, in (-pi, pi]."""
        return atan2(self.turn[1, 0] - self.turn[0, 1], self.turn[0, 0] + self.turn[1, 1])

    def require_closed(self, size: float) -> None:
        """Checks that the frames meet as the joint lets them.

        Args:
            size: of the mechanism [m].

        Raises:
            AnalysisError: the loop is open.
        """
        kind = self.joint.kind
        if kind.is_unbound:
            return
        apart = self._apart
        if self.pitch:
            thread = 2.0 * pi * self.pitch
            apart[2] -= self.pitch * self.angle
            apart[2] -= thread * round(apart[2] / thread)
        slides = self.columns[3:, ~self.columns[:3].any(axis=0)]
        across = apart - slides @ (slides.T @ apart)
        turned = {"never": self.turn - np.eye(3), "about its axis": self.turn[:, 2] - np.array([0.0, 0.0, 1.0])}
        tilt = float(np.linalg.norm(turned.get(kind.turning, np.zeros(3))))
        if tilt > OPEN or float(np.linalg.norm(across)) > OPEN * size:
            raise AnalysisError(
                f"the state does not close the loop of {self.joint.name}",
                where=f"joint {self.joint.name}",
                remedy="give fewer coordinates, and the others are made to fit",
            )

    def closure(self, elements: tuple[int, int], at: tuple[Array, Array]) -> Closure | None:
        """What the joint holds; None where it lets everything free.

        Args:
            elements: that it connects, -1 for ground.
            at: their points; of ground its origin.
        """
        free = np.kron(np.eye(2), self.rotations[0]) @ self.columns
        held = np.linalg.svd(free, full_matrices=True)[0][:, free.shape[1] :].T if free.size else np.eye(6)
        return Closure(self.joint.name, elements, self._levers(at), held) if len(held) else None

    def tie(
        self, elements: tuple[int, int], at: tuple[Array, Array], laws: Sequence[Array], start: float, size: float
    ) -> Tie | None:
        """Springs, dampers and the rotor along the joint; None where there are none.

        Args:
            elements, at: as for ``closure``.
            laws: stiffness, damping and unstrained coordinate of each spring and damper.
            start: where the model says that the coordinate starts, which tells whole turns.
            size: of the mechanism [m].

        Raises:
            AnalysisError: a spring pulls at rest, or the joint has several freedoms.
        """
        freedoms = self.columns.shape[1]
        if not freedoms or not (laws or self.armature):
            return None
        keep = f"keep joint {self.joint.name} in the tree (cut: tree)"
        if freedoms > 1:
            raise AnalysisError(
                f"springs, dampers and rotors along a {self.joint.type} joint that is cut are not covered",
                where=f"joint {self.joint.name}",
                remedy=keep,
            )
        q, unit = (self.angle, 1.0) if self.columns[2, 0] else (float(self._apart[2]), size)
        if self.columns[2, 0]:
            q += 2.0 * pi * round((start - q) / (2.0 * pi))
        for stiffness, _, rest in laws:
            if stiffness and abs(q - rest) > STRAINED * max(unit, abs(q), abs(rest)):
                raise AnalysisError(
                    "a spring along a joint that is cut pulls at rest, which transfer matrices do not cover",
                    where=f"joint {self.joint.name}",
                    remedy=f"{keep} and leave `method` out",
                )
        column = np.kron(np.eye(2), self.rotations[0]) @ self.columns[:, 0]
        rows = (column / (column @ column))[None, :]
        stiffness, damping = (np.array([sum(float(law[k]) for law in laws)]) for k in (0, 1))
        return Tie(self.joint.name, elements, self._levers(at), rows, stiffness, damping, np.array([self.armature]))

    @property
    def _apart(self) -> Array:
        """Of the frames' origins, in the predecessor's axes (3,) [m]."""
        return np.asarray(self.rotations[0].T @ (self.ends[1] - self.ends[0]))

    def _levers(self, at: tuple[Array, Array]) -> tuple[Array, Array]:
        """Both to the successor's end: what slides has no other point in common with what it slides on."""
        return lever_matrix(self.ends[1] - at[0]), lever_matrix(self.ends[1] - at[1])
