"""Rows and columns of regressors: what each parameter contributes to each generalised force, energy and momentum.

The wrench of a body is linear in its ten parameters, and the forces that it asks of the joints inboard of it are the
powers of that wrench along their motions: so a column of a body is the Jacobian of its frame, transposed, times what
one parameter makes of the body's motion, and it reaches the body's ancestors only. Both are taken in the user's frame
of the body, in which the parameters are given.

Source: C. G. Atkeson, C. H. An, J. M. Hollerbach, Estimation of inertial parameters of manipulator loads and links,
1986; M. Gautier, W. Khalil, On the identification of the inertial parameters of robots, 1988 (energies).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from mbsym.forces.element import ForceElement
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.kinematics.observables import body_jacobian_columns
from mbsym.kinematics.recursion import Speeds, accelerations, joint_speeds, turning_matrix, velocities
from mbsym.kinematics.rotors import turning_of_speeds
from mbsym.kinematics.scene import MechanismAtRest, MechanismInMotion, acting, user_poses
from mbsym.model.inertial_parameters import INERTIAL_NAMES
from mbsym.regressors.parameters import alone, standard_parameters, with_symbols
from mbsym.spatial.transform import identity_transform
from mbsym.spatial.vector import Matrix3, Vector3, add, cross, dot, multiply, negate, subtract, transpose
from mbsym.symbolic.compose import transplant
from mbsym.symbolic.differentiate import jacobian
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

Column: TypeAlias = Mapping[int, Scalar]
"""Entries of a column by the row of v; rows that are left out are zero."""

Ten: TypeAlias = tuple[Scalar, ...]
"""Of a body: what belongs to its mass, first moment and inertia."""


def force_columns(mechanism: Mechanism, rates: Speeds | None = None, *, internal: bool = False) -> list[Column]:
    """Columns of Y(q, v, vdot) with tau = Y pi, in the order of ``standard_parameters``.

    Args:
        mechanism: of any tree joints; cut joints are left open.
        rates: vdot by joint; default its symbols.
        internal: True takes the bodies' parameters in their internal frames instead.
    """
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot)) if rates is None else rates
    jacobians = body_jacobian_columns(mechanism)
    bodies: dict[str, list[Column]] = {}
    with mechanism.graph.section("regressor of the bodies"):
        for body, moved in accelerations(mechanism, joint_speeds(mechanism), rates, negate(mechanism.gravity)):
            frame = identity_transform(mechanism.graph) if internal else body.user_frame
            to_user = frame.rotation.to_parent
            omega, alpha = to_user(moved.omega), to_user(moved.angular)
            turning = turning_matrix(omega, alpha)
            a = subtract(to_user(moved.linear), multiply(turning, frame.translation))
            bodies[body.name] = _columns(
                {
                    column: _forces_along(frame.twist_to_parent(*direction), omega, alpha, turning, a)
                    for column, direction in jacobians[body.label].items()
                }
            )
    with mechanism.graph.section("regressor of rotors and force elements"):
        speeds = joint_speeds(mechanism)
        changes = tuple(
            tuple(a + b for a, b in zip(own, turning_of_speeds(body, v), strict=True))
            for body, v, own in zip(mechanism.bodies, speeds, rates, strict=True)
        )
        return _all(
            mechanism,
            bodies,
            lambda joint: _of_rotor(mechanism, joint, changes),
            lambda element: of_element(mechanism, element, jacobians),
        )


def dense(mechanism: Mechanism, columns: Sequence[Column]) -> list[list[Scalar]]:
    """Columns as rows."""
    zero = Scalar(mechanism.graph, 0)
    return [[column.get(row, zero) for column in columns] for row in range(mechanism.nv)]


def extracted_columns(mechanism: Mechanism) -> list[Column]:
    """The same as ``force_columns``, by differentiating inverse dynamics with symbols for all parameters."""
    model, names = with_symbols(mechanism.model)
    asked = mechanism.symbolic_parameters
    if asked == "none":
        asked = ()
    symbols = tuple(name for name in names if name)
    other = build_mechanism(model, mechanism.labelling, asked if isinstance(asked, str) else (*asked, *symbols))
    graph, elements = other.graph, {element.name: element for element in model.forces}
    forces = TREE_FUNCTIONS["inverse_dynamics"](other)
    rows = iter(
        zip(*jacobian(graph, forces.output_references, [other.names[name].ref for name in symbols]), strict=True)
    )
    jacobians = body_jacobian_columns(other)
    entries: list[list[int]] = []
    for item in standard_parameters(mechanism.model):
        if item.kind == "share":
            column = of_element(other, elements[item.owner], jacobians)
            entries.append([column[row].ref for row in range(other.nv)])
        else:
            entries.append(list(next(rows)))
    refs = tuple(ref for column in entries for ref in column)
    found = Program("columns", graph, (), (Output("entries", (len(refs),), refs),))
    copied = iter(transplant(found, mechanism.graph).output_references)
    return [dict(enumerate(Scalar(mechanism.graph, next(copied)) for _ in column)) for column in entries]


def momentum_columns(mechanism: Mechanism) -> list[Column]:
    """Columns of P(q, v) with M(q) v = P pi."""
    speeds = joint_speeds(mechanism)
    twists = velocities(mechanism, speeds)
    bodies: dict[str, list[Column]] = {}
    with mechanism.graph.section("momentum regressor"):
        for body, directions in zip(mechanism.bodies, body_jacobian_columns(mechanism)[1:], strict=True):
            seen = body.user_frame.twist_to_parent(*twists[body.label])
            bodies[body.name] = _columns(
                {
                    column: _momenta_along(body.user_frame.twist_to_parent(*direction), seen)
                    for column, direction in directions.items()
                }
            )
        return _all(mechanism, bodies, lambda joint: _of_rotor(mechanism, joint, speeds), lambda element: {})


def energy_rows(mechanism: Mechanism) -> tuple[list[Scalar], list[Scalar]]:
    """Rows k(q, v) and u(q) with the kinetic energy k pi and the potential energy u pi."""
    graph = mechanism.graph
    zero, half = Scalar(graph, 0), Fraction(1, 2)
    speeds = joint_speeds(mechanism)
    twists = velocities(mechanism, speeds)
    kinetic: dict[str, list[Column]] = {}
    potential: dict[str, list[Column]] = {}
    places = user_poses(mechanism)
    with graph.section("energy regressor"):
        for body in mechanism.bodies:
            omega, v = body.user_frame.twist_to_parent(*twists[body.label])
            kinetic[body.name] = _columns({0: (dot(v, v) * half, *cross(v, omega), *_halved(_products(omega, omega)))})
            down = negate(places[body.label].rotation.to_child(mechanism.gravity))
            height = -dot(mechanism.gravity, places[body.label].translation)
            potential[body.name] = _columns({0: (height, *down, *((zero,) * 6))})

        def spun(joint: str) -> Column:
            own = (body for body in mechanism.bodies if body.joint.name == joint)
            return {0: sum((rate * rate for body in own for rate in speeds[body.label - 1]), zero) * half}

        def stored(element: ForceElement) -> Column:
            if not element.stores_energy:
                return {}
            with acting(element):
                return {0: element.stored_energy(MechanismAtRest(mechanism))}

        rows = (
            _all(mechanism, kinetic, spun, lambda element: {}),
            _all(mechanism, potential, lambda joint: {}, stored),
        )
    of_kinetic, of_potential = ([column.get(0, zero) for column in row] for row in rows)
    return of_kinetic, of_potential


def _all(
    mechanism: Mechanism,
    bodies: Mapping[str, list[Column]],
    of_rotor: Callable[[str], Column],
    of_element: Callable[[ForceElement], Column],
) -> list[Column]:
    """Columns in the order of the parameters."""
    model = mechanism.model
    elements = {element.name: element for element in model.forces}
    found: list[Column] = []
    for parameter in standard_parameters(model):
        if parameter.kind == "inertial":
            found.append(bodies[parameter.owner][INERTIAL_NAMES.index(parameter.key)])
        elif parameter.kind == "armature":
            found.append(of_rotor(parameter.owner))
        else:
            element = elements[parameter.owner]
            found.append(of_element(alone(model, element, parameter)))
    return found


def _columns(rows: Mapping[int, Ten]) -> list[Column]:
    """Ten columns of a body from its rows."""
    return [{row: entries[k] for row, entries in rows.items() if entries[k]} for k in range(len(INERTIAL_NAMES))]


def _forces_along(direction: Motion, omega: Vector3, alpha: Vector3, turning: Matrix3, a: Vector3) -> Ten:
    """Power of the wrench f = m a + U h, n = I alpha + omega x I omega + h x a along a direction, per parameter."""
    s, t = direction
    x, y, z = omega
    u = turning
    xy, xz, yz = x * y, x * z, y * z
    return (
        dot(t, a),
        *add(cross(a, s), multiply(transpose(u), t)),
        s[0] * alpha[0] + (s[1] * xz - s[2] * xy),
        s[1] * alpha[1] + (s[2] * xy - s[0] * yz),
        s[2] * alpha[2] + (s[0] * yz - s[1] * xz),
        (s[1] * u[2][1] - s[0] * u[2][0]) + s[2] * (x * x - y * y),
        (s[0] * u[1][0] - s[2] * u[1][2]) + s[1] * (z * z - x * x),
        (s[2] * u[0][2] - s[1] * u[0][1]) + s[0] * (y * y - z * z),
    )


def _momenta_along(direction: Motion, twist: Motion) -> Ten:
    """The same of the momentum m v + omega x h, I omega + h x v."""
    (s, t), (omega, v) = direction, twist
    return (dot(t, v), *add(cross(v, s), cross(t, omega)), *_products(s, omega))


def _products(s: Vector3, w: Vector3) -> Ten:
    """s.I w per entry of I."""
    return (
        *(a * b for a, b in zip(s, w, strict=True)),
        s[0] * w[1] + s[1] * w[0],
        s[0] * w[2] + s[2] * w[0],
        s[1] * w[2] + s[2] * w[1],
    )


def _halved(values: Ten) -> Ten:
    return tuple(value * Fraction(1, 2) for value in values)


def _of_rotor(mechanism: Mechanism, joint: str, rates: Speeds) -> Column:
    zero = Scalar(mechanism.graph, 0)
    own = tuple(
        each if body.joint.name == joint else (zero,) * len(each)
        for body, each in zip(mechanism.bodies, rates, strict=True)
    )
    return dict(enumerate(mechanism.gather(own)))


def of_element(mechanism: Mechanism, element: ForceElement, jacobians: list[dict[int, Motion]]) -> Column:
    """The forces that hold an element."""
    scene = MechanismInMotion(mechanism, joint_speeds(mechanism), with_bodies=element.meets_bodies)
    with acting(element):
        element.act(scene)
    total = {row: -force for row, force in enumerate(mechanism.gather(tuple(map(tuple, scene.joints))))}
    for label, (moment, force) in sorted(scene.wrenches.items()):
        for column, (s, t) in jacobians[label].items():
            total[column] = total[column] - dot((*s, *t), (*moment, *force))
    return total
