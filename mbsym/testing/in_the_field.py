"""A user's function at random points of the finite field of 2^61 - 1 elements, beside what mbsym's must return there.

What it must return follows from Newton's and Euler's equations (``mbsym.exact``), not from what mbsym generates. A
number in the user's text stands for the fraction that it is likely to be: a decimal for itself, 0.3333333333333333 for
a third. Where such a number has as many digits as a double holds, it may be rounded, and what differs then may be equal
but for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mbsym.errors import CodegenError, MbsymError
from mbsym.exact.degrees import Degree, Degrees, of_definition
from mbsym.exact.following import over_degrees, over_numbers
from mbsym.exact.points import draw_point
from mbsym.exact.residues import ROOT, Residue, UndecidedError, field_point
from mbsym.symbolic.finite_field import PRIME
from mbsym.testing.meaning import meant
from mbsym.testing.subject import Subject
from mbsym.testing.users_function import UsersFunction
from mbsym.texts.machine import Arithmetic
from mbsym.texts.representation import Number

ERROR: Final = 1e-12
"""Largest probability with which two functions that are called equal may differ."""

_FEWEST: Final = 2
_ATTEMPTS: Final = 32
"""Points that are tried where roots are drawn, half of which the field has not."""

_LARGEST: Final = 1 << 40
"""Degree of what cannot be counted, far beyond what is written by hand."""

_OF_ANGLES: Final = 64
"""Times what is counted: sines may be of sums of as many angles."""


@dataclass(frozen=True, slots=True)
class FieldVerdict:
    """What was found in the field.

    Attributes:
        outcome: "equal", "different", or "undecided".
        why: the reason where it is undecided.
        position: of the first entry that differs, among all results one after the other.
        values: of that entry in the field, the user's and mbsym's.
        points: at which both were evaluated.
        probability: with which they may differ all the same.
    """

    outcome: str
    why: str = ""
    position: int = 0
    values: tuple[int, int] = (0, 0)
    points: int = 0
    probability: float = 0.0


def _numbers(key: str, rounded: set[float]) -> type[Residue]:
    """The numbers of a point, to which a double is the fraction that it is likely to be."""
    base = field_point(key)

    def other(self: Residue, value: Any) -> int | None:
        if isinstance(value, float):
            value, is_rounded = _finite(value)
            if is_rounded:
                rounded.add(float(value))
        return base._other(self, value)

    return type("ResidueHere", (base,), {"__slots__": (), "_other": other, "__hash__": None})


def _finite(value: float) -> tuple[Fraction, bool]:
    if not math.isfinite(value):
        raise UndecidedError(f"the number {value}")
    return meant(value)


def in_the_field(users: UsersFunction, names: Sequence[str], subject: Subject) -> FieldVerdict:
    """Compares both at random points.

    Args:
        users: the user's function.
        names: what its arguments stand for.
        subject: mbsym's.
    """
    if subject.has_loops:
        return FieldVerdict("undecided", "the model has closed loops or constraints")
    try:
        return _compared(users, names, subject, _degree(users, names, subject))
    except MbsymError as error:
        return FieldVerdict("undecided", f"{error.where}: {error.what}" if error.where else error.what)


def _compared(users: UsersFunction, names: Sequence[str], subject: Subject, degree: int) -> FieldVerdict:
    wanted = max(_FEWEST, math.ceil(math.log(ERROR) / math.log(degree / PRIME)))
    equal, why = 0, "no point has all roots that are drawn"
    for number in range(_ATTEMPTS):
        rounded: set[float] = set()
        numbers = _numbers(f"test {number}", rounded)
        model, labelling = subject.mechanism.model, subject.mechanism.labelling
        point = draw_point(model, labelling, tuple(subject.defaults), subject.shapes, numbers, {})
        if subject.name not in point.definitions:
            raise UndecidedError(f"the field has no definition of {subject.name}")
        try:
            expected = [entry for entries in _known(point.expected(subject.name)) for entry in entries]
            values = {**point.given, **point.parameters}
            circle = numbers.circle
            rounded.clear()
            circle.unknown.clear()
            circle.is_open = False
            found = _followed(users, _arguments(subject, names, values), subject, _over(numbers, rounded))
        except UndecidedError as error:
            if "root" not in error.what:
                raise
            continue
        missed = [k for k, (a, b) in enumerate(zip(found, expected, strict=True)) if b != a]
        if not missed:
            equal += 1
            if equal == wanted:
                return FieldVerdict("equal", points=equal, probability=float((degree / PRIME) ** equal))
            continue
        if circle.unknown - {ROOT}:
            raise UndecidedError(f"functions of which the field knows nothing: {', '.join(sorted(circle.unknown))}")
        why = "two roots in it may have other signs"
        if rounded | users.rounded:
            raise UndecidedError(f"its number {min(rounded | users.rounded)!r} may be rounded")
        if ROOT not in circle.unknown:
            of = numbers.of(0)
            pair = tuple((of + entries[missed[0]]).number for entries in (found, expected))
            return FieldVerdict("different", position=missed[0], values=(pair[0], pair[1]), points=number + 1)
    raise UndecidedError(why)


def _known(results: Sequence[Any]) -> Sequence[Any]:
    if any(entries is None for entries in results):
        raise UndecidedError("mbsym's function compares numbers")
    return results


def _arguments(subject: Subject, names: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
    """What the user's function takes, arrays in their shapes."""
    found = []
    for name in names:
        value = subject.value(name, values)
        found.append(np.reshape(value, subject.shapes[name]) if isinstance(value, np.ndarray) else value)
    return found


