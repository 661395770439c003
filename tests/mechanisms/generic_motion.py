"""What is left of an overconstrained mechanism by analysis and by the reference: ranks and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from mbsym.kinematics.mechanism import build_mechanism
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.verification.closed_states import ClosedStates
from mechanisms.looped_systems import looped_system

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Compared:
    """One mechanism looked at twice.

    Attributes:
        rows: kept by the analysis.
        rank: of the reference's closure equations at regular states, by singular values.
        freedoms: that the rows leave.
        error: of accelerations at those states, relative to the largest or to one.
        seconds: that the analysis took.
    """

    rows: int
    rank: int
    freedoms: int
    error: float
    seconds: float


def rank_by_reference(reference: Reference, q: Array) -> int:
    """Singular values that count of the closure equations in maximal coordinates, lengths being about one."""
    sizes = np.linalg.svd(reference.closure_jacobian(q), compute_uv=False)
    return int(np.sum(sizes > 1e-6 * max(1.0, float(np.max(sizes, initial=0.0)))))


def compared(
    model: Model, mobility: int, *, generic: Model | None = None, states: int = 2, moves: bool = True
) -> Compared:
    """Rank and motion from the model's start, as the analysis has them and as maximal coordinates have them.

    Args:
        model: with closed loops.
        mobility: by theory.
        generic: the same joints with a start near which states are drawn, where it is known.
        states: at which both are compared.
        moves: compare accelerations too.
    """
    mechanism = build_mechanism(model, model.label())
    start = perf_counter()
    analysis = analyse_loops(mechanism)
    seconds = perf_counter() - start
    reference = Reference(model)
    near = generic or model
    drawn = ClosedStates(reference, build_mechanism(near, near.label()), reference.nv - mobility)
    rng = np.random.default_rng(4)
    rank, error = 0, 0.0
    system = looped_system(mechanism, analysis) if moves else None
    for _ in range(states):
        q, v = drawn.draw(rng.uniform(-1, 1, reference.nv), rng)
        rank = max(rank, rank_by_reference(reference, q))
        if system is not None:
            tau = rng.uniform(-1, 1, reference.nv)
            expected = reference.forward_dynamics(q, v, tau)
            found = system.accelerate(q, v, tau).vdot
            size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
            error = max(error, float(np.max(np.abs(found - expected), initial=0.0)) / size)
    return Compared(len(analysis.rows), rank, analysis.mobility, error, seconds)
