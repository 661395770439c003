"""Sines and cosines as an argument: the functions stay the same, exactly, and compute none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.cli.application import main
from mbsym.codegen.load import load_c, load_numpy
from mbsym.errors import CodegenError, DerivationError
from mbsym.passes.given_sines import angle_texts, with_given_sines
from mbsym.pipeline import GenerationOptions, derive, express, read
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mbsym.symbolic.scalar import cos, sin, symbol
from mbsym.verification.certificate import verify
from mechanisms.composition import compose

FUNCTIONS = ("inverse_dynamics", "mass_matrix", "kinetic_energy")


@pytest.mark.parametrize("name", ["puma560", "planar_3r"])
def test_functions_of_given_sines_are_the_functions(name: str) -> None:
    asked = GenerationOptions(functions=FUNCTIONS)
    given = derive(express(read(name), asked), asked).programs
    first, *others = with_given_sines(given)
    assert len(angle_texts((first, *others))) == first.operation_count().sincos > 0
    for before, after in zip(given, others, strict=True):
        assert [item.name for item in after.inputs][:2] == ["q", "sin_cos"]
        assert after.operation_count().sincos == 0
        assert after.operation_count().arithmetic == before.operation_count().arithmetic
        assert compare(before, compose(after, first, {"sin_cos": "sin_cos"}))


def program(name: str, order: tuple[int, int]) -> Program:
    """Angles that are differences, with a parameter, and one that depends on speeds; the first symbol leads a sum."""
    graph = Graph()
    made = {k: symbol(graph, f"q{k}") for k in order}
    q, v, p = [made[0], made[1]], symbol(graph, "v0"), symbol(graph, "offset")
    value = sin(q[0] - q[1]) * 2 + cos(q[0] - q[1]) + sin(q[1] + p) * cos(p) + sin(v)
    inputs = (Input("q", (2,), tuple(x.ref for x in q)), Input("v", (1,), (v.ref,)))
    offset = ParameterInput("offset", p.ref, 1)  # type: ignore[arg-type]
    return Program(name, graph, inputs, (Output("y", (), (value.ref,)),), (offset,))


def test_angles_are_shared_whatever_their_sign_and_others_stay() -> None:
    given = [program("f", (0, 1)), program("g", (1, 0))]
    first, *others = with_given_sines(given)
    assert len(angle_texts([first])) == 2
    assert [item.name for item in first.parameters] == ["offset"]
    for before, after in zip(given, others, strict=True):
        kinds = [after.graph.kinds[node] for node in after.nodes()]
        assert sorted(kind for kind in kinds if kind in ("sin", "cos")) == ["cos", "sin"]  # of parameters, of speeds
        assert compare(before, compose(after, first, {"sin_cos": "sin_cos"}))


def test_all_languages_are_certified_and_what_is_given_counts(tmp_path: Path) -> None:
    mbsym.generate("double_pendulum", tmp_path, trigonometry="argument", functions=FUNCTIONS, batch=("mass_matrix",))
    certificate = verify(tmp_path, states=2)
    assert certificate.passed
    against = {(check.language, check.against) for check in certificate.checks if check.function == "sines_cosines"}
    assert {(language, "functions of the sines and cosines") for language in ("c", "numpy")} <= against
    for module in (load_c(tmp_path), load_numpy(tmp_path / "double_pendulum.py")):
        assert module.manifest["angles"] == ["q[0]", "q[1]"] and module.manifest["trigonometry"] == "argument"
        other = np.asarray(module.functions["sines_cosines"]([0.3, 0.7]))
        np.testing.assert_allclose(other, [[np.sin(x), np.cos(x)] for x in (0.3, 0.7)], rtol=1e-15)
        found = module.functions["mass_matrix"]([9.0, 9.0], other)
        np.testing.assert_array_equal(found, module.functions["mass_matrix"]([0.3, 0.7], other))
    assert "double_pendulum_ANGLES = 2" in (tmp_path / "double_pendulum.h").read_text()


@pytest.mark.parametrize(
    ("name", "options", "what"),
    [
        ("four_bar", {}, "functions with fixed text.*inline: sines and cosines as an argument are for trees"),
        ("puma560", {"style": "shared"}, "leave out `threads` and `style shared`"),
        ("puma560", {"self_test": True}, "`self_test` would call"),
        ("cart_pole", {"prepare": True}, "`prepare` would call"),
        ("cart_pole", {"functions": ("kinetic_energy", "position_rate"), "simplify": "none"}, ""),
        ("cart_pole", {"functions": ("position_rate",)}, "no sine or cosine"),
    ],
)
def test_what_cannot_take_them_is_refused(name: str, options: dict[str, object], what: str) -> None:
    asked = GenerationOptions(trigonometry="argument", **options)  # type: ignore[arg-type]
    if what:
        with pytest.raises(DerivationError, match=what):
            derive(express(read(name), asked), asked)
    else:
        kept = derive(express(read(name), asked), asked).programs[2]
        assert [item.name for item in kept.inputs] == ["q", "v"]


def test_what_is_told_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["generate", "double_pendulum", "-o", str(tmp_path), "--trigonometry", "argument", "--function"]
    assert main([*command, "mass_matrix", "--symbolic-parameters", "all"]) == 0
    assert "not prepared" not in capsys.readouterr().out
    header = (tmp_path / "double_pendulum.h").read_text(encoding="utf-8")
    assert "sines_cosines(parameters, q, sin_cos) computes it" in header
    assert main([*command, "mass_matrix", "--symbolic-parameters", "none", "--json"]) == 0
    assert "operations_unprepared" not in capsys.readouterr().out
    header = (tmp_path / "double_pendulum.h").read_text(encoding="utf-8")
    assert "sines_cosines(q, sin_cos) computes it" in header


def test_exports_call_the_functions_without(tmp_path: Path) -> None:
    with pytest.raises(CodegenError, match="use auto, libm or inline"):
        mbsym.export("cart_pole", "fmu", tmp_path, trigonometry="argument")
