"""What excludes what stands in one table: each row is met by a command, told in one sentence, and writes nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mbsym
import mbsym.stages.simplify
from mbsym.cli import main
from mbsym.consumers.registry import CONSUMERS
from mbsym.errors import OptionError
from mbsym.options.exclusions import EXCLUSIONS, table
from mbsym.options.generation import typed

COUPLED = """
name: coupled
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  j: {type: revolute, from: ground, to: a}
  k: {type: revolute, from: a, to: b, axis: x}
couplings:
  k: {source: j, ratio: 2}
"""

SPRUNG = """
name: spring
bodies:
  a: {mass: 2, inertia: [0.2, 0.3, 0.25]}
  b: {mass: 1, inertia: [0.2, 0.3, 0.25]}
joints:
  A: {type: revolute, from: ground, to: a, axis: z}
  B: {type: revolute, from: a, to: b, axis: y, at: [0, 0, 1]}
forces:
  s: {type: point_spring_damper, first_body: b, second_body: ground, stiffness: 100, free_length: 0.5,
      first_point: [0.3, 0, 0.1], second_point: [1, 1, 0.2]}
"""

EARLY = {
    "batch without C": "cart_pole --language numpy --batch all",
    "trigonometry inline without C": "cart_pole --language numpy --trigonometry inline",
    "self_test without C": "cart_pole --language numpy --self-test",
    "safety_report without C": "cart_pole --language numpy --safety-report",
    "threads without C": "space_robot --language numpy --formulation cfa-parallel --threads 2",
    "threads of straight functions": "space_robot --formulation cfa-parallel --threads 2 --style straight",
    "threads without parts": "space_robot --formulation kane --threads 2",
    "frames of steps": "four_bar --formulation transfer-matrix --frame coupler",
    "derivatives of steps": "four_bar --formulation transfer-matrix --derivative-of mass_matrix --with-respect-to q",
    "derivatives by numbers": "cart_pole --symbolic-parameters d --derivative-of mass_matrix --with-respect-to l",
    "self-test of steps": "four_bar --formulation transfer-matrix --self-test",
    "constraint forces and couplings": "coupled.yaml --formulation cfa",
    "nothing to prepare": "space_robot --prepare",
    "prepared loops": "four_bar --symbolic-parameters all --prepare",
    "prepared batches": "cart_pole --prepare --language batch",
    "style limbs without C": "quadruped --language numpy --style limbs",
    "given sines of limbs": "quadruped --style limbs --trigonometry argument",
    "limbs and threads": "space_robot --formulation cfa-parallel --threads 2 --style limbs",
    "prepared steps": "cart_pole --prepare --style shared",
    "given sines of loops": "four_bar --trigonometry argument",
    "given sines of steps": "space_robot --trigonometry argument --style shared",
    "given sines and self_test": "space_robot --trigonometry argument --self-test",
    "given sines and prepare": "cart_pole --trigonometry argument --prepare",
}
"""Commands that are refused before anything is derived."""

LATE = {
    "no part for threads": "spinning_top --formulation cfa-parallel --threads 2",
    "steps that fail": "sprung.yaml --style shared --function forward_dynamics",
    "nothing to share": "spinning_top --style shared --function position_rate",
    "no equal limbs": "cart_pole --style limbs --function mass_matrix",
    "no angles": "cart_pole --trigonometry argument --function position_rate",
}
"""Commands that are refused when it is known what the functions are made of."""


def test_each_exclusion_has_a_command() -> None:
    assert {**EARLY, **LATE}.keys() == EXCLUSIONS.keys()


@pytest.mark.parametrize("name", [*EARLY, *LATE])
def test_it_is_told_in_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("coupled.yaml").write_text(COUPLED, encoding="utf-8")
    Path("sprung.yaml").write_text(SPRUNG, encoding="utf-8")
    if name in EARLY:
        monkeypatch.setattr(mbsym.stages.simplify, "shortest", None)
    assert main(["generate", *(EARLY | LATE)[name].split(), "-o", "out"]) == 2
    told = capsys.readouterr().err.strip()
    exclusion = EXCLUSIONS[name]
    assert told.count("\n") == 0
    assert told.startswith(typed(f"`{exclusion.options[0]}`: "))
    assert max(re.split(r"{\w+}", typed(exclusion.sentence)), key=len) in told
    assert typed(exclusion.remedy).split("{")[0].split("`")[0] in told
    assert "`" not in told
    assert not Path("out").exists()


def test_other_verbs_ask_the_same_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mbsym.stages.simplify, "shortest", None)
    with pytest.raises(OptionError, match="has no functions of frames"):
        mbsym.compile("four_bar", formulation="transfer-matrix", frames=("coupler",))
    with pytest.raises(OptionError, match="has no functions of frames"):
        mbsym.export("four_bar", "cmake", formulation="transfer-matrix", frames=("coupler",))


def test_calls_from_python_are_refused_alike(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="`batch`: this is about C, which is not generated"):
        mbsym.generate("cart_pole", tmp_path, languages=("numpy",), batch=("all",))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [name for name, record in CONSUMERS.items() if record.excludes])
def test_what_a_consumer_excludes_is_told_before_anything_is_derived(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mbsym.stages.simplify, "shortest", None)
    lines = {"functions": ["--function", "mass_matrix"], "formulation": ["--formulation", "transfer-matrix"]}
    for row in CONSUMERS[name].excludes:
        assert main(["export", name, "cart_pole", *lines[row.options[0]], "-o", str(tmp_path / "out")]) == 2
        told = capsys.readouterr().err
        assert told.startswith(typed(f"`{row.options[0]}`: "))
        assert row.sentence.split("}")[-1] in told and row.remedy in told
        assert f"export to {name}" in row.against
    assert not (tmp_path / "out").exists()


def test_the_table_of_the_page_has_all() -> None:
    assert len(table().splitlines()) == len(EXCLUSIONS) + 2
    assert "{" not in table()
