"""The committed exemplars are, byte for byte, what the code generates, and their certificates are about these bytes."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

import mbsym

EXEMPLARS = Path(__file__).resolve().parents[2] / "generated"
NAMES = sorted(path.name for path in EXEMPLARS.iterdir() if path.is_dir())
SUFFIXES = ("c", "h", "py", "json")


def test_the_exemplars_are_these() -> None:
    assert {"double_pendulum", "puma560", "space_robot", "four_bar", "stewart_platform"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_stable(name: str, tmp_path: Path) -> None:
    """If a change is meant, run ``make generated`` and commit the difference."""
    manifest = json.loads((EXEMPLARS / name / f"{name}.json").read_text(encoding="utf-8"))
    functions = [function["name"] for function in manifest["functions"]]
    mbsym.generate(name, tmp_path, formulation=manifest["formulation"], functions=functions)
    for suffix in SUFFIXES:
        fresh = (tmp_path / f"{name}.{suffix}").read_text(encoding="utf-8")
        committed = (EXEMPLARS / name / f"{name}.{suffix}").read_text(encoding="utf-8")
        # Line by line, so that a difference is shown where it is.
        assert fresh.split("\n") == committed.split("\n"), f"{name}.{suffix}"
        assert (tmp_path / f"{name}.{suffix}").read_bytes() == (EXEMPLARS / name / f"{name}.{suffix}").read_bytes()
    certificates = {f"{name}.certificate.{suffix}" for suffix in ("json", "md")}
    assert {path.name for path in (EXEMPLARS / name).iterdir() if path.name not in certificates} == {
        path.name for path in tmp_path.iterdir()
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_certificate_is_about_these_files(name: str) -> None:
    certificate = json.loads((EXEMPLARS / name / f"{name}.certificate.json").read_text(encoding="utf-8"))
    assert certificate["passed"] is True
    assert certificate["states"] >= 20
    assert {check["language"] for check in certificate["checks"]} == {"c", "numpy"}
    for suffix in SUFFIXES:
        text = (EXEMPLARS / name / f"{name}.{suffix}").read_bytes()
        assert certificate["files"][f"{name}.{suffix}"] == sha256(text).hexdigest(), "run mbsym verify again"
    assert "**verified**" in (EXEMPLARS / name / f"{name}.certificate.md").read_text(encoding="utf-8")
