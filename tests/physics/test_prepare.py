"""What depends on parameters alone is computed once: the functions stay the same, exactly, and take less."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbsym
from mbsym.codegen.load import load_numpy, read_manifest
from mbsym.errors import DerivationError
from mbsym.passes.prepare import gather_parameters, prepared, remaining_operations
from mbsym.pipeline import GenerationOptions, derive, express, read
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Program
from mbsym.verification.certificate import verify
from mechanisms.benchmark_chains import benchmark_chain
from mechanisms.composition import compose

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")

REACHED = {"z": (395, 908, 312), "x": (292, 680, 182)}
"""Operations of chains of seven joints with a workspace; fewer is progress and belongs here."""


def programs_of(name: str, **options: object) -> tuple[Program, ...]:
    asked = GenerationOptions(functions=FUNCTIONS, **options)  # type: ignore[arg-type]
    return derive(express(read(name), asked), asked).programs


@pytest.mark.parametrize("name", ["cart_pole", "planar_3r"])
def test_functions_of_the_workspace_are_the_functions(name: str) -> None:
    given = programs_of(name)
    first, *others = prepared([gather_parameters(program) for program in given])
    for before, after in zip(given, others, strict=True):
        assert not after.parameters
        whole = compose(after, first, {"workspace": "workspace"})
        assert compare(before, whole)
        assert after.operation_count().arithmetic == remaining_operations(gather_parameters(before))


def test_nothing_that_depends_on_parameters_alone_is_left() -> None:
    first, *others = programs_of("planar_3r", prepare=True)
    assert [item.name for item in first.parameters] == [item.name for item in read("planar_3r").parameters]
    for program in others:
        inner = {ref for item in program.inputs if item.name == "workspace" for ref in item.symbols}
        for node in program.nodes():
            operands = {abs(operand) for operand in program.graph.operands(node)}
            assert not operands or not operands <= inner


@pytest.mark.parametrize("along", REACHED)
def test_chains_take_less_with_a_workspace(along: str) -> None:
    options = GenerationOptions(functions=FUNCTIONS, prepare=True)
    model = benchmark_chain(7, "x" if along == "x" else "z")
    programs = {program.name: program for program in derive(express(model, options), options).programs}
    found = tuple(programs[name].operation_count().arithmetic for name in FUNCTIONS)
    assert all(now <= before for now, before in zip(found, REACHED[along], strict=True)), found


def test_c_and_numpy_are_certified_and_other_values_count(tmp_path: Path) -> None:
    mbsym.generate("cart_pole", tmp_path, prepare=True, functions=FUNCTIONS)
    certificate = verify(tmp_path, states=2)
    assert certificate.passed
    against = {(check.language, check.against) for check in certificate.checks if check.function == "prepare"}
    assert {(language, "functions of the workspace") for language in ("c", "numpy")} <= against
    module = load_numpy(tmp_path / "cart_pole.py")
    heavy = module.functions["prepare"](parameters={"m_cart": 7.0})
    # Users reserve as many entries as the header says; two speeds take another number.
    assert len(heavy) != 2
    assert f"cart_pole_WORKSPACE = {len(heavy)} " in (tmp_path / "cart_pole.h").read_text()
    assert f"WORKSPACE = {len(heavy)}\n" in (tmp_path / "cart_pole.py").read_text()
    assert module.functions["mass_matrix"](heavy, [0.1, 0.2])[0, 0] == pytest.approx(7.2, rel=1e-15)
    assert not module.functions["mass_matrix"].parameters
    assert all(item["meaning"] for item in read_manifest(tmp_path / "cart_pole.json")["constants"])


@pytest.mark.parametrize(
    ("name", "options", "what"),
    [
        ("puma560", {}, "no parameters at run time"),
        ("four_bar", {"symbolic_parameters": "all"}, "functions with fixed text"),
        ("cart_pole", {"batch": ("all",)}, "no batches of prepared functions"),
    ],
)
def test_what_cannot_be_prepared_is_refused(name: str, options: dict[str, object], what: str) -> None:
    asked = GenerationOptions(prepare=True, **options)  # type: ignore[arg-type]
    with pytest.raises(DerivationError, match=what):
        derive(express(read(name), asked), asked)
