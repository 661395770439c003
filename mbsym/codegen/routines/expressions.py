"""Expressions of a routine: from the syntax of Python to typed places, vectors and scalars."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import combined, is_whole, whole
from mbsym.codegen.integers import lengths, linear
from mbsym.codegen.routines.language import FUNCTIONS, Routine, constant_of

OPERATORS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class ExpressionReader:
    """The expressions of one function, with what is known of its names."""

    def __init__(self, routine: Routine, function: st.Function, syntax: Sequence[ast.stmt] = ()) -> None:
        self.routine, self.function = routine, function
        self.scalars: dict[str, ex.Variable] = {}
        self.arrays: dict[str, ex.Array] = {item.name: item for item in routine.memory}
        self.records: dict[str, st.Record] = {}
        for item in function.formals:
            if item.name in self.arrays:
                routine.refuse(syntax[0], f"{item.name} is the name of scratch memory", "rename the argument")
            if item.kind is not None:
                self.scalars[item.name] = ex.Variable(item.name, item.kind)
            elif item.array is not None:
                self.arrays[item.name] = item.array
            elif item.record is not None:
                self.records[item.name] = item.record

    # ---- calls -------------------------------------------------------------------------------------------------------

    def results(self, value: ast.expr) -> ex.Call | None:
        """A call whose results are vectors."""
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
            return None
        name = value.func.id
        function = self.routine.function(name)
        if function is not None and isinstance(function.returns, int):
            return ex.Call(name, self._arguments(value, function.formals, name), "real", 1)
        if name not in self.routine.kernels:
            return None
        inputs = [self.routine.input_of(extents) for extents in self.routine.kernels[name].inputs]
        return ex.Call(name, self._arguments(value, inputs, name), "real", 1)

    def _arguments(self, node: ast.Call, formals: Sequence[st.Formal], name: str) -> tuple[ex.Expression, ...]:
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

    def _argument(self, node: ast.Call, argument: ast.expr, formal: st.Formal, name: str) -> ex.Expression:
        if formal.record is not None:
            if not isinstance(argument, ast.Name) or self.records.get(argument.id) != formal.record:
                self.routine.refuse(node, f"{name} takes {formal.record.name} here")
            return ex.RecordName(argument.id)
        value = self.expression(argument)
        if (formal.array is not None) != bool(value.axes):
            self.routine.refuse(node, f"{name} takes {'a vector' if formal.array is not None else 'a scalar'} here")
        if formal.array is not None:
            if not self.is_view(argument):
                self.routine.refuse(argument, "a vector is given a name before it is handed on")
            self._require_fitting(node, value, formal.array, name)
        elif formal.kind != "real" and value.kind != formal.kind:
            self.routine.refuse(argument, f"{ast.unparse(argument)} is not {formal.kind}")
        return self.real(value) if formal.kind == "real" else value

    def _require_fitting(self, node: ast.Call, value: ex.Expression, array: ex.Array, name: str) -> None:
        """A place has what a function reads or fills."""
        if array.writable and not (isinstance(value, ex.Place) and is_whole(value) and value.array.writable):
            self.routine.refuse(node, f"{name} fills {array.name}", "hand over a whole array that may be filled")
        known = lengths(value)
        if None not in known and prod(extent or 0 for extent in known) < array.size:
            what = f"{array.name or name} needs {array.size} entries"
            self.routine.refuse(node, what, "give a row or slice of them")

    def call(self, node: ast.Call) -> ex.Call:
        """A call with a scalar result, or with none."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in FUNCTIONS and name != "dot" and len(node.args) == (2 if name == "min" else 1):
            arguments = tuple(each if each.axes else self.real(each) for each in map(self.expression, node.args))
            over = name in ("finite", "peak", "all")
            return ex.Call(name, arguments, FUNCTIONS[name], 0 if over else max(each.axes for each in arguments))
        function = self.routine.function(name)
        given = any(isinstance(each, ast.Starred) for each in node.args)
        if (
            function is None
            or isinstance(function.returns, int)
            or not (given or len(node.args) == len(function.formals))
        ):
            self.routine.refuse(node, f"{ast.unparse(node)} is no call of a function with a scalar result")
        return ex.Call(name, self._arguments(node, function.formals, name), function.returns or "int")

    # ---- places -----------------------------------------------------------------------------------------------------

    def is_view(self, value: ast.expr) -> bool:
        """True for a place, or one of two."""
        if isinstance(value, ast.IfExp):
            return self.is_view(value.body) and self.is_view(value.orelse)
        return isinstance(value, (ast.Name, ast.Subscript, ast.Attribute))

    def _member(self, node: ast.Attribute) -> ex.Array:
        record = self.records.get(node.value.id) if isinstance(node.value, ast.Name) else None
        found = next((item for item in record.fields if item.name == node.attr), None) if record else None
        if found is None or not isinstance(node.value, ast.Name):
            self.routine.refuse(node, f"{ast.unparse(node)} is not known here")
        return replace(found, record=node.value.id)

    def unwound(self, node: ast.expr) -> tuple[ex.Array, list[ast.expr]]:
        """Array and indices of a chain of subscripts."""
        indices: list[ast.expr] = []
        inner = node
        while isinstance(inner, ast.Subscript):
            indices[:0] = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
            inner = inner.value
        if isinstance(inner, ast.Attribute):
            return self._member(inner), indices
        if not isinstance(inner, ast.Name) or inner.id not in self.arrays:
            self.routine.refuse(node, f"{ast.unparse(inner)} is no array here")
        return self.arrays[inner.id], indices

    def place(self, node: ast.expr) -> ex.Place:
        """The entries that a name, row or slice stands for."""
        array, indices = self.unwound(node)
        found: list[ex.Expression | ex.Span] = []
        for index, extent in zip(indices, array.extents, strict=False):
            if not isinstance(index, ast.Slice):
                value = self.integer(index)
                if isinstance(value, ex.Constant) and not 0 <= value.value < extent:
                    self.routine.refuse(node, f"entry {value.value} of {extent}")
                found.append(value)
                continue
            start = ex.Constant(0, "int") if index.lower is None else self.integer(index.lower)
            stop = ex.Constant(extent, "int") if index.upper is None else self.integer(index.upper)
            if (
                isinstance(start, ex.Constant)
                and isinstance(stop, ex.Constant)
                and not 0 <= start.value <= stop.value <= extent
            ):
                self.routine.refuse(node, f"entries {start.value} to {stop.value} of {extent}")
            found.append(ex.Span(start, stop, index.lower is None and index.upper is None))
        if len(indices) > len(array.extents):
            self.routine.refuse(node, f"{array.name} has {len(array.extents)} extents")
        return ex.Place(array, (*found, *whole(array).indices[len(indices) :]))

    # ---- expressions -------------------------------------------------------------------------------------------------

    def vector(self, node: ast.expr) -> ex.Expression:
        """A vector expression."""
        found = self.expression(node)
        if not found.axes:
            self.routine.refuse(node, f"{ast.unparse(node)} is no vector expression")
        return found

    def scalar(self, node: ast.expr) -> ex.Expression:
        """A scalar expression."""
        found = self.expression(node)
        if found.axes:
            self.routine.refuse(node, f"{ast.unparse(node)} is a vector")
        return found

    def integer(self, node: ast.expr) -> ex.Expression:
        """An integer expression; what is known beforehand is a number."""
        value = constant_of(node, self.routine.sizes)
        if value is not None:
            return ex.Constant(value, "int")
        found = self.scalar(node)
        if found.kind != "int":
            self.routine.refuse(node, f"{ast.unparse(node)} is no integer")
        terms = linear(found).terms
        if any(isinstance(each, (ex.Product, ex.Quotient, ex.Negation)) for each in terms):
            self.routine.refuse(node, f"{ast.unparse(node)} is no sum of multiples")
        return found

    def expression(self, node: ast.expr) -> ex.Expression:
        """A scalar or a vector; what is known beforehand is a number."""
        known = constant_of(node, self.routine.sizes)
        if known is not None:
            return ex.Constant(known, "int")
        match node:
            case ast.Constant(value=bool() | float() as value):
                return ex.Constant(value, "bool" if isinstance(value, bool) else "real")
            case ast.Name():
                return self._named(node)
            case ast.Attribute():
                return self.field(node) or self.place(node)
            case ast.Subscript():
                return self.place(node)
            case ast.IfExp(test, body, otherwise):
                return self._choice(self.scalar(test), self.expression(body), self.expression(otherwise))
            case ast.BoolOp(operator, values):
                return ex.Operation("and" if isinstance(operator, ast.And) else "or", tuple(map(self.scalar, values)))
            case ast.UnaryOp(ast.Not(), operand):
                return ex.Operation("not", (self.scalar(operand),))
            case ast.UnaryOp(ast.USub(), operand):
                return ex.Negation(self.expression(operand))
            case ast.Compare(left, operators, others):
                if len(operators) != 1:
                    self.routine.refuse(node, "comparisons are not chained", "join them by and")
                return self._binary(
                    node, OPERATORS[type(operators[0])], self.expression(left), self.expression(others[0])
                )
            case ast.BinOp(left, operator, right):
                return self._binary(node, OPERATORS[type(operator)], self.expression(left), self.expression(right))
            case ast.Call(ast.Name(id="dot"), [first, second]):
                return ex.MatrixProduct(self.vector(first), self.vector(second), 0)
            case ast.Call(ast.Name(id="copy"), [vector]):
                return self.vector(vector)
            case ast.Call(ast.Name(id="zeros"), extents):
                return ex.Call("zeros", tuple(map(self.integer, extents)), "real", len(extents))
            case ast.Call():
                return self.call(node)
        self.routine.refuse(node, f"{ast.unparse(node)} is not in the routine language")

    def _named(self, node: ast.Name) -> ex.Expression:
        if node.id in self.scalars:
            return self.scalars[node.id]
        if node.id in self.arrays:
            return self.place(node)
        if node.id not in self.routine.numbers:
            self.routine.refuse(node, f"{node.id} is not known here")
        return ex.NamedConstant(node.id, "int" if isinstance(self.routine.numbers[node.id], int) else "real")

    def _choice(self, test: ex.Expression, first: ex.Expression, second: ex.Expression) -> ex.Expression:
        if not first.axes and first.kind != second.kind:
            first, second = self.real(first), self.real(second)
        return ex.Operation("choice", (test, first, second))

    def _binary(self, node: ast.expr, operator: str, left: ex.Expression, right: ex.Expression) -> ex.Expression:
        """Two scalars, entries of two vectors, or a vector and a scalar with an operator between them."""
        if operator == "@":
            if not (left.axes and right.axes):
                self.routine.refuse(node, "@ stands between vectors and matrices")
            return ex.MatrixProduct(left, right, left.axes + right.axes - 2)
        vectors = bool(left.axes) + bool(right.axes)
        if vectors:
            self._require_alike(node, operator, left, right)
        if vectors or operator == "/" or "real" in (left.kind, right.kind):
            left, right = (each if each.axes else self.real(each) for each in (left, right))
        return combined(operator, left, right) if operator in "+-*/" else ex.Operation(operator, (left, right))

    def _require_alike(self, node: ast.expr, operator: str, left: ex.Expression, right: ex.Expression) -> None:
        """Vectors are added and compared entry by entry, and multiplied by scalars."""
        both = bool(left.axes and right.axes)
        if both is (operator in "*/") or (operator == "/" and not left.axes):
            self.routine.refuse(node, "vectors are added to vectors and multiplied by scalars")
        first, second = lengths(left), lengths(right)
        if both and None not in (*first, *second) and first != second:
            self.routine.refuse(node, f"a vector of {first[0]} and one of {second[0]} entries")

    def field(self, node: ast.expr) -> ex.Variable | None:
        """The scalar of a record."""
        found = self._member(node) if isinstance(node, ast.Attribute) else None
        return ex.Variable(found.name, found.kind, found.record) if found is not None and not found.extents else None

    def real(self, node: ex.Expression) -> ex.Expression:
        """An integer as a real number."""
        if node.kind != "int":
            return node
        if isinstance(node, ex.Constant):
            return ex.Constant(float(node.value), "real")
        return ex.Call("real", (node,), "real")
