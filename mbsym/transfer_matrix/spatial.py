"""Kernels of the spatial rigid body and its ball hinges, in the form of a Riccati recursion.

As in the plane, with rotation unknowns delta in one of two variants: the change of an increment psi, R = R_0 exp(psi~),
which has no singular attitude, or of Cardan angles about the body's x, y, z. G takes delta to a small rotation in base
axes, phi = G delta. A point of the body moves by dr + phi x beta. The loads at the input end are moments N about it
and forces Q in base axes, [N; Q] = W [phi; dr] + [P delta; 0] + w with P from the inertia torque
tau = J omega' + omega x J omega in body axes: R (tau + E delta).
"""

from __future__ import annotations

from typing import Final

from mbsym.spatial.vector import add, cross, multiply, product, scale, skew, subtract, zero_vector
from mbsym.symbolic.scalar import constant
from mbsym.transfer_matrix.kernel import Kernel, Kernels, entries_of, rows_of
from mbsym.transfer_matrix.layout import INTERFACE
from mbsym.transfer_matrix.spatial_matrices import (
    LAYOUT,
    MotionParts,
    block,
    blocks,
    diagonal,
    inverse_of,
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
    rotational = product(lever, minus(times(skew(q), geometric), coupling))
    k.output("W", (6, 6), blocks((rotational, coupling), (negative, diagonal(mC))), "")
    moment = subtract(add(motion.torque, cross(rho, q)), (force[3], force[4], force[5]))
    k.output("w", 6, (*moment, *q), "")


def _hinge_law(k: Kernel) -> None:
    k.array("joint", LAYOUT.joint, "row of the joint table")
    for name in ("spring", "A", "C"):
        k.scalar(name, "not read")
    for name in ("motion", "parent_motion"):
        k.array(name, LAYOUT.motion, "not read")
    for name in ("angle", "parent_angle"):
        k.array(name, 1, "not read")
    zero = constant(k.graph, 0)
    k.output("law", 2, (zero, zero), "stiffness and torque")


def _hinge(k: Kernel) -> None:
    W = k.array("W", (6, 6), "loads of the body and everything outboard")
    motion = MotionParts(k)
    k.array("law", 2, "not read: a ball hinge offers no moment")
    inverse = inverse_of(plus(product(block(W, 0, 0), motion.G), motion.P))
    coupling = product(block(W, 3, 0), motion.G)
    gain = times(product(inverse, block(W, 0, 3)), constant(k.graph, -1))
    k.output("S", (3, 3), entries_of(plus(block(W, 3, 3), product(coupling, gain))), "")
    entries = (*entries_of(inverse), *entries_of(coupling), *entries_of(gain))
    k.output("elimination", LAYOUT.elimination, entries, "")


def _hinge_column(k: Kernel) -> None:
    elimination = k.array("elimination", LAYOUT.elimination, "")
    w = k.array("w", 6, "column of the loads")
    inverse, coupling = rows_of(elimination[0:9]), rows_of(elimination[9:18])
    delta = scale(multiply(inverse, (w[0], w[1], w[2])), constant(k.graph, -1))
    k.output("delta", 3, delta, "delta for an interface at rest")
    k.output("s", 3, add((w[3], w[4], w[5]), multiply(coupling, delta)), "")


def _rotation(k: Kernel) -> None:
    elimination = k.array("elimination", LAYOUT.elimination, "")
    k.vector3("parent_delta", "not read: a ball hinge transmits no rotation")
    dr = k.vector3("dr", "change of the input end", "m")
    rest = k.vector3("rest", "delta for an interface at rest")
    k.output("delta", 3, add(multiply(rows_of(elimination[18:27]), dr), rest), "")


def _elastic_hinge(k: Kernel) -> None:
    S = rows_of(k.array("S", (3, 3), "interface at the outboard end"))
    stiffness = k.scalar("stiffness", "of the hinge, with its damper's share", "N/m")
    Y = inverse_of(plus(S, diagonal(stiffness)))
    through = minus(diagonal(stiffness), times(Y, stiffness * stiffness))
    k.output("S_through", (3, 3), entries_of(through), "interface at the inboard end")
    k.output("elastic", LAYOUT.elastic, (*entries_of(Y), stiffness), "")
    k.output("turn", INTERFACE, zero_vector(k.graph), "displacement per rotation of the parent: none")


def _elastic_hinge_column(k: Kernel) -> None:
    elastic = k.array("elastic", LAYOUT.elastic, "")
    q, s = k.vector3("q", "force of the hinge at the iterate", "N"), k.vector3("s", "at the outboard end")
    rest = multiply(rows_of(elastic[0:9]), subtract(q, s))
    k.output("s_through", 3, subtract(q, scale(rest, elastic[9])), "at the inboard end")
    k.output("rest", 3, rest, "change of the outboard end for an interface at rest", "m")


def _elastic_point(k: Kernel) -> None:
    elastic = k.array("elastic", LAYOUT.elastic, "")
    k.array("turn", INTERFACE, "not read")
    k.vector3("parent_delta", "not read")
    dr = k.vector3("dr", "change of the inboard end", "m")
    rest = k.vector3("rest", "change of the outboard end for an interface at rest", "m")
    k.output("point", 3, add(multiply(rows_of(elastic[0:9]), scale(dr, elastic[9])), rest), "", "m")


def _end(k: Kernel) -> None:
    motion = MotionParts(k)
    b = k.vector3("b", "end, from the input end in body axes", "m")
    S = rows_of(k.array("S", (3, 3), "interface at the end"))
    force = k.vector3("Q", "force at the end, last iterate; 0 keeps the lever fixed", "N")
    lever = skew(multiply(motion.R, b))
    right = times(product(S, lever), constant(k.graph, -1))
    rotational = product(lever, plus(right, skew(force)))
    k.output("W", (6, 6), blocks((rotational, product(lever, S)), (right, S)), "to add")


def _end_column(k: Kernel) -> None:
    motion = MotionParts(k)
    b = k.vector3("b", "end, from the input end in body axes", "m")
    s = k.vector3("s", "column of the interface at the end")
    k.output("w", 6, (*cross(multiply(motion.R, b), s), *s), "to add")


def _point(k: Kernel) -> None:
    motion = MotionParts(k)
    b, r = k.vector3("b", "point, from the input end in body axes", "m"), k.vector3("r", "input end", "m")
    k.output("point", 3, add(r, multiply(motion.X, b)), "", "m")


def _point_change(k: Kernel) -> None:
    motion = MotionParts(k)
    b = k.vector3("b", "point, from the input end in body axes", "m")
    dr, delta = k.vector3("dr", "change of the input end", "m"), k.vector3("delta", "change of rotation")
    k.output("change", 3, add(dr, cross(multiply(motion.G, delta), multiply(motion.R, b))), "", "m")


def _point_velocity(k: Kernel) -> None:
    _, c, _ = rigid_body(k)
    motion = MotionParts(k)
    v = k.vector3("velocity", "of the centre of mass", "m/s")
    b = k.vector3("b", "point, from the input end in body axes", "m")
    k.output("point_velocity", 3, add(v, cross(motion.omega, multiply(motion.R, subtract(b, c)))), "", "m/s")


KERNELS: Final[Kernels] = (
    ("transfer_inertia", "loads of a rigid body alone: [N; Q] = W [phi; dr] + w at its input end", _inertia),
    ("transfer_hinge_law", "a ball hinge offers no moment", _hinge_law),
    ("transfer_hinge", "eliminates a body's rotation: S of the interface dr", _hinge),
    ("transfer_hinge_column", "eliminates a body's rotation in one column: rest of delta, and s", _hinge_column),
    ("transfer_rotation", "change of a body's rotation from its interface", _rotation),
    ("transfer_elastic_hinge", "interface of a body seen through a hinge of finite stiffness", _elastic_hinge),
    (
        "transfer_elastic_hinge_column",
        "one column through an elastic hinge: s, and the outboard end",
        _elastic_hinge_column,
    ),
    ("transfer_elastic_point", "change of the outboard end of an elastic hinge from its inboard end's", _elastic_point),
    ("transfer_end", "share of an output end in a body's loads", _end),
    ("transfer_end_column", "share of an output end in one column of a body's loads", _end_column),
    ("transfer_point", "a point of a body at the iterate (or its acceleration but for delta)", _point),
    ("transfer_point_change", "change of a point of a body", _point_change),
    ("transfer_point_velocity", "velocity of a point of a body", _point_velocity),
)
"""The kernels of both variants, with what each does; each variant has those of its rotation besides."""
