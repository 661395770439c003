"""The README's two set-up lines are the ones that the continuous check runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BETWEEN_MARKERS = re.compile(r"<!-- set-up lines -->\n(.*?)<!-- end of set-up lines -->", re.DOTALL)
SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def set_up_lines(readme: str) -> list[str]:
    """The commands in the shell blocks between the README's markers."""
    sections = BETWEEN_MARKERS.findall(readme)
    assert len(sections) == 1, "the README has one section of set-up lines"
    return [line for block in SHELL_BLOCK.findall(sections[0]) for line in block.splitlines() if line.strip()]


def disagreements(readme: str, check: str) -> list[str]:
    """The README's set-up lines that the check does not run word for word, each on a line of its own."""
    lines_run = {line.strip() for line in check.splitlines()}
    return [line for line in set_up_lines(readme) if line not in lines_run]


def test_the_readme_has_two_lines_that_the_check_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    check = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    main_job, tests = set_up_lines(readme)
    assert "mbsym generate puma560 -o build/puma560" in main_job
    assert "mbsym verify build/puma560" in main_job
    assert "pytest" in tests
    assert disagreements(readme, check) == []


@pytest.mark.parametrize("script", [".ci/run", ".ci/regenerate"])
def test_the_scripts_are_executable_bash(script: str) -> None:
    subprocess.run(["bash", "-n", str(ROOT / script)], check=True)
    assert (ROOT / script).stat().st_mode & 0o111


def test_a_planted_disagreement_is_found() -> None:
    readme = "<!-- set-up lines -->\n```sh\nmake a\n```\ntext\n```sh\nmake b\n```\n<!-- end of set-up lines -->\n"
    assert disagreements(readme, "set -e\n  make a\nmake b\n") == []
    assert disagreements(readme, "make a\nmake b -k\n") == ["make b"]
    assert disagreements(readme, "# make a\nmake b\n") == ["make a"]
