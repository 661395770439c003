"""Kernels of the spatial rigid body and its hinges, in the form of a Riccati recursion.

As in the plane, with rotation unknowns delta in one of two variants: the change of an increment psi, R = R_0 exp(psi~),
which has no singular attitude, or of Cardan angles about the body's x, y, z. G takes delta to a small rotation in base
axes, phi = G delta. A point of the body moves by dr + phi x beta. The loads at the input end are moments N about it
and forces Q, [N; Q] = W [phi; dr] + w, N in axes that turn with the body; the inertia torque tau = J omega' + omega x J
omega in body axes adds R (tau + E delta) = R tau + P phi.

A coordinate of a hinge turns about an axis a or slides along one; axes of coordinates turn with those before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.spatial.vector import (
    Matrix3,
    Vector3,
    add,
    cross,
    dot,
    multiply,
    product,
    scale,
    skew,
    subtract,
    transpose,
)
from mbsym.symbolic.scalar import Scalar, constant, cos, sin
from mbsym.transfer_matrix.hinge_elimination import hinge_kernels
from mbsym.transfer_matrix.kernel import Kernel, Kernels, entries_of, rows_of
from mbsym.transfer_matrix.spatial_matrices import (
    LAYOUT,
    MotionParts,
    block,
    blocks,
    diagonal,
    minus,
    plus,
    rigid_body,
    times,
)


def _inertia(k: Kernel) -> None:
    m, c, _ = rigid_body(k)
    motion = MotionParts(k)
    C = k.scalar("C", "of the scheme")
    geometric = k.scalar("geometric", "1 to linearise levers, 0 to keep them fixed")
    a = k.vector3("a", "acceleration of the centre of mass at the iterate", "m/s^2")
    force = k.array("force", 6, "force and moment at the centre of mass, base axes")
    rho = multiply(motion.R, c)
    q = subtract(scale(a, m), (force[0], force[1], force[2]))
    mC = m * C
    lever = skew(rho)
    coupling = times(lever, mC)
    negative = times(coupling, constant(k.graph, -1))
    rotational = plus(motion.P, product(lever, minus(times(skew(q), geometric), coupling)))
    k.output("W", (6, 6), blocks((rotational, coupling), (negative, diagonal(mC))), "")
    moment = subtract(add(motion.torque, cross(rho, q)), (force[3], force[4], force[5]))
    k.output("w", 6, (*moment, *q), "")


def _slot(k: Kernel) -> tuple[Scalar, Scalar, Vector3]:
    """1 for what turns, 1 for what slides, axis."""
    kind, x, y, z, *_ = k.array("slot", LAYOUT.slot, "of a coordinate in the joint table")
    return kind, 1 - kind, (x, y, z)


def _frame(k: Kernel) -> Matrix3:
    return rows_of(k.array("frame", LAYOUT.frame, "axes that the coordinate moves in, a rotation matrix"))


def _hinge_motion(k: Kernel) -> None:
    turns, slides, e = _slot(k)
    R = _frame(k)
    q = k.scalar("q", "coordinate")
    a = multiply(R, e)
    axis = (*scale(a, turns), *scale(a, slides))
    k.output("axis", 6, axis, "rotation and displacement per change of the coordinate, base axes")
    k.output("shift", 3, scale(a, slides * q), "displacement, base axes", "m")


def _turned(k: Kernel) -> Matrix3:
    """The axes beyond a coordinate, by Rodrigues' formula."""
    turns, _, e = _slot(k)
    R = _frame(k)
    turn = turns * k.scalar("q", "coordinate")
    tilde = skew(e)
    return plus(R, product(R, plus(times(tilde, sin(turn)), times(product(tilde, tilde), 1 - cos(turn)))))


def _hinge_turn(k: Kernel) -> None:
    k.output("next_frame", LAYOUT.frame, entries_of(_turned(k)), "axes beyond")


def _hinge_bias(k: Kernel) -> None:
    turns, slides, e = _slot(k)
    R = _frame(k)
    omega = k.vector3("omega", "angular velocity of these axes, base axes", "rad/s")
    q, rate = k.scalar("q", "coordinate"), k.scalar("speed", "of the coordinate")
    before = k.array("bias", 6, "of the coordinates before")
    a = multiply(R, e)
    turning, moving = (before[0], before[1], before[2]), (before[3], before[4], before[5])
    across = cross(omega, a)
    # What lies beyond a slide is carried at a distance a q by all that turns before it.
    carried = add(cross(turning, a), cross(omega, across))
    slid = scale(add(scale(carried, q), scale(across, 2 * rate)), slides)
    turned = scale(across, turns * rate)
    k.output("next_omega", 3, add(omega, scale(a, turns * rate)), "of the axes beyond", "rad/s")
    bias = (*add(turning, turned), *add(moving, slid))
    k.output("next_bias", 6, bias, "acceleration with the coordinates' second derivatives zero")


