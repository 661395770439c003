"""Kernels of the spatial rigid body and its ball hinges, in the form of a Riccati recursion.

As in the plane, with rotation unknowns delta in one of two variants: the change of an increment psi, R = R_0 exp(psi~),
which has no singular attitude, or of Cardan angles about the body's x, y, z. G takes delta to a small rotation in base
axes, phi = G delta. A point of the body moves by dr + phi x beta. The loads at the input end are moments N about it
and forces Q in base axes, [N; Q] = W [phi; dr] + [P delta; 0] + w with P from the inertia torque
tau = J omega' + omega x J omega in body axes: R (tau + E delta).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from mbsym.spatial.rotation import Quaternion, about_axis, from_quaternion
from mbsym.spatial.vector import (
    Matrix3,
    Symmetric3,
    Vector3,
    add,
    cross,
    dot,
    multiply,
    product,
    scale,
    skew,
    subtract,
    symmetric_matrix,
    symmetric_multiply,
    zero_vector,
)
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar, constant, cos, sin, sqrt
from mbsym.transfer_matrix.kernel import Kernel, entries_of, rows_of
from mbsym.transfer_matrix.layout import INTERFACE, LAYOUTS, RotationVariable

LAYOUT = LAYOUTS["incremental"]
SMALL_SQUARE: Final = Fraction(1, 100)
"""Square of the angle below which (q - sin q) / q^3 is taken from its series."""

Derive: TypeAlias = Callable[[Graph], Program]


def programs(graph: Graph, rotation: RotationVariable) -> tuple[Program, ...]:
    """Every kernel of the variant."""
    own = _CARDAN if rotation == "cardan" else _INCREMENTAL
    return tuple(derive(graph) for derive in (*own, *_COMMON))


# ---- matrices --------------------------------------------------------------------------------------------------------


def _plus(a: Matrix3, b: Matrix3) -> Matrix3:
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])


def _minus(a: Matrix3, b: Matrix3) -> Matrix3:
    return subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2])


def _times(a: Matrix3, factor: Scalar) -> Matrix3:
    return scale(a[0], factor), scale(a[1], factor), scale(a[2], factor)


def _diagonal(value: Scalar) -> Matrix3:
    zero = Scalar(value.graph, 0)
    return (value, zero, zero), (zero, value, zero), (zero, zero, value)


def _inverse(m: Matrix3) -> Matrix3:
    """By cofactors."""
    rows = cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])
    factor = 1 / dot(m[0], rows[0])
    return (
        (rows[0][0] * factor, rows[1][0] * factor, rows[2][0] * factor),
        (rows[0][1] * factor, rows[1][1] * factor, rows[2][1] * factor),
        (rows[0][2] * factor, rows[1][2] * factor, rows[2][2] * factor),
    )


def _blocks(upper: tuple[Matrix3, Matrix3], lower: tuple[Matrix3, Matrix3]) -> tuple[Scalar, ...]:
    """A 6 x 6 matrix of four blocks, row-major."""
    entries: list[Scalar] = []
    for left, right in (upper, lower):
        for i in range(3):
            entries += [*left[i], *right[i]]
    return tuple(entries)


def _block(W: tuple[Scalar, ...], row: int, column: int) -> Matrix3:
    return rows_of([W[6 * (row + i) + column + k] for i in range(3) for k in range(3)])


# ---- inputs ----------------------------------------------------------------------------------------------------------


class _Motion:
    """Parts of the motion array."""

    def __init__(self, k: Kernel) -> None:
        m = k.array("motion", LAYOUT.motion, "R, G, lever matrix, inertia torque, its derivative, angular velocity")
        self.R, self.G, self.X = rows_of(m[0:9]), rows_of(m[9:18]), rows_of(m[18:27])
        self.torque: Vector3 = (m[27], m[28], m[29])
        self.P = rows_of(m[30:39])
        self.omega: Vector3 = (m[39], m[40], m[41])


def _motion_entries(
    R: Matrix3, G: Matrix3, X: Matrix3, torque: Vector3, P: Matrix3, omega: Vector3
) -> tuple[Scalar, ...]:
    return (*entries_of(R), *entries_of(G), *entries_of(X), *torque, *entries_of(P), *omega)


def _body(k: Kernel) -> tuple[Scalar, Vector3, Symmetric3]:
    m, cx, cy, cz, xx, yy, zz, xy, xz, yz = k.array("body", LAYOUT.body, "row of the body table")
    return m, (cx, cy, cz), (xx, yy, zz, xy, xz, yz)


def _base(k: Kernel) -> Quaternion:
    w, x, y, z = k.array("base", LAYOUT.base, "quaternion at the start of the step")
    return w, x, y, z


def _scheme_inputs(k: Kernel) -> tuple[Scalar, Scalar, Vector3, Vector3, Vector3, Vector3]:
    A, C = k.scalar("A", "of the scheme"), k.scalar("C", "of the scheme")
    B, D = k.vector3("B", "of the rotation"), k.vector3("D", "of the rotation")
    return A, C, B, D, k.vector3("B_past", "share of x2, x3 in B"), k.vector3("D_past", "share of x2, x3 in D")


# ---- incremental rotation --------------------------------------------------------------------------------------------


def _quaternion_product(a: Quaternion, b: Quaternion) -> Quaternion:
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    )


def _unit(q: Quaternion) -> Quaternion:
    factor = 1 / sqrt(dot(q, q))
    return q[0] * factor, q[1] * factor, q[2] * factor, q[3] * factor


def _exponential(psi: Vector3) -> tuple[Quaternion, Scalar, Scalar]:
    """Quaternion of exp(psi~), sin(q/2)/q and q^2 for q = |psi|."""
    square = dot(psi, psi)
    # sin(q/2)/q has no cancellation; the floor only keeps 0/0 away.
    q = sqrt(square.apply("max", constant(square.graph, Fraction(1, 10**40))))
    half = q / 2
    sine = sin(half) / q
    return (cos(half), psi[0] * sine, psi[1] * sine, psi[2] * sine), sine, square


def _tangent(psi: Vector3) -> tuple[Quaternion, Matrix3]:
    """exp(psi~) and T with exp(-psi~) d exp(psi~) = (T dpsi)~: T = 1 - (1-cos q)/q^2 psi~ + (q-sin q)/q^3 psi~^2."""
    quaternion, sine, square = _exponential(psi)
    graph = square.graph
    first = 2 * sine * sine
    series = constant(graph, 0)
    for factor in (Fraction(1, 362880 * 110), Fraction(-1, 362880), Fraction(1, 5040), Fraction(-1, 120)):
        series = (series + factor) * square
    series = series + Fraction(1, 6)
    floor = square.apply("max", constant(graph, SMALL_SQUARE))
    closed = (1 - 2 * sine * quaternion[0]) / floor
    second = Scalar(graph, graph.select((square - SMALL_SQUARE).ref, closed.ref, series.ref))
    tilde = skew(psi)
    T = _plus(_minus(_diagonal(constant(graph, 1)), _times(tilde, first)), _times(product(tilde, tilde), second))
    return quaternion, T


def _torque(J: Symmetric3, omega: Vector3, alpha: Vector3) -> Vector3:
    """J omega' + omega x J omega."""
    return add(symmetric_multiply(J, alpha), cross(omega, symmetric_multiply(J, omega)))


