"""Models in models: a part gets new names and values, its ground and other bodies become bodies of the whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from os.path import isabs, join, relpath
from types import MappingProxyType
from typing import Any, Final

from mbsym.conventions import STANDARD_GRAVITY
from mbsym.errors import ModelError, SymbolicError
from mbsym.model.beam import UNITS
from mbsym.model.beams_of_models import with_beams, without_beams
from mbsym.model.body import COINCIDENT, Body, Placement, placement
from mbsym.model.drive import DriveState
from mbsym.model.frame import FRAME_KINDS, Frame
from mbsym.model.frame_ends import composed, element_on_bodies
from mbsym.model.joint import Coupling, GivenPlacement, Joint
from mbsym.model.names import expression_names
from mbsym.model.shape import Shape, in_body_order
from mbsym.model.system import Model
from mbsym.shapes.forms import Mesh
from mbsym.symbolic.frame_quantities import quantity_of
from mbsym.values.diagnostic import nearest
from mbsym.values.entries import entries_of
from mbsym.values.frame_quantities import value_frames
from mbsym.values.numbers import decimal_number, evaluate, with_names
from mbsym.values.parameter import ControlInput, Parameter, Value
from mbsym.values.units import is_quantity

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

PARTS: Final = (
    "bodies", "joints", "forces", "parameters", "inputs", "couplings", "constraints", "motions", "drives", "frames",
    "shapes", "states", "outputs", "tables", "beams",
)  # fmt: skip
"""What a model consists of, in tuples; what a beam brings is among bodies, joints, forces and couplings too."""


def with_submodel(
    model: Model,
    part: Model,
    prefix: str,
    *,
    on: str = "",
    at: GivenPlacement = COINCIDENT,
    connect: Mapping[str, str] = NOTHING,
    parameters: Mapping[str, Value] = NOTHING,
) -> Model:
    """The model with another one as a part of it, as if everything had been written out.

    What the part calls its ground, and bodies without mass that are connected, are bodies or frames of the model; all
    else has the prefix before its name, in expressions too. What both have of their own (gravity, the order of
    coordinates, a description) is the model's. Components in base axes are those of the whole.

    Args:
        model: that is to have it.
        part: what is put in; it need not be a mechanism by itself.
        prefix: of its names.
        on: the body or frame that is the part's ground; the model's own without.
        at: where the frame of the part's ground sits on it.
        connect: bodies of the part, and the bodies or frames of the model that they are.
        parameters: values of parameters of the part, over names of the model; others are as the part has them.

    Raises:
        ModelError: there is nothing of a name, a body that is connected has mass, or a name would mean something else.
    """
    return joined(model, fragment(model, part, Attachment(prefix, on, at, connect, parameters)))


@dataclass(frozen=True, slots=True)
class Attachment:
    """How a part is put into a model: the arguments of ``with_submodel``."""

    prefix: str
    on: str = ""
    at: GivenPlacement = COINCIDENT
    connect: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Value] = field(default_factory=dict)


def fragment(model: Model, part: Model, how: Attachment) -> Model:
    """What a model gets of a part: each of ``PARTS`` in the order of the part's, connected bodies left out.

    Raises:
        ModelError: there is nothing of a name, or a body that is connected has mass.
    """
    prefix = how.prefix
    where = f"part {prefix!r} of {model.name}"
    known = [body.name for body in part.bodies]
    for name in how.connect:
        if name not in known:
            raise ModelError(f"the part has no body {name!r}", where=where, remedy=nearest(name, known))
        if part.body(name) != Body(name):
            raise ModelError(
                f"body {name!r} has mass in the part, and is connected",
                where=where,
                remedy="give its mass in one place",
            )
    for name in how.parameters:
        given = [item.name for item in part.parameters]
        if name not in given:
            raise ModelError(f"the part has no parameter {name!r}", where=where, remedy=nearest(name, given))
    ground = _end(model, how.on or model.ground, where)
    placed = _placed(ground.placement, placement(how.at), where)
    homes = {f"{prefix}{part.ground}": replace(ground, placement=placed)}
    homes |= {f"{prefix}{name}": _end(model, target, where) for name, target in how.connect.items()}
    bare = without_beams(part) if part.beams else part
    renaming = _Renaming(prefix, _new_names(part, prefix), _from_directory(part.directory, model.directory))
    return _at_home(_with_values(renaming.model(bare, part), how.parameters, prefix), homes, where)


def joined(model: Model, added: Model) -> Model:
    """The model with what a fragment has.

    Raises:
        ModelError: both have something of one name, or a name in an expression would mean something else than before.
    """
    for kind in PARTS:
        taken = _names_of(getattr(model, kind))
        for name in _names_of(getattr(added, kind)):
            if name in taken:
                what = f"among its {kind} the model has {name!r} already"
                raise ModelError(what, where=model.name, remedy="use another prefix")
    together: dict[str, Any] = {kind: (*getattr(model, kind), *getattr(added, kind)) for kind in PARTS}
    beams = together.pop("beams")[len(model.beams) :]
    names = (model.ground, *(body.name for body in together["bodies"]), *(frame.name for frame in together["frames"]))
    ordered = {name: None for name in names} | {shape.body: None for shape in together["shapes"]}
    together["shapes"] = in_body_order(together["shapes"], ordered)
    accepts = model.accept_impossible_inertia or added.accept_impossible_inertia
    warnings = (*model.warnings, *added.warnings)
    if added.gravity not in (STANDARD_GRAVITY, model.gravity):
        warnings = (*warnings, f"the gravity of part {added.name} is left out: that of {model.name} holds")
    whole = with_beams(replace(model, **together, accept_impossible_inertia=accepts, warnings=warnings), beams)
    _require_same_names(model, added, whole)
    return whole


def _names_of(items: Iterable[Any]) -> list[str]:
    """Names by which things are known; shapes need none, and couplings have that of a joint."""
    return [item.name for item in items if not isinstance(item, (Coupling, Shape))]


def _require_same_names(model: Model, added: Model, whole: Model) -> None:
    """Every coordinate and speed is called in the whole as it was called before."""
    now = expression_names(whole)
    for before in (model, added):
        names = expression_names(before)
        for table, others in ((names.coordinates, now.coordinates), (names.speeds, now.speeds)):
            for joint, own in table.items():
                if others[joint] != own:
                    raise ModelError(
                        f"{own[0]} of joint {joint!r} is the name of something else, too",
                        where=whole.name,
                        remedy="use another prefix, or give the joint names of coordinates and speeds",
                    )


# ---- names ----------------------------------------------------------------------------------------------------------


def _new_names(part: Model, prefix: str) -> dict[str, str]:
    """What the names in the part's expressions become."""

    def renamed(items: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"{prefix}{name}" for name in items)

    joints = tuple(
        replace(
            joint, name=f"{prefix}{joint.name}", coordinates=renamed(joint.coordinates), speeds=renamed(joint.speeds)
        )
        for joint in part.joints
    )
    old = expression_names(part)
    parameters = tuple(Parameter(name, 0) for name in renamed(old.parameters))
    inputs = tuple(map(ControlInput, renamed(old.inputs)))
    drives = tuple(DriveState(name, 0) for name in renamed(old.drives))
    new = expression_names(Model(part.name, joints=joints, parameters=parameters, inputs=inputs, drives=drives))
    pairs = [(old.parameters, new.parameters), (old.inputs, new.inputs), (old.drives, new.drives)]
    for before, after in ((old.coordinates, new.coordinates), (old.speeds, new.speeds)):
        pairs += ((names, after[f"{prefix}{joint}"]) for joint, names in before.items())
    named = {name: became for names, others in pairs for name, became in zip(names, others, strict=True)}
    return named | {table.name: f"{prefix}{table.name}" for table in part.tables}


