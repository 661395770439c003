"""Model files of chains of equal bars that hang on pins along -y, and how they swing when they swing little.

A heavy chain of length L in its lowest mode: the displacement at a distance s from the free end is proportional to
J0(z sqrt(s/L)) cos(omega t), omega = z/2 sqrt(g/L), z the first zero of Bessel's function J0 (Daniel Bernoulli 1733).
"""

from __future__ import annotations

from math import cos, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

BAR = 0.1
MASS = 0.2
GRAVITY = 9.81
FIRST_ZERO = 2.404825557695773

_BODY = "{mass: 0.2, center_of_mass: [0.05, 0, 0], inertia: [1e-6, 0.2*0.1**2/12, 0.2*0.1**2/12]}"
_HEAD = f"name: chain\ngravity: [0, -{GRAVITY}, 0]\n"
_FIRST = "  pin0: {type: revolute, from: ground, to: bar0, axis: z}\n"


def repeated(count: int) -> str:
    """YAML of a chain whose second bar is repeated."""
    bar = f"bar<i>: {_BODY}"
    pin = "pin<i>: {type: revolute, from: bar<i-1>, to: bar<i>, axis: z, at: [0.1, 0, 0]}"
    repeat = f"repeat:\n  to: {count - 1}\n  bodies:\n    {bar}\n  joints:\n    {pin}\n"
    return f"{_HEAD}bodies:\n  bar0: {_BODY}\njoints:\n{_FIRST}{repeat}"


def flat(count: int) -> str:
    """YAML of the same chain with every bar and pin written out."""
    bars = "".join(f"  bar{k}: {_BODY}\n" for k in range(count))
    pins = "".join(
        f"  pin{k}: {{type: revolute, from: bar{k - 1}, to: bar{k}, axis: z, at: [0.1, 0, 0]}}\n"
        for k in range(1, count)
    )
    return f"{_HEAD}bodies:\n{bars}joints:\n{_FIRST}{pins}"


def frequency(count: int) -> float:
    """Of the lowest mode [rad/s]."""
    return FIRST_ZERO / 2 * sqrt(GRAVITY / (count * BAR))


def lowest_mode(count: int, largest: float) -> NDArray[Any]:
    """Angles of the bars against -y in the lowest mode, the largest one as given: -J0'(x)/x by its series."""
    s = (count - 0.5 - np.arange(count)) / count
    quarter, term, total = FIRST_ZERO**2 * s / 4, np.ones(count), np.ones(count)
    for k in range(1, 25):
        term = -term * quarter / (k * (k + 1))
        total += term
    angles: NDArray[Any] = largest * total / np.abs(total).max()
    return angles


def coordinates(angles: NDArray[Any]) -> NDArray[Any]:
    """Coordinates of the pins for angles of the bars against -y."""
    q = np.diff(angles, prepend=0.0)
    q[0] -= pi / 2
    return q


def swung(count: int, angles: NDArray[Any], t: float) -> NDArray[Any]:
    """Angles of the bars at a time, from rest in the lowest mode."""
    result: NDArray[Any] = angles * cos(frequency(count) * t)
    return result
