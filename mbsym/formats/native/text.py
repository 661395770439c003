"""Models as text in the native format: stable, readable, and read back as the same model."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

from mbsym.constraints import ConstraintElement
from mbsym.conventions import STANDARD_GRAVITY
from mbsym.errors import FormatError
from mbsym.forces import ForceElement
from mbsym.formats.angles import kept_angle
from mbsym.formats.yaml_document import NOT_ALLOWED
from mbsym.model.beam import Beam
from mbsym.model.beams_of_models import with_beams, without_beams
from mbsym.model.body import COINCIDENT, Body, Placement
from mbsym.model.frame import Frame
from mbsym.model.frame_ends import attachable_frames
from mbsym.model.joint import Coupling, Joint
from mbsym.model.named_state import NamedState
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.shapes.forms import Form
from mbsym.values.entries import entries_of
from mbsym.values.parameter import ControlInput, Parameter, Value

Tree = dict[str, Any]
"""Keys with a tree, a list in one line, or the text of a scalar."""

_PLAIN = re.compile(r"-?[A-Za-z0-9_.(][A-Za-z0-9_.+*/()^-]*(?: [A-Za-z0-9_.+*/(-][A-Za-z0-9_.+*/()^-]*)*")
_MEANINGFUL = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "~", "nan", "inf"))
_WIDTH = 110
_DIRECTIONS = {(1, 0, 0): "x", (0, 1, 0): "y", (0, 0, 1): "z", (-1, 0, 0): "-x", (0, -1, 0): "-y", (0, 0, -1): "-z"}


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
    tree: Tree = {"name": quoted(model.name)}
    if model.description:
        tree["description"] = quoted(model.description)
    if model.gravity != STANDARD_GRAVITY:
        tree["gravity"] = _list(model.gravity)
    if model.ground != "ground":
        tree["ground"] = quoted(model.ground)
    for key in ("free_roots", "accept_impossible_inertia"):
        if getattr(model, key):
            tree[key] = "true"
    order = model.coordinate_order
    if order != "file":
        tree["coordinate_order"] = order if isinstance(order, str) else [quoted(name) for name in order]
    if model.pinocchio_order:
        tree["pinocchio_order"] = [quoted(name) for name in model.pinocchio_order]
    if model.parameters:
        tree["parameters"] = {parameter.name: _parameter(parameter) for parameter in model.parameters}
    if model.inputs:
        tree["inputs"] = {item.name: _input(item) for item in model.inputs}
    carried: dict[str, list[str]] = {}
    for shape in model.shapes:
        carried.setdefault(shape.body, []).append(_shape(shape))
    tree["bodies"] = {body.name: _body(body, carried.get(body.name, [])) for body in model.bodies}
    if model.joints:
        tree["joints"] = {joint.name: _joint(joint) for joint in model.joints}
    if beams:
        tree["beams"] = {beam.name: _beam(beam) for beam in beams}
    if model.forces:
        tree["forces"] = {force.name: _typed(force) for force in model.forces}
    if model.couplings:
        tree["couplings"] = {coupling.joint: _coupling(coupling) for coupling in model.couplings}
    if model.constraints:
        tree["constraints"] = {item.name: _typed(item) for item in model.constraints}
    if model.frames:
        attachable = attachable_frames(model)
        tree["frames"] = {
            frame.name: _frame(frame, carried.get(frame.name, []) if frame.name in attachable else [])
            for frame in model.frames
        }
    if model.ground in carried:
        tree["ground_geometry"] = carried[model.ground]
    if model.states:
        tree["states"] = {state.name: _state(state) for state in model.states}
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
    from mbsym.symbolic.graph import Graph
    from mbsym.symbolic.scalar import symbol
    from mbsym.symbolic.show import show_value
    from mbsym.values.numbers import to_scalar, value_names

    graph = Graph()
    scalar = to_scalar(value, graph, {name: symbol(graph, name) for name in value_names(value)})
    text = show_value(graph, scalar.ref)
    if "#" in text:
        raise FormatError("a SymPy expression is too long to write", remedy="split it with parameters")
    return text


def quoted(text: str) -> str:
    """Text as a YAML scalar, in quotation marks where it would mean something else without."""
    if _PLAIN.fullmatch(text) and text.lower() not in _MEANINGFUL and " -" not in text[:2]:
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
    if all(type(value) is int for value in exact) and exact in _DIRECTIONS:
        return _DIRECTIONS[exact]
    return _list(values)


def _parameter(parameter: Parameter) -> str | Tree:
    if not parameter.unit and not parameter.symbolic:
        return _scalar(parameter.value)
    tree: Tree = {"value": _scalar(parameter.value)}
    if parameter.unit:
        tree["unit"] = quoted(parameter.unit)
    if parameter.symbolic:
        tree["symbolic"] = "true"
    return _flow(tree)


def _input(item: ControlInput) -> str | Tree:
    tree: Tree = {"unit": quoted(item.unit)} if item.unit else {}
    tree |= {key: _scalar(value) for key, value in (("lower", item.lower), ("upper", item.upper)) if value is not None}
    return _flow(tree) if tree else "{}"


def _flow(tree: Tree) -> str:
    return "{" + ", ".join(f"{key}: {_flow_part(value)}" for key, value in tree.items()) + "}"


def _flow_part(value: Any) -> str:
    if isinstance(value, dict):
        return _flow(value)
    return f"[{', '.join(value)}]" if isinstance(value, list) else str(value)


def _shape(shape: Shape) -> str:
    tree = _typed(shape.form)
    if shape.placement != COINCIDENT:
        tree["at"] = _placement(shape.placement)
    if shape.color is not None:
        tree["color"] = _list(shape.color)
    if shape.name:
        tree["name"] = quoted(shape.name)
    return _flow(tree)


def _body(body: Body, shapes: list[str]) -> str | Tree:
    tree: Tree = {}
    if not _is_default(body.mass, 0):
        tree["mass"] = _scalar(body.mass)
    if not _is_default(body.center_of_mass, (0, 0, 0)):
        tree["center_of_mass"] = _list(body.center_of_mass)
    if not _is_default(body.inertia, (0,) * 6):
        short = _is_default(body.inertia[3:], (0, 0, 0))
        tree["inertia"] = _list(body.inertia[:3] if short else body.inertia)
    if body.inertia_about != "center_of_mass":
        tree["inertia_about"] = body.inertia_about
    if body.first_moment is not None:
        tree["first_moment"] = _list(body.first_moment)
    if shapes:
        tree["geometry"] = shapes
    return tree or "{}"


def _is_default(value: Any, default: Any) -> bool:
    """Whether leaving a value out gives it back: equal and of the same kind."""
    if isinstance(default, tuple):
        return len(value) == len(default) and all(map(_is_default, value, default))
    return type(value) is type(default) and value == default


def _joint(joint: Joint) -> Tree:
    tree: Tree = {"type": joint.type, "from": quoted(joint.predecessor), "to": quoted(joint.successor)}
    taken = joint.kind.entries
    if "axis" in taken and not _is_default(joint.axis, (0, 0, 1)):
        tree["axis"] = _direction(joint.axis)
    if "second_axis" in taken and joint.second_axis is not None:
        tree["second_axis"] = _direction(joint.second_axis)
    for key, placement in (("at", joint.predecessor_placement), ("at_successor", joint.successor_placement)):
        if placement != COINCIDENT:
            tree[key] = _placement(placement)
    for number, value in zip(joint.kind.numbers, joint.values, strict=True):
        if not _is_default(value, 0):
            tree[number.name] = _scalar(value)
    if not joint.kind.is_rigid and not _is_default(joint.armature, 0):
        tree["armature"] = _scalar(joint.armature)
    limits = {
        key: _one_or_list(getattr(joint, key))
        for key in ("lower", "upper", "effort", "velocity")
        if getattr(joint, key)
    }
    if limits:
        tree["limits"] = limits
    if joint.initial:
        tree["initial"] = _one_or_list(joint.initial)
    for key in ("coordinates", "speeds"):
        if getattr(joint, key):
            tree[key] = _one_or_list(getattr(joint, key))
    for key in ("actuated", "reaction_wanted"):
        if getattr(joint, key):
            tree[key] = "true"
    if joint.cut != "auto":
        tree["cut"] = joint.cut
    if joint.weight is not None:
        tree["weight"] = str(joint.weight)
    return tree


def _beam(beam: Beam) -> Tree:
    tree: Tree = {"from": quoted(beam.body)}
    if beam.tip:
        tree["to"] = quoted(beam.tip)
    tree |= {"length": _scalar(beam.length), "mass": _scalar(beam.mass)}
    tree["bending_stiffness"] = _one_or_list(beam.bending_stiffness)
    if beam.bends != "z":
        tree["bends"] = quoted(beam.bends)
    if not _is_default(beam.damping, 0):
        tree["damping"] = _scalar(beam.damping)
    if beam.segments is not None:
        tree["segments"] = str(beam.segments)
    if beam.modes:
        tree["modes"] = str(beam.modes)
    if beam.supports:
        tree["supports"] = beam.supports
    if beam.lumped:
        tree["lumped"] = "true"
    for key, placement in (("at", beam.at), ("at_tip", beam.at_tip)):
        if placement != COINCIDENT:
            tree[key] = _placement(placement)
    return tree


def _frame(frame: Frame, shapes: list[str]) -> Tree:
    tree: Tree = {"body": quoted(frame.body)}
    if frame.placement != COINCIDENT:
        tree["at"] = _placement(frame.placement)
    if frame.axes != "local":
        tree["axes"] = frame.axes
    if frame.kind != "frame":
        tree["kind"] = frame.kind
    if shapes:
        tree["geometry"] = shapes
    return tree


def _state(state: NamedState) -> Tree:
    return {
        key: {joint: _one_or_list(values) for joint, values in entries}
        for key, entries in (("q", state.q), ("v", state.v))
        if entries
    }


def _placement(placement: Placement) -> list[str] | Tree:
    if not placement.rotation and placement.quaternion is None:
        return _list(placement.translation)
    tree: Tree = {}
    if not _is_default(placement.translation, (0, 0, 0)):
        tree["translation"] = _list(placement.translation)
    if placement.rotation:
        tree["rotation"] = [f"[{axis}, {_scalar(kept_angle(angle))}]" for axis, angle in placement.rotation]
    if placement.quaternion is not None:
        tree["quaternion"] = _list(placement.quaternion)
    return tree


def _typed(element: ForceElement | ConstraintElement | Form) -> Tree:
    """Its type, then its entries but those with their default values."""
    tree: Tree = {"type": element.type}
    for entry in entries_of(type(element)):
        value = getattr(element, entry.key)
        if not entry.required and _is_default(value, entry.default):
            continue
        if isinstance(value, tuple):
            tree[entry.key] = _direction(value) if entry.kind == "direction" else _list(value)
        else:
            tree[entry.key] = _scalar(value)
    return tree


def _coupling(coupling: Coupling) -> Tree:
    tree: Tree = {"source": quoted(coupling.source)}
    for key, default in (("ratio", 1), ("offset", 0)):
        if not _is_default(getattr(coupling, key), default):
            tree[key] = _scalar(getattr(coupling, key))
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
