"""The manifest has the documented fields in a fixed order."""

from __future__ import annotations

import json
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise

import pytest

from mbsym import __version__
from mbsym.codegen.interface import ModuleDescription, render
from mbsym.codegen.manifest import json_text
from mbsym.errors import CodegenError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program


def program(name: str = "spring", default: Fraction = Fraction(5, 2)) -> Program:
    graph = Graph()
    q, k, t = graph.symbol("q"), graph.symbol("k"), graph.symbol("t")
    force = graph.add(graph.mul(k, q), graph.function("sin", t))
    return Program(
        name,
        graph,
        (Input("q", (1,), (q,), "m", "stretch"), Input("t", (), (t,), "s")),
        (Output("lambda", (1, 1), (force,), "N"),),
        (ParameterInput("k", k, default, "N/m"),),
        "force of a spring",
    )


FIELDS = {"formulation": "kane", "nq": 1, "nv": 1, "bodies": [], "joints": [], "zeta": 1, "alpha": 2}


def manifest(**changes: object) -> dict[str, object]:
    description = ModuleDescription("a spring", (program(),), manifest={**FIELDS, **changes}, model_sha256="ab12")
    files = {file.name: file.text for file in render(description)}
    assert sorted(files) == ["a_spring.c", "a_spring.h", "a_spring.json", "a_spring.py"]
    content: dict[str, object] = json.loads(files["a_spring.json"])
    hashes = {name: sha256(text.encode()).hexdigest() for name, text in files.items() if name != "a_spring.json"}
    assert content["files"] == hashes
    return content


def test_fields_and_their_order() -> None:
    content = manifest()
    assert list(content) == [
        *("mbsym", "name", "model_sha256", "formulation", "real", "nq", "nv", "quaternion", "spatial_order"),
        *("bodies", "joints", "parameters", "inputs", "zeta", "alpha"),
        *("functions", "statuses", "constants", "run_time_parameters", "names", "files", "sha256"),
    ]
    assert (content["mbsym"], content["name"], content["real"]) == (__version__, "a_spring", "double")
    assert content["parameters"] == [{"name": "k", "value": 2.5, "unit": "N/m", "symbolic": True}]
    assert content["run_time_parameters"] == {"k": 2.5}
    assert content["names"] == {"module": {"a spring": "a_spring"}, "arguments": {"lambda": "lambda_"}}


def test_a_function() -> None:
    functions = manifest()["functions"]
    assert functions == [
        {
            "name": "spring",
            "c_symbol": "a_spring_spring",
            "description": "force of a spring",
            "arguments": [
                {"name": "q", "direction": "in", "shape": [1], "unit": "m"},
                {"name": "t", "direction": "in", "shape": [], "unit": "s"},
                {"name": "lambda", "direction": "out", "shape": [1, 1], "unit": "N"},
            ],
            "operations": {"add": 1, "mul": 1, "div": 0, "sqrt": 0, "sincos": 1, "other": 0},
        }
    ]


@pytest.mark.parametrize("field", ["functions", "files", "name", "mbsym"])
def test_a_field_made_here_cannot_be_given(field: str) -> None:
    with pytest.raises(CodegenError, match="is not free"):
        manifest(**{field: 1})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_a_value_without_json_form_is_an_error(value: object) -> None:
    with pytest.raises(CodegenError, match="manifest cannot be written"):
        manifest(formulation=value)


def test_two_programs_of_one_name_are_an_error() -> None:
    with pytest.raises(CodegenError, match="two functions are named 'spring'"):
        render(ModuleDescription("m", (program(), program())))


def test_contradicting_defaults_are_an_error() -> None:
    with pytest.raises(CodegenError, match="parameter 'k' has the defaults"):
        render(ModuleDescription("m", (program("a"), program("b", Fraction(1)))))


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(CodegenError, match=r"no language is called 'fortran'; known: c, numpy"):
        render(ModuleDescription("m", (program(),)), ["fortran"])


def test_languages_are_chosen() -> None:
    names = [file.name for file in render(ModuleDescription("m", (program(),)), ["numpy"])]
    assert names == ["m.py", "m.json"]


@pytest.mark.parametrize("name", ["numpy", "math", "typing", "int", "../x", "", "9", "real"])
def test_the_name_of_a_module_is_harmless(name: str) -> None:
    *_, file = render(ModuleDescription(name, (program("real"), program("parameters"))))
    content = json.loads(file.text)
    symbols = [function["c_symbol"] for function in content["functions"]]
    assert symbols == [f"{content['name']}_real_2", f"{content['name']}_parameters_"]
    assert content["name"] not in {"numpy", "math", "typing", "int", "", "9"}
    assert content["name"].replace("_", "a").isalnum()


def test_json_text_reads_back_and_keeps_short_parts_on_a_line() -> None:
    value = {"list": list(range(100)), "short": {"a": [1, 2]}, "": "é\ud800", "deep": [{"x": ["y" * 70, "z" * 70]}]}
    text = json_text(value)
    assert json.loads(text) == value
    assert '  "short": {"a": [1, 2]},' in text.splitlines()
    assert text.isascii()
    assert all(before != after for before, after in pairwise(text.splitlines()) if before.strip() == "{")
