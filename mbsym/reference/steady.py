"""Motions in which every body turns steadily while its centre of mass goes straight on: polynomials of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from mbsym.model.frame import Frame
from mbsym.model.frame_ends import frames_in_expressions
from mbsym.reference.mechanism import NumericMechanism
from mbsym.reference.placements import Configuration
from mbsym.reference.rotations import Array, cross

Series: TypeAlias = Sequence[Any]
"""Coefficients of 1, t and t^2."""


@dataclass(frozen=True, slots=True)
class Steady:
    """Bodies that each move by themselves, without accelerations.

    Attributes:
        mechanism, at: the mechanism and where it is.
        frames: those that expressions of its model name.
        twists: [angular velocity; velocity of the centre of mass] of the base and all bodies, base axes (nb+1, 6).
        rates: speeds of all joints.
    """

    mechanism: NumericMechanism
    at: Configuration
    frames: Mapping[str, Frame]
    twists: Array
    rates: Array

    @classmethod
    def at_rest(cls, mechanism: NumericMechanism, at: Configuration) -> Steady:
        """Nothing moves."""
        rates = np.zeros(mechanism.joints[-1].rates.stop)
        return cls(mechanism, at, frames_in_expressions(mechanism.model), np.zeros((mechanism.nb + 1, 6)), rates)

    def moving(self, twists: Array, rates: Array) -> Steady:
        """The same place in another motion, by the twists of the bodies (nb, 6)."""
        return replace(self, twists=np.concatenate([np.zeros((1, 6)), twists]), rates=rates)

    def point(self, label: int, place: Array) -> Series:
        """A point of a body that is at that place now."""
        omega, velocity = np.split(self.twists[label], 2)
        swept = cross(omega, place - self.at.centers[label])
        return place, velocity + swept, cross(omega, swept) / 2

    def direction(self, label: int, direction: Array) -> Series:
        """A direction in a body that is along that one now."""
        omega = self.twists[label, :3]
        swept = cross(omega, direction)
        return direction, swept, cross(omega, swept) / 2

    def spin(self, label: int) -> Series:
        """Angular velocity of a body."""
        return constant(self.twists[label, :3])

    def velocity(self, label: int, place: Series) -> Series:
        """Of the point of a body that is at a place, which need not stay in the body."""
        center = self.point(label, self.at.centers[label])
        arm = difference(place, center)
        swept = product(self.spin(label), arm, cross)
        return [a + b for a, b in zip(rate(center), swept, strict=True)]


def constant(value: Any) -> Series:
    """What stays as it is."""
    return value, 0 * value, 0 * value


def difference(a: Series, b: Series) -> Series:
    """a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def product(a: Series, b: Series, times: Callable[[Any, Any], Any] = np.multiply) -> Series:
    """a times b, by any product."""
    return (
        times(a[0], b[0]),
        times(a[0], b[1]) + times(a[1], b[0]),
        times(a[0], b[2]) + times(a[1], b[1]) + times(a[2], b[0]),
    )


def quotient(a: Series, b: Series) -> Series:
    """a / b."""
    first = a[0] / b[0]
    second = (a[1] - first * b[1]) / b[0]
    return first, second, (a[2] - first * b[2] - second * b[1]) / b[0]


def length(a: Series) -> Series:
    """Of a vector."""
    square = product(a, a, np.dot)
    first = np.sqrt(square[0])
    second = square[1] / (2 * first)
    return first, second, (square[2] - second * second) / (2 * first)


def rate(a: Series) -> Series:
    """The rate, whose last coefficient is not known and not asked for."""
    return a[1], 2 * a[2], 0 * a[2]
