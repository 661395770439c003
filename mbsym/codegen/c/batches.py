"""NAME_batch.c and NAME_batch.h: functions for many states, several of them side by side in vectors.

Derived functions are printed once more, with vectors in the place of numbers, and closed loops have fixed texts over
vectors. Where something is not sound in a lane, the function for one state decides on it. Functions that take time
steps, and those that are made of shared steps, run state by state.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from mbsym.codegen.c.batch_drivers import batch_formals, driver_lines
from mbsym.codegen.c.comments import comment_lines, operation_line
from mbsym.codegen.c.expressions import CPrinter, LanePrinter
from mbsym.codegen.c.fixed_parts import step_texts
from mbsym.codegen.c.lane_kernels import lane_functions, lane_texts
from mbsym.codegen.c.statuses import tolerance_views
from mbsym.codegen.c.trigonometry import rounding_sentence
from mbsym.codegen.c.views import FunctionView, LinkView, PrototypeView, library_headers
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.text import WIDTH
from mbsym.symbolic.given_functions import StepFunction


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
    sines = textwrap.wrap(rounding_sentence(module.description.real), WIDTH - 4, break_on_hyphens=False)
    return {
        "name": names.module,
        "sines": comment_lines(["", *sines] if has_sines else []),
        "links": tuple(
            LinkView(f"{names.c_symbol(function.name)}_batch", names.batch_symbol(function.name))
            for function in module.batched
            if names.linked[function.name] != names.c_symbol(function.name)
        ),
        "prototypes": tuple(
            PrototypeView(
                "int" if function.failures else "void",
                f"{names.c_symbol(function.name)}_batch",
                comment_lines(_sentences(function)),
                batch_formals(module, function, ");"),
            )
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
        helpers += [fixed_text(f"c/sincos_{module.description.real}.c", f"{prefix}_"), _lane_sincos(prefix)]
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
            f"    {prefix}_sincos(count, angle, ({prefix}_real *)sine, ({prefix}_real *)cosine);",
            "}",
        )
    )
