"""Checks of the tables of a mechanism's elements: a mechanism put together from them is the reference's.

Elements are placed from their parents by the tables' points and the attitudes of a random state. Centres of mass,
inertias, energies and the power of dampers must then be those of the user's bodies and forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.reference.motions import prescribed_motions
from mbsym.transfer_matrix.coordinates import ElementCoordinates
from mbsym.transfer_matrix.system import Kind
from mbsym.verification.evidence import Pairs
from mbsym.verification.stepping_evidence import (
    InSpace,
    StepEvidence,
    StepIdentity,
    exponential,
    inertia_matrix,
    rotation_of,
)

Moved: TypeAlias = tuple[Array, Array, Array, Array]
"""Attitudes, angular velocities in body axes, hinges' coordinates and their rates, by element."""


@dataclass(frozen=True, slots=True)
class _Assembly:
    """Elements by number, ground first: rotations, angular velocities, input ends and their velocities; in space."""

    R: Array
    omega: Array
    points: Array
    velocities: Array

    def moving(self, number: int, b: Array) -> tuple[Array, Array]:
        """Place and velocity of a point of an element, given in its axes."""
        lever = self.R[number] @ b
        return self.points[number] + lever, self.velocities[number] + np.cross(self.omega[number], lever)


def _assembled(evidence: StepEvidence, joints: Array, moved: Moved) -> tuple[_Assembly, list[Array]]:
    """Elements placed by the points and the coordinates of the joint table, and rotations that these make of them.

    Args:
        evidence: with the state.
        joints: table.
        moved: attitudes, angular velocities, hinges' coordinates and their rates.
    """
    space, d = InSpace(evidence.layout), evidence.layout.dimension
    R, omega = [np.eye(3)], [np.zeros(3)]
    points, velocities, made = [np.zeros(3)], [np.zeros(3)], []
    for attitude, turning, coordinates, rates, joint in zip(*moved, joints, strict=True):
        own = exponential(space.turn(attitude)) if space.is_planar else rotation_of(attitude)
        spin = space.turn(turning) if space.is_planar else own @ turning
        parent = int(joint[0])
        frame, turned, lever = R[parent], omega[parent], R[parent] @ space.point(joint[2 : 2 + d])
        at, moving = points[parent] + lever, velocities[parent] + np.cross(turned, lever)
        follows = True
        for slot, q, rate in zip(_slots(evidence, joint), coordinates, rates, strict=False):
            axis = np.eye(3)[2] if space.is_planar and slot[0] else space.point(slot[1 : 1 + d])
            if slot[0] == Kind.BALL:
                frame, turned, follows = own, spin, False
            elif slot[0] == Kind.TURN:
                turned = turned + frame @ axis * rate
                frame = frame @ exponential(axis * q)
            else:
                way = frame @ axis
                at, moving = at + way * q, moving + way * rate + np.cross(turned, way * q)
        rest = joint[2 + d : 2 + d + evidence.layout.turned]
        beyond = frame @ (exponential(space.turn(rest)) if space.is_planar else rest.reshape(3, 3))
        if follows:
            made += [beyond - own, turned - spin]
        R.append(own)
        omega.append(spin)
        points.append(at)
        velocities.append(moving)
    return _Assembly(np.array(R), np.array(omega), np.array(points), np.array(velocities)), made


def _slots(evidence: StepEvidence, joint: Array) -> Array:
    """Of a row of the joint table, those of coordinates that the hinge has."""
    first, size = 2 + evidence.layout.dimension + evidence.layout.turned, evidence.layout.slot
    slots: Array = joint[first:].reshape(-1, size)[: int(joint[1])]
    return slots


def _tables(evidence: StepEvidence) -> Pairs:
    """All tables, by the mechanism that they make."""
    found = evidence.results("transfer_matrix_system")
    bodies, joints, cuts = found["bodies"], found["joints"], found["cuts"]
    system, d = evidence.system, evidence.layout.dimension
    moved = ElementCoordinates(system).to_elements(evidence.q, evidence.v)
    at, made = _assembled(evidence, joints, moved)
    # Attitudes and angular velocities are those that the hinges' coordinates make.
    for difference in made:
        yield difference, np.zeros_like(difference)
    plane = np.array(system.plane)
    yield found["gravity"], plane[:d] @ evidence.reference.mechanism.gravity
    # Parent and number of coordinates of each hinge, kind and bodies of each cut.
    yield joints[:, :2], np.array([[body.parent, len(body.hinge.coordinates)] for body in system.bodies])
    # What motions prescribe, by their places among the speeds.
    prescribed = {each.speed for each in prescribed_motions(evidence.reference.mechanism)}
    for body, joint in zip(system.bodies, joints, strict=True):
        driven = [float(each.place[1] in prescribed) for each in body.hinge.coordinates]
        yield _slots(evidence, joint)[:, -1], np.array(driven)
    yield cuts[:, :3], np.array([[cut.is_spring, cut.first, cut.second] for cut in system.cuts]).reshape(-1, 3)
    yield from _rigid_bodies(evidence, bodies, at, plane)
    yield from _idle_entries(evidence, joints, cuts)
    yield from _energies(evidence, found, at, moved)


