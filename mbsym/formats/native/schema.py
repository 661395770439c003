"""The native format: which entries there are and what each may hold.

Importing this module imports pydantic; it is imported when a native file is read or its schema asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, Union, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import CoreSchema

from mbsym.constraints import CONSTRAINTS, ConstraintElement
from mbsym.conventions import STANDARD_GRAVITY
from mbsym.forces import FORCE_ELEMENTS, ForceElement
from mbsym.formats.native import entry_types as et
from mbsym.formats.native.entry_sentences import sentence_of
from mbsym.formats.native.leaves import refused, refused_key
from mbsym.formats.native.quantities import taken_in
from mbsym.formats.native.repetition import SECTIONS
from mbsym.formats.yaml_document import Leaf
from mbsym.joints.record import Entry, JointNumber
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.beam_shapes import SUPPORTS, Supports
from mbsym.model.drive import DriveState
from mbsym.model.frame import FRAME_KINDS, FrameKind
from mbsym.model.motion import PrescribedMotion
from mbsym.shapes.forms import FORMS, Form
from mbsym.values.diagnostic import nearest
from mbsym.values.entries import Kind, entries_of
from mbsym.values.table import BETWEEN, OUTSIDE, Between, Outside

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _JointTypeSchema:
    """The joint types that are listed when the schema is asked for."""

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        sentences = "; ".join(f"{kind.name}: {kind.sentence}" for kind in JOINT_TYPES.values())
        return {"enum": list(JOINT_TYPES), "description": sentences}


def _short_joint() -> dict[str, Any]:
    types = {"enum": list(JOINT_TYPES)}
    return {"type": "array", "prefixItems": [types, et.NAME, et.NAME], "minItems": 3, "maxItems": 3}


# ---- tables ---------------------------------------------------------------------------------------------------------


class Table(BaseModel):
    """A table of the native format; unknown keys are refused with the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    shorthand: ClassVar[dict[str, Any] | Callable[[], dict[str, Any]] | None] = None

    @classmethod
    def keys(cls) -> list[str]:
        """Keys as they stand in files."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @classmethod
    def expanded(cls, data: Any) -> Any:
        """The table that a shorthand stands for."""
        return data

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, data: Any) -> Any:
        data = cls.expanded(data)
        if not isinstance(data, dict):
            raise refused("no table where one belongs", f"give a table with the keys {', '.join(cls.keys())}")
        known = cls.keys()
        for key in data:
            if key not in known:
                remedy = nearest(str(key), known, f"known keys are {', '.join(known)}")
                raise refused(f"unknown key {str(key)!r}", remedy, key=str(key))
        return data

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        found = handler(core_schema)
        table = handler.resolve_ref_schema(found)
        for key, entry in table.get("properties", {}).items():
            own = entry.get("description", "")
            sentence = sentence_of(cls.__name__, key)
            entry["description"] = " ".join(filter(None, (sentence, own))) if key == "type" else sentence or own
        if cls.shorthand is not None:
            whole = dict(table)
            table.clear()
            table.update({"anyOf": [whole, cls.shorthand() if callable(cls.shorthand) else cls.shorthand]})
        return found


def _is_nothing(data: Any) -> bool:
    return isinstance(data, Leaf) and data.is_null


class ParameterTable(Table):
    """A named constant; a bare number is its value."""

    shorthand = {"type": ["number", "string"]}
    value: et.ValueEntry
    unit: et.TextEntry = ""
    symbolic: et.FlagEntry = False

    @classmethod
    def expanded(cls, data: Any) -> Any:
        return {"value": data} if isinstance(data, Leaf) else data


class InputTable(Table):
    """A control input; bare text is its unit."""

    shorthand = {"type": ["string", "null"]}
    unit: et.TextEntry = ""
    lower: et.ValueEntry | None = None
    upper: et.ValueEntry | None = None
    saturates: et.FlagEntry = False

    @classmethod
    def expanded(cls, data: Any) -> Any:
        if _is_nothing(data):
            return {}
        return {"unit": data} if isinstance(data, Leaf) else data


class OutputTable(Table):
    """An output: what is to be known of a motion; a bare value is its expression."""

    shorthand = {"type": ["number", "string"]}
    expression: et.ValueEntry
    unit: et.TextEntry = ""

    @classmethod
    def expanded(cls, data: Any) -> Any:
        return {"expression": data} if isinstance(data, Leaf) else data


class CurveTable(Table):
    """A function by its values at points."""

    x: et.NumbersEntry = None
    y: et.NumbersEntry = None
    z: et.RowsEntry = ()
    csv: et.TextEntry = ""
    columns: et.NamesEntry = ()
    between: Annotated[Between, BeforeValidator(et.choice(*BETWEEN))] = "linear"
    outside: Annotated[Outside, BeforeValidator(et.choice(*OUTSIDE))] = "hold"

    @model_validator(mode="after")
    def _one_way_to_give_points(self) -> CurveTable:
        for key in ("x", "y", "z") if self.csv else ("columns",):
            if key in self.model_fields_set:
                raise refused_key(key, f"{key!r} {'beside' if self.csv else 'without'} a file")
        if not self.csv and (self.x is None or self.y is None):
            raise refused("a table without points", "give x and y, or csv: FILE")
        return self


class InertiaTable(Table):
    """Entries of the inertia matrix [kg m^2]; a list is (xx, yy, zz, xy, xz, yz) or (xx, yy, zz)."""

    shorthand = {"type": "array", "items": et.NUMBER, "minItems": 3, "maxItems": 6}
    xx: et.InertiaEntry = 0
    yy: et.InertiaEntry = 0
    zz: et.InertiaEntry = 0
    xy: et.InertiaEntry = 0
    xz: et.InertiaEntry = 0
    yz: et.InertiaEntry = 0

    @classmethod
    def expanded(cls, data: Any) -> Any:
        if isinstance(data, list):
            if len(data) not in (3, 6):
                raise refused(
                    f"{len(data)} values where an inertia belongs", "give (xx, yy, zz) or (xx, yy, zz, xy, xz, yz)"
                )
            return dict(zip(("xx", "yy", "zz", "xy", "xz", "yz"), data, strict=False))
        return data


class PlacementTable(Table):
    """Where a joint frame sits on a body; a list is a translation."""

    shorthand = et.TRIPLE
    translation: et.LengthsEntry = (0, 0, 0)
    rotation: Annotated[et.RotationEntry, taken_in("rad")] = ()
    rpy: Annotated[Any, PlainValidator(et.read_angles), WithJsonSchema(et.TRIPLE), taken_in("rad")] = None
    quaternion: et.QuaternionEntry = None

    @classmethod
    def expanded(cls, data: Any) -> Any:
        return {"translation": data} if isinstance(data, list) else data

    @model_validator(mode="after")
    def _one_way_to_turn(self) -> PlacementTable:
        given = [key for key in ("rotation", "rpy", "quaternion") if key in self.model_fields_set]
        if len(given) > 1:
            raise refused_key(given[1], f"{' and '.join(given)} at one place, each of which says how the frame turns")
        return self


_ENTRIES: dict[Kind, Any] = {
    "joint": et.NameEntry,
    "joints": et.NamesEntry,
    "body": et.NameEntry,
    "input": et.NameEntry,
    "index": et.IntegerEntry,
    "value": et.ValueEntry,
    "values": et.ValuesEntry,
    "expression": et.ValueEntry,
    "vector": et.TripleEntry,
    "expressions": et.TripleEntry,
    "direction": et.DirectionEntry,
    "text": et.TextEntry,
}


class ShapeTable(Table):
    """A shape on a body."""

    type: str
    at: PlacementTable = PlacementTable.model_construct()
    color: Annotated[
        Any,
        PlainValidator(et.read_list(4, "red, green, blue and opacity")),
        WithJsonSchema({**et.TRIPLE, "minItems": 4, "maxItems": 4}),
    ] = None
    name: et.TextEntry = ""
    density: et.DensityEntry | None = None


def _read_shapes(item: Any) -> Any:
    if not isinstance(item, list):
        raise refused("no list where shapes belong", "write - {type: box, size: [...]} for each")
    return item


def _shape_tables() -> Any:
    tables = tuple(element_table(record.element, ShapeTable) for record in FORMS.values())
    union: Any = Annotated[Union[tables], Field(discriminator="type")]  # noqa: UP007
    return Annotated[list[union], BeforeValidator(_read_shapes)]


def element_table(
    element: type[ForceElement | ConstraintElement | Form | PrescribedMotion | DriveState], base: type[Table] = Table
) -> type[Table]:
    """The table of a force element, constraint, form, motion or drive: its type, if it has one, then its entries.

    Args:
        element: the dataclass, whose first paragraph describes the table.
        base: the table that its entries join.
    """
    columns: dict[str, Any] = {"type": (Literal[element.type], ...)} if hasattr(element, "type") else {}
    for entry in entries_of(element):
        unit = f" [{entry.unit}]" if entry.unit else ""
        default = ... if entry.required else entry.default
        kind = _ENTRIES.get(entry.kind)
        if kind is None:
            kind = Annotated[Literal[entry.words], BeforeValidator(et.choice(*entry.words))]
        form = ", a number or an expression" if kind is et.ValueEntry else ""
        if entry.fixed_unit:
            kind = Annotated[kind, taken_in(entry.fixed_unit)]
        columns[entry.key] = (kind, Field(default, description=f"{entry.sentence}{unit}{form}"))
    sentence = (element.__doc__ or "").partition("\n\n")[0]
    return create_model(f"{element.__name__}Table", __base__=base, __doc__=sentence, **columns)


ShapesEntry: TypeAlias = _shape_tables()  # type: ignore[valid-type]


class BodyTable(Table):
    """A rigid body; nothing is a massless one."""

    shorthand = {"type": "null"}
    mass: et.MassEntry = 0
    center_of_mass: et.LengthsEntry = (0, 0, 0)
    inertia: InertiaTable = InertiaTable.model_construct()
    inertia_about: Annotated[
        Literal["center_of_mass", "frame"], BeforeValidator(et.choice("center_of_mass", "frame"))
    ] = "center_of_mass"
    first_moment: Annotated[et.TripleEntry, taken_in("kg m")] | None = None
    geometry: ShapesEntry = []
    density: et.DensityEntry | None = None

    @classmethod
    def expanded(cls, data: Any) -> Any:
        return {} if _is_nothing(data) else data

    @model_validator(mode="after")
    def _one_way_to_give_mass(self) -> BodyTable:
        if self.density is None and all(shape.density is None for shape in self.geometry):
            return self
        for key in ("mass", "center_of_mass", "inertia", "inertia_about", "first_moment"):
            if key in self.model_fields_set:
                raise refused_key(key, f"{key!r} beside a density, from which it follows")
        return self


class StopTable(Table):
    """Stops at the limits of a joint's coordinates."""

    stiffness: et.ValuesEntry
    damping: et.ValuesEntry = (0,)


