"""What the symbols of a user's expressions stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from mbsym.doors import sympy
from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.sympy_bridge import from_sympy


@dataclass(frozen=True, slots=True)
class Symbols:
    """Names with their values.

    Attributes:
        graph: where the values live.
        references: value of each name.
        rate_of: name of the rate of each name that has one, for derivatives by time.
        given: name that each of the user's symbols stands for, where it is not its own.
        kinds: names by what they are, for messages.
    """

    graph: Graph
    references: Mapping[str, Reference]
    rate_of: Mapping[str, str]
    given: Mapping[str, str]
    kinds: Mapping[str, tuple[str, ...]]

    def read(self, expressions: Sequence[Any], where: str) -> list[Reference]:
        """The expressions as values of the graph.

        Raises:
            SymbolicError: symbols stand for nothing; all of them are named, with what there is.
        """
        wanted = [sympy.sympify(item) for item in expressions]
        table: dict[Any, Reference] = {}
        unknown: dict[str, None] = {}
        for expression in wanted:
            for leaf in leaves_of(expression):
                name = self.meaning(leaf)
                if name in self.references:
                    table[leaf] = self.references[name]
                else:
                    unknown[self._missing(leaf)] = None
        if unknown:
            raise self._unknown(tuple(unknown), where)
        return [from_sympy(self.graph, expression, table) for expression in wanted]

    def meaning(self, leaf: Any) -> str:
        """The name that a symbol, function of time or derivative stands for, "" where a derivative has none."""
        if isinstance(leaf, sympy.Derivative):
            name = self.meaning(leaf.expr)
            for _ in range(sum(count for _, count in leaf.variable_count)):
                name = self.rate_of.get(name, "")
            return name
        return self.given.get(name_of(leaf), name_of(leaf))

    def _missing(self, leaf: Any) -> str:
        """What is unknown of a leaf: of a derivative the function, or where that is known the derivative itself."""
        if isinstance(leaf, sympy.Derivative):
            return str(leaf) if self.meaning(leaf.expr) in self.references else name_of(leaf.expr)
        return name_of(leaf)

    def _unknown(self, names: Sequence[str], where: str) -> SymbolicError:
        listed = []
        for given in names:
            wanted = self.given.get(given, given)
            # M1 is near m1, and so is m3.
            folded = {known.casefold(): known for known in self.references}
            near = [folded[name] for name in get_close_matches(wanted.casefold(), folded, n=1, cutoff=0.5)]
            through = f", given as {wanted!r}" if wanted != given else ""
            listed.append(f"{given}{through}{f' (nearest: {near[0]})' if near else ''}")
        there_are = "; ".join(f"{kind} {', '.join(found)}" for kind, found in self.kinds.items() if found)
        return SymbolicError(
            f"nobody knows what {', '.join(listed)} {'stands' if len(names) == 1 else 'stand'} for",
            where=where,
            remedy=f"map {'it' if len(names) == 1 else 'them'} by symbols={{...}} to what there is: {there_are}",
        )


def name_of(symbol: Any) -> str:
    """The name of a symbol or of a function of time; a text is its own."""
    return str(getattr(symbol, "func", symbol)) if getattr(symbol, "is_Function", False) else str(symbol)


def leaves_of(expression: Any) -> Iterator[Any]:
    """Symbols, applied functions without a definition and derivatives that stand in an expression, each once.

    What an applied function or a derivative is of, such as t in q(t), is no leaf of its own.
    """
    kinds = (sympy.Symbol, sympy.Derivative, sympy.core.function.AppliedUndef)
    seen: dict[Any, None] = {}
    waiting = [expression]
    while waiting:
        item = waiting.pop()
        if isinstance(item, kinds):
            seen[item] = None
        else:
            waiting.extend(item.args)
    yield from sorted(seen, key=str)


def first_unknown(expressions: Iterable[Any], symbols: Symbols) -> tuple[str, ...]:
    """Names that stand for nothing, in the order of the expressions and by name within one."""
    found: dict[str, None] = {}
    for expression in expressions:
        for leaf in leaves_of(sympy.sympify(expression)):
            if symbols.meaning(leaf) not in symbols.references:
                found[symbols.meaning(leaf) or str(leaf)] = None
    return tuple(found)
