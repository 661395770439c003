"""Kernels of the rotation of a spatial body: incremental rotations and Cardan angles.

Each variant has its own attitudes, rates, start, history and observation; what the sweep does with them is the same
(``spatial``).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from mbsym.spatial.rotation import Quaternion, about_axis, from_quaternion
from mbsym.spatial.vector import (
    Matrix3,
    Symmetric3,
    Vector3,
    add,
    add_matrices,
    cross,
    dot,
    multiply,
    product,
    scale,
    skew,
    subtract,
    symmetric_matrix,
    symmetric_multiply,
    transpose,
    zero_vector,
)
from mbsym.symbolic.scalar import Scalar, constant, cos, sin, sqrt
from mbsym.transfer_matrix.kernel import Kernel
from mbsym.transfer_matrix.spatial import Rotation
from mbsym.transfer_matrix.spatial_matrices import (
    LAYOUT,
    attitude_base,
    diagonal,
    inverse_of,
    minus,
    motion_entries,
    rigid_body,
    scheme_inputs,
    times,
)

SMALL_SQUARE: Final = Fraction(1, 100)
"""Square of the angle below which (q - sin q) / q^3 is taken from its series."""


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
    # sin(q/2)/q has no cancellation; the floor only keeps 0/0 away, in single precision too, which ends at 1e-38.
    q = sqrt(square.apply("max", constant(square.graph, Fraction(1, 10**30))))
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
    T = add_matrices(minus(diagonal(constant(graph, 1)), times(tilde, first)), times(product(tilde, tilde), second))
    return quaternion, T


def _torque(J: Symmetric3, omega: Vector3, alpha: Vector3) -> Vector3:
    """J omega' + omega x J omega."""
    return add(symmetric_multiply(J, alpha), cross(omega, symmetric_multiply(J, omega)))


def _gyroscopic(J: Symmetric3, omega: Vector3) -> Matrix3:
    """Derivative of omega x J omega by omega."""
    return minus(product(skew(omega), symmetric_matrix(J)), skew(symmetric_multiply(J, omega)))


def _incremental_attitude(k: Kernel) -> None:
    base, psi = attitude_base(k), k.vector3("z", "rotation increment within the step", "rad")
    _, _, J = rigid_body(k)
    A, C, B, D, B_past, D_past = scheme_inputs(k)
    half = constant(k.graph, Fraction(1, 2))
    quaternion, T = _tangent(psi)
    R = from_quaternion(_quaternion_product(base, quaternion)).matrix()
    # Past increments count from the last attitude; bent by half a cross product they count from the new one.
    omega = subtract(add(scale(psi, A), B), scale(cross(psi, B_past), half))
    alpha = subtract(add(scale(psi, C), D), scale(cross(psi, D_past), half))
    d_omega = add_matrices(diagonal(A), times(skew(B_past), half))
    d_alpha = add_matrices(diagonal(C), times(skew(D_past), half))
    E = add_matrices(product(symmetric_matrix(J), d_alpha), product(_gyroscopic(J, omega), d_omega))
    _motion_output(k, J, R, T, E, omega, alpha)


def _motion_output(
    k: Kernel, J: Symmetric3, R: Matrix3, T: Matrix3, E: Matrix3, omega: Vector3, alpha: Vector3
) -> None:
    """Motion at an iterate: R T takes delta to base axes, E to the change of the inertia torque in body axes."""
    torque = multiply(R, _torque(J, omega, alpha))
    to_delta = product(inverse_of(T), transpose(R))
    entries = motion_entries(R, to_delta, R, torque, product(product(R, E), to_delta), multiply(R, omega))
    k.output("motion", LAYOUT.motion, entries, "as the other kernels take it")


def _rate_output(k: Kernel, J: Symmetric3, R: Matrix3, omega: Vector3) -> None:
    """Motion for the calculation of accelerations: delta is omega' in body axes."""
    tilde = skew(omega)
    lever = product(R, product(tilde, tilde))
    torque = multiply(R, _torque(J, omega, zero_vector(k.graph)))
    turned = product(product(R, symmetric_matrix(J)), transpose(R))
    entries = motion_entries(R, transpose(R), lever, torque, turned, multiply(R, omega))
    k.output("motion", LAYOUT.motion, entries, "as the other kernels take it")


