"""Formulas as text to take away: LaTeX as the page shows them, Python and C as programs read them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mbsym.report.latex import Latex
from mbsym.report.numerals import with_decimals


class Copies:
    """Writes formulas down in three languages.

    Args:
        short: symbols that formulas of the page have for the model's.
        code: what generated code calls the model's symbols.
    """

    def __init__(self, short: Mapping[Any, Any], code: Mapping[Any, Any]) -> None:
        from sympy.printing.c import C99CodePrinter

        self._short, self._code = dict(short), dict(code)
        self._latex = Latex()
        self._c: Any = C99CodePrinter()

    def formula(self, left: str, place: Sequence[int], value: Any) -> tuple[str, str, str]:
        """``left`` at a place, from 1, is the value: in LaTeX, Python and C."""
        name = _identifier("_".join((left, *map(str, place))))
        shown = self._latex.expression(value.xreplace(self._short))
        return (
            f"{self._latex.placed(left, place)} = {shown}",
            f"{name} = {with_decimals(value)}",
            f"const double {name} = {self._c.doprint(value.xreplace(self._code))};",
        )

    def matrix(self, name: str, value: Any) -> tuple[str, str, str]:
        """A matrix, which C has no word for."""
        left = f"{self._latex.name(name)} = " if name else ""
        shown = self._latex.expression(value.xreplace(self._short))
        return f"{left}{shown}", f"{_identifier(name or 'T')} = sympy.Matrix({value.tolist()})", ""


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")
