"""NAME_batch.c and NAME_batch.h: functions for many states, several of them side by side in vectors.

Derived functions are printed once more, with vectors in the place of numbers, and closed loops have fixed texts over
vectors. Where something is not sound in a lane, the function for one state decides on it. Functions that take time
steps, and those that are made of shared steps, run state by state.

A routine is printed once more with vectors for numbers (``mbsym.codegen.c.lane_routines``), of its functions those that
are asked for. It calls derived functions as ``MODEL_KERNEL_lanes``, or as ``MODEL_KERNEL_brief``, which leaves out
results that only the function for one state needs, and small functions of ``runtime/c/lanes.c``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from mbsym.codegen.c.batch_drivers import batch_formals, driver_lines
from mbsym.codegen.c.expressions import KIND, CPrinter, LanePrinter
from mbsym.codegen.c.fixed_parts import placed, step_texts
from mbsym.codegen.c.formals import comment_lines, formals, operation_line
from mbsym.codegen.c.lane_routines import print_lanes
from mbsym.codegen.c.statuses import guard_array, is_sound, tolerance_views
from mbsym.codegen.c.tables import INDENT
from mbsym.codegen.c.trigonometry import rounding_sentence, sincos_text
from mbsym.codegen.c.views import FunctionView, function_views, library_headers
from mbsym.codegen.description import GUARDED, GeneratedFile
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.routines.module import routine_of
from mbsym.codegen.text import WIDTH
from mbsym.symbolic.given_functions import StepFunction

_WORD: Final = re.compile(r"\bMODEL_\w+")
_DEFINED: Final = re.compile(
    r"^(?:static [^\n(]*?(MODEL_\w+)\(|typedef [^\n{]*\b(MODEL_\w+);|\} (MODEL_\w+);)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class LaneTexts:
    """What goes in front of the functions for many states.

    Attributes:
        kernels: derived functions with vectors for numbers.
        texts: routines that call them.
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
    side_by_side = [function for function in functions if function.is_side_by_side]
    texts, idle = _routines(module, [function for function in side_by_side if function.fixed is not None])
    derived = [function for function in side_by_side if function.fixed is None]
    kernels = _kernels(module, derived, idle, printer)
    if any(f"{module.names.module}_lanes_sqrt(" in text for text in texts):
        printer.arities["sqrt"] = 1
    return LaneTexts(tuple(kernels), tuple(texts))


def lane_functions(module: LoweredModule, text: str, printer: LanePrinter) -> tuple[str, ...]:
    """The small functions over lanes that a text calls, each before what calls it."""
    chunks = re.split("\\n\\n(?=\\S)", fixed_text("c/lanes.c", "MODEL_"))
    owned = [{name for found in _DEFINED.findall(chunk) for name in found if name} for chunk in chunks]
    kept, words = set[int](), set(_WORD.findall(text.replace(f"{module.names.module}_", "MODEL_")))
    while more := {k for k, own in enumerate(owned) if k not in kept and own & words}:
        kept |= more
        words |= {word for k in more for word in _WORD.findall(chunks[k])}
    numbers = CPrinter(module.description.real)
    vectors = [placed(module, chunk, numbers, kind=KIND) for k, chunk in enumerate(chunks) if k in kept]
    known = {name.removeprefix("MODEL_lanes_") for own in owned for name in own}
    return (*vectors, *printer.helpers(known))


def _routines(
    module: LoweredModule, functions: Sequence[ModuleFunction]
) -> tuple[list[str], dict[str, frozenset[int]]]:
    """Texts over lanes for functions that fixed texts define; of derived functions that these call, the results that
    they do without."""
    texts: list[str] = []
    idle: dict[str, frozenset[int]] = {}
    judged = frozenset(function.identifier for function in module.functions if function.guards)
    for file in dict.fromkeys(function.fixed.file for function in functions if function.fixed):
        public = [function for function in functions if function.fixed and function.fixed.file == file]
        heads = {function.identifier: formals(module, function, "restrict", ")", KIND) for function in public}
        routine = routine_of(module, file, {*heads})
        prefix, real = f"{module.names.module}_", module.description.real
        made = print_lanes(routine, prefix, heads, real, bool(module.parameters), judged)
        texts.append(made.text)
        idle.update(made.idle)
    return texts, idle


