"""Frequency responses: by equations and by transfer matrices, against each other and a closed formula."""

from __future__ import annotations

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import AnalysisError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource

OSCILLATOR = """
name: oscillator
gravity: [0, 0, 0]
inputs: {push: N}
bodies: {a: {mass: 2}, b: {mass: 0.5}}
joints:
  A: {type: prismatic, from: ground, to: a, axis: x}
  B: {type: prismatic, from: a, to: b, axis: x}
forces:
  ka: {type: joint_spring, joint: A, stiffness: 50}
  da: {type: joint_damper, joint: A, damping: 0.7}
  kb: {type: joint_spring, joint: B, stiffness: 12}
  db: {type: joint_damper, joint: B, damping: 0.1}
  u: {type: actuator, joint: A, input: push}
"""


def test_both_methods_are_the_closed_formula_of_two_masses() -> None:
    """(K + s D + s^2 M)^-1 over absolute displacements."""
    model = read_native(TextSource("oscillator.yaml", OSCILLATOR))
    hertz = [0.2, 0.77, 3.0]
    M = np.diag([2.0, 0.5])
    K, D = (np.array([[a + b, -b], [-b, b]]) for a, b in ((50.0, 12.0), (0.7, 0.1)))
    s = 2j * np.pi * np.array(hertz)
    exact = np.array([np.linalg.inv(K + x * D + x**2 * M)[:, 0] for x in s])
    found = mbsym.frequency_response(model, hertz, inputs=["a.x"], outputs=["a.x", "b.x"], method="transfer-matrix")
    np.testing.assert_allclose(found.values[:, :, 0], exact, rtol=1e-12)
    joints = mbsym.frequency_response(model, hertz, outputs=["q_A", "q_B"])
    assert joints.inputs == ("push",)
    np.testing.assert_allclose(np.cumsum(joints.values[:, :, 0], axis=1), exact, rtol=1e-11)


def test_a_beam_answers_statically_where_forces_are_slow() -> None:
    """L^3/(3 EI) at its end, and a peak of the damped first mode's height at its frequency."""
    text = "name: b\ngravity: [0, 0, 0]\nbeams:\n  b: {from: ground, length: 1.2, mass: 0.6, bending_stiffness: 2.5, "
    model = read_native(TextSource("b.yaml", text + "segments: 2, damping: 1e-3}\n"))
    mode = mbsym.transfer_matrix_modes(model, count=1)[0]
    found = mbsym.frequency_response(model, [1e-4, mode.hertz], inputs="b_2.y", method="transfer-matrix").values[
        :, 0, 0
    ]
    assert found[0] == pytest.approx(1.2**3 / (3 * 2.5), rel=1e-6)
    # The modal mass of a clamped beam at its end is a quarter of the beam's.
    assert abs(found[1]) == pytest.approx(1 / (0.6 / 4 * mode.frequency**2 * 2 * mode.damping), rel=1e-2)


def test_what_is_wrong_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    model = read_native(TextSource("oscillator.yaml", OSCILLATOR))
    with pytest.raises(AnalysisError, match="frequencies that are not above zero"):
        mbsym.frequency_response(model, [0.0])
    with pytest.raises(AnalysisError, match=r"no motion is called 'a.w'"):
        mbsym.frequency_response(model, [1.0], inputs=["a.w"], method="transfer-matrix")
    with pytest.raises(AnalysisError, match="no method is called 'magic'"):
        mbsym.frequency_response(model, [1.0], method="magic")
    line = ["response", "double_pendulum", "--from", "0.1", "--to", "1", "--points", "2"]
    assert main([*line, "--method", "transfer-matrix", "--inputs", "upper_rod.ry"]) == 0
    assert "upper_rod.ry / upper_rod.ry" in capsys.readouterr().out
    assert main([*line, "--beams", "exact"]) == 2
    assert "--beams means nothing" in capsys.readouterr().err
    assert main(["response", "double_pendulum", "--from", "2", "--to", "1"]) == 2
    assert "give two above zero, rising" in capsys.readouterr().err
