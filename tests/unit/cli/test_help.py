"""What --help says, on one screen."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mbsym import examples
from mbsym.cli import main
from mbsym.cli.application import VERBS, command_of
from mbsym.cli.manual import verbs
from mbsym.cli.taken import brief
from mbsym.options.generation import OPTIONS

Captured = pytest.CaptureFixture[str]

SCREEN = 50
"""Lines, of 80 columns."""

THEIRS = {"panda.urdf", "scene.xml", "measured.csv", "robots/", "states.yaml", "~/.ssh/id_ed25519", "signers"}
"""Files in examples that the user has."""


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_on_a_screen_and_names_all_options_and_some_uses(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([verb, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (known,) = (each for each in verbs() if each.name == verb)
    uses = [line.strip() for line in lines if line.startswith(f"  mbsym {verb}")]
    assert len(lines) <= SCREEN
    assert uses == list(known.examples) and uses
    # What is typed in an example may be longer than a line of text.
    assert max(len(line) for line in lines if line.strip() not in uses) <= 80
    named = set(re.findall(r"--[a-z][a-z-]*", "\n".join(lines)))
    assert {name for item in known.arguments for name in item.names if "--" in name} <= named
    assert lines[-1] == f"All of it, with values and defaults: mbsym manual {verb}"


@pytest.mark.parametrize("verb", VERBS)
def test_examples_are_lines_that_the_verb_takes(verb: str) -> None:
    (known,) = (each for each in verbs() if each.name == verb)
    for line in known.examples:
        program, said, *words = shlex.split(re.split(r" [|>] ", line)[0])
        assert (program, said) == ("mbsym", verb)
        words = ["four_bar" if word in THEIRS else word for word in words]
        command = command_of(verb)
        with command.make_context(verb, words) as context:
            model = context.params.get("model", "four_bar")
        assert model in examples.names(), line


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Only these functions: NAME,...; repeatable.", "Only these functions: NAME,...; repeatable"),
        ("Axes of frames: local, aligned (base axes) or base (spatial); default local.",
         "Axes of frames: local, aligned or base"),
        ("Languages: c (C99); numpy (Python with NumPy; or not). Repeatable.", "Languages: c, numpy"),
        ("A function computes what depends on parameters alone; the others take that.",
         "A function computes what depends on parameters alone"),
        ("Interval of the output [s]; default --step.", "Interval of the output [s]; default --step"),
    ],
)  # fmt: skip
def test_a_sentence_is_cut_where_details_begin(sentence: str, said: str) -> None:
    assert brief(sentence) == said


def test_options_of_a_generation_stand_under_headings() -> None:
    assert [item.name for item in OPTIONS.values() if not item.heading] == []


def test_the_manual_of_a_verb_has_each_sentence_whole(capsys: Captured) -> None:
    assert main(["manual", "generate"]) == 0
    told = "".join(capsys.readouterr().out.split())
    (known,) = (each for each in verbs() if each.name == "generate")
    assert [item.names for item in known.arguments if "".join(item.sentence.split()) not in told] == []
    assert all("".join(line.split()) in told for line in known.examples)


def test_a_verb_that_is_none_has_no_manual(capsys: Captured) -> None:
    assert main(["manual", "simulat"]) == 2
    assert capsys.readouterr().err == "VERB: there is no verb 'simulat'; did you mean 'simulate'?\n"
    assert main(["manual", "xyz"]) == 2
    assert capsys.readouterr().err.startswith("VERB: there is no verb 'xyz'; known: info, show, ")


@pytest.mark.more
def test_examples_of_bundled_models_do_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """One after the other in one directory, as someone would who reads them from the top."""
    monkeypatch.chdir(tmp_path)
    failed = []
    for line in (line for each in verbs() for line in each.examples):
        _, *words = shlex.split(re.split(r" [|>] ", line)[0])
        if THEIRS.isdisjoint(words) and main(words):
            failed.append((line, capsys.readouterr().err))
    assert failed == []
    assert {path.name for path in tmp_path.iterdir()} >= {"platform.html", "build", "firmware", "motion.csv"}
