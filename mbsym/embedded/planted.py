"""Faults planted in derived functions: constants that are a little off, and turned signs, many of them at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from mbsym.codegen import expressions as ex
from mbsym.codegen.description import STATUS_OF, VANISHES, Real
from mbsym.codegen.expressions import evaluated
from mbsym.codegen.lowered import LoweredFunction
from mbsym.doors import Array
from mbsym.symbolic.domains import Guard
from mbsym.symbolic.given_functions import StepFunction

_IN_NUMPY: Final = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan2": "arctan2",
    "min": "fmin",
    "max": "fmax",
    "pow": "power",
}
"""Elementary functions that are called otherwise there."""

ABREAST: Final = 2560
"""Faults times states that are evaluated side by side."""

MOST: Final = 4096
"""Faults of a function; of more, as many are taken at even distances."""


@dataclass(frozen=True, slots=True)
class Faults:
    """Results of a function with faults.

    Attributes:
        places: of the faults, counted as they are met.
        is_sign: of each fault, whether it is a sign or a constant.
        right: by identifier of a result, without a fault, (states, size).
        wrong: likewise, (faults, states, size).
    """

    places: Array
    is_sign: Array
    right: Mapping[str, Array]
    wrong: Mapping[str, Array]


def with_faults(
    body: LoweredFunction,
    values: Mapping[str, Array],
    parameters: Mapping[str, float],
    off: float,
    places: Array | None = None,
) -> Faults:
    """What a function returns at some states with each fault alone.

    Args:
        body: of the function.
        values: arguments by identifier, (states, size).
        parameters: by identifier.
        off: part by which a constant is off.
        places: of the faults; all, if not given.
    """
    counting = _Evaluation(values, parameters, np.zeros((1, 0)), np.zeros(1), off)
    right = {name: array[0] for name, array in counting.run(body).items()}
    if places is None:
        places = np.arange(counting.place)[:: max(-(-counting.place // MOST), 1)]
    abreast = max(ABREAST // len(next(iter(values.values()))), 1)
    found: list[Mapping[str, Array]] = []
    for start in range(0, len(places), abreast):
        rows = places[start : start + abreast]
        found.append(_Evaluation(values, parameters, rows, np.arange(len(rows)), off).run(body))
    wrong = {
        name: np.concatenate([each[name] for each in found]) if found else np.zeros((0, *array.shape))
        for name, array in right.items()
    }
    return Faults(places, np.array(counting.is_sign, dtype=bool)[places], right, wrong)


def judged(guards: Sequence[Guard], values: Array, real: Real) -> Array:
    """Statuses by what guards look at, as a printed text finds them.

    Args:
        guards: of a function.
        values: of all guards in the last axis, finite or not.
        real: floating-point type of the text.
    """
    statuses = np.zeros(values.shape[:-1], dtype=int)
    for place, guard in enumerate(guards):
        value = values[..., place]
        holds = {
            "nonzero": np.abs(value) > VANISHES.of(real) * guard.size,
            "not negative": value >= 0,
            "positive": value > 0,
            "within one": np.abs(value) <= 1,
        }[guard.need]
        statuses = np.where(holds, statuses, np.maximum(statuses, STATUS_OF[guard.need]))
    return statuses


class _Evaluation:
    """One pass over a body: what is planted at a place counts in one row alone."""

    def __init__(
        self, values: Mapping[str, Array], parameters: Mapping[str, float], planted: Array, rows: Array, off: float
    ) -> None:
        self._values: dict[str, Any] = dict(parameters)
        self.arrays = values
        self._off = off
        self._rows = len(rows)
        self._row_of = {int(place): row for row, place in enumerate(planted.ravel())}
        self.place = 0
        self.is_sign: list[bool] = []

    def run(self, body: LoweredFunction) -> dict[str, Array]:
        """The results, (rows, states, size)."""
        states = len(next(iter(self.arrays.values())))
        with np.errstate(all="ignore"):
            for block in body.blocks:
                for item in block.assignments:
                    self._values[item.identifier] = evaluated(item.expression, _RULES, self)
            shape = (self._rows, states)
            return {
                result.identifier: np.stack(
                    [np.broadcast_to(evaluated(entry, _RULES, self), shape) for entry in result.entries], axis=-1
                )
                for result in body.results
                if result.entries
            }

    def _factor(self, is_sign: bool) -> Any:
        """What stands before the next constant or term."""
        self.is_sign.append(is_sign)
        row = self._row_of.get(self.place)
        self.place += 1
        if row is None:
            return 1.0
        factor = np.ones((self._rows, 1))
        factor[row] = -1.0 if is_sign else 1.0 + self._off
        return factor

    def constant(self, value: float) -> Any:
        """That number, or one that is a little off."""
        return value * self._factor(is_sign=False) if abs(value) not in (0.0, 1.0) else value

    def variable(self, identifier: str) -> Any:
        """A number by its name."""
        known = self._values.get(identifier)
        return self.arrays[identifier][:, 0] if known is None else known

    def total(self, terms: Sequence[tuple[bool, Any]]) -> Any:
        """A sum, each of whose signs may be turned."""
        signed = ((place, negative, -value if negative else value) for place, (negative, value) in enumerate(terms))
        return sum(own * self._factor(is_sign=True) if place or negative else own for place, negative, own in signed)

    def opposite(self, value: Any) -> Any:
        """Or the number itself."""
        return -value * self._factor(is_sign=True)


def _applied(function: str, arguments: Sequence[Any]) -> Any:
    """What a function of the graph makes of numbers."""
    if isinstance(function, StepFunction):
        return function.of_array(arguments[0])
    return getattr(np, _IN_NUMPY.get(function, function))(*arguments)


_RULES: Final[ex.Rules] = {
    ex.Constant: lambda run, constant, _: run.constant(float(constant.value)),
    ex.Variable: lambda run, variable, _: run.variable(variable.identifier),
    ex.Element: lambda run, element, _: run.arrays[element.array][:, element.index],
    ex.Sum: lambda run, _, terms: run.total(terms),
    ex.Product: lambda _, __, factors: prod(factors),
    ex.Quotient: lambda _, __, parts: np.divide(parts[0], parts[1]),  # of parameters alone these are numbers of Python
    ex.Call: lambda _, call, arguments: _applied(call.function, arguments),
    ex.Select: lambda _, __, parts: np.where(np.asarray(parts[0]) > 0, parts[1], parts[2]),
    ex.Negation: lambda run, _, operands: run.opposite(operands[0]),
}
