"""A mechanism at a state in exact numbers: what inertia, weight and elements ask of its speeds, by virtual power."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from mbsym.exact.elements import scene_of
from mbsym.exact.kinematics import Moving, axial, coefficients, cross, joint_rates, moved, moving, swept
from mbsym.exact.linear import product
from mbsym.exact.mechanism import ExactNumbers, turns_freely
from mbsym.exact.residues import UndecidedError, vanishes
from mbsym.exact.scene import Scene
from mbsym.exact.words import Words, held_within, names_of_joints
from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericJoint, NumericMechanism
from mbsym.reference.placements import outer_placement
from mbsym.reference.rotations import Array, skew

_ONE: Final = np.eye(3, dtype=int).astype(object)


@dataclass(frozen=True, slots=True)
class Freedom:
    """A tree joint where it stands: its frames' axes and the head in base axes, and H (6, n)."""

    P: Array
    S: Array
    head: Array
    directions: Array


@dataclass(frozen=True)
class ExactState:
    """A mechanism at a state, in numbers of a field or series of them.

    Attributes:
        mechanism, numbers: the mechanism, exactly.
        q, v: coordinates and speeds.
        t, u, x: time, inputs and states of drives.
        known: what was solved there, by what it was asked with.
    """

    mechanism: NumericMechanism
    numbers: ExactNumbers
    q: Array
    v: Array
    t: Any = 0
    u: tuple[Any, ...] = ()
    x: tuple[Any, ...] = ()
    known: dict[Any, Any] = field(default_factory=dict, init=False)

    @cached_property
    def moving(self) -> Moving:
        """Motion with constant speeds."""
        return moving(self.mechanism, self.q, self.v)

    @cached_property
    def columns(self) -> Array:
        """[omega; velocity of the origin] of all bodies by label with each speed one and the others zero, base axes,
        (nb+1, 6, nv): what a joint does alone follows from the poses on both of its sides, the rest moves with it."""
        found = np.zeros((self.mechanism.nb + 1, 6, self.mechanism.nv), dtype=object)
        for joint in self.mechanism.tree_joints:
            inner, outer, _ = joint.walked
            found[outer] = found[inner]
            found[outer, 3:] += swept(found[inner, :3], self.moving.origins[outer] - self.moving.origins[inner])
            if joint.rates.stop > joint.rates.start:
                speeds, ratio = self.driver(joint)
                found[outer, :, speeds] += self._across(joint, inner, outer) * ratio
        return found

    def _across(self, joint: NumericJoint, inner: int, outer: int) -> Array:
        """What a joint's outer body does, (6, n), with each of the joint's speeds one while its inner body rests."""
        columns = []
        entries = self.of_joints[0][joint.label - 1]
        for unit in np.eye(len(self.of_joints[1][joint.label - 1]), dtype=int).astype(object):
            placed = outer_placement(
                joint, moved(entries, REFERENCE_JOINTS[joint.type].rate(entries, unit)),
                self.moving.rotations[inner], self.moving.origins[inner],
            )  # fmt: skip
            (R, R1), (_, o1) = ([coefficients(each, order) for order in (0, 1)] for each in placed)
            columns.append(np.concatenate([axial(R1 @ R.T), o1]))
        return np.stack(columns, axis=1)

    @cached_property
    def joint_columns(self) -> Array:
        """Speeds of all tree joints one after the other with each speed one, (n, nv)."""
        unit = np.eye(self.mechanism.nv, dtype=int).astype(object)
        return np.stack([np.concatenate(joint_rates(self.mechanism, row)) for row in unit], axis=1)

    @cached_property
    def scene(self) -> Scene:
        """What force elements do."""
        return self.scene_in(self.moving)

    def scene_in(self, moving: Moving) -> Scene:
        """What force elements do in a motion."""
        return scene_of(self.words_in(moving), moving, *self.of_joints)

    @cached_property
    def of_joints(self) -> tuple[list[Array], list[Array]]:
        """Coordinates and speeds of tree joints, by label."""
        return self.mechanism.joint_coordinates(self.q), joint_rates(self.mechanism, self.v)

    @cached_property
    def words(self) -> Words:
        """What values of the model may name."""
        return self.words_in(self.moving)

    def words_in(self, moving: Moving) -> Words:
        """The same in a motion."""
        model = self.mechanism.model
        named: dict[str, Any] = {"t": self.t}
        for item, value in zip(model.inputs, self.u, strict=False):
            named[item.name] = held_within(self.numbers, item, value) if item.saturates else value
        named |= {item.name: value for item, value in zip(model.drives, self.x, strict=False)}
        if model.expressions:
            named |= names_of_joints(self.mechanism, *self.of_joints)
        return Words(self.mechanism, self.numbers, moving, named)

    def columns_by_label(self, *, reversed_joints: bool) -> list[int]:
        """Places in v in the order of the joints' labels, those of one joint forwards or backwards."""
        slices = [joint.speeds for joint in self.mechanism.tree_joints if joint.speeds is not None]
        step = -1 if reversed_joints else 1
        return [column for each in slices for column in range(each.start, each.stop)[::step]]

    @cached_property
    def freedoms(self) -> list[Freedom]:
        """Of every tree joint."""
        at, coordinates = self.moving, self.mechanism.joint_coordinates(self.q)
        return [self.freedom(joint, at, q) for joint, q in zip(self.mechanism.tree_joints, coordinates, strict=True)]

    @staticmethod
    def freedom(joint: NumericJoint, at: Moving, q: Array) -> Freedom:
        """Of one joint."""
        P = at.rotations[joint.predecessor] @ joint.predecessor_rotation
        S = at.rotations[joint.successor] @ joint.successor_rotation
        head = at.origins[joint.successor] + at.rotations[joint.successor] @ joint.successor_translation
        columns = REFERENCE_JOINTS[joint.type].directions(joint, P, S, q)
        found = np.empty((6, len(columns)), dtype=object)
        for k, (angular, linear, _) in enumerate(columns):
            found[:, k] = [*angular, *linear]
        return Freedom(P, S, head, found)

    # ---- bodies ------------------------------------------------------------------------------------------------------

    def inertia(self, label: int) -> tuple[Any, Array, Array]:
        """Mass, arm from the origin to the centre of mass, and inertia about that, base axes."""
        body, turn = self.mechanism.bodies[label - 1], self.moving.rotations[label]
        return body.mass, turn @ body.center_of_mass, turn @ body.inertia @ turn.T

    def spatial_inertia(self, label: int) -> Array:
        """What takes [omega; velocity of the origin] to the momentum about the origin, base axes, (6, 6)."""
        mass, arm, inertia = self.inertia(label)
        across = skew(arm)
        return np.block([[inertia - mass * (across @ across), mass * across], [-(mass * across), mass * _ONE]])

    def needed(self, motion: Moving, label: int) -> Array:
        """[moment about the origin; force] that a body's motion takes, weight among what acts on it."""
        mass, arm, inertia = self.inertia(label)
        omega = motion.omega[label]
        force = mass * (motion.at(label, arm)[1] - self.mechanism.gravity)
        moment = inertia @ motion.alpha[label] + cross(omega, inertia @ omega) + cross(arm, force)
        return np.concatenate([moment, force])

    # ---- by virtual power ------------------------------------------------------------------------------------------

    def generalised(self, wrenches: list[Array], along: list[Array]) -> Array:
        """Power of wrenches (moment about the origin, by body) and of forces along joints, for each speed one."""
        columns = np.concatenate([*self.columns[1:], self.joint_columns])
        return product(columns.T, np.concatenate([*wrenches, *along]))

    def inverse_dynamics(self, vdot: Array) -> Array:
        """tau for the rates of the speeds, (nv,)."""
        motion = moving(self.mechanism, self.q, self.v, vdot)
        labels = range(1, self.mechanism.nb + 1)
        wrenches = [self.needed(motion, label) - self.scene.wrenches[label] for label in labels]
        changes = joint_rates(self.mechanism, vdot)
        along = [
            self.rotor(joint) * change - force
            for joint, change, force in zip(self.mechanism.tree_joints, changes, self.scene.along, strict=True)
        ]
        return self.generalised(wrenches, along)

    def driver(self, joint: NumericJoint) -> tuple[slice, Any]:
        """Place in v of the speeds that a tree joint has, and their factor: 1, or that of the joint it follows."""
        gear = self.mechanism.followers.get(joint.label)
        leader = joint if gear is None else self.mechanism.joints[gear.leader - 1]
        assert leader.speeds is not None, "a leader has speeds of its own"
        return leader.speeds, 1 if gear is None else gear.ratio

    def rotor(self, joint: NumericJoint) -> Any:
        """Reflected inertia of a joint's speeds.

        Raises:
            UndecidedError: they are no rates of coordinates, so that a rotor asks more.
        """
        if not vanishes(joint.armature) and turns_freely(joint):
            raise UndecidedError("an armature on a joint that turns about no axis of its own")
        return joint.armature

    @cached_property
    def mass_matrix(self) -> Array:
        """(nv, nv), the powers of momenta of one motion in another."""
        labels = range(1, self.mechanism.nb + 1)
        momenta = [product(self.spatial_inertia(label), self.columns[label]) for label in labels]
        rates = zip(self.mechanism.tree_joints, self.of_joints[1], strict=True)
        rotors = np.array([self.rotor(joint) for joint, own in rates for _ in own], dtype=object)
        along = rotors[:, None] * self.joint_columns
        return product(np.concatenate([*self.columns[1:], self.joint_columns]).T, np.concatenate([*momenta, along]))

    def gravity_force(self) -> Array:
        """tau that holds the weight, (nv,)."""
        wrenches = []
        for label in range(1, self.mechanism.nb + 1):
            mass, arm, _ = self.inertia(label)
            weight = -(mass * self.mechanism.gravity)
            wrenches.append(np.concatenate([cross(arm, weight), weight]))
        nothing = [np.zeros(len(rates), dtype=object) for rates in self.of_joints[1]]
        return self.generalised(wrenches, nothing)
