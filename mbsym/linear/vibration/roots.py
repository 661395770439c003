"""Frequencies, shapes and damped eigenvalues of a vibrating tree: roots of its overall transfer equation."""

from __future__ import annotations

from typing import Final

import numpy as np

from mbsym.doors import Array, scipy
from mbsym.errors import AnalysisError
from mbsym.linear.vibration.tree import VibratingTree

RESTING: Final = 1e-6
"""Frequencies below this part of the highest one asked for, or of the first that is none of rest, count as none:
stiffnesses have twelve digits there."""

CLOSE: Final = 3e-8
"""Relative width of a bracket at which counting ends: a piece of a beam may have nearly the frequency of the whole, and
pivots lose the digits then. What is closer together shares its bracket."""

ASTRAY: Final = 1e-6
"""Relative distance from its bracket at which a polished frequency, or width of a bracket at which a count out of
order, says that digits are lost."""

BESIDE: Final = 1e-7
"""Relative distance from a root at which inverse iteration is done, far enough for pivots with digits."""

NOTHING: Final = 1e-9
"""Part of the largest motion of a shape, displacements by the size, below which others are shown as zero."""

STEP: Final = 1e-6
"""Relative step of the derivative of the quadratic form by the frequency."""

START: Final = 1.0180339887498949
"""Bounds are this times powers of 4 and the tree's pace: on a frequency, which is more often a round number of it, a
pivot is zero."""

TOGETHER: Final = 1e-6
"""Relative distance below which damped eigenvalues, or frequencies, are one."""

MOST: Final = 60
"""Quadruplings of a bound, and steps to an eigenvalue: more find nothing."""


def modes(tree: VibratingTree, count: int, where: str = "") -> tuple[Array, Array]:
    """The lowest circular frequencies, damping left out, each as often as it occurs, and their shapes.

    None is missed: counts bracket each root, and the quadratic form of its shape gives it to round-off. Frequencies
    that occur several times share a space of motions, of which an orthonormal choice is made. What is slower than
    ``RESTING`` times the highest frequency looked for counts as resting: round-off of the stiffest hides it.

    Args:
        tree: that moves.
        count: how many are looked for.
        where: the place that an error tells, a model's name.

    Returns:
        Frequencies (modes,) [rad/s], and shapes, motions of the elements' points (modes, n, 6), the largest entry 1.

    Raises:
        AnalysisError: the state is unstable, or round-off hides frequencies.
    """
    total = tree.freedoms
    wanted = count if total is None else min(count, total)
    high = _bound(tree, wanted, total)
    low = RESTING * high
    growing = tree.growing(low)
    if growing < 0:
        raise _lost(low, where)
    if growing:
        raise AnalysisError(
            f"the state is unstable: {growing} motion{' grows' if growing == 1 else 's grow'}",
            where=where,
            remedy="take a stable state, or leave `method` out",
        )
    resting = tree.count_below(low)
    found: list[float] = []
    shapes: list[Array] = []
    if resting:
        found += [0.0] * resting
        shapes += list(_space(tree, 0.1j * low, 0.1 * low, resting)[0])
    brackets = [(low, resting, high, tree.count_below(high))]
    while brackets and len(found) < wanted:
        left, below, right, above = brackets.pop()
        if above <= below or below >= wanted:
            continue
        middle = 0.5 * (left + right)
        if right - left <= CLOSE * right:
            for omega, shape in _polished(tree, middle, above - below, where):
                if abs(omega - middle) > ASTRAY * middle:
                    raise _lost(middle, where)
                found.append(omega)
                shapes.append(shape)
            continue
        counted = tree.count_below(middle)
        at = min(max(counted, below), above)
        if at != counted and right - left > ASTRAY * right:
            raise _lost(middle, where)
        brackets += [(middle, at, right, above), (left, below, middle, at)]
    sized = [of_size_one(shape, tree.size) for shape in shapes[:wanted]]
    return np.array(found[:wanted]), np.array(sized).reshape(-1, len(tree.elements), 6)


