"""What forces without an element of their own do, as loads at the centres of mass of elements.

Steps by transfer matrices know springs and dampers. Any other force, constant, over time or of coordinates and speeds,
control inputs and generalised forces among them, acts as a force and a moment on each element where a step ends, or
along a coordinate of a hinge; those of balls act on the body beyond and back on the one before. The load along a
coordinate that a motion prescribes is what it prescribes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from mbsym.errors import DerivationError
from mbsym.forces.element import ForceElement
from mbsym.joints.motion import motion_of
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.recursion import joint_speeds, poses
from mbsym.kinematics.scene import MechanismInMotion, acting
from mbsym.model.system import Model
from mbsym.spatial.vector import Vector3, add, cross, negate, scale, subtract, zero_vector
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.transfer_matrix.elements import BALLS
from mbsym.transfer_matrix.rigid_groups import RigidGroups, turned
from mbsym.transfer_matrix.system import TransferSystem

Loads: TypeAlias = Sequence[tuple[tuple[Scalar, ...], tuple[Scalar, ...]]]
"""Force and moment at each element's centre of mass, in the axes of the method."""


def without_elements(model: Model) -> tuple[ForceElement, ...]:
    """The force elements for which the transfer matrix method has no element."""
    return tuple(force for force in model.forces if force.linear_law() is None)


def applied_loads(system: TransferSystem) -> Program:
    """The loads of a state: force and moment at each element's centre of mass, in the axes of the method, then forces
    along the coordinates of its hinge (n, 3 or 6 and as many as a hinge has room for).

    In the place of a force along a coordinate that a motion prescribes is the coordinate; a second array, of models
    with motions, has its second derivative there, and is that of the start.

    Arguments are q, v and tau, and t and u of models that have them.

    Raises:
        DerivationError: a force acts along a joint that is cut, or on a body without mass.
    """
    mechanism = system.mechanism
    elements = without_elements(mechanism.model)
    loads, along = loads_on_elements(system, RigidGroups(mechanism), elements, on_hinges=True)
    zero = constant(mechanism.graph, 0)

    def output(name: str, along: Mapping[int, Scalar], words: str) -> Output:
        entries = list[Scalar]()
        for body, (force, moment) in zip(system.bodies, loads, strict=True):
            own = [along[each.place[1]] * each.sign for each in body.hinge.coordinates if not body.hinge.ball]
            entries += [*force, *moment, *own, *[zero] * (system.coordinates - len(own))]
        shape = len(system.bodies), system.load_size
        return Output(name, shape, tuple(x.ref for x in entries), "", f"force and moment at centres of mass, {words}")

    driven = driven_speeds(mechanism)
    positions = {each.column: each.position for each in driven if each.position is not None}
    outputs = [output("loads", {**along, **positions}, "forces along hinges")]
    if driven:
        accelerations = {each.column: each.acceleration for each in driven}
        outputs.append(output("at_start", {**along, **accelerations}, "forces along hinges, where a motion starts"))
    inputs = (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs)
    words = "loads of forces that transfer matrices have no element for"
    return Program(LOADS, mechanism.graph, inputs, tuple(outputs), mechanism.parameters, words)


def loads_on_elements(
    system: TransferSystem, parts: RigidGroups, elements: Sequence[ForceElement], *, on_hinges: bool = False
) -> tuple[Loads, dict[int, Scalar]]:
    """Force and moment at each element's centre of mass of some force elements and of tau, in the method's axes, and
    the forces along all speeds.

    Args:
        system, parts: the mechanism.
        elements: the force elements.
        on_hinges: forces along joints, but for balls, act on hinges and not on both bodies.

    Raises:
        DerivationError: a force acts along a joint that is cut, or on a body without mass.
    """
    mechanism = system.mechanism
    scene = MechanismInMotion(mechanism, joint_speeds(mechanism), with_bodies=True)
    for element in elements:
        with acting(element):
            element.act(scene)
    frames = poses(mechanism)
    zero = zero_vector(mechanism.graph)
    # By element: [moment; force] about the base origin in base axes.
    totals: list[tuple[Vector3, Vector3]] = [(zero, zero)] * len(system.bodies)

    def add_to(label: int, moment: Vector3, force: Vector3) -> None:
        number = parts.number[label]
        if number:
            before = totals[number - 1]
            totals[number - 1] = add(before[0], moment), add(before[1], force)

    for label, (moment, force) in scene.wrenches.items():
        if label in parts.light and any((*moment, *force)):
            raise DerivationError(
                "a force acts on a body without mass, which is no element of the transfer matrix method",
                where=f"body {mechanism.body(label).name}",
                remedy="let it act on a body with mass",
            )
        add_to(label, *frames[label].wrench_to_parent(moment, force))
    given = mechanism.of_joints(mechanism.entries(mechanism.tau))
    along: dict[int, Scalar] = {}
    for body, own, more in zip(mechanism.bodies, scene.joints, given, strict=True):
        forces = [a + b for a, b in zip(own, more, strict=True)]
        along.update(zip(range(*body.v_range), forces, strict=True))
        if (on_hinges and body.joint.kind not in BALLS) or not any(forces):
            continue
        spaces = body.joint.kind.subspaces(body.motion, body.q, body.flipped)
        moment, force = zero, zero
        for column, size in zip(spaces.forces, forces, strict=True):
            own_moment, own_force = motion_of(column)
            moment, force = add(moment, scale(own_moment, size)), add(force, scale(own_force, size))
        in_base = frames[body.label].wrench_to_parent(moment, force)
        add_to(body.label, *in_base)
        add_to(body.parent, negate(in_base[0]), negate(in_base[1]))
    loads = []
    for group, (moment, force) in zip(parts.groups, totals, strict=True):
        center = frames[group.first.label].point_to_parent(group.center)
        about = subtract(moment, cross(center, force))
        axes, about_axes = system.plane[: system.layout.dimension], system.plane[-system.layout.angles :]
        loads.append((turned(axes, force), turned(about_axes, about)))
    return loads, along


LOADS = "transfer_matrix_loads"
"""Name of the function."""
