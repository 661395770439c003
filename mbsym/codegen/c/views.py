"""What the C templates are filled with."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby

from mbsym import __version__
from mbsym.codegen.c.comments import comment_lines, function_comment, operation_line
from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.parts import Load, Loop, Part, split
from mbsym.codegen.c.statuses import (
    StatusView,
    ToleranceView,
    bounds_of_rows,
    guard_array,
    guard_declaration,
    helper_texts,
    status_views,
    tolerance_lines,
    tolerance_views,
    verdict_lines,
)
from mbsym.codegen.c.tables import TableView, array_views, has_infinite_limits, index_views, limit_views
from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.expressions import Constant, Expression
from mbsym.codegen.guards import GUARDED
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lower import LoweredFunction, Result
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.routines.c import print_c
from mbsym.codegen.routines.module import routine_file, routine_of
from mbsym.codegen.text import WIDTH, c_comment, wrapped

INDENT = "    "
CONTINUED = "        "
LONGEST_LIST_OF_CONSTANTS = 256
"""More constant entries of a result than this become a table."""


@dataclass(frozen=True, slots=True)
class ConstantView:
    """An integer of the header."""

    name: str
    value: int
    separator: str


@dataclass(frozen=True, slots=True)
class ParameterView:
    """A member of the parameter structure, with its default as a literal."""

    name: str
    default: str
    comment: str
    separator: str


@dataclass(frozen=True, slots=True)
class LinkView:
    """A function that object files have under another symbol than sources."""

    written: str
    linked: str


@dataclass(frozen=True, slots=True)
class PrototypeView:
    """A function as the header declares it: comment lines, what it returns, symbol, formal arguments."""

    returns: str
    symbol: str
    comment: tuple[str, ...]
    formals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A function as the source defines it: its symbol, formal arguments and the finished lines of its body."""

    storage: str
    returns: str
    symbol: str
    operations: str
    formals: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedNames:
    """Identifiers of the array that the parts of a function share, of the lane of a loop, and of its constants."""

    shared: str
    lane: str
    numbers: str


@dataclass(frozen=True, slots=True)
class HeaderContext:
    """Fields of ``c/header.h.jinja``."""

    version: str
    name: str
    interface: str
    head: tuple[str, ...]
    real: str
    links: tuple[LinkView, ...]
    constants: tuple[ConstantView, ...]
    indices: tuple[TableView, ...]
    infinite: bool
    limits: tuple[TableView, ...]
    index_arrays: tuple[TableView, ...]
    statuses: tuple[StatusView, ...]
    tolerances: tuple[str, ...]
    parameters: tuple[ParameterView, ...]
    prototypes: tuple[PrototypeView, ...]


@dataclass(frozen=True, slots=True)
class SourceContext:
    """Fields of ``c/source.c.jinja``."""

    version: str
    name: str
    interface: str
    hash_line: str
    includes: tuple[str, ...]
    functions: tuple[FunctionView, ...]
    tolerances: tuple[ToleranceView, ...]
    macros: tuple[str, ...]
    helpers: tuple[str, ...]
    runtime: tuple[str, ...]


def render_c(module: LoweredModule) -> tuple[GeneratedFile, ...]:
    """NAME.c and NAME.h."""
    name, header = module.names.module, header_context(module)
    interface = sha256(render_template("c/header.h.jinja", header).encode()).hexdigest()[:16]
    return (
        GeneratedFile(f"{name}.c", render_template("c/source.c.jinja", source_context(module, interface))),
        GeneratedFile(f"{name}.h", render_template("c/header.h.jinja", replace(header, interface=interface))),
    )


def header_context(module: LoweredModule) -> HeaderContext:
    """The header of a module, without the hash of its interface."""
    description, names = module.description, module.names
    printer = CPrinter(description.real)
    head = [f"{description.name}: {_hash_line(module)}", *description.header]
    constants = list(description.constants.items())
    return HeaderContext(
        version=__version__,
        name=names.module,
        interface="",
        head=comment_lines(head),
        real=description.real,
        links=tuple(
            LinkView(names.c_symbol(name), linked)
            for name, linked in names.linked.items()
            if linked != names.c_symbol(name)
        ),
        constants=tuple(
            ConstantView(f"{names.module}_{names.constants[key]}", int(value), "," if place < len(constants) else "")
            for place, (key, value) in enumerate(constants, start=1)
        ),
        indices=index_views(module),
        infinite=has_infinite_limits(module),
        limits=limit_views(module, printer),
        index_arrays=array_views(module),
        statuses=status_views(module),
        tolerances=comment_lines(tolerance_lines(module, printer)),
        parameters=tuple(
            ParameterView(
                names.parameters[item.name],
                printer.literal(item.default),
                c_comment(" ".join(filter(None, (item.name, f"[{item.unit}]" if item.unit else "")))),
                ", \\" if place < len(module.parameters) else " \\",
            )
            for place, item in enumerate(module.parameters, start=1)
        ),
        prototypes=tuple(
            PrototypeView(
                "int" if function.failures else "void",
                names.c_symbol(function.name),
                function_comment(function),
                formals(module, function, f"{names.module}_restrict", ");"),
            )
            for function in module.functions
        ),
    )