class LimitsTable(Table):
    """Limits of a joint: of its coordinates, its forces and its speeds."""

    lower: et.ValuesEntry = ()
    upper: et.ValuesEntry = ()
    effort: et.ValuesEntry = ()
    velocity: et.ValuesEntry = ()
    stop: StopTable | None = None


class JointTable(Table):
    """A joint; the short form is [TYPE, FROM, TO]."""

    shorthand = _short_joint
    type: Annotated[str, PlainValidator(lambda item: et.choice(*JOINT_TYPES)(item)), _JointTypeSchema()]
    predecessor: et.NameEntry = Field(alias="from")
    successor: et.NameEntry = Field(alias="to")
    axis: et.DirectionEntry = None
    second_axis: et.DirectionEntry = None
    at: PlacementTable = PlacementTable.model_construct()
    at_successor: PlacementTable = PlacementTable.model_construct()
    armature: et.ValueEntry = 0
    limits: LimitsTable = LimitsTable.model_construct()
    initial: et.ValuesEntry = ()
    coordinates: et.NamesEntry = ()
    speeds: et.NamesEntry = ()
    actuated: et.FlagEntry = False
    reaction_wanted: et.FlagEntry = False
    cut: Annotated[Literal["auto", "cut", "tree"], BeforeValidator(et.choice("auto", "cut", "tree"))] = "auto"
    weight: Annotated[et.IntegerEntry | None, WithJsonSchema({"type": "integer"})] = None

    @classmethod
    def expanded(cls, data: Any) -> Any:
        if isinstance(data, list):
            if len(data) != 3:
                raise refused(f"{len(data)} entries where a joint belongs", "write [TYPE, FROM, TO] or a table")
            return dict(zip(("type", "from", "to"), data, strict=True))
        return data

    @model_validator(mode="after")
    def _only_what_its_type_takes(self) -> JointTable:
        kind = JOINT_TYPES[self.type]
        taken = {*kind.entries, *(number.name for number in kind.numbers)} | (set() if kind.is_rigid else {"armature"})
        for key in (*get_args(Entry), *(number.name for number in joint_numbers()), "armature"):
            if key in self.model_fields_set and key not in taken:
                raise refused_key(key, f"{key!r} means nothing for a {kind.name} joint")
        return self


