"""What the C templates are filled with."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from mbsym.codegen.c.bodies import (
    SharedNames,
    body_lines,
    limb_lines,
    loop_lines,
    parameter_lines,
    part_lines,
    unused_arguments,
)
from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.fixed_parts import placed, runtime_text, step_texts
from mbsym.codegen.c.formals import (
    closed,
    comment_lines,
    formal,
    formals,
    function_comment,
    operation_line,
    structure_formal,
)
from mbsym.codegen.c.parts import split
from mbsym.codegen.c.pieces import Loop, Part
from mbsym.codegen.c.statuses import (
    guard_array,
    guard_declaration,
    helper_texts,
    tolerance_lines,
    tolerance_views,
    verdict_lines,
)
from mbsym.codegen.c.tables import (
    INDENT,
    has_infinite_limits,
    header_tables,
)
from mbsym.codegen.c.trigonometry import Front, in_front, limbs_in_front, rounding_sentence, sincos_text
from mbsym.codegen.description import GUARDED, GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.codegen.limb_programs import WIDTHS
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction, step_functions
from mbsym.codegen.text import WIDTH, c_comment

LONG: Final = 2000
"""Operations of straight code from which on vectors may be wider than registers."""
REGISTERS: Final = (64, 32, 16)
"""Bytes of the registers of AVX-512, of AVX, and of what every x86-64 and aarch64 has."""


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A function as the source defines it: its symbol, formal arguments and the finished lines of its body.

    Attributes:
        before, after: lines of the preprocessor around it.
    """

    storage: str
    returns: str
    symbol: str
    operations: str
    formals: tuple[str, ...]
    lines: tuple[str, ...]
    before: str = ""
    after: str = ""


def render_c(module: LoweredModule) -> tuple[GeneratedFile, ...]:
    """NAME.c and NAME.h."""
    name, header = module.names.module, header_fields(module)
    interface = sha256(render_template("c/header.h.jinja", **header).encode()).hexdigest()[:16]
    return (
        GeneratedFile(f"{name}.c", render_template("c/source.c.jinja", **source_fields(module, interface))),
        GeneratedFile(f"{name}.h", render_template("c/header.h.jinja", **{**header, "interface": interface})),
    )


def header_fields(module: LoweredModule) -> dict[str, Any]:
    """The header of a module, without the hash of its interface."""
    description, names = module.description, module.names
    printer = CPrinter(description.real)
    head = [f"{description.name}: {_hash_line(module)}", *description.header]
    if description.trigonometry != "libm" and not _called(module).isdisjoint(("sin", "cos")):
        sentence = rounding_sentence(description.real, description.trigonometry)
        head += ["", *textwrap.wrap(sentence, WIDTH - 4, break_on_hyphens=False)]
    return {
        "name": names.module,
        "interface": "",
        "head": comment_lines(head),
        "real": description.real,
        "links": tuple(
            {"written": names.c_symbol(name), "linked": linked}
            for name, linked in names.linked.items()
            if linked != names.c_symbol(name)
        ),
        "infinite": has_infinite_limits(module),
        "tables": tuple(header_tables(module, printer)),
        "tolerances": comment_lines(tolerance_lines(module, printer)),
        "parameters": tuple(
            {
                "name": names.parameters[item.name],
                "default": printer.literal(item.default),
                "comment": c_comment(" ".join(filter(None, (item.name, f"[{item.unit}]" if item.unit else "")))),
                "separator": ", \\" if place < len(module.parameters) else " \\",
            }
            for place, item in enumerate(module.parameters, start=1)
        ),
        "prototypes": tuple(
            {
                "returns": "int" if function.failures else "void",
                "symbol": names.c_symbol(function.name),
                "comment": function_comment(function),
                "formals": formals(module, function, f"{names.module}_restrict", ");"),
            }
            for function in module.functions
        ),
    }


def source_fields(module: LoweredModule, interface: str) -> dict[str, Any]:
    """The source of a module."""
    names = module.names
    printer = CPrinter(module.description.real, prefix=names.module)
    functions = tuple(
        view
        for function in module.functions
        if function.body is not None
        for view in _with_limbs(
            module,
            function,
            printer,
            function_views(
                module,
                function,
                function.body,
                printer,
                called=names.c_symbol(function.equal) if function.equal else "",
            ),
        )
    )
    runtime = tuple(runtime_text(module, file, printer) for file in module.runtime_files)
    sines = trigonometry_texts(module, functions)
    fixed = (*helper_texts(module, runtime), *sines)
    helpers = (*step_texts(module, step_functions(module), printer), *(placed(module, text, printer) for text in fixed))
    return {
        "name": names.module,
        "interface": interface,
        "hash_line": c_comment(_hash_line(module)),
        "includes": library_headers(module, (*helpers, *runtime)),
        "functions": functions,
        "tolerances": tolerance_views(module, printer),
        "helpers": helpers,
        "runtime": (*runtime, *(f"#undef {names.module}_FOUR" for _ in sines)),
        "limbs": _limbs_view(module),
    }


