"""States at which loops are verified are regular, wherever the model starts; where there are none, that is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym import examples
from mbsym.codegen.load import load_numpy
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.body import Placement
from mbsym.model.system import Model
from mbsym.pipeline import generate
from mbsym.reference import Reference
from mbsym.verification.certificate import verify
from mbsym.verification.checks import Settings, run_checks
from mbsym.verification.closed_states import REGULAR, ClosedStates
from mechanisms.examples import further
from mechanisms.overconstrained import windows


def leaning(count: int, angle: float) -> Model:
    """Windows whose cranks start at an angle; the couplers follow."""
    model = windows(count)
    joints = (replace(joint, initial=(angle,)) if joint.name.startswith("A") else joint for joint in model.joints)
    return replace(model, joints=tuple(joints))


@pytest.mark.parametrize("model", further(windows(3), windows(5), leaning(5, 1.0)), ids=["three", "flat", "leaning"])
def test_a_row_of_windows_is_verified(model: Model, tmp_path: Path) -> None:
    """States near the flat position, where C and NumPy differ in the seventh digit, failed correct code."""
    generate(model, tmp_path)
    found = verify(tmp_path, states=4)
    assert found.passed, found.summary()
    assert found.conditioning.loops > REGULAR
    assert f"closure rows apart by {found.conditioning.loops:.1e}" in found.summary()
    assert found.as_dict()["closure_rows_apart_by"] == found.conditioning.loops


def test_functions_say_that_a_singular_start_is_singular(tmp_path: Path) -> None:
    """The status is checked where the numbers say nothing; code that knows of no singular position fails."""
    generate(windows(2), tmp_path, functions=["forward_dynamics", "project_velocity", "mass_matrix"])
    found = verify(tmp_path, states=2)
    assert found.passed, found.summary()
    told = {(check.function, check.language) for check in found.checks if check.against.startswith("status of")}
    assert told >= {
        (name, language) for name in ("forward_dynamics", "project_velocity") for language in ("c", "numpy")
    }
    module = load_numpy(tmp_path / "windows2.py")
    function = module.functions["forward_dynamics"]
    silent = replace(
        function, judged=lambda inputs, parameters: (function.call(inputs, parameters), np.zeros((), np.intc))
    )
    deaf = replace(module, functions={**module.functions, "forward_dynamics": silent})
    checks, _ = run_checks(windows(2), [deaf], Settings(2, 0, "weight"))
    assert [check.function for check in checks if not check.passed] == ["forward_dynamics"]
    generate(leaning(2, 1.0), tmp_path / "leaning", languages=["numpy"], functions=["forward_dynamics"])
    regular = verify(tmp_path / "leaning", states=1)
    assert not [check for check in regular.checks if check.against.startswith("status of")]


@pytest.mark.parametrize("count", [1, 3, 6])
def test_states_are_regular_from_a_singular_start(count: int) -> None:
    model = windows(count)
    reference = Reference(model)
    states = ClosedStates(reference, build_mechanism(model, model.label()), 2 * count)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, v = states.draw(rng.uniform(-1, 1, reference.nv), rng)
        assert np.linalg.matrix_rank(reference.closure_jacobian(q), tol=1e-3) == 2 * count
        assert np.max(np.abs(reference.closure_gap(q))) < 1e-11
        assert np.max(np.abs(reference.closure_jacobian(q) @ v)) < 1e-9
    assert states.smallest > REGULAR


def test_mechanisms_without_a_regular_state_say_so(tmp_path: Path) -> None:
    """A crank as long as its base and coupler whose rocker is so short that the loop hardly leaves its dead point."""
    model = examples.load("four_bar")
    lengths = {"l_crank": "0.5", "l_coupler": "0.7", "l_rocker": "0.20001", "l_base": "1.4"}
    flat = replace(
        model,
        parameters=tuple(replace(item, value=lengths[item.name]) for item in model.parameters),
        joints=tuple(replace(joint, initial=(0,)) if joint.initial else joint for joint in model.joints),
    )
    generate(flat, tmp_path, languages=["numpy"], functions=["mass_matrix", "constraint_jacobian"])
    found = verify(tmp_path, states=2)
    assert found.is_near_singular
    assert "no regular state of the loops was found in 50 trials" in found.summary()
    assert "no regular state" in (tmp_path / "four_bar.certificate.md").read_text(encoding="utf-8")


def test_axes_that_are_hardly_skew_are_told_with_the_joint(tmp_path: Path) -> None:
    """A five-bar closed by a ball, one axis off by 1e-3: its out-of-plane row holds an angle fast, but hardly."""
    model = examples.load("five_bar")
    changes: dict[str, Any] = {
        "left_elbow": {"axis": (0.001, 0, 1)},
        "tool": {"type": "spherical", "cut": "cut", "successor_placement": Placement(("b", 0, "0.0002"))},
    }
    skew = replace(model, joints=tuple(replace(joint, **changes.get(joint.name, {})) for joint in model.joints))
    generate(skew, tmp_path, languages=["numpy"], functions=["mass_matrix", "constraint_jacobian"])
    found = verify(tmp_path, states=1)
    assert found.is_near_singular
    assert found.conditioning.tight == ("tool",)
    assert f"where rows of tool follow from others but for {found.conditioning.loops:.1e}" in found.summary()


def test_trees_have_no_such_figure(tmp_path: Path) -> None:
    generate("double_pendulum", tmp_path, languages=["numpy"], functions=["mass_matrix"])
    found = verify(tmp_path, states=2)
    assert not found.is_near_singular and "apart" not in found.summary()
    assert found.as_dict()["closure_rows_apart_by"] is None