def _bound(tree: VibratingTree, wanted: int, total: int | None) -> float:
    """A bound above the frequencies asked for, and not far; above one more where all that is asked for rests.

    Motions that rest stay below any bound, until round-off of the stiffnesses makes them swing or grow. So the search
    downwards ends at ``RESTING`` times the last bound that had a frequency close below it.
    """
    start = START * tree.pace
    below = tree.count_below(start)
    if below < wanted:
        return _first_above(tree, wanted)
    above = _first_above(tree, below + 1) if total is None or below < total else start
    high = start
    while high / 4.0 > RESTING * above:
        fewer = tree.count_below(high / 4.0)
        if fewer < wanted:
            return high
        if fewer < below:
            above = high
        high, below = high / 4.0, fewer
    return above


def _first_above(tree: VibratingTree, wanted: int) -> float:
    """The first bound with so many frequencies below it."""
    high = START * tree.pace
    for _ in range(MOST):
        if tree.count_below(high) >= wanted:
            break
        high *= 4.0
    return high


def _lost(omega: float, where: str) -> AnalysisError:
    return AnalysisError(
        f"round-off hides frequencies near {omega:.6g} rad/s: masses, inertias or stiffnesses are too far apart",
        where=where,
        remedy="hold or fix what hardly moves, ask for fewer modes, or leave `method` out",
    )


def _polished(tree: VibratingTree, omega: float, size: int, where: str) -> list[tuple[float, Array]]:
    """Frequencies next to one, and their shapes, by the quadratic form of motions, which is stationary at shapes.

    Raises:
        AnalysisError: the form has no digits left.
    """
    found = [omega] * size
    moved = np.zeros((size, len(tree.elements), 6))
    for _ in range(2):
        middle = float(np.mean(found))
        beside = middle * (1.0 + BESIDE)
        moved, freedoms = _space(tree, 1j * beside, 1j * middle * (1.0 - BESIDE), size)
        value = tree.quadratic_form(1j * beside, freedoms, moved).real
        step = STEP * beside
        after = tree.quadratic_form(1j * (beside + step), freedoms, moved).real
        before = tree.quadratic_form(1j * (beside - step), freedoms, moved).real
        slope = (after - before) / (2.0 * step)
        # The slope is that of -omega^2 times masses: shapes come out perpendicular by these.
        try:
            changes, vectors = scipy.linalg.eigh(value, -0.5 * (slope + slope.T))
        except np.linalg.LinAlgError:
            raise _lost(omega, where) from None
        found = [beside + float(change) for change in changes]
        moved = np.tensordot(vectors.T, moved, axes=1)
    return list(zip(found, moved, strict=True))


def _space(tree: VibratingTree, above: complex, below: complex, size: int) -> tuple[Array, list[Array]]:
    """Orthonormal motions at a frequency that occurs so often, and their freedoms.

    Args:
        tree: that moves.
        above, below: s with squares at equal distances on both sides of that of the frequency: what other modes add to
            the motions there is the same but for the square of the distance, and cancels in their difference.
        size: how often it occurs.
    """
    n = len(tree.elements)
    # Loads without any symmetry excite all shapes; the same ones in every run.
    turns = np.arange(1, 6 * n * size + 1) * 0.6180339887498949
    motions = (turns - np.floor(turns) - 0.5).reshape(size, n, 6)
    freedoms: list[Array] = []
    for _ in range(2):
        moved, parts = tree.undamped_motions(above, motions)
        other, other_parts = tree.undamped_motions(below, motions)
        moved, parts = moved - other, [x - y for x, y in zip(parts, other_parts, strict=True)]
        _, triangle = np.linalg.qr(moved.reshape(size, -1).T)
        factors = np.linalg.inv(triangle).T
        motions = np.tensordot(factors, moved, axes=1)
        freedoms = [np.asarray(sum(map(np.outer, factors.T, part))) for part in parts]
    return motions, freedoms


