"""Long formulas broken into rows before plus and minus signs, at the outermost sums that make them short enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mbsym.doors import sympy
from mbsym.report.symbols import GREEK, symbol_parts


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a formula that stays in one row.

    Attributes:
        kind: a value, or a parenthesis around the pieces between.
        sign: what stands before it, "+", "-" or nothing.
        value: positive, or None of a parenthesis.
        depth: of sums in parentheses that it is in.
        width: in letters.
        factor: True where the value multiplies a sum in parentheses.
    """

    kind: Literal["value", "open", "close"]
    sign: str
    value: sympy.Expr | None
    depth: int
    width: float
    factor: bool = False


def broken_rows(value: sympy.Expr, width: float) -> list[list[Piece]]:
    """A formula in rows of about a width."""
    found = _pieces(value, width, 0) if text_width(value) > width else [_whole(value)]
    rows: list[list[Piece]] = []
    while found:
        end = _end_of_row(found, width)
        rows.append(found[:end])
        found = found[end:]
    return rows


def terms(value: sympy.Expr, width: float) -> list[list[list[Piece]]]:
    """A formula in terms of its outermost sum, each in parts that stay together, of about a width and shorter.

    A reader of any width sees it best broken between terms first, and between their parts where one is too wide.
    """
    pieces = _pieces(value, width, 0) if text_width(value) > width else [_whole(value)]
    found: list[list[list[Piece]]] = []
    for k, piece in enumerate(pieces):
        begins = not k or (piece.sign and pieces[k - 1].kind != "open")
        if begins and not piece.depth:
            found.append([[piece]])
        elif begins:
            found[-1].append([piece])
        else:
            found[-1][-1].append(piece)
    return found


def _whole(value: Any) -> Piece:
    negative = not value.is_Add and is_negative(value)
    return Piece("value", "-" if negative else "", -value if negative else value, 0, text_width(value))


def _end_of_row(pieces: Sequence[Piece], width: float) -> int:
    """Where the next row begins: the outermost sign that leaves a row at least half full, else the last that fits."""
    filled = 0.0
    places: list[tuple[int, float, int]] = []
    for k, piece in enumerate(pieces):
        if k and piece.sign and pieces[k - 1].kind != "open":
            places.append((piece.depth, filled, k))
        filled += piece.width
        if filled > width and places:
            good = [place for place in places if place[1] >= 0.5 * width] or places
            depth = min(place[0] for place in good)
            return max(place[2] for place in good if place[0] == depth)
    return len(pieces)


def _pieces(value: Any, width: float, depth: int) -> list[Piece]:
    if not value.is_Add or (depth and text_width(value) <= 0.4 * width):
        return [Piece("value", "", value, depth, text_width(value))] if value.is_Add else _term(value, width, depth, "")
    found: list[Piece] = []
    for k, term in enumerate(value.as_ordered_terms()):
        negative = is_negative(term)
        found += _term(-term if negative else term, width, depth, "-" if negative else "+" if k else "")
    return found


def _term(term: Any, width: float, depth: int, sign: str) -> list[Piece]:
    if not sign and is_negative(term):
        sign, term = "-", -term
    own = text_width(term)
    sums = [factor for factor in term.args if factor.is_Add] if isinstance(term, sympy.Mul) else []
    if own <= 0.5 * width or not sums:
        return [Piece("value", sign, term, depth, own + 1)]
    widest = max(sums, key=text_width)
    others = [factor for factor in term.args if factor is not widest]
    front = sympy.Mul(*(factor for factor in others if not is_trigonometric(factor)))
    back = [factor for factor in others if is_trigonometric(factor)]
    found = [Piece("value", sign, front, depth, text_width(front) + 1, factor=True)]
    found.append(Piece("open", "", None, depth, 1))
    found += _pieces(widest, width, depth + 1)
    found.append(Piece("close", "", None, depth, 1))
    if back:
        found.append(Piece("value", "", sympy.Mul(*back), depth, sum(map(text_width, back)) + 1, factor=True))
    return found


def factors_in_order(product: Any) -> list[Any]:
    """Factors as textbooks order them: letters, sums, sines and cosines."""
    factors = product.as_ordered_factors() if isinstance(product, sympy.Mul) else [product]
    return sorted(factors, key=lambda factor: 2 if is_trigonometric(factor) else int(_base(factor).is_Add))


def is_trigonometric(factor: Any) -> bool:
    """Whether a factor is a sine, cosine or tangent, or a power of one."""
    return isinstance(_base(factor), (sympy.sin, sympy.cos, sympy.tan))


def _base(factor: Any) -> Any:
    return factor.base if factor.is_Pow else factor


def is_negative(term: Any) -> bool:
    """Whether a term is written with a minus sign."""
    return bool(term.as_coeff_Mul()[0].is_negative)


def matrix_width(value: Any) -> float:
    """About how many letters wide a matrix is."""
    return sum(max(text_width(value[i, j]) for i in range(value.rows)) + 2 for j in range(value.cols))


def text_width(value: Any) -> float:
    """About how many letters wide a formula is."""
    if isinstance(value, sympy.Symbol):
        parts = symbol_parts(str(value.name))
        return 1.2 * (1 if parts.letter in GREEK else len(parts.letter)) + 0.55 * len(parts.subscript)
    if value.is_Rational and not value.is_Integer:
        return 0.8 * max(len(str(value.p)), len(str(value.q))) + 0.3
    if isinstance(value, sympy.Float):
        return len(f"{float(value):.15g}")
    if value.is_Number:
        return len(str(value))
    inner = sum(text_width(each) for each in value.args)
    if isinstance(value, sympy.Add):
        return float(inner + 2.5 * (len(value.args) - 1))
    if isinstance(value, sympy.Mul):
        factors = [factor for factor in value.args if factor is not sympy.S.NegativeOne]
        return float(inner + 0.3 * len(factors) + 2 * sum(factor.is_Add for factor in factors))
    if isinstance(value, sympy.Pow):
        return float(inner + (2 if value.base.is_Add else 0))
    return float(inner + len(type(value).__name__) + (0.5 if all(each.is_Atom for each in value.args) else 2))