def _gyroscopic(J: Symmetric3, omega: Vector3) -> Matrix3:
    """Derivative of omega x J omega by omega."""
    return _minus(product(skew(omega), symmetric_matrix(J)), skew(symmetric_multiply(J, omega)))


def _incremental_attitude(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_attitude", "attitude, inertia torque and their derivatives at an iterate")
    base, psi = _base(k), k.vector3("z", "rotation increment within the step", "rad")
    _, _, J = _body(k)
    A, C, B, D, B_past, D_past = _scheme_inputs(k)
    half = constant(graph, Fraction(1, 2))
    quaternion, T = _tangent(psi)
    R = from_quaternion(_quaternion_product(base, quaternion)).matrix()
    # Past increments count from the last attitude; bent by half a cross product they count from the new one.
    omega = subtract(add(scale(psi, A), B), scale(cross(psi, B_past), half))
    alpha = subtract(add(scale(psi, C), D), scale(cross(psi, D_past), half))
    d_omega = _plus(_diagonal(A), _times(skew(B_past), half))
    d_alpha = _plus(_diagonal(C), _times(skew(D_past), half))
    E = _plus(product(symmetric_matrix(J), d_alpha), product(_gyroscopic(J, omega), d_omega))
    torque = multiply(R, _torque(J, omega, alpha))
    entries = _motion_entries(R, product(R, T), R, torque, product(R, E), multiply(R, omega))
    k.output("motion", LAYOUT.motion, entries, "as the other kernels take it")
    return k.program()


def _rate_entries(R: Matrix3, J: Symmetric3, omega: Vector3) -> tuple[Scalar, ...]:
    """Motion for the calculation of accelerations: delta is omega' in body axes."""
    zero = zero_vector(omega[0].graph)
    tilde = skew(omega)
    lever = product(R, product(tilde, tilde))
    torque = multiply(R, _torque(J, omega, zero))
    return _motion_entries(R, R, lever, torque, product(R, symmetric_matrix(J)), multiply(R, omega))


def _incremental_rate(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_attitude_rate", "attitude and what angular velocity contributes to accelerations")
    base, psi = _base(k), k.vector3("z", "rotation increment", "rad")
    _, _, J = _body(k)
    omega = k.vector3("omega", "angular velocity, body axes", "rad/s")
    quaternion, _, _ = _exponential(psi)
    R = from_quaternion(_quaternion_product(base, quaternion)).matrix()
    k.output("motion", LAYOUT.motion, _rate_entries(R, J, omega), "as the other kernels take it")
    return k.program()


def _start_inputs(k: Kernel) -> tuple[Quaternion, Vector3, Vector3]:
    w, x, y, z = k.array("attitude", 4, "quaternion")
    omega = k.vector3("omega", "angular velocity, body axes", "rad/s")
    return (w, x, y, z), omega, k.vector3("alpha", "angular acceleration, body axes", "rad/s^2")


def _incremental_start(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_start_rotation", "attitude and rotation history of a body from initial values")
    quaternion, omega, alpha = _start_inputs(k)
    k.output("base", 4, _unit(quaternion), "")
    k.output("x", 3, zero_vector(graph), "")
    k.output("v", 3, omega, "")
    k.output("a", 3, alpha, "")
    return k.program()


def _incremental_rebase(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_rebase", "attitude and past values after a step, increments counted from the new one")
    base, x = _base(k), k.vector3("x", "increment over the step", "rad")
    past = k.vector3("x2", "one step before"), k.vector3("x3", "two steps before")
    quaternion, _, _ = _exponential(x)
    k.output("new_base", 4, _unit(_quaternion_product(base, quaternion)), "")
    k.output("new_x", 3, zero_vector(graph), "")
    half = constant(graph, Fraction(1, 2))
    for name, y in zip(("new_x2", "new_x3"), past, strict=True):
        # log(exp(-x) exp(y)) to second order; with both nearly parallel the rest is of fourth order in the step.
        k.output(name, 3, subtract(subtract(y, x), scale(cross(x, y), half)), "")
    return k.program()


def _incremental_past(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_past", "a past rotation as the scheme's formulas take it at the iterate")
    z, past = k.vector3("z", "rotation increment within the step", "rad"), k.vector3("past", "x2 or x3")
    k.output("bent", 3, subtract(past, scale(cross(z, past), constant(graph, Fraction(1, 2)))), "")
    return k.program()


def _observe_outputs(
    k: Kernel, m: Scalar, J: Symmetric3, quaternion: Quaternion, omega: Vector3, v: Vector3
) -> Program:
    k.output("attitude", 4, quaternion, "quaternion")
    k.output("omega", 3, omega, "angular velocity, body axes", "rad/s")
    k.output("energy", (), ((m * dot(v, v) + dot(omega, symmetric_multiply(J, omega))) / 2,), "", "J")
    return k.program()


def _incremental_observe(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_observe", "attitude, angular velocity and kinetic energy of a body")
    m, _, J = _body(k)
    base, psi = _base(k), k.vector3("z", "rotation increment", "rad")
    omega = k.vector3("rate", "angular velocity, body axes", "rad/s")
    v = k.vector3("velocity", "of the centre of mass", "m/s")
    quaternion, _, _ = _exponential(psi)
    return _observe_outputs(k, m, J, _quaternion_product(base, quaternion), omega, v)


# ---- Cardan angles ---------------------------------------------------------------------------------------------------


class _Cardan:
    """R = Rx Ry Rz, omega = H(beta, gamma) (alpha, beta, gamma)', and derivatives of H."""

    def __init__(self, angles: Vector3) -> None:
        graph = angles[0].graph
        R = about_axis(0, angles[0]).then(about_axis(1, angles[1])).then(about_axis(2, angles[2]))
        self.R = R.matrix()
        cb, sb, cg, sg = cos(angles[1]), sin(angles[1]), cos(angles[2]), sin(angles[2])
        zero, one = constant(graph, 0), constant(graph, 1)
        none = zero_vector(graph)
        self.cb, self.sb, self.cg, self.sg = cb, sb, cg, sg
        self.H: Matrix3 = (cb * cg, sg, zero), (-(cb * sg), cg, zero), (sb, zero, one)
        by_beta: Matrix3 = (-(sb * cg), zero, zero), (sb * sg, zero, zero), (cb, zero, zero)
        by_gamma: Matrix3 = (-(cb * sg), cg, zero), (-(cb * cg), -sg, zero), none
        self.first: tuple[Matrix3, Matrix3, Matrix3] = ((none, none, none), by_beta, by_gamma)
        beta_beta: Matrix3 = (-(cb * cg), zero, zero), (cb * sg, zero, zero), (-sb, zero, zero)
        beta_gamma: Matrix3 = (sb * sg, zero, zero), (sb * cg, zero, zero), none
        gamma_gamma: Matrix3 = (-(cb * cg), -sg, zero), (cb * sg, -cg, zero), none
        self._second = {(1, 1): beta_beta, (1, 2): beta_gamma, (2, 1): beta_gamma, (2, 2): gamma_gamma}

    def along(self, rates: Vector3) -> Matrix3:
        """Rate of H."""
        return _plus(_times(self.first[1], rates[1]), _times(self.first[2], rates[2]))

    def along_by(self, place: int, rates: Vector3) -> Matrix3 | None:
        """Derivative of the rate of H by an angle, rates held."""
        if not place:
            return None
        return _plus(_times(self._second[1, place], rates[1]), _times(self._second[2, place], rates[2]))

    def rates(self, omega: Vector3) -> Vector3:
        """H^-1 omega."""
        alpha = (omega[0] * self.cg - omega[1] * self.sg) / self.cb
        return alpha, omega[0] * self.sg + omega[1] * self.cg, omega[2] - self.sb * alpha


def _column(m: Matrix3, k: int) -> Vector3:
    return m[0][k], m[1][k], m[2][k]


def _of_columns(columns: list[Vector3]) -> Matrix3:
    a, b, c = columns
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


def _cardan_attitude(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_attitude", "attitude, inertia torque and their derivatives at an iterate")
    _base(k)
    angles = k.vector3("z", "Cardan angles", "rad")
    _, _, J = _body(k)
    A, C, B, D, _, _ = _scheme_inputs(k)
    chart = _Cardan(angles)
    rates, rates2 = add(scale(angles, A), B), add(scale(angles, C), D)
    H, H_rate = chart.H, chart.along(rates)
    omega = multiply(H, rates)
    alpha = add(multiply(H, rates2), multiply(H_rate, rates))
    gyroscopic = _gyroscopic(J, omega)
    columns = []
    for place in range(3):
        by = chart.first[place]
        by_rates = multiply(by, rates)
        d_omega = add(scale(_column(H, place), A), by_rates)
        d_alpha = add(scale(_column(H, place), C), multiply(by, rates2))
        # The rate of H depends on the angles and, through the scheme, on their rates; the rates on the angle.
        d_alpha = add(d_alpha, scale(by_rates, A))
        d_alpha = add(d_alpha, scale(_column(H_rate, place), A))
        bend = chart.along_by(place, rates)
        if bend is not None:
            d_alpha = add(d_alpha, multiply(bend, rates))
        columns.append(add(symmetric_multiply(J, d_alpha), multiply(gyroscopic, d_omega)))
    R = chart.R
    torque = multiply(R, _torque(J, omega, alpha))
    entries = _motion_entries(R, product(R, H), R, torque, product(R, _of_columns(columns)), multiply(R, omega))
    k.output("motion", LAYOUT.motion, entries, "as the other kernels take it")
    return k.program()


def _cardan_rate(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_attitude_rate", "attitude and what angular velocity contributes to accelerations")
    _base(k)
    angles = k.vector3("z", "Cardan angles", "rad")
    _, _, J = _body(k)
    omega = k.vector3("omega", "angular velocity, body axes", "rad/s")
    k.output("motion", LAYOUT.motion, _rate_entries(_Cardan(angles).R, J, omega), "as the other kernels take it")
    return k.program()


def _cardan_start(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_start_rotation", "attitude and rotation history of a body from initial values")
    quaternion, omega, alpha = _start_inputs(k)
    unit = _unit(quaternion)
    R = from_quaternion(unit).matrix()
    one = constant(graph, 1)
    sine = R[0][2].apply("min", one).apply("max", -one)
    angles = ((-R[1][2]).apply("atan2", R[2][2]), sine.apply("asin"), (-R[0][1]).apply("atan2", R[0][0]))
    chart = _Cardan(angles)
    rates = chart.rates(omega)
    k.output("base", 4, unit, "")
    k.output("x", 3, angles, "")
    k.output("v", 3, rates, "")
    k.output("a", 3, chart.rates(subtract(alpha, multiply(chart.along(rates), rates))), "")
    return k.program()


def _cardan_rebase(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_rebase", "attitude and past values after a step: angles stay as they are")
    base = _base(k)
    names = (("x", "new_x"), ("x2", "new_x2"), ("x3", "new_x3"))
    values = [k.vector3(name, "Cardan angles", "rad") for name, _ in names]
    k.output("new_base", 4, base, "")
    for (_, name), value in zip(names, values, strict=True):
        k.output(name, 3, value, "")
    return k.program()


def _cardan_past(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_past", "a past rotation as the scheme's formulas take it at the iterate")
    k.vector3("z", "Cardan angles", "rad")
    k.output("bent", 3, k.vector3("past", "x2 or x3"), "")
    return k.program()


def _cardan_observe(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_observe", "attitude, angular velocity and kinetic energy of a body")
    m, _, J = _body(k)
    _base(k)
    angles = k.vector3("z", "Cardan angles", "rad")
    rates = k.vector3("rate", "of the Cardan angles", "rad/s")
    v = k.vector3("velocity", "of the centre of mass", "m/s")
    zero = constant(graph, 0)
    quaternion: Quaternion = (constant(graph, 1), zero, zero, zero)
    for axis in range(3):
        parts = [cos(angles[axis] / 2), zero, zero, zero]
        parts[1 + axis] = sin(angles[axis] / 2)
        quaternion = _quaternion_product(quaternion, (parts[0], parts[1], parts[2], parts[3]))
    return _observe_outputs(k, m, J, quaternion, multiply(_Cardan(angles).H, rates), v)


# ---- common to both --------------------------------------------------------------------------------------------------


def _inertia(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_inertia", "loads of a rigid body alone: [N; Q] = W [phi; dr] + w at its input end")
    m, c, _ = _body(k)
    motion = _Motion(k)
    C = k.scalar("C", "of the scheme")
    geometric = k.scalar("geometric", "1 to linearise levers, 0 to keep them fixed")
    a = k.vector3("a", "acceleration of the centre of mass at the iterate", "m/s^2")
    force = k.array("force", 6, "force and moment at the centre of mass, base axes")
    rho = multiply(motion.R, c)
    q = subtract(scale(a, m), (force[0], force[1], force[2]))
    mC = m * C
    lever = skew(rho)
    coupling = _times(lever, mC)
    negative = _times(coupling, constant(graph, -1))
    rotational = product(lever, _minus(_times(skew(q), geometric), coupling))
    k.output("W", (6, 6), _blocks((rotational, coupling), (negative, _diagonal(mC))), "")
    moment = subtract(add(motion.torque, cross(rho, q)), (force[3], force[4], force[5]))
    k.output("w", 6, (*moment, *q), "")
    return k.program()


def _hinge_law(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_hinge_law", "a ball hinge offers no moment")
    k.array("joint", LAYOUT.joint, "row of the joint table")
    for name in ("spring", "A", "C"):
        k.scalar(name, "not read")
    for name in ("motion", "parent_motion"):
        k.array(name, LAYOUT.motion, "not read")
    for name in ("angle", "parent_angle"):
        k.array(name, 1, "not read")
    zero = constant(graph, 0)
    k.output("law", 2, (zero, zero), "stiffness and torque")
    return k.program()


def _hinge(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_hinge", "eliminates a body's rotation: S of the interface dr")
    W = k.array("W", (6, 6), "loads of the body and everything outboard")
    motion = _Motion(k)
    k.array("law", 2, "not read: a ball hinge offers no moment")
    inverse = _inverse(_plus(product(_block(W, 0, 0), motion.G), motion.P))
    coupling = product(_block(W, 3, 0), motion.G)
    gain = _times(product(inverse, _block(W, 0, 3)), constant(graph, -1))
    k.output("S", (3, 3), entries_of(_plus(_block(W, 3, 3), product(coupling, gain))), "")
    entries = (*entries_of(inverse), *entries_of(coupling), *entries_of(gain))
    k.output("elimination", LAYOUT.elimination, entries, "")
    return k.program()


def _hinge_column(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_hinge_column", "eliminates a body's rotation in one column: rest of delta, and s")
    elimination = k.array("elimination", LAYOUT.elimination, "")
    w = k.array("w", 6, "column of the loads")
    inverse, coupling = rows_of(elimination[0:9]), rows_of(elimination[9:18])
    delta = scale(multiply(inverse, (w[0], w[1], w[2])), constant(graph, -1))
    k.output("delta", 3, delta, "delta for an interface at rest")
    k.output("s", 3, add((w[3], w[4], w[5]), multiply(coupling, delta)), "")
    return k.program()


def _rotation(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_rotation", "change of a body's rotation from its interface")
    elimination = k.array("elimination", LAYOUT.elimination, "")
    k.vector3("parent_delta", "not read: a ball hinge transmits no rotation")
    dr = k.vector3("dr", "change of the input end", "m")
    rest = k.vector3("rest", "delta for an interface at rest")
    k.output("delta", 3, add(multiply(rows_of(elimination[18:27]), dr), rest), "")
    return k.program()


def _elastic_hinge(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_elastic_hinge", "interface of a body seen through a hinge of finite stiffness")
    S = k.matrix3("S", "interface at the outboard end")
    stiffness = k.scalar("stiffness", "of the hinge, with its damper's share", "N/m")
    Y = _inverse(_plus(S, _diagonal(stiffness)))
    through = _minus(_diagonal(stiffness), _times(Y, stiffness * stiffness))
    k.output("S_through", (3, 3), entries_of(through), "interface at the inboard end")
    k.output("elastic", LAYOUT.elastic, (*entries_of(Y), stiffness), "")
    k.output("turn", INTERFACE, zero_vector(graph), "displacement per rotation of the parent: none")
    return k.program()


def _elastic_hinge_column(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_elastic_hinge_column", "one column through an elastic hinge: s, and the outboard end")
    elastic = k.array("elastic", LAYOUT.elastic, "")
    q, s = k.vector3("q", "force of the hinge at the iterate", "N"), k.vector3("s", "at the outboard end")
    rest = multiply(rows_of(elastic[0:9]), subtract(q, s))
    k.output("s_through", 3, subtract(q, scale(rest, elastic[9])), "at the inboard end")
    k.output("rest", 3, rest, "change of the outboard end for an interface at rest", "m")
    return k.program()


def _elastic_point(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_elastic_point", "change of the outboard end of an elastic hinge from its inboard end's")
    elastic = k.array("elastic", LAYOUT.elastic, "")
    k.array("turn", INTERFACE, "not read")
    k.vector3("parent_delta", "not read")
    dr = k.vector3("dr", "change of the inboard end", "m")
    rest = k.vector3("rest", "change of the outboard end for an interface at rest", "m")
    k.output("point", 3, add(multiply(rows_of(elastic[0:9]), scale(dr, elastic[9])), rest), "", "m")
    return k.program()


def _end(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_end", "share of an output end in a body's loads")
    motion = _Motion(k)
    b = k.vector3("b", "end, from the input end in body axes", "m")
    S = k.matrix3("S", "interface at the end")
    force = k.vector3("Q", "force at the end, last iterate; 0 keeps the lever fixed", "N")
    lever = skew(multiply(motion.R, b))
    right = _times(product(S, lever), constant(graph, -1))
    rotational = product(lever, _plus(right, skew(force)))
    k.output("W", (6, 6), _blocks((rotational, product(lever, S)), (right, S)), "to add")
    return k.program()


def _end_column(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_end_column", "share of an output end in one column of a body's loads")
    motion = _Motion(k)
    b = k.vector3("b", "end, from the input end in body axes", "m")
    s = k.vector3("s", "column of the interface at the end")
    k.output("w", 6, (*cross(multiply(motion.R, b), s), *s), "to add")
    return k.program()


def _point(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_point", "a point of a body at the iterate (or its acceleration but for delta)")
    motion = _Motion(k)
    b, r = k.vector3("b", "point, from the input end in body axes", "m"), k.vector3("r", "input end", "m")
    k.output("point", 3, add(r, multiply(motion.X, b)), "", "m")
    return k.program()


def _point_change(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_point_change", "change of a point of a body")
    motion = _Motion(k)
    b = k.vector3("b", "point, from the input end in body axes", "m")
    dr, delta = k.vector3("dr", "change of the input end", "m"), k.vector3("delta", "change of rotation")
    k.output("change", 3, add(dr, cross(multiply(motion.G, delta), multiply(motion.R, b))), "", "m")
    return k.program()


def _point_velocity(graph: Graph) -> Program:
    k = Kernel(graph, "transfer_point_velocity", "velocity of a point of a body")
    _, c, _ = _body(k)
    motion = _Motion(k)
    v = k.vector3("velocity", "of the centre of mass", "m/s")
    b = k.vector3("b", "point, from the input end in body axes", "m")
    k.output("point_velocity", 3, add(v, cross(motion.omega, multiply(motion.R, subtract(b, c)))), "", "m/s")
    return k.program()


_INCREMENTAL: Final[tuple[Derive, ...]] = (
    _incremental_attitude,
    _incremental_rate,
    _incremental_start,
    _incremental_rebase,
    _incremental_past,
    _incremental_observe,
)
_CARDAN: Final[tuple[Derive, ...]] = (
    _cardan_attitude,
    _cardan_rate,
    _cardan_start,
    _cardan_rebase,
    _cardan_past,
    _cardan_observe,
)
_COMMON: Final[tuple[Derive, ...]] = (
    _inertia, _hinge_law, _hinge, _hinge_column, _rotation, _elastic_hinge, _elastic_hinge_column, _elastic_point,
    _end, _end_column, _point, _point_change, _point_velocity,
)  # fmt: skip
