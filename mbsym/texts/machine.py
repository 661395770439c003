"""Follows functions of a text over any numbers: floats, residues of a field, numbers of many digits.

Numbers are whatever has Python's operators; a literal becomes one by a function that is given, and functions of the
library (sin, sqrt, ...) are given too. Arrays are shared as the text shares them. Whole numbers of the text are whole
numbers of Python, so that indices and loops run as they stand.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from mbsym.errors import TextError
from mbsym.texts.representation import (
    Call,
    Do,
    Entry,
    Expression,
    Field,
    For,
    From,
    Function,
    If,
    Kind,
    Leave,
    Let,
    Listed,
    Name,
    Number,
    Operation,
    Return,
    Statement,
    Store,
    Text,
    While,
    has_loops,
    is_sign,
)
from mbsym.texts.several import Several

MOST_TURNS: Final = 1_000_000
"""Of a loop whose end does not come."""


@dataclass(slots=True)
class View:
    """An array from an entry on; several share their cells."""

    cells: list[Any]
    start: int = 0

    def read(self, index: int) -> Any:
        """An entry.

        Raises:
            TextError: it is outside of the array, or nothing was written there.
        """
        place = self.start + index
        if not 0 <= place < len(self.cells):
            raise TextError(f"entry {index} is outside of an array")
        found = self.cells[place]
        if found is None:
            raise TextError(f"entry {index} is read before it is written")
        return found

    def write(self, index: int, value: Any) -> None:
        """Sets an entry.

        Raises:
            TextError: it is outside of the array.
        """
        place = self.start + index
        if not 0 <= place < len(self.cells):
            raise TextError(f"entry {index} is outside of an array")
        self.cells[place] = value


class Lanes(tuple[Any, ...]):
    """Numbers side by side in a vector; operations go lane by lane."""

    __slots__ = ()


def lane_by_lane(of: Callable[..., Any], *given: Any) -> Any:
    """A function of numbers, of which some may stand side by side."""
    width = max((len(each) for each in given if isinstance(each, Lanes)), default=0)
    if not width:
        return of(*given)
    return Lanes(map(of, *(each if isinstance(each, Lanes) else (each,) * width for each in given)))


Chosen: TypeAlias = Callable[[Any, Callable[[], Any], Callable[[], Any]], Any]
"""What stands for both sides of a choice by the sign of a number."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Numbers that a text is followed over.

    Attributes:
        literal: the number of a literal with a point, or of a whole number that becomes one.
        library: functions of the library by the names of C in double precision.
        given: functions of the text that are not followed: each takes the machine's arguments.
        names: numbers of the library's names, such as ``NAN``.
        chosen: what stands for both sides of a choice, where both are followed; in functions without loops, whose
            choices are laws.
    """

    literal: Callable[[Number], Any]
    library: Mapping[str, Callable[..., Any]]
    given: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    chosen: Chosen | None = None


class _ReturnedError(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _LeftError(Exception):
    """A loop, or one turn of it, is left."""

    def __init__(self, word: str) -> None:
        self.word = word


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return a // b if (a >= 0) == (b > 0) else -(-a // b)
    return a / b


_ORDERED: Final = (">", ">=", "<", "<=")
_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


class Machine:
    """Follows one text."""

    def __init__(self, text: Text, arithmetic: Arithmetic) -> None:
        self.text, self.arithmetic, self.line = text, arithmetic, 0
        self._chosen: Chosen | None = None
        self._loops: dict[int, bool] = {}
        self._constants: dict[str, Any] = {"true": True, "false": False, **arithmetic.names}
        self._whole: dict[int, Any] = {}
        self._values: dict[type, Callable[[Any, dict[str, Any]], Any]] = {
            Number: lambda node, here: self._number(node),
            Name: lambda node, here: self._named(node.name, here),
            Entry: self._entry,
            From: self._from,
            Field: lambda node, here: self._part(self.value(node.record, here), node.name),
            Operation: self._operation,
            Call: self._call,
            Listed: lambda node, here: [self.value(each, here) for each in node.entries],
        }
        self._steps: dict[type, Callable[[Any, dict[str, Any]], None]] = {
            Let: self._let,
            Store: self._store,
            Do: lambda step, here: self.value(step.expression, here),
            For: self._for,
            While: self._while,
            If: lambda step, here: self._run(
                step.body if self.holds(self.value(step.condition, here)) else step.otherwise, here
            ),
            Return: self._return,
            Leave: self._leave,
        }

    # ---- functions ---------------------------------------------------------------------------------------------------

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        """What a function of the text returns; arrays among the arguments are views, which it may fill.

        Raises:
            TextError: the text has no such function, or does what no emitted text does; it says in which line.
        """
        function = self.text.functions.get(name)
        if function is None:
            raise TextError("the text has no such function", where=name)
        if len(arguments) != len(function.arguments):
            raise TextError(f"it takes {len(function.arguments)} arguments, not {len(arguments)}", where=name)
        here = {
            item.name: self._taken(item.kind, value) for item, value in zip(function.arguments, arguments, strict=True)
        }
        before = self._chosen
        if id(function) not in self._loops:
            self._loops[id(function)] = has_loops(function.body)
        self._chosen = None if self._loops[id(function)] else self.arithmetic.chosen
        try:
            self._run(function.body, here, function)
        except _ReturnedError as returned:
            return self._as(function.returns, returned.value)
        finally:
            self._chosen = before
        return None

    def _run(self, body: Sequence[Statement], here: dict[str, Any], function: Function | None = None) -> None:
        for step in body:
            self.line = step.line or self.line
            try:
                self._steps[step.__class__](step, here)
            except TextError as error:
                if function is None or error.where:
                    raise
                raise TextError(error.what, where=f"{function.name}, line {step.line}") from None

    # ---- statements --------------------------------------------------------------------------------------------------

    def _let(self, step: Let, here: dict[str, Any]) -> None:
        value = None if step.value is None else self.value(step.value, here)
        here[step.name] = self._made(step.kind, value, here)

    def _made(self, kind: Kind, value: Any, here: dict[str, Any]) -> Any:
        """A variable of a kind: an array, a record, or the value as what the kind holds."""
        if kind.shape:
            inner = Kind(kind.base, kind.shape[1:], len(kind.shape) > 1, kind.is_constant)
            size = len(value) if kind.shape[0] is None else int(self.value(kind.shape[0], here))
            given = [*(value or ()), *[None] * (size - len(value or ()))]
            if inner.shape or kind.base in self.text.records:
                return View([self._made(inner, each, here) for each in given])
            # An initialiser fills what it does not name with zeros.
            rest = None if value is None else 0
            return View([self._as(inner, rest if each is None else each) for each in given])
        if kind.base in self.text.records and not kind.is_array and value is None:
            return {item.name: self._made(item.kind, None, here) for item in self.text.records[kind.base].fields}
        return value if kind.is_array else self._as(kind, value)

    def _as(self, kind: Kind, value: Any) -> Any:
        """A value as its kind holds it: whole numbers become real ones, lists vectors."""
        if kind.is_array or value is None:
            return value
        if isinstance(value, list) and self.text.types.get(kind.base, "").startswith("vector"):
            return Lanes(self._real(each) for each in value)
        if kind.base == "real":
            (value,) = value if isinstance(value, list) else (value,)
            return self._real(value)
        return value

    def _taken(self, kind: Kind, value: Any) -> Any:
        """An argument: whole numbers become real ones where those are taken."""
        return self._real(value) if value.__class__ is int and kind.base == "real" and not kind.is_array else value

    def _real(self, value: Any) -> Any:
        if value.__class__ is int:
            if value not in self._whole:
                self._whole[value] = self.arithmetic.literal(Number(Fraction(value), str(value)))
            return self._whole[value]
        return value

    def _store(self, step: Store, here: dict[str, Any]) -> None:
        value = self.value(step.value, here)
        if step.operator:
            value = self._both(step.operator, self.value(step.target, here), value)
        self._put(step.target, value, here)

    def _put(self, target: Expression, value: Any, here: dict[str, Any]) -> None:
        if isinstance(target, Name):
            here[target.name] = value
        elif isinstance(target, Entry):
            array, index = self.value(target.array, here), self._index(target.index, here)
            if not isinstance(array, View):
                raise TextError("something is stored in what is no array")
            before = array.cells[array.start + index] if 0 <= array.start + index < len(array.cells) else None
            array.write(index, self._real(value) if before is not None and before.__class__ is not int else value)
        elif isinstance(target, From):
            array, items, places = self.value(target.array, here), _items(value), self._places(target, here)
            if len(items) != len(places):
                raise TextError(f"{len(items)} values are stored in a slice of {len(places)}")
            for index, item in zip(places, items, strict=True):
                array.write(index, item)
        elif isinstance(target, Field):
            self.value(target.record, here)[target.name] = value
        elif isinstance(target, Listed):
            items = _items(value)
            if len(items) != len(target.entries):
                raise TextError(f"{len(target.entries)} names take {len(items)} values")
            for each, item in zip(target.entries, items, strict=True):
                self._put(each, item, here)
        else:
            raise TextError("something is stored in what is no place")

    def _for(self, step: For, here: dict[str, Any]) -> None:
        here[step.variable] = self.value(step.start, here)
        while self.holds(self.value(step.condition, here)):
            if self._turn(step.body, here):
                return
            here[step.variable] = self._both("+", here[step.variable], self.value(step.step, here))

    def _while(self, step: While, here: dict[str, Any]) -> None:
        for _ in range(MOST_TURNS):
            if not self.holds(self.value(step.condition, here)) or self._turn(step.body, here):
                return
        raise TextError("a loop does not end")

    def _turn(self, body: Sequence[Statement], here: dict[str, Any]) -> bool:
        """Whether a turn of a loop leaves it."""
        try:
            self._run(body, here)
        except _LeftError as left:
            return left.word == "break"
        return False

    def _return(self, step: Return, here: dict[str, Any]) -> None:
        raise _ReturnedError(None if step.value is None else self.value(step.value, here))

    def _leave(self, step: Leave, here: dict[str, Any]) -> None:
        raise _LeftError(step.word)

    # ---- expressions -------------------------------------------------------------------------------------------------

    def value(self, node: Expression, here: dict[str, Any]) -> Any:
        """What an expression amounts to, with these variables."""
        return self._values[node.__class__](node, here)

    def holds(self, value: Any) -> bool:
        """Whether a condition holds."""
        return bool(value)

    def _number(self, node: Number) -> Any:
        return node.value.numerator if node.is_integer else self.arithmetic.literal(node)

    def _named(self, name: str, here: dict[str, Any]) -> Any:
        if name in here:
            found = here[name]
            if found is None:
                raise TextError(f"{name} is read before it is written")
            return found
        if name not in self._constants:
            if name not in self.text.constants:
                raise TextError(f"{name} is no name of the text")
            self._constants[name] = _table(self.value(self.text.constants[name], {}))
        return self._constants[name]

    def _index(self, node: Expression, here: dict[str, Any]) -> int:
        return self._whole_one(self.value(node, here))

    def _whole_one(self, index: Any) -> int:
        if index.__class__ is not int:
            raise TextError("an index is no whole number")
        return int(index)

    def _entry(self, node: Entry, here: dict[str, Any]) -> Any:
        array, place = self.value(node.array, here), self.value(node.index, here)
        if isinstance(place, Several) and isinstance(array, View):
            return place.read(array.read)
        index = self._whole_one(place)
        if isinstance(array, View):
            return array.read(index)
        if isinstance(array, (Lanes, list)) and -len(array) <= index < len(array):
            return array[index]
        raise TextError("an entry of what is no array, or outside of it")

    def _from(self, node: From, here: dict[str, Any]) -> Any:
        array, start = self.value(node.array, here), self._index(node.start, here)
        if isinstance(array, list):
            array = View(array)
        if not isinstance(array, View):
            raise TextError("a part of what is no array")
        if not 0 <= array.start + start <= len(array.cells):
            raise TextError("a part outside of its array")
        if node.stop is None:
            return View(array.cells, array.start + start)
        # A slice of Python is a copy.
        return View([array.read(place) for place in self._places(node, here)])

    def _places(self, node: From, here: dict[str, Any]) -> range:
        """Indices of a slice."""
        if node.stop is None:
            raise TextError("something is stored in a pointer")
        step = 1 if node.step is None else self._index(node.step, here)
        return range(self._index(node.start, here), self._index(node.stop, here), step)

    def _part(self, record: Any, name: str) -> Any:
        if not isinstance(record, dict) or record.get(name) is None:
            raise TextError(f"{name} is no field, or read before it is written")
        return record[name]

    def _operation(self, node: Operation, here: dict[str, Any]) -> Any:
        name, operands = node.operator, node.operands
        if name == "choice":
            return self._choice(node, here)
        if name in ("and", "or"):
            first = self.holds(self.value(operands[0], here))
            return first if first == (name == "or") else self.holds(self.value(operands[1], here))
        if name == "not":
            return not self.holds(self.value(operands[0], here))
        if name == "negative":
            value = self.value(operands[0], here)
            return Lanes(-each for each in value) if isinstance(value, Lanes) else -value
        if name not in _BINARY:
            raise TextError(f"the operator {name} is not followed")
        return self._both(name, self.value(operands[0], here), self.value(operands[1], here))

    def _choice(self, node: Operation, here: dict[str, Any]) -> Any:
        """One side of a choice, or what stands for both where real numbers are compared and both are followed."""
        test, *sides = node.operands
        if self._chosen is not None and isinstance(test, Operation) and test.operator in _ORDERED:
            first, second = (self.value(each, here) for each in test.operands)
            if not first.__class__ is second.__class__ is int:
                if is_sign(node):
                    return self.arithmetic.library["sign"](first)
                above = self._both("-", *((first, second) if test.operator[0] == ">" else (second, first)))
                return self._chosen(above, *(partial(self._real_value, side, here) for side in sides))
        return self.value(sides[0 if self.holds(self.value(test, here)) else 1], here)

    def _real_value(self, node: Expression, here: dict[str, Any]) -> Any:
        return self._real(self.value(node, here))

    def _both(self, name: str, a: Any, b: Any) -> Any:
        of = _BINARY[name]
        if isinstance(a, Lanes) or isinstance(b, Lanes):
            return lane_by_lane(of, a, b)
        try:
            return of(a, b)
        except TypeError:
            raise TextError(f"{name} of what are no numbers") from None

    def _call(self, node: Call, here: dict[str, Any]) -> Any:
        name = node.function
        if name.startswith("("):
            return self._cast(name, self.value(node.arguments[0], here))
        arguments = [self.value(each, here) for each in node.arguments]
        if name == "&":
            return arguments[0] if isinstance(arguments[0], (dict, View)) else View([arguments[0]])
        if name in self.arithmetic.given:
            return self.arithmetic.given[name](*arguments)
        if name in self.text.functions:
            return self.call(name, [View(each) if each.__class__ is list else each for each in arguments])
        function = self.arithmetic.library.get(name) or self.arithmetic.library.get(name.removesuffix("f"))
        if function is None:
            raise TextError(f"{name} is no function that is known")
        return lane_by_lane(function, *map(self._real, arguments))

    def _cast(self, name: str, value: Any) -> Any:
        if name.endswith("*)") and isinstance(value, View):
            return value
        words = name[1:-1]
        kind = self.text.types.get(words, "int" if words in ("int", "size_t", "ptrdiff_t") else words)
        if kind.startswith("vector") and isinstance(value, list):
            width = int(kind.rpartition(" ")[2])
            return Lanes(self._real(each) for each in [*value, *[0] * (width - len(value))])
        if kind == "real":
            return self._real(value[0] if isinstance(value, list) else value)
        if kind == "int":
            return value if isinstance(value, Several) else int(value)
        raise TextError(f"the cast {name} is not followed")


def _items(value: Any) -> list[Any]:
    """What is going to be stored, each entry of it, before anything is."""
    if isinstance(value, View):
        return value.cells[value.start :]
    if isinstance(value, list):
        return value
    raise TextError("several places take what is no list")


def _table(value: Any) -> Any:
    return View([_table(each) for each in value]) if isinstance(value, list) else value
