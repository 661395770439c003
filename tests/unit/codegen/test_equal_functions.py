"""Functions of much text that compute the same: the later one is a call of the earlier one, in every language."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from mbsym.codegen.build import compile_c, runs
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.interface import render
from mbsym.codegen.load import c_module, load_numpy
from mbsym.codegen.load_batch import batch_module
from mbsym.codegen.lowered_module import WORTH_A_CALL, lower_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.write import write_files
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program

SIZE = 8


def described() -> ModuleDescription:
    """``first`` and ``same`` differ in the name of a result, ``other`` in one value, ``renamed`` in what it takes, and
    both functions of ``short`` are soon written."""
    graph = Graph()
    x = [graph.symbol(f"x[{k}]") for k in range(SIZE)]
    gain = graph.symbol("gain")
    total = x[0]
    for round_ in range(WORTH_A_CALL // 2):
        total = graph.add(graph.mul(total, x[round_ % SIZE]), gain)
    few = graph.mul(x[0], x[1])

    def program(name: str, result: str, last: int, argument: str = "x") -> Program:
        outputs = (Output(result, (2,), (few, total)), Output("last", (), (last,)))
        parameters = (ParameterInput("gain", gain, 2),)
        return Program(name, graph, (Input(argument, (SIZE,), tuple(x)),), outputs, parameters)

    def short(name: str) -> Program:
        return Program(name, graph, (Input("x", (SIZE,), tuple(x)),), (Output("y", (), (few,)),))

    programs = (
        program("first", "y", total),
        program("same", "z", total),
        program("other", "y", few),
        program("renamed", "y", total, argument="w"),
        short("short"),
        short("shorter"),
    )
    return ModuleDescription("model", programs, batch=("all",))


def test_which_are_calls() -> None:
    found = {function.name: function.equal for function in lower_module(described()).functions}
    assert found == {"first": "", "same": "first", "other": "", "renamed": "", "short": "", "shorter": ""}


def test_values_in_every_language(tmp_path: Path) -> None:
    write_files(tmp_path, render(described(), ("c", "numpy", "javascript")))
    texts = [(tmp_path / f"model{end}").read_text() for end in (".c", "_batch.c", ".py", ".mjs")]
    # What it calls is one line below its head.
    for text, call in zip(texts, ("model_first(", "model_first_lanes(", "_first(", "first("), strict=True):
        assert re.search(rf"same(?:_lanes)?\([^)]*\)[^\n]*\n(?:\{{\n)? +(?:return )?{re.escape(call)}", text, re.DOTALL)
    manifest = read_manifest(tmp_path)
    library = compile_c(tmp_path, "model_batch", ("-O1", "-Dmodel_LANES=4"), also=("model",))
    x = np.linspace(-1.0, 1.0, 7 * SIZE).reshape(7, SIZE)
    for module in (c_module(library, manifest), batch_module(library, manifest), load_numpy(tmp_path / "model.py")):
        for name in ("same", "renamed"):
            for found, expected in zip(module.functions[name](x), module.functions["first"](x), strict=True):
                np.testing.assert_array_equal(found, expected)
        assert not np.array_equal(module.functions["other"](x)[1], module.functions["first"](x)[1])


@pytest.mark.skipif(not runs("node"), reason="node is not here")
def test_javascript_runs(tmp_path: Path) -> None:
    write_files(tmp_path, render(described(), ("javascript",)))
    (tmp_path / "ask.mjs").write_text(
        'import * as m from "./model.mjs";\n'
        f"const x = new Float64Array({SIZE}).map((_, k) => k / 3 - 1);\n"
        "const found = [m.first, m.same].map((f) => { const y = new Float64Array(2), last = new Float64Array(1);\n"
        "  f(m.default_parameters, x, y, last); return [...y, ...last]; });\n"
        "console.log(JSON.stringify(found));\n"
    )
    run = subprocess.run(["node", "ask.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    first, same = json.loads(run.stdout)
    assert first == same and any(first)
