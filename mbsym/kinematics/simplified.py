"""Mechanisms of which derivations may write what is shorter, see ``equivalents``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mbsym.kinematics.mechanism import Mechanism


def simplified(mechanism: Mechanism, ways: Collection[str], *, prepared: bool = False) -> Mechanism:
    """A mechanism with the user's own bodies, with these ways to simplify what is derived of it, and no others."""
    return replace(true(mechanism), ways=tuple(ways), prepared=prepared)


def true(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the user's own bodies."""
    return mechanism.stands_for or mechanism


def plain(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the user's own bodies, of which nothing may be simplified."""
    return simplified(mechanism, ())
