"""Tables of a model in C: arrays of numbers, and what finds the piece that a number lies in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from textwrap import wrap

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.c.fixed_parts import placed
from mbsym.codegen.c.tables import INDENT, WIDTH
from mbsym.codegen.environment import fixed_text
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.codegen.step_functions import arrays
from mbsym.symbolic.given_functions import PieceNumber, StepFunction


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
