"""Functions in Python: expressions for floats and NumPy arrays alike, statements, and loops over tables of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final

from mbsym.codegen.expressions import Call, Select, operands
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lowered import LoweredFor, LoweredFunction, LoweredPairs, Result, Run
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.printer import ExpressionPrinter, Item, double_literal
from mbsym.codegen.text import WIDTH, plain_line, wrapped

INDENT: Final = "    "
DEEPER: Final = "        "


class NumpyPrinter(ExpressionPrinter):
    """Prints functions by their names in the graph, which the generated module binds for floats or for arrays."""

    WORDS: ClassVar[Mapping[str, str]] = {"and": "and", "or": "or", "not": "not "}

    def number(self, value: Fraction | bool | int | float) -> str:
        return double_literal(value) if isinstance(value, Fraction) else repr(value)

    def call(self, node: Call, items: Sequence[Item] = ()) -> str:
        return f"{node.function}({', '.join(map(self.expression, node.arguments))})"

    def format_select(self, node: Select, items: Sequence[Item] = ()) -> str:
        """A call, since arrays choose entry by entry."""
        return f"select({', '.join(map(self.expression, operands(node)))})"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{first} if {test} else {second}"


def kernel_lines(body: LoweredFunction) -> tuple[str, ...]:
    """The statements of a kernel."""
    printer = NumpyPrinter()
    lines = [f"{INDENT}{name} = function.{name}" for name in body.calls]
    for block in body.blocks:
        if block.title:
            lines.append(f"{INDENT}# {plain_line(block.title)}")
        for assignment in block.assignments:
            before = f"{INDENT}{assignment.identifier} = "
            lines.append(before + _enclosed(printer.expression(assignment.expression), len(before)))
    for result in body.results:
        lines += _result_lines(result, printer)
    names = [result.identifier for result in body.results]
    lines.append(f"{INDENT}return ({''.join(f'{name}, ' for name in names).rstrip()})")
    return tuple(lines)


def _enclosed(text: str, first: int) -> str:
    """An expression on one line, or in parentheses on several."""
    broken = wrapped(text, first=first, following=DEEPER)
    if broken is text:
        return text
    broken = wrapped(text, first=len(DEEPER), following=DEEPER)
    return f"(\n{DEEPER}{broken}\n{INDENT})"


def _result_lines(result: Result, printer: NumpyPrinter) -> list[str]:
    if not result.entries:
        return [f"{INDENT}{result.identifier} = ()"]
    lines = [f"{INDENT}{result.identifier} = ("]
    for entry in result.entries:
        lines.append(f"{DEEPER}{wrapped(printer.expression(entry), first=len(DEEPER), following=DEEPER + INDENT)},")
    return [*lines, f"{INDENT})"]


# ---- loops -----------------------------------------------------------------------------------------------------------


class LoopText:
    """The text of a function with loops: steps are functions of lists of entries, calls rows of tables.

    Args:
        function: of the module.
        body: of the function.
        parameters: identifiers of the module's.
    """

    def __init__(self, function: ModuleFunction, body: LoweredFunction, parameters: Sequence[str]) -> None:
        self._function = function
        self._body = body
        self._sweeps = [each for each in body.loops if isinstance(each, LoweredFor)]
        self._pairs = [each for each in body.loops if isinstance(each, LoweredPairs)]
        scope = Scope((*function.identifiers, *body.arrays, *parameters))
        self._parameters = [[name for name in parameters if name in step.body.used] for step in body.steps]
        self._memory, self._row = scope.claim("memory"), scope.claim("row")
        self._place = scope.claim("place")
        self._step, self._found = scope.claim("step"), scope.claim("found")
        self._item, self._other = scope.claim("item"), scope.claim("other")
        self._names = [f"_{function.identifier}_{step.name}" for step in body.steps]

    def kernel(self) -> tuple[str, ...]:
        """The statements of the function."""
        outputs = [(item, identifier) for item, identifier in self._function.paired if item.direction == "out"]
        lines = [f"{INDENT}{self._memory} = [0.0] * {self._body.memory}"]
        lines += [f"{INDENT}{identifier} = [0.0] * {item.size}" for item, identifier in outputs]
        lines += [f"{INDENT}{name} = [0.0] * {size}" for name, size in self._body.arrays.items()]
        for each in self._body.loops:
            if isinstance(each, LoweredPairs):
                lines += self._over_pairs(each)
            elif isinstance(each, LoweredFor):
                lines.append(f"{INDENT}# {plain_line(each.title)}")
                lines += [line for run in each.in_turn for line in self._loop(run)]
                lines += self._mixed(self._sweeps.index(each) + 1, each.mixed) if each.mixed else []
        names = ", ".join(identifier for _, identifier in outputs)
        return (*lines, f"{INDENT}return ({names}{',' if len(outputs) == 1 else ''})")

    def steps(self) -> str:
        """The steps and their tables."""
        texts = []
        for name, step, own in zip(self._names, self._body.steps, self._parameters, strict=True):
            paired = zip(step.arguments, step.identifiers, strict=True)
            formals = [identifier for item, identifier in paired if item.direction == "in"]
            head = f"def {name}({', '.join(('function', *own, *formals))}):"
            texts.append("\n".join((head, *kernel_lines(step.body))))
        called = [number for number, step in enumerate(self._body.steps) if step.places]
        texts += [self._table(number) for number in called]
        orders = [self._order(place, sweep.mixed) for place, sweep in enumerate(self._sweeps, start=1) if sweep.mixed]
        return "\n\n\n".join([*texts, *orders, *map(self._items, range(1, len(self._pairs) + 1))])

    def _table(self, number: int) -> str:
        """A row for each call: where its entries begin, and behind these its numbers."""
        step, printer = self._body.steps[number], NumpyPrinter()
        rows = []
        for places, numbers in zip(step.places, step.numbers, strict=True):
            cells = [str(place) for place in places]
            if step.has_numbers:
                cells.append(f"({', '.join(map(printer.number, numbers))},)")
            rows += _filled(f"({', '.join(cells)},),".split(" "))
        return "\n".join((f"{self._names[number]}_calls = (", *rows, ")"))

    def _order(self, place: int, runs: Sequence[Run]) -> str:
        """Of each call its step, and its row in the table of that."""
        steps = list(dict.fromkeys(run.step for run in runs))
        calls = [f"({steps.index(run.step)}, {row})," for run in runs for row in range(run.start, run.stop)]
        return "\n".join((f"_{self._function.identifier}_order_{place} = (", *_filled(calls), ")"))

    def _loop(self, run: Run) -> list[str]:
        rows = f"{self._names[run.step]}_calls[{run.start}:{run.stop}]"
        return [f"{INDENT}for {self._row} in {rows}:", *self._call(run.step, INDENT * 2)]

    def _mixed(self, place: int, runs: Sequence[Run]) -> list[str]:
        """One loop that chooses the step of each call."""
        order = f"_{self._function.identifier}_order_{place}"
        lines = [f"{INDENT}for {self._step}, {self._place} in {order}:"]
        for number, step in enumerate(dict.fromkeys(run.step for run in runs)):
            lines.append(f"{INDENT * 2}{'elif' if number else 'if'} {self._step} == {number}:")
            lines.append(f"{INDENT * 3}{self._row} = {self._names[step]}_calls[{self._place}]")
            lines += self._call(step, INDENT * 3)
        return lines

    # ---- pairs ------------------------------------------------------------------------------------------------------

    def _items(self, number: int) -> str:
        """A row for each item: what follows, where its entries begin, and where what is read of it does."""
        pairs = self._pairs[number - 1]
        lines = []
        for name, rows in (("outer", pairs.outer), ("inner", pairs.inner)):
            cells = [line for row in rows for line in _filled(f"({', '.join(map(str, row))}),".split(" "))]
            lines += [f"_{self._function.identifier}_{name}_{number} = (", *cells, ")"]
        return "\n".join(lines)

    def _over_pairs(self, pairs: LoweredPairs) -> list[str]:
        """Two loops, the inner one along the path of an item."""
        number = self._pairs.index(pairs) + 1
        prefix, item, other, found = f"_{self._function.identifier}", self._item, self._other, self._found
        step = self._body.steps[pairs.step]
        first = len(pairs.targets) + 1
        places = [f"{item}[{k}]" for k in range(first, len(pairs.outer[0]))]
        places += [f"{other}[{k}]" for k in range(first, len(pairs.inner[0]))]
        sizes = [argument.size for argument in step.arguments if argument.direction == "in"]
        given = [f"{self._memory}[{place} : {place} + {size}]" for place, size in zip(places, sizes, strict=True)]
        deep = INDENT * 3
        lines = [
            f"{INDENT}# {plain_line(pairs.title)}: {pairs.count} pairs",
            f"{INDENT}for {item} in {prefix}_outer_{number}:",
            f"{INDENT * 2}{self._place} = {item}[0]",
            f"{INDENT * 2}while {self._place} >= 0:",
            f"{deep}{other} = {prefix}_inner_{number}[{self._place}]",
            f"{deep}({found},) = {self._names[pairs.step]}(",
            *(f"{deep}{INDENT}{text}," for text in ("function", *given)),
            f"{deep})",
        ]
        for k, (target, stride) in enumerate(pairs.targets, start=1):
            start = f"{item}[{k}] + {other}[{k}]"
            stop = f"{start} + {(pairs.size - 1) * stride + 1}"
            lines.append(f"{deep}{target}[{start} : {stop} : {stride}] = {found}")
        return [*lines, f"{deep}{self._place} = {other}[0]"]

    # ---- calls ------------------------------------------------------------------------------------------------------

    def _call(self, number: int, indent: str) -> list[str]:
        step = self._body.steps[number]
        slices = [
            array if size is None else f"{array or self._memory}[{self._row}[{k}] : {self._row}[{k}] + {size}]"
            for k, (array, size) in enumerate(zip(step.arrays, step.sizes, strict=True))
        ]
        given = [
            "function",
            *self._parameters[number],
            *slices[: step.inputs],
            *[f"{self._row}[{len(slices)}]"] * step.has_numbers,
        ]
        written = slices[step.inputs :]
        target = f"({written[0]},)" if len(written) == 1 else ", ".join(written)
        line = f"{indent}{target} = {self._names[number]}({', '.join(given)})"
        if len(line) <= WIDTH:
            return [line]
        return [
            f"{indent}{self._found} = {self._names[number]}(",
            *(f"{indent}{INDENT}{item}," for item in given),
            f"{indent})",
            *(f"{indent}{item} = {self._found}[{k}]" for k, item in enumerate(written)),
        ]


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