def _rigid_bodies(evidence: StepEvidence, bodies: Array, at: _Assembly, plane: Array) -> Pairs:
    """Mass, place of the centre of mass and inertia about it, of the user's bodies that are one element."""
    space, d = InSpace(evidence.layout), evidence.layout.dimension
    mechanism, poses = evidence.reference.mechanism, evidence.reference.poses(evidence.q)
    for number, (body, row) in enumerate(zip(evidence.system.bodies, bodies, strict=True), start=1):
        labels = [mechanism.body_labels[name] - 1 for name in body.members]
        members = [(mechanism.bodies[label], poses[label]) for label in labels]
        centers = [pose[:3, :3] @ member.center_of_mass + pose[:3, 3] for member, pose in members]
        mass = sum(member.mass for member, _ in members)
        yield row[0], np.asarray(mass)
        # A body without mass has its centre of mass anywhere.
        center = sum(m.mass * c for (m, _), c in zip(members, centers, strict=True)) / mass if mass else centers[0]
        inertia = np.zeros((3, 3))
        for (member, pose), own in zip(members, centers, strict=True):
            arm = own - center
            inertia += pose[:3, :3] @ member.inertia @ pose[:3, :3].T
            inertia += member.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        place, _ = at.moving(number, space.point(row[1 : 1 + d]))
        if mass:
            yield place[:d], plane[:d] @ center
        rotated = at.R[number] @ inertia_matrix(row) @ at.R[number].T
        in_plane = plane @ inertia @ plane.T
        yield (rotated[2, 2], in_plane[2, 2]) if space.is_planar else (rotated, in_plane)


def _idle_entries(evidence: StepEvidence, joints: Array, cuts: Array) -> Pairs:
    """Numbers of coordinates and springs that are not there are zero."""
    d, size = evidence.layout.dimension, evidence.layout.slot
    for joint in joints:
        slots = _slots(evidence, joint)
        unused = joint[2 + d + evidence.layout.turned + size * len(slots) :]
        yield unused, np.zeros_like(unused)
        yield slots[:, 0], np.round(slots[:, 0])
        loose = slots[slots[:, 1 + d] == 0, 4 + d]
        yield loose, np.zeros_like(loose)
        balls = slots[slots[:, 0] == Kind.BALL, 1:-1]
        if len(balls):
            # Three turns about the base axes, from no attitude in particular.
            yield balls, np.eye(3, 7)[: len(balls)]
            yield joint[2 + d : 2 + d + evidence.layout.turned], np.eye(3).ravel()
        if d == 2:
            turns = slots[slots[:, 0] == Kind.TURN, 1:3]
            yield turns, np.zeros_like(turns)
    pins = cuts[cuts[:, 0] == 0]
    yield pins[:, 3:6], np.zeros((len(pins), 3))


def _energies(evidence: StepEvidence, found: dict[str, Array], at: _Assembly, moved: Moved) -> Pairs:
    """Energy of motion, of gravity and springs, the power of dampers; points held together by cut joints."""
    space, d, reference = InSpace(evidence.layout), evidence.layout.dimension, evidence.reference
    kinetic, potential, power = 0.0, 0.0, 0.0
    for number, (row, joint) in enumerate(zip(found["bodies"], found["joints"], strict=True), start=1):
        place, velocity = at.moving(number, space.point(row[1 : 1 + d]))
        R, omega = at.R[number], at.omega[number]
        kinetic += float(row[0] * velocity @ velocity + omega @ R @ inertia_matrix(row) @ R.T @ omega) / 2
        potential -= float(row[0] * found["gravity"] @ place[:d])
        slots = _slots(evidence, joint)
        for slot, q, rate in zip(slots, moved[2][number - 1], moved[3][number - 1], strict=False):
            stiffness, damping, rotor, free = slot[1 + d : -1]
            kinetic += rotor * rate**2 / 2
            potential += stiffness * (q - free) ** 2 / 2
            power -= damping * rate**2
    for cut, element in zip(found["cuts"], evidence.system.cuts, strict=True):
        ends = [at.moving(int(cut[1 + k]), space.point(cut[6 + k * d : 6 + (k + 1) * d])) for k in (0, 1)]
        between, rate = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
        if not element.is_spring:
            yield between[:d], np.zeros(d)
            continue
        length = float(np.linalg.norm(between))
        potential += cut[3] * (length - cut[5]) ** 2 / 2
        power -= cut[4] * float(between @ rate / length) ** 2
    q, v = evidence.q, evidence.v
    yield np.asarray(kinetic), np.asarray(reference.kinetic_energy(q, v))
    yield np.asarray(potential), np.asarray(reference.potential_energy(q))
    yield np.asarray(power), np.asarray(reference.power(q, v, np.zeros(reference.nv)))


TABLE_IDENTITIES: Final = (StepIdentity("transfer_matrix_system", "bodies and forces of reference", _tables),)
"""The check of the tables."""
