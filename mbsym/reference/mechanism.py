"""A model and its labelling turned into numbers: bodies, joints and force laws by regular label.

Joints keep the user's sense throughout; ``flipped`` only says from which side the tree is walked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.body import Body, Placement
from mbsym.model.coordinate_order import first_entries, joints_by_coordinates
from mbsym.model.frame_ends import on_bodies
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import aligning_rotation, default_second_axis
from mbsym.model.system import Model, with_virtual_joints
from mbsym.reference.rotations import UNIT_VECTORS, Array, quaternion_rotation, rotation_about
from mbsym.topology import Labelling
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class NumericBody:
    """Mass properties; ``inertia`` is about the centre of mass, both in the user's body frame."""

    name: str
    mass: float
    center_of_mass: Array
    inertia: Array


@dataclass(frozen=True, slots=True)
class NumericJoint:
    """A joint in the user's sense with numbers.

    Attributes:
        name: the user's name.
        type: of joint.
        neutral: coordinates at which its frames coincide.
        axis, second_axis: unit vectors in the joint frame.
        frame: 3x3 rotation that turns z to the axis, such as a planar joint's x, y and normal, in the joint frame.
        numbers: its own, as its type lists them.
        armature: inertia reflected to each speed.
        predecessor_rotation, predecessor_translation: joint frame on the predecessor, in that body's frame.
        successor_rotation, successor_translation: joint frame on the successor, in that body's frame.
        label: regular label; 0 where it has no place in a mechanism.
        predecessor, successor: body labels.
        flipped: the tree joint leads to the predecessor.
        cut: it closes a loop.
        rates: place of its speeds among the speeds of all joints.
        coordinates: place of its coordinates in q, None for a cut joint or one that follows another.
        speeds: place of its speeds in v, likewise.
    """

    name: str
    type: str
    neutral: tuple[int, ...]
    axis: Array
    second_axis: Array
    frame: Array
    numbers: tuple[float, ...]
    armature: float
    predecessor_rotation: Array
    predecessor_translation: Array
    successor_rotation: Array
    successor_translation: Array
    rates: slice
    label: int = 0
    predecessor: int = 0
    successor: int = 0
    flipped: bool = False
    cut: bool = False
    coordinates: slice | None = None
    speeds: slice | None = None

    @property
    def walked(self) -> tuple[int, int, int]:
        """Labels of the bodies that a walk from the base comes from and gets to, and -1 where that is against the sense
        of the joint, else 1."""
        if self.flipped:
            return self.successor, self.predecessor, -1
        return self.predecessor, self.successor, 1


@dataclass(frozen=True, slots=True)
class Relation:
    """Sum of factor * q over joints of one coordinate, by label, = offset."""

    terms: tuple[tuple[int, float], ...]
    offset: float


@dataclass(frozen=True, slots=True)
class Gear:
    """q_follower = ratio * q_leader + offset of two joints, by label."""

    follower: int
    leader: int
    ratio: float
    offset: float

    @property
    def relation(self) -> Relation:
        """The same as a relation of coordinates."""
        return Relation(((self.follower, 1.0), (self.leader, -self.ratio)), self.offset)


@dataclass(frozen=True, slots=True)
class NumericMechanism:
    """Everything that the reference needs to know of a model.

    Attributes:
        model: the model with its virtual free joints, for its force elements and constraints.
        names: numbers of the parameters by name.
        bodies: by label, the first at index 0 has label 1.
        joints: by label, the first at index 0 has label 1; cut joints last.
        body_labels: label of each body by name, ground included.
        joint_labels: label of each joint by name.
        followers: the gears that remove coordinates, by label of the joint that follows; each names a leader with
            coordinates of its own.
        relations: of coordinates, that are closure constraints.
        gravity: in base axes.
        nq, nv: number of coordinates and of speeds.
        rate_map: speeds of the tree joints = rate_map @ v.
    """

    model: Model
    names: Mapping[str, float]
    bodies: tuple[NumericBody, ...]
    joints: tuple[NumericJoint, ...]
    body_labels: Mapping[str, int]
    joint_labels: Mapping[str, int]
    followers: Mapping[int, Gear]
    relations: tuple[Relation, ...]
    gravity: Array
    nq: int
    nv: int
    rate_map: Array

    @property
    def nb(self) -> int:
        """Number of bodies, the base not counted."""
        return len(self.bodies)

    @property
    def nj(self) -> int:
        """Number of joints, cut joints counted."""
        return len(self.joints)

    @property
    def tree_joints(self) -> tuple[NumericJoint, ...]:
        """Tree joints by label."""
        return self.joints[: self.nb]

    @property
    def cut_joints(self) -> tuple[NumericJoint, ...]:
        """Cut joints by label."""
        return self.joints[self.nb :]

    @property
    def armatures(self) -> Array:
        """Reflected inertia of the speeds of all joints, cut joints included."""
        own = (np.full(joint.rates.stop - joint.rates.start, joint.armature) for joint in self.joints)
        return np.concatenate([np.zeros(0), *own])

    def number(self, value: Value) -> float:
        """The number of a value of the model."""
        return evaluate(value, self.names)

    def numbers(self, values: Any) -> Array:
        """The numbers of a tuple of values."""
        return _numbers(values, self.names)

    def joint_coordinates(self, q: Array) -> list[Array]:
        """Coordinates of every tree joint, those that follow another included, by label."""
        found: list[Array] = []
        for joint in self.tree_joints:
            gear = self.followers.get(joint.label)
            if gear is None:
                found.append(q[joint.coordinates])
            else:
                leader = self.joints[gear.leader - 1]
                found.append(gear.ratio * q[leader.coordinates] + gear.offset)
        return found


