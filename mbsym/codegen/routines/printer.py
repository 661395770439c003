"""Statements of a routine in any language: the walk over a function, and how tightly expressions hold together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from mbsym.codegen.routines.language import Routine, RoutineFunction
from mbsym.codegen.statements import (
    Call,
    Constant,
    Do,
    Expression,
    For,
    If,
    Invoke,
    Leave,
    Let,
    Linear,
    Look,
    Number,
    Operation,
    Place,
    Product,
    Return,
    Span,
    Statement,
    Store,
    Variable,
    While,
    linear,
)

INDENT: Final = "    "

CONDITION, OR, AND, COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(8)
"""How tightly expressions hold together."""

LEVELS: Final[Mapping[str, int]] = {
    "choice": CONDITION, "or": OR, "and": AND, "not": COMPARISON, "neg": SIGN,
    "<": COMPARISON, "<=": COMPARISON, ">": COMPARISON, ">=": COMPARISON, "==": COMPARISON, "!=": COMPARISON,
    "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT,
}  # fmt: skip


class FunctionPrinter(ABC):
    """One function of a routine on its way to lines of text.

    Vectors are printed entry by entry, where ``items`` are the entries' places along the axes, or whole,
    where there are none; each language does it in its own way.
    """

    END: ClassVar[str]
    """What ends a statement."""
    WORDS: ClassVar[Mapping[str, str]]
    """How the language writes and, or, not."""

    def __init__(self, routine: Routine, function: RoutineFunction) -> None:
        self.routine, self.function = routine, function
        self.lines: list[str] = []
        self.depth = 1

    # ---- what each language says in its own way ----------------------------------------------------------------------

    @abstractmethod
    def number(self, value: bool | int | float) -> str:
        """A number or truth value."""

    @abstractmethod
    def constant(self, node: Constant) -> str:
        """A constant that keeps its name."""

    @abstractmethod
    def variable(self, node: Variable) -> str:
        """A scalar."""

    @abstractmethod
    def place(self, node: Place, items: Sequence[Item]) -> str:
        """An entry of an array, or a part of it."""

    @abstractmethod
    def choice(self, test: str, first: str, second: str) -> str:
        """One of two values."""

    @abstractmethod
    def call(self, node: Call, items: Sequence[Item]) -> str:
        """A function of the language or of the routine."""

    @abstractmethod
    def product(self, node: Product) -> str:
        """A product inside an expression."""

    @abstractmethod
    def begin(self, word: str, condition: str) -> None:
        """Opens the block of an if, elif or while."""

    @abstractmethod
    def begin_loop(self, node: For) -> None:
        """Opens the block of a loop."""

    @abstractmethod
    def otherwise(self) -> None:
        """Opens the block of an else."""

    @abstractmethod
    def close(self) -> None:
        """Ends a block."""

    @abstractmethod
    def let(self, node: Let) -> None:
        """Gives a value to a scalar."""

    @abstractmethod
    def store(self, node: Store) -> None:
        """Gives values to entries."""

    @abstractmethod
    def invoke(self, node: Invoke) -> None:
        """Gives the results of a function to places."""

    @abstractmethod
    def look(self, node: Look) -> None:
        """Names a place."""

    @abstractmethod
    def give_back(self, value: Expression) -> None:
        """Returns a vector, or a condition on all entries of one."""

    @abstractmethod
    def broken(self, indent: str, text: str) -> list[str]:
        """A statement as one or several lines."""

    @abstractmethod
    def remark(self, text: str) -> None:
        """A comment."""

    # ---- statements --------------------------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Adds a line, or several if it is long."""
        self.lines += self.broken(INDENT * self.depth, text)

    def block(self, statements: Sequence[Statement]) -> None:
        """Adds the lines of statements."""
        for node in statements:
            for text in node.remarks:
                self.remark(text)
            self.statement(node)

    def statement(self, node: Statement) -> None:
        """Adds the lines of a statement."""
        match node:
            case Let():
                self.let(node)
            case Store():
                self.store(node)
            case Look():
                self.look(node)
            case Invoke():
                self.invoke(node)
            case If():
                self.conditional(node)
            case While():
                self.begin("while", self.expression(node.test))
                self.block(node.body)
                self.close()
            case For():
                self.begin_loop(node)
                self.block(node.body)
                self.close()
            case Return(value):
                self.finish(value)
            case Leave():
                self.write(f"{node.word}{self.END}")
            case Do():
                self.do(node)

    def do(self, node: Do) -> None:
        """A call for what it changes."""
        self.write(f"{self.expression(node.call)}{self.END}")

    def conditional(self, node: If, word: str = "if") -> None:
        """A choice."""
        self.begin(word, self.expression(node.test))
        self.block(node.body)
        if len(node.otherwise) == 1 and isinstance(node.otherwise[0], If) and not node.otherwise[0].remarks:
            self.conditional(node.otherwise[0], "elif")
            return
        if node.otherwise:
            self.otherwise()
            self.block(node.otherwise)
        self.close()

    def finish(self, value: Expression | None) -> None:
        """The end of the function."""
        if value is None:
            self.write(f"return{self.END}")
        elif isinstance(self.function.returns, int) or (isinstance(value, Call) and value.function == "all"):
            self.give_back(value)
        else:
            self.write(f"return {self.expression(value)}{self.END}")

    # ---- expressions -------------------------------------------------------------------------------------------------

    def expression(self, node: Expression, level: int = CONDITION, items: Sequence[Item] = ()) -> str:
        """The text of an expression, in parentheses where its own level is lower."""
        match node:
            case Number(value):
                return self.number(value)
            case Constant():
                return self.constant(node)
            case Variable():
                return self.variable(node)
            case Place():
                return self.place(node, items)
            case Call():
                return self.call(node, items)
            case Product():
                return self.product(node)
            case Operation():
                if node.kind == "int" and node.operator in "+-*":
                    text, own = str(self.integer(node)), SUM
                else:
                    text, own = self.operation(node, items), LEVELS[node.operator]
                return f"({text})" if own < level else text

    def operation(self, node: Operation, items: Sequence[Item] = ()) -> str:
        """The text of an operator with its operands."""
        operator, operands = node.operator, node.operands
        if operator == "choice":
            test, first, second = (self.expression(part, OR, items) for part in operands)
            return self.choice(test, first, second)
        if operator in ("and", "or"):
            # Compilers warn of an and inside an or without parentheses.
            parts = [self.expression(part, COMPARISON, items) for part in operands]
            return f" {self.WORDS[operator]} ".join(parts)
        if operator == "not":
            return f"{self.WORDS['not']}{self.expression(operands[0], ATOM, items)}"
        if operator == "neg":
            return f"-{self.expression(operands[0], ATOM, items)}"
        level = LEVELS[operator]
        if level == COMPARISON:
            return f" {operator} ".join(self.expression(side, SUM, items) for side in operands)
        right = level + (operator in "-/")
        left = self.expression(operands[0], level, items)
        return f"{left} {operator} {self.expression(operands[1], right, items)}"

    def integer(self, node: Expression) -> Sum:
        """An integer as a text plus a number."""
        return self.total(linear(node))

    def total(self, found: Linear) -> Sum:
        """A sum of multiples as a text plus a number."""
        terms = [(Sum(self.expression(term, SUM)), count) for term, count in found.terms.items()]
        gained = [text.times(count).text for text, count in terms if count > 0]
        taken = [text.times(-count).text for text, count in terms if count < 0]
        if not taken or gained:
            return Sum(" - ".join([" + ".join(gained), *taken]), found.number)
        return Sum(" - ".join([str(found.number), *taken]))


