"""The topology diagram: what it shows, and that lines and texts keep clear of bodies and of each other."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbsym.constraints import DistanceConstraint, GearConstraint, PointOnLineConstraint
from mbsym.errors import TopologyError
from mbsym.forces import Actuator, AppliedWrench, JointDamper, JointSpring, PointSpringDamper
from mbsym.model.body import Body
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.topology import Labelling, label
from mbsym.values.parameter import ControlInput
from mbsym.visualisation.attachments import (
    Attachment,
    attachments_of,
    attachments_table,
    attachments_to_json,
)
from mbsym.visualisation.topology_diagram import DIAGRAM_LIMIT, _Strip, topology_svg
from mbsym.visualisation.topology_style import NARROWEST_KEY, TIES, key_rows, key_width

SIDES = ("cut", "rod", "slide", "spring", "gear")
"""Styles of lines that run beside the tree."""

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]
Point = tuple[float, float]

CAB = (
    "a 1-2, c 2-3, d 3-4, b 1-3, e 1-4, f 3-5, g 3-6, h 5-7, i 6-8, j 7-9, k 8-10, l 9-1, m 10-1, n 4-11, o 4-12, "
    "p 11-13, q 12-14, r 13-15, s 14-16, t 15-1, u 16-1"
)


def cab() -> Labelling:
    joints = [(text.split()[0], *map(int, text.split()[1].split("-"))) for text in CAB.split(", ")]
    return label(joints, base=1)


def elements(svg: str, tag: str, style: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [found for found in root.iter(SVG + tag) if found.get("class", "").split()[:1] == [style]]


def boxes(svg: str, style: str) -> list[Box]:
    found = []
    for rect in elements(svg, "rect", style):
        x, y, width, height = (float(rect.get(key, "")) for key in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


def outline(path: str) -> list[Point]:
    """Points along a path of M, L, Q, C and V commands, curves sampled."""
    points: list[Point] = []
    for command, numbers in re.findall(r"([MLQCV])([^MLQCV]*)", path):
        values = [float(value) for value in numbers.split()]
        if command == "V":
            points.append((points[-1][0], values[0]))
            continue
        ends = list(zip(values[::2], values[1::2], strict=True))
        if command in "ML":
            points += ends
            continue
        control = [points[-1], *ends]
        for step in range(1, 17):
            level = control
            while len(level) > 1:
                part = step / 16
                level = [(a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])) for a, b in pairwise(level)]
            points.append(level[0])
    return points


def meets(start: Point, end: Point, box: Box) -> bool:
    """Whether a stretch passes through the inside of a box (sampled; stretches here are long against the step)."""
    steps = max(2, int(abs(end[0] - start[0]) + abs(end[1] - start[1])))
    for step in range(steps + 1):
        x, y = (a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
        if box[0] + 0.5 < x < box[2] - 0.5 and box[1] + 0.5 < y < box[3] - 0.5:
            return True
    return False


def overlap(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def lie_on_each_other(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    """Whether two horizontal or two vertical stretches share more than a point."""
    for along, across in ((0, 1), (1, 0)):
        levels = [point[across] for stretch in (first, second) for point in stretch]
        if max(levels) - min(levels) < 0.5:
            starts = max(min(stretch[0][along], stretch[1][along]) for stretch in (first, second))
            ends = min(max(stretch[0][along], stretch[1][along]) for stretch in (first, second))
            return ends - starts > 1
    return False


def check_clear(svg: str) -> None:
    bodies, names = boxes(svg, "body"), boxes(svg, "plate")
    for first, second in combinations(bodies + names, 2):
        assert not overlap(first, second)
    cut = [list(pairwise(outline(path.get("d", "")))) for style in SIDES for path in elements(svg, "path", style)]
    tree = [list(pairwise(outline(path.get("d", "")))) for path in elements(svg, "path", "tree")]
    for start, end in (stretch for path in tree + cut for stretch in path):
        assert not any(meets(start, end, box) for box in bodies)
    # Tree joints of one body leave it as one line; every other line has its way to itself.
    for number, path in enumerate(cut):
        for other in cut[:number] + tree:
            assert not any(lie_on_each_other(first, second) for first in path for second in other)


def test_cab_shows_every_body_and_joint() -> None:
    labelling = cab()
    svg = topology_svg(labelling, "Cab")
    texts = {"".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(SVG + "text")}
    flipped = set(labelling.flipped)
    for name, number in labelling.joint_labels.items():
        assert f"{name}{'*' if name in flipped else ''} H{number}" in texts
    for name, number in labelling.body_labels.items():
        assert {str(name), f"B{number}"} <= texts if number else f"{name} B0" in texts
    assert {"Cab", *(f"level {k}" for k in range(1, 7)), "* flipped against the given direction"} <= texts
    # One line more of each kind stands in the key.
    assert len(elements(svg, "path", "tree")) == 15 + 1
    assert len(elements(svg, "path", "cut")) == 6 + 1
    assert re.search(r"\.cut \{[^}]*stroke-dasharray", svg)
    assert not re.search(r"\.tree \{[^}]*stroke-dasharray", svg)


def test_cab_is_clear() -> None:
    check_clear(topology_svg(cab()))


def test_bodies_stand_on_their_levels() -> None:
    labelling = cab()
    svg = topology_svg(labelling)
    rows = sorted({(top + bottom) / 2 for _, top, _, bottom in boxes(svg, "body")})
    heights = [(top + bottom) / 2 for _, top, _, bottom in boxes(svg, "body")]
    assert [rows.index(height) + 1 for height in heights] == list(labelling.tree.depths[1:])


def test_tree_arrows_run_from_inboard_to_outboard() -> None:
    labelling = cab()
    svg = topology_svg(labelling)
    bodies = boxes(svg, "body")
    for joint, path in enumerate(elements(svg, "path", "tree")[:-1], start=1):
        points = outline(path.get("d", ""))
        assert path.get("marker-end") == "url(#outwardtree)"
        left, top, right, _ = bodies[joint - 1]
        assert points[-1] == pytest.approx(((left + right) / 2, top), abs=0.2)  # coordinates have one decimal
        if parent := labelling.inboard[joint - 1]:
            left, _, right, bottom = bodies[parent - 1]
            assert points[0] == pytest.approx(((left + right) / 2, bottom), abs=0.2)
        else:
            assert points[0][1] < top


def test_cut_arrows_run_from_inboard_to_outboard() -> None:
    labelling = cab()
    svg = topology_svg(labelling)
    bodies = boxes(svg, "body")
    ends = zip(labelling.labels.inboard[labelling.nb :], labelling.labels.outboard[labelling.nb :], strict=True)
    outlines = [outline(path.get("d", "")) for path in elements(svg, "path", "cut")[:-1]]
    # Every joint once; the lines are drawn in label order.
    for (tail, head), points in zip(ends, outlines, strict=True):
        for body, (x, y) in ((tail, points[0]), (head, points[-1])):
            if body:
                left, top, right, bottom = bodies[body - 1]
                assert left - 0.2 <= x <= right + 0.2
                assert top - 0.2 <= y <= bottom + 0.2
            else:
                assert y < min(box[1] for box in bodies)


def test_many_lanes_and_tracks_keep_clear() -> None:
    # Four chains of five bodies with joints between all of them: lanes and tracks are shared and used again.
    joints = [(f"{arm}{k}", f"{arm}{k - 1}" if k else "base", f"{arm}{k}") for arm in "abcd" for k in range(5)]
    joints += [
        (f"{arm}{k}-{other}{m}", f"{arm}{k}", f"{other}{m}")
        for arm, other in ("ab", "ac", "bd", "da", "bc")
        for k, m in ((0, 4), (1, 1), (2, 3), (4, 2), (3, 4))
    ]
    check_clear(topology_svg(label(joints, base="base")))


@st.composite
def systems(draw: st.DrawFn) -> Labelling:
    nb = draw(st.integers(1, 12))
    ends = [(draw(st.integers(0, body - 1)), body) for body in range(1, nb + 1)]
    two = st.lists(st.integers(0, nb), min_size=2, max_size=2, unique=True)
    ends += [(a, b) for a, b in draw(st.lists(two, max_size=8))]
    stem = draw(st.sampled_from(["j", "a long joint name ", "铰"]))
    return label([(f"{stem}{k}", f"body {a}", f"body {b}") for k, (a, b) in enumerate(ends)], base="body 0")


@settings(max_examples=12)
@given(systems())
def test_lines_and_names_keep_clear(labelling: Labelling) -> None:
    check_clear(topology_svg(labelling))


@pytest.mark.more
@settings(max_examples=40)
@given(systems())
def test_lines_and_names_of_more_systems_keep_clear(labelling: Labelling) -> None:
    check_clear(topology_svg(labelling))


@st.composite
def attached(draw: st.DrawFn) -> tuple[Labelling, tuple[Attachment, ...]]:
    """A system with lines between any bodies and joints, and elements at joints."""
    labelling = draw(systems())
    bodies = [str(name) for name in labelling.body_names]
    tree = [str(labelling.joint_names[k]) for k in range(labelling.nb)]
    pairs = st.lists(st.sampled_from(bodies), min_size=2, max_size=2, unique=True)
    styles: st.SearchStrategy[Any] = st.sampled_from(["rod", "slide", "spring"])
    found = [
        Attachment("distance", f"tie {k}", (), (first, second), draw(styles))
        for k, (first, second) in enumerate(draw(st.lists(pairs, max_size=5)))
    ]
    for k, joints in enumerate(draw(st.lists(st.lists(st.sampled_from(tree), min_size=1, max_size=2), max_size=6))):
        line: Any = "gear" if len(joints) == 2 else ""
        found.append(Attachment("gear" if line else "joint_damper", f"a long name {k}", tuple(joints), (), line))
    return labelling, tuple(found)


@settings(max_examples=10)
@given(attached())
def test_what_else_holds_the_bodies_keeps_clear(system: tuple[Labelling, tuple[Attachment, ...]]) -> None:
    check_clear(topology_svg(system[0], "", system[1]))


@pytest.mark.more
@settings(max_examples=40)
@given(attached())
def test_what_else_holds_the_bodies_of_more_systems_keeps_clear(
    system: tuple[Labelling, tuple[Attachment, ...]],
) -> None:
    check_clear(topology_svg(system[0], "", system[1]))


MACHINE = Model(
    "machine",
    tuple(Body(name) for name in ("crank", "rod", "slider", "arm", "hand")),
    (
        Joint("bearing", "revolute", "ground", "crank"),
        Joint("pin", "revolute", "crank", "rod"),
        Joint("guide", "prismatic", "ground", "slider"),
        Joint("shoulder", "revolute", "ground", "arm"),
        Joint("wrist", "revolute", "arm", "hand"),
    ),
    forces=(
        Actuator("motor", "guide", "push"),
        JointSpring("return", "guide", 3),
        JointDamper("friction", "guide", 3),
        JointDamper("more friction", "guide", 3),
        PointSpringDamper("strut", "arm", "crank", 3, 1, 1),
        AppliedWrench("wind", "slider"),
    ),
    couplings=(Coupling("wrist", "shoulder", 2),),
    constraints=(
        DistanceConstraint("tie", "rod", "slider", 1),
        PointOnLineConstraint("slot", "ground", "hand"),
        GearConstraint("timing", "bearing", "guide"),
    ),
    inputs=(ControlInput("push"),),
)


def test_rods_gears_couplings_and_springs_are_drawn_and_named() -> None:
    svg = topology_svg(MACHINE.label(), "", attachments_of(MACHINE))
    check_clear(svg)
    # Each twice where its style stands in the key.
    assert {style: len(elements(svg, "path", style)) for style in SIDES} == {
        "cut": 0, "rod": 2, "slide": 2, "spring": 2, "gear": 3
    }  # fmt: skip
    texts = {"".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(SVG + "text")}
    assert {"tie rod", "slot slide", "timing gear", "wrist coupling", "strut spring"} <= texts
    assert {"motor: actuator", "return: spring", "friction: damper"} <= texts
    assert {"more friction: damper on joint guide", "wind: applied wrench on body slider"} <= texts
    assert {"rod", "slide", "spring", "gear or coupling"} <= texts


def test_a_long_key_takes_several_rows() -> None:
    entries = [("tree", "tree joint, inboard to outboard"), ("cut", "cut joint"), *TIES.items(), ("", "* flipped")]
    rows = key_rows(entries, 300)
    assert [entry for row in rows for entry in row] == entries and len(rows) == 2
    assert all(sum(map(key_width, row)) <= NARROWEST_KEY for row in rows)
    assert key_rows(entries, 3000) == [entries]


def test_lines_end_at_what_they_hold() -> None:
    labelling = MACHINE.label()
    svg = topology_svg(labelling, "", attachments_of(MACHINE))
    bodies = boxes(svg, "body")
    for style, ends in (("rod", ("rod", "slider")), ("spring", ("arm", "crank"))):
        points = outline(elements(svg, "path", style)[0].get("d", ""))
        held = [bodies[labelling.body_labels[name] - 1] for name in ends]
        for x, y in (points[0], points[-1]):
            assert any(box[0] - 0.2 <= x <= box[2] + 0.2 and box[1] - 0.2 <= y <= box[3] + 0.2 for box in held)


def test_attachments_as_text_and_data() -> None:
    found = attachments_of(MACHINE)
    lines = attachments_table(found).splitlines()
    assert lines[0].split() == ["element", "type", "holds", "on", "to"] and len(lines) == 2 + len(found)
    assert "wrist" in lines[2] and lines[2].endswith("joints wrist, shoulder")
    assert attachments_to_json(found)[1] == {
        "name": "tie", "type": "distance", "joints": [], "bodies": ["rod", "slider"]
    }  # fmt: skip
    assert attachments_table(()) == ""


def test_stretches_share_a_lane_only_if_they_are_apart() -> None:
    strip = _Strip()
    places = [strip.place(start, end) for start, end in ((0, 5), (1, 2), (3, 4), (4, 6), (6, 7), (5.5, 5.6))]
    assert places == [0, 1, 1, 2, 0, 0]


def test_diagram_is_deterministic() -> None:
    assert topology_svg(cab(), "x") == topology_svg(cab(), "x")


def test_names_are_escaped() -> None:
    svg = topology_svg(label([('<j & "k">', "g", "a\x00b\nc")], base="g"), title="</text><script>")
    root = ElementTree.fromstring(svg)
    texts = {"".join(text.itertext()) for text in root.iter(SVG + "text")}
    assert {'<j & "k"> H1', "a\N{REPLACEMENT CHARACTER}b c", "</text><script>"} <= texts
    assert not list(root.iter(SVG + "script"))


def test_a_tree_has_no_key_for_cut_joints() -> None:
    svg = topology_svg(label([(1, 0, 1)]))
    assert not elements(svg, "path", "cut")
    assert "flipped" not in svg and ">cut joint<" not in svg


def test_large_systems_are_refused() -> None:
    with pytest.raises(TopologyError, match=f"at most {DIAGRAM_LIMIT} joints"):
        topology_svg(label([(k, 0, k + 1) for k in range(DIAGRAM_LIMIT + 1)]))
