"""Constraints that hold more than points: expressions of the model's own, and wheels that roll.

Their values are polynomials of time in motions without accelerations, which give rows and known parts; outside of the
quantities of frames SymPy differentiates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import pi, remainder
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.errors import ModelError
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.model.names import expression_names
from mbsym.records import Registry
from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion, centroidal_twists, frame_pose
from mbsym.reference.rotations import Array, cross
from mbsym.reference.steady import Series, Steady, constant, difference, length, product, quotient, rate
from mbsym.reference.tables import slopes_by_name, sympy_with_tables
from mbsym.values.frame_quantities import FrameQuantity, value_quantities
from mbsym.values.numbers import value_names
from mbsym.values.parameter import Value
from mbsym.values.table import Table

End: TypeAlias = tuple[int, Array]
"""A body by its label, and a place in base axes [m]."""

_STEP: Final = 1e-100
"""Of a complex step, exact to round-off."""


@dataclass(frozen=True, slots=True)
class HeldLaw:
    """What a constraint holds, by its type in files.

    Attributes:
        name: the type.
        of_speeds: of each of its rows, whether it holds speeds and closes nothing.
        values: of its rows in a steady motion.
        bodies: labels of the bodies that it may depend on.
        joints: labels of the joints.
        ends: bodies by label with places, and the length between them, of what closes a way around; None of
            expressions.
    """

    name: str
    of_speeds: tuple[bool, ...]
    values: Callable[[Steady, Any], list[Series]]
    bodies: Callable[[NumericMechanism, Any], set[int]]
    joints: Callable[[NumericMechanism, Any], set[int]] = lambda mechanism, element: set()
    ends: Callable[[NumericMechanism, Configuration, Any], tuple[tuple[End, End], float]] | None = None


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A row of a constraint.

    Attributes:
        element: the constraint.
        place: among its rows.
    """

    element: Any
    place: int

    @property
    def law(self) -> HeldLaw:
        """That of its constraint."""
        return HELD_LAWS.named(self.element.type, self.element.name)

    @property
    def of_speeds(self) -> bool:
        """Whether it holds speeds and closes nothing."""
        return self.law.of_speeds[self.place]

    def gap(self, mechanism: NumericMechanism, at: Configuration) -> float:
        """By how much it is violated; speeds leave no gap."""
        if self.of_speeds:
            return 0.0
        return float(self._value(Steady.at_rest(mechanism, at))[0])

    def row(self, mechanism: NumericMechanism, at: Configuration, moving: Motion) -> tuple[Array, float]:
        """How the rate of what is held, or the speed that is held, depends on what moves.

        Returns:
            Its row by [angular velocity; velocity of the centre of mass] of all bodies and by the speeds of all joints,
            (6 nb + rates), and the rate of what the row gives where nothing is accelerated.
        """
        still = Steady.at_rest(mechanism, at)
        actual = self._value(still.moving(centroidal_twists(at, moving)[:, :, 0], moving.rates[:, 0]))
        row = np.zeros(6 * mechanism.nb + len(moving.rates))
        for column in self._columns(mechanism):
            twists, rates = np.split(np.eye(len(row))[column], [6 * mechanism.nb])
            alone = self._value(still.moving(twists.reshape(-1, 6), rates))
            row[column] = alone[0] if self.of_speeds else alone[1]
        return row, float(actual[1] if self.of_speeds else 2 * actual[2])

    def _value(self, steady: Steady) -> Series:
        return self.law.values(steady, self.element)[self.place]

    def _columns(self, mechanism: NumericMechanism) -> Iterator[int]:
        """Places of what it may depend on, in a row."""
        for label in self.law.bodies(mechanism, self.element) - {0}:
            yield from range(6 * label - 6, 6 * label)
        for label in self.law.joints(mechanism, self.element):
            rates = mechanism.joints[label - 1].rates
            yield from range(6 * mechanism.nb + rates.start, 6 * mechanism.nb + rates.stop)


def held_rows(mechanism: NumericMechanism) -> list[HeldRow]:
    """Rows of the constraints of the model that are listed here, those of speeds last."""
    found = [
        HeldRow(item, place)
        for item in mechanism.model.constraints
        if item.type in HELD_LAWS
        for place in range(len(HELD_LAWS[item.type].of_speeds))
    ]
    return sorted(found, key=lambda row: row.of_speeds)