class _Renaming:
    """Gives everything of a part its name in the whole.

    Args:
        prefix: before names of what a model consists of.
        names: that expressions use, by their old ones.
        folder: from the model's directory to the part's, for files of meshes.
    """

    def __init__(self, prefix: str, names: Mapping[str, str], folder: str) -> None:
        self._prefix, self._names, self._folder = prefix, names, folder

    def model(self, bare: Model, part: Model) -> Model:
        """The part, whose beams do not stand among its bodies any more, under its new names."""
        return replace(
            bare,
            ground=self._named(bare.ground),
            bodies=tuple(self._body(body) for body in bare.bodies),
            joints=tuple(self._joint(joint) for joint in bare.joints),
            forces=tuple(self._element(item) for item in bare.forces),
            parameters=tuple(
                replace(item, name=self._names[item.name], value=self._value(item.value)) for item in bare.parameters
            ),
            inputs=tuple(
                replace(item, name=self._names[item.name], lower=self._value(item.lower), upper=self._value(item.upper))
                for item in bare.inputs
            ),
            couplings=tuple(
                replace(
                    item,
                    joint=self._named(item.joint),
                    source=self._named(item.source),
                    ratio=self._value(item.ratio),
                    offset=self._value(item.offset),
                )
                for item in bare.couplings
            ),
            constraints=tuple(self._element(item) for item in bare.constraints),
            motions=tuple(self._element(item) for item in bare.motions),
            drives=tuple(self._element(item) for item in bare.drives),
            frames=tuple(
                replace(
                    frame,
                    name=self._named(frame.name),
                    body=self._named(frame.body),
                    placement=self._placement(frame.placement),
                )
                for frame in bare.frames
            ),
            shapes=tuple(self._shape(shape) for shape in bare.shapes),
            outputs=tuple(
                replace(item, name=f"{self._prefix}{item.name}", expression=self._value(item.expression))
                for item in bare.outputs
            ),
            tables=tuple(replace(item, name=self._names[item.name]) for item in bare.tables),
            states=tuple(
                replace(
                    state,
                    name=self._named(state.name),
                    q=self._of_joints(state.q),
                    v=self._of_joints(state.v),
                    x=tuple((self._names.get(drive, drive), self._value(value)) for drive, value in state.x),
                )
                for state in bare.states
            ),
            beams=tuple(self._beam(beam) for beam in part.beams),
            pinocchio_order=(),
        )

    def _named(self, name: str) -> str:
        """The new name of what a model consists of; KIND: stays before it."""
        kind, colon, rest = name.partition(":")
        return f"{kind}:{self._prefix}{rest}" if colon and kind in FRAME_KINDS else f"{self._prefix}{name}"

    def _value(self, value: Any) -> Any:
        """A value under the new names, None too."""
        return with_names(value, self._expressed)

    def _expressed(self, name: str) -> tuple[str, Fraction]:
        quantity = quantity_of(name)
        return (self._names.get(name, name) if quantity is None else quantity.renamed(self._named).name), Fraction(1)

    def _values(self, values: Any) -> Any:
        return None if values is None else tuple(map(self._value, values))

    def _placement(self, placed: Placement) -> Placement:
        rotation = tuple((axis, self._value(angle)) for axis, angle in placed.rotation)
        return Placement(self._values(placed.translation), rotation, self._values(placed.quaternion))

    def _of_joints(self, table: Any) -> Any:
        return tuple((self._named(joint), self._values(values)) for joint, values in table)

    def _body(self, body: Body) -> Body:
        return replace(
            body,
            name=self._named(body.name),
            mass=self._value(body.mass),
            center_of_mass=self._values(body.center_of_mass),
            inertia=self._values(body.inertia),
            first_moment=self._values(body.first_moment),
        )

    def _joint(self, joint: Joint) -> Joint:
        several = ("axis", "second_axis", "lower", "upper", "effort", "velocity", "initial")
        return replace(
            joint,
            name=self._named(joint.name),
            predecessor=self._named(joint.predecessor),
            successor=self._named(joint.successor),
            predecessor_placement=self._placement(joint.predecessor_placement),
            successor_placement=self._placement(joint.successor_placement),
            armature=self._value(joint.armature),
            numbers=tuple((key, self._value(value)) for key, value in joint.numbers),
            coordinates=tuple(self._names[name] for name in joint.coordinates),
            speeds=tuple(self._names[name] for name in joint.speeds),
            **{key: self._values(getattr(joint, key)) for key in several},
        )

    def _entries(self, item: Any) -> dict[str, Any]:
        """The entries of a force element, constraint or form."""
        changes: dict[str, Any] = {}
        for entry in entries_of(type(item)):
            value = getattr(item, entry.key)
            match entry.kind:
                case "joint" | "body":
                    changes[entry.key] = self._named(value)
                case "joints":
                    changes[entry.key] = tuple(map(self._named, value))
                case "input":
                    changes[entry.key] = self._names.get(value, value)
                case "value" | "expression":
                    changes[entry.key] = self._value(value)
                case "values" | "vector" | "expressions" | "direction":
                    changes[entry.key] = self._values(value)
        return changes

    def _element(self, item: Any) -> Any:
        return replace(item, name=self._named(item.name), **self._entries(item))

    def _shape(self, shape: Shape) -> Shape:
        form: Any = shape.form
        changes = self._entries(form)
        if isinstance(form, Mesh) and self._folder and "://" not in form.file and not isabs(form.file):
            changes["file"] = join(self._folder, form.file)
        return replace(
            shape,
            body=self._named(shape.body),
            form=replace(form, **changes),
            placement=self._placement(shape.placement),
            color=self._values(shape.color),
        )

    def _beam(self, beam: Any) -> Any:
        return replace(
            beam,
            name=self._named(beam.name),
            body=self._named(beam.body),
            tip=self._named(beam.tip) if beam.tip else "",
            at=self._placement(beam.at),
            at_tip=self._placement(beam.at_tip),
            bending_stiffness=self._values(beam.bending_stiffness),
            **{
                key: self._value(value)
                for key in UNITS.keys() - {"bending_stiffness"}
                if (value := getattr(beam, key)) is not None
            },
        )


