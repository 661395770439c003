"""Kernels of the planar rigid body: those of space, of which the rotation about the normal and two axes are left.

z is the rotation increment within the step. In a step a point at iterate is r + beta. With r + stretch beta, stretch =
-omega^2, in its place and C = 1, the same kernels give accelerations instead of positions, which makes consistent
initial values. What slides, slides along axes of what lies before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from mbsym.spatial.vector import Matrix3, Vector3, dot
from mbsym.symbolic.scalar import Scalar, constant, cos, sin
from mbsym.transfer_matrix.kernel import Kernel
from mbsym.transfer_matrix.layout import LAYOUTS, Layout
from mbsym.transfer_matrix.spatial import Rotation, Space
from mbsym.transfer_matrix.spatial_matrices import MotionParts, diagonal, times


class Plane(Space):
    """The plane, in which an axis is zero where a coordinate turns: it then turns about the normal."""

    layout: ClassVar[Layout] = LAYOUTS["angle"]
    places: ClassVar[tuple[int, ...]] = (2, 3, 4)

    def slot(self, k: Kernel) -> tuple[Scalar, Scalar, Vector3]:
        kind, _, axis = super().slot(k)
        return kind, constant(k.graph, 1), axis

    def motion(self, k: Kernel) -> MotionParts:
        return _Motion(k)

    def rotary(self, motion: MotionParts, inertia: Sequence[Scalar], C: Scalar) -> tuple[Vector3, Matrix3]:
        (J,) = inertia
        return self.rotation([J * motion.torque[2]]), diagonal(J * C)

    def frame(self, k: Kernel) -> Matrix3:
        c, s, _ = _frame(k)
        return _turned(c, s)

    def about(self, axis: Vector3) -> Vector3:
        return self.rotation([constant(axis[0].graph, 1)])

    def hinge_turn(self, k: Kernel) -> None:
        turns, _, _ = self.slot(k)
        c, s, angle = _frame(k)
        turn = turns * k.scalar("q", "coordinate")
        cq, sq = cos(turn), sin(turn)
        k.output("next_frame", self.layout.frame, (c * cq - s * sq, s * cq + c * sq, angle + turn), "axes beyond")

    def hinge_gap(self, k: Kernel) -> None:
        (offset,) = k.array("turned", self.layout.turned, "of the joint table", "rad")
        turns, _, _ = self.slot(k)
        angle = _frame(k)[2] + turns * k.scalar("q", "last coordinate")
        gap = angle + offset - _motion(k)[2]
        k.output("gap", 1, (gap,), "rotation from the body to where its hinge has it", "rad")


PLANE: Final = Plane()


class _Motion(MotionParts):
    """Parts of the motion array; the torque is that of a unit of inertia."""

    def __init__(self, k: Kernel) -> None:
        c, s, _, stretch, alpha, omega = _motion(k)
        self.R = _turned(c, s)
        self.G_inverse = diagonal(constant(k.graph, 1))
        self.X = times(self.R, stretch)
        self.torque = PLANE.rotation([alpha])
        self.omega = PLANE.rotation([omega])


def _turned(c: Scalar, s: Scalar) -> Matrix3:
    """A rotation about the normal."""
    zero, one = constant(c.graph, 0), constant(c.graph, 1)
    return (c, -s, zero), (s, c, zero), (zero, zero, one)


def _frame(k: Kernel) -> tuple[Scalar, Scalar, Scalar]:
    c, s, angle = k.array("frame", PLANE.layout.frame, "axes that the coordinate moves in: cosine, sine, angle")
    return c, s, angle


def _motion(k: Kernel) -> tuple[Scalar, ...]:
    told = "cosine, sine, angle, stretch of levers, angular acceleration, angular velocity"
    return k.array("motion", PLANE.layout.motion, told)


def _common_inputs(k: Kernel) -> tuple[Scalar, Scalar]:
    """Attitude at the start of the step and increment."""
    base = k.array("base", PLANE.layout.base, "angle at the start of the step", "rad")
    z = k.array("z", PLANE.layout.angles, "angle increment within the step", "rad")
    return base[0], z[0]


def _attitude(k: Kernel) -> None:
    base, z = _common_inputs(k)
    PLANE.body(k)
    A, C = k.scalar("A", "of the scheme"), k.scalar("C", "of the scheme")
    (B,) = k.array("B", 1, "of the rotation")
    (D,) = k.array("D", 1, "of the rotation")
    k.array("B_past", 1, "share of the values x2, x3 in B")
    k.array("D_past", 1, "share of the values x2, x3 in D")
    angle = base + z
    entries = (cos(angle), sin(angle), angle, constant(k.graph, 1), C * z + D, A * z + B)
    k.output("motion", PLANE.layout.motion, entries, "as the other kernels take it")


def _attitude_rate(k: Kernel) -> None:
    base, z = _common_inputs(k)
    PLANE.body(k)
    (omega,) = k.array("omega", 1, "angular velocity", "rad/s")
    angle = base + z
    entries = (cos(angle), sin(angle), angle, -(omega * omega), constant(k.graph, 0), omega)
    k.output("motion", PLANE.layout.motion, entries, "as the other kernels take it")


def _start(k: Kernel) -> None:
    (angle,) = k.array("attitude", 1, "angle", "rad")
    (omega,) = k.array("omega", 1, "angular velocity", "rad/s")
    (alpha,) = k.array("alpha", 1, "angular acceleration", "rad/s^2")
    k.output("base", 1, (angle,), "")
    k.output("x", 1, (constant(k.graph, 0),), "")
    k.output("v", 1, (omega,), "")
    k.output("a", 1, (alpha,), "")


def _rebase(k: Kernel) -> None:
    (base,) = k.array("base", 1, "angle at the start of the step", "rad")
    (x,) = k.array("x", 1, "increment over the step", "rad")
    (x2,) = k.array("x2", 1, "one step before")
    (x3,) = k.array("x3", 1, "two steps before")
    k.output("new_base", 1, (base + x,), "")
    k.output("new_x", 1, (constant(k.graph, 0),), "")
    k.output("new_x2", 1, (x2 - x,), "")
    k.output("new_x3", 1, (x3 - x,), "")


def _bent_past(k: Kernel) -> None:
    k.array("z", 1, "angle increment within the step", "rad")
    (past,) = k.array("past", 1, "x2 or x3")
    k.output("bent", 1, (past,), "")


def _observe(k: Kernel) -> None:
    m, _, (J,) = PLANE.body(k)
    base, z = _common_inputs(k)
    (rate,) = k.array("rate", 1, "of the increment", "rad/s")
    v = PLANE.lever(k, "velocity", "of the centre of mass", "m/s")
    k.output("attitude", 1, (base + z,), "angle", "rad")
    k.output("omega", 1, (rate,), "angular velocity", "rad/s")
    k.output("energy", (), ((m * dot(v, v) + J * rate * rate) / 2,), "", "J")


ROTATION: Final = Rotation(_attitude, _attitude_rate, _start, _rebase, _bent_past, _observe)