class Sum:
    """An integer: a text, perhaps empty, plus a number."""

    __slots__ = ("number", "text")

    def __init__(self, text: str, number: int = 0) -> None:
        self.text, self.number = text, number

    def __str__(self) -> str:
        if not self.text or not self.number:
            return self.text or str(self.number)
        return f"{self.text} {'-' if self.number < 0 else '+'} {abs(self.number)}"

    def plus(self, other: Sum) -> Sum:
        """The sum of both."""
        return Sum(" + ".join(filter(None, (self.text, other.text))), self.number + other.number)

    def times(self, factor: int) -> Sum:
        """The multiple."""
        if not self.text or factor == 1:
            return Sum(self.text, self.number * factor)
        text = str(self)
        return Sum(f"({text}) * {factor}" if " + " in text or " - " in text else f"{text} * {factor}")


class Item:
    """The place of an entry along a span: counted from the start, or from zero where the start is the base."""

    __slots__ = ("base", "text")

    def __init__(self, text: str, base: Expression | None = None) -> None:
        self.text, self.base = text, base

    def along(self, span: Span, printer: FunctionPrinter) -> Sum:
        """The index in a span."""
        start = linear(span.start) if self.base is None else linear(span.start).plus(linear(self.base), -1)
        return printer.total(start).plus(as_sum(self.text))


def as_sum(text: str) -> Sum:
    """An integer that is a text."""
    return Sum("", int(text)) if text.lstrip("-").isdigit() else Sum(text)
