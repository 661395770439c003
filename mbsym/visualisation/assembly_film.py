"""The labelling of a system as a moving picture: joint after joint enters, then end bodies are taken off and labelled.

An SVG whose style sheet moves it, so that it is sharp, small and needs no player. Everything stands from the first
step on where it will be in the end (the diagram of the topology, beside it the matrix S); steps change colours and
what is shown. Lines have the colour of their pattern, bodies that of the group which they are in, and so have their
rows of S. A reader who wants no motion sees the last step.

    --begin  by how much time before its start the motion begins, negative [s]
    --run    running or paused

are variables of the style sheet with which a page can move it by hand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from mbsym.errors import TopologyError
from mbsym.topology import Labelling
from mbsym.topology.tables import listed
from mbsym.visualisation.topology_diagram import PAGE_MARGIN, Diagram
from mbsym.visualisation.topology_style import arrowhead, decimal, element, escaped, page, printable, text_width

FILM_LIMIT: Final = 60
"""Most joints of a system whose film is drawn: S has a square for each pair of bodies."""

_BEGIN: Final = "--begin"
_RUN: Final = "--run"
PAUSE: Final = 1.2
"""Between steps [s]."""

_HELD: Final = 3
"""Pauses for which the last step stays."""

_CELL: Final = 14
_HEAD: Final = 48

PATTERNS: Final = {
    "a": ("#1f7a5c", "a: a new group", "a new group"),
    "b": ("#2563b0", "b: a group grows", "the group grows"),
    "c": ("#9a6a00", "c: two groups become one", "two groups become one"),
    "d": ("#c0392b", "d: in one group, so it is cut", "both are in one group, so the joint is cut"),
}
"""Colour of the joints of a pattern, its words in the key and below a step."""

_GROUPS: Final = ("#bfdcf7", "#f7d9a8", "#c4e8c9", "#e3cdf2", "#f6c9c9", "#bfe8e6", "#ebe3a6", "#d5d9e0")
"""Colours of groups; a new one takes the first that no other has, and of two the earlier in this row stays."""

_STYLE: Final = """
.topology .a, .topology .b, .topology .c, .topology .d { fill: none; stroke-width: 1.7; }
.topology .d { stroke-dasharray: 7 4; }
.topology .cell { fill: #eef1f4; stroke: #fff; stroke-width: 1; }
.topology .name { text-anchor: end; font-size: 11px; }
.topology .entry { text-anchor: start; font-size: 11px; }
.topology .told { text-anchor: start; }
.topology .shadow { fill: #66717e; text-anchor: start; }
@media (prefers-reduced-motion: reduce) { .topology * { animation: none !important; } }
"""


def assembly_svg(labelling: Labelling, title: str = "") -> str:
    """Returns the text of the moving SVG; the same labelling gives the same text.

    Raises:
        TopologyError: the system has more joints than the limit that the message states.
    """
    if labelling.nj > FILM_LIMIT:
        raise TopologyError(
            f"a film is drawn of at most {FILM_LIMIT} joints, this system has {labelling.nj}",
            where="film",
            remedy="draw the diagram, or print the history of the connected bodies",
        )
    return _Film(labelling, title).svg()


def frames(labelling: Labelling) -> int:
    """Returns how many steps the film has: one a joint, one a layer of end bodies, one in which all is labelled."""
    return labelling.nj + len(labelling.labels.layer_sizes) + 1


class _Film:
    def __init__(self, labelling: Labelling, title: str) -> None:
        self.labelling, self.title = labelling, title
        self.head = _HEAD + 26 * bool(title)
        self.frames = frames(labelling)
        self.joints = [labelling.labels.joint_labels[joint] for joint in labelling.assembly.order]
        self.entered = {joint: step for step, joint in enumerate(self.joints)}
        self.colours = list(_colours([step.branches() for step in labelling.steps], labelling.nb + 1))
        self.taken = self._taken()
        self.moves: dict[tuple[str, ...], list[str]] = defaultdict(list)

    def svg(self) -> str:
        diagram = Diagram(self.labelling, "", ())
        used = sorted(set(self.labelling.assembly.patterns))
        parts, across, down = diagram.drawn([*((each, PATTERNS[each][1]) for each in used), *diagram.remarks()])
        names = [printable(name) for name in self.labelling.graph.body_names]
        left = across + 1.0 + max(map(text_width, names)) * 0.87
        side = len(names) * _CELL
        joints, room = self._joints(left, self.head + 46.0 + side + 40.0)
        width = left + max(side, room) + PAGE_MARGIN
        height = self.head + max(down, 46.0 + side + 40.0 + _CELL * self.labelling.nj + 16.0)
        drawn = [element("text", escaped(self.title), "title", x=PAGE_MARGIN, y=26)] * bool(self.title)
        drawn += self._told(width - 2 * PAGE_MARGIN)
        drawn.append(element("g", "\n".join(parts), transform=f"translate(0 {self.head})"))
        drawn += self._matrix(names, left, self.head + 46.0)
        drawn += joints
        self._move_joints()
        self._move_bodies()
        heads = [arrowhead(f"outward{each}", PATTERNS[each][0]) for each in used if each != "d"]
        return page(drawn, width, height, _STYLE + "".join(self._sheet(used)), heads)

    def _taken(self) -> dict[int, int]:
        """Returns the frame in which each body is taken off, by label; the base's is the last."""
        taken = {0: self.frames - 1}
        last = self.labelling.nb
        for layer, size in enumerate(self.labelling.labels.layer_sizes):
            taken |= dict.fromkeys(range(last - size + 1, last + 1), self.labelling.nj + layer)
            last -= size
        return taken

    # ---- what stands still ----

    def _told(self, room: float) -> list[str]:
        """Returns the two lines that tell of each frame, of which one pair is shown at a time."""
        lines = []
        for frame, pair in enumerate((*self._entries(room), *self._layers(room))):
            style = f"told told{frame}"
            lines += [
                element("text", escaped(text), style, x=PAGE_MARGIN, y=self.head - 15 + 19 * (k - 0.5))
                for k, text in enumerate(pair)
            ]
            self._move(f".told{frame}", ["opacity:1" if k == frame else "opacity:0" for k in range(self.frames)])
        return lines

    def _entries(self, room: float) -> Iterator[tuple[str, str]]:
        graph = self.labelling.graph
        for number, step in enumerate(self.labelling.steps, start=1):
            ends = [graph.body_names[k] for k in (graph.predecessors[step.joint], graph.successors[step.joint])]
            group = next(each for each in step.branches() if graph.predecessors[step.joint] in each)
            words = PATTERNS[step.pattern][2]
            yield (
                f"{number} of {graph.nj}: joint {graph.joint_names[step.joint]} from {ends[0]} to {ends[1]}",
                _set(f"pattern {step.pattern}, {words}: ", [graph.body_names[body] for body in group], room),
            )

    def _layers(self, room: float) -> Iterator[tuple[str, str]]:
        last, nj = self.labelling.nb, self.labelling.nj
        for layer in self.labelling.layers:
            many = len(layer) > 1
            label = f"labels {last - len(layer) + 1} to {last}" if many else f"label {last}"
            last -= len(layer)
            carrying = "end bodies taken off with the joints" if many else "end body taken off with the joint"
            yield f"{carrying} that carried {'them' if many else 'it'}: {label}", _set("", layer, room)
        cut = nj - self.labelling.nb
        told = f"cut joints get the labels from {nj - cut + 1} on" if cut else "no joint is cut"
        yield "all joints are turned to point away from the base", told

    def _matrix(self, names: Sequence[str], left: float, top: float) -> list[str]:
        """Returns S as squares, with the names of its rows."""
        graph = self.labelling.graph
        drawn = [element("text", "S: connected bodies", "shadow", x=left, y=top - 16)]
        for i, name in enumerate(names):
            y = top + i * _CELL
            drawn.append(element("text", escaped(name), "name", x=left - 6, y=y + _CELL / 2))
            for j in range(len(names)):
                style = f"cell s{min(i, j)}-{max(i, j)}"
                drawn.append(element("rect", style=style, x=left + j * _CELL, y=y, width=_CELL, height=_CELL))
        ends = {
            frame: {graph.predecessors[step.joint], graph.successors[step.joint]}
            for frame, step in enumerate(self.labelling.steps)
        }
        for i in range(len(names)):
            for j in range(i, len(names)):
                self._move(f".s{i}-{j}", [self._cell(i, j, frame, ends) for frame in range(self.frames)])
        return drawn

    def _joints(self, left: float, top: float) -> tuple[list[str], float]:
        """Returns J with a row for each joint as given, whose last entry comes as the joint enters, and its width."""
        graph = self.labelling.graph
        rows = [
            [printable(graph.body_names[end]) for end in ends] + ["0" if pattern == "d" else printable(name)]
            for *ends, pattern, name in zip(
                graph.predecessors, graph.successors, self.labelling.assembly.patterns, graph.joint_names, strict=True
            )
        ]
        widths = [max(map(text_width, column)) * 0.87 + 16 for column in zip(*rows, strict=True)]
        drawn = [element("text", "J: from, to, joint or 0 if cut", "shadow", x=left, y=top - 16)]
        for number, row in enumerate(rows):
            y, label = top + (number + 0.5) * _CELL, self.labelling.labels.joint_labels[number]
            for k, text in enumerate(row):
                style = "entry" if k < 2 else f"entry j{label} {self.labelling.assembly.patterns[number]}t"
                drawn.append(element("text", escaped(text), style, x=left + sum(widths[:k]), y=y))
            entry = self.entered[label]
            self._move(f".j{label}", [f"opacity:{int(frame >= entry)}" for frame in range(self.frames)])
        return drawn, max(sum(widths), text_width("J: from, to, joint or 0 if cut"))

    def _cell(self, i: int, j: int, frame: int, ends: dict[int, set[int]]) -> str:
        colours = self.colours[min(frame, self.labelling.nj - 1)]
        connected = colours[i] is not None and colours[i] == colours[j]
        fill = f"fill:{colours[i] if connected else '#eef1f4'}"
        if {i, j} == ends.get(frame):
            return f"fill:{PATTERNS[self.labelling.steps[frame].pattern][0]}"
        return fill

    # ---- what moves ----

    def _move(self, selector: str, states: Sequence[str]) -> None:
        """What the selector chooses has these declarations in the frames, in turn."""
        self.moves[tuple(states)].append(selector)

    def _move_joints(self) -> None:
        for joint, entry in self.entered.items():
            taken = self.taken.get(joint, self.frames - 1)
            states = []
            for frame in range(self.frames):
                now = frame == entry or (frame == taken and joint <= self.labelling.nb)
                states.append(f"opacity:{self._shown(frame, entry, taken)};stroke-width:{3.4 if now else 1.7}")
            # Plates stay opaque, so that no line runs through a name.
            self._move(f".joint{joint} :is(path, text)", states)
            self._move(f".joint{joint} .label", [f"opacity:{int(frame >= taken)}" for frame in range(self.frames)])

    def _move_bodies(self) -> None:
        for number, body in enumerate(self.labelling.labels.body_labels):
            fills = [colours[number] for colours in self.colours]
            fills += fills[-1:] * (self.frames - len(fills))
            entry = next(frame for frame, fill in enumerate(fills) if fill)
            taken = self.taken[body]
            self._move(f".body{body} rect", [f"fill:{fill or '#fff'}" for fill in fills])
            whole = f".body{body}" if body else ".body0 text"
            self._move(whole, [f"opacity:{self._shown(k, entry, taken)}" for k in range(self.frames)])
            self._move(f".body{body} .label", [f"opacity:{int(k >= taken)}" for k in range(self.frames)])

    def _shown(self, frame: int, entry: int, taken: int) -> float:
        """Returns how much is seen of what enters, and is taken off, in two frames."""
        return 0.25 if frame < entry else 0.4 if taken < frame < self.frames - 1 else 1

    def _sheet(self, patterns: Iterable[str]) -> Iterator[str]:
        """Returns the rules: colours of patterns, and one animation for all that changes alike."""
        for pattern in patterns:
            colour = PATTERNS[pattern][0]
            yield f".topology .{pattern} {{ stroke: {colour}; }}\n.topology .{pattern}t {{ fill: {colour}; }}\n"
        for joint, pattern in zip(self.joints, (step.pattern for step in self.labelling.steps), strict=True):
            if pattern != "d":
                colour = f"stroke: {PATTERNS[pattern][0]}; marker-end: url(#outward{pattern})"
                yield f".topology .joint{joint} .tree {{ {colour}; }}\n"
        whole = self.frames + _HELD
        for number, (states, selectors) in enumerate(self.moves.items()):
            chosen = ", ".join(f".topology {selector}" for selector in selectors)
            yield f"{chosen} {{ {states[-1]};"
            changes = [(0, states[0])] + [(k, b) for k, (a, b) in enumerate(pairwise(states), start=1) if a != b]
            if len(changes) == 1:
                yield " }\n"
                continue
            yield f" animation: m{number} {decimal(whole * PAUSE)}s step-end infinite; }}\n"
            keys = " ".join(f"{100 * frame / whole:.3f}% {{ {state}; }}" for frame, state in changes)
            yield f"@keyframes m{number} {{ {keys} }}\n"
        moved = f"animation-delay: var({_BEGIN}, 0s) !important; animation-play-state: var({_RUN}, running) !important;"
        yield f".topology * {{ {moved} }}\n"


def _colours(history: Sequence[Sequence[Sequence[int]]], bodies: int) -> Iterator[list[str | None]]:
    """Returns the colour of each body, by original number, after each joint; None until it has entered."""
    before: list[int | None] = [None] * bodies
    for branches in history:
        now: list[int | None] = [None] * bodies
        used = {colour for colour in before if colour is not None}
        for branch in branches:
            own = [colour for body in branch if (colour := before[body]) is not None]
            colour = min(own) if own else next(k for k in range(bodies) if k not in used)
            for body in branch:
                now[body] = colour
        before = now
        yield [None if colour is None else _GROUPS[colour % len(_GROUPS)] for colour in now]


def _set(words: str, names: Sequence[object], room: float) -> str:
    """Returns words and a set of names, or how many they are where there is no room for them."""
    text = f"{words}{{{printable(listed(names))}}}"
    return text if text_width(text) * 0.9 < room else f"{words}{len(names)} bodies"
