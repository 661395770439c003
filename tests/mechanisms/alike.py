"""The same mechanism said in other ways: on another ground, with joints turned round, with another joint cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym.forces.point_spring_damper import PointSpringDamper
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference

Array = NDArray[Any]


def resting(model: Model, q: Array, seed: int, springs: int = 3) -> Model:
    """The mechanism at q without weight, on springs that do not pull there and dampers, from each body to another.

    All joints start where they are at q, cut ones too, so that any of them may be cut.
    """
    rng = np.random.default_rng([seed, 11])
    reference = Reference(model)
    poses = {str(name): pose for name, pose in zip(_bodies(model), reference.poses(q), strict=True)}
    poses[model.ground] = np.eye(4)
    names, forces = list(poses), []
    for body in model.bodies:
        for number in range(springs):
            other = str(rng.choice([name for name in names if name != body.name]))
            ends = [tuple(map(float, rng.uniform(-0.5, 0.5, 3).round(3))) for _ in range(2)]
            places = [poses[name] @ [*end, 1.0] for name, end in zip((body.name, other), ends, strict=True)]
            forces.append(
                PointSpringDamper(
                    f"spring {number} of {body.name}", body.name, other,
                    round(float(rng.uniform(20, 80)), 2), round(float(rng.uniform(0.05, 0.2)), 3),
                    float(np.linalg.norm(places[0] - places[1])), ends[0], ends[1],
                )
            )  # fmt: skip
    start = reference.joint_coordinates(q)
    joints = tuple(replace(joint, initial=tuple(map(float, start[joint.name])), armature=0) for joint in model.joints)
    return replace(model, gravity=(0, 0, 0), forces=tuple(forces), joints=joints)


def _bodies(model: Model) -> Sequence[Any]:
    return model.label().body_names[1:]


def on_another_ground(model: Model, placement: Placement, gravity: tuple[float, float, float]) -> Model:
    """The mechanism on a body that is fixed to ground somewhere else, with the gravity that it feels turned alike.

    Args:
        model: without forces along base axes.
        placement: of the old ground in the new one.
        gravity: of the model, in the new base axes.
    """
    new = f"{model.ground} turned"

    def moved(name: str) -> str:
        return new if name == model.ground else name

    joints = tuple(
        replace(joint, predecessor=moved(joint.predecessor), successor=moved(joint.successor)) for joint in model.joints
    )
    forces = tuple(
        replace(force, first_body=moved(force.first_body), second_body=moved(force.second_body))
        if isinstance(force, PointSpringDamper)
        else force
        for force in model.forces
    )
    stand = Joint("stand", "fixed", model.ground, new, predecessor_placement=placement, cut="tree")
    return replace(model, gravity=gravity, bodies=(Body(new), *model.bodies), joints=(stand, *joints), forces=forces)


def with_joints_turned_round(model: Model) -> Model:
    """Joints of one axis from successor to predecessor about the opposite axis, which leaves their coordinates."""
    return replace(model, joints=tuple(_turned_round(joint) for joint in model.joints))


def _turned_round(joint: Joint) -> Joint:
    if joint.type not in ("revolute", "prismatic", "cylindrical", "helical", "fixed"):
        return joint
    x, y, z = (-float(entry) for entry in joint.axis)
    return replace(
        joint, predecessor=joint.successor, successor=joint.predecessor, axis=(x, y, z),
        predecessor_placement=joint.successor_placement, successor_placement=joint.predecessor_placement,
    )  # fmt: skip


def cut_at(model: Model, cuts: Mapping[str, str]) -> Model:
    """The model with another choice of cut joints: for names "cut" or "tree", free for others."""
    return replace(model, joints=tuple(replace(joint, cut=cuts.get(joint.name, "auto")) for joint in model.joints))


def other_cuts(model: Model) -> list[Model]:
    """The model with each joint cut in turn that lies in a loop and is not cut by itself."""
    labelling = model.label()
    found = []
    for cut, loop in labelling.loops.items():
        rest = {name: "cut" for name in labelling.cut_joints if name != cut}
        found += [cut_at(model, {**rest, str(joint): "cut", str(cut): "tree"}) for joint in loop if joint != cut]
    return found
