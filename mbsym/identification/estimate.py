"""Weighted least squares for base parameters: values, standard deviations, and which of them the data tell.

Each force has a noise of its own, found from what a first fit leaves: the sum of squares over the samples less the
parameters that this force pays for. Weights that come from the data are themselves uncertain; what that adds to the
covariance counts in short records. Data that do not excite a parameter make its column follow from others; it is then
grouped with them, as what no motion can show is grouped before.

Source: M. G. Kenward, J. H. Roger, Small sample inference for fixed effects from restricted maximum likelihood, 1997.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array, scipy
from mbsym.errors import IdentificationError
from mbsym.regressors.sampled import dependencies

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
        covariance: of the values (nbase, nbase), with what the weights are uncertain by; zero rows for those that
            others stand for.
        condition: of the weighted regressor with columns of length one.
        noise: standard deviation of each force.
        region: for all parameters together, by which their squared distance in terms of the covariance is multiplied,
            and the degrees of freedom of the F distribution that it then has; NaN for too few samples.
        grouped: parameters that these data do not tell, with their share in those that stand for them.
        essential: those that differ from zero by 1.96 deviations, when all others are left out.
        essential_values: the estimate with these alone.
    """

    values: Array
    deviations: Array
    covariance: Array
    condition: float
    noise: Array
    region: tuple[float, float]
    grouped: Mapping[int, Mapping[int, float]]
    essential: tuple[int, ...]
    essential_values: Array

    @property
    def told(self) -> tuple[int, ...]:
        """Parameters that the data tell."""
        return tuple(k for k in range(len(self.values)) if k not in self.grouped)

    def level_of(self, values: Array) -> float:
        """Of the ellipsoid about the estimate that has the values on its edge, 0 to 1; NaN for too few samples.

        In 95 of 100 records it is below 0.95 for the parameters that made the data.

        Args:
            values: of all base parameters (nbase,); those that the data do not tell are not looked at.
        """
        told = list(self.told)
        off = (np.asarray(values) - self.values)[told]
        scale, freedom = self.region
        sizes = self.deviations[told]
        correlation = self.covariance[np.ix_(told, told)] / np.outer(sizes, sizes)
        squared = float(off / sizes @ np.linalg.solve(correlation, off / sizes))
        return float(scipy.special.fdtr(len(told), freedom, scale * squared / len(told)))


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
    found = dependencies(flat, range(count))
    told = sorted(found.pivots)
    used = regressor[:, :, told]
    noise = np.ones(m)
    for _ in range(_ROUNDS):
        fit = _fit(used, forces, noise)
        left = forces - used @ fit.values
        noise = np.sqrt(
            np.maximum(np.sum(left**2, axis=0) / fit.freedom, float((1e-12 * np.abs(forces).max(initial=1e-300)) ** 2))
        )
    fit = _fit(used, forces, noise)
    covariance = fit.uncertain(repeated) * repeated
    values, deviations, spread = np.zeros(count), np.zeros(count), np.zeros((count, count))
    values[told], deviations[told] = fit.values, np.sqrt(np.diag(covariance))
    spread[np.ix_(told, told)] = covariance
    essential, essential_values = _essential(regressor, forces, noise * np.sqrt(repeated), told)
    region = fit.region(repeated)
    return Estimate(
        values, deviations, spread, fit.condition, noise, region, found.relations, essential, essential_values
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """Least squares with given weights.

    Attributes:
        values: (k,).
        root: R with the covariance R R^T, were the weights certain.
        shares: of each force in what is known of R^-1 values (m, k, k); their sum is the unit matrix.
        samples: their number.
        condition: of the weighted rows with columns of length one.
    """

    values: Array
    root: Array
    shares: Array
    samples: int
    condition: float

    @property
    def freedom(self) -> Array:
        """Samples of each force less the parameters that it pays for (m,)."""
        return np.asarray(np.maximum(self.samples - np.trace(self.shares, axis1=1, axis2=2), 1.0))

    def uncertain(self, repeated: float) -> Array:
        """Covariance with what estimated weights add: R (1 + 4 sum (P - P^2)/freedom) R^T."""
        more = (self.shares - self.shares @ self.shares) / (self.freedom / repeated)[:, None, None]
        return np.asarray(self.root @ (np.eye(len(self.values)) + 4 * more.sum(axis=0)) @ self.root.T)

    def region(self, repeated: float) -> tuple[float, float]:
        """Scale and degrees of freedom of F; NaN where there are too few samples to say."""
        size = len(self.values)
        part = 2 / (self.freedom / repeated)
        first = float(part @ np.trace(self.shares, axis1=1, axis2=2) ** 2)
        second = float(part @ np.trace(self.shares @ self.shares, axis1=1, axis2=2))
        both = (first + 6 * second) / (2 * size)
        g = ((size + 1) * first - (size + 4) * second) / ((size + 2) * second)
        below = 3 * size + 2 * (1 - g)
        c1, c2, c3 = g / below, (size - g) / below, (size + 2 - g) / below
        if second >= size or c3 * both >= 1:  # c2 is less than c3
            return np.nan, np.nan
        mean = 1 / (1 - second / size)
        ratio = (1 + c1 * both) / ((1 - c2 * both) ** 2 * (1 - c3 * both)) / (size * mean**2)
        freedom = 4 + (size + 2) / (size * ratio - 1)
        return freedom / (mean * (freedom - 2)), freedom


def _fit(regressor: Array, forces: Array, noise: Array) -> _Fit:
    n, m, size = regressor.shape
    rows = (regressor / noise[:, None]).reshape(n * m, size)
    lengths = np.linalg.norm(rows, axis=0)
    u, s, vt = np.linalg.svd(rows / lengths, full_matrices=False)
    root = (vt.T / s) / lengths[:, None]
    by_force = u.reshape(n, m, size)
    shares = np.einsum("nmi,nmj->mij", by_force, by_force)
    return _Fit(root @ (u.T @ (forces / noise).ravel()), root, shares, n, float(s[0] / s[-1]))


def _essential(regressor: Array, forces: Array, noise: Array, told: list[int]) -> tuple[tuple[int, ...], Array]:
    """Leaves out the parameter nearest to zero in terms of its deviation, as long as one is near."""
    kept = list(told)
    while True:
        fit = _fit(regressor[:, :, kept], forces, noise)
        far = np.abs(fit.values) / np.linalg.norm(fit.root, axis=1)
        nearest = int(np.argmin(far))
        if far[nearest] >= _ESSENTIAL or len(kept) == 1:
            break
        kept.pop(nearest)
    values = np.zeros(regressor.shape[2])
    values[kept] = fit.values
    return tuple(kept), values
