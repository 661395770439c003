"""A function of a C text run with real numbers unknown: what it computes goes onto a tape, what counts is counted.

Loops whose bounds are whole numbers are followed, functions of the same text are entered. What depends on a comparison
of computed numbers has no one list of operations, and is refused with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any, Final, TypeAlias

from mbsym.errors import TextError
from mbsym.rounding.tape import Kind, Step, Tape
from mbsym.texts.representation import (
    Argument,
    Call,
    Do,
    Entry,
    Expression,
    Field,
    For,
    From,
    Function,
    If,
    Let,
    Listed,
    Name,
    Number,
    Return,
    Statement,
    Store,
    Text,
    While,
)

_OF_LIBRARY: Final[Mapping[str, Kind]] = {"sin": "sin", "cos": "cos", "sqrt": "sqrt", "fabs": "abs"}

LIBRARY: Final = {f"{name}{suffix}": kind for name, kind in _OF_LIBRARY.items() for suffix in ("", "f")}
"""Functions of math.h that are bounded."""

SINES: Final = "_sincos"
"""Ends the name of the function that brings the sines and cosines of all angles: vectors, angles, sines, cosines."""

MOST_STEPS: Final = 100_000

_WHOLE: Final[Mapping[str, Callable[..., int]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: int(Fraction(a, b)),
    "%": lambda a, b: a - b * int(Fraction(a, b)),
    "negative": lambda a: -a,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "not": lambda a: not a,
}


@dataclass(frozen=True, slots=True)
class _Real:
    """A computed number: its place on the tape."""

    place: int


@dataclass(frozen=True, slots=True)
class _Array:
    """Entries from one on, shared with whoever has them; None where nothing was stored yet."""

    entries: list[Any]
    start: int = 0


@dataclass(frozen=True, slots=True)
class _Left:
    """What a function returns."""

    value: Any


_Value: TypeAlias = "int | _Real | _Array | dict[str, Any] | None"


def record(text: Text, name: str, *, single: bool = False) -> Tape:
    """The tape of a function of a C text.

    Args:
        text: as it was read back.
        name: of the function in the text.
        single: its numbers are float, not double.

    Raises:
        TextError: what it computes is no one list of operations; it says in which line.
    """
    return _Recorder(text, single).run(text.functions[name])


@dataclass(slots=True)
class _Recorder:
    text: Text
    single: bool
    steps: list[Step] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    line: int = 0
    constants: dict[str, Any] = field(default_factory=dict)

    def run(self, function: Function) -> Tape:
        names: dict[str, Any] = {}
        results: dict[str, _Array] = {}
        for argument in function.arguments:
            names[argument.name] = self._argument(argument)
            if not argument.kind.is_constant and argument.kind.is_array:
                results[argument.name] = names[argument.name]
        self._inside(function, names)
        outputs = {
            f"{name}[{k}]": self._real(entry).place
            for name, array in results.items()
            for k, entry in enumerate(array.entries)
        }
        return Tape(tuple(self.steps), tuple(self.inputs), outputs)

    def _argument(self, argument: Argument) -> _Value:
        kind = argument.kind
        if kind.base in self.text.records:
            fields = self.text.records[kind.base].fields
            if any(each.kind.base != "real" or each.kind.is_array for each in fields):
                raise self._refused(f"{argument.name} holds more than numbers")
            return {each.name: self._input(f"parameters.{each.name}") for each in fields}
        if kind.base != "real" or (kind.is_array and None in kind.shape):
            raise self._refused(f"{argument.name} is no array of numbers of a size that is known")
        if not kind.is_array:
            return self._input(argument.name)
        size = prod(self._whole(each) for each in kind.shape if each is not None) if kind.shape else 1
        if not kind.is_constant:
            return _Array([None] * size)
        return _Array([self._input(f"{argument.name}[{k}]") for k in range(size)])

    def _input(self, name: str) -> _Real:
        self.inputs.append(name)
        return self._step("input")

    def _step(self, kind: Kind, *operands: _Real, value: Fraction = Fraction(0)) -> _Real:
        if len(self.steps) >= MOST_STEPS:
            raise self._refused(f"more than {MOST_STEPS} operations")
        self.steps.append(Step(kind, tuple(each.place for each in operands), value, self.line))
        return _Real(len(self.steps) - 1)

    def _refused(self, what: str) -> TextError:
        return TextError(what, where=f"line {self.line}")

    # ---- statements --------------------------------------------------------------------------------------------------

    def _inside(self, function: Function, names: dict[str, Any]) -> Any:
        """What a function returns; its own names are given."""
        left = self._block(function.body, names)
        return left.value if left else None

    def _block(self, statements: Sequence[Statement], names: dict[str, Any]) -> _Left | None:
        for statement in statements:
            self.line = statement.line or self.line
            left = self._statement(statement, names)
            if left is not None:
                return left
        return None

    def _statement(self, statement: Statement, names: dict[str, Any]) -> _Left | None:
        if isinstance(statement, Let):
            names[statement.name] = self._new(statement, names)
        elif isinstance(statement, Store):
            self._store(statement, names)
        elif isinstance(statement, Do):
            self._value(statement.expression, names)
        elif isinstance(statement, Return):
            return _Left(None if statement.value is None else self._value(statement.value, names))
        elif isinstance(statement, If):
            return self._block(statement.body if self._test(statement.condition, names) else statement.otherwise, names)
        elif isinstance(statement, For):
            names[statement.variable] = self._value(statement.start, names)
            while self._test(statement.condition, names):
                left = self._block(statement.body, names)
                if left is not None:
                    return left
                names[statement.variable] += self._whole(statement.step, names)
        elif isinstance(statement, While):
            raise self._refused("it repeats until a computed number is small enough")
        else:
            raise self._refused("it leaves a loop early")
        return None

    def _new(self, statement: Let, names: dict[str, Any]) -> _Value:
        kind = statement.kind
        if statement.value is not None:
            value = self._value(statement.value, names)
            return self._real(value) if kind.base == "real" and not kind.is_array and isinstance(value, int) else value
        if not kind.is_array:
            return None
        *outer, size = [self._whole(each, names) for each in kind.shape if each is not None]
        array = _Array([None] * size)
        for size in reversed(outer):
            array = _Array([_Array(list(array.entries)) for _ in range(size)])
        return array

    def _store(self, statement: Store, names: dict[str, Any]) -> None:
        value = self._value(statement.value, names)
        target = statement.target
        if statement.operator:
            value = self._operation(statement.operator, (self._value(target, names), value))
        if isinstance(target, Name):
            names[target.name] = value
        elif isinstance(target, Entry):
            array = self._array(target.array, names)
            array.entries[self._place(array, target.index, names)] = value
        elif isinstance(target, Field) and isinstance(record := self._value(target.record, names), dict):
            record[target.name] = value
        else:
            raise self._refused("it stores where nothing is known to be")

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _value(self, found: Expression, names: Mapping[str, Any]) -> Any:
        if isinstance(found, Number):
            return self._number(found)
        if isinstance(found, Name):
            return self._named(found.name, names)
        if isinstance(found, Entry):
            array = self._array(found.array, names)
            return array.entries[self._place(array, found.index, names)]
        if isinstance(found, From):
            array = self._array(found.array, names)
            return _Array(array.entries, array.start + self._whole(found.start, names))
        if isinstance(found, Field):
            record = self._value(found.record, names)
            if not isinstance(record, dict) or found.name not in record:
                raise self._refused(f"nothing is known of {found.name}")
            return record[found.name]
        if isinstance(found, Listed):
            return _Array([self._value(each, names) for each in found.entries])
        if isinstance(found, Call):
            return self._call(found, names)
        if found.operator == "choice":
            test, first, second = found.operands
            return self._value(first if self._test(test, names) else second, names)
        if found.operator == "negative" and isinstance(found.operands[0], Number):
            number = found.operands[0]
            return self._number(Number(-number.value, number.text, number.is_integer))
        return self._operation(found.operator, [self._value(each, names) for each in found.operands])

    def _number(self, number: Number) -> int | _Real:
        if number.is_integer:
            return int(number.value)
        if self.single != number.text.lower().endswith("f"):
            raise self._refused(f"{number.text} is of another type than the text's numbers")
        return self._step("constant", value=number.value)

    def _named(self, name: str, names: Mapping[str, Any]) -> Any:
        if name in names:
            return names[name]
        if name not in self.text.constants:
            raise self._refused(f"{name} is not known")
        if name not in self.constants:
            self.constants[name] = self._value(self.text.constants[name], {})
        return self.constants[name]

    def _operation(self, operator: str, operands: Sequence[Any]) -> Any:
        if all(isinstance(each, int) for each in operands) and operator in _WHOLE:
            return _WHOLE[operator](*operands)
        if operator in ("+", "-", "*", "/", "negative"):
            return self._step(operator, *(self._real(each) for each in operands))  # type: ignore[arg-type]
        raise self._refused(f"{operator!r} of computed numbers decides what is done")

    def _call(self, call: Call, names: Mapping[str, Any]) -> Any:
        given = [self._value(each, names) for each in call.arguments]
        if call.function in LIBRARY:
            return self._step(LIBRARY[call.function], *(self._real(each) for each in given))
        if call.function not in self.text.functions:
            raise self._refused(f"{call.function} has no bound")
        if call.function.endswith(SINES):
            _, angles, sines, cosines = given
            for place, angle in enumerate(angles.entries):
                sines.entries[place] = self._step("sin", self._real(angle))
                cosines.entries[place] = self._step("cos", self._real(angle))
            return None
        function, line = self.text.functions[call.function], self.line
        own = {argument.name: value for argument, value in zip(function.arguments, given, strict=True)}
        value = self._inside(function, own)
        self.line = line
        return value

    def _real(self, value: Any) -> _Real:
        if isinstance(value, _Real):
            return value
        if isinstance(value, int):
            return self._step("constant", value=Fraction(value))
        raise self._refused("what was never stored is used" if value is None else "an array stands for a number")

    def _test(self, condition: Expression, names: Mapping[str, Any]) -> bool:
        value = self._value(condition, names)
        if not isinstance(value, int):
            raise self._refused("a computed number decides what is done")
        return bool(value)

    def _whole(self, found: Expression, names: Mapping[str, Any] | None = None) -> int:
        value = self._value(found, names or {})
        if not isinstance(value, int):
            raise self._refused("a computed number counts")
        return value

    def _array(self, found: Expression, names: Mapping[str, Any]) -> _Array:
        value = self._value(found, names)
        if not isinstance(value, _Array):
            raise self._refused("it is no array")
        return value

    def _place(self, array: _Array, index: Expression, names: Mapping[str, Any]) -> int:
        place = array.start + self._whole(index, names)
        if not 0 <= place < len(array.entries):
            raise self._refused(f"entry {place} of {len(array.entries)}")
        return place
