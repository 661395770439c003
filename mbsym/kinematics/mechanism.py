"""Mechanism: a labelled model in the tree's own terms, ready for the formulations.

Each body has an *internal* frame, at the outboard side of its inboard joint and turned so that the joint's axis is z
(a body that nothing lets move shares its parent's internal frame). Formulations compute in internal frames; what the
user sees is expressed in the user's frames and sense by the transforms kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from mbsym.errors import DerivationError
from mbsym.joints.motion import JointMotion, Motion
from mbsym.kinematics.coordinates import (
    Coordinates,
    JointCoordinates,
    driving_inputs,
    driving_symbols,
    saturated_inputs,
    tree_coordinates,
)
from mbsym.kinematics.placement import require_number, rounded, rounded_vector, scalars, transform_of, vector_of
from mbsym.model.body import Body
from mbsym.model.frame import Frame, FrameAxes
from mbsym.model.frame_ends import on_bodies
from mbsym.model.joint import Joint
from mbsym.model.system import Model, with_virtual_joints
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.spatial.vector import Vector3, zero_vector
from mbsym.symbolic.graph import Graph, exact
from mbsym.symbolic.program import Input, ParameterInput
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.topology import Labelling
from mbsym.values.numbers import evaluate, parameter_values, to_scalar
from mbsym.values.table_pieces import definitions


@dataclass(frozen=True, slots=True)
class TreeBody:
    """Body ``label`` with its inboard joint, which has the same label.

    Attributes:
        name: the user's name.
        label: regular label.
        parent: label of the inboard body, 0 for ground.
        children: labels of the outboard bodies.
        inertia: about the internal frame's origin.
        user_frame: internal frame placed in the user's body frame.
        joint: the inboard joint as the user gave it.
        flipped: True where the tree walks the joint from successor to predecessor.
        q, v: coordinates and speeds; of a coupled joint, expressions of its source's.
        q_range, v_range: where they stand in q and v; empty for coupled joints.
        armature: rotor inertia of each speed.
        inboard: the joint's frame on the parent, aligned to its axes, in the parent's internal frame.
        motion: outboard frame relative to the inboard frame, in tree sense.
        placement: this body's internal frame in the parent's internal frame.
        wrench_frame: the frame of the user's joint wrench placed in this body's internal frame (unflipped) or in the
            parent's (flipped).
    """

    name: str
    label: int
    parent: int
    children: tuple[int, ...]
    inertia: RigidInertia
    user_frame: Transform
    joint: Joint
    flipped: bool
    q: tuple[Scalar, ...]
    v: tuple[Scalar, ...]
    q_range: tuple[int, int]
    v_range: tuple[int, int]
    armature: tuple[Scalar, ...]
    inboard: Transform
    motion: JointMotion
    placement: Transform
    wrench_frame: Transform

    @property
    def rotation(self) -> Rotation:
        """Takes this body's components to the parent's."""
        return self.placement.rotation

    @property
    def translation(self) -> Vector3:
        """From the parent's origin to this body's, in the parent's components."""
        return self.placement.translation

    @property
    def columns(self) -> tuple[Motion, ...]:
        """Motion subspace H at this body's origin in its components."""
        return self.motion.columns

    @property
    def leaves_parent(self) -> bool:
        """True where the parent feels no inertia of the body: its joint holds nothing, and no rotor does either."""
        return self.joint.kind.is_unbound and not any(self.armature)


@dataclass(frozen=True, slots=True)
class CutJoint:
    """A joint that closes a loop: its frames on both bodies, aligned to the joint's axes."""

    joint: Joint
    label: int
    predecessor: int
    successor: int
    predecessor_frame: Transform
    successor_frame: Transform
    wrench_frame: Transform


@dataclass(frozen=True, slots=True)
class PlacedFrame:
    """A frame of the user's on a body.

    Attributes:
        name: the user's.
        label: of the body, 0 for ground.
        axes: of its velocity, acceleration and Jacobian.
        placement: in the body's internal frame.
    """

    name: str
    label: int
    axes: FrameAxes
    placement: Transform


class LimbsInOne(Protocol):
    """Equal limbs of a mechanism that has one of each group for all."""

    @property
    def whole(self) -> Mechanism:
        """The mechanism with all of them."""

    def equivalent(self, given: Mechanism, change: Callable[[Mechanism], Mechanism]) -> Mechanism:
        """What the given mechanism, with one for all, becomes when the whole one is changed so."""

    def met(self, body: TreeBody, values: Sequence[Scalar]) -> list[Scalar]:
        """What a body hands on to its carrier: the sum over the limbs where it is the first of one."""


