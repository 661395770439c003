"""Values of the states that a model names."""

from __future__ import annotations

from mbsym.errors import ModelError
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.values.diagnostic import nearest
from mbsym.values.numbers import evaluate, parameter_values


def state_values(model: Model, name: str) -> dict[str, float]:
    """Coordinates and speeds of a named state, by the names that they have in expressions.

    Those of joints that follow others by a coupling are left out, because they are not free.

    Raises:
        ModelError: there is no such state.
    """
    state = next((item for item in model.states if item.name == name), None)
    if state is None:
        known = [item.name for item in model.states]
        raise ModelError(f"there is no state {name!r}", where=model.name, remedy=nearest(name, known))
    numbers, names = parameter_values(model), expression_names(model)
    following = {coupling.joint for coupling in model.couplings}
    return {
        entry: evaluate(value, numbers)
        for table, entries in ((names.coordinates, state.q), (names.speeds, state.v))
        for joint, values in entries
        if joint not in following
        for entry, value in zip(table[joint], values, strict=True)
    }
