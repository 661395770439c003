"""Kernels of the planar rigid body and its hinges, in the form of a Riccati recursion.

Letters: r input end, c from the input end to the centre of mass, b to an output end, rho = R c, beta = R b, z the
rotation increment within the step, E a = (-a_y, a_x). Unknown are the changes delta of z and dr of r in this
iteration; a point of the body moves by dr + E beta delta. In a step a point at iterate is r + beta. With r + stretch
beta, stretch = -omega^2, in its place and C = 1, the same kernels give accelerations instead of positions, which makes
consistent initial values.

The loads that a body needs at its input end are [M; Q] = W [delta; dr] + w. A hinge that offers the moment
torque - stiffness (delta - delta_parent) eliminates delta; what is left is the load as seen from the parent's end,
S [delta_parent; dr] + s. Moments are taken about the input end, so the pivot W_00 + stiffness is the inertia of
everything outboard about the hinge, and a body hinged at its centre of percussion is no exception.
"""

from __future__ import annotations

from typing import Final

from mbsym.spatial.vector import dot
from mbsym.symbolic.scalar import Scalar, constant, cos, sin
from mbsym.transfer_matrix.kernel import Kernel, Kernels, Vector2
from mbsym.transfer_matrix.layout import INTERFACE, LAYOUTS

LAYOUT = LAYOUTS["angle"]


def _turn(motion: tuple[Scalar, ...], a: Vector2) -> Vector2:
    """R a."""
    c, s = motion[0], motion[1]
    return c * a[0] - s * a[1], s * a[0] + c * a[1]


def _across(a: Vector2) -> Vector2:
    """E a."""
    return -a[1], a[0]


def _cross(a: Vector2, b: Vector2) -> Scalar:
    return a[0] * b[1] - a[1] * b[0]


def _motion(k: Kernel, name: str = "motion") -> tuple[Scalar, ...]:
    return k.array(name, LAYOUT.motion, "cosine, sine, stretch of levers, angular acceleration, angular velocity")


def _body(k: Kernel) -> tuple[Scalar, Vector2, Scalar]:
    m, cx, cy, J = k.array("body", LAYOUT.body, "row of the body table")
    return m, (cx, cy), J


def _common_inputs(k: Kernel) -> tuple[Scalar, Scalar]:
    """Attitude at the start of the step and increment."""
    base = k.array("base", LAYOUT.base, "angle at the start of the step", "rad")
    z = k.array("z", LAYOUT.angles, "angle increment within the step", "rad")
    return base[0], z[0]


def _attitude(k: Kernel) -> None:
    base, z = _common_inputs(k)
    _body(k)
    A, C = k.scalar("A", "of the scheme"), k.scalar("C", "of the scheme")
    (B,) = k.array("B", 1, "of the rotation")
    (D,) = k.array("D", 1, "of the rotation")
    k.array("B_past", 1, "share of the values x2, x3 in B")
    k.array("D_past", 1, "share of the values x2, x3 in D")
    angle = base + z
    entries = (cos(angle), sin(angle), constant(k.graph, 1), C * z + D, A * z + B)
    k.output("motion", LAYOUT.motion, entries, "as the other kernels take it")


def _attitude_rate(k: Kernel) -> None:
    base, z = _common_inputs(k)
    _body(k)
    (omega,) = k.array("omega", 1, "angular velocity", "rad/s")
    angle = base + z
    entries = (cos(angle), sin(angle), -(omega * omega), constant(k.graph, 0), omega)
    k.output("motion", LAYOUT.motion, entries, "as the other kernels take it")


def _inertia(k: Kernel) -> None:
    m, c, J = _body(k)
    motion = _motion(k)
    C = k.scalar("C", "of the scheme")
    geometric = k.scalar("geometric", "1 to linearise levers, 0 to keep them fixed")
    ax, ay = k.array("a", 2, "acceleration of the centre of mass at the iterate", "m/s^2")
    fx, fy, moment = k.array("force", 3, "force and moment at the centre of mass, base axes")
    rho = _turn(motion, c)
    mC = m * C
    q = (m * ax - fx, m * ay - fy)
    zero = constant(k.graph, 0)
    first = (J * C + mC * dot(rho, rho) - geometric * dot(rho, q), -(mC * rho[1]), mC * rho[0])
    W = (*first, first[1], mC, zero, first[2], zero, mC)
    k.output("W", (3, 3), W, "")
    k.output("w", 3, (J * motion[3] + _cross(rho, q) - moment, *q), "")


def _hinge_law(k: Kernel) -> None:
    joint = k.array("joint", LAYOUT.joint, "row of the joint table")
    static = k.scalar("spring", "1 where positions are unknown, 0 where accelerations are")
    A, C = k.scalar("A", "of the scheme"), k.scalar("C", "of the scheme")
    outer, inner = _motion(k), _motion(k, "parent_motion")
    (angle,) = k.array("angle", 1, "of the body", "rad")
    (parent_angle,) = k.array("parent_angle", 1, "of the parent", "rad")
    stiffness, damping, rotor, free = joint[2:6]
    turn = angle - parent_angle - free
    torque = -(stiffness * turn + damping * (outer[4] - inner[4]) + rotor * (outer[3] - inner[3]))
    k.output("law", 2, (static * stiffness + A * damping + C * rotor, torque), "stiffness and torque")