def _kernels(
    module: LoweredModule,
    derived: Sequence[ModuleFunction],
    idle: Mapping[str, frozenset[int]],
    printer: LanePrinter,
) -> list[FunctionView]:
    """Derived functions with vectors for numbers: those that are asked for, and those that texts call, which do without
    some of their results."""
    wanted = [(function, frozenset[int]()) for function in derived]
    called = [(function, idle[function.identifier]) for function in module.functions if function.identifier in idle]
    views: list[FunctionView] = []
    made: dict[tuple[str, frozenset[int]], str] = {}
    for function, left in (*wanted, *(each for each in called if each not in wanted)):
        own = _without(function, left) if left else function
        symbol = f"{module.names.c_symbol(function.name)}_{'brief' if left else 'lanes'}"
        made[function.name, left] = symbol
        views += _views(module, own, printer, symbol, made.get((function.equal, left), ""))
        if own.guards and idle.get(function.identifier) == left:
            views.append(_judging(module, own, printer, symbol))
    return views


def _views(
    module: LoweredModule, function: ModuleFunction, printer: LanePrinter, symbol: str, called: str
) -> list[FunctionView]:
    """A derived function with vectors for numbers; guarded values are one more result."""
    assert function.body is not None
    whole = replace(
        function,
        arguments=(*function.arguments, *([guard_array(function)] if function.guards else [])),
        identifiers=(*function.identifiers, *([module.names.inner[GUARDED]] if function.guards else [])),
        guards=(),
        failures=(),
    )
    *parts, last = function_views(module, whole, function.body, printer, symbol, called)
    return [*parts, replace(last, storage="static ")]


def _without(function: ModuleFunction, left: Collection[int]) -> ModuleFunction:
    """The function without some of its results, and without what only they need."""
    assert function.body is not None
    outputs = [identifier for item, identifier in function.paired if item.direction == "out"]
    spared = {outputs[k] for k in left}
    kept = [(item, identifier) for item, identifier in function.paired if identifier not in spared]
    arguments, identifiers = (tuple(column) for column in zip(*kept, strict=True))
    return replace(function, arguments=arguments, identifiers=identifiers, body=function.body.pruned(spared))


def _judging(module: LoweredModule, function: ModuleFunction, printer: LanePrinter, symbol: str) -> FunctionView:
    """The function as fixed texts call it: no numbers in lanes in which something is not sound."""
    prefix, guarded = module.names.module, module.names.inner[GUARDED]
    scope = module.names.inside((*function.identifiers, guarded))
    lane, unsound, entry = scope.claim("lane"), scope.claim("unsound"), scope.claim("i")
    actual = ["parameters"] * module.takes_parameters(function)
    actual += [identifier for _, identifier in function.paired]
    lines = [
        f"{INDENT}{prefix}_{KIND} {guarded}[{len(function.guards)}];",
        f"{INDENT}{symbol}({', '.join([*actual, guarded])});",
        f"{INDENT}for (int {lane} = 0; {lane} < {prefix}_LANES; ++{lane}) {{",
        f"{INDENT * 2}int {unsound} = 0;",
    ]
    for place, guard in enumerate(function.guards):
        value = f"((const {prefix}_real *){guarded})[{place} * {prefix}_LANES + {lane}]"
        lines.append(f"{INDENT * 2}{unsound} |= !({is_sound(value, guard, prefix, printer)});")
    for item, identifier in function.paired:
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


def render_batch(module: LoweredModule) -> tuple[GeneratedFile, ...]:
    """NAME_batch.c and NAME_batch.h, of the functions that the module's description asks for."""
    name = module.names.module
    source = _source(module)
    header = _header(module, any("FLT_EVAL_METHOD" in text for text in source["helpers"]))
    return (
        GeneratedFile(f"{name}_batch.c", render_template("c/batch.c.jinja", **source)),
        GeneratedFile(f"{name}_batch.h", render_template("c/batch.h.jinja", **header)),
    )


