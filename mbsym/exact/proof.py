"""Every function of every text held against its definition at random points of a finite field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from mbsym.errors import TextError
from mbsym.exact.degrees import Degrees
from mbsym.exact.dynamics import ExactState
from mbsym.exact.following import Beside, Literal, Signature, Spoken, followed, over_both, over_degrees, over_residues
from mbsym.exact.functions import DEFINITIONS, Results
from mbsym.exact.mechanism import exact_mechanism
from mbsym.exact.residues import ROOT, Residue, UndecidedError, field_point
from mbsym.model.system import Model
from mbsym.reference.mechanism import NumericMechanism
from mbsym.symbolic.finite_field import PRIME
from mbsym.texts.machine import Lanes
from mbsym.topology.labelling import Labelling

ERROR: Final = 1e-12
"""Largest probability with which a function that is called proven may differ."""

_FEWEST: Final = 2
_ATTEMPTS: Final = 40
"""Points that are tried where roots are drawn, half of which the field has not."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was shown of a function as one text has it.

    Attributes:
        function, text: which.
        outcome: "proven", "not proven" or "differs".
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


@dataclass(slots=True)
class Point:
    """A mechanism at one random point, and what its functions return there.

    Attributes:
        number: of the point.
        residue: the class of its numbers.
        given: arguments by name.
        parameters: run-time parameters by name.
        state: the mechanism there.
        near: floats of the arguments, beside, by name.
    """

    number: int
    residue: type[Residue]
    given: Mapping[str, Any]
    parameters: Mapping[str, Any]
    state: ExactState
    near: Mapping[str, Any]
    _expected: dict[str, Results | str] = field(default_factory=dict)

    def expected(self, name: str) -> Results:
        """What a function must return.

        Raises:
            UndecidedError: the definition is not rational there.
        """
        if name not in self._expected:
            try:
                self._expected[name] = DEFINITIONS[name](self.state, self.given)
            except UndecidedError as error:
                self._expected[name] = error.what
        found = self._expected[name]
        if isinstance(found, str):
            raise UndecidedError(found)
        return found


