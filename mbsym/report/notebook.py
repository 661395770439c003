"""How equations show themselves in notebooks: mass matrix and bias forces, as LaTeX and as HTML with MathML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Protocol

from mbsym import markup
from mbsym.report.formulas import FormulaWriter, entries_of
from mbsym.report.latex import Latex
from mbsym.report.mathml import MathML
from mbsym.report.sections import NamedMatrix

SHOWN: Final = ("mass_matrix", "bias_force")

WIDTH: Final = 100
"""Letters of a matrix beyond which its entries are shown one by one."""


class Equations(Protocol):
    """Equations that have quantities in closed form."""

    def form(self, name: str) -> Any:
        """A quantity, with its symbol and operations."""

    def matrix(self, name: str) -> Any:
        """The same as a SymPy matrix."""


def latex_of(equations: Equations) -> str:
    """A formula; what is too large to read is named with its size."""
    parts = [f"{left} = {right}" for left, right in _formulas(equations, Latex())]
    parts += [rf"{letter}: \text{{{size}}}" for letter, size in _too_large(equations)]
    lines = r" \\ ".join(parts)
    return rf"$\displaystyle \begin{{array}}{{l}} {lines} \end{{array}}$"


def html_of(equations: Equations) -> str:
    """A line about the equations, then formulas that browsers set."""
    lines = [markup.paragraph(repr(equations)[1:-1])]
    for left, right in _formulas(equations, MathML()):
        lines.append(f'<p><math display="block"><mrow>{left}<mo>=</mo>{right}</mrow></math></p>')
    lines += [markup.paragraph(f"{letter}: {size}") for letter, size in _too_large(equations)]
    return "".join(lines)


def _formulas(equations: Equations, writer: FormulaWriter) -> Iterator[tuple[str, str]]:
    for name in SHOWN:
        form = equations.form(name)
        if form.is_expanded:
            value = equations.matrix(name)
            entries = entries_of(NamedMatrix(form.symbol, value), value, WIDTH)
            for left, entry in entries or [(form.symbol, value)]:
                yield writer.name(left), writer.expression(entry)


def _too_large(equations: Equations) -> Iterator[tuple[str, str]]:
    for name in SHOWN:
        form = equations.form(name)
        if not form.is_expanded:
            yield form.symbol, f"{form.operations.arithmetic} operations, as named steps"