def joint_numbers() -> tuple[JointNumber, ...]:
    """What joints of the types that are known now take beside frames and axes, each once."""
    return tuple(dict.fromkeys(number for kind in JOINT_TYPES.values() for number in kind.numbers))


@cache
def _joint_table(numbers: tuple[JointNumber, ...]) -> type[JointTable]:
    """The table of a joint with an entry for each number."""
    columns: dict[str, Any] = {}
    for number in numbers:
        types = " and ".join(kind.name for kind in JOINT_TYPES.values() if number in kind.numbers)
        description = f"Of {types} joints: {number.sentence} [{number.unit}]."
        columns[number.name] = (Annotated[et.ValueEntry, taken_in(number.unit)], Field(0, description=description))
    return create_model("JointTable", __base__=JointTable, __doc__=JointTable.__doc__, **columns)


class BeamTable(Table):
    """An elastic beam along the x axis of its root frame."""

    body: et.NameEntry = Field(alias="from")
    tip: et.NameEntry = Field("", alias="to")
    length: et.LengthEntry
    mass: et.MassEntry
    bending_stiffness: Annotated[et.ValuesEntry, taken_in("N m^2")]
    bends: Annotated[Literal["y", "z", "both"], BeforeValidator(et.choice("y", "z", "both"))] = "z"
    axial_stiffness: Annotated[et.ValueEntry, taken_in("N")] | None = None
    torsional_stiffness: Annotated[et.ValueEntry, taken_in("N m^2")] | None = None
    torsional_inertia: Annotated[et.ValueEntry, taken_in("kg m^2")] | None = None
    damping: Annotated[et.ValueEntry, taken_in("s")] = 0
    segments: et.IntegerEntry | None = None
    modes: et.IntegerEntry = 0
    supports: Annotated[Supports, BeforeValidator(et.choice(*SUPPORTS))] | None = None
    lumped: et.FlagEntry = False
    at: PlacementTable = PlacementTable.model_construct()
    at_tip: PlacementTable = PlacementTable.model_construct()