@dataclass(frozen=True, slots=True)
class Prover:
    """What is proven, and beside what.

    Attributes:
        model, labelling: the mechanism.
        symbolic: names of its run-time parameters.
        signatures: of all functions by name.
        makers: those that make arguments of others, by the name of what they make.
        literal: exact numbers of literals.
    """

    model: Model
    labelling: Labelling
    symbolic: Sequence[str]
    signatures: Mapping[str, Signature]
    literal: Literal
    makers: Mapping[str, Signature] = field(default_factory=dict)
    points: dict[tuple[int, int], Point] = field(default_factory=dict)

    def verdicts(self, spoken: Spoken) -> Iterator[Verdict]:
        """Of every function of a text."""
        for name in self.signatures:
            yield self.verdict(spoken, name)

    def verdict(self, spoken: Spoken, name: str) -> Verdict:
        """Of one function."""
        if self.signatures[name] in self.makers.values():
            return Verdict(name, spoken.title, "not proven", "what it makes is proven in the functions that take it")
        if name not in DEFINITIONS:
            return Verdict(name, spoken.title, "not proven", "the field has no definition of it")
        try:
            degree = self._degree(spoken, name)
            wanted = max(_FEWEST, math.ceil(math.log(ERROR) / math.log(degree / PRIME)))
            return self._compared(spoken, name, degree, wanted)
        except UndecidedError as error:
            return Verdict(name, spoken.title, "not proven", error.what)
        except TextError as error:
            return Verdict(name, spoken.title, "differs", str(error))
        except ZeroDivisionError:
            return Verdict(name, spoken.title, "differs", "it divides by what is zero everywhere")

    def _compared(self, spoken: Spoken, name: str, degree: int, wanted: int) -> Verdict:
        signature, equal, missed = self.signatures[name], 0, ""
        reason = UndecidedError("no point has all roots that are drawn")
        for number in range(_ATTEMPTS):
            try:
                lanes = [self.point(number, lane) for lane in range(max(spoken.lanes, 1))]
                expected = [point.expected(name) for point in lanes]
                found, rooted = self._found(spoken, signature, lanes)
            except UndecidedError as error:
                if "root" not in error.what:
                    raise
                reason = error
                continue
            each = [_first_difference(signature, _lane(found, lane), known) for lane, known in enumerate(expected)]
            missed = next(filter(None, each), "")
            unknown = lanes[0].residue.circle.unknown
            if missed and not rooted and not unknown & {ROOT}:
                if unknown:
                    raise UndecidedError(f"{', '.join(sorted(unknown))}: it is not equal for all such functions")
                return Verdict(name, spoken.title, "differs", missed, number + 1)
            equal += not missed
            if equal == wanted:
                return Verdict(name, spoken.title, "proven", "", equal, float((degree / PRIME) ** equal))
        if missed:
            return Verdict(name, spoken.title, "differs", missed, _ATTEMPTS)
        raise reason

    def _found(self, spoken: Spoken, signature: Signature, lanes: Sequence[Point]) -> tuple[list[list[Any]], bool]:
        """Results of a text at as many states as its functions take, and whether roots were drawn."""
        point = lanes[0]
        circle = point.residue.circle
        circle.unknown.clear()
        circle.is_open = False
        try:
            try:
                arithmetic = over_residues(point.residue, self.literal)
                given = point.given if len(lanes) == 1 else _side_by_side([each.given for each in lanes])
                return followed(
                    spoken, signature, given, point.parameters, arithmetic, self.makers
                ), ROOT in circle.unknown
            except UndecidedError as error:
                if error.what != "a comparison of numbers":
                    raise
            circle.unknown.clear()
            arithmetic = over_both(point.residue, self.literal)
            if len(lanes) > 1:
                raise UndecidedError("a comparison of numbers, for several states at once")
            given = {name: _beside(value, point.near[name]) for name, value in point.given.items()}
            parameters = {name: Beside(value, 1.0) for name, value in point.parameters.items()}
            found = followed(spoken, signature, given, parameters, arithmetic, self.makers)
            return [[_residue(x) for x in entries] for entries in found], ROOT in circle.unknown
        finally:
            circle.is_open = True

    def _degree(self, spoken: Spoken, name: str) -> int:
        """Of a text's results and of the definition, together."""
        degrees = Degrees()
        signature = self.signatures[name]
        given = {
            item: [degrees.drawn() for _ in range(math.prod(shape))] if shape else degrees.drawn()
            for item, shape in signature.inputs
        }
        parameters = {item: degrees.drawn() for item in self.symbolic}
        try:
            found = followed(spoken, signature, given, parameters, over_degrees(degrees), self.makers)
        except TypeError:
            return _LARGEST
        own = max((getattr(x, "bound", 0) for entries in found for x in entries), default=0)
        # Of the definition, by Cramer's rule: entries of its equations are products of what is drawn along a path.
        size = 12 * self.labelling.nb + 6 * len(self.labelling.joint_names) + 1
        return max(own + size * 8 * size, 1)

    def point(self, number: int, lane: int = 0) -> Point:
        """A random point, always the same one for a number; lanes are states with the same sines and parameters."""
        if (number, lane) not in self.points:
            self.points[number, lane] = self._drawn(number, lane)
        return self.points[number, lane]

    def _drawn(self, number: int, lane: int) -> Point:
        residue = self.point(number).residue if lane else field_point(f"exact {number}")
        circle = residue.circle
        mechanism, numbers = exact_mechanism(self.model, self.labelling, residue, self.symbolic)
        shapes = {name: shape for each in self.signatures.values() for name, shape in each.inputs}
        shapes |= {"q": (mechanism.nq,), "v": (mechanism.nv,), "u": (len(self.model.inputs),), "t": ()}
        given: dict[str, Any] = {}
        for name, shape in shapes.items():
            drawn = np.empty(math.prod(shape), dtype=object)
            drawn[:] = [residue(circle.random(name, lane, k)) for k in range(math.prod(shape))]
            given[name] = drawn if shape else drawn[0]
        _on_spheres(mechanism, given["q"])
        for joint in mechanism.tree_joints:
            ratios = [gear.ratio for gear in mechanism.followers.values() if gear.leader == joint.label]
            if ratios and joint.coordinates is not None:
                circle.know(given["q"][joint.coordinates.start].number, ratios)  # type: ignore[arg-type]
        rng = np.random.default_rng(number)
        near = {
            name: rng.uniform(0.5, 1.0, shape) if shape else float(rng.uniform(0.5, 1))
            for name, shape in shapes.items()
        }
        state = ExactState(mechanism, numbers, given["q"], given["v"], given["t"], tuple(given["u"]))
        parameters = {name: numbers.names[name] for name in self.symbolic}
        return Point(number, residue, given, parameters, state, near)


_LARGEST: Final = 1 << 40
"""For texts that compare, whose degree is not counted."""


def _side_by_side(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Arguments of several states in vectors."""
    return {
        name: Lanes(each[name] for each in given)
        if isinstance(value, Residue)
        else [Lanes(entries) for entries in zip(*(each[name] for each in given), strict=True)]
        for name, value in given[0].items()
    }


def _lane(found: Sequence[Sequence[Any]], lane: int) -> list[list[Any]]:
    """What one state has of results in vectors."""
    return [[entry[lane] if isinstance(entry, Lanes) else entry for entry in entries] for entries in found]


def _on_spheres(mechanism: NumericMechanism, q: Any) -> None:
    """Makes quaternions of unit length: r^2/|r|^2."""
    for joint in mechanism.tree_joints:
        if joint.coordinates is not None and joint.type in ("spherical", "free"):
            start = joint.coordinates.start
            w, x, y, z = q[start : start + 4]
            square = w * w + x * x + y * y + z * z
            parts = (w * w - x * x - y * y - z * z, 2 * w * x, 2 * w * y, 2 * w * z)
            q[start : start + 4] = [part / square for part in parts]


def _beside(value: Any, near: Any) -> Any:
    if isinstance(value, Residue):
        return Beside(value, near)
    return [Beside(each, float(x)) for each, x in zip(value, np.ravel(near), strict=True)]


def _residue(value: Any) -> Any:
    return value.residue if isinstance(value, Beside) else value


def _first_difference(signature: Signature, found: Sequence[Sequence[Any]], expected: Results) -> str:
    """What differs first, empty where nothing does."""
    places = [
        f"{name}[{k}]"
        for (name, _), own, other in zip(signature.outputs, found, expected, strict=True)
        for k, (a, b) in enumerate(zip(own, other, strict=True))
        if not (b == a if isinstance(b, Residue) else a == b)
    ]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{places[0]}{more}" if places else ""