@dataclass(frozen=True, slots=True, repr=False)
class Mechanism:
    """A labelled model written in a graph; bodies by regular label (``bodies[i - 1]`` has label i).

    ``time``, ``controls`` and ``drive_states`` are None where nothing needs them; ``speed_of`` has for each speed of
    each body's joint the column of v that it follows, with its ratio to it. ``ways`` are the names of simplifications
    that are allowed; what depends on parameters alone costs nothing where it is ``prepared``; an equivalent mechanism
    ``stands_for`` the one with the user's own bodies. ``written`` is the size of the graph before anything was derived
    in it. Where one limb stands for all that are equal to it, ``limbs`` knows them.
    """

    graph: Graph
    model: Model
    labelling: Labelling
    names: Mapping[str, Scalar]
    bodies: tuple[TreeBody, ...]
    cut_joints: tuple[CutJoint, ...]
    frames: tuple[PlacedFrame, ...]
    gravity: Vector3
    q: Input
    v: Input
    vdot: Input
    tau: Input
    time: Input | None
    controls: Input | None
    drive_states: Input | None
    parameters: tuple[ParameterInput, ...]
    speed_of: tuple[tuple[tuple[int, Scalar], ...], ...]
    symbolic_parameters: str | tuple[str, ...]
    ways: tuple[str, ...] = ()
    prepared: bool = False
    stands_for: Mechanism | None = None
    written: tuple[int, int] = (0, 0)
    limbs: LimbsInOne | None = None

    def __repr__(self) -> str:
        cut = f", {len(self.cut_joints)} cut joints" if self.cut_joints else ""
        return f"<Mechanism {self.model.name!r}: {self.nb} bodies, {self.nq} coordinates, {self.nv} speeds{cut}>"

    def untouched(self) -> Mechanism:
        """Itself while nothing has been derived in its graph, else the same mechanism afresh."""
        return self if self.graph.size == self.written else self.afresh()

    def afresh(self) -> Mechanism:
        """The same mechanism in a graph of its own, so that what is derived next depends on nothing derived before."""
        written = build_mechanism(self.model, self.labelling, self.symbolic_parameters)
        return replace(written, ways=self.ways, prepared=self.prepared)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.q.shape[0]

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return self.v.shape[0]

    @property
    def speed_names(self) -> tuple[str, ...]:
        """Names of the entries of v."""
        return tuple(str(self.graph.arguments[ref][0]) for ref in self.v.symbols)

    @property
    def nb(self) -> int:
        """Number of bodies."""
        return len(self.bodies)

    @property
    def is_coupled(self) -> bool:
        """True where a coupling removes coordinates."""
        return bool(self.model.couplings)

    @property
    def extra_inputs(self) -> tuple[Input, ...]:
        """Time, control inputs and states of drives, for models that use them."""
        return tuple(item for item in (self.time, self.controls, self.drive_states) if item is not None)

    @property
    def columns_by_label(self) -> tuple[int, ...]:
        """The columns of v in the order of the labels: those of a joint behind those of all joints inboard of it."""
        return tuple(column for body in self.bodies for column in range(*body.v_range))

    @property
    def bodies_by_coordinates(self) -> tuple[TreeBody, ...]:
        """The bodies whose joints have coordinates of their own, in the order of these."""
        own = (body for body in self.bodies if body.v_range[1] > body.v_range[0])
        return tuple(sorted(own, key=lambda body: body.v_range))

    def body(self, label: int) -> TreeBody:
        """The body of that regular label."""
        return self.bodies[label - 1]

    def handed(self, body: TreeBody, values: Sequence[Scalar]) -> list[Scalar]:
        """What all bodies for which this one stands hand on to its parent."""
        return list(values) if self.limbs is None else self.limbs.met(body, values)

    def entries(self, item: Input) -> tuple[Scalar, ...]:
        """An input's entries as scalars."""
        return tuple(Scalar(self.graph, ref) for ref in item.symbols)

    def of_joints(self, values: tuple[Scalar, ...]) -> tuple[tuple[Scalar, ...], ...]:
        """An array over v (vdot, tau) split by label; a coupled joint gets ratio times its source's entry."""
        result = []
        for body in self.bodies:
            start, stop = body.v_range
            if stop > start or not body.v:
                result.append(values[start:stop])
            else:
                ((column, ratio),) = self.speed_of[body.label - 1]
                result.append((ratio * values[column],))
        return tuple(result)

    def laid_out(self, by_joint: tuple[tuple[Scalar, ...], ...]) -> tuple[Scalar, ...]:
        """Rates by joint as an array over v."""
        return tuple(rate for body in self.bodies_by_coordinates for rate in by_joint[body.label - 1])

    def gather(self, by_joint: tuple[tuple[Scalar, ...], ...]) -> tuple[Scalar, ...]:
        """Generalised forces by joint summed into an array over v: the transpose of ``of_joints``."""
        total = [Scalar(self.graph, 0)] * self.nv
        for body, forces in zip(self.bodies, by_joint, strict=True):
            for force, (column, ratio) in zip(forces, self.speed_of[body.label - 1], strict=True):
                total[column] = total[column] + ratio * force
        return tuple(total)


