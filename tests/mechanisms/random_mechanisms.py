"""Random mechanisms for tests: trees, and closed loops with a configuration in which they close.

A loop is made by putting one more joint between two bodies where they happen to be, its frames chosen to fit there.
Joints that would take the last freedom are not added, and those in spatial mechanisms add only independent equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.constraints import CONSTRAINTS, ConstraintElement, ConstraintType
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.registry import JOINT_TYPES
from mbsym.joints.revolute import REVOLUTE
from mbsym.model.body import Placement
from mbsym.model.frame import Frame
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.reference.frame_quantities import frame_quantity
from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericJoint, numeric_joint
from mbsym.reference.placements import configuration, motion
from mbsym.reference.rotations import rotation_quaternion
from mbsym.symbolic.frame_quantities import FrameQuantity
from mbsym.values.parameter import Vector
from mbsym.verification.random_state import random_state
from mechanisms.random_trees import (
    RandomParameters,
    decimal,
    integer_direction,
    perpendicular,
    random_numbers,
    random_placement,
    random_tree,
    random_vector,
)

__all__ = ["random_closed_loops", "random_tree"]

Array = NDArray[Any]

IN_PLANE: Final = (REVOLUTE, PRISMATIC)
"""What planar mechanisms are made of."""

ATTEMPTS: Final = 20
"""Pairs of bodies tried for one loop before the mechanism is drawn anew with more bodies."""

INDEPENDENT: Final = 1e-7
"""Relative size of singular values of the closure Jacobian that count; smaller ones are taken for dependent rows."""


def random_closed_loops(
    seed: int,
    *,
    loops: int | tuple[int, int] = (1, 4),
    cut_types: Sequence[str] = (),
    bodies: tuple[int, int] = (3, 9),
    planar: bool | None = None,
    constraints: bool | Sequence[str] = True,
    forces: bool = True,
) -> tuple[Model, Array]:
    """A mechanism with closed loops and a configuration in which they close to rounding.

    Args:
        seed: of NumPy's default generator; the same seed gives the same mechanism.
        loops: their number, or the smallest and largest.
        cut_types: types of the joints that close loops, all that hold something if empty. Some of the joints demand
            to be cut; the weights choose for the rest.
        bodies: smallest and largest number of bodies to begin with; more are taken where loops leave no freedom.
        planar: True for a mechanism that moves in a plane, with dependent closure equations; None draws it.
        constraints: True closes some loops by constraints of any type between bodies; or by such of these types.
        forces: True adds armature and force elements to some models; the joints that have them stay in the tree.

    Returns:
        The model and its consistent q for ``model.label()``.
    """
    rng = np.random.default_rng([seed, 7])
    flat = bool(rng.random() < 0.25) if planar is None else planar
    count = int(rng.integers(loops[0], loops[1] + 1)) if isinstance(loops, tuple) else loops
    size = int(rng.integers(bodies[0], bodies[1] + 1))
    while True:
        model = _base(rng, size, flat=flat, forces=forces)
        found = _closed(rng, replace(model, name=f"loops_{seed}"), count, cut_types, _kinds(constraints), flat=flat)
        if found is not None:
            return _as_labelled(*found)
        size += 1


def _base(rng: np.random.Generator, size: int, *, flat: bool, forces: bool) -> Model:
    model = random_tree(
        int(rng.integers(2**31)),
        bodies=size,
        joint_types=tuple(kind.name for kind in IN_PLANE) if flat else (),
        forces=forces,
        couplings=False,
        free_roots=False,
    )
    if flat:
        model = replace(model, joints=tuple(_into_plane(rng, joint) for joint in model.joints))
    driven = {name for force in model.forces for name in force.named("joint")}
    keep = [joint.name in driven or joint.armature != 0 for joint in model.joints]
    joints = tuple(
        replace(joint, cut="tree") if kept else joint for joint, kept in zip(model.joints, keep, strict=True)
    )
    return replace(model, joints=joints)


def _into_plane(rng: np.random.Generator, joint: Joint) -> Joint:
    """The joint with its axis along z, or in the plane if it is prismatic, and frames turned about z alone."""

    def placement() -> Placement:
        x, y, _ = random_vector(rng, 0.6)
        return Placement((x, y, 0.0), (("z", decimal(rng.uniform(-3, 3))),))

    sense = 1 if rng.random() < 0.7 else -1
    axis: Vector = (0, 0, sense) if joint.kind is REVOLUTE else (int(rng.integers(1, 4)), int(rng.integers(-3, 4)), 0)
    return replace(joint, axis=axis, predecessor_placement=placement(), successor_placement=placement())


def _closed(
    rng: np.random.Generator,
    model: Model,
    count: int,
    cut_types: Sequence[str],
    constraints: Sequence[ConstraintType],
    *,
    flat: bool,
) -> tuple[Model, Array, Reference] | None:
    """The model with ``count`` loops, q of the tree they close, and its reference with these joints cut."""
    reference = Reference(model)
    q = random_state(model, model.label(), rng, reference=reference)[0]
    rank = 0
    named = [JOINT_TYPES.named(name) for name in cut_types or JOINT_TYPES]
    kinds = [kind for kind in named if (kind in IN_PLANE if flat else not kind.is_unbound)] or [REVOLUTE]
    for number in range(1, count + 1):
        by_constraint = constraints and not flat and number > 1 and rng.random() < 0.25
        kind = kinds[int(rng.integers(len(kinds)))]
        rows = 2 if flat or by_constraint else 6 - kind.shape.nv
        pairs = _pairs(reference, rank, rows)
        for _ in range(ATTEMPTS if pairs else 0):
            pair = pairs[int(rng.integers(len(pairs)))]
            if by_constraint:
                constraint = _constraint(rng, pair, reference, q, number, constraints)
                candidate = replace(model, constraints=(*model.constraints, constraint))
            else:
                joint = _closing_joint(rng, pair, reference, q, number, kind, flat=flat)
                joints = list(model.joints)
                joints.insert(int(rng.integers(len(joints) + 1)), joint)
                candidate = replace(model, joints=tuple(joints))
            forced = _with_demand(candidate)
            closed = Reference(candidate, forced.label())
            q_closed = _reordered(reference, q, closed)
            new_rank, regular = _rank(closed.closure_jacobian(q_closed))
            added = closed.closure_gap(q_closed).size - reference.closure_gap(q).size
            if not by_constraint:
                added -= kind.shape.nv  # the six entries of the gap hold none along the joint's freedom
            independent = new_rank - rank == added or flat
            if regular and independent and rank < new_rank < closed.nv:
                model, reference, q, rank = candidate, closed, q_closed, new_rank
                break
        else:
            return None
    return model, q, reference


def _pairs(reference: Reference, rank: int, rows: int) -> list[tuple[str, str]]:
    """Ordered pairs of bodies between which a loop with that many closure equations can still move."""
    mechanism, tree = reference.mechanism, reference.labelling.tree
    if mechanism.nv - rank <= rows:
        return []
    freedoms = [0, *(JOINT_TYPES[joint.type].shape.nv for joint in mechanism.tree_joints)]
    names = [str(name) for name in reference.labelling.body_names]
    found = []
    for first in range(mechanism.nb + 1):
        for second in range(mechanism.nb + 1):
            if first != second and sum(freedoms[joint] for joint in tree.loop(first, second)) > rows:
                found.append((names[first], names[second]))
    return found


def _with_demand(model: Model) -> Model:
    """The model with its loop joints demanded to be cut and the others in the tree."""
    demanded = tuple(replace(joint, cut="cut" if joint.name.startswith("loop ") else "tree") for joint in model.joints)
    return replace(model, joints=demanded)


def _rank(jacobian: Array) -> tuple[int, bool]:
    """Rank, and whether no singular value lies in the doubtful range above rounding."""
    if not np.isfinite(jacobian).all():
        return 0, False  # a wheel that lies flat has no lowest point
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    if not sizes.size or sizes[0] < INDEPENDENT:
        return 0, True
    relative = sizes / sizes[0]
    # Loops that are nearly singular would only test the conditioning of the test itself.
    return int(np.sum(relative > INDEPENDENT)), not np.any((relative > 1e-11) & (relative < 1e-2))


def _closing_joint(
    rng: np.random.Generator,
    pair: tuple[str, str],
    reference: Reference,
    q: Array,
    number: int,
    kind: JointType,
    *,
    flat: bool,
) -> Joint:
    first, second = pair
    axis = integer_direction(rng)
    joint = Joint(
        name=f"loop {number}",
        type=kind.name,
        predecessor=first,
        successor=second,
        axis=axis,
        second_axis=perpendicular(rng, axis) if "second_axis" in kind.entries else None,
        predecessor_placement=random_placement(rng, RandomParameters(rng, used=False)),
        numbers=random_numbers(rng, kind),
        cut="cut" if rng.random() < 0.5 else "auto",
    )
    if flat:
        joint = replace(_into_plane(rng, joint), successor_placement=Placement())
    numbers = numeric_joint(joint, reference.mechanism.names)
    turn, shift = REFERENCE_JOINTS[joint.type].placement(numbers, _coordinates(rng, numbers))
    fitting = _homogeneous(numbers.predecessor_rotation, numbers.predecessor_translation) @ _homogeneous(turn, shift)
    poses = reference.poses(q)
    there = np.linalg.inv(_pose(reference, poses, second)) @ _pose(reference, poses, first) @ fitting
    return replace(joint, successor_placement=_as_placement(there))


def _kinds(asked: bool | Sequence[str]) -> list[ConstraintType]:
    """Constraints between bodies, all of them or some types."""
    if not isinstance(asked, bool):
        return [CONSTRAINTS[kind] for kind in asked]
    return [record for record in CONSTRAINTS.values() if asked and {"body", "expression"} & _entry_kinds(record)]


def _entry_kinds(record: ConstraintType) -> set[str]:
    return {entry.kind for entry in record.entries}


def _constraint(
    rng: np.random.Generator,
    pair: tuple[str, str],
    reference: Reference,
    q: Array,
    number: int,
    kinds: Sequence[ConstraintType],
) -> ConstraintElement:
    draw = RandomLoop(rng, pair, reference, q, number)
    element = kinds[int(rng.random() * len(kinds))].element.random(draw)
    assert element is not None
    return element


class RandomLoop:
    """Two bodies with points between which a constraint closes a loop."""

    def __init__(
        self, rng: np.random.Generator, bodies: tuple[str, str], reference: Reference, q: Array, number: int
    ) -> None:
        poses = reference.poses(q)
        first, second = bodies
        to_first = np.linalg.inv(_pose(reference, poses, first)) @ _pose(reference, poses, second)
        near, far = random_vector(rng, 0.5), random_vector(rng, 0.5)
        seen = to_first[:3, :3] @ np.array(far) + to_first[:3, 3]
        x, y, z = (float(entry) for entry in seen)
        self._rng, self._reference, self._q = rng, reference, q
        self.bodies, self.number = bodies, number
        self.joints: tuple[str, ...] = ()
        self.points: tuple[Vector, Vector] = (near, far)
        self.seen = (x, y, z)
        self.distance = float(np.linalg.norm(seen - np.array(near)))

    def value(self, quantity: FrameQuantity) -> float:
        mechanism = self._reference.mechanism
        at = configuration(mechanism, self._q)
        frames = {name: Frame(name, name, kind="body") for name in quantity.every_frame}
        return frame_quantity(mechanism, frames, at, motion(mechanism, at, np.zeros((mechanism.nv, 1))), quantity)

    def along(self, low: float, high: float) -> float:
        return decimal(self._rng.uniform(low, high))

    def direction(self) -> tuple[int, int, int]:
        return integer_direction(self._rng)


def _coordinates(rng: np.random.Generator, joint: NumericJoint) -> Array:
    """Random coordinates of a joint that closes a loop."""
    kind = JOINT_TYPES[joint.type]
    if kind.quaternion is None:
        return np.asarray(rng.uniform(-1, 1, kind.shape.nq))
    values = rng.normal(size=kind.shape.nq)
    quaternion = values[kind.quaternion : kind.quaternion + 4]
    quaternion /= np.linalg.norm(quaternion)
    return values


def _homogeneous(rotation: Array, translation: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, translation
    return pose


def _pose(reference: Reference, poses: Array, body: str) -> Array:
    label = reference.mechanism.body_labels[body]
    return np.eye(4) if label == 0 else np.asarray(poses[label - 1])


def _as_placement(pose: Array) -> Placement:
    w, a, b, c = (float(entry) for entry in rotation_quaternion(pose[:3, :3]))
    x, y, z = (float(entry) for entry in pose[:3, 3])
    return Placement((x, y, z), quaternion=(w, a, b, c))


def _reordered(source: Reference, q: Array, target: Reference) -> Array:
    """q of another labelling of the same tree joints."""
    values = source.joint_coordinates(q)
    moved = np.zeros(target.nq)
    for joint in target.mechanism.tree_joints:
        moved[joint.coordinates] = values[joint.name]
    return moved


def _as_labelled(model: Model, q: Array, reference: Reference) -> tuple[Model, Array]:
    """The model, its joints told where the loops close, and q in the order of its own labels."""
    values = reference.joint_coordinates(q)
    joints = tuple(replace(joint, initial=tuple(float(x) for x in values[joint.name])) for joint in model.joints)
    model = replace(model, joints=joints)
    return model, _reordered(reference, q, Reference(model))
