"""Parts of SVG texts: numbers, names, lines with round corners, arrowheads."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Sequence
from typing import Final
from xml.sax.saxutils import escape

CHARACTER: Final = 7.4
"""Width of a character of the texts [px], generous for a 13 pixel sans-serif face."""

HATCH: Final = (
    '<pattern id="ground" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="8" height="8" fill="#f4f4f4"/><path d="M0 0V8" stroke="#9aa2aa" stroke-width="2"/></pattern>'
)


def polyline(style: str, points: Sequence[tuple[float, float]], arrow: str = "") -> str:
    """Returns a path through the points whose corners are rounded, with an arrowhead where one is named."""
    radius = 6.0
    path = f"M{decimal(points[0][0])} {decimal(points[0][1])}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        enter, leave = _towards(corner, before, radius), _towards(corner, after, radius)
        path += "L{} {}Q{} {} {} {}".format(*map(decimal, (*enter, *corner, *leave)))
    path += f"L{decimal(points[-1][0])} {decimal(points[-1][1])}"
    marker = f' marker-end="url(#{arrow})"' if arrow else ""
    return f'<path class="{style}"{marker} d="{path}"/>'


def _towards(start: tuple[float, float], goal: tuple[float, float], distance: float) -> tuple[float, float]:
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    length = abs(dx) + abs(dy)  # the stretches are horizontal or vertical
    part = min(distance, length / 2) / length if length else 0.0
    return start[0] + part * dx, start[1] + part * dy


def arrowhead(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L9 5L0 9Z" fill="{colour}"/></marker>'
    )


def decimal(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def text_width(text: str) -> float:
    """Returns an estimate of a text's width in pixels; full-width characters take two columns."""
    return CHARACTER * sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def printable(name: Hashable) -> str:
    """Returns a name on one line, without characters that XML cannot hold."""
    return "".join(
        " " if character.isspace() else "\N{REPLACEMENT CHARACTER}" if _forbidden(character) else character
        for character in str(name)
    )


def _forbidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") or character in "\ufffe\uffff"


def escaped(text: str) -> str:
    return escape(printable(text))