def numeric_mechanism(
    model: Model, labelling: Labelling, parameters: Mapping[str, float] | None = None
) -> NumericMechanism:
    """Turns a model into numbers.

    Args:
        model: the model.
        labelling: its labels.
        parameters: numbers that replace those of the model's parameters.

    Raises:
        ModelError: something of the model is no number or no direction.
    """
    names = dict(parameter_values(model, parameters or {}))
    body_labels = {str(name): label for name, label in labelling.body_labels.items()}
    joint_labels = {str(name): label for name, label in labelling.joint_labels.items()}
    model = on_bodies(with_virtual_joints(model, labelling))
    given = {joint.name: joint for joint in model.joints}
    in_order = [given[str(name)] for name in labelling.joint_names]
    gears, followers = _couplings(model, joint_labels, labelling.nb, names)

    joints: list[NumericJoint] = []
    flipped = {str(name) for name in labelling.flipped}
    shapes = {name: given[name].shape for name in joints_by_coordinates(model, labelling)}
    first_q, nq = first_entries({name: shape.nq for name, shape in shapes.items()})
    first_v, nv = first_entries({name: shape.nv for name, shape in shapes.items()})
    rate = 0
    for label, joint in enumerate(in_order, start=1):
        cut = label > labelling.nb
        own = not cut and label not in followers
        q, v = first_q.get(joint.name, 0), first_v.get(joint.name, 0)
        size_q, size_v = joint.shape.nq, joint.shape.nv
        joints.append(
            replace(
                numeric_joint(joint, names),
                label=label,
                predecessor=body_labels[joint.predecessor],
                successor=body_labels[joint.successor],
                flipped=joint.name in flipped,
                cut=cut,
                rates=slice(rate, rate + size_v),
                coordinates=slice(q, q + size_q) if own else None,
                speeds=slice(v, v + size_v) if own else None,
            )
        )
        rate += size_v
    return NumericMechanism(
        model=model,
        names=names,
        bodies=tuple(_numeric_body(model.body(str(name)), names) for name in labelling.body_names[1:]),
        joints=tuple(joints),
        body_labels=body_labels,
        joint_labels=joint_labels,
        followers=followers,
        relations=(*(gear.relation for gear in gears), *_relations(model, joint_labels, names)),
        gravity=_numbers(model.gravity, names),
        nq=nq,
        nv=nv,
        rate_map=_rate_map(joints[: labelling.nb], followers, nv),
    )


def _rate_map(joints: Sequence[NumericJoint], followers: Mapping[int, Gear], nv: int) -> Array:
    """Rates of all tree joints per speed (rates, nv)."""
    found = np.zeros((joints[-1].rates.stop if joints else 0, nv))
    for joint in joints:
        gear = followers.get(joint.label)
        if gear is not None:
            found[joint.rates, joints[gear.leader - 1].speeds] = gear.ratio
        elif joint.speeds is not None:
            found[joint.rates, joint.speeds] = np.eye(joint.rates.stop - joint.rates.start)
    return found


def _numbers(values: Sequence[Value], names: Mapping[str, float]) -> Array:
    return np.array([evaluate(value, names) for value in values])


