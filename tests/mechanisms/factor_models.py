"""Small mechanisms that have what is asked for: a joint type in some place, an element, a constraint, a parameter.

Names of joint types, force elements and constraints come from their registries, and so do the elements, which draw
themselves; one that is registered takes part.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.constraints import CONSTRAINTS, ExpressionConstraint, VelocityConstraint
from mbsym.errors import MbsymError
from mbsym.forces import FORCE_ELEMENTS, JointForce
from mbsym.forces.element import DrawnSpeed, ForceElement
from mbsym.joints.registry import JOINT_TYPES, one_freedom
from mbsym.model.body import Body, Placement
from mbsym.model.clock import with_clock
from mbsym.model.joint import Coupling, Joint
from mbsym.model.motion import PrescribedMotion
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.reference.motions import prescribed_motions
from mbsym.reference.rotations import rotation_quaternion
from mbsym.reference.tables import table_values
from mbsym.values.frame_quantities import FrameQuantity
from mbsym.values.parameter import ControlInput, NamedExpression, Parameter, Value
from mbsym.values.table import Table
from mechanisms.covering_array import Factor
from mechanisms.drives import with_drives
from mechanisms.frame_expressions import with_forces_of_frames
from mechanisms.random_mechanisms import RandomLoop
from mechanisms.random_trees import (
    RandomParameters,
    decimal,
    integer_direction,
    perpendicular,
    random_numbers,
    random_placement,
    random_vector,
)

Array = NDArray[Any]

FOCUS: Final = "focus"
"""The joint that is of the type asked for."""

OF_FRAMES: Final = "of frames"
"""A force that expressions of frames give."""

OF_TABLES: Final = "of tables"
"""A force, or a constraint, that tables give."""

IN_TIME: Final = "in time"
"""A constraint that depends on time: of places, or one that gives a speed."""

BENT: Final = Table("bent", np.linspace(-4, 4, 9), np.sin(np.linspace(-4, 4, 9)), between="spline")
KINKED: Final = Table("kinked", (-3.0, -0.4, 0.5, 2.0), (-1.0, -0.3, 0.1, 1.5), outside="extrapolate")
MAP: Final = Table("map", (-2.0, 0.1, 1.5), (-3.0, 0.0, 2.0), [[0.5, 0.1, -0.3], [0.2, 0.0, 0.4], [-0.6, 0.3, 0.1]])

PARTNERS: Final = ("slide", "turn")
"""Joints of one coordinate beside the chain, for what joins joints."""


def model_factors() -> tuple[Factor, ...]:
    """What the mechanisms differ in."""
    return (
        Factor("geometry", ("planar", "right angles", "skew")),
        Factor("base", ("fixed", "floating")),
        Factor("joint", tuple(JOINT_TYPES)),
        Factor("place", ("tree", "flipped", "cut", "loop", "coupled")),
        Factor("arms", ("none", "two")),
        Factor("armature", ("none", "rotor")),
        Factor("force", ("none", *FORCE_ELEMENTS, OF_FRAMES, OF_TABLES)),
        Factor("constraint", ("none", *CONSTRAINTS, OF_TABLES, IN_TIME)),
        Factor("motion", ("none", "position", "speed", "acceleration")),
        Factor("drives", ("none", "some", "saturated")),
        Factor("outputs", ("none", "some")),
        Factor("gravity", ("down", "none", "skew")),
        Factor("body", ("solid", "point", "massless")),
        Factor("parameter", ("none", "mass", "inertia", "center", "length", "gravity", "rotor", "force")),
    )


STILL: Final = 1e-6
"""Speeds below this part of those wanted are rounding, in mechanisms that closed loops hold."""


class ImpossibleError(MbsymError):
    """There is no mechanism that has all of it."""


class _Drawing:
    """Numbers, directions and values of one mechanism."""

    def __init__(self, row: Mapping[str, str]) -> None:
        self.row = row
        drawn = (factor.name for factor in model_factors() if factor.name != "drives")
        own = "/".join(row[name] for name in drawn if name in row)
        self.rng = np.random.default_rng(zlib.crc32(own.encode()))
        self.parameters: list[Parameter] = []

    def number(self, low: float, high: float) -> float:
        return decimal(self.rng.uniform(low, high))

    def value(self, kind: str, number: float, unit: str) -> Value:
        """The number, or twice a parameter of half of it where parameters of this kind are asked for."""
        if self.row["parameter"] != kind:
            return number
        name = f"p{len(self.parameters) + 1}"
        self.parameters.append(Parameter(name, decimal(number / 2, 6), unit, True))
        return f"2*{name}"

    def knowing(self, model: Model) -> Model:
        """The model with the parameters so far."""
        return replace(model, parameters=tuple(self.parameters))

    def placement(self) -> Placement:
        x, y, z = random_vector(self.rng, 0.6)
        length = self.value("length", x or 0.3, "m")
        match self.row["geometry"]:
            case "planar":
                return Placement((length, y, 0), (("z", self.number(-3, 3)),))
            case "right angles":
                axis, quarters = "xyz"[int(self.rng.integers(3))], int(self.rng.integers(1, 4))
                return Placement((length, y, z), ((axis, f"{quarters}*pi/2"),))  # type: ignore[arg-type]
        return replace(random_placement(self.rng, RandomParameters(self.rng, used=False)), translation=(length, y, z))

    def joint(self, name: str, kind: str, inner: str, outer: str) -> Joint:
        record = JOINT_TYPES[kind]
        axis = integer_direction(self.rng)
        if self.row["geometry"] == "planar":
            axis = (1, 0, 0) if record.turning == "never" else (0, 0, 1)
        return Joint(
            name,
            kind,
            inner,
            outer,
            axis=axis,
            second_axis=perpendicular(self.rng, axis) if "second_axis" in record.entries else None,
            predecessor_placement=self.placement(),
            numbers=random_numbers(self.rng, record),
        )

    def body(self, name: str, form: str = "solid") -> Body:
        if form == "massless":
            return Body(name)
        x, y, z = random_vector(self.rng, 0.3)
        mass = self.value("mass", self.number(0.5, 3), "kg")
        center = (self.value("center", x or 0.1, "m"), y, 0 if self.row["geometry"] == "planar" else z)
        if form == "point":
            return Body(name, mass, center)
        xx, yy, zz = (self.number(0.1, 0.2) for _ in range(3))
        products = tuple(self.number(-0.02, 0.02) for _ in range(3))
        if self.row["geometry"] == "planar":
            products = (products[0], 0.0, 0.0)
        xy, xz, yz = products
        principal = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if principal[2] > principal[0] + principal[1]:  # of no rigid body
            products = (0.0, 0.0, 0.0)
        return Body(name, mass, center, (self.value("inertia", xx, "kg m^2"), yy, zz, *products))


class _ForceDraw:
    """What a force element may ask for; it acts on the joint in question, or between the ends of the chain."""

    def __init__(self, drawing: _Drawing, model: Model, joint: str) -> None:
        self._drawing, self._model, self._joint = drawing, model, joint
        self.name = "force"
        self.inputs: list[ControlInput] = []

    @property
    def place(self) -> DrawnSpeed:
        joint = next(joint for joint in self._model.joints if joint.name == self._joint)
        if not joint.shape.nv:
            raise ImpossibleError("nothing moves there")
        names = expression_names(self._model)
        coordinate = names.coordinates[joint.name][0] if joint.shape.nq == joint.shape.nv else None
        return DrawnSpeed(joint.name, 0, coordinate, names.speeds[joint.name][0], self.number(0.5, 3))

    def number(self, low: float, high: float) -> float:
        return self._drawing.number(low, high)

    def vector(self, size: float) -> tuple[float, float, float]:
        x, y, z = random_vector(self._drawing.rng, size)
        return x, y, 0 if self._drawing.row["geometry"] == "planar" else z

    def chance(self, probability: float) -> bool:
        return bool(self._drawing.rng.random() < probability)

    def value(self, number: float, stem: str, unit: str) -> Value:
        return self._drawing.value("force", number, unit)

    def input(self) -> str:
        # States have inputs on both sides of these limits.
        self.inputs.append(ControlInput(f"u_{len(self.inputs) + 1}", "1", -0.5, 0.4, saturates=True))
        return self.inputs[-1].name

    def body(self) -> str:
        return self._model.bodies[-1].name

    def two_bodies(self) -> tuple[str, str]:
        return self._model.ground, self._model.bodies[-1].name


def model_of(row: Mapping[str, str]) -> Model:
    """The mechanism; its joints start where loops close.

    Raises:
        ImpossibleError: there is none.
    """
    drawing = _Drawing(row)
    model = _tree(drawing)
    if row["place"] in ("cut", "loop"):
        model = _closed(drawing, model)
    driven = FOCUS if row["place"] not in ("cut", "loop") else "first"
    model = _with_rotor(drawing, model, driven)
    model = _with_force(drawing, model, driven)
    if row.get("drives", "none") != "none":
        # They draw by themselves, so that mechanisms are those that have none.
        model = with_drives(model, np.random.default_rng(5))
        if row["drives"] == "saturated":
            inputs = (replace(each, lower=-0.4, upper=0.6, saturates=True) for each in model.inputs)
            model = replace(model, inputs=tuple(inputs))
    model = _with_motion(drawing, _with_constraint(drawing, model))
    if row["parameter"] != "none" and not drawing.parameters:
        raise ImpossibleError(f"nothing has a parameter of the kind {row['parameter']}")
    model = _with_outputs(drawing, drawing.knowing(model))
    if row["place"] in ("cut", "loop") or model.constraints:
        reference = Reference(model)
        speeds = np.ones(reference.nv)
        if np.abs(reference.consistent_velocity(start_of(model, reference), speeds)).max(initial=0.0) < STILL:
            raise ImpossibleError("nothing is left to move")
        rows = reference.closure_jacobian(start_of(model, reference))
        driven = [motion.speed for motion in prescribed_motions(reference.mechanism)]
        free = np.delete(rows, driven, axis=1)
        if any(item.expressions for item in model.constraints) and np.abs(free[-1]).max(initial=0.0) < STILL:
            raise ImpossibleError("what is held stays as it is in every motion")
        if driven:
            rank = np.linalg.matrix_rank(free, tol=STILL)
            if rank < np.linalg.matrix_rank(rows, tol=STILL):
                raise ImpossibleError("the loops do not let it be driven")
            if not model.motions and rank == free.shape[1]:
                raise ImpossibleError("nothing is left to move but the time")
    return model


def start_of(model: Model, reference: Reference) -> Array:
    """q (nq,) at which the joints start."""
    initial = {joint.name: joint.initial or joint.shape.neutral for joint in with_clock(model).joints}
    q = np.zeros(reference.nq)
    for joint in reference.mechanism.tree_joints:
        if joint.coordinates is not None:
            q[joint.coordinates] = initial[joint.name]
    return q


def _tree(drawing: _Drawing) -> Model:
    row, planar = drawing.row, drawing.row["geometry"] == "planar"
    looped = row["place"] in ("cut", "loop")
    root = "free" if row["base"] == "floating" else "revolute"
    kinds = [("root", root)]
    if looped:
        kinds += [("first", "spherical"), ("second", "universal"), ("third", "cylindrical")]
        if planar:
            kinds = [("root", root), ("first", "revolute"), ("second", "revolute"), ("third", "prismatic")]
    else:
        kinds += [(FOCUS, row["joint"]), ("outer", "revolute" if planar else "universal")]
    bodies, joints = [], []
    inner = "ground"
    for k, (name, kind) in enumerate(kinds):
        body = drawing.body(f"body{k}", row["body"] if k == 1 else "solid")
        joint = drawing.joint(name, kind, inner, body.name)
        if name == FOCUS and row["place"] == "flipped":
            joint = replace(joint, predecessor=joint.successor, successor=joint.predecessor)
        bodies.append(body)
        joints.append(_started(drawing, joint))
        inner = body.name
    for name in ("left", "right") if row["arms"] == "two" else ():
        for part, held in ((f"{name}1", "body0"), (f"{name}2", f"{name}1")):
            bodies.insert(0, drawing.body(part))
            joints.append(_started(drawing, drawing.joint(part, "revolute", held, part)))
    model = Model("m", tuple(bodies), tuple(joints), gravity=_gravity(drawing))
    if row["place"] == "coupled" or "joint" in _joins(row["constraint"]):
        model = _with_partners(drawing, model)
    if row["place"] == "coupled":
        if row["joint"] not in one_freedom():
            raise ImpossibleError("couplings are of joints of one freedom")
        focus = replace(next(joint for joint in model.joints if joint.name == FOCUS), initial=())
        joints = [focus if joint.name == FOCUS else joint for joint in model.joints]
        model = replace(model, joints=tuple(joints), couplings=(Coupling(FOCUS, PARTNERS[1], drawing.number(0.5, 2)),))
    return model


def _started(drawing: _Drawing, joint: Joint) -> Joint:
    """The joint, somewhere."""
    entries = np.array([drawing.number(-0.7, 0.7) for _ in joint.shape.coordinates])
    if joint.kind.quaternion is not None:
        part = slice(joint.kind.quaternion, joint.kind.quaternion + 4)
        entries[part] += (1, 0, 0, 0)
        entries[part] /= np.linalg.norm(entries[part])
    return replace(joint, initial=tuple(float(entry) for entry in entries))


def _with_partners(drawing: _Drawing, model: Model) -> Model:
    """The model with two bodies beside the chain, on joints of one coordinate that start at zero."""
    bodies = [drawing.body(name) for name in ("side1", "side2")]
    first = "revolute" if drawing.row["geometry"] == "planar" else "prismatic"
    joints = [
        drawing.joint(PARTNERS[0], first, "body0", "side1"),
        drawing.joint(PARTNERS[1], "revolute", "side1", "side2"),
    ]
    return replace(model, bodies=(*bodies, *model.bodies), joints=(*model.joints, *joints))


def _gravity(drawing: _Drawing) -> tuple[Value, Value, Value]:
    across = drawing.row["geometry"] == "planar"
    match drawing.row["gravity"]:
        case "none":
            return 0, 0, 0
        case "down":
            fall = drawing.value("gravity", -9.81, "m/s^2")
            return (0, fall, 0) if across else (0, 0, fall)
    return drawing.value("gravity", 2.5, "m/s^2"), -3.2, 0 if across else 7.1


def _closed(drawing: _Drawing, model: Model) -> Model:
    """The model with one more joint of the type in question where the bodies happen to be."""
    row = drawing.row
    kind = JOINT_TYPES[row["joint"]]
    if kind.is_unbound or (kind.is_rigid and row["geometry"] == "planar"):
        raise ImpossibleError("such a joint closes nothing, or leaves no freedom")
    model = drawing.knowing(model)
    reference = Reference(model)
    poses = np.concatenate([np.eye(4)[None], reference.poses(start_of(model, reference))])
    first, last = "ground" if row["base"] == "fixed" else "body0", "body3"
    joint = drawing.joint(FOCUS, row["joint"], first, last)
    free = replace(drawing.knowing(model), joints=(*model.joints, replace(joint, cut="cut")))
    numbers = Reference(free).mechanism.cut_joints[0]
    inner = np.eye(4)
    inner[:3, :3], inner[:3, 3] = numbers.predecessor_rotation, numbers.predecessor_translation
    labels = reference.mechanism.body_labels
    there = np.linalg.inv(poses[labels[last]]) @ poses[labels.get(first, 0)] @ inner
    w, a, b, c = (float(entry) for entry in rotation_quaternion(there[:3, :3]))
    x, y, z = (float(entry) for entry in there[:3, 3])
    closing = replace(joint, successor_placement=Placement((x, y, z), quaternion=(w, a, b, c)))
    return replace(model, joints=(*model.joints, replace(closing, cut="cut" if row["place"] == "cut" else "auto")))


def _with_rotor(drawing: _Drawing, model: Model, name: str) -> Model:
    if drawing.row["armature"] == "none":
        return model
    joint = next(joint for joint in model.joints if joint.name == name)
    if joint.kind.is_rigid:
        raise ImpossibleError("what does not move has no rotor")
    rotor = replace(joint, armature=drawing.value("rotor", drawing.number(0.05, 0.2), "kg m^2"), cut="tree")
    return replace(model, joints=tuple(rotor if joint.name == name else joint for joint in model.joints))


def _with_force(drawing: _Drawing, model: Model, name: str) -> Model:
    if drawing.row["force"] == "none":
        return model
    if drawing.row["force"] == OF_FRAMES:
        return with_forces_of_frames(model, drawing.rng)
    draw = _ForceDraw(drawing, model, name)
    if drawing.row["force"] == OF_TABLES:
        model = replace(model, tables=(BENT, KINKED, MAP))
        x, v = draw.place.coordinate, draw.place.speed
        law = f"-2*bent({x}) - kinked({v})*cos(t) + map({x}, {v})"
        element: ForceElement | None = JointForce(draw.name, name, law) if x else None
    else:
        element = FORCE_ELEMENTS[drawing.row["force"]].element.random(draw)
    if element is None:
        raise ImpossibleError("the element does not suit the joint")
    kept = tuple(
        replace(joint, cut="tree") if joint.name in element.named("joint") else joint for joint in model.joints
    )
    return replace(model, joints=kept, forces=(element,), inputs=tuple(draw.inputs))


def _with_motion(drawing: _Drawing, model: Model) -> Model:
    """The model with a motion of its first joint; an acceleration follows a control input, too.

    A position begins where the joint starts, since loops are closed there.
    """
    gives = drawing.row.get("motion", "none")
    if gives == "none":
        return model
    root = next(joint for joint in model.joints if joint.name == "root")
    if gives == "position" and root.shape.nq != root.shape.nv:
        raise ImpossibleError("speeds of a quaternion's joint are no rates of coordinates")
    law, inputs = "0.3*sin(2*t) + 0.1*t**2", model.inputs
    if gives == "acceleration":
        law, inputs = f"{law} + 2*pushed", (*inputs, ControlInput("pushed", "m/s^2"))
    initial = root.initial
    if gives == "position":
        law, initial = f"{law} + {root.initial[0]}", ()
    joints = tuple(replace(joint, initial=initial) if joint is root else joint for joint in model.joints)
    return replace(model, joints=joints, inputs=inputs, motions=(PrescribedMotion("drive", "root", law, gives),))


def _with_outputs(drawing: _Drawing, model: Model) -> Model:
    """The model with outputs of a coordinate and a speed, and of frames."""
    if drawing.row.get("outputs", "none") == "none":
        return model
    first, last = (model.bodies[k].name for k in (0, -1))
    names = expression_names(model)
    outputs = (
        NamedExpression("y_1", f"2*{names.coordinates['root'][0]} - {names.speeds['root'][0]}**2"),
        NamedExpression("y_2", f"position({last}).x*velocity({last}, in={first}).y", "m^2/s"),
        NamedExpression("y_3", f"axis({first}, x, in={last}).y", "1"),
    )
    return replace(model, outputs=outputs)


def _joins(constraint: str) -> set[str]:
    """What a constraint is between."""
    kinds = {entry.kind for entry in CONSTRAINTS[constraint].entries} if constraint in CONSTRAINTS else set()
    return {"joint"} if kinds & {"joint", "joints"} else {"body"} & kinds


def _with_constraint(drawing: _Drawing, model: Model) -> Model:
    name = drawing.row["constraint"]
    if name == "none":
        return model
    model = drawing.knowing(model)
    if name == OF_TABLES:
        return _with_cam(drawing, model)
    reference = Reference(model)
    q = start_of(model, reference)
    draw = RandomLoop(drawing.rng, (model.ground, model.bodies[-1].name), reference, q, 1)
    if "joint" in _joins(name):
        draw.joints = PARTNERS
        keep = (*PARTNERS, *(joint.name for joint in model.joints if joint.cut == "tree"))
        model = replace(
            model,
            joints=tuple(replace(joint, cut="tree") if joint.name in keep else joint for joint in model.joints),
        )
    kind, law = name, ""
    if name == IN_TIME:
        # At t = 0, where the clock starts, places are held as they are.
        kind, law = (("expression", "0.2*sin(2*t)"), ("velocity", "0.3 + t**2"))[int(drawing.rng.integers(2))]
    element = CONSTRAINTS[kind].element.random(draw)
    if element is None:
        raise ImpossibleError("the constraint draws no example")
    if isinstance(element, ExpressionConstraint | VelocityConstraint) and law:
        element = replace(element, expression=f"{element.expression} - ({law})*(1 + 0.2*cos(t))")
    return replace(model, constraints=(element,))


def _with_cam(drawing: _Drawing, model: Model) -> Model:
    """The model whose last body follows a table of the first joint's last coordinate by its distance from ground."""
    joints = tuple(replace(joint, cut="tree") if joint.name == "root" else joint for joint in model.joints)
    model = replace(model, joints=joints)
    reference = Reference(model)
    q = start_of(model, reference)
    span = FrameQuantity("distance", (model.ground, model.bodies[-1].name))
    name = expression_names(model).coordinates["root"][-1]
    place = next(joint.coordinates for joint in reference.mechanism.tree_joints if joint.name == "root").stop - 1
    rest = RandomLoop(drawing.rng, span.frames, reference, q, 1).value(span) - 0.2 * float(table_values(BENT)(q[place]))
    held = ExpressionConstraint("cam", f"{span.name} - 0.2*bent({name}) - ({rest!r})")
    return replace(model, constraints=(held,), tables=model.tables or (BENT,))