def _from_directory(own: str, whole: str) -> str:
    """The directory of a part as one looks for it from that of the model; nothing where they are one or unknown."""
    found = relpath(own, whole or ".") if own else ""
    return "" if found == "." else found


def _with_values(part: Model, given: Mapping[str, Value], prefix: str) -> Model:
    """The part with values of its parameters; one that is an expression is no argument of its own any more."""
    values = {f"{prefix}{name}": value for name, value in given.items()}
    parameters = tuple(
        replace(item, value=values[item.name], symbolic=item.symbolic and _is_number(values[item.name]))
        if item.name in values
        else item
        for item in part.parameters
    )
    return replace(part, parameters=parameters)


def _is_number(value: Value) -> bool:
    if isinstance(value, str):
        return decimal_number(value) is not None or is_quantity(value)
    return not getattr(value, "free_symbols", ())


# ---- places ---------------------------------------------------------------------------------------------------------


def _end(model: Model, name: str, where: str) -> Frame:
    """The body or frame of that name, as a frame on a body."""
    bodies = (model.ground, *(body.name for body in model.bodies))
    if name in bodies:
        return Frame(name, name)
    found = model.all_frames().get(name, ())
    if len(found) != 1:
        known = (*bodies, *(frame.name for frame in model.frames))
        what = f"{name!r} may be one of several frames" if found else f"there is no body or frame {name!r}"
        raise ModelError(what, where=where, remedy=nearest(name, known))
    return found[0]


