"""Checks of wheels: whether what is round about an axis can turn about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.frame_ends import attachable_frames, element_on_bodies
from mbsym.model.geometry import Triple, cross, norm, placement_numbers, times
from mbsym.model.system import Model
from mbsym.values.diagnostic import Findings
from mbsym.values.entries import entries_of
from mbsym.values.numbers import evaluate

ALONG: Final = 1e-2
"""Sine of the angle between two axes that two decimals of a direction explain; what is meant is off by more."""


def check_wheels(model: Model, findings: Findings) -> None:
    """Warns of wheels whose bodies turn about other axes than that about which they are round.

    Nothing is said of balls, nor of bodies that turn about any axis, as on a free joint, or that turn about none.
    """
    frames = attachable_frames(model)
    for kind, word in (("forces", "force element"), ("constraints", "constraint")):
        for index, item in enumerate(getattr(model, kind)):
            if not any(entry.kind == "direction" and entry.body == "wheel" for entry in entries_of(type(item))):
                continue
            on_body = element_on_bodies(item, frames)
            axis = _numbers(on_body.axis, findings)
            is_ball = evaluate(item.profile, findings.numbers) == evaluate(item.radius, findings.numbers)
            turns = dict(_axes(model, on_body.wheel, findings))
            if is_ball or not turns or any(each is None or _along(axis, each) for each in turns.values()):
                continue
            told = " and ".join(f"joint {name!r} about {_text(each)}" for name, each in turns.items() if each)
            what = f"{word} {item.name!r} has wheel {item.wheel!r} round about {_text(axis)}, but it turns by {told}"
            findings.warning((kind, index, "axis"), what, "give the axis about which the wheel turns, in its own frame")


def _axes(model: Model, body: str, findings: Findings) -> Iterator[tuple[str, Triple | None]]:
    """Joints of a body that turn it, and their axes in its frame, None of such as turn in space."""
    for joint in model.joints:
        turning = JOINT_TYPES[joint.type].turning
        if turning == "never" or body not in (joint.predecessor, joint.successor):
            continue
        place = joint.successor_placement if body == joint.successor else joint.predecessor_placement
        rotation, _ = placement_numbers(place, lambda value: evaluate(value, findings.numbers))
        axis = times(rotation, _numbers(joint.axis, findings))
        yield joint.name, axis if turning == "about its axis" else None


def _numbers(direction: Any, findings: Findings) -> Triple:
    x, y, z = (evaluate(entry, findings.numbers) for entry in direction)
    return x, y, z


def _along(first: Triple, second: Triple) -> bool:
    return norm(cross(first, second)) <= ALONG * norm(first) * norm(second)


def _text(axis: Triple) -> str:
    return f"({', '.join(f'{entry:.4g}' for entry in axis)})"