def build_mechanism(model: Model, labelling: Labelling, symbolic_parameters: str | tuple[str, ...] = "") -> Mechanism:
    """Expresses a labelled model in a new graph.

    Args:
        model: the user's model.
        labelling: its labels.
        symbolic_parameters: "" as the model says, "all", "none", or names that stay run-time arguments.

    Raises:
        DerivationError: a named parameter does not exist.
        ModelError: a value cannot be read.
    """
    model = on_bodies(with_virtual_joints(model, labelling))
    graph = Graph()
    graph.definitions = definitions(model.tables)
    names, parameters = _parameters(model, graph, symbolic_parameters)
    joints = {joint.name: joint for joint in model.joints}
    in_order = [joints[str(name)] for name in labelling.joint_names]
    in_tree, cut = in_order[: len(labelling.inboard)], in_order[len(labelling.inboard) :]
    coordinates, named = tree_coordinates(model, labelling, in_tree, graph, names)
    driving = driving_symbols(model, graph)
    held = saturated_inputs(model, driving, names)
    given = {body.name: body for body in model.bodies}
    writer = _Writer(given, labelling, graph, {**names, **named, **driving, **held}, parameter_values(model))
    bodies = writer.tree(coordinates)
    placed = {0: identity_transform(graph), **{body.label: body.user_frame for body in bodies}}
    cut_joints = tuple(writer.cut_joint(joint, label, placed) for label, joint in enumerate(cut, len(in_tree) + 1))
    q, v, vdot, tau = coordinates.arrays(graph)
    time, controls, drive_states = driving_inputs(model, driving)
    frames = tuple(writer.frame(frame, placed) for frame in model.frames_of_functions)
    gravity = vector_of(model.gravity, graph, names)
    return Mechanism(
        graph=graph,
        model=model,
        labelling=labelling,
        names=writer.names,
        bodies=bodies,
        cut_joints=cut_joints,
        frames=frames,
        gravity=gravity,
        q=q,
        v=v,
        vdot=vdot,
        tau=tau,
        time=time,
        controls=controls,
        drive_states=drive_states,
        parameters=parameters,
        speed_of=tuple(each.columns for each in coordinates.of_joints),
        symbolic_parameters=symbolic_parameters,
        written=graph.size,
    )


