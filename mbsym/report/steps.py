"""A program as a list of named steps, for values whose closed form would fill pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import Any, Final

from mbsym.doors import sympy
from mbsym.report.sections import StepGroup
from mbsym.symbolic.compose import image
from mbsym.symbolic.graph import LEAVES, Graph, Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.program import Program
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric, unit_quaternions

_LONGEST_STEP: Final = 24
"""Operations of a value above which it gets a line of its own, though it is used but once."""


@dataclass(frozen=True, slots=True)
class NamedSteps:
    """Steps under the titles of the derivation, and the outputs in terms of them.

    Attributes:
        groups: the steps.
        outputs: in terms of them.
        references: all of these, steps first, as values of the graph.
    """

    groups: tuple[StepGroup, ...]
    outputs: tuple[sympy.Expr, ...]
    references: tuple[Reference, ...]


def named_steps(program: Program, symbols: Mapping[str, Any]) -> NamedSteps:
    """The steps that compute a program's outputs.

    Values that the derivation names, and those used more than once, are steps under their names or t1, t2, ...; sines,
    cosines and single operations are written where they are used.

    Args:
        program: what to list.
        symbols: what stands for symbols of the graph that have no printable name.
    """
    graph = program.graph
    namer = Namer(graph)
    uses = _uses(program)
    units = unit_quaternions(program)
    sizes = PrintedSizes(graph)
    images: dict[int, Reference] = {}
    names: list[str] = []
    values: list[Reference] = []
    sections: list[int] = []
    for node in program.nodes():
        kind = graph.kinds[node]
        if kind in LEAVES:
            images[node] = node
            continue
        value = graph.make(kind, [image(images, operand) for operand in graph.operands(node)])
        size = sizes.of(value)
        inline = size < 2 or kind in ("sin", "cos") or (uses.get(node, 0) < 2 and size <= _LONGEST_STEP)
        if inline and node not in graph.names:
            images[node] = value
            continue
        (value,) = simplify_all_trigonometric(graph, [value], units)
        if sizes.of(value) < (1 if node in graph.names else 2):
            images[node] = value
            continue
        name, sign = graph.names.get(node, ("", 1))
        name = namer.unused(name)
        names.append(name)
        values.append(sign * value)
        sections.append(graph.section_of[node])
        images[node] = sign * graph.symbol(name)
    outputs = [image(images, ref) for ref in program.output_references]
    references = (*values, *simplify_all_trigonometric(graph, outputs, units))
    written = to_sympy(graph, references, symbols)
    steps = list(zip(names, written[: len(names)], strict=True))
    return NamedSteps(_grouped(graph, steps, sections), tuple(written[len(names) :]), references)


def matrix_in_steps(
    program: Program, symbols: Mapping[str, Any]
) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], sympy.ImmutableMatrix]:
    """A program's first output as ``sympy.cse`` has it: replacements in order, and the matrix in terms of them."""
    found = named_steps(program, symbols)
    steps = [(sympy.Symbol(left), value) for group in found.groups for left, value in group.steps]
    shape = program.outputs[0].shape
    rows = shape[0] if shape else 1
    values = found.outputs[: prod(shape)]
    return steps, sympy.ImmutableMatrix(rows, len(values) // rows if rows else 0, values)


def _uses(program: Program) -> dict[int, int]:
    graph = program.graph
    uses: dict[int, int] = {}
    for node in program.nodes():
        for operand in graph.operands(node):
            uses[abs(operand)] = uses.get(abs(operand), 0) + 1
    return uses


def _grouped(graph: Graph, steps: Sequence[tuple[str, Any]], sections: Sequence[int]) -> tuple[StepGroup, ...]:
    groups: list[tuple[str, list[tuple[str, Any]]]] = []
    for step, section in zip(steps, sections, strict=True):
        title = graph.sections[section]
        if not groups or groups[-1][0] != title:
            groups.append((title, []))
        groups[-1][1].append(step)
    return tuple(StepGroup(title, tuple(members)) for title, members in groups)


class Namer:
    """Names that no symbol of the graph has."""

    def __init__(self, graph: Graph) -> None:
        self.taken = {str(graph.arguments[node][0]) for node, kind in enumerate(graph.kinds) if kind == "symbol"}
        self.numbers = count(1)

    def unused(self, suggestion: str) -> str:
        """The suggestion, with a number where it is taken; t1, t2, ... for none."""
        names = (f"{suggestion}_{k}" if k > 1 else suggestion for k in count(1))
        if not suggestion:
            names = (f"t{k}" for k in self.numbers)
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return name
