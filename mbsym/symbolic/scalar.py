"""Arithmetic notation for graph values: what formulations compute with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from mbsym.errors import SymbolicError
from mbsym.symbolic.graph import Graph, Number, Reference, exact

Operand: TypeAlias = "Scalar | int | float | Fraction | Decimal"


class Scalar:
    """A value of a graph with Python's operators; numbers mix in and are taken exactly."""

    __slots__ = ("graph", "ref")

    def __init__(self, graph: Graph, ref: Reference) -> None:
        self.graph = graph
        self.ref = ref

    def _reference(self, other: Operand) -> Reference:
        if isinstance(other, Scalar):
            if other.graph is not self.graph:
                raise SymbolicError("values of two graphs do not mix", remedy="copy one with mbsym.symbolic.compose")
            return other.ref
        return self.graph.const(other)

    def __add__(self, other: Operand) -> Scalar:
        return Scalar(self.graph, self.graph.add(self.ref, self._reference(other)))

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Scalar:
        return Scalar(self.graph, self.graph.add(self.ref, -self._reference(other)))

    def __rsub__(self, other: Operand) -> Scalar:
        return Scalar(self.graph, self.graph.add(self._reference(other), -self.ref))

    def __mul__(self, other: Operand) -> Scalar:
        if self.ref == 0:
            return self
        return Scalar(self.graph, self.graph.mul(self.ref, self._reference(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Scalar:
        return Scalar(self.graph, self.graph.div(self.ref, self._reference(other)))

    def __rtruediv__(self, other: Operand) -> Scalar:
        return Scalar(self.graph, self.graph.div(self._reference(other), self.ref))

    def __pow__(self, exponent: Operand) -> Scalar:
        if isinstance(exponent, Scalar):
            return Scalar(self.graph, self.graph.function("pow", self.ref, exponent.ref))
        return Scalar(self.graph, self.graph.power(self.ref, exponent))

    def __neg__(self) -> Scalar:
        return Scalar(self.graph, -self.ref)

    def __pos__(self) -> Scalar:
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Scalar):
            return self.graph is other.graph and self.ref == other.ref
        if isinstance(other, (int, float, Fraction, Decimal)):
            return self.graph.constant_value(self.ref) == exact(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash((id(self.graph), self.ref))

    def __bool__(self) -> bool:
        return self.ref != 0

    def __repr__(self) -> str:
        from mbsym.symbolic.show import show_value

        return show_value(self.graph, self.ref)

    @property
    def constant(self) -> Fraction | None:
        """The rational value of a constant, else None."""
        return self.graph.constant_value(self.ref)

    def apply(self, name: str, *others: Scalar) -> Scalar:
        """An elementary function with this value as its first argument."""
        return Scalar(self.graph, self.graph.function(name, self.ref, *(other.ref for other in others)))

    def within(self, lower: Scalar | None, upper: Scalar | None) -> Scalar:
        """The same value where it is between two others, beyond them the one that it is beyond; None is no bound."""
        held = self if upper is None else self.apply("min", upper)
        return held if lower is None else held.apply("max", lower)

    def never_zero(self) -> Scalar:
        """The same value, of which it is proved that no state makes it vanish, so that it may be divided by."""
        self.graph.never_zero.add(abs(self.ref))
        return self

    def may_vanish(self) -> Scalar:
        """The same value, which is looked at before it is divided by even where it depends on parameters alone."""
        self.graph.may_vanish.add(abs(self.ref))
        return self

    def named(self, name: str) -> Scalar:
        """The same value, printed under that identifier where the program stores it."""
        self.graph.name(self.ref, name)
        return self


def constant(graph: Graph, value: Number) -> Scalar:
    """An exact constant."""
    return Scalar(graph, graph.const(value))


def symbol(graph: Graph, name: str) -> Scalar:
    """The free symbol of that name."""
    return Scalar(graph, graph.symbol(name))


class Symbols(Mapping[str, Scalar]):
    """The free symbols of some names, each made when it is asked for: models have thousands of names, values few."""

    def __init__(self, graph: Graph, names: Collection[str]) -> None:
        self._graph, self._names = graph, names

    def __getitem__(self, name: str) -> Scalar:
        if name not in self._names:
            raise KeyError(name)
        return symbol(self._graph, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def sin(x: Scalar) -> Scalar:
    """Sine."""
    return x.apply("sin")


def cos(x: Scalar) -> Scalar:
    """Cosine."""
    return x.apply("cos")


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return x.apply("sqrt")
