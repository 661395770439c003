"""Bodies as Python functions of residues: what is called ten thousand times, or once for as many places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from mbsym.codegen import expressions as ex
from mbsym.codegen.expressions import evaluated
from mbsym.codegen.lowered import LoweredFunction
from mbsym.errors import SymbolicError
from mbsym.symbolic.finite_field import PRIME, inverse, residue

CIRCLE: Final = {"sin": 0, "cos": 1}
"""Places in a pair of sine and cosine."""


def residues_of(
    body: LoweredFunction, given: Sequence[tuple[str, bool]], parameters: Sequence[str]
) -> Callable[..., tuple[list[Any], ...]]:
    """The entries of a body's results, of a circle, parameters by name, and its arguments in order.

    A circle has sine and cosine by the residue of an angle, and no other angle may occur; parameters are residues;
    an argument is a sequence of residues, or of ``Residues``.

    Args:
        body: what is computed.
        given: identifiers of its arguments, and which are arrays; others are their first entry.
        parameters: identifiers of these.

    Raises:
        SymbolicError: it has another function than sine and cosine.
    """
    texts = {identifier: f"parameters[{identifier!r}]" for identifier in parameters}
    texts |= {identifier: f"x{place}{'' if is_array else '[0]'}" for place, (identifier, is_array) in enumerate(given)}
    names = _Names(texts)
    lines = [f"def evaluate(circle, parameters, {', '.join(f'x{place}' for place in range(len(given)))}):"]
    for block in body.blocks:
        for item in block.assignments:
            found = evaluated(item.expression, _TEXTS, names)
            texts[item.identifier] = f"t{len(texts)}"
            lines.append(f"    {texts[item.identifier]} = ({found}) % {PRIME}")
    results = [
        f"[{', '.join(f'({evaluated(entry, _TEXTS, names)}) % {PRIME}' for entry in each.entries)}]"
        for each in body.results
    ]
    lines.append(f"    return ({', '.join(results)},)")
    return _compiled("\n".join(lines))


@cache
def _compiled(text: str) -> Callable[..., tuple[list[Any], ...]]:
    scene: dict[str, Callable[..., tuple[list[Any], ...]]] = {}
    exec(text, {"inverse": inverse}, scene)
    return scene["evaluate"]


@dataclass(frozen=True, slots=True)
class _Names:
    """What stands in Python for what a text sees, by identifier."""

    texts: dict[str, str]
    inverses: dict[int, int] = field(default_factory=dict)


def _product(factors: Sequence[str]) -> str:
    # Reduced before each factor behind the first two, lest numbers grow long.
    text = f"({factors[0]})"
    for place, factor in enumerate(factors[1:]):
        text = f"({text}%{PRIME})*({factor})" if place else f"{text}*({factor})"
    return text


def _call(function: str, argument: str) -> str:
    if function not in CIRCLE:
        raise SymbolicError("a step has a function that is looked at in a graph alone")
    return f"circle[({argument})%{PRIME}][{CIRCLE[function]}]"


_TEXTS: Final[ex.Rules] = {
    ex.Constant: lambda names, constant, _: str(residue(constant.value, names.inverses)),
    ex.Variable: lambda names, variable, _: names.texts[variable.identifier],
    ex.Element: lambda names, element, _: f"{names.texts[element.array]}[{element.index}]",
    ex.Sum: lambda _, __, terms: "".join(f"-({term})" if minus else f"+{term}" for minus, term in terms),
    ex.Product: lambda _, __, factors: _product(factors),
    ex.Quotient: lambda _, __, parts: f"({parts[0]})*inverse(({parts[1]})%{PRIME})",
    ex.Call: lambda _, call, arguments: _call(call.function, arguments[0]),
    ex.Select: lambda _, __, ___: _call("select", ""),
    ex.Negation: lambda _, __, operands: f"-({operands[0]})",
}
"""Python for whole numbers, which stay a few residues long."""
