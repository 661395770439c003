"""Bodies of functions that iterate: statements over scalars and arrays whose extents are known, for any language.

Scalars have kinds. Vectors are expressions with axes: places with spans of entries in them, and what is made of these
entry by entry. Of a product A @ B the last axis of A and the first one of B are summed over, and the others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import prod
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["int", "bool", "real"]

BEGIN: Final = "begin"
"""The call with which a record of a function's own begins."""


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
class Record:
    """Arrays and scalars that belong together.

    Attributes:
        fields: in order; scalars have no extents.
        comments: by name.
    """

    name: str
    documentation: str
    fields: tuple[Array | Variable, ...]
    comments: tuple[tuple[str, str], ...] = ()


# ---- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A number or truth value."""

    value: bool | int | float
    kind: Kind
    axes: int = 0


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that keeps its name."""

    name: str
    kind: Kind
    axes: int = 0


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar, perhaps a field of a record."""

    name: str
    kind: Kind
    record: str = ""
    axes: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring entries along an extent."""

    start: Expression
    stop: Expression
    is_whole: bool


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
        return sum(isinstance(index, Span) for index in self.indices)

    @property
    def spans(self) -> tuple[Span, ...]:
        """In order."""
        return tuple(index for index in self.indices if isinstance(index, Span))


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its operands: + - * / neg < <= > >= == != and or not, and choice (test, first, second)."""

    operator: str
    operands: tuple[Expression, ...]
    kind: Kind
    axes: int = 0


@dataclass(frozen=True, slots=True)
class Product:
    """A @ B."""

    left: Expression
    right: Expression
    axes: int
    kind: Kind = "real"


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the language or of the routine; arguments may be records."""

    function: str
    arguments: tuple[Expression | str, ...]
    kind: Kind
    axes: int = 0


Expression: TypeAlias = Number | Constant | Variable | Place | Operation | Product | Call


# ---- statements ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    """A scalar gets a value, by =, += and so on."""

    target: Variable
    operator: str
    value: Expression
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Store:
    """Entries get values."""

    target: Place
    operator: str
    value: Expression
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """A name for a place, or for one of two."""

    view: Array
    value: Expression
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invoke:
    """Results of a function go to places."""

    targets: tuple[Place, ...]
    operator: str
    call: Call
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Do:
    """A function is called for what it changes, or a record begins."""

    call: Call
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    """A choice."""

    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    """A loop under a condition."""

    test: Expression
    body: tuple[Statement, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """A loop over a range, which steps by 1 or -1."""

    index: Variable
    start: Expression
    stop: Expression
    is_down: bool
    body: tuple[Statement, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Return:
    """The end, with a value or without."""

    value: Expression | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leave:
    """break or continue."""

    word: str
    remarks: tuple[str, ...] = ()


Statement: TypeAlias = Let | Store | Look | Invoke | Do | If | While | For | Return | Leave


# ---- integers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of multiples of integers, and a number."""

    terms: Mapping[Expression, int]
    number: int = 0

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """The sum with a multiple of another."""
        terms = dict(self.terms)
        for key, count in other.terms.items():
            terms[key] = terms.get(key, 0) + factor * count
        return Linear({key: count for key, count in terms.items() if count}, self.number + factor * other.number)


def linear(node: Expression) -> Linear:
    """An integer as a sum of multiples."""
    if isinstance(node, Number):
        return Linear({}, int(node.value))
    if isinstance(node, Operation) and node.operator in ("+", "-") and len(node.operands) == 2:
        left, right = map(linear, node.operands)
        return left.plus(right, 1 if node.operator == "+" else -1)
    if isinstance(node, Operation) and node.operator == "*":
        left, right = map(linear, node.operands)
        if not left.terms or not right.terms:
            one, factor = (right, left.number) if not left.terms else (left, right.number)
            return Linear({}).plus(one, factor)
    return Linear({node: 1})


def length(span: Span) -> int | None:
    """Number of entries, None where it is not known beforehand."""
    difference = linear(span.stop).plus(linear(span.start), -1)
    return None if difference.terms else difference.number


def lengths(node: Expression) -> tuple[int | None, ...]:
    """Entries along the axes of a vector, where they are known beforehand; () for scalars."""
    if isinstance(node, Place):
        return tuple(length(span) for span in node.spans)
    if isinstance(node, Product):
        left, right = lengths(node.left), lengths(node.right)
        return (*left[:-1], *right[1:])
    inner: tuple[Expression | str, ...] = ()
    if isinstance(node, Operation):
        inner = node.operands
    elif isinstance(node, Call) and node.function == "zeros":
        return tuple(int(each.value) if isinstance(each, Number) else None for each in node.arguments)
    elif isinstance(node, Call) and node.axes:
        inner = node.arguments
    return next((found for each in inner if not isinstance(each, str) and (found := lengths(each))), ())


# ---- walks -----------------------------------------------------------------------------------------------------------


def blocks(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The statements inside one."""
    if isinstance(statement, If):
        return (statement.body, statement.otherwise)
    return (statement.body,) if isinstance(statement, (While, For)) else ()


def walk(body: Sequence[Statement]) -> Iterator[Statement]:
    """All statements of a body, those inside others after them."""
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from walk(block)


def expressions(statement: Statement) -> Iterator[Expression]:
    """The expressions of one statement, what it gives values to included, those of statements inside it not."""
    for item in fields(statement):
        value = getattr(statement, item.name)
        for each in value if item.name == "targets" else (value,):
            if isinstance(each, Expression):
                yield each


def parts(node: Expression | Span) -> Iterator[Expression]:
    """An expression and all inside it."""
    if not isinstance(node, Span):
        yield node
    inner: tuple[object, ...] = ()
    if isinstance(node, Operation):
        inner = node.operands
    elif isinstance(node, Call):
        inner = node.arguments
    elif isinstance(node, Place):
        inner = node.indices
    elif isinstance(node, Product):
        inner = (node.left, node.right)
    elif isinstance(node, Span):
        inner = (node.start, node.stop)
    for each in inner:
        if isinstance(each, (Expression, Span)):
            yield from parts(each)


def every(body: Sequence[Statement]) -> Iterator[Expression]:
    """All expressions of a body."""
    for statement in walk(body):
        for expression in expressions(statement):
            yield from parts(expression)


def names(statement: Statement) -> set[str]:
    """Scalars, arrays and records that a statement and those inside it mention; fields count as their records."""
    found = set[str]()
    for each in every((statement,)):
        if isinstance(each, Variable):
            found.add(each.record or each.name)
        elif isinstance(each, Place):
            found.add(each.array.record or each.array.name)
        elif isinstance(each, Call):
            found.update(argument for argument in each.arguments if isinstance(argument, str))
    for inner in walk((statement,)):
        if isinstance(inner, Look):
            found.add(inner.view.name)
    return found


def whole(array: Array) -> Place:
    """All entries of an array."""
    zero = Number(0, "int")
    return Place(array, tuple(Span(zero, Number(extent, "int"), is_whole=True) for extent in array.extents))


def is_whole(place: Place) -> bool:
    """True for all entries of an array."""
    return all(isinstance(index, Span) and index.is_whole for index in place.indices)


def bodies_replaced(
    statement: Statement, change: Callable[[tuple[Statement, ...]], tuple[Statement, ...]]
) -> Statement:
    """The statement with the blocks inside it changed."""
    if isinstance(statement, If):
        return replace(statement, body=change(statement.body), otherwise=change(statement.otherwise))
    return replace(statement, body=change(statement.body)) if isinstance(statement, (While, For)) else statement