def _incremental_rate(k: Kernel) -> None:
    base, psi = attitude_base(k), k.vector3("z", "rotation increment", "rad")
    _, _, J = rigid_body(k)
    omega = k.vector3("omega", "angular velocity, body axes", "rad/s")
    quaternion, _, _ = _exponential(psi)
    R = from_quaternion(_quaternion_product(base, quaternion)).matrix()
    _rate_output(k, J, R, omega)


def _start_inputs(k: Kernel) -> tuple[Quaternion, Vector3, Vector3]:
    w, x, y, z = k.array("attitude", 4, "quaternion")
    omega = k.vector3("omega", "angular velocity, body axes", "rad/s")
    return (w, x, y, z), omega, k.vector3("alpha", "angular acceleration, body axes", "rad/s^2")


def _incremental_start(k: Kernel) -> None:
    quaternion, omega, alpha = _start_inputs(k)
    k.output("base", 4, _unit(quaternion), "")
    k.output("x", 3, zero_vector(k.graph), "")
    k.output("v", 3, omega, "")
    k.output("a", 3, alpha, "")


def _incremental_rebase(k: Kernel) -> None:
    base, x = attitude_base(k), k.vector3("x", "increment over the step", "rad")
    past = k.vector3("x2", "one step before"), k.vector3("x3", "two steps before")
    quaternion, _, _ = _exponential(x)
    k.output("new_base", 4, _unit(_quaternion_product(base, quaternion)), "")
    k.output("new_x", 3, zero_vector(k.graph), "")
    half = constant(k.graph, Fraction(1, 2))
    for name, y in zip(("new_x2", "new_x3"), past, strict=True):
        # log(exp(-x) exp(y)) to second order; with both nearly parallel the rest is of fourth order in the step.
        k.output(name, 3, subtract(subtract(y, x), scale(cross(x, y), half)), "")


def _incremental_past(k: Kernel) -> None:
    z, past = k.vector3("z", "rotation increment within the step", "rad"), k.vector3("past", "x2 or x3")
    k.output("bent", 3, subtract(past, scale(cross(z, past), constant(k.graph, Fraction(1, 2)))), "")


def _observe_outputs(k: Kernel, m: Scalar, J: Symmetric3, quaternion: Quaternion, omega: Vector3, v: Vector3) -> None:
    k.output("attitude", 4, quaternion, "quaternion")
    k.output("omega", 3, omega, "angular velocity, body axes", "rad/s")
    k.output("energy", (), ((m * dot(v, v) + dot(omega, symmetric_multiply(J, omega))) / 2,), "", "J")


def _incremental_observe(k: Kernel) -> None:
    m, _, J = rigid_body(k)
    base, psi = attitude_base(k), k.vector3("z", "rotation increment", "rad")
    omega = k.vector3("rate", "angular velocity, body axes", "rad/s")
    v = k.vector3("velocity", "of the centre of mass", "m/s")
    quaternion, _, _ = _exponential(psi)
    _observe_outputs(k, m, J, _quaternion_product(base, quaternion), omega, v)


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
        unmoved: Matrix3 = none, none, none
        self.first = unmoved, by_beta, by_gamma
        beta_beta: Matrix3 = (-(cb * cg), zero, zero), (cb * sg, zero, zero), (-sb, zero, zero)
        beta_gamma: Matrix3 = (sb * sg, zero, zero), (sb * cg, zero, zero), none
        gamma_gamma: Matrix3 = (-(cb * cg), -sg, zero), (cb * sg, -cg, zero), none
        self._second = (unmoved, unmoved), (beta_beta, beta_gamma), (beta_gamma, gamma_gamma)

    def along(self, rates: Vector3) -> Matrix3:
        """Rate of H."""
        return add_matrices(times(self.first[1], rates[1]), times(self.first[2], rates[2]))

    def along_by(self, place: int, rates: Vector3) -> Matrix3:
        """Derivative of the rate of H by an angle, rates held."""
        by_beta, by_gamma = self._second[place]
        return add_matrices(times(by_beta, rates[1]), times(by_gamma, rates[2]))

    def rates(self, omega: Vector3) -> Vector3:
        """H^-1 omega."""
        alpha = (omega[0] * self.cg - omega[1] * self.sg) / self.cb
        return alpha, omega[0] * self.sg + omega[1] * self.cg, omega[2] - self.sb * alpha


