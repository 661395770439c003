"""Routines in C99: static functions without allocation; scratch memory is the argument ``work``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from mbsym.codegen.c.routine_functions import CFunction, CNames, broken
from mbsym.codegen.description import Real
from mbsym.codegen.expressions import Array
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.printer import INDENT
from mbsym.codegen.statements import Formal, Function, Record
from mbsym.codegen.text import WIDTH, c_comment


def print_c(
    routine: Routine, prefix: str, heads: Mapping[str, tuple[str, ...]], real: Real, has_parameters: bool
) -> str:
    """The text of a routine.

    Args:
        routine: with its sizes decided.
        prefix: of every symbol, with its underscore.
        heads: formal arguments of the public functions, the last with what closes the list.
        real: "double" or "float".
        has_parameters: True where derived functions take the structure of parameters first.
    """
    return CStyle(routine, prefix, heads, real, has_parameters).text()


class CStyle(CNames):
    """What all functions of a routine in one module share."""

    def __init__(
        self, routine: Routine, prefix: str, heads: Mapping[str, tuple[str, ...]], real: Real, has_parameters: bool
    ) -> None:
        super().__init__(routine, prefix, real, has_parameters)
        self.heads = heads

    def text(self) -> str:
        """All of it."""
        chunks = ["\n".join(self.constants())] if self.constants() else []
        chunks += [self.structure(record) for record in self.routine.records.values()]
        definitions = "\n\n".join(self.definition(function) for function in self.routine.functions)
        chunks += self.helpers(definitions)
        return "\n\n".join([*chunks, definitions])

    def definition(self, function: Function) -> str:
        """A function with its comment."""
        head = self.heads.get(function.name)
        if head is None:
            opening = [*self.static_head(function), "{"]
        else:
            returns = "int" if function.returns == "int" else "void"
            opening = [f"{returns} {self.prefix}{function.name}(", *(f"{INDENT}{formal}" for formal in head), "{"]
        # The end of a comment does not stand alone.
        words = f"/* {c_comment(function.documentation)} */".replace(" */", "\N{NO-BREAK SPACE}*/")
        comment = [
            line.replace("\N{NO-BREAK SPACE}", " ") for line in textwrap.wrap(words, WIDTH, subsequent_indent=" * ")
        ]
        return "\n".join([*comment * bool(function.documentation), *opening, *self.body(function), "}"])

    def record(self, record: Record) -> str:
        """The name of a structure."""
        return f"{self.prefix}{record.name.lower()}"

    def constants(self) -> Sequence[str]:
        """The integers; other numbers stand in the functions that use them."""
        numbers = [(name, x) for name, x in self.routine.numbers.items() if name not in self.routine.module]
        entries = [f"{self.own_prefix}{name} = {value}" for name, value in numbers if isinstance(value, int)]
        if not entries:
            return []
        return ["enum {", *(f"{INDENT}{entry}," for entry in entries[:-1]), f"{INDENT}{entries[-1]}", "};"]

    def structure(self, record: Record) -> str:
        """The type of a record."""
        comments = dict(record.comments)
        members = []
        for item in record.fields:
            size = f"[{item.size}]" if item.extents else ""
            members.append((f"{INDENT}{self.field_type(record, item)} {item.name}{size};", comments.get(item.name, "")))
        width = max(len(text) for text, _ in members)
        lines = [f"{text:{width}} /* {c_comment(note)} */" if note else text for text, note in members]
        head = [f"/* {c_comment(record.documentation)} */"] * bool(record.documentation)
        name = self.record(record)
        return "\n".join([*head, f"typedef struct {name} {{", *lines, f"}} {name};"])

    def field_type(self, record: Record, item: Array) -> str:
        """The type of what a record holds."""
        return self.types[item.kind]

    def formal(self, item: Formal, function: Function) -> str:
        """An argument of a static function."""
        if item.record is not None:
            return f"{self.record(item.record)} *{item.name}"
        if item.array is None:
            return f"{self.types[item.kind or 'real']} {item.name}"
        return f"{'' if item.array.writable else 'const '}{self.types[item.array.kind]} *{item.name}"

    def formals(self, function: Function) -> list[str]:
        """The arguments of a static function."""
        formals = [f"const {self.parameters} *parameters"] if function.name in self.with_parameters else []
        formals += [self.formal(item, function) for item in function.formals]
        formals += [f"{self.type} *work"] if function.name in self.with_work else []
        return formals + ([f"{self.type} *result"] if isinstance(function.returns, int) else [])

    def returned(self, function: Function) -> str:
        """The type of a function's result."""
        return self.types.get(str(function.returns), "void")

    def static_head(self, function: Function) -> list[str]:
        """The head of a static function, on one line or with an argument a line."""
        formals = self.formals(function)
        line = f"static {self.returned(function)} {self.symbol(function)}({', '.join(formals) or 'void'})"
        if len(line) <= WIDTH:
            return [line]
        start, _, _ = line.partition("(")
        return [f"{start}(", *(f"{INDENT}{formal}," for formal in formals[:-1]), f"{INDENT}{formals[-1]})"]

    def helpers(self, text: str) -> list[str]:
        """Functions of the language that are functions in C, those that a text calls."""
        made = {"dot": self.dot, "min": self.least, "peak": self.peak}
        return [make() for name, make in made.items() if f"{self.own_prefix}{name}(" in text]

    def dot(self) -> str:
        """The inner product of vectors."""
        head = f"static {self.type} {self.own_prefix}dot(const {self.type} *a, const {self.type} *b, int size)"
        return "\n".join(
            [
                *broken(head),
                "{",
                f"    {self.type} total = {self.number(0)};",
                "    for (int k = 0; k < size; ++k) {",
                "        total += a[k] * b[k];",
                "    }",
                "    return total;",
                "}",
            ]
        )

    def least(self) -> str:
        """The smaller one of two numbers."""
        return "\n".join(
            [
                *broken(f"static {self.type} {self.own_prefix}min({self.type} a, {self.type} b)"),
                "{",
                "    return a < b ? a : b;",
                "}",
            ]
        )

    def peak(self) -> str:
        """The largest size of entries."""
        return "\n".join(
            [
                "/* The largest size of an entry. */",
                *broken(f"static {self.type} {self.own_prefix}peak(const {self.type} *x, int count)"),
                "{",
                f"    {self.type} most = {self.number(0)};",
                "    for (int k = 0; k < count; ++k) {",
                f"        const {self.type} size = {self.literals.library('abs')}(x[k]);",
                "        if (size > most) {",
                "            most = size;",
                "        }",
                "    }",
                "    return most;",
                "}",
            ]
        )

    def printer(self, function: Function) -> CFunction:
        """What prints the statements of a function."""
        return CFunction(self, function)

    def body(self, function: Function) -> list[str]:
        """Its declarations and statements."""
        printer = self.printer(function)
        printer.block(function.body)
        mentioned = set(re.findall(r"\w+", "\n".join(line for line in printer.lines if "/*" not in line)))
        lines = [
            f"{INDENT}const {self.type} {self.own_prefix}{name} = {self.number(value)};"
            for name, value in self.routine.numbers.items()
            if not isinstance(value, int) and f"{self.own_prefix}{name}" in mentioned
        ]
        place = 0
        for array in self.routine.memory:
            if array.name in mentioned:
                lines.append(f"{INDENT}{self.type} *const {array.name} = {f'&work[{place}]' if place else 'work'};")
                mentioned.add("work")
            place += array.size
        formals = {item.name for item in function.formals}
        lines += [
            f"{INDENT}{self.record(record)} {name};" for name, record in function.records.items() if name not in formals
        ]
        lines += [f"{INDENT}{self.own_array(array)}" for array in function.own if array.name in mentioned]
        takes = function.name in self.with_parameters or (function.is_public and self.has_parameters)
        hidden = ["parameters"] * takes + ["work"] * (function.name in self.with_work)
        unused = [name for name in (*hidden, *(item.name for item in function.formals)) if name not in mentioned]
        return [*lines, *(f"{INDENT}(void){name};" for name in unused), *printer.lines]