def source_context(module: LoweredModule, interface: str) -> SourceContext:
    """The source of a module."""
    names = module.names
    printer = CPrinter(module.description.real)
    functions = tuple(
        view
        for function in module.functions
        if function.body is not None
        for view in function_views(module, function, function.body, printer)
    )
    runtime = tuple(_runtime_text(module, file) for file in module.runtime_files)
    helpers = helper_texts(module, runtime)
    return SourceContext(
        version=__version__,
        name=names.module,
        interface=interface,
        hash_line=c_comment(_hash_line(module)),
        includes=library_headers(module, (*helpers, *runtime)),
        functions=functions,
        tolerances=tolerance_views(module, printer),
        macros=runtime_macros(module, printer, (*helpers, *runtime)),
        helpers=helpers,
        runtime=runtime,
    )


def library_headers(module: LoweredModule, texts: Sequence[str]) -> tuple[str, ...]:
    """Headers of the C library that a source needs, fixed texts considered word by word."""
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    bodies = (function.body for function in module.functions if function.body is not None)
    mathematics = module.is_guarded or any(set(body.calls) - {"select", "sign"} for body in bodies)
    needed = {
        "math.h": mathematics or bool(module.runtime_files),
        "stdbool.h": not words.isdisjoint(("bool", "true", "false")),
        "stddef.h": "NULL" in words,
    }
    return tuple(header for header, is_needed in needed.items() if is_needed)


def _runtime_text(module: LoweredModule, file: str) -> str:
    """A routine printed in C, or else the fixed text of that name."""
    prefix = f"{module.names.module}_"
    if not routine_file(file).is_file():
        return fixed_text(f"c/{file}.c", prefix)
    heads = {
        function.identifier: formals(module, function, "restrict", ")")
        for function in module.functions
        if function.fixed is not None and function.fixed.file == file
    }
    return print_c(routine_of(module, file), prefix, heads, module.description.real, bool(module.parameters))


def runtime_macros(module: LoweredModule, printer: CPrinter, runtime: Sequence[str]) -> tuple[str, ...]:
    """What fixed texts use under their prefix: arguments that they pass on, functions of the type, numbers."""
    description, prefix = module.description, module.names.module
    extra = [(item, module.names.arguments[item.name]) for item in description.extra]
    formal = [f"{_formal(item, name, f'{prefix}_real', 'restrict')}," for item, name in extra]
    texts = {
        "FORMAL": f"const {prefix}_parameters *parameters," if module.parameters else "",
        "ACTUAL": "parameters," if module.parameters else "",
        "EXTRA_FORMAL": " ".join(formal),
        "EXTRA_ACTUAL": " ".join(f"{name}," for _, name in extra),
        "SQRT": printer.function("sqrt"),
        "ABS": printer.function("abs"),
        "INFINITY": printer.infinity,
    }
    texts |= bounds_of_rows(module, printer)
    used = {word for text in runtime for word in re.findall(rf"\b{prefix}_(\w+)", text)}
    return tuple(f"{prefix}_{name} {text}".rstrip() for name, text in texts.items() if name in used)


def _hash_line(module: LoweredModule) -> str:
    digest = module.description.model_sha256
    return f"model sha256 {digest}" if digest else "equations of a mechanism"


def formals(module: LoweredModule, function: ModuleFunction, restrict: str, close: str) -> tuple[str, ...]:
    """Formal arguments, each with its comma, and the last with what closes the list."""
    prefix = module.names.module
    texts = [f"const {prefix}_parameters *parameters"] if module.parameters else []
    for item, identifier in zip(function.arguments, function.identifiers, strict=True):
        texts.append(_formal(item, identifier, f"{prefix}_real", restrict))
    texts = texts or ["void"]
    return (*(f"{text}," for text in texts[:-1]), f"{texts[-1]}{close}")


def _formal(item: Argument, identifier: str, real: str, restrict: str) -> str:
    if item.kind == "int":
        real = "int"
    if item.direction == "in":
        if not item.shape:
            return f"{real} {identifier}"
        return f"const {real} {identifier}[{item.size}]" if item.size else f"const {real} *{identifier}"
    return f"{real} {identifier}[{restrict} {item.size}]" if item.size else f"{real} *{restrict} {identifier}"


