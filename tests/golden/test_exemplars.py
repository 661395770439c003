"""The committed exemplars are, byte for byte, what the code generates, and their certificates are about these bytes."""

from __future__ import annotations

import importlib.util
import json
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest

import mbsym
from mbsym.verification.certificate_file import read_certificate
from mbsym.verification.certificate_page import certificate_page
from mechanisms.examples import some

ROOT = Path(__file__).resolve().parents[2]
EXEMPLARS = ROOT / "generated"
SUFFIXES = ("c", "h", "py", "json")
MOST_BYTES = 1_500_000


def script() -> ModuleType:
    """The script that writes ``generated/``."""
    specification = importlib.util.spec_from_file_location("exemplars", ROOT / ".ci" / "exemplars.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module
    specification.loader.exec_module(module)
    return module


SCRIPT = script()
LISTED = {exemplar.name: exemplar for exemplar in SCRIPT.EXEMPLARS}
NAMES = sorted(path.name for path in EXEMPLARS.iterdir() if path.is_dir())


LONG = ("driver_cab_motion", "stewart_platform", "rhombus_spatial", "space_robot")
"""What takes more than a second; ``.ci/regenerate`` writes these too."""


def test_the_exemplars_are_these() -> None:
    assert {"double_pendulum", "puma560", "space_robot", "four_bar", "stewart_platform"} <= set(NAMES)
    assert set(NAMES) == set(LISTED)
    for name in NAMES:
        assert {path.name for path in (EXEMPLARS / name).iterdir()} == set(LISTED[name].kept)


def test_somebody_can_read_them() -> None:
    """What is large is in nobody's interest; its manifest and certificate are."""
    assert sum(path.stat().st_size for path in EXEMPLARS.rglob("*") if path.is_file()) < MOST_BYTES


def test_the_index_is_current() -> None:
    """If a change is meant, run ``make generated`` and commit the difference."""
    committed = (EXEMPLARS / "README.md").read_text(encoding="utf-8")
    assert SCRIPT.index().split("\n") == committed.split("\n")
    for name in NAMES:
        linked = [kept for kept in LISTED[name].kept if not kept.endswith("certificate.json")]
        assert [kept for kept in linked if f"({name}/{kept})" not in committed] == []


@pytest.mark.parametrize("name", some(NAMES, [name for name in NAMES if name not in LONG]))
def test_the_text_is_stable(name: str, tmp_path: Path) -> None:
    """If a change is meant, run ``make generated`` and commit the difference."""
    manifest = json.loads((EXEMPLARS / name / f"{name}.json").read_text(encoding="utf-8"))
    functions = [function["name"] for function in manifest["functions"]]
    mbsym.generate(name, tmp_path, formulation=manifest["formulation"], functions=functions)
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.{suffix}" for suffix in SUFFIXES}
    for suffix in SUFFIXES:
        file = f"{name}.{suffix}"
        if file in LISTED[name].kept:
            fresh = (tmp_path / file).read_text(encoding="utf-8")
            committed = (EXEMPLARS / name / file).read_text(encoding="utf-8")
            # Line by line, so that a difference is shown where it is.
            assert fresh.split("\n") == committed.split("\n"), file
            assert (tmp_path / file).read_bytes() == (EXEMPLARS / name / file).read_bytes()
        if suffix != "json":
            assert manifest["files"][file] == sha256((tmp_path / file).read_bytes()).hexdigest(), file


@pytest.mark.parametrize("name", NAMES)
def test_the_certificate_is_about_these_files(name: str) -> None:
    """The manifest's hashes are those of the code, as the test above has it."""
    _, certificate = read_certificate(EXEMPLARS / name / f"{name}.certificate.json")
    assert certificate["passed"] is True
    assert certificate["states"] >= 20
    assert {check["language"] for check in certificate["checks"]} == {"c", "numpy"}
    manifest = (EXEMPLARS / name / f"{name}.json").read_bytes()
    hashes = {**json.loads(manifest)["files"], f"{name}.json": sha256(manifest).hexdigest()}
    assert certificate["files"] == hashes, "run make generated"
    assert set(hashes) == {f"{name}.{suffix}" for suffix in SUFFIXES}
    page = (EXEMPLARS / name / f"{name}.certificate.md").read_text(encoding="utf-8")
    assert "**verified**" in page
    assert page == certificate_page(certificate), "remove the certificate and run make generated"


def test_a_certificate_about_other_bytes_is_written_anew(tmp_path: Path) -> None:
    name = "double_pendulum"
    certificate = EXEMPLARS / name / f"{name}.certificate.json"
    for suffix in SUFFIXES:
        (tmp_path / f"{name}.{suffix}").write_bytes((EXEMPLARS / name / f"{name}.{suffix}").read_bytes())
    assert SCRIPT.is_about(certificate, tmp_path, name)
    with (tmp_path / f"{name}.c").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert not SCRIPT.is_about(certificate, tmp_path, name)
    assert not SCRIPT.is_about(tmp_path / "none.json", tmp_path, name)
