"""What a generated module says about the mechanism: the roadmap table of its header and its manifest's fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf, isfinite
from operator import itemgetter
from textwrap import wrap
from typing import Final, TypeAlias

from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.initial_coordinates import initial_coordinates, normalised
from mbsym.kinematics.mechanism import Mechanism
from mbsym.markup import aligned
from mbsym.model.coordinate_order import order_in_words
from mbsym.model.drive import DriveState
from mbsym.model.joint import Joint
from mbsym.model.names import expression_names
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import ControlInput

WIDTH: Final = 110
"""Of a line of the roadmap."""


def body_rows(mechanism: Mechanism) -> tuple[tuple[str, ...], ...]:
    """A heading and a row a body: label, body, parent, joint, its type, ranges of q and v."""
    names = _body_names(mechanism)
    rows = [("label", "body", "parent", "joint", "type", "q", "v")]
    for body in mechanism.bodies:
        joint = f"{body.joint.name} (walked backwards)" if body.flipped else body.joint.name
        rows.append(
            (
                str(body.label),
                body.name,
                f"{body.parent} {names[body.parent]}",
                joint,
                body.joint.type,
                _range("q", body.q_range),
                _range("v", body.v_range),
            )
        )
    return tuple(rows)


def cut_rows(mechanism: Mechanism) -> tuple[tuple[str, ...], ...]:
    """A heading and a row a cut joint: label, joint, the bodies that it ties, its type; nothing where none is cut."""
    names = _body_names(mechanism)
    rows = [
        (str(item.label), item.joint.name, names[item.predecessor], names[item.successor], item.joint.type)
        for item in mechanism.cut_joints
    ]
    return (("label", "cut joint", "from", "to", "type"), *rows) if rows else ()


def _body_names(mechanism: Mechanism) -> dict[int, str]:
    return {0: mechanism.model.ground} | {body.label: body.name for body in mechanism.bodies}


def layout_sentence(mechanism: Mechanism) -> str:
    """In which order q, v and tau are laid out."""
    return f"q, v and tau are laid out {order_in_words(mechanism.model)}."


def roadmap_lines(mechanism: Mechanism) -> tuple[str, ...]:
    """A table of bodies and joints, one of cut joints, one of frames; motors and named states."""
    lines = [*aligned(body_rows(mechanism)), "", layout_sentence(mechanism)]
    if cut := cut_rows(mechanism):
        lines += ["", *aligned(cut)]
    if mechanism.frames:
        names = _body_names(mechanism)
        own = [(frame.name, names[frame.label], frame.axes) for frame in mechanism.frames]
        lines += ["", *aligned([("frame", "body", "axes"), *own]), *_AXES]
    lines += ["", *wrap(_motors(mechanism), WIDTH, subsequent_indent="  ")]
    if mechanism.model.states:
        names_of = ", ".join(state.name for state in mechanism.model.states)
        lines += ["", f"Named states, whose values the manifest has: {names_of}"]
    return tuple(lines)


_AXES: Final = (
    "local: at the frame's origin, in its axes; aligned: at its origin, in base axes; base: at the base's origin, in",
    "its axes, as a spatial vector. Accelerations at a frame's origin are those of the point.",
)


def _range(letter: str, bounds: tuple[int, int]) -> str:
    start, stop = bounds
    if stop == start:
        return "-"
    return f"{letter}[{start}]" if stop == start + 1 else f"{letter}[{start}..{stop - 1}]"


IndexTable: TypeAlias = tuple[str, str, Mapping[str, tuple[int, int]], Mapping[str, str]]
"""Name of a table of places, a sentence, first entry and end by name, and what else there is to say by name."""


def index_tables(mechanism: Mechanism) -> tuple[IndexTable, ...]:
    """Where joints, bodies, frames, motors and inputs stand in arrays, with units."""
    own = mechanism.bodies_by_coordinates
    rows = {body.name: (body.label - 1, body.label) for body in mechanism.bodies}
    frames = {frame.name: (place, place + 1) for place, frame in enumerate(mechanism.frames)}
    shapes = {body.joint.name: body.joint.shape for body in own}
    coordinates = {name: _entries(shape.coordinates, shape.coordinate_units) for name, shape in shapes.items()}
    speeds = {
        name: _entries(
            shape.speeds, [f"{v}; {tau}" for v, tau in zip(shape.speed_units, shape.force_units, strict=True)]
        )
        for name, shape in shapes.items()
    }
    forces = {body.joint.name: _entries(body.joint.shape.speeds, body.joint.shape.force_units) for body in own}
    tables: tuple[IndexTable, ...] = (
        (
            "Q",
            "Where the coordinates of joints start in q, with their units.",
            {body.joint.name: body.q_range for body in own},
            coordinates,
        ),
        (
            "V",
            "Where the speeds of joints start in v, vdot and tau, with the units of v and, behind a semicolon, of tau.",
            {body.joint.name: body.v_range for body in own},
            speeds,
        ),
        (
            "MOTOR",
            "Entries of tau at the joints that the model marks as driven by motors.",
            {body.joint.name: body.v_range for body in own if body.joint.actuated},
            forces,
        ),
        ("BODY", "Rows of results over bodies, and of those over joints that of the body's inboard joint.", rows, {}),
        ("FRAME", "Rows of results over frames.", frames, {}),
        _table_of("U", [(item.name, item.unit) for item in mechanism.model.inputs]),
        _table_of("X", [(item.name, item.unit) for item in mechanism.model.drives]),
        _table_of("Y", [(item.name, item.unit) for item in mechanism.model.outputs]),
    )
    return tuple(table for table in tables if table[2])


def _table_of(letter: str, items: Sequence[tuple[str, str]]) -> IndexTable:
    """The table of an array that has an entry for each item, in their order."""
    return (
        letter,
        f"Entries of {letter.lower()}, with their units.",
        {name: (place, place + 1) for place, (name, _) in enumerate(items)},
        {name: f"[{unit}]" for name, unit in items if unit},
    )


def _entries(names: Sequence[str], units: Sequence[str]) -> str:
    """Entries with their units, neighbours of one unit together: w, x, y, z, px, py, pz [m]."""
    parts = []
    for unit, group in groupby(zip(names, units, strict=True), key=itemgetter(1)):
        own = ", ".join(name for name, _ in group if name)
        parts.append(" ".join(filter(None, (own, f"[{unit}]" if unit != "1" else ""))))
    return ", ".join(parts)


def _motors(mechanism: Mechanism) -> str:
    """Which entries of tau are motors."""
    model = mechanism.model
    marked = [f"{body.joint.name} ({_range('tau', body.v_range)})" for body in mechanism.bodies if body.joint.actuated]
    driven = list(dict.fromkeys(name for force in model.forces for name in force.driven_joints))
    held = [item.name for item in model.inputs if item.saturates]
    said = [", ".join(marked)] * bool(marked) + [f"control inputs drive {', '.join(driven)}"] * bool(driven)
    said += [f"inputs that saturate: {', '.join(held)}"] * bool(held)
    return f"Motors: {'; '.join(said) or 'the model marks no joint as actuated, so that any entry of tau may be one'}."


LIMITS: Final = (
    ("q_lower", "lower", -inf),
    ("q_upper", "upper", inf),
    ("v_limit", "velocity", inf),
    ("tau_limit", "effort", inf),
)
"""Arrays of limits, the attribute of a joint that each is read from, and what stands for no limit."""


def limit_tables(mechanism: Mechanism) -> dict[str, tuple[float, ...]]:
    """Limits of q, v, tau and u, infinite where there is none; arrays without any limit are left out."""
    numbers = parameter_values(mechanism.model)
    tables: dict[str, tuple[float, ...]] = {}
    for title, key, none in LIMITS:
        values: list[float] = []
        for body in mechanism.bodies_by_coordinates:
            size = len(range(*(body.q_range if title.startswith("q") else body.v_range)))
            values += [evaluate(value, numbers) for value in getattr(body.joint, key)] or [none] * size
        if any(isfinite(value) for value in values):
            tables[title] = tuple(values)
    for title, key, none in (("u_lower", "lower", -inf), ("u_upper", "upper", inf)):
        stated = [getattr(item, key) for item in mechanism.model.inputs]
        if any(value is not None for value in stated):
            tables[title] = tuple(none if value is None else evaluate(value, numbers) for value in stated)
    return tables


def _states(mechanism: Mechanism) -> dict[str, object]:
    """The named states of a model in its layout of q, v and x."""
    numbers = parameter_values(mechanism.model)
    states = []
    for state in mechanism.model.states:
        q, v = initial_coordinates(mechanism), [0.0] * mechanism.nv
        for body in mechanism.bodies:
            for array, bounds, entries in ((q, body.q_range, state.q), (v, body.v_range, state.v)):
                own = dict(entries).get(body.joint.name)
                if own is not None:
                    array[slice(*bounds)] = [evaluate(value, numbers) for value in own]
        found = {"name": state.name, "q": [float(x) for x in normalised(q, mechanism.q.quaternions)], "v": v}
        given = dict(state.x)
        drives = [evaluate(given.get(drive.name, drive.initial), numbers) for drive in mechanism.model.drives]
        states.append({**found, **({"x": drives} if drives else {})})
    return {"states": states} if states else {}


def _pinocchio_order(mechanism: Mechanism) -> dict[str, object]:
    """Where the entries of Pinocchio's q and v stand in ours, joint by joint as it reads the file.

    It has positions before quaternions, these with the scalar last, and linear velocities before angular ones. The
    angle of a joint without limits, of which it keeps cosine and sine, is one entry here.
    """
    joints = {body.joint.name: body for body in mechanism.bodies_by_coordinates}
    own = [joints[name] for name in mechanism.model.pinocchio_order if name in joints]
    if not own:
        return {}
    q: list[int] = []
    v: list[int] = []
    for body in own:
        entries, speeds = list(range(*body.q_range)), list(range(*body.v_range))
        start = body.joint.kind.quaternion
        if start is not None:
            scalar, *vector = entries[start : start + 4]
            entries = [*entries[:start], *entries[start + 4 :], *vector, scalar]
            speeds = [*speeds[3:], *speeds[:3]]
        q += entries
        v += speeds
    return {"pinocchio_order": {"joints": [body.joint.name for body in own], "q": q, "v": v}}


def manifest_fields(mechanism: Mechanism) -> dict[str, object]:
    """Fields of the manifest that describe the mechanism, in user names and regular labels."""
    model = mechanism.model
    order = model.coordinate_order
    symbolic = {item.name for item in mechanism.parameters}
    numbers = parameter_values(model)
    tree = (
        _joint_fields(body.joint, body.label, body.q_range, body.v_range, flipped=body.flipped)
        | _limits(body.joint, numbers)
        for body in mechanism.bodies
    )
    behind_q, behind_v = (mechanism.nq, mechanism.nq), (mechanism.nv, mechanism.nv)
    cut = (_joint_fields(item.joint, item.label, behind_q, behind_v, cut=True) for item in mechanism.cut_joints)
    frames = [{"name": frame.name, "body": frame.body, "axes": frame.axes} for frame in model.frames_of_functions]
    outputs = [{"name": item.name, "unit": item.unit} for item in model.outputs]
    drives = [
        {"name": item.name, "unit": item.unit, "initial": evaluate(item.initial, numbers), **_bounds(item, numbers)}
        for item in model.drives
    ]
    motions = [
        {"name": driven.motion.name, "gives": driven.motion.gives, "q": driven.coordinate, "v": driven.column}
        for driven in driven_speeds(mechanism)
    ]
    return {
        "nq": mechanism.nq,
        "nv": mechanism.nv,
        "coordinate_order": order if isinstance(order, str) else list(order),
        "bodies": [{"name": body.name, "label": body.label, "parent": body.parent} for body in mechanism.bodies],
        "joints": [*tree, *cut],
        **_entries_of_arrays(mechanism),
        **({"frames": frames} if frames else {}),
        **_states(mechanism),
        **_pinocchio_order(mechanism),
        "parameters": [
            {"name": item.name, "value": numbers[item.name], "unit": item.unit, "symbolic": item.name in symbolic}
            for item in model.parameters
        ],
        "inputs": [
            {
                "name": item.name,
                "unit": item.unit,
                **_bounds(item, numbers),
                **({"saturates": True} if item.saturates else {}),
            }
            for item in model.inputs
        ],
        **({"outputs": outputs} if outputs else {}),
        **({"motions": motions} if motions else {}),
        **({"drives": drives} if drives else {}),
    }


def _bounds(item: ControlInput | DriveState, numbers: Mapping[str, float]) -> dict[str, float]:
    """The limits that it has."""
    stated = (("lower", item.lower), ("upper", item.upper))
    return {key: evaluate(value, numbers) for key, value in stated if value is not None}


def _joint_fields(
    joint: Joint, label: int, q: tuple[int, int], v: tuple[int, int], *, flipped: bool = False, cut: bool = False
) -> dict[str, object]:
    return {
        "name": joint.name,
        "label": label,
        "type": joint.type,
        "predecessor": joint.predecessor,
        "successor": joint.successor,
        "flipped": flipped,
        "cut": cut,
        "q": list(q),
        "v": list(v),
    }


def _entries_of_arrays(mechanism: Mechanism) -> dict[str, object]:
    """Each entry of q, v and tau: its name in expressions of the model, joint, units, and which a motor drives."""
    names = expression_names(mechanism.model)
    coordinates: list[dict[str, object]] = []
    speeds: list[dict[str, object]] = []
    motors: list[dict[str, object]] = []
    for body in mechanism.bodies_by_coordinates:
        joint, shape = body.joint, body.joint.shape
        for name, unit in zip(names.coordinates[joint.name], shape.coordinate_units, strict=True):
            coordinates.append({"name": name, "joint": joint.name, "unit": unit})
        for name, unit, force in zip(names.speeds[joint.name], shape.speed_units, shape.force_units, strict=True):
            if joint.actuated:
                motors.append({"joint": joint.name, "tau": len(speeds), "unit": force})
            speeds.append({"name": name, "joint": joint.name, "unit": unit, "force_unit": force})
    return {"coordinates": coordinates, "speeds": speeds, "motors": motors}


def _limits(joint: Joint, numbers: Mapping[str, float]) -> dict[str, object]:
    """The limits that a joint states, and whether a motor sits there."""
    found: dict[str, object] = {"actuated": True} if joint.actuated else {}
    stated = {key: [evaluate(value, numbers) for value in getattr(joint, key)] for _, key, _ in LIMITS}
    stated = {key: values for key, values in stated.items() if values}
    return {**found, **({"limits": stated} if stated else {})}
