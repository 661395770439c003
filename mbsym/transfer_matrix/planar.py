"""Kernels of the planar rigid body and its hinges, in the form of a Riccati recursion.

Letters: r input end, c from the input end to the centre of mass, b to an output end, rho = R c, beta = R b, z the
rotation increment within the step, E a = (-a_y, a_x). Unknown are the changes phi of z and dr of r in this iteration; a
point of the body moves by dr + E beta phi. In a step a point at iterate is r + beta. With r + stretch beta, stretch =
-omega^2, in its place and C = 1, the same kernels give accelerations instead of positions, which makes consistent
initial values.

The loads that a body needs at its input end are [M; Q] = W [phi; dr] + w, moments about the input end in axes that turn
with the body. A coordinate q of its hinge changes [phi; dr] by its axis times dq. What slides, slides along axes of
what lies before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.spatial.vector import dot
from mbsym.symbolic.scalar import Scalar, constant, cos, sin
from mbsym.transfer_matrix.hinge_elimination import hinge_kernels
from mbsym.transfer_matrix.kernel import Kernel, Kernels, Vector2
from mbsym.transfer_matrix.layout import LAYOUTS

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
    return k.array(
        name, LAYOUT.motion, "cosine, sine, angle, stretch of levers, angular acceleration, angular velocity"
    )


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
    entries = (cos(angle), sin(angle), angle, constant(k.graph, 1), C * z + D, A * z + B)
    k.output("motion", LAYOUT.motion, entries, "as the other kernels take it")


def _attitude_rate(k: Kernel) -> None:
    base, z = _common_inputs(k)
    _body(k)
    (omega,) = k.array("omega", 1, "angular velocity", "rad/s")
    angle = base + z
    entries = (cos(angle), sin(angle), angle, -(omega * omega), constant(k.graph, 0), omega)
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
    k.output("w", 3, (J * motion[4] + _cross(rho, q) - moment, *q), "")


def _slot(k: Kernel) -> tuple[Scalar, Scalar, Vector2]:
    """1 for what turns, 1 for what slides, axis."""
    kind, x, y, *_ = k.array("slot", LAYOUT.slot, "of a coordinate in the joint table")
    return kind, 1 - kind, (x, y)


def _frame(k: Kernel) -> tuple[Scalar, Scalar, Scalar]:
    c, s, angle = k.array("frame", LAYOUT.frame, "axes that the coordinate moves in: cosine, sine, angle")
    return c, s, angle


def _hinge_motion(k: Kernel) -> None:
    turns, slides, e = _slot(k)
    c, s, _ = _frame(k)
    q = k.scalar("q", "coordinate")
    a = _turn((c, s), e)
    k.output("axis", 3, (turns, *a), "rotation and displacement per change of the coordinate")
    shift = slides * q
    k.output("shift", 2, (a[0] * shift, a[1] * shift), "displacement", "m")


def _hinge_turn(k: Kernel) -> None:
    turns, _, _ = _slot(k)
    c, s, angle = _frame(k)
    turn = turns * k.scalar("q", "coordinate")
    cq, sq = cos(turn), sin(turn)
    k.output("next_frame", LAYOUT.frame, (c * cq - s * sq, s * cq + c * sq, angle + turn), "axes beyond")


def _hinge_bias(k: Kernel) -> None:
    turns, slides, e = _slot(k)
    c, s, _ = _frame(k)
    (omega,) = k.array("omega", 1, "angular velocity of these axes", "rad/s")
    q, rate = k.scalar("q", "coordinate"), k.scalar("speed", "of the coordinate")
    bias = k.array("bias", 3, "of the coordinates before")
    a = _turn((c, s), e)
    across = _across(a)
    centripetal, coriolis = -(omega * omega * slides * q), slides * (2 * omega * rate) + bias[0] * slides * q
    moved = (bias[1] + centripetal * a[0] + coriolis * across[0], bias[2] + centripetal * a[1] + coriolis * across[1])
    k.output("next_omega", 1, (omega + turns * rate,), "of the axes beyond", "rad/s")
    k.output("next_bias", 3, (bias[0], *moved), "acceleration with the coordinates' second derivatives zero")


def _hinge_gap(k: Kernel) -> None:
    (offset,) = k.array("turned", LAYOUT.turned, "of the joint table", "rad")
    turns, _, _ = _slot(k)
    angle = _frame(k)[2] + turns * k.scalar("q", "last coordinate")
    motion = _motion(k)
    k.output("gap", 1, (angle + offset - motion[2],), "rotation from the body to where its hinge has it", "rad")


def _carried(k: Kernel) -> None:
    turns, x, y = k.array("axis", 3, "of a coordinate")
    sx, sy = k.pair("shift", "displacement of a coordinate beyond it", "m")
    k.output("moved", 3, (turns, x - turns * sy, y + turns * sx), "at the point so displaced")


def _turning(axis: Sequence[Scalar], load: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
    """Moments are about one normal, which turns about itself."""
    return (constant(axis[0].graph, 0),), (_cross((axis[1], axis[2]), (load[1], load[2])),)


def _rotation(k: Kernel) -> None:
    _motion(k)
    k.output("delta", 1, k.array("phi", 1, "change of rotation", "rad"), "change of the angle", "rad")


def _end(k: Kernel) -> None:
    beta = k.pair("lever", "end, from the input end in base axes", "m")
    S = k.array("S", (3, 3), "interface at the end")
    force = k.pair("Q", "force at the end, last iterate; 0 keeps the lever fixed", "N")
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
    ax, ay = _across(k.pair("lever", "end, from the input end in base axes", "m"))
    s = k.array("s", 3, "column of the interface at the end")
    k.output("w", 3, (s[0] + ax * s[1] + ay * s[2], s[1], s[2]), "to add")


def _point(k: Kernel) -> None:
    motion = _motion(k)
    b = k.pair("b", "point, from the input end in body axes", "m")
    r = k.pair("r", "input end", "m")
    beta = _turn(motion, b)
    k.output("point", 2, (r[0] + motion[3] * beta[0], r[1] + motion[3] * beta[1]), "", "m")


def _point_change(k: Kernel) -> None:
    beta = k.pair("lever", "point, from the input end in base axes", "m")
    phi, x, y = k.array("change", 3, "rotation and displacement of the input end")
    k.output("changed", 3, (phi, x - beta[1] * phi, y + beta[0] * phi), "rotation and displacement of the point")


def _point_velocity(k: Kernel) -> None:
    _, c, _ = _body(k)
    motion = _motion(k)
    v = k.pair("velocity", "of the centre of mass", "m/s")
    beta = k.pair("lever", "point, from the input end in base axes", "m")
    rho, omega = _turn(motion, c), motion[5]
    point_velocity = (v[0] - omega * (beta[1] - rho[1]), v[1] + omega * (beta[0] - rho[0]))
    k.output("point_velocity", 2, point_velocity, "", "m/s")


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
    ("transfer_start_rotation", "attitude and rotation history of a body from initial values", _start),
    ("transfer_rebase", "attitude and past values after a step, increments counted from the new one", _rebase),
    ("transfer_past", "a past rotation as the scheme's formulas take it at the iterate", _bent_past),
    ("transfer_observe", "attitude, angular velocity and kinetic energy of a body", _observe),
)
"""Every kernel of the variant, with what it does; all variants have the same ones."""
