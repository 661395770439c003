"""Numbers by the names of a model, some of them with units: what options give, in SI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbsym.errors import SimulationError, SymbolicError
from mbsym.model.names import TIME, expression_names
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate
from mbsym.values.units import is_quantity, stated_value


def in_si(given: Mapping[str, float | str] | None, model: Model, *, forces: bool = False) -> dict[str, Any]:
    """Numbers by name, those with units in SI, by what the names mean in a model.

    Args:
        given: numbers, or texts of numbers with units; other values stay as they are.
        model: whose parameters, inputs, coordinates and speeds have units; of unknown names any unit is taken.
        forces: the names are those of speeds, and the numbers forces along them.

    Raises:
        SimulationError: a unit is unknown, or measures something else.
    """
    found: dict[str, Any] = dict(given or {})
    units = _units_of_names(model, forces) if any(map(is_quantity, found.values())) else {}
    for name, value in found.items():
        if is_quantity(value):
            try:
                found[name] = evaluate(stated_value(value, units.get(name, ""))[0])
            except SymbolicError as error:
                raise SimulationError(f"{name}: {error.what}", where=model.name, remedy=error.remedy) from None
    return found


def _units_of_names(model: Model, forces: bool) -> dict[str, str]:
    table = expression_names(model)
    found = {TIME: "s", **{item.name: item.unit for item in model.parameters}}
    found |= {item.name: item.unit for item in model.inputs}
    found |= {item.name: item.unit for item in model.drives}
    for joint in model.joints:
        speed_units = joint.shape.force_units if forces else joint.shape.speed_units
        found |= zip(table.coordinates[joint.name], joint.shape.coordinate_units, strict=True)
        found |= zip(table.speeds[joint.name], speed_units, strict=True)
    return found
