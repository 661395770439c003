"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import mbsym
from mbsym.cli import main
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.pipeline import generate_files

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Contents of the fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def matches(shown: str, printed: str) -> bool:
    """True where the output is the text shown, in which a line ``...`` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None


def test_tour_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tour = blocks("console")
    assert len(tour) == 4
    for block in tour:
        command, _, shown = block.partition("\n")
        assert command.startswith("$ mbsym ")
        assert main(shlex.split(command)[2:]) == 0
        printed = capsys.readouterr().out
        assert matches(shown, printed), f"{command}\n{printed}"


def test_python_of_the_readme_runs() -> None:
    examples = blocks("python")
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, "README.md", "exec"), {})


def test_both_forms_of_the_model_are_one() -> None:
    (text,) = blocks("yaml")
    names: dict[str, mbsym.Model] = {}
    exec(compile(blocks("python")[1], "README.md", "exec"), names)
    from_text, from_python = read_native(TextSource("README.md", text)), names["pendulum"]
    files = [generate_files(model)[1] for model in (from_text, from_python)]
    assert [file.text for file in files[0][:-1]] == [file.text for file in files[1][:-1]]


def test_excerpt_is_generated_text() -> None:
    (excerpt,) = blocks("c")
    _, files = generate_files("cart_pole")
    assert excerpt in next(file.text for file in files if file.name == "cart_pole.c")


def test_matches_is_strict() -> None:
    assert matches("a\n...\nc\n", "a\nb\nb\nc\n") and matches("a\n", "a\n")
    assert not matches("a\n", "a\nb\n") and not matches("a\n...\nc\n", "a\nc\nd\n")
