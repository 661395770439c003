"""What a model has, before anything is derived: its parts, freedoms and loops, and what does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from mbsym.errors import MbsymError
from mbsym.formulations.massless_motion import require_inertia
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.assembly import assemble
from mbsym.loops.redundancy import MOST_SPEEDS, LoopAnalysis, analyse_loops, immobility
from mbsym.model.body import COINCIDENT
from mbsym.model.coordinate_order import first_entries, joints_by_coordinates
from mbsym.model.drive import DriveState
from mbsym.model.labelling import ModelLabelling
from mbsym.model.names import expression_names
from mbsym.model.system import Model, with_virtual_joints
from mbsym.values.numbers import evaluate, parameter_values
from mbsym.values.parameter import ControlInput, Value
from mbsym.values.table import Table
from mbsym.visualisation.attachments import Attachment, attachments_of, attachments_to_json


@dataclass(frozen=True, slots=True)
class JointEntries:
    """Where a joint stands in q and v.

    Attributes:
        joint, type: its name and type.
        q, v: first entry and end.
        coordinates, speeds: names of the entries in expressions.
    """

    joint: str
    type: str
    q: tuple[int, int]
    v: tuple[int, int]
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """What closes a loop.

    Attributes:
        name, type: of the cut joint, or of the constraint element.
        rows: number of its closure equations, None where they were not set up.
        dependent: numbers of those that follow from others, from 1.
        joints: tree joints around the loop of a cut joint with the signs of their motion over it.
    """

    name: str
    type: str
    rows: int | None
    dependent: tuple[int, ...]
    joints: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Overview:
    """A model in figures.

    Attributes:
        model: with the virtual free joints of bodies that nothing connects to ground.
        labelling: its labels.
        masses: of the bodies [kg], in the model's order; empty for topology alone.
        entries: where joints stand in q and v, in that order.
        nq, nv: coordinates and speeds of the tree.
        freedoms: independent speeds with all loops closed, None where that is not known.
        loops: cut joints by label, then constraint elements.
        attachments: couplings, constraints and force elements.
        start: what of the initial values closing the loops moved, a sentence each.
        reasons: why closure equations follow from others, a sentence each.
        findings: what does not fit, a sentence each.
    """

    model: Model
    labelling: ModelLabelling
    masses: tuple[float, ...]
    entries: tuple[JointEntries, ...]
    nq: int
    nv: int
    freedoms: int | None
    loops: tuple[Loop, ...]
    attachments: tuple[Attachment, ...]
    start: tuple[str, ...]
    reasons: tuple[str, ...]
    findings: tuple[str, ...]

    @property
    def joint_types(self) -> Mapping[str, int]:
        """How many joints there are of each type, in the order in which the types first appear."""
        return Counter(joint.type for joint in self.model.joints)

    def as_dict(self) -> dict[str, Any]:
        """The same as lists and dictionaries that JSON can hold; None where something is not known."""
        model, labelling = self.model, self.labelling
        numbers = parameter_values(model)
        masses = dict(zip((body.name for body in model.bodies), self.masses, strict=False))

        def number(value: Value | None) -> float | None:
            return None if value is None else evaluate(value, numbers)

        return {
            "name": model.name,
            "description": " ".join(model.description.split()),
            "gravity": [number(entry) for entry in model.gravity],
            "bodies": [
                {"name": body.name, "label": labelling.body_labels[body.name], "mass": masses.get(body.name)}
                for body in model.bodies
            ],
            "total_mass": sum(self.masses) if self.masses else None,
            "joints": [
                {
                    "name": joint.name,
                    "type": joint.type,
                    "label": labelling.joint_labels[joint.name],
                    "predecessor": joint.predecessor,
                    "successor": joint.successor,
                    "cut": joint.name in labelling.cut_joints,
                }
                for joint in model.joints
            ],
            "joint_types": dict(self.joint_types),
            "added_joints": [str(name) for name in labelling.added_joints],
            "nq": self.nq,
            "nv": self.nv,
            "degrees_of_freedom": self.freedoms,
            "coordinate_order": order if isinstance(order := model.coordinate_order, str) else list(order),
            "coordinates": [
                {
                    "joint": item.joint,
                    "q": list(item.q),
                    "v": list(item.v),
                    "coordinates": list(item.coordinates),
                    "speeds": list(item.speeds),
                }
                for item in self.entries
            ],
            "loops": [
                {
                    "name": loop.name,
                    "type": loop.type,
                    "rows": loop.rows,
                    "dependent_rows": list(loop.dependent),
                    "joints": dict(loop.joints),
                }
                for loop in self.loops
            ],
            "start": list(self.start),
            "reasons": list(self.reasons),
            "couplings": [
                {"joint": item.joint, "source": item.source, "ratio": number(item.ratio), "offset": number(item.offset)}
                for item in model.couplings
            ],
            "frames": [{"name": item.name, "body": item.body, "axes": item.axes} for item in model.frames],
            "states": [state.name for state in model.states],
            "shapes": dict(sorted(Counter(shape.form.type for shape in model.shapes).items())),
            "elements": attachments_to_json(self.attachments),
            "motions": [
                {"name": item.name, "joint": item.joint, "index": item.index, "gives": item.gives, "law": str(item.law)}
                for item in model.motions
            ],
            "inputs": [_input_as_dict(item, number) for item in model.inputs],
            "drives": list(map(_drive_as_dict, model.drives)),
            "outputs": [
                {"name": item.name, "expression": str(item.expression), "unit": item.unit} for item in model.outputs
            ],
            "tables": list(map(_curve_as_dict, model.tables)),
            "parameters": [
                {"name": item.name, "value": numbers[item.name], "unit": item.unit, "symbolic": item.symbolic}
                for item in model.parameters
            ],
            "findings": list(self.findings),
        }


def _input_as_dict(item: ControlInput, number: Callable[[Value | None], float | None]) -> dict[str, Any]:
    found = {"name": item.name, "unit": item.unit, "lower": number(item.lower), "upper": number(item.upper)}
    return found | ({"saturates": True} if item.saturates else {})


def overview(model: Model, order: str = "weight") -> Overview:
    """Looks a model over.

    Args:
        model: topology alone will do.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.

    Raises:
        MbsymError: it cannot be labelled, or its coordinates cannot be laid out as it asks.
    """
    labelling = model.label(order=order)
    model = with_virtual_joints(model, labelling)
    entries, nq, nv = _entries(model, labelling)
    numbers = parameter_values(model)
    masses = tuple(evaluate(body.mass, numbers) for body in model.bodies)
    has_mass = any(masses) or any(evaluate(entry, numbers) for body in model.bodies for entry in body.inertia)
    analysis, start, problems = _looked_into(model, labelling, nv, has_mass)
    loops = _loops(model, labelling, analysis)
    freedoms = nv if not loops else None if analysis is None else analysis.mobility
    immobile = immobility(model, order) if nv == 0 else ""
    return Overview(
        model=model,
        labelling=labelling,
        masses=masses if has_mass else (),
        entries=entries,
        nq=nq,
        nv=nv,
        freedoms=freedoms,
        loops=loops,
        attachments=attachments_of(model),
        start=start,
        reasons=() if analysis is None else analysis.sentences,
        findings=(*model.warnings, *problems, *filter(None, [immobile])),
    )


def _entries(model: Model, labelling: ModelLabelling) -> tuple[tuple[JointEntries, ...], int, int]:
    """Where the joints with coordinates of their own stand; nq and nv."""
    joints = {joint.name: joint for joint in model.joints}
    own = [joints[name] for name in joints_by_coordinates(model, labelling)]
    q, nq = first_entries({joint.name: joint.shape.nq for joint in own})
    v, nv = first_entries({joint.name: joint.shape.nv for joint in own})
    table = expression_names(model)
    entries = (
        JointEntries(
            joint.name,
            joint.type,
            (q[joint.name], q[joint.name] + joint.shape.nq),
            (v[joint.name], v[joint.name] + joint.shape.nv),
            table.coordinates[joint.name],
            table.speeds[joint.name],
        )
        for joint in own
    )
    return tuple(entries), nq, nv


def _looked_into(
    model: Model, labelling: ModelLabelling, nv: int, has_mass: bool
) -> tuple[LoopAnalysis | None, tuple[str, ...], tuple[str, ...]]:
    """The analysis of the loops where there are any, what closing them moved, and what does not fit.

    Loops of topology alone, without masses and without any place in space, would close as if all joints stood in one
    point, so nothing is said of them.
    """
    looped = bool(labelling.cut_joints or model.constraints)
    placements = {place for joint in model.joints for place in (joint.predecessor_placement, joint.successor_placement)}
    if looped and not has_mass and placements <= {COINCIDENT}:
        return None, (), ("no joint has a place in space, so the freedom that the closed loops leave is not known",)
    analysis: LoopAnalysis | None = None
    start: tuple[str, ...] = ()
    try:
        mechanism = build_mechanism(model, labelling)
        if looped:
            analysis = analyse_loops(mechanism)
            start = assemble(mechanism).sentences
        if has_mass and 0 < nv <= MOST_SPEEDS:
            require_inertia(mechanism)
    except MbsymError as error:
        return analysis, start, (str(error),)
    return analysis, start, ()


def _loops(model: Model, labelling: ModelLabelling, analysis: LoopAnalysis | None) -> tuple[Loop, ...]:
    """Cut joints and constraint elements with their closure rows."""
    rows = Counter[str]()
    dependent: dict[str, tuple[int, ...]] = {}
    if analysis is not None:
        for closure in analysis.closures:
            rows[closure.name] += len(closure.rows)
        for row in analysis.dependent:
            dependent[row.closure] = (*dependent.get(row.closure, ()), row.number)
    types = {joint.name: joint.type for joint in model.joints}
    around = {str(cut): {str(name): sign for name, sign in loop.items()} for cut, loop in labelling.loops.items()}
    found = [(name, types[name], joints) for name, joints in around.items()]
    found += [(item.name, item.type, {}) for item in model.constraints]
    return tuple(Loop(name, kind, rows.get(name), dependent.get(name, ()), joints) for name, kind, joints in found)


def _drive_as_dict(drive: DriveState) -> dict[str, str]:
    """A state of a drive in short."""
    limits = {key: str(value) for key, value in (("lower", drive.lower), ("upper", drive.upper)) if value is not None}
    return {"name": drive.name, "rate": str(drive.rate), "initial": str(drive.initial), "unit": drive.unit} | limits


def _curve_as_dict(table: Table) -> dict[str, Any]:
    """A table in short."""
    ways = (table.x, table.y)[: table.arguments]
    return {
        "name": table.name,
        "arguments": [[points[0], points[-1]] for points in ways],
        "points": prod(map(len, ways)),
        "between": table.between,
        "outside": table.outside,
    }
