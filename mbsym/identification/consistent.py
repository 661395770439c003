"""Standard parameters that some bodies of positive density could have, as near to the estimate as these allow.

A body is possible where its pseudo-inertia, second moments of its mass in homogeneous coordinates, is positive
definite. Base parameters leave standard ones free in many directions; there they stay near the model's own values, in
the metric that the log-determinant gives, which is convex and a barrier at the edge of what is possible. The sum is
minimised by Newton steps.

Source: P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically consistent inertial parameter
identification, 2018; T. Lee, P. M. Wensing, F. C. Park, Geometric robot dynamic identification, 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import IdentificationError
from mbsym.model.system import Model
from mbsym.regressors.grouping import first_columns
from mbsym.regressors.parameters import StandardParameter
from mbsym.values.entries import entries_of

_PRIOR: Final = 1e-2
"""What a unit of divergence from the model costs, where a misfit of one standard deviation costs one half."""

_SURE: Final = 1e-6
"""Part of the largest estimate that a deviation counts for at least: data without noise leave nothing to weigh."""

_STEPS: Final = 200
_SETTLED: Final = 1e-10
_THIN: Final = 1e-3
"""Eigenvalues of the model's own pseudo-inertias are raised to this part of the largest."""

_SMALL: Final = 1e-3
"""What stands for a parameter of the model that is zero and must be positive, and for the mass of a massless body."""


