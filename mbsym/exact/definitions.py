"""All definitions by the names of functions: those of trees, and those that closed loops put in their place or add."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mbsym.exact.dynamics import ExactState
from mbsym.exact.functions import OF_TREES, Given, Results
from mbsym.exact.loops import OF_LOOPS, OTHERWISE
from mbsym.reference.mechanism import NumericMechanism


def definitions(mechanism: NumericMechanism) -> Mapping[str, Callable[[ExactState, Given], Results]]:
    """Those of a mechanism."""
    closed = mechanism.cut_joints or mechanism.relations or mechanism.model.constraints or mechanism.model.motions
    return {**OF_TREES, **OF_LOOPS, **{other_way(name): law for name, law in OTHERWISE.items()}} if closed else OF_TREES


def other_way(name: str) -> str:
    """Under which a definition stands that a function may have instead."""
    return f"{name}, otherwise"
