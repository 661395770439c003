"""Functions made of steps that bodies share, followed statement by statement.

Statements are brought to actions once, for long mechanisms have very many calls. Over a graph every call makes nodes;
at a point of the field each step is compiled once to a function of whole numbers, and what is called under a condition,
pair by pair of items, is evaluated for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeAlias

from mbsym.codegen.expressions import Call, Constant, Expression, Operation, Place, Span, Sum, Variable, is_whole
from mbsym.codegen.integers import length
from mbsym.codegen.lowered import LoweredFunction, LoweredStep
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.statements import For, If, Invoke, Let, Look, Statement, Store, Threads, While
from mbsym.errors import SymbolicError
from mbsym.proof.field import Field
from mbsym.proof.residues import residues_of
from mbsym.symbolic.graph import Graph, Reference

Evaluate: TypeAlias = Callable[[Sequence[Sequence[Any]]], Sequence[Sequence[Any]]]
"""The results of a step, in order, with inputs."""

Action: TypeAlias = Callable[[], None]

COMPARED: Final = ("==", ">=")
"""Operators of conditions that are followed."""


class Steps:
    """A function made of steps that is followed: what it takes, what it gives, and what its calls hand on."""

    def __init__(
        self,
        body: LoweredFunction,
        function: ModuleFunction,
        graph: Graph,
        arrays: Mapping[str, Sequence[Reference]],
        variables: Mapping[str, Reference],
        *,
        last_first: bool = False,
    ) -> None:
        """Nothing is called yet.

        Args:
            body: its steps and the loops that call them.
            function: it.
            graph: of all values.
            arrays, variables: arguments and parameters by their identifiers.
            last_first: rounds that threads share come last first, for none may wait for one before it.
        """
        self.body = body
        self._last_first = last_first
        self.variables = variables
        self._outputs = {item.name: identifier for item, identifier in function.paired if item.direction == "out"}
        self._arrays: dict[str, list[Any]] = {name: [*entries] for name, entries in arrays.items()}
        self._arrays |= {array.name: [None] * array.size for array in body.loops.own}
        self._arrays |= {
            identifier: [None] * item.size for item, identifier in function.paired if item.direction == "out"
        }
        # Rows of tables under a name stand beside the tables.
        self._tables: dict[str, Any] = {}
        for table in body.tables:
            rows: Any = table.rows
            if table.array.kind == "real":
                rows = [[graph.const(number) for number in row] for row in rows]
            self._tables[table.array.name] = rows if len(table.array.extents) > 1 else rows[0]
        self._integers: dict[str, int] = {}
        self._evaluate: dict[str, Evaluate] = {}
        self._pairs: list[_Pairs] = []
        self._abreast = False

    def results(self, known: Callable[[LoweredStep], Evaluate], *, abreast: bool) -> dict[str, list[Any]]:
        """What it returns, by name.

        Args:
            known: how a step is evaluated.
            abreast: pairs are evaluated all at once.

        Raises:
            SymbolicError: something is read that was not written, or a statement is not known here.
        """
        self._evaluate = {step.name: known(step) for step in self.body.steps}
        self._abreast = abreast
        for statement in self.body.loops.body:
            self._pairs = []
            self._action(statement)()
            for each in self._pairs:
                each.evaluate(self._evaluate[each.step], self._arrays)
        return {name: self._read(array, 0, len(self._arrays[array])) for name, array in self._outputs.items()}

    def _read(self, array: str, start: int, stop: int) -> list[Any]:
        return written(self._arrays[array][start:stop], array)

    # ---- statements --------------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[Statement]) -> Action:
        return _in_turn([self._action(node) for node in body])

    def _action(self, node: Statement) -> Action:
        """What a statement does."""
        match node:
            case Let(Variable(name), "=", value):
                return _given(self._integers, name, self._asked(value))
            case Look(view, Place() as row):
                return _given(self._tables, view.name, self._asked(row))
            case Store(target, "=", Call("zeros")) if is_whole(target):
                entries = self._arrays[target.array.name]
                return lambda: entries.__setitem__(slice(None), [0] * len(entries))
            case Store(target, "=", Place(array) as value) if is_whole(value):
                return self._stored(target, self._arrays[array.name])
            case Invoke(targets, "=", call):
                return self._invoked(targets, call)
            case If(test, chosen, otherwise):
                condition, first, second = self._asked(test), self._block(chosen), self._block(otherwise)
                return lambda: first() if condition() else second()
            case While(test, inside):
                return self._repeated(self._asked(test), self._for_pairs(inside))
            case For():
                rounds, through = self._rounds(node), self._range(node)
                return lambda: rounds(through())
            case Threads(_, inside):
                return self._threads(inside)
        _unknown(node)

    def _repeated(self, condition: Callable[[], int], body: Action) -> Action:
        def done() -> None:
            while condition():
                body()

        return done

    def _rounds(self, node: For) -> Callable[[Iterable[int]], None]:
        name, body = node.index.identifier, self._block(node.body)

        def done(counts: Iterable[int]) -> None:
            for count in counts:
                self._integers[name] = count
                body()

        return done

    def _range(self, node: For) -> Callable[[], range]:
        if node.is_down:
            _unknown(node)
        start, stop = self._asked(node.start), self._asked(node.stop)
        return lambda: range(start(), stop())

    def _threads(self, body: Sequence[Statement]) -> Action:
        if not self._last_first:
            return self._block(body)
        actions: list[Action] = []
        waiting: list[Action] = []
        for node in body:
            if not (isinstance(node, For) and node.is_shared):
                actions.append(self._action(node))
                continue
            waiting.insert(0, self._backwards(node))
            if node.is_awaited:
                actions += waiting
                waiting = []
        return _in_turn(actions)

    def _backwards(self, node: For) -> Action:
        rounds, through = self._rounds(node), self._range(node)
        return lambda: rounds(reversed(through()))

    def _stored(self, target: Place, source: list[Any]) -> Action:
        entries, stretch = self._arrays[target.array.name], _stretch(target)
        start = self._asked(stretch.start)

        def done() -> None:
            first = start()
            entries[first : first + stretch.extent : stretch.step] = source

        return done

    def _invoked(self, targets: Sequence[Place], call: Call) -> Action:
        given = [self._taken(each) for each in call.arguments]
        goals = []
        for target in targets:
            stretch = _stretch(target)
            goals.append((self._arrays[target.array.name], self._asked(stretch.start), stretch.extent))
        evaluate = self._evaluate[call.function]

        def done() -> None:
            results = evaluate([take() for take in given])
            for (entries, start, extent), found in zip(goals, results, strict=True):
                first = start()
                entries[first : first + extent] = found

        return done

    def _taken(self, node: Expression) -> Callable[[], Sequence[Any]]:
        """What a step is given."""
        if isinstance(node, Variable):
            values = [self.variables[node.identifier]]
            return lambda: values
        if not isinstance(node, Place):
            _unknown(node)
        if node.array.name in self._tables:
            return self._asked(node)
        name, stretch = node.array.name, _stretch(node)
        start = self._asked(stretch.start)

        def taken() -> Sequence[Any]:
            first = start()
            return self._read(name, first, first + stretch.extent)

        return taken

    def _for_pairs(self, body: Sequence[Statement]) -> Action:
        """What is done for a pair of items; abreast, where its call reads and where its result goes is kept."""
        if not self._abreast:
            return self._block(body)
        (invoked,) = (node for node in body if isinstance(node, Invoke))
        if not all(isinstance(each, Place) for each in invoked.call.arguments) or not is_whole(invoked.targets[0]):
            _unknown(invoked)
        stores = [node.target for node in body if isinstance(node, Store)]
        inputs = [(each.array.name, _stretch(each)) for each in invoked.call.arguments if isinstance(each, Place)]
        goals = [(each.array.name, _stretch(each)) for each in stores]
        pairs = _Pairs(invoked.call.function, inputs, goals)
        self._pairs.append(pairs)
        places = ", ".join(self._text(stretch.start) for _, stretch in (*inputs, *goals))
        starts = self._compiled(f"({places},)")
        others = [node for node in body if not isinstance(node, (Invoke, Store))]
        # Names for rows come first; what comes next is decided last.
        looks, after = (
            self._block(node for node in others if isinstance(node, Look) is looks_up) for looks_up in (True, False)
        )

        def done() -> None:
            looks()
            pairs.starts.append(starts())
            after()

        return done

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _compiled(self, text: str) -> Callable[[], Any]:
        """What a text of Python comes to when it is asked."""
        found: Callable[[], Any] = eval(f"lambda: {text}", {"tables": self._tables, "integers": self._integers})
        return found

    def _asked(self, node: Expression) -> Callable[[], Any]:
        """A whole number, a condition on such, or a row of a table."""
        return self._compiled(self._text(node))

    def _text(self, node: Expression) -> str:
        """A whole number, a condition on such, or a row of a table, in Python."""
        match node:
            case Constant(value):
                return str(int(value))
            case Variable(name):
                return f"integers[{name!r}]"
            case Sum(((False, first), (is_negative, second))):
                return f"({self._text(first)} {'-' if is_negative else '+'} {self._text(second)})"
            case Operation(operator, (first, second)) if operator in COMPARED:
                return f"({self._text(first)} {operator} {self._text(second)})"
            case Place() if node.array.name in self._tables or node.array.kind == "int":
                indices = (f"[{self._text(index)}]" for index in node.indices if not isinstance(index, Span))
                return "".join((f"tables[{node.array.name!r}]", *indices))
        _unknown(node)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Entries of an array: where the first stands, how far they reach, and how far they are apart."""

    start: Expression
    extent: int
    step: int


