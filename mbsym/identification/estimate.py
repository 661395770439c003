"""Weighted least squares for base parameters: values, standard deviations, and which of them the data tell.

Each force has a noise of its own, found from what a first fit leaves. Data that do not excite a parameter make its
column follow from others; it is then grouped with them, as what no motion can show is grouped before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import IdentificationError
from mbsym.regressors.sampled import dependencies

Array: TypeAlias = NDArray[Any]

_ROUNDS: Final = 3
"""Fits with weights from the one before; they settle after two."""

_ESSENTIAL: Final = 1.96
"""Standard deviations away from zero that make a parameter essential: 95 of 100."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Base parameters from data.

    Attributes:
        values: (nbase,); zero where another parameter stands for it.
        deviations: standard deviations (nbase,).
        covariance: of the values (nbase, nbase); zero rows for those that others stand for.
        condition: of the weighted regressor with columns of length one.
        noise: standard deviation of each force.
        grouped: parameters that these data do not tell, with their share in those that stand for them.
        essential: those that differ from zero by 1.96 deviations, when all others are left out.
        essential_values: the estimate with these alone.
    """

    values: Array
    deviations: Array
    covariance: Array
    condition: float
    noise: Array
    grouped: Mapping[int, Mapping[int, float]]
    essential: tuple[int, ...]
    essential_values: Array

    @property
    def told(self) -> tuple[int, ...]:
        """Parameters that the data tell."""
        return tuple(k for k in range(len(self.values)) if k not in self.grouped)


def estimate(regressor: Array, forces: Array, where: str = "", repeated: float = 1.0) -> Estimate:
    """Weighted least squares.

    Args:
        regressor: (n, m, nbase).
        forces: (n, m).
        where: the data are from, for messages.
        repeated: samples for each that is independent of the others.

    Raises:
        IdentificationError: nothing moves, or there are fewer rows than parameters.
    """
    n, m, count = regressor.shape
    flat = regressor.reshape(n * m, count)
    if not count or not np.abs(flat).max(initial=0.0):
        raise IdentificationError("no parameter shows in the data", where=where, remedy="measure a motion")
    if n * m <= count:
        raise IdentificationError(
            f"{n} samples of {m} forces are too few for {count} parameters", where=where, remedy="measure longer"
        )
    told, grouped = _told(flat)
    used = regressor[:, :, told]
    noise = np.ones(m)
    for _ in range(_ROUNDS):
        found, covariance, condition = _fit(used, forces, noise)
        left = forces - used @ found
        freedom = max(n - len(told) / m, 1.0)
        noise = np.sqrt(np.maximum(np.sum(left**2, axis=0) / freedom, _floor(forces)))
    found, covariance, condition = _fit(used, forces, noise)
    covariance = covariance * repeated
    values, deviations, spread = np.zeros(count), np.zeros(count), np.zeros((count, count))
    values[told], deviations[told] = found, np.sqrt(np.diag(covariance))
    spread[np.ix_(told, told)] = covariance
    essential, essential_values = _essential(regressor, forces, noise * np.sqrt(repeated), told)
    return Estimate(values, deviations, spread, condition, noise, grouped, essential, essential_values)


def _floor(forces: Array) -> float:
    """Noise below which a fit is exact."""
    return float((1e-12 * np.abs(forces).max(initial=1e-300)) ** 2)


def _told(rows: Array) -> tuple[list[int], dict[int, Mapping[int, float]]]:
    """Columns that stand for themselves, and the others by these."""
    found = dependencies(rows, range(rows.shape[1]))
    return sorted(found.pivots), {place: dict(relation) for place, relation in found.relations.items()}


def _fit(regressor: Array, forces: Array, noise: Array) -> tuple[Array, Array, float]:
    rows = (regressor / noise[:, None]).reshape(-1, regressor.shape[2])
    sizes = np.linalg.norm(rows, axis=0)
    u, s, vt = np.linalg.svd(rows / sizes, full_matrices=False)
    inverse = (vt.T / s) / sizes[:, None]
    return inverse @ (u.T @ (forces / noise).ravel()), inverse @ inverse.T, float(s[0] / s[-1])


def _essential(regressor: Array, forces: Array, noise: Array, told: list[int]) -> tuple[tuple[int, ...], Array]:
    """Leaves out the parameter nearest to zero in terms of its deviation, as long as one is near."""
    kept = list(told)
    while True:
        found, covariance, _ = _fit(regressor[:, :, kept], forces, noise)
        far = np.abs(found) / np.sqrt(np.diag(covariance))
        nearest = int(np.argmin(far))
        if far[nearest] >= _ESSENTIAL or len(kept) == 1:
            break
        kept.pop(nearest)
    values = np.zeros(regressor.shape[2])
    values[kept] = found
    return tuple(kept), values
