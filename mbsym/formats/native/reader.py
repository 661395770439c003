"""The native format: YAML in which numbers stay the decimals they are and formulas are text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbsym.constraints import CONSTRAINTS, ConstraintElement
from mbsym.errors import FormatError, ModelError, SymbolicError
from mbsym.forces import FORCE_ELEMENTS, JointStop
from mbsym.formats.angles import SAME_ANGLE
from mbsym.formats.findings import report_findings
from mbsym.formats.native.curves import read_curve
from mbsym.formats.native.includes import Include, Load, Reading, with_includes
from mbsym.formats.native.places import INERTIA, LIMITS, SHORT_JOINT, Places
from mbsym.formats.native.repetition import written_out
from mbsym.formats.text_source import Place, TextSource, read_text
from mbsym.formats.yaml_document import Document, DocumentPath, read_yaml
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.beam import Beam
from mbsym.model.beams_of_models import with_beams
from mbsym.model.body import COINCIDENT, Body, Placement
from mbsym.model.drive import DriveState
from mbsym.model.frame import Frame
from mbsym.model.joint import Coupling, Joint
from mbsym.model.limit_stops import limit_stops
from mbsym.model.motion import PrescribedMotion
from mbsym.model.named_state import NamedState
from mbsym.model.names import model_name
from mbsym.model.shape import Shape
from mbsym.model.solid_body import solid_body
from mbsym.model.submodels import Attachment
from mbsym.model.system import Model
from mbsym.model.validate import validate
from mbsym.shapes.forms import FORMS
from mbsym.values.diagnostic import Diagnostic
from mbsym.values.entries import entries_of
from mbsym.values.numbers import evaluate, value_names
from mbsym.values.parameter import ControlInput, NamedExpression, Parameter

if TYPE_CHECKING:
    from mbsym.formats.native import schema

AS_GIVEN = (
    "type", "predecessor", "successor", "second_axis", "armature", "initial", "coordinates", "speeds", "actuated",
    "reaction_wanted", "cut", "weight",
)  # fmt: skip
"""Attributes of a joint that are as its table has them."""

BEAM_AS_GIVEN = (
    "body", "length", "mass", "bending_stiffness", "bends", "tip", "damping", "segments", "modes", "lumped",
    "axial_stiffness", "torsional_stiffness", "torsional_inertia",
)  # fmt: skip
"""Attributes of a beam that are as its table has them."""


def load_native(
    path: str | Path,
    *,
    strict: bool = False,
    snap_angles: float = SAME_ANGLE,
    others: Load | None = None,
    under: str | None = None,
) -> Model:
    """The model that a native file describes.

    Args:
        path: the file.
        strict: impossible inertias are errors even where the file says ``accept_impossible_inertia: true``.
        snap_angles: numbers nearer than this to a multiple of 90 degrees become exact [rad].
        others: reads parts in other formats; without it they are refused.
        under: the directory beneath which all parts must lie, if there is one.

    Raises:
        FormatError: the file cannot be read, or what it describes is no mechanism; ``where`` is ``FILE:LINE:COL``.
    """
    source = read_text(path)
    return read_native(source, strict=strict, snap_angles=snap_angles, others=others, under=under)


def read_native(
    source: TextSource,
    *,
    strict: bool = False,
    snap_angles: float = SAME_ANGLE,
    others: Load | None = None,
    under: str | None = None,
) -> Model:
    """The model that a text in the native format describes; arguments and errors as ``load_native``."""
    document = written_out(read_yaml(source))
    table = read_tables(document, snap_angles)
    places = _with_parts(table, document, Reading(snap_angles, others, (Path(source.name).resolve(),), under))
    model = places.model
    diagnostics = validate(model, strict)
    return report_findings(model, (*diagnostics, *_stated_masses(diagnostics, table, model)), places.where)


def _with_parts(table: schema.ModelTable, document: Document, reading: Reading) -> Places:
    """The model of a file with the parts that it includes, not checked, and where its entries stand."""

    def places_of(source: TextSource, inside: Reading) -> Places:
        inner = written_out(read_yaml(source))
        return _with_parts(read_tables(inner, inside.snap_angles), inner, inside)

    includes = {name: _include(name, item) for name, item in table.include.items()}
    tables = tuple(read_curve(name, item, document, reading) for name, item in table.tables.items())
    return with_includes(replace(_model(table, document), tables=tables), document, includes, reading, places_of)


def read_tables(document: Document, snap_angles: float = SAME_ANGLE) -> schema.ModelTable:
    """The document as the tables of the schema, numbers this near to a multiple of 90 degrees as it [rad].

    Raises:
        FormatError: an entry is unknown, missing or of the wrong kind.
    """
    from pydantic import ValidationError

    from mbsym.formats.native.schema import model_table

    try:
        return model_table().model_validate(document.data, context={"snap_angles": snap_angles})
    except ValidationError as error:
        raise _first_refusal(document, error.errors(include_url=False)) from None


def _first_refusal(document: Document, errors: list[Any]) -> FormatError:
    """The refusal that stands first in the file."""
    found: list[tuple[Place, str, str]] = []
    for item in errors:
        path = _document_path(document, item["loc"])
        context = item.get("ctx", {})
        if item["type"] == "refused":
            if "key" in context:
                place = document.place((*path, context["key"]), of_key=True)
            else:
                place = document.place((*path, *context.get("path", ())))
            found.append((place, context["what"], context["remedy"]))
        elif item["type"] == "missing":
            key = item["loc"][-1]
            found.append((document.place(path, of_key=True), f"the entry {str(key)!r} is missing", f"add {key}: ..."))
        elif item["type"] == "union_tag_not_found":
            found.append((document.place(path, of_key=True), "the entry 'type' is missing", "add type: ..."))
        elif item["type"] == "union_tag_invalid":
            known = context["expected_tags"].replace("'", "")
            place = document.place((*path, "type"))
            found.append((place, f"there is no type {context['tag']!r} here", f"use one of {known}"))
        else:
            place = document.place(path)
            found.append((place, "no table where one belongs", "write it as KEY: VALUE entries, indented alike"))
    place, what, remedy = min(found)
    return document.source.error(place, what, remedy)


def _document_path(document: Document, location: tuple[str | int, ...]) -> DocumentPath:
    """The path in the file of a location in the schema, which also names the types of unions."""
    path: DocumentPath = ()
    for part in location:
        if (*path, part) in document.values:
            path = (*path, part)
        elif part in SHORT_JOINT and isinstance(document.at(path), list) and len(path) == 2:
            path = (*path, SHORT_JOINT[str(part)])
        elif part in INERTIA and isinstance(document.at(path), list):
            path = (*path, INERTIA.index(str(part)))
    return path


# ---- tables to model ------------------------------------------------------------------------------------------------


def _model(table: schema.ModelTable, document: Document) -> Model:
    joints, constraints = read_native_parts(table)
    bodies = (
        _bodies_of_joints(joints, table.ground)
        if table.bodies is None and not table.include
        else tuple(_body(name, item, document) for name, item in (table.bodies or {}).items())
    )
    model = Model(
        name=table.name if table.name is not None else model_name(None, document.source.name),
        bodies=bodies,
        joints=joints,
        forces=(
            *(_element(FORCE_ELEMENTS, name, item) for name, item in table.forces.items()),
            *(stop for joint in joints for stop in _stops(joint, table.joints[joint.name].limits, document)),
        ),
        parameters=tuple(
            Parameter(name, item.value, item.unit, item.symbolic) for name, item in table.parameters.items()
        ),
        inputs=tuple(ControlInput(name, **vars(item)) for name, item in table.inputs.items()),
        couplings=tuple(Coupling(name, item.source, item.ratio, item.offset) for name, item in table.couplings.items()),
        constraints=constraints,
        motions=tuple(PrescribedMotion(name, **_entries(item)) for name, item in table.motions.items()),
        drives=tuple(DriveState(name, **_entries(item)) for name, item in table.drives.items()),
        frames=tuple(_frame(name, item) for name, item in table.frames.items()),
        outputs=tuple(NamedExpression(name, item.expression, item.unit) for name, item in table.outputs.items()),
        shapes=_shapes(table, document),
        states=tuple(
            NamedState(name, tuple(item.q.items()), tuple(item.v.items()), tuple(item.x.items()))
            for name, item in table.states.items()
        ),
        gravity=table.gravity,
        ground=table.ground,
        free_roots=table.free_roots,
        description=table.description.strip(),
        coordinate_order=table.coordinate_order,
        pinocchio_order=table.pinocchio_order,
        accept_impossible_inertia=table.accept_impossible_inertia,
    )
    for name, beam in table.beams.items():
        try:
            model = with_beams(model, (_beam(name, beam),))
        except (ModelError, SymbolicError) as error:
            raise document.error(("beams", name), error.what, error.remedy, of_key=True) from None
    return model


def _include(name: str, table: schema.IncludeTable) -> Include:
    prefix = f"{name}_" if table.prefix is None else table.prefix
    return Include(table.file, Attachment(prefix, table.ground, _placement(table.at), table.connect, table.parameters))


def _beam(name: str, table: schema.BeamTable) -> Beam:
    return Beam(
        name,
        at=_placement(table.at),
        at_tip=_placement(table.at_tip),
        supports=table.supports or "",
        **{key: getattr(table, key) for key in BEAM_AS_GIVEN},
    )


def read_native_parts(table: schema.ModelTable) -> tuple[tuple[Joint, ...], tuple[ConstraintElement, ...]]:
    """The joints and constraints of a table."""
    return (
        tuple(_joint(name, item) for name, item in table.joints.items()),
        tuple(_element(CONSTRAINTS, name, item) for name, item in table.constraints.items()),
    )


def _bodies_of_joints(joints: tuple[Joint, ...], ground: str) -> tuple[Body, ...]:
    """The bodies that joints mention: ascending if all names are numbers, else in the order of first mention."""
    names = dict.fromkeys(name for joint in joints for name in (joint.predecessor, joint.successor) if name != ground)
    if all(name.isascii() and name.isdigit() and len(name) < 10 for name in names):
        return tuple(Body(name) for name in sorted(names, key=lambda name: (int(name), name)))
    return tuple(Body(name) for name in names)


def _body(name: str, table: schema.BodyTable, document: Document) -> Body:
    densities = [table.density if item.density is None else item.density for item in table.geometry]
    if table.density is not None or any(density is not None for density in densities):
        parts = [
            (_shape(name, item), density)
            for item, density in zip(table.geometry, densities, strict=True)
            if density is not None
        ]
        _require_expressions(name, densities, table, document)
        try:
            return solid_body(name, parts, str(Path(document.source.name).parent))
        except (ModelError, SymbolicError) as error:
            key = "geometry" if ("bodies", name, "geometry") in document.values else "density"
            remedy = error.remedy or "use numbers and names"
            raise document.error(("bodies", name, key), error.what, remedy, of_key=True) from None
    J = table.inertia
    inertia = (J.xx, J.yy, J.zz, J.xy, J.xz, J.yz)
    return Body(name, table.mass, table.center_of_mass, inertia, table.inertia_about, table.first_moment)


def _require_expressions(name: str, densities: list[Any], table: schema.BodyTable, document: Document) -> None:
    for position, item in enumerate(table.geometry):
        turn = item.at.quaternion
        if turn is not None and not any(evaluate(part) for part in turn if not value_names(part)):
            what = f"a quaternion of a {item.type} of {name!r} is zero"
            path: DocumentPath = ("bodies", name, "geometry", position, "at", "quaternion")
            raise document.error(path, what, "give (w, x, y, z) of length one")
    for position, density in enumerate(densities):
        own = table.geometry[position].density is not None
        path = ("bodies", name, "geometry", position) if own else ("bodies", name)
        try:
            value_names(density if density is not None else 0)
        except SymbolicError as error:
            raise document.error((*path, "density"), error.what, error.remedy) from None


def _joint(name: str, table: schema.JointTable) -> Joint:
    return Joint(
        name=name,
        axis=(0, 0, 1) if table.axis is None else table.axis,
        predecessor_placement=_placement(table.at),
        successor_placement=_placement(table.at_successor),
        numbers={number.name: getattr(table, number.name) for number in JOINT_TYPES[table.type].numbers},
        **{key: getattr(table, key) for key in AS_GIVEN},
        **{key: getattr(table.limits, key) for key in LIMITS},
    )


def _stops(joint: Joint, table: schema.LimitsTable, document: Document) -> tuple[JointStop, ...]:
    if table.stop is None:
        return ()
    try:
        return limit_stops(joint, table.stop.stiffness, table.stop.damping)
    except ModelError as error:
        path: DocumentPath = ("joints", joint.name, "limits", "stop", *[error.where] * (error.where != "stop"))
        raise document.error(path, error.what, error.remedy, of_key=True) from None


def _frame(name: str, table: schema.FrameTable) -> Frame:
    axes: Any = table.axes
    return Frame(name, table.body, _placement(table.at), axes, table.kind, table.in_functions)


def _shapes(table: schema.ModelTable, document: Document) -> tuple[Shape, ...]:
    found = [_shape(table.ground, item) for item in table.ground_geometry]
    for name, body in (table.bodies or {}).items():
        found += [_shape(name, item) for item in body.geometry]
    for name, frame in table.frames.items():
        if frame.geometry and name in (table.ground, *(table.bodies or {})):
            what = f"a body has the name of frame {name!r}"
            raise document.error(("frames", name, "geometry"), what, "rename the frame", of_key=True)
        found += [_shape(name, item) for item in frame.geometry]
    return tuple(found)


def _shape(body: str, table: Any) -> Shape:
    form: Any = FORMS[table.type].element
    entries = {entry.key: getattr(table, entry.key) for entry in entries_of(form)}
    return Shape(body, form(**entries), _placement(table.at), table.color, table.name)


def _placement(table: schema.PlacementTable) -> Placement:
    if table.rpy is not None:
        roll, pitch, yaw = table.rpy
        placement = Placement.from_rpy(roll, pitch, yaw, table.translation)
    else:
        placement = Placement(table.translation, table.rotation, table.quaternion)
    return COINCIDENT if placement == COINCIDENT else placement


def _element(known: Mapping[str, Any], name: str, table: Any) -> Any:
    """A force element or constraint."""
    return known[table.type].element(name=name, **_entries(table))


def _entries(table: Any) -> dict[str, Any]:
    return {key: getattr(table, key) for key in table.keys() if key != "type"}  # noqa: SIM118


def _stated_masses(
    diagnostics: tuple[Diagnostic, ...], table: schema.ModelTable, model: Model
) -> tuple[Diagnostic, ...]:
    """Errors for masses of zero written down where no body has any: that is no file of topology alone."""
    if not any(item.path == ("bodies",) and item.severity == "warning" for item in diagnostics) or not table.bodies:
        return ()
    return tuple(
        Diagnostic(
            "error",
            ("bodies", index, "mass"),
            f"body {body.name!r} has a mass of zero, and so have all others",
            "give masses, or leave all entries 'mass' out for topology alone",
        )
        for index, body in enumerate(model.bodies)
        if body.name in table.bodies and "mass" in table.bodies[body.name].model_fields_set
    )