def function_views(
    module: LoweredModule, function: ModuleFunction, body: LoweredFunction, printer: CPrinter
) -> tuple[FunctionView, ...]:
    """A function, after the parts that it calls if it has any."""
    symbol = module.names.c_symbol(function.name)
    cost = operation_line(function.operations)
    outer = formals(module, function, "restrict", ")")
    parts = split(body)
    returns = "int" if function.guards else "void"
    before, after = guard_declaration(module, function), verdict_lines(module, function, printer)
    if parts is None:
        lines = (*before, *body_lines(module, function, body, printer), *after)
        return (FunctionView("", returns, symbol, cost, outer, lines),)
    names = shared_names(module, function, body)
    shared = names.shared
    real = f"{module.names.module}_real"
    array = f"{real} {shared}[restrict {parts.shared}]"
    results = {item.identifier: item for item in body.results}
    views, calls = [], []
    scope = Scope((*map(module.names.c_symbol, module.names.functions), *module.names.linked.values()))
    for number, part in enumerate(parts.parts, start=1):
        name = scope.claim(f"{symbol}_part{number}")
        if isinstance(part, Loop):
            takes, gives = [array], [shared]
            lines = loop_lines(part, real, names, printer)
        else:
            takes, gives = _part_arguments(module, function, part)
            if part.shares:
                takes.append(array)
                gives.append(shared)
            lines = part_lines(module, part, shared, results, printer)
        about = f"{function.identifier}, part {number} of {len(parts.parts)}: {part.operations} operations"
        views.append(
            FunctionView("static ", "void", name, about, (*(f"{x}," for x in takes[:-1]), f"{takes[-1]})"), lines)
        )
        calls.append(f"{INDENT}{name}({', '.join(gives)});")
    declaration = (f"{INDENT}{real} {shared}[{parts.shared}]; /* what the parts hand on */", "")
    unused = tuple(f"{INDENT}(void){identifier};" for identifier in _unused(module, function, body))
    whole = (*unused, *before, *(declaration if parts.shared else ()), *calls, *after)
    return (*views, FunctionView("", returns, symbol, cost, outer, whole))


