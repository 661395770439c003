"""Draws the house, from docs/house.toml and the imports: floors, rooms with their sizes, which room stands on which.

    python docs/draw_house.py

An arrow goes from a room to each one that it imports and does not reach through a third. What everybody uses (errors,
conventions, version, doors, records) has none. Lines pass behind the rooms between.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "mbsym"
PICTURE = ROOT / "docs" / "figures" / "architecture" / "house.svg"

# Everybody stands on the ground, and the face looks at everybody.
GROUND = {"errors", "conventions", "version", "records", "doors"}
FACE = {"__init__", "__main__"}

WIDTH, LEFT, TOP = 960, 40, 16
UNIT = 76.0
ROOM, GAP, INSET = 56, 30, 5
SIZE_STEP = 100

STYLE = """\
text { font-family: system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; fill: #1f2933; }
.name { font-size: 15px; font-weight: 600; }
.holds { font-size: 11.5px; fill: #52606d; }
.lines { font-size: 10.5px; fill: #7b8794; }
.floor { font-size: 11.5px; fill: #7b8794; }
.room { stroke: #9aa5b1; stroke-width: 1; }
.walled { stroke: #52606d; stroke-width: 1.6; stroke-dasharray: 5 3; }
.use { fill: #fdf3dc; } .mechanics { fill: #e4f1e7; } .mathematics { fill: #e3edf9; } .ground { fill: #eef0f2; }
.arrow { fill: none; stroke: #7b8794; stroke-width: 1.2; }
.head { fill: #7b8794; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e7eb; }
  .holds, .floor { fill: #b6c0cb; } .lines { fill: #98a4b0; }
  .room { stroke: #616e7c; } .walled { stroke: #b6c0cb; }
  .use { fill: #40361d; } .mechanics { fill: #1f3a2b; } .mathematics { fill: #1f3350; } .ground { fill: #2b3138; }
  .arrow { stroke: #8a96a3; } .head { fill: #8a96a3; }
}"""

ABOUT = {
    "use": "what is done with equations",
    "mechanics": "mechanics",
    "mathematics": "knows no mechanics",
    "ground": "used by all",
}


@dataclass(frozen=True, slots=True)
class Room:
    """A row of the table.

    Attributes:
        name: Of the package or module.
        floor: 0 is the lowest.
        holds: What is in it.
        about: A key of ``ABOUT``.
        place: Left and right edge in twelfths of the width.
        walled: True where it sees less than the floors below it.
    """

    name: str
    floor: int
    holds: str
    about: str
    place: tuple[float, float]
    walled: bool

    @property
    def left(self) -> float:
        return LEFT + self.place[0] * UNIT + INSET

    @property
    def right(self) -> float:
        return LEFT + self.place[1] * UNIT - INSET


def rooms() -> tuple[Room, ...]:
    """The table, but for the package's face."""
    table = tomllib.loads((ROOT / "docs" / "house.toml").read_text(encoding="utf-8"))["room"]
    return tuple(
        Room(item["name"], item["floor"], item["holds"], item["about"], tuple(item["place"]), "only" in item)
        for item in table
        if item["name"] not in FACE
    )


def sizes() -> dict[str, int]:
    """Lines of Python by room, rounded, so that the picture does not change with each of them."""
    lines: dict[str, int] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).with_suffix("").parts[0]
        lines[name] = lines.get(name, 0) + len(path.read_text(encoding="utf-8").splitlines())
    return {room.name: max(SIZE_STEP, round(lines.get(room.name, 0) / SIZE_STEP) * SIZE_STEP) for room in rooms()}


def imports() -> dict[str, set[str]]:
    """The rooms that each room imports, anywhere in its modules."""
    names = {room.name for room in rooms()}
    found: dict[str, set[str]] = {name: set() for name in names}
    for path in sorted(PACKAGE.rglob("*.py")):
        here = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if here not in names:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            else:
                continue
            there = {module.split(".")[1] for module in modules if module.startswith("mbsym.")}
            found[here] |= (there & names) - {here}
    return found


def arrows(found: Mapping[str, set[str]]) -> tuple[tuple[str, str], ...]:
    """What each room stands on and does not reach through another: the transitive reduction, sorted."""

    def reached(name: str) -> set[str]:
        beyond: set[str] = set()
        for other in found[name]:
            beyond |= {other} | reached(other)
        return beyond

    return tuple(
        (here, there)
        for here in sorted(found)
        for there in sorted(found[here] - GROUND)
        if not any(there in reached(other) for other in found[here] - {there})
    )


class _Tracks:
    """Free places for lines: upright ones between rooms, level ones in the gap above a floor."""

    def __init__(self) -> None:
        self.upright: list[tuple[float, float, float]] = []
        self.level: dict[int, list[float]] = {}

    def place(self, low: float, high: float, top: float, bottom: float, wish: float) -> float:
        """An x in [low, high], nearest to ``wish``, at which no other upright line is near."""
        candidates = [low + k * (high - low) / 24 for k in range(25)]
        free = [
            x
            for x in candidates
            if all(abs(x - other) >= 9 or bottom <= upper or top >= lower for other, upper, lower in self.upright)
        ]
        x = min(free or candidates, key=lambda x: (abs(x - wish), x))
        self.upright.append((x, top, bottom))
        return x

    def lane(self, floor: int, y: float) -> float:
        """A height in the gap above ``floor``."""
        taken = self.level.setdefault(floor, [])
        height = y - 11 - 5 * (len(taken) % 3)
        taken.append(height)
        return height


def top_of(room: Room, highest: int) -> float:
    return TOP + (highest - room.floor) * (ROOM + GAP)


def paths(table: Sequence[Room], edges: Sequence[tuple[str, str]]) -> list[str]:
    """The lines of the arrows: straight down where one room stands over the other, else with one bend."""
    by_name = {room.name: room for room in table}
    highest = max(room.floor for room in table)
    tracks = _Tracks()
    lines = []
    for here, there in sorted(edges, key=lambda edge: (by_name[edge[0]].floor - by_name[edge[1]].floor, edge)):
        upper, lower = by_name[here], by_name[there]
        start, end = top_of(upper, highest) + ROOM, top_of(lower, highest)
        low, high = max(upper.left, lower.left) + 14, min(upper.right, lower.right) - 14
        if low <= high:
            x = tracks.place(low, high, start, end, (low + high) / 2)
            route = f"M{x:.1f} {start}V{end - 6}"
        else:
            sideways = 1 if upper.right <= lower.left + 28 else -1
            edge = upper.right - 14 if sideways > 0 else upper.left + 14
            middle = (upper.left + upper.right) / 2
            x = tracks.place(min(edge, middle), max(edge, middle), start, end, edge)
            inner = (lower.left + lower.right) / 2
            outer = lower.left + 14 if sideways > 0 else lower.right - 14
            target = tracks.place(min(inner, outer), max(inner, outer), end - GAP, end, outer)
            y = tracks.lane(lower.floor, end)
            route = f"M{x:.1f} {start}V{y - 4:.1f}q0 4 {4 * sideways} 4H{target - 4 * sideways:.1f}"
            route += f"q{4 * sideways} 0 {4 * sideways} 4V{end - 6}"
            x = target
        lines.append(f'<path class="arrow" data-arrow="{here} {there}" d="{route}"/>')
        lines.append(f'<path class="head" d="M{x - 3.5:.1f} {end - 7}h7l-3.5 7z"/>')
    return lines


def drawn(lines: Mapping[str, int]) -> str:
    """The picture.

    Args:
        lines: Of Python by room.
    """
    table = rooms()
    highest = max(room.floor for room in table)
    height = TOP + (highest + 1) * (ROOM + GAP) - GAP + 44
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="The floors and'
        ' rooms of mbsym">',
        f"<style>\n{STYLE}\n</style>",
        *paths(table, arrows(imports())),
    ]
    for floor in range(highest + 1):
        y = TOP + (highest - floor) * (ROOM + GAP) + ROOM / 2 + 4
        out.append(f'<text class="floor" x="6" y="{y:.0f}">F{floor}</text>')
    for room in table:
        x, y, width = room.left, top_of(room, highest), room.right - room.left
        middle = x + width / 2
        kind = f"room {room.about}" + (" walled" if room.walled else "")
        size = f"{lines[room.name]:,}".replace(",", "\u202f")
        out += [
            f'<g data-room="{room.name}" data-lines="{lines[room.name]}" text-anchor="middle">',
            f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROOM}" rx="4"/>',
            f'<text class="name" x="{middle:.1f}" y="{y + 19}">{escape(room.name)}</text>',
            f'<text class="holds" x="{middle:.1f}" y="{y + 34}">{escape(room.holds)}</text>',
            f'<text class="lines" x="{middle:.1f}" y="{y + 48}">{size} lines</text>',
            "</g>",
        ]
    y = height - 14
    x = float(LEFT + INSET)
    for about, words in ABOUT.items():
        out.append(f'<rect class="room {about}" x="{x:.1f}" y="{y - 10}" width="14" height="12" rx="2"/>')
        out.append(f'<text class="floor" x="{x + 20:.1f}" y="{y}">{words}</text>')
        x += 44 + 6.2 * len(words)
    out.append(f'<rect class="room walled" fill="none" x="{x:.1f}" y="{y - 10}" width="14" height="12" rx="2"/>')
    out.append(f'<text class="floor" x="{x + 20:.1f}" y="{y}">sees only some of the floors below</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main() -> None:
    """Writes the picture."""
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawn(sizes()), encoding="utf-8")


if __name__ == "__main__":
    main()
