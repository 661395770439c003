"""Joints that follow a law of time in steps by transfer matrices: changing lengths, driven loops, what drives them."""

from __future__ import annotations

from dataclasses import replace
from math import sin
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.load import load_c, load_numpy
from mbsym.codegen.write import write_files
from mbsym.errors import DerivationError, SimulationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.motion import PrescribedMotion
from mbsym.model.system import Model
from mbsym.simulation.options import Preparation, Stepping
from mbsym.transfer_matrix.matrices import derive_transfer_matrices
from mbsym.transfer_matrix.module import stepping_module, with_steps
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.stepper import Scheme, TransferMatrixStepper
from mbsym.verification.checks import Settings
from mbsym.verification.stepping_checks import run_stepping_checks

HERE = Preparation("numpy")
ONE_STATE = Settings(states=1, seed=0, order="weight")

# A swing whose length follows a law; the bob's inertia about the arm is another one than about the pivot's axis.
DRAWN_IN = """\
name: drawn_in
bodies:
  arm: {}
  bob: {mass: 1.5, center_of_mass: [0.1, 0.05, 0], inertia: [0.01, 0.01, 0.02]}
joints:
  swing: {type: revolute, from: ground, to: arm, initial: 0.4}
  reach: {type: prismatic, from: arm, to: bob, axis: x}
motions:
  wind: {joint: reach, law: 0.8 + 0.25*sin(3*t)}
gravity: [0, -9.81, 0]
"""
# Driven joints that the tree walks backwards, with springs, dampers and rotors of their own, between free ones.
CRANE = """\
name: crane
bodies:
  jib: {mass: 2, center_of_mass: [0.3, 0, 0.1], inertia: [0.1, 0.2, 0.15]}
  load: {mass: 1.5, center_of_mass: [0.1, 0.05, -0.2], inertia: [0.01, 0.03, 0.02]}
  ball: {mass: 0.7, center_of_mass: [0, 0.2, 0.1], inertia: [0.01, 0.01, 0.02]}
joints:
  post: {type: cylindrical, from: ground, to: jib, axis: z, armature: 0.4}
  gimbal: {type: universal, from: load, to: jib, at_successor: [0.5, 0, 0]}
  link: {type: spherical, from: load, to: ball, at: [0, 0.1, 0.3]}
forces:
  s: {type: joint_spring, joint: gimbal, index: 1, stiffness: 3}
  d: {type: joint_damper, joint: gimbal, index: 1, damping: 0.3}
  e: {type: joint_damper, joint: post, index: 0, damping: 0.7}
motions:
  lift: {joint: post, index: 0, law: 0.1*t + 0.2*sin(2*t)}
  turn: {joint: gimbal, index: 1, law: 0.3*cos(4*t)}
"""


def read(text: str) -> Model:
    return read_native(TextSource("model.yaml", text))


