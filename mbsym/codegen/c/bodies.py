"""The statements of functions in C: of whole ones, of their parts, and of loops over lanes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.loops import LoopLines
from mbsym.codegen.c.parts import Load, Loop, Part
from mbsym.codegen.c.tables import CONTINUED, INDENT, has_table, table_lines
from mbsym.codegen.c.trigonometry import Front
from mbsym.codegen.expressions import Constant, Expression
from mbsym.codegen.lowered import LoweredFunction, Result
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.text import WIDTH, c_comment, wrapped


@dataclass(frozen=True, slots=True)
class SharedNames:
    """Identifiers of the array that the parts of a function share, of the lane of a loop, and of its constants."""

    shared: str
    lane: str
    numbers: str


def part_lines(
    module: LoweredModule, part: Part, shared: str, results: Mapping[str, Result], printer: CPrinter
) -> tuple[str, ...]:
    """The statements of a part."""
    real = f"{module.names.module}_{printer.kind}"
    number = f"{module.names.module}_real"
    lines = parameter_lines(module, part.used, real)
    title = ""
    for statement in part.statements:
        if statement.title != title:
            title = statement.title
            lines += ([""] if lines else []) + ([f"{INDENT}/* {c_comment(title)} */"] if title else [])
        lines += _loading(real, shared, statement.loads)
        lines.append(_definition(f"{INDENT}const {real} {statement.identifier} = ", statement.expression, printer))
        for negative in (False, True):
            places = [f"{shared}[{store.place}]" for store in statement.stores if store.negative is negative]
            lines += [f"{INDENT}{place} = {'-' if negative else ''}{statement.identifier};" for place in places]
    if part.entries:
        lines.append("")
    for output, group in groupby(part.entries, key=lambda entry: entry.output):
        entries = list(group)
        # All constants stand in one part, and before what other parts write.
        in_table = has_table(results[output]) and any(isinstance(entry.expression, Constant) for entry in entries)
        if in_table:
            lines += table_lines(results[output], number, printer)
        for entry in entries:
            if in_table and isinstance(entry.expression, Constant):
                continue
            lines += _loading(real, shared, entry.loads)
            lines.append(_entry(f"{INDENT}{output}[{entry.index}] = ", entry.expression, printer))
    if part.moves:
        lines += [*([""] if lines else []), f"{INDENT}/* for the lanes of the next part */"]
    for move in part.moves:
        source = f"{shared}[{move.source}]" if isinstance(move.source, int) else printer.value(move.source)
        lines.append(f"{INDENT}{shared}[{move.place}] = {'-' if move.negative else ''}{source};")
    return tuple(lines)


def loop_lines(loop: Loop, prefix: str, names: SharedNames, printer: CPrinter) -> tuple[str, ...]:
    """The statements of alike sections: a loop over its lanes."""
    number, real = f"{prefix}_real", f"{prefix}_{printer.kind}"
    title = f"{c_comment(loop.title)}: {loop.lanes} lanes"
    lines = [f"{INDENT}/* {text} */" for text in textwrap.wrap(title, WIDTH - len(INDENT) - 6)]
    if loop.table:
        lines.append(f"{INDENT}static const {number} {names.numbers}[{len(loop.table)}][{loop.width}] = {{")
        for row in loop.table:
            text = wrapped(", ".join(map(printer.format, row)), first=len(CONTINUED) + 3, following=CONTINUED + INDENT)
            lines.append(f"{CONTINUED}{{{text}}},")
        lines += [f"{INDENT}}};", ""]
    lane = names.lane
    lines += [f"{INDENT}const {real} {item.identifier} = {names.shared}[{item.place}];" for item in loop.common]
    lines.append(f"{INDENT}for (int {lane} = 0; {lane} < {loop.width}; ++{lane}) {{")
    start = f"{CONTINUED}const {real} "
    for statement in loop.statements:
        lines += [f"{start}{item.identifier} = {names.shared}[{item.place} + {lane}];" for item in statement.loads]
        numbers = [(item, printer.spread(f"{names.numbers}[{item.place}][{lane}]")) for item in statement.numbers]
        lines += [f"{start}{item.identifier} = {text};" for item, text in numbers]
        before = f"{start}{statement.identifier} = "
        lines.append(_definition(before, statement.expression, printer, CONTINUED + INDENT))
        if statement.store is not None:
            factor = "" if statement.sign is None else f"{names.numbers}[{statement.sign}][{lane}]*"
            lines.append(f"{CONTINUED}{names.shared}[{statement.store} + {lane}] = {factor}{statement.identifier};")
    return (*lines, f"{INDENT}}}")


def _entry(before: str, expression: Expression, printer: CPrinter) -> str:
    return f"{before}{wrapped(printer.value(expression), first=len(before) + 1, following=CONTINUED)};"


def _definition(before: str, expression: Expression, printer: CPrinter, following: str = CONTINUED) -> str:
    return f"{before}{wrapped(printer.format(expression), first=len(before) + 1, following=following)};"


def _loading(real: str, shared: str, loads: Sequence[Load]) -> list[str]:
    """Temporaries of earlier parts by their names."""
    return [f"{INDENT}const {real} {load.identifier} = {shared}[{load.place}];" for load in loads]


def body_lines(
    module: LoweredModule, function: ModuleFunction, front: Front, printer: CPrinter, steps: Sequence[str]
) -> tuple[str, ...]:
    """The statements of a function; ``steps`` are the symbols of what its loops call."""
    body = front.body
    real = f"{module.names.module}_{printer.kind}"
    lines = [f"{INDENT}(void){identifier};" for identifier in unused_arguments(module, function, body)]
    if body.loops:
        return (*lines, *LoopLines(module, function, body, steps, printer).lines())
    lines += [*parameter_lines(module, body.used, real), *front_lines(module, front, printer)]
    start = f"{INDENT}const {real} "
    for block in body.blocks:
        if block.title:
            if lines:
                lines.append("")
            lines.append(f"{INDENT}/* {c_comment(block.title)} */")
        for assignment in block.assignments:
            before = f"{start}{assignment.identifier} = "
            text = printer.format(assignment.expression)
            lines.append(f"{before}{wrapped(text, first=len(before) + 1, following=CONTINUED)};")
    if body.blocks:
        lines.append("")
    for result in body.results:
        in_table = has_table(result)
        if in_table:
            lines += table_lines(result, f"{module.names.module}_real", printer)
        for index, entry in enumerate(result.entries):
            if in_table and isinstance(entry, Constant):
                continue
            before = f"{INDENT}{result.identifier}[{index}] = "
            lines.append(_entry(before, entry, printer))
    return tuple(lines)


def parameter_lines(module: LoweredModule, used: frozenset[str], real: str) -> list[str]:
    """Parameters by their names."""
    return [
        f"{INDENT}const {real} {identifier} = parameters->{identifier};"
        for identifier in module.names.parameters.values()
        if identifier in used
    ]


def front_lines(module: LoweredModule, front: Front, printer: CPrinter) -> tuple[str, ...]:
    """The statements in front of a body."""
    return front.lines(module.names.module, printer)


def unused_arguments(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> list[str]:
    """Arguments that the body does not touch."""
    unused = []
    # Steps take the parameters whether they look at them or not.
    if module.takes_parameters(function) and not body.steps and body.used.isdisjoint(module.names.parameters.values()):
        unused.append("parameters")
    touched = {*body.used, *(result.identifier for result in body.results)}
    for item, identifier in zip(function.arguments, function.identifiers, strict=True):
        if identifier not in touched or not item.size:
            unused.append(identifier)
    return unused
