"""Motions that excite all parameters of an arm: Fourier series within limits, of least condition of the regressor.

Each coordinate is a sum of harmonics of one base frequency, so that the motion repeats, and begins and ends at rest.
Its coefficients give the shape alone: every coordinate is centred and stretched until it meets the first of its limits
of position, speed or acceleration. Then limits hold by construction, and the condition of the base regressor with
columns of length one is minimised without constraints, with derivatives taken in reverse through its graph.

Source: J. Swevers, C. Ganseman, D. Bilgin, J. De Schutter, H. Van Brussel, Optimal robot excitation and identification,
1997.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

import numpy as np

from mbsym.doors import Array, scipy
from mbsym.errors import IdentificationError
from mbsym.identification.measurements import column_names, column_units
from mbsym.identification.options import DEFAULT_MOTION, Settings
from mbsym.identification.rows import Regression, regression_of
from mbsym.kinematics.measures import measures_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.own_units import length_unit
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import express, read
from mbsym.regressors.columns import force_columns
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate, parameter_values

_REACH: Final = 1.0
_SPEED: Final = 2.0
"""Limits of coordinates and speeds for which the model states none [rad, mechanism's unit of length, and their rates].
"""

_NARROW: Final = 1e-6
"""Room and speed below which a coordinate has none, likewise."""

_PER_PERIOD: Final = 8
"""Samples of the shortest period that the condition is taken of."""

_FINE: Final = 64
"""Samples of the shortest period between which limits are bounded by the next derivative."""

_MOST_SAMPLES: Final = 1e6

_STARTS: Final = 3
_ITERATIONS: Final = 80


@dataclass(frozen=True, slots=True)
class Limits:
    """Of each coordinate: lowest and highest, and of speed and acceleration (nv,)."""

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array


@dataclass(frozen=True, slots=True, repr=False)
class Excitation:
    """A motion to measure along.

    Attributes:
        regression: what it excites.
        limits: that it keeps.
        t, q, v, vdot: (n,) and (n, nv).
        condition: of the base regressor with columns of length one.
        before: the same of the random shape from which the search came to it.
    """

    regression: Regression
    limits: Limits
    t: Array
    q: Array
    v: Array
    vdot: Array
    condition: float
    before: float

    def __repr__(self) -> str:
        return f"<Excitation of {self.regression.mechanism.model.name!r}, condition {self.condition:.3g}>"

    @property
    def columns(self) -> tuple[tuple[str, str, Array], ...]:
        """Of a table: names, units and values."""
        mechanism = self.regression.mechanism
        names, units = column_names(mechanism), column_units(mechanism)
        values = np.column_stack([self.t, self.q, self.v, self.vdot]).T
        return tuple(
            (name, units[name], own) for name, own in zip(("t", *names.q, *names.v, *names.vdot), values, strict=True)
        )


def excite(source: Model | str | Path, settings: Settings = DEFAULT_MOTION) -> Excitation:
    """A motion along which the base parameters of a tree are told best.

    Args:
        source: a model, a model file, or the name of a bundled example.
        settings: what the motion is to be.

    Raises:
        IdentificationError: coordinates are no sums of harmonics, or limits leave no motion.
    """
    model = read(source)
    _require_plain(express(model, GenerationOptions()))
    _require_possible(settings)
    regression = regression_of(model)
    mechanism = regression.mechanism
    limits = limits_of(mechanism, settings)
    search = Search(regression, limits, settings)
    random = np.random.default_rng(settings.seed)
    found: list[tuple[float, float, Array]] = []
    for _ in range(_STARTS):
        start = random.normal(size=search.size)
        found.append((search.cost(start)[0], *search.minimised(start)))
    before, least, shape = min(found, key=lambda each: each[1])
    t, q, v, vdot = search.motion(shape)
    return Excitation(regression, limits, t, q, v, vdot, float(np.exp(least)), float(np.exp(before)))


def _require_plain(mechanism: Mechanism) -> None:
    where = mechanism.model.name
    if mechanism.cut_joints or mechanism.model.constraints:
        raise IdentificationError(
            "closed loops do not let each coordinate move as it likes",
            where=where,
            remedy="excite their motors by hand",
        )
    if mechanism.q.quaternions:
        raise IdentificationError(
            "orientations by quaternions are no sums of harmonics", where=where, remedy="excite an arm on a fixed base"
        )


def _require_possible(settings: Settings) -> None:
    for name, value in (
        ("duration", settings.duration), ("step", settings.step), ("acceleration", settings.acceleration),
    ):  # fmt: skip
        if not 0 < value < inf:
            raise IdentificationError(f"{value:g} is no {name}", where=f"--{name}", remedy="give a positive number")
    if settings.harmonics < 2:
        raise IdentificationError(
            f"{settings.harmonics} harmonics do not begin and end at rest", where="`harmonics`", remedy="take 2 or more"
        )
    if settings.seed < 0:
        raise IdentificationError(f"{settings.seed} is no seed", where="`seed`", remedy="give 0 or more")
    if settings.duration > _MOST_SAMPLES * settings.step:
        raise IdentificationError(
            f"{settings.duration / settings.step:.3g} samples are more than {_MOST_SAMPLES:g}",
            where="`step`",
            remedy="take longer steps, or a shorter duration",
        )
    if settings.duration / settings.harmonics < _PER_PERIOD * settings.step:
        raise IdentificationError(
            f"steps of {settings.step:g} s do not follow a period of {settings.duration / settings.harmonics:g} s",
            where="`step`",
            remedy="take shorter ones, a longer duration or fewer harmonics",
        )


def limits_of(mechanism: Mechanism, settings: Settings) -> Limits:
    """Limits that the model states, those of joints that follow others among them, and usual ones elsewhere.

    Raises:
        IdentificationError: limits leave a coordinate no room.
    """
    model, numbers = mechanism.model, parameter_values(mechanism.model)
    lower, upper = np.full(mechanism.nv, -inf), np.full(mechanism.nv, inf)
    speed = np.full(mechanism.nv, inf)
    offsets = {item.joint: evaluate(item.offset, numbers) for item in model.couplings}
    ratios = {item.joint: evaluate(item.ratio, numbers) for item in model.couplings}
    for body in mechanism.bodies:
        joint = body.joint
        ratio, offset = ratios.get(joint.name, 1.0), offsets.get(joint.name, 0.0)
        for index, (column, _) in enumerate(mechanism.speed_of[body.label - 1]):
            ends = [evaluate(each[index], numbers) for each in (joint.lower, joint.upper) if each]
            if len(ends) == 2 and ratio:
                low, high = sorted((end - offset) / ratio for end in ends)
                lower[column], upper[column] = max(lower[column], low), min(upper[column], high)
            if joint.velocity and ratio:
                speed[column] = min(speed[column], abs(evaluate(joint.velocity[index], numbers) / ratio))
    units = measures_of(mechanism, length_unit(model)).increments
    reach = _REACH * units
    lower = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * reach, -reach))
    upper = np.where(np.isfinite(upper), upper, lower + 2 * reach)
    speed = np.where(np.isfinite(speed), speed, _SPEED * units)
    names = column_names(mechanism)
    for k in range(mechanism.nv):
        if upper[k] - lower[k] < _NARROW * units[k]:
            raise IdentificationError(
                f"{names.q[k]} has no room between its limits {lower[k]:g} and {upper[k]:g}",
                where=model.name,
                remedy="fix the joint in the model, or give it wider limits",
            )
        if speed[k] < _NARROW * units[k]:
            raise IdentificationError(
                f"{names.v[k]} may not be more than {speed[k]:g}", where=model.name, remedy="fix the joint in the model"
            )
    return Limits(lower, upper, speed, np.full(mechanism.nv, settings.acceleration))


class Search:
    """The condition as a function of the shapes of all coordinates."""

    def __init__(self, regression: Regression, limits: Limits, settings: Settings) -> None:
        """Everything that does not depend on the shapes."""
        self._regression, self._limits, self._settings = regression, limits, settings
        mechanism = regression.mechanism
        self._nv = mechanism.nv
        rows = max(_PER_PERIOD * settings.harmonics, -(-3 * len(regression.found) // mechanism.nv))
        self._coarse = self._basis(np.arange(rows) * settings.duration / rows)
        fine = _FINE * settings.harmonics
        self._fine = self._basis(np.arange(fine) * settings.duration / fine)
        self._pull = _pulled_program(regression)
        self._parameters = 2 * settings.harmonics - 2

    @property
    def size(self) -> int:
        """Number of unknowns: of each coordinate two for each harmonic, less two for rest at the ends."""
        return self._nv * self._parameters

    def _basis(self, t: Array) -> tuple[Array, Array, Array]:
        """Coordinates, speeds and accelerations (n, unknowns) of unit shapes at rest at t = 0."""
        w = 2 * np.pi / self._settings.duration * np.arange(1, self._settings.harmonics + 1)
        sines, cosines = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        still = np.zeros((2, 2 * len(w)))
        still[0, : len(w)], still[1, len(w) :] = 1.0, w  # speed and acceleration at t = 0
        free = np.linalg.svd(still)[2][2:].T
        q = np.hstack([sines / w, -cosines / w]) @ free
        return q, np.hstack([cosines, sines]) @ free, np.hstack([-w * sines, w * cosines]) @ free

    def cost(self, shapes: Array) -> tuple[float, Array]:
        """Logarithm of the condition, and its gradient."""
        c = shapes.reshape(self._nv, -1)
        scales = [self._scale(k, own) for k, own in enumerate(c)]
        Q, V, A = self._coarse
        shifted = ((s, Q @ own - m) for own, (s, _, m, _) in zip(c, scales, strict=True))
        q = np.column_stack([s * each + self._middle(k) for k, (s, each) in enumerate(shifted)])
        v, vdot = (np.column_stack([s * (B @ own) for own, (s, *_) in zip(c, scales, strict=True)]) for B in (V, A))
        condition, pull = self._condition(q, v, vdot)
        by_q, by_v, by_vdot = self._pulled(q, v, vdot, pull)
        gradients = []
        for k, (own, (s, ds, m, dm)) in enumerate(zip(c, scales, strict=True)):
            gq, gv, ga = by_q[:, k], by_v[:, k], by_vdot[:, k]
            along = float(gq @ (Q @ own - m) + gv @ (V @ own) + ga @ (A @ own))
            gradients.append(s * (Q.T @ gq + V.T @ gv + A.T @ ga - gq.sum() * dm) + along * ds)
        return condition, np.concatenate(gradients)

    def minimised(self, start: Array) -> tuple[float, Array]:
        """Least logarithm of the condition from a start, and the shapes there."""
        found = scipy.optimize.minimize(self.cost, start, jac=True, method="L-BFGS-B", options={"maxiter": _ITERATIONS})
        return float(found.fun), np.asarray(found.x)

    def motion(self, shapes: Array) -> tuple[Array, Array, Array, Array]:
        """t (n,) and q, v, vdot (n, nv) of one period, its end included; limits hold between samples too."""
        settings = self._settings
        t = np.arange(round(settings.duration / settings.step) + 1) * settings.step
        Q, V, A = self._basis(t)
        found: list[list[Array]] = [[], [], []]
        for k, own in enumerate(shapes.reshape(self._nv, -1)):
            scale, middle = self._bounded_scale(k, own)
            found[0].append(self._middle(k) + scale * (Q @ own - middle))
            found[1].append(scale * (V @ own))
            found[2].append(scale * (A @ own))
        q, v, vdot = (np.column_stack(columns) for columns in found)
        return t, q, v, vdot

    def _middle(self, k: int) -> float:
        return float(self._limits.lower[k] + self._limits.upper[k]) / 2

    def _scale(self, k: int, own: Array) -> tuple[float, Array, float, Array]:
        """By what a shape is stretched and from where, with the derivatives of both."""
        Q, V, A = self._fine
        q, v, a = Q @ own, V @ own, A @ own
        high, low = int(np.argmax(q)), int(np.argmin(q))
        span = q[high] - q[low]
        fastest, hardest = int(np.argmax(np.abs(v))), int(np.argmax(np.abs(a)))
        room = self._limits.upper[k] - self._limits.lower[k]
        choices = (
            (room / span, -room / span**2 * (Q[high] - Q[low])),
            _stretched(self._limits.speed[k], v[fastest], V[fastest]),
            _stretched(self._limits.acceleration[k], a[hardest], A[hardest]),
        )
        scale, slope = min(choices, key=lambda choice: choice[0])
        return float(scale), slope, float(q[high] + q[low]) / 2, (Q[high] + Q[low]) / 2

    def _bounded_scale(self, k: int, own: Array) -> tuple[float, float]:
        """The same with what may lie between the samples: less than h^2/8 of the second derivative."""
        Q, V, A = self._fine
        q, v, a = Q @ own, V @ own, A @ own
        h = self._settings.duration / len(q)
        w = 2 * np.pi * self._settings.harmonics / self._settings.duration
        between = h * h / 8
        fastest = np.abs(v).max() + between * w * w * self._amplitude(own)
        hardest = np.abs(a).max() + between * w**3 * self._amplitude(own)
        span = np.ptp(q) + 2 * between * hardest
        room = self._limits.upper[k] - self._limits.lower[k]
        scale = min(room / span, self._limits.speed[k] / fastest, self._limits.acceleration[k] / hardest)
        return float(scale), float(q.max() + q.min()) / 2

    def _amplitude(self, own: Array) -> float:
        """A bound of the sum of the harmonics' amplitudes of speed: the basis is orthonormal in these."""
        return float(np.sqrt(2 * self._settings.harmonics) * np.linalg.norm(own))

    def _condition(self, q: Array, v: Array, vdot: Array) -> tuple[float, Array]:
        """Logarithm of the condition of the regressor with columns of length one, and its derivative by the entries."""
        regressor = self._regression.regressor(q, v, vdot)
        rows = regressor.reshape(-1, regressor.shape[2])
        sizes = np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
        scaled = rows / sizes
        u, s, vt = np.linalg.svd(scaled, full_matrices=False)
        pull = np.zeros_like(rows)
        for place, sign in ((0, 1.0), (-1, -1.0)):
            value, left, right = s[place], u[:, place], vt[place]
            pull += sign / value * (right / sizes) * (left[:, None] - value * right * scaled)
        return float(np.log(s[0] / s[-1])), pull.reshape(regressor.shape)

    def _pulled(self, q: Array, v: Array, vdot: Array, pull: Array) -> tuple[Array, Array, Array]:
        given = {"q": q, "v": v, "vdot": vdot, "pull": pull}
        found = interpret(self._pull, {item.name: given[item.name] for item in self._pull.inputs})
        by_q, by_v, by_vdot = (np.broadcast_to(found[name], q.shape) for name in ("by_q", "by_v", "by_vdot"))
        return by_q, by_v, by_vdot


def _stretched(limit: float, value: float, slope: Array) -> tuple[float, Array]:
    """limit / |value|, and its derivative."""
    return limit / abs(value), -limit / (value * abs(value)) * slope


def _pulled_program(regression: Regression) -> Program:
    """Derivatives of the sum of pull times base regressor by q, v and vdot, (nv,) each, in reverse."""
    mechanism = regression.mechanism
    graph = mechanism.graph
    columns = force_columns(mechanism)
    kept = [columns[item.column] for item in regression.found.base]
    shape = (mechanism.nv, len(kept))
    symbols = tuple(graph.symbol(f"pull[{k}]") for k in range(shape[0] * shape[1]))
    total = Scalar(graph, 0)
    for place, column in enumerate(kept):
        for row, entry in column.items():
            total = total + Scalar(graph, symbols[row * shape[1] + place]) * entry
    inputs = (mechanism.q, mechanism.v, mechanism.vdot, Input("pull", shape, symbols))
    found = gradient(graph, total.ref, [ref for item in inputs[:3] for ref in item.symbols])
    n = mechanism.nv
    outputs = tuple(
        Output(name, (n,), tuple(found[k * n : (k + 1) * n])) for k, name in enumerate(("by_q", "by_v", "by_vdot"))
    )
    return Program("pulled", graph, inputs, outputs, mechanism.parameters)
