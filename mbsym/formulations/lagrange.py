"""Lagrange's equations, the textbook's way: energies first, their derivatives after that.

With T(q, v) the kinetic energy, U(q) the potential energy of gravity, p = dT/dv and D_j the derivative along the motion
of the j-th speed,

    M = dp/dv,    h_j = sum_i dp_j/dq_i qdot_i - D_j (T - U) + b_j(v, p) - Q_j

where Q_j are the forces of force elements by virtual work. Where the speeds are the rates of the coordinates, D_j is
d/dq_j and b_j = 0; angular velocities and the speeds of free bodies are no rates, and b_j has what their directions,
which do not commute, add (omega x p for a rotation). Derivatives grow faster with the number of bodies than recursions:
it is for systems that are to be read.

Source: C. Li, X. Rui, validating on the transfer matrix method of multibody system without considering constraint
violation correction, 2005, equation (1); for speeds that are no rates G. Hamel, Theoretische Mechanik, 1949.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations import contracts
from mbsym.formulations.applied_forces import element_forces
from mbsym.formulations.contracts import Derived, Entries, Function, functions_by_name
from mbsym.formulations.quantity import quantities_by_name, quantity
from mbsym.formulations.recursive.composite_body import SquareMatrix, solve
from mbsym.joints.coordinate_groups import momentum_bracket
from mbsym.joints.motion import six
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import body_jacobian_columns, composite, kinetic_energy, position_rate
from mbsym.kinematics.recursion import joint_speeds
from mbsym.kinematics.scene import MechanismInMotion, acting
from mbsym.spatial.vector import dot, subtract
from mbsym.symbolic.differentiate import forward, gradient, jacobian
from mbsym.symbolic.graph import ONE, Reference
from mbsym.symbolic.scalar import Scalar


@dataclass(frozen=True, slots=True)
class Energies:
    """What the equations follow from.

    Attributes:
        kinetic: T, with rotor inertias [J].
        potential: U, of gravity [J].
        momenta: p = dT/dv, as v is laid out.
    """

    kinetic: Scalar
    potential: Scalar
    momenta: tuple[Scalar, ...]


def energies(mechanism: Mechanism) -> Energies:
    """Kinetic and potential energy and the momenta."""
    graph = mechanism.graph
    kinetic = kinetic_energy(mechanism)
    _, moment = composite(mechanism)
    with graph.section("momenta"):
        momenta = tuple(Scalar(graph, ref) for ref in gradient(graph, kinetic.ref, mechanism.v.symbols))
    return Energies(kinetic, -dot(mechanism.gravity, moment), momenta)


def lagrange_mass_matrix(mechanism: Mechanism, found: Energies) -> SquareMatrix:
    """M = dp/dv, nv x nv."""
    graph = mechanism.graph
    with graph.section("mass matrix"):
        rows = jacobian(graph, [p.ref for p in found.momenta], mechanism.v.symbols)
        # Both triangles hold the same derivative, made in another order.
        return [
            [Scalar(graph, rows[max(r, c)][min(r, c)]).named(f"m{max(r, c) + 1}_{min(r, c) + 1}") for c in every]
            for r, every in ((r, range(len(rows))) for r in range(len(rows)))
        ]


def lagrange_bias(mechanism: Mechanism, found: Energies) -> list[Scalar]:
    """h(q, v): velocity, gravity and force element terms, as v is laid out."""
    graph = mechanism.graph
    rates = [rate.ref for rate in position_rate(mechanism)]
    moving = dict(zip(mechanism.q.symbols, rates, strict=True))
    with graph.section("time derivatives of the momenta at vdot = 0"):
        turning = forward(graph, [p.ref for p in found.momenta], moving)
    lagrangian = (found.kinetic - found.potential).ref
    with graph.section("derivatives of the Lagrangian"):
        slopes = gradient(graph, lagrangian, mechanism.q.symbols)
        sloping = [_along_speed(mechanism, slopes, rates, speed) for speed in mechanism.v.symbols]
    terms = [Scalar(graph, rate) - slope for rate, slope in zip(turning, sloping, strict=True)]
    with graph.section("directions that do not commute"):
        for body in mechanism.bodies:
            places = [column for column, _ in mechanism.speed_of[body.label - 1]]
            momenta = [found.momenta[place] for place in places]
            added = momentum_bracket(body.joint.kind.group, body.v, momenta)
            for place, term in zip(places, added, strict=False):
                terms[place] = terms[place] + term
    for place, force in _forces_of_elements(mechanism).items():
        terms[place] = terms[place] - force
    return terms


def _along_speed(mechanism: Mechanism, slopes: list[Reference], rates: list[Reference], speed: Reference) -> Scalar:
    """The derivative along the motion of one speed."""
    graph = mechanism.graph
    total = Scalar(graph, 0)
    for slope, share in zip(slopes, forward(graph, rates, {speed: ONE}), strict=True):
        if share:
            total = total + Scalar(graph, slope) * Scalar(graph, share)
    return total


def _forces_of_elements(mechanism: Mechanism) -> Mapping[int, Scalar]:
    """Generalised forces of the force elements by place in v: their power in the motion of each speed."""
    applied = element_forces(mechanism, joint_speeds(mechanism))
    if applied is None:
        return {}
    found: dict[int, Scalar] = {}
    columns = body_jacobian_columns(mechanism)
    zero = Scalar(mechanism.graph, 0)
    with mechanism.graph.section("forces of force elements"):
        for joint, own in enumerate(applied.joints):
            for (place, ratio), force in zip(mechanism.speed_of[joint], own, strict=True):
                found[place] = found.get(place, zero) + ratio * force
        for label, (moment, thrust) in applied.wrenches.items():
            for place, (angular, linear) in columns[label].items():
                found[place] = found.get(place, zero) + (dot(angular, moment) + dot(linear, thrust))
    return found


def _mass_matrix(mechanism: Mechanism) -> Derived:
    return Derived(lagrange_mass_matrix(mechanism, energies(mechanism)), "Lagrange's equations")


def _bias_force(mechanism: Mechanism) -> Derived:
    return Derived(lagrange_bias(mechanism, energies(mechanism)), "Lagrange's equations")


def _inverse_dynamics(mechanism: Mechanism) -> Derived:
    found = energies(mechanism)
    matrix = lagrange_mass_matrix(mechanism, found)
    tau = lagrange_bias(mechanism, found)
    with mechanism.graph.section("forces of the rates"):
        for row, entries in enumerate(matrix):
            for entry, rate in zip(entries, mechanism.entries(mechanism.vdot), strict=True):
                tau[row] = tau[row] + entry * rate
    return Derived(tau, "Lagrange's equations")


def _forward_dynamics(mechanism: Mechanism) -> Derived:
    found = energies(mechanism)
    bias = lagrange_bias(mechanism, found)
    right = [f - h for f, h in zip(mechanism.entries(mechanism.tau), bias, strict=True)]
    return Derived(
        solve(mechanism, lagrange_mass_matrix(mechanism, found), right), "Lagrange's equations, factored mass matrix"
    )


def _element_forces(mechanism: Mechanism) -> Entries:
    found, zero = _forces_of_elements(mechanism), Scalar(mechanism.graph, 0)
    return [found.get(place, zero) for place in range(mechanism.nv)]


def _dissipation(mechanism: Mechanism) -> Scalar:
    """R: half the power of linear dampers."""
    scene = MechanismInMotion(mechanism, joint_speeds(mechanism), with_bodies=True)
    total = Scalar(mechanism.graph, 0)
    for element in mechanism.model.forces:
        law = element.linear_law()
        damping = scene.value(law.damping) if law is not None else None
        if law is None or not damping:
            continue
        if law.index is not None:
            rate = scene.speed(element.named("joint")[0], law.index)
            square = rate * rate
        else:
            first, second = (scene.point(body, point) for body, point in law.ends)
            span = subtract(second.position(), first.position())
            growing = dot(span, subtract(second.velocity(), first.velocity()))
            square = growing * growing / dot(span, span)
        total = total + damping * square / 2
    return total


def _not_in_dissipation(mechanism: Mechanism) -> tuple[str, ...]:
    """A sentence on elements whose forces depend on speeds by another law."""
    others = []
    for element in mechanism.model.forces:
        if element.linear_law() is None:
            scene = MechanismInMotion(mechanism, joint_speeds(mechanism), with_bodies=True)
            with acting(element):
                element.act(scene)
            forces = [entry for own in (*scene.joints, *map(six, scene.wrenches.values())) for entry in own]
            reached = mechanism.graph.reachable([force.ref for force in forces])
            others += [element.name] if not set(mechanism.v.symbols).isdisjoint(reached) else []
    if not others:
        return ()
    return (f"Not in R are {', '.join(others)}, which depend on speeds by no law of a linear damper: see Q.",)


def _require_damper(mechanism: Mechanism) -> Mapping[str, int]:
    if not _dissipation(mechanism):
        others = " ".join(_not_in_dissipation(mechanism)).rstrip(".")
        raise DerivationError(
            "no force element is a linear damper" + (f". {others}" if others else ""),
            where=mechanism.model.name,
            remedy="look at Q, which has all force elements",
        )
    return {}


LAGRANGE_FUNCTIONS: Final = functions_by_name(
    Function(contracts.FORWARD_DYNAMICS, _forward_dynamics),
    Function(contracts.INVERSE_DYNAMICS, _inverse_dynamics),
    Function(contracts.MASS_MATRIX, _mass_matrix),
    Function(contracts.BIAS_FORCE, _bias_force),
)
"""Functions of the catalogue that Lagrange's equations derive in their own way."""