def _hinge(k: Kernel) -> None:
    W = k.array("W", (3, 3), "loads of the body and everything outboard")
    _motion(k)
    stiffness, _ = k.array("law", 2, "stiffness and torque of the hinge")
    inverse = 1 / (W[0] + stiffness)
    ratio = stiffness * inverse
    gx, gy = W[1] * inverse, W[2] * inverse
    S = (
        stiffness - stiffness * ratio, gx * stiffness, gy * stiffness,
        W[3] * ratio, W[4] - W[3] * gx, W[5] - W[3] * gy,
        W[6] * ratio, W[7] - W[6] * gx, W[8] - W[6] * gy,
    )  # fmt: skip
    k.output("S", (3, 3), S, "")
    k.output("elimination", LAYOUT.elimination, (inverse, W[3], W[6], stiffness, ratio, -gx, -gy), "")


def _hinge_column(k: Kernel) -> None:
    inverse, Wx, Wy, stiffness, *_ = k.array("elimination", LAYOUT.elimination, "")
    w = k.array("w", 3, "column of the loads")
    delta = -(inverse * w[0])
    k.output("delta", 1, (delta,), "delta for an interface at rest")
    k.output("s", 3, (-(stiffness * delta), w[1] + Wx * delta, w[2] + Wy * delta), "")


def _rotation(k: Kernel) -> None:
    elimination = k.array("elimination", LAYOUT.elimination, "")
    (parent,) = k.array("parent_delta", 1, "delta of the parent", "rad")
    r = k.pair("dr", "change of the input end", "m")
    (rest,) = k.array("rest", 1, "delta for an interface at rest", "rad")
    ratio, gx, gy = elimination[4:7]
    k.output("delta", 1, (ratio * parent + gx * r[0] + gy * r[1] + rest,), "", "rad")


def _elastic_hinge(k: Kernel) -> None:
    S = k.array("S", (3, 3), "interface at the outboard end")
    stiffness = k.scalar("stiffness", "of the hinge, with its damper's share", "N/m")
    a, b, c, d = S[4] + stiffness, S[5], S[7], S[8] + stiffness
    scale = 1 / (a * d - b * c)
    Y = (d * scale, -(b * scale), -(c * scale), a * scale)
    row = (S[1] * Y[0] + S[2] * Y[2], S[1] * Y[1] + S[2] * Y[3])
    column = (Y[0] * S[3] + Y[1] * S[6], Y[2] * S[3] + Y[3] * S[6])
    square = stiffness * stiffness
    through = (
        S[0] - (row[0] * S[3] + row[1] * S[6]), stiffness * row[0], stiffness * row[1],
        stiffness * column[0], stiffness - square * Y[0], -(square * Y[1]),
        stiffness * column[1], -(square * Y[2]), stiffness - square * Y[3],
    )  # fmt: skip
    k.output("S_through", (3, 3), through, "interface at the inboard end")
    k.output("elastic", LAYOUT.elastic, (*Y, stiffness, *row), "")
    # The inboard end's rotation enters the displacement by Y S_r.
    k.output("turn", INTERFACE, (column[0], column[1], constant(k.graph, 0)), "displacement per rotation of the parent")


def _elastic_hinge_column(k: Kernel) -> None:
    y00, y01, y10, y11, stiffness, rx, ry = k.array("elastic", LAYOUT.elastic, "")
    q = k.pair("q", "force of the hinge at the iterate", "N")
    s = k.array("s", 3, "at the outboard end")
    ux, uy = q[0] - s[1], q[1] - s[2]
    px, py = y00 * ux + y01 * uy, y10 * ux + y11 * uy
    through = (s[0] + rx * ux + ry * uy, q[0] - stiffness * px, q[1] - stiffness * py)
    k.output("s_through", 3, through, "at the inboard end")
    k.output("rest", 2, (px, py), "change of the outboard end for an interface at rest", "m")


def _elastic_point(k: Kernel) -> None:
    y00, y01, y10, y11, stiffness, _, _ = k.array("elastic", LAYOUT.elastic, "")
    turn = k.array("turn", INTERFACE, "displacement per rotation of the parent")
    (parent,) = k.array("parent_delta", 1, "delta of the parent", "rad")
    r = k.pair("dr", "change of the inboard end", "m")
    rest = k.pair("rest", "change of the outboard end for an interface at rest", "m")
    x, y = stiffness * r[0], stiffness * r[1]
    point = (y00 * x + y01 * y - turn[0] * parent + rest[0], y10 * x + y11 * y - turn[1] * parent + rest[1])
    k.output("point", 2, point, "", "m")


