"""Functions that iterate: statements over scalars and arrays whose extents are known, for any language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Final, TypeAlias, get_args

from mbsym.codegen.expressions import Array, Call, Expression, Kind, Place, RecordName, Variable, parts

BEGIN: Final = "begin"
"""The call with which a record of a function's own begins."""


@dataclass(frozen=True, slots=True)
class Record:
    """Arrays and scalars that belong together.

    Attributes:
        fields: in order; scalars have no extents.
        comments: by name.
    """

    name: str
    documentation: str
    fields: tuple[Array, ...]
    comments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """An array of constants.

    Attributes:
        array: whole numbers, or real ones.
        rows: along its first extent; the entries of an array of one extent are one row.
        remark: what it holds.
    """

    array: Array
    rows: tuple[tuple[Fraction | int, ...], ...]
    remark: str = ""


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
    """A loop over a range, which steps by 1 or -1.

    Attributes:
        is_shared: among threads, each round is for one of them.
        is_awaited: they wait for each other behind it.
    """

    index: Variable
    start: Expression
    stop: Expression
    is_down: bool
    body: tuple[Statement, ...]
    remarks: tuple[str, ...] = ()
    is_shared: bool = False
    is_awaited: bool = True


@dataclass(frozen=True, slots=True)
class Threads:
    """Statements for several threads: they share the loops that say so, and one of them does the rest."""

    count: int
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


Statement: TypeAlias = Let | Store | Look | Invoke | Do | If | While | For | Threads | Return | Leave


# ---- functions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Formal:
    """An argument: a scalar of a kind, an array or a record."""

    name: str
    kind: Kind | None
    array: Array | None = None
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """Statements, what they are given and what they declare: a function of a routine, or the loops of a derived one.

    Attributes:
        returns: a kind, the size of a vector, or None.
        otherwise: what it returns where an operation has no value, or None.
        calls: functions of the routine and derived ones that the body calls.
        is_seldom: True where few states need it.
        body: its statements.
        scalars: its own by name, arguments included.
        own: arrays of its own.
        views: names for places.
        records: of its own by name, and those that it is given.
    """

    name: str = ""
    documentation: str = ""
    formals: tuple[Formal, ...] = ()
    returns: Kind | int | None = None
    otherwise: Expression | None = None
    is_public: bool = False
    calls: frozenset[str] = frozenset()
    is_seldom: bool = False
    body: tuple[Statement, ...] = ()
    scalars: Mapping[str, Variable] = field(default_factory=dict)
    own: tuple[Array, ...] = ()
    views: tuple[Array, ...] = ()
    records: Mapping[str, Record] = field(default_factory=dict)


# ---- walks -----------------------------------------------------------------------------------------------------------


_FIELDS: Final = {kind: tuple(item.name for item in fields(kind)) for kind in get_args(Statement)}


def blocks(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The statements inside one."""
    if isinstance(statement, If):
        return (statement.body, statement.otherwise)
    return (statement.body,) if isinstance(statement, (While, For, Threads)) else ()


def walk(body: Sequence[Statement]) -> Iterator[Statement]:
    """All statements of a body, those inside others after them."""
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from walk(block)


def expressions(statement: Statement) -> Iterator[Expression]:
    """The expressions of one statement, what it gives values to included, those of statements inside it not."""
    for name in _FIELDS[type(statement)]:
        value = getattr(statement, name)
        for each in value if name == "targets" else (value,):
            if isinstance(each, Expression):
                yield each


def every(body: Sequence[Statement]) -> Iterator[Expression]:
    """All expressions of a body."""
    for statement in walk(body):
        for expression in expressions(statement):
            yield from parts(expression)


def names(statement: Statement) -> Iterator[str]:
    """Scalars, arrays and records that a statement mentions, without those inside it; fields count as their records."""
    for expression in expressions(statement):
        for each in parts(expression):
            if isinstance(each, Variable):
                yield each.record or each.identifier
            elif isinstance(each, Place):
                yield each.array.record or each.array.name
            elif isinstance(each, RecordName):
                yield each.name
    if isinstance(statement, Look):
        yield statement.view.name


def bodies_replaced(
    statement: Statement, change: Callable[[tuple[Statement, ...]], tuple[Statement, ...]]
) -> Statement:
    """The statement with the blocks inside it changed."""
    if isinstance(statement, If):
        return replace(statement, body=change(statement.body), otherwise=change(statement.otherwise))
    if isinstance(statement, (While, For, Threads)):
        return replace(statement, body=change(statement.body))
    return statement
