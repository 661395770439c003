"""Time steps in Python, for NumPy, closed loops, and loads that follow the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.loops.corrections import Keeper
from mbsym.loops.looped_system import LoopedSystem
from mbsym.simulation.equations import Equations
from mbsym.simulation.rates import ActingLoads, DrivenState, callable_functions, leaves_rates
from mbsym.simulation.stepping_text import EvaluatedEngine
from mbsym.simulation.time_stepping import Steps

Floats: TypeAlias = list[float]


def evaluated_steps(
    equations: Equations, loads: ActingLoads, system: LoopedSystem | None = None, keeper: Keeper | None = None
) -> Steps:
    """The text of the time steps in Python around the functions of a module.

    Args:
        equations: of the model.
        loads: what acts.
        system, keeper: of a model with closed loops.
    """
    # The module's forward_dynamics closes loops by itself.
    kept = None if system is None or keeper is None or leaves_rates(keeper) else (system, keeper)
    # What acts is found by the functions that the text calls, so that it can follow the state.
    sizes = replace(equations.sizes, inputs=0, timed=True, powered=True, staged=kept is not None)
    engine = partial(EvaluatedEngine, _kernels(equations, loads, kept))
    return Steps(equations.mechanism.model.name, sizes, np.zeros(sizes.layout.nv), engine)


def _kernels(
    equations: Equations, loads: ActingLoads, kept: tuple[LoopedSystem, Keeper] | None
) -> dict[str, Callable[..., Any]]:
    """The functions that the printed text calls, each with a first argument that says nothing here.

    They take the forces that act from ``loads`` and not from their arguments; the states of drives come last, if any.
    """
    functions = callable_functions(equations)
    timed, powered, driven = equations.sizes.timed, equations.sizes.powered, DrivenState(equations)

    def acting(
        q: Floats, v: Floats, t: float, _u: Floats, *drives: Floats
    ) -> tuple[Array, Array, Array, Sequence[Any]]:
        at, speeds = np.array(q), np.array(v)
        tau, u = loads.at(t, at, speeds)
        return at, speeds, tau, ((t, u, *map(np.array, drives)) if timed else ())

    def stage(_: object, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        assert kept is not None
        system, keeper = kept
        at, speeds = keeper.stage(system, np.array(q), np.array(v))
        return at.tolist(), speeds.tolist()

    def position_rate(_: object, q: Floats, v: Floats) -> tuple[Floats]:
        return (functions["position_rate"](np.array(q), np.array(v)).tolist(),)

    def forward_dynamics(_: object, q: Floats, v: Floats, _tau: Floats, *of_time: Any) -> tuple[Floats]:
        at, speeds, tau, extra = acting(q, v, *of_time)
        if kept is None:
            return (functions["forward_dynamics"](at, speeds, tau, *extra).tolist(),)
        system, keeper = kept
        return (keeper.accelerate(system, at, speeds, tau, extra).vdot.tolist(),)

    def drive_rates(_: object, q: Floats, v: Floats, *of_time: Any) -> tuple[Floats]:
        at, speeds, _, extra = acting(q, v, *of_time)
        return (functions["drive_rates"](at, speeds, *extra).tolist(),)

    def driven_state(_: object, q: Floats, v: Floats, *of_time: Any) -> tuple[Floats, Floats]:
        at, speeds = driven(of_time[0], np.array(q), np.array(v))
        return at.tolist(), speeds.tolist()

    def driving_forces(_: object, q: Floats, v: Floats, _tau: Floats, *of_time: Any) -> tuple[Floats]:
        at, speeds, tau, extra = acting(q, v, *of_time)
        return (functions["driving_forces"](at, speeds, tau, *extra).tolist(),)

    def external_power(_: object, q: Floats, v: Floats, *of_time: Any) -> tuple[Floats]:
        at, speeds, tau, extra = acting(q, v, *of_time)
        own = float(functions["external_power"](at, speeds, *extra)) if powered else 0.0
        return ([own + float(tau @ speeds)],)

    def variational_terms(_: object, q: Floats, v: Floats, *of_time: Any) -> tuple[Floats, Floats]:
        at, speeds, tau, extra = acting(q, v, *of_time)
        momentum, force = functions["variational_terms"](at, speeds, *extra)
        return momentum.tolist(), (force + tau).tolist()

    def speeds_of_momentum(_: object, q: Floats, p: Floats) -> tuple[Floats]:
        return (functions["speeds_of_momentum"](np.array(q), np.array(p)).tolist(),)

    others = (driven_state, driving_forces, drive_rates)
    kernels = (stage, position_rate, forward_dynamics, external_power, variational_terms, speeds_of_momentum)
    return {kernel.__name__: kernel for kernel in (*kernels, *others)}
