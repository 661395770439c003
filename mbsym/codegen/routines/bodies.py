"""The body of a function of a routine: from the syntax of Python to typed statements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from math import prod

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import whole
from mbsym.codegen.integers import lengths
from mbsym.codegen.routines.expressions import OPERATORS, ExpressionReader
from mbsym.codegen.routines.language import Routine, constant_of


class BodyReader(ExpressionReader):
    """One function, with what it makes."""

    def __init__(self, routine: Routine, function: st.Function, syntax: Sequence[ast.stmt] = ()) -> None:
        super().__init__(routine, function, syntax)
        self.views: dict[str, ex.Array] = {}
        self.own: dict[str, ex.Array] = {}
        self._line = 0
        # Arrays of which some entries are changed.
        self.changed = {
            name.id
            for statement in syntax
            for node in ast.walk(statement)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            for name in ast.walk(node.value)
            if isinstance(name, ast.Name)
        }

    # ---- statements --------------------------------------------------------------------------------------------------

    def body(self, statements: Sequence[ast.stmt]) -> tuple[st.Statement, ...]:
        """Statements with their types, each with the comments before it."""
        found: list[st.Statement] = []
        for node in statements:
            above = range(self._line + 1, node.lineno) if self._line else ()
            remarks = tuple(self.routine.comments[line] for line in above if line in self.routine.comments)
            self._line = node.lineno
            found += self._statement(node, remarks)
        return tuple(found)

    def _statement(self, node: ast.stmt, remarks: tuple[str, ...]) -> list[st.Statement]:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return self._assign(node, node.targets[0], "=", node.value, remarks)
        if isinstance(node, ast.AugAssign):
            return self._assign(node, node.target, f"{OPERATORS[type(node.op)]}=", node.value, remarks)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            array = self.routine.array(node.target.id, node.annotation, node)
            self.own[array.name] = self.arrays[array.name] = array
            return []
        if isinstance(node, ast.If):
            return [st.If(self.scalar(node.test), self.body(node.body), self.body(node.orelse), remarks)]
        if isinstance(node, ast.While):
            return [st.While(self.scalar(node.test), self.body(node.body), remarks)]
        if isinstance(node, ast.For):
            return [self._for(node, remarks)]
        if isinstance(node, ast.Return):
            return [self._return(node, remarks)]
        if isinstance(node, (ast.Break, ast.Continue)):
            return [st.Leave("break" if isinstance(node, ast.Break) else "continue", remarks)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return [st.Do(self.call(node.value), remarks)]
        self.routine.refuse(node, f"{type(node).__name__} is no statement of the routine language")

    def _for(self, node: ast.For, remarks: tuple[str, ...]) -> st.For:
        call = node.iter
        counted = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not (isinstance(node.target, ast.Name) and isinstance(call, ast.Call) and counted):
            self.routine.refuse(node, "a loop runs over a range", "write for i in range(...)")
        step = constant_of(call.args[2], self.routine.sizes) if len(call.args) == 3 else 1
        if step not in (1, -1):
            self.routine.refuse(node, "a loop steps by 1 or -1")
        bounds = [self.integer(argument) for argument in call.args[:2]]
        start, stop = bounds if len(bounds) == 2 else (ex.Constant(0, "int"), bounds[0])
        index = self._declared(node, node.target.id, "int")
        return st.For(index, start, stop, step == -1, self.body(node.body), remarks)

    def _return(self, node: ast.Return, remarks: tuple[str, ...]) -> st.Return:
        if node.value is None:
            return st.Return(None, remarks)
        want = self.function.returns
        if isinstance(want, int):
            return st.Return(self.results(node.value) or self.vector(node.value), remarks)
        value = self.scalar(node.value)
        if want is None or (value.kind != want and want != "real"):
            self.routine.refuse(node, f"the function returns {want or 'nothing'}")
        return st.Return(self.real(value) if want == "real" else value, remarks)

    def _assign(
        self, node: ast.stmt, target: ast.expr, operator: str, value: ast.expr, remarks: tuple[str, ...]
    ) -> list[st.Statement]:
        call = self.results(value)
        if call is not None:
            return [self._invoke(node, target, operator, call, remarks)]
        if isinstance(target, ast.Tuple):
            self.routine.refuse(node, "only results of functions are given to several names")
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self.routine.records:
            if not isinstance(target, ast.Name):
                self.routine.refuse(node, "a record has a name")
            self.records[target.id] = self.routine.records[value.func.id]
            return [st.Do(ex.Call(st.BEGIN, (ex.RecordName(target.id),), "bool"), remarks)]
        found = self.expression(value)
        if found.axes:
            is_named = operator == "=" and self.is_view(value)
            if isinstance(target, ast.Name) and is_named:
                return [self._look(node, target.id, found, remarks)]
            return [st.Store(self._target(node, target, lengths(found), operator != "="), operator, found, remarks)]
        variable = self._given_scalar(node, target, operator, found.kind)
        if variable is not None:
            return [st.Let(variable, operator, self.real(found) if variable.kind == "real" else found, remarks)]
        if isinstance(target, ast.Subscript):
            self._require_writable(node, target)
            place = self.place(target)
            if not place.axes or operator in ("*=", "/="):
                return [st.Store(place, operator, self.real(found) if place.kind == "real" else found, remarks)]
        self.routine.refuse(node, "a scalar cannot be given to a vector", "write zeros(n), or give one entry")

    def _given_scalar(self, node: ast.stmt, target: ast.expr, operator: str, kind: ex.Kind) -> ex.Variable | None:
        """The scalar that gets a value."""
        if not isinstance(target, ast.Name) or target.id in self.arrays:
            return self.field(target)
        known = self._declared(node, target.id, kind) if operator == "=" else self.scalars.get(target.id)
        if known is None:
            self.routine.refuse(node, f"{target.id} has no value yet")
        return known

    def _invoke(
        self, node: ast.stmt, target: ast.expr, operator: str, call: ex.Call, remarks: tuple[str, ...]
    ) -> st.Invoke:
        outputs = self.routine.results_of(call.function)
        several = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(several) != len(outputs):
            self.routine.refuse(node, f"{call.function} has {len(outputs)} results")
        targets = [
            self._target(node, part, extents, operator != "=") for part, extents in zip(several, outputs, strict=True)
        ]
        return st.Invoke(tuple(targets), operator, call, remarks)

    def _look(self, node: ast.stmt, name: str, vector: ex.Expression, remarks: tuple[str, ...]) -> st.Look:
        if name in self.arrays and name not in (*self.views, *self.own):
            self.routine.refuse(node, f"{name} is an array", f"write {name}[:]")
        extents = lengths(vector)
        known = tuple(extent for extent in extents if extent is not None)
        if name in self.own or name in self.changed or len(known) < len(extents):
            self.routine.refuse(node, f"{name} is a vector of its own", "write copy(...)")
        self.views[name] = self.arrays[name] = ex.Array(name, known, writable=False)
        return st.Look(self.views[name], vector, remarks)

    def _target(self, node: ast.stmt, target: ast.expr, extents: Sequence[int | None], known: bool) -> ex.Place:
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
            self.own[target.id] = self.arrays[target.id] = ex.Array(target.id, (count,), writable=True)
        return whole(self.own[target.id])

    def _require_writable(self, node: ast.stmt, target: ast.Subscript) -> None:
        array = self.unwound(target)[0]
        if not array.writable:
            self.routine.refuse(node, f"{array.name} is only read here", "write copy(...) for one of its own")

    def _declared(self, node: ast.stmt, name: str, kind: ex.Kind) -> ex.Variable:
        if name in self.arrays or self.scalars.setdefault(name, ex.Variable(name, kind)).kind != kind:
            was = "a vector" if name in self.arrays else self.scalars[name].kind
            self.routine.refuse(node, f"{name} is {was} and cannot become {kind}", "use another name")
        return self.scalars[name]
