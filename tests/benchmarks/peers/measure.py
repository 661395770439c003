"""Rounds in which all take turns, by one clock: processor time of the thread."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

SHORTEST = 1e-3
"""Seconds that a turn takes at least."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One build of one function of one peer.

    Attributes:
        robot: the model's name.
        function: ID, FD, M and so on.
        peer: whose it is.
        build: of it, for tables.
        spent: seconds of processor time that so many calls take.
        states: that one call evaluates.
    """

    robot: str
    function: str
    peer: str
    build: str
    spent: Callable[[int], float]
    states: int = 1


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds a state: the median of all rounds, and their least."""

    robot: str
    function: str
    peer: str
    build: str
    ns: float
    least: float


def calls_of(entry: Entry) -> int:
    """So many that a turn is long enough for the clock."""
    calls = 1
    while (took := entry.spent(calls)) < SHORTEST:
        calls *= 2 if took < SHORTEST / 8 else max(2, int(SHORTEST / took) + 1) if took < SHORTEST / 2 else 2
    return calls


def measured(entries: Sequence[Entry], rounds: int) -> list[Timing]:
    """All of them, in another order in each round."""
    order = [(entry, calls_of(entry), list[float]()) for entry in entries]
    turns = list(order)
    shuffle = random.Random(0).shuffle
    for _ in range(rounds):
        shuffle(turns)
        for entry, calls, times in turns:
            times.append(1e9 * entry.spent(calls) / calls / entry.states)
    return [
        Timing(entry.robot, entry.function, entry.peer, entry.build, statistics.median(times), min(times))
        for entry, _, times in order
    ]


def best(timings: Iterable[Timing], robot: str, function: str, peer: str) -> Timing | None:
    """The fastest build of a peer, None where it has none."""
    those = [item for item in timings if (item.robot, item.function, item.peer) == (robot, function, peer)]
    return min(those, key=lambda item: item.ns, default=None)
