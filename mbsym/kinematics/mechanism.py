"""Mechanism: a labelled model in the tree's own terms, ready for the formulations.

Each body has an *internal* frame, at the outboard side of its inboard joint and turned so that the joint's axis is z
(a body that nothing lets move shares its parent's internal frame). Formulations compute in internal frames; what the
user sees is expressed in the user's frames and sense by the transforms kept here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mbsym.errors import DerivationError
from mbsym.joints.motion import JointMotion, Motion, combination
from mbsym.kinematics.placement import rounded, rounded_vector, scalars, transform_of, vector_of
from mbsym.kinematics.state_inputs import common_unit, state_inputs
from mbsym.model.body import Body
from mbsym.model.coordinate_order import first_entries, joints_by_coordinates
from mbsym.model.frame import FrameAxes
from mbsym.model.frame_ends import on_bodies
from mbsym.model.joint import Joint
from mbsym.model.joint_frame import default_second_axis
from mbsym.model.names import expression_names
from mbsym.model.system import Model, with_virtual_joints
from mbsym.spatial.inertia import RigidInertia
from mbsym.spatial.rotation import Rotation
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.spatial.vector import Vector3, zero_vector
from mbsym.symbolic.graph import Graph, exact
from mbsym.symbolic.program import Input, ParameterInput
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mbsym.topology import Labelling
from mbsym.values.numbers import evaluate, parameter_values, to_scalar


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


@dataclass(frozen=True, slots=True, repr=False)
class Mechanism:
    """Everything that a formulation needs; bodies by regular label (``bodies[i - 1]`` has label i).

    ``simplifications`` names the ways in which derivations may replace it by an equivalent one, and ``given`` is what
    such a one stands for (see ``equivalents``). ``prepared`` says that what depends on parameters alone is computed
    beforehand, so that it costs nothing.
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
    parameters: tuple[ParameterInput, ...]
    speed_of: tuple[tuple[tuple[int, Scalar], ...], ...]
    symbolic_parameters: str | tuple[str, ...]
    simplifications: tuple[str, ...] = ()
    prepared: bool = False
    given: Mechanism | None = None

    def __repr__(self) -> str:
        cut = f", {len(self.cut_joints)} cut joints" if self.cut_joints else ""
        return f"<Mechanism {self.model.name!r}: {self.nb} bodies, {self.nq} coordinates, {self.nv} speeds{cut}>"

    def afresh(self) -> Mechanism:
        """The same mechanism in a graph of its own, so that what is derived next depends on nothing derived before."""
        made = build_mechanism(self.model, self.labelling, self.symbolic_parameters)
        return replace(made, simplifications=self.true.simplifications, prepared=self.prepared)

    @property
    def true(self) -> Mechanism:
        """The mechanism with the user's own bodies."""
        return self if self.given is None else self.given

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.q.shape[0]

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return self.v.shape[0]

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
        """Time and control inputs, for models that use them."""
        return tuple(item for item in (self.time, self.controls) if item is not None)

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

    def relative_motion(self, body: TreeBody, rates: tuple[Scalar, ...]) -> Motion:
        """H times the given rates."""
        return combination(self.graph, body.columns, rates)


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
    names, parameters = _parameters(model, graph, symbolic_parameters)
    numbers = parameter_values(model)
    joints = {joint.name: joint for joint in model.joints}
    bodies = {body.name: body for body in model.bodies}
    tree_joints = [joints[str(name)] for name in labelling.joint_names[: len(labelling.inboard)]]
    coordinates = _Coordinates(model, labelling, tree_joints, graph, names)
    names = {**names, **coordinates.named}
    frames = {0: identity_transform(graph)}
    built: list[TreeBody] = []
    children: list[list[int]] = [[] for _ in range(len(tree_joints) + 1)]
    for label, parent in enumerate(labelling.inboard, start=1):
        children[parent].append(label)
    for label, (joint, parent) in enumerate(zip(tree_joints, labelling.inboard, strict=True), start=1):
        flipped = joint.name in labelling.flipped
        start, end = _joint_frames(joint, graph, names, numbers)
        user_end = transform_of(joint.successor_placement, graph, names)
        own = tuple(rounded(number) for number in scalars(joint.values, graph, names))
        q, v = coordinates.q[label - 1], coordinates.v[label - 1]
        motion = joint.kind.motion(graph, q, v, own)
        if flipped:
            motion, start, end = motion.reversed(), end, start
        inboard = _tidy(frames[parent].inverse().then(start))
        if joint.kind.is_rigid:
            frame, placement = _tidy(end.then(start.inverse()).then(frames[parent])), identity_transform(graph)
        else:
            frame, placement = end, inboard.then(motion.placement)
        frames[label] = frame
        name = joint.predecessor if flipped else joint.successor
        wrench_frame = frames[parent].inverse().then(user_end) if flipped else frame.inverse().then(user_end)
        built.append(
            TreeBody(
                name=name,
                label=label,
                parent=parent,
                children=tuple(children[label]),
                inertia=_inertia(bodies[name], frame, graph, names),
                user_frame=frame,
                joint=joint,
                flipped=flipped,
                q=q,
                v=v,
                q_range=coordinates.q_ranges[label - 1],
                v_range=coordinates.v_ranges[label - 1],
                armature=tuple(to_scalar(joint.armature, graph, names) for _ in v),
                inboard=inboard,
                motion=motion,
                placement=placement,
                wrench_frame=_tidy(wrench_frame),
            )
        )
    cut = []
    for label, cut_name in enumerate(labelling.joint_names[len(tree_joints) :], start=len(tree_joints) + 1):
        joint = joints[str(cut_name)]
        a, b = labelling.body_labels[joint.predecessor], labelling.body_labels[joint.successor]
        start, end = _joint_frames(joint, graph, names, numbers)
        user_end = transform_of(joint.successor_placement, graph, names)
        to_a, to_b = frames[a].inverse(), frames[b].inverse()
        cut.append(
            CutJoint(joint, label, a, b, _tidy(to_a.then(start)), _tidy(to_b.then(end)), _tidy(to_b.then(user_end)))
        )
    symbols = (
        coordinates.q_symbols,
        coordinates.v_symbols,
        coordinates.over_v(graph, "vdot"),
        coordinates.over_v(graph, "tau"),
    )
    arrays = state_inputs(coordinates.shapes, symbols, coordinates.quaternions)
    return Mechanism(
        graph=graph,
        model=model,
        labelling=labelling,
        names=names,
        bodies=tuple(built),
        cut_joints=tuple(cut),
        frames=_placed_frames(model, labelling, frames, graph, names),
        gravity=vector_of(model.gravity, graph, names),
        q=arrays[0],
        v=arrays[1],
        vdot=arrays[2],
        tau=arrays[3],
        time=coordinates.time,
        controls=coordinates.controls,
        parameters=parameters,
        speed_of=coordinates.speed_of,
        symbolic_parameters=symbolic_parameters,
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


class _Coordinates:
    """Symbols of q and v by joint label; coupled joints follow their sources.

    Symbols are made in the order of the labels, so that what is derived does not depend on the layout of the arrays.
    """

    def __init__(
        self, model: Model, labelling: Labelling, joints: list[Joint], graph: Graph, names: Mapping[str, Scalar]
    ) -> None:
        table = expression_names(model)
        q_names, v_names = table.coordinates, table.speeds
        couplings = {coupling.joint: coupling for coupling in model.couplings}
        self.named: dict[str, Scalar] = {}
        given = {joint.name: joint for joint in joints}
        shapes = {name: given[name].shape for name in joints_by_coordinates(model, labelling)}
        first_q, self.nq = first_entries({name: shape.nq for name, shape in shapes.items()})
        first_v, self.nv = first_entries({name: shape.nv for name, shape in shapes.items()})
        q_by_name: dict[str, tuple[Scalar, ...]] = {}
        v_by_name: dict[str, tuple[Scalar, ...]] = {}
        ranges: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {}
        columns: dict[str, tuple[tuple[int, Scalar], ...]] = {}
        one = constant(graph, 1)
        for name, shape in shapes.items():
            q, v = first_q[name], first_v[name]
            ranges[name] = ((q, q + shape.nq), (v, v + shape.nv))
            columns[name] = tuple((v + k, one) for k in range(shape.nv))
        for joint in joints:
            if joint.name in shapes:
                q_by_name[joint.name] = tuple(symbol(graph, name) for name in q_names[joint.name])
                v_by_name[joint.name] = tuple(symbol(graph, name) for name in v_names[joint.name])

        def follow(name: str) -> None:
            if name in q_by_name:
                return
            ranges[name] = ((self.nq, self.nq), (self.nv, self.nv))
            if name not in couplings:
                q_by_name[name] = v_by_name[name] = columns[name] = ()
                return
            coupling = couplings[name]
            follow(coupling.source)
            ratio, offset = scalars((coupling.ratio, coupling.offset), graph, names)
            q_by_name[name] = (ratio * q_by_name[coupling.source][0] + offset,)
            v_by_name[name] = (ratio * v_by_name[coupling.source][0],)
            ((column, factor),) = columns[coupling.source]
            columns[name] = ((column, ratio * factor),)

        for joint in joints:
            follow(joint.name)
            self.named.update(zip(q_names[joint.name], q_by_name[joint.name], strict=True))
            self.named.update(zip(v_names[joint.name], v_by_name[joint.name], strict=True))
        self.q = [q_by_name[joint.name] for joint in joints]
        self.v = [v_by_name[joint.name] for joint in joints]
        self.q_ranges = [ranges[joint.name][0] for joint in joints]
        self.v_ranges = [ranges[joint.name][1] for joint in joints]
        self.speed_of = tuple(columns[joint.name] for joint in joints)
        self.q_symbols = tuple(x.ref for name in shapes for x in q_by_name[name])
        self.v_symbols = tuple(x.ref for name in shapes for x in v_by_name[name])
        turned = {name: given[name].kind.quaternion for name in shapes}
        label_of = {joint.name: label for label, joint in enumerate(joints, start=1)}
        self.shapes = {label_of[name]: shape for name, shape in shapes.items()}
        self.quaternions = tuple(first_q[name] + start for name, start in turned.items() if start is not None)
        self.time: Input | None = None
        self.controls: Input | None = None
        if model.uses_time_or_inputs:
            time = symbol(graph, "t")
            controls = tuple(symbol(graph, item.name) for item in model.inputs)
            self.named["t"] = time
            self.named.update((item.name, u) for item, u in zip(model.inputs, controls, strict=True))
            self.time = Input("t", (), (time.ref,), "s", "time")
            unit = common_unit([[item.unit for item in model.inputs]])
            self.controls = Input("u", (len(controls),), tuple(u.ref for u in controls), unit, "control inputs")

    def over_v(self, graph: Graph, name: str) -> tuple[int, ...]:
        """Symbols of another array over v."""
        columns = [column for start, stop in self.v_ranges for column in range(start, stop)]
        made = {column: graph.symbol(f"{name}[{column}]") for column in columns}
        return tuple(made[column] for column in range(self.nv))


def _joint_frames(
    joint: Joint, graph: Graph, names: Mapping[str, Scalar], numbers: Mapping[str, float]
) -> tuple[Transform, Transform]:
    """Joint frames on predecessor and successor, turned so that the joint map's axes are the coordinate axes."""
    start = transform_of(joint.predecessor_placement, graph, names)
    end = transform_of(joint.successor_placement, graph, names)
    if "axis" not in joint.kind.entries:
        return start, end
    x, y, z = (evaluate(component, numbers) for component in joint.axis)
    second = joint.second_axis
    other = default_second_axis((x, y, z)) if second is None else [evaluate(item, numbers) for item in second]
    turn = Transform(joint.kind.aligned(graph, (x, y, z), other), zero_vector(graph))
    return start.then(turn), end.then(turn)


def _placed_frames(
    model: Model, labelling: Labelling, bodies: Mapping[int, Transform], graph: Graph, names: Mapping[str, Scalar]
) -> tuple[PlacedFrame, ...]:
    """The model's frames in the internal frames, which ``bodies`` places in the user's body frames by label."""
    placed = []
    for frame in model.frames:
        label = labelling.body_labels[frame.body]
        placement = bodies[label].inverse().then(transform_of(frame.placement, graph, names))
        placed.append(PlacedFrame(frame.name, label, frame.axes, _tidy(placement)))
    return tuple(placed)


def _tidy(frame: Transform) -> Transform:
    return Transform(frame.rotation, rounded_vector(frame.translation))


def _inertia(body: Body, frame: Transform, graph: Graph, names: Mapping[str, Scalar]) -> RigidInertia:
    """Inertia in the internal frame, which ``frame`` places in the user's body frame."""
    mass = to_scalar(body.mass, graph, names)
    xx, yy, zz, xy, xz, yz = scalars(body.inertia, graph, names)
    center = vector_of(body.center_of_mass, graph, names)
    given = (xx, yy, zz, xy, xz, yz)
    if body.first_moment is not None:
        inertia = RigidInertia(mass, vector_of(body.first_moment, graph, names), given)
    elif body.inertia_about == "frame":
        moment = (mass * center[0], mass * center[1], mass * center[2])
        inertia = RigidInertia(mass, moment, given)
    else:
        inertia = RigidInertia(mass, zero_vector(graph), given).to_parent(Rotation(graph), center)
    to_internal = frame.inverse()
    moved = inertia.to_parent(to_internal.rotation, to_internal.translation)
    a = moved.about_origin
    return RigidInertia(
        moved.mass,
        rounded_vector(moved.first_moment),
        (rounded(a[0]), rounded(a[1]), rounded(a[2]), rounded(a[3]), rounded(a[4]), rounded(a[5])),
    )