def _placed(outer: Placement, inner: Placement, where: str) -> Placement:
    try:
        return composed(outer, inner, evaluate)
    except SymbolicError as error:
        raise ModelError(
            f"a quaternion meets a value that is no number: {error.what}",
            where=where,
            remedy="say by rotation how the frames turn",
        ) from None


def _at_home(part: Model, homes: Mapping[str, Frame], where: str) -> Model:
    """The part with bodies of the model in place of what it calls its ground and of bodies that are connected."""

    def home(body: str, placed: Placement) -> tuple[str, Placement]:
        found = homes.get(body)
        return (body, placed) if found is None else (found.body, _placed(found.placement, placed, where))

    def joint(item: Joint) -> Joint:
        predecessor, before = home(item.predecessor, item.predecessor_placement)
        successor, behind = home(item.successor, item.successor_placement)
        return replace(
            item,
            predecessor=predecessor,
            successor=successor,
            predecessor_placement=before,
            successor_placement=behind,
        )

    def carried(item: Any) -> Any:
        body, placed = home(item.body, item.placement)
        return replace(item, body=body, placement=placed)

    def beam(item: Any) -> Any:
        body, at = home(item.body, item.at)
        tip, at_tip = home(item.tip, item.at_tip)
        return replace(item, body=body, at=at, tip=tip, at_tip=at_tip)

    def element(item: Any) -> Any:
        return _element_with_frames(element_on_bodies(_plainly(item, homes), homes), called)

    # An expression names a frame and no placement: what is placed there otherwise keeps its name, as a frame.
    asked = {name for value in part.expressions for name in _frames_of(value)}
    meant = {name: name.removeprefix("body:") for name in asked if name.removeprefix("body:") in homes}
    called = {name: homes[own].body if homes[own].placement == COINCIDENT else own for name, own in meant.items()}
    gained = tuple(replace(homes[name], name=name, in_functions=False) for name in homes if name in called.values())

    outputs = (replace(item, expression=_with_frames(item.expression, called)) for item in part.outputs)
    return replace(
        part,
        outputs=tuple(outputs),
        bodies=tuple(body for body in part.bodies if body.name not in homes),
        joints=tuple(map(joint, part.joints)),
        forces=tuple(map(element, part.forces)),
        constraints=tuple(map(element, part.constraints)),
        frames=(*map(carried, part.frames), *gained),
        shapes=tuple(map(carried, part.shapes)),
        beams=tuple(map(beam, part.beams)),
    )


