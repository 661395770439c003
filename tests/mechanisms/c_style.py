"""Rules of style for generated C, each a function from the text to what breaks it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

Rule = Callable[[str], list[str]]

_HEAD: Final = re.compile(
    r"^(?!static|typedef|extern|#|\s)(\w+) (\w+)\(\n((?:    [^\n]+\n)+?)(?=\{|\n|$)", re.MULTILINE
)
_DECLARATION: Final = re.compile(
    r"^\s+(?:static )?(?:const )?(?:int|bool|char|double|float|\w+_(?:real|rows|parameters)) "
)
_STATEMENT: Final = re.compile(r"^\s*(?:} )?(?:else )?(?:if|for|while|switch|do|else)\b")


def code_lines(text: str) -> list[str]:
    """The lines without comments."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).split("\n")


def statements(text: str) -> list[str]:
    """Lines in which no parenthesis is left open, made of those that were broken."""
    found, open_ = [], ""
    for line in code_lines(text):
        open_ = f"{open_} {line.strip()}" if open_ else line
        if open_.count("(") <= open_.count(")"):
            found.append(open_)
            open_ = ""
    return found


def without_braces(text: str) -> list[str]:
    """Conditions and loops whose body has no braces."""
    return [line for line in statements(text) if _STATEMENT.match(line) and not line.rstrip().endswith("{")]


def several_declarators(text: str) -> list[str]:
    """Declarations of more than one name."""
    found = []
    for line in statements(text):
        if _DECLARATION.match(line) and line.rstrip().endswith(";"):
            declared = re.sub(r"\([^()]*\)|\[[^\]]*\]", "", line.partition("=")[0])
            if "," in declared:
                found.append(line)
    return found


def several_enumerators(text: str) -> list[str]:
    """Lines with more than one name of an enumeration."""
    return [
        line
        for body in re.findall(r"\benum(?: \w+)? \{([^}]*)\}", "\n".join(code_lines(text)))
        for line in body.split("\n")
        if line.count("=") > 1
    ]


def chained_assignments(text: str) -> list[str]:
    """Statements that assign one value to several places."""
    return [line for line in statements(text) if re.match(r"^\s+[\w\[\]>.\- ]+ = [\w\[\]>.\-]+ = ", line)]


def macros_left(text: str) -> list[str]:
    """Macros that a source defines and neither takes from its user nor undefines."""
    defined = re.findall(r"^#define (\w+)", text, re.MULTILINE)
    given = set(re.findall(r"^#ifndef (\w+)$", text, re.MULTILINE))
    gone = set(re.findall(r"^#undef (\w+)", text, re.MULTILINE))
    return [name for name in defined if name not in given | gone]


def by_index(text: str) -> list[str]:
    """Names of sines and cosines that count from 0, beside names of bodies that count from 1."""
    return re.findall(r"\b(?:sin|cos)_q\d+\b", text)


def too_wide(text: str) -> list[str]:
    """Lines that no screen shows whole; a name may be as long as it is."""
    return [line for line in text.split("\n") if len(line) > 120 and max(map(len, line.split())) < 60]


RULES: Final[Mapping[str, Rule]] = {
    "braces": without_braces,
    "one declarator a line": several_declarators,
    "one enumerator a line": several_enumerators,
    "one assignment a statement": chained_assignments,
    "no macros left": macros_left,
    "one base of indices": by_index,
    "lines of a screen": too_wide,
}


def heads(text: str) -> dict[str, list[str]]:
    """Names of the arguments of each function that is declared or defined for others, in order."""
    return {
        name: [
            re.split(r"[ *]", re.sub(r"\[[^\]]*\]", "", argument).rstrip(",);"))[-1]
            for argument in arguments.splitlines()
        ]
        for _, name, arguments in _HEAD.findall(text)
    }
