"""All that a module reads and moves in one array, with names, units and starts, and the rates of its states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mbsym.consumers.consumer import Exported
from mbsym.kinematics.initial_coordinates import initial_coordinates, initial_drives, initial_speeds
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.assembly import assemble
from mbsym.model.names import expression_names
from mbsym.registry import available_functions

DYNAMICS: Final = "forward_dynamics"
RATES: Final = "position_rate"
DRIVEN: Final = "driven_state"
DRIVES: Final = "drive_rates"
RESIDUAL: Final = "constraint_residual"
SCALE: Final = "closure_scale"
POSITION: Final = "project_position"
VELOCITY: Final = "project_velocity"

PLACES: Final = {"q": "Q", "v": "V", "tau": "TAU", "t": "TIME", "u": "U", "x": "X", "parameters": "P"}
"""Of arguments among the variables, as the sources call them."""

FORCE_UNITS: Final = {"rad/s": "N m", "m/s": "N"}


def motion_functions(mechanism: Mechanism, formulation: str) -> tuple[str, ...]:
    """The functions that the template calls."""
    fixed = available_functions(mechanism, formulation).fixed
    motions = (DRIVEN,) if mechanism.model.motions else ()
    drives = (DRIVES,) if mechanism.model.drives else ()
    return (DYNAMICS, RATES, *motions, *drives, *((POSITION, VELOCITY) if fixed is not None else ()))


def motion_fields(exported: Exported) -> dict[str, Any]:
    """Fields of ``consumers/motion.c.jinja``, which other templates include; calls that there are not are empty."""
    given, module = quantities(exported), exported.module
    everything = (*given.parameters, *given.inputs, *given.forces, *given.states)
    has_drives = bool(given.drives)
    return {
        "name": exported.name,
        "np": len(given.parameters),
        "nu": len(given.inputs),
        "nq": len(given.coordinates),
        "nv": len(given.speeds),
        "nd": len(given.drives),
        "starts": tuple(repr(item.start) for item in everything),
        "parameters": tuple(module.names.parameters[item.name] for item in module.parameters),
        "rates": call_of(exported, RATES, "value + DQ"),
        "dynamics": call_of(exported, DYNAMICS, "value + DV"),
        "dynamics_fail": bool(exported.function(DYNAMICS).failures),
        "drives": call_of(exported, DRIVES, "value + DX") if has_drives else "",
        "drives_fail": has_drives and bool(exported.function(DRIVES).failures),
        "quaternions": tuple(exported.mechanism.q.quaternions),
        "driven": call_of(exported, DRIVEN, "prescribed_q", "prescribed_v") if exported.mechanism.model.motions else "",
        "position": call_of(exported, POSITION, "closed") if keeps_loops(exported) else "",
        "velocity": call_of(exported, VELOCITY, "consistent") if keeps_loops(exported) else "",
    }


def keeps_loops(exported: Exported) -> bool:
    """True where the module closes loops."""
    return bool(exported.derivation.runtime)


def call_of(exported: Exported, function: str, *results: str) -> str:
    """The call of a generated function over the variables, with the names of its results in their order."""
    actual, targets = ["&parameters"] if exported.module.parameters else [], iter(results)
    for item in exported.function(function).arguments:
        if item.direction == "out":
            actual.append(next(targets))
        elif item.name == "q":
            actual.append("q")
        else:
            actual.append(f"value + {PLACES[item.name]}" if item.shape else f"value[{PLACES[item.name]}]")
    return f"{exported.module.names.c_symbol(function)}({', '.join(actual)})"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that the module reads, moves or finds.

    Attributes:
        name: unique among those of the module.
        unit: "" where it has none.
        start: its value at the beginning.
        sentence: what it is.
    """

    name: str
    unit: str
    start: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Quantities:
    """All quantities of a module, in the order of the arrays that hold them, and the outputs of its model."""

    parameters: tuple[Quantity, ...]
    inputs: tuple[Quantity, ...]
    forces: tuple[Quantity, ...]
    coordinates: tuple[Quantity, ...]
    speeds: tuple[Quantity, ...]
    drives: tuple[Quantity, ...]
    outputs: tuple[Quantity, ...]

    @property
    def states(self) -> tuple[Quantity, ...]:
        """What moves: coordinates, speeds and states of drives."""
        return (*self.coordinates, *self.speeds, *self.drives)


def quantities(exported: Exported) -> Quantities:
    """What the module has.

    Raises:
        SimulationError: closed loops cannot be closed near the model's initial coordinates.
    """
    mechanism = exported.mechanism
    table = expression_names(mechanism.model)
    taken: set[str] = {"time"}
    start = _start(mechanism)
    parameters = tuple(
        Quantity(_free(item.name, taken), item.unit, float(item.default), "run-time parameter")
        for item in exported.module.parameters
    )
    inputs = tuple(
        Quantity(_free(item.name, taken), item.unit, 0.0, "control input")
        for item in (mechanism.model.inputs if mechanism.controls is not None else ())
    )
    coordinates: list[tuple[str, str, str]] = []
    speeds: list[tuple[str, str, str]] = []
    for body in mechanism.bodies_by_coordinates:
        joint, shape = body.joint.name, body.joint.shape
        coordinates += zip(table.coordinates[joint], shape.coordinate_units, [joint] * shape.nq, strict=True)
        speeds += zip(table.speeds[joint], shape.speed_units, [joint] * shape.nv, strict=True)
    places = tuple(
        Quantity(_free(name, taken), unit, start[k], f"coordinate of {joint}")
        for k, (name, unit, joint) in enumerate(coordinates)
    )
    moving = initial_speeds(mechanism)
    rates = tuple(
        Quantity(_free(name, taken), unit, float(moving[k]), f"speed of {joint}")
        for k, (name, unit, joint) in enumerate(speeds)
    )
    forces = tuple(
        Quantity(_free(f"tau_{name.removeprefix('v_')}", taken), FORCE_UNITS.get(unit, ""), 0.0, f"force at {joint}")
        for name, unit, joint in speeds
    )
    initial = initial_drives(mechanism)
    drives = tuple(
        Quantity(_free(item.name, taken), item.unit, float(initial[k]), "state of a drive")
        for k, item in enumerate(mechanism.model.drives)
    )
    outputs = tuple(
        Quantity(_free(item.name, taken), item.unit, 0.0, f"output {item.expression}")
        for item in mechanism.model.outputs
    )
    return Quantities(parameters, inputs, forces, places, rates, drives, outputs)


def _start(mechanism: Mechanism) -> tuple[float, ...]:
    """The coordinates from which the model starts, loops closed."""
    if mechanism.cut_joints or mechanism.model.constraints:
        return tuple(float(x) for x in assemble(mechanism).q)
    return tuple(float(x) for x in initial_coordinates(mechanism))


def _free(name: str, taken: set[str]) -> str:
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found
