"""All definitions by the names of functions: of trees, of closed loops, and derivatives of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbsym.exact.derivatives import DERIVATIVES, OF_CLOSED, Definition, derivative
from mbsym.exact.frames import OF_FRAMES
from mbsym.exact.functions import OF_TREES
from mbsym.exact.loops import OF_LOOPS, OTHERWISE
from mbsym.reference.mechanism import NumericMechanism


def definitions(
    mechanism: NumericMechanism, requests: Mapping[str, tuple[str, Sequence[str]]]
) -> Mapping[str, Definition]:
    """Those of a mechanism.

    Args:
        mechanism: with loops or without.
        requests: derivatives by name: of which function, by which arguments; a request may be of one before it.
    """
    found: dict[str, Definition] = {**OF_TREES, **OF_FRAMES, **DERIVATIVES}
    if mechanism.cut_joints or mechanism.relations or mechanism.model.constraints or mechanism.model.motions:
        found |= {**OF_LOOPS, **OF_CLOSED, **{other_way(name): law for name, law in OTHERWISE.items()}}
    levels: dict[str, int] = {}
    for name, (function, by) in requests.items():
        if function in found:
            levels[name] = levels.get(function, 0) + 1
            found[name] = derivative(found[function], by, levels[name])
    return found


def other_way(name: str) -> str:
    """Under which a definition stands that a function may have instead."""
    return f"{name}, otherwise"