class CouplingTable(Table):
    """q = ratio q_source + offset of the joint that is the key."""

    source: et.NameEntry
    ratio: et.ValueEntry = 1
    offset: et.ValueEntry = 0


def _names_as_table(data: Any) -> Any:
    """A list of names as a table of empty entries."""
    if isinstance(data, list):
        table: dict[str, Any] = {}
        for index, item in enumerate(data):
            name = et.read_name(item)
            if name in table:
                raise refused(f"{name!r} is given twice", "rename one of them", path=(index,))
            table[name] = Leaf("")
        return table
    return _nothing_as_table(data)


def _nothing_as_table(data: Any) -> Any:
    return {} if _is_nothing(data) else data


class FrameTable(Table):
    """A frame on a body: a tool, a sensor, a point where loads act."""

    body: et.NameEntry
    at: PlacementTable = PlacementTable.model_construct()
    axes: Annotated[str, BeforeValidator(et.choice("local", "aligned", "base"))] = "local"
    kind: Annotated[FrameKind, BeforeValidator(et.choice(*FRAME_KINDS))] = "frame"
    in_functions: bool = True
    geometry: ShapesEntry = []

    @model_validator(mode="after")
    def _shows_alone(self) -> FrameTable:
        if any(shape.density is not None for shape in self.geometry):
            raise refused("a density on a frame, which has no mass", "give the shape to the body")
        return self


class StateTable(Table):
    """A state with a name: coordinates and speeds by joint, states of drives by name."""

    q: Annotated[dict[str, et.ValuesEntry], BeforeValidator(_nothing_as_table)] = {}
    v: Annotated[dict[str, et.ValuesEntry], BeforeValidator(_nothing_as_table)] = {}
    x: Annotated[dict[str, et.ValueEntry], BeforeValidator(_nothing_as_table)] = {}


class IncludeTable(Table):
    """Another model file as a part of this one; bare text is the file."""

    shorthand = {"type": "string"}
    file: et.TextEntry
    prefix: et.TextEntry | None = None
    ground: et.NameEntry = Field("", alias="on")
    at: PlacementTable = PlacementTable.model_construct()
    connect: Annotated[dict[str, et.NameEntry], BeforeValidator(_nothing_as_table)] = {}
    parameters: Annotated[dict[str, et.ValueEntry], BeforeValidator(_nothing_as_table)] = {}

    @classmethod
    def expanded(cls, data: Any) -> Any:
        return {"file": data} if isinstance(data, Leaf) else data