_LI: Final = "Li, Rui 2005, equation (1)"

LAGRANGE_QUANTITIES: Final = quantities_by_name(
    quantity(
        "T(q, v)",
        "Kinetic energy T",
        "T(q, v), with rotor inertias [J]; with closed loops that of the tree.",
        _LI,
        lambda mechanism: energies(mechanism).kinetic,
    ),
    quantity(
        "U(q)",
        "Potential energy U of gravity",
        "U(q) of gravity alone [J]; springs are among the forces Q.",
        _LI,
        lambda mechanism: energies(mechanism).potential,
    ),
    quantity(
        "p(q, v)[nv]",
        "Momenta p",
        "p = dT/dv = M v, an entry a speed in the order of v; M = dp/dv.",
        "Hamel 1949, for speeds that are no rates of coordinates",
        lambda mechanism: energies(mechanism).momenta,
    ),
    quantity(
        "Q(q, v, t, u, x)[nv]",
        "Generalised forces Q of force elements",
        "Q of springs, dampers, friction and other force elements by virtual work, an entry a speed in the "
        "order of v: d/dt dT/dv - D (T - U) + b(v, p) = tau + Q, where D = d/dq and b = 0 if speeds are rates.",
        _LI,
        _element_forces,
    ),
    quantity(
        "R(q, v)",
        "Dissipation function R",
        "R(q, v), the sum of d xdot^2 / 2 over linear dampers of joints and between points [W]: -dR/dv is "
        "their part of Q, and 2 R the power that they take.",
        "Rayleigh 1877, section 81",
        _dissipation,
        sizes=_require_damper,
        told=_not_in_dissipation,
    ),
)
"""Energies, momenta and forces that the equations follow from."""