def _parameters(
    model: Model, graph: Graph, symbolic: str | tuple[str, ...]
) -> tuple[dict[str, Scalar], tuple[ParameterInput, ...]]:
    known = [parameter.name for parameter in model.parameters]
    if not isinstance(symbolic, str):
        for name in symbolic:
            if name not in known:
                remedy = f"use all, none or {', '.join(known)}" if known else "the model has none; leave it out"
                raise DerivationError(f"no parameter is named {name!r}", where=model.name, remedy=remedy)
    numbers = parameter_values(model)
    names: dict[str, Scalar] = {}
    inputs = []
    for parameter in model.parameters:
        keep = parameter.symbolic if symbolic == "" else symbolic == "all" or parameter.name in symbolic
        if keep and symbolic != "none":
            names[parameter.name] = symbol(graph, parameter.name)
            ref = names[parameter.name].ref
            inputs.append(ParameterInput(parameter.name, ref, exact(numbers[parameter.name]), parameter.unit))
        else:
            names[parameter.name] = to_scalar(parameter.value, graph, names)
    return names, tuple(inputs)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes bodies, joints and frames of a model in a graph."""

    given: Mapping[str, Body]
    labelling: Labelling
    graph: Graph
    names: Mapping[str, Scalar]
    numbers: Mapping[str, float]

    def tree(self, coordinates: Coordinates) -> tuple[TreeBody, ...]:
        """The bodies by label."""
        inboard = self.labelling.inboard
        ground = identity_transform(self.graph)
        children: list[list[int]] = [[] for _ in range(len(inboard) + 1)]
        for label, parent in enumerate(inboard, start=1):
            children[parent].append(label)
        built: list[TreeBody] = []
        for label, (joint, parent) in enumerate(zip(coordinates.joints, inboard, strict=True), start=1):
            carrier = built[parent - 1].user_frame if parent else ground
            labels = label, parent, tuple(children[label])
            built.append(self._body(joint, labels, coordinates.of_joints[label - 1], carrier))
        return tuple(built)

    def _body(
        self, joint: Joint, labels: tuple[int, int, tuple[int, ...]], own: JointCoordinates, carrier: Transform
    ) -> TreeBody:
        """A body with its label, its parent's and its children's on what carries it, placed in its user's frame."""
        flipped = joint.name in self.labelling.flipped
        start, end, user_end = self._joint_frames(joint)
        values = tuple(rounded(number) for number in scalars(joint.values, self.graph, self.names))
        motion = joint.kind.motion(self.graph, own.q, own.v, values)
        if flipped:
            motion, start, end = motion.reversed(), end, start
        inboard = _tidy(carrier.inverse().then(start))
        if joint.kind.is_rigid:
            frame, placement = _tidy(end.then(start.inverse()).then(carrier)), identity_transform(self.graph)
        else:
            frame, placement = end, inboard.then(motion.placement)
        name = joint.predecessor if flipped else joint.successor
        wrench_frame = (carrier if flipped else frame).inverse().then(user_end)
        label, parent, children = labels
        return TreeBody(
            name=name,
            label=label,
            parent=parent,
            children=children,
            inertia=_inertia(self.given[name], frame, self.graph, self.names),
            user_frame=frame,
            joint=joint,
            flipped=flipped,
            q=own.q,
            v=own.v,
            q_range=own.q_range,
            v_range=own.v_range,
            armature=tuple(to_scalar(joint.armature, self.graph, self.names) for _ in own.v),
            inboard=inboard,
            motion=motion,
            placement=placement,
            wrench_frame=_tidy(wrench_frame),
        )

    def cut_joint(self, joint: Joint, label: int, placed: Mapping[int, Transform]) -> CutJoint:
        """A joint that closes a loop, between internal frames that are placed in the user's body frames by label."""
        a, b = self.labelling.body_labels[joint.predecessor], self.labelling.body_labels[joint.successor]
        start, end, user_end = self._joint_frames(joint)
        to_a, to_b = placed[a].inverse(), placed[b].inverse()
        return CutJoint(joint, label, a, b, _tidy(to_a.then(start)), _tidy(to_b.then(end)), _tidy(to_b.then(user_end)))

    def frame(self, frame: Frame, placed: Mapping[int, Transform]) -> PlacedFrame:
        """A frame of the user's, in an internal frame that is placed likewise."""
        label = self.labelling.body_labels[frame.body]
        placement = placed[label].inverse().then(transform_of(frame.placement, self.graph, self.names))
        return PlacedFrame(frame.name, label, frame.axes, _tidy(placement))

    def _joint_frames(self, joint: Joint) -> tuple[Transform, Transform, Transform]:
        """Joint frames with the joint map's axes along x, y and z on both sides; the successor's as it was given."""
        start = transform_of(joint.predecessor_placement, self.graph, self.names)
        end = transform_of(joint.successor_placement, self.graph, self.names)
        for value in (*joint.axis, *(joint.second_axis or ())):
            require_number(value, self.graph, self.names, f"joint {joint.name}")
        aligned = joint.aligned(self.graph, partial(evaluate, names=self.numbers))
        turn = Transform(aligned, zero_vector(self.graph))
        return start.then(turn), end.then(turn), end


def _tidy(frame: Transform) -> Transform:
    return Transform(frame.rotation, rounded_vector(frame.translation))


def _inertia(body: Body, frame: Transform, graph: Graph, names: Mapping[str, Scalar]) -> RigidInertia:
    """Inertia in the internal frame, which ``frame`` places in the user's body frame."""
    mass = to_scalar(body.mass, graph, names)
    xx, yy, zz, xy, xz, yz = scalars(body.inertia, graph, names)
    center, given = vector_of(body.center_of_mass, graph, names), (xx, yy, zz, xy, xz, yz)
    if body.first_moment is not None:
        inertia = RigidInertia(mass, vector_of(body.first_moment, graph, names), given)
    elif body.inertia_about == "frame":
        inertia = RigidInertia(mass, (mass * center[0], mass * center[1], mass * center[2]), given)
    else:
        inertia = RigidInertia(mass, zero_vector(graph), given).to_parent(Rotation(graph), center)
    to_internal = frame.inverse()
    moved = inertia.to_parent(to_internal.rotation, to_internal.translation)
    first = rounded_vector(moved.first_moment)
    xx, yy, zz, xy, xz, yz = map(rounded, moved.about_origin)
    return RigidInertia(moved.mass, first, (xx, yy, zz, xy, xz, yz))
