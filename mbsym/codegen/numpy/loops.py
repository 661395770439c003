"""Loops over tables of calls in Python: steps are functions of lists of entries."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.codegen.expressions import Array, Call
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.numpy.bodies import INDENT, NumpyPrinter, kernel_lines
from mbsym.codegen.numpy.routines import ListFunction
from mbsym.codegen.routines.language import EMPTY
from mbsym.codegen.statements import Function, Store, Table
from mbsym.codegen.text import WIDTH


class LoopText:
    """The text of a function with loops.

    Args:
        function: of the module.
        body: of the function.
        parameters: identifiers of the module's.
    """

    def __init__(self, function: ModuleFunction, body: LoweredFunction, parameters: Sequence[str]) -> None:
        self._function, self._body = function, body
        self._parameters = {step.name: [name for name in parameters if name in step.body.used] for step in body.steps}
        self.tables = {table.array.name: f"_{function.identifier}_{table.array.name}" for table in body.tables}

    def kernel(self) -> tuple[str, ...]:
        """The statements of the function."""
        outputs = [(identifier, item.size) for item, identifier in self._function.paired if item.direction == "out"]
        arrays = [*((array.name, array.size) for array in self._body.loops.own), *outputs]
        lines = [f"{INDENT}{name} = [0.0] * {size}" for name, size in arrays]
        printer = _Loops(self, self._body.loops)
        printer.block(self._body.loops.body)
        names = ", ".join(identifier for identifier, _ in outputs)
        return (*lines, *printer.lines, f"{INDENT}return ({names}{',' if len(outputs) == 1 else ''})")

    def steps(self) -> str:
        """The steps and the tables."""
        texts = []
        for step in self._body.steps:
            paired = zip(step.arguments, step.identifiers, strict=True)
            formals = [identifier for item, identifier in paired if item.direction == "in"]
            head = f"def {self.symbol(step.name)}({', '.join(('function', *self._parameters[step.name], *formals))}):"
            texts.append("\n".join((head, *kernel_lines(step.body))))
        return "\n\n\n".join([*texts, *map(self._table, self._body.tables)])

    def symbol(self, step: str) -> str:
        """What a step is called in the module."""
        return f"_{self._function.identifier}_{step}"

    def call(self, step: str, arguments: Sequence[str]) -> str:
        """A call of a step."""
        return f"{self.symbol(step)}({', '.join(('function', *self._parameters[step], *arguments))})"

    def _table(self, table: Table) -> str:
        """The rows of a table, or the entries of one with one extent."""
        rows = [[NumpyPrinter().number(entry) for entry in row] for row in table.rows]
        if len(table.array.extents) == 1:
            lines = _filled([f"{entry}," for entry in rows[0]])
        else:
            lines = [line for row in rows for line in _filled(f"({', '.join(row)},),".split(" "))]
        return "\n".join((f"{self.tables[table.array.name]} = (", *lines, ")"))


class _Loops(ListFunction):
    """The loops of a derived function."""

    def __init__(self, text: LoopText, loops: Function) -> None:
        super().__init__(EMPTY, loops, frozenset())
        self._text = text

    def array(self, array: Array) -> str:
        return self._text.tables.get(array.name, array.name)

    def called(self, node: Call) -> str:
        return self._text.call(node.function, list(map(self.expression, node.arguments)))

    def store(self, node: Store) -> None:
        # Results begin with zeros.
        if not (isinstance(node.value, Call) and node.value.function == "zeros"):
            super().store(node)


def _filled(cells: Sequence[str]) -> list[str]:
    """Cells of a table on as few lines as hold them."""
    lines: list[str] = []
    line = INDENT
    for cell in cells:
        if len(line) + len(cell) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = INDENT * 2
        line += f"{cell} "
    return [*lines, line.rstrip()]
