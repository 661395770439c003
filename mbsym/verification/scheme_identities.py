"""Checks of integration schemes: their constants against the recurrences of the literature, solved by numbers.

Sources: Arnold, Bruls, Convergence of the generalized-alpha scheme for constrained mechanical systems, 2007; Newmark, A
method of computation for structural dynamics, 1959; Wilson, Farhoomand, Bathe, Nonlinear dynamic analysis of complex
structures, 1973; Houbolt, A recurrence matrix solution for the dynamic response of elastic aircraft, 1950.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import factorial
from typing import Final, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.transfer_matrix.schemes import HISTORY_SIZE
from mbsym.verification.evidence import Pairs
from mbsym.verification.stepping_evidence import StepEvidence, StepIdentity

Step: TypeAlias = tuple[float, float, float, Array]
"""Velocity and acceleration at the collocation time, predictor, history after the step."""

Recurrence: TypeAlias = Callable[[Array, float, Mapping[str, float]], Step]
"""A step from a history (x, v, a, s, x2, x3), the value z at the collocation time, h and parameters by name."""


def _generalised_alpha(history: Array, z: float, given: Mapping[str, float]) -> Step:
    """Three recurrences for the new velocity, acceleration and auxiliary acceleration."""
    x, v, a, s, x2, _ = history
    h, r = given["h"], given["spectral_radius"]
    alpha_m, alpha_f = (2 * r - 1) / (r + 1), r / (r + 1)
    gamma, beta = 0.5 - alpha_m + alpha_f, 0.25 * (1 - alpha_m + alpha_f) ** 2
    matrix = np.array([[0, 0, h * h * beta], [1, 0, -h * gamma], [0, 1 - alpha_f, alpha_m - 1]])
    right = [z - x - h * v - h * h * (0.5 - beta) * s, v + h * (1 - gamma) * s, alpha_m * s - alpha_f * a]
    new_v, new_a, new_s = np.linalg.solve(matrix, right)
    return new_v, new_a, _ahead(history, h), np.array([z, new_v, new_a, new_s, x, x2])


def _newmark(history: Array, z: float, given: Mapping[str, float]) -> Step:
    x, v, a, _, x2, _ = history
    h, beta, gamma = given["h"], given["beta"], given["gamma"]
    matrix = np.array([[0, h * h * beta], [1, -h * gamma]])
    new_v, new_a = np.linalg.solve(matrix, [z - x - h * v - h * h * (0.5 - beta) * a, v + h * (1 - gamma) * a])
    return new_v, new_a, _ahead(history, h), np.array([z, new_v, new_a, new_a, x, x2])


def _fox_euler(history: Array, z: float, given: Mapping[str, float]) -> Step:
    return _newmark(history, z, {**given, "beta": 0.5, "gamma": 1.0})


def _wilson(history: Array, z: float, given: Mapping[str, float]) -> Step:
    """A cubic through x, v, a and the value theta steps on."""
    x, _, _, _, x2, _ = history
    h, late = given["h"], given["h"] * given["theta"]
    cubic = _through([(0, 0, history[0]), (0, 1, history[1]), (0, 2, history[2]), (late, 0, z)])
    new = [_at(cubic, h, order) for order in range(3)]
    return _at(cubic, late, 1), _at(cubic, late, 2), _ahead(history, late), np.array([*new, new[2], x, x2])


def _houbolt(history: Array, z: float, given: Mapping[str, float]) -> Step:
    """Lagrange's cubic through four values."""
    x, _, _, _, x2, x3 = history
    h = given["h"]
    cubic = _through([(-2 * h, 0, x3), (-h, 0, x2), (0, 0, x), (h, 0, z)])
    v, a = _at(cubic, h, 1), _at(cubic, h, 2)
    return v, a, _ahead(history, h), np.array([z, v, a, a, x, x2])


def _houbolt_first(history: Array, z: float, given: Mapping[str, float]) -> Step:
    """A cubic through initial values and one step; the initial acceleration is kept."""
    x, v, a, _, x2, _ = history
    h = given["h"]
    cubic = _through([(0, 0, x), (0, 1, v), (0, 2, a), (h, 0, z)])
    new_v, new_a = _at(cubic, h, 1), _at(cubic, h, 2)
    return new_v, new_a, _ahead(history, h), np.array([z, new_v, new_a, a, x, x2])


