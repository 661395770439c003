"""Generated C and NumPy of mechanisms with closed loops: dynamics, reactions, projections, singular configurations."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.codegen.load import LoadedModule, load_c, load_numpy
from mbsym.codegen.statuses import Status
from mbsym.loops.assembly import assemble
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.pipeline import generate
from mbsym.reference import Reference
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.rhombus import Rhombus

Array = np.ndarray[Any, Any]

# With parameters at run time, with control inputs, planar, spatial; and random ones of several loops.
CASES = ("four_bar", "slider_crank", "five_bar", "rhombus_spatial", *further("random 7", "random 8", "random 17"))
FUNCTIONS = ("constrained_dynamics", "closure_gap", "constraint_bias")


def model_of(case: str) -> tuple[Model, Array]:
    if case.startswith("random"):
        return random_closed_loops(int(case.split()[1]))
    model = examples.load(case)
    return model, assemble(model).q


@cache
def modules(case: str, real: Any = "double") -> tuple[LoadedModule, ...]:
    """The C and the NumPy module."""
    with TemporaryDirectory() as scratch:
        done = generate(model_of(case)[0], scratch, functions=FUNCTIONS, real=real)
        python = next(path for path in done.paths if path.suffix == ".py")
        return load_c(Path(scratch)), load_numpy(python)


def state(case: str) -> tuple[Reference, Array, Array, Array, tuple[Any, ...]]:
    model, q = model_of(case)
    reference = Reference(model)
    generator = np.random.default_rng(3)
    v = reference.consistent_velocity(q, generator.normal(size=reference.nv))
    timed = mechanism_of(model).controls is not None
    extra = (0.3, generator.normal(size=len(model.inputs))) if timed else ()
    return reference, q, v, generator.normal(size=reference.nv), extra


def close(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.max(np.abs(found - expected), initial=0.0) < tolerance * (1 + np.max(np.abs(expected), initial=0.0))


@pytest.mark.parametrize("case", CASES)
def test_dynamics_and_reactions_agree_with_the_reference(case: str) -> None:
    reference, q, v, tau, extra = state(case)
    expected = reference.solve(q, v, tau, *extra)
    for module in modules(case):
        vdot, multipliers, rank, _ = module.functions["constrained_dynamics_report"](q, v, tau, *extra)
        close(vdot, expected.vdot)
        assert rank == len(multipliers)
        close(module.functions["constrained_dynamics"](q, v, tau, *extra)[1], multipliers)
        close(module.functions["forward_dynamics"](q, v, tau, *extra), expected.vdot)
        close(module.functions["joint_wrenches"](q, v, tau, *extra), expected.wrenches)


@pytest.mark.parametrize("case", CASES)
def test_projections_close_what_was_opened(case: str) -> None:
    _, q, v, _, _ = state(case)
    step = np.random.default_rng(5).normal(0, 1e-3, len(v))
    for module in modules(case):
        opened = np.asarray(module.functions["moved_position"](q, step))
        assert np.max(np.abs(module.functions["closure_gap"](opened))) > 1e-6
        (closed, gap, steps), status = module.functions["project_position_report"].with_status(opened)
        assert status == Status.OK and gap < 1e-13 and steps > 0
        assert np.max(np.abs(module.functions["closure_gap"](closed))) < 1e-11
        close(module.functions["project_position"](opened), closed, 1e-15)
        jacobian = module.functions["constraint_jacobian"](closed)
        speeds = module.functions["project_velocity"](closed, v + step)
        assert np.max(np.abs(jacobian @ np.asarray(speeds))) < 1e-12


@pytest.mark.parametrize("case", ["four_bar", "five_bar", "slider_crank"])
def test_restoring_terms_enter_at_acceleration_level(case: str) -> None:
    _, q, v, tau, extra = state(case)
    gains = (3.0, 5.0)
    for module in modules(case):
        opened = q + 1e-3
        jacobian = np.asarray(module.functions["constraint_jacobian"](opened))
        wanted = np.asarray(module.functions["constraint_bias"](opened, v)) - 2 * gains[0] * jacobian @ v
        wanted -= gains[1] ** 2 * np.asarray(module.functions["constraint_residual"](opened))
        vdot, _ = module.functions["stabilised_dynamics"](opened, v, tau, *extra, gains)
        close(jacobian @ vdot, wanted, 1e-11)


@pytest.mark.parametrize("case", ["four_bar", "five_bar", "rhombus_spatial"])
def test_batches_are_states_side_by_side(case: str) -> None:
    _, q, v, tau, extra = state(case)
    for module in modules(case):
        states = np.stack([q, np.asarray(module.functions["moved_position"](q, 1e-4 * v))])
        together = module.functions["constrained_dynamics"](states, v, tau, *extra)
        (moved, gap, steps), status = module.functions["project_position_report"].with_status(states)
        assert np.asarray(together[0]).shape == (2, len(v))
        for k in range(2):
            single = module.functions["constrained_dynamics"](states[k], v, tau, *extra)
            close(together[0][k], single[0])
            close(together[1][k], single[1])
            close(moved[k], module.functions["project_position"](states[k]), 1e-12)
        assert gap.shape == steps.shape == status.shape == (2,)


def singular_rhombus() -> tuple[Array, Array]:
    """Hinges 3 and 7 on one point, speeds along the branch on which opposite bars stay parallel."""
    model = examples.load("rhombus_planar")
    rhombus = Rhombus.of_mechanism(mechanism_of(model))
    angles = np.zeros(6)
    for body, angle in ((2, -1.8), (8, np.pi - 1.8), (4, -1.8), (6, np.pi - 1.8), (9, 0.3), (10, 2.0)):
        angles[rhombus.order.index(body)] = angle
    q = np.linalg.solve(rhombus.to_angles, angles)
    return q, rhombus.parallel_speeds(q, np.linalg.solve(rhombus.to_angles, [0.5, -0.4, 0.3, -0.2, 1.0, 2.0]))


def test_singular_configurations_are_reported_and_survived() -> None:
    q, v = singular_rhombus()
    for module in modules("rhombus_planar"):
        assert np.max(np.abs(module.functions["closure_gap"](q))) < 1e-14
        report = module.functions["constrained_dynamics_report"]
        (vdot, multipliers, rank, pivot), status = report.with_status(q, v, np.zeros(6))
        assert (status, rank) == (Status.SINGULAR, 1)
        assert pivot < 1e-10
        jacobian = np.asarray(module.functions["constraint_jacobian"](q))
        gamma = np.asarray(module.functions["constraint_bias"](q, v))
        # The speeds are those of a motion through this configuration, so its equations have solutions.
        close(jacobian @ vdot, gamma, 1e-10)
        assert np.all(np.isfinite(multipliers))
        speeds = np.asarray(module.functions["project_velocity"](q, v))
        close(speeds, v, 1e-10)


def test_both_languages_agree_near_a_singular_configuration() -> None:
    q, v = singular_rhombus()
    model = examples.load("rhombus_planar")
    rhombus = Rhombus.of_mechanism(mechanism_of(model))
    near = rhombus.parallel_coordinates(q + np.linalg.solve(rhombus.to_angles, [1e-5, 0, 0, 0, 0, 0]))
    speeds = rhombus.parallel_speeds(near, v)
    c, numpy = (
        module.functions["constrained_dynamics_report"](near, speeds, np.zeros(6))
        for module in modules("rhombus_planar")
    )
    assert c[2] == numpy[2] == 2
    # One text and one pivot, the sine of the angle of two rows, of whose digits six are lost so near.
    assert float(numpy[3]) == pytest.approx(float(c[3]), rel=1e-6)
    # Round-off over the smallest singular value, 1e-5.
    close(c[0], numpy[0], 1e-8)


def test_single_precision_closes_loops_too() -> None:
    reference, q, v, tau, _ = state("four_bar")
    module = modules("four_bar", "float")[0]
    vdot, _, rank, _ = module.functions["constrained_dynamics_report"](q, v, tau)
    close(vdot, reference.solve(q, v, tau).vdot, 1e-4)
    assert rank == 2
    (closed, _, _), status = module.functions["project_position_report"].with_status(q + 1e-2)
    assert status == Status.OK
    assert np.max(np.abs(module.functions["closure_gap"](closed))) < 1e-6


def test_independent_rows_are_named_in_the_header() -> None:
    with TemporaryDirectory() as scratch:
        generate("four_bar", scratch, functions=("constraint_jacobian",))
        header = (Path(scratch) / "four_bar.h").read_text()
    assert "closure of joint D: rows 1, 2, 5 follow from the others: the loop is planar" in header
    assert "NR" not in header  # no function with fixed text was asked for


def test_analysis_is_that_of_the_closed_configuration() -> None:
    model = examples.load("stewart_platform")
    analysis = analyse_loops(mechanism_of(model))
    assert (len(analysis.rows), analysis.mobility, analysis.dependent) == (15, 6, ())
