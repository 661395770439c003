"""Short symbols for formulas that people read: q_1, v_1 and s_{12} in place of long names and the sine of a sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mbsym.doors import sympy


def short_names(
    columns: Mapping[str, Sequence[sympy.Symbol]], form: str = "{}_{}", first: int = 1
) -> dict[sympy.Symbol, sympy.Symbol]:
    """Symbols by the letters of their columns and their places in them, from 1; ``"{}[{}]"`` from 0 is as in code."""
    return {
        symbol: sympy.Symbol(form.format(letter, place))
        for letter, column in columns.items()
        for place, symbol in enumerate(column, start=first)
    }


def shortened(value: Any, names: Mapping[sympy.Symbol, sympy.Symbol], angles: Sequence[sympy.Symbol]) -> Any:
    """An expression or matrix with short symbols; sines and cosines of sums of angles are s_{12} and c_{12}.

    Args:
        value: of the model's symbols.
        names: short symbols by the model's.
        angles: the coordinates; the place of each, from 1, stands in what is short for its sine.
    """

    def trigonometric(letter: str, whole: Any) -> Any:
        def replaced(argument: Any) -> Any:
            places = _places(argument, angles)
            if not places:
                return whole(argument.xreplace(dict(names)))
            inside = ("," if any(place > 9 for place in places) else "").join(map(str, places))
            return sympy.Symbol(f"{letter}_{{{inside}}}" if len(places) > 1 else f"{letter}_{inside}")

        return replaced

    found = value.replace(sympy.sin, trigonometric("s", sympy.sin))
    found = found.replace(sympy.cos, trigonometric("c", sympy.cos))
    return found.xreplace(dict(names))


def _places(argument: Any, angles: Sequence[Any]) -> list[int]:
    """Places of the angles of which an argument is the sum; none where it is anything else."""
    terms = sympy.Add.make_args(argument)
    if not all(term in angles for term in terms):
        return []
    return sorted(list(angles).index(term) + 1 for term in terms)
