"""What fixed texts over lanes need: the parts of them that are called, and derived functions with vectors for numbers.

``runtime/c/FILE_lanes.c`` holds the functions of ``runtime/c/FILE.c`` for several states side by side. Of its
definitions a file of batches has those that the functions asked for call, so that no compiler finds one that nobody
uses. They call derived functions as ``MODEL_KERNEL_lanes``, or as ``MODEL_KERNEL_brief``, which leaves out results that
only the function for one state needs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.fixed_parts import placed
from mbsym.codegen.c.formals import formals
from mbsym.codegen.c.lane_expressions import KIND, LanePrinter
from mbsym.codegen.c.statuses import guard_array, is_sound
from mbsym.codegen.c.tables import INDENT
from mbsym.codegen.c.views import FunctionView, function_views
from mbsym.codegen.description import Argument
from mbsym.codegen.environment import fixed_text
from mbsym.codegen.guards import GUARDED
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction

_WORD: Final = re.compile(r"\bMODEL_\w+")
_DEFINED: Final = re.compile(
    r"^(?:static [^\n(]*?(MODEL_\w+)\(|typedef [^\n{]*\b(MODEL_\w+);|\} (MODEL_\w+);)", re.MULTILINE
)
_KERNEL: Final = re.compile(r"^MODEL_(\w+)_(lanes|brief)$")


@dataclass(frozen=True, slots=True)
class LaneTexts:
    """What goes in front of the functions for many states.

    Attributes:
        kernels: derived functions with vectors for numbers.
        texts: fixed texts that call them.
    """

    kernels: tuple[FunctionView, ...]
    texts: tuple[str, ...]


def lane_texts(module: LoweredModule, functions: Sequence[ModuleFunction], printer: LanePrinter) -> LaneTexts:
    """Everything over lanes that some functions of a module need.

    Args:
        module: that they belong to.
        functions: those for many states.
        printer: of expressions over lanes; it remembers what the C library is asked for.
    """
    fixed = [function for function in functions if function.is_side_by_side and function.fixed is not None]
    needed = {f"MODEL_{function.identifier}_lanes" for function in fixed}
    chunks, kernels = _definitions(module, needed)
    derived = {function.name: function for function in functions if function.is_side_by_side and function.fixed is None}
    wanted = [(function, False) for function in derived.values()]
    for function in module.functions:
        wanted += [(function, False)] * ((function.name, "lanes") in kernels and function.name not in derived)
        wanted += [(function, True)] * ((function.name, "brief") in kernels)
    spared = {name: left for item in module.description.runtime for name, left in item.spared.items()}
    views: list[FunctionView] = []
    called: dict[str, str] = {}
    for function, is_brief in wanted:
        way = "brief" if is_brief else "lanes"
        own = _without(function, spared[function.name]) if is_brief else function
        symbol = f"{module.names.c_symbol(function.name)}_{way}"
        views += _views(module, own, printer, symbol)
        if own.guards and (function.name, way) in kernels:
            views.append(_judging(module, own, printer, symbol))
            called[symbol] = views[-1].symbol
    texts = [_placed(module, chunk, printer, called) for chunk in chunks]
    return LaneTexts(tuple(views), ("\n\n".join(texts),) * bool(texts))


def _definitions(module: LoweredModule, needed: Collection[str]) -> tuple[list[str], set[tuple[str, str]]]:
    """Definitions of the fixed texts that are needed, in order, and the derived functions that they call."""
    files = dict.fromkeys(function.file for function in module.description.runtime if function.lanes)
    chunks = [chunk for file in files for chunk in _chunks(fixed_text(f"c/{file}_lanes.c", "MODEL_"))]
    owned = [{name for found in _DEFINED.findall(chunk) for name in found if name} for chunk in chunks]
    kept, words = set[int](), set(needed)
    while more := {k for k, own in enumerate(owned) if k not in kept and own & words}:
        kept |= more
        words |= {word for k in more for word in _WORD.findall(chunks[k])}
    calls = words - set[str]().union(*owned)
    kernels = {(found[1], found[2]) for word in calls if (found := _KERNEL.match(word))}
    return [chunk for k, chunk in enumerate(chunks) if k in kept], kernels


def _chunks(text: str) -> list[str]:
    """The definitions of a text, each with the comment before it."""
    return re.split(r"\n\n(?=\S)", text)


def _placed(module: LoweredModule, chunk: str, printer: LanePrinter, called: Mapping[str, str]) -> str:
    for name in re.findall(r"\bMODEL_lanes_(sqrt)\(", chunk):
        printer.arities[name] = 1
    text = placed(module, chunk, CPrinter(module.description.real), kind=KIND)
    for symbol, judging in called.items():
        text = text.replace(f"{symbol}(", f"{judging}(")
    return text


def _views(module: LoweredModule, function: ModuleFunction, printer: LanePrinter, symbol: str) -> list[FunctionView]:
    """A derived function with vectors for numbers; guarded values are one more result."""
    assert function.body is not None
    whole = replace(
        function,
        arguments=(*function.arguments, *([guard_array(function)] if function.guards else [])),
        identifiers=(*function.identifiers, *([module.names.inner[GUARDED]] if function.guards else [])),
        guards=(),
        failures=(),
    )
    *parts, last = function_views(module, whole, function.body, printer, symbol)
    return [*parts, replace(last, storage="static ")]


def _without(function: ModuleFunction, spared: Collection[str]) -> ModuleFunction:
    """The function without some of its results, and without what only they need."""
    assert function.body is not None
    kept = [(item, identifier) for item, identifier in _paired(function) if item.name not in spared]
    left = {identifier for item, identifier in _paired(function) if item.name in spared}
    body = function.body.pruned(left)
    arguments, identifiers = (tuple(column) for column in zip(*kept, strict=True))
    return replace(function, arguments=arguments, identifiers=identifiers, body=body)


def _paired(function: ModuleFunction) -> list[tuple[Argument, str]]:
    return list(zip(function.arguments, function.identifiers, strict=True))


def _judging(module: LoweredModule, function: ModuleFunction, printer: LanePrinter, symbol: str) -> FunctionView:
    """The function as fixed texts call it: no numbers in lanes in which something is not sound."""
    prefix, guarded = module.names.module, module.names.inner[GUARDED]
    scope = module.names.inside((*function.identifiers, guarded))
    lane, unsound, entry = scope.claim("lane"), scope.claim("unsound"), scope.claim("i")
    actual = ["parameters"] * module.takes_parameters(function)
    actual += [identifier for _, identifier in _paired(function)]
    lines = [
        f"{INDENT}{prefix}_{KIND} {guarded}[{len(function.guards)}];",
        f"{INDENT}{symbol}({', '.join([*actual, guarded])});",
        f"{INDENT}for (int {lane} = 0; {lane} < {prefix}_LANES; ++{lane}) {{",
        f"{INDENT * 2}int {unsound} = 0;",
    ]
    for place, guard in enumerate(function.guards):
        value = f"((const {prefix}_real *){guarded})[{place} * {prefix}_LANES + {lane}]"
        lines.append(f"{INDENT * 2}{unsound} |= !({is_sound(value, guard, prefix, printer)});")
    for item, identifier in _paired(function):
        if item.direction == "out" and item.size:
            number = f"(({prefix}_real *){identifier})[{entry} * {prefix}_LANES + {lane}]"
            lines += [
                f"{INDENT * 2}for (int {entry} = 0; {unsound} && {entry} < {item.size}; ++{entry}) {{",
                f"{INDENT * 3}{number} = ({prefix}_real)NAN;",
                f"{INDENT * 2}}}",
            ]
    heads = formals(module, function, "restrict", ")", KIND)
    about = "No numbers in lanes in which something that must not vanish does, or leaves its domain."
    return FunctionView("static ", "void", f"{symbol}_judged", about, heads, (*lines, f"{INDENT}}}"))
