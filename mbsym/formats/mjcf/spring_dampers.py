"""Springs and dampers of MJCF joints that are given as a time constant and a damping ratio.

MuJoCo makes numbers of them with the inertia that the joint moves where the model is at its reference position and all
other joints are free: the reciprocal of an entry of the inverse mass matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.formats.rigid_frames import exact_mass, placement_matrix
from mbsym.joints.free import FREE
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.revolute import REVOLUTE
from mbsym.model.body import Placement
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Vector

Times: TypeAlias = Mapping[str, tuple[float, float]]
"""Time constant and damping ratio by joint."""


def with_spring_dampers(model: Model, times: Times, anchors: Mapping[str, tuple[Placement, Vector]]) -> Model:
    """The model with the stiffness and damping of the joints that state times instead.

    Args:
        model: whose joints have springs and dampers, of any size, where they state times.
        times: of hinges and slides.
        anchors: of every joint at the reference position, the frame of its anchor in the world, and its axis there.
    """
    if not times:
        return model
    inertias = _moved_inertias(model, anchors)
    sizes: dict[str, dict[str, str]] = {}
    for name, (constant, ratio) in times.items():
        sizes[f"{name}_damping"] = {"damping": repr(2 * inertias[name] / constant)}
        sizes[f"{name}_stiffness"] = {"stiffness": repr(inertias[name] / (constant * ratio) ** 2)}
    forces: list[Any] = list(model.forces)
    return replace(model, forces=tuple(replace(force, **sizes.get(force.name, {})) for force in forces))


def _moved_inertias(model: Model, anchors: Mapping[str, tuple[Placement, Vector]]) -> dict[str, float]:
    """What joints of one freedom move while the others are free, by name."""
    # Joints that close loops hold nothing here, as MuJoCo has it.
    tree = [joint for joint in model.joints if joint.name in anchors]
    columns: dict[str, slice] = {}
    count = 0
    for joint in tree:
        columns[joint.name] = slice(count, count := count + joint.shape.nv)
    armature = np.zeros(count)
    jacobians: dict[str, Array] = {model.ground: np.zeros((6, count))}
    poses: dict[str, tuple[Array, Array]] = {}
    for joint in tree:
        placement, axis = anchors[joint.name]
        R = np.array(placement_matrix(placement), dtype=float)
        r = np.array([evaluate(value) for value in placement.translation])
        poses[joint.successor] = (
            R,
            r - R @ np.array([evaluate(value) for value in joint.successor_placement.translation]),
        )
        jacobian = jacobians[joint.predecessor].copy()
        if not joint.kind.is_rigid:
            jacobian[:, columns[joint.name]] = _motion(joint.kind, R, r, np.array([evaluate(value) for value in axis]))
        jacobians[joint.successor] = jacobian
        armature[columns[joint.name]] = evaluate(joint.armature)
    M = np.diag(armature)
    for body in model.bodies:
        if body.name in jacobians:
            own = exact_mass(body)
            R, r = poses[body.name]
            J = jacobians[body.name]
            center = r + R @ np.array(own.center, dtype=float)
            moving = J[3:] + np.cross(J[:3].T, center).T
            M += float(own.mass) * moving.T @ moving
            M += J[:3].T @ (R @ np.array(own.inertia, dtype=float) @ R.T) @ J[:3]
    # Where rounding leaves nothing of the reciprocal, the others weigh nothing beside the joint's own inertia.
    inverse = np.diag(np.linalg.pinv(M))
    moved = np.where(inverse > 0, 1 / np.where(inverse > 0, inverse, 1), np.diag(M))
    return {joint.name: float(moved[columns[joint.name].start]) for joint in tree if joint.shape.nv == 1}


def _motion(kind: JointType, R: Array, r: Array, axis: Array) -> Array:
    """Twists at the world's origin (6, nv) of a joint's speeds."""
    length = float(np.linalg.norm(axis)) or 1.0  # an axis of zero is refused where the model is checked
    if kind is PRISMATIC:
        along = R @ axis / length
        return np.concatenate([np.zeros(3), along])[:, None]
    turning = (R @ axis / length)[:, None] if kind is REVOLUTE else R
    motion = np.concatenate([turning, np.cross(r, turning.T).T])
    if kind is FREE:
        return np.concatenate([motion, np.concatenate([np.zeros((3, 3)), R])], axis=1)
    return motion
