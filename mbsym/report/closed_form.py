"""Values in closed form, where that can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mbsym.doors import sympy
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.program import OperationCount, Program
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric

LARGEST_SHOWN: Final = 800
"""Operations, as printed, up to which the values of a section are shown."""


HOPELESS: Final = 4
"""Times as large before simplification, nobody will read what is left."""


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """An array of values in closed form, or the program that computes them where that would fill pages.

    Attributes:
        name: of the quantity.
        shape: of the array.
        symbol: its letter in formulas.
        description: one line.
        references: simplified values, row-major; empty where the closed form is too large.
        program: the steps that compute them.
        operations: of the simplified values, shared subexpressions counted once.
        is_of_recursion: True where the closed form is that of the recursive derivation, to which the program is equal
            exactly, since its own would fill pages.
    """

    name: str
    shape: tuple[int, ...]
    symbol: str
    description: str
    references: tuple[Reference, ...]
    program: Program
    operations: OperationCount
    is_of_recursion: bool = False

    @property
    def is_expanded(self) -> bool:
        """True where the closed form is there."""
        return bool(self.references) or not self.program.output_references

    @property
    def shortest_program(self) -> Program:
        """The program of the closed form, where that is there."""
        if not self.references:
            return self.program
        return replace(self.program, outputs=(replace(self.program.outputs[0], values=self.references),))


def closed_form(
    mechanism: Mechanism,
    references: Sequence[Reference],
    largest: int = LARGEST_SHOWN,
    symbols: Mapping[str, sympy.Symbol] | None = None,
) -> list[sympy.Expr] | None:
    """Simplified values of one section, nothing where they have more operations than that as printed."""
    short = simplified_values(mechanism.graph, references, unit_coordinates(mechanism), largest)
    return None if short is None else list(to_sympy(mechanism.graph, short, symbols or {}))


def simplified_values(
    graph: Graph, references: Sequence[Reference], units: Sequence[Sequence[Reference]], largest: int
) -> Sequence[Reference] | None:
    """Values of a graph, nothing where they have more operations than that as printed.

    Args:
        graph: whose values they are.
        references: to be simplified.
        units: components of each unit quaternion.
        largest: number of operations.
    """
    sizes = PrintedSizes(graph)
    if sizes.of_all(references) > HOPELESS * largest:
        return None
    short = simplify_all_trigonometric(graph, references, units)
    return None if sizes.of_all(short) > largest else short


def unit_coordinates(mechanism: Mechanism) -> list[tuple[Reference, ...]]:
    """The components of each unit quaternion among the coordinates."""
    return [mechanism.q.symbols[first : first + 4] for first in mechanism.q.quaternions]