def shared_names(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> SharedNames:
    """Free names for what the parts of a function share."""
    temporaries = [assignment.identifier for block in body.blocks for assignment in block.assignments]
    inner = module.names.inner.values()
    scope = Scope({*inner, *function.identifiers, *module.names.parameters.values(), *temporaries})
    return SharedNames(scope.claim("shared"), scope.claim("lane"), scope.claim("numbers"))


def _part_arguments(module: LoweredModule, function: ModuleFunction, part: Part) -> tuple[list[str], list[str]]:
    """Formal and actual arguments of a part: those of the whole function that it uses."""
    prefix = module.names.module
    takes, gives = [], []
    if part.used & set(module.names.parameters.values()):
        takes.append(f"const {prefix}_parameters *parameters")
        gives.append("parameters")
    guarded = [(guard_array(function), module.names.inner[GUARDED])] if function.guards else []
    for item, identifier in [*zip(function.arguments, function.identifiers, strict=True), *guarded]:
        if identifier in part.used:
            takes.append(_formal(item, identifier, f"{prefix}_real", "restrict"))
            gives.append(identifier)
    return takes, gives


def part_lines(
    module: LoweredModule, part: Part, shared: str, results: Mapping[str, Result], printer: CPrinter
) -> tuple[str, ...]:
    """The statements of a part."""
    real = f"{module.names.module}_real"
    lines = [
        f"{INDENT}const {real} {identifier} = parameters->{identifier};"
        for identifier in module.names.parameters.values()
        if identifier in part.used
    ]
    title = ""
    for statement in part.statements:
        if statement.title != title:
            title = statement.title
            lines += ([""] if lines else []) + ([f"{INDENT}/* {c_comment(title)} */"] if title else [])
        lines += _loading(real, shared, statement.loads)
        lines.append(_definition(f"{INDENT}const {real} {statement.identifier} = ", statement.expression, printer))
        for negative in (False, True):
            places = [f"{shared}[{store.place}]" for store in statement.stores if store.negative is negative]
            if places:
                lines.append(f"{INDENT}{' = '.join(places)} = {'-' if negative else ''}{statement.identifier};")
    if part.entries:
        lines.append("")
    for output, group in groupby(part.entries, key=lambda entry: entry.output):
        entries = list(group)
        # All constants stand in one part, and before what other parts write.
        in_table = _has_table(results[output]) and any(isinstance(entry.expression, Constant) for entry in entries)
        if in_table:
            lines += _table_lines(results[output], real, printer)
        for entry in entries:
            if in_table and isinstance(entry.expression, Constant):
                continue
            lines += _loading(real, shared, entry.loads)
            lines.append(_definition(f"{INDENT}{output}[{entry.index}] = ", entry.expression, printer))
    if part.moves:
        lines += [*([""] if lines else []), f"{INDENT}/* for the lanes of the next part */"]
    for move in part.moves:
        source = f"{shared}[{move.source}]" if isinstance(move.source, int) else printer.format(move.source)
        lines.append(f"{INDENT}{shared}[{move.place}] = {'-' if move.negative else ''}{source};")
    return tuple(lines)


def loop_lines(loop: Loop, real: str, names: SharedNames, printer: CPrinter) -> tuple[str, ...]:
    """The statements of alike sections: a loop over its lanes."""
    title = f"{c_comment(loop.title)}: {loop.lanes} lanes"
    lines = [f"{INDENT}/* {text} */" for text in textwrap.wrap(title, WIDTH - len(INDENT) - 6)]
    if loop.table:
        lines.append(f"{INDENT}static const {real} {names.numbers}[{len(loop.table)}][{loop.width}] = {{")
        for row in loop.table:
            text = wrapped(", ".join(map(printer.format, row)), first=len(CONTINUED) + 3, following=CONTINUED + INDENT)
            lines.append(f"{CONTINUED}{{{text}}},")
        lines += [f"{INDENT}}};", ""]
    lane = names.lane
    lines.append(f"{INDENT}for (int {lane} = 0; {lane} < {loop.width}; ++{lane}) {{")
    start = f"{CONTINUED}const {real} "
    for statement in loop.statements:
        lines += [f"{start}{item.identifier} = {names.shared}[{item.place} + {lane}];" for item in statement.loads]
        lines += [f"{start}{item.identifier} = {names.numbers}[{item.place}][{lane}];" for item in statement.numbers]
        before = f"{start}{statement.identifier} = "
        lines.append(_definition(before, statement.expression, printer, CONTINUED + INDENT))
        if statement.store is not None:
            factor = "" if statement.sign is None else f"{names.numbers}[{statement.sign}][{lane}]*"
            lines.append(f"{CONTINUED}{names.shared}[{statement.store} + {lane}] = {factor}{statement.identifier};")
    return (*lines, f"{INDENT}}}")


def _definition(before: str, expression: Expression, printer: CPrinter, following: str = CONTINUED) -> str:
    return f"{before}{wrapped(printer.format(expression), first=len(before) + 1, following=following)};"


def _loading(real: str, shared: str, loads: Sequence[Load]) -> list[str]:
    """Temporaries of earlier parts by their names."""
    return [f"{INDENT}const {real} {load.identifier} = {shared}[{load.place}];" for load in loads]


def body_lines(
    module: LoweredModule, function: ModuleFunction, body: LoweredFunction, printer: CPrinter
) -> tuple[str, ...]:
    """The statements of a function."""
    real = f"{module.names.module}_real"
    lines = [f"{INDENT}(void){identifier};" for identifier in _unused(module, function, body)]
    for item in module.parameters:
        identifier = module.names.parameters[item.name]
        if identifier in body.used:
            lines.append(f"{INDENT}const {real} {identifier} = parameters->{identifier};")
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
        in_table = _has_table(result)
        if in_table:
            lines += _table_lines(result, real, printer)
        for index, entry in enumerate(result.entries):
            if in_table and isinstance(entry, Constant):
                continue
            before = f"{INDENT}{result.identifier}[{index}] = "
            lines.append(f"{before}{wrapped(printer.format(entry), first=len(before) + 1, following=CONTINUED)};")
    return tuple(lines)


def _has_table(result: Result) -> bool:
    return sum(isinstance(entry, Constant) for entry in result.entries) > LONGEST_LIST_OF_CONSTANTS


def _table_lines(result: Result, real: str, printer: CPrinter) -> list[str]:
    """The constant entries of a result as a table that is copied: compilers take long over lists of assignments."""
    size = len(result.entries)
    values = [printer.format(entry) if isinstance(entry, Constant) else "0" for entry in result.entries]
    lines = [f"{INDENT}{{", f"{CONTINUED}static const {real} constant_entries[{size}] = {{"]
    for start in range(0, size, 8):
        lines.append(f"{CONTINUED}{INDENT}{', '.join(values[start : start + 8])},")
    lines += [
        f"{CONTINUED}}};",
        f"{CONTINUED}for (int entry_index = 0; entry_index < {size}; ++entry_index) {{",
        f"{CONTINUED}{INDENT}{result.identifier}[entry_index] = constant_entries[entry_index];",
        f"{CONTINUED}}}",
        f"{INDENT}}}",
    ]
    return lines


def _unused(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> list[str]:
    """Arguments that the body does not touch."""
    unused = []
    if module.parameters and not body.used & set(module.names.parameters.values()):
        unused.append("parameters")
    for item, identifier in zip(function.arguments, function.identifiers, strict=True):
        if (item.direction == "in" and identifier not in body.used) or (item.direction == "out" and not item.size):
            unused.append(identifier)
    return unused
