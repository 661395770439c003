"""Motions with several frequencies, and the forces that they need, with and without noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.identification.measurements import Measurements, column_names
from mbsym.identification.rows import Regression
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.interpret import interpret

Array = NDArray[Any]


def swinging(nv: int, *, seed: int = 0, samples: int = 600, step: float = 0.01, size: float = 0.5) -> tuple[Array, ...]:
    """t (n,), q, v, vdot (n, nv): five harmonics each."""
    rng = np.random.default_rng(seed)
    t = np.arange(samples) * step
    base = 2 * np.pi / (samples * step)
    q, v, vdot = (np.zeros((samples, nv)) for _ in range(3))
    for column in range(nv):
        for harmonic in range(1, 6):
            a, b = rng.uniform(-size, size, 2)
            w = base * harmonic
            q[:, column] += a / w * np.sin(w * t) - b / w * np.cos(w * t)
            v[:, column] += a * np.cos(w * t) + b * np.sin(w * t)
            vdot[:, column] += w * (b * np.cos(w * t) - a * np.sin(w * t))
    return t, q, v, vdot


def needed_forces(mechanism: Mechanism, q: Array, v: Array, vdot: Array) -> Array:
    """By inverse dynamics, which knows nothing of regressors."""
    program = TREE_FUNCTIONS["inverse_dynamics"](mechanism)
    given = {"q": q, "v": v, "vdot": vdot}
    tau: Array = interpret(program, {item.name: given[item.name] for item in program.inputs})["tau"]
    return tau


def with_noise(tau: Array, part: float, seed: int) -> Array:
    """White noise of a part of each force's root mean square."""
    sizes = np.sqrt(np.mean(tau**2, axis=0))
    return tau + part * sizes * np.random.default_rng(seed).normal(size=tau.shape)


def measured(regression: Regression, *, noise: float = 0.01, seed: int = 1, **motion: Any) -> Measurements:
    """Of an arm."""
    mechanism = regression.mechanism
    t, q, v, vdot = swinging(mechanism.nv, **motion)
    tau = with_noise(needed_forces(mechanism, q, v, vdot), noise, seed)
    return Measurements(t, q, v, vdot, tau, tuple(range(mechanism.nv)))


def write_table(path: Path, mechanism: Mechanism, data: Measurements, *parts: str) -> Path:
    """A CSV with t, q, tau and, of v and vdot, the parts that are named."""
    names = column_names(mechanism)
    header, columns = ["t", *names.q], [data.t[:, None], data.q]
    for part in parts:
        header += getattr(names, part)
        columns.append(getattr(data, part))
    header += names.tau
    columns.append(data.tau)
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=",".join(header), comments="", fmt="%.10g")
    return path