@pytest.mark.parametrize(
    ("model", "duration", "size"),
    [
        (read(DRAWN_IN), 0.2, 5e-3),
        (read(CRANE), 0.1, 2e-2),
        (examples.load("driven_slider_crank"), np.pi / 100, 3e-3),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_steps_come_to_ordinary_dynamics_with_the_square_of_the_step(
    model: Model, duration: float, size: float
) -> None:
    """Coordinates, speeds, driving forces and the work of these; what is driven is where the law has it."""
    exact = mbsym.simulate(model, duration, output_step=duration / 2, preparation=HERE)
    # Damping of what a start without a past stirs up, which errs less than the steps once it is gone.
    damped = Stepping(Scheme("generalised-alpha", {"spectral_radius": 0.5}))
    errors = []
    for count in (16, 32):
        run = mbsym.simulate(
            model,
            duration,
            step=duration / count,
            output_step=duration / 2,
            method="transfer-matrix",
            preparation=HERE,
            stepping=damped,
        )
        work = (run.monitors.work - exact.monitors.work)[:, None]
        pairs = (run.q - exact.q, run.v - exact.v, run.y - exact.y, work)
        scales = (exact.q, exact.v, exact.y, exact.monitors.work)
        errors.append([np.abs(a).max() / np.abs(b).max() for a, b in zip(pairs, scales, strict=True)])
    # Of a driven loop all coordinates follow from the law, and loops close to round-off.
    coarse, fine = (np.array(found)[np.array(errors[0]) > 1e-12] for found in errors)
    assert len(coarse) >= 3
    assert np.all(fine < size)
    np.testing.assert_allclose(coarse / fine, 4.0, rtol=0.05)


def test_a_mass_that_is_drawn_in_keeps_its_angular_momentum() -> None:
    """A particle on a turning arm without weight: omega l^2 stays, and m (l'' - l omega^2) draws it in."""
    still = DRAWN_IN.replace("-9.81", "0").replace("[0.1, 0.05, 0], inertia: [0.01, 0.01, 0.02]", "[0, 0, 0]")
    steps = TransferMatrixStepper(read(still), engine="numpy")
    arm = steps.system.layout.load + 1

    def prescribed(value: float) -> np.ndarray:
        loads: np.ndarray = steps.nothing.copy()
        loads[0, arm] = value
        return loads

    def law(t: float) -> float:
        return 0.8 + 0.25 * sin(3 * t)

    errors = []
    for count in (100, 200):
        state = steps.start([0.4, 0.8], [2.0, 0.75], prescribed(0.0))
        assert steps.observe(state).driving_forces[0] == pytest.approx([0.0, -1.5 * 0.8 * 4], abs=1e-12)
        for k in range(count):
            state, report = steps.advance(state, 0.5 / count, loads=prescribed(law((k + 1) * 0.5 / count)), done=k)
            assert report.status == 0
        seen = steps.observe(state)
        assert seen.coordinates[0, 1] == pytest.approx(law(0.5), abs=1e-15)
        omega = 2 * (0.8 / law(0.5)) ** 2
        force = 1.5 * (-2.25 * np.sin(1.5) - law(0.5) * omega**2)
        errors.append([seen.angular_velocities[0, 0] - omega, seen.driving_forces[0, 1] - force])
    assert np.all(np.abs(errors[1]) < 3e-3)
    np.testing.assert_allclose(np.array(errors[0]) / errors[1], 4.0, rtol=0.1)


@pytest.mark.parametrize(
    ("model", "languages"),
    [(read(CRANE), ("numpy",)), (examples.load("driven_slider_crank"), ("c", "numpy"))],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_certificate_holds_driven_steps_beside_the_reference(
    model: Model, languages: tuple[str, ...], tmp_path: Path
) -> None:
    """Motions, and what drives them, in both languages."""
    stepping = stepping_module(transfer_system(build_mechanism(model, model.label())))
    write_files(tmp_path, render(with_steps(ModuleDescription(model.name, ()), stepping), languages))
    modules = [load_c(tmp_path)] if "c" in languages else []
    modules.append(load_numpy(tmp_path / f"{model.name}.py"))
    checks, _ = run_stepping_checks(model, modules, ONE_STATE)
    assert [check for check in checks if not check.passed] == []
    assert "driving forces of reference" in {check.against for check in checks}
    driven = [flag for each in modules[0].manifest["transfer_matrix"]["elements"] for flag in each["driven"]]
    assert sum(driven) == len(model.motions)


def test_what_steps_cannot_follow_is_refused_by_name() -> None:
    crane, drawn_in = read(CRANE), read(DRAWN_IN)
    cases = [
        (
            replace(crane, motions=(PrescribedMotion("spin", "link", "t", "speed", 1),)),
            "spin drives a spherical or free",
        ),
        (
            replace(drawn_in, motions=(PrescribedMotion("wind", "reach", "t", "speed"),)),
            "wind gives a speed, and steps",
        ),
        (
            replace(examples.load("driven_slider_crank"), motions=(PrescribedMotion("push", "small_end", "t"),)),
            "push drives joint small_end, which is cut",
        ),
    ]
    for model, words in cases:
        with pytest.raises(DerivationError, match=words):
            transfer_system(build_mechanism(model, model.label()))
    with pytest.raises(SimulationError, match="beyond the step, where forces and motions are not known"):
        mbsym.simulate(
            drawn_in,
            0.02,
            step=0.01,
            method="transfer-matrix",
            stepping=Stepping(Scheme("wilson")),
            preparation=HERE,
        )
    stepper = TransferMatrixStepper(drawn_in, engine="numpy")
    with pytest.raises(SimulationError, match="beyond the step, where motions are not known"):
        stepper.advance(stepper.start([0.4, 0.8], [0.0, 0.0]), 0.01, scheme=Scheme("wilson"))
    with pytest.raises(DerivationError, match="closed forms of transfer matrices prescribe no motions"):
        derive_transfer_matrices(drawn_in)
