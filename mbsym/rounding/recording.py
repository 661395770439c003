"""A function of a C text followed with real numbers unknown: what it computes goes onto a tape, what counts is counted.

What depends on a comparison of computed numbers has no one list of operations, and is refused with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, prod
from typing import Any, Final

from mbsym.errors import TextError
from mbsym.rounding.tape import Kind, Step, Tape
from mbsym.texts.c_expressions import integer
from mbsym.texts.machine import Arithmetic, Lanes, Machine, View
from mbsym.texts.representation import Argument, Function, Number, Text

LIBRARY: Final[Mapping[str, Kind]] = {"sin": "sin", "cos": "cos", "sqrt": "sqrt", "fabs": "abs"}
"""Functions of math.h that are bounded."""

SINES: Final = "_sincos"
"""Ends the name of the function that brings sines and cosines: the number of angles, these in vectors, results."""

MOST_STEPS: Final = 100_000


def record(text: Text, name: str, *, single: bool = False) -> Tape:
    """The tape of a function of a C text.

    Args:
        text: as it was read back.
        name: of the function in the text.
        single: its numbers are float, not double.

    Raises:
        TextError: what it computes is no one list of operations; it says in which line.
    """
    recorder = _Recorder(text, single)
    try:
        return recorder.run(text.functions[name])
    except TextError as error:
        raise TextError(error.what, where=f"line {recorder.line}") from None


@dataclass(frozen=True, slots=True)
class _Real:
    """A computed number: its place on the tape, to which what is done with it is added."""

    place: int
    recorder: _Recorder

    def __add__(self, other: object) -> _Real:
        return self.recorder.step("+", self, other)

    def __radd__(self, other: object) -> _Real:
        return self.recorder.step("+", other, self)

    def __sub__(self, other: object) -> _Real:
        return self.recorder.step("-", self, other)

    def __rsub__(self, other: object) -> _Real:
        return self.recorder.step("-", other, self)

    def __mul__(self, other: object) -> _Real:
        return self.recorder.step("*", self, other)

    def __rmul__(self, other: object) -> _Real:
        return self.recorder.step("*", other, self)

    def __truediv__(self, other: object) -> _Real:
        return self.recorder.step("/", self, other)

    def __rtruediv__(self, other: object) -> _Real:
        return self.recorder.step("/", other, self)

    def __neg__(self) -> _Real:
        known = self.recorder.steps[self.place]
        # The constant with its sign is a constant.
        return (
            self.recorder.constant(-known.value) if known.kind == "constant" else self.recorder.step("negative", self)
        )

    def _decides(self, other: object) -> bool:
        raise TextError("a comparison of computed numbers decides what is done")

    __lt__ = __le__ = __gt__ = __ge__ = _decides
    __eq__ = __ne__ = _decides
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TextError("a computed number decides what is done")


class _Recorder:
    def __init__(self, text: Text, single: bool) -> None:
        self.text, self.single = text, single
        self.steps: list[Step] = []
        self.inputs: list[str] = []
        library: dict[str, Callable[..., Any]] = {
            name: (lambda x, kind=kind: self.step(kind, x)) for name, kind in LIBRARY.items()
        }
        given = {name: self._sines for name in text.functions if name.endswith(SINES)}
        self.machine = Machine(text, Arithmetic(self._literal, library, given, {"HUGE_VAL": inf}))

    @property
    def line(self) -> int:
        """That the machine is at, or was at last; the first one before it begins."""
        return self.machine.line or 1

    def run(self, function: Function) -> Tape:
        """The tape of a function."""
        arguments = [self._argument(argument) for argument in function.arguments]
        self.machine.call(function.name, arguments)
        results = {
            item.name: array
            for item, array in zip(function.arguments, arguments, strict=True)
            if isinstance(array, View) and not item.kind.is_constant
        }
        self.machine.line = function.line
        outputs = {
            f"{name}[{k}]": self._real(array.read(k)).place
            for name, array in results.items()
            for k in range(len(array.cells))
        }
        return Tape(tuple(self.steps), tuple(self.inputs), outputs)

    def step(self, kind: Kind, *operands: object) -> _Real:
        """The number that an operation of numbers makes."""
        return self._appended(Step(kind, tuple(self._real(each).place for each in operands), line=self.line))

    def constant(self, value: Fraction) -> _Real:
        """A constant."""
        return self._appended(Step("constant", value=value, line=self.line))

    def _appended(self, step: Step) -> _Real:
        if len(self.steps) >= MOST_STEPS:
            raise TextError(f"more than {MOST_STEPS} operations")
        self.steps.append(step)
        return _Real(len(self.steps) - 1, self)

    def _real(self, value: object) -> _Real:
        if isinstance(value, _Real):
            return value
        if isinstance(value, int):
            return self.constant(Fraction(value))
        raise TextError("what is no number is computed with")

    def _literal(self, number: Number) -> _Real:
        if not number.text.lstrip("-").isdigit() and self.single != number.text.lower().endswith("f"):
            raise TextError(f"{number.text} is of another type than the text's numbers")
        return self.constant(number.value)

    def _argument(self, argument: Argument) -> Any:
        kind = argument.kind
        if kind.base in self.text.records:
            fields = self.text.records[kind.base].fields
            if any(each.kind.base != "real" or each.kind.is_array for each in fields):
                raise TextError(f"{argument.name} holds more than numbers")
            return {each.name: self._input(f"parameters.{each.name}") for each in fields}
        if kind.base != "real" or (kind.is_array and (not kind.shape or None in kind.shape)):
            raise TextError(f"{argument.name} is no array of numbers of a size that is known")
        if not kind.is_array:
            return self._input(argument.name)
        size = prod(integer(each) for each in kind.shape if each is not None)
        if not kind.is_constant:
            return View([None] * size)
        return View([self._input(f"{argument.name}[{k}]") for k in range(size)])

    def _input(self, name: str) -> _Real:
        self.inputs.append(name)
        return self.step("input")

    def _sines(self, count: int, angles: View, sines: View, cosines: View) -> None:
        """What the function for the sines of all angles does, lane by lane."""
        lanes = [lane for each in angles.cells for lane in (each if isinstance(each, Lanes) else (each,))]
        for place, angle in enumerate(lanes[:count]):
            sines.write(place, self.step("sin", angle))
            cosines.write(place, self.step("cos", angle))
