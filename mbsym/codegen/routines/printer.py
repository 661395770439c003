"""Statements of a routine in any language: the walk over a function, and how tightly expressions hold together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.printer import ExpressionPrinter, Item
from mbsym.codegen.routines.language import Routine

INDENT: Final = "    "


class FunctionPrinter(ExpressionPrinter):
    """One function of a routine on its way to lines of text."""

    END: ClassVar[str]
    """What ends a statement."""
    TIMES: ClassVar[str] = " * "
    OVER: ClassVar[str] = " / "

    def __init__(self, routine: Routine, function: st.Function) -> None:
        self.routine, self.function = routine, function
        self.lines: list[str] = []
        self.depth = 1

    # ---- what each language says in its own way ----------------------------------------------------------------------

    @abstractmethod
    def place(self, node: ex.Place, items: Sequence[Item]) -> str:
        """An entry of an array, or a part of it."""

    @abstractmethod
    def product(self, node: ex.MatrixProduct) -> str:
        """A product of vectors inside an expression."""

    @abstractmethod
    def begin(self, word: str, condition: str) -> None:
        """Opens the block of an if, elif or while."""

    @abstractmethod
    def begin_loop(self, node: st.For) -> None:
        """Opens the block of a loop."""

    @abstractmethod
    def otherwise(self) -> None:
        """Opens the block of an else."""

    @abstractmethod
    def close(self) -> None:
        """Ends a block."""

    @abstractmethod
    def let(self, node: st.Let) -> None:
        """Gives a value to a scalar."""

    @abstractmethod
    def store(self, node: st.Store) -> None:
        """Gives values to entries."""

    @abstractmethod
    def invoke(self, node: st.Invoke) -> None:
        """Gives the results of a function to places."""

    @abstractmethod
    def look(self, node: st.Look) -> None:
        """Names a place."""

    @abstractmethod
    def give_back(self, value: ex.Expression) -> None:
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

    def block(self, statements: Sequence[st.Statement]) -> None:
        """Adds the lines of statements."""
        for node in statements:
            for text in node.remarks:
                self.remark(text)
            self.statement(node)

    def statement(self, node: st.Statement) -> None:
        """Adds the lines of a statement."""
        match node:
            case st.Let():
                self.let(node)
            case st.Store():
                self.store(node)
            case st.Look():
                self.look(node)
            case st.Invoke():
                self.invoke(node)
            case st.If():
                self.conditional(node)
            case st.While():
                self.begin("while", self.expression(node.test))
                self.block(node.body)
                self.close()
            case st.For():
                self.begin_loop(node)
                self.block(node.body)
                self.close()
            case st.Threads():
                self.threads(node)
            case st.Return(value):
                self.finish(value)
            case st.Leave():
                self.write(f"{node.word}{self.END}")
            case st.Do():
                self.do(node)

    def threads(self, node: st.Threads) -> None:
        """Statements for several threads, of which a language may not know: then one does them all."""
        self.block(node.body)

    def do(self, node: st.Do) -> None:
        """A call for what it changes."""
        self.write(f"{self.expression(node.call)}{self.END}")

    def conditional(self, node: st.If, word: str = "if") -> None:
        """A choice."""
        self.begin(word, self.expression(node.test))
        self.block(node.body)
        if len(node.otherwise) == 1 and isinstance(node.otherwise[0], st.If) and not node.otherwise[0].remarks:
            self.conditional(node.otherwise[0], "elif")
            return
        if node.otherwise:
            self.otherwise()
            self.block(node.otherwise)
        self.close()

    def finish(self, value: ex.Expression | None) -> None:
        """The end of the function."""
        if value is None:
            self.write(f"return{self.END}")
        elif isinstance(self.function.returns, int) or (isinstance(value, ex.Call) and value.function == "all"):
            self.give_back(value)
        else:
            self.write(f"return {self.expression(value)}{self.END}")
