"""Long functions in parts: the same values, bounded parts, places shared only one after another."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mbsym.codegen.build import DEFAULT_FLAGS, WARNINGS, compile_c
from mbsym.codegen.c.parts import LARGEST_WHOLE, LONGEST, PART_SIZE, split
from mbsym.codegen.c.pieces import SHARED, Part, Parts
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.expressions import Element, Variable
from mbsym.codegen.interface import render
from mbsym.codegen.load import c_module, load_numpy
from mbsym.codegen.lower import lower
from mbsym.codegen.lowered import Assignment, Store
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.write import write_files
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mechanisms.examples import further


def long_program(length: int, seed: int = 1, constants: int = 0) -> Program:
    """Random products and sums of early and late values, bounded; sections, a parameter, outputs from everywhere."""
    graph, rng = Graph(), random.Random(seed)
    x = [graph.symbol(f"x[{k}]") for k in range(20)]
    scale = graph.symbol("scale")
    known = [graph.mul(scale, ref) for ref in x]
    for number in range(length):
        with graph.section(f"stage {number // 300}"):
            near, far = rng.choice(known[-30:]), rng.choice(known)
            known.append(graph.function("sin", graph.add(graph.mul(near, far), graph.add(rng.choice(x), near))))
    picked = [*known[20::97], known[-1], *[graph.const(k) for k in range(constants)]]
    outputs = (Output("y", (len(picked),), tuple(picked)), Output("z", (2,), (known[40], graph.const(3))))
    return Program(
        "long",
        graph,
        (Input("x", (20,), tuple(x)),),
        outputs,
        (ParameterInput("scale", graph.symbol("scale"), Fraction(1, 2)),),
    )


def parts_of(program: Program) -> Parts:
    found = split(lower(program, {"x": "x", "y": "y", "z": "z"}, {"scale": "scale"}))
    assert found is not None
    return found


def is_load(item: Assignment) -> bool:
    return isinstance(item.expression, Element) and item.expression.array == SHARED


def test_short_functions_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    body = lower(long_program(LARGEST_WHOLE // 5), {"x": "x", "y": "y", "z": "z"}, {"scale": "scale"})
    assert split(body) is None
    monkeypatch.setattr("mbsym.codegen.c.parts.PART_SIZE", LARGEST_WHOLE // 8)
    monkeypatch.setattr("mbsym.codegen.c.parts.LARGEST_WHOLE", body.operations.arithmetic)
    assert split(replace(body)) is None
    monkeypatch.setattr("mbsym.codegen.c.parts.LARGEST_WHOLE", body.operations.arithmetic - 1)
    assert split(replace(body)) is not None


def test_parts_are_bounded_and_hold_every_operation() -> None:
    program = long_program(5000)
    parts = parts_of(program)
    assert len(parts.parts) >= 4
    assert all(part.operations <= LONGEST * PART_SIZE for part in parts.parts)
    body = lower(program, {"x": "x", "y": "y", "z": "z"}, {"scale": "scale"})
    assert sum(part.operations for part in parts.parts) == body.operations.arithmetic
    assert all(isinstance(part, Part) for part in parts.parts)
    made = [
        item for part in parts.parts if isinstance(part, Part) for block in part.blocks for item in block.assignments
    ]
    assert sum(not is_load(item) for item in made) == body.temporaries


def test_every_load_finds_what_was_stored() -> None:
    parts = parts_of(long_program(5000))
    shared: dict[int, str] = {}
    for part in parts.parts:
        assert isinstance(part, Part)
        for item in (*(item for block in part.blocks for item in block.statements), *part.entries):
            if isinstance(item, Assignment) and is_load(item):
                assert isinstance(item.expression, Element)
                assert shared[item.expression.index] == item.identifier
            elif isinstance(item, Store) and item.array == SHARED:
                assert isinstance(item.expression, Variable)
                assert item.index < parts.shared
                shared[item.index] = item.expression.identifier
    assert len(shared) == parts.shared


@pytest.mark.parametrize(
    ("flags", "constants"), [(DEFAULT_FLAGS, 0), ((*WARNINGS, "-O0"), 300), *further(((*WARNINGS, "-O3"), 0))]
)
def test_values_are_those_of_numpy(tmp_path: Path, flags: tuple[str, ...], constants: int) -> None:
    program = long_program(3000, constants=constants)
    write_files(tmp_path, render(ModuleDescription("model", (program,))))
    assert "static void model_long_part2(" in (tmp_path / "model.c").read_text()
    library = c_module(compile_c(tmp_path, "model", flags), read_manifest(tmp_path))
    x = np.linspace(-1, 1, 20)
    found, expected = library.functions["long"](x), load_numpy(tmp_path / "model.py").functions["long"](x)
    for a, b in zip(found, expected, strict=True):
        # Compilers may round intermediate values differently in a long chain of sines.
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)


def test_a_part_may_share_nothing(tmp_path: Path) -> None:
    """Two halves with nothing in common need no array."""
    graph = Graph()
    x = graph.symbol("x")
    ends = []
    for half in (1, 2):
        value = graph.add(x, graph.const(half))
        for number in range(2200):
            value = graph.add(graph.mul(value, value), graph.const(number + half * 10_000)).__neg__()
        ends.append(value)
    program = Program("halves", graph, (Input("x", (), (x,)),), (Output("y", (2,), tuple(ends)),))
    for file in render(ModuleDescription("model", (program,)), ("c",)):
        (tmp_path / file.name).write_text(file.text)
    compile_c(tmp_path, "model")


def test_the_text_is_the_same_twice() -> None:
    texts = [render(ModuleDescription("model", (long_program(3000),)), ("c",))[0].text for _ in range(2)]
    assert texts[0] == texts[1]


def test_what_is_compiled_grows_in_proportion() -> None:
    """Compilers take more than twice as long for a function twice as long: there are more functions, none longer."""
    lines = []
    for length in (4000, 8000):
        files = render(ModuleDescription("model", (long_program(length),)), ("c",))
        (source,) = (file.text for file in files if file.name == "model.c")
        lines.append(source.count("\n"))
        assert max(body.count("\n") for body in source.split("\n}\n")) < 2200
    # More than twice, since more of what is shared passes from part to part; a square would be four times.
    assert lines[1] < 2.5 * lines[0]
