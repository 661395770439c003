"""Options, elements and compilers together: rows drawn at random, each equal to the plain module of its mechanism.

All pairs are tried by ``tests/benchmarks/combinations.py``; these rows are a sample, drawn alike on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

import pytest

import mbsym.pipeline
from mbsym.codegen.interface import lowered
from mbsym.constraints import CONSTRAINTS
from mbsym.forces import FORCE_ELEMENTS
from mbsym.joints.registry import JOINT_TYPES
from mbsym.option import Option
from mbsym.options.generation import OPTIONS
from mbsym.registry import FORMULATIONS
from mbsym.symbolic.program import Program
from mechanisms.combination import Outcome, factors, generated_outcome, outcome, quick_outcome, reason, smallest
from mechanisms.covering_array import CoveringArray, Factor
from mechanisms.examples import some
from mechanisms.factor_models import IN_TIME, OF_FRAMES, OF_TABLES
from mechanisms.generated_c import require

SEEDS = range(8)

CHEAP = {"level": "-O0", "safety_report": "no", "functions": "default", "arms": "none"}
"""What takes long is left to the whole array."""


def drawn(seed: int) -> dict[str, str]:
    """A row that nothing refuses: settings are brought to the plain ones at random until that is so."""
    rng = random.Random(seed)
    row = {factor.name: rng.choice(factor.values) for factor in factors()} | CHEAP
    names = list(row)
    rng.shuffle(names)
    plain = {factor.name: factor.values[0] for factor in factors()}
    if row["style"] == "limbs":
        row["style"] = plain["style"]  # There are no equal limbs without arms.
    while quick_outcome(row).kind != "equal":
        name = names.pop()
        row[name] = plain[name]
    return row


@pytest.mark.parametrize("seed", some(SEEDS, (3,)))
def test_a_row_is_equal_to_the_plain_module(seed: int) -> None:
    require("gcc")
    row = drawn(seed)
    found = outcome(row)
    assert found.kind == "equal", f"{found.told}\n{smallest(row, found)}"


FOUND = (
    {"constraint": "linear_coupling", "level": "-O3 -march=native"},
    {"parameter": "center", "style": "shared", "level": "-O0"},
    {"joint": "cylindrical", "place": "flipped", "style": "shared", "level": "-O0"},
    {"languages": "every", "functions": "three", "style": "shared", "compiler": "clang", "level": "-O0"},
    {
        "constraint": "linear_coupling",
        "body": "massless",
        "parameter": "inertia",
        "force": "actuator",
        "functions": "on request",
        "real": "float",
        "self_test": "self-test",
        "level": "-O0",
    },
    {
        "joint": "helical",
        "place": "cut",
        "arms": "two",
        "armature": "rotor",
        "force": "joint_friction",
        "constraint": "distance",
        "gravity": "skew",
        "geometry": "right angles",
        "self_test": "self-test",
        "level": "-O0",
    },
    {"base": "floating", "force": "actuator", "joint": "helical", "place": "loop", "level": "-O0"},
    {
        "armature": "rotor",
        "body": "point",
        "force": "joint_friction",
        "formulation": "cfa-elimination",
        "parameter": "rotor",
        "place": "flipped",
        "level": "-O0",
    },
    {
        "joint": "helical",
        "arms": "two",
        "armature": "rotor",
        "parameter": "length",
        "formulation": "cfa",
        "order": "type-only",
        "level": "-O0",
    },
    {"formulation": "cfa-elimination", "joint": "cylindrical", "level": "-O0"},
    {"base": "floating", "formulation": "newton-euler", "joint": "planar", "place": "flipped", "level": "-O0"},
    {
        "base": "floating",
        "body": "point",
        "force": "applied_wrench",
        "joint": "free",
        "parameter": "inertia",
        "place": "flipped",
        "real": "float",
        "level": "-O0",
    },
    {
        "arms": "two",
        "formulation": "cfa-kkt",
        "geometry": "skew",
        "joint": "planar",
        "place": "flipped",
        "level": "-O0",
    },
    {
        "body": "point",
        "compiler": "clang",
        "geometry": "right angles",
        "joint": "free",
        "place": "flipped",
        "level": "-O3 -march=native",
        "self_test": "self-test",
    },
    {
        "geometry": "skew",
        "base": "floating",
        "arms": "two",
        "force": "joint_damper",
        "constraint": "distance",
        "gravity": "none",
        "body": "massless",
        "parameter": "force",
        "functions": "on request",
        "self_test": "self-test",
        "compiler": "clang",
        "level": "-O3 -march=native",
    },
)
"""Fewest settings at which something was wrong once; those with two arms take longer than all others together."""


@pytest.mark.parametrize(
    "settings",
    some(FOUND, [each for each in FOUND if not {"arms", "self_test"} & {*each} and each.get("place") != "loop"]),
    ids=lambda settings: " ".join(settings.values()),
)
def test_what_was_found_stays_mended(settings: dict[str, str]) -> None:
    require(settings.get("compiler", "gcc"))
    found = outcome({factor.name: factor.values[0] for factor in factors()} | settings)
    assert found.kind == "equal", found.told


def test_a_massless_body_of_run_time_parameters_is_refused_before_anything_is_written() -> None:
    row = {"body": "massless", "formulation": "transfer-matrix", "symbolic_parameters": "inertial"}
    found = outcome({factor.name: factor.values[0] for factor in factors()} | row)
    assert found.kind == "not covered"
    assert "needs bodies with mass" in found.told


@pytest.mark.parametrize("constraint", ["velocity", "expression", IN_TIME])
def test_what_stays_as_it_is_in_every_motion_is_impossible_and_no_fault(constraint: str) -> None:
    """The last body is fixed to ground: nothing of it is left to hold."""
    row = {"geometry": "skew", "joint": "fixed", "place": "loop", "constraint": constraint, "drives": "saturated"}
    found = quick_outcome({factor.name: factor.values[0] for factor in factors()} | row)
    assert (found.kind, found.told) == ("impossible", "what is held stays as it is in every motion")


@pytest.mark.more
def test_a_fault_is_cut_down_to_the_settings_that_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    require("gcc")
    right = mbsym.stages.signatures.with_given_sines

    def turned(program: Program) -> Program:
        first, *rest = program.outputs
        return replace(program, outputs=(replace(first, values=(-first.values[0], *first.values[1:])), *rest))

    def wrong(programs: Sequence[Program]) -> tuple[Program, ...]:
        return tuple(turned(item) if item.name == "mass_matrix" else item for item in right(programs))

    monkeypatch.setattr(mbsym.stages.signatures, "with_given_sines", wrong)
    # What is proven before it is written would tell first.
    monkeypatch.setattr(mbsym.pipeline, "proven", lambda _, description, asked: lowered(description, asked.languages))
    plain = {factor.name: factor.values[0] for factor in factors()}
    row = {**plain, "trigonometry": "argument", "simplify": "none", "gravity": "skew"}
    found = outcome(row)
    assert found.kind == "difference"
    assert "is off by" in found.told
    assert smallest(row, found) == {"trigonometry": "argument"}
    monkeypatch.undo()
    monkeypatch.setattr(mbsym.stages.signatures, "with_given_sines", wrong)
    assert "is not what the formulation" in generated_outcome(row).told


def test_what_a_refusal_is_about_is_found() -> None:
    plain = {factor.name: factor.values[0] for factor in factors()}
    row = {**plain, "geometry": "skew", "prepare": "prepare", "batch": "all", "parameter": "mass"}
    found = quick_outcome(row)
    assert (found.kind, found.told) == ("refused", "prepared batches")
    assert reason(row, found, quick_outcome) == {("prepare", "prepare"), ("batch", "all")}


def test_an_order_whose_tree_moves_no_inertia_is_left_out() -> None:
    """The search cuts the joint behind a point mass on a ball joint, which then turns about its own direction."""
    plain = {factor.name: factor.values[0] for factor in factors()}
    row = {**plain, "body": "point", "geometry": "skew", "place": "loop"}
    assert quick_outcome({**row, "order": "breadth-first"}) == Outcome("impossible", "some motion moves no inertia")
    assert quick_outcome(row).kind == "equal"


def test_what_is_registered_is_combined() -> None:
    with OPTIONS.including(Option(name="colour", default="none", sentence="", choices=("none", "red"))):
        known = {factor.name: factor.values for factor in factors()}
        assert known["colour"] == ("none", "red")
    assert set(known) > set(OPTIONS)
    assert known["joint"] == tuple(JOINT_TYPES)
    assert known["force"][1:] == (*FORCE_ELEMENTS, OF_FRAMES, OF_TABLES)
    assert known["constraint"][1:] == (*CONSTRAINTS, OF_TABLES, IN_TIME)
    assert known["formulation"] == tuple(FORMULATIONS)


@pytest.mark.parametrize("strength", [2, 3])
def test_an_array_covers_all_that_is_not_forbidden(strength: int) -> None:
    given = [Factor(name, tuple("xyz"[: 2 + k % 2])) for k, name in enumerate("abcdef")]
    array = CoveringArray(given, strength, seed=4)
    array.forbid(frozenset({("a", "x"), ("b", "y")}))
    rows = []
    for row in array.rows():
        assert array.cover(row)
        rows.append(row)
    assert not array.impossible
    for chosen in combinations(given, strength):
        for values in product(*(factor.values for factor in chosen)):
            wanted = set(zip((factor.name for factor in chosen), values, strict=True))
            there = any(wanted <= row.items() for row in rows)
            assert there != ({("a", "x"), ("b", "y")} <= wanted)
    assert len(rows) < 12 * 3 ** (strength - 2)
