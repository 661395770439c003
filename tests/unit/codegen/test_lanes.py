"""Alike sections as loops over lanes: what counts as alike, and the same values as straight text."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from mbsym import examples
from mbsym.codegen.build import DEFAULT_FLAGS, WARNINGS, compile_c, runs
from mbsym.codegen.c.lanes import FEWEST_LANES, Lanes, in_lanes
from mbsym.codegen.c.parts import split
from mbsym.codegen.c.pieces import SHARED, Loop
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.expressions import Element
from mbsym.codegen.interface import render
from mbsym.codegen.load import c_module, load_numpy
from mbsym.codegen.lower import lower
from mbsym.codegen.lowered import Assignment, LoweredFunction
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.write import write_files
from mbsym.derivatives.functions import DERIVATIVE_FUNCTIONS
from mbsym.pipeline import optimise
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input, Output, ParameterInput, Program
from mechanisms.examples import further
from mechanisms.mechanism import mechanism_of


def work(graph: Graph, lane: int, values: Sequence[Reference], factors: Sequence[Fraction]) -> list[Reference]:
    """Some fifty operations on four values; the factors may differ between lanes, in sign as well."""
    a, b, c, d = values
    found = []
    for number, factor in enumerate(factors):
        first = graph.add(graph.mul(a, b), graph.mul(graph.const(factor), c))
        second = graph.sub(graph.mul(first, d), graph.mul(graph.add(a, graph.const(number + 2)), b))
        square = graph.add(graph.const(1), graph.mul(second, second))
        a, b, c, d = b, c, d, graph.div(first, square)
        graph.names[abs(d)] = (f"w{lane}_{number}", 1 if d > 0 else -1)
        found.append(d)
    return found


def program(lanes: int, factors: Callable[[int], list[Fraction]], shift: int = 0) -> Program:
    """Two rounds of sections; the second round reads what the first has made, ``shift`` lanes further."""
    graph = Graph()
    x = [graph.symbol(f"x[{k}]") for k in range(4 * lanes)]
    mass = graph.symbol("mass")
    with graph.section("before"):
        early = [graph.function("sin", graph.mul(mass, ref)) for ref in x[::2]]
    first, second = [], []
    for lane in range(lanes):
        with graph.section(f"round 1: joint {lane}"):
            values = [early[2 * lane], early[2 * lane + 1], x[4 * lane + 1], graph.mul(mass, x[4 * lane + 3])]
            first.append(work(graph, lane, values, factors(lane)))
    for lane in range(lanes):
        with graph.section(f"round 2: joint {lane}"):
            source = first[(lane + shift) % lanes]
            values = [source[-1], source[-2], early[2 * lane], x[4 * lane + 2]]
            second.append(work(graph, lanes + lane, values, factors(lane)))
    with graph.section("after"):
        total = second[0][-1]
        for values in second[1:]:
            total = graph.add(total, graph.mul(values[-1], values[-2]))
    outputs = (
        Output("y", (lanes,), tuple(values[-1] for values in second)),
        Output("z", (2,), (total, first[lanes // 2][-1])),
    )
    return Program(
        "lanes", graph, (Input("x", (4 * lanes,), tuple(x)),), outputs, (ParameterInput("mass", mass, Fraction(3, 2)),)
    )


def equal(lane: int) -> list[Fraction]:
    return [Fraction(k + 1, 29) for k in range(8)]


def different(lane: int) -> list[Fraction]:
    return [Fraction(k + 1, 29 + lane) for k in range(8)]


def of_both_signs(lane: int) -> list[Fraction]:
    return [Fraction((-1) ** (lane * k) * (k + 1), 29 + lane) for k in range(8)]


def lowered(found: Program) -> LoweredFunction:
    return lower(found, {"x": "x", "y": "y", "z": "z"}, {"mass": "mass"})


def loops(found: Program) -> list[Loop]:
    parts = split(lowered(found))
    return [] if parts is None else [part for part in parts.parts if isinstance(part, Loop)]


@pytest.mark.parametrize("factors", [equal, different])
def test_alike_sections_become_loops(factors: Callable[[int], list[Fraction]]) -> None:
    found = loops(program(6, factors))
    assert [loop.title for loop in found] == ["round 1: joint 0, 1, 2, 3, 4, 5", "round 2: joint 0, 1, 2, 3, 4, 5"]
    assert [loop.lanes for loop in found] == [6, 6]
    # Equal constants stand in the text, different ones in a table.
    assert bool(found[0].table) == (factors is different)


def test_few_sections_stay_text() -> None:
    assert loops(program(FEWEST_LANES - 1, equal)) == []
    assert len(loops(program(FEWEST_LANES, equal))) == 2


def test_lanes_are_padded() -> None:
    widths = {count: loops(program(count, equal))[0].width for count in (4, 5, 6, 7, 9, 13)}
    assert widths == {4: 4, 5: 6, 6: 6, 7: 8, 9: 10, 13: 16}


def test_a_section_that_reads_its_neighbour_is_no_lane() -> None:
    """A recursion along the sections: every lane would need the result of the one before."""
    graph = Graph()
    x = [graph.symbol(f"x[{k}]") for k in range(32)]
    carried = x[0]
    for lane in range(8):
        with graph.section(f"step {lane}"):
            carried = work(graph, lane, [carried, *x[4 * lane + 1 : 4 * lane + 4]], equal(lane))[-1]
    outputs = (Output("y", (1,), (carried,)), Output("z", (0,), ()))
    recursion = Program("steps", graph, (Input("x", (32,), tuple(x)),), outputs)
    blocks = in_lanes(lower(recursion, {"x": "x", "y": "y", "z": "z"}, {}).blocks)
    assert not any(isinstance(block, Lanes) for block in blocks)


@pytest.mark.parametrize(
    "flags", [DEFAULT_FLAGS, *further(((*WARNINGS, "-O0"),), ((*WARNINGS, "-O3"),))], ids=["O2", "O0", "O3"]
)
@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("factors", [equal, different, of_both_signs])
def test_values_are_those_of_numpy(
    tmp_path: Path, factors: Callable[[int], list[Fraction]], shift: int, flags: tuple[str, ...]
) -> None:
    for lanes in (4, 7):
        directory = tmp_path / str(lanes)
        write_files(directory, render(ModuleDescription("model", (program(lanes, factors, shift),))))
        library = c_module(compile_c(directory, "model", flags), read_manifest(directory))
        x = np.linspace(-1, 1, 4 * lanes)
        found = library.functions["lanes"](x)
        expected = load_numpy(directory / "model.py").functions["lanes"](x)
        assert "for (int lane = 0; lane < " in (directory / "model.c").read_text()
        for a, b in zip(found, expected, strict=True):
            # The order of operations is the same; only fused multiplications could make a difference.
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def crossing_rounds() -> Program:
    """Three sections and then four, the last two of which read what the third has made.

    What the third makes is the opposite of what the text of the first would make with its values. The second round also
    reads values that have waited since before the first, some of them with the other sign inside of a function.
    """
    graph, turned = Graph(), (1, 1, -1, -1)
    x = [graph.symbol(f"x[{k}]") for k in range(16)]
    with graph.section("before"):
        early = [graph.function("sin", ref) for ref in x]
        late = [graph.function("cos", graph.mul(ref, ref)) for ref in x]
    made, found = [], []
    for lane in range(3):
        with graph.section(f"round 1: joint {lane}"):
            (*_, last) = work(graph, lane, early[4 * lane : 4 * lane + 4], equal(lane))
            third = graph.const(Fraction(turned[lane], 3))
            made.append(graph.div(graph.mul(third, graph.mul(last, graph.add(last, x[lane]))), x[12 + lane]))
            graph.names[abs(made[-1])] = (f"made{lane}", 1 if made[-1] > 0 else -1)
    with graph.section("between"):
        between = graph.add(graph.mul(made[0], made[1]), made[2])
        graph.names[between] = ("between", 1)
    for lane in range(4):
        with graph.section(f"round 2: joint {lane}"):
            own = late[4 * lane : 4 * lane + 4]
            values = [own[0], own[1], graph.mul(own[0], between), graph.mul(own[1], made[min(lane, 2)])]
            (*_, last) = work(graph, 3 + lane, values, equal(lane))
            signed = graph.mul(graph.const(turned[lane]), graph.mul(own[2], own[3]))
            angle = graph.function("atan2", last, signed)
            found.append(graph.mul(angle, graph.add(angle, own[3])))
            graph.names[angle] = (f"angle{lane}", 1)
            graph.names[found[-1]] = (f"found{lane}", 1)
    outputs = (Output("y", (4,), tuple(found)), Output("z", (4,), (*made, between)))
    return Program("lanes", graph, (Input("x", (16,), tuple(x)),), outputs)


def test_values_that_wait_and_turn_between_loops_are_those_of_numpy(tmp_path: Path) -> None:
    crossing = crossing_rounds()
    first, second = loops(crossing)
    assert (first.lanes, first.width, second.lanes, second.width) == (3, 4, 4, 4)
    write_files(tmp_path, render(ModuleDescription("model", (crossing,))))
    library = c_module(compile_c(tmp_path, "model", (*WARNINGS, "-O0")), read_manifest(tmp_path))
    x = np.linspace(0.3, 1.4, 16)
    expected = load_numpy(tmp_path / "model.py").functions["lanes"](x)
    for a, b in zip(library.functions["lanes"](x), expected, strict=True):
        # Some fifty operations on numbers of size one, in the same order.
        np.testing.assert_allclose(a, b, rtol=1e-13)


def test_constants_of_either_sign_are_alike_inside_functions(tmp_path: Path) -> None:
    """Of atan2(x, 1/3) and atan2(x, -1/3) the sign belongs to the constant: there is no other that could take it."""
    lanes, graph = 5, Graph()
    x = [graph.symbol(f"x[{k}]") for k in range(4 * lanes)]
    found = []
    for lane in range(lanes):
        with graph.section(f"joint {lane}"):
            (*_, last) = work(graph, lane, x[4 * lane : 4 * lane + 4], equal(lane))
            angle = graph.function("atan2", last, graph.const(Fraction((-1) ** lane, 3)))
            found.append(graph.mul(angle, graph.add(angle, x[4 * lane])))
            graph.names[angle] = (f"angle{lane}", 1)
            graph.names[found[-1]] = (f"y{lane}", 1)
    outputs = (Output("y", (lanes,), tuple(found)), Output("z", (0,), ()))
    alike = Program("lanes", graph, (Input("x", (4 * lanes,), tuple(x)),), outputs)
    write_files(tmp_path, render(ModuleDescription("model", (alike,))))
    assert (tmp_path / "model.c").read_text().count("atan2(") == 1  # in a loop
    library = c_module(compile_c(tmp_path, "model", (*WARNINGS, "-O0")), read_manifest(tmp_path))
    values = np.linspace(-1, 1, 4 * lanes)
    result, _ = library.functions["lanes"](values)
    assert result.tolist() == load_numpy(tmp_path / "model.py").functions["lanes"](values)[0].tolist()
    assert len(set(result.tolist())) > 2


@pytest.mark.skipif(not runs("gcc"), reason="asks GCC what it vectorised")
def test_the_compiler_vectorises_the_loops(tmp_path: Path) -> None:
    for file in render(ModuleDescription("model", (program(8, equal),)), ("c",)):
        (tmp_path / file.name).write_text(file.text)
    command = ["gcc", "-std=c99", "-O3", "-fopt-info-vec-optimized", "-c", "model.c"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert (done.stdout + done.stderr).count("loop vectorized") >= 2


def test_the_text_is_the_same_twice() -> None:
    texts = [render(ModuleDescription("model", (program(6, of_both_signs),)), ("c",))[0].text for _ in range(2)]
    assert texts[0] == texts[1]


def test_what_all_lanes_read_stands_before_the_loop() -> None:
    """Columns of a matrix solved with the same factors, whatever the signs that the graph gives its entries."""
    optimised, _ = optimise(
        DERIVATIVE_FUNCTIONS["forward_dynamics_derivatives"](mechanism_of(examples.load("puma560")))
    )
    names = {name: name for name in ("q", "v", "tau", "dvdot_dq", "dvdot_dv", "dvdot_dtau")}
    parts = split(lower(optimised, names, {}))
    assert parts is not None
    (loop,) = (part for part in parts.parts if isinstance(part, Loop))
    assert loop.lanes >= 9
    read = [item.expression for item in loop.statements if isinstance(item, Assignment)]
    columns = [item for item in read if isinstance(item, Element) and item.array == SHARED]
    assert len(columns) == 6, "the entries of the columns, and each of them once"
    assert len(loop.common) >= 10, "the factors of the mass matrix"
