"""What a derived function returns when every operation of it is rounded at random, as far as single precision rounds.

The same text rounds otherwise where products are fused with sums, in vectors, in another library. Single precision by
itself shows nothing of that where operations happen to be exact: two equal products that are rounded apart cancel, and
leave a rounding where one of them is fused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbsym.codegen.evaluation import Rules, evaluated
from mbsym.codegen.expressions import Call, Constant, Element, Negation, Product, Quotient, Select, Sum, Variable
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.doors import Array
from mbsym.embedded.planted import in_numpy

DRAWN: Final = 997
"""Roundings that are drawn; operations that far from each other have the same."""

EXACT: Final = frozenset(("abs", "min", "max", "sign"))
"""Functions that round nothing."""


def rounded(
    function: ModuleFunction,
    values: Mapping[str, Array],
    parameters: Mapping[str, float],
    generator: np.random.Generator,
) -> tuple[Array, ...]:
    """Results of a function of straight code, whose operations are rounded: (rows, size) each.

    Args:
        function: derived, without loops.
        values: arguments by name, along a first axis of rows.
        parameters: by identifier.
        generator: of the roundings.
    """
    body = function.body
    assert body is not None and not body.loops
    rows = len(next(iter(values.values()))) if values else 1
    arrays = {own: values[item.name].reshape(rows, -1) for item, own in function.paired if item.direction == "in"}
    run = _Run(arrays, parameters, generator, rows)
    with np.errstate(all="ignore"):
        for block in body.blocks:
            for item in block.assignments:
                run.numbers[item.identifier] = evaluated(item.expression, _RULES, run)
        entries = {
            result.identifier: [np.broadcast_to(evaluated(entry, _RULES, run), rows) for entry in result.entries]
            for result in body.results
        }
    outputs = (own for item, own in function.paired if item.direction == "out")
    return tuple(np.array(entries[own], dtype=float).reshape(-1, rows).T for own in outputs)


class _Run:
    """One pass over a body.

    Attributes:
        numbers: what is known by name, in all rows.
        arrays: arguments, (rows, size).
    """

    def __init__(
        self, arrays: Mapping[str, Array], parameters: Mapping[str, float], generator: np.random.Generator, rows: int
    ) -> None:
        self.numbers: dict[str, Any] = dict(parameters)
        self.arrays = arrays
        half = float(np.finfo(np.float32).eps) / 2
        self._factors = 1.0 + half * generator.uniform(-1.0, 1.0, (DRAWN, rows))
        self._count = 0

    def rounded(self, value: Any) -> Any:
        """A result of an operation."""
        self._count += 1
        return value * self._factors[self._count % DRAWN]

    def variable(self, identifier: str) -> Any:
        """A number by its name."""
        known = self.numbers.get(identifier)
        return self.arrays[identifier][:, 0] if known is None else known

    def total(self, terms: Sequence[tuple[bool, Any]]) -> Any:
        """A sum from left to right."""
        (negative, first), *others = terms
        total = -first if negative else first
        for negative, term in others:
            total = self.rounded(total - term if negative else total + term)
        return total

    def product(self, factors: Sequence[Any]) -> Any:
        """A product from left to right."""
        first, *others = factors
        for factor in others:
            first = self.rounded(first * factor)
        return first

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        """An elementary function."""
        found = in_numpy(name)(*arguments)
        return found if name in EXACT else self.rounded(found)


_RULES: Final[Rules] = {
    Constant: lambda _, constant, __: float(constant.value),
    Variable: lambda run, variable, _: run.variable(variable.identifier),
    Element: lambda run, element, _: run.arrays[element.array][:, element.index],
    Sum: lambda run, _, terms: run.total(terms),
    Product: lambda run, _, factors: run.product(factors),
    Quotient: lambda run, _, parts: run.rounded(parts[0] / parts[1]),
    Call: lambda run, call, arguments: run.call(call.function, arguments),
    Select: lambda _, __, parts: np.where(np.asarray(parts[0]) > 0, parts[1], parts[2]),
    Negation: lambda _, __, operands: -operands[0],
}
