"""Checks of a model before anything is derived from it: every finding with its entry and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbsym.errors import MbsymError, ModelError, TopologyError
from mbsym.joints.registry import JOINT_TYPES, one_freedom
from mbsym.model.clock import CLOCK, taken_names
from mbsym.model.coordinate_order import FILE, LABELS, why_without_coordinates
from mbsym.model.entry_units import in_si
from mbsym.model.frame import FRAME_KINDS
from mbsym.model.frame_ends import ambiguous_ends, attachable_frames
from mbsym.model.inertia_checks import check_inertias
from mbsym.model.joint import Joint
from mbsym.model.labelling import label_model
from mbsym.model.names import identifier_fault, model_name_fault, name_fault, units_of_names
from mbsym.model.system import Model
from mbsym.model.value_checks import check_model_values
from mbsym.model.wheel_checks import check_wheels
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.values.diagnostic import Diagnostic, Findings, Path, nearest, one, path_text
from mbsym.values.entry_checks import Surroundings, check_references
from mbsym.values.numbers import to_scalar
from mbsym.values.sums import dimensions
from mbsym.values.table_pieces import definitions

NAMING = "use letters, digits, blanks and _ - . : + / ( ) [ ]"
IDENTIFIER = "use letters, digits and underscores, a letter first"

NAMED = (
    ("bodies", "body"),
    ("joints", "joint"),
    ("forces", "force element"),
    ("constraints", "constraint"),
    ("motions", "motion"),
    ("frames", "frame"),
    ("beams", "beam"),
    ("states", "state"),
)
"""Entries of a model that have names of their own, and what one of them is called."""


def validate(model: Model, strict: bool = False) -> tuple[Diagnostic, ...]:
    """What is wrong with a model, or looks wrong.

    Names and references are checked first, units and values next, mechanics last; a stage with errors ends the check,
    because the next one would only repeat them.

    Args:
        model: as read or built.
        strict: impossible inertias are errors even in a model that accepts them.
    """
    findings = Findings()
    for check in (_check_names, _check_references, in_si):
        check(model, findings)
        if findings.failed:
            return tuple(findings.diagnostics)
    findings.definitions = definitions(model.tables)
    findings.dimensions = dimensions(units_of_names(model))
    _check_parameters(model, findings)
    check_model_values(model, findings)
    if findings.failed:
        return tuple(findings.diagnostics)
    _check_topology(model, findings)
    check_inertias(model, findings, strict=strict)
    check_wheels(model, findings)
    return tuple(findings.diagnostics)


def require_valid(model: Model) -> tuple[Diagnostic, ...]:
    """The warnings of a model without errors.

    Raises:
        ModelError: the model has errors; all of them are in the message, one a line.
    """
    diagnostics = validate(model)
    errors = [item for item in diagnostics if item.severity == "error"]
    if errors:
        first, *others = errors
        more = "".join(f"\n{model.name}: {item}" for item in others)
        where = f"{model.name}: {path_text(first.path)}"
        raise ModelError(first.what, where=where, remedy=f"{first.remedy}{more}")
    return diagnostics


# ---- names ----------------------------------------------------------------------------------------------------------


def _check_names(model: Model, findings: Findings) -> None:
    fault = model_name_fault(model.name)
    if fault:
        findings.error(("name",), f"the model's name {fault}", NAMING)
    for kind, word in NAMED:
        _check_name_list(findings, kind, word, [item.name for item in getattr(model, kind)])
    fault = name_fault(model.ground)
    if fault:
        findings.error(("ground",), f"the name of ground {fault}", NAMING)
    _check_frame_kinds(model, findings)
    for kind, index in taken_names(model):
        what = f"the name {CLOCK!r} is that of the clock of constraints that depend on time"
        findings.error((kind, index, "name"), what, "rename it")
    for index, body in enumerate(model.bodies):
        if body.name == model.ground:
            findings.error(
                ("bodies", index, "name"),
                f"body {body.name!r} has the name of ground",
                "rename it, or give ground another name with the entry 'ground'",
            )
    for index, joint in enumerate(model.joints):
        if joint.type not in JOINT_TYPES:
            what = f"there is no joint type {joint.type!r}"
            findings.error(("joints", index, "type"), what, nearest(str(joint.type), JOINT_TYPES))
    if findings.failed:
        return
    _check_identifiers(model, findings)


def _check_name_list(findings: Findings, kind: str, word: str, names: Sequence[Any]) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        fault = name_fault(name)
        if fault:
            findings.error((kind, index, "name"), f"the name of {word} {index + 1} {fault}", NAMING)
        elif name in seen:
            findings.error((kind, index, "name"), f"two of the {kind} are named {name!r}", "rename one of them")
        else:
            seen.add(name)


def _check_frame_kinds(model: Model, findings: Findings) -> None:
    full_names: set[str] = set()
    for index, item in enumerate(model.frames):
        path: Path = ("frames", index)
        if item.kind not in FRAME_KINDS:
            remedy = nearest(str(item.kind), FRAME_KINDS)
            findings.error((*path, "kind"), f"there is no kind of frame {item.kind!r}", remedy)
        elif isinstance(item.name, str):
            if item.full_name in full_names and item.name != item.short_name:
                findings.error((*path, "name"), f"two of the frames are named {item.full_name!r}", "rename one of them")
            full_names.add(item.full_name)


def _check_identifiers(model: Model, findings: Findings) -> None:
    """Parameters, inputs and chosen coordinates share one name table."""
    owner: dict[str, str] = {}

    def claim(name: Any, path: Path, word: str) -> None:
        fault = identifier_fault(name)
        if fault:
            findings.error(path, f"the name {name!r} of {one(word)} {fault}", IDENTIFIER)
        elif name in owner:
            findings.error(path, f"{word} {name!r} has the name of {one(owner[name])}", "rename one of them")
        else:
            owner[name] = word

    for index, parameter in enumerate(model.parameters):
        claim(parameter.name, ("parameters", index, "name"), "parameter")
    for index, item in enumerate(model.inputs):
        claim(item.name, ("inputs", index, "name"), "control input")
    for index, drive in enumerate(model.drives):
        claim(drive.name, ("drives", index, "name"), "drive")
    for index, table in enumerate(model.tables):
        claim(table.name, ("tables", index, "name"), "table")
    for index, output in enumerate(model.outputs):
        claim(output.name, ("outputs", index, "name"), "output")
    for index, joint in enumerate(model.joints):
        shape = joint.shape
        for entry, names, count, word in (
            ("coordinates", joint.coordinates, shape.nq, "coordinate"),
            ("speeds", joint.speeds, shape.nv, "speed"),
        ):
            if names and len(names) != count:
                what = f"{joint.type} joint {joint.name!r} has {count} {entry} but {len(names)} names for them"
                findings.error(("joints", index, entry), what, f"give {count} names or none")
                continue
            for position, name in enumerate(names):
                claim(name, ("joints", index, entry, position), word)


# ---- references -----------------------------------------------------------------------------------------------------


def _check_references(model: Model, findings: Findings) -> None:
    bodies = tuple(body.name for body in model.bodies)
    known = dict.fromkeys((model.ground, *bodies))
    joints = {joint.name: joint for joint in model.joints}

    def body(name: Any, path: Path, says: str, others: Sequence[str] = ()) -> None:
        if name not in known and name not in others:
            findings.error(path, f"{says} body {name!r}, which does not exist", nearest(str(name), (*known, *others)))

    for index, joint in enumerate(model.joints):
        word = f"joint {joint.name!r}"
        body(joint.predecessor, ("joints", index, "predecessor"), f"{word} refers to")
        body(joint.successor, ("joints", index, "successor"), f"{word} refers to")
        if joint.predecessor == joint.successor:
            what = f"{word} connects body {joint.successor!r} with itself"
            findings.error(("joints", index, "successor"), what, "connect two different bodies")
    inputs = tuple(item.name for item in model.inputs)
    carriers = {name: frame.body for name, frame in attachable_frames(model).items()}
    around = Surroundings(model.ground, bodies, joints, inputs, one_freedom(), carriers, ambiguous_ends(model))
    findings.frame_fault = around.frame_fault
    for index, force in enumerate(model.forces):
        check_references(force, ("forces", index), f"force element {force.name!r}", around, findings)
    _check_couplings(model, around, findings)
    _check_coordinate_order(model, joints, findings)
    for index, frame in enumerate(model.frames):
        body(frame.body, ("frames", index, "body"), f"frame {frame.name!r} is on")
    frame_names = [frame.name for frame in model.frames]
    for index, shape in enumerate(model.shapes):
        if shape.body not in carriers:
            body(shape.body, ("shapes", index, "body"), f"a {shape.form.type} is on", frame_names)
    for index, constraint in enumerate(model.constraints):
        word = f"constraint {constraint.name!r}"
        check_references(constraint, ("constraints", index), word, around, findings)
    _check_motions(model, around, findings)


def _check_motions(model: Model, around: Surroundings, findings: Findings) -> None:
    following = {coupling.joint: coupling.source for coupling in model.couplings}
    driven: dict[tuple[str, int | None], str] = {}
    for index, motion in enumerate(model.motions):
        path: Path = ("motions", index)
        word, place = f"motion {motion.name!r}", (motion.joint, motion.index)
        check_references(motion, path, word, around, findings)
        if motion.joint in following:
            what = f"{word} drives joint {motion.joint!r}, which follows joint {following[motion.joint]!r}"
            findings.error((*path, "joint"), what, f"drive joint {following[motion.joint]!r}")
        elif place in driven:
            what = f"{word} drives what motion {driven[place]!r} drives"
            findings.error((*path, "joint"), what, "keep one of them")
        elif (
            motion.gives == "position"
            and (joint := around.joints.get(motion.joint)) is not None
            and joint.shape.nq != joint.shape.nv
        ):
            what = f"{word} prescribes a position of {joint.type} joint {motion.joint!r}, which has a quaternion"
            findings.error((*path, "gives"), what, "say gives: speed, and give the law of the speed")
        driven.setdefault(place, motion.name)
    for index, force in enumerate(model.forces):
        held = [driven[end] for joint in force.named("joint") if (end := (joint, force.ends_way)) in driven]
        if held:
            what = f"force element {force.name!r} stops nothing: motion {held[0]!r} drives the joint through it"
            findings.warning(("forces", index, "joint"), what, "leave the stop out, or let the joint move freely")


def _check_coordinate_order(model: Model, joints: dict[str, Joint], findings: Findings) -> None:
    order = model.coordinate_order
    if isinstance(order, str) and order not in (FILE, LABELS):
        findings.error(("coordinate_order",), f"there is no order {order!r}", "say file, labels or list joints")
    for key, names in (("coordinate_order", order), ("pinocchio_order", model.pinocchio_order)):
        for index, name in enumerate(names if not isinstance(names, str) else ()):
            path: Path = (key, index)
            if name not in joints:
                findings.error(path, f"there is no joint {name!r}", nearest(str(name), joints))
            elif name in names[:index]:
                findings.error(path, f"joint {name!r} is named twice", "keep one")
            elif key == "coordinate_order" and (reason := why_without_coordinates(model, joints[name])):
                findings.error(path, f"joint {name!r} has no coordinates of its own: {reason}", "leave it out")


def _check_couplings(model: Model, around: Surroundings, findings: Findings) -> None:
    source_of: dict[str, str] = {}
    for index, coupling in enumerate(model.couplings):
        word = f"the coupling of joint {coupling.joint!r}"
        for key in ("joint", "source"):
            around.joint(getattr(coupling, key), ("couplings", index, key), word, findings, True)
        if coupling.joint in source_of:
            findings.error(("couplings", index, "joint"), f"joint {coupling.joint!r} is coupled twice", "keep one")
            continue
        source_of[coupling.joint] = coupling.source
        for place in (k for k, joint in enumerate(model.joints) if joint.name == coupling.joint and joint.initial):
            what = f"joint {coupling.joint!r} follows joint {coupling.source!r} by a coupling and has an initial value"
            findings.error(("joints", place, "initial"), what, f"give joint {coupling.source!r} one")
    for index, coupling in enumerate(model.couplings):
        seen = [coupling.joint]
        name = coupling.source
        while name in source_of and name not in seen:
            seen.append(name)
            name = source_of[name]
        if name in seen and name == coupling.joint:
            what = f"couplings go round in a circle: {' <- '.join([*seen, name])}"
            findings.error(("couplings", index, "source"), what, "leave one of these joints free")
            return


# ---- values ---------------------------------------------------------------------------------------------------------


def _check_parameters(model: Model, findings: Findings) -> None:
    graph = Graph()
    exact: dict[str, Scalar] = {}
    for index, parameter in enumerate(model.parameters):
        path: Path = ("parameters", index, "value")
        number = findings.number(parameter.value, path)
        findings.numbers[parameter.name] = 1.0 if number is None else number
        exact[parameter.name] = symbol(graph, parameter.name)
        if number is not None:
            # Floating-point numbers stay short where exact ones square themselves from parameter to parameter.
            try:
                exact[parameter.name] = to_scalar(parameter.value, graph, exact)
            except MbsymError as error:
                findings.refuse(path, error)


# ---- topology -------------------------------------------------------------------------------------------------------


def _check_topology(model: Model, findings: Findings) -> None:
    if not model.bodies:
        findings.warning(("bodies",), "the model has no body that can move", "add bodies and joints")
        return
    if not model.free_roots:
        loose = _disconnected(model)
        for index, body in enumerate(model.bodies):
            if body.name in loose:
                findings.error(
                    ("bodies", index),
                    f"nothing connects body {body.name!r} to ground ({model.ground!r})",
                    "add a joint, a free one if it floats, or say free_roots: true to have free ones added",
                )
        if loose:
            return
    try:
        label_model(model)
    except TopologyError as error:
        path: Path = ("joints",)
        for index, joint in enumerate(model.joints):
            if error.where == f"joint {joint.name}":
                path = ("joints", index)
        findings.error(path, error.what, error.remedy)


def _disconnected(model: Model) -> set[str]:
    """Names of the bodies without a way to ground."""
    neighbours: dict[str, list[str]] = {model.ground: [], **{body.name: [] for body in model.bodies}}
    for joint in model.joints:
        neighbours[joint.predecessor].append(joint.successor)
        neighbours[joint.successor].append(joint.predecessor)
    pending = [model.ground]
    reached = {model.ground}
    while pending:
        for name in neighbours[pending.pop()]:
            if name not in reached:
                reached.add(name)
                pending.append(name)
    return set(neighbours) - reached