def _limbs_view(module: LoweredModule) -> dict[str, Any] | None:
    widths = tuple(sorted({width for each in module.functions if each.limbs for width in each.limbs.widths}))
    wide, middle, narrow = (size // (4 if module.description.real == "float" else 8) for size in REGISTERS)
    return {"widths": widths, "lanes_avx512": wide, "lanes_avx": middle, "lanes": narrow} if widths else None


def trigonometry_texts(module: LoweredModule, functions: Sequence[FunctionView]) -> tuple[str, ...]:
    """What computes sines and cosines, where a function calls it, with ``MODEL_`` before all names."""
    prefix = f"{module.names.module}_"
    called = any(f" {prefix}sincos(" in line for function in functions for line in function.lines)
    return (sincos_text(module.description.real, module.description.trigonometry, "MODEL_"),) * called


def library_headers(module: LoweredModule, texts: Sequence[str]) -> tuple[str, ...]:
    """Headers of the C library that a source needs, fixed texts considered word by word."""
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    mathematics = module.is_guarded or bool(_called(module) - {"select", "sign"})
    needed = {
        "math.h": mathematics or bool(module.runtime_files),
        "stdbool.h": not words.isdisjoint(("bool", "true", "false")),
        "stddef.h": "NULL" in words,
        "stdint.h": not words.isdisjoint(("uint32_t", "uint64_t")),
        "string.h": "memcpy" in words,
        "float.h": "FLT_EVAL_METHOD" in words,
    }
    return tuple(header for header, is_needed in needed.items() if is_needed)


def _called(module: LoweredModule) -> set[str]:
    """Functions of the library that any derived function or step calls."""
    bodies = [function.body for function in module.functions if function.body is not None]
    bodies += [step.body for body in bodies for step in body.steps]
    return {name for body in bodies for name in body.calls}


def _hash_line(module: LoweredModule) -> str:
    digest = module.description.model_sha256
    return f"model sha256 {digest}" if digest else "equations of a mechanism"


def function_views(
    module: LoweredModule,
    function: ModuleFunction,
    body: LoweredFunction,
    printer: CPrinter,
    symbol: str = "",
    called: str = "",
) -> tuple[FunctionView, ...]:
    """A function, after the parts or steps that it calls.

    Args:
        module: that it belongs to.
        function: what is printed.
        body: of it.
        printer: of expressions.
        symbol: under which it is known, if that is not its own.
        called: symbol of one that computes the same, which it calls instead.
    """
    symbol = symbol or module.names.c_symbol(function.name)
    if body.steps:
        return _with_steps(module, function, body, printer, symbol)
    cost = operation_line(function.operations)
    outer = formals(module, function, "restrict", ")", printer.kind)
    if called:
        actual = (*["parameters"] * module.takes_parameters(function), *function.identifiers)
        call = f"{INDENT}{called}({', '.join(actual)});"
        return (FunctionView("", "void", symbol, cost, outer, (call,)),)
    front = _front(module, function, body, printer)
    body = front.body
    parts = split(body)
    returns = "int" if function.guards else "void"
    before, after = guard_declaration(module, function), verdict_lines(module, function, printer)
    if parts is None:
        lines = (*before, *body_lines(module, function, front, printer, ()), *after)
        return (FunctionView("", returns, symbol, cost, outer, lines),)
    names = shared_names(module, function, body)
    shared = names.shared
    real = f"{module.names.module}_{printer.kind}"
    array = f"{real} {shared}[restrict {parts.shared}]"
    views, calls = [], []
    scope = module.names.outside()
    for number, part in enumerate(parts.parts, start=1):
        name = scope.claim(f"{symbol}_part{number}")
        if isinstance(part, Loop):
            takes, gives = [array], [shared]
            lines = loop_lines(part, module.names.module, names, printer)
        else:
            takes, gives = _part_arguments(module, function, part, front, printer)
            if part.shares:
                takes.append(array)
                gives.append(shared)
            lines = part_lines(module, part, shared, printer)
        about = f"{function.identifier}, part {number} of {len(parts.parts)}: {part.operations} operations"
        views.append(FunctionView("static ", "void", name, about, closed(takes), lines))
        calls.append(f"{INDENT}{name}({', '.join(gives)});")
    declaration = (f"{INDENT}{real} {shared}[{parts.shared}]; /* what the parts hand on */", "")
    unused = tuple(f"{INDENT}(void){identifier};" for identifier in unused_arguments(module, function, body))
    opening = (*unused, *parameter_lines(module, front.names, real), *front.lines(module.names.module, printer))
    whole = (*opening, *before, *(declaration if parts.shared else ()), *calls, *after)
    return (*views, FunctionView("", returns, symbol, cost, outer, whole))


def _with_limbs(
    module: LoweredModule, function: ModuleFunction, printer: CPrinter, straight: tuple[FunctionView, ...]
) -> tuple[FunctionView, ...]:
    """A function with its limbs side by side, and otherwise straight."""
    if function.limbs is None or function.body is None:
        return straight
    scope = module.names.inside((*module.names.inner.values(), *function.identifiers))
    limbs, front = limbs_in_front(function.limbs, function.body, scope, module.description.trigonometry)
    # GCC keeps vectors that are wider than registers in memory. Long functions, and those whose sines come in vectors,
    # are still faster by more than that costs as long as two registers hold one: docs/limbs.md.
    is_long = bool(front.angles) or function.body.operations.arithmetic > LONG
    least = max(limbs.widths[-1] // (2 if is_long else 1), WIDTHS[0])
    own = replace(
        straight[-1],
        operations=limbs.counted,
        lines=limb_lines(module, function, limbs, front, printer),
        before=f"#if {module.names.module}_LIMBS >= {least}",
    )
    views = [own, *straight]
    views[1] = replace(views[1], before="#else")
    views[-1] = replace(views[-1], after="#endif")
    return tuple(views)


def _with_steps(
    module: LoweredModule, function: ModuleFunction, body: LoweredFunction, printer: CPrinter, symbol: str
) -> tuple[FunctionView, ...]:
    """A function with loops, after the steps that they call."""
    scope = module.names.outside()
    views: list[FunctionView] = []
    symbols: list[str] = []
    for step in body.steps:
        own = replace(
            function,
            name=f"{function.name}_{step.name}",
            identifier=f"{function.identifier}_{step.name}",
            arguments=step.arguments,
            identifiers=step.identifiers,
            body=step.body,
        )
        symbols.append(scope.claim(f"{symbol}_{step.name}"))
        *parts, last = function_views(module, own, step.body, printer, symbols[-1])
        views += [*parts, replace(last, storage="static ")]
    lines = body_lines(module, function, Front(body, ()), printer, symbols)
    heads = formals(module, function, "restrict", ")")
    return (*views, FunctionView("", "void", symbol, operation_line(function.operations), heads, lines))


def shared_names(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> SharedNames:
    """Free names for what the parts of a function share."""
    temporaries = [assignment.identifier for block in body.blocks for assignment in block.assignments]
    parameters, inner = module.names.parameters.values(), module.names.inner.values()
    scope = module.names.inside((*inner, *function.identifiers, *parameters, *temporaries))
    return SharedNames(scope.claim("shared"), scope.claim("lane"), scope.claim("numbers"))


def _part_arguments(
    module: LoweredModule, function: ModuleFunction, part: Part, front: Front, printer: CPrinter
) -> tuple[list[str], list[str]]:
    """Formal and actual arguments of a part: those of the whole function that it uses."""
    real = f"{module.names.module}_{printer.kind}"
    takes, gives = [], []
    if part.used & set(module.names.parameters.values()):
        takes.append(structure_formal(module, printer.kind))
        gives.append("parameters")
    guarded = [(guard_array(function), module.names.inner[GUARDED])] if function.guards else []
    for item, identifier in [*function.paired, *guarded, *front.arrays]:
        if identifier in part.used:
            takes.append(formal(item, identifier, real, "restrict"))
            gives.append(identifier)
    return takes, gives


def _front(module: LoweredModule, function: ModuleFunction, body: LoweredFunction, printer: CPrinter) -> Front:
    """The body with its sines and cosines taken out where that is asked for, and for vectors always."""
    way = module.description.trigonometry if printer.kind == "real" else "inline"
    parameters, inner = module.names.parameters.values(), module.names.inner.values()
    return in_front(body, module.names.inside((*inner, *function.identifiers, *parameters)), way)
