"""Picture of a labelled system: an SVG of the graph in levels, tree joints solid and cut joints dashed.

The base is a bar across the top and level d below it holds the bodies d joints away. Bodies stand on a grid; tree
joints run between neighbouring rows, cut joints in lanes between columns and tracks between rows, so that no line
passes through a body. Texts have strips of their own: a tree joint is named right above its outboard body, a cut
joint beside its lane, where no slanted line runs. What else holds two bodies or two joints runs like a cut joint; what
acts on one joint is named below that joint's name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mbsym.errors import TopologyError
from mbsym.topology import Labelling, SpanningTree
from mbsym.visualisation.attachments import Attachment
from mbsym.visualisation.topology_style import (
    TIES,
    decimal,
    element,
    escaped,
    key_line,
    key_rows,
    key_width,
    labelled,
    named,
    on_plate,
    page,
    polyline,
    printable,
    text_width,
)

DIAGRAM_LIMIT = 2000
"""Most joints for which a diagram is drawn; beyond it nobody could read one."""

_BODY_HEIGHT = 40  # more where many lines end at one side of a row
_PORT_PITCH = 12  # between lines that end at the same body
_TRACK_PITCH = 26  # between horizontal stretches of cut joints
_NAME_STRIP = 46  # above each row, for the names of the joints that end there
_ELEMENT_PITCH = 16  # between the elements named at a joint
_SMALL = 0.87  # their size against that of the names
_OTHER_PITCH = 20
_SLANT = 34  # below each row, for the tree joints to fan out
_LANE_MARGIN = 14
PAGE_MARGIN = 24
_DEPTH_MARGIN = 74  # left of the first column, for the names of the levels

_LISTED = 3
"""Most elements named at one joint."""


@dataclass(slots=True)
class _SideLine:
    """Route of a cut joint or a tie from its lower body, the one farther from the base, to its upper body.

    ``key`` numbers it: the label of a cut joint, or one beyond all joints. ``name`` and ``tag`` are its text, ``style``
    is its class; ``downward`` says that its arrow leads to the lower body.

    ``lane`` is (gap between columns, side, number), where side 0 counts lanes from the left of the gap and side 1 from
    its right; ``track`` is (row above it, number). A joint between bodies of the same row has a track and no lane.
    """

    key: int
    upper: int
    lower: int
    style: str
    name: str
    tag: str
    downward: bool = False
    lane: tuple[int, int, int] | None = None
    track: tuple[int, int] | None = None


@dataclass(slots=True)
class _Strip:
    """Parallel stretches in one gap: those whose intervals overlap get different numbers."""

    occupied: list[list[tuple[float, float]]] = field(default_factory=list)

    def place(self, start: float, end: float) -> int:
        """Returns the least number free between start and end, and takes it."""
        for number, stretches in enumerate(self.occupied):
            if all(end < other_start or other_end < start for other_start, other_end in stretches):
                stretches.append((start, end))
                return number
        self.occupied.append([(start, end)])
        return len(self.occupied) - 1


def topology_svg(labelling: Labelling, title: str = "", attachments: Sequence[Attachment] = ()) -> str:
    """Returns the SVG text of the labelled graph, with user names and labels on bodies and joints.

    Tree joints are solid arrows from the inboard to the outboard body, cut joints dashed ones. Joints that were
    flipped against the user's direction carry an asterisk. The same labelling gives the same text.

    Args:
        labelling: what ``mbsym.topology.label`` returns.
        title: a heading, may be empty.
        attachments: what else holds or drives the bodies and joints of the labelling.

    Raises:
        TopologyError: the system has more joints than the limit that the message states.
    """
    if labelling.nj > DIAGRAM_LIMIT:
        raise TopologyError(
            f"a diagram is drawn of at most {DIAGRAM_LIMIT} joints, this system has {labelling.nj}",
            where="diagram",
            remedy="use the table of the labels",
        )
    return Diagram(labelling, title, attachments).svg()


class Diagram:
    """Places everything once, in the order: columns, routes of the cut joints, coordinates; then draws.

    What is drawn of joint 7 and of body 5, by label, is in groups of the classes joint7 and body5.
    """

    def __init__(self, labelling: Labelling, title: str, attachments: Sequence[Attachment]) -> None:
        self.title = title
        self.nb, self.nj = labelling.nb, labelling.nj
        self.tree = labelling.tree
        self.inboard, self.outboard = labelling.labels.inboard, labelling.labels.outboard
        self.flipped = labelling.labels.flipped
        self.body_names = [printable(name) for name in labelling.body_names]
        self.joint_names = [
            printable(name) + ("*" if turned else "")
            for name, turned in zip(labelling.joint_names, self.flipped, strict=True)
        ]
        self.row = self.tree.depths
        self.rows = max(self.row) + 1
        self.column = _columns(self.tree)
        self.columns = max(self.column, default=0) + 1
        self.lanes = [(_Strip(), _Strip()) for _ in range(self.columns + 1)]
        self.tracks = [_Strip() for _ in range(self.rows)]
        self.lines = self._cut_joints()
        self.elements: list[list[str]] = [[] for _ in range(self.nb + 1)]
        self.others: list[str] = []
        self._attach(labelling, attachments)
        self.strips = [float(_NAME_STRIP)] * self.rows
        for body, listed in enumerate(self.elements):
            self.strips[self.row[body]] = max(self.strips[self.row[body]], _NAME_STRIP + _ELEMENT_PITCH * len(listed))
        self._route()
        self._assign_ports()
        self._place()

    def _cut_joints(self) -> list[_SideLine]:
        lines = []
        for joint in range(self.nb + 1, self.nj + 1):
            upper, lower = self._upper_first(self.inboard[joint - 1], self.outboard[joint - 1])
            downward = lower == self.outboard[joint - 1]
            lines.append(_SideLine(joint, upper, lower, "cut", self.joint_names[joint - 1], f" H{joint}", downward))
        return lines

    def _upper_first(self, first: int, second: int) -> tuple[int, int]:
        return (second, first) if self.row[first] > self.row[second] else (first, second)

    def _attach(self, labelling: Labelling, attachments: Sequence[Attachment]) -> None:
        """Makes a line of what holds two bodies, a text of what acts on one joint, and lists what is neither."""
        bodies, joints = labelling.body_labels, labelling.joint_labels
        for item in attachments:
            # A joint's coordinate moves its outboard body.
            held = [bodies[name] for name in item.bodies] or [self.outboard[joints[name] - 1] for name in item.joints]
            name, kind = printable(item.name), item.type.replace("_", " ").removeprefix("joint ")
            driven = [joints[joint] for joint in item.joints]
            if item.line and len(set(held)) == 2:
                key = self.nj + 1 + len(self.lines)
                tag = f" {item.line if item.bodies else kind}"
                self.lines.append(_SideLine(key, *self._upper_first(*held), item.line, name, tag))
            elif len(driven) == 1 and driven[0] <= self.nb and len(self.elements[driven[0]]) < _LISTED:
                self.elements[driven[0]].append(f"{name}: {kind}")
            else:
                self.others.append(f"{name}: {kind} on {printable(item.holders)}")

    def _route(self) -> None:
        # Short lines first, so that they take the lanes nearest to their bodies.
        for line in sorted(self.lines, key=lambda each: (self.row[each.lower] - self.row[each.upper], each.key)):
            upper_row, lower_row = self.row[line.upper], self.row[line.lower]
            if upper_row != lower_row:
                gap = self._best_gap(line)
                side = 0 if gap > self.column[line.lower] else 1
                line.lane = gap, side, self.lanes[gap][side].place(upper_row, lower_row)
            if upper_row and (line.lane is None or not self._touches_gap(line.upper, line.lane[0])):
                ends = (
                    float(self.column[line.upper]),
                    float(self.column[line.lower]) if line.lane is None else line.lane[0] - 0.5,
                )
                line.track = upper_row, self.tracks[upper_row].place(min(ends), max(ends))

    def _touches_gap(self, body: int, gap: int) -> bool:
        return body != 0 and gap in (self.column[body], self.column[body] + 1)

    def _best_gap(self, line: _SideLine) -> int:
        """Returns the gap left or right of the lower body with fewest crossings, then the one nearer to the upper
        body, then the emptier one."""
        column = self.column[line.lower]

        def cost(gap: int) -> tuple[int, int, int]:
            crossings = sum(
                min(self.column[body], self.column[parent]) < gap <= max(self.column[body], self.column[parent])
                for body, parent in enumerate(self.tree.parents)
                if parent > 0 and self.row[line.upper] < self.row[body] <= self.row[line.lower]
            )
            if line.upper and not self._touches_gap(line.upper, gap):
                crossings += 1  # the track and the port that another gap would save
            distance = abs(2 * gap - 1 - 2 * self.column[line.upper]) if line.upper else 0
            return crossings, distance, sum(len(strip.occupied) for strip in self.lanes[gap])

        return min((column, column + 1), key=cost)

    def _assign_ports(self) -> None:
        """Numbers the ends of side lines at the sides and at the bottom of bodies."""
        sides: dict[tuple[int, int], list[tuple[int, int, int, int]]] = defaultdict(list)
        bottoms: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for line in self.lines:
            if line.lane is None:
                bottoms[line.upper].append((self.column[line.lower], line.key))
                bottoms[line.lower].append((self.column[line.upper], line.key))
                continue
            # From top to bottom: lines that go up, the nearest lane first, then those that go down, the nearest last.
            gap, _, number = line.lane
            sides[gap, self.row[line.lower]].append((0, number, line.key, line.lower))
            if line.track is not None:
                bottoms[line.upper].append((gap - 0.5, line.key))
            elif line.upper:
                sides[gap, self.row[line.upper]].append((1, -number, line.key, line.upper))
        # Each end in one gap and row has a height of its own, lest two lines from opposite sides lie on each other.
        self.side_port = {}
        self.row_height = [float(_BODY_HEIGHT)] * self.rows
        for (_, row), ends in sides.items():
            ends.sort()
            self.row_height[row] = max(self.row_height[row], _PORT_PITCH * (len(ends) + 1))
            for number, (_, _, joint, body) in enumerate(ends):
                self.side_port[joint, body] = (number - (len(ends) - 1) / 2) * _PORT_PITCH
        # The middle of the bottom belongs to the tree joints.
        self.bottom_port = {}
        self.bottom_width = [0.0] * (self.nb + 1)
        for body, joints in bottoms.items():
            joints.sort()
            left = [joint for column, joint in joints if column < self.column[body]]
            right = [joint for column, joint in joints if column >= self.column[body]]
            for number, joint in enumerate(reversed(left), start=1):
                self.bottom_port[joint, body] = -_PORT_PITCH * (number + 0.5)
            for number, joint in enumerate(reversed(right), start=1):
                self.bottom_port[joint, body] = _PORT_PITCH * (number + 0.5)
            self.bottom_width[body] = 2 * _PORT_PITCH * (max(len(left), len(right)) + 1.5)

    def _place(self) -> None:
        texts = [
            max(
                text_width(f"{name} {k}"),
                text_width(f"{joint} H{k}") if k else 0.0,
                *(_SMALL * text_width(text) for text in self.elements[k]),
            )
            for k, (name, joint) in enumerate(zip(self.body_names, ["", *self.joint_names[: self.nb]], strict=True))
        ]
        self.body_width = [
            max(text_width(name) + 20, 56.0, ports)
            for name, ports in zip(self.body_names, self.bottom_width, strict=True)
        ]
        column_width = [56.0] * self.columns
        for body in range(1, self.nb + 1):
            column = self.column[body]
            column_width[column] = max(column_width[column], texts[body] + 12, self.body_width[body])
        lane_width = [0.0] * (self.columns + 1)
        for line in self.lines:
            needed = text_width(line.name + line.tag) + 10
            if line.lane is not None:
                lane_width[line.lane[0]] = max(lane_width[line.lane[0]], needed)
                continue
            for column in (self.column[line.upper], self.column[line.lower]):
                column_width[column] = max(column_width[column], needed)
        self.lane_x: dict[tuple[int, int, int], float] = {}
        self.column_x: list[float] = []
        x = float(_DEPTH_MARGIN)
        for gap, strips in enumerate(self.lanes):
            counts = [len(strip.occupied) for strip in strips]
            right = x + 2 * _LANE_MARGIN + lane_width[gap] * sum(counts)
            for number in range(counts[0]):
                self.lane_x[gap, 0, number] = x + _LANE_MARGIN + lane_width[gap] * (number + 0.5)
            for number in range(counts[1]):
                self.lane_x[gap, 1, number] = right - _LANE_MARGIN - lane_width[gap] * (number + 0.5)
            x = right
            if gap < self.columns:
                self.column_x.append(x + column_width[gap] / 2)
                x += column_width[gap]
        self.right = max(x, _DEPTH_MARGIN + text_width(self.body_names[0]) + 60)
        y = float(PAGE_MARGIN + (34 if self.title else 0))
        self.row_y: list[float] = []
        for row in range(self.rows):
            y += self.strips[row] if row else 0
            self.row_y.append(y + self.row_height[row] / 2)
            y += self.row_height[row] + self._track_height(row) + (_SLANT if row else 0)
        self.bottom = y + 10 + _OTHER_PITCH * len(self.others)

    def _track_height(self, row: int) -> float:
        count = len(self.tracks[row].occupied)
        return _TRACK_PITCH * count + 10 if count else 0

    def _x(self, body: int) -> float:
        return self.column_x[self.column[body]]

    def _y(self, body: int) -> float:
        return self.row_y[self.row[body]]

    def _top(self, body: int) -> float:
        return self._y(body) - self.row_height[self.row[body]] / 2

    def _bottom(self, body: int) -> float:
        return self._y(body) + self.row_height[self.row[body]] / 2

    def _side(self, body: int, gap: int) -> float:
        sign = 1 if gap > self.column[body] else -1
        return self._x(body) + sign * self.body_width[body] / 2

    def svg(self) -> str:
        styles = {line.style for line in self.lines}
        key = [("tree", "tree joint, inboard to outboard")]
        key += [("cut", "cut joint")] if "cut" in styles else []
        key += [(style, words) for style, words in TIES.items() if style in styles]
        parts, width, height = self.drawn([*key, *self.remarks()])
        return page(parts, width, height)

    def remarks(self) -> list[tuple[str, str]]:
        """What the key says without a line."""
        return [("", "* flipped against the given direction")] * any(self.flipped) + [("", "B, H: regular labels")]

    def drawn(self, key: Sequence[tuple[str, str]]) -> tuple[list[str], float, float]:
        """Returns what is drawn, above a key, with its width and height."""
        widths = [self.right, text_width(self.title) * 1.3, *map(text_width, self.others)]
        lines = key_rows(key, max(widths))
        widths += [sum(map(key_width, line)) for line in lines]
        width = max(widths) + PAGE_MARGIN
        height = self.bottom + 50 + _OTHER_PITCH * (len(lines) - 1)
        parts = []
        if self.title:
            parts.append(element("text", escaped(self.title), "title", x=PAGE_MARGIN, y=26))
        for row in range(1, self.rows):
            y = self.row_y[row]
            parts.append(element("path", style="row", d=f"M{_DEPTH_MARGIN} {decimal(y)}H{decimal(self.right)}"))
            parts.append(element("text", f"level {row}", "level", x=PAGE_MARGIN - 8, y=y))
        names: list[str] = []
        for joint in range(1, self.nb + 1):
            self._draw_tree_joint(joint, parts, names)
        for line in self.lines:
            self._draw_side_line(line, parts, names)
        self._draw_base(parts)
        for body in range(1, self.nb + 1):
            self._draw_body(body, parts)
        parts += names
        for k, text in enumerate(self.others):
            y = self.bottom - _OTHER_PITCH * (len(self.others) - k - 0.5)
            parts.append(element("text", escaped(text), "key", x=PAGE_MARGIN, y=y))
        for k, entries in enumerate(reversed(lines)):
            parts += key_line(entries, PAGE_MARGIN, height - 24 - _OTHER_PITCH * k)
        return parts, width, height

    def _draw_tree_joint(self, joint: int, parts: list[str], names: list[str]) -> None:
        parent = self.inboard[joint - 1]
        x, end = self._x(joint), self._top(joint)
        if parent == 0:
            path = [(x, self._bottom(0)), (x, end)]
            drawn = polyline("tree", path, arrow="outwardtree")
        else:
            start = self._bottom(parent)
            straight = start + self._track_height(self.row[parent])
            bend = end - self.strips[self.row[joint]]
            middle = (straight + bend) / 2
            points = [(self._x(parent), middle), (x, middle), (x, bend)]
            curve = " ".join(f"{decimal(a)} {decimal(b)}" for a, b in points)
            drawn = (
                f'<path class="tree" marker-end="url(#outwardtree)" '
                f'd="M{decimal(self._x(parent))} {decimal(start)}V{decimal(straight)}C{curve}V{decimal(end)}"/>'
            )
        parts.append(element("g", drawn, f"joint{joint}"))
        top = end - self.strips[self.row[joint]] + 18
        told = named(self.joint_names[joint - 1], f" H{joint}", x, top, "treename")
        names.append(element("g", told, f"joint{joint}"))
        for k, text in enumerate(self.elements[joint], start=1):
            y = top + 2 + _ELEMENT_PITCH * k
            names.append(on_plate(escaped(text), x, y, "element", _SMALL * text_width(text)))

    def _draw_side_line(self, line: _SideLine, parts: list[str], names: list[str]) -> None:
        lower_x, lower_y = self._x(line.lower), self._y(line.lower)
        if line.track is not None:
            _, number = line.track
            track_y = self._bottom(line.upper) + _TRACK_PITCH * (number + 0.5)
            upper_port = self._x(line.upper) + self.bottom_port[line.key, line.upper]
            at_upper = [(upper_port, track_y), (upper_port, self._bottom(line.upper))]
        if line.lane is None:
            lower_port = lower_x + self.bottom_port[line.key, line.lower]
            path = [(lower_port, self._bottom(line.lower)), (lower_port, track_y), *at_upper]
            name_at = self._free_place(line, sorted((lower_port, upper_port))), track_y + 11
        else:
            gap, lane_x = line.lane[0], self.lane_x[line.lane]
            port_y = lower_y + self.side_port[line.key, line.lower]
            path = [(self._side(line.lower, gap), port_y), (lane_x, port_y)]
            if line.track is not None:
                path += [(lane_x, track_y), *at_upper]
            elif line.upper == 0:
                path += [(lane_x, self._bottom(0))]
            else:
                upper_y = self._y(line.upper) + self.side_port[line.key, line.upper]
                path += [(lane_x, upper_y), (self._side(line.upper, gap), upper_y)]
            name_at = (lane_x, self._top(line.lower) - self.strips[self.row[line.lower]] + 18)
        if line.downward:
            path.reverse()
        owner = f"joint{line.key}" if line.style == "cut" else "tie"
        parts.append(element("g", polyline(line.style, path, "outwardcut" if line.style == "cut" else ""), owner))
        names.append(element("g", named(line.name, line.tag, *name_at, f"{line.style}name"), owner))

    def _free_place(self, line: _SideLine, ends: Sequence[float]) -> float:
        """Returns the middle of the widest stretch of a track, between ends, that no vertical line crosses."""
        row = self.row[line.upper]
        crossings = [self._x(body) for body in range(1, self.nb + 1) if self.row[body] == row]
        for other in self.lines:
            if other.lane is not None and self.row[other.upper] <= row < self.row[other.lower]:
                crossings.append(self.lane_x[other.lane])
            crossings += [
                self._x(body) + self.bottom_port[other.key, body]
                for body in (other.upper, other.lower)
                if self.row[body] == row and (other.key, body) in self.bottom_port
            ]
        marks = [ends[0], *sorted(x for x in crossings if ends[0] < x < ends[1]), ends[1]]
        left, right = max(pairwise(marks), key=lambda pair: pair[1] - pair[0])
        return (left + right) / 2

    def _draw_base(self, parts: list[str]) -> None:
        top, width = self._top(0), self.right - _DEPTH_MARGIN
        parts.append(element("rect", x=_DEPTH_MARGIN, width=width, y=top, height=_BODY_HEIGHT, fill="url(#ground)"))
        line = f"M{_DEPTH_MARGIN} {decimal(self._bottom(0))}H{decimal(self.right)}"
        parts.append(element("path", style="base", d=line))
        x, y = _DEPTH_MARGIN + width / 2, top + _BODY_HEIGHT / 2
        plate = text_width(f"{self.body_names[0]} B0") + 20
        box = element("rect", style="plate", x=x - plate / 2, y=y - 13, width=plate, height=26)
        parts.append(element("g", box + element("text", labelled(self.body_names[0], " B0"), x=x, y=y), "body0"))

    def _draw_body(self, body: int, parts: list[str]) -> None:
        x, y, width, height = self._x(body), self._y(body), self.body_width[body], self.row_height[self.row[body]]
        left, top = x - width / 2, y - height / 2
        drawn = element("rect", style="body", x=left, y=top, width=width, height=height, rx=8)
        drawn += element("text", escaped(self.body_names[body]), x=x, y=y - 8)
        drawn += element("text", f"B{body}", "label", x=x, y=y + 10)
        parts.append(element("g", drawn, f"body{body}"))


def _columns(tree: SpanningTree) -> list[int]:
    """Returns a grid column for each body: one for each end body, shared by the inner bodies above it.

    A body stands above its middle child, so chains are straight and no two bodies of a row share a column.
    """
    columns = [0] * (tree.nb + 1)
    ends = 0
    for body in tree.preorder:
        if body and not tree.children[body]:
            columns[body] = ends
            ends += 1
    for body in range(tree.nb, 0, -1):
        children = sorted(tree.children[body], key=columns.__getitem__)
        if children:
            columns[body] = columns[children[(len(children) - 1) // 2]]
    return columns
