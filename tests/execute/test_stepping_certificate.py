"""Stepping code by transfer matrices gets its certificate, and loses it for one wrong sign."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mbsym.pipeline import generate
from mbsym.verification.certificate import verify
from mechanisms.beams import beamed
from mechanisms.examples import further


@pytest.mark.parametrize("name", ["rhombus_regular", *further("double_pendulum")])
def test_stepping_code_is_verified(name: str, tmp_path: Path) -> None:
    generate(name, tmp_path, formulation="transfer-matrix")
    certificate = verify(tmp_path, states=3)
    assert certificate.passed, certificate.summary()
    assert certificate.formulation == "transfer-matrix"
    assert {check.against for check in certificate.checks} >= {"motion of reference", "energy of reference"}


@pytest.mark.more
@pytest.mark.parametrize("name", ["space", "from the tip", "on a plate"])
def test_beams_that_bend_stretch_and_twist_are_verified(name: str, tmp_path: Path) -> None:
    generate(replace(beamed(name), name="beamed"), tmp_path, formulation="transfer-matrix")
    certificate = verify(tmp_path, states=2)
    assert certificate.passed, certificate.summary()


@pytest.mark.parametrize("name", ["rhombus_planar", *further("double_pendulum", "rhombus_spatial")])
def test_stepping_code_in_single_precision_is_verified(name: str, tmp_path: Path) -> None:
    """Rotations by nothing were not a number, as 1e-40 is zero there, and steps of 2e-5 s left no digit of speeds."""
    generate(name, tmp_path, formulation="transfer-matrix", real="float")
    certificate = verify(tmp_path, states=2)
    assert certificate.passed, certificate.summary()
    languages = [check for check in certificate.checks if check.against == "c code"]
    assert [check.tolerance < 0.1 for check in languages] == [True]


@pytest.mark.parametrize(("suffix", "real"), [("c", "double"), ("py", "double"), *further(("c", "float"))])
def test_a_wrong_sign_is_found(suffix: str, real: str, tmp_path: Path) -> None:
    generate("double_pendulum", tmp_path, formulation="transfer-matrix", real=real)
    file = tmp_path / f"double_pendulum.{suffix}"
    text = file.read_text(encoding="utf-8")
    # The inertial force of a body, m a, taken off the wrong way round.
    broken, changes = re.subn(r"(= force\[[^\]]*0\]|= force_0) - ", r"\1 + ", text, count=1)
    assert changes == 1
    file.write_text(broken, encoding="utf-8")
    certificate = verify(tmp_path, states=3)
    assert not certificate.passed
    language = {"c": "c", "py": "numpy"}[suffix]
    assert any(check.language == language and not check.passed for check in certificate.checks)