def _end(k: Kernel) -> None:
    motion = _motion(k)
    b = k.pair("b", "end, from the input end in body axes", "m")
    S = k.array("S", (3, 3), "interface at the end")
    force = k.pair("Q", "force at the end, last iterate; 0 keeps the lever fixed", "N")
    beta = _turn(motion, b)
    ax, ay = _across(beta)
    # T^T S T with T = [[1, 0], [E beta, 1]].
    right = [S[3 * i] + S[3 * i + 1] * ax + S[3 * i + 2] * ay for i in range(3)]
    first = (
        right[0] + ax * right[1] + ay * right[2] - dot(beta, force),
        S[1] + ax * S[4] + ay * S[7],
        S[2] + ax * S[5] + ay * S[8],
    )
    k.output("W", (3, 3), (*first, right[1], S[4], S[5], right[2], S[7], S[8]), "to add")


def _end_column(k: Kernel) -> None:
    motion = _motion(k)
    b = k.pair("b", "end, from the input end in body axes", "m")
    s = k.array("s", 3, "column of the interface at the end")
    ax, ay = _across(_turn(motion, b))
    k.output("w", 3, (s[0] + ax * s[1] + ay * s[2], s[1], s[2]), "to add")


def _point(k: Kernel) -> None:
    motion = _motion(k)
    b = k.pair("b", "point, from the input end in body axes", "m")
    r = k.pair("r", "input end", "m")
    beta = _turn(motion, b)
    k.output("point", 2, (r[0] + motion[2] * beta[0], r[1] + motion[2] * beta[1]), "", "m")


def _point_change(k: Kernel) -> None:
    motion = _motion(k)
    b = k.pair("b", "point, from the input end in body axes", "m")
    dr = k.pair("dr", "change of the input end", "m")
    (delta,) = k.array("delta", 1, "change of rotation", "rad")
    beta = _turn(motion, b)
    k.output("change", 2, (dr[0] - beta[1] * delta, dr[1] + beta[0] * delta), "", "m")


def _point_velocity(k: Kernel) -> None:
    _, c, _ = _body(k)
    motion = _motion(k)
    v = k.pair("velocity", "of the centre of mass", "m/s")
    b = k.pair("b", "point, from the input end in body axes", "m")
    d = _turn(motion, (b[0] - c[0], b[1] - c[1]))
    omega = motion[4]
    k.output("point_velocity", 2, (v[0] - omega * d[1], v[1] + omega * d[0]), "", "m/s")


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
    m, _, J = _body(k)
    base, z = _common_inputs(k)
    (rate,) = k.array("rate", 1, "of the increment", "rad/s")
    v = k.pair("velocity", "of the centre of mass", "m/s")
    k.output("attitude", 1, (base + z,), "angle", "rad")
    k.output("omega", 1, (rate,), "angular velocity", "rad/s")
    k.output("energy", (), ((m * dot(v, v) + J * rate * rate) / 2,), "", "J")


KERNELS: Final[Kernels] = (
    ("transfer_attitude", "attitude, angular velocity and angular acceleration at an iterate", _attitude),
    ("transfer_attitude_rate", "attitude and what angular velocity contributes to accelerations", _attitude_rate),
    ("transfer_inertia", "loads of a rigid body alone: [M; Q] = W [delta; dr] + w at its input end", _inertia),
    ("transfer_hinge_law", "hinge moment on the outboard body: torque - stiffness (delta - parent's)", _hinge_law),
    ("transfer_hinge", "eliminates a body's rotation: S of the interface [delta of the parent; dr]", _hinge),
    ("transfer_hinge_column", "eliminates a body's rotation in one column: rest of delta, and s", _hinge_column),
    ("transfer_rotation", "change of a body's rotation from its interface", _rotation),
    ("transfer_elastic_hinge", "interface of a body seen through a hinge of finite stiffness", _elastic_hinge),
    (
        "transfer_elastic_hinge_column",
        "one column through an elastic hinge: s, and the outboard end",
        _elastic_hinge_column,
    ),
    (
        "transfer_elastic_point",
        "change of the outboard end of an elastic hinge from that of its inboard end",
        _elastic_point,
    ),
    ("transfer_end", "share of an output end in a body's loads", _end),
    ("transfer_end_column", "share of an output end in one column of a body's loads", _end_column),
    ("transfer_point", "a point of a body at the iterate (or its acceleration but for delta)", _point),
    ("transfer_point_change", "change of a point of a body", _point_change),
    ("transfer_point_velocity", "velocity of a point of a body", _point_velocity),
    ("transfer_start_rotation", "attitude and rotation history of a body from initial values", _start),
    ("transfer_rebase", "attitude and past values after a step, increments counted from the new one", _rebase),
    ("transfer_past", "a past rotation as the scheme's formulas take it at the iterate", _bent_past),
    ("transfer_observe", "attitude, angular velocity and kinetic energy of a body", _observe),
)
"""Every kernel of the variant, with what it does; all variants have the same ones."""
