"""Forces of model files, control inputs and generalised forces in steps by transfer matrices, against the equations."""

from __future__ import annotations

import numpy as np
import pytest

import mbsym
from mbsym.errors import DerivationError, SimulationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.simulation.equations import prepare
from mbsym.simulation.options import Loads, Preparation, Stepping
from mbsym.transfer_matrix.recognition import transfer_system

HERE = Preparation("numpy")

PLANAR = """
name: planar
inputs: {m: N m}
bodies:
  a: {mass: 1, center_of_mass: [0.5, 0.1, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 0.7, center_of_mass: [0.3, 0, 0], inertia: [0.05, 0.05, 0.05]}
  w: {mass: 0.1, center_of_mass: [0, 0.1, 0]}
  c: {mass: 0.5, inertia: [0.01, 0.01, 0.01]}
joints:
  A: {type: revolute, from: ground, to: a, initial: 0.3}
  B: {type: revolute, from: b, to: a, at_successor: [1, 0, 0]}
  F: {type: fixed, from: b, to: w, at: {translation: [0.2, 0, 0], rotation: [[z, 0.4]]}}
  C: {type: planar, from: c, to: ground, at: {translation: [0.1, 0.2, 0], rotation: [[z, 0.5]]}, initial: [1, 2, 0.2]}
forces:
  f: {type: applied_wrench, body: w, point: [0.1, 0.2, 0], force: ["5*sin(3*t)", "2*cos(5*t)", 0], moment: [0, 0, "t"]}
  g: {type: applied_wrench, body: a, point: [0.1, 0.2, 0], force: [3, "-0.2*v_A", 0], axes: body}
  j: {type: joint_force, joint: B, expression: "sin(10*t) - 0.3*v_B**3 + m"}
  k: {type: joint_force, joint: C, expression: "sin(10*t)", index: 0}
  l: {type: joint_force, joint: C, expression: "sin(4*t)", index: 2}
  s: {type: joint_spring, joint: A, stiffness: 3}
  d: {type: joint_damper, joint: A, damping: 0.1}
"""

SPATIAL = """
name: spatial
bodies:
  a: {mass: 1, center_of_mass: [0.5, 0.1, 0], inertia: [0.1, 0.2, 0.15]}
  b: {mass: 0.7, center_of_mass: [0.3, 0, 0.1], inertia: [0.05, 0.06, 0.07]}
joints:
  A: {type: spherical, from: ground, to: a}
  B: {type: spherical, from: b, to: a, at_successor: [1, 0, 0]}
forces:
  f: {type: applied_wrench, body: b, point: [0.1, 0.2, 0], force: ["5*sin(3*t)", "cos(5*t)", 1], moment: [0.1, 0, t]}
  g: {type: applied_wrench, body: a, point: [0.1, 0.2, 0], force: [3, "-0.2*v_A_x", 0], axes: body}
  j: {type: joint_force, joint: B, expression: "sin(10*t)", index: 1}
"""


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        (PLANAR, Loads(inputs={"m": 0.4}, tau={"v_A": 0.3})),
        (SPATIAL, Loads(tau=lambda t, q, v: np.array([0.0, 0.0, np.cos(3 * t), 0.0, 0.0, 0.1]))),
    ],
)
def test_forces_over_time_and_of_the_motion_come_to_the_motion_of_the_equations(text: str, loads: Loads) -> None:
    """With the square of the step: motion, and the energy that the forces supply."""
    model = read_native(TextSource("forces.yaml", text))
    exact = mbsym.simulate(model, 0.2, output_step=0.1, loads=loads, preparation=HERE)
    errors, drifts = [], []
    for step in (1e-2, 5e-3):
        run = mbsym.simulate(
            model, 0.2, output_step=0.1, step=step, method="transfer-matrix", loads=loads, preparation=HERE
        )
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
        drifts.append(run.monitors.worst_energy_drift)
        assert run.monitors.work[-1] == pytest.approx(exact.monitors.work[-1], rel=0.02)
    assert errors[0] < 2e-2
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert 3.0 < drifts[0] / drifts[1] < 5.0


def test_what_forces_cannot_do_is_refused() -> None:
    model = read_native(TextSource("forces.yaml", PLANAR))
    with pytest.raises(SimulationError, match="Wilson's scheme holds the equations beyond the step"):
        mbsym.simulate(
            model,
            0.01,
            step=5e-3,
            method="transfer-matrix",
            preparation=HERE,
            stepping=Stepping(mbsym.Scheme("wilson")),
        )
    # Generated code takes loads from its caller, and says so.
    with pytest.raises(DerivationError, match="give other forces as loads"):
        transfer_system(build_mechanism(model, model.label()))
    stiff = PLANAR.replace("- 0.3*v_B**3", "- 20*v_B")
    with pytest.raises(SimulationError, match="do not settle"):
        mbsym.simulate(
            read_native(TextSource("stiff.yaml", stiff)), 0.1, step=1e-2, method="transfer-matrix", preparation=HERE
        )
    plain = prepare(read_native(TextSource("top.yaml", SPATIAL.partition("forces:")[0])), HERE, stepped=True)
    with pytest.raises(SimulationError, match="prepared without what this needs"):
        mbsym.simulate(plain, 0.01, method="transfer-matrix", loads=Loads(tau={"v_A_x": 1.0}))
