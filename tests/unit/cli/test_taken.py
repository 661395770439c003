"""Options of verbs follow from records: the same in every verb, lists written alike, each known once."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mbsym.cli import main
from mbsym.cli.application import VERBS, command_of
from mbsym.cli.reading import Reading
from mbsym.cli.taken import Taken, taken
from mbsym.errors import MbsymError, ModelError
from mbsym.formats.load_options import LoadOptions
from mbsym.option import Option, made
from mbsym.options.generation import OPTIONS, GenerationOptions, chosen
from mbsym.verification.certificate import verify

READ_NOTHING = {"certify", "doctor", "examples", "manual", "new", "schema"}
OF_ONE_TREE = {"convert", "identify", "verify"}
"""Verbs that take the tree of the default order."""


def flags(options: Iterator[Option]) -> set[str]:
    return {f"--{flag}" for item in options for flag in item.flags}


def test_every_verb_that_reads_a_model_reads_it_alike() -> None:
    every = flags(taken(Reading).options())
    assert {"--floating", "--snap-angles", "--strict", "--cut", "--coordinates", "--order", "--wrench-input"} < every
    for verb in set(VERBS) - READ_NOTHING:
        having = {name for item in command_of(verb).params for name in item.opts}
        assert every - having == ({"--order"} if verb in OF_ONE_TREE else set()), verb


def test_generate_has_every_option_and_each_once() -> None:
    names = [name for item in command_of("generate").params for name in item.opts]
    assert flags(iter(OPTIONS.values())) < set(names)
    assert len(set(names)) == len(names)


def test_verify_draws_the_states_that_it_draws_from_python() -> None:
    """Both write one certificate, which says how many states were drawn, and by which seed."""
    typed = {item.name: item.default for item in command_of("verify").params}
    called = {name: item.default for name, item in inspect.signature(verify).parameters.items()}
    assert (typed["states"], typed["seed"]) == (called["states"], called["seed"])


@pytest.mark.parametrize("texts", [["a,b"], ["a", "b"], [" a , b "]])
def test_lists_are_written_alike(texts: list[str]) -> None:
    lists = [item for item in taken(GenerationOptions).options() if item.is_list and len(item.flags) == 1]
    assert {"functions", "frames", "batch", "languages", "symbolic_parameters", "simplify"} == {i.name for i in lists}
    group = Taken(GenerationOptions, only=("functions", "frames", "symbolic_parameters"))
    typed = dict.fromkeys(("function", "frame", "symbolic_parameters"), texts)
    found = group.value(typed)
    assert found.functions == found.frames == found.symbolic_parameters == ("a", "b")


def test_functions_in_one_list_are_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "cart_pole", "-o", str(tmp_path), "--function", "mass_matrix,bias_force"]) == 0
    manifest = json.loads((tmp_path / "cart_pole.json").read_text(encoding="utf-8"))
    assert [entry["name"] for entry in manifest["functions"]] == ["mass_matrix", "bias_force"]


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"symbolic_parameters": ["all"]}, "all"),
        ({"symbolic_parameters": "l"}, ("l",)),
        ({"symbolic_parameters": []}, ()),
        ({"symbolic_parameters": ("", "")}, ("",)),
        ({"simplify": "slide"}, ("slide",)),
        ({"simplify": ["none"]}, "none"),
        ({"frames": "all"}, ("all",)),
        ({"frames": ["all", "all"]}, ("all",)),
        ({"functions": "mass_matrix"}, ("mass_matrix",)),
    ],
)
def test_what_callers_give_becomes_what_the_field_holds(given: dict[str, Any], value: object) -> None:
    (name,) = given
    assert getattr(chosen(given), name) == value


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"frames": ["all", "cart"]}, "`frames`: all stands alone; leave it or the names out"),
        (
            {"symbolic_parameters": ["all", "none"]},
            "`symbolic_parameters`: all stands alone; leave it",
        ),
        ({"real": "half"}, "`real`: no type is called 'half'; use double or float"),
        ({"frame_axes": "x"}, "`frame_axes`: there are no axes 'x'; use local, aligned or base"),
        ({"style": "curly"}, "`style`: there is no style 'curly'; use straight, limbs, shared or auto"),
        ({"threads": True}, "`threads`: work cannot be divided for True threads"),
        ({"simplify": ["slyde"]}, "`simplify`: no simplification is called 'slyde'; did you mean 'slide'?"),
        ({"languages": ["d"]}, "`languages`: no language is called 'd'"),
        ({"order": "zigzag"}, "`order`: there is no order 'zigzag'"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_whoever_asks(given: dict[str, Any], told: str) -> None:
    with pytest.raises(MbsymError) as caught:
        chosen(given)
    assert str(caught.value).startswith(told)


def test_options_of_reading_are_held_to_the_same() -> None:
    with pytest.raises(ModelError, match="there is no choice 'x'; use couple or ignore"):
        LoadOptions(mimic="x")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="there are no axes"):
        made(Reading, {"wrench_axes": "x"})
    assert made(Reading, {"cut": ["a", "b"], "floating": True}).load.floating
