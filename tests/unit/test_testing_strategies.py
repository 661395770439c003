"""Strategies that users' tests draw mechanisms and states with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import mbsym
from mbsym.codegen.load import load_numpy
from mbsym.errors import MbsymError
from mbsym.joints.registry import JOINT_TYPES
from mbsym.reference import Reference
from mbsym.testing import compare_function
from mbsym.testing.strategies import State, mechanisms, states

FEW = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FOUND = settings(phases=[Phase.generate], database=None, deadline=None)


@FEW
@given(st.data())
def test_mechanisms_are_generated_and_obey_the_reference(data: st.DataObject) -> None:
    model = data.draw(mechanisms())
    state = data.draw(states(model))
    reference = Reference(model, model.label())
    assert compare_function(reference.mass_matrix, model, "mass_matrix", way="numeric", states=2)
    assert state.q.shape == (reference.mechanism.nq,)
    assert state.v.shape == state.vdot.shape == state.tau.shape == (reference.mechanism.nv,)


@pytest.mark.parametrize("kind", [name for name, kind in JOINT_TYPES.items() if kind.shape.nv])
def test_every_joint_type_is_drawn(kind: str) -> None:
    find(mechanisms(), lambda model: any(joint.type == kind for joint in model.joints), settings=FOUND)


def test_examples_shrink_to_one_body_on_a_revolute_joint() -> None:
    model = find(mechanisms(bodies=(1, 8), loops=(0, 2)), lambda model: True)
    assert [joint.type for joint in model.joints] == ["revolute"]
    assert (len(model.bodies), model.joints[0].axis, model.bodies[0].mass) == (1, (0, 0, 1), 0.5)
    drawn = mechanisms(("revolute", "helical"), bodies=(1, 4))
    model = find(drawn, lambda model: any(joint.type == "helical" for joint in model.joints))
    assert len(model.bodies) == 1


def test_what_is_asked_for_is_drawn() -> None:
    model = find(
        mechanisms(("prismatic", "fixed"), bodies=(4, 6)), lambda model: len(model.bodies) == 6, settings=FOUND
    )
    assert {joint.type for joint in model.joints} <= {"prismatic", "fixed"}
    with pytest.raises(MbsymError, match="hinge"):
        mechanisms(("hinge",))
    with pytest.raises(MbsymError, match=r"bodies is \(3, 2\); give a number from 1 on, or two in order"):
        mechanisms(bodies=(3, 2))


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_loops_move_and_are_closed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    model = data.draw(mechanisms(("revolute", "prismatic"), bodies=(1, 2), loops=(1, 2)))
    state: State = data.draw(states(model))
    directory = tmp_path_factory.mktemp("loops")
    mbsym.generate(model, directory, languages=("numpy",), functions=("constraint_residual", "constraint_jacobian"))
    module = load_numpy(directory / "drawn.py")
    assert np.abs(module.functions["constraint_residual"](state.q)).max() < 1e-9, "to which loops are closed"
    jacobian = np.asarray(module.functions["constraint_jacobian"](state.q))
    freedoms = jacobian.shape[1] - np.linalg.matrix_rank(jacobian)
    loops = (len(model.joints) - len(model.bodies)) * 1
    assert freedoms == len(model.bodies) - 3 * loops + loops, "each linkage adds one freedom"


def test_quaternions_have_length_one() -> None:
    model = find(mechanisms(("spherical",), bodies=1), lambda model: True)
    state = find(states(model), lambda state: abs(state.q[2]) > 0.1, settings=FOUND)
    assert np.linalg.norm(state.q) == pytest.approx(1, abs=1e-15)


def test_without_hypothesis_a_sentence_says_so(tmp_path: Path) -> None:
    program = "import sys; sys.modules['hypothesis'] = None\nfrom mbsym.errors import ToolchainError\n"
    program += "try:\n    import mbsym.testing.strategies\nexcept ToolchainError as error:\n    print(error)\n"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("the strategies of mbsym.testing need Hypothesis, which is not installed; pip install")
