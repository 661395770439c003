"""Exports to acados, called as it does by a driver in C: they fit together, and with differences."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import mbsym
from mbsym.cli import main
from mbsym.codegen.build import WARNINGS

DRIVER = Path(__file__).resolve().parents[2] / "examples" / "acados" / "check.c"

TIMED = """
name: timed
bodies:
  rod: {mass: 1, center_of_mass: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01]}
joints:
  pin: {type: revolute, from: ground, to: rod, axis: y}
forces:
  push: {type: joint_force, joint: pin, expression: sin(t)}
"""


def checked(directory: Path, model: str, implicit: bool = True) -> tuple[int, dict[str, float]]:
    """Exit status of the driver and the differences that it prints."""
    sources = [str(path) for path in (DRIVER, directory / f"{model}_acados.c", directory / f"{model}.c")]
    command = ["gcc", *WARNINGS, "-O1", f"-DMODEL={model}", f"-DIMPLICIT={int(implicit)}", *sources]
    done = subprocess.run(
        [*command, "-o", str(directory / "check"), "-lm"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    run = subprocess.run([str(directory / "check")], capture_output=True, text=True, check=False)
    rows = [line.rsplit(maxsplit=1) for line in run.stdout.splitlines()]
    return run.returncode, {name.strip(): float(value) for name, value in rows}


@pytest.mark.parametrize("model", ["double_pendulum", "cart_pole", "spinning_top"])
def test_sensitivities_steps_and_implicit_dynamics_fit_together(tmp_path: Path, model: str) -> None:
    """Run-time parameters, control inputs, a quaternion; differences of step 1e-5 have errors of 1e-10."""
    mbsym.export(model, "acados", tmp_path)
    status, found = checked(tmp_path, model)
    assert status == 0 and len(found) == 7
    assert max(found.values()) < 1e-8
    for name in ("residual of the implicit dynamics", "implicit function theorem"):
        assert found[name] < 1e-13


def test_closed_loops_have_explicit_dynamics_of_their_motors(tmp_path: Path) -> None:
    done = mbsym.export("four_bar", "acados", tmp_path)
    assert done.notes and done.notes[0].startswith("implicit dynamics are left out")
    status, found = checked(tmp_path, "four_bar", implicit=False)
    assert status == 0 and len(found) == 5
    assert "static const int control_of[NV] = {0, -1, -1}" in (tmp_path / "four_bar_acados.c").read_text()


def test_parameters_that_a_model_has_not_take_no_room(tmp_path: Path) -> None:
    """p has neither rows nor columns; what is four by none are derivatives."""
    mbsym.export("double_pendulum", "acados", tmp_path, symbolic_parameters="none")
    text = (tmp_path / "double_pendulum_acados.c").read_text()
    sizes = re.findall(r"_pattern\d+\[\d+\] = \{(\d+), (\d+)", text)
    assert {rows for rows, columns in sizes if columns == "0"} == {"0", "4"}


def test_a_wrong_sign_is_found(tmp_path: Path) -> None:
    mbsym.export("double_pendulum", "acados", tmp_path)
    source = tmp_path / "double_pendulum_acados.c"
    text = source.read_text()
    assert "by_x[(NQ + k) * NX + k] = -1.0" in text
    source.write_text(text.replace("by_x[(NQ + k) * NX + k] = -1.0", "by_x[(NQ + k) * NX + k] = 1.0"))
    assert checked(tmp_path, "double_pendulum")[0] == 1


def test_the_step_is_a_setting(tmp_path: Path) -> None:
    mbsym.export("double_pendulum", "acados", tmp_path, settings={"step": "0.005"})
    assert "#define STEP 0.005" in (tmp_path / "double_pendulum_acados.c").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["timed.yaml"], "timed: forces depend on time, which explicit dynamics of acados do not have"),
        (["four_bar", "--symbolic-parameters", "all"], "forward_dynamics has no derivatives: with closed loops"),
        (["cart_pole", "--function", "mass_matrix"], "acados takes dynamics, not functions"),
        (["cart_pole", "--set", "step=soon"], "'soon' is no length of a step"),
        (["cart_pole", "--real", "float"], "acados cannot take float"),
    ],
)
def test_what_cannot_be_expressed_is_refused_with_the_reason(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "timed.yaml").write_text(TIMED)
    assert main(["export", "acados", *arguments, "-o", "out"]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
