"""A routine for several states side by side: what differs from state to state decides by masks and not by jumps.

Every scalar is uniform, the same for all states, or varying. Arrays vary, and what is made of them. A branch that
varies is taken by all states, and what it gives to what is seen outside it is chosen by its mask; a loop under a
varying condition goes on while any state does; who leaves it or returns is taken out of the masks around. Values that
are seen only inside a branch need no mask: nobody looks at those of the other states.

Masks are made by calls that each language has: ``both(mask, test)``, ``except(mask, test)`` (those of the mask for
which the test fails), ``any(mask)``, ``chosen(mask, new, old)``, ``everywhere()``, and ``seldom(mask, call)``, a
function that few states need on those of the mask alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import combined, operands, whole, with_operands
from mbsym.codegen.integers import lengths
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.scopes import homes_of
from mbsym.codegen.statements import blocks, bodies_replaced, every, walk
from mbsym.errors import CodegenError

ACTIVE: Final = ex.Variable("active", "bool")
"""The mask that a function is called under."""
EVERYWHERE: Final = ex.Call("everywhere", (), "bool")


@dataclass(slots=True)
class Varying:
    """What differs from state to state.

    Attributes:
        scalars: by function.
        fields: scalars of records, as (record, field).
        results: functions with a varying result.
        masked: functions that are called under masks and change what their callers see.
    """

    scalars: dict[str, set[str]] = field(default_factory=dict)
    fields: set[tuple[str, str]] = field(default_factory=set)
    results: set[str] = field(default_factory=set)
    masked: set[str] = field(default_factory=set)

    @property
    def size(self) -> int:
        """How much is known to vary."""
        return sum(map(len, self.scalars.values())) + len(self.fields) + len(self.results) + len(self.masked)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A routine whose masks are explicit, and what varies in it."""

    routine: Routine
    varying: Varying


def side_by_side(routine: Routine) -> SideBySide:
    """The routine for several states.

    Raises:
        CodegenError: a loop runs over a range that varies, or is left in a way that has no masks.
    """
    varying = Varying({function.name: _given(function) for function in routine.functions})
    writers = _writers(routine)
    homes = [homes_of(function.body) for function in routine.functions]
    while True:
        before = varying.size
        functions = [
            _Masker(routine, function, varying, writers, begins).function()
            for function, begins in zip(routine.functions, homes, strict=True)
        ]
        if varying.size == before:
            return SideBySide(replace(routine, functions=tuple(functions)), varying)


def _given(function: st.Function) -> set[str]:
    """Scalars that each state brings along."""
    return {item.name for item in function.formals if item.kind == "real"} if function.is_public else set()


def varies(node: ex.Expression, function: st.Function, varying: Varying) -> bool:
    """Whether an expression differs from state to state."""
    match node:
        case ex.Place() | ex.MatrixProduct():
            return True
        case ex.Variable(name, _, record):
            if record:
                return (function.records[record].name, name) in varying.fields
            return name in varying.scalars[function.name]
        case ex.Call("everywhere" | "both" | "except" | "chosen"):
            return True
        case ex.Call("any"):
            return False
        case ex.Call(name) if name in varying.scalars:
            return name in varying.results
    return any(varies(each, function, varying) for each in operands(node))


def _writers(routine: Routine) -> set[str]:
    """Functions that change what their callers see."""
    found = set[str]()
    while True:
        more = {each.name for each in routine.functions if _writes(each, found)} - found
        if not more:
            return found
        found |= more


def _writes(function: st.Function, writers: set[str]) -> bool:
    outer = {item.name for item in function.formals}
    for statement in walk(function.body):
        targets: Sequence[ex.Place] = ()
        if isinstance(statement, st.Store):
            targets = (statement.target,)
        elif isinstance(statement, st.Invoke):
            targets = statement.targets
        elif isinstance(statement, st.Let) and statement.target.record in outer:
            return True
        if any((target.array.record or target.array.name) in outer for target in targets):
            return True
    calls = [each for each in every(function.body) if isinstance(each, ex.Call) and each.function in writers]
    return any(name in outer for each in calls for name in _handed(each))


def _handed(call: ex.Call) -> list[str]:
    """Arrays and records among the arguments of a call."""
    names = [each.name for each in call.arguments if isinstance(each, ex.RecordName)]
    return [*names, *(each.array.record or each.array.name for each in call.arguments if isinstance(each, ex.Place))]


