"""Formulas in MathML Core, which browsers show without anything else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, final

from mbsym.report.formulas import FormulaWriter
from mbsym.report.sections import VectorRow
from mbsym.report.symbols import GREEK, SymbolParts, symbol_parts
from mbsym.report.vectors import notation_of

_TIMES: Final = "<mo>&#x2062;</mo>"
_APPLY: Final = "<mo>&#x2061;</mo>"
_THIN: Final = '<mspace width="0.17em"/>'
_DOTS: Final = {1: "&#x2D9;", 2: "&#xA8;"}
_MINUS_OR_PLUS: Final = {"+": "+", "-": "&#x2212;"}
_RELATIONS: Final = {">": "&gt;", "<": "&lt;", ">=": "≥", "<=": "≤", "==": "=", "!=": "≠"}


@final
class MathML(FormulaWriter):
    """Contents of ``math`` elements."""

    def symbol(self, parts: SymbolParts, power: str = "") -> str:
        letter = f"<mi>{escape(GREEK.get(parts.letter, parts.letter))}</mi>"
        if parts.dots:
            letter = f"<mover>{letter}<mo>{_DOTS[parts.dots]}</mo></mover>"
        if parts.subscript:
            below = _subscript(parts.subscript)
            return f"<msubsup>{letter}{below}{power}</msubsup>" if power else f"<msub>{letter}{below}</msub>"
        return f"<msup>{letter}{power}</msup>" if power else letter

    def text(self, text: str) -> str:
        return f"<mtext>{escape(text)}</mtext>"

    def number(self, digits: str, exponent: str) -> str:
        if not exponent:
            return f"<mn>{digits}</mn>"
        sign = self.sign("-", between=False) if exponent.startswith("-") else ""
        ten = f"<msup><mn>10</mn><mrow>{sign}<mn>{int(exponent.lstrip('-'))}</mn></mrow></msup>"
        return ten if digits == "1" else f"<mrow><mn>{digits}</mn><mo>&#xB7;</mo>{ten}</mrow>"

    def sign(self, sign: str, *, between: bool) -> str:
        return f'<mo form="{"infix" if between else "prefix"}">{_MINUS_OR_PLUS[sign]}</mo>'

    def fraction(self, above: str, below: str) -> str:
        return f"<mfrac>{above}{below}</mfrac>"

    def power(self, base: str, exponent: str) -> str:
        return f"<msup>{base}{exponent}</msup>"

    def root(self, content: str) -> str:
        return f"<msqrt>{content}</msqrt>"

    def function(self, name: str, power: str) -> str:
        shown = f"<mi>{escape(name)}</mi>" if len(name) > 1 else f'<mi mathvariant="normal">{escape(name)}</mi>'
        return f"<msup>{shown}{power}</msup>" if power else shown

    def call(self, function: str, arguments: Sequence[str], *, bare: bool) -> str:
        if bare:
            return f"<mrow>{_THIN}{function}{_APPLY}{_THIN}{arguments[0]}</mrow>"
        return f"<mrow>{_THIN}{function}{_APPLY}{self.parentheses('<mo>,</mo>'.join(arguments))}</mrow>"

    def parentheses(self, content: str) -> str:
        return f"<mrow><mo>(</mo>{content}<mo>)</mo></mrow>"

    def parenthesis(self, which: str) -> str:
        form = "prefix" if which == "(" else "postfix"
        return f'<mo stretchy="false" form="{form}">{which}</mo>'

    def side_by_side(self, factors: Sequence[str]) -> str:
        return factors[0] if len(factors) == 1 else f"<mrow>{_TIMES.join(factors)}</mrow>"

    def one_after_another(self, parts: Sequence[str]) -> str:
        return f"<mrow>{''.join(parts)}</mrow>"

    def cases(self, rows: Sequence[tuple[str, str]]) -> str:
        cells = "".join(f"<mtr><mtd>{value}</mtd><mtd>{where}</mtd></mtr>" for value, where in rows)
        return f'<mrow><mo stretchy="true" form="prefix">{{</mo><mtable>{cells}</mtable></mrow>'

    def relation(self, left: str, sign: str, right: str) -> str:
        return f"<mrow>{left}<mo>{_RELATIONS.get(sign, escape(sign))}</mo>{right}</mrow>"

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        cells = "".join(f"<mtr>{''.join(f'<mtd>{entry}</mtd>' for entry in row)}</mtr>" for row in rows)
        return f'<mtable class="matrix">{cells}</mtable>'


def _subscript(text: str) -> str:
    if text.isdigit():
        return f"<mn>{text}</mn>"
    if len(text) == 1:
        return f"<mi>{escape(text)}</mi>"
    return f"<mtext>{escape(GREEK.get(text, text)).replace(' ', '&#xA0;')}</mtext>"


def _bold_letter(letter: str) -> str:
    """A letter of the mathematical alphabet in bold italics."""
    for first, last, start in (("A", "Z", 0x1D468), ("a", "z", 0x1D482), ("α", "ω", 0x1D736)):
        if len(letter) == 1 and first <= letter <= last:
            return chr(start + ord(letter) - ord(first))
    return letter


def _bold(name: str) -> str:
    found = symbol_parts(name)
    letter = _bold_letter(GREEK.get(found.letter, found.letter))
    return _WRITER.symbol(SymbolParts(letter, found.dots, found.subscript))


_WRITER: Final = MathML()
_VECTORS: Final = notation_of(_WRITER, _bold, "<mo>×</mo>", "<mo>⋅</mo>", "<mo>,</mo>")


def mathml_parts(row: VectorRow) -> tuple[str, list[str]]:
    """A row's left side, and its right side in parts between which a line may end."""
    left = _WRITER.name(row.left) if row.is_number else _bold(row.left)
    return left, _VECTORS.right_side(row)


def told_html(row: VectorRow) -> str:
    """What a row's name stands for, for a page."""
    return f" <small>{escape(row.told)}</small>" if row.told else ""
