"""Expressions of a routine in any language: types of scalars, places in memory, vectors, integers as sums."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, Final

from mbsym.codegen.routines.language import (
    FUNCTIONS,
    Array,
    Kind,
    Routine,
    RoutineFunction,
    Signature,
    constant_of,
)

CONDITION, OR, AND, COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(8)
"""How tightly expressions hold together."""

OPERATORS: Final[Mapping[type[ast.AST], tuple[str, int]]] = {
    ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.Mult: ("*", PRODUCT), ast.Div: ("/", PRODUCT),
    ast.Lt: ("<", COMPARISON), ast.LtE: ("<=", COMPARISON), ast.Gt: (">", COMPARISON), ast.GtE: (">=", COMPARISON),
    ast.Eq: ("==", COMPARISON), ast.NotEq: ("!=", COMPARISON),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sum:
    """An integer: a text, perhaps empty, plus a number."""

    text: str
    number: int = 0

    def __str__(self) -> str:
        if not self.text or not self.number:
            return self.text or str(self.number)
        return f"{self.text} {'-' if self.number < 0 else '+'} {abs(self.number)}"

    def plus(self, other: Sum) -> Sum:
        """The sum of both."""
        return Sum(" + ".join(filter(None, (self.text, other.text))), self.number + other.number)

    def minus(self, other: Sum) -> Sum:
        """The difference, a number where the texts are equal."""
        if self.text == other.text:
            return Sum("", self.number - other.number)
        if not other.text:
            return Sum(self.text, self.number - other.number)
        taken = f"({other.text})" if " " in other.text else other.text
        if not self.text:
            return Sum(f"{self.number - other.number} - {taken}")
        return Sum(f"{self.text} - {taken}", self.number - other.number)

    def times(self, factor: int) -> Sum:
        """The multiple."""
        if not self.text or factor == 1:
            return Sum(self.text, self.number * factor)
        text = f"({self.text})" if " + " in self.text or " - " in self.text else self.text
        return Sum(f"{text} * {factor}", self.number * factor)


@dataclass(frozen=True, slots=True)
class Place:
    """Neighbouring entries of an array: a row, found by its indices, or the part of it from start to stop."""

    array: Array
    indices: tuple[Sum, ...]
    start: Sum
    stop: Sum
    is_part: bool

    @property
    def length(self) -> Sum:
        """Number of entries."""
        return self.stop.minus(self.start)


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector expression: the text of one entry, with ``{}`` for the entries of its places in order."""

    text: str
    level: int
    places: tuple[Place, ...]
    length: Sum


