"""Positions, velocities, Jacobians, energies and momentum in the user's frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from mbsym.errors import DerivationError
from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import Speeds, joint_speeds, velocities
from mbsym.kinematics.scene import MechanismAtRest, acting, user_poses
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, add, cross, dot, scale, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar


def pose_entries(mechanism: Mechanism) -> list[Scalar]:
    """Homogeneous matrices (nb, 4, 4), row-major, that take the user's body coordinates to base coordinates."""
    return homogeneous_entries(mechanism, user_poses(mechanism)[1:])


def homogeneous_entries(mechanism: Mechanism, frames: Iterable[Transform]) -> list[Scalar]:
    """Frames as homogeneous matrices (n, 4, 4), row-major."""
    zero, one = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 1)
    entries: list[Scalar] = []
    for frame in frames:
        for row, offset in zip(frame.rotation.matrix(), frame.translation, strict=True):
            entries.extend((*row, offset))
        entries.extend((zero, zero, zero, one))
    return entries


def motion_entries(motions: Iterable[Motion]) -> list[Scalar]:
    """Motions as rows [angular; linear] (n, 6)."""
    return [entry for angular, linear in motions for entry in (*angular, *linear)]


def column_entries(mechanism: Mechanism, columns: Iterable[Mapping[int, Motion]]) -> list[Scalar]:
    """Motions by column of v as matrices (n, 6, nv), row-major."""
    zero = zero_vector(mechanism.graph)
    entries: list[Scalar] = []
    for own in columns:
        for half in (0, 1):
            for row in range(3):
                entries.extend(own.get(column, (zero, zero))[half][row] for column in range(mechanism.nv))
    return entries


def velocity_entries(mechanism: Mechanism) -> list[Scalar]:
    """Twists (nb, 6) of the user's body frames, in body axes at the frame's origin."""
    twists = velocities(mechanism, joint_speeds(mechanism))
    seen = (body.user_frame.twist_to_parent(*twist) for body, twist in zip(mechanism.bodies, twists[1:], strict=True))
    return motion_entries(seen)


def body_jacobian_columns(mechanism: Mechanism) -> list[dict[int, Motion]]:
    """Jacobian of each internal frame by column of v, in its own components at its origin, by label."""
    columns: list[dict[int, Motion]] = [{}]
    with mechanism.graph.section("Jacobians, outward"):
        for body in mechanism.bodies:
            own = {column: body.placement.twist_to_child(*m) for column, m in columns[body.parent].items()}
            for motion, (column, ratio) in zip(body.columns, mechanism.speed_of[body.label - 1], strict=True):
                term = (scale(motion[0], ratio), scale(motion[1], ratio))
                before = own.get(column)
                own[column] = term if before is None else (add(before[0], term[0]), add(before[1], term[1]))
            columns.append(own)
    return columns


def jacobian_entries(mechanism: Mechanism) -> list[Scalar]:
    """Jacobians (nb, 6, nv) of the user's body frames, in body axes at the frame's origin."""
    every = zip(mechanism.bodies, body_jacobian_columns(mechanism)[1:], strict=True)
    seen = (
        {column: body.user_frame.twist_to_parent(*motion) for column, motion in columns.items()}
        for body, columns in every
    )
    return column_entries(mechanism, seen)


def composite(mechanism: Mechanism) -> tuple[Scalar, Vector3]:
    """Total mass and total first moment in the base frame."""
    masses = [Scalar(mechanism.graph, 0)] + [body.inertia.mass for body in mechanism.bodies]
    moments = [zero_vector(mechanism.graph)] + [body.inertia.first_moment for body in mechanism.bodies]
    with mechanism.graph.section("composite mass and first moment, inward"):
        for body in reversed(mechanism.bodies):
            mass = masses[body.label]
            moved = add(body.rotation.to_parent(moments[body.label]), scale(body.translation, mass))
            masses[body.parent] = masses[body.parent] + mass
            moments[body.parent] = add(moments[body.parent], moved)
    return masses[0], moments[0]


def center_of_mass(mechanism: Mechanism) -> Vector3:
    """Centre of mass in base axes.

    Raises:
        DerivationError: the mechanism has no mass.
    """
    mass, moment = composite(mechanism)
    if not mass:
        raise DerivationError("no body has mass", where=mechanism.model.name, remedy="give at least one body mass")
    inverse = 1 / mass
    return moment[0] * inverse, moment[1] * inverse, moment[2] * inverse


def momentum(mechanism: Mechanism) -> tuple[Vector3, Vector3]:
    """[angular about the centre of mass; linear] in base axes."""
    graph = mechanism.graph
    zero = zero_vector(graph)
    twists = velocities(mechanism, joint_speeds(mechanism))
    total: list[Motion] = [(zero, zero)] * (mechanism.nb + 1)
    with graph.section("momentum, inward"):
        for body in reversed(mechanism.bodies):
            own = body.inertia.times(*twists[body.label])
            angular, linear = total[body.label]
            moved = body.placement.wrench_to_parent(add(angular, own[0]), add(linear, own[1]))
            before = total[body.parent]
            total[body.parent] = (add(before[0], moved[0]), add(before[1], moved[1]))
    angular, linear = total[0]
    return subtract(angular, cross(center_of_mass(mechanism), linear)), linear


def kinetic_energy(mechanism: Mechanism, speeds: Speeds | None = None) -> Scalar:
    """Kinetic energy with rotor inertias [J]."""
    speeds = joint_speeds(mechanism) if speeds is None else speeds
    twists = velocities(mechanism, speeds)
    twice = Scalar(mechanism.graph, 0)
    with mechanism.graph.section("kinetic energy"):
        for body, rates in zip(mechanism.bodies, speeds, strict=True):
            angular, linear = twists[body.label]
            moment, force = body.inertia.times(angular, linear)
            twice = twice + (dot(angular, moment) + dot(linear, force))
            for armature, rate in zip(body.armature, rates, strict=True):
                twice = twice + armature * (rate * rate)
    return twice * Fraction(1, 2)


def potential_energy(mechanism: Mechanism) -> Scalar:
    """Potential energy of gravity and of springs [J]; zero with all centres of mass in the origin."""
    _, moment = composite(mechanism)
    energy = -dot(mechanism.gravity, moment)
    with mechanism.graph.section("springs"):
        return energy + stored_energy(mechanism)


def stored_energy(mechanism: Mechanism) -> Scalar:
    """Energy stored in force elements [J]."""
    scene = MechanismAtRest(mechanism)
    energy = Scalar(mechanism.graph, 0)
    for force in mechanism.model.forces:
        if force.stores_energy:
            with acting(force):
                energy = energy + force.stored_energy(scene)
    return energy


def position_rate(mechanism: Mechanism) -> list[Scalar]:
    """qdot of the independent coordinates."""
    return [rate for body in mechanism.bodies_by_coordinates for rate in body.motion.position_rate]