def pseudo_inertia(ten: Array) -> Array:
    """[[S, h], [h^T, m]] with S = tr(I)/2 - I, (4, 4), of mass, first moment and inertia about the frame's origin."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = ten
    half = (xx + yy + zz) / 2
    return np.array([[half - xx, -xy, -xz, hx], [-xy, half - yy, -yz, hy], [-xz, -yz, half - zz, hz], [hx, hy, hz, m]])


_UNITS: Final = np.array([pseudo_inertia(row) for row in np.eye(10)])


def consistent_parameters(
    model: Model, columns: Sequence[StandardParameter], matrix: Array, values: Array, covariance: Array
) -> Array:
    """Standard parameters (np,).

    Args:
        model: whose parameters they are, for what must be positive.
        columns: the standard parameters with the model's values.
        matrix: (k, np) with the estimated quantities = matrix times standard parameters.
        values: estimated (k,).
        covariance: of them (k, k).

    Raises:
        IdentificationError: Newton steps do not settle.
    """
    problem = _Problem(model, columns, matrix, values, covariance)
    x = problem.start()
    for _ in range(_STEPS):
        gradient, hessian = problem.derivatives(x)
        scale = 1 / np.sqrt(np.maximum(np.diag(hessian), 1e-300))
        step = -scale * np.linalg.lstsq(hessian * np.outer(scale, scale), scale * gradient, rcond=1e-15)[0]
        decrement = float(-gradient @ step)
        if decrement < _SETTLED * (1 + abs(problem.cost(x))):
            return x
        length, before = 1.0, problem.cost(x)
        while length > 1e-14 and not problem.cost(x + length * step) <= before - 0.1 * length * decrement:
            length /= 2
        if length <= 1e-14:
            return x
        x = x + length * step
    raise IdentificationError(
        "no physically consistent parameters were found",
        where=model.name,
        remedy="give the model masses near the real ones",
    )


class _Problem:
    """Misfit in standard deviations, and divergence from the model."""

    def __init__(
        self, model: Model, columns: Sequence[StandardParameter], matrix: Array, values: Array, covariance: Array
    ) -> None:
        self._own = np.array([item.value for item in columns])
        self._bodies = [slice(start, start + 10) for start in first_columns(columns).values()]
        self._positive = [place for place, item in enumerate(columns) if _must_be_positive(model, item)]
        inertial = {place for body in self._bodies for place in range(body.start, body.stop)}
        self._free = [k for k in range(len(columns)) if k not in inertial and k not in self._positive]
        least = _SURE * float(np.abs(values).max(initial=1e-6))
        sizes = np.sqrt(np.maximum(np.diag(covariance), least**2))
        correlation = covariance / np.outer(sizes, sizes)
        root = np.linalg.cholesky(correlation + np.diag(np.maximum(1 - np.diag(correlation), 1e-9)))
        self._matrix = np.linalg.solve(root, matrix / sizes[:, None])
        self._values = np.linalg.solve(root, values / sizes)
        self._priors = self._prior_inertias()
        self._sizes = np.maximum(np.abs(self._own), _SMALL)

    def start(self) -> Array:
        """The model's own values, made possible."""
        x = self._own.copy()
        for body, prior in zip(self._bodies, self._priors, strict=True):
            second = prior[:3, :3]
            inertia = np.trace(second) * np.eye(3) - second
            x[body] = [prior[3, 3], *prior[:3, 3], *np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        x[self._positive] = self._sizes[self._positive]
        return x

    def cost(self, x: Array) -> float:
        """Infinite where the parameters are not possible."""
        misfit = self._matrix @ x - self._values
        total = 0.5 * float(misfit @ misfit)
        for body, prior in zip(self._bodies, self._priors, strict=True):
            sign, logarithm = np.linalg.slogdet(pseudo_inertia(x[body]))
            smallest = float(np.linalg.eigvalsh(pseudo_inertia(x[body]))[0])
            if sign <= 0 or smallest <= 0:
                return np.inf
            total += _PRIOR * (float(np.trace(np.linalg.solve(prior, pseudo_inertia(x[body])))) - float(logarithm))
        ratios = x[self._positive] / self._sizes[self._positive]
        if ratios.min(initial=1.0) <= 0:
            return np.inf
        off = (x[self._free] - self._own[self._free]) / self._sizes[self._free]
        return total + _PRIOR * float(np.sum(ratios - np.log(ratios)) + 0.5 * off @ off)

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Gradient and Hessian of the cost."""
        gradient = self._matrix.T @ (self._matrix @ x - self._values)
        hessian = self._matrix.T @ self._matrix
        for body, prior in zip(self._bodies, self._priors, strict=True):
            inverse = np.linalg.inv(pseudo_inertia(x[body]))
            gradient[body] += _PRIOR * np.einsum("ij,kji->k", np.linalg.inv(prior) - inverse, _UNITS)
            turned = np.einsum("ij,kjl->kil", inverse, _UNITS)
            hessian[body, body] += _PRIOR * np.einsum("kij,lji->kl", turned, turned)
        for place in self._positive:
            gradient[place] += _PRIOR * (1 / self._sizes[place] - 1 / x[place])
            hessian[place, place] += _PRIOR / x[place] ** 2
        for place in self._free:
            gradient[place] += _PRIOR * (x[place] - self._own[place]) / self._sizes[place] ** 2
            hessian[place, place] += _PRIOR / self._sizes[place] ** 2
        return gradient, hessian

    def _prior_inertias(self) -> list[Array]:
        """Pseudo-inertias of the model, those on the edge moved inside."""
        masses = [self._own[body.start] for body in self._bodies]
        usual = max(float(np.mean(masses)) if masses else 1.0, _SMALL)
        found = []
        for body in self._bodies:
            ten = self._own[body].copy()
            ten[0] = max(ten[0], _SMALL * usual)
            own = pseudo_inertia(ten)
            sizes, axes = np.linalg.eigh(own[:3, :3] - np.outer(own[:3, 3], own[:3, 3]) / own[3, 3])
            least = max(_THIN * float(sizes[-1]), _SMALL * own[3, 3] * 1e-2)
            about = (axes * np.maximum(sizes, least)) @ axes.T
            own[:3, :3] = about + np.outer(own[:3, 3], own[:3, 3]) / own[3, 3]
            found.append(own)
        return found


def _must_be_positive(model: Model, item: StandardParameter) -> bool:
    if item.kind == "armature":
        return True
    if item.kind != "force":
        return False
    element = next(each for each in model.forces if each.name == item.owner)
    return any(entry.key == item.key and entry.least == "zero" for entry in entries_of(type(element)))
