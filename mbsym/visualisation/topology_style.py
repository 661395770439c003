"""How the topology diagram looks: its style sheet, and the words of its key."""

from __future__ import annotations

from typing import Final

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
