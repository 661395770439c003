"""Constraints that a model writes as expressions, by Taylor polynomials of motions without accelerations.

Every body turns steadily while its centre of mass goes straight on, so poses and what is computed of them are
polynomials of time. Outside the quantities of frames SymPy differentiates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from mbsym.model.frame_ends import frames_in_expressions
from mbsym.model.names import expression_names
from mbsym.reference.joint_types import REFERENCE_JOINTS
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration, Motion, frame_pose
from mbsym.reference.rotations import Array, cross, skew
from mbsym.values.frame_quantities import FrameQuantity, value_quantities
from mbsym.values.numbers import to_sympy, value_names
from mbsym.values.parameter import Value

OF_SPEEDS: Final = "velocity"
TYPES: Final = ("expression", OF_SPEEDS)
"""Types in files, the second of which holds speeds."""

_STEP: Final = 1e-100
"""Of a complex step, exact to round-off."""

Series = Sequence[Any]
"""Coefficients of 1, t and t^2."""


def held_expressions(mechanism: NumericMechanism) -> list[Any]:
    """The constraints of the model that are expressions, those of speeds last."""
    return [item for kind in TYPES for item in mechanism.model.constraints if item.type == kind]


def expression_gap(mechanism: NumericMechanism, at: Configuration, element: Any) -> float:
    """By how much it is violated; speeds leave no gap."""
    return 0.0 if element.type == OF_SPEEDS else _Held(mechanism, at, element).still().value


def expression_factors(mechanism: NumericMechanism, at: Configuration, element: Any) -> dict[str, float]:
    """Its derivatives by what it names, but parameters."""
    return _Held(mechanism, at, element).factors()


def expression_row(mechanism: NumericMechanism, at: Configuration, moving: Motion, element: Any) -> tuple[Array, float]:
    """How the rate of an expression, or itself where it holds speeds, depends on what moves.

    Returns:
        Its row by [angular velocity; velocity of the centre of mass] of all bodies and by the speeds of all joints,
        (6 nb + rates), and the rate of what the row gives where nothing is accelerated.
    """
    held = _Held(mechanism, at, element)
    of_speeds = element.type == OF_SPEEDS
    angular = moving.angular[:, :, 0]
    swept = [cross(omega, arm) for omega, arm in zip(angular, at.centers - at.origins, strict=True)]
    actual = held.moving(np.concatenate([angular, moving.linear[:, :, 0] + swept], axis=1), moving.rates[:, 0])
    row = np.zeros(6 * mechanism.nb + len(moving.rates))
    for column in held.columns():
        unit = np.zeros(6 + len(row))
        unit[6 + column] = 1.0
        twists, rates = np.split(unit, [6 * (mechanism.nb + 1)])
        alone = held.moving(twists.reshape(-1, 6), rates)
        row[column] = alone.value if of_speeds else alone.rate
    return row, actual.rate if of_speeds else actual.change


@dataclass(frozen=True, slots=True)
class _Law:
    """An expression of names with its derivatives by them."""

    names: tuple[str, ...]
    value: Callable[..., float]
    gradient: Callable[..., Any]
    hessian: Callable[..., Any]

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, value: Value) -> _Law:
        import sympy

        names = value_names(value)
        variables = [sympy.Dummy(f"z{k}", real=True) for k in range(len(names))]
        found = to_sympy(value, dict(zip(names, variables, strict=True)))
        gradient = [sympy.diff(found, z) for z in variables]
        hessian = [[sympy.diff(entry, z) for z in variables] for entry in gradient]
        made = (sympy.lambdify(variables, each, "math") for each in (found, gradient, hessian))
        return cls(names, *made)


@dataclass(frozen=True, slots=True)
class _Found:
    """Value, rate and second rate of an expression."""

    value: float
    rate: float
    change: float


class _Held:
    """An expression at a configuration, whose bodies each move by themselves, without accelerations."""

    def __init__(self, mechanism: NumericMechanism, at: Configuration, element: Any) -> None:
        self._mechanism, self._at, self._law = mechanism, at, _Law.of(element.expression)
        self._quantities = value_quantities(element.expression)
        self._frames = frames_in_expressions(mechanism.model) if self._quantities else {}
        names = expression_names(mechanism.model)
        self._joints = {
            name: (joint, listed[joint.name].index(name), listed is names.speeds)
            for joint in mechanism.joints
            for listed in (names.coordinates, names.speeds)
            for name in listed[joint.name]
            if name in self._law.names
        }
        self._twists, self._rates = np.zeros((0, 6)), np.zeros(0)

    def columns(self) -> Iterator[int]:
        """Places of what it may depend on, in a row."""
        named = (name for quantity in self._quantities.values() for name in quantity.every_frame)
        for label in {self._label(name) for name in named} - {0}:
            yield from range(6 * label - 6, 6 * label)
        for start, stop in {(joint.rates.start, joint.rates.stop) for joint, _, _ in self._joints.values()}:
            yield from range(6 * self._mechanism.nb + start, 6 * self._mechanism.nb + stop)

    def still(self) -> _Found:
        """What it is at rest."""
        return self.moving(np.zeros((self._mechanism.nb + 1, 6)), np.zeros(self._mechanism.joints[-1].rates.stop))

    def factors(self) -> dict[str, float]:
        """Its derivatives by what it names, but parameters."""
        self.still()
        found = self._law.gradient(*(float(self._series(name)[0]) for name in self._law.names))
        return {k: x for k, x in zip(self._law.names, found, strict=True) if k not in self._mechanism.names}

    def moving(self, twists: Array, rates: Array) -> _Found:
        """What it is in a motion.

        Args:
            twists: [angular velocity; velocity of the centre of mass] of the base and all bodies, base axes (nb+1, 6).
            rates: speeds of all joints.
        """
        self._twists, self._rates = twists, rates
        law, series = self._law, [self._series(name) for name in self._law.names]
        z, rate, change = (np.array([float(each[k]) for each in series]) for k in range(3))
        gradient, hessian = np.array(law.gradient(*z), dtype=float), np.array(law.hessian(*z), dtype=float)
        return _Found(
            float(law.value(*z)), float(gradient @ rate), float(2 * gradient @ change + rate @ hessian @ rate)
        )

    def _series(self, name: str) -> Series:
        if name in self._quantities:
            return self._of_frames(self._quantities[name])
        if name in self._mechanism.names:
            return self._mechanism.names[name], 0.0, 0.0
        joint, place, is_speed = self._joints[name]
        speeds = self._rates[joint.rates]
        if is_speed:
            return speeds[place], 0.0, 0.0
        kind, q = REFERENCE_JOINTS[joint.type], self._at.coordinates[joint.label - 1]
        rate = kind.rate(q, speeds)
        change = kind.rate(q + 1j * _STEP * rate, speeds).imag / _STEP
        return q[place], rate[place], change[place] / 2

    # ---- quantities of frames ----------------------------------------------------------------------------------------

    def _of_frames(self, quantity: FrameQuantity) -> Series:
        first, last = quantity.frames[0], quantity.frames[-1]
        way = [b - a for a, b in zip(self._place(first), self._place(last), strict=True)]
        match quantity.word:
            case "position":
                vector = self._place(first)
            case "velocity":
                vector = _rate(self._place(first))
            case "angular_velocity":
                vector = self._twists[self._label(first), :3], np.zeros(3), np.zeros(3)
            case "axis":
                vector = self._axis(first, quantity.letter)
            case "direction":
                vector = _product(way, _quotient((1.0, 0.0, 0.0), _length(way)), np.multiply)
            case "distance":
                return _length(way)
            case "distance_rate":
                return _rate(_length(way))
            case "angle":
                return self._angle(first, last, "xyz".index(quantity.letter))
        still = np.eye(3)["xyz".index(quantity.component)], np.zeros(3), np.zeros(3)
        along = self._axis(quantity.axes, quantity.component) if quantity.axes else still
        return _product(along, vector, np.dot)

    def _angle(self, first: str, last: str, about: int) -> Series:
        along, across, turned = (
            self._axis(name, "xyz"[(about + step) % 3]) for name, step in ((first, 1), (first, 2), (last, 1))
        )
        x, y = _product(along, turned, np.dot), _product(across, turned, np.dot)
        swept = [a - b for a, b in zip(_product(x, _rate(y)), _product(y, _rate(x)), strict=True)]
        rate = _quotient(swept, [a + b for a, b in zip(_product(x, x), _product(y, y), strict=True)])
        return np.arctan2(y[0], x[0]), rate[0], rate[1] / 2

    def _label(self, name: str) -> int:
        return self._mechanism.body_labels[self._frames[name].body]

    def _pose(self, name: str) -> tuple[Array, Array]:
        return frame_pose(self._mechanism, self._frames[name], self._at.rotations, self._at.origins)

    def _place(self, name: str) -> Series:
        label = self._label(name)
        omega, velocity = np.split(self._twists[label], 2)
        origin = self._pose(name)[1]
        swept = cross(omega, origin - self._at.centers[label])
        return origin, velocity + swept, cross(omega, swept) / 2

    def _axis(self, name: str, letter: str) -> Series:
        turn = skew(self._twists[self._label(name), :3])
        axis = self._pose(name)[0][:, "xyz".index(letter)]
        return axis, turn @ axis, turn @ turn @ axis / 2


# ---- polynomials of time ---------------------------------------------------------------------------------------------


def _product(a: Series, b: Series, times: Callable[[Any, Any], Any] = np.multiply) -> Series:
    return (
        times(a[0], b[0]),
        times(a[0], b[1]) + times(a[1], b[0]),
        times(a[0], b[2]) + times(a[1], b[1]) + times(a[2], b[0]),
    )


def _quotient(a: Series, b: Series) -> Series:
    first = a[0] / b[0]
    second = (a[1] - first * b[1]) / b[0]
    return first, second, (a[2] - first * b[2] - second * b[1]) / b[0]


def _length(a: Series) -> Series:
    square = _product(a, a, np.dot)
    first = np.sqrt(square[0])
    second = square[1] / (2 * first)
    return first, second, (square[2] - second * second) / (2 * first)


def _rate(a: Series) -> Series:
    """The rate of a polynomial, whose last coefficient is not known and not asked for."""
    return a[1], 2 * a[2], 0 * a[2]