def _header(module: LoweredModule, has_sines: bool) -> dict[str, Any]:
    names = module.names
    sentence = rounding_sentence(module.description.real, module.description.trigonometry)
    sines = textwrap.wrap(sentence, WIDTH - 4, break_on_hyphens=False)
    return {
        "name": names.module,
        "sines": comment_lines(["", *sines] if has_sines else []),
        "links": tuple(
            {"written": f"{names.c_symbol(function.name)}_batch", "linked": names.batch_symbol(function.name)}
            for function in module.batched
            if names.linked[function.name] != names.c_symbol(function.name)
        ),
        "prototypes": tuple(
            {
                "returns": "int" if function.failures else "void",
                "symbol": f"{names.c_symbol(function.name)}_batch",
                "comment": comment_lines(_sentences(function)),
                "formals": batch_formals(module, function, ");"),
            }
            for function in module.batched
        ),
    }


def _sentences(function: ModuleFunction) -> list[str]:
    way = "Several states side by side." if function.is_side_by_side else "State by state."
    return [f"{function.name} of many states. {way}"]


def _source(module: LoweredModule) -> dict[str, Any]:
    prefix = module.names.module
    printer = LanePrinter(module.description.real, prefix)
    inside = lane_texts(module, module.batched, printer)
    functions = [
        FunctionView(
            "",
            "int" if function.failures else "void",
            f"{module.names.c_symbol(function.name)}_batch",
            operation_line(function.operations),
            batch_formals(module, function, ")"),
            driver_lines(module, function, printer),
        )
        for function in module.batched
    ]
    body = "\n".join((*(line for view in (*inside.kernels, *functions) for line in view.lines), *inside.texts))
    side_by_side = any(function.is_side_by_side for function in module.batched)
    lanes_of_states = [fixed_text("c/batches.c", f"{prefix}_")] if side_by_side else []
    helpers = [*lanes_of_states, fixed_text("c/batch_places.c", f"{prefix}_")]
    if f"{prefix}_lanes_sincos(" in body:
        helpers[0] = f"#define {prefix}_ABREAST {prefix}_LANES\n{helpers[0]}"
        helpers += [sincos_text(module.description.real, module.description.trigonometry, f"{prefix}_")]
        helpers += [_lane_sincos(prefix)]
    called = [function for function in printer.arities if isinstance(function, StepFunction)]
    helpers += step_texts(module, called, CPrinter(module.description.real, prefix=prefix))
    lanes = lane_functions(module, body, printer)
    if any(f"{prefix}_ALL(" in text for text in (body, *lanes)):
        helpers.append(f"#define {prefix}_ALL(x) (({prefix}_lanes){{0}} + (x))")
    helpers += lanes
    texts = (*helpers, *inside.texts)
    words = {word for text in (body, *helpers) for word in re.findall(rf"\b{prefix}_\w+", text)}
    widths = {"double": (8, 4, 4), "float": (16, 8, 8)}[module.description.real]
    return {
        "name": prefix,
        "includes": tuple(
            dict.fromkeys(("math.h", "stddef.h", "stdint.h", "string.h", *library_headers(module, texts)))
        ),
        "tolerances": tuple(view for view in tolerance_views(module, printer) if view.name in words),
        "lanes_avx512": widths[0],
        "lanes_avx": widths[1],
        "lanes": widths[2],
        "structure": tuple(module.names.parameters[item.name] for item in module.parameters if side_by_side),
        "helpers": tuple(helpers),
        "kernels": inside.kernels,
        "runtime": inside.texts,
        "functions": tuple(functions),
    }


def _lane_sincos(prefix: str) -> str:
    return "\n".join(
        (
            f"static inline void {prefix}_lanes_sincos(int count, const {prefix}_lanes *angle, {prefix}_lanes *sine,",
            f"                              {prefix}_lanes *cosine)",
            "{",
            f"    {prefix}_sincos(count * {prefix}_LANES, angle, ({prefix}_real *)sine, ({prefix}_real *)cosine);",
            "}",
        )
    )
