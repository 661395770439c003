"""Step functions of a module: what stands in their arrays, and which there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mbsym.codegen.identifiers import spelled
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.errors import CodegenError
from mbsym.symbolic.given_functions import PieceNumber, StepFunction


def step_functions(module: LoweredModule) -> tuple[StepFunction, ...]:
    """Those that derived functions of a module call, each once, by their names."""
    bodies = [function.body for function in module.functions if function.body is not None]
    bodies += [step.body for body in bodies for step in body.steps]
    found = {call: None for body in bodies for call in body.calls if isinstance(call, StepFunction)}
    return tuple(sorted(found))


def arrays(functions: Iterable[StepFunction]) -> dict[str, Sequence[float]]:
    """The numbers that they look up, by the identifier of the array; equally spaced pieces need none.

    Raises:
        CodegenError: two arrays have one identifier.
    """
    found: dict[str, Sequence[float]] = {}
    for function in functions:
        if isinstance(function, PieceNumber) and function.spacing is not None:
            continue
        name, numbers = spelled(function.array), tuple(function.numbers)
        if found.setdefault(name, numbers) != numbers:
            what = f"two tables become {name!r} in code"
            raise CodegenError(what, where=function.array, remedy="rename one of them")
    return dict(sorted(found.items()))
