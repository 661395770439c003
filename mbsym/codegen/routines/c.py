"""Routines in C99: static functions without allocation; scratch memory is the argument ``work``."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from mbsym.codegen.routines.expressions import ATOM, Place, Sum, Vector
from mbsym.codegen.routines.language import Array, Formal, Routine, RoutineFunction, Signature
from mbsym.codegen.routines.statements import INDENT, FunctionPrinter
from mbsym.codegen.text import c_comment, wrapped

_ENTRY: Final = "item"
_TYPES: Final = {"int": "int", "bool": "bool"}


def print_c(
    routine: Routine, prefix: str, heads: Mapping[str, tuple[str, ...]], real: str, has_parameters: bool
) -> str:
    """The text of a routine.

    Args:
        routine: with its sizes decided.
        prefix: of every symbol, with its underscore.
        heads: formal arguments of the public functions, the last with what closes the list.
        real: "double" or "float".
        has_parameters: True where derived functions take the structure of parameters first.
    """
    style = _Style(routine, prefix, real, has_parameters)
    lines = list(style.constants())
    prototypes, bodies = [], []
    for function in routine.functions:
        head = heads.get(function.name)
        if head is None:
            prototypes.append(f"{style.static_head(function)};")
            opening = [*_broken(style.static_head(function)), "{"]
        else:
            returns = "int" if function.returns == "int" else "void"
            opening = [f"{returns} {prefix}{function.name}(", *(f"{INDENT}{formal}" for formal in head), "{"]
        comment = [f"/* {text} */" for text in [c_comment(function.documentation)] if text]
        bodies.append("\n".join([*comment, *opening, *style.body(function), "}"]))
    if any(called == "dot" for function in routine.functions for called in function.calls):
        bodies.insert(0, style.dot())
    return "\n\n".join(["\n".join(lines)] * bool(lines) + bodies)


def _broken(line: str, following: str = INDENT * 2) -> list[str]:
    return wrapped(line, first=0, following=following).split("\n")


class _Style:
    """What all functions of a routine in one module share."""

    def __init__(self, routine: Routine, prefix: str, real: str, has_parameters: bool) -> None:
        self.routine, self.prefix, self.real, self.has_parameters = routine, prefix, real, has_parameters
        self.type = f"{prefix}real"
        self.own_prefix = f"{prefix}{routine.name}_"
        names = [array.name for array in routine.memory]
        self.with_work = routine.reaching([f.name for f in routine.functions if f.is_public or _uses(f, names)])
        kernels = [f.name for f in routine.functions if f.calls & set(routine.kernels)]
        self.with_parameters = routine.reaching(kernels) if has_parameters else frozenset()

    def symbol(self, function: RoutineFunction) -> str:
        return f"{self.prefix if function.is_public else self.own_prefix}{function.name}"

    def number(self, value: float) -> str:
        return f"{float(value)!r}{'f' if self.real == 'float' else ''}"

    def constants(self) -> Sequence[str]:
        """The integers; other numbers stand in the functions that use them."""
        numbers = self.routine.numbers.items()
        entries = [f"{self.own_prefix}{name} = {value}" for name, value in numbers if isinstance(value, int)]
        if not entries:
            return []
        return ["enum {", *(f"{INDENT}{entry}," for entry in entries[:-1]), f"{INDENT}{entries[-1]}", "};"]

    def formal(self, item: Formal) -> str:
        if item.array is None:
            return f"{_TYPES.get(item.kind or '', self.type)} {item.name}"
        return f"{'' if item.array.writable else 'const '}{self.type} *{item.name}"

    def static_head(self, function: RoutineFunction) -> str:
        formals = [f"const {self.prefix}parameters *parameters"] if function.name in self.with_parameters else []
        formals += [self.formal(item) for item in function.formals]
        formals += [f"{self.type} *work"] if function.name in self.with_work else []
        formals += [f"{self.type} *result"] if isinstance(function.returns, int) else []
        returns = {**_TYPES, "real": self.type}.get(str(function.returns), "void")
        return f"static {returns} {self.symbol(function)}({', '.join(formals) or 'void'})"

    def dot(self) -> str:
        return "\n".join(
            [
                *_broken(
                    f"static {self.type} {self.own_prefix}dot(const {self.type} *a, const {self.type} *b, int size)"
                ),
                "{",
                f"    {self.type} total = {self.number(0)};",
                "    int k;",
                "    for (k = 0; k < size; ++k) {",
                "        total += a[k] * b[k];",
                "    }",
                "    return total;",
                "}",
            ]
        )

    def body(self, function: RoutineFunction) -> list[str]:
        printer = _CFunction(self, function)
        printer.block(function.body)
        mentioned = printer.mentioned()
        text = "\n".join(printer.lines)
        lines = [
            f"{INDENT}const {self.type} {self.own_prefix}{name} = {self.number(value)};"
            for name, value in self.routine.numbers.items()
            if not isinstance(value, int) and re.search(rf"\b{self.own_prefix}{name}\b", text)
        ]
        place = 0
        for array in self.routine.memory:
            if array.name in mentioned:
                lines.append(f"{INDENT}{self.type} *const {array.name} = {f'&work[{place}]' if place else 'work'};")
                mentioned.add("work")
            place += array.size
        formals = {item.name for item in function.formals}
        lines += [
            f"{INDENT}{_TYPES.get(kind, self.type)} {name};"
            for name, kind in sorted(printer.kinds.items(), key=lambda item: ("int", "bool", "real").index(item[1]))
            if name not in formals
        ]
        lines += [f"{INDENT}{self.type} {array.name}[{max(array.size, 1)}];" for array in printer.own.values()]
        lines += [f"{INDENT}const {self.type} *{name};" for name in printer.views]
        hidden = ["parameters"] * (
            function.name in self.with_parameters or (function.is_public and self.has_parameters)
        )
        hidden += ["work"] * (function.name in self.with_work)
        unused = [name for name in (*hidden, *(item.name for item in function.formals)) if name not in mentioned]
        return [*lines, *(f"{INDENT}(void){name};" for name in unused), *printer.lines]


def _uses(function: RoutineFunction, names: Sequence[str]) -> bool:
    found = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    return not found.isdisjoint(names)


class _CFunction(FunctionPrinter):
    END: ClassVar[str] = ";"
    WORDS: ClassVar[Mapping[str, str]] = {"and": "&&", "or": "||", "not": "!"}

    def __init__(self, style: _Style, function: RoutineFunction) -> None:
        super().__init__(style.routine, function)
        self.style = style

    def broken(self, indent: str, text: str) -> list[str]:
        return _broken(indent + text, following=indent + INDENT)

    def _offset(self, place: Place) -> Sum:
        offset = Sum("")
        for index, extent in zip(place.indices, place.array.extents, strict=False):
            offset = offset.times(extent).plus(index)
        rest = 1
        for extent in place.array.extents[len(place.indices) :]:
            rest *= extent
        return offset.times(rest).plus(place.start)

    def entry(self, place: Place, index: str) -> str:
        return f"{place.array.name}[{self._offset(place).plus(_sum(index))}]"

    def address(self, place: Place) -> str:
        offset = self._offset(place)
        return place.array.name if offset == Sum("") else f"&{place.array.name}[{offset}]"

    def literal(self, value: bool | int | float) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        return self.style.number(value) if isinstance(value, float) else str(value)

    def named(self, name: str) -> str:
        return f"{self.style.own_prefix}{name}"

    def converted(self, text: str) -> str:
        return f"({self.style.type}){text}"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{test} ? {first} : {second}"

    def elementary(self, name: str, argument: str) -> str:
        if name == "int":
            return f"(int){argument}" if re.fullmatch(r"\w+(\[[^\]]*\])?", argument) else f"(int)({argument})"
        if name == "isfinite":
            return f"isfinite({argument})"
        return f"{'fabs' if name == 'abs' else name}{'f' if self.style.real == 'float' else ''}({argument})"

    def dot(self, first: Place, second: Place) -> str:
        return f"{self.style.own_prefix}dot({self.address(first)}, {self.address(second)}, {first.length})"

    def called(self, function: RoutineFunction, arguments: Sequence[str]) -> str:
        return f"{self.style.symbol(function)}({', '.join(self._with_hidden(function.name, arguments))})"

    def _with_hidden(self, name: str, arguments: Sequence[str]) -> list[str]:
        function = self.routine.function(name)
        takes_parameters = name in self.style.with_parameters or (
            self.style.has_parameters and (function is None or function.is_public)
        )
        takes_work = name in self.style.with_work
        return [*["parameters"] * takes_parameters, *arguments, *["work"] * takes_work]

    def begin(self, word: str, condition: str) -> None:
        if word == "elif":
            self.depth -= 1
            self.write(f"}} else if ({condition}) {{")
        else:
            self.write(f"{word} ({condition}) {{")
        self.depth += 1

    def begin_loop(self, name: str, start: str, stop: str, down: bool) -> None:
        compare, step = (">", "--") if down else ("<", "++")
        self.write(f"for ({name} = {start}; {name} {compare} {stop}; {step}{name}) {{")
        self.depth += 1

    def otherwise(self) -> None:
        self.depth -= 1
        self.write("} else {")
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self.write("}")

    def fill(self, target: Place | Array, operator: str, vector: Vector) -> None:
        place = _whole(target)
        if vector.length == Sum(""):
            return
        if vector.length == Sum("", 1):
            entries = [self.entry(part, "0") for part in vector.places]
            self.write(f"{self.entry(place, '0')} {operator} {vector.text.format(*entries)};")
            return
        entries = [self.entry(part, _ENTRY) for part in vector.places]
        self.write(f"for (int {_ENTRY} = 0; {_ENTRY} < {vector.length}; ++{_ENTRY}) {{")
        self.depth += 1
        self.write(f"{self.entry(place, _ENTRY)} {operator} {vector.text.format(*entries)};")
        self.close()

    def invoke(
        self, targets: Sequence[Place | Array], operator: str, name: str, signature: Signature, arguments: Sequence[str]
    ) -> None:
        function = self.routine.function(name)
        symbol = self.style.symbol(function) if function is not None else f"{self.style.prefix}{name}"
        places = [_whole(target) for target in targets]
        actual = self._with_hidden(name, arguments)
        if operator == "=":
            self.write(f"{symbol}({', '.join([*actual, *map(self.address, places)])});")
            return
        size = Sum("", places[0].length.number)
        share = Array("share", (size.number,), writable=True)
        self.write("{")
        self.depth += 1
        self.write(f"{self.style.type} share[{size}];")
        self.write(f"{symbol}({', '.join([*actual, 'share'])});")
        self.fill(places[0], operator, Vector("{}", ATOM, (_whole(share),), size))
        self.close()

    def look(self, view: Array, place: str) -> None:
        self.write(f"{view.name} = {place};")

    def give_back(self, value: ast.expr) -> None:
        size = self.function.returns
        assert isinstance(size, int)
        result = Array("result", (size,), writable=True)
        found = self.callee(value)
        if found is not None:
            name, signature, arguments = found
            self.invoke([result], "=", name, signature, self.actual(value, name, signature, arguments))
        else:
            self.fill(result, "=", self.vector(value))
        self.write("return;")

    def remark(self, text: str) -> None:
        self.write(f"/* {c_comment(text)} */")


def _sum(text: str) -> Sum:
    return Sum("", int(text)) if text.lstrip("-").isdigit() else Sum(text)


def _whole(target: Place | Array) -> Place:
    if isinstance(target, Place):
        return target
    return Place(target, (), Sum(""), Sum("", target.size), is_part=False)
