"""Expressions as they are printed, independent of the language: trees without shared parts.

Derived functions make scalars: sums of signed terms, products, quotients and elementary functions. Functions that
iterate make vectors too: places with spans of entries in them, and what is made of these entry by entry. Of a product
A @ B the last axis of A and the first one of B are summed over, and the others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import Any, ClassVar, Final, Literal, TypeAlias

from mbsym.symbolic.graph import ODD_FUNCTIONS

Kind: TypeAlias = Literal["int", "bool", "real"]


class _Arithmetic:
    """What follows from the operands."""

    __slots__ = ()

    @property
    def kind(self) -> Kind:
        """That of all operands."""
        return operands(self)[0].kind  # type: ignore[arg-type]

    @property
    def axes(self) -> int:
        """Those of vectors; 0 for scalars."""
        return max(each.axes for each in operands(self))  # type: ignore[arg-type]


# ---- leaves ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, in derived functions exact until it is printed, or a truth value."""

    value: Any
    kind: Kind = "real"
    axes: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class NamedConstant:
    """A number that keeps its name."""

    name: str
    kind: Kind
    axes: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Variable:
    """A temporary, a parameter or another scalar, perhaps a field of a record."""

    identifier: str
    kind: Kind = "real"
    record: str = ""
    axes: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Element:
    """An entry of an array, by its flat index from 0."""

    array: str
    index: int
    kind: ClassVar[Kind] = "real"
    axes: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class RecordName:
    """A whole record."""

    name: str
    kind: ClassVar[Kind] = "int"
    axes: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Array:
    """A name for numbers in memory: its extents, whether they may be changed, and what it belongs to.

    Attributes:
        scratch: True for memory of the whole routine.
        record: the variable of which it is a field.
    """

    name: str
    extents: tuple[int, ...]
    writable: bool
    scratch: bool = False
    kind: Kind = "real"
    record: str = ""

    @property
    def size(self) -> int:
        """Number of entries."""
        return prod(self.extents)


@dataclass(frozen=True, slots=True)
class Span:
    """Entries along an extent, neighbours or so far apart as the step says."""

    start: Expression
    stop: Expression
    is_whole: bool
    step: int = 1


@dataclass(frozen=True, slots=True)
class Place:
    """Entries of an array: an index or a span for each extent."""

    array: Array
    indices: tuple[Expression | Span, ...]

    @property
    def kind(self) -> Kind:
        """Of the entries."""
        return self.array.kind

    @property
    def axes(self) -> int:
        """Number of spans."""
        return len(self.spans)

    @property
    def spans(self) -> tuple[Span, ...]:
        """In order."""
        return tuple(index for index in self.indices if isinstance(index, Span))


# ---- what is made of them --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sum(_Arithmetic):
    """Terms added from left to right; a term whose flag is set is subtracted."""

    terms: tuple[tuple[bool, Expression], ...]


@dataclass(frozen=True, slots=True)
class Product(_Arithmetic):
    """Factors multiplied from left to right, entry by entry."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Quotient(_Arithmetic):
    """numerator / denominator."""

    numerator: Expression
    denominator: Expression


@dataclass(frozen=True, slots=True)
class Negation(_Arithmetic):
    """A change of sign that nothing could absorb."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Select(_Arithmetic):
    """``positive`` where ``condition`` > 0, else ``otherwise``."""

    condition: Expression
    positive: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Operation(_Arithmetic):
    """< <= > >= == != and or not, and choice (test, first, second)."""

    operator: str
    operands: tuple[Expression, ...]

    @property
    def kind(self) -> Kind:
        """Of a choice that of what is chosen, else a truth value."""
        return self.operands[1].kind if self.operator == "choice" else "bool"


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """A @ B."""

    left: Expression
    right: Expression
    axes: int
    kind: ClassVar[Kind] = "real"


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the graph, of the language or of a routine."""

    function: str
    arguments: tuple[Expression, ...]
    kind: Kind = "real"
    axes: int = 0


@dataclass(frozen=True, slots=True)
class Gather(_Arithmetic):
    """Scalars side by side in a vector of limbs."""

    lanes: tuple[Expression, ...]


Expression: TypeAlias = (
    Constant
    | NamedConstant
    | Variable
    | Element
    | RecordName
    | Place
    | Sum
    | Product
    | Quotient
    | Negation
    | Select
    | Operation
    | MatrixProduct
    | Call
    | Gather
)


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    of = _OPERANDS.get(type(expression))
    return of(expression) if of is not None else ()


def _bounds(place: Place) -> tuple[Expression, ...]:
    found: list[Expression] = []
    for each in place.indices:
        if isinstance(each, Span):
            found += (each.start, each.stop)
        else:
            found.append(each)
    return tuple(found)


# Every walk asks this of every node, and a look into a table is faster than to match one class after the other.
_OPERANDS: Final[Mapping[type, Callable[[Any], tuple[Expression, ...]]]] = {
    Sum: lambda node: tuple([term for _, term in node.terms]),
    Product: attrgetter("factors"),
    Quotient: attrgetter("numerator", "denominator"),
    MatrixProduct: attrgetter("left", "right"),
    Negation: lambda node: (node.operand,),
    Call: attrgetter("arguments"),
    Select: attrgetter("condition", "positive", "otherwise"),
    Operation: attrgetter("operands"),
    Gather: attrgetter("lanes"),
    Place: _bounds,
}


def with_operands(expression: Expression, parts: tuple[Expression, ...]) -> Expression:
    """The expression with others in the place of its operands."""
    if isinstance(expression, Sum):
        flags = (negative for negative, _ in expression.terms)
        return Sum(tuple(zip(flags, parts, strict=True)))
    if isinstance(expression, (Product, Gather)):
        return expression.__class__(parts)
    if isinstance(expression, Quotient):
        return Quotient(*parts)
    if isinstance(expression, Call):
        return Call(expression.function, parts, expression.kind, expression.axes)
    if isinstance(expression, Select):
        return Select(*parts)
    if isinstance(expression, Operation):
        return Operation(expression.operator, parts)
    return Negation(*parts) if isinstance(expression, Negation) else expression


def combined(operator: str, left: Expression, right: Expression) -> Expression:
    """Two values with + - * or / between them."""
    if operator in "+-":
        return Sum(((False, left), (operator == "-", right)))
    if isinstance(left, Negation):
        return Negation(combined(operator, left.operand, right))
    return Product((left, right)) if operator == "*" else Quotient(left, right)


def parts(expression: Expression) -> Iterator[Expression]:
    """An expression and all inside it, from left to right."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(operands(each))


