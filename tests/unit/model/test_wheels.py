"""A wheel that is round about another axis than that about which it turns is told of."""

from __future__ import annotations

import pytest

from mbsym.formats.native.reader import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.validate import validate

AXLE = """name: axle
parameters: {toe: 2deg}
bodies:
  bar: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  wheel: {mass: 1, inertia: [0.02, 0.01, 0.01]}
joints:
  flight: {type: free, from: ground, to: bar, initial: [1, 0, 0, 0, 0, 0, 0.3]}
  hub: {type: revolute, from: bar, to: wheel, axis: HUB}
frames: {turned: {body: wheel, at: {rotation: [[z, pi/2]]}}, tilted: {body: wheel, at: {rotation: [[z, toe]]}}}
"""
ROLL = "constraints: {roll: {type: rolling, wheel: WHEEL, on: ground, radius: 0.3}}\n"
TYRE = (
    "forces: {roll: {type: tyre, wheel: WHEEL, on: ground, radius: 0.3, stiffness: 1e5, longitudinal_stiffness: 20, "
    "cornering_stiffness: 15}}\n"
)


def told(element: str, hub: str, wheel: str = "wheel", **changes: str) -> list[str]:
    text = AXLE.replace("HUB", hub) + element.replace("WHEEL", wheel)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return [item.what for item in validate(read_native(TextSource("axle.yaml", text)))]


@pytest.mark.parametrize("element", [ROLL, TYRE], ids=["rolling", "tyre"])
def test_a_wheel_on_a_hub_along_another_axis_is_told(element: str) -> None:
    assert told(element, "y") == told(element, "-y") == told(element, "[0, 1, 0.002]") == []
    (what,) = told(element, "x")
    assert "'roll' has wheel 'wheel' round about (0, 1, 0), but it turns by joint 'hub' about (1, 0, 0)" in what


def test_axes_are_those_in_the_frame_of_the_body() -> None:
    """The y axis of a frame that is turned is -x of the wheel; the joint's axis with its frame."""
    assert told(ROLL, "x", "turned") == [] and len(told(ROLL, "y", "turned")) == 1
    assert len(told(ROLL, "y", "tilted")) == 1
    assert told(ROLL, "x, at_successor: {rotation: [[z, pi/2]]}") == []
    assert len(told(ROLL, "y, at_successor: {rotation: [[z, pi/2]]}")) == 1
    backwards = {"from: bar, to: wheel": "from: wheel, to: bar"}
    assert told(ROLL, "x, at: {rotation: [[z, pi/2]]}", **backwards) == []


def test_nothing_is_told_of_balls_and_of_what_turns_in_space() -> None:
    assert told(ROLL.replace("radius: 0.3", "radius: 0.3, profile: 0.3"), "x") == []
    assert told(ROLL, "x", **{"{type: revolute, from: bar, to: wheel, axis: x}": "[spherical, bar, wheel]"}) == []
    assert told(ROLL, "x", **{"type: revolute": "type: prismatic"}) == []