class ExpressionPrinter(ABC):
    """The expressions of one function of a routine, with what is known of its names."""

    WORDS: ClassVar[Mapping[str, str]]
    """How the language writes and, or, not."""

    def __init__(self, routine: Routine, function: RoutineFunction) -> None:
        self.routine, self.function = routine, function
        self.kinds: dict[str, Kind] = {item.name: item.kind for item in function.formals if item.kind is not None}
        self.arrays: dict[str, Array] = {item.name: item for item in routine.memory}
        for item in function.formals:
            if item.name in self.arrays:
                routine.refuse(function.body[0], f"{item.name} is the name of scratch memory", "rename the argument")
            if item.array is not None:
                self.arrays[item.name] = item.array

    # ---- what each language says in its own way ----------------------------------------------------------------------

    @abstractmethod
    def entry(self, place: Place, index: str) -> str:
        """An entry of a place."""

    @abstractmethod
    def address(self, place: Place) -> str:
        """A place as an argument."""

    @abstractmethod
    def literal(self, value: bool | int | float) -> str:
        """A number or truth value."""

    @abstractmethod
    def named(self, name: str) -> str:
        """A constant that keeps its name."""

    @abstractmethod
    def converted(self, text: str) -> str:
        """An integer as a real number."""

    @abstractmethod
    def choice(self, test: str, first: str, second: str) -> str:
        """One of two values."""

    @abstractmethod
    def elementary(self, name: str, argument: str) -> str:
        """A function of the language of one scalar."""

    @abstractmethod
    def dot(self, first: Place, second: Place) -> str:
        """The inner product of two places."""

    @abstractmethod
    def called(self, function: RoutineFunction, arguments: Sequence[str]) -> str:
        """The call of a function of the routine."""

    # ---- calls -------------------------------------------------------------------------------------------------------

    def callee(self, value: ast.expr) -> tuple[str, Signature, Sequence[ast.expr]] | None:
        """Name, signature and arguments of a call whose results are vectors."""
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
            return None
        name = value.func.id
        function = self.routine.function(name)
        if function is not None and isinstance(function.returns, int):
            inputs = tuple(() if item.array is None else item.array.extents for item in function.formals)
            return name, Signature(inputs, ((function.returns,),)), value.args
        if name in self.routine.kernels:
            return name, self.routine.kernels[name], value.args
        return None

    def actual(self, node: ast.AST, name: str, signature: Signature, arguments: Sequence[ast.expr]) -> list[str]:
        """The texts of the arguments of a call, counted and measured."""
        if len(arguments) != len(signature.inputs):
            self.routine.refuse(node, f"{name} takes {len(signature.inputs)} arguments")
        texts = []
        function = self.routine.function(name)
        for number, (argument, extents) in enumerate(zip(arguments, signature.inputs, strict=True)):
            if bool(extents) != self.is_vector(argument):
                self.routine.refuse(node, f"{name} takes {'a vector' if extents else 'a scalar'} here")
            if not extents:
                texts.append(self._scalar_argument(argument, function.formals[number].kind if function else "real"))
                continue
            length = self.view_length(argument) if self.is_view(argument) else Sum("", -1)
            if not length.text and length.number < prod(extents):
                self.routine.refuse(node, f"{name} needs {prod(extents)} entries here", "give a row or slice of them")
            texts.append(self.argument(argument))
        return texts

    def _scalar_argument(self, argument: ast.expr, kind: Kind | None) -> str:
        if kind != "real" and self.kind(argument) != kind:
            self.routine.refuse(argument, f"{ast.unparse(argument)} is not {kind}")
        return self.scalar(argument, real=kind == "real")

    def argument(self, node: ast.expr) -> str:
        """A vector handed to a function: a place, or one of two."""
        if isinstance(node, ast.IfExp):
            return self.choice(self.scalar(node.test, OR), self.argument(node.body), self.argument(node.orelse))
        if not isinstance(node, (ast.Name, ast.Subscript)):
            self.routine.refuse(node, "a vector is given a name before it is handed on")
        return self.address(self.place(node))

    # ---- places and vectors ------------------------------------------------------------------------------------------

    def is_vector(self, node: ast.expr) -> bool:
        """True for expressions of vectors."""
        if isinstance(node, ast.Name):
            return node.id in self.arrays
        if isinstance(node, ast.Subscript):
            name, indices, part = self._unwound(node)
            return part is not None or len(indices) < len(self._array(name).extents)
        if isinstance(node, ast.BinOp):
            return self.is_vector(node.left) or self.is_vector(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.is_vector(node.operand)
        if isinstance(node, ast.IfExp):
            return self.is_vector(node.body)
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("zeros", "copy")

    def _array(self, node: ast.Name) -> Array:
        if node.id not in self.arrays:
            self.routine.refuse(node, f"{node.id} is no array here")
        return self.arrays[node.id]

    def _unwound(self, node: ast.expr) -> tuple[ast.Name, list[ast.expr], ast.Slice | None]:
        """Array, indices and slice of a chain of subscripts."""
        indices: list[ast.expr] = []
        part: ast.Slice | None = None
        inner = node
        while isinstance(inner, ast.Subscript):
            if isinstance(inner.slice, ast.Slice):
                if inner is not node:
                    self.routine.refuse(node, "a slice is the last of the subscripts")
                part = inner.slice
            else:
                indices.insert(0, inner.slice)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            self.routine.refuse(node, "subscripts belong to a name")
        return inner, indices, part

    def place(self, node: ast.expr) -> Place:
        """The entries that a name, row or slice stands for."""
        name, indices, part = self._unwound(node)
        array = self._array(name)
        size = Sum("", prod(array.extents[len(indices) :]))
        start, stop = Sum(""), size
        if part is not None and part.lower is not None:
            start = self.integer(part.lower)
        if part is not None and part.upper is not None:
            stop = self.integer(part.upper)
        if not start.text and not stop.text and not 0 <= start.number <= stop.number <= size.number:
            self.routine.refuse(node, f"entries {start} to {stop} of {size}")
        is_part = part is not None and (part.lower is not None or part.upper is not None)
        return Place(array, tuple(self.integer(index) for index in indices), start, stop, is_part)

    def is_view(self, value: ast.expr) -> bool:
        """True for a place, or one of two."""
        if isinstance(value, ast.IfExp):
            return self.is_view(value.body) and self.is_view(value.orelse)
        return isinstance(value, (ast.Name, ast.Subscript))

    def view_length(self, value: ast.expr) -> Sum:
        """Its number of entries."""
        return self.view_length(value.body) if isinstance(value, ast.IfExp) else self.place(value).length

    def vector(self, node: ast.expr) -> Vector:
        """A vector expression."""
        if isinstance(node, (ast.Name, ast.Subscript)):
            place = self.place(node)
            return Vector("{}", ATOM, (place,), place.length)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
            if node.func.id == "copy":
                return self.vector(node.args[0])
            if node.func.id == "zeros":
                return Vector(self.literal(0.0), ATOM, (), self.integer(node.args[0]))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.vector(node.operand)
            return Vector(f"-{_enclosed(inner.text, inner.level, ATOM)}", SIGN, inner.places, inner.length)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return self._vector_operation(node)
        self.routine.refuse(
            node, f"{ast.unparse(node)} is no vector expression", "call functions in a line of their own"
        )

    def _vector_operation(self, node: ast.BinOp) -> Vector:
        operator, level = OPERATORS[type(node.op)]
        right_level = level + (operator in "-/")
        sides = []
        for side, own in ((node.left, level), (node.right, right_level)):
            if self.is_vector(side):
                vector = self.vector(side)
                sides.append(Vector(_enclosed(vector.text, vector.level, own), ATOM, vector.places, vector.length))
            else:
                sides.append(Vector(self.scalar(side, own, real=True), ATOM, (), Sum("", -1)))
        left, right = sides
        scalar = [side.length == Sum("", -1) for side in sides]
        fits = any(scalar) if level == PRODUCT else not any(scalar)
        if not fits or (operator == "/" and not scalar[1]):
            self.routine.refuse(node, "vectors are added to vectors and multiplied by scalars")
        length = right.length if scalar[0] else left.length
        if not any(scalar) and not left.length.text and not right.length.text and left.length != right.length:
            self.routine.refuse(node, f"a vector of {left.length} and one of {right.length} entries")
        return Vector(f"{left.text} {operator} {right.text}", level, (*left.places, *right.places), length)

    # ---- scalars -----------------------------------------------------------------------------------------------------

    def kind(self, node: ast.expr) -> Kind:
        """The type of a scalar expression."""
        if isinstance(node, ast.Constant):
            return "bool" if isinstance(node.value, bool) else "int" if isinstance(node.value, int) else "real"
        if isinstance(node, ast.Name):
            if node.id in self.kinds:
                return self.kinds[node.id]
            if node.id in self.routine.sizes:
                return "int"
            if node.id in self.routine.numbers:
                return "int" if isinstance(self.routine.numbers[node.id], int) else "real"
            self.routine.refuse(node, f"{node.id} is not known here")
        if isinstance(node, ast.BinOp):
            both = {self.kind(node.left), self.kind(node.right)}
            return "int" if both == {"int"} and not isinstance(node.op, ast.Div) else "real"
        if isinstance(node, ast.UnaryOp):
            return "bool" if isinstance(node.op, ast.Not) else self.kind(node.operand)
        if isinstance(node, ast.IfExp):
            first, second = self.kind(node.body), self.kind(node.orelse)
            return first if first == second else "real"
        if isinstance(node, (ast.BoolOp, ast.Compare)):
            return "bool"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in FUNCTIONS:
                return FUNCTIONS[node.func.id]
            function = self.routine.function(node.func.id)
            if function is not None and isinstance(function.returns, str):
                return function.returns
        return "real"

    def integer(self, node: ast.expr) -> Sum:
        """An integer expression."""
        value = constant_of(node, self.routine.sizes)
        if value is not None:
            return Sum("", value)
        if self.kind(node) != "int":
            self.routine.refuse(node, f"{ast.unparse(node)} is no integer")
        if isinstance(node, ast.BinOp):
            left, right = self.integer(node.left), self.integer(node.right)
            if isinstance(node.op, ast.Add):
                return left.plus(right)
            if isinstance(node.op, ast.Sub):
                return left.minus(right)
            if isinstance(node.op, ast.Mult) and not (left.text and right.text):
                return left.times(right.number) if left.text else right.times(left.number)
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            self.routine.refuse(node, f"{ast.unparse(node)} is no sum of multiples")
        return Sum(self.scalar(node, SUM))

    def scalar(self, node: ast.expr, level: int = CONDITION, real: bool = False) -> str:
        """The text of a scalar expression, in parentheses where its own level is lower; ``real`` converts integers."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
            return self.literal(float(node.value) if real and type(node.value) is int else node.value)
        if real and self.kind(node) == "int":
            value = constant_of(node, self.routine.sizes)
            return self.converted(self.scalar(node, ATOM)) if value is None else self.literal(float(value))
        text, own = self._scalar(node)
        return _enclosed(text, own, level)

    def _scalar(self, node: ast.expr) -> tuple[str, int]:
        if isinstance(node, ast.Name):
            if node.id in self.routine.sizes:
                return str(self.routine.sizes[node.id]), ATOM
            if node.id in self.routine.numbers and node.id not in self.kinds:
                return self.named(node.id), ATOM
            self.kind(node)
            return node.id, ATOM
        if isinstance(node, ast.Subscript):
            name, indices, _ = self._unwound(node)
            extents = self._array(name).extents
            sums = [self.integer(index) for index in indices]
            if len(sums) != len(extents):
                self.routine.refuse(
                    node, f"{ast.unparse(node)} is no entry", f"{name.id} has {len(extents)} subscripts"
                )
            for index, extent in zip(sums, extents, strict=True):
                if not index.text and not 0 <= index.number < extent:
                    self.routine.refuse(node, f"entry {index} of {extent}")
            place = Place(self._array(name), tuple(sums[:-1]), Sum(""), Sum("", extents[-1]), is_part=False)
            return self.entry(place, str(sums[-1])), ATOM
        if isinstance(node, (ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp)):
            return self._operation(node)
        if isinstance(node, ast.IfExp):
            real = self.kind(node) == "real"
            first, second = (self.scalar(part, OR, real) for part in (node.body, node.orelse))
            return self.choice(self.scalar(node.test, OR), first, second), CONDITION
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._call(node, node.func.id), ATOM
        self.routine.refuse(node, f"{ast.unparse(node)} is not in the routine language")

    def _operation(self, node: ast.BinOp | ast.Compare | ast.BoolOp | ast.UnaryOp) -> tuple[str, int]:
        if isinstance(node, ast.BoolOp):
            word, level = ("and", AND) if isinstance(node.op, ast.And) else ("or", OR)
            # Compilers warn of an and inside an or without parentheses.
            parts = [self.scalar(part, COMPARISON) for part in node.values]
            return f" {self.WORDS[word]} ".join(parts), level
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not):
                return f"{self.WORDS['not']}{self.scalar(node.operand, ATOM)}", COMPARISON
            return f"-{self.scalar(node.operand, ATOM)}", SIGN
        if isinstance(node, ast.Compare):
            if len(node.ops) != 1:
                self.routine.refuse(node, "comparisons are not chained", "join them by and")
            sides = node.left, node.comparators[0]
            operator, level = OPERATORS[type(node.ops[0])]
            real = "real" in (self.kind(sides[0]), self.kind(sides[1]))
            return f" {operator} ".join(self.scalar(side, SUM, real) for side in sides), level
        operator, level = OPERATORS[type(node.op)]
        if self.kind(node) == "int":
            return str(self.integer(node)), SUM
        right_level = level + (operator in "-/")
        return f"{self.scalar(node.left, level, True)} {operator} {self.scalar(node.right, right_level, True)}", level

    def _call(self, node: ast.Call, name: str) -> str:
        if name == "dot" and len(node.args) == 2:
            return self.dot(self.place(node.args[0]), self.place(node.args[1]))
        if name in FUNCTIONS and len(node.args) == 1:
            return self.elementary(name, self.scalar(node.args[0], real=True))
        function = self.routine.function(name)
        if function is None or isinstance(function.returns, int) or len(node.args) != len(function.formals):
            self.routine.refuse(node, f"{ast.unparse(node)} is no call of a function with a scalar result")
        arguments = []
        for argument, formal in zip(node.args, function.formals, strict=True):
            if formal.array is None:
                arguments.append(self._scalar_argument(argument, formal.kind))
                continue
            place = self.place(argument)
            if formal.array.writable and (place.is_part or place.indices or not place.array.writable):
                self.routine.refuse(node, f"{name} fills {formal.name}", "hand over a whole array that may be filled")
            if not place.length.text and place.length.number < formal.array.size:
                self.routine.refuse(node, f"{formal.name} needs {formal.array.size} entries")
            arguments.append(self.address(place))
        return self.called(function, arguments)


def _enclosed(text: str, own: int, level: int) -> str:
    return f"({text})" if own < level else text
