"""A mechanism of which derivations may write what is shorter, and what they may do for it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

from mbsym.kinematics.mechanism import Mechanism


@dataclass(frozen=True, slots=True, repr=False)
class Simplified(Mechanism):
    """A mechanism that derivations may replace by an equivalent one, see ``equivalents``.

    Attributes:
        ways: names of the simplifications that are allowed.
        prepared: what depends on parameters alone is computed beforehand, so that it costs nothing.
        stands_for: the mechanism with the user's own bodies; None where it is that itself.
    """

    ways: tuple[str, ...] = ()
    prepared: bool = False
    stands_for: Mechanism | None = None

    def afresh(self) -> Mechanism:
        """The same mechanism in a graph of its own, with the user's own bodies."""
        return simplified(Mechanism.afresh(self), self.ways, prepared=self.prepared)


def simplified(mechanism: Mechanism, ways: Collection[str], *, prepared: bool = False) -> Simplified:
    """A mechanism with these ways to simplify what is derived of it, and no others."""
    return Simplified(**_written(mechanism), ways=tuple(ways), prepared=prepared)


def ways_of(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the simplifications that are allowed; none of a mechanism that is only written."""
    return mechanism.ways if isinstance(mechanism, Simplified) else ()


def true(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the user's own bodies."""
    return mechanism.stands_for or mechanism if isinstance(mechanism, Simplified) else mechanism


def plain(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the user's own bodies, of which nothing may be simplified."""
    return Mechanism(**_written(mechanism))


def _written(mechanism: Mechanism) -> dict[str, Any]:
    given = true(mechanism)
    return {item.name: getattr(given, item.name) for item in fields(Mechanism)}