def _hinge_gap(k: Kernel) -> None:
    offset = rows_of(k.array("turned", LAYOUT.turned, "of the joint table"))
    there = transpose(product(_turned(k), offset))
    here = transpose(MotionParts(k).R)
    total = add(add(cross(here[0], there[0]), cross(here[1], there[1])), cross(here[2], there[2]))
    trace = dot(here[0], there[0]) + dot(here[1], there[1]) + dot(here[2], there[2])
    # 2 tan(angle/2) about the axis, which is the angle but for its cube, and does not vanish for half a turn.
    gap = scale(total, 2 / (1 + trace))
    k.output("gap", 3, gap, "small rotation from the body to where its hinge has it, base axes", "rad")


def _carried(k: Kernel) -> None:
    a = k.array("axis", 6, "of a coordinate")
    shift = k.vector3("shift", "displacement of a coordinate beyond it", "m")
    turning = (a[0], a[1], a[2])
    moved = (*turning, *add((a[3], a[4], a[5]), cross(turning, shift)))
    k.output("moved", 6, moved, "at the point so displaced")


def _turning(axis: Sequence[Scalar], load: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
    """The moment as axes see it that the coordinate turns, and the force along an axis that is turned."""
    (a, b, c, *slide), (x, y, z, *force) = axis, load
    return cross((a, b, c), (x, y, z)), cross((slide[0], slide[1], slide[2]), (force[0], force[1], force[2]))


def _rotation(k: Kernel) -> None:
    motion = MotionParts(k)
    delta = multiply(motion.G_inverse, k.vector3("phi", "change of rotation, base axes", "rad"))
    k.output("delta", 3, delta, "change of the rotation variable")


def _end(k: Kernel) -> None:
    lever = skew(k.vector3("lever", "end, from the input end in base axes", "m"))
    S = k.array("S", (6, 6), "interface at the end")
    force = k.vector3("Q", "force at the end, last iterate; 0 keeps the lever fixed", "N")
    turning, mixed, free = block(S, 0, 0), block(S, 0, 3), block(S, 3, 3)
    # T^T S T with T = [[1, 0], [-beta~, 1]].
    right, below = minus(turning, product(mixed, lever)), minus(block(S, 3, 0), product(free, lever))
    rotational = plus(right, product(lever, plus(below, skew(force))))
    k.output("W", (6, 6), blocks((rotational, plus(mixed, product(lever, free))), (below, free)), "to add")


def _end_column(k: Kernel) -> None:
    beta = k.vector3("lever", "end, from the input end in base axes", "m")
    s = k.array("s", 6, "column of the interface at the end")
    force = (s[3], s[4], s[5])
    k.output("w", 6, (*add((s[0], s[1], s[2]), cross(beta, force)), *force), "to add")


def _point(k: Kernel) -> None:
    motion = MotionParts(k)
    b, r = k.vector3("b", "point, from the input end in body axes", "m"), k.vector3("r", "input end", "m")
    k.output("point", 3, add(r, multiply(motion.X, b)), "", "m")


def _point_change(k: Kernel) -> None:
    beta = k.vector3("lever", "point, from the input end in base axes", "m")
    change = k.array("change", 6, "rotation and displacement of the input end")
    phi, dr = (change[0], change[1], change[2]), (change[3], change[4], change[5])
    k.output("changed", 6, (*phi, *add(dr, cross(phi, beta))), "rotation and displacement of the point")


def _point_velocity(k: Kernel) -> None:
    _, c, _ = rigid_body(k)
    motion = MotionParts(k)
    v = k.vector3("velocity", "of the centre of mass", "m/s")
    beta = k.vector3("lever", "point, from the input end in base axes", "m")
    lever = subtract(beta, multiply(motion.R, c))
    k.output("point_velocity", 3, add(v, cross(motion.omega, lever)), "", "m/s")


KERNELS: Final[Kernels] = (
    ("transfer_inertia", "loads of a rigid body alone: [N; Q] = W [phi; dr] + w at its input end", _inertia),
    ("transfer_hinge_motion", "how a coordinate of a hinge moves what lies beyond it", _hinge_motion),
    ("transfer_hinge_turn", "the axes that the next coordinate of a hinge moves in", _hinge_turn),
    (
        "transfer_hinge_bias",
        "acceleration that a hinge adds with its coordinates' second derivatives zero",
        _hinge_bias,
    ),
    ("transfer_hinge_gap", "rotation by which a body's attitude and its hinge's coordinates differ", _hinge_gap),
    ("transfer_carried", "a coordinate's axis at the point to which coordinates beyond it move", _carried),
    *hinge_kernels(LAYOUT, _turning),
    ("transfer_rotation", "change of a body's rotation variable from its rotation in base axes", _rotation),
    ("transfer_end", "share of an output end in a body's loads", _end),
    ("transfer_end_column", "share of an output end in one column of a body's loads", _end_column),
    ("transfer_point", "a point of a body at the iterate (or its acceleration but for delta)", _point),
    ("transfer_point_change", "change of a point of a body", _point_change),
    ("transfer_point_velocity", "velocity of a point of a body", _point_velocity),
)
"""The kernels of both variants, with what each does; each variant has those of its rotation besides."""
