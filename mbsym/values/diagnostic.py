"""Findings about a model: what is wrong, at which entry, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

from mbsym.errors import MbsymError, SymbolicError
from mbsym.symbolic.given_functions import Definition
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, Symbols
from mbsym.values.frame_quantities import value_quantities
from mbsym.values.numbers import decimal_number, evaluate, size_fault, to_scalar
from mbsym.values.parameter import Value
from mbsym.values.sums import Dimension, mixed_sum

Severity: TypeAlias = Literal["error", "warning"]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a model.

    Attributes:
        severity: an error makes the model no mechanism, a warning leaves it usable.
        path: the entry, as attribute names and positions: ("bodies", 3, "mass").
        what: what is wrong, one sentence without a full stop.
        remedy: what to do about it.
        column: where in the text of an expression, counted from 1.
    """

    severity: Severity
    path: Path
    what: str
    remedy: str = ""
    column: int = 1

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{path_text(self.path)}: {self.what}{remedy}"


def path_text(path: Path) -> str:
    """A path as a user of the Python classes writes it: ``bodies[3].mass``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "model"


@dataclass(slots=True)
class Findings:
    """A list of diagnostics in the making, and the numbers that names stand for.

    Attributes:
        numbers: the value of each parameter.
        variables: what other names are that may stand in expressions of what moves: "coordinate", "speed", ...
        dimensions: of names whose unit is stated and known.
        outputs: names of the outputs, which may not.
        definitions: functions that may, besides the elementary ones.
        frame_fault: what is wrong with the name of a frame in these, and advice; None where nothing is.
    """

    numbers: dict[str, float] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, Dimension] = field(default_factory=dict)
    outputs: frozenset[str] = frozenset()
    definitions: dict[str, Definition] = field(default_factory=dict)
    frame_fault: Callable[[str], tuple[str, str] | None] = lambda name: None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether an error is among the findings."""
        return any(item.severity == "error" for item in self.diagnostics)

    def error(self, path: Path, what: str, remedy: str = "") -> None:
        """Notes an error."""
        self.diagnostics.append(Diagnostic("error", path, what, remedy))

    def warning(self, path: Path, what: str, remedy: str = "") -> None:
        """Notes a warning."""
        self.diagnostics.append(Diagnostic("warning", path, what, remedy))

    def refuse(self, path: Path, error: MbsymError) -> None:
        """Notes what the reader of expressions refused."""
        place = re.fullmatch(r"column (\d+)", error.where)
        column = int(place.group(1)) if place else 1
        remedy = error.remedy or "use numbers, names, + - * / ** and functions"
        if error.what.removeprefix("unknown function ") in self.definitions:
            remedy = "expressions of forces and outputs may call tables; this needs parameters and numbers"
        if error.what.removeprefix("unknown name ") in self.outputs:
            remedy = "that is an output, which is told and not taken: write its expression"
        self.diagnostics.append(Diagnostic("error", path, error.what, remedy, column))

    def number(self, value: Value, path: Path) -> float | None:
        """The number of a value of parameters; None, and an error noted, if it has none or none of a sensible size."""
        try:
            number = evaluate(value, self.numbers)
        except MbsymError as error:
            self.refuse(path, error)
            return None
        fault = size_fault(number)
        if fault:
            self.error(path, f"the number {number:g} is {fault}", "check its digits and its unit")
            return None
        self._check_sums(value, path)
        return number

    def numbers_of(self, values: Iterable[Value], path: Path) -> tuple[float, ...] | None:
        """The numbers of several values; None, and an error noted for each that has none, if one has none."""
        found = [self.number(value, (*path, index)) for index, value in enumerate(values)]
        numbers = tuple(number for number in found if number is not None)
        return numbers if len(numbers) == len(found) else None

    def expression(self, value: Value, path: Path) -> Scalar | None:
        """A value that may hold what moves besides parameters: coordinates, speeds, inputs, time, frames.

        Names are symbols of a graph of its own; None, and an error noted, where it is no such value.
        """
        graph = Graph()
        graph.definitions = self.definitions
        try:
            quantities = value_quantities(value)
            for fault in (self.frame_fault(frame) for each in quantities.values() for frame in each.every_frame):
                if fault is not None:
                    raise SymbolicError(fault[0], remedy=fault[1])
            known = {**self.numbers, **dict.fromkeys((*self.variables, *quantities))}
            found = to_scalar(value, graph, Symbols(graph, known))
        except MbsymError as error:
            self.refuse(path, error)
            return None
        self._check_sums(value, path)
        return found

    def _check_sums(self, value: Value, path: Path) -> None:
        """Warns of a sum of two kinds in an expression that could be read."""
        if self.dimensions and isinstance(value, str) and not value.isidentifier() and decimal_number(value) is None:
            mixed = mixed_sum(value, self.dimensions)
            if mixed:
                what = f"in {value} units of two kinds are summed: {mixed}"
                self.warning(
                    path, what, "check it, and the units that are stated; a gain may be a parameter with a unit"
                )


def one(word: str) -> str:
    """The word with its article."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def nearest(name: str, known: Iterable[str] | Mapping[str, Any], otherwise: str = "") -> str:
    """Advice for a name that is not among those known: the one that is near, else the words given or all of them."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    if otherwise:
        return otherwise
    if not names:
        return "there are none yet"
    return f"use one of {', '.join(names[:12])}" + (", ..." if len(names) > 12 else "")