# ---- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Formula:
    """An expression of names with its derivatives by them.

    An angle of frames that it holds times a number, by its place among the names, makes it good up to whole turns.
    """

    names: tuple[str, ...]
    quantities: Mapping[str, FrameQuantity]
    value: Callable[..., float]
    gradient: Callable[..., Any]
    hessian: Callable[..., Any]
    bare_angle: int | None

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, held: Value, tables: tuple[Table, ...]) -> _Formula:
        import sympy

        names, quantities = value_names(held), value_quantities(held)
        variables = [sympy.Dummy(f"z{k}", real=True) for k in range(len(names))]
        found = sympy_with_tables(held, dict(zip(names, variables, strict=True)), tables)
        gradient = [sympy.diff(found, z) for z in variables]
        hessian = [[sympy.diff(entry, z) for z in variables] for entry in gradient]
        known = [slopes_by_name(tables), "math"]
        value, slopes, curves = (sympy.lambdify(variables, each, known) for each in (found, gradient, hessian))
        angles = (k for k, name in enumerate(names) if name in quantities and quantities[name].word == "angle")
        bare = (k for k in angles if not gradient[k].free_symbols & {*variables} and gradient[k] != 0)
        return cls(names, quantities, value, slopes, curves, next(bare, None))

    def near_zero(self, value: float, factors: Any) -> float:
        """The value without whole turns of that angle."""
        if self.bare_angle is None:
            return value
        factor = factors[self.bare_angle]
        return float(factor * remainder(value / factor, 2 * pi))


def _formula(mechanism: NumericMechanism, element: Any) -> _Formula:
    return _Formula.of(element.expression, tuple(mechanism.model.tables))


def expression_factors(mechanism: NumericMechanism, at: Configuration, element: Any) -> dict[str, float]:
    """Derivatives of an expression of places by what it names, but parameters."""
    formula = _formula(mechanism, element)
    values = _named(Steady.at_rest(mechanism, at), formula)
    found = formula.gradient(*(float(values[name][0]) for name in formula.names))
    return {name: x for name, x in zip(formula.names, found, strict=True) if name not in mechanism.names}


def _expression(steady: Steady, element: Any) -> list[Series]:
    formula = _formula(steady.mechanism, element)
    values = _named(steady, formula)
    z, first, second = (np.array([float(values[name][k]) for name in formula.names]) for k in range(3))
    gradient, hessian = (np.array(found(*z), dtype=float) for found in (formula.gradient, formula.hessian))
    value = formula.near_zero(float(formula.value(*z)), gradient)
    return [(value, gradient @ first, gradient @ second + first @ hessian @ first / 2)]


def _named(steady: Steady, formula: _Formula) -> dict[str, Series]:
    """What an expression names."""
    mechanism = steady.mechanism
    found: dict[str, Series] = {name: constant(number) for name, number in mechanism.names.items()}
    found |= {name: _FrameQuantity(steady, quantity).series() for name, quantity in formula.quantities.items()}
    names = expression_names(mechanism.model)
    for label in _joints(mechanism, formula):
        joint, q = mechanism.joints[label - 1], steady.at.coordinates[label - 1]
        kind, speeds = REFERENCE_JOINTS[joint.type], steady.rates[joint.rates]
        first = kind.rate(q, speeds)
        second = kind.rate(q + 1j * _STEP * first, speeds).imag / _STEP / 2
        found |= dict(zip(names.coordinates[joint.name], zip(q, first, second, strict=True), strict=True))
        found |= {name: constant(speed) for name, speed in zip(names.speeds[joint.name], speeds, strict=True)}
    return found


def _joints(mechanism: NumericMechanism, formula: _Formula) -> set[int]:
    """Labels of the joints whose coordinates or speeds an expression names."""
    names, used = expression_names(mechanism.model), set(formula.names)
    return {
        joint.label for joint in mechanism.joints if used & {*names.coordinates[joint.name], *names.speeds[joint.name]}
    }


def _bodies(mechanism: NumericMechanism, formula: _Formula) -> set[int]:
    """Labels of the bodies whose frames an expression names."""
    frames = frames_in_expressions(mechanism.model)
    named = (name for each in formula.quantities.values() for name in each.every_frame)
    return {mechanism.body_labels[frames[name].body] for name in named}


