"""The box of a file: limits of the model by default, and each mistake with its place."""

from __future__ import annotations

from math import pi
from typing import Any

import pytest

from mbsym.errors import FormatError
from mbsym.formats.text_source import TextSource
from mbsym.rounding.box import Box, box_of, entries_of, read_box

MANIFEST: dict[str, Any] = {
    "joints": [
        {"name": "rail", "q": [0, 1], "v": [0, 1], "limits": {"lower": [-2.0], "upper": [3.0], "velocity": [4.0]}},
        {"name": "hinge", "q": [1, 2], "v": [1, 2]},
    ],
    "coordinates": [
        {"name": "q_rail", "joint": "rail", "unit": "m"}, {"name": "q_hinge", "joint": "hinge", "unit": "rad"},
    ],
    "speeds": [{"name": "v_rail", "joint": "rail"}, {"name": "v_hinge", "joint": "hinge"}],
    "inputs": [{"name": "push"}],
    "run_time_parameters": {"l": 0.6},
    "functions": [
        {"arguments": [{"name": "t", "direction": "in", "shape": []}, {"name": "M", "direction": "out", "shape": [4]}]},
        {"arguments": [{"name": "motion", "direction": "in", "shape": [2]}]},
    ],
}  # fmt: skip


def box(text: str) -> Box:
    return box_of(TextSource("box.yaml", text), entries_of(MANIFEST))


def test_the_model_says_what_the_file_does_not() -> None:
    found = read_box(None, entries_of(MANIFEST))
    assert found.intervals["q[0]"] == (-2.0, 3.0) and found.intervals["v[0]"] == (-4.0, 4.0)
    assert found.intervals["q[1]"] == pytest.approx((-pi, pi)) and found.intervals["q[1]"][1] > pi
    assert found.intervals["parameters.l"] == (0.6, 0.6)
    assert found.missing(["q[0]", "q[1]"]) == ""
    assert found.missing(["v[0]", "v[1]"]) == "v_hinge (v[1]) has no limits in the model: give v an interval in the box"
    assert found.missing(["t"]) == "t has no limits in the model: give t an interval in the box"


def test_a_file_names_arguments_joints_coordinates_and_parameters() -> None:
    found = box("q: {rail: [-1, 2.5], q_hinge: 0}\nv: [-3, 3]\nu: {push: [0, 1]}\nt: 2\nmotion: {'motion[1]': [5, 6]}\n"
                "parameters: {l: [0.5, 0.7]}\n")  # fmt: skip
    wanted = {
        "q[0]": (-1, 2.5), "q[1]": (0, 0), "v[0]": (-3, 3), "v[1]": (-3, 3), "u[0]": (0, 1), "t": (2, 2),
        "motion[1]": (5, 6), "parameters.l": (0.5, 0.7),
    }  # fmt: skip
    assert found.intervals == wanted and found.missing(["motion[0]"])


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("q: [3, 1]", "1:4", "the interval [3, 1] is reversed"),
        ("t: 0\nq: {hinge: [1, 2], rail: [-9, 0]}", "2:26", "[-9, 0] goes beyond the limits [-2, 3] of q_rail (q[0])"),
        ("q: {wheel: [1, 2]}", "1:12", "q has no entry 'wheel'"),
        ("w: 3", "1:4", "no function has an argument 'w'"),
        ("q: [a, 2]", "1:4", "[a, 2] are no numbers"),
        ("q: [inf, 2]", "1:4", "an end of the interval is not finite"),
        ("q: [nan, 2]", "1:4", "an end of the interval is not finite"),
        ("q: [1, 2, 3]", "1:4", "this is no interval"),
        ("q: [[1], 2]", "1:4", "this is no interval"),
        ("- 3", "1:1", "a box is a table"),
        ("parameters: {m: 3}", "1:17", "parameters has no entry 'm'"),
    ],
)
def test_mistakes_have_a_place(text: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        box(text)
    assert caught.value.where == f"box.yaml:{place}" and caught.value.what == what and caught.value.remedy