@dataclass(frozen=True, slots=True)
class _Mask:
    """Who takes part, from a block of the path on."""

    position: int
    mask: ex.Variable


class _Masker:
    """One function on its way to explicit masks."""

    def __init__(
        self,
        routine: Routine,
        function: st.Function,
        varying: Varying,
        writers: set[str],
        homes: Mapping[str, frozenset[int]],
    ) -> None:
        self.routine, self.original, self.varying, self.writers = routine, function, varying, writers
        self.known = varying.scalars[function.name]
        self.homes = homes
        self.outer = {item.name for item in function.formals}
        self.path: list[int] = []
        self.masks: list[_Mask] = []
        self.own: list[ex.Array] = []
        self.scalars: dict[str, ex.Variable] = {}
        self.result: ex.Variable | None = None
        # Loops in which somebody may leave under a mask, each with its place in the path and its mask.
        self.loops: list[_Mask] = []

    def function(self) -> st.Function:
        """The function with masks."""
        function, name = self.original, self.original.name
        formals = function.formals
        if name in self.varying.masked:
            formals = (*formals, st.Formal(ACTIVE.identifier, "bool"))
            self._vary(ACTIVE)
            self.masks.append(_Mask(0, ACTIVE))
        opening: list[st.Statement] = []
        chain = self._chain(function.body)
        if chain is not None:
            return replace(function, formals=formals, body=tuple(self._return(chain)))
        ends = [each for each in walk(function.body) if isinstance(each, st.Return)]
        if len(ends) > 1 and any(each is not ends[-1] for each in ends) and self._ends_vary(function.body):
            kind = function.returns
            assert isinstance(kind, str)
            self.result = ex.Variable("outcome", kind)
            self.scalars["outcome"] = self.result
            self._vary(self.result)
            opening.append(st.Let(self.result, "=", ex.Constant(0.0 if kind == "real" else 0, kind)))
            if self._returns_inside_loops():
                live = self._fresh("live")
                opening.append(st.Let(live, "=", self._mask() or EVERYWHERE))
                self.masks.append(_Mask(0, live))
        body = (*opening, *self._block(function.body))
        return replace(
            function,
            formals=formals,
            body=body,
            own=(*function.own, *self.own),
            scalars={**function.scalars, **self.scalars},
        )

    def _chain(self, body: tuple[st.Statement, ...]) -> st.Return | None:
        """A function that only returns one value or another as one choice."""
        *first, last = body
        if self.masks or not (isinstance(last, st.Return) and last.value is not None):
            return None
        value, calls = last.value, list(every(body))
        if any(isinstance(each, ex.Call) and each.function in self.varying.scalars for each in calls):
            return None
        for each in reversed(first):
            inner = each.body[0] if isinstance(each, st.If) and len(each.body) == 1 and not each.otherwise else None
            if not (isinstance(each, st.If) and isinstance(inner, st.Return) and inner.value is not None):
                return None
            value = ex.Operation("choice", (each.test, inner.value, value))
        return st.Return(value, last.remarks)

    def _ends_vary(self, body: Sequence[st.Statement]) -> bool:
        """Whether some return stands under a condition that varies."""
        for each in body:
            if isinstance(each, (st.If, st.While)) and self._varies(each.test) and _ends(blocks(each)):
                return True
            if any(self._ends_vary(block) for block in blocks(each)):
                return True
        return False

    def _returns_inside_loops(self) -> bool:
        loops = [each for each in walk(self.original.body) if isinstance(each, (st.For, st.While))]
        return any(isinstance(each, st.Return) for loop in loops for each in walk(loop.body))

    # ---- masks -------------------------------------------------------------------------------------------------------

    def _mask(self) -> ex.Variable | None:
        return self.masks[-1].mask if self.masks else None

    def _fresh(self, stem: str) -> ex.Variable:
        taken = {*self.original.scalars, *self.scalars, *self.homes}
        name = next(each for each in (stem, *(f"{stem}{k}" for k in range(2, 99))) if each not in taken)
        self.scalars[name] = ex.Variable(name, "bool" if stem != "found" else "int")
        self._vary(self.scalars[name])
        return self.scalars[name]

    def _vary(self, variable: ex.Variable) -> None:
        self.known.add(variable.identifier)

    def _varies(self, node: ex.Expression) -> bool:
        return varies(node, self.original, self.varying)

    def _is_masked(self, name: str) -> bool:
        """Whether what is given to a name here needs the mask."""
        homes = frozenset[int]() if name in self.outer else self.homes.get(name, frozenset())
        place = max((place for place, block in enumerate(self.path) if block in homes), default=-1)
        return any(mask.position > place for mask in self.masks)

    # ---- statements --------------------------------------------------------------------------------------------------

    def _block(self, body: tuple[st.Statement, ...]) -> tuple[st.Statement, ...]:
        self.path.append(id(body))
        found: list[st.Statement] = []
        for statement in body:
            made = self._statement(statement)
            if statement.remarks and made and not made[0].remarks:
                made = [replace(made[0], remarks=statement.remarks), *made[1:]]
            found += made
        self.path.pop()
        return tuple(found)

    def _statement(self, node: st.Statement) -> list[st.Statement]:
        match node:
            case st.Let():
                return self._let(node)
            case st.Store():
                return [self._store(node)]
            case st.Invoke():
                return self._invoke(node)
            case st.Do(call):
                return [replace(node, call=self._call(call))]
            case st.If():
                return self._if(node)
            case st.While():
                return self._while(node)
            case st.For():
                if self._varies(node.start) or self._varies(node.stop):
                    self._refuse("a range that varies from state to state")
                return [bodies_replaced(node, self._block)]
            case st.Return():
                return self._return(node)
            case st.Leave():
                return self._leave(node)
            case st.Look():
                return [node]
            case st.Threads():
                self._refuse("threads")

    def _let(self, node: st.Let) -> list[st.Statement]:
        target, value = node.target, self._valued(node.value)
        name = target.record or target.identifier
        masked = self._is_masked(name)
        if masked or self._varies(value):
            if target.record:
                self.varying.fields.add((self.original.records[target.record].name, target.identifier))
            else:
                self._vary(target)
        if not masked:
            return [replace(node, value=value)]
        return [st.Let(target, "=", self._chosen(value, node.operator, target), node.remarks)]

    def _store(self, node: st.Store) -> st.Store:
        value = self._valued(node.value)
        if not self._is_masked(node.target.array.record or node.target.array.name):
            return replace(node, value=value)
        return st.Store(node.target, "=", self._chosen(value, node.operator, node.target), node.remarks)

    def _chosen(self, value: ex.Expression, operator: str, old: ex.Variable | ex.Place) -> ex.Expression:
        """A value where the mask holds, else what was there."""
        mask = self._mask()
        assert mask is not None
        new = value
        if operator != "=":
            new = combined(operator[0], old, value)
        return ex.Call("chosen", (mask, new, old), old.kind, old.axes)

    def _invoke(self, node: st.Invoke) -> list[st.Statement]:
        call = self._call(node.call)
        if not any(self._is_masked(target.array.record or target.array.name) for target in node.targets):
            return [replace(node, call=call)]
        made = []
        for target in node.targets:
            shape = tuple(int(extent) for extent in [int(extent or 0) for extent in lengths(target)])
            name = f"new_{target.array.name}"
            array = next((each for each in self.own if each.name == name), None)
            if array is None:
                array = ex.Array(name, shape, writable=True, kind=target.array.kind)
                self.own.append(array)
            made.append(array)
        stores = [
            st.Store(target, "=", self._chosen(whole(array), node.operator, target))
            for target, array in zip(node.targets, made, strict=True)
        ]
        return [st.Invoke(tuple(map(whole, made)), "=", call, node.remarks), *stores]

    def _valued(self, node: ex.Expression) -> ex.Expression:
        """An expression whose calls have their masks."""
        if isinstance(node, ex.Call):
            return self._call(node)
        if isinstance(node, (ex.Place, ex.MatrixProduct)):
            return node
        return with_operands(node, tuple(map(self._valued, operands(node))))

    def _call(self, call: ex.Call) -> ex.Call:
        function = self.routine.function(call.function)
        if call.function == st.BEGIN:
            return call
        if function is None:
            return replace(call, arguments=tuple(map(self._valued, call.arguments)))
        for each, formal in zip(call.arguments, function.formals, strict=True):
            if formal.kind is not None and self._varies(each):
                self.varying.scalars[function.name].add(formal.name)
        if function.is_seldom:
            mask = self._mask()
            return call if mask is None else ex.Call("seldom", (mask, call), call.kind)
        if function.name in self.writers and any(map(self._is_masked, _handed(call))):
            self.varying.masked.add(function.name)
            return replace(call, arguments=(*call.arguments, self._mask() or EVERYWHERE))
        if function.name in self.varying.masked:
            return replace(call, arguments=(*call.arguments, EVERYWHERE))
        return call

    def _if(self, node: st.If) -> list[st.Statement]:
        test = self._valued(node.test)
        if not self._varies(test):
            return [st.If(test, self._block(node.body), self._block(node.otherwise), node.remarks)]
        outer = self._mask()
        inner = self._fresh("mask")
        # The masks of both branches are made first: the first branch may take states out of the masks around.
        made: list[st.Statement] = [
            st.Let(inner, "=", ex.Call("both", (outer or EVERYWHERE, test), "bool"), node.remarks)
        ]
        branches = [(inner, node.body)]
        if node.otherwise:
            other = self._fresh("mask")
            made.append(st.Let(other, "=", ex.Call("except", (outer or EVERYWHERE, inner), "bool")))
            branches.append((other, node.otherwise))
        for mask, body in branches:
            self.masks.append(_Mask(len(self.path), mask))
            inside = self._block(body)
            self.masks = [each for each in self.masks if each.mask is not mask]
            made.append(st.If(ex.Call("any", (mask,), "bool"), inside)) if _is_dear(inside) else made.extend(inside)
        return made

    def _while(self, node: st.While) -> list[st.Statement]:
        test = self._valued(node.test)
        if not self._varies(test):
            return [st.While(test, self._block(node.body), node.remarks)]
        going = self._fresh("going")
        first = st.Let(going, "=", ex.Call("both", (self._mask() or EVERYWHERE, test), "bool"), node.remarks)
        mask = _Mask(len(self.path), going)
        self.masks.append(mask)
        self.loops.append(mask)
        inside = self._block(node.body)
        self.loops.pop()
        self.masks = [each for each in self.masks if each is not mask]
        again = st.Let(going, "=", ex.Call("both", (going, test), "bool"))
        return [first, st.While(ex.Call("any", (going,), "bool"), (*inside, again))]

    def _leave(self, node: st.Leave) -> list[st.Statement]:
        mask = self._mask()
        if node.word != "break" or not self.loops or mask is None:
            self._refuse(f"{node.word} under a condition that varies, or in a loop that has none")
        return self._taken_out(mask, self.loops[-1].position)

    def _taken_out(self, mask: ex.Variable, position: int) -> list[st.Statement]:
        """Takes the states of a mask out of the masks around, from a place in the path on; of its own mask last."""
        around = [each.mask for each in self.masks if each.position >= position and each.mask is not mask]
        return [st.Let(each, "=", ex.Call("except", (each, mask), "bool")) for each in around]

    def _return(self, node: st.Return) -> list[st.Statement]:
        value = None if node.value is None else self._valued(node.value)
        mask = self._mask()
        if mask is None or (mask is ACTIVE and self.result is None):
            if value is not None and self._varies(value):
                self.varying.results.add(self.original.name)
            return [st.Return(value, node.remarks)]
        if value is None or value.axes:
            self._refuse("an end without a value under a condition that varies")
        self.varying.results.add(self.original.name)
        if self.result is None:
            # That the condition varies has just been found: the next round knows from the start.
            return [st.Return(value, node.remarks)]
        chosen = ex.Call("chosen", (mask, value, self.result), value.kind)
        made: list[st.Statement] = [st.Let(self.result, "=", chosen, node.remarks)]
        if len(self.path) == 1:
            return [*made, st.Return(self.result)]
        if not any(each.position == 0 for each in self.masks):
            live = self._fresh("live")
            made.append(st.Let(live, "=", ex.Call("except", (EVERYWHERE, mask), "bool")))
            self.masks.insert(0, _Mask(0, live))
            return made
        return [*made, *self._taken_out(mask, 0)]

    def _refuse(self, what: str) -> NoReturn:
        where = f"runtime/{self.routine.name}.py, {self.original.name}"
        raise CodegenError(f"several states side by side: {what}", where=where, remedy="write it without")


def _ends(inside: Sequence[Sequence[st.Statement]]) -> bool:
    return any(isinstance(each, st.Return) for block in inside for each in walk(block))


def _is_dear(body: Sequence[st.Statement]) -> bool:
    """Whether a block is worth asking whether anybody needs it."""
    return (
        len(body) > 3
        or any(blocks(each) for each in body)
        or any(isinstance(each, (st.Do, st.Invoke)) for each in body)
    )
