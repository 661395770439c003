"""Frequency responses: by equations and by transfer matrices, against each other and a closed formula."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import AnalysisError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mechanisms.loaded_tree import LOADED_TREE

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
    system = mbsym.transfer_matrix_system(model, inputs=["a.x"], outputs=["a.x", "b.x"])
    np.testing.assert_allclose(system.response(hertz)[:, :, 0], exact, rtol=1e-11)


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


def test_state_space_by_residues_is_the_whole_model(agreement: Callable[[object], None]) -> None:
    """All modes kept: every pole to 1e-10, and the response to 1e-10 of the method's own at any frequency."""
    tree = read_native(TextSource("tree.yaml", LOADED_TREE))
    found = mbsym.transfer_matrix_system(tree, inputs=["c.x", "e.ry"], outputs=["a.rz", "c.z"], count=20)
    A, B, C, D = found
    assert (A.shape, B.shape, C.shape) == ((10, 10), (10, 2), (2, 10))
    assert not D.any()
    poles = np.linalg.eigvals(A)
    # Which are those of the linearised equations of motion: test_beam_vibrations.py.
    for mode in mbsym.transfer_matrix_modes(tree, count=20):
        assert np.abs(poles - mode.eigenvalue).min() < 1e-10 * mode.frequency
    hertz = [0.1, 1.05, 2.7, 40.0]
    own = mbsym.frequency_response(
        tree, hertz, inputs=found.inputs, outputs=found.outputs, method="transfer-matrix"
    ).values
    error = np.abs(found.response(hertz) - own).max() / np.abs(own).max()
    assert error < 1e-10
    agreement(error)


def test_state_space_of_beams_keeps_what_slow_forces_see_of_the_modes_left_out() -> None:
    """Two equal pairs of damped modes in space, four more, and motions that rest; the static answer is exact."""
    text = "name: b\ngravity: [0, 0, 0]\nbeams:\n  b: {from: ROOT, length: 1.2, mass: 0.6, bending_stiffness: 2.5, "
    text += "segments: 1, bends: both, damping: 1e-4}\n"
    fixed = read_native(TextSource("b.yaml", text.replace("ROOT", "ground")))
    found = mbsym.transfer_matrix_system(fixed, inputs=["b_1.y", "b_1.z"], count=4)
    assert found.response([1e-7])[0] == pytest.approx(1.2**3 / (3 * 2.5) * np.eye(2), abs=1e-9)
    floating = text.replace("ROOT", "r") + "bodies: {r: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
    floating += "joints: {f: [free, ground, r]}\n"
    free = read_native(TextSource("b.yaml", floating))
    hertz = [0.05, 1.0]
    for model, count in ((fixed, 6), (free, 12)):
        sides = {"inputs": ["b_1.y", "b_1.rz"], "outputs": ["b_1.y"]}
        system = mbsym.transfer_matrix_system(model, count=count, **sides)
        own = mbsym.frequency_response(model, hertz, method="transfer-matrix", **sides).values
        # What is left out swings above 15 Hz; its inertia and damping count less than the square of that ratio.
        assert np.abs(system.response(hertz) / own - 1).max() < (1.0 / 15.0) ** 2


def test_the_command_writes_state_space_matrices(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["linearise", "double_pendulum", "--method", "transfer-matrix"]
    assert main([*line, "--inputs", "upper_rod.ry", "--json"]) == 0
    assert '"method": "transfer-matrix"' in capsys.readouterr().out
    assert main([*line, "--inputs", "upper_rod.ry"]) == 0
    assert "2 modes about a state of rest, by transfer matrices" in capsys.readouterr().out
    for wrong, word in (
        ([], "--inputs: transfer matrices need inputs by name"),
        (["--inputs", "upper_rod.rw"], "no motion is called 'upper_rod.rw'"),
        (["--inputs", "upper_rod.ry", "--symbols"], "--symbols means nothing to transfer matrices"),
        (["--inputs", "upper_rod.ry", "--count", "0"], "--count: 0 modes"),
        (["--inputs", "upper_rod.ry", "--method", "magic"], "no method is called 'magic'"),
    ):
        assert main([*line, *wrong]) == 2
        assert word in capsys.readouterr().err
    assert main(["linearise", "double_pendulum", "--count", "3"]) == 2
    assert "--count means nothing to equations" in capsys.readouterr().err


def test_modes_that_no_input_excites_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parents[3] / "examples" / "vibration" / "satellite.yaml"
    satellite = tmp_path / "satellite.yaml"
    satellite.write_text(example.read_text().replace("segments: 6", "segments: 1"))
    line = ["linearise", str(satellite), "--method", "transfer-matrix", "--count"]
    assert main([*line, "5", "--inputs", "hub.rz"]) == 0
    told = capsys.readouterr().out
    assert "satellite: 2 of 5 modes about a state of rest" in told
    assert "\nno input excites the others\n" in told
    assert main([*line, "1", "--inputs", "hub.z"]) == 0
    told = capsys.readouterr().out
    assert "satellite: 0 of 3 modes" in told
    assert "\nno input excites any\n" in told
    assert "poles       none" in told
    assert main([*line, "1", "--inputs", "hub.x", "--outputs", "hub.rz"]) == 0
    assert "no input excites any, or no output feels them" in capsys.readouterr().out


def test_a_system_of_motions_that_rest_alone_knows_how_near_the_next_mode_is() -> None:
    """The panels swing at 0.01 rad/s: a circle of any fixed size around zero would hold their poles too."""
    satellite = Path(__file__).parents[3] / "examples" / "vibration" / "satellite.yaml"
    found = mbsym.transfer_matrix_system(satellite, inputs=["hub.rz"], count=1, parameters={"EI": 1e-4})
    assert (found.searched, len(found.A)) == (3, 2)
    # 1/inertia about the centre of the hub and two panels.
    inertia = 3 + 2 * 1.5 * (2**2 / 12 + 1.4**2)
    assert float((found.C @ found.A @ found.B)[0, 0]) == pytest.approx(1 / inertia, rel=1e-9)


def test_what_is_wrong_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    model = read_native(TextSource("oscillator.yaml", OSCILLATOR))
    with pytest.raises(AnalysisError, match="frequencies that are not above zero"):
        mbsym.frequency_response(model, [0.0])
    with pytest.raises(AnalysisError, match=r"no motion is called 'a.w'"):
        mbsym.frequency_response(model, [1.0], inputs=["a.w"], method="transfer-matrix")
    with pytest.raises(AnalysisError, match=r"^oscillator: no input is named; give inputs as"):
        mbsym.transfer_matrix_system(model, inputs=[])
    with pytest.raises(AnalysisError, match="no method is called 'magic'"):
        mbsym.frequency_response(model, [1.0], method="magic")
    line = ["response", "double_pendulum", "--from", "0.1", "--to", "1", "--points", "2"]
    assert main([*line, "--method", "transfer-matrix", "--inputs", "upper_rod.ry"]) == 0
    assert "upper_rod.ry / upper_rod.ry" in capsys.readouterr().out
    assert main([*line, "--beams", "exact"]) == 2
    assert "--beams means nothing" in capsys.readouterr().err
    assert main(["response", "double_pendulum", "--from", "2", "--to", "1"]) == 2
    assert "give two above zero, rising" in capsys.readouterr().err
