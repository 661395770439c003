"""The exact numbers that literals of emitted texts stand for: what the model's own derivation rounded to them.

They are witnesses, trusted no further than that they round to what is printed: with a wrong one a proof fails.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from mbsym.codegen.expressions import Constant
from mbsym.exact.tables import numbers_of
from mbsym.texts.representation import Number, Text
from mbsym.values.table import Table
from mbsym.verification.anew import Anew


class Witnesses:
    """The exact numbers of literals: what the derivation rounded to them, else the decimals that stand there.

    Where several numbers of a module round to one, each but the shortest gets a double of its own, with which the
    module is written once more: each place of a text has its number, where the text is as it is written but for them.
    """

    def __init__(self, anew: Anew, tables: Iterable[Table] = ()) -> None:
        self.rounded = np.float32 if anew.single else np.float64
        by_double: dict[float, set[Fraction]] = {}
        for number in (*_constants(anew.module.functions, set()), *chain.from_iterable(map(numbers_of, tables))):
            by_double.setdefault(self.double(number), set()).add(abs(number))
        self.known: dict[tuple[int, int], Any] = {}
        self.exact: dict[float, Fraction] = {}
        self.marks: dict[Fraction, Fraction] = {}
        for double, numbers in by_double.items():
            self.exact[double], *others = sorted(numbers, key=lambda number: number.denominator)
            for other in others:
                mark = double
                while mark in by_double or mark in self.exact:
                    mark = float(np.nextafter(self.rounded(mark), self.rounded(np.inf)))
                self.exact[mark], self.marks[other] = other, Fraction(mark)
        self.of_marks = frozenset(self.marks)
        self.functions = self._marked(anew.module.functions, {}) if self.marks else anew.module.functions

    def double(self, number: Fraction) -> float:
        """What a literal is as a number of the text's precision."""
        return float(self.rounded(float(abs(number))))

    def __call__(self, literal: Number) -> Fraction:
        """The number of a literal."""
        if literal.value in self.of_marks:
            return literal.value
        return self.exact.get(self.double(literal.value), literal.value)

    def _marked(self, value: Any, known: dict[int, Any]) -> Any:
        """A tree of records with marks in place of numbers; of what is shared the copies are shared too."""
        if isinstance(value, Fraction):
            mark = self.marks.get(abs(value))
            return value if mark is None else mark if value > 0 else -mark
        if isinstance(value, (bool, int, float, str)):
            return value
        if id(value) not in known:
            known[id(value)] = _rebuilt(lambda part: self._marked(part, known), value)
        return known[id(value)]

    def placed(self, text: Text, written: Text) -> Text:
        """A text with the numbers that stand in the same places of what was written with marks."""
        found = {}
        for part in ("functions", "constants"):
            own, other = getattr(text, part), getattr(written, part)
            found[part] = {name: self._once(each, other.get(name)) for name, each in own.items()}
        return replace(text, **found)

    def _once(self, own: Any, written: Any) -> Any:
        """What is the same in several texts is placed once."""
        key = id(own), id(written)
        if key not in self.known:
            self.known[key] = own if own == written else self._placed(own, written), own, written
        return self.known[key][0]

    def _placed(self, own: Any, written: Any) -> Any:
        if own.__class__ is Number and written.__class__ is Number:
            number = self.exact.get(self.double(written.value))
            if number is None or number not in self.of_marks or self.double(number) != self.double(own.value):
                return own
            return Number(number, own.text)
        if own.__class__ is not written.__class__ or (own.__class__ is tuple and len(own) != len(written)):
            return own
        return _rebuilt(self._placed, own, written)


def _rebuilt(of: Callable[..., Any], value: Any, *beside: Any) -> Any:
    """A record or a collection of what its parts become, each with the same part of others; itself where all stay."""
    if isinstance(value, dict):
        return {key: of(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        made = value.__class__(map(of, value, *beside))
        return value if all(map(operator.is_, made, value)) else made
    if not hasattr(value, "__dataclass_fields__") or isinstance(value, type):
        return value
    changed = {}
    for name, item in value.__dataclass_fields__.items():
        part = getattr(value, name)
        new = of(part, *(getattr(other, name) for other in beside))
        if item.init and new is not part:
            changed[name] = new
    return replace(value, **changed) if changed else value


def _constants(value: Any, seen: set[int]) -> Iterator[Fraction]:
    """All rational numbers in a tree of records."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Constant):
        if not isinstance(value.value, bool):
            yield Fraction(value.value)
    elif isinstance(value, Fraction):
        yield value
    elif isinstance(value, Mapping):
        yield from _constants(tuple(value.values()), seen)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _constants(each, seen)
    elif is_dataclass(value):
        for item in fields(value):
            yield from _constants(getattr(value, item.name), seen)
