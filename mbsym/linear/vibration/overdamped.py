"""Modes of a damped tree, those that damping keeps from oscillating as the two real eigenvalues that they turn into.

For a real s = -sigma the damped tree K - sigma D + sigma^2 M is real and symmetric. Where sigma rises, as many of its
eigenvalues change sign as there are eigenvalues of the tree, so that counts of negative pivots bracket each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.linear.vibration.elements import BeamLink
from mbsym.linear.vibration.roots import TOGETHER, damped_eigenvalue, of_size_one
from mbsym.linear.vibration.tree import VibratingTree

REAL: Final = 1e-9
"""Part of an eigenvalue that is imaginary by round-off."""

BEYOND: Final = 1e7
"""Factor to either side of all frequencies within which real eigenvalues are looked for."""

A_DECADE: Final = 20
"""Counts for each factor of ten, besides those about frequencies, which are critical dampings."""

NARROW: Final = 1e-13
"""Relative width of a bracket that is one eigenvalue."""

BESIDE: Final = 1e-7
"""Relative step aside from an eigenvalue to where its shape is large and finite."""


def damped_modes(tree: VibratingTree, omegas: Array, shapes: Array, name: str) -> tuple[list[complex], list[Array]]:
    """Eigenvalues s [1/s] and shapes by rising size; of pairs that oscillate the upper one, real ones each.

    Args:
        tree: that moves.
        omegas, shapes: of the undamped tree, as ``modes`` returns them; shapes of what oscillates are these.
        name: of the model.

    Raises:
        AnalysisError: as many real eigenvalues as modes turn into are not found.
    """
    found: list[tuple[complex, Array, float]] = []
    lost: list[float] = []
    for omega, shape in zip(omegas, shapes, strict=True):
        value = _eigenvalue(tree, float(omega), shape)
        same = next((k for k, other in enumerate(found) if value is not None and _are_one(value, omega, other)), None)
        if value is None or same is not None:
            lost.append(float(omega))
            if value is not None and same is not None and abs(abs(value) - omega) < abs(abs(value) - found[same][2]):
                lost[-1], found[same] = found[same][2], (value, shape, float(omega))
        else:
            found.append((value, shape, float(omega)))
    if lost:
        real = _real_eigenvalues(tree, omegas, lost, name)
        resting = int(np.sum(omegas == 0.0))
        if not 2 * len(lost) <= len(real) <= 2 * len(lost) + resting:
            which = "1 mode does" if len(lost) == 1 else f"{len(lost)} modes do"
            raise AnalysisError(
                f"{which} not oscillate for damping, and {len(real)} real eigenvalues in place of {2 * len(lost)} were "
                "found",
                where=name,
                remedy="ask for all modes by `count`, or leave `method` out",
            )
        found += [(complex(value), _shape(tree, value), 0.0) for value in real]
    found.sort(key=lambda each: (abs(each[0]), each[0].real))
    return [value for value, _, _ in found], [shape for _, shape, _ in found]


def _eigenvalue(tree: VibratingTree, omega: float, shape: Array) -> complex | None:
    """What a mode's frequency turns into if it oscillates still."""
    try:
        value = damped_eigenvalue(tree, omega, shape)
    except AnalysisError:
        return None
    if value and abs(value.imag) <= REAL * abs(value):
        return None
    return complex(value.real, abs(value.imag))


def _are_one(value: complex, omega: float, other: tuple[complex, Array, float]) -> bool:
    """Whether two modes of different frequencies lead to one eigenvalue, which belongs to one of them."""
    return abs(value - other[0]) <= TOGETHER * abs(value) and abs(omega - other[2]) > TOGETHER * omega


def _real_eigenvalues(tree: VibratingTree, omegas: Array, lost: Sequence[float], name: str) -> list[float]:
    """All that lie between those of the slowest and the quickest that is looked for."""
    if any(isinstance(x.link, BeamLink) and x.link.model == "exact" and x.link.damping for x in tree.elements):
        raise AnalysisError(
            f"{len(lost)} of the modes do not oscillate for damping, and what they turn into is not found of exact "
            "beams that are damped",
            where=name,
            remedy="ask for fewer modes by `count`, take finite elements (`beams consistent`), or leave `method` out",
        )
    moving = omegas[omegas > 0.0]
    low, high = moving.min() / BEYOND, moving.max() * BEYOND
    grid = np.geomspace(low, high, int(A_DECADE * np.log10(high / low)))
    steps = 10.0 ** -np.arange(0.5, 8.0, 0.5)
    about = np.multiply.outer(lost, np.concatenate([1.0 - steps, 1.0 + steps])).ravel()
    rates = np.sort(np.concatenate([grid, about]))
    counts = [tree.negative_at(-rate) for rate in rates]
    brackets = list(zip(rates[:-1], counts[:-1], rates[1:], counts[1:], strict=True))
    found: list[float] = []
    while brackets:
        left, below, right, above = brackets.pop()
        if below == above:
            continue
        if right - left <= NARROW * right:
            found += [-0.5 * (left + right)] * abs(above - below)
            continue
        middle = 0.5 * (left + right)
        count = tree.negative_at(-middle)
        brackets += [(left, below, middle, count), (middle, count, right, above)]
    return found


def _shape(tree: VibratingTree, value: float) -> Array:
    """Motions of the elements' points that decay at that rate, the largest entry 1 (n, 6)."""
    n = len(tree.elements)
    turns = np.arange(1, 6 * n + 1) * 0.6180339887498949
    loads = (turns - np.floor(turns) - 0.5).reshape(n, 6)
    return of_size_one(tree.motion(value * (1.0 + BESIDE), loads).real, tree.size)
