"""A module in JavaScript, for browsers and node: what its template is filled with.

JavaScript is printed and not run by mbsym: its numbers are doubles whatever the module's are, loops over tables of
calls are written out, and what iterates comes from the texts that C and NumPy come from. Its routines have C's loops
over flat arrays, which are Float64Arrays, and records that are objects.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any, ClassVar, Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.c.formals import comment_lines, function_comment
from mbsym.codegen.c.routine_functions import CFunction, CNames
from mbsym.codegen.description import GUARDED, GeneratedFile, ModuleDescription
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.expressions import operands
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction, arrays, lower_module, step_functions
from mbsym.codegen.printer import ExpressionPrinter, Item, double_literal
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.module import routine_of
from mbsym.codegen.routines.printer import INDENT
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.codegen.text import WIDTH, c_comment, plain_line, wrapped
from mbsym.symbolic.given_functions import StepFunction
from mbsym.symbolic.unroll import unrolled

_WORDS: Final = """
    arguments await case catch class const debugger default delete do enum eval export extends finally function
    implements import in instanceof interface let new null package private protected public return static super switch
    this throw try typeof undefined var void with yield
"""
WORDS: Final = frozenset(_WORDS.split())
"""Words that no name may be."""

_ARRAYS: Final[Mapping[str, str]] = {"int": "Int32Array", "real": "Float64Array"}
_BLANK: Final[Mapping[str, str]] = {"int": "0", "bool": "false", "real": "0"}
_NAMED: Final[Mapping[str, str]] = {"isfinite": "Number.isFinite", "int": "Math.trunc"}


def print_javascript(routine: Routine, has_parameters: bool) -> str:
    """The text of a routine, in which public functions keep their names and others bear the routine's before theirs.

    Args:
        routine: with its sizes decided.
        has_parameters: True where derived functions take the object of parameters first.
    """
    names = _Names(routine, "", "double", has_parameters)
    own = {name: value for name, value in routine.numbers.items() if name not in routine.module}
    texts = ["\n".join(f"const {names.own_prefix}{name} = {value!r};" for name, value in own.items())] * bool(own)
    texts += [names.maker(record) for record in routine.records.values()]
    return "\n\n".join([*texts, *map(names.definition, routine.functions)])


def made(array: ex.Array) -> str:
    """An array of zeros."""
    return f"new {_ARRAYS[array.kind]}({array.size})"


def _spelled(name: str) -> str:
    return f"{name}_" if name in WORDS else name


class _Names(CNames):
    """What all functions of a routine in one module call things."""

    def own_array(self, array: ex.Array) -> str:
        return f"const {_spelled(array.name)} = {made(array)};"

    def record(self, record: st.Record) -> str:
        """The name of the function that makes a record."""
        return f"{self.own_prefix}{record.name}"

    def maker(self, record: st.Record) -> str:
        """The function that makes a record."""
        comments = dict(record.comments)
        lines = [f"/* {c_comment(record.documentation)} */"] * bool(record.documentation)
        lines += [f"function {self.record(record)}() {{", f"{INDENT}return {{"]
        for item in record.fields:
            value = made(item) if item.extents else _BLANK[item.kind]
            note = f" // {comments[item.name]}" if item.name in comments else ""
            lines.append(f"{INDENT * 2}{item.name}: {value},{note}")
        return "\n".join([*lines, f"{INDENT}}};", "}"])

    def definition(self, function: st.Function) -> str:
        """A function with its comment."""
        takes = function.name in self.with_parameters or (function.is_public and self.has_parameters)
        formals = ["parameters"] * takes + [_spelled(item.name) for item in function.formals]
        formals += ["work"] * (function.name in self.with_work)
        formals += ["result"] * isinstance(function.returns, int)
        lines = [f"/* {c_comment(function.documentation)} */"] * bool(function.documentation)
        lines.append(f"function {self.symbol(function)}({', '.join(formals)}) {{")
        return "\n".join([*lines, *self._body(function, set(formals)), "}"])

    def _body(self, function: st.Function, formals: set[str]) -> list[str]:
        printer = _Function(self, function)
        printer.block(function.body)
        mentioned = set(re.findall(r"\w+", "\n".join(line for line in printer.lines if "/*" not in line)))
        lines, place = [], 0
        for array in self.routine.memory:
            if array.name in mentioned:
                lines.append(f"{INDENT}const {array.name} = work.subarray({place}, {place + array.size});")
            place += array.size
        lines += [
            f"{INDENT}const {name} = {self.record(record)}();"
            for name, record in function.records.items()
            if name not in formals
        ]
        lines += [f"{INDENT}{self.own_array(array)}" for array in function.own if _spelled(array.name) in mentioned]
        return [*lines, *printer.lines]


class _Function(CFunction):
    INDEX: ClassVar[str] = "let"
    IGNORED: ClassVar[str] = ""

    def declared(self, name: str) -> str:
        return self.declared_number(name, stays=False)

    def declared_number(self, name: str, *, stays: bool) -> str:
        return f"{'const' if stays else 'let'} {_spelled(name)}"

    def _started(self, name: str) -> str:
        return self.declared_number(name, stays=name in self.scopes.once) if name in self.started else _spelled(name)

    def member(self, record: str) -> str:
        return f"{record}."

    def format_record(self, node: ex.RecordName, items: Sequence[Item] = ()) -> str:
        return node.name

    def variable(self, node: ex.Variable) -> str:
        return f"{node.record}.{node.identifier}" if node.record else _spelled(node.identifier)

    def array(self, array: ex.Array) -> str:
        return _spelled(super().array(array))

    def place(self, node: ex.Place, items: Sequence[Item]) -> str:
        offset = str(self.offset(node, items))
        if not node.axes or items:
            return f"{self.array(node.array)}[{offset}]"
        return self.array(node.array) if offset == "0" else f"{self.array(node.array)}.subarray({offset})"

    def call(self, node: ex.Call, items: Sequence[Item] = ()) -> str:
        name = node.function
        if name not in (*_NAMED, "real", "abs", "min", "sqrt", "sin", "cos"):
            return super().call(node, items).removeprefix(self.style.own_prefix * (name == "peak"))
        texts = [self.expression(each, 0, items) for each in node.arguments]
        return texts[0] if name == "real" else f"{_NAMED.get(name, f'Math.{name}')}({', '.join(texts)})"

    def product(self, node: ex.MatrixProduct) -> str:
        return super().product(node).removeprefix(self.style.own_prefix)


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


def render_javascript(module: LoweredModule) -> tuple[GeneratedFile, ...]:
    """NAME.mjs."""
    fields = module_fields(module.description)
    return (GeneratedFile(f"{fields['name']}.mjs", render_template("javascript/module.mjs.jinja", **fields)),)


def enclosed(description: ModuleDescription) -> str:
    """A module as one expression, the object of what it offers, for scripts of pages."""
    fields = module_fields(description)
    body = render_template("javascript/body.js.jinja", **fields)
    return f"(() => {{\n{body}\nreturn {{{', '.join(fields['exported'])}}};\n}})()"


def module_fields(description: ModuleDescription) -> dict[str, Any]:
    """The module, lowered anew with JavaScript's own reserved words."""
    programs = tuple(map(unrolled, description.programs))
    module = lower_module(replace(description, real="double", programs=programs), RESERVED)
    values = (*_values(module), *_tables(module))
    routines = tuple(
        print_javascript(routine_of(module, file), bool(module.parameters)) for file in module.runtime_files
    )
    digest = description.model_sha256
    head = (f"model sha256 {digest}" if digest else "equations of a mechanism", *description.header, "", *CONVENTION)
    return {
        "name": module.names.module,
        "head": comment_lines(head),
        "values": (*values, *_of_tables(module)),
        "functions": tuple(
            {
                "name": function.identifier,
                "comment": function_comment(function),
                "formals": formals(module, function),
                "lines": function_lines(module, function, function.body),
            }
            for function in module.functions
            if function.body is not None
        ),
        "helpers": (
            *(fixed_text("javascript/pieces.js", ""),) * bool(step_functions(module)),
            *(fixed_text("javascript/statuses.js", ""),) * module.is_guarded,
            *(fixed_text("javascript/routines.js", ""),) * bool(routines),
            *routines,
        ),
        "exported": tuple(sorted((*(item.name for item in values), *(item.identifier for item in module.functions)))),
    }


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


