"""How the topology diagram looks: its style sheet, its key, and the parts of its SVG text."""

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

STYLE: Final = """
.topology text { fill: #1d2733; font: 13px sans-serif; text-anchor: middle; dominant-baseline: central; }
.topology .title { font-size: 16px; font-weight: bold; text-anchor: start; }
.topology .level, .topology .key { fill: #66717e; text-anchor: start; }
.topology .body { fill: #e8f0f8; stroke: #2f5d8a; stroke-width: 1.4; }
.topology .base { fill: #dcdcdc; stroke: #444; stroke-width: 1.4; }
.topology .row { stroke: #eef0f2; stroke-width: 1; }
.topology .tree, .topology .cut, .topology .rod, .topology .slide, .topology .spring, .topology .gear {
  fill: none; stroke-width: 1.7; }
.topology .tree { stroke: #2b3a4a; }
.topology .cut { stroke: #c0392b; stroke-dasharray: 7 4; }
.topology .rod { stroke: #1f7a5c; stroke-width: 2.6; }
.topology .slide { stroke: #1f7a5c; stroke-dasharray: 12 4; }
.topology .spring { stroke: #9a6a00; stroke-dasharray: 2 4; stroke-linecap: round; stroke-width: 2.4; }
.topology .rim { stroke: #6d3fa0; stroke-dasharray: 1 5; stroke-linecap: round; stroke-width: 2.4; }
.topology .gear { stroke: #6d3fa0; stroke-dasharray: 9 3 2 3; }
.topology .rodname, .topology .slidename { fill: #17624a; }
.topology .springname { fill: #7a5400; }
.topology .gearname, .topology .rimname { fill: #5b3388; }
.topology .element { fill: #66717e; font-size: 11px; }
.topology .plate { fill: #fff; }
.topology .cutname { fill: #a02418; }
.topology .label { fill: #7a8794; }
@media (prefers-color-scheme: dark) { svg.topology:root { filter: invert(0.91) hue-rotate(180deg); } }
"""


TIES: Final = {"rod": "rod", "slide": "slide", "spring": "spring", "rim": "rolling contact", "gear": "gear or coupling"}
"""Lines besides the joints, with their words in the key."""

NARROWEST_KEY: Final = 640
"""Width that a key may have in any picture [px]."""


def page(parts: Sequence[str], width: float, height: float, style: str = "", definitions: Sequence[str] = ()) -> str:
    """Returns the SVG text of what is drawn on white paper, with more of style and definitions.

    A picture that is a document of its own, or an image of a page, turns dark with its reader's screen.
    """
    size = f'width="{decimal(width)}" height="{decimal(height)}"'
    heads = (arrowhead(name, colour) for name, colour in (("outwardtree", "#2b3a4a"), ("outwardcut", "#c0392b")))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="topology" {size} '
        f'viewBox="0 0 {decimal(width)} {decimal(height)}">',
        f"<style>{STYLE}{style}</style>",
        "<defs>",
        *heads,
        *definitions,
        HATCH,
        "</defs>",
        f'<rect {size} fill="#fff"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def key_width(entry: tuple[str, str]) -> float:
    """Of an entry of the key: the style of its line, "" without one, and its words."""
    style, words = entry
    return text_width(words) + 20 + 44 * bool(style)


def key_rows(entries: Sequence[tuple[str, str]], width: float) -> list[list[tuple[str, str]]]:
    """The entries in rows that are no wider than a picture, if none of them is."""
    rows: list[list[tuple[str, str]]] = [[]]
    for entry in entries:
        if rows[-1] and sum(map(key_width, (*rows[-1], entry))) > max(width, NARROWEST_KEY):
            rows.append([])
        rows[-1].append(entry)
    return rows


def key_line(entries: Sequence[tuple[str, str]], x: float, y: float) -> list[str]:
    """A row of the key, drawn."""
    parts = []
    for style, words in entries:
        if style:
            parts.append(polyline(style, [(x, y), (x + 36, y)], f"outward{style}" if style in ("tree", "cut") else ""))
            x += 44
        parts.append(element("text", words, "key", x=x, y=y))
        x += text_width(words) + 20
    return parts


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


def element(kind: str, content: str | None = None, style: str = "", **attributes: str | float) -> str:
    """Returns an element of a style, with numbers as decimals; what it holds is marked up already."""
    said = {"class": style} if style else {}
    said |= {name: value if isinstance(value, str) else decimal(value) for name, value in attributes.items()}
    head = " ".join([kind, *(f'{name}="{value}"' for name, value in said.items())])
    return f"<{head}>{content}</{kind}>" if content is not None else f"<{head}/>"


def named(name: str, tag: str, x: float, y: float, style: str) -> str:
    """Returns a name with a tag behind it, on a plate that hides the line below."""
    return on_plate(labelled(name, tag), x, y, style, text_width(name + tag))


def labelled(name: str, tag: str) -> str:
    """Returns a name with a tag behind it, marked up."""
    return escaped(name) + element("tspan", escaped(tag), "label")


def on_plate(text: str, x: float, y: float, style: str, width: float) -> str:
    """Returns a text that is marked up already on a plate of its width."""
    plate = element("rect", style="plate", x=x - width / 2 + 1, y=y - 8, width=width - 2, height=16)
    return plate + element("text", text, style, x=x, y=y)


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
