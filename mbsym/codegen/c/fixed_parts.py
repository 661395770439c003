"""Fixed parts of C files: the runtime's text with a module's names, arguments, type and tolerances in their places."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from textwrap import wrap
from typing import Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.formals import formal, formals, structure_formal
from mbsym.codegen.c.routines import print_c
from mbsym.codegen.c.tables import INDENT
from mbsym.codegen.environment import fixed_text
from mbsym.codegen.lowered_module import LoweredModule, arrays
from mbsym.codegen.routines.module import routine_file, routine_of
from mbsym.codegen.text import WIDTH, wrapped
from mbsym.symbolic.given_functions import PieceNumber, StepFunction

_MARK: Final = "MODEL_"
_INDENT: Final = "    "
_PUBLIC_HEAD: Final = re.compile(rf"^(int|void) {_MARK}(\w+)\([^{{;]*\)(?=\n\{{)", re.MULTILINE)
_STATIC_HEAD: Final = re.compile(rf"^static [^\n(]*{_MARK}\w+\([^{{;]*\)(?=\n\{{)", re.MULTILINE)


def runtime_text(module: LoweredModule, file: str, printer: CPrinter) -> str:
    """A routine printed in C, or else the fixed text of that name."""
    heads = {
        function.identifier: formals(module, function, "restrict", ")")
        for function in module.functions
        if function.fixed is not None and function.fixed.file == file
    }
    prefix = f"{module.names.module}_"
    if routine_file(file).is_file():
        return print_c(routine_of(module, file), prefix, heads, module.description.real, bool(module.parameters))
    return placed(module, fixed_text(f"c/{file}.c", _MARK), printer, heads)


def placed(
    module: LoweredModule,
    text: str,
    printer: CPrinter,
    heads: Mapping[str, tuple[str, ...]] | None = None,
    kind: str = "real",
) -> str:
    """A fixed text of a module: no macro is left of what it calls its type, arguments and tolerances.

    Args:
        module: that it joins.
        text: with ``MODEL_`` before all names.
        printer: of the module's floating-point type.
        heads: formal arguments of the functions that the module offers, by name and as its header has them.
        kind: what stands behind the prefix in the type of the arguments that the text passes on.
    """
    known = heads or {}
    text = _PUBLIC_HEAD.sub(
        lambda found: _head(f"{found[1]} {_MARK}{found[2]}", known[found[2]]) if found[2] in known else found[0], text
    )
    # One spelling serves all languages: lambda is a word of Python.
    for name, identifier in module.names.arguments.items():
        if name != identifier:
            text = re.sub(rf"(?<![\w.>]){re.escape(name)}\b", identifier, text)
    for word, replacement in _arguments(module, kind).items():
        text = re.sub(rf"\b{_MARK}{word}\s+", f"{replacement} " if replacement else "", text)
    for word, replacement in _names(printer).items():
        text = re.sub(rf"\b{_MARK}{word}\b", replacement, text)
    prefix = f"{module.names.module}_"
    text = _STATIC_HEAD.sub(lambda found: _static_head(found[0].replace(_MARK, prefix)), text)
    return "\n".join(_rewrapped(text.replace(_MARK, prefix).split("\n")))


def _arguments(module: LoweredModule, kind: str) -> Mapping[str, str]:
    """What stands for arguments that fixed texts pass on, formal and actual, each with its comma."""
    prefix = module.names.module
    extra = [(item, module.names.arguments[item.name]) for item in module.description.extra]
    return {
        "FORMAL": f"{structure_formal(module, kind)}," if module.parameters else "",
        "ACTUAL": "parameters," if module.parameters else "",
        "EXTRA_FORMAL": " ".join(f"{formal(item, name, f'{prefix}_{kind}', 'restrict')}," for item, name in extra),
        "EXTRA_ACTUAL": " ".join(f"{name}," for _, name in extra),
    }


def _names(printer: CPrinter) -> Mapping[str, str]:
    """Functions of the floating-point type."""
    return {"SQRT": printer.library("sqrt"), "ABS": printer.library("abs"), "INFINITY": printer.infinity}


def _head(start: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{start}(", *(f"{_INDENT}{line}" for line in lines)])


def _static_head(text: str) -> str:
    """A head on one line, or with an argument a line."""
    line = " ".join(text.split()).replace("( ", "(")
    if len(line) <= WIDTH:
        return line
    start, _, arguments = line.partition("(")
    return _head(start, arguments.replace(", ", ",\n").split("\n"))


def _rewrapped(lines: Sequence[str]) -> list[str]:
    """Statements on lines of the usual width, however long the names in them have become."""
    result: list[str] = []
    statement = ""
    for line in lines:
        if statement:
            statement = f"{statement}{'' if statement.endswith('(') else ' '}{line.strip()}"
        elif line.startswith(" ") and not line.lstrip().startswith(("/*", "*")):
            statement = line
        else:
            result.append(line)
            continue
        if statement.count("(") > statement.count(")"):
            continue
        code, mark, comment = statement.partition("  /*")
        brace = " {" if code.endswith(" {") else ""
        indent = " " * (len(code) - len(code.lstrip()))
        broken = wrapped(code.removesuffix(brace), first=0, following=indent + _INDENT, width=WIDTH - len(brace))
        result += f"{broken}{brace}{mark}{comment}".split("\n")
        statement = ""
    return result


def step_texts(module: LoweredModule, functions: Collection[StepFunction], printer: CPrinter) -> list[str]:
    """Arrays that step functions of a source look up, then the functions that they call."""
    found = "\n".join(_array(module, name, numbers, printer) for name, numbers in arrays(functions).items())
    texts = [f"/* of each piece of a table where it starts and its coefficients */\n{found}"] * bool(found)
    even = {function.spacing is not None for function in functions if isinstance(function, PieceNumber)}
    files = (*["pieces"] * (False in even), *["even_pieces"] * (True in even))
    return [*texts, *(placed(module, fixed_text(f"c/{file}.c", "MODEL_"), printer) for file in files)]


def _array(module: LoweredModule, name: str, numbers: Sequence[float], printer: CPrinter) -> str:
    prefix = module.names.module
    lines = wrap(", ".join(map(printer.literal, numbers)), WIDTH - len(INDENT))
    head = f"static const {prefix}_real {prefix}_{name}[{len(numbers)}] = {{"
    return "\n".join([head, *(f"{INDENT}{line}" for line in lines), "};"])
