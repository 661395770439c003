"""What cannot move is told before anyone computes with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.formats.native.text import dump_native
from mbsym.formats.registry import example_names
from mbsym.loops.redundancy import immobility
from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.registry import DERIVATIVE_FUNCTIONS, REGRESSOR_FUNCTIONS, TREE_FUNCTIONS
from mechanisms.examples import further

ROD = Body("a", 1, inertia=(1, 1, 1, 0, 0, 0))
FIXED = Model("block", (ROD,), (Joint("j", "fixed", "ground", "a"),))
TRUSS = Model(
    "truss",
    (ROD, replace(ROD, name="b")),
    (
        Joint("A", "revolute", "ground", "a", initial=("0.5",)),
        Joint("B", "revolute", "a", "b", predecessor_placement=Placement((1, 0, 0)), initial=("-1.5",)),
        Joint(
            "C",
            "revolute",
            "b",
            "ground",
            predecessor_placement=Placement((1, 0, 0)),
            successor_placement=Placement((1.2, 0, 0)),
        ),
    ),
)


def test_trees_and_loops_without_freedom() -> None:
    assert "no joint can move" in immobility(FIXED)
    assert "the loops leave no freedom" in immobility(TRUSS)
    massless = replace(TRUSS, bodies=(Body("a"), Body("b")))
    assert immobility(massless) == ""  # topology alone


@pytest.mark.parametrize("name", example_names())
def test_nothing_is_said_of_what_moves(name: str) -> None:
    assert immobility(mbsym.examples.load(name)) == ""


def test_a_loop_that_cannot_be_closed_is_for_others_to_tell() -> None:
    far = replace(TRUSS.joints[2], successor_placement=Placement((9, 0, 0)))
    assert immobility(replace(TRUSS, joints=(*TRUSS.joints[:2], far))) == ""


@pytest.mark.parametrize("model", [TRUSS, *further(FIXED)])
@pytest.mark.parametrize("verb", ["label", "derive", "generate", "verify", "simulate"])
def test_every_verb_tells(verb: str, model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{model.name}.yaml"
    path.write_text(dump_native(model), encoding="utf-8")
    more = {
        "generate": ["-o", str(tmp_path), "--language", "numpy", "--function", "body_poses"],
        "simulate": ["--duration", "0.01"],
        "verify": ["--states", "1"],
    }
    main([verb, str(path), *more.get(verb, [])])
    assert "warning: " in (err := capsys.readouterr().err)
    assert "this is a structure" in err


def test_a_bolted_body_has_every_function_of_a_tree(tmp_path: Path) -> None:
    """Results without entries are results; what looks at the first of none falls over."""
    functions = (*TREE_FUNCTIONS, *DERIVATIVE_FUNCTIONS, *REGRESSOR_FUNCTIONS)
    mbsym.generate(FIXED, tmp_path, functions=functions, languages=["c", "numpy"])
    certificate = mbsym.verify(tmp_path, states=1)
    assert certificate.passed, certificate.summary()
    assert {check.function for check in certificate.checks if not check.is_beyond} == set(functions)