def _stretch(place: Place) -> _Stretch:
    (span,) = place.spans
    count = length(span)
    if count is None:
        _unknown(place)
    return _Stretch(span.start, count * span.step, span.step)


@dataclass(slots=True)
class _Pairs:
    """Calls of a step for pairs of items, until all are known.

    Attributes:
        step: that is called.
        inputs, goals: where it reads and where its result goes, but for where that begins.
        starts: where that begins, call by call.
    """

    step: str
    inputs: Sequence[tuple[str, _Stretch]]
    goals: Sequence[tuple[str, _Stretch]]
    starts: list[tuple[int, ...]] = field(default_factory=list)

    def evaluate(self, known: Evaluate, arrays: Mapping[str, list[Any]]) -> None:
        """The results of all calls."""
        if not self.starts:
            return
        from mbsym.proof.side_by_side import at_each, side_by_side

        count, columns = len(self.starts), list(zip(*self.starts, strict=True))
        taken = []
        for (array, stretch), column in zip(self.inputs, columns, strict=False):
            # An item has many pairs.
            places = {start: number for number, start in enumerate(dict.fromkeys(column))}
            blocks = [written(arrays[array][start : start + stretch.extent], array) for start in places]
            taken.append(side_by_side(blocks, [places[start] for start in column]))
        (entries,) = known(taken)
        found = [*zip(*(at_each(entry, count) for entry in entries), strict=True)]
        for (array, stretch), column in zip(self.goals, columns[len(self.inputs) :], strict=True):
            results = arrays[array]
            for start, result in zip(column, found, strict=True):
                results[start : start + stretch.extent : stretch.step] = result


def at_a_point(steps: Steps, field: Field) -> dict[str, list[Any]]:
    """The results of a function over a field.

    Raises:
        SymbolicError: a step has a function, or an angle, that is not known there.
    """

    def known(step: LoweredStep) -> Evaluate:
        paired = zip(step.arguments, step.identifiers, strict=True)
        given = [(identifier, bool(item.shape)) for item, identifier in paired if item.direction == "in"]
        function = residues_of(step.body, given, tuple(steps.variables))

        def evaluate(inputs: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
            try:
                return function(field.circle, steps.variables, *inputs)
            except KeyError:
                raise SymbolicError("an angle of a step is no coordinate") from None

        return evaluate

    return steps.results(known, abreast=True)


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


def _in_turn(actions: Sequence[Action]) -> Action:
    def done() -> None:
        for action in actions:
            action()

    return done


def _given(names: dict[str, Any], name: str, value: Callable[[], Any]) -> Action:
    return lambda: names.__setitem__(name, value())


def _unknown(node: object) -> NoReturn:
    """Refuses what would be followed in another way than it is printed."""
    raise SymbolicError(
        f"{type(node).__name__} cannot be followed here", remedy="this is a defect of mbsym, please report it"
    )
