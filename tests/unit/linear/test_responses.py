"""Responses of one mass and one beam against closed forms, what goes through at once included."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import mbsym
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.linear.modal_system import transfer_matrix_system
from mbsym.model.system import Model


def read(text: str) -> Model:
    return read_native(TextSource("model.yaml", text))


MASS = read("""
name: mass
gravity: [0, 0, 0]
bodies: {m: {mass: 2}}
joints: {A: {type: prismatic, from: ground, to: m, axis: [1, 0, 0]}}
forces:
  k: {type: joint_spring, joint: A, stiffness: 50}
  d: {type: joint_damper, joint: A, damping: 3}
""")

BEAM = read("""
name: beam
gravity: [0, 0, 0]
bodies: {}
joints: {}
beams: {b: {from: ground, length: 1.2, mass: 0.6, bending_stiffness: 2.5, segments: 1}}
""")


def test_place_speed_and_acceleration_of_a_mass() -> None:
    """1 / (k - m w^2 + i w d), times i w and -w^2: the last is mostly D where w is high."""
    hertz = np.array([0.2, 0.8, 40.0])
    found = mbsym.frequency_response(MASS, hertz, inputs="tau", outputs=["q_A", "v_A", "vdot_A"]).values[:, :, 0]
    s = 2j * pi * hertz
    place = 1.0 / (50.0 + 3.0 * s + 2.0 * s**2)
    assert np.abs(found / np.stack([place, s * place, s**2 * place], axis=1) - 1.0).max() < 1e-12


def test_what_goes_through_at_once_is_the_inverse_mass() -> None:
    A, B, C, D = mbsym.linearise(MASS, inputs="tau", outputs=["vdot_A", "q_A"])
    assert pytest.approx(np.array([[0.5], [0.0]])) == D
    assert pytest.approx(np.array([[0.0], [0.5]])) == B
    assert pytest.approx(np.array([[0.0, 1.0], [-25.0, -1.5]])) == A
    assert pytest.approx(np.array([[-25.0, -1.5], [1.0, 0.0]])) == C


@pytest.mark.parametrize("count", [1, 2, 5])
def test_slow_forces_bend_a_beam_as_statics_say_however_few_modes_are_kept(count: int) -> None:
    """L^3/(3 EI), L^2/(2 EI), L/EI at the end of a cantilever: D has what the modes left out do.

    To 1e-6: the share of the motion at 0.001 of the first frequency is 1e-6 of it.
    """
    found = transfer_matrix_system(BEAM, inputs=["b_1.y", "b_1.rz"], count=count)
    A, B, C, D = found
    static = D - C @ np.linalg.solve(A, B)
    length, bending = 1.2, 2.5
    expected = np.array([[length**3 / 3, length**2 / 2], [length**2 / 2, length]]) / bending
    assert np.abs(static / expected - 1.0).max() < 1e-6
    # The first mode has 97 of 100 of the deflection under a force, and less of the turn under a moment.
    assert np.abs(D[0, 0] / expected[0, 0]) < 0.03
    assert 0.0 < D[1, 1] < 0.4 * expected[1, 1]
