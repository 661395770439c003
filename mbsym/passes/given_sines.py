"""Sines and cosines as an argument: programs are split into one that computes those of all angles and the rest.

One array serves all functions of a module: who evaluates several at the same coordinates, or has the sines from
elsewhere, computes none again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mbsym.passes.rebuild import Relieved, depending_on, places_of_values, rebuild, relieved
from mbsym.symbolic.compose import copy_nodes, image
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.show import show_value

SINES_COSINES: Final = "sines_cosines"
SIN_COS: Final = "sin_cos"
COORDINATES: Final = "q"

DESCRIPTION: Final = "sines and cosines of all angles, for the other functions to start from"
ROWS: Final = "sine and cosine of each angle, a row each"


def given_angles(program: Program) -> tuple[int, ...]:
    """Nodes whose sine or cosine occurs and that depend on coordinates, and on nothing else but parameters."""
    graph = program.graph
    parameters = {item.symbol for item in program.parameters}
    coordinates = {ref for item in program.inputs if item.name == COORDINATES for ref in item.symbols}
    turning = depending_on(program, parameters | coordinates) - depending_on(program, parameters)
    sines = (node for node in program.nodes() if graph.kinds[node] in ("sin", "cos"))
    return tuple(dict.fromkeys(angle for node in sines if (angle := abs(graph.operands(node)[0])) in turning))


def with_given_sines(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The program that computes sines and cosines of all angles, then the given ones, which take them after q.

    A program in which no angle occurs stays as it is; where none occurs in any, nothing computes them.

    Args:
        programs: of one mechanism.
    """
    graph = Graph()
    parts = [relieved(program, given_angles(program), graph) for program in programs]
    rows = places_of_values(parts)
    if not rows:
        return tuple(programs)
    values = tuple(value for node in rows for value in (graph.make("sin", [node]), graph.make("cos", [node])))
    first = next(part.program for part in parts if part.values)
    inputs = tuple(
        replace(item, symbols=tuple(graph.symbol(str(first.graph.arguments[ref][0])) for ref in item.symbols))
        for item in first.inputs
        if item.name == COORDINATES
    )
    needed = {graph.arguments[node][0] for node in graph.reachable(values) if graph.kinds[node] == "symbol"}
    known = {item.name: item for program in programs for item in program.parameters}
    parameters = tuple(replace(item, symbol=graph.symbol(item.name)) for item in known.values() if item.name in needed)
    output = Output(SIN_COS, (len(rows), 2), values, "", ROWS)
    maker = Program(SINES_COSINES, graph, inputs, (output,), parameters, DESCRIPTION)
    return maker, *(_with_rows(part, rows) for part in parts)


def angle_texts(programs: Sequence[Program]) -> tuple[str, ...]:
    """What stands in each row of the argument, in terms of entries of q; nothing where no program computes it."""
    found = [program for program in programs if program.name == SINES_COSINES]
    if not found:
        return ()
    program, plain = found[0], Graph()
    symbols = [ref for item in program.inputs for ref in item.symbols]
    images = {ref: plain.symbol(f"{COORDINATES}[{place}]") for place, ref in enumerate(symbols)}
    angles = [program.graph.operands(abs(ref))[0] for ref in program.outputs[0].values[1::2]]
    copy_nodes(program.graph, program.graph.reachable(angles), plain, images)
    return tuple(show_value(plain, image(images, angle)) for angle in angles)


def _with_rows(part: Relieved, rows: Mapping[int, int]) -> Program:
    program, angles = part.program, part.values
    if not angles:
        return program
    source = program.graph
    taken = {
        node: abs(source.operands(node)[0])
        for node in program.nodes()
        if source.kinds[node] in ("sin", "cos") and abs(source.operands(node)[0]) in angles
    }

    def rule(target: Graph, node: int, images: dict[int, Reference]) -> Reference:
        ref = angles[taken[node]]
        is_cosine = source.kinds[node] == "cos"
        symbol = target.symbol(f"{SIN_COS}[{2 * rows[abs(ref)] + is_cosine}]")
        # The sine is odd, in what the angle is here and in what it is there.
        turned = (source.operands(node)[0] < 0) != (ref < 0)
        return -symbol if turned and not is_cosine else symbol

    made = rebuild(program, rule, taken)
    symbols = tuple(made.graph.symbol(f"{SIN_COS}[{place}]") for place in range(2 * len(rows)))
    given = Input(SIN_COS, (len(rows), 2), symbols, "", ROWS)
    place = [item.name for item in made.inputs].index(COORDINATES) + 1
    return replace(made, inputs=(*made.inputs[:place], given, *made.inputs[place:]))