class _FrameQuantity:
    """A quantity of frames in a steady motion."""

    def __init__(self, steady: Steady, quantity: FrameQuantity) -> None:
        self._steady, self._quantity = steady, quantity

    def series(self) -> Series:
        """Its value."""
        quantity = self._quantity
        first, last = quantity.frames[0], quantity.frames[-1]
        way = difference(self._place(last), self._place(first))
        match quantity.word:
            case "position":
                vector = self._place(first)
            case "velocity":
                vector = rate(self._place(first))
            case "angular_velocity":
                vector = self._steady.spin(self._label(first))
            case "axis":
                vector = self._axis(first, quantity.letter)
            case "direction":
                vector = product(way, quotient((1.0, 0.0, 0.0), length(way)))
            case "distance":
                return length(way)
            case "distance_rate":
                return rate(length(way))
            case "angle":
                return self._angle(first, last, "xyz".index(quantity.letter))
        still = constant(np.eye(3)["xyz".index(quantity.component)])
        along = self._axis(quantity.axes, quantity.component) if quantity.axes else still
        return product(along, vector, np.dot)

    def _angle(self, first: str, last: str, about: int) -> Series:
        along, across, turned = (
            self._axis(name, "xyz"[(about + step) % 3]) for name, step in ((first, 1), (first, 2), (last, 1))
        )
        x, y = product(along, turned, np.dot), product(across, turned, np.dot)
        swept = difference(product(x, rate(y)), product(y, rate(x)))
        change = quotient(swept, [a + b for a, b in zip(product(x, x), product(y, y), strict=True)])
        return np.arctan2(y[0], x[0]), change[0], change[1] / 2

    def _label(self, name: str) -> int:
        return self._steady.mechanism.body_labels[self._steady.frames[name].body]

    def _pose(self, name: str) -> tuple[Array, Array]:
        at = self._steady.at
        return frame_pose(self._steady.mechanism, self._steady.frames[name], at.rotations, at.origins)

    def _place(self, name: str) -> Series:
        return self._steady.point(self._label(name), self._pose(name)[1])

    def _axis(self, name: str, letter: str) -> Series:
        return self._steady.direction(self._label(name), self._pose(name)[0][:, "xyz".index(letter)])


# ---- wheels ----------------------------------------------------------------------------------------------------------


def _rolling(steady: Steady, element: Any) -> list[Series]:
    """Height of the lowest point of the wheel over the plane, and its velocity along two directions of the plane."""
    mechanism, at = steady.mechanism, steady.at
    wheel, plane = mechanism.body_labels[element.wheel], mechanism.body_labels[element.on]

    (first, second), radius = _touching(mechanism, at, element)
    origin, center, profile = steady.point(*first), steady.point(*second), mechanism.number(element.profile)
    turned = ((wheel, element.axis), (plane, element.normal))
    along = ((label, at.rotations[label] @ mechanism.numbers(vector)) for label, vector in turned)
    axis, up = (steady.direction(label, vector / np.linalg.norm(vector)) for label, vector in along)
    # Downhill in the plane of the wheel, which is square to its axis and to the horizontal in it.
    level = product(axis, up, cross)
    down = product(axis, level, cross)
    arm = product(down, quotient(constant(radius - profile), length(level)), np.multiply)
    lowest = [c + a - profile * n for c, a, n in zip(center, arm, up, strict=True)]
    slip = difference(steady.velocity(wheel, lowest), steady.velocity(plane, lowest))
    across = np.linalg.svd(up[0][None, :])[2][1:]
    height = product(difference(lowest, origin), up, np.dot)
    return [height, *(product(slip, steady.direction(plane, way), np.dot) for way in across)]


def _touching(mechanism: NumericMechanism, at: Configuration, element: Any) -> tuple[tuple[End, End], float]:
    """A point of the plane and the wheel's centre, and its radius."""

    def end(body: str, point: tuple[Value, ...]) -> End:
        label = mechanism.body_labels[body]
        return label, at.origins[label] + at.rotations[label] @ mechanism.numbers(point)

    ends = end(element.on, element.plane_point), end(element.wheel, element.center)
    return ends, mechanism.number(element.radius)


HELD_LAWS: Final = Registry[HeldLaw](
    "constraint of the reference",
    (
        *(
            HeldLaw(
                name,
                (of_speeds,),
                _expression,
                lambda mechanism, element: _bodies(mechanism, _formula(mechanism, element)),
                lambda mechanism, element: _joints(mechanism, _formula(mechanism, element)),
            )
            for name, of_speeds in (("expression", False), ("velocity", True))
        ),
        HeldLaw(
            "rolling",
            (False, True, True),
            _rolling,
            lambda mechanism, element: {mechanism.body_labels[name] for name in (element.wheel, element.on)},
            ends=_touching,
        ),
    ),
    ModelError,
)
"""By their type in files."""