ZERO: Final = double_literal(Fraction(0))
FEW_ZEROS: Final = 4
"""Entries of a result that are zero, of which more are written at once."""


class JavaScriptPrinter(ExpressionPrinter):
    """Prints for numbers, which are doubles."""

    WORDS: ClassVar[Mapping[str, str]] = {"and": "&&", "or": "||", "not": "!"}

    def number(self, value: Fraction | bool | int | float) -> str:
        return str(value).lower() if isinstance(value, bool) else double_literal(value)

    def call(self, node: ex.Call, items: Sequence[Item] = ()) -> str:
        """A function of the library, which has all of the graph's under their names."""
        if isinstance(node.function, StepFunction):
            return self.stepped(node.function, node.arguments[0])
        return f"Math.{node.function}({', '.join(map(self.expression, node.arguments))})"

    def entry(self, array: str, number: ex.Expression) -> str:
        return f"{array}[Math.trunc({self.expression(number)})]"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{test} ? {first} : {second}"

    def format_select(self, node: ex.Select, items: Sequence[Item] = ()) -> str:
        condition, positive, otherwise = map(self.expression, operands(node))
        return f"({self.choice(f'{condition} > 0', positive, otherwise)})"


def formals(module: LoweredModule, function: ModuleFunction) -> str:
    """What a function takes: the object of parameters, inputs, and arrays that it fills."""
    return ", ".join((*["parameters"] * module.takes_parameters(function), *function.identifiers))


