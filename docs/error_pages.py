"""The index of errors: every sentence with which mbsym refuses or warns, read from the code that says it.

A sentence is found where an error is made, where something is called that takes what is wrong and a remedy, and where
an element says what does not go together in it. What a sentence puts in of the case at hand stands as three dots.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lists import escaped, table

from mbsym import errors
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.options.exclusions import EXCLUSIONS
from mbsym.options.generation import typed

ROOT = Path(__file__).resolve().parents[1]
DOTS = "…"

Texts: TypeAlias = Mapping[str, tuple[str, ...]]
"""What names stand for, or functions return, in all forms."""

CLASSES = {
    name: item
    for name, item in vars(errors).items()
    if isinstance(item, type) and issubclass(item, errors.MbsymError) and item is not errors.MbsymError
}


@dataclass(frozen=True, order=True)
class Sentence:
    """What is told.

    Attributes:
        what: what is wrong.
        remedy: what to do, "" where nothing is said or where it depends on the case.
        kind: class of the error, "warning", or "" where the code that says it leaves that to another place.
    """

    what: str
    remedy: str
    kind: str


@dataclass(frozen=True)
class Function:
    """A function by its name, with its calls, assignments, returns and yields in the order in which they stand."""

    name: str
    nodes: list[Any]


def errors_page(package: Path = ROOT / "mbsym") -> str:
    """The whole index: classes, statuses of generated code, options, and the sentences of each room."""
    lines = [
        "# Errors",
        "",
        "Every sentence with which mbsym refuses or warns. Look for a part of yours that is no name and no",
        f"number: what depends on the case stands here as {DOTS}. In a terminal the place comes first,",
        "`FILE:LINE:COLUMN`, or a body, joint, function or option; what to do comes last, behind a semicolon. With",
        "`--json` they stand apart ([JSON](json.md)); in Python they are `where`, `what`, `remedy` of the error.",
        "",
        "## Classes",
        "",
        "All are `mbsym.MbsymError`; the number is what the command line ends with.",
        "",
        *table(("in `mbsym.errors`", "ends with", ""), (_class_row(name) for name in CLASSES)),
        "## Statuses of generated code",
        "",
        "What a function returns in C, and what `StatusError` has in Python. Who can fail, and what the results are",
        "then: [statuses](../statuses.md) and the header of each module.",
        "",
        *table(("", "", "means"), ((f"{key.value}", f"`{key.name}`", escaped(SENTENCES[key])) for key in Status)),
        "## Options that exclude each other",
        "",
        *table(("these do not go together", "what is wrong", "what to do"), _exclusion_rows()),
    ]
    rooms = tomllib.loads((ROOT / "docs" / "house.toml").read_text(encoding="utf-8"))["room"]
    told: dict[str, set[Sentence]] = {}
    for path, items in sentences({path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}).items():
        told.setdefault(path.relative_to(package).parts[0].removesuffix(".py"), set()).update(items)
    for room in (room for room in rooms if told.get(room["name"])):
        rows = map(_row, sorted(told[room["name"]], key=_place))
        lines += [f"## `{room['name']}`: {room['holds']}", "", *table(("what is wrong", "what to do", "error"), rows)]
    return "\n".join(lines)


def _class_row(name: str) -> tuple[str, ...]:
    found = CLASSES[name]
    return f"`{name}`", str(found.exit_status), escaped((found.__doc__ or "").partition("\n\n")[0])


def _exclusion_rows() -> Iterator[tuple[str, ...]]:
    for item in EXCLUSIONS.values():
        these = [typed(f"`{option}`") for option in item.options]
        texts = (escaped(re.sub(r"\{\w*\}", DOTS, typed(text))) for text in (item.sentence, item.remedy))
        yield (", ".join(f"`{each}`" for each in these) + (f", {item.against}" if item.against else ""), *texts)


def _row(item: Sentence) -> tuple[str, ...]:
    return escaped(item.what), escaped(item.remedy), f"`{item.kind}`" if item.kind in CLASSES else item.kind


def _place(item: Sentence) -> tuple[str, Sentence]:
    return item.what.lstrip(f"{DOTS}'` ").casefold(), item


# ---- sentences ------------------------------------------------------------------------------------------------------

TAKES_BOTH = re.compile(r"def (\w+)\([^)]*\bwhat\b[^)]*\bremedy\b")
"""A function that is given what is wrong and a remedy."""


def sentences(modules: Mapping[Path, str]) -> dict[Path, frozenset[Sentence]]:
    """What is told in each of these modules, given with their texts."""
    called = {*CLASSES, "Diagnostic", *(name for text in modules.values() for name in TAKES_BOTH.findall(text))}
    called.discard("__init__")
    telling = re.compile(rf"remedy|def faults|return \(?\s*f?[\"']\w|\b({'|'.join(sorted(called))})\(")
    functions = {path: _functions(ast.parse(text)) for path, text in modules.items() if telling.search(text)}
    known = _returned(function for each in functions.values() for function in each)
    return {path: frozenset(_told(each, called, known)) for path, each in functions.items()}


def _told(functions: Sequence[Function], called: set[str], known: Texts) -> Iterator[Sentence]:
    constants = _assigned(functions[0].nodes, known)
    for function in functions:
        here, waiting = dict(constants), set[str]()  # names whose texts nothing has told yet
        for node in function.nodes:
            if isinstance(node, ast.Call):
                named = {item.arg: item.value for item in node.keywords}
                if (name := _name(node.func)) in called or "remedy" in named:
                    texts = [found for found in (_texts(item, here) for item in node.args) if " " in "".join(found)]
                    what = _texts(named.get("what"), here) or (texts[0] if texts else ())
                    remedy = _texts(named.get("remedy"), here) or (texts[1] if len(texts) > 1 else ())
                    yield from _sentences(what, remedy, name if name in CLASSES or name == "warning" else "")
                    waiting -= {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
            elif isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple) and function.name == "faults":
                _, what, remedy = (_texts(item, here) for item in node.value.elts)
                yield from _sentences(what, remedy, "")
            else:
                _assign(node, here, waiting)


def _sentences(what: Sequence[str], remedy: Sequence[str], kind: str) -> Iterator[Sentence]:
    """A sentence for each form of what is wrong; where there are as many remedies, each has its own."""
    if len(remedy) != len(what):
        remedy = [" / ".join(item for item in remedy if item.strip(f"{DOTS} ;"))] * len(what)
    for text, found in zip(what, remedy, strict=True):
        if re.search(r"\w", text) and " " in text:
            yield Sentence(*(" ".join(item.split()) for item in (text, found)), kind)


def _functions(tree: ast.Module) -> list[Function]:
    """The module itself, without name, and its functions, each with nodes that are in none within it."""
    found = [Function("", [])]
    waiting: list[tuple[ast.AST, Function]] = [(tree, found[0])]
    while waiting:
        node, own = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                found.append(Function(child.name, []))
                waiting.append((child, found[-1]))
            elif not isinstance(child, ast.Name | ast.Constant | ast.expr_context):
                waiting.append((child, own))
                if isinstance(child, ast.Call | ast.Yield | ast.Assign | ast.AnnAssign | ast.Return):
                    own.nodes.append(child)
    for function in found:
        function.nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return found


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


# ---- texts ----------------------------------------------------------------------------------------------------------


def _returned(functions: Iterable[Function]) -> Texts:
    """What functions return that return texts, as ``NAME()``; those of which several have a name are left out."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for function in functions:
        here = _assigned(function.nodes, {})
        texts = [text for node in function.nodes if isinstance(node, ast.Return) for text in _texts(node.value, here)]
        found.setdefault(f"{function.name}()", []).append(tuple(dict.fromkeys(texts)))
    return {name: each[0] for name, each in found.items() if len(each) == 1 and each[0]}


