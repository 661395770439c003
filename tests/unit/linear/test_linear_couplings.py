"""One linear relation of several coordinates, against the tree reduced to the speeds that it leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.codegen.load import load_numpy
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.pipeline import generate
from mbsym.verification.certificate import verify

LEG = """name: leg
bodies:
  hip: {mass: 1, inertia: [0.1, 0.2, 0.3], center_of_mass: [0, 0.1, -0.2]}
  thigh: {mass: 2, inertia: [0.2, 0.1, 0.2], center_of_mass: [0.3, 0, 0]}
  shin: {mass: 1.5, inertia: [0.1, 0.2, 0.2], center_of_mass: [0.1, 0.2, 0]}
  foot: {mass: 0.5, inertia: [0.1, 0.1, 0.1], center_of_mass: [0, 0, 0.1]}
joints:
  yaw: {type: revolute, from: ground, to: hip}
  pitch: {type: revolute, from: hip, to: thigh, axis: y, at: [0, 0, -0.5]}
  knee: {type: prismatic, from: thigh, to: shin, axis: x, at: [0.4, 0, 0]}
  ankle: {type: helical, from: shin, to: foot, axis: y, pitch: 0.1, at: [0.4, 0, 0]}
constraints:
  tendon: {type: linear_coupling, joints: [pitch, ankle, knee], factors: [r, -0.5, 2], offset: 0.3}
parameters: {r: {value: 1.25, symbolic: true}}
"""
FUNCTIONS = (
    "constrained_dynamics", "constraint_residual", "constraint_jacobian", "constraint_bias", "project_position"
)  # fmt: skip


def test_what_is_left_moves_as_the_reduced_tree(tmp_path: Path) -> None:
    model = read_native(TextSource("leg.yaml", LEG))
    generate(model, tmp_path / "tied", languages=["numpy"], functions=FUNCTIONS, symbolic_parameters="none")
    generate(replace(model, constraints=()), tmp_path / "free", languages=["numpy"], symbolic_parameters="none")
    tied, free = (load_numpy(tmp_path / name / "leg.py").functions for name in ("tied", "free"))
    row = np.array([0, 1.25, 2, -0.5])
    left = np.linalg.svd(row[None, :])[2][1:].T
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, v, tau = rng.normal(size=(3, 4))
        v -= row * (row @ v) / (row @ row)
        assert tied["constraint_jacobian"](q) == pytest.approx(row[None, :])
        assert tied["constraint_residual"](q) == pytest.approx([row @ q - 0.3], abs=1e-15)
        assert row @ tied["project_position"](q) == pytest.approx(0.3, abs=1e-12)
        M, h = free["mass_matrix"](q), free["bias_force"](q, v)
        expected = left @ np.linalg.solve(left.T @ M @ left, left.T @ (tau - h))
        vdot, multiplier = tied["constrained_dynamics"](q, v, tau)
        # Two solutions of one system of condition below 1e3.
        assert vdot == pytest.approx(expected, rel=1e-11, abs=1e-11)
        assert M @ vdot + h - row * multiplier == pytest.approx(tau, abs=1e-11)


def test_it_is_verified_and_simulated(tmp_path: Path) -> None:
    model = read_native(TextSource("leg.yaml", LEG))
    generate(model, tmp_path)
    assert verify(tmp_path, states=3).passed
    result = mbsym.simulate(model, 0.5, accuracy=mbsym.Accuracy(rtol=1e-9))
    assert result.monitors.worst_energy_drift < 1e-6 * result.monitors.energy_scale
    assert result.monitors.closure_gap is not None
    assert max(result.monitors.closure_gap) < 1e-9


def test_a_wrong_factor_is_not_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference has its own reading of the factors."""
    from mbsym.reference import mechanism

    wrong = {**mechanism.OF_COORDINATES, "linear_coupling": lambda law: [(name, 1) for name in law.joints]}
    monkeypatch.setattr(mechanism, "OF_COORDINATES", wrong)
    generate(read_native(TextSource("leg.yaml", LEG)), tmp_path, languages=["numpy"], functions=FUNCTIONS)
    assert not verify(tmp_path, states=1).passed