def _cardan_attitude(k: Kernel) -> None:
    attitude_base(k)
    angles = k.vector3("z", "Cardan angles", "rad")
    _, _, J = rigid_body(k)
    A, C, B, D, _, _ = scheme_inputs(k)
    chart = _Cardan(angles)
    rates, rates2 = add(scale(angles, A), B), add(scale(angles, C), D)
    H, H_rate = chart.H, chart.along(rates)
    omega = multiply(H, rates)
    alpha = add(multiply(H, rates2), multiply(H_rate, rates))
    gyroscopic = _gyroscopic(J, omega)
    columns = []
    for place, (column, column_rate) in enumerate(zip(transpose(H), transpose(H_rate), strict=True)):
        by = chart.first[place]
        by_rates = multiply(by, rates)
        d_omega = add(scale(column, A), by_rates)
        d_alpha = add(scale(column, C), multiply(by, rates2))
        # The rate of H depends on the angles and, through the scheme, on their rates; the rates on the angle.
        d_alpha = add(d_alpha, scale(by_rates, A))
        d_alpha = add(d_alpha, scale(column_rate, A))
        d_alpha = add(d_alpha, multiply(chart.along_by(place, rates), rates))
        columns.append(add(symmetric_multiply(J, d_alpha), multiply(gyroscopic, d_omega)))
    _motion_output(k, J, chart.R, H, transpose((columns[0], columns[1], columns[2])), omega, alpha)


def _cardan_rate(k: Kernel) -> None:
    attitude_base(k)
    angles = k.vector3("z", "Cardan angles", "rad")
    _, _, J = rigid_body(k)
    omega = k.vector3("omega", "angular velocity, body axes", "rad/s")
    _rate_output(k, J, _Cardan(angles).R, omega)


def _cardan_start(k: Kernel) -> None:
    quaternion, omega, alpha = _start_inputs(k)
    unit = _unit(quaternion)
    R = from_quaternion(unit).matrix()
    one = constant(k.graph, 1)
    sine = R[0][2].apply("min", one).apply("max", -one)
    angles = ((-R[1][2]).apply("atan2", R[2][2]), sine.apply("asin"), (-R[0][1]).apply("atan2", R[0][0]))
    chart = _Cardan(angles)
    rates = chart.rates(omega)
    k.output("base", 4, unit, "")
    k.output("x", 3, angles, "")
    k.output("v", 3, rates, "")
    k.output("a", 3, chart.rates(subtract(alpha, multiply(chart.along(rates), rates))), "")


def _cardan_rebase(k: Kernel) -> None:
    base = attitude_base(k)
    names = (("x", "new_x"), ("x2", "new_x2"), ("x3", "new_x3"))
    values = [k.vector3(name, "Cardan angles", "rad") for name, _ in names]
    k.output("new_base", 4, base, "")
    for (_, name), value in zip(names, values, strict=True):
        k.output(name, 3, value, "")


def _cardan_past(k: Kernel) -> None:
    k.vector3("z", "Cardan angles", "rad")
    k.output("bent", 3, k.vector3("past", "x2 or x3"), "")


def _cardan_observe(k: Kernel) -> None:
    m, _, J = rigid_body(k)
    attitude_base(k)
    angles = k.vector3("z", "Cardan angles", "rad")
    rates = k.vector3("rate", "of the Cardan angles", "rad/s")
    v = k.vector3("velocity", "of the centre of mass", "m/s")
    zero = constant(k.graph, 0)
    quaternion: Quaternion = (constant(k.graph, 1), zero, zero, zero)
    for axis in range(3):
        parts = [cos(angles[axis] / 2), zero, zero, zero]
        parts[1 + axis] = sin(angles[axis] / 2)
        quaternion = _quaternion_product(quaternion, (parts[0], parts[1], parts[2], parts[3]))
    _observe_outputs(k, m, J, quaternion, multiply(_Cardan(angles).H, rates), v)


ROTATIONS: Final[Mapping[str, Rotation]] = {
    "incremental": Rotation(
        _incremental_attitude,
        _incremental_rate,
        _incremental_start,
        _incremental_rebase,
        _incremental_past,
        _incremental_observe,
    ),
    "cardan": Rotation(_cardan_attitude, _cardan_rate, _cardan_start, _cardan_rebase, _cardan_past, _cardan_observe),
}
"""The kernels that depend on the variable, by its name."""
