"""Models as text in the native format: stable, readable, and read back as the same model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import cache
from inspect import signature
from textwrap import wrap
from types import MappingProxyType
from typing import Any

from mbsym.constraints import ConstraintElement
from mbsym.conventions import STANDARD_GRAVITY
from mbsym.errors import FormatError
from mbsym.forces import ForceElement
from mbsym.formats.angles import kept_angle
from mbsym.formats.yaml_document import NOT_ALLOWED
from mbsym.model.beam import Beam
from mbsym.model.beams_of_models import with_beams, without_beams
from mbsym.model.body import Body, Placement
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import attachable_frames
from mbsym.model.joint import Joint
from mbsym.model.named_state import NamedState
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.shapes.forms import Form
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import symbol
from mbsym.symbolic.show import show_value
from mbsym.values.entries import entries_of
from mbsym.values.given import DIRECTIONS
from mbsym.values.numbers import to_scalar, value_names
from mbsym.values.parameter import NamedExpression, Parameter, Value
from mbsym.values.table import Table

Tree = dict[str, Any]
"""Keys with a tree, a list in one line, or the text of a scalar."""

_PLAIN = re.compile(r"-?[A-Za-z0-9_.(][A-Za-z0-9_.+*/()^-]*(?: [A-Za-z0-9_.+*/(-][A-Za-z0-9_.+*/()^-]*)*")
_MEANINGFUL = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "~", "nan", "inf"))
_WIDTH = 110
_CONTINUED = f"\n{' ' * 8}"
_WORDS = {components: word for word, components in DIRECTIONS.items()}

PLACED = {"at": "predecessor_placement", "at_successor": "successor_placement"}
"""Attributes of a joint by their keys."""

COUNTED = frozenset(("weight", "segments", "modes"))
"""Attributes that are whole numbers, which values of other kinds are written as."""


def dump_native(model: Model) -> str:
    """The text of a native file that describes the model.

    Reading it gives an equal model; numbers come back as integers or decimal text, SymPy expressions as text. What
    has its default value is left out. The warnings of the model are not part of the text.

    Raises:
        FormatError: a value has no text.
    """
    beams, bare = model.beams, without_beams(model) if model.beams else model
    if beams and with_beams(bare, beams) == model:
        model = bare
    else:
        beams = ()
    carried: dict[str, list[str]] = {}
    for shape in model.shapes:
        carried.setdefault(shape.body, []).append(_shape(shape))
    on_frames = {name: carried[name] for name in attachable_frames(model) if name in carried}
    tree = _tree(
        {
            "name": quoted(model.name),
            "description": _given(model.description, "", quoted),
            "gravity": None if model.gravity == STANDARD_GRAVITY else _list(model.gravity),
            "ground": _given(model.ground, "ground", quoted),
            "free_roots": _flag(model.free_roots),
            "accept_impossible_inertia": _flag(model.accept_impossible_inertia),
            "coordinate_order": _given(model.coordinate_order, "file", _order),
            "pinocchio_order": _order(model.pinocchio_order),
            "parameters": _named(_parameter, model.parameters),
            "inputs": _named(lambda item: _flow(_stated(item, ("unit", "lower", "upper", "saturates"))), model.inputs),
            "bodies": {body.name: _body(body, carried.get(body.name, [])) for body in model.bodies} or "{}",
            "joints": _named(_joint, model.joints),
            "beams": _named(_beam, beams),
            "forces": _named(_typed, model.forces),
            "couplings": {item.joint: _stated(item, ("source", "ratio", "offset")) for item in model.couplings},
            "constraints": _named(_typed, model.constraints),
            "motions": _named(_entries, model.motions),
            "drives": _named(_entries, model.drives),
            "outputs": _named(_output, model.outputs),
            "tables": _named(_curve, model.tables),
            "frames": {frame.name: _frame(frame, on_frames.get(frame.name, [])) for frame in model.frames},
            "ground_geometry": carried.get(model.ground),
            "states": _named(_state, model.states),
        }
    )
    return "\n".join(_lines(tree, 0)) + "\n"


def value_text(value: Value) -> str:
    """A value as it stands in a file: a decimal, a fraction, or an expression.

    Raises:
        FormatError: the value is no number, text or SymPy expression.
    """
    if isinstance(value, bool):
        raise FormatError(f"{value} is no number", remedy="give a number or an expression")
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    if hasattr(value, "free_symbols"):
        return _sympy_text(value)
    if hasattr(value, "__float__"):
        return repr(float(value))
    raise FormatError(f"{value!r} has no text", remedy="give a number, text or a SymPy expression")


def _sympy_text(value: Any) -> str:
    graph = Graph()
    scalar = to_scalar(value, graph, {name: symbol(graph, name) for name in value_names(value)})
    text = show_value(graph, scalar.ref)
    if "#" in text:
        raise FormatError("a SymPy expression is too long to write", remedy="split it with parameters")
    return text


def quoted(text: str) -> str:
    """Text as a YAML scalar, in quotation marks where it would mean something else without."""
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _MEANINGFUL and " -" not in text[:2]
    # Text that opens more than it closes is what a comma has cut, for the reader.
    if is_plain and text.count("(") <= text.count(")"):
        return text
    written = json.dumps(text, ensure_ascii=False)
    return NOT_ALLOWED.sub(lambda found: f"\\u{ord(found.group()):04x}", written)


# ---- model to tree --------------------------------------------------------------------------------------------------


def _scalar(value: Value) -> str:
    return quoted(value_text(value))


def _list(values: Any) -> list[str]:
    return [_scalar(value) for value in values]


def _one_or_list(values: Any) -> str | list[str]:
    return _scalar(values[0]) if len(values) == 1 else _list(values)


def _direction(values: Any) -> str | list[str]:
    exact = tuple(values)
    if all(type(value) is int for value in exact) and exact in _WORDS:
        return _WORDS[exact]
    return _list(values)


def _order(order: str | Sequence[str]) -> str | list[str]:
    return order if isinstance(order, str) else [quoted(name) for name in order]


def _is_default(value: Any, default: Any) -> bool:
    """Whether leaving a value out gives it back: equal and, but for words, of the same kind."""
    if isinstance(default, tuple):
        return len(value) == len(default) and all(map(_is_default, value, default))
    return (type(value) is type(default) or isinstance(default, str)) and bool(value == default)


def _given(value: Any, default: Any, write: Callable[[Any], Any] = _scalar) -> Any:
    """What a file says of a value, None of its default."""
    return None if _is_default(value, default) else write(value)


def _flag(value: bool) -> str | None:
    return "true" if value else None


def _tree(entries: Tree) -> Tree:
    """The entries that say something."""
    return {key: entry for key, entry in entries.items() if entry}


def _named(write: Callable[[Any], str | Tree], items: Iterable[Any]) -> Tree:
    return {item.name: write(item) for item in items}


def _written(value: Any) -> str | list[str] | Tree:
    """A value of any kind: a scalar, a placement, or several values, of which a file lists one by itself."""
    if isinstance(value, Placement):
        return _placement(value)
    return _one_or_list(value) if isinstance(value, (tuple, list)) else _scalar(value)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """What arguments are where they are not given; those that a constructor takes by keyword alone are fields."""
    given = {name: parameter.default for name, parameter in signature(kind).parameters.items()}
    return {**{item.name: item.default for item in fields(kind)}, **given}


def _stated(item: Any, keys: Iterable[str], attributes: Mapping[str, str] = MappingProxyType({})) -> Tree:
    """What an item has under these keys but for its defaults; attributes that have other names stand beside."""
    kind: type = type(item)
    defaults = _defaults(kind)
    tree: Tree = {}
    for key in keys:
        name = attributes.get(key, key)
        value, default = getattr(item, name), defaults[name]
        # Flags and counts may come from NumPy, whose kinds are others.
        if isinstance(default, bool):
            tree |= {key: str(bool(value)).lower()} if bool(value) != default else {}
        elif not _is_default(value, default):
            tree[key] = str(value) if name in COUNTED else _written(value)
    return tree


def _parameter(parameter: Parameter) -> str | Tree:
    value = _scalar(parameter.value)
    tree = _stated(parameter, ("unit", "symbolic"))
    return _flow({"value": value, **tree}) if tree else value


def _output(item: NamedExpression) -> str | Tree:
    expression = _scalar(item.expression)
    return _flow({"expression": expression, "unit": _scalar(item.unit)}) if item.unit else expression


def _curve(item: Table) -> Tree:
    numbers = {key: _numbers(getattr(item, key)) for key in ("x", "y")}
    rows = f"[{f',{_CONTINUED} '.join(map(_numbers, item.z))}]" if item.z else ""
    return _tree({**numbers, "z": rows, **_stated(item, ("between", "outside"))})


def _numbers(values: Sequence[float]) -> str:
    """Numbers in brackets, on as many lines as they need."""
    return f"[{_CONTINUED.join(wrap(', '.join(map(repr, values)), _WIDTH - len(_CONTINUED)))}]"


def _flow(tree: Tree) -> str:
    return "{" + ", ".join(f"{key}: {_flow_part(value)}" for key, value in tree.items()) + "}"


def _flow_part(value: Any) -> str:
    if isinstance(value, dict):
        return _flow(value)
    return f"[{', '.join(value)}]" if isinstance(value, list) else str(value)


def _shape(shape: Shape) -> str:
    return _flow(_typed(shape.form) | _stated(shape, ("at", "color", "name"), {"at": "placement"}))


def _body(body: Body, shapes: list[str]) -> str | Tree:
    products = not _is_default(body.inertia[3:], (0, 0, 0))
    tree = {
        **_stated(body, ("mass", "center_of_mass")),
        "inertia": _list(body.inertia) if products else _given(body.inertia[:3], (0, 0, 0), _list),
        **_stated(body, ("inertia_about", "first_moment")),
        "geometry": shapes,
    }
    return _tree(tree) or "{}"


def _joint(joint: Joint) -> Tree:
    axes: Tree = {
        key: _given(getattr(joint, key), default, _direction)
        for key, default in (("axis", (0, 0, 1)), ("second_axis", None))
        if key in joint.kind.entries
    }
    numbers = zip(joint.kind.numbers, joint.values, strict=True)
    return _tree(
        {
            **_stated(joint, ("type", "from", "to"), {"from": "predecessor", "to": "successor"}),
            **axes,
            **_stated(joint, PLACED, PLACED),
            **{number.name: _given(value, 0) for number, value in numbers},
            **({} if joint.kind.is_rigid else _stated(joint, ("armature",))),
            "limits": _stated(joint, ("lower", "upper", "effort", "velocity")),
            **_stated(joint, ("initial", "coordinates", "speeds", "actuated", "reaction_wanted", "cut", "weight")),
        }
    )


def _beam(beam: Beam) -> Tree:
    return _stated(
        beam,
        (
            "from", "to", "length", "mass", "bending_stiffness", "bends", "axial_stiffness", "torsional_stiffness",
            "torsional_inertia", "damping", "segments", "modes", "supports", "lumped", "at", "at_tip",
        ),
        {"from": "body", "to": "tip"},
    )  # fmt: skip


def _frame(frame: Frame, shapes: list[str]) -> Tree:
    return _tree(
        {**_stated(frame, ("body", "at", "axes", "kind", "in_functions"), {"at": "placement"}), "geometry": shapes}
    )


def _state(state: NamedState) -> Tree:
    drives = {"x": {drive: _scalar(value) for drive, value in state.x}} if state.x else {}
    moving: Tree = {
        key: {joint: _one_or_list(values) for joint, values in entries}
        for key, entries in (("q", state.q), ("v", state.v))
        if entries
    }
    return moving | drives


def _placement(placement: Placement) -> list[str] | Tree:
    if not placement.rotation and placement.quaternion is None:
        return _list(placement.translation)
    return _tree(
        {
            "translation": _given(placement.translation, (0, 0, 0), _list),
            "rotation": [f"[{axis}, {_scalar(kept_angle(angle))}]" for axis, angle in placement.rotation],
            "quaternion": _given(placement.quaternion, None, _list),
        }
    )


def _typed(element: ForceElement | ConstraintElement | Form) -> Tree:
    """Its type, then its entries."""
    return {"type": element.type, **_entries(element)}


def _entries(element: Any) -> Tree:
    """Its entries but those with their default values."""
    tree: Tree = {}
    for entry in entries_of(type(element)):
        value = getattr(element, entry.key)
        if entry.required or not _is_default(value, entry.default):
            write = _scalar if not isinstance(value, tuple) else _direction if entry.kind == "direction" else _list
            tree[entry.key] = write(value)
    return tree


# ---- tree to text ---------------------------------------------------------------------------------------------------


def _lines(tree: Tree, depth: int) -> list[str]:
    indent = "  " * depth
    lines = []
    for key, value in tree.items():
        head = f"{indent}{quoted(key)}:"
        if isinstance(value, dict):
            if value:
                lines += [head, *_lines(value, depth + 1)]
            else:
                lines.append(f"{head} {{}}")
        elif isinstance(value, list):
            text = f"{head} [{', '.join(value)}]"
            if len(text) <= _WIDTH and not any(item.startswith("{") for item in value):
                lines.append(text)
            else:
                lines += [head, *(f"{indent}  - {item}" for item in value)]
        else:
            lines.append(f"{head} {value}")
    return lines
