"""A user's Python function over any numbers: a copy of it in which ``math`` and ``numpy`` take what has operators.

Nothing is patched: the function, and those that it calls, are made again with names of their own. What comes from
``math`` and ``numpy`` there is another, and constants are fractions, so that none of their products is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from types import CellType, CodeType, FunctionType
from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.testing.meaning import Meant, fractions_of, meant


def _elementary(name: str) -> Callable[[Any], Any]:
    of = getattr(math, name)

    def function(x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.dtype == object and x.size == 1:
            x = x.item()
        return getattr(x, name)() if hasattr(x, name) else of(x)

    return function


class _Math:
    """What a function calls ``math``."""

    def __getattr__(self, name: str) -> Any:
        return _OF_MATH.get(name) or getattr(math, name)


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, (int, float)):
        return math.pow(x, y)
    return x ** (int(y) if isinstance(y, float) and y.is_integer() else y)


_OF_MATH: Final[dict[str, Callable[..., Any]]] = {
    **{name: _elementary(name) for name in ("sin", "cos", "tan", "sqrt")},
    "pow": _power,
}


def _of_any(make: Callable[..., Array]) -> Callable[..., Any]:
    """Arrays of numbers that a function makes, of any numbers where they would be real ones."""

    def function(first: Any, *others: Any, dtype: Any = float, **named: Any) -> Any:
        found = make(first, *others, **named)
        is_real = np.dtype(dtype).kind == "f" and found.dtype.kind in "fiO"
        return found.astype(object) if is_real else found.astype(dtype)

    return function


def solve(matrix: Any, right: Any) -> Array:
    """The solution of linear equations over any numbers, by elimination with the first pivots that do not vanish.

    Raises:
        ZeroDivisionError: the matrix is singular.
    """
    a, b = np.array(matrix, dtype=object), np.array(right, dtype=object)
    rows = [[_exact(x) for x in (*row, *np.atleast_1d(r))] for row, r in zip(a, b, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = next((i for i in range(k, size) if rows[i][k] != 0), None)
        if pivot is None:
            raise ZeroDivisionError("a singular matrix")
        rows[k], rows[pivot] = rows[pivot], rows[k]
        factor = 1 / rows[k][k]
        rows[k] = [x * factor for x in rows[k]]
        for i in range(size):
            if i != k:
                times = rows[i][k]
                rows[i] = [x - times * y for x, y in zip(rows[i], rows[k], strict=True)]
    found = np.empty((size, len(rows[0]) - size), dtype=object)
    found[:] = [row[size:] for row in rows]
    return found.reshape(b.shape)


def _exact(x: Any) -> Any:
    return Fraction(int(x)) if isinstance(x, (int, np.integer)) else x


class _LinearAlgebra:
    """What a function calls ``numpy.linalg``."""

    solve = staticmethod(solve)

    @staticmethod
    def inv(matrix: Any) -> Array:
        """The inverse."""
        return solve(matrix, np.eye(len(matrix), dtype=int))

    def __getattr__(self, name: str) -> Any:
        return getattr(np.linalg, name)


class _NumPy:
    """What a function calls ``numpy``."""

    linalg = _LinearAlgebra()

    def __getattr__(self, name: str) -> Any:
        return _OF_NUMPY.get(name) or getattr(np, name)


_OF_NUMPY: Final[dict[str, Callable[..., Any]]] = {
    **{name: _of_any(getattr(np, name)) for name in ("array", "asarray", "zeros", "empty", "ones", "eye", "identity")},
    **{name: _of_any(getattr(np, name)) for name in ("full", "zeros_like", "empty_like", "ones_like")},
}

_STANDING: Final[Mapping[int, Any]] = {
    id(math): _Math(),
    id(np): _NumPy(),
    id(np.linalg): _NumPy.linalg,
    **{id(getattr(math, name)): of for name, of in _OF_MATH.items()},
    **{id(getattr(np, name)): of for name, of in _OF_NUMPY.items()},
    id(np.linalg.solve): solve,
    id(np.linalg.inv): _LinearAlgebra.inv,
}
"""What stands for modules and functions, by their identity."""


@dataclass(slots=True)
class Copies:
    """Functions made again over any numbers.

    Attributes:
        rounded: numbers in them that may be rounded.
    """

    rounded: set[float] = field(default_factory=set)
    _made: dict[int, Any] = field(default_factory=dict)
    _fractions: type[Meant] = field(init=False)

    def __post_init__(self) -> None:
        self._fractions = fractions_of(self.rounded)

    def of(self, value: Any) -> Any:
        """What stands for a value that a function names: of a plain function its copy, of a float the fraction that it
        is likely to be."""
        if id(value) in _STANDING:
            return _STANDING[id(value)]
        if id(value) in self._made:
            return self._made[id(value)]
        if isinstance(value, float):
            return self._fraction(value)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return np.frompyfunc(self._fraction, 1, 1)(value)
        if type(value) is tuple:
            return tuple(map(self.of, value))
        if isinstance(value, FunctionType) and not _is_of_a_library(value):
            return self._copy(value)
        return value

    def _fraction(self, value: float) -> Any:
        if not math.isfinite(value):
            return value
        found, is_rounded = meant(value)
        if is_rounded:
            self.rounded.add(float(value))
        return self._fractions(found)

    def _copy(self, function: FunctionType) -> FunctionType:
        own: dict[str, Any] = {}
        cells = tuple(CellType() for _ in function.__closure__ or ())
        code = self._code(function.__code__)
        copy = FunctionType(code, own, function.__name__, None, cells)
        self._made[id(function)] = copy
        copy.__defaults__ = self.of(function.__defaults__)
        copy.__kwdefaults__ = {name: self.of(each) for name, each in (function.__kwdefaults__ or {}).items()}
        for name in _names(code) & function.__globals__.keys():
            own[name] = self.of(function.__globals__[name])
        for cell, given in zip(cells, function.__closure__ or (), strict=True):
            # What a function around it has not set yet is set nowhere.
            with suppress(ValueError):
                cell.cell_contents = self.of(given.cell_contents)
        return copy

    def _code(self, code: CodeType) -> CodeType:
        constants = (self._code(each) if isinstance(each, CodeType) else self.of(each) for each in code.co_consts)
        return code.replace(co_consts=tuple(constants))


def _names(code: CodeType) -> set[str]:
    """What a function and those inside it take from their module."""
    inside = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inside))


def _is_of_a_library(function: FunctionType) -> bool:
    """Whether it is of a library of numbers, whose functions are not made again."""
    return (function.__module__ or "").partition(".")[0] in ("numpy", "scipy", "sympy", "mbsym")
