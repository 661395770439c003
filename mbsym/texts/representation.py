"""What an emitted text says, in one neutral form for all languages: functions, statements, expressions.

A ``Text`` has functions by name, constants (enumerators, tables), records (structures) and macros. A function has
arguments and statements. Statements are ``Let`` (a new scalar or array), ``Store`` (into a variable, entry or field),
``For``, ``While``, ``If``, ``Return``, ``Leave`` (break or continue) and ``Do`` (a call for what it stores).

Expressions are ``Number``, ``Name``, ``Entry`` (x[i]), ``From`` (the array x from entry i on, a pointer or a slice),
``Field`` (rows.rank), ``Operation``, ``Call`` and ``Listed`` ({a, b} or [a, b]). Operators of ``Operation`` are
"+", "-", "*", "/", "%", "negative", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "choice" (test, first,
second), "&", "|", "^", "~", "<<", ">>"; each has as many operands as it has in C. Sums and products are binary,
grouped from the left as the text groups them, so that rounding can be followed operation by operation. A cast is a
``Call`` of its type in parentheses, ``(int)``; ``sizeof`` is a ``Call`` too, and the address of what is no entry ``&``.

A number keeps the text it was written with, its value is exactly the decimal that stands there (not the double nearest
to it). What a C text leaves to macros is decided when it is read: ``Text.defined`` says how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Number:
    """A literal.

    Attributes:
        value: the decimal as it stands, exactly.
        text: as it is written.
        is_integer: it has neither point nor exponent, so that it divides as integers do.
    """

    value: Fraction
    text: str
    is_integer: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, argument, constant or table."""

    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """``array[index]``, indices count from 0; an entry of a table with two axes is an entry of an entry."""

    array: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class From:
    """The array from an entry on: ``&x[i]`` of C shares its memory (no stop), ``x[i:j:k]`` of Python is a copy."""

    array: Expression
    start: Expression
    stop: Expression | None = None
    step: Expression | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """``record.name``, or ``record->name``."""

    record: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator and its operands; see the head of this module."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the text or of the library, by the name that the text calls."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """Entries in order, of an initialiser or a result; of a vector they are its lanes."""

    entries: tuple[Expression, ...]


Expression: TypeAlias = Number | Name | Entry | From | Field | Operation | Call | Listed


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name stands for.

    Attributes:
        base: "real", "int", "bool", "void", the name of a record, or of a type of vectors.
        shape: sizes of an array along its axes; empty for a scalar, ``None`` for a size that the text does not say.
        is_array: it is an array, a pointer among them.
        is_constant: the text may not store there.
    """

    base: str
    shape: tuple[Expression | None, ...] = ()
    is_array: bool = False
    is_constant: bool = False


@dataclass(frozen=True, slots=True)
class Let:
    """A new variable; without a value its entries are not set yet."""

    name: str
    kind: Kind
    value: Expression | None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Store:
    """``target operator= value``; the operator is empty for a plain assignment. Targets of several are ``Listed``."""

    target: Expression
    value: Expression
    operator: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Do:
    """An expression for what it does, a call."""

    expression: Expression
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class For:
    """``for (int variable = start; condition; variable += step)``; of Python's ranges the condition is a comparison."""

    variable: str
    start: Expression
    condition: Expression
    step: Expression
    body: tuple[Statement, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class While:
    """Repeats its body as long as the condition holds."""

    condition: Expression
    body: tuple[Statement, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class If:
    """One of two bodies."""

    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Return:
    """Leaves the function; in Python with its results, in C with a status or a number, or nothing."""

    value: Expression | None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Leave:
    """``break`` or ``continue``."""

    word: str
    line: int = field(default=0, compare=False)


Statement: TypeAlias = Let | Store | Do | For | While | If | Return | Leave


@dataclass(frozen=True, slots=True)
class Argument:
    """Of a function, in order; an array that is no constant is a result, or changed in place."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a text.

    Attributes:
        name: in the text.
        arguments: in order.
        returns: what it returns.
        body: statements.
        is_static: nobody outside the text can call it.
        line: where it stands.
    """

    name: str
    arguments: tuple[Argument, ...]
    returns: Kind
    body: tuple[Statement, ...]
    is_static: bool = False
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """A structure: its fields in order."""

    name: str
    fields: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """What a whole text says.

    Attributes:
        functions: by name, in order.
        constants: named values: enumerators, tables, constants outside of functions.
        records: structures by name.
        types: base of each named type: "real", "int", "bool", or "vector of N" (of N real numbers).
        defined: macros that stand in the end, by name, with what they stand for.
        prototypes: functions as they are declared, by name.
    """

    functions: Mapping[str, Function]
    constants: Mapping[str, Expression] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    defined: Mapping[str, str] = field(default_factory=dict)
    prototypes: Mapping[str, Function] = field(default_factory=dict)


def has_loops(body: Sequence[Statement]) -> bool:
    """Whether statements repeat any."""
    return any(
        isinstance(step, (For, While)) or (isinstance(step, If) and (has_loops(step.body) or has_loops(step.otherwise)))
        for step in body
    )


def is_sign(choice: Operation) -> bool:
    """Whether a choice is what C has for a sign: (x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x)."""
    above, _, below = choice.operands
    if not (isinstance(above, Operation) and isinstance(below, Operation) and below.operator == "choice"):
        return False
    under, negative, last = below.operands
    return (
        isinstance(under, Operation)
        and (above.operator, under.operator) == (">", "<")
        and above.operands == under.operands
        and last == above.operands[0]
        and [_literal(each) for each in (above.operands[1], choice.operands[1], negative)] == [0, 1, -1]
    )


def _literal(node: Expression) -> Fraction | None:
    if isinstance(node, Operation) and node.operator == "negative":
        found = _literal(node.operands[0])
        return None if found is None else -found
    return node.value if isinstance(node, Number) else None
