"""Faults planted in derived functions: constants that are a little off, and turned signs, many of them at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.description import Real
from mbsym.codegen.expressions import (
    Call,
    Constant,
    Element,
    Expression,
    Negation,
    Product,
    Quotient,
    Select,
    Sum,
    Variable,
)
from mbsym.codegen.guards import STATUS_OF, VANISHES
from mbsym.codegen.lowered import LoweredFunction
from mbsym.symbolic.domains import Guard

Array = NDArray[Any]

ABREAST: Final = 64
"""Faults that are evaluated side by side."""

MOST: Final = 512
"""Faults of a function; of more, as many are taken at even distances."""


@dataclass(frozen=True, slots=True)
class Faults:
    """Results of a function with faults.

    Attributes:
        is_sign: of each fault, whether it is a sign or a constant.
        right: by identifier of a result, without a fault, (states, size).
        wrong: likewise, (faults, states, size).
    """

    is_sign: Array
    right: Mapping[str, Array]
    wrong: Mapping[str, Array]


def with_faults(
    body: LoweredFunction, values: Mapping[str, Array], parameters: Mapping[str, float], off: float
) -> Faults:
    """What a function returns at some states with each fault alone.

    Args:
        body: of the function.
        values: arguments by identifier, (states, size).
        parameters: by identifier.
        off: part by which a constant is off.
    """
    counting = _Evaluation(values, parameters, np.zeros((1, 0)), np.zeros(1), off)
    right = {name: array[0] for name, array in counting.run(body).items()}
    count = counting.place
    chosen = np.arange(count)[:: max(-(-count // MOST), 1)]
    found: list[Mapping[str, Array]] = []
    for start in range(0, len(chosen), ABREAST):
        rows = chosen[start : start + ABREAST]
        found.append(_Evaluation(values, parameters, rows, np.arange(len(rows)), off).run(body))
    wrong = {
        name: np.concatenate([each[name] for each in found]) if found else np.zeros((0, *array.shape))
        for name, array in right.items()
    }
    return Faults(np.array(counting.is_sign, dtype=bool)[chosen], right, wrong)


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
        self._arrays = values
        self._off = off
        self._rows = len(rows)
        self._row_of = {int(place): row for row, place in enumerate(planted.ravel())}
        self.place = 0
        self.is_sign: list[bool] = []

    def run(self, body: LoweredFunction) -> dict[str, Array]:
        """The results, (rows, states, size)."""
        states = len(next(iter(self._arrays.values())))
        with np.errstate(all="ignore"):
            for block in body.blocks:
                for item in block.assignments:
                    self._values[item.identifier] = self._of(item.expression)
            shape = (self._rows, states)
            return {
                result.identifier: np.stack(
                    [np.broadcast_to(self._of(entry), shape) for entry in result.entries], axis=-1
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

    def _of(self, expression: Expression) -> Any:
        if isinstance(expression, Constant):
            value = float(expression.value)
            return value * self._factor(is_sign=False) if abs(value) not in (0.0, 1.0) else value
        if isinstance(expression, Variable):
            known = self._values.get(expression.identifier)
            return self._arrays[expression.identifier][:, 0] if known is None else known
        if isinstance(expression, Element):
            return self._arrays[expression.array][:, expression.index]
        if isinstance(expression, Sum):
            return sum(self._terms(expression))
        if isinstance(expression, Product):
            product: Any = 1.0
            for factor in expression.factors:
                product = product * self._of(factor)
            return product
        if isinstance(expression, Quotient):
            return self._of(expression.numerator) / self._of(expression.denominator)
        if isinstance(expression, Negation):
            return -self._of(expression.operand) * self._factor(is_sign=True)
        if isinstance(expression, Select):
            condition, positive, otherwise = map(
                self._of, (expression.condition, expression.positive, expression.otherwise)
            )
            return np.where(np.asarray(condition) > 0, positive, otherwise)
        assert isinstance(expression, Call)
        return self._called(expression)

    def _terms(self, expression: Sum) -> Iterator[Any]:
        for place, (negative, term) in enumerate(expression.terms):
            value = -self._of(term) if negative else self._of(term)
            yield value * self._factor(is_sign=True) if place or negative else value

    def _called(self, expression: Call) -> Any:
        names = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "min": "fmin", "max": "fmax"}
        names |= {"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power"}
        function = getattr(np, names.get(expression.function, expression.function))
        return function(*map(self._of, expression.arguments))
