"""Angles that stand for multiples of 90 degrees."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from mbsym.errors import SymbolicError
from mbsym.values.numbers import NUMBER_TEXT, evaluate
from mbsym.values.parameter import Value

SAME_ANGLE = 1e-8
"""Angles nearer to a multiple of 90 degrees than this are taken as that multiple [rad]; no robot is built so well."""

ROUNDED_ANGLE = 1e-4
"""Angles nearer than this look like a multiple written with few digits, such as 1.5708 [rad]."""

_TEXTS = {1: "pi/2", 2: "pi"}


def is_number(value: Value) -> bool:
    """Whether a value is a number rather than an expression."""
    if isinstance(value, str):
        return NUMBER_TEXT.fullmatch(value.strip()) is not None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def snapped_angle(value: Value, tolerance: float = SAME_ANGLE) -> Value:
    """The exact multiple of 90 degrees that a number is within the tolerance of, else the value as it is [rad].

    Numbers that cannot be stay as they are too: the check of the model says where they stand.
    """
    if not is_number(value):
        return value
    try:
        angle = evaluate(value)
    except SymbolicError:
        return value
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * (math.pi / 2)) > tolerance or abs(quarters) > 1000:
        return value
    if quarters == 0:
        return 0
    text = _TEXTS.get(abs(quarters)) or (f"{abs(quarters)}*pi/2" if quarters % 2 else f"{abs(quarters) // 2}*pi")
    return text if quarters > 0 else f"-{text}"


def kept_angle(value: Value) -> Value:
    """An angle as a file must hold it for its reader to leave it as it is: a number near a right angle in brackets."""
    if not is_number(value):
        return value
    angle, near = evaluate(value), evaluate(snapped_angle(value))
    return value if abs(angle - near) <= 1e-14 * max(1.0, abs(angle)) else f"({value})"  # as near as doubles are


def looks_rounded(value: Value) -> bool:
    """Whether a number is near a multiple of 90 degrees but not that multiple."""
    if not is_number(value):
        return False
    angle = evaluate(value)
    distance = abs(angle - round(angle / (math.pi / 2)) * (math.pi / 2))
    return SAME_ANGLE < distance <= ROUNDED_ANGLE


def rounded_note(rounded: Mapping[str, str]) -> list[str]:
    """A sentence about angles that look rounded, one of each of their owners, if there are any."""
    if not rounded:
        return []
    first, angle = next(iter(rounded.items()))
    others = f" and {len(rounded) - 1} more" if len(rounded) > 1 else ""
    return [
        f"angles of {first} ({angle}){others} look like multiples of 90 degrees written with few digits and "
        "are taken as they stand; `snap_angles 1e-4` takes them as exact, which saves operations"
    ]


def negative(value: Value) -> Value:
    """-value, as text where the value is text."""
    if not isinstance(value, str):
        return -value
    if re.fullmatch(r"[+-]?[\w./*]+|" + NUMBER_TEXT.pattern, value):
        return value[1:] if value.startswith("-") else f"-{value.removeprefix('+')}"
    return f"-({value})"
