"""Formulas of named vectors as books print them: sums of products, cross products, dyads times vectors, dot products.

A formula is built together with its value in base axes. What is zero vanishes as it is made, whether it is zero entry
by entry or only as a function (decided in a finite field), and equal terms of a sum become one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from mbsym.spatial.vector import Symmetric3, Vector3, add, cross, dot, is_zero, scale, symmetric_multiply, zero_vector
from mbsym.symbolic.equality import is_zero as is_zero_everywhere
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar, constant


@dataclass(frozen=True, slots=True)
class Name:
    """A vector by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Cross:
    """first x second."""

    first: Formula
    second: Formula


@dataclass(frozen=True, slots=True)
class Applied:
    """A dyad, by its name, times a vector."""

    dyad: str
    vector: Formula


@dataclass(frozen=True, slots=True)
class Dot:
    """first . second, a number."""

    first: Formula
    second: Formula


@dataclass(frozen=True, slots=True)
class Number:
    """A number, in terms of symbols of the graph."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms, each with its factor; none for zero."""

    terms: tuple[tuple[Scalar, Formula], ...]


Formula: TypeAlias = Name | Cross | Applied | Dot | Number | Sum


def parts(formula: Formula) -> Iterator[Formula]:
    """The formulas that a formula is made of, one level down."""
    match formula:
        case Cross(first, second) | Dot(first, second):
            yield from (first, second)
        case Applied(_, vector):
            yield vector
        case Sum(terms):
            yield from (term for _, term in terms)


def names_in(formula: Formula) -> Iterator[str]:
    """Names of the vectors and dyads of a formula."""
    if isinstance(formula, Name):
        yield formula.name
    if isinstance(formula, Applied):
        yield formula.dyad
    for part in parts(formula):
        yield from names_in(part)


@dataclass(frozen=True, slots=True)
class Space:
    """Where values live, and the inputs that say which of its symbols are unit quaternions."""

    graph: Graph
    inputs: tuple[Input, ...]

    def is_zero(self, *values: Scalar) -> bool:
        """Whether values are zero for all values of their symbols."""
        return not any(values) or is_zero_everywhere(self.graph, *(value.ref for value in values), inputs=self.inputs)


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector's formula, and its value in base axes."""

    space: Space
    formula: Formula
    value: Vector3

    def __bool__(self) -> bool:
        return not is_zero(self.value)


def nothing(space: Space) -> Vector:
    """The zero vector."""
    return Vector(space, Sum(()), zero_vector(space.graph))


def times(factor: Scalar, vector: Vector) -> Vector:
    """factor * vector."""
    return total(vector.space, [(factor, vector)])


def plus(*vectors: Vector) -> Vector:
    """Their sum."""
    space = vectors[0].space
    return total(space, ((constant(space.graph, 1), vector) for vector in vectors))


def total(space: Space, terms: Iterable[tuple[Scalar, Vector]]) -> Vector:
    """The sum of multiples."""
    graph = space.graph
    factors: dict[Formula, Scalar] = {}
    value = zero_vector(graph)
    for factor, vector in terms:
        if not factor or not vector:
            continue
        value = add(value, scale(vector.value, factor))
        inner = vector.formula.terms if isinstance(vector.formula, Sum) else ((constant(graph, 1), vector.formula),)
        if isinstance(vector.formula, Sum) and len(inner) > 1 and factor != 1:
            inner = ((constant(graph, 1), vector.formula),)
        for own, formula in inner:
            factors[formula] = factors[formula] + factor * own if formula in factors else factor * own
    return _checked(Sum(tuple((factor, formula) for formula, factor in factors.items() if factor)), value, space)


def crossed(first: Vector, second: Vector) -> Vector:
    """first x second."""
    if not first or not second or first.formula == second.formula:
        return nothing(first.space)
    (factor, a), (other, b) = _factored(first), _factored(second)
    product, value = Cross(a, b), cross(first.value, second.value)
    return _checked(Sum(((factor * other, product),)), value, first.space)


def applied(name: str, dyad: Symmetric3, vector: Vector) -> Vector:
    """The dyad of that name and value in base axes times a vector."""
    return _checked(Applied(name, _single(vector.formula)), symmetric_multiply(dyad, vector.value), vector.space)


def dotted(first: Vector, second: Vector) -> tuple[Formula, Scalar] | None:
    """first . second and its value; None where it is zero."""
    if not first or not second:
        return None
    value = dot(first.value, second.value)
    if first.space.is_zero(value):
        return None
    return Dot(_single(first.formula), _single(second.formula)), value


def _checked(formula: Formula, value: Vector3, space: Space) -> Vector:
    return nothing(space) if space.is_zero(*value) else Vector(space, _single(formula), value)


def _factored(vector: Vector) -> tuple[Scalar, Formula]:
    """The factor of a sum of one term, and what it multiplies."""
    match vector.formula:
        case Sum(((factor, term),)):
            return factor, term
    return constant(vector.space.graph, 1), vector.formula


def _single(formula: Formula) -> Formula:
    """A sum of one term with the factor one as that term."""
    match formula:
        case Sum(((factor, term),)) if factor == 1:
            return term
    return formula
