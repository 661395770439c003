"""A mechanism in nanometres, millimetres or kilometres, of dust or of lead, is the same mechanism.

Rows, freedoms and statuses are the same, and motions are the same but for their unit of length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.statuses import Status
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.assembly import assemble
from mbsym.loops.independent import independent_at_start
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.system import Model
from mechanisms.examples import further
from mechanisms.looped_systems import looped_system
from mechanisms.overconstrained import sarrus, windows
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_overconstrained import random_overconstrained
from mechanisms.scaled import scaled
from mechanisms.singular import parallel_cranks

Array = np.ndarray[Any, Any]

MODELS = {
    "slider_crank": lambda: mbsym.load("slider_crank"),
    "stewart_platform": lambda: mbsym.load("stewart_platform"),
    "windows": lambda: windows(3),
    "sarrus": lambda: sarrus(0.7),
    "bricard": lambda: random_overconstrained(4).model,
    **{f"random {seed}": lambda seed=seed: random_closed_loops(seed, forces=False)[0] for seed in (0, 2, 7)},
}
LARGE = ("stewart_platform", "random 2", "random 7", "bricard")
SCALES = ((1e-9, 1e-18), (1e-3, 1e6), (1e3, 1e-6))
"""Factors of length and of mass."""


def analysed(model: Model) -> tuple[Mechanism, LoopAnalysis]:
    mechanism = build_mechanism(model, model.label())
    return mechanism, analyse_loops(mechanism)


def lengths(mechanism: Mechanism) -> tuple[Array, Array]:
    """Which coordinates and which speeds are lengths."""
    shapes = [body.joint.shape for body in mechanism.bodies_by_coordinates]
    q = [unit == "m" for shape in shapes for unit in shape.coordinate_units]
    return np.array(q), np.array([unit == "m/s" for shape in shapes for unit in shape.speed_units])


def findings(mechanism: Mechanism, loops: LoopAnalysis) -> tuple[Any, ...]:
    rows = [(row.closure, row.number) for row in loops.rows]
    return rows, loops.mobility, loops.sentences, independent_at_start(mechanism, loops)


def relative(found: Array, expected: Array) -> float:
    return float(np.abs(found - expected).max() / (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize("name", [each if each not in LARGE else further(each)[0] for each in MODELS])
def test_rows_freedoms_and_motions_are_the_same(name: str) -> None:
    model = scaled(MODELS[name](), 1.0)
    mechanism, loops = analysed(model)
    in_q, in_v = lengths(mechanism)
    system = looped_system(mechanism, loops)
    rng = np.random.default_rng(2)
    v, tau, opening = rng.normal(size=(3, mechanism.nv))
    q = np.array(loops.configuration)
    dynamics = system.functions["constrained_dynamics_report"].with_status
    (vdot, _, rank, pivot), status = dynamics(q, v, tau)
    closed = system.project_position(system.move(q, 1e-3 * opening))
    for length, mass in SCALES:
        other, same = analysed(scaled(model, length, mass))
        assert findings(other, same) == findings(mechanism, loops), (length, mass)
        in_metres, to_speeds = np.where(in_q, length, 1.0), np.where(in_v, length, 1.0)
        assert relative(np.array(same.configuration) / in_metres, q) < 1e-9
        there = looped_system(other, same)
        forces = tau * mass * length**2 / to_speeds
        dynamics = there.functions["constrained_dynamics_report"].with_status
        (found, _, other_rank, other_pivot), other_status = dynamics(q * in_metres, v * to_speeds, forces)
        assert (other_rank, other_status) == (rank, status)
        assert abs(other_pivot - pivot) < 1e-9
        assert relative(found / to_speeds, vdot) < 1e-7
        moved = there.project_position(there.move(q * in_metres, 1e-3 * opening * to_speeds))
        assert moved.converged == closed.converged
        if closed.converged:
            assert relative(moved.q / in_metres, closed.q) < 1e-8


@pytest.mark.parametrize("length", [1e-6, 0.02, 1e6, *further(1e-3, 50.0, 1e3)])
def test_a_gap_of_a_thousandth_is_a_gap(length: float) -> None:
    """Whatever a thousandth is in metres; what cannot be assembled is told as well."""
    model = scaled(parallel_cranks(), length)
    mechanism, loops = analysed(model)
    system = looped_system(mechanism, loops)
    assert system.functions["project_position"].with_status([0.7, -0.7, 0.7])[1] == Status.OK
    assert system.functions["project_position"].with_status([0.0, 0.0, np.pi])[1] == Status.NOT_CLOSED
    assert system.functions["forward_dynamics"].with_status([0.0, 0.0, 0.0], np.zeros(3), np.ones(3))[1] == 1
    size, rounding = system.scale(np.zeros(3))
    assert (256 * 2.0**-52 * (size + rounding) < 1e-12 * length).all()
    with pytest.raises(mbsym.errors.MbsymError, match="cannot be closed"):
        assemble(scaled(parallel_cranks(10.0), length))


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3, 1e6])
def test_lengths_of_run_time_parameters_count(factor: float) -> None:
    """What is measured by changes with them: lengths of generation would call kilometres open for good."""
    mechanism = build_mechanism(mbsym.load("four_bar"), mbsym.load("four_bar").label(), "all")
    loops = analyse_loops(mechanism)
    changed = {p.name: p.default * factor for p in mechanism.parameters if p.unit == "m"}
    assert changed
    plain, system = (looped_system(mechanism, loops, given) for given in ({}, changed))
    rng = np.random.default_rng(1)
    for _ in range(10):
        q = np.array(loops.configuration) + rng.uniform(-0.05, 0.05, mechanism.nq)
        found = system.project_position(q)
        assert found.converged and found.gap < 64 * 2.0**-52 * system.scale(found.q)[0].max()
        size, rounding = plain.scale(q)
        assert np.allclose(system.scale(q), (size * factor, rounding * factor), rtol=1e-12)


@pytest.mark.parametrize("turned", [False, True])
def test_a_closure_is_measured_by_all_lengths_around_the_loop(turned: bool) -> None:
    """Ground 1, crank 0.3, coupler 0.7 and rocker 0.45, each of them once, whichever end comes first."""
    bodies = tuple(mbsym.Body(name, 1, (0, 0, 0), (1, 1, 1)) for name in ("crank", "coupler", "rocker"))
    ends, places = ("coupler", "rocker"), ((0.7, 0, 0), (0.45, 0, 0))
    (one, other), (near, far) = (ends[::-1], places[::-1]) if turned else (ends, places)
    joints = (
        mbsym.Joint("a", "revolute", "ground", "crank"),
        mbsym.Joint("b", "revolute", "crank", "coupler", predecessor_placement=(0.3, 0, 0)),
        mbsym.Joint("c", "revolute", "ground", "rocker", predecessor_placement=(1, 0, 0)),
        mbsym.Joint("d", "revolute", one, other, predecessor_placement=near, successor_placement=far, cut="cut"),
    )
    _, loops = analysed(Model("four", bodies, joints))
    sizes = [float(row.scale.size.constant or 0) for row in loops.rows if row.unit == "m"]
    assert sizes == pytest.approx([1 + 0.3 + 0.7 + 0.45] * len(sizes), rel=1e-12) and sizes
