"""Code whose bodies share steps: compiled, run, verified, and refused where it cannot be made."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.codegen.build import WARNINGS, find_compiler
from mbsym.errors import DerivationError
from mbsym.stages import share
from mechanisms.random_mechanisms import random_tree

SPRING = """
name: spring
bodies:
  a: {mass: 2, inertia: [0.2, 0.3, 0.25]}
  b: {mass: 1, inertia: [0.2, 0.3, 0.25]}
joints:
  A: {type: revolute, from: ground, to: a, axis: z}
  B: {type: revolute, from: a, to: b, axis: y, at: [0, 0, 1]}
forces:
  s: {type: point_spring_damper, first_body: b, second_body: ground, stiffness: 100, free_length: 0.5,
      first_point: [0.3, 0, 0.1], second_point: [1, 1, 0.2]}
"""
FUNCTIONS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "gravity_force", "body_jacobians", "momentum")


def test_a_tree_is_verified_in_both_languages(tmp_path: Path) -> None:
    # With force elements, one of which depends on time, and a run-time parameter.
    model = random_tree(16, bodies=(3, 6), couplings=False)
    mbsym.generate(model, tmp_path, functions=FUNCTIONS, style="shared", batch=["gravity_force"])
    certificate = mbsym.verify(tmp_path, states=3)
    certificate.raise_on_failure()
    assert {check.language for check in certificate.checks} == {"c", "numpy", "batch"}
    manifest = json.loads((tmp_path / f"{certificate.name}.json").read_text(encoding="utf-8"))
    assert [entry.get("style") for entry in manifest["functions"]] == ["shared"] * 6
    source = (tmp_path / f"{certificate.name}.c").read_text(encoding="utf-8")
    assert "static void random_16_inverse_dynamics_ground_motion(" in source


def test_single_precision_and_inline_trigonometry(tmp_path: Path) -> None:
    mbsym.generate(
        "puma560", tmp_path, functions=["inverse_dynamics"], style="shared", real="float", trigonometry="inline"
    )
    mbsym.verify(tmp_path, states=3).raise_on_failure()
    # Sines are named after the coordinate, for a step belongs to no joint.
    assert "sin_q = " in (tmp_path / "puma560.py").read_text(encoding="utf-8")


def test_the_self_test_runs_it(tmp_path: Path) -> None:
    mbsym.generate("puma560", tmp_path, functions=["gravity_force"], style="shared", self_test=True)
    compiler = [*find_compiler(), *WARNINGS, "-O1"]
    subprocess.run([*compiler, "puma560_selftest.c", "puma560.c", "-o", "run", "-lm"], cwd=tmp_path, check=True)
    subprocess.run(["./run"], cwd=tmp_path, check=True, capture_output=True)


def test_auto_shares_where_mechanisms_are_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rolled(batch: tuple[str, ...] = ()) -> tuple[str, ...]:
        done = mbsym.generate("puma560", tmp_path, languages=["c"], functions=FUNCTIONS[:2], batch=batch, force=True)
        return tuple(each.name for each in done.derivation.programs if each.body)

    assert rolled() == ()
    monkeypatch.setattr(share, "LONG", 6)
    assert rolled() == FUNCTIONS[:2]
    # Vectors over states take all operations of a state.
    assert rolled(batch=("inverse_dynamics",)) == FUNCTIONS[:1]


def test_what_can_fail_stays_straight_and_that_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "spring.yaml"
    model.write_text(SPRING, encoding="utf-8")
    command = ["generate", str(model), "-o", str(tmp_path), "--style", "shared", "--function", "forward_dynamics"]
    assert main(command) == 2
    assert "forward_dynamics divides by what may vanish (force element 's')" in capsys.readouterr().err
    assert main([*command, "--function", "mass_matrix"]) == 0
    assert "written out: forward_dynamics\n" in capsys.readouterr().err


def test_what_it_does_not_go_with_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DerivationError, match="can be made of steps"):
        mbsym.generate("four_bar", tmp_path, style="shared")
    with pytest.raises(DerivationError, match="`prepare`"):
        mbsym.generate("cart_pole", tmp_path, style="shared", prepare=True)
    assert main(["generate", "cart_pole", "-o", str(tmp_path), "--style", "curly"]) == 2
    assert "straight, limbs, shared or auto" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
