"""Every function of every text held against its definition at random points of a finite field.

Where numbers were rounded as a text was derived, it differs in the field from what it rounds. Whatever differs there is
compared in real numbers of forty digits: what agrees is said to, and is not called proven.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from mbsym.errors import MbsymError, TextError
from mbsym.exact.arrays import of_arrays
from mbsym.exact.definitions import other_way
from mbsym.exact.degrees import Degrees, UncountedError, of_definition
from mbsym.exact.following import (
    Beside,
    Literal,
    Signature,
    Spoken,
    followed,
    over_both,
    over_degrees,
    over_numbers,
)
from mbsym.exact.functions import Results
from mbsym.exact.loops import ROWS
from mbsym.exact.mechanism import quaternions
from mbsym.exact.numbers import NumberClass, Real, real_point
from mbsym.exact.points import ATTEMPTS, Point, draw_point
from mbsym.exact.residues import COMPARED, ROOT, UndecidedError, field_point
from mbsym.model.system import Model
from mbsym.symbolic.finite_field import PRIME
from mbsym.texts.machine import Arithmetic, Lanes
from mbsym.topology.labelling import Labelling

ERROR: Final = 1e-12
"""Largest probability with which a function that is called proven may differ."""

CLOSE: Final = 1e-13
"""Of real numbers, relative to the largest of a result: rounded constants differ by some 1e-16 of theirs."""

ROUNDED: Final = 1e-14
"""Of a constant or a coordinate, relative: some dozens of roundings."""
_NUDGE: Final = 1e-12

OUTCOMES: Final = ("proven", "agrees", "not proven", "differs")
"""From the best on."""

RESIDUAL: Final = "constraint_residual"
JACOBIAN: Final = "constraint_jacobian"

_FEWEST: Final = 2
_REAL_POINTS: Final = 3
_ATTEMPTS: Final = 32
"""Points that are tried where roots are drawn, half of which the field has not."""

_FRUITLESS: Final = 16
"""Of these, without a single one that has all roots: there are more than a few."""

_LARGEST: Final = 1 << 40
"""Degree of texts that compare, whose own is not counted."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was shown of a function as one text has it.

    Attributes:
        function, text: which.
        outcome: "proven", "agrees" (in real numbers), "not proven" or "differs".
        why: the reason where it is not proven; where it differs, what does.
        points: at which it was evaluated.
        probability: with which it may differ all the same.
    """

    function: str
    text: str
    outcome: str
    why: str = ""
    points: int = 0
    probability: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        found: dict[str, Any] = {"function": self.function, "text": self.text, "outcome": self.outcome}
        if self.why:
            found["why"] = self.why
        if self.points:
            found |= {"points": self.points, "probability_of_error": float(f"{self.probability:.2g}")}
        return found


@dataclass(frozen=True, slots=True)
class Prover:
    """What is proven, and beside what.

    Attributes:
        model, labelling: the mechanism.
        symbolic: names of its run-time parameters.
        signatures: of all functions by name.
        literal: exact numbers of literals.
        makers: functions that make arguments of others, by the name of what they make.
        requests: derivatives that were asked for, by name: of which function, by which arguments.
        rows: numbers of the closure rows that the module holds, found by their residuals.
        points: those that were drawn, by number and lane; numbers below zero are real.
        arithmetics: of points, by their class of numbers and whether floats stand beside them.
    """

    model: Model
    labelling: Labelling
    symbolic: Sequence[str]
    signatures: Mapping[str, Signature]
    literal: Literal
    makers: Mapping[str, Signature] = field(default_factory=dict)
    requests: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)
    rows: list[int] = field(default_factory=list)
    points: dict[tuple[int, int], Point] = field(default_factory=dict)
    arithmetics: dict[tuple[NumberClass, bool], Arithmetic] = field(default_factory=dict)

    def verdict(self, spoken: Spoken, name: str) -> Verdict:
        """Of one function in one text."""
        outcome, why = "not proven", ""
        if self.signatures[name] in self.makers.values():
            why = "what it makes is proven in the functions that take it"
        else:
            try:
                if name not in self.point(0).definitions:
                    raise UndecidedError("the field has no definition of it")
                self._choose_rows(spoken)
                every = [each for each in (name, other_way(name)) if each in self.point(0).definitions]
                found = [self._compared(spoken, name, each) for each in every[:1]]
                if found[0].outcome == "differs":
                    found += [self._compared(spoken, name, each) for each in every[1:]]
                    found += [self._near(spoken, found[0], each) for each in every]
                return min(found, key=lambda verdict: OUTCOMES.index(verdict.outcome))
            except TextError as error:
                outcome, why = "differs", str(error)
            except MbsymError as error:
                why = error.what
            except ZeroDivisionError:
                outcome, why = "differs", "it divides by what is zero everywhere"
        return Verdict(name, spoken.title, outcome, why)

    # ---- in the field ------------------------------------------------------------------------------------------------

    def _compared(self, spoken: Spoken, name: str, defined: str) -> Verdict:
        degree = self._degree(spoken, name)
        wanted = max(_FEWEST, math.ceil(math.log(ERROR) / math.log(degree / PRIME)))
        signature, equal, missed, standing = self.signatures[name], 0, "", list[str]()
        reason = UndecidedError("no point has all roots that are drawn")
        for number in range(_ATTEMPTS):
            try:
                lanes = self._lanes(spoken, name, number)
                expected = [point.expected(defined) for point in lanes]
                found, unknown = self._found(spoken, signature, lanes, number)
            except UndecidedError as error:
                if "root" not in error.what:
                    raise
                reason = error
                if number + 1 == _FRUITLESS and not equal:
                    break
                continue
            missed = _missed(signature, found, expected)
            standing = sorted(unknown - {ROOT})
            if missed and ROOT not in unknown:
                if standing:
                    break
                return Verdict(name, spoken.title, "differs", missed, number + 1)
            equal += not missed
            if equal == wanted:
                left = [
                    result for (result, _), known in zip(signature.outputs, expected[0], strict=True) if known is None
                ]
                why = f"but for {', '.join(left)}, for which numbers are compared" if left else ""
                return Verdict(name, spoken.title, "proven", why, equal, float((degree / PRIME) ** equal))
        if missed and standing:
            # Real numbers would tell of those sides of conditions alone that they are on.
            raise UndecidedError(f"{', '.join(standing)}: it is not equal for all such functions")
        if missed:
            return Verdict(name, spoken.title, "differs", missed, _ATTEMPTS)
        raise reason

    def _choose_rows(self, spoken: Spoken) -> None:
        """Finds which closure rows a module holds as independent: those whose residuals its text has, in the field or
        in real numbers."""
        for number in (*range(_FRUITLESS), -1):
            if self.rows or RESIDUAL not in self.signatures:
                return
            with suppress(UndecidedError, TextError):
                rows = self._rows_at(spoken, number)
                self.rows.extend(rows if -1 not in rows else ())

    def _rows_at(self, spoken: Spoken, number: int) -> list[int]:
        """Numbers of the rows whose residuals a text has at a point, -1 where there is none."""
        point, found = self.point(number), list[int]()
        every, (residuals,) = point.state.closures.residual, self._at(spoken, RESIDUAL, number)
        for place, residual in enumerate(residuals):
            like = [k for k, each in enumerate(every) if k not in found and _close(residual, each)]
            if len(like) > 1:
                # What holds speeds alone has no residual: of several, the one whose row of G the text has.
                nv, (rows,) = point.state.mechanism.nv, self._at(spoken, JACOBIAN, number)
                own = rows[place * nv : (place + 1) * nv]
                same = (k for k in like if all(map(_close, own, point.state.closures.jacobian[k])))
                like = [next(same, like[0])]
            found.append(like[0] if like else -1)
        return found

    def _at(self, spoken: Spoken, name: str, number: int) -> list[list[Any]]:
        """Results of a function of a text at a point."""
        return self._found(spoken, self.signatures[name], [self.point(number)], abs(number))[0]

    def _lanes(self, spoken: Spoken, name: str, number: int) -> list[Point]:
        """As many states as are followed together: of arithmetic of arrays one or two."""
        count = 1 + number % 2 if spoken.symbol(name) in spoken.unread else max(spoken.lanes, 1)
        return [self.point(number, lane) for lane in range(count)]

    def _found(
        self, spoken: Spoken, signature: Signature, lanes: Sequence[Point], number: int
    ) -> tuple[list[list[Any]], set[str]]:
        """Results of a text at as many states as its functions take, and functions that stood for themselves."""
        point = lanes[0]
        circle = point.numbers.circle
        circle.unknown.clear()
        circle.is_open = False
        by_arrays = spoken.symbol(signature.name) in spoken.unread
        try:
            try:
                if by_arrays:
                    raise UndecidedError(COMPARED)
                arithmetic = self._arithmetic(point, beside=False)
                given = point.given if len(lanes) == 1 else _side_by_side([each.given for each in lanes])
                found = followed(spoken, signature, given, point.parameters, arithmetic, self.makers)
                return found, set(circle.unknown)
            except UndecidedError as error:
                if error.what != COMPARED:
                    raise
            circle.unknown.clear()
            rng = np.random.default_rng(number)
            beside = [{name: _beside(value, rng) for name, value in each.given.items()} for each in lanes]
            for each, given in zip(lanes, beside, strict=True):
                _on_spheres(each, given["q"])
            parameters = {name: Beside(value, 1.0) for name, value in point.parameters.items()}
            arithmetic = self._arithmetic(point, beside=True)
            if by_arrays:
                several = of_arrays(spoken, signature, self.signatures, beside, parameters, arithmetic)
                found = [
                    [Lanes(x) if len(x) > 1 else x[0] for x in zip(*entries, strict=True)]
                    for entries in zip(*several, strict=True)
                ]
            elif len(lanes) > 1:
                raise UndecidedError("a comparison of numbers, in several lanes")
            else:
                found = followed(spoken, signature, beside[0], parameters, arithmetic, self.makers)
            return [[_residue(x) for x in entries] for entries in found], set(circle.unknown)
        finally:
            circle.is_open = True

    def _arithmetic(self, point: Point, *, beside: bool) -> Arithmetic:
        key = point.numbers, beside
        if key not in self.arithmetics:
            self.arithmetics[key] = (over_both if beside else over_numbers)(point.numbers, self.literal)
        return self.arithmetics[key]

    def _degree(self, spoken: Spoken, name: str) -> int:
        """Of a text's results and of the definition, together."""
        if spoken.symbol(name) in spoken.unread:
            return _LARGEST
        degrees, signature = Degrees(), self.signatures[name]
        given = {
            item: [degrees.drawn() for _ in range(math.prod(shape))] if shape else degrees.drawn()
            for item, shape in signature.inputs
        }
        parameters = {item: degrees.drawn() for item in self.symbolic}
        try:
            found = followed(spoken, signature, given, parameters, over_degrees(degrees), self.makers)
        except UncountedError:
            return _LARGEST
        own = max((getattr(x, "bound", 0) for entries in found for x in entries), default=0)
        return max(own + of_definition(self.labelling.nb, len(self.labelling.joint_names)), 1)

    # ---- in real numbers ---------------------------------------------------------------------------------------------

    def _near(self, spoken: Spoken, differs: Verdict, defined: str) -> Verdict:
        """What differs in the field may have numbers that were rounded as it was derived: then it does not here."""
        name = differs.function
        signature, worst = self.signatures[name], 0.0
        for number in range(-1, -1 - _REAL_POINTS, -1):
            lanes = self._lanes(spoken, name, number)
            expected = [point.expected(defined) for point in lanes]
            found, _ = self._found(spoken, signature, lanes, -number)
            for lane, known in enumerate(expected):
                for place, (own, other) in enumerate(zip(_lane(found, lane), known, strict=True)):
                    if other is None:
                        continue
                    size, error = max(_largest(other), 1.0), _largest(a - b for a, b in zip(own, other, strict=True))
                    # Where q moves results far, so do constants.
                    if not error <= CLOSE * size:
                        moved = lanes[lane].near_by(defined, _NUDGE)[place]
                        reach = _largest(a - b for a, b in zip(moved, other, strict=True)) / _NUDGE
                        if not error <= ROUNDED * reach:
                            return differs
                    worst = max(worst, error / size)
        why = (
            f"numbers in it were rounded: {differs.why} in the field, within {worst:.0e} of the other derivation at "
            f"{_REAL_POINTS} real points"
        )
        return Verdict(name, spoken.title, "agrees", why)

    # ---- points ------------------------------------------------------------------------------------------------------

    def point(self, number: int, lane: int = 0) -> Point:
        """A random point, always the same one for a number; lanes are states with the same parameters."""
        if (number, lane) not in self.points:
            if lane:
                numbers = self.point(number).numbers
            else:
                numbers = field_point(f"exact {number}") if number >= 0 else real_point(f"exact {number}")
            shapes = {name: shape for each in self.signatures.values() for name, shape in each.inputs}
            # Where one search found no place with all lengths, others are not tried.
            attempts = ATTEMPTS if all(each.has_lengths for each in self.points.values()) else 1
            drawn = draw_point(
                self.model, self.labelling, self.symbolic, shapes, numbers, self.requests, lane, attempts
            )
            drawn.given[ROWS] = self.rows
            self.points[number, lane] = drawn
        return self.points[number, lane]


