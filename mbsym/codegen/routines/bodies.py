"""The body of a function of a routine: from the syntax of Python to typed statements."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

from mbsym.codegen.routines.language import (
    FUNCTIONS,
    VECTORS,
    Formal,
    Routine,
    RoutineFunction,
    Signature,
    constant_of,
)
from mbsym.codegen.statements import (
    BEGIN,
    Array,
    Call,
    Constant,
    Do,
    Expression,
    For,
    If,
    Invoke,
    Kind,
    Leave,
    Let,
    Look,
    Number,
    Operation,
    Place,
    Product,
    Record,
    Return,
    Span,
    Statement,
    Store,
    Variable,
    While,
    lengths,
    linear,
    whole,
)

OPERATORS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class BodyReader:
    """One function, with what is known of its names."""

    def __init__(self, routine: Routine, function: RoutineFunction) -> None:
        self.routine, self.function = routine, function
        self.scalars: dict[str, Variable] = {}
        self.arrays: dict[str, Array] = {item.name: item for item in routine.memory}
        self.records: dict[str, Record] = {}
        self.views: dict[str, Array] = {}
        self.own: dict[str, Array] = {}
        self._line = 0
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
        # Arrays of which some entries are changed.
        self.changed = {
            name.id
            for statement in function.syntax
            for node in ast.walk(statement)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            for name in ast.walk(node.value)
            if isinstance(name, ast.Name)
        }

    # ---- statements --------------------------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        """Statements with their types, each with the comments before it."""
        found: list[Statement] = []
        for node in statements:
            above = range(self._line + 1, node.lineno) if self._line else ()
            remarks = tuple(self.routine.comments[line] for line in above if line in self.routine.comments)
            self._line = node.lineno
            found += self._statement(node, remarks)
        return tuple(found)

    def _statement(self, node: ast.stmt, remarks: tuple[str, ...]) -> list[Statement]:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return self._assign(node, node.targets[0], "=", node.value, remarks)
        if isinstance(node, ast.AugAssign):
            return self._assign(node, node.target, f"{OPERATORS[type(node.op)]}=", node.value, remarks)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            array = self.routine.array(node.target.id, node.annotation, node)
            self.own[array.name] = self.arrays[array.name] = array
            return []
        if isinstance(node, ast.If):
            return [If(self.scalar(node.test), self.body(node.body), self.body(node.orelse), remarks)]
        if isinstance(node, ast.While):
            return [While(self.scalar(node.test), self.body(node.body), remarks)]
        if isinstance(node, ast.For):
            return [self._for(node, remarks)]
        if isinstance(node, ast.Return):
            return [self._return(node, remarks)]
        if isinstance(node, (ast.Break, ast.Continue)):
            return [Leave("break" if isinstance(node, ast.Break) else "continue", remarks)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return [Do(self._call(node.value), remarks)]
        self.routine.refuse(node, f"{type(node).__name__} is no statement of the routine language")

    def _for(self, node: ast.For, remarks: tuple[str, ...]) -> For:
        call = node.iter
        counted = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not (isinstance(node.target, ast.Name) and isinstance(call, ast.Call) and counted):
            self.routine.refuse(node, "a loop runs over a range", "write for i in range(...)")
        step = constant_of(call.args[2], self.routine.sizes) if len(call.args) == 3 else 1
        if step not in (1, -1):
            self.routine.refuse(node, "a loop steps by 1 or -1")
        bounds = [self.integer(argument) for argument in call.args[:2]]
        start, stop = bounds if len(bounds) == 2 else (Number(0, "int"), bounds[0])
        index = self._declared(node, node.target.id, "int")
        return For(index, start, stop, step == -1, self.body(node.body), remarks)

    def _return(self, node: ast.Return, remarks: tuple[str, ...]) -> Return:
        if node.value is None:
            return Return(None, remarks)
        want = self.function.returns
        if isinstance(want, int):
            return Return(self._results(node.value) or self.vector(node.value), remarks)
        value = self.scalar(node.value)
        if want is None or (value.kind != want and want != "real"):
            self.routine.refuse(node, f"the function returns {want or 'nothing'}")
        return Return(self._real(value) if want == "real" else value, remarks)

    def _assign(
        self, node: ast.stmt, target: ast.expr, operator: str, value: ast.expr, remarks: tuple[str, ...]
    ) -> list[Statement]:
        call = self._results(value)
        if call is not None:
            return [self._invoke(node, target, operator, call, remarks)]
        if isinstance(target, ast.Tuple):
            self.routine.refuse(node, "only results of functions are given to several names")
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self.routine.records:
            if not isinstance(target, ast.Name):
                self.routine.refuse(node, "a record has a name")
            self.records[target.id] = self.routine.records[value.func.id]
            return [Do(Call(BEGIN, (target.id,), "bool"), remarks)]
        if self.is_vector(value):
            return [self._give_vector(node, target, operator, value, remarks)]
        variable = self._field(target)
        if variable is not None or (isinstance(target, ast.Name) and target.id not in self.arrays):
            found = self.scalar(value)
            if variable is None:
                assert isinstance(target, ast.Name)
                known = self._declared(node, target.id, found.kind) if operator == "=" else self.scalars.get(target.id)
                if known is None:
                    self.routine.refuse(node, f"{target.id} has no value yet")
                variable = known
            return [Let(variable, operator, self._real(found) if variable.kind == "real" else found, remarks)]
        if isinstance(target, ast.Subscript) and not self.is_vector(target):
            self._require_writable(node, target)
            place, found = self.place(target), self.scalar(value)
            return [Store(place, operator, self._real(found) if place.kind == "real" else found, remarks)]
        if isinstance(target, ast.Subscript) and operator in ("*=", "/="):
            self._require_writable(node, target)
            return [Store(self.place(target), operator, self._real(self.scalar(value)), remarks)]
        self.routine.refuse(node, "a scalar cannot be given to a vector", "write zeros(n), or give one entry")

    def _invoke(self, node: ast.stmt, target: ast.expr, operator: str, call: Call, remarks: tuple[str, ...]) -> Invoke:
        outputs = self.routine.results_of(call.function)
        several = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(several) != len(outputs):
            self.routine.refuse(node, f"{call.function} has {len(outputs)} results")
        targets = [
            self._target(node, part, extents, operator != "=") for part, extents in zip(several, outputs, strict=True)
        ]
        return Invoke(tuple(targets), operator, call, remarks)

    def _give_vector(
        self, node: ast.stmt, target: ast.expr, operator: str, value: ast.expr, remarks: tuple[str, ...]
    ) -> Statement:
        if isinstance(target, ast.Name) and operator == "=" and self._is_view(value):
            vector = self.vector(value)
            if target.id in self.arrays and target.id not in (*self.views, *self.own):
                self.routine.refuse(node, f"{target.id} is an array", f"write {target.id}[:]")
            extents = lengths(vector)
            known = tuple(extent for extent in extents if extent is not None)
            if target.id in self.own or target.id in self.changed or len(known) < len(extents):
                self.routine.refuse(node, f"{target.id} is a vector of its own", "write copy(...)")
            self.views[target.id] = self.arrays[target.id] = Array(target.id, known, writable=False)
            return Look(self.views[target.id], vector, remarks)
        vector = self.vector(value)
        return Store(self._target(node, target, lengths(vector), operator != "="), operator, vector, remarks)

    def _target(self, node: ast.stmt, target: ast.expr, extents: Sequence[int | None], known: bool) -> Place:
        """Where a vector goes: a place, or a vector of the function's own."""
        count = prod(extent for extent in extents if extent is not None) if None not in extents else None
        if isinstance(target, ast.Subscript):
            self._require_writable(node, target)
            place = self.place(target)
            here = lengths(place)
            there = None if None in here else prod(extent for extent in here if extent is not None)
            if there is not None and count is not None and there != count:
                self.routine.refuse(node, f"{count} entries for {there}")
            return place
        if not isinstance(target, ast.Name) or (target.id in self.arrays and target.id not in self.own):
            self.routine.refuse(node, "a vector is given to a new name, a row or a slice", "write name[:] for an array")
        if count is None or (target.id in self.own and self.own[target.id].size != count):
            self.routine.refuse(node, f"{target.id} has one size", "give it as many entries as before")
        if target.id not in self.own:
            if known:
                self.routine.refuse(node, f"{target.id} has no value yet")
            self.own[target.id] = self.arrays[target.id] = Array(target.id, (count,), writable=True)
        return whole(self.own[target.id])

    def _require_writable(self, node: ast.stmt, target: ast.Subscript) -> None:
        array = self._unwound(target)[0]
        if not array.writable:
            self.routine.refuse(node, f"{array.name} is only read here", "write copy(...) for one of its own")

    def _declared(self, node: ast.stmt, name: str, kind: Kind) -> Variable:
        if name in self.arrays or self.scalars.setdefault(name, Variable(name, kind)).kind != kind:
            was = "a vector" if name in self.arrays else self.scalars[name].kind
            self.routine.refuse(node, f"{name} is {was} and cannot become {kind}", "use another name")
        return self.scalars[name]

    # ---- calls -------------------------------------------------------------------------------------------------------

    def _results(self, value: ast.expr) -> Call | None:
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

    def _arguments(self, node: ast.Call, formals: Sequence[Formal], name: str) -> tuple[Expression | str, ...]:
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

    def _argument(self, node: ast.Call, argument: ast.expr, formal: Formal, name: str) -> Expression | str:
        if formal.record is not None:
            if not isinstance(argument, ast.Name) or self.records.get(argument.id) != formal.record:
                self.routine.refuse(node, f"{name} takes {formal.record.name} here")
            return argument.id
        if (formal.array is not None) != self.is_vector(argument):
            self.routine.refuse(node, f"{name} takes {'a vector' if formal.array is not None else 'a scalar'} here")
        if formal.array is None:
            value = self.scalar(argument)
            if formal.kind != "real" and value.kind != formal.kind:
                self.routine.refuse(argument, f"{ast.unparse(argument)} is not {formal.kind}")
            return self._real(value) if formal.kind == "real" else value
        if not self._is_view(argument):
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

    def _call(self, node: ast.Call) -> Call:
        """A call with a scalar result, or with none."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in FUNCTIONS and name != "dot":
            arguments = tuple(self.vector(x) if self.is_vector(x) else self._real(self.scalar(x)) for x in node.args)
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
            return isinstance(self._member(node), Array)
        if isinstance(node, ast.Subscript):
            array, indices = self._unwound(node)
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

    def _is_view(self, value: ast.expr) -> bool:
        """True for a place, or one of two."""
        if isinstance(value, ast.IfExp):
            return self._is_view(value.body) and self._is_view(value.orelse)
        return isinstance(value, (ast.Name, ast.Subscript, ast.Attribute))

    def _member(self, node: ast.Attribute) -> Array | Variable:
        record = self.records.get(node.value.id) if isinstance(node.value, ast.Name) else None
        found = next((item for item in record.fields if item.name == node.attr), None) if record else None
        if found is None or not isinstance(node.value, ast.Name):
            self.routine.refuse(node, f"{ast.unparse(node)} is not known here")
        if isinstance(found, Variable):
            return Variable(found.name, found.kind, node.value.id)
        return Array(found.name, found.extents, found.writable, kind=found.kind, record=node.value.id)

    def _field(self, node: ast.expr) -> Variable | None:
        found = self._member(node) if isinstance(node, ast.Attribute) else None
        return found if isinstance(found, Variable) else None

    def _unwound(self, node: ast.expr) -> tuple[Array, list[ast.expr]]:
        """Array and indices of a chain of subscripts."""
        indices: list[ast.expr] = []
        inner = node
        while isinstance(inner, ast.Subscript):
            if any(isinstance(index, ast.Slice) for index in indices) and not isinstance(inner.slice, ast.Tuple):
                pass
            indices[:0] = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
            inner = inner.value
        if isinstance(inner, ast.Attribute):
            member = self._member(inner)
            if isinstance(member, Array):
                return member, indices
        if not isinstance(inner, ast.Name) or inner.id not in self.arrays:
            self.routine.refuse(node, f"{ast.unparse(inner)} is no array here")
        return self.arrays[inner.id], indices

    def place(self, node: ast.expr) -> Place:
        """The entries that a name, row or slice stands for."""
        array, indices = self._unwound(node)
        found: list[Expression | Span] = []
        for index, extent in zip(indices, array.extents, strict=False):
            if not isinstance(index, ast.Slice):
                value = self.integer(index)
                if isinstance(value, Number) and not 0 <= value.value < extent:
                    self.routine.refuse(node, f"entry {value.value} of {extent}")
                found.append(value)
                continue
            start = Number(0, "int") if index.lower is None else self.integer(index.lower)
            stop = Number(extent, "int") if index.upper is None else self.integer(index.upper)
            if isinstance(start, Number) and isinstance(stop, Number) and not 0 <= start.value <= stop.value <= extent:
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
            return Operation("choice", parts, "real", parts[1].axes)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "copy" and len(node.args) == 1:
                return self.vector(node.args[0])
            if node.func.id == "zeros":
                return Call("zeros", tuple(map(self.integer, node.args)), "real", len(node.args))
            if node.func.id in ("abs", "min"):
                return self._call(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.vector(node.operand)
            return Operation("neg", (inner,), "real", inner.axes)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return self._product(node)
        if isinstance(node, (ast.BinOp, ast.Compare)):
            return self._vector_operation(node)
        remedy = "call functions in a line of their own"
        self.routine.refuse(node, f"{ast.unparse(node)} is no vector expression", remedy)

    def _product(self, node: ast.BinOp) -> Product:
        left, right = self.vector(node.left), self.vector(node.right)
        if not (left.axes and right.axes):
            self.routine.refuse(node, "@ stands between vectors and matrices")
        return Product(left, right, left.axes + right.axes - 2)

    def _vector_operation(self, node: ast.BinOp | ast.Compare) -> Expression:
        compares = isinstance(node, ast.Compare)
        operator = OPERATORS[type(node.ops[0] if isinstance(node, ast.Compare) else node.op)]
        sides = (node.left, node.comparators[0] if isinstance(node, ast.Compare) else node.right)
        parts = [self.vector(side) if self.is_vector(side) else self._real(self.scalar(side)) for side in sides]
        scalar = [not part.axes for part in parts]
        fits = any(scalar) if operator in "*/" else not any(scalar)
        if not fits or (operator == "/" and not scalar[1]):
            self.routine.refuse(node, "vectors are added to vectors and multiplied by scalars")
        left, right = map(lengths, parts)
        if not any(scalar) and None not in (*left, *right) and left != right:
            self.routine.refuse(node, f"a vector of {left[0]} and one of {right[0]} entries")
        return Operation(operator, tuple(parts), "bool" if compares else "real", max(part.axes for part in parts))

    # ---- scalars -----------------------------------------------------------------------------------------------------

    def integer(self, node: ast.expr) -> Expression:
        """An integer expression; what is known beforehand is a number."""
        value = constant_of(node, self.routine.sizes)
        if value is not None:
            return Number(value, "int")
        found = self.scalar(node)
        if found.kind != "int":
            self.routine.refuse(node, f"{ast.unparse(node)} is no integer")
        terms = linear(found).terms
        if any(isinstance(each, Operation) and each.operator != "choice" for each in terms):
            self.routine.refuse(node, f"{ast.unparse(node)} is no sum of multiples")
        return found

    def scalar(self, node: ast.expr) -> Expression:
        """A scalar expression."""
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, (bool, int, float)):
                return Number(value, "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "real")
        known = constant_of(node, self.routine.sizes)
        if known is not None:
            return Number(known, "int")
        if isinstance(node, ast.Name):
            if node.id in self.scalars:
                return self.scalars[node.id]
            if node.id in self.routine.numbers:
                return Constant(node.id, "int" if isinstance(self.routine.numbers[node.id], int) else "real")
            self.routine.refuse(node, f"{node.id} is not known here")
        if isinstance(node, ast.Attribute):
            field = self._field(node)
            if field is not None:
                return field
        if isinstance(node, ast.Subscript):
            place = self.place(node)
            if not place.axes:
                return place
        if isinstance(node, ast.IfExp):
            test, first, second = map(self.scalar, (node.test, node.body, node.orelse))
            if first.kind != second.kind:
                first, second = self._real(first), self._real(second)
            return Operation("choice", (test, first, second), first.kind)
        if isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            return Operation(word, tuple(map(self.scalar, node.values)), "bool")
        if isinstance(node, ast.UnaryOp):
            operand = self.scalar(node.operand)
            if isinstance(node.op, ast.Not):
                return Operation("not", (operand,), "bool")
            return Operation("neg", (operand,), operand.kind)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "dot" and len(node.args) == 2:
                return Product(self.vector(node.args[0]), self.vector(node.args[1]), 0)
            return self._call(node)
        self.routine.refuse(node, f"{ast.unparse(node)} is not in the routine language")

    def _comparison(self, node: ast.Compare) -> Expression:
        if len(node.ops) != 1:
            self.routine.refuse(node, "comparisons are not chained", "join them by and")
        sides = self.scalar(node.left), self.scalar(node.comparators[0])
        if "real" in (sides[0].kind, sides[1].kind):
            sides = self._real(sides[0]), self._real(sides[1])
        return Operation(OPERATORS[type(node.ops[0])], sides, "bool")

    def _arithmetic(self, node: ast.BinOp) -> Expression:
        if self.is_vector(node):
            self._vector_operation(node)
        if isinstance(node.op, ast.MatMult):
            return self._product(node)
        sides = self.scalar(node.left), self.scalar(node.right)
        if {sides[0].kind, sides[1].kind} == {"int"} and not isinstance(node.op, ast.Div):
            return Operation(OPERATORS[type(node.op)], sides, "int")
        return Operation(OPERATORS[type(node.op)], (self._real(sides[0]), self._real(sides[1])), "real")

    def _real(self, node: Expression) -> Expression:
        """An integer as a real number."""
        if node.kind != "int":
            return node
        if isinstance(node, Number):
            return Number(float(node.value), "real")
        return Call("real", (node,), "real")


def read_body(routine: Routine, function: RoutineFunction) -> tuple[tuple[Statement, ...], BodyReader]:
    """The statements of a function, and what its names are."""
    reader = BodyReader(routine, function)
    return reader.body(function.syntax), reader


def signature_of(function: RoutineFunction) -> Signature:
    """Extents of inputs and results of a function whose result is a vector."""
    inputs = tuple(() if item.array is None else item.array.extents for item in function.formals)
    return Signature(inputs, ((int(function.returns or 0),),) if isinstance(function.returns, int) else ())
