"""A Program prepared for many evaluations at single states in plain floats, for Newton iterations at derivation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mbsym.doors import numpy as np
from mbsym.errors import SymbolicError
from mbsym.symbolic.given_functions import GivenFunction
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.unroll import unrolled

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_MUL: Final = 0
_ADD: Final = 1
_SUB: Final = 2
_DIV: Final = 3
_CALL: Final = 4

ELEMENTARY_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": abs,
    "sign": lambda x: math.copysign(1.0, x) if x else x,
    "atan2": math.atan2,
    "min": min,
    "max": max,
    "pow": math.pow,
    "select": lambda condition, positive, otherwise: positive if condition > 0 else otherwise,
}
"""What the graph's functions are in floats; arguments outside a domain raise ValueError."""


class _Gathered(NamedTuple):
    """An output: its name and shape, the places of entries that are not zero, their signs, and how to get them."""

    name: str
    shape: tuple[int, ...]
    filled: list[int]
    signs: list[float]
    pick: Callable[[list[float]], Sequence[float]]


class Evaluator:
    """The operations of a Program in order, with compact indices.

    Calling it with one flat sequence per input gives one array per output, by name.
    """

    __slots__ = ("_arguments", "_outputs", "_tape", "_values", "program")

    def __init__(self, program: Program, parameters: Mapping[str, float] | None = None) -> None:
        """Prepares a program.

        Args:
            program: what to evaluate.
            parameters: values of run-time parameters; those not given keep their defaults.

        Raises:
            SymbolicError: a symbol has no value.
        """
        self.program = program = unrolled(program)
        graph = program.graph
        places: dict[int, int] = {}
        values: list[float] = []

        def place(node: int, value: float = 0.0) -> int:
            places[node] = len(values)
            values.append(value)
            return places[node]

        given = dict(parameters or {})
        for parameter in program.parameters:
            place(parameter.symbol, float(given.get(parameter.name, parameter.default)))
        self._arguments = [[place(symbol) for symbol in item.symbols] for item in program.inputs]
        self._tape: list[tuple[int, int, Any, Any]] = []
        for node in program.nodes():
            if node not in places:
                self._add(graph, node, places, place)
        self._values = values
        self._outputs = [self._gathered(item, places) for item in program.outputs]

    def _gathered(self, item: Output, places: Mapping[int, int]) -> _Gathered:
        """How an output is put together: most entries of large matrices are zero, and written once."""
        filled = [(k, ref) for k, ref in enumerate(item.values) if ref]
        indices = [places[abs(ref)] for _, ref in filled]
        # itemgetter returns a tuple of two or more.
        pick = itemgetter(*indices) if len(indices) > 1 else lambda values: [values[index] for index in indices]
        signs = [-1.0 if ref < 0 else 1.0 for _, ref in filled]
        return _Gathered(item.name, item.shape, [k for k, _ in filled], signs, pick)

    def _add(self, graph: Graph, node: int, places: Mapping[int, int], place: Callable[..., int]) -> None:
        kind, arguments = graph.kinds[node], graph.arguments[node]
        if kind == "const":
            place(node, arguments[0].numerator / arguments[0].denominator)
        elif kind == "pi":
            place(node, math.pi)
        elif kind == "symbol":
            raise SymbolicError(
                f"symbol {arguments[0]} has no value",
                where=self.program.name,
                remedy="make it an entry of an input or a run-time parameter",
            )
        elif kind in ("mul", "div", "add"):
            code = {"mul": _MUL, "div": _DIV, "add": _ADD if arguments[1] > 0 else _SUB}[kind]
            self._tape.append((code, place(node), places[arguments[0]], places[abs(arguments[1])]))
        else:
            operands = [(places[abs(ref)], -1.0 if ref < 0 else 1.0) for ref in arguments]
            function = kind if isinstance(kind, GivenFunction) else ELEMENTARY_FUNCTIONS[kind]
            self._tape.append((_CALL, place(node), function, operands))

    def __call__(self, *inputs: Sequence[float] | Array) -> dict[str, Array]:
        """The outputs; what lies outside the domain of an operation is nan."""
        found = self.entries(*(np.ravel(np.asarray(given, dtype=float)).tolist() for given in inputs))
        return {item.name: np.array(found[item.name]).reshape(item.shape) for item in self._outputs}

    def entries(self, *inputs: Sequence[float]) -> dict[str, list[float]]:
        """The outputs, row by row, of inputs that are given so too; takes no NumPy."""
        self._take(inputs)
        self._run()
        found = {}
        for item in self._outputs:
            flat = found[item.name] = [0.0] * math.prod(item.shape)
            for index, sign, value in zip(item.filled, item.signs, item.pick(self._values), strict=True):
                flat[index] = sign * value
        return found

    def _take(self, inputs: Sequence[Sequence[float]]) -> None:
        for indices, given in zip(self._arguments, inputs, strict=True):
            for index, value in zip(indices, given, strict=True):
                self._values[index] = value

    def _run(self) -> None:
        v = self._values
        for code, out, a, b in self._tape:
            if code == _MUL:
                v[out] = v[a] * v[b]
            elif code == _ADD:
                v[out] = v[a] + v[b]
            elif code == _SUB:
                v[out] = v[a] - v[b]
            elif code == _DIV:
                v[out] = v[a] / v[b] if v[b] else math.nan
            else:
                try:
                    v[out] = a(*(sign * v[index] for index, sign in b))
                except (ValueError, ArithmeticError):
                    v[out] = math.nan
