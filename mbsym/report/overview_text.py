"""An overview of a model as text: figures first, then a table for each kind of thing that the model has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from textwrap import wrap

from mbsym.markup import fitted_table
from mbsym.model.coordinate_order import order_in_words
from mbsym.model.drive import DriveState
from mbsym.report.overview import Overview
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import ControlInput, Value
from mbsym.values.table import Table

_INDENT = 20


def overview_text(found: Overview, width: int | None = None) -> str:
    """The overview in lines.

    Args:
        found: it.
        width: of the terminal in letters, None where lines may be as long as they are.
    """
    blocks = ["\n".join(line for term, text in _figures(found) for line in _entry(term, text, width))]
    for heading, rows in _tables(found):
        if len(rows) > 1:
            blocks.append("\n".join((heading, *fitted_table(rows, width))))
    told = {"start": found.start, "closure equations": found.reasons, "what does not fit": found.findings}
    for heading, sentences in told.items():
        if sentences:
            blocks.append("\n".join((heading, *(line for text in sentences for line in bullet(text, width)))))
    return "\n\n".join(blocks) + "\n"


def _entry(term: str, text: str, width: int | None) -> list[str]:
    """A term and its text, which goes on below itself."""
    lines = [text] if width is None else wrap(text, max(width - _INDENT, 20))
    return [f"{term if k == 0 else '':{_INDENT}}{line}" for k, line in enumerate(lines)]


def bullet(text: str, width: int | None) -> list[str]:
    """A sentence of a list in lines that fit the terminal."""
    lines = [text] if width is None else wrap(text, max(width - 2, 20))
    return [f"{'*' if k == 0 else ' '} {line}" for k, line in enumerate(lines)]


def _figures(found: Overview) -> Iterator[tuple[str, str]]:
    model, labelling = found.model, found.labelling
    numbers = parameter_values(model)
    yield "name", model.name
    if model.description.strip():
        yield "description", " ".join(model.description.split())
    mass = f", {_number(sum(found.masses))} kg in all" if found.masses else ""
    yield "bodies", f"{labelling.nb}{mass}"
    types = ", ".join(f"{count} {name}" for name, count in found.joint_types.items())
    yield "joints", f"{labelling.nj}{': ' if types else ''}{types}"
    if labelling.added_joints:
        yield "free joints added", ", ".join(map(str, labelling.added_joints))
    yield "cut joints", ", ".join(map(str, labelling.cut_joints)) or "none"
    yield "tree", f"{_count(found.nq, 'coordinate')} (nq), {_count(found.nv, 'speed')} (nv)"
    yield "degrees of freedom", _freedoms(found)
    if found.loops:
        rows = [loop.rows for loop in found.loops if loop.rows is not None]
        more = sum(len(loop.dependent) for loop in found.loops)
        known = f", {_count(sum(rows), 'closure equation')}, {more} of them redundant" if rows else ""
        yield (
            "closed by",
            f"{_count(len(labelling.cut_joints), 'cut joint')}, {_count(len(model.constraints), 'constraint')}{known}",
        )
    yield "order of q and v", order_in_words(model)
    if model.states:
        yield "named states", ", ".join(state.name for state in model.states)
    if model.shapes:
        kinds = Counter(shape.form.type for shape in model.shapes)
        yield "shapes", ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    yield "gravity", f"{', '.join(_number(evaluate(entry, numbers)) for entry in model.gravity)} m/s^2"


def _freedoms(found: Overview) -> str:
    if found.freedoms is None:
        return "not known, see below"
    still = " (a structure: nothing can move)" if found.freedoms == 0 else ""
    driven = len(found.model.motions)
    prescribed = f", {driven} of them prescribed by {'motions' if driven > 1 else 'a motion'}" if driven else ""
    return f"{found.freedoms}{' with closed loops' if found.loops else ''}{still}{prescribed}"


def _inputs(items: Sequence[ControlInput], number: Callable[[Value | None], str]) -> list[Sequence[str]]:
    rows = [("u", "input", "unit", "lower", "upper")]
    rows += [(f"u[{k}]", each.name, each.unit, number(each.lower), number(each.upper)) for k, each in enumerate(items)]
    if not any(each.saturates for each in items):
        return [*rows]
    told = ["saturates", *("saturates" if each.saturates else "" for each in items)]
    return [(*row, word) for row, word in zip(rows, told, strict=True)]


def _tables(found: Overview) -> Iterator[tuple[str, list[Sequence[str]]]]:
    """Headings and rows; the first row of each names the columns."""
    model, labelling = found.model, found.labelling
    numbers = parameter_values(model)

    def number(value: Value | None) -> str:
        return "" if value is None else _number(evaluate(value, numbers))

    masses = [_number(mass) for mass in found.masses] or [""] * len(model.bodies)
    bodies = sorted(
        (labelling.body_labels[body.name], body.name, mass) for body, mass in zip(model.bodies, masses, strict=True)
    )
    parents = dict(enumerate(labelling.inboard, start=1))
    names = labelling.body_names
    tree = [
        (str(label), name, str(names[parents[label]]), str(labelling.joint_names[label - 1]), mass)
        for label, name, mass in bodies
    ]
    yield "bodies by label", [("label", "body", "parent", "joint", "mass [kg]"), *tree]
    entries = [
        (
            _range("q", item.q),
            _listed(item.coordinates),
            _range("v", item.v),
            _listed(item.speeds),
            item.joint,
            item.type,
        )
        for item in found.entries
    ]
    yield "coordinates and speeds", [("q", "coordinates", "v", "speeds", "joint", "type"), *entries]
    loops = [
        (
            loop.name,
            loop.type,
            "" if loop.rows is None else str(loop.rows),
            ", ".join(map(str, loop.dependent)),
            " ".join(f"{'+' if sign > 0 else '-'} {joint}" for joint, sign in loop.joints.items()),
        )
        for loop in found.loops
    ]
    yield "loops", [("closed by", "type", "equations", "redundant", "motion over it"), *loops]
    coupled = [(item.joint, item.source, number(item.ratio), number(item.offset)) for item in model.couplings]
    yield "coupled joints", [("joint", "follows", "ratio", "offset"), *coupled]
    yield "frames", [("frame", "body", "axes"), *((item.name, item.body, item.axes) for item in model.frames)]
    elements = [(item.name, item.type, item.holders) for item in found.attachments]
    yield "elements", [("element", "type", "holds on to"), *elements]
    motions = [(item.name, item.joint, str(item.index), item.gives, str(item.law)) for item in model.motions]
    yield "motions", [("motion", "joint", "speed", "gives", "law"), *motions]
    yield "inputs", _inputs(model.inputs, number)
    yield "drives", [("x", "drive", "rate", "initial", "unit"), *map(_drive, count(), model.drives)]
    outputs = [(f"y[{k}]", item.name, str(item.expression), item.unit) for k, item in enumerate(model.outputs)]
    yield "outputs", [("y", "output", "expression", "unit"), *outputs]
    yield "tables", [("table", "from", "points", "between", "outside"), *map(_curve, model.tables)]
    parameters = [
        (item.name, _number(numbers[item.name]), item.unit, "run-time argument" if item.symbolic else "folded in")
        for item in model.parameters
    ]
    yield "parameters", [("parameter", "value", "unit", "in generated code"), *parameters]


def _drive(place: int, drive: DriveState) -> Sequence[str]:
    """A row of a state of a drive."""
    return (f"x[{place}]", drive.name, str(drive.rate), str(drive.initial), drive.unit)


def _curve(table: Table) -> Sequence[str]:
    """A table's row."""
    ways = (table.x, table.y)[: table.arguments]
    return (
        f"{table.name}({'x, y' if table.z else 'x'})",
        " and ".join(f"{_number(at[0])} to {_number(at[-1])}" for at in ways),
        " x ".join(str(len(at)) for at in ways),
        table.between,
        table.outside,
    )


def _listed(names: Sequence[str]) -> str:
    """Names in a row; of three and more that begin alike the beginning once: q_ball_{w,x,y,z}."""
    stem = names[0][: names[0].rfind("_") + 1] if len(names) > 2 else ""
    if not stem or not all(name.startswith(stem) for name in names):
        return ", ".join(names)
    return f"{stem}{{{','.join(name.removeprefix(stem) for name in names)}}}"


def _range(letter: str, bounds: tuple[int, int]) -> str:
    start, stop = bounds
    return f"{letter}[{start}]" if stop == start + 1 else f"{letter}[{start}..{stop - 1}]"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"
