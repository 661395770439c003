"""A repository of a team: generated code is committed, built without mbsym, and found current or not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mbsym
from mbsym.cli import main
from mbsym.errors import VerificationError

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "team"
WORDS = ("generate", "arm.yaml", "-o", "generated", "--language", "c", "--function", "inverse_dynamics")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy with the code generated, in which commands run."""
    copy = tmp_path / "team"
    shutil.copytree(EXAMPLE, copy)
    monkeypatch.chdir(copy)
    assert main([*WORDS]) == 0
    return copy


def make(*words: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "-s", *words, f"MBSYM={sys.executable} -m mbsym"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_program_is_built_and_holds_the_arm(repository: Path) -> None:
    """9.81 (2 0.15 + 1.2 0.42) N m, and 9.81 1.2 0.12 N m."""
    assert make("program").returncode == 0
    done = subprocess.run([str(repository / "program")], capture_output=True, text=True, check=True)
    assert [float(word) for word in done.stdout.split()] == pytest.approx([7.88724, 1.41264], abs=1e-4)


def test_what_is_current_passes_and_what_is_not_is_named(repository: Path) -> None:
    assert make("check").returncode == 0
    model = repository / "arm.yaml"
    model.write_text(model.read_text().replace("mass: 1.2", "mass: 1.3"), encoding="utf-8")
    before = {path.name: path.read_bytes() for path in (repository / "generated").iterdir()}
    done = make("check")
    assert done.returncode == 2  # of make, as its command ended with 1
    assert "not what is generated now: arm.c differs from line 5 on" in done.stderr
    assert {path.name: path.read_bytes() for path in (repository / "generated").iterdir()} == before


def test_the_hook_and_both_builds_ask_for_the_same_code() -> None:
    asked = " ".join(WORDS[1:])
    texts = [(EXAMPLE / name).read_text() for name in ("Makefile", "CMakeLists.txt", ".pre-commit-config.yaml")]
    assert [text.count(asked) for text in texts] == [1, 1, 1]


def test_files_that_are_missing_or_changed_by_hand_are_told(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, source = repository / "generated" / "arm.h", repository / "generated" / "arm.c"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    header.unlink()
    capsys.readouterr()
    assert main([*WORDS, "--check", "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["what"] == "not what is generated now: arm.c differs in what ends its lines, arm.h is missing"
    assert error["where"] == "generated" and "--check left out" in error["remedy"]
    assert not header.exists()


def test_other_options_are_other_code(repository: Path) -> None:
    options = {"languages": ["c"], "functions": ["inverse_dynamics"]}
    assert len(mbsym.generate("arm.yaml", "generated", check=True, **options).paths) == 3
    with pytest.raises(VerificationError, match=r"arm\.json differs from line"):
        mbsym.generate("arm.yaml", "generated", check=True, real="float", **options)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake")
def test_cmake_builds_it_and_ctest_checks_it(repository: Path) -> None:
    """With the command of this environment, which stands beside its Python."""
    command = ["cmake", "-S", ".", "-B", "build", f"-DMBSYM={Path(sys.executable).with_name('mbsym')}"]
    subprocess.run(command, capture_output=True, check=True)
    subprocess.run(["cmake", "--build", "build"], capture_output=True, check=True)
    passed = subprocess.run(["ctest", "--test-dir", "build"], capture_output=True, text=True, check=False)
    assert passed.returncode == 0, passed.stdout
    with (repository / "generated" / "arm.c").open("a", encoding="utf-8") as file:
        file.write("/* by hand */\n")
    failed = subprocess.run(["ctest", "--test-dir", "build"], capture_output=True, text=True, check=False)
    assert failed.returncode != 0 and "generated_code_is_current" in failed.stdout
