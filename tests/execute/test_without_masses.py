"""Mechanisms of which no body has mass: kinematics by name, verified; dynamics refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import Body, Frame, Placement
from mbsym.codegen.load import load_numpy
from mbsym.errors import DerivationError
from mbsym.registry import KINEMATIC


def arm() -> mbsym.Model:
    model = mbsym.examples.load("puma560")
    frames = (Frame("tool", model.bodies[-1].name, Placement((0, 0, "0.1"), (("y", 0.3),))),)
    bodies = tuple(Body(body.name) for body in model.bodies)
    outputs = (mbsym.NamedExpression("high", "position(tool).z"), mbsym.NamedExpression("fast", "velocity(tool).x"))
    return replace(model, bodies=bodies, frames=frames, forces=(), outputs=outputs)


def test_kinematics_are_generated_and_verified(tmp_path: Path) -> None:
    # The arm has no drives.
    functions = KINEMATIC - {"drive_rates"}
    mbsym.generate(arm(), tmp_path / "bare", functions=tuple(sorted(functions)), frames=("all",))
    assert mbsym.verify(tmp_path / "bare", states=4).passed
    massive = replace(arm(), bodies=mbsym.examples.load("puma560").bodies)
    mbsym.generate(massive, tmp_path / "massive", functions=tuple(sorted(functions)), frames=("all",))
    modules = [load_numpy(tmp_path / name / "puma560.py") for name in ("bare", "massive")]
    state = {name: np.linspace(-1.0, size, 6) for name, size in (("q", 2.0), ("v", 3.0), ("vdot", 1.0))}
    for name in functions:
        one, other = (module.functions[name] for module in modules)
        arguments = [state[item.name] for item in one.inputs]
        # Some ten operations deep.
        np.testing.assert_allclose(one(*arguments), other(*arguments), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("functions", [(), ("mass_matrix",), ("body_poses", "kinetic_energy")])
def test_dynamics_are_refused(functions: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(
        DerivationError, match=r"no body has mass or inertia.*body_jacobians and functions of frames need none"
    ):
        mbsym.generate(arm(), tmp_path, functions=functions)
    with pytest.raises(DerivationError, match="no body has mass or inertia"):
        mbsym.simulate(arm(), 1.0)
    assert not any(tmp_path.iterdir())


def test_closed_loops_need_masses_to_be_closed_by(tmp_path: Path) -> None:
    with pytest.raises(DerivationError, match="no body has mass or inertia"):
        mbsym.generate("qi_closed_loops", tmp_path, functions=("body_poses",))
