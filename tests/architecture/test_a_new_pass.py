"""What a new pass costs: one function from Program to Program. Here: no quotient stays below a line."""

from __future__ import annotations

import pytest

from mbsym.passes.pass_manager import run
from mbsym.passes.rebuild import rebuild
from mbsym.passes.standard import STANDARD_PASSES
from mbsym.symbolic.compose import image
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mbsym.symbolic.show import show
from mechanisms.programs import program_of


def level(program: Program) -> Program:
    """A program in which nothing is divided by a quotient: a/(b/c) is a*c/b, exactly."""
    graph = program.graph

    def is_steep(node: int) -> bool:
        return graph.kinds[node] == "div" and graph.kinds[abs(graph.arguments[node][1])] == "div"

    steep = frozenset(node for node in program.nodes() if is_steep(node))
    if not steep:
        return program

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        a, quotient = graph.arguments[node]
        b, c = graph.arguments[abs(quotient)]
        made = target.div(target.mul(image(images, a), image(images, c)), image(images, b))
        return made if quotient > 0 else -made

    return level(rebuild(program, rule, steep))


TEXTS = ("x/(y/z)", "x/(y/(z/w)) - x", "x/y/z", "-x/(-y/z)")


def test_it_does_what_it_says() -> None:
    """By ``show``: what an engineer compares with the book."""
    assert show(level(program_of("x/(y/z)"))).splitlines()[-1] == "  y[0] := x*z/y"


@pytest.mark.parametrize("text", TEXTS)
def test_it_changes_no_value(text: str) -> None:
    """Exactly in the field, and by ``interpret`` in floats."""
    program = program_of(text)
    assert compare(program, level(program)).kind == "equal"
    point = {"w": 1.5, "x": 3.0, "y": -0.7, "z": 2.0}
    state = {item.name: point[item.name] for item in program.inputs}
    before, after = (interpret(each, state)["y"] for each in (program, level(program)))
    assert after == pytest.approx(before, rel=1e-15)


@pytest.mark.parametrize("text", TEXTS)
def test_what_it_promises_holds_and_twice_is_once(text: str) -> None:
    program = level(program_of(text))
    graph = program.graph
    below = [graph.arguments[node][1] for node in program.nodes() if graph.kinds[node] == "div"]
    assert all(graph.kinds[abs(ref)] != "div" for ref in below)
    assert level(program) is program


def test_the_pipeline_reports_it() -> None:
    program, report = run(program_of("x/(y/z)"), (*STANDARD_PASSES, level))
    assert [step.name for step in report.steps][-1] == "level"
    assert (report.steps[-1].before.div, program.operation_count().div) == (2, 1)
