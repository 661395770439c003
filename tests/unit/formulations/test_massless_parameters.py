"""A body whose inertia is made of run-time parameters may be massless: all formulations say the same, and no NaN."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.codegen.load import load_numpy
from mbsym.codegen.statuses import Status
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.body import Body
from mbsym.model.inertial_parameters import with_inertial_parameters
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.registry import FORMULATIONS, available_functions
from mbsym.report.kane_sections import ORIGINS, kane_sections
from mbsym.symbolic.equality import compare
from mbsym.symbolic.interpret import interpret
from mbsym.verification.random_state import random_state
from mechanisms.mechanism import mechanism_of

FUNCTIONS = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "joint_wrenches")
OTHERS = tuple(name for name in FORMULATIONS if name not in ("auto", "transfer-matrix"))
INERTIA = (1.1, 1.2, 1.3, 0.01, 0.02, 0.03)
ROUNDING = 1e-11
"""Relative to the largest entry: systems of a few unknowns are solved."""


def mechanism(mass: float) -> Mechanism:
    """A cross between two bodies, whose inertia is ten parameters."""
    cross = Body("cross", mass, (0.1 * mass, 0, 0.2), tuple(mass * entry for entry in INERTIA))
    near, far = (Body(name, 2, (0.1, 0.2, 0.3), INERTIA) for name in ("near", "far"))
    ends = (("ground", "near", "z"), ("near", "cross", "x"), ("cross", "far", "y"))
    joints = tuple(
        Joint(f"{b} hinge", "revolute", a, b, axis=axis, predecessor_placement=(0.1, 0.3, 0.5)) for a, b, axis in ends
    )
    model, names = with_inertial_parameters(Model("crossed", (near, cross, far), joints), "cross")
    return build_mechanism(model, model.label(), names)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("mass", [0, 0.7])
def test_formulations_agree(function: str, mass: float) -> None:
    """For all values of the parameters, exactly, and in floating point at their own."""
    made = mechanism(mass)
    expected = available_functions(made, "auto").functions[function](made)
    q, v, tau = random_state(made.model, made.labelling, np.random.default_rng(1))
    state = {"q": q, "v": v, "tau": tau, "vdot": tau}
    arguments = {item.name: state[item.name] for item in expected.inputs}
    (numbers,) = interpret(expected, arguments).values()
    for formulation in OTHERS:
        found = available_functions(made, formulation).functions[function](made)
        assert compare(found, expected, trials=1), formulation
        (entries,) = interpret(found, arguments).values()
        np.testing.assert_allclose(entries, numbers, rtol=0, atol=ROUNDING * np.abs(numbers).max(), err_msg=formulation)


@pytest.mark.parametrize("formulation", [name for name in OTHERS if name.startswith("cfa")])
def test_a_body_that_becomes_massless_at_run_time_is_told(formulation: str, tmp_path: Path) -> None:
    """Derived for a body with mass, the algorithm divides by its inertia: a status, or numbers that are right."""
    made = mechanism(0.7)
    mbsym.generate(
        made.model, tmp_path, formulation=formulation, functions=["forward_dynamics"], languages=["numpy"],
        symbolic_parameters=made.symbolic_parameters,
    )  # fmt: skip
    forward = load_numpy(tmp_path / "crossed.py").functions["forward_dynamics"]
    q, v, tau = random_state(made.model, made.labelling, np.random.default_rng(1))
    _, status = forward.with_status(q, v, tau)
    assert status == Status.OK
    found, status = forward.with_status(q, v, tau, parameters={item.name: 0.0 for item in made.parameters})
    if status == Status.SINGULAR:
        return
    bare = mechanism(0)
    program = available_functions(bare, "auto").functions["forward_dynamics"](bare)
    (expected,) = interpret(program, {"q": q, "v": v, "tau": tau}).values()
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


def test_a_report_says_whose_origin_stands_for_the_centre() -> None:
    told = [kane_sections(made)[0].sentences for made in (mechanism(0.7), mechanism_of(read("cart_pole")))]
    assert [ORIGINS in sentences for sentences in told] == [True, False]