def _houbolt_second(history: Array, z: float, given: Mapping[str, float]) -> Step:
    """A cubic through three values and the initial acceleration."""
    x, _, _, s, x2, _ = history
    h = given["h"]
    cubic = _through([(-h, 0, x2), (-h, 2, s), (0, 0, x), (h, 0, z)])
    v, a = _at(cubic, h, 1), _at(cubic, h, 2)
    return v, a, _ahead(history, h), np.array([z, v, a, a, x, x2])


def _ahead(history: Array, time: float) -> float:
    """Motion at constant acceleration."""
    return float(history[0] + history[1] * time + history[2] * time * time / 2)


def _powers(time: float, order: int) -> list[float]:
    """Derivatives of 1, t, t^2, t^3 of an order."""
    return [factorial(k) / factorial(k - order) * time ** (k - order) if k >= order else 0.0 for k in range(4)]


def _through(conditions: list[tuple[float, int, float]]) -> Array:
    """Coefficients of the cubic with given values of derivatives: (time, order, value)."""
    return np.linalg.solve([_powers(time, order) for time, order, _ in conditions], [c[2] for c in conditions])


def _at(cubic: Array, time: float, order: int) -> float:
    return float(cubic @ _powers(time, order))


RECURRENCES: Final[Mapping[str, tuple[Recurrence, int]]] = {
    "generalised_alpha": (_generalised_alpha, 2),
    "newmark": (_newmark, 2),
    "wilson": (_wilson, 3),
    "houbolt_first": (_houbolt_first, 3),
    "houbolt_second": (_houbolt_second, 3),
    "houbolt": (_houbolt, 3),
    "fox_euler": (_fox_euler, 2),
}
"""Each scheme's step, and the highest power of time that it follows without error."""


def applied(scheme: Array, history: Array, z: float) -> Step:
    """A step as a scheme's array says."""
    n = HISTORY_SIZE
    B, D, predictor = (scheme[2 + k * n : 2 + (k + 1) * n] for k in range(3))
    rows = scheme[2 + 3 * n :].reshape(n, n + 1)
    v, a = float(scheme[0] * z + B @ history), float(scheme[1] * z + D @ history)
    return v, a, float(predictor @ history), rows @ [z, *history]


def _pairs(name: str) -> Callable[[StepEvidence], Pairs]:
    recurrence, degree = RECURRENCES[name]

    def pairs(evidence: StepEvidence) -> Pairs:
        scheme = evidence.results(name)["scheme"]
        given = {item.name: float(evidence[item.name]) for item in evidence.module.functions[name].inputs}
        for z, *history in np.eye(HISTORY_SIZE + 1):
            past = np.array(history)
            yield np.hstack(applied(scheme, past, z)), np.hstack(recurrence(past, z, given))
        yield from _polynomials(name, scheme, given, degree)
        if name == "generalised_alpha":
            yield from _infinitely_fast(scheme, given["spectral_radius"])

    return pairs


def _polynomials(name: str, scheme: Array, given: Mapping[str, float], degree: int) -> Pairs:
    """Motions 1, t, t^2, ... from t = 1 are followed; s is an acceleration, Houbolt's starts keep the initial one."""
    h, now = given["h"], 1.0
    reached, late = now + h, now + h * given.get("theta", 1.0)
    for power in range(degree + 1):
        motion = np.eye(4)[power]
        x, v, a = (_at(motion, now, order) for order in range(3))
        x2, x3 = _at(motion, now - h, 0), _at(motion, now - 2 * h, 0)
        s = _at(motion, now - h, 2) if name == "houbolt_second" else a
        velocity, acceleration, _, history = applied(scheme, np.array([x, v, a, s, x2, x3]), _at(motion, late, 0))
        yield np.array([velocity, acceleration]), np.array([_at(motion, late, order) for order in (1, 2)])
        kept = a if name == "houbolt_first" else _at(motion, reached, 2)
        yield history, np.array([*(_at(motion, reached, order) for order in range(3)), kept, x, x2])


def _infinitely_fast(scheme: Array, radius: float) -> Pairs:
    """Where the value is held at zero, velocity and accelerations change by three factors of that magnitude."""
    rows = scheme[2 + 3 * HISTORY_SIZE :].reshape(HISTORY_SIZE, HISTORY_SIZE + 1)
    yield np.poly(rows[1:4, 2:5]), np.poly([-radius] * 3)


SCHEME_IDENTITIES: Final = tuple(StepIdentity(name, "published recurrence", _pairs(name)) for name in RECURRENCES)
"""Checks of every scheme."""
