"""How the name of a symbol is set: letter, dots above it, subscript."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

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
