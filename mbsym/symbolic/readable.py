"""Values as short as people would write them: by addition theorems, and small ones by SymPy's simplifications too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.doors import sympy as sp
from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.sympy_bridge import from_sympy_many, to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric

LARGEST_MERGED: Final = 1000
"""Operations, as printed, up to which addition theorems are tried."""

LARGEST_SIMPLIFIED: Final = 50
"""Operations, as printed, up to which SymPy simplifies a value: longer ones take it many seconds."""


LONGEST_NUMBER: Final = 64
"""Bits of numerators and denominators of what SymPy simplifies: with longer ones its polynomials take minutes."""


def merged(graph: Graph, refs: Sequence[Reference], units: Sequence[Sequence[Reference]] = ()) -> list[Reference]:
    """Equal values, by addition theorems no longer than they are; large ones as they are.

    Args:
        graph: where the values live.
        refs: the values.
        units: groups of symbols whose squares add up to one.
    """
    sizes = PrintedSizes(graph)
    small = {ref: ref for ref in refs if sizes.of(ref) <= LARGEST_MERGED}
    small = dict(zip(small, simplify_all_trigonometric(graph, list(small), units), strict=True))
    return [small.get(ref, ref) for ref in refs]


def readable(graph: Graph, refs: Sequence[Reference], units: Sequence[Sequence[Reference]] = ()) -> list[Reference]:
    """Equal values, by all that is known of sines, cosines and quotients no longer than they are.

    Args:
        graph, refs, units: as in ``merged``.
    """
    sizes = PrintedSizes(graph)
    known = {sp.Symbol(graph.arguments[k][0]): k for k in graph.reachable(refs) if graph.kinds[k] == "symbol"}

    def shorter(ref: Reference) -> Reference:
        if not 1 < sizes.of(ref) <= LARGEST_SIMPLIFIED or has_long_numbers(graph, ref):
            return ref
        (value,) = to_sympy(graph, [ref])
        try:
            found = from_sympy_many(graph, [sp.simplify(value), sp.trigsimp(sp.expand_trig(value))], known)
        except SymbolicError:
            return ref  # written with a function that the graph does not have
        return min(ref, *merged(graph, found, units), *found, key=sizes.of)

    return [shorter(ref) for ref in merged(graph, refs, units)]


def has_long_numbers(graph: Graph, ref: Reference) -> bool:
    """Whether numbers in a value have more than 64 bits."""
    numbers = (graph.arguments[node][0] for node in graph.reachable([ref]) if graph.kinds[node] == "const")
    return any(max(abs(x.numerator), x.denominator).bit_length() > LONGEST_NUMBER for x in numbers)