def _side_by_side(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Arguments of several states in vectors."""
    return {
        name: [Lanes(entries) for entries in zip(*(each[name] for each in given), strict=True)]
        if isinstance(value, np.ndarray)
        else value
        if isinstance(value, list)
        else Lanes(each[name] for each in given)
        for name, value in given[0].items()
    }


def _lane(found: Sequence[Sequence[Any]], lane: int) -> list[list[Any]]:
    """What one state has of results in vectors."""
    return [[entry[lane] if isinstance(entry, Lanes) else entry for entry in entries] for entries in found]


def _beside(value: Any, rng: np.random.Generator) -> Any:
    """Arguments with floats beside them."""
    if isinstance(value, list):
        return value
    if isinstance(value, np.ndarray):
        return [Beside(each, float(x)) for each, x in zip(value, rng.uniform(0.5, 1, len(value)), strict=True)]
    return Beside(value, float(rng.uniform(0.5, 1)))


def _on_spheres(point: Point, q: list[Beside]) -> None:
    """Makes floats of quaternions of unit length: what compares them counts on it."""
    for start in quaternions(point.state.mechanism):
        four = q[start : start + 4]
        length = math.hypot(*(each.near for each in four))
        q[start : start + 4] = [Beside(each.residue, each.near / length) for each in four]


def _residue(value: Any) -> Any:
    """What stands beside floats."""
    if isinstance(value, Lanes):
        return Lanes(map(_residue, value))
    return value.residue if isinstance(value, Beside) else value


def _close(a: Any, b: Any) -> bool:
    """Whether two numbers are equal, in the field; of real ones, whether they may differ by rounded constants alone."""
    if isinstance(a, Real) or isinstance(b, Real):
        return abs(_float(a - b)) <= CLOSE * max(1.0, abs(_float(b)))
    return bool(a == b)


def _largest(values: Iterable[Any]) -> float:
    return max((abs(_float(x)) for x in values), default=0.0)


def _float(value: Any) -> float:
    return float(getattr(value, "value", value))


def _missed(signature: Signature, found: Sequence[Sequence[Any]], expected: Sequence[Results]) -> str:
    """What differs first in any lane, empty where nothing does."""
    places = [
        f"{name}[{k}]"
        for lane, known in enumerate(expected)
        for (name, _), own, other in zip(signature.outputs, _lane(found, lane), known, strict=True)
        if other is not None
        for k, (a, b) in enumerate(zip(own, other, strict=True))
        if a != b
    ]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{places[0]}{more}" if places else ""
