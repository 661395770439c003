"""Functions made of steps that bodies share, followed statement by statement.

Over a graph every call makes nodes, and long mechanisms have very many calls. At a point of the field each step is
compiled once to a function of whole numbers, and what is called under a condition, pair by pair of items, is evaluated
for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import eq, ge
from typing import Any, Final, TypeAlias

from mbsym.codegen.expressions import Constant, Expression, Operation, Place, Span, Sum, Variable
from mbsym.codegen.lowered import LoweredFunction, LoweredStep
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.statements import For, If, Invoke, Let, Look, Statement, Store, Threads, While
from mbsym.errors import SymbolicError
from mbsym.proof.field import Field
from mbsym.proof.residues import residues_of
from mbsym.symbolic.graph import Graph, Reference

Evaluate: TypeAlias = Callable[[Sequence[Sequence[Any]]], Sequence[Sequence[Any]]]
"""The results of a step, in order, with inputs."""

_COMPARED: Final = {"==": eq, ">=": ge}


class Steps:
    """A function made of steps that is followed: what it takes, what it gives, and what its calls hand on."""

    def __init__(
        self,
        body: LoweredFunction,
        function: ModuleFunction,
        graph: Graph,
        arrays: Mapping[str, Sequence[Reference]],
        variables: Mapping[str, Reference],
    ) -> None:
        """Nothing is called yet.

        Args:
            body: its steps and the loops that call them.
            function: it.
            graph: of all values.
            arrays, variables: arguments and parameters by their identifiers.
        """
        self.body, self.graph = body, graph
        self.variables = variables
        self._outputs = {item.name: identifier for item, identifier in function.paired if item.direction == "out"}
        self._arrays: dict[str, list[Any]] = {name: [*entries] for name, entries in arrays.items()}
        self._arrays |= {array.name: [None] * array.size for array in body.own}
        self._arrays |= {
            identifier: [None] * item.size for item, identifier in function.paired if item.direction == "out"
        }
        self._tables: dict[str, Any] = {}
        for table in body.tables:
            rows: Any = table.rows
            if table.array.kind == "real":
                rows = [[graph.const(number) for number in row] for row in rows]
            self._tables[table.array.name] = rows if len(table.array.extents) > 1 else rows[0]
        self._integers: dict[str, int] = {}
        self._evaluate: dict[str, Evaluate] = {}
        self._pairs: _Pairs | None = None

    def results(self, known: Callable[[LoweredStep], Evaluate], *, abreast: bool) -> dict[str, list[Any]]:
        """What it returns, by name.

        Args:
            known: how a step is evaluated.
            abreast: pairs are evaluated all at once.

        Raises:
            SymbolicError: something is read that was not written.
        """
        self._evaluate = {step.name: known(step) for step in self.body.steps}
        for statement in self.body.loops:
            self._pairs = _Pairs(self._arrays) if abreast else None
            self._follow((statement,))
            if self._pairs is not None:
                self._pairs.evaluate(self._evaluate)
        return {name: self._read(array, 0, len(self._arrays[array])) for name, array in self._outputs.items()}

    # ---- statements --------------------------------------------------------------------------------------------------

    def _follow(self, body: Sequence[Statement], *, repeats: bool = False) -> None:
        """Statements one by one; those that ``repeats`` is told of are for pairs."""
        pairs = self._pairs if repeats else None
        for node in body:
            match node:
                case Let(target, _, value):
                    self._integers[target.identifier] = self._integer(value)
                case Look(view, Place() as row):
                    self._tables[view.name] = self._looked_up(row)
                case Store():
                    self._store(node, pairs)
                case Invoke():
                    self._invoke(node, pairs)
                case If(test, chosen, otherwise):
                    self._follow(chosen if self._integer(test) else otherwise)
                case While(test, inside):
                    while self._integer(test):
                        self._follow(inside, repeats=True)
                case For():
                    self._rounds(node, self._range(node))
                case Threads(_, inside):
                    self._follow_threads(inside)

    def _store(self, node: Store, pairs: _Pairs | None) -> None:
        entries = self._arrays[node.target.array.name]
        if not isinstance(node.value, Place):
            entries[:] = [0] * len(entries)
        elif pairs is not None:
            pairs.goals[-1].append((entries, self._slice(node.target)))
        else:
            entries[self._slice(node.target)] = self._arrays[node.value.array.name]

    def _invoke(self, node: Invoke, pairs: _Pairs | None) -> None:
        call = node.call
        if pairs is not None:
            pairs.add(call.function, [self._stretch(each) for each in call.arguments])
            return
        results = self._evaluate[call.function]([self._given(each) for each in call.arguments])
        for target, entries in zip(node.targets, results, strict=True):
            self._arrays[target.array.name][self._slice(target)] = entries

    def _rounds(self, node: For, counts: Iterable[int]) -> None:
        for count in counts:
            self._integers[node.index.identifier] = count
            self._follow(node.body)

    def _follow_threads(self, body: Sequence[Statement]) -> None:
        """Rounds of loops that threads share come last first, for none may wait for one before it."""
        waiting: list[For] = []
        for node in body:
            if not (isinstance(node, For) and node.is_shared):
                self._follow((node,))
                continue
            waiting.append(node)
            if node.is_awaited:
                for each in reversed(waiting):
                    self._rounds(each, reversed(self._range(each)))
                waiting = []

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _range(self, node: For) -> range:
        return range(self._integer(node.start), self._integer(node.stop))

    def _integer(self, node: Expression) -> int:
        """A whole number, or a condition on such."""
        match node:
            case Constant(value):
                return int(value)
            case Variable(name):
                return self._integers[name]
            case Sum(terms):
                return sum(-self._integer(term) if negative else self._integer(term) for negative, term in terms)
            case Operation(operator, (first, second)):
                return int(_COMPARED[operator](self._integer(first), self._integer(second)))
        assert isinstance(node, Place)
        return int(self._looked_up(node))

    def _looked_up(self, place: Place) -> Any:
        """An entry of a table, or a row."""
        found = self._tables[place.array.name]
        for index in place.indices:
            found = found if isinstance(index, Span) else found[self._integer(index)]
        return found

    def _slice(self, place: Place) -> slice:
        (span,) = place.spans
        return slice(self._integer(span.start), self._integer(span.stop), span.step)

    def _stretch(self, place: Expression) -> tuple[str, int, int]:
        """Entries that a step reads: their array, and from where to where."""
        assert isinstance(place, Place)
        found = self._slice(place)
        return place.array.name, found.start, found.stop

    def _given(self, node: Expression) -> Sequence[Any]:
        """What a step is given."""
        if isinstance(node, Variable):
            return [self.variables[node.identifier]]
        assert isinstance(node, Place)
        return self._looked_up(node) if node.array.name in self._tables else self._read(*self._stretch(node))

    def _read(self, array: str, start: int, stop: int) -> list[Any]:
        return written(self._arrays[array][start:stop], array)


class _Pairs:
    """Calls of steps for pairs of items, until all are known.

    Attributes:
        goals: of each call, where its result goes.
    """

    def __init__(self, arrays: Mapping[str, list[Any]]) -> None:
        self._arrays = arrays
        self._calls: dict[str, list[tuple[int, list[tuple[str, int, int]]]]] = {}
        self.goals: list[list[tuple[list[Any], slice]]] = []

    def add(self, step: str, inputs: list[tuple[str, int, int]]) -> None:
        """A call of a step."""
        self._calls.setdefault(step, []).append((len(self.goals), inputs))
        self.goals.append([])

    def evaluate(self, known: Mapping[str, Evaluate]) -> None:
        """The results of all calls."""
        for step, calls in self._calls.items():
            from mbsym.proof.side_by_side import at_each, side_by_side

            columns = []
            for column in zip(*(inputs for _, inputs in calls), strict=True):
                # An item has many pairs.
                places = {place: number for number, place in enumerate(dict.fromkeys(column))}
                blocks = [written(self._arrays[array][start:stop], array) for array, start, stop in places]
                columns.append(side_by_side(blocks, [places[place] for place in column]))
            (entries,) = known[step](columns)
            found = zip(*(at_each(entry, len(calls)) for entry in entries), strict=True)
            for (number, _), result in zip(calls, found, strict=True):
                for array, stretch in self.goals[number]:
                    array[stretch] = result


def at_a_point(steps: Steps, field: Field) -> dict[str, list[Any]]:
    """The results of a function over a field.

    Raises:
        SymbolicError: a step has a function, or an angle, that is not known there.
    """

    def known(step: LoweredStep) -> Evaluate:
        paired = zip(step.arguments, step.identifiers, strict=True)
        given = [(identifier, bool(item.shape)) for item, identifier in paired if item.direction == "in"]
        function = residues_of(step.body, given, tuple(steps.variables))
        return lambda inputs: function(field.circle, steps.variables, *inputs)

    try:
        return steps.results(known, abreast=True)
    except KeyError:
        raise SymbolicError("an angle of a step is no coordinate") from None


def written(entries: list[Any], where: str) -> list[Any]:
    """The entries, all of which must have been written before they are read.

    Raises:
        SymbolicError: one was not, so that the text would read what nobody knows.
    """
    if None in entries:
        raise SymbolicError(
            f"{where} is read before it is written", remedy="this is a defect of mbsym, please report it"
        )
    return entries
