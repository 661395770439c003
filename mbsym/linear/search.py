"""Equilibria from many starts, each of them once."""

from __future__ import annotations

from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.linear.balance import Balance
from mbsym.linear.tangent import increment_units
from mbsym.loops.closing import close
from mbsym.loops.tolerances import CLOSED
from mbsym.pipeline import Progress

SAME: Final = 1e-6
"""Equilibria closer than this [rad, part of the mechanism's size] are one."""

MOST: Final = 24
"""Equilibria that are kept, the nearest ones."""

STRIDE: Final = 0.5
"""Longest step along a family of equilibria [rad, part of the mechanism's size]."""

MOST_STRIDES: Final = 15
"""Steps after which a way from one equilibrium to another is given up."""

AHEAD: Final = 0.5
"""Part of the way to another equilibrium that must lie along the family to go on."""


def solutions(balance: Balance, q: Array, starts: int, progress: Progress | None = None) -> tuple[list[Array], Array]:
    """Unknowns of distinct equilibria, and those of the least unbalanced place of all.

    What the search comes to from the first place is first; the others follow by their distance from there.
    """
    problem, found = balance.problem, []
    # The same places in every run.
    generator = np.random.default_rng(20)
    best, least, direct = balance.start(q), np.inf, False
    for number in range(max(starts, 1) if balance.free.speeds else 1):
        if progress is not None:
            progress("look for equilibria", number, starts)
        place = balance.start(_moved(balance, q, generator) if number else q)
        done = close(problem, place)
        if done.gap < least:
            best, least = done.q, done.gap
        if done.gap < CLOSED:
            found.append(_unwound(balance, _returned(balance, done.q, q)))
            direct = direct or not number
    distances = [float(np.linalg.norm(_apart(balance, balance.start(q), z))) for z in found]
    order = sorted(
        range(len(found)),
        key=lambda k: (not direct or k > 0, round(distances[k], 6), *np.round(balance.measured(found[k]), 6).tolist()),
    )
    kept: list[Array] = []
    for z in (found[k] for k in order):
        if not any(_leads_to(balance, other, z) for other in kept):
            kept.append(z)
    return kept[:MOST], best


def _moved(balance: Balance, q: Array, generator: np.random.Generator) -> Array:
    """Free coordinates anywhere: angles up to half a turn, lengths up to the mechanism's size away."""
    units = increment_units(balance.mechanism)
    most = np.array([np.pi if units[column] == "rad" else 1.0 for column in balance.free.speeds])
    way = generator.uniform(-1.0, 1.0, len(most)) * most
    return balance.split(balance.moved(balance.start(q), way))[0]


def _returned(balance: Balance, z: Array, q: Array) -> Array:
    """z with the coordinates that change nothing as they were at the start."""
    idle = balance.idle(z)[: len(balance.free.speeds)]
    alone = np.abs(np.linalg.norm(idle, axis=1) - 1.0) < SAME if idle.size else np.zeros(0, dtype=bool)
    for column in np.array(balance.free.speeds, dtype=int)[alone]:
        for body in balance.mechanism.bodies_by_coordinates:
            place = body.q_range[0] + int(column) - body.v_range[0]
            if body.v_range[0] <= column < body.v_range[1] and body.joint.kind.speeds_are_rates:
                moved = z.copy()
                moved[place] = q[place]
                z = moved if balance.unbalanced(moved) < CLOSED else z
    return z


def _unwound(balance: Balance, z: Array) -> Array:
    """z with angles in (-pi, pi], where whole turns change nothing."""
    mechanism = balance.mechanism
    for body in mechanism.bodies_by_coordinates:
        if not body.joint.kind.speeds_are_rates:
            continue
        for place, unit in zip(range(*body.q_range), body.joint.shape.coordinate_units, strict=True):
            turned = z.copy()
            # Half a turn either way is one place, whatever round-off says.
            turned[place] = np.pi + SAME - (np.pi + SAME - z[place]) % (2.0 * np.pi)
            if unit == "rad" and turned[place] != z[place]:
                z = turned if balance.unbalanced(turned) < CLOSED else z
    return z


def _apart(balance: Balance, first: Array, second: Array) -> Array:
    """Differences of coordinates, measured, quaternions of either sign."""
    difference = second[: balance.mechanism.nq] - first[: balance.mechanism.nq]
    for start in balance.mechanism.q.quaternions:
        part = slice(start, start + 4)
        if first[part] @ second[part] < 0.0:
            difference[part] = -second[part] - first[part]
    return np.asarray(difference / balance.measures.coordinates)


def _leads_to(balance: Balance, first: Array, second: Array) -> bool:
    """Whether one leads to the other through equilibria: by what is idle, as straight as it goes."""
    here, left = first, np.inf
    for _ in range(MOST_STRIDES):
        apart = _apart(balance, here, second)
        before, left = left, float(np.linalg.norm(apart))
        if np.abs(apart).max(initial=0.0) < SAME:
            return True
        idle = balance.idle(here)[: len(balance.free.speeds)]
        if not idle.size or not left < before:
            return False
        motions = _motions(balance, here, idle)
        amounts = np.linalg.lstsq(motions, apart, rcond=None)[0]
        if np.linalg.norm(motions @ amounts) < AHEAD * left:
            return False
        way = idle @ amounts
        way *= min(1.0, STRIDE / float(np.abs(way).max(initial=1e-300)))
        done = close(balance.problem, balance.moved(here, way), iterations=5)
        if not done.gap < CLOSED:
            return False
        here = done.q
    return False


def _motions(balance: Balance, z: Array, idle: Array) -> Array:
    """How coordinates move along idle directions, measured, in columns."""
    small = 1e-6
    moves = (balance.moved(z, small * column) - z for column in idle.T)
    found = [move[: balance.mechanism.nq] / small / balance.measures.coordinates for move in moves]
    return np.array(found).T