def function_lines(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> tuple[str, ...]:
    """The statements of a function."""
    printer = JavaScriptPrinter()
    if function.equal:
        return (f"{INDENT}{module.names.functions[function.equal]}({formals(module, function)});",)
    lines = [
        f"{INDENT}const {identifier} = parameters.{identifier};"
        for identifier in module.names.parameters.values()
        if identifier in body.used
    ]
    if function.guards:
        lines.append(f"{INDENT}const {module.names.inner[GUARDED]} = new Float64Array({len(function.guards)});")
    for block in body.blocks:
        lines += ["", f"{INDENT}// {c_comment(block.title)}"] if block.title else []
        lines += [
            _statement(f"const {item.identifier}", printer.expression(item.expression)) for item in block.assignments
        ]
    lines += [""] * bool(lines)
    for result in body.results:
        texts = list(map(printer.expression, result.entries))
        kept = {k: text for k, text in enumerate(texts) if text != ZERO}
        if len(texts) - len(kept) <= FEW_ZEROS:
            kept = dict(enumerate(texts))
        else:
            lines.append(f"{INDENT}{result.identifier}.fill(0, 0, {len(texts)});")
        lines += (_statement(f"{result.identifier}[{k}]", text) for k, text in kept.items())
    return (*lines, *_verdict(module, function))


def _statement(target: str, text: str) -> str:
    before = f"{INDENT}{target} = "
    return f"{before}{wrapped(text, first=len(before) + 1, following=INDENT * 2)};"


def _verdict(module: LoweredModule, function: ModuleFunction) -> list[str]:
    """The end of a function that can fail."""
    if not function.guards:
        return []
    needs = ", ".join(f'["{guard.need}", {guard.size!r}]' for guard in function.guards)
    given = [x if item.shape else f"[{x}]" for item, x in function.paired if item.direction == "in"]
    found = [x for item, x in function.paired if item.direction == "out"]
    actual = f"{module.names.inner[GUARDED]}, [{', '.join(given)}], [{', '.join(found)}]"
    text = wrapped(f"settled([{needs}], {actual})", first=12, following=INDENT * 2)
    return ["", f"{INDENT}return {text};"]
