"""Checks of the values of a model: numbers, axes, placements, limits, shapes, states, each with what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbsym.forces import ForceElement
from mbsym.model.beam import Beam
from mbsym.model.body import Body, Placement
from mbsym.model.drive import DriveState
from mbsym.model.geometry import dot, norm
from mbsym.model.joint import Joint
from mbsym.model.motion_checks import check_laws
from mbsym.model.named_state import NamedState
from mbsym.model.names import expression_names
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.model.table_checks import check_followed, check_tables
from mbsym.values.diagnostic import Findings, Path, nearest
from mbsym.values.entries import entries_of
from mbsym.values.entry_checks import check_several, check_values
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import ControlInput, Value

PERPENDICULAR: Final = 1e-6
"""Cosine of the angle between the two axes of a joint that six printed digits explain."""

REVERSED: Final = "exchange them"


def check_model_values(model: Model, findings: Findings) -> None:
    """Notes values of a model that are no numbers or expressions, or cannot be, its references being right."""
    names = expression_names(model)
    findings.variables = {name: kind for name, kind in names.kinds.items() if name not in findings.numbers}
    findings.outputs = frozenset(item.name for item in model.outputs)
    check_tables(model.tables, findings)
    check_beams(model.beams, findings)
    if findings.failed:
        return  # their bars would repeat it
    check_several(findings, model.gravity, ("gravity",))
    _check_inputs(model.inputs, findings)
    for index, body in enumerate(model.bodies):
        _check_body(body, ("bodies", index), findings)
    for index, joint in enumerate(model.joints):
        _check_joint(joint, ("joints", index), findings)
    if any(body.mass != 0 or any(entry != 0 for entry in body.inertia) for body in model.bodies):
        _require_joint_numbers(model, findings)  # a file of topology alone leaves pitches out, as it does masses
    for index, frame in enumerate(model.frames):
        _check_placement(frame.placement, ("frames", index, "placement"), f"frame {frame.name!r}", findings)
    _check_shapes(model.shapes, findings)
    _check_states(model.states, {joint.name: joint for joint in model.joints}, findings)
    _check_drives(model, findings)
    _check_forces(model.forces, findings)
    check_laws(model, findings)
    for index, output in enumerate(model.outputs):
        findings.expression(output.expression, ("outputs", index, "expression"))
    _check_names(model, names.kinds, findings)
    for index, coupling in enumerate(model.couplings):
        ratio = findings.number(coupling.ratio, ("couplings", index, "ratio"))
        findings.number(coupling.offset, ("couplings", index, "offset"))
        if ratio == 0:
            what = f"the ratio of coupled joint {coupling.joint!r} is zero"
            findings.warning(("couplings", index, "ratio"), what, "fix the joint")
    _check_constraints(model, findings)


def _check_names(model: Model, kinds: Mapping[str, str], findings: Findings) -> None:
    """Outputs and tables have names of their own."""
    for kind, word in (("outputs", "output"), ("tables", "table")):
        for index, item in enumerate(getattr(model, kind)):
            if item.name in kinds:
                what = f"{word} {item.name!r} has the name of a {kinds[item.name]}"
                findings.error((kind, index, "name"), what, "rename it")


def _check_constraints(model: Model, findings: Findings) -> None:
    for index, constraint in enumerate(model.constraints):
        path, word = ("constraints", index), f"constraint {constraint.name!r}"
        check_values(constraint, path, word, findings)
        for entry in entries_of(type(constraint)):
            if entry.kind == "expression":
                held, of_places = str(getattr(constraint, entry.key)), entry.of == "places"
                check_followed(model.tables, held, of_places, word, (*path, entry.key), findings)


def _check_body(body: Body, path: Path, findings: Findings) -> None:
    findings.number(body.mass, (*path, "mass"))
    check_several(findings, body.center_of_mass, (*path, "center_of_mass"))
    if body.first_moment is not None:
        moment = check_several(findings, body.first_moment, (*path, "first_moment"))
        if body.inertia_about != "frame" or any(value != 0 for value in body.center_of_mass):
            what = "a first moment stands beside a centre of mass or an inertia about it"
            findings.error((*path, "first_moment"), what, "leave center_of_mass out and say inertia_about: frame")
        elif moment is not None and any(moment) and findings.number(body.mass, (*path, "mass")) == 0:
            findings.error((*path, "first_moment"), "a first moment without mass", "give the mass")
    check_several(findings, body.inertia, (*path, "inertia"), 6)
    if body.inertia_about not in ("center_of_mass", "frame"):
        what = f"an inertia cannot be about {body.inertia_about!r}"
        findings.error((*path, "inertia_about"), what, "say center_of_mass or frame")


# ---- joints ---------------------------------------------------------------------------------------------------------


def _check_joint(joint: Joint, path: Path, findings: Findings) -> None:
    word = f"{joint.type} joint {joint.name!r}"
    axis = check_several(findings, joint.axis, (*path, "axis"))
    if axis is not None and "axis" in joint.kind.entries and norm(axis) == 0:
        findings.error((*path, "axis"), f"the axis of {word} is zero", "give a direction such as z or [0, 0, 1]")
    if joint.second_axis is not None:
        if "second_axis" in joint.kind.entries:
            _check_second_axis(joint, axis, path, findings)
        else:
            findings.error((*path, "second_axis"), f"'second_axis' means nothing for {word}", "remove 'second_axis'")
    _check_placement(joint.predecessor_placement, (*path, "predecessor_placement"), word, findings)
    _check_placement(joint.successor_placement, (*path, "successor_placement"), word, findings)
    taken = {number.name for number in joint.kind.numbers}
    for name, value in joint.numbers:
        if name in taken:
            findings.number(value, (*path, name))
        else:
            findings.error((*path, name), f"{name!r} means nothing for {word}", f"remove {name!r}")
    armature = findings.number(joint.armature, (*path, "armature"))
    if armature is not None and armature < 0:
        findings.error((*path, "armature"), f"the armature of {word} is negative", "give an inertia of zero or more")
    if armature and joint.kind.is_rigid:
        findings.error((*path, "armature"), f"{word} has an armature but no speed", "remove it, or let the joint move")
    if joint.cut not in ("auto", "cut", "tree"):
        findings.error((*path, "cut"), f"{joint.cut!r} says nothing about cutting {word}", "say auto, cut or tree")
    _check_limits(joint, path, findings)


def _check_second_axis(joint: Joint, axis: tuple[float, ...] | None, path: Path, findings: Findings) -> None:
    word = f"{joint.type} joint {joint.name!r}"
    second = check_several(findings, joint.second_axis, (*path, "second_axis"))
    if axis is None or second is None or norm(axis) == 0:
        return
    if norm(second) == 0:
        findings.error((*path, "second_axis"), f"the second axis of {word} is zero", "give one")
    elif abs(dot(axis, second)) > PERPENDICULAR * norm(axis) * norm(second):
        findings.error(
            (*path, "second_axis"),
            f"the axes of {word} are not perpendicular",
            "turn one of them, or use two revolute joints with a massless body between them",
        )


def _require_joint_numbers(model: Model, findings: Findings) -> None:
    for index, joint in enumerate(model.joints):
        for number, value in zip(joint.kind.numbers, joint.values, strict=True):
            if value == 0:
                what = f"{joint.type} joint {joint.name!r} has no {number.name}"
                findings.error(("joints", index, number.name), what, number.remedy)


def _check_limits(joint: Joint, path: Path, findings: Findings) -> None:
    """Notes limits and initial values that are too many, are no numbers, or cannot be kept."""
    word = f"{joint.type} joint {joint.name!r}"
    shape = joint.shape
    numbers: dict[str, tuple[float, ...] | None] = {}
    for entry, values, count, kind in (
        ("lower", joint.lower, shape.nq, "coordinates"),
        ("upper", joint.upper, shape.nq, "coordinates"),
        ("effort", joint.effort, shape.nv, "speeds"),
        ("velocity", joint.velocity, shape.nv, "speeds"),
        ("initial", joint.initial, shape.nq, "coordinates"),
    ):
        if len(values) not in (0, count):
            what = f"{word} has {count} {kind} but {len(values)} entries of {entry!r}"
            findings.error((*path, entry), what, f"give {count} or none")
            continue
        numbers[entry] = findings.numbers_of(values, (*path, entry))
    lower, upper, initial = (numbers.get(entry) or () for entry in ("lower", "upper", "initial"))
    pairs = list(zip(lower, upper, strict=False))
    if any(low > high for low, high in pairs):
        findings.error((*path, "lower"), f"a lower limit of {word} exceeds the upper one", REVERSED)
    elif any(not low <= value <= high for value, (low, high) in zip(initial, pairs, strict=False)):
        findings.warning((*path, "initial"), f"{word} starts outside its limits", "give an initial value within them")
    for entry, what in (("effort", "largest force"), ("velocity", "largest speed")):
        if any(number < 0 for number in numbers.get(entry) or ()):
            findings.error((*path, entry), f"a {what} of {word} is negative", "give its size, zero or more")
    start = joint.kind.quaternion
    if initial and start is not None and norm(initial[start : start + 4]) == 0:
        findings.error((*path, "initial"), f"the initial quaternion of {word} is zero", "give one of length one")


# ---- what else stands in a model ------------------------------------------------------------------------------------


def _check_inputs(inputs: Sequence[ControlInput], findings: Findings) -> None:
    """Notes bounds of control inputs that are no numbers or are the wrong way round."""
    for index, item in enumerate(inputs):
        path: Path = ("inputs", index)
        _check_bounds(item, path, f"control input {item.name!r}", findings)
        if item.saturates and item.lower is None and item.upper is None:
            what = f"control input {item.name!r} saturates and has no limits"
            findings.error((*path, "saturates"), what, "give lower, upper or both")


def _check_bounds(
    item: ControlInput | DriveState, path: Path, word: str, findings: Findings
) -> tuple[float | None, float | None]:
    """The numbers of the limits of what may have some; it is noted where they are the wrong way round."""
    lower = None if item.lower is None else findings.number(item.lower, (*path, "lower"))
    upper = None if item.upper is None else findings.number(item.upper, (*path, "upper"))
    if lower is not None and upper is not None and lower > upper:
        findings.error((*path, "lower"), f"the lower bound of {word} exceeds the upper one", REVERSED)
    return lower, upper


def _check_forces(forces: Sequence[ForceElement], findings: Findings) -> None:
    """Notes values of force elements, and where these are numbers what the elements find of them."""
    for index, force in enumerate(forces):
        path: Path = ("forces", index)
        before = len(findings.diagnostics)
        check_values(force, path, f"force element {force.name!r}", findings)
        if all(item.severity != "error" for item in findings.diagnostics[before:]):
            for key, what, remedy in force.faults(lambda value: evaluate(value, findings.numbers)):
                findings.error((*path, key), f"{what} (force element {force.name!r})", remedy)


def _check_placement(placement: Placement, path: Path, word: str, findings: Findings) -> None:
    check_several(findings, placement.translation, (*path, "translation"))
    for index, turn in enumerate(placement.rotation):
        if len(turn) != 2 or turn[0] not in ("x", "y", "z"):
            what = f"{turn!r} is no rotation"
            findings.error((*path, "rotation", index), what, "give an axis x, y or z and an angle")
        else:
            findings.number(turn[1], (*path, "rotation", index, 1))
    if placement.quaternion is None:
        return
    if placement.rotation:
        findings.error((*path, "quaternion"), f"{word} has both a rotation and a quaternion", "give one of them")
    quaternion = check_several(findings, placement.quaternion, (*path, "quaternion"), 4)
    if quaternion is not None and norm(quaternion) == 0:
        findings.error((*path, "quaternion"), f"a quaternion of {word} is zero", "give (w, x, y, z) of length one")


def _check_shapes(shapes: Sequence[Shape], findings: Findings) -> None:
    for index, shape in enumerate(shapes):
        path: Path = ("shapes", index)
        word = f"a {shape.form.type} of {shape.body!r}"
        check_values(shape.form, path, word, findings)
        _check_placement(shape.placement, (*path, "placement"), word, findings)
        if shape.color is None:
            continue
        color = check_several(findings, shape.color, (*path, "color"), 4)
        if color is not None and not all(0 <= part <= 1 for part in color):
            what = f"a part of the colour of {word} lies outside 0 to 1"
            findings.error((*path, "color"), what, "give red, green, blue and opacity from 0 to 1")


def _check_states(states: Sequence[NamedState], joints: dict[str, Joint], findings: Findings) -> None:
    """Notes values of joints that do not exist, too few or too many of them, and values that are no numbers."""
    for index, state in enumerate(states):
        for key, entries in (("q", state.q), ("v", state.v)):
            for joint, values in entries:
                path: Path = ("states", index, key, joint)
                if joint not in joints:
                    what = f"state {state.name!r} is of joint {joint!r}, which does not exist"
                    findings.error(path, what, nearest(str(joint), joints))
                    continue
                shape = joints[joint].shape
                count, kind = (shape.nq, "coordinates") if key == "q" else (shape.nv, "speeds")
                if len(values) != count:
                    word = f"{joints[joint].type} joint {joint!r}"
                    what = f"{word} has {count} {kind}, state {state.name!r} gives {len(values)}"
                    findings.error(path, what, f"give {count}")
                    continue
                numbers = findings.numbers_of(values, path)
                start = joints[joint].kind.quaternion if key == "q" else None
                if numbers is not None and start is not None and not any(numbers[start : start + 4]):
                    what = f"the quaternion of joint {joint!r} in state {state.name!r} is zero"
                    findings.error(path, what, "give one of length one")


def _check_drives(model: Model, findings: Findings) -> None:
    """Notes values of drives, and in states with names drives that do not exist and values that are no numbers."""
    for index, drive in enumerate(model.drives):
        check_values(drive, ("drives", index), f"drive {drive.name!r}", findings)
        lower, upper = _check_bounds(drive, ("drives", index), f"drive {drive.name!r}", findings)
        start = None if findings.failed else evaluate(drive.initial, findings.numbers)
        if start is not None and ((lower is not None and start < lower) or (upper is not None and start > upper)):
            what = f"drive {drive.name!r} starts outside its limits"
            findings.warning(("drives", index, "initial"), what, "give an initial value within them")
    known = [drive.name for drive in model.drives]
    for index, state in enumerate(model.states):
        for name, value in state.x:
            path: Path = ("states", index, "x", name)
            if name not in known:
                what = f"state {state.name!r} is of drive {name!r}, which does not exist"
                findings.error(path, what, nearest(str(name), known))
            else:
                findings.number(value, path)


def check_beams(beams: Sequence[Beam], findings: Findings) -> None:
    """Lengths, masses and stiffnesses are above zero, damping is not below."""
    for index, beam in enumerate(beams):
        given: list[tuple[Path, str, Value]] = [
            (("length",), "the length", beam.length),
            (("mass",), "the mass", beam.mass),
        ]
        for word in ("axial_stiffness", "torsional_stiffness", "torsional_inertia"):
            if (value := getattr(beam, word)) is not None:
                given.append(((word,), f"the {word.replace('_', ' ')}", value))
        for place, stiffness in enumerate(beam.bending_stiffness):
            given.append((("bending_stiffness", place), "a bending stiffness", stiffness))
        for path, word, entry in given:
            number = findings.number(entry, ("beams", index, *path))
            if number is not None and not number > 0.0:
                what = f"{word} of beam {beam.name!r} is {number:g}"
                findings.error(("beams", index, *path), what, "give one above zero")
        number = findings.number(beam.damping, ("beams", index, "damping"))
        if number is not None and number < 0.0:
            what = f"the damping of beam {beam.name!r} is {number:g}"
            findings.error(("beams", index, "damping"), what, "give a positive one")
