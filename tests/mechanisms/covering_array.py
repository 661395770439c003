"""Covering arrays: few rows in which every pair (triple, ...) of settings stands somewhere, the same for one seed.

Rows are made one by one, each around a combination that no row has yet; the other settings are those that bring most
new combinations. What turns out not to go together is told to the array, which then leaves it out of later rows, so
that a refusal hides nothing else. Rows may be tried side by side: what a row under way has, later rows need not look
after.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

Setting = tuple[str, str]
Combination = frozenset[Setting]

ATTEMPTS: Final = 12
"""Orders of filling a row that are tried before its combination counts as impossible beside what is forbidden."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that varies, and its values; the first is the plain one."""

    name: str
    values: tuple[str, ...]


class CoveringArray:
    """Makes rows until every combination is covered, forbidden, or impossible beside what is forbidden.

    Attributes:
        factors: what varies.
        strength: settings in a combination.
        left: combinations that no row has yet, in the order in which they are looked after.
        covered: number of those that rows have.
        forbidden: what does not go together, of any size.
        refused: combinations that have something forbidden.
        impossible: combinations for which no row was found beside what is forbidden.
    """

    def __init__(self, factors: Sequence[Factor], strength: int = 2, seed: int = 1) -> None:
        self.factors = {factor.name: factor for factor in factors}
        self.strength = strength
        self.covered = 0
        self.forbidden: list[Combination] = []
        self.refused: dict[Combination, None] = {}
        self.impossible: list[Combination] = []
        self._random = random.Random(seed)
        every = [
            frozenset(zip((f.name for f in chosen), values, strict=True))
            for chosen in combinations(factors, strength)
            for values in product(*(f.values for f in chosen))
        ]
        self.total = len(every)
        self._random.shuffle(every)
        self.left = dict.fromkeys(every)

    def rows(self) -> Iterator[dict[str, str]]:
        """Rows as long as combinations are left; who takes a row says ``cover`` or ``forbid``."""
        while self.left:
            wanted = next(iter(self.left))
            row = self._row(wanted)
            if row is None:
                del self.left[wanted]
                self.impossible.append(wanted)
            else:
                yield row

    def take(self, row: Mapping[str, str]) -> list[Combination]:
        """What a row has that none had before; later rows need not look after it while this one is tried."""
        found = [c for c in map(frozenset, combinations(row.items(), self.strength)) if c in self.left]
        for combination in found:
            del self.left[combination]
        return found

    def give_back(self, taken: Iterable[Combination]) -> None:
        """Notes that the row that has taken these does not cover them."""
        for combination in taken:
            kept = self.left if self._allows(dict(combination)) else self.refused
            kept[combination] = None

    def cover(self, row: Mapping[str, str]) -> int:
        """Notes that all combinations of a row are covered, and says how many are new."""
        return self.covers(self.take(row))

    def covers(self, taken: Collection[Combination]) -> int:
        """Notes that what a row has taken is covered, and says how many these are."""
        self.covered += len(taken)
        return len(taken)

    def forbid(self, settings: Combination) -> int:
        """Notes that these settings do not go together, and says how many combinations that refuses."""
        self.forbidden.append(settings)
        found = [combination for combination in self.left if settings <= combination]
        for combination in found:
            del self.left[combination]
            self.refused[combination] = None
        return len(found)

    def allow(self, settings: Combination) -> int:
        """Notes that these settings go together after all, and says how many combinations are looked after again."""
        self.forbidden = [forbidden for forbidden in self.forbidden if forbidden != settings]
        given = [c for c in (*self.refused, *self.impossible) if self._allows(dict(c))]
        self.refused = {c: None for c in self.refused if not self._allows(dict(c))}
        self.impossible = []
        self.left |= dict.fromkeys(given)
        return len(given)

    def beside(self, settings: Combination, alike: Collection[Combination]) -> dict[str, str] | None:
        """A row with these settings in which nothing that is forbidden stands but perhaps these and some alike."""
        kept = self.forbidden
        self.forbidden = [forbidden for forbidden in kept if forbidden not in alike and not forbidden <= settings]
        try:
            return self._row(settings)
        finally:
            self.forbidden = kept

    def _row(self, wanted: Combination) -> dict[str, str] | None:
        for _ in range(ATTEMPTS):
            row = dict(wanted)
            others = [name for name in self.factors if name not in row]
            self._random.shuffle(others)
            if self._allows(row) and all(self._fill(row, name) for name in others):
                return {name: row[name] for name in self.factors}
        return None

    def _fill(self, row: dict[str, str], name: str) -> bool:
        beside = [frozenset(settings) for settings in combinations(row.items(), self.strength - 1)]
        values = list(self.factors[name].values)
        self._random.shuffle(values)
        gains = {value: sum(1 for other in beside if other | {(name, value)} in self.left) for value in values}
        for value in sorted(values, key=lambda value: -gains[value]):
            row[name] = value
            if self._allows(row):
                return True
        del row[name]
        return False

    def _allows(self, row: Mapping[str, str]) -> bool:
        settings = row.items()
        return not any(forbidden <= settings for forbidden in self.forbidden)
