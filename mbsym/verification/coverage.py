"""Which sides of conditions the states of a certificate were on, and which statuses were met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.verification.conditions import Condition


@dataclass(frozen=True, slots=True)
class FunctionCoverage:
    """Branches and statuses of one function.

    Attributes:
        function: its name.
        sides: two for each condition.
        taken: how many of them states were on.
        statuses: names that its contract has, met or not.
        met: those that were met.
        left: what was not reached, in words.
    """

    function: str
    sides: int
    taken: int
    statuses: tuple[str, ...]
    met: tuple[str, ...]
    left: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "function": self.function,
            "branches": self.sides,
            "branches_taken": self.taken,
            "statuses": list(self.statuses),
            "statuses_met": list(self.met),
            "not_reached": list(self.left),
        }


@dataclass
class Coverage:
    """Collects what was reached, function by function."""

    _conditions: dict[str, dict[Condition, set[bool]]] = field(default_factory=dict)
    _statuses: dict[str, dict[str, bool]] = field(default_factory=dict)
    _reasons: dict[tuple[str, Condition | str], str] = field(default_factory=dict)

    def explain(self, function: str, what: Condition | str, reason: str) -> None:
        """Says why a side of a condition, or a status by its name, may not be reached."""
        self._reasons[function, what] = reason

    def note_conditions(self, function: str, conditions: Sequence[Condition], values: Array) -> None:
        """Notes the sides that states are on: values of states, conditions."""
        own = self._conditions.setdefault(function, {})
        for place, condition in enumerate(conditions):
            column = values[:, place]
            above = condition.is_above(column[np.isfinite(column)])
            own.setdefault(condition, set()).update(bool(side) for side in np.unique(above))

    def require_statuses(self, function: str, names: Iterable[str]) -> None:
        """Notes statuses that a function's contract names."""
        own = self._statuses.setdefault(function, {})
        for name in names:
            own.setdefault(name, False)

    def note_statuses(self, function: str, statuses: Iterable[int] | Array) -> None:
        """Notes statuses that were met; what rounding decides is negative and counts for nothing."""
        own = self._statuses.setdefault(function, {})
        for value in np.unique(np.asarray(statuses)):
            if value >= 0 and Status(int(value)).name in own:
                own[Status(int(value)).name] = True

    def functions(self) -> tuple[FunctionCoverage, ...]:
        """What was reached of each function that has conditions or statuses, by name."""
        names = sorted({*self._conditions, *self._statuses})
        found = (self._of(name) for name in names)
        return tuple(item for item in found if item.sides or item.statuses)

    def _of(self, name: str) -> FunctionCoverage:
        conditions, statuses = self._conditions.get(name, {}), self._statuses.get(name, {})
        left = []
        for condition, sides in conditions.items():
            for is_above, words in zip((True, False), condition.sides, strict=True):
                if is_above not in sides:
                    place = f" in {condition.section}" if condition.section else ""
                    left.append(f"{words}{place}{self._why(name, condition)}")
        left += [f"status {status}{self._why(name, status)}" for status, met in statuses.items() if not met]
        return FunctionCoverage(
            name,
            2 * len(conditions),
            sum(len(sides) for sides in conditions.values()),
            tuple(statuses),
            tuple(status for status, met in statuses.items() if met),
            tuple(_counted(left)),
        )

    def _why(self, function: str, what: Condition | str) -> str:
        reason = self._reasons.get((function, what), "")
        return f" ({reason})" if reason else ""


def _counted(texts: Sequence[str]) -> list[str]:
    """Each text once, with how often it was there."""
    return [text if texts.count(text) == 1 else f"{text} ({texts.count(text)} times)" for text in dict.fromkeys(texts)]


MOST_LEFT = 6
"""Functions of which a summary tells what was not reached."""


def sentences(functions: Sequence[FunctionCoverage]) -> tuple[str, ...]:
    """What was reached in all, and what was not, function by function; nothing where there is nothing to reach."""
    if not functions:
        return ()
    sides, taken = sum(item.sides for item in functions), sum(item.taken for item in functions)
    statuses, met = sum(len(item.statuses) for item in functions), sum(len(item.met) for item in functions)
    lines = [f"branches: {taken} of {sides} taken; statuses: {met} of {statuses} met"]
    left = [item for item in functions if item.left]
    lines += [f"not reached in {item.function}: {', '.join(item.left)}" for item in left[:MOST_LEFT]]
    if len(left) > MOST_LEFT:
        lines.append(f"and in {len(left) - MOST_LEFT} functions more, which the certificate's file names")
    return tuple(lines)