def _assigned(nodes: Iterable[ast.AST], known: Texts) -> Texts:
    """What is known, and all texts that are assigned to names."""
    found, names = dict(known), set[str]()
    for node in nodes:
        _assign(node, found, names)
    return found


def _assign(node: ast.AST, known: dict[str, tuple[str, ...]], names: set[str]) -> None:
    """Keeps the texts that a node assigns, beside others of the same branches: those of these names."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
        for name, value in zip(target.elts, node.value.elts, strict=True) if several else ((target, node.value),):
            if isinstance(name, ast.Name):
                before = known.get(name.id, ()) if name.id in names else ()
                known[name.id] = tuple(dict.fromkeys((*before, *_texts(value, known))))
                names.add(name.id)


def _texts(node: ast.expr | None, known: Texts) -> tuple[str, ...]:
    """The forms that a text can have, with dots for what depends on the case; none where this is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return (text,)
        case ast.JoinedStr(values=parts):
            return ("".join(str(part.value) if isinstance(part, ast.Constant) else DOTS for part in parts),)
        case ast.IfExp(body=one, orelse=other):
            return (*_texts(one, known), *_texts(other, known))
        case ast.BinOp(left=one, op=ast.Add(), right=other):
            both = _texts(one, known), _texts(other, known)
            return tuple(a + b for a in both[0] or (DOTS,) for b in both[1] or (DOTS,)) if any(both) else ()
        case ast.Name(id=name):
            return known.get(name, ())
        case ast.Call(func=ast.Attribute(value=text, attr="format" | "removeprefix")):
            return tuple(re.sub(r"\{\w*\}", DOTS, found) for found in _texts(text, known))
        case ast.Call(func=function):
            return known.get(f"{_name(function)}()", ())
    return ()
