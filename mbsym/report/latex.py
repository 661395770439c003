"""The report as a LaTeX document that needs amsmath only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, final

from mbsym.report.formulas import FormulaWriter, entries_of
from mbsym.report.sections import Entries, Equation, NamedMatrix, Pattern, Section, Steps, Table, VectorRow, VectorRows
from mbsym.report.symbols import GREEK, SymbolParts
from mbsym.report.vectors import TEXT, notation_of

ROW_WIDTH: Final = 62
"""Letters of a formula in a row."""

_ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "#$%&_"},
    **{letter: rf"\ensuremath{{\{name}}}" for name, letter in GREEK.items() if name != "omicron"},
}
TOLD_WIDTH: Final = 95
"""Letters of a formula of vectors with what its name stands for, which stands below where it does not fit."""

_INDENT: Final = r"\quad"
_DOTS: Final = {0: "", 1: r"\dot", 2: r"\ddot"}


def latex_document(title: str, roadmap: Sequence[str], sections: Sequence[Section]) -> str:
    """The whole document."""
    lines = [
        r"\documentclass[a4paper]{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[margin=25mm]{geometry}",
        r"\usepackage{amsmath}",
        r"\allowdisplaybreaks",
        r"\begin{document}",
        rf"\section*{{{plain(title)}}}",
        r"\begin{small}",
        r"\begin{verbatim}",
        *roadmap,
        r"\end{verbatim}",
        r"\end{small}",
    ]
    return "\n".join([*lines, *_sections(sections), "", r"\end{document}"]) + "\n"


def latex_fragment(sections: Sequence[Section]) -> str:
    r"""The sections alone, for \input in a document that loads amsmath."""
    return "\n".join(_sections(sections)).lstrip("\n") + "\n"


def _sections(sections: Sequence[Section]) -> list[str]:
    lines: list[str] = []
    for section in sections:
        lines += ["", rf"\subsection*{{{plain(section.title)}}}", *(plain(each) for each in section.sentences)]
        for item in section.items:
            lines += _item(item)
        if section.remark:
            lines.append(plain(section.remark))
    return lines


def plain(text: str) -> str:
    """Text with everything that LaTeX would read as a command escaped."""
    return "".join(_ESCAPES.get(letter, letter) for letter in text)


@final
class Latex(FormulaWriter):
    """Formulas in mathematics mode, with amsmath."""

    def symbol(self, parts: SymbolParts, power: str = "") -> str:
        letter = parts.letter
        if letter in GREEK:
            letter = "o" if letter == "omicron" else rf"\{letter}"
        elif len(letter) > 1 or letter in _ESCAPES:
            letter = rf"\mathit{{{plain(letter)}}}"
        if parts.dots:
            letter = rf"{_DOTS[parts.dots]}{{{letter}}}"
        below = f"_{{{_subscript(parts.subscript)}}}" if parts.subscript else ""
        return letter + below + (f"^{{{power}}}" if power else "")

    def text(self, text: str) -> str:
        return rf"\text{{{plain(text)}}}"

    def number(self, digits: str, exponent: str) -> str:
        if not exponent:
            return digits
        ten = f"10^{{{int(exponent)}}}"
        return ten if digits == "1" else rf"{digits} \cdot {ten}"

    def sign(self, sign: str, *, between: bool) -> str:
        return sign

    def fraction(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def power(self, base: str, exponent: str) -> str:
        return f"{{{base}}}^{{{exponent}}}"

    def root(self, content: str) -> str:
        return rf"\sqrt{{{content}}}"

    def function(self, name: str, power: str) -> str:
        shown = rf"\{name}" if name in _FUNCTIONS else rf"\operatorname{{{plain(name)}}}"
        return f"{shown}^{{{power}}}" if power else shown

    def call(self, function: str, arguments: Sequence[str], *, bare: bool) -> str:
        return f"{function} {arguments[0]}" if bare else f"{function}{self.parentheses(', '.join(arguments))}"

    def parentheses(self, content: str) -> str:
        return rf"\left({content}\right)"

    def parenthesis(self, which: str) -> str:
        return rf"\bigl{which}" if which == "(" else rf"\bigr{which}"

    def side_by_side(self, factors: Sequence[str]) -> str:
        return " ".join(factors)

    def one_after_another(self, parts: Sequence[str]) -> str:
        return " ".join(parts)

    def cases(self, rows: Sequence[tuple[str, str]]) -> str:
        lines = r" \\ ".join(f"{value} & {where}" for value, where in rows)
        return rf"\begin{{cases}} {lines} \end{{cases}}"

    def relation(self, left: str, sign: str, right: str) -> str:
        shown = {">=": r"\ge", "<=": r"\le", "!=": r"\ne", "==": "="}.get(sign, sign)
        return f"{left} {shown} {right}"

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        columns = "c" * max(map(len, rows), default=1)
        lines = r" \\ ".join(" & ".join(row) for row in rows)
        return rf"\left[\begin{{array}}{{{columns}}} {lines} \end{{array}}\right]"


_FUNCTIONS: Final = frozenset({"sin", "cos", "tan", "arcsin", "arccos", "exp", "ln", "tanh", "min", "max"})
_WRITER: Final = Latex()


def _subscript(text: str) -> str:
    if len(text) == 1 or all(part.isdigit() for part in text.split(",")):
        return plain(text)
    return rf"\{text}" if text in GREEK and text != "omicron" else rf"\mathrm{{{plain(text)}}}".replace(" ", r"\ ")


def _item(item: Any) -> list[str]:
    if isinstance(item, Entries):
        return _aligned([(_WRITER.placed(item.letter, place), value) for place, value in item.values.items()])
    if isinstance(item, NamedMatrix):
        entries = entries_of(item, item.value, ROW_WIDTH)
        if entries:
            return _aligned([(_WRITER.name(left), value) for left, value in entries])
        left = f"{_WRITER.name(item.name)} = " if item.name else ""
        return [rf"\[ {left}{_WRITER.expression(item.value)} \]"]
    if isinstance(item, Equation):
        return [rf"\[ {item.latex} \]"]
    if isinstance(item, Steps):
        lines = []
        for group in item.groups:
            lines += [rf"\paragraph{{{plain(group.title)}}}"] if group.title else []
            lines += _aligned([(_WRITER.name(left), value) for left, value in group.steps])
        return [*lines, *_item(item.entries)]
    if isinstance(item, VectorRows):
        return _vectors(item)
    if isinstance(item, Pattern):
        return _tabular(item.table())
    assert isinstance(item, Table)
    return _tabular(item)


def _tabular(table: Table) -> list[str]:
    def line(cells: Sequence[str], symbols: Sequence[int]) -> str:
        shown = (rf"\({_WRITER.name(cell)}\)" if k in symbols else plain(cell) for k, cell in enumerate(cells))
        return " & ".join(shown) + r" \\"

    columns = "l" * len(table.header)
    body = [line(table.header, ()), r"\hline", *(line(row, table.symbols) for row in table.rows)]
    return [r"\begin{center}", rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}", r"\end{center}"]


def _aligned(formulas: Sequence[tuple[str, Any]]) -> list[str]:
    """Formulas with their equality signs below each other, long ones in rows."""
    rows = []
    for left, value in formulas:
        for k, (row, depth) in enumerate(_WRITER.rows(value, ROW_WIDTH)):
            # An empty group on its left makes a sign one between terms, with the space of one.
            rows.append(f"&{_INDENT * (depth + 1)} {{}}{row}" if k else f"{left} &= {row}")
    if not rows:
        return ["All entries are zero."]
    return [r"\begin{align*}", *(f"{row} \\\\" for row in rows[:-1]), rows[-1], r"\end{align*}"]


def _bold(name: str) -> str:
    return rf"\boldsymbol{{{_WRITER.name(name)}}}"


_VECTORS: Final = notation_of(_WRITER, _bold, r"\times", r"\cdot", ", ")


def latex_formula(row: VectorRow) -> str:
    """A row in LaTeX, in one line."""
    left = _WRITER.name(row.left) if row.is_number else _bold(row.left)
    return f"{left} = {' '.join(_VECTORS.right_side(row))}"


def _vectors(item: VectorRows) -> list[str]:
    """Rows below each other, long ones broken between terms."""
    lines = []
    for row in item.rows:
        left = _WRITER.name(row.left) if row.is_number else _bold(row.left)
        shown = list(_latex_rows(row))
        told = rf"\text{{\footnotesize {plain(row.told)}}}" if row.told else ""
        beside = len("".join(TEXT.right_side(row))) + len(row.told) <= TOLD_WIDTH and len(shown) == 1
        lines.append(f"{left} &= {shown[0]}" + (rf" && {told}" if told and beside else ""))
        lines += [rf"&\quad {{}}{rest}" for rest in shown[1:]]
        lines += [rf"&\quad {told}"] if told and not beside else []
    if not lines:
        return ["All entries are zero."]
    return [r"\begin{align*}", *(f"{line} \\\\" for line in lines[:-1]), lines[-1], r"\end{align*}"]


def _latex_rows(row: VectorRow) -> Iterator[str]:
    widths = [len(term) for term in TEXT.right_side(row)]
    line, filled = "", 0
    for term, width in zip(_VECTORS.right_side(row), widths, strict=True):
        if line and filled + width > ROW_WIDTH:
            yield line
            line, filled = "", 0
        line, filled = f"{line} {term}" if line else term, filled + width
    yield line