def _followed(users: UsersFunction, given: Sequence[Any], subject: Subject, arithmetic: Arithmetic) -> list[Any]:
    """Results over numbers that are none of Python's.

    Raises:
        UndecidedError: the function takes no such numbers.
    """
    shapes = [item.shape for item in subject.function.outputs]
    try:
        with np.errstate(all="ignore"):
            return users.over_numbers(given, shapes, arithmetic)
    except (CodegenError, UndecidedError):
        raise
    except MbsymError as error:
        raise UndecidedError(error.what, where=error.where) from None
    except Exception as error:
        # Whatever a function that was written for doubles does with other numbers.
        raise UndecidedError(f"it takes doubles alone ({type(error).__name__}: {error})") from None


def _over(numbers: type[Residue], rounded: set[float]) -> Arithmetic:
    """What C computes with: literals are fractions."""

    def literal(number: Number) -> Fraction:
        near = float(number.value)
        exact, is_rounded = meant(near)
        if is_rounded:
            rounded.add(near)
        # Whole numbers of more digits than doubles have are what they are.
        return exact if float(exact) == near and not number.is_integer else number.value

    # A user's choice between two ways is no law of ours: it is not decided here.
    return replace(over_numbers(numbers, literal), literal=literal, chosen=None)


def _degree(users: UsersFunction, names: Sequence[str], subject: Subject) -> int:
    """Of both functions together."""
    degrees, labelling = Degrees(), subject.mechanism.labelling
    values: dict[str, Any] = {}
    for name, shape in subject.shapes.items():
        values[name] = np.empty(shape, dtype=object)
        values[name].flat = [degrees.drawn() for _ in range(math.prod(shape))]
        values[name] = values[name] if shape else values[name].item()
    values |= {name: degrees.drawn() for name in subject.defaults}
    arithmetic = replace(over_degrees(degrees), literal=lambda number: number.value, chosen=None)
    try:
        found = _followed(users, _arguments(subject, names, values), subject, arithmetic)
    except UndecidedError:
        return _LARGEST
    own = max((entry.bound for entry in found if isinstance(entry, Degree)), default=0)
    return max(_OF_ANGLES * own + of_definition(labelling.nb, len(labelling.joint_names)), 1)
