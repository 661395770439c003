"""Names, units and initial values of all that a module reads and moves, for consumers that list them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.consumers.consumer import Exported
from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.assembly import assemble
from mbsym.model.names import expression_names

FORCE_UNITS: Final = {"rad/s": "N m", "m/s": "N"}


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
    """All quantities of a module, in the order of the arrays that hold them."""

    parameters: tuple[Quantity, ...]
    inputs: tuple[Quantity, ...]
    forces: tuple[Quantity, ...]
    coordinates: tuple[Quantity, ...]
    speeds: tuple[Quantity, ...]


def quantities(exported: Exported) -> Quantities:
    """What the module has.

    Raises:
        SimulationError: closed loops cannot be closed near the model's initial coordinates.
    """
    mechanism = exported.mechanism
    table = expression_names(mechanism.model)
    taken: set[str] = {"time"}
    start = start_of(mechanism)
    parameters = tuple(
        Quantity(_free(item.name, taken), item.unit, float(item.default), "run-time parameter")
        for item in exported.module.parameters
    )
    inputs = tuple(
        Quantity(_free(item.name, taken), item.unit, 0.0, "control input")
        for item in (mechanism.model.inputs if mechanism.controls is not None else ())
    )
    bodies = mechanism.bodies_by_coordinates
    coordinates = [
        (name, unit, body.joint.name)
        for body in bodies
        for name, unit in zip(table.coordinates[body.joint.name], body.joint.shape.coordinate_units, strict=True)
    ]
    speeds = [
        (name, unit, body.joint.name)
        for body in bodies
        for name, unit in zip(table.speeds[body.joint.name], body.joint.shape.speed_units, strict=True)
    ]
    places = tuple(
        Quantity(_free(name, taken), unit, start[k], f"coordinate of {joint}")
        for k, (name, unit, joint) in enumerate(coordinates)
    )
    rates = tuple(Quantity(_free(name, taken), unit, 0.0, f"speed of {joint}") for name, unit, joint in speeds)
    forces = tuple(
        Quantity(_free(f"tau_{name.removeprefix('v_')}", taken), FORCE_UNITS.get(unit, ""), 0.0, f"force at {joint}")
        for name, unit, joint in speeds
    )
    return Quantities(parameters, inputs, forces, places, rates)


def start_of(mechanism: Mechanism) -> tuple[float, ...]:
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
