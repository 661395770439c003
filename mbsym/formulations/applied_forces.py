"""Force elements as generalised forces on joints and wrenches on bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbsym.errors import DerivationError
from mbsym.kinematics.joint_motion import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.placement import vector_of
from mbsym.kinematics.recursion import Speeds, poses, velocities
from mbsym.model.force import (
    Actuator,
    AppliedWrench,
    ForceElement,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    PointSpringDamper,
)
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, add, cross, dot, negate, scale, subtract
from mbsym.symbolic.scalar import Scalar, sqrt
from mbsym.values.numbers import to_scalar


@dataclass(frozen=True, slots=True)
class AppliedForces:
    """Generalised forces by tree joint, and [moment; force] by body label at its origin in its components."""

    joints: Speeds
    wrenches: Mapping[int, Motion]


def applied_forces(mechanism: Mechanism, speeds: Speeds) -> AppliedForces | None:
    """What the model's force elements do at the given speeds; None for a model without any."""
    model = mechanism.model
    if not model.forces:
        return None
    labels = {body.joint.name: body.label for body in mechanism.bodies}
    joints = [[Scalar(mechanism.graph, 0)] * len(body.v) for body in mechanism.bodies]
    wrenches: dict[int, Motion] = {}
    with mechanism.graph.section("force elements"):
        scene = _Scene(mechanism, speeds) if _needs_scene(model.forces) else None
        for force in model.forces:
            if isinstance(force, (PointSpringDamper, AppliedWrench)):
                assert scene is not None
                found = (
                    _point_spring(scene, force)
                    if isinstance(force, PointSpringDamper)
                    else _applied_wrench(scene, force)
                )
                for label, wrench in found:
                    if label:
                        wrenches[label] = _sum(wrenches.get(label), wrench)
                continue
            if force.joint not in labels:
                raise DerivationError(
                    f"force {force.name} acts along joint {force.joint}, which is cut",
                    where=force.name,
                    remedy=f"keep the joint in the tree (cut: tree) for joint {force.joint}",
                )
            label = labels[force.joint]
            body = mechanism.body(label)
            q = body.q[force.index] if len(body.q) == len(body.v) else None
            joints[label - 1][force.index] = joints[label - 1][force.index] + _joint_force(
                mechanism, force, q, speeds[label - 1][force.index]
            )
    return AppliedForces(tuple(tuple(row) for row in joints), wrenches)


def _needs_scene(forces: tuple[ForceElement, ...]) -> bool:
    return any(isinstance(force, (PointSpringDamper, AppliedWrench)) for force in forces)


def _sum(first: Motion | None, second: Motion) -> Motion:
    return second if first is None else (add(first[0], second[0]), add(first[1], second[1]))


def _joint_force(
    mechanism: Mechanism,
    force: JointSpring | JointDamper | JointFriction | Actuator | JointForce,
    q: Scalar | None,
    v: Scalar,
) -> Scalar:
    def value(item: object) -> Scalar:
        return to_scalar(item, mechanism.graph, mechanism.names)

    if isinstance(force, JointSpring):
        if q is None:
            raise DerivationError(
                f"a joint spring needs a coordinate whose rate is the speed; joint {force.joint} has a quaternion",
                where=force.name,
                remedy="use a point spring or an expression",
            )
        return -value(force.stiffness) * (q - value(force.reference))
    if isinstance(force, JointDamper):
        return -value(force.damping) * v
    if isinstance(force, JointFriction):
        return -value(force.magnitude) * (v / value(force.transition_speed)).apply("tanh")
    if isinstance(force, Actuator):
        return value(force.gain) * mechanism.names[force.input]
    return value(force.expression)


class _Scene:
    """Poses, and twists where a damper asks for them."""

    def __init__(self, mechanism: Mechanism, speeds: Speeds) -> None:
        self.mechanism = mechanism
        self.frames = poses(mechanism)
        self.twists = velocities(mechanism, speeds)
        self.labels = {mechanism.model.ground: 0} | {body.name: body.label for body in mechanism.bodies}

    def internal_point(self, body: str, point: tuple[object, object, object]) -> tuple[int, Vector3]:
        """Label of a body, and a point of its user frame in its internal frame."""
        label = self.labels[body]
        components = vector_of(point, self.mechanism.graph, self.mechanism.names)
        if not label:
            return 0, components
        return label, self.mechanism.body(label).user_frame.point_to_child(components)

    def frame(self, label: int) -> Transform:
        """Internal frame of a body in the base frame."""
        return self.frames[label]


def _point_spring(scene: _Scene, force: PointSpringDamper) -> list[tuple[int, Motion]]:
    mechanism = scene.mechanism

    def value(item: object) -> Scalar:
        return to_scalar(item, mechanism.graph, mechanism.names)

    a, ra = scene.internal_point(force.first_body, force.first_point)
    b, rb = scene.internal_point(force.second_body, force.second_point)
    frame_a, frame_b = scene.frame(a), scene.frame(b)
    span = subtract(frame_b.point_to_parent(rb), frame_a.point_to_parent(ra))
    length = sqrt(dot(span, span))
    stiffness, damping, free_length = value(force.stiffness), value(force.damping), value(force.free_length)
    per_length = stiffness * (1 - free_length / length)
    if damping.ref:
        rates = []
        for label, frame, r in ((a, frame_a, ra), (b, frame_b, rb)):
            omega, velocity = scene.twists[label]
            rates.append(frame.rotation.to_parent(add(velocity, cross(omega, r))))
        stretching = dot(span, subtract(rates[1], rates[0])) / length
        per_length = per_length + damping * stretching / length
    pull = scale(span, per_length)
    result = []
    for label, frame, r, f in ((a, frame_a, ra, pull), (b, frame_b, rb, negate(pull))):
        local = frame.rotation.to_child(f)
        result.append((label, (cross(r, local), local)))
    return result


def _applied_wrench(scene: _Scene, force: AppliedWrench) -> list[tuple[int, Motion]]:
    mechanism = scene.mechanism
    label, r = scene.internal_point(force.body, force.point)
    f = vector_of(force.force, mechanism.graph, mechanism.names)
    n = vector_of(force.moment, mechanism.graph, mechanism.names)
    if not label:
        return []
    in_body = force.axes == "body"
    rotation = mechanism.body(label).user_frame.rotation if in_body else scene.frame(label).rotation
    f, n = rotation.to_child(f), rotation.to_child(n)
    return [(label, (add(n, cross(r, f)), f))]
