"""The routine language: a small part of Python in which what iterates is written once, for all languages.

A file of ``runtime`` holds, in this order, sizes (``LOAD = ANGLES + POINT``), scratch memory (``w: array[BODIES,
LOAD]``), records (classes with such lines) and functions. A function takes ``int``, ``bool`` and ``real`` scalars,
vectors that it reads (``vector[n]``), arrays that it fills (``array[n]``, ``integers[n]``) and records, and returns
nothing, a scalar or a ``vector[n]``. Its body consists of

    x = 0.0                 scalars; a name keeps its type
    rows = Rows()           a record of its own, whose fields are rows.x
    y: array[n]             memory of its own
    b = w[i]                a row or slice of an array, by another name, to read
    a = C * b + d[i, 2:]    a vector of its own, of sums, multiples, ``zeros(n)`` and ``copy(b)``
    w[i] = a                entries, rows, columns and slices of arrays, with =, += and so on, entry by entry
    a[:] -= A @ b           products of vectors and matrices
    S[i], e = kernel(W[i])  results of derived functions, and of functions that return a vector
    if, while, for i in range(...), return, break, continue

with comparisons, and, or, not, ``a if c else b``, int(x), and the functions of ``FUNCTIONS``. Functions that the
description of a module names are public and take their arguments from there, whatever the text calls them; ``*extra``
stands for those that derived functions are handed on. Where there is scratch memory, the last one, ``work``, is that
and goes without saying. Sizes are numbers by the time the text is printed: what a condition on sizes alone excludes is
left out, and so are functions that nothing calls. ``@otherwise(X)`` says what a function returns where an operation has
no value and the language raises an error for that, where C goes on with infinities. ``@seldom`` marks a function for
few states: functions for several states side by side leave these to the function for one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from mbsym.codegen.expressions import Array, Kind
from mbsym.codegen.statements import Formal, Function, Record
from mbsym.errors import CodegenError

FUNCTIONS: Final[Mapping[str, Kind]] = {
    "int": "int", "abs": "real", "min": "real", "sqrt": "real", "sin": "real", "cos": "real", "isfinite": "bool",
    "dot": "real", "finite": "bool", "peak": "real", "all": "bool",
}  # fmt: skip
"""Functions of the language with what they return. ``dot`` takes two vectors; ``finite``, ``peak`` (the largest size)
and ``all`` a vector; ``abs`` and ``min`` scalars or vectors; the others a scalar."""

VECTORS: Final = ("zeros", "copy")
"""Functions of the language that give vectors."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A function whose results are vectors: extents of inputs (() for scalars) and of results."""

    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Routine:
    """A routine with its sizes decided.

    Attributes:
        name: of its file.
        sizes: numbers that the text is specialised to.
        numbers: constants that keep their names, those that are used.
        memory: scratch arrays in order.
        functions: those that public functions need, in order.
        kernels: derived functions by name.
        comments: by line.
        extra: arguments that are handed on.
        records: by name.
        module: constants that belong to the module and not to the routine.
    """

    name: str
    sizes: Mapping[str, int]
    numbers: Mapping[str, int | float]
    memory: tuple[Array, ...]
    functions: tuple[Function, ...]
    kernels: Mapping[str, Signature]
    comments: Mapping[int, str] = field(default_factory=dict)
    extra: tuple[Formal, ...] = ()
    records: Mapping[str, Record] = field(default_factory=dict)
    module: frozenset[str] = frozenset()

    def function(self, name: str) -> Function | None:
        """The function of that name."""
        return next((function for function in self.functions if function.name == name), None)

    def results_of(self, name: str) -> tuple[tuple[int, ...], ...]:
        """Extents of the results of a function whose results are vectors."""
        function = self.function(name)
        if function is not None and isinstance(function.returns, int):
            return ((function.returns,),)
        return self.kernels[name].outputs

    def input_of(self, extents: tuple[int, ...]) -> Formal:
        """The argument of a derived function."""
        return Formal("", None, Array("", extents, writable=False)) if extents else Formal("", "real")

    def array(self, name: str, annotation: ast.expr | None, node: ast.AST, scratch: bool = False) -> Array:
        """An array as it is declared."""
        if isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
            place, word = annotation.slice, annotation.value.id
            extents = [constant_of(x, self.sizes) for x in (place.elts if isinstance(place, ast.Tuple) else [place])]
            if word in ("array", "vector", "integers") and None not in extents:
                known = tuple(x for x in extents if x is not None)
                return Array(name, known, word != "vector", scratch, "int" if word == "integers" else "real")
        self.refuse(node, f"{name} has no type", "use int, bool, real, vector[size] or array[size]")

    def reaching(self, direct: Sequence[str]) -> frozenset[str]:
        """Names of the functions that are in ``direct`` or call such a function, at however many removes."""
        found = set(direct)
        while True:
            more = {function.name for function in self.functions if function.calls & found} - found
            if not more:
                return frozenset(found)
            found |= more

    def refuse(self, node: ast.AST, what: str, remedy: str = "see the routine language") -> NoReturn:
        """Raises the error of a place in the text."""
        raise CodegenError(what, where=f"runtime/{self.name}.py:{getattr(node, 'lineno', 0)}", remedy=remedy)


EMPTY: Final = Routine("", {}, {}, (), (), {})
"""Where the loops of a derived function stand."""


def constant_of(node: ast.expr, sizes: Mapping[str, int]) -> int | None:
    """The value of an expression of sizes and integers, None for any other."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return sizes.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant_of(node.operand, sizes)
        return None if value is None else -value
    if isinstance(node, ast.BinOp):
        left, right = constant_of(node.left, sizes), constant_of(node.right, sizes)
        if left is not None and right is not None:
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
    return None
