"""Bodies as Python functions of residues: what is called ten thousand times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from mbsym.codegen.expressions import Call, Constant, Element, Expression, Negation, Product, Quotient, Sum, Variable
from mbsym.codegen.lower import PI
from mbsym.codegen.lowered import LoweredFunction
from mbsym.errors import SymbolicError
from mbsym.symbolic.finite_field import PRIME, inverse

LONGEST_TURN: Final = 64
"""Bits of the fraction of pi that a constant may be: longer ones are decimals."""

_CIRCLE: Final = {"sin": 0, "cos": 1}


def residue(value: Fraction, inverses: dict[int, int]) -> int:
    """A rational number in the field; inverses of denominators are kept."""
    if value.denominator not in inverses:
        inverses[value.denominator] = pow(value.denominator, -1, PRIME)
    return value.numerator * inverses[value.denominator] % PRIME


def is_turn(value: Fraction) -> bool:
    """Whether a constant stands for a fraction of pi."""
    return bool(value) and (value / PI).denominator.bit_length() <= LONGEST_TURN


def residues_of(
    body: LoweredFunction, given: Sequence[tuple[str, bool]], parameters: Sequence[str]
) -> Callable[..., tuple[list[int], ...]]:
    """The entries of a body's results, of a circle, parameters by name, and its arguments in order.

    A circle has sine and cosine by the residue of an angle, and no other angle may occur; parameters are residues;
    an argument is a sequence of residues.

    Args:
        body: what is computed.
        given: identifiers of its arguments, and which are arrays; others are their first entry.
        parameters: identifiers of these.

    Raises:
        SymbolicError: it has another function than sine and cosine, or a fraction of pi.
    """
    names = {identifier: f"parameters[{identifier!r}]" for identifier in parameters}
    names |= {identifier: f"x{place}{'' if is_array else '[0]'}" for place, (identifier, is_array) in enumerate(given)}
    lines = [f"def evaluate(circle, parameters, {', '.join(f'x{place}' for place in range(len(given)))}):"]
    for block in body.blocks:
        for item in block.assignments:
            text = _text(item.expression, names)
            names[item.identifier] = f"t{len(names)}"
            lines.append(f"    {names[item.identifier]} = ({text}) % {PRIME}")
    results = [
        f"[{', '.join(f'({_text(entry, names)}) % {PRIME}' for entry in each.entries)}]" for each in body.results
    ]
    lines.append(f"    return ({', '.join(results)},)")
    scene: dict[str, Callable[..., tuple[list[int], ...]]] = {}
    exec("\n".join(lines), {"inverse": inverse}, scene)
    return scene["evaluate"]


def _text(expression: Expression, names: Mapping[str, str]) -> str:
    if isinstance(expression, Sum):
        return "".join(f"{'-' if minus else '+'}({_text(term, names)})" for minus, term in expression.terms)
    if isinstance(expression, Product):
        # Reduced after each factor but the first two, lest numbers grow long.
        text = _text(expression.factors[0], names)
        for factor in expression.factors[1:]:
            text = f"({text})*({_text(factor, names)})%{PRIME}"
        return text
    if isinstance(expression, Quotient):
        return f"({_text(expression.numerator, names)})*inverse({_text(expression.denominator, names)})"
    if isinstance(expression, Negation):
        return f"-({_text(expression.operand, names)})"
    if isinstance(expression, Call) and expression.function in _CIRCLE:
        angle = _text(expression.arguments[0], names)
        return f"circle[({angle}) % {PRIME}][{_CIRCLE[expression.function]}]"
    return _leaf(expression, names)


def _leaf(expression: Expression, names: Mapping[str, str]) -> str:
    if isinstance(expression, Constant) and not is_turn(expression.value):
        return str(residue(expression.value, {}))
    if isinstance(expression, Element):
        return f"{names[expression.array]}[{expression.index}]"
    if isinstance(expression, Variable):
        return names[expression.identifier]
    raise SymbolicError("a step has a function that is looked at in a graph alone")
