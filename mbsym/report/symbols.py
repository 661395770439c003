"""How symbols are set: letter, dots above it, subscript; and short ones: q_1 for a long name, s_{12} for a sine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from mbsym.doors import sympy

_GREEK_NAMES: Final = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
    *("xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
    *("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"),
)

GREEK: Final = dict(zip(_GREEK_NAMES, "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", strict=True))
"""Letters by name."""


@dataclass(frozen=True, slots=True)
class SymbolParts:
    """A name such as ``vdot_left_knee`` in parts: v, one dot, "left knee"; ``Ixx2`` is Ixx and "2"."""

    letter: str
    dots: int
    subscript: str


def symbol_parts(name: str) -> SymbolParts:
    """The parts of a symbol's name; what is behind the first underscore and final digits are its subscript."""
    stem, _, rest = name.partition("_")
    if not stem:
        return SymbolParts(name, 0, "")
    dots = 2 if re.fullmatch(r"[A-Za-z]+ddot", stem) else 1 if re.fullmatch(r"[A-Za-z]+dot", stem) else 0
    stem = stem.removesuffix("d" * (dots - 1) + "dot") if dots else stem
    letters = stem.rstrip("0123456789")
    digits = stem[len(letters) :] if letters else ""
    subscript = " ".join(part for part in (digits, *rest.split("_")) if part)
    if digits and len(rest) == 1:
        subscript = digits + rest
    return SymbolParts(letters if letters else stem, dots, subscript)


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

    def trigonometric(letter: str, whole: Any, argument: Any) -> Any:
        places = _places(argument, angles)
        if not places:
            return whole(argument.xreplace(dict(names)))
        inside = ("," if any(place > 9 for place in places) else "").join(map(str, places))
        return sympy.Symbol(f"{letter}_{{{inside}}}" if len(places) > 1 else f"{letter}_{inside}")

    for letter, function in (("s", sympy.sin), ("c", sympy.cos)):
        value = value.replace(function, partial(trigonometric, letter, function))
    return value.xreplace(dict(names))


def _places(argument: Any, angles: Sequence[Any]) -> list[int]:
    """Places of the angles of which an argument is the sum; none where it is anything else."""
    terms = sympy.Add.make_args(argument)
    if not all(term in angles for term in terms):
        return []
    return sorted(list(angles).index(term) + 1 for term in terms)
