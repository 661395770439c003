"""The statements of functions in C: of whole ones, of their parts, and of loops over lanes and over tables of calls."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.pieces import NUMBERS, SHARED, Loop, Part, whole
from mbsym.codegen.c.routine_functions import CFunction, CNames
from mbsym.codegen.c.tables import CONTINUED, INDENT, has_table, table_lines
from mbsym.codegen.c.trigonometry import Front
from mbsym.codegen.description import Real
from mbsym.codegen.expressions import Array, Constant, Element, Place, Span
from mbsym.codegen.integers import linear
from mbsym.codegen.limbs import LimbBody
from mbsym.codegen.lowered import Assignment, Block, LoweredFunction, Store, StoreConstants, Straight
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.printer import Item
from mbsym.codegen.routines.language import EMPTY
from mbsym.codegen.statements import For, Look, Table, Threads, walk
from mbsym.codegen.text import WIDTH, c_comment, wrapped


@dataclass(frozen=True, slots=True)
class SharedNames:
    """Identifiers of the array that the parts of a function share, of the lane of a loop, and of its constants."""

    shared: str
    lane: str
    numbers: str


def statement_lines(
    statements: Iterable[Straight], prefix: str, printer: CPrinter, indent: str = INDENT
) -> Iterator[str]:
    """Statements, of a module with that prefix."""
    for statement in statements:
        if isinstance(statement, StoreConstants):
            yield from table_lines(statement.result, f"{prefix}_real", printer)
            continue
        expression = statement.expression
        if isinstance(statement, Assignment):
            kind = f"limbs{statement.width}" if statement.width else printer.kind
            before = f"{indent}const {prefix}_{kind} {statement.identifier} = "
            text = printer.expression(expression)
            is_number = isinstance(expression, Element) and expression.array == NUMBERS
            text = printer.spread(text) if is_number else text
        else:
            before = f"{indent}{printer.expression(Element(statement.array, statement.index))} = "
            text = printer.value(expression)
        yield f"{before}{wrapped(text, first=len(before) + 1, following=indent + INDENT)};"


def _sharing(printer: CPrinter, shared: str, lane: str = "", numbers: str = "") -> CPrinter:
    """The printer that knows what the parts of a function share and, in a loop over lanes, its table."""
    made = copy(printer)
    made.places = {SHARED: f"{shared}[%d{f' + {lane}' * bool(lane)}]", NUMBERS: f"{numbers}[%d][{lane}]"}
    return made


def part_lines(module: LoweredModule, part: Part, shared: str, printer: CPrinter) -> tuple[str, ...]:
    """The statements of a part, which finds what it shares with others in that array."""
    real = f"{module.names.module}_{printer.kind}"
    lines = parameter_lines(module, part.used, real)
    return (*lines, *straight_lines(module, part, shared, printer, bool(lines)))


def straight_lines(module: LoweredModule, part: Part, shared: str, printer: CPrinter, follows: bool) -> list[str]:
    """The statements of straight code; ``follows`` says whether others stand before them."""
    prefix, own = module.names.module, _sharing(printer, shared)
    lines = block_lines(part.blocks, prefix, own, follows=follows, is_part=bool(shared))
    lines += [""] * bool(part.entries and (part.blocks or shared))
    lines += statement_lines(part.entries, prefix, own)
    if part.moves:
        lines += [*[""] * (follows or bool(lines)), f"{INDENT}/* for the lanes of the next part */"]
    return [*lines, *statement_lines(part.moves, prefix, own)]


def block_lines(
    blocks: Iterable[Block], prefix: str, printer: CPrinter, *, follows: bool, is_part: bool = False
) -> list[str]:
    """Statements under their titles."""
    lines: list[str] = []
    title = ""
    for block in blocks:
        # In parts, what belongs to no section stands apart from what does, and so do results.
        if block.title or (is_part and title):
            lines += [""] * (follows or bool(lines))
        title = block.title
        lines += [f"{INDENT}/* {c_comment(title)} */"] * bool(title)
        lines += statement_lines(block.statements, prefix, printer)
    return lines


def loop_lines(loop: Loop, prefix: str, names: SharedNames, printer: CPrinter) -> tuple[str, ...]:
    """The statements of alike sections: a loop over its lanes."""
    title = f"{c_comment(loop.title)}: {loop.lanes} lanes"
    lines = [f"{INDENT}/* {text} */" for text in textwrap.wrap(title, WIDTH - len(INDENT) - 6)]
    if loop.table:
        lines.append(f"{INDENT}static const {prefix}_real {names.numbers}[{len(loop.table)}][{loop.width}] = {{")
        for row in loop.table:
            text = wrapped(
                ", ".join(map(printer.expression, row)), first=len(CONTINUED) + 3, following=CONTINUED + INDENT
            )
            lines.append(f"{CONTINUED}{{{text}}},")
        lines += [f"{INDENT}}};", ""]
    lines += statement_lines(loop.common, prefix, _sharing(printer, names.shared))
    lines.append(f"{INDENT}for (int {names.lane} = 0; {names.lane} < {loop.width}; ++{names.lane}) {{")
    inside = _sharing(printer, names.shared, names.lane, names.numbers)
    return (*lines, *statement_lines(loop.statements, prefix, inside, CONTINUED), f"{INDENT}}}")


def body_lines(
    module: LoweredModule, function: ModuleFunction, front: Front, printer: CPrinter, steps: Sequence[str]
) -> tuple[str, ...]:
    """The statements of a function; ``steps`` are the symbols of what its loops call."""
    body = front.body
    real = f"{module.names.module}_{printer.kind}"
    lines = [f"{INDENT}(void){identifier};" for identifier in unused_arguments(module, function, body)]
    if body.loops.body:
        named = dict(zip((step.name for step in body.steps), steps, strict=True))
        prefix, takes = f"{module.names.module}_", module.takes_parameters(function)
        return (
            *lines,
            *loops_of_calls(body, named, prefix, module.description.real, takes_parameters=takes),
        )
    lines += [*parameter_lines(module, body.used, real), *front.lines(module.names.module, printer)]
    return (*lines, *straight_lines(module, whole(body), "", printer, bool(lines)))


def limb_lines(
    module: LoweredModule, function: ModuleFunction, body: LimbBody, front: Front, printer: CPrinter
) -> tuple[str, ...]:
    """The statements of a function with its limbs side by side, behind what computes its sines and cosines."""
    prefix = module.names.module
    inputs = (identifier for item, identifier in function.paired if item.direction == "in")
    lines = [f"{INDENT}(void){identifier};" for identifier in inputs if identifier not in body.used]
    lines += front.lines(prefix, printer)
    for result in body.zeros:
        entries = (
            Store(result.identifier, k, entry) for k, entry in enumerate(result.entries) if entry.__class__ is Constant
        )
        lines += statement_lines([StoreConstants(result)] if has_table(result) else entries, prefix, printer)
    return (*lines, *block_lines(body.blocks, prefix, printer, follows=bool(lines)))


def parameter_lines(module: LoweredModule, used: frozenset[str], real: str) -> list[str]:
    """Parameters by their names."""
    return [
        f"{INDENT}const {real} {identifier} = parameters->{identifier};"
        for identifier in module.names.parameters.values()
        if identifier in used
    ]


def unused_arguments(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> list[str]:
    """Arguments that the body does not touch."""
    unused = []
    # Steps take the parameters whether they look at them or not.
    if module.takes_parameters(function) and not body.steps and body.used.isdisjoint(module.names.parameters.values()):
        unused.append("parameters")
    touched = {*body.used, *(result.identifier for result in body.results)}
    for item, identifier in function.paired:
        if identifier not in touched or not item.size:
            unused.append(identifier)
    return unused


_TYPES: Final[Mapping[int, str]] = {2**8 - 1: "unsigned char", 2**16 - 1: "unsigned short"}


def loops_of_calls(
    body: LoweredFunction, symbols: Mapping[str, str], prefix: str, real: Real, *, takes_parameters: bool
) -> list[str]:
    """The tables, the memory and the loops of a function.

    Args:
        body: of the function.
        symbols: of its steps, by their names.
        prefix: of every symbol, with its underscore.
        real: the floating-point type.
        takes_parameters: whether steps take the structure of parameters first.
    """
    style = _Names(body, symbols, prefix, real, takes_parameters)
    printer = _Loops(style, body.loops)
    printer.block(body.loops.body)
    tables = [line for table in body.tables for line in style.table(table)]
    own = [f"{INDENT}{style.own_array(array)}" for array in body.loops.own]
    told = [f"{INDENT}/* what calls hand on to later ones */"] * bool(own)
    return [*tables, *told, *own, *[""] * (printer.lines[0] != ""), *printer.lines]


class _Names(CNames):
    """What the loops of a function call things.

    Attributes:
        entries: types of what stands in tables, and of what names for their rows stand for.
    """

    def __init__(
        self, body: LoweredFunction, symbols: Mapping[str, str], prefix: str, real: Real, has_parameters: bool
    ) -> None:
        super().__init__(EMPTY, prefix, real, has_parameters)
        self._symbols = symbols
        self.tables = frozenset(table.array.name for table in body.tables)
        self.entries = {table.array.name: self._type((table,)) for table in body.tables}
        # The rows that one name stands for are of one type.
        for view, tables in _looked_at(body).items():
            common = self._type(tables)
            self.entries |= {view: common, **{table.array.name: common for table in tables}}

    def kernel(self, name: str) -> str:
        return self._symbols[name]

    def table(self, table: Table) -> list[str]:
        """The definition of a table."""
        array = table.array
        rows = [[self._entry(entry, array) for entry in row] for row in table.rows]
        extents = "".join(f"[{extent}]" for extent in array.extents)
        told = [f"{INDENT}/* {c_comment(table.remark)} */"] * bool(table.remark)
        return [*told, *_defined(f"static const {self.entries[array.name]} {array.name}{extents}", rows)]

    def _entry(self, value: Fraction | int, array: Array) -> str:
        return str(value) if array.kind == "int" else self.literals.literal(value)

    def _type(self, tables: Sequence[Table]) -> str:
        """The smallest type that has room for all whole numbers of some tables."""
        if tables[0].array.kind == "real":
            return self.type
        numbers = [int(entry) for table in tables for row in table.rows for entry in row]
        fitting = (name for most, name in _TYPES.items() if min(numbers) >= 0 and max(numbers) <= most)
        return next(fitting, "int")


def _looked_at(body: LoweredFunction) -> dict[str, list[Table]]:
    """The tables of which a name is given to rows, by the name."""
    tables = {table.array.name: table for table in body.tables}
    found: dict[str, list[Table]] = {}
    for each in walk(body.loops.body):
        if isinstance(each, Look) and isinstance(each.value, Place):
            found.setdefault(each.view.name, []).append(tables[each.value.array.name])
    return found


class _Loops(CFunction):
    """The loops of a derived function."""

    style: _Names

    def remark(self, text: str) -> None:
        self.lines.append("")
        super().remark(text)

    def declared(self, name: str) -> str:
        return f"const {self.style.entries[name]} *{name}" if name in self.views else super().declared(name)

    def place(self, node: Place, items: Sequence[Item]) -> str:
        """Of a table an entry has an index for each extent, and a row one."""
        if node.array.name not in self.style.tables:
            return super().place(node, items)
        indices = (f"[{self.integer(index)}]" for index in node.indices if not isinstance(index, Span))
        return "".join((node.array.name, *indices))

    def threads(self, node: Threads) -> None:
        self._pragma(f"parallel num_threads({node.count})")
        self._open()
        for is_shared, group in groupby(node.body, key=lambda each: isinstance(each, For) and each.is_shared):
            if not is_shared:
                self._pragma("single")
                self._open()
            for each in group:
                for text in each.remarks:
                    self.remark(text)
                if isinstance(each, For) and each.is_shared:
                    # Whoever comes first takes what is done once.
                    way = "single" if _is_once(each) else "for schedule(static)"
                    self._pragma(f"{way}{'' if each.is_awaited else ' nowait'}")
                self.statement(each)
            if not is_shared:
                self.close()
        self.close()

    def _open(self) -> None:
        self.write("{")
        self.depth += 1

    def _pragma(self, text: str) -> None:
        """A line for OpenMP, which other compilers need not know."""
        self.lines += ["#ifdef _OPENMP", f"#pragma omp {text}", "#endif"]


def _is_once(loop: For) -> bool:
    difference = linear(loop.stop).plus(linear(loop.start), -1)
    return not difference.terms and difference.number == 1


def _defined(head: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """A constant array; a single row is one of one dimension."""
    texts = [f"{{{', '.join(row)}}}," for row in rows] if head.count("[") > 1 else [", ".join(rows[0])]
    return [f"{INDENT}{head} = {{", *(line for text in texts for line in _filled(text)), f"{INDENT}}};"]


def _filled(text: str) -> list[str]:
    """Numbers with commas between them on as few lines as hold them; what goes on behind a brace stands behind it."""
    following = CONTINUED + " " * text.startswith("{")
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=CONTINUED,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )
