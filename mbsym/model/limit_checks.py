"""Checks of what joints and control inputs are kept within, and of where joints start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.model.geometry import norm
from mbsym.model.joint import Joint
from mbsym.values.diagnostic import Findings, Path
from mbsym.values.parameter import ControlInput

REVERSED: Final = "exchange them"


def check_joint_numbers(joint: Joint, path: Path, findings: Findings) -> None:
    """Notes limits and initial values that are too many, are no numbers, or cannot be kept."""
    word = f"{joint.type} joint {joint.name!r}"
    shape = joint.shape
    numbers: dict[str, tuple[float, ...] | None] = {}
    for entry, values, count, kind in (
        ("lower", joint.lower, shape.nq, "coordinates"),
        ("upper", joint.upper, shape.nq, "coordinates"),
        ("effort", joint.effort, shape.nv, "speeds"),
        ("velocity", joint.velocity, shape.nv, "speeds"),
        ("initial", joint.initial, shape.nq, "coordinates"),
    ):
        if len(values) not in (0, count):
            findings.error(
                (*path, entry),
                f"{word} has {count} {kind} but {len(values)} entries of {entry!r}",
                f"give {count} or none",
            )
            continue
        numbers[entry] = findings.numbers_of(values, (*path, entry))
    lower, upper, initial = (numbers.get(entry) or () for entry in ("lower", "upper", "initial"))
    pairs = list(zip(lower, upper, strict=False))
    if any(low > high for low, high in pairs):
        findings.error((*path, "lower"), f"a lower limit of {word} exceeds the upper one", REVERSED)
    elif any(not low <= value <= high for value, (low, high) in zip(initial, pairs, strict=False)):
        findings.warning((*path, "initial"), f"{word} starts outside its limits", "give an initial value within them")
    for entry, what in (("effort", "largest force"), ("velocity", "largest speed")):
        if any(number < 0 for number in numbers.get(entry) or ()):
            findings.error((*path, entry), f"a {what} of {word} is negative", "give its size, zero or more")
    start = joint.kind.quaternion
    if initial and start is not None and norm(initial[start : start + 4]) == 0:
        findings.error((*path, "initial"), f"the initial quaternion of {word} is zero", "give one of length one")


def check_inputs(inputs: Sequence[ControlInput], findings: Findings) -> None:
    """Notes bounds of control inputs that are no numbers or are the wrong way round."""
    for index, item in enumerate(inputs):
        path: Path = ("inputs", index)
        bounds = [
            None if value is None else findings.number(value, (*path, entry))
            for entry, value in (("lower", item.lower), ("upper", item.upper))
        ]
        if bounds[0] is not None and bounds[1] is not None and bounds[0] > bounds[1]:
            what = f"the lower bound of control input {item.name!r} exceeds the upper one"
            findings.error((*path, "lower"), what, REVERSED)