def _frames_of(value: Value) -> tuple[str, ...]:
    """The frames that an expression names; none of a text that is none, of which the checks of the model say where."""
    try:
        return value_frames(value)
    except SymbolicError:
        return ()


def _with_frames(value: Value, called: Mapping[str, str]) -> Value:
    """An expression with other names of frames."""

    def new(name: str) -> tuple[str, Fraction]:
        quantity = quantity_of(name)
        return name if quantity is None else quantity.renamed(lambda frame: called.get(frame, frame)).name, Fraction(1)

    return with_names(value, new) if called else value


def _element_with_frames(item: Any, called: Mapping[str, str]) -> Any:
    """The element with other names of the frames in its expressions."""
    changes: dict[str, Any] = {}
    for entry in entries_of(type(item)):
        if entry.kind == "expression":
            changes[entry.key] = _with_frames(getattr(item, entry.key), called)
        elif entry.kind == "expressions":
            changes[entry.key] = tuple(_with_frames(value, called) for value in getattr(item, entry.key))
    return replace(item, **changes)


def _plainly(item: Any, homes: Collection[str]) -> Any:
    """The element with the plain names of bodies that are connected, where it says body:NAME."""
    named = {entry.key: getattr(item, entry.key) for entry in entries_of(type(item)) if entry.kind == "body"}
    plain = {key: name.removeprefix("body:") for key, name in named.items() if name.removeprefix("body:") in homes}
    return replace(item, **plain) if plain else item
