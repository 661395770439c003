"""A module in JavaScript, for browsers and node: what its template is filled with.

JavaScript is printed and not run by mbsym: its numbers are doubles whatever the module's are, loops over tables of
calls are written out, and what iterates comes from the texts that C and NumPy come from.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

from mbsym.codegen.c.comments import comment_lines, function_comment
from mbsym.codegen.description import GeneratedFile, ModuleDescription
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.javascript.functions import formals, function_lines
from mbsym.codegen.javascript.routines import WORDS, print_javascript
from mbsym.codegen.lowered_module import LoweredModule, lower_module
from mbsym.codegen.printer import double_literal
from mbsym.codegen.routines.module import routine_of
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.codegen.step_functions import arrays, step_functions
from mbsym.codegen.text import WIDTH, plain_line, wrapped
from mbsym.symbolic.unroll import unrolled
from mbsym.version import __version__

RESERVED: Final = WORDS | {
    "Infinity", "NaN", "Math", "Number", "Float64Array", "Int32Array", "finite", "dot", "peak", "settled", "work",
    "result", "VANISHES", "default_parameters", *(status.name for status in Status),
}  # fmt: skip
"""Words that are none in the other languages, and what modules and their functions call what is their own."""

CONVENTION: Final = (
    "Functions take the object of parameters, if there are any, then inputs, then arrays that they fill:",
    "Float64Arrays, row-major, and Int32Arrays of integers. Those that can fail return a status. Numbers are doubles.",
)


@dataclass(frozen=True, slots=True)
class ValueView:
    """A number or table with the lines that say what it is."""

    name: str
    text: str
    comment: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A derived function."""

    name: str
    comment: tuple[str, ...]
    formals: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleContext:
    """Fields of ``javascript/module.mjs.jinja`` and ``javascript/body.js.jinja``."""

    version: str
    name: str
    head: tuple[str, ...]
    values: tuple[ValueView, ...]
    functions: tuple[FunctionView, ...]
    fixed: tuple[str, ...]
    exported: tuple[str, ...]


def render_javascript(module: LoweredModule) -> tuple[GeneratedFile, ...]:
    """NAME.mjs."""
    context = module_context(module.description)
    return (GeneratedFile(f"{context.name}.mjs", render_template("javascript/module.mjs.jinja", context)),)


def enclosed(description: ModuleDescription) -> str:
    """A module as one expression, the object of what it offers, for scripts of pages."""
    context = module_context(description)
    body = render_template("javascript/body.js.jinja", context)
    return f"(() => {{\n{body}\nreturn {{{', '.join(context.exported)}}};\n}})()"


def module_context(description: ModuleDescription) -> ModuleContext:
    """The module, lowered anew with JavaScript's own reserved words."""
    programs = tuple(map(unrolled, description.programs))
    module = lower_module(replace(description, real="double", programs=programs), RESERVED)
    values = (*_values(module), *_tables(module))
    routines = tuple(
        print_javascript(routine_of(module, file), bool(module.parameters)) for file in module.runtime_files
    )
    digest = description.model_sha256
    head = (f"model sha256 {digest}" if digest else "equations of a mechanism", *description.header, "", *CONVENTION)
    return ModuleContext(
        version=__version__,
        name=module.names.module,
        head=comment_lines(head),
        values=(*values, *_of_tables(module)),
        functions=tuple(
            FunctionView(
                function.identifier,
                function_comment(function),
                formals(module, function),
                function_lines(module, function, function.body),
            )
            for function in module.functions
            if function.body is not None
        ),
        fixed=(
            *(fixed_text("javascript/pieces.js", ""),) * bool(step_functions(module)),
            *(fixed_text("javascript/statuses.js", ""),) * module.is_guarded,
            *(fixed_text("javascript/routines.js", ""),) * bool(routines),
            *routines,
        ),
        exported=tuple(sorted((*(item.name for item in values), *(item.identifier for item in module.functions)))),
    )


def _comment(text: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(plain_line(text), WIDTH))


def _values(module: LoweredModule) -> Iterator[ValueView]:
    """Sizes, statuses, tolerances and parameters."""
    for name, value in module.description.constants.items():
        yield ValueView(module.names.constants[name], str(int(value)))
    for status in Status if module.can_fail else ():
        yield ValueView(status.name, str(int(status)), _comment(SENTENCES[status]))
    for tolerance in module.tolerances:
        measure = f"{tolerance.measure}. " * (not isinstance(tolerance.double, int))
        yield ValueView(tolerance.name, repr(tolerance.double), _comment(f"{measure}{tolerance.reason}"))
    if module.parameters:
        defaults = {module.names.parameters[item.name]: double_literal(item.default) for item in module.parameters}
        text = ", ".join(f"{name}: {value}" for name, value in defaults.items())
        yield ValueView("default_parameters", f"{{{text}}}")


def _of_tables(module: LoweredModule) -> Iterator[ValueView]:
    """Numbers of the model's tables, which are not offered."""
    for name, numbers in arrays(step_functions(module)).items():
        text = wrapped(", ".join(map(repr, numbers)), first=len(name) + 12, following="    ")
        yield ValueView(f"_{name}", f"[{text}]")


def _tables(module: LoweredModule) -> Iterator[ValueView]:
    """Where things stand, limits, and rows and columns of compressed matrices."""
    for item in module.description.indices:
        yield ValueView(item.name, json.dumps(dict(item.places)), _comment(item.sentence))
    for title, limits in module.description.limits.items():
        entries = (repr(x) if isfinite(x) else "Infinity" if x > 0 else "-Infinity" for x in limits)
        yield ValueView(title, f"[{', '.join(entries)}]")
    for title, numbers in module.description.index_arrays.items():
        yield ValueView(module.names.index_arrays[title], json.dumps(list(numbers)))