def leaves(expression: Expression) -> Iterator[Constant | Variable | Element]:
    """Constants, variables and elements from left to right, as often as they occur."""
    for each in parts(expression):
        if isinstance(each, (Constant, Variable, Element)):
            yield each


def whole(array: Array) -> Place:
    """All entries of an array."""
    zero = Constant(0, "int")
    return Place(array, tuple(Span(zero, Constant(extent, "int"), is_whole=True) for extent in array.extents))


def is_whole(place: Place) -> bool:
    """True for all entries of an array."""
    return all(isinstance(index, Span) and index.is_whole for index in place.indices)


def operations(expression: Expression) -> int:
    """Number of + - * / in an expression."""
    own = 0
    if isinstance(expression, Sum):
        own = len(expression.terms) - 1
    elif isinstance(expression, Product):
        own = len(expression.factors) - 1
    elif isinstance(expression, Quotient):
        own = 1
    return own + sum(operations(operand) for operand in operands(expression))


def negated(expression: Expression) -> Expression:
    """The expression of opposite value: ``b - a`` for ``a - b``; a unary minus only where nothing absorbs it."""
    if isinstance(expression, Negation):
        return expression.operand
    absorbed = _absorb_sign(expression)
    if absorbed is not None:
        return absorbed
    if isinstance(expression, Sum):
        return ordered_sum(tuple((not negative, term) for negative, term in expression.terms))
    return Negation(expression)


def _absorb_sign(expression: Expression) -> Expression | None:
    """The expression of opposite value if it costs no unary minus, else None."""
    if isinstance(expression, Constant):
        return Constant(-expression.value)
    if isinstance(expression, Sum):
        if not any(negative for negative, _ in expression.terms):
            return None
        return ordered_sum(tuple((not negative, term) for negative, term in expression.terms))
    if isinstance(expression, Product):
        for place, factor in enumerate(expression.factors):
            absorbed = _absorb_sign(factor)
            if absorbed is not None:
                return Product((*expression.factors[:place], absorbed, *expression.factors[place + 1 :]))
        return None
    if isinstance(expression, Quotient):
        absorbed = _absorb_sign(expression.numerator)
        if absorbed is not None:
            return Quotient(absorbed, expression.denominator)
        absorbed = _absorb_sign(expression.denominator)
        return None if absorbed is None else Quotient(expression.numerator, absorbed)
    if isinstance(expression, Call) and expression.function in ODD_FUNCTIONS:
        absorbed = _absorb_sign(expression.arguments[0])
        return None if absorbed is None else Call(expression.function, (absorbed,))
    return None


def ordered_sum(terms: tuple[tuple[bool, Expression], ...]) -> Sum:
    """The terms with the first added one in front, so that no sum begins with a minus where it need not."""
    if terms[0][0]:
        for place, (negative, _) in enumerate(terms):
            if not negative:
                return Sum((terms[place], *terms[:place], *terms[place + 1 :]))
    return Sum(terms)


Rules: TypeAlias = Mapping[type, Callable[[Any, Any, list[Any]], Any]]
"""By class of expressions: what one comes to, of the numbers that are given, itself, and what its operands come to; for
sums these are pairs, of whether a minus stands before a term and what it comes to."""

_LEAVES: Final = frozenset((Constant, Variable, Element))


def evaluated(expression: Expression, rules: Rules, numbers: Any) -> Any:
    """The expression as it is written, operands from left to right."""
    kind = expression.__class__
    if kind in _LEAVES:
        return rules[kind](numbers, expression, [])
    if isinstance(expression, Sum):
        terms = [(negative, evaluated(term, rules, numbers)) for negative, term in expression.terms]
        return rules[kind](numbers, expression, terms)
    below = expression.factors if isinstance(expression, Product) else operands(expression)
    return rules[kind](numbers, expression, [evaluated(each, rules, numbers) for each in below])
