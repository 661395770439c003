"""How the topology diagram looks: its style sheet and its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.visualisation.svg import decimal, polyline, text_width

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
.topology .gear { stroke: #6d3fa0; stroke-dasharray: 9 3 2 3; }
.topology .rodname, .topology .slidename { fill: #17624a; }
.topology .springname { fill: #7a5400; }
.topology .gearname { fill: #5b3388; }
.topology .element { fill: #66717e; font-size: 11px; }
.topology .plate { fill: #fff; }
.topology .cutname { fill: #a02418; }
.topology .label { fill: #7a8794; }
"""


TIES: Final = {"rod": "rod", "slide": "slide", "spring": "spring", "gear": "gear or coupling"}
"""Lines besides the joints, with their words in the key."""

NARROWEST_KEY: Final = 640
"""Width that a key may have in any picture [px]."""


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
        parts.append(f'<text class="key" x="{decimal(x)}" y="{decimal(y)}">{words}</text>')
        x += text_width(words) + 20
    return parts
