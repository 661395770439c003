"""Routines in JavaScript: C's loops over flat arrays, which are Float64Arrays, and records that are objects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from mbsym.codegen.c.routine_functions import CFunction, CNames
from mbsym.codegen.expressions import Array, Call, MatrixProduct, Place, RecordName, Variable
from mbsym.codegen.printer import Item
from mbsym.codegen.routines.language import Routine, RoutineFunction
from mbsym.codegen.routines.printer import INDENT
from mbsym.codegen.statements import Record
from mbsym.codegen.text import c_comment

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


def made(array: Array) -> str:
    """An array of zeros."""
    return f"new {_ARRAYS[array.kind]}({array.size})"


def _spelled(name: str) -> str:
    return f"{name}_" if name in WORDS else name


class _Names(CNames):
    """What all functions of a routine in one module call things."""

    def own_array(self, array: Array) -> str:
        return f"const {_spelled(array.name)} = {made(array)};"

    def record(self, record: Record) -> str:
        """The name of the function that makes a record."""
        return f"{self.own_prefix}{record.name}"

    def maker(self, record: Record) -> str:
        """The function that makes a record."""
        comments = dict(record.comments)
        lines = [f"/* {c_comment(record.documentation)} */"] * bool(record.documentation)
        lines += [f"function {self.record(record)}() {{", f"{INDENT}return {{"]
        for item in record.fields:
            value = made(item) if item.extents else _BLANK[item.kind]
            note = f" // {comments[item.name]}" if item.name in comments else ""
            lines.append(f"{INDENT * 2}{item.name}: {value},{note}")
        return "\n".join([*lines, f"{INDENT}}};", "}"])

    def definition(self, function: RoutineFunction) -> str:
        """A function with its comment."""
        takes = function.name in self.with_parameters or (function.is_public and self.has_parameters)
        formals = ["parameters"] * takes + [_spelled(item.name) for item in function.formals]
        formals += ["work"] * (function.name in self.with_work)
        formals += ["result"] * isinstance(function.returns, int)
        lines = [f"/* {c_comment(function.documentation)} */"] * bool(function.documentation)
        lines.append(f"function {self.symbol(function)}({', '.join(formals)}) {{")
        return "\n".join([*lines, *self._body(function, set(formals)), "}"])

    def _body(self, function: RoutineFunction, formals: set[str]) -> list[str]:
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

    def format_record(self, node: RecordName, items: Sequence[Item] = ()) -> str:
        return node.name

    def variable(self, node: Variable) -> str:
        return f"{node.record}.{node.identifier}" if node.record else _spelled(node.identifier)

    def array(self, array: Array) -> str:
        return _spelled(super().array(array))

    def place(self, node: Place, items: Sequence[Item]) -> str:
        offset = str(self.offset(node, items))
        if not node.axes or items:
            return f"{self.array(node.array)}[{offset}]"
        return self.array(node.array) if offset == "0" else f"{self.array(node.array)}.subarray({offset})"

    def call(self, node: Call, items: Sequence[Item] = ()) -> str:
        name = node.function
        if name not in (*_NAMED, "real", "abs", "min", "sqrt", "sin", "cos"):
            return super().call(node, items).removeprefix(self.style.own_prefix * (name == "peak"))
        texts = [self.expression(each, 0, items) for each in node.arguments]
        return texts[0] if name == "real" else f"{_NAMED.get(name, f'Math.{name}')}({', '.join(texts)})"

    def product(self, node: MatrixProduct) -> str:
        return super().product(node).removeprefix(self.style.own_prefix)