def _numeric_body(body: Body, names: Mapping[str, float]) -> NumericBody:
    mass = evaluate(body.mass, names)
    if body.first_moment is None:
        center = _numbers(body.center_of_mass, names)
    else:
        center = _numbers(body.first_moment, names) / (mass or 1.0)
    xx, yy, zz, xy, xz, yz = _numbers(body.inertia, names)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if body.inertia_about == "frame":
        inertia = inertia - mass * (center @ center * np.eye(3) - np.outer(center, center))
    return NumericBody(body.name, mass, center, inertia)


def numeric_joint(joint: Joint, names: Mapping[str, float]) -> NumericJoint:
    """A joint with numbers, for its geometry alone: it has no place in a mechanism yet."""
    axis = _direction(joint.axis, names, joint.name)
    x, y, z = axis.tolist()
    named = joint.second_axis
    second_axis = np.array(default_second_axis((x, y, z))) if named is None else _direction(named, names, joint.name)
    predecessor_rotation, predecessor_translation = placement_numbers(joint.predecessor_placement, names)
    successor_rotation, successor_translation = placement_numbers(joint.successor_placement, names)
    return NumericJoint(
        name=joint.name,
        type=joint.type,
        neutral=joint.shape.neutral,
        axis=axis,
        second_axis=second_axis,
        frame=np.array(aligning_rotation((x, y, z))),
        numbers=tuple(evaluate(value, names) for value in joint.values),
        armature=evaluate(joint.armature, names),
        predecessor_rotation=predecessor_rotation,
        predecessor_translation=predecessor_translation,
        successor_rotation=successor_rotation,
        successor_translation=successor_translation,
        rates=slice(0, 0),
    )


def placement_numbers(placement: Placement, names: Mapping[str, float]) -> tuple[Array, Array]:
    """Rotation matrix and translation of a placement."""
    translation = _numbers(placement.translation, names)
    if placement.quaternion is not None:
        quaternion = _numbers(placement.quaternion, names)
        return quaternion_rotation(quaternion / np.linalg.norm(quaternion)), translation
    rotation = np.eye(3)
    for axis, angle in placement.rotation:
        rotation = rotation @ rotation_about(np.array(UNIT_VECTORS[axis]), evaluate(angle, names))
    return rotation, translation


def _direction(vector: tuple[Value, ...], names: Mapping[str, float], where: str) -> Array:
    direction = _numbers(vector, names)
    length = float(np.linalg.norm(direction))
    if not length > 0:
        raise ModelError("the axis has length zero", where=where, remedy="give a direction")
    return direction / length


def _couplings(
    model: Model, joint_labels: Mapping[str, int], nb: int, names: Mapping[str, float]
) -> tuple[list[Gear], dict[int, Gear]]:
    """The couplings that are closure constraints (a joint of theirs is cut), and those that remove coordinates."""
    closures: list[Gear] = []
    removing: dict[int, Gear] = {}
    for coupling in model.couplings:
        ratio, offset = evaluate(coupling.ratio, names), evaluate(coupling.offset, names)
        gear = Gear(joint_labels[coupling.joint], joint_labels[coupling.source], ratio, offset)
        if max(gear.follower, gear.leader) > nb:
            closures.append(gear)
        else:
            removing[gear.follower] = gear
    for follower in removing:
        gear, visited = removing[follower], {follower}
        while gear.leader in removing:
            if gear.leader in visited:
                raise ModelError(
                    "the couplings run in a circle", where=model.couplings[0].joint, remedy="couple to a free joint"
                )
            visited.add(gear.leader)
            inner = removing[gear.leader]
            gear = Gear(follower, inner.leader, gear.ratio * inner.ratio, gear.ratio * inner.offset + gear.offset)
        removing[follower] = gear
    return closures, removing


OF_COORDINATES: Final[Mapping[str, Callable[[Any], list[tuple[str, Value]]]]] = {
    "gear": lambda law: [(law.first_joint, 1), (law.second_joint, f"-({law.ratio})")],
    "linear_coupling": lambda law: list(zip(law.joints, law.factors, strict=True)),
}
"""Joints and their factors of constraints between coordinates, by type; those of other types hold points."""


def _relations(model: Model, joint_labels: Mapping[str, int], names: Mapping[str, float]) -> tuple[Relation, ...]:
    laws: list[Any] = [constraint for constraint in model.constraints if constraint.type in OF_COORDINATES]
    found = []
    for law in laws:
        terms = OF_COORDINATES[law.type](law)
        numbers = tuple((joint_labels[joint], evaluate(factor, names)) for joint, factor in terms)
        found.append(Relation(numbers, evaluate(law.offset, names)))
    return tuple(found)