class RepetitionTable(Table):
    """Sections of the model once more for each number; <i>, <i-1> and the like in names and values become numbers."""

    index: et.NameEntry = "i"
    first: et.ValueEntry = Field(1, alias="from")
    last: et.ValueEntry = Field(alias="to")


class ModelTable(Table):
    """A mechanism in the native format."""

    name: et.NameEntry | None = None
    description: et.TextEntry = ""
    gravity: Annotated[et.TripleEntry, taken_in("m/s^2")] = STANDARD_GRAVITY
    ground: et.NameEntry = "ground"
    free_roots: et.FlagEntry = False
    accept_impossible_inertia: et.FlagEntry = False
    coordinate_order: et.CoordinateOrderEntry = "file"
    parameters: Annotated[dict[str, ParameterTable], BeforeValidator(_nothing_as_table)] = {}
    inputs: Annotated[dict[str, InputTable], BeforeValidator(_names_as_table)] = {}
    include: Annotated[dict[str, IncludeTable], BeforeValidator(_nothing_as_table)] = {}
    bodies: Annotated[dict[str, BodyTable], BeforeValidator(_names_as_table)] | None = None
    joints: Annotated[dict[str, JointTable], BeforeValidator(_nothing_as_table)] = {}
    beams: Annotated[dict[str, BeamTable], BeforeValidator(_nothing_as_table)] = {}
    forces: dict[str, Any] = {}
    couplings: Annotated[dict[str, CouplingTable], BeforeValidator(_nothing_as_table)] = {}
    constraints: dict[str, Any] = {}
    motions: dict[str, Any] = {}
    frames: Annotated[dict[str, FrameTable], BeforeValidator(_nothing_as_table)] = {}
    drives: dict[str, Any] = {}
    outputs: Annotated[dict[str, OutputTable], BeforeValidator(_nothing_as_table)] = {}
    tables: Annotated[dict[str, CurveTable], BeforeValidator(_nothing_as_table)] = {}
    ground_geometry: ShapesEntry = []
    pinocchio_order: et.NamesEntry = ()
    states: Annotated[dict[str, StateTable], BeforeValidator(_nothing_as_table)] = {}
    repeat: Any = None


def model_table() -> type[ModelTable]:
    """The table of a model with the joints, force elements and closure constraints that are known now."""
    forces = tuple(record.element for record in FORCE_ELEMENTS.values())
    return _model_table(forces, tuple(record.element for record in CONSTRAINTS.values()), _joint_table(joint_numbers()))


@cache
def _model_table(forces: tuple[Any, ...], constraints: tuple[Any, ...], joint: Any) -> type[ModelTable]:
    motion: Any = element_table(PrescribedMotion)
    drive: Any = element_table(DriveState)
    known: dict[str, Any] = {
        "forces": (_tables_by_name(forces), {}),
        "constraints": (_tables_by_name(constraints), {}),
        "motions": (Annotated[dict[str, motion], BeforeValidator(_nothing_as_table)], {}),
        "drives": (Annotated[dict[str, drive], BeforeValidator(_nothing_as_table)], {}),
        "joints": (Annotated[dict[str, joint], BeforeValidator(_nothing_as_table)], {}),
    }
    own: dict[str, Any] = {name: (field.rebuild_annotation(), {}) for name, field in ModelTable.model_fields.items()}
    sections = {name: known.get(name, own[name]) for name in SECTIONS}
    repetition = create_model("RepetitionTable", __base__=RepetitionTable, __doc__=RepetitionTable.__doc__, **sections)
    known["repeat"] = (Union[repetition, list[repetition], None], None)  # noqa: UP007
    table: type[ModelTable] = create_model("ModelTable", __base__=ModelTable, __doc__=ModelTable.__doc__, **known)
    return table


def _tables_by_name(elements: tuple[Any, ...]) -> Any:
    tables = tuple(element_table(element) for element in elements)
    union: Any = Annotated[Union[tables], Field(discriminator="type")]  # noqa: UP007
    return Annotated[dict[str, union], BeforeValidator(_nothing_as_table)]


def json_schema() -> dict[str, Any]:
    """JSON Schema of the native format."""
    schema = model_table().model_json_schema(by_alias=True)
    names = {"type": "array", "items": et.NAME}
    for key in ("inputs", "bodies"):
        whole = schema["properties"].pop(key)
        options = whole.get("anyOf") or [{"type": "object", "additionalProperties": whole["additionalProperties"]}]
        schema["properties"][key] = {"anyOf": [*options, names], "description": whole["description"]}
    return {"$schema": SCHEMA_DIALECT, **schema, "title": "mbsym model"}
