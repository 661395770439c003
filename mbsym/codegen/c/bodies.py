"""The statements of functions in C: of whole ones, of their parts, and of loops over lanes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.loops import LoopLines
from mbsym.codegen.c.parts import Loop, Part, whole
from mbsym.codegen.c.tables import CONTINUED, INDENT, table_lines
from mbsym.codegen.c.trigonometry import Front
from mbsym.codegen.expressions import Element, Expression, Negation
from mbsym.codegen.lowered import Assignment, LoweredFunction, Statement, StoreConstants
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.text import WIDTH, c_comment, wrapped


@dataclass(frozen=True, slots=True)
class SharedNames:
    """Identifiers of the array that the parts of a function share, of the lane of a loop, and of its constants."""

    shared: str
    lane: str
    numbers: str


def part_lines(module: LoweredModule, part: Part, shared: str, printer: CPrinter) -> tuple[str, ...]:
    """The statements of a part, which finds what it shares with others in that array."""
    real = f"{module.names.module}_{printer.kind}"
    lines = parameter_lines(module, part.used, real)
    return (*lines, *straight_lines(module, part, shared, printer, bool(lines)))


def straight_lines(module: LoweredModule, part: Part, shared: str, printer: CPrinter, follows: bool) -> list[str]:
    """The statements of straight code; ``follows`` says whether others stand before them."""
    prefix = module.names.module
    lines: list[str] = []
    title = ""
    for block in part.blocks:
        # In parts, what belongs to no section stands apart from what does, and so do results.
        if block.title or (shared and title):
            lines += [""] * (follows or bool(lines))
        title = block.title
        lines += [f"{INDENT}/* {c_comment(title)} */"] * bool(title)
        lines += [line for item in block.statements for line in _statement(item, prefix, shared, printer)]
    lines += [""] * bool(part.entries and (part.blocks or shared))
    lines += [line for item in part.entries for line in _statement(item, prefix, shared, printer)]
    if part.moves:
        lines += [*[""] * (follows or bool(lines)), f"{INDENT}/* for the lanes of the next part */"]
    lines += [line for item in part.moves for line in _statement(item, prefix, shared, printer)]
    return lines


def _statement(statement: Statement, prefix: str, shared: str, printer: CPrinter) -> list[str]:
    if isinstance(statement, StoreConstants):
        return table_lines(statement.result, f"{prefix}_real", printer)
    value = _named(statement.expression, shared)
    if isinstance(statement, Assignment):
        return [_definition(f"{INDENT}const {prefix}_{printer.kind} {statement.identifier} = ", value, printer)]
    return [_entry(f"{INDENT}{statement.array or shared}[{statement.index}] = ", value, printer)]


def _named(expression: Expression, shared: str) -> Expression:
    """What is read of the shared array with its name; it is read alone."""
    if isinstance(expression, Negation):
        return Negation(_named(expression.operand, shared))
    return replace(expression, array=shared) if expression.__class__ is Element and not expression.array else expression


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
    return (*lines, *straight_lines(module, whole(body), "", printer, bool(lines)))


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
