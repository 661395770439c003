"""Expressions of a routine: from the syntax of Python to typed places, vectors and scalars."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from mbsym.codegen.expressions import (
    Array,
    Call,
    Constant,
    Expression,
    MatrixProduct,
    NamedConstant,
    Negation,
    Operation,
    Place,
    Product,
    Quotient,
    RecordName,
    Span,
    Variable,
    combined,
    whole,
)
from mbsym.codegen.integers import lengths, linear
from mbsym.codegen.routines.language import (
    FUNCTIONS,
    VECTORS,
    Formal,
    Routine,
    RoutineFunction,
    constant_of,
)
from mbsym.codegen.statements import Record

OPERATORS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class ExpressionReader:
    """The expressions of one function, with what is known of its names."""

    def __init__(self, routine: Routine, function: RoutineFunction) -> None:
        self.routine, self.function = routine, function
        self.scalars: dict[str, Variable] = {}
        self.arrays: dict[str, Array] = {item.name: item for item in routine.memory}
        self.records: dict[str, Record] = {}
        for item in function.formals:
            if item.name in self.arrays:
                first = function.syntax[0]
                routine.refuse(first, f"{item.name} is the name of scratch memory", "rename the argument")
            if item.kind is not None:
                self.scalars[item.name] = Variable(item.name, item.kind)
            elif item.array is not None:
                self.arrays[item.name] = item.array
            elif item.record is not None:
                self.records[item.name] = item.record

    # ---- calls -------------------------------------------------------------------------------------------------------

    def results(self, value: ast.expr) -> Call | None:
        """A call whose results are vectors."""
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
            return None
        name = value.func.id
        function = self.routine.function(name)
        if function is not None and isinstance(function.returns, int):
            return Call(name, self._arguments(value, function.formals, name), "real", 1)
        if name not in self.routine.kernels:
            return None
        inputs = [self.routine.input_of(extents) for extents in self.routine.kernels[name].inputs]
        return Call(name, self._arguments(value, inputs, name), "real", 1)

    def _arguments(self, node: ast.Call, formals: Sequence[Formal], name: str) -> tuple[Expression, ...]:
        """The arguments of a call, counted and measured."""
        arguments: list[ast.expr] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                arguments += [ast.copy_location(ast.Name(each.name, ast.Load()), node) for each in self.routine.extra]
            else:
                arguments.append(argument)
        if len(arguments) != len(formals):
            self.routine.refuse(node, f"{name} takes {len(formals)} arguments")
        return tuple(self._argument(node, *pair, name) for pair in zip(arguments, formals, strict=True))

    def _argument(self, node: ast.Call, argument: ast.expr, formal: Formal, name: str) -> Expression:
        if formal.record is not None:
            if not isinstance(argument, ast.Name) or self.records.get(argument.id) != formal.record:
                self.routine.refuse(node, f"{name} takes {formal.record.name} here")
            return RecordName(argument.id)
        if (formal.array is not None) != self.is_vector(argument):
            self.routine.refuse(node, f"{name} takes {'a vector' if formal.array is not None else 'a scalar'} here")
        if formal.array is None:
            value = self.scalar(argument)
            if formal.kind != "real" and value.kind != formal.kind:
                self.routine.refuse(argument, f"{ast.unparse(argument)} is not {formal.kind}")
            return self.real(value) if formal.kind == "real" else value
        if not self.is_view(argument):
            self.routine.refuse(argument, "a vector is given a name before it is handed on")
        place = self.vector(argument)
        whole_array = isinstance(place, Place) and all(isinstance(x, Span) and x.is_whole for x in place.indices)
        if formal.array.writable and not (whole_array and isinstance(place, Place) and place.array.writable):
            self.routine.refuse(node, f"{name} fills {formal.name}", "hand over a whole array that may be filled")
        known = lengths(place)
        if None not in known and prod(extent or 0 for extent in known) < formal.array.size:
            what = f"{formal.name or name} needs {formal.array.size} entries"
            self.routine.refuse(node, what, "give a row or slice of them")
        return place

    def call(self, node: ast.Call) -> Call:
        """A call with a scalar result, or with none."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in FUNCTIONS and name != "dot":
            arguments = tuple(self.vector(x) if self.is_vector(x) else self.real(self.scalar(x)) for x in node.args)
            if len(arguments) == (2 if name == "min" else 1):
                over = name in ("finite", "peak", "all")
                axes = 0 if over else max(each.axes for each in arguments)
                return Call(name, arguments, FUNCTIONS[name], axes)
        function = self.routine.function(name)
        if function is None or isinstance(function.returns, int):
            self.routine.refuse(node, f"{ast.unparse(node)} is no call of a function with a scalar result")
        if len(node.args) != len(function.formals) and not any(isinstance(x, ast.Starred) for x in node.args):
            self.routine.refuse(node, f"{ast.unparse(node)} is no call of a function with a scalar result")
        return Call(name, self._arguments(node, function.formals, name), function.returns or "int")

    # ---- places and vectors ------------------------------------------------------------------------------------------

    def is_vector(self, node: ast.expr) -> bool:
        """True for expressions of vectors."""
        if isinstance(node, ast.Name):
            return node.id in self.arrays
        if isinstance(node, ast.Attribute):
            return bool(self._member(node).extents)
        if isinstance(node, ast.Subscript):
            array, indices = self.unwound(node)
            return len(indices) < len(array.extents) or any(isinstance(index, ast.Slice) for index in indices)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.MatMult):
                return bool(self._product(node).axes)
            return self.is_vector(node.left) or self.is_vector(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.is_vector(node.operand)
        if isinstance(node, ast.Compare):
            return self.is_vector(node.left)
        if isinstance(node, ast.IfExp):
            return self.is_vector(node.body)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in VECTORS or (node.func.id in ("abs", "min") and any(map(self.is_vector, node.args)))
        return False

    def is_view(self, value: ast.expr) -> bool:
        """True for a place, or one of two."""
        if isinstance(value, ast.IfExp):
            return self.is_view(value.body) and self.is_view(value.orelse)
        return isinstance(value, (ast.Name, ast.Subscript, ast.Attribute))

    def _member(self, node: ast.Attribute) -> Array:
        record = self.records.get(node.value.id) if isinstance(node.value, ast.Name) else None
        found = next((item for item in record.fields if item.name == node.attr), None) if record else None
        if found is None or not isinstance(node.value, ast.Name):
            self.routine.refuse(node, f"{ast.unparse(node)} is not known here")
        return replace(found, record=node.value.id)

    def field(self, node: ast.expr) -> Variable | None:
        """The scalar of a record."""
        found = self._member(node) if isinstance(node, ast.Attribute) else None
        return Variable(found.name, found.kind, found.record) if found is not None and not found.extents else None

    def unwound(self, node: ast.expr) -> tuple[Array, list[ast.expr]]:
        """Array and indices of a chain of subscripts."""
        indices: list[ast.expr] = []
        inner = node
        while isinstance(inner, ast.Subscript):
            if any(isinstance(index, ast.Slice) for index in indices) and not isinstance(inner.slice, ast.Tuple):
                pass
            indices[:0] = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
            inner = inner.value
        if isinstance(inner, ast.Attribute):
            return self._member(inner), indices
        if not isinstance(inner, ast.Name) or inner.id not in self.arrays:
            self.routine.refuse(node, f"{ast.unparse(inner)} is no array here")
        return self.arrays[inner.id], indices

    def place(self, node: ast.expr) -> Place:
        """The entries that a name, row or slice stands for."""
        array, indices = self.unwound(node)
        found: list[Expression | Span] = []
        for index, extent in zip(indices, array.extents, strict=False):
            if not isinstance(index, ast.Slice):
                value = self.integer(index)
                if isinstance(value, Constant) and not 0 <= value.value < extent:
                    self.routine.refuse(node, f"entry {value.value} of {extent}")
                found.append(value)
                continue
            start = Constant(0, "int") if index.lower is None else self.integer(index.lower)
            stop = Constant(extent, "int") if index.upper is None else self.integer(index.upper)
            if (
                isinstance(start, Constant)
                and isinstance(stop, Constant)
                and not 0 <= start.value <= stop.value <= extent
            ):
                self.routine.refuse(node, f"entries {start.value} to {stop.value} of {extent}")
            found.append(Span(start, stop, index.lower is None and index.upper is None))
        if len(indices) > len(array.extents):
            self.routine.refuse(node, f"{array.name} has {len(array.extents)} extents")
        return Place(array, (*found, *whole(array).indices[len(indices) :]))

    def vector(self, node: ast.expr) -> Expression:
        """A vector expression."""
        if isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)):
            return self.place(node)
        if isinstance(node, ast.IfExp):
            parts = self.scalar(node.test), self.vector(node.body), self.vector(node.orelse)
            return Operation("choice", parts)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "copy" and len(node.args) == 1:
                return self.vector(node.args[0])
            if node.func.id == "zeros":
                return Call("zeros", tuple(map(self.integer, node.args)), "real", len(node.args))
            if node.func.id in ("abs", "min"):
                return self.call(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return Negation(self.vector(node.operand))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return self._product(node)
        if isinstance(node, (ast.BinOp, ast.Compare)):
            return self._vector_operation(node)
        remedy = "call functions in a line of their own"
        self.routine.refuse(node, f"{ast.unparse(node)} is no vector expression", remedy)

    def _product(self, node: ast.BinOp) -> MatrixProduct:
        left, right = self.vector(node.left), self.vector(node.right)
        if not (left.axes and right.axes):
            self.routine.refuse(node, "@ stands between vectors and matrices")
        return MatrixProduct(left, right, left.axes + right.axes - 2)

    def _vector_operation(self, node: ast.BinOp | ast.Compare) -> Expression:
        compares = isinstance(node, ast.Compare)
        operator = OPERATORS[type(node.ops[0] if isinstance(node, ast.Compare) else node.op)]
        sides = (node.left, node.comparators[0] if isinstance(node, ast.Compare) else node.right)
        parts = [self.vector(side) if self.is_vector(side) else self.real(self.scalar(side)) for side in sides]
        scalar = [not part.axes for part in parts]
        fits = any(scalar) if operator in "*/" else not any(scalar)
        if not fits or (operator == "/" and not scalar[1]):
            self.routine.refuse(node, "vectors are added to vectors and multiplied by scalars")
        left, right = map(lengths, parts)
        if not any(scalar) and None not in (*left, *right) and left != right:
            self.routine.refuse(node, f"a vector of {left[0]} and one of {right[0]} entries")
        return Operation(operator, tuple(parts)) if compares else combined(operator, *parts)

    # ---- scalars -----------------------------------------------------------------------------------------------------

    def integer(self, node: ast.expr) -> Expression:
        """An integer expression; what is known beforehand is a number."""
        value = constant_of(node, self.routine.sizes)
        if value is not None:
            return Constant(value, "int")
        found = self.scalar(node)
        if found.kind != "int":
            self.routine.refuse(node, f"{ast.unparse(node)} is no integer")
        terms = linear(found).terms
        if any(isinstance(each, (Product, Quotient, Negation)) for each in terms):
            self.routine.refuse(node, f"{ast.unparse(node)} is no sum of multiples")
        return found

    def scalar(self, node: ast.expr) -> Expression:
        """A scalar expression."""
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, (bool, int, float)):
                return Constant(
                    value, "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "real"
                )
        known = constant_of(node, self.routine.sizes)
        if known is not None:
            return Constant(known, "int")
        if isinstance(node, ast.Name):
            if node.id in self.scalars:
                return self.scalars[node.id]
            if node.id in self.routine.numbers:
                return NamedConstant(node.id, "int" if isinstance(self.routine.numbers[node.id], int) else "real")
            self.routine.refuse(node, f"{node.id} is not known here")
        if isinstance(node, ast.Attribute):
            field = self.field(node)
            if field is not None:
                return field
        if isinstance(node, ast.Subscript):
            place = self.place(node)
            if not place.axes:
                return place
        if isinstance(node, ast.IfExp):
            test, first, second = map(self.scalar, (node.test, node.body, node.orelse))
            if first.kind != second.kind:
                first, second = self.real(first), self.real(second)
            return Operation("choice", (test, first, second))
        if isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            return Operation(word, tuple(map(self.scalar, node.values)))
        if isinstance(node, ast.UnaryOp):
            operand = self.scalar(node.operand)
            if isinstance(node.op, ast.Not):
                return Operation("not", (operand,))
            return Negation(operand)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "dot" and len(node.args) == 2:
                return MatrixProduct(self.vector(node.args[0]), self.vector(node.args[1]), 0)
            return self.call(node)
        self.routine.refuse(node, f"{ast.unparse(node)} is not in the routine language")

    def _comparison(self, node: ast.Compare) -> Expression:
        if len(node.ops) != 1:
            self.routine.refuse(node, "comparisons are not chained", "join them by and")
        sides = self.scalar(node.left), self.scalar(node.comparators[0])
        if "real" in (sides[0].kind, sides[1].kind):
            sides = self.real(sides[0]), self.real(sides[1])
        return Operation(OPERATORS[type(node.ops[0])], sides)

    def _arithmetic(self, node: ast.BinOp) -> Expression:
        if self.is_vector(node):
            self._vector_operation(node)
        if isinstance(node.op, ast.MatMult):
            return self._product(node)
        sides = self.scalar(node.left), self.scalar(node.right)
        if {sides[0].kind, sides[1].kind} == {"int"} and not isinstance(node.op, ast.Div):
            return combined(OPERATORS[type(node.op)], *sides)
        return combined(OPERATORS[type(node.op)], *map(self.real, sides))

    def real(self, node: Expression) -> Expression:
        """An integer as a real number."""
        if node.kind != "int":
            return node
        if isinstance(node, Constant):
            return Constant(float(node.value), "real")
        return Call("real", (node,), "real")
