"""mbsym new: a model that loads, moves and generates; mbsym doctor: what is there, what is missing, and for what."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli import main
from mbsym.cli.doctor import EXTRAS, PROGRAMS
from mbsym.version import __version__

Captured = pytest.CaptureFixture[str]


def test_a_new_model_is_one(tmp_path: Path, capsys: Captured) -> None:
    assert main(["new", "arm", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path}/arm.yaml\n"
    model = mbsym.load(tmp_path / "arm.yaml")
    assert model.name == "arm" and not model.warnings and len(model.bodies) == 2
    assert mbsym.verify(model, states=3).passed
    motion = mbsym.simulate(model, 0.2)
    assert np.isfinite(motion.q).all()


def test_it_overwrites_nothing_and_needs_a_name(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "arm.yaml").write_text("mine")
    assert main(["new", "arm", "-o", str(tmp_path)]) == 2
    assert "arm.yaml" in capsys.readouterr().err and (tmp_path / "arm.yaml").read_text() == "mine"
    for name in ("my arm", "2arms", "../arm", "class", ""):
        assert main(["new", name, "-o", str(tmp_path / "new")]) == 2
        said = capsys.readouterr().err
        assert f"{name or 'NAME'}: the name is " in said and "Traceback" not in said
    assert not (tmp_path / "new").exists()


def test_the_doctor_tells_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    """Programs of our own on the path: one that says its version, and one that cannot run."""
    for name, text in (("cc", "echo cc 1.2.3"), ("node", "echo v99.1"), ("cargo", "exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mbsym"] == __version__ and found["verb"] == "doctor"
    parts = {part["name"]: part for group in ("libraries", "compiler", "programs", "extras") for part in found[group]}
    assert parts["numpy"]["version"] == np.__version__
    assert parts["cc"]["version"] == "cc 1.2.3" and parts["node"]["version"] == "v99.1"
    assert parts["cargo"]["version"] == parts["gcc"]["version"] == parts["vectors"]["version"] == ""
    assert set(parts) >= {name for name, _, _ in (*PROGRAMS, *EXTRAS)}
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (gcc,) = (line for line in lines if line.strip().startswith("gcc "))
    assert "missing" in gcc and "apt install gcc" in gcc


def test_the_doctor_knows_the_vectors_of_a_compiler(capsys: Captured) -> None:
    from mbsym.codegen.build import runs

    if not runs("gcc"):
        pytest.skip("gcc is not here")
    assert main(["doctor", "--json"]) == 0
    found = {part["name"]: part for part in json.loads(capsys.readouterr().out)["compiler"]}
    assert found["vectors"]["version"] in ("AVX-512", "AVX2", "AVX", "NEON", "SSE2", "")
    assert found["OpenMP"]["version"] == "yes"
