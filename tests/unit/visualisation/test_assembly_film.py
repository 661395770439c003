"""The film of a labelling: what each frame shows is what the graph says, and nothing lies on anything else."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mbsym import examples
from mbsym.errors import TopologyError
from mbsym.topology import Labelling, label
from mbsym.visualisation.assembly_film import FILM_LIMIT, PATTERNS, assembly_svg, frames
from mbsym.visualisation.topology_style import text_width

PICTURE = Path(__file__).parents[3] / "docs" / "figures" / "labelling" / "driver_cab.svg"

SVG = "{http://www.w3.org/2000/svg}"


def random_system(seed: int) -> Labelling:
    """A connected graph with loops, its joints shuffled and turned at random."""
    draw = random.Random(seed)
    count = draw.randint(2, 9)
    ends = [(draw.randrange(k), k) for k in range(1, count)]
    ends += [tuple(draw.sample(range(count), 2)) for _ in range(draw.randint(0, 4))]
    draw.shuffle(ends)
    turned = [pair if draw.random() < 0.5 else pair[::-1] for pair in ends]
    return label([(f"j{k}", *pair) for k, pair in enumerate(turned)], weights=[draw.randint(1, 3) for _ in turned])


@cache
def cab() -> Labelling:
    return examples.load("driver_cab").label()


SYSTEMS = [cab, *(lambda seed=seed: random_system(seed) for seed in range(6))]


def declarations(text: str) -> dict[str, str]:
    return dict(tuple(part.strip() for part in each.split(":", 1)) for each in text.split(";") if each.strip())


class Sheet:
    """What the style sheet of a film says, by selector and frame."""

    def __init__(self, svg: str, count: int) -> None:
        self.count = count
        (sheet,) = re.findall(r"<style>(.*?)</style>", svg, re.DOTALL)
        self.keys = {
            name: [(float(part), declarations(said)) for part, said in re.findall(r"([\d.]+)% \{([^}]*)\}", body)]
            for name, body in re.findall(r"@keyframes (\w+) \{((?:[^{}]*\{[^}]*\})*) \}", sheet)
        }
        self.rules = [
            ([each.strip() for each in chosen.split(", .topology")], declarations(said))
            for chosen, said in re.findall(r"^\.topology (\.[^{]*)\{([^}]*)\}", sheet, re.MULTILINE)
        ]

    def at(self, selector: str, frame: int) -> dict[str, str]:
        """The declarations in force for a selector in a frame."""
        found: dict[str, str] = {}
        for selectors, said in self.rules:
            if selector in selectors:
                found |= said
        if "animation" not in found:
            return found
        name, seconds, *_ = found["animation"].split()
        whole = round(float(seconds.removesuffix("s")) / 1.2)
        assert whole > self.count
        now = 100 * (frame + 0.5) / whole
        return found | [said for part, said in self.keys[name] if part <= now][-1]


def connected(labelling: Labelling) -> Iterator[set[tuple[int, int]]]:
    """After each joint of the assembly the pairs of original numbers that joints so far connect, by walking."""
    graph, links = labelling.graph, dict[int, set[int]]()
    for joint in labelling.assembly.order:
        a, b = graph.predecessors[joint], graph.successors[joint]
        links.setdefault(a, set()).add(b)
        links.setdefault(b, set()).add(a)
        pairs = set()
        for start in links:
            reached, left = {start}, [start]
            while left:
                found = links[left.pop()] - reached
                reached |= found
                left += found
            pairs |= {(start, end) for end in reached}
        yield pairs


@pytest.mark.parametrize("system", SYSTEMS)
def test_squares_and_colours_are_the_connected_bodies(system: object) -> None:
    labelling = system()
    sheet = Sheet(assembly_svg(labelling), frames(labelling))
    before: set[tuple[int, int]] = set()
    for frame, pairs in enumerate(connected(labelling)):
        joint = labelling.assembly.order[frame]
        ends = {labelling.graph.predecessors[joint], labelling.graph.successors[joint]}
        colours = {}
        for body in range(labelling.nb + 1):
            shown = sheet.at(f".body{labelling.labels.body_labels[body]} rect", frame)["fill"]
            assert (shown != "#fff") == ((body, body) in pairs)
            colours[body] = shown
        for i, j in combinations(range(labelling.nb + 1), 2):
            fill = sheet.at(f".s{i}-{j}", frame)["fill"]
            assert (colours[i] == colours[j] != "#fff") == ((i, j) in pairs)
            if {i, j} != ends:
                assert fill == (colours[i] if (i, j) in pairs else "#eef1f4")
                continue
            entered = sum((end, end) in before for end in ends)
            pattern = "d" if (i, j) in before else "abc"[entered]
            assert fill == PATTERNS[pattern][0]
            name = labelling.labels.joint_labels[joint]
            line = sheet.at(f".joint{name} .tree", frame)
            assert line.get("stroke") == (None if pattern == "d" else fill)
            assert pattern == "d" or line["marker-end"] == f"url(#outward{pattern})"
        before = pairs


@pytest.mark.parametrize("system", SYSTEMS)
def test_joints_and_labels_come_when_they_are_found(system: object) -> None:
    labelling = system()
    sheet, last = Sheet(assembly_svg(labelling), frames(labelling)), frames(labelling) - 1
    position = {joint: k for k, joint in enumerate(labelling.assembly_order)}
    for name, number in labelling.joint_labels.items():
        seen = [sheet.at(f".joint{number} :is(path, text)", frame) for frame in range(last + 1)]
        assert [k for k, each in enumerate(seen) if float(each["opacity"]) < 0.3] == list(range(position[name]))
        assert [sheet.at(f".j{number}", k)["opacity"] for k in range(last + 1)] == [
            "01"[k >= position[name]] for k in range(last + 1)
        ]
        assert float(seen[position[name]]["stroke-width"]) > 3
        assert seen[last]["opacity"] == "1"
    for layer, bodies in enumerate(labelling.layers):
        for body in bodies:
            number, came = labelling.body_labels[body], labelling.nj + layer
            for selector in (f".body{number} .label", f".joint{number} .label"):
                assert [sheet.at(selector, k)["opacity"] for k in range(last + 1)] == [
                    "01"[k >= came] for k in range(last + 1)
                ]
    for joint in labelling.cut_joints:
        selector = f".joint{labelling.joint_labels[joint]} .label"
        assert [sheet.at(selector, k)["opacity"] for k in (last - 1, last)] == ["0", "1"]
    for told in range(last + 1):
        assert [sheet.at(f".told{told}", k)["opacity"] for k in range(last + 1)] == [
            "01"[k == told] for k in range(last + 1)
        ]


def test_what_each_frame_tells() -> None:
    svg = assembly_svg(label([("p", 0, 1), ("q", 2, 3), ("r", 3, 1), ("s", 2, 0)]))
    told = [
        "".join(text.itertext())
        for text in ElementTree.fromstring(svg).iter(SVG + "text")
        if text.get("class", "").startswith("told")
    ]
    assert told == [
        "1 of 4: joint p from 0 to 1", "pattern a, a new group: {0, 1}",
        "2 of 4: joint q from 2 to 3", "pattern a, a new group: {2, 3}",
        "3 of 4: joint r from 3 to 1", "pattern c, two groups become one: {0, 1, 2, 3}",
        "4 of 4: joint s from 2 to 0", "pattern d, both are in one group, so the joint is cut: {0, 1, 2, 3}",
        "end body taken off with the joint that carried it: label 3", "{2}",
        "end body taken off with the joint that carried it: label 2", "{3}",
        "end body taken off with the joint that carried it: label 1", "{1}",
        "all joints are turned to point away from the base", "cut joints get the labels from 4 on",
    ]  # fmt: skip


@pytest.mark.parametrize("system", [cab, lambda: examples.load("stewart_platform").label()])
def test_nothing_lies_outside_or_on_the_matrices(system: object) -> None:
    svg = assembly_svg(system(), "A title")
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    (diagram,) = [group for group in root.iter(SVG + "g") if group.get("transform")]
    # Rounded corners aside, the widest thing of the diagram is its ground.
    ground = next(rect for rect in diagram.iter(SVG + "rect") if rect.get("fill") == "url(#ground)")
    edge = float(ground.get("x", "")) + float(ground.get("width", ""))
    names = [text for text in root.iter(SVG + "text") if text.get("class") == "name"]
    assert all(float(text.get("x", "")) - 0.8 * text_width(text.text or "") > edge for text in names)
    cells = [rect for rect in root.iter(SVG + "rect") if rect.get("class", "").startswith("cell")]
    assert len(cells) == len(names) ** 2
    bottom = max(float(cell.get("y", "")) for cell in cells) + 14
    entries = [text for text in root.iter(SVG + "text") if text.get("class", "").startswith("entry")]
    assert all(bottom + 20 < float(text.get("y", "")) < height for text in entries)
    rows: dict[str, list[tuple[float, float]]] = {}
    for text in entries:
        x = float(text.get("x", ""))
        rows.setdefault(text.get("y", ""), []).append((x, x + 0.87 * text_width(text.text or "")))
    for row in rows.values():
        assert row[-1][1] < width and all(one[1] < other[0] for one, other in pairwise(row))


def test_the_picture_of_the_page_is_current() -> None:
    svg = assembly_svg(cab(), "driver_cab")
    assert svg == assembly_svg(cab(), "driver_cab")
    assert PICTURE.read_text(encoding="utf-8").splitlines()[2:] == svg.splitlines()[1:]


def test_long_sets_are_counted_and_names_are_escaped() -> None:
    joints = [(f"a & <{k}>", f"b{k:030}", f"b{k + 1:030}") for k in range(30)]
    svg = assembly_svg(label(joints, base=f"b{0:030}"), "</style><script>")
    ElementTree.fromstring(svg)
    assert "the group grows: 31 bodies" in svg and "<script>" not in svg


def test_large_systems_are_refused() -> None:
    with pytest.raises(TopologyError, match=f"at most {FILM_LIMIT} joints"):
        assembly_svg(label([(k, 0, k + 1) for k in range(FILM_LIMIT + 1)]))
