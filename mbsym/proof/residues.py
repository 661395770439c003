"""Bodies without elementary functions as Python functions of residues: what is called ten thousand times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mbsym.codegen.expressions import (
    Constant,
    Element,
    Expression,
    Negation,
    Product,
    Quotient,
    Sum,
    Variable,
)
from mbsym.codegen.lowered import LoweredFunction
from mbsym.symbolic.finite_field import PRIME


def residues_of(body: LoweredFunction, arrays: Sequence[str]) -> Callable[..., list[int]]:
    """The entries of a body's results, one behind the other, of residues of its arguments in that order.

    Args:
        body: what is computed, with no elementary functions.
        arrays: identifiers of its arguments.
    """
    names = {identifier: f"x{place}" for place, identifier in enumerate(arrays)}
    lines = [f"def evaluate({', '.join(names[array] for array in arrays)}):"]
    for block in body.blocks:
        for item in block.assignments:
            text = _text(item.expression, names)
            names[item.identifier] = f"t{len(names)}"
            lines.append(f"    {names[item.identifier]} = ({text}) % {PRIME}")
    entries = (f"({_text(entry, names)}) % {PRIME}" for result in body.results for entry in result.entries)
    lines.append(f"    return [{', '.join(entries)}]")
    scene: dict[str, Callable[..., list[int]]] = {}
    exec("\n".join(lines), scene)
    return scene["evaluate"]


def written_terms(expression: Sum) -> Iterator[tuple[bool, Expression]]:
    """The terms with the signs that stand before them: a sum inside a sum is written without parentheses."""
    for negative, term in expression.terms:
        if not isinstance(term, Sum):
            yield negative, term
            continue
        (first, part), *others = written_terms(term)
        yield negative != first, part
        yield from others


def _text(expression: Expression, names: Mapping[str, str]) -> str:
    if isinstance(expression, Sum):
        return "".join(f"{'-' if minus else '+'}({_text(term, names)})" for minus, term in written_terms(expression))
    if isinstance(expression, Product):
        # Reduced after each factor but the first two, lest numbers grow long.
        text = _text(expression.factors[0], names)
        for factor in expression.factors[1:]:
            text = f"({text})*({_text(factor, names)})%{PRIME}"
        return text
    if isinstance(expression, Quotient):
        return f"({_text(expression.numerator, names)})*pow({_text(expression.denominator, names)}, -1, {PRIME})"
    if isinstance(expression, Negation):
        return f"-({_text(expression.operand, names)})"
    return _leaf(expression, names)


_LEAVES: Final = (Constant, Element, Variable)


def _leaf(expression: Expression, names: Mapping[str, str]) -> str:
    assert isinstance(expression, _LEAVES)
    if isinstance(expression, Constant):
        value = expression.value
        return str(value.numerator * pow(value.denominator, -1, PRIME) % PRIME)
    if isinstance(expression, Element):
        return f"{names[expression.array]}[{expression.index}]"
    return names[expression.identifier]
