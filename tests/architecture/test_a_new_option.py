"""What a new option of a generation costs: one field and one stage. Here: a remark that each function bears."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path

import pytest

import mbsym
from mbsym.cli import main
from mbsym.cli.application import VERBS
from mbsym.cli.manual import verbs
from mbsym.errors import OptionError
from mbsym.option import FILES, option, options_of
from mbsym.options.exclusion import Exclusion
from mbsym.options.exclusions import EXCLUSIONS, table
from mbsym.options.generation import OPTIONS, GenerationOptions
from mbsym.pipeline import STAGES
from mbsym.stages.derivation import Derivation, Progress, Stage
from mechanisms.combination import factors


@dataclass(frozen=True, slots=True)
class Remarked(GenerationOptions):
    """The options with a field more."""

    remark: str = option(
        "",
        "A remark that stands above each function.",
        "remark",
        heading=FILES,
        tried=lambda: {"none": "", "seen": "seen by two"},
        told=str,
        excludes=(
            Exclusion(
                "remarks of steps",
                ("remark", "style shared"),
                lambda options, facts: bool(options.remark) and options.is_shared,
                "steps that bodies share stand nowhere alone",
                "leave out `style shared`, or the remark",
            ),
        ),
    )


def remark(derivation: Derivation, tell: Progress) -> Derivation:
    """The functions with the remark behind what they are."""
    said = getattr(derivation.options, "remark", "")
    if not said:
        return derivation
    remarked = (replace(each, description=f"{each.description}; {said}") for each in derivation.programs)
    return replace(derivation, programs=tuple(remarked))


REMARK = Stage("remark", "each function says what was remarked", remark)


def replace_everywhere(old: type, new: type) -> None:
    """The one class in place of the other, in all modules of the package that are there; verbs are read anew."""
    for verb in VERBS:
        sys.modules.pop(f"mbsym.cli.{verb}", None)
    for name, module in [*sys.modules.items()]:
        if name.startswith("mbsym.") and getattr(module, "GenerationOptions", None) is old:
            vars(module)["GenerationOptions"] = new


@pytest.fixture(autouse=True)
def listed() -> Iterator[None]:
    """The field stands in the dataclass and the stage behind the others, as they would be typed there."""
    (record,) = (item for item in options_of(Remarked) if item.name == "remark")
    replace_everywhere(GenerationOptions, Remarked)
    with OPTIONS.including(record), EXCLUSIONS.including(*record.excludes), STAGES.including(REMARK):
        yield
    replace_everywhere(Remarked, GenerationOptions)


LINE = ["generate", "cart_pole", "--function", "mass_matrix", "--remark", "seen by two", "-o"]


def test_the_command_line_has_it_and_the_manifest_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, str(tmp_path)]) == 0
    assert "; seen by two" in (tmp_path / "cart_pole.h").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "cart_pole.json").read_text(encoding="utf-8"))["remark"] == "seen by two"
    assert mbsym.verify(tmp_path, states=2).passed
    assert main([*LINE[:4], "-o", str(tmp_path / "plain")]) == 0
    assert "remark" not in json.loads((tmp_path / "plain" / "cart_pole.json").read_text(encoding="utf-8"))


def test_help_and_reference_say_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--help"]) == 0
    assert "A remark that stands above each function" in capsys.readouterr().out
    (verb,) = (verb for verb in verbs() if verb.name == "generate")
    assert any(item.names == ("--remark",) for item in verb.arguments)


def test_what_it_excludes_is_refused_and_stands_in_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*LINE, str(tmp_path / "new"), "--style", "shared"]) == 2
    told = "--remark: steps that bodies share stand nowhere alone; leave out --style shared, or the remark\n"
    assert capsys.readouterr().err == told
    assert not (tmp_path / "new").exists()
    assert "| `--remark` | `--style shared` | steps that bodies share stand nowhere alone |" in table()
    with pytest.raises(OptionError, match="`remark`: steps"):
        mbsym.pipeline.generate_files("cart_pole", Remarked(style="shared", remark="so"))


def test_it_is_tried_with_all_others() -> None:
    assert {factor.name: factor.values for factor in factors()}["remark"] == ("none", "seen")


def test_an_argument_that_generate_lacks_is_seen() -> None:
    """``tests/unit/options/test_generation.py`` holds the keywords for Python to the table."""
    assert set(OPTIONS) - set(signature(mbsym.generate).parameters) == {"remark"}
