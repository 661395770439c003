"""Checks of the tables of a mechanism's elements: a mechanism put together from them is the reference's.

Elements are placed from their parents by the tables' points and the attitudes of a random state. Centres of mass,
inertias, energies and the power of dampers must then be those of the user's bodies and forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.transfer_matrix.coordinates import ElementCoordinates
from mbsym.verification.evidence import Pairs
from mbsym.verification.stepping_evidence import (
    InSpace,
    StepEvidence,
    StepIdentity,
    exponential,
    inertia_matrix,
    rotation_of,
)


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


def _assembled(evidence: StepEvidence, joints: Array, moved: tuple[Array, Array, Array, Array]) -> _Assembly:
    """Elements placed by the points of the joint table.

    Args:
        evidence: with the state.
        joints: table.
        moved: attitudes, angular velocities, displacements at elastic hinges and their rates.
    """
    space, d = InSpace(evidence.layout), evidence.layout.dimension
    R, omega = [np.eye(3)], [np.zeros(3)]
    points, velocities = [np.zeros(3)], [np.zeros(3)]
    for attitude, turning, displacement, rate, joint in zip(*moved, joints, strict=True):
        R.append(exponential(space.turn(attitude)) if space.is_planar else rotation_of(attitude))
        omega.append(R[-1] @ space.turn(turning))
        parent = int(joint[0])
        lever = R[parent] @ space.point(joint[8 : 8 + d])
        points.append(points[parent] + lever + space.point(displacement))
        velocities.append(velocities[parent] + np.cross(omega[parent], lever) + space.point(rate))
    return _Assembly(np.array(R), np.array(omega), np.array(points), np.array(velocities))


def _tables(evidence: StepEvidence) -> Pairs:
    """All tables, by the mechanism that they make."""
    found = evidence.results("transfer_matrix_system")
    bodies, joints, cuts = found["bodies"], found["joints"], found["cuts"]
    system, d = evidence.system, evidence.layout.dimension
    moved = ElementCoordinates(system).to_elements(evidence.q, evidence.v)
    at = _assembled(evidence, joints, moved)
    plane = np.array(system.plane)
    yield found["gravity"], plane[:d] @ evidence.reference.mechanism.gravity
    # Parent and kind of each hinge, kind and bodies of each cut.
    yield joints[:, :2], np.array([[body.parent, body.hinge.elastic] for body in system.bodies])
    yield cuts[:, :3], np.array([[cut.is_spring, cut.first, cut.second] for cut in system.cuts]).reshape(-1, 3)
    yield from _rigid_bodies(evidence, bodies, at, plane)
    yield from _idle_entries(joints, cuts, d)
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


def _idle_entries(joints: Array, cuts: Array, d: int) -> Pairs:
    """Numbers of springs that are not there are zero."""
    rigid = joints[joints[:, 1] == 0]
    yield rigid[:, 6:8], np.zeros((len(rigid), 2))
    yield joints[joints[:, 2] == 0, 5], np.zeros(np.count_nonzero(joints[:, 2] == 0))
    loose = joints[joints[:, 6] == 0]
    yield loose[:, 8 + d :], np.zeros((len(loose), d))
    pins = cuts[cuts[:, 0] == 0]
    yield pins[:, 3:6], np.zeros((len(pins), 3))
    if d == 3:
        yield joints[:, 2:6], np.zeros((len(joints), 4))


def _energies(
    evidence: StepEvidence, found: dict[str, Array], at: _Assembly, moved: tuple[Array, Array, Array, Array]
) -> Pairs:
    """Energy of motion, of gravity and springs, the power of dampers; points held together by cut joints."""
    space, d, reference = InSpace(evidence.layout), evidence.layout.dimension, evidence.reference
    kinetic, potential, power = 0.0, 0.0, 0.0
    for number, (row, joint) in enumerate(zip(found["bodies"], found["joints"], strict=True), start=1):
        place, velocity = at.moving(number, space.point(row[1 : 1 + d]))
        R, omega = at.R[number], at.omega[number]
        kinetic += float(row[0] * velocity @ velocity + omega @ R @ inertia_matrix(row) @ R.T @ omega) / 2
        potential -= float(row[0] * found["gravity"] @ place[:d])
        parent = int(joint[0])
        stiffness, damping, rotor, free = joint[2:6]
        if space.is_planar:
            angles = np.append(0.0, moved[0][:, 0])
            turn, rate = angles[number] - angles[parent] - free, omega[2] - at.omega[parent, 2]
            kinetic += rotor * rate**2 / 2
            potential += stiffness * turn**2 / 2
            power -= damping * rate**2
        stretch, slide = moved[2][number - 1] - joint[8 + d :], moved[3][number - 1]
        potential += joint[6] * float(stretch @ stretch) / 2
        power -= joint[7] * float(slide @ slide)
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
