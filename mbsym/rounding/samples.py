"""Errors of compiled code at sampled states, against the same list of operations in extended precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbsym.codegen.load import LoadedFunction
from mbsym.doors import Array
from mbsym.rounding.tape import Tape

EXTENDED: Final = np.finfo(np.longdouble).nmant >= 63
"""Whether the machine has numbers that are wider than double."""

AT_ONCE: Final = 4096
"""States that are evaluated together."""

_DONE: Final[Mapping[str, Callable[..., Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "negative": np.negative,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "abs": np.abs,
}


def evaluated(tape: Tape, states: Array) -> Array:
    """Results (outputs, N) in extended precision at states (n, N)."""
    parts = [_evaluated(tape, states[:, k : k + AT_ONCE]) for k in range(0, states.shape[1], AT_ONCE)]
    return np.concatenate(parts, axis=1)


def _evaluated(tape: Tape, states: Array) -> Array:
    wide, values = states.astype(np.longdouble), []
    inputs = iter(wide)
    for step in tape.steps:
        if step.kind == "input":
            values.append(next(inputs))
        elif step.kind == "constant":
            nearest = float(step.value)
            rest = float(step.value - type(step.value)(nearest))
            values.append(np.full(wide.shape[1], np.longdouble(nearest) + np.longdouble(rest)))
        else:
            values.append(_DONE[step.kind](*(values[k] for k in step.operands)))
    return np.array([values[place] for place in tape.outputs.values()])


def computed(function: LoadedFunction, names: Sequence[str], states: Array) -> Array:
    """Results (outputs, N) of compiled code at states (n, N), whose rows have the tape's names of inputs.

    Run-time parameters are those of the states; where they differ the function is called for each.
    """
    rows = dict(zip(names, states, strict=True))
    arguments = []
    for item in function.inputs:
        own = [rows[f"{item.name}[{k}]"] for k in range(item.size)] if item.shape else [rows[item.name]]
        arguments.append(np.array(own).T.reshape(-1, *item.shape))
    parameters = {name: rows[f"parameters.{name}"] for name in function.parameters}
    if all(np.ptp(values) == 0 for values in parameters.values()):
        return _flat(function(*arguments, parameters={name: values[0] for name, values in parameters.items()}), 0)
    calls = [
        _flat(
            function(
                *(argument[k] for argument in arguments),
                parameters={name: values[k] for name, values in parameters.items()},
            ),
            1,
        )
        for k in range(states.shape[1])
    ]
    return np.concatenate(calls, axis=1)


def _flat(results: Any, alone: int) -> Array:
    """Results as rows of outputs, one column a state."""
    arrays = results if isinstance(results, tuple) else (results,)
    return np.concatenate([np.asarray(each).reshape(1 if alone else len(each), -1).T for each in arrays])
