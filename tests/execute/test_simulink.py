"""Exports as S-functions, compiled against stubs of Simulink's headers and run: the motion of ``mbsym simulate``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.codegen.build import WARNINGS
from mechanisms import bead

STUBS = Path(__file__).with_name("stubs") / "simulink"
STEP, STEPS = 0.002, 100


def run(directory: Path, name: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The S-function, run by the stubs."""
    sources = [str(directory / f"{name}_sfun.c"), str(directory / f"{name}.c")]
    command = ["gcc", *WARNINGS, "-O1", "-isystem", str(STUBS), *sources, "-o", str(directory / "run"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:3000]
    return subprocess.run([str(directory / "run"), *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("model", ["four_bar", "spinning_top", "cart_pole", "dc_motor_arm"])
def test_the_motion_is_that_of_the_simulation(tmp_path: Path, model: str) -> None:
    """A closed loop; a quaternion and run-time parameters; control inputs; states of drives.

    The same steps differ by rounding, but for quaternions, which the S-function makes unit within a step too: that is
    of the order of the error of a step.
    """
    mbsym.export(model, "simulink", tmp_path)
    done = run(tmp_path, model, str(STEP), str(STEPS), "0.3")
    assert done.returncode == 0, done.stdout
    found = np.array([line.split() for line in done.stdout.splitlines()], float)
    last = mbsym.simulate(model, STEP, step=STEP, method="rk4").speed_names[-1]
    known = mbsym.simulate(model, STEP * STEPS, step=STEP, method="rk4", loads=mbsym.Loads(tau={last: 0.3}))
    expected = np.hstack([known.q, known.v, known.x])
    assert np.abs(expected[-1] - expected[0]).max() > 1e-3
    allowed = 1e-8 if model == "spinning_top" else 1e-11
    np.testing.assert_allclose(found, expected, rtol=0, atol=allowed * max(1.0, np.abs(expected).max()))


def test_constraints_of_time_move_what_they_hold(tmp_path: Path) -> None:
    model = bead.written(tmp_path)
    mbsym.export(str(model), "simulink", tmp_path / "out")
    done = run(tmp_path / "out", "bead", str(STEP), str(STEPS), "0")
    found = np.array([line.split() for line in done.stdout.splitlines()], float)
    known = mbsym.simulate(model, STEP * STEPS, step=STEP, method="rk4")
    np.testing.assert_allclose(found, np.hstack([known.q, known.v]), rtol=0, atol=1e-11)
    assert np.hypot(*found[-1, :2]) == pytest.approx(np.cosh(1.5 * STEP * STEPS), abs=1e-9)


def test_parameters_of_the_block_are_checked(tmp_path: Path) -> None:
    mbsym.export("double_pendulum", "simulink", tmp_path)
    done = run(tmp_path, "double_pendulum", str(STEP), "1", "0", "1.0", "-1.0")
    assert done.returncode == 0
    assert [float(word) for word in done.stdout.splitlines()[0].split()[2:]] == [1.0, -1.0]
    done = run(tmp_path, "double_pendulum", str(STEP), "1", "0", "1.0")
    assert done.returncode == 1 and "real vectors of their sizes" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cart_pole", "--function", "mass_matrix"], "an S-function has states and rates, not functions"),
        (["double_pendulum", "--formulation", "transfer-matrix"], "has no forward_dynamics, with which states move"),
        (["cart_pole", "--real", "float"], "simulink cannot take float: continuous states of Simulink are doubles"),
    ],
)
def test_mistakes_have_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["export", "simulink", *arguments, "-o", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
