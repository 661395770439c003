"""One step of the classical Runge-Kutta method with closed loops kept by a chosen way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbsym.doors import Array
from mbsym.loops.corrections import Correction, Keeper
from mbsym.loops.looped_system import LoopedSystem


def rates(
    system: LoopedSystem, keeper: Keeper, q: Array, v: Array, tau: Array, extra: Sequence[Any] = ()
) -> tuple[Array, Array]:
    """qdot (nq,) and vdot (nv,) as an integrator should see them; ``extra`` is t and u."""
    q, v = keeper.stage(system, q, v)
    return system.position_rate(q, v), keeper.accelerate(system, q, v, tau, extra).vdot


def runge_kutta_step(
    system: LoopedSystem,
    keeper: Keeper,
    q: Array,
    v: Array,
    step: float,
    tau: Array,
    extra: Sequence[Any] = (),
) -> Correction:
    """q and v one step later, corrected; tau, t and u are held during the step."""
    k1, a1 = rates(system, keeper, q, v, tau, extra)
    k2, a2 = rates(system, keeper, q + step / 2 * k1, v + step / 2 * a1, tau, extra)
    k3, a3 = rates(system, keeper, q + step / 2 * k2, v + step / 2 * a2, tau, extra)
    k4, a4 = rates(system, keeper, q + step * k3, v + step * a3, tau, extra)
    moved = q + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    moved = system.move(moved, np.zeros(system.nv))  # quaternions get their length
    return keeper.after_step(system, moved, v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4))