def of_size_one(shape: Array, size: float, whole: float = 0.0) -> Array:
    """A shape by its largest entry, zero where nothing moves.

    Args:
        shape: motions of points (n, 6).
        size: by which displacements are measured [m].
        whole: the largest measured motion of all points, where these are some of them.
    """
    measured = np.abs(shape / np.repeat([1.0, size], 3))
    least = NOTHING * max(whole, float(measured.max(initial=0.0)))
    shape = np.where(measured > least, shape, 0.0)
    flat = shape.ravel()
    sizes = np.abs(flat)
    if not sizes.any():
        return shape
    return np.asarray(shape / flat[int(np.argmax(sizes > sizes.max() * (1 - 1e-6)))])


def damped_eigenvalues(tree: VibratingTree, omegas: Array, shapes: Array, name: str) -> list[complex]:
    """Of each mode the eigenvalue s [1/s] that grows out of its undamped frequency.

    Args:
        tree: that moves.
        omegas, shapes: as ``modes`` returns them.
        name: of the model.

    Raises:
        AnalysisError: two searches end at one eigenvalue, as from a mode that damping keeps from oscillating, or one
            does not settle.
    """
    found = [damped_eigenvalue(tree, float(omega), shape, name) for omega, shape in zip(omegas, shapes, strict=True)]
    for k, value in enumerate(found):
        for j in range(k):
            apart = abs(complex(value.real, abs(value.imag)) - complex(found[j].real, abs(found[j].imag)))
            if apart <= TOGETHER * abs(value) and abs(omegas[k] - omegas[j]) > TOGETHER * omegas[k]:
                raise AnalysisError(
                    f"modes {j + 1} and {k + 1} lead to one damped eigenvalue: one of them is overdamped, and what it "
                    "turns into is not found",
                    where=name,
                    remedy="take less damping, or leave `method` out",
                )
    return found


def damped_eigenvalue(tree: VibratingTree, omega: float, shape: Array, where: str = "") -> complex:
    """The eigenvalue s [1/s] of the damped tree that grows out of an undamped frequency.

    1/response along the shape is zero where the response is infinite; Muller's method finds that from i omega.

    Args:
        tree: that moves.
        omega: the undamped frequency [rad/s].
        shape: its shape.
        where: the place that an error tells, a model's name.

    Raises:
        AnalysisError: the search does not settle.
    """
    if not omega:
        return 0j

    def gap(s: complex, *, is_met: bool = False) -> complex:
        try:
            response = complex(np.sum(shape * tree.motion(s, shape)))
        except (AnalysisError, np.linalg.LinAlgError):
            if is_met:
                raise
            # A pivot is zero just here. If the response is infinite, it is large beside it; else it is what it is.
            return gap(s * (1.0 + 4e-15), is_met=True)
        return 1.0 / response

    points = [1j * omega * (1.0 + 1e-3), (-1e-3 + 1j) * omega, 1j * omega * (1.0 + 1e-7)]
    values = [gap(s) for s in points]
    for _ in range(MOST):
        a, b, c = points[-3:]
        fa, fb, fc = values[-3:]
        first, second = (fb - fa) / (b - a), (fc - fb) / (c - b)
        bend = (second - first) / (c - a)
        slope = second + (c - b) * bend
        root = np.sqrt(slope**2 - 4.0 * fc * bend)
        below = slope + root if abs(slope + root) >= abs(slope - root) else slope - root
        move = -2.0 * fc / below
        s = complex(c + move)
        if not np.isfinite(s):
            break
        points.append(s)
        if abs(move) <= 1e-13 * abs(s):
            return s
        values.append(gap(s))
        if abs(move) <= 1e-10 * abs(s) and abs(values[-1]) >= abs(values[-2]):
            return s
    raise AnalysisError(
        f"no damped eigenvalue was found near {omega:.6g} rad/s", where=where, remedy="leave `method` out"
    )
