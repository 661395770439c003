"""Derivatives of a Program in numbers: all results by all arguments, in reverse, with no formula of any of them.

What a result owes to each operation is carried back from the results to the arguments, for all results at a time in one
array. That is a product of the differentials of single operations, of which there are as many as operations, where a
formula for each entry of a Jacobian grows with the entries.

Source: A. Griewank, A. Walther, Evaluating Derivatives, 2008, chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mbsym.doors import numpy as np
from mbsym.symbolic.differentiate import differentials
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.unroll import unrolled

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_FACTORS = " "
"""Name of the result that holds them; none of a Program is called so."""


class Adjoints:
    """A Program prepared for values and derivatives at single states."""

    __slots__ = ("_by", "_evaluator", "_results", "_tape")

    def __init__(self, program: Program, by: Sequence[str], results: Sequence[str] = ()) -> None:
        """Prepares a program.

        Args:
            program: what to evaluate.
            by: names of the arguments to differentiate by.
            results: names of those that are differentiated; default all.

        Raises:
            SymbolicError: a symbol has no value, or an operation no derivative.
        """
        program = unrolled(program)
        self._by = [item for item in program.inputs if item.name in by]
        self._results = [item for item in program.outputs if not results or item.name in results]
        refs = [ref for item in self._results for ref in item.values]
        factors: list[int] = []
        self._tape: list[tuple[int, int, tuple[int, ...]]] = []
        for step in differentials(program.graph, refs, {abs(ref) for item in self._by for ref in item.symbols}):
            # Of a branch, the place of its condition below zero tells that one of the operands is taken.
            self._tape.append((step.node, len(factors) if step.partials else ~len(factors), step.operands))
            factors += step.partials or (step.condition,)
        self._tape.reverse()
        told = Output(_FACTORS, (len(factors),), tuple(factors))
        self._evaluator = Evaluator(replace(program, outputs=(*program.outputs, told)))

    def values(self, *inputs: Array) -> dict[str, Array]:
        """The results alone."""
        found = self._evaluator(*inputs)
        del found[_FACTORS]
        return found

    def __call__(self, *inputs: Array) -> tuple[dict[str, Array], dict[tuple[str, str], Array]]:
        """The results, and the derivative of each by each argument, that one's entries in the last axis."""
        values = self._evaluator(*inputs)
        adjoints = self._carried_back(values.pop(_FACTORS).tolist())
        count = sum(len(item.values) for item in self._results)
        slopes = {}
        for item in self._by:
            columns = [adjoints[abs(ref)] if abs(ref) in adjoints else np.zeros(count) for ref in item.symbols]
            rows, start = np.array(columns).reshape(len(columns), count).T, 0
            for result in self._results:
                stop = start + len(result.values)
                slopes[result.name, item.name] = rows[start:stop].reshape(*result.shape, len(columns))
                start = stop
        return values, slopes

    def _carried_back(self, factors: list[float]) -> dict[int, Array]:
        """What each result owes to each argument."""
        refs = [ref for item in self._results for ref in item.values]
        adjoints: dict[int, Array] = {}
        for row, ref in enumerate(refs):
            if ref:
                adjoints.setdefault(abs(ref), np.zeros(len(refs)))[row] = -1.0 if ref < 0 else 1.0
        for node, place, operands in self._tape:
            adjoint = adjoints.pop(node, None)
            if adjoint is None:
                continue
            if place >= 0:
                parts = zip(operands, factors[place : place + len(operands)], strict=True)
            else:
                parts = zip(operands[:1] if factors[~place] > 0.0 else operands[1:], (1.0,), strict=True)
            for ref, partial in parts:
                operand, factor = (ref, partial) if ref > 0 else (-ref, -partial)
                change = adjoint if factor == 1.0 else adjoint * factor
                before = adjoints.get(operand)
                adjoints[operand] = change if before is None else before + change
        return adjoints
