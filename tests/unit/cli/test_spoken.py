"""Lower floors name a thing, verbs name the option: no floor below knows how anything is typed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import mbsym
from mbsym.cli.application import VERBS, command_of, main
from mbsym.cli.spoken import spoken

PACKAGE = Path(mbsym.__file__).parent

TYPED = re.compile(r"(?<![\w`-])--[a-z][a-z-]*")
NAMED = re.compile(r"(?<!`)`([a-z][a-z_]*)(?: [^`]*)?`(?!`)")

OF_OTHER_PROGRAMS = {
    "--version",
    "--defined-only",
    "--addon",
    "--std",
    "--enable",
    "--quiet",
    "--template",
    "--begin",
    "--run",
}
"""What compilers and checkers are called with, and variables of style sheets."""

NOT_SPOKEN = ("embedded/misra.py", "embedded/safety_text.py", "verification/certificate_page.py", "consumers/rust.py")
"""Modules that write Markdown, whose backquotes are its own."""


COMMANDS = "verification/commands.py"
"""The module that writes whole commands into certificates, for whoever checks them; it says nothing else."""


def sentences(source: str) -> Iterator[str]:
    """String constants of a module, joined ones whole, without docstrings and other strings that stand alone."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (alone | parts):
            yield node.value


@cache
def below() -> tuple[tuple[str, str], ...]:
    """Modules below the command line that may name options, and their sentences."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name, text = path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")
        if not name.startswith("cli/") and re.search(r"--[a-z]|(?<!`)`[a-z]", text):
            found += [(name, sentence) for sentence in sentences(text)]
    return tuple(found)


def test_no_sentence_below_names_what_is_typed() -> None:
    found = {(name, word) for name, text in below() for word in TYPED.findall(text)}
    assert {(name, word) for name, word in found if word not in OF_OTHER_PROGRAMS and name != COMMANDS} == set()


def test_what_sentences_name_is_an_option_of_some_verb() -> None:
    typed = {name for verb in VERBS for item in command_of(verb).params for name in item.opts}
    named = {found[0] for name, text in below() if name not in NOT_SPOKEN for found in NAMED.finditer(text)}
    assert len(named) > 40
    assert {text for text in named if spoken(text).split()[0] not in typed} == set()


def test_a_planted_one_is_found() -> None:
    planted = 'raise E(f"{x} is wrong", where="--real", remedy=f"leave `style {x}` out")\n"""--docs"""\n'
    found = [*sentences(planted)]
    assert [word for text in found for word in TYPED.findall(text)] == ["--real"]
    assert [word for text in found for word in NAMED.findall(text)] == ["style"]


def test_options_are_said_as_they_are_typed() -> None:
    assert spoken("`functions`: leave `style shared` or `self_test` out") == (
        "--function: leave --style shared or --self-test out"
    )
    assert spoken("'a`b' is no name") == "'a`b' is no name"


def test_findings_of_a_model_are_said_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot = tmp_path / "r.urdf"
    robot.write_text(
        '<robot name="r"><link name="base"/><link name="rod"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="pin" type="continuous"><origin rpy="1.5708 0 0"/><parent link="base"/><child link="rod"/></joint>'
        "</robot>",
        encoding="utf-8",
    )
    for line in (["info", str(robot)], ["info", str(robot), "--json"], ["label", str(robot)]):
        assert main(line) == 0
        out, err = capsys.readouterr()
        assert "--snap-angles 1e-4 takes them as exact" in " ".join((out + err).split())
        assert "`snap" not in out + err
