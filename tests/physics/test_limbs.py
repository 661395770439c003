"""Equal limbs side by side: found, equal to straight code in a finite field, and with the operations of one limb."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import files
from pathlib import Path

import pytest

import mbsym
from mbsym.codegen import limbs as lowering
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.limb_programs import LimbProgram
from mbsym.codegen.limbs import lower_limbs
from mbsym.errors import OptionError, ProofError
from mbsym.formats.registry import LoadOptions
from mbsym.kinematics.limbs import Limbs, equal_limbs
from mbsym.kinematics.mechanism import build_mechanism
from mbsym.model.body import Placement
from mbsym.pipeline import GenerationOptions, derive, express, generate_files, read
from mbsym.proof import printed
from mbsym.stages import limbs as stage
from mechanisms.examples import some
from mechanisms.limbs import limbed
from mechanisms.trees import arms, tree_model

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
EVERY = (*FUNCTIONS, "bias_force", "gravity_force")

ROBOTS = {
    "solo12.urdf": ((59, (254,), 6), (268, (595,), 33), (3, (120,), 9)),
    "talos_reduced.urdf": ((529, (869, 608), 12), (1330, (2202, 1498), 66), (222, (989, 434), 18)),
    "anymal.urdf": ((113, (311,), 6), (329, (722,), 33), (9, (138,), 9)),
    "go1.urdf": ((113, (311,), 6), (329, (703,), 33), (9, (136,), 9)),
}
"""Operations on numbers, on one limb of each group, and sums over limbs: of inverse and forward dynamics and the mass
matrix. What is reached must not be lost."""


def side_by_side(model: mbsym.Model, functions: tuple[str, ...] = FUNCTIONS) -> dict[str, LimbProgram]:
    options = GenerationOptions(functions=functions, style="limbs", languages=("c",))
    return dict(derive(express(read(model), options), options).limbs)


@pytest.mark.parametrize("name", some(ROBOTS, ["solo12.urdf"]))
def test_a_robot_takes_the_operations_of_one_limb_and_is_proven(name: str) -> None:
    path = next(Path(str(file.locate())) for file in files("example-robot-data") or () if file.name == name)
    model = read(path, LoadOptions(floating=True))
    found = side_by_side(model)
    counts = {key: (*each.operations(), len(each.sums)) for key, each in found.items()}
    assert counts == dict(zip(FUNCTIONS, ROBOTS[name], strict=True))
    options = GenerationOptions(functions=FUNCTIONS, style="limbs", languages=("c",), trigonometry="inline")
    derivation, _ = generate_files(model, options)
    for key, each in found.items():
        # Each limb's share is what straight code has of it, the solution of the base and what meets there aside.
        scalars, lanes = each.operations()
        straight = derivation.operation_counts[key].arithmetic
        assert scalars + sum(map(int.__mul__, lanes, each.limbs)) < 1.08 * straight


@pytest.mark.parametrize("seed", some(range(16), (1, 2, 14)))
def test_random_limbs_are_equal_to_straight_code(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "WORTH", 100)
    seen: list[str] = []
    follow = printed._side_by_side
    monkeypatch.setattr(printed, "_side_by_side", lambda *given: (seen.append(""), follow(*given))[1])
    trigonometry = "inline" if seed % 2 else "libm"
    options = GenerationOptions(functions=EVERY, style="limbs", languages=("c",), trigonometry=trigonometry)
    derivation, _ = generate_files(limbed(seed), options)
    # What may fail, is a call of another or has no operations at all is straight.
    assert len(derivation.limbs) >= len(EVERY) - 1
    assert len(seen) >= len(EVERY) - 3


@pytest.mark.more
def test_what_is_summed_wrongly_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    model, options = limbed(1), GenerationOptions(functions=("mass_matrix",), style="limbs", languages=("c",))
    monkeypatch.setattr(stage, "WORTH", 100)
    with monkeypatch.context() as broken:
        broken.setattr(lowering, "_balanced", lambda terms: terms[0])
        with pytest.raises(ProofError, match="with its limbs side by side, is not what"):
            generate_files(model, options)
    with monkeypatch.context() as broken:
        broken.setattr(Limbs, "met", lambda self, body, values: list(values))
        with pytest.raises((ProofError, AssertionError)):
            generate_files(model, options)
    with monkeypatch.context() as broken:
        broken.setattr(Limbs, "_value", lambda self, group, entries: entries[0])
        with pytest.raises(ProofError, match="with its limbs side by side, is not what"):
            generate_files(model, options)
    generate_files(model, options)


def groups(model: mbsym.Model, *, by_zeros: bool = False) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return equal_limbs(build_mechanism(model, model.label()), by_zeros=by_zeros)


def test_limbs_are_equal_that_have_the_same_joints() -> None:
    kinds = ["free", *["revolute", "prismatic"] * 3]
    assert groups(tree_model(arms(7, 3), kinds)) == (((2, 3, 4), (5, 6, 7)),)
    other = [*kinds[:-1], "revolute"]
    assert groups(tree_model(arms(7, 3), other)) == (((2, 3), (5, 6)),)
    assert groups(tree_model((0, 1, 2, 1, 4), ["free", *["revolute"] * 4], backwards=True)) == (((2, 3), (4, 5)),)
    assert groups(tree_model((0, 1, 2, 3), ["free", *["revolute"] * 3])) == ()
    # Fingers of one hand are a group; those of two hands belong to the arms, which are the larger one.
    assert groups(tree_model((0, 1, 1), ["revolute"] * 3)) == (((2, 3),),)
    assert groups(tree_model((0, 0, 1, 1, 2, 2), ["revolute"] * 6)) == (((1, 2), (3, 5), (4, 6)),)


def test_numbers_without_exact_value_are_equal_or_limbs_are_not() -> None:
    model = tree_model((0, 1, 1, 1), ["free", *["revolute"] * 3])
    places = [("pi/20", 0, 0), ("pi/10", 0, 0), ("pi/20", 0, 0)]
    moved = (
        replace(joint, predecessor_placement=Placement(place))
        for joint, place in zip(model.joints[1:], places, strict=True)
    )
    other = replace(model, joints=(model.joints[0], *moved))
    assert groups(other) == (((2, 4),),)
    options = GenerationOptions(functions=FUNCTIONS, style="limbs", languages=("c",))
    generate_files(other, options)


def test_a_group_that_costs_more_than_it_saves_is_left_out() -> None:
    # The numbers of these limbs have nothing in common; those of the legs are equal but for places.
    model = read("quadruped")
    assert [each.limbs for each in side_by_side(model).values()] == [(4,)] * 3


def test_it_is_refused_where_there_are_none(tmp_path: Path) -> None:
    for name in ("puma560", "four_bar", "cart_pole"):
        with pytest.raises(OptionError, match="no function that is asked for is shorter with equal limbs"):
            mbsym.generate(name, tmp_path, style="limbs")
    assert not list(tmp_path.iterdir())


def test_many_limbs_are_padded_and_too_many_written_out() -> None:
    derivation = derive(express(limbed(3, 5), options := GenerationOptions(functions=("mass_matrix",))), options)
    mechanism = derivation.mechanism.afresh()
    found = stage.side_by_side(derivation.programs[0], mechanism, equal_limbs(mechanism, by_zeros=False))
    assert set(found.limbs) == {5}
    body = lower_limbs(found, {"q": "q", "M": "M"}, Scope())
    assert body is not None and body.widths == (8,)
    with pytest.raises(OptionError, match="no function"):
        side_by_side(tree_model(arms(19, 18), ["free", *["revolute"] * 18]), ("mass_matrix",))
