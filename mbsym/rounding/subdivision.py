"""Boxes are halved where the bound is loosest, until a number of them is used up or little can be gained.

The order depends on the tape and the box alone, not on the time it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.rounding.analysis import Rounding, ahead, bounds
from mbsym.rounding.tape import ROUNDED_BY_LIBRARY, Tape

NUMBERS: Final = 4_000_000
"""Of the forms that are kept at once, so that they stay near the processor."""

WORK: Final = 200_000_000
"""Numbers that an effort of 1 computes for a function: some five seconds."""

MOST_BOXES: Final = 4_000
AT_ONCE: Final = 128
"""Boxes that are halved before the loosest are looked for again."""

ENOUGH: Final = 1.5
"""Times what is attained at single states: a bound that is no larger is left as it is."""

TRIED: Final = 4
"""Boxes, at most, at which it is tried which inputs are worth halving: half of all that are looked at."""

NARROW: Final = 8.0
"""Parts of an input that bends, in trials."""

STATES: Final = 256
"""Single states at which it is seen what the bound is at least, and as many with inputs at ends of their ranges."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What is known of boxes.

    Attributes:
        bounds: of the errors of the tape's places, (places, B).
        low, high: of their exact values, (places, B).
        dangers: by what is feared and the step's place, boxes, (B,).
        largest: absolute value of anything computed, (B,).
        divisors: lower bound of the absolute value of each divisor by the place of the division, (B,).
    """

    bounds: Array
    low: Array
    high: Array
    dangers: dict[tuple[str, int], Array]
    largest: Array
    divisors: dict[int, Array]


def look(tape: Tape, low: Array, high: Array, rounding: Rounding) -> Looked:
    """What is known of boxes between low and high, (n, B) each."""
    size = max(1, NUMBERS // (len(tape.steps) * (len(low) + 8)))
    parts = [_look(tape, low[:, k : k + size], high[:, k : k + size], rounding) for k in range(0, low.shape[1], size)]
    keys = dict.fromkeys(key for part in parts for key in part.dangers)
    return Looked(
        np.concatenate([part.bounds for part in parts], axis=1),
        np.concatenate([part.low for part in parts], axis=1),
        np.concatenate([part.high for part in parts], axis=1),
        {
            key: np.concatenate([part.dangers.get(key, np.zeros(len(part.largest), bool)) for part in parts])
            for key in keys
        },
        np.concatenate([part.largest for part in parts]),
        {key: np.concatenate([part.divisors[key] for part in parts]) for key in parts[0].divisors},
    )


def _look(tape: Tape, low: Array, high: Array, rounding: Rounding) -> Looked:
    with np.errstate(all="ignore"):
        found = ahead(tape, low, high, rounding)
        results = [found.values[place] for place in tape.places]
        sizes = [
            value.greatest if error is None else value.greatest + error
            for value, error in zip(found.values, found.errors, strict=True)
        ]
        divisors = {
            place: found.values[step.operands[1]].least for place, step in enumerate(tape.steps) if step.kind == "/"
        }
        return Looked(
            bounds(tape, found, rounding),
            np.array([value.low for value in results]),
            np.array([value.high for value in results]),
            {(danger.what, danger.place): danger.where for danger in found.dangers},
            np.max(sizes, axis=0),
            divisors,
        )


@dataclass(slots=True)
class Partition:
    """A box in parts.

    Attributes:
        splits: of each node the input that is halved, -1 for a part.
        children: of each node its first half, the second is the next one.
        low, high: of each node, (n,).
        looked: of each node.
        attained: first-order error that some single state has, of each place.
    """

    splits: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    low: list[Array] = field(default_factory=list)
    high: list[Array] = field(default_factory=list)
    bounds: list[Array] = field(default_factory=list)
    looked: list[tuple[Looked, int]] = field(default_factory=list)
    attained: Array = field(default_factory=lambda: np.zeros(0))

    def parts(self) -> list[int]:
        """Nodes that are not halved, from the first to the last in the order of the tree."""
        found, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            if self.splits[node] < 0:
                found.append(node)
            else:
                waiting += (self.children[node] + 1, self.children[node])
        return found

    def order(self) -> list[int]:
        """Splits from the root on, first halves first."""
        found, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            found.append(self.splits[node])
            if self.splits[node] >= 0:
                waiting += (self.children[node] + 1, self.children[node])
        return found

    def add(self, low: Array, high: Array, looked: Looked, above: Array | None) -> None:
        """Appends nodes, whose bounds are no larger than those of the node above each, (places, B)."""
        limits = looked.bounds if above is None else np.minimum(looked.bounds, above)
        for k in range(low.shape[1]):
            self.splits.append(-1)
            self.children.append(-1)
            self.low.append(low[:, k])
            self.high.append(high[:, k])
            self.bounds.append(limits[:, k])
            self.looked.append((looked, k))


def middle(low: float, high: float) -> float:
    """Where an input is halved."""
    return low + (high - low) / 2


def subdivide(tape: Tape, low: Array, high: Array, rounding: Rounding, effort: float = 1.0, seed: int = 0) -> Partition:
    """The box between low and high, (n,) each, in parts.

    Args:
        tape: of the function.
        low, high: of the inputs.
        rounding: of the machine.
        effort: how much is computed; 1 takes some five seconds.
        seed: of the states and boxes that are tried.
    """
    rng = np.random.default_rng(seed)
    count = int(min(max(effort * WORK / (tape.work() * (len(low) + 8)), 1), MOST_BOXES))
    found = Partition()
    found.add(low[:, None], high[:, None], look(tape, low[:, None], high[:, None], rounding), None)
    states = random_states(rng, low, high, 2 * min(STATES, count))
    found.attained = look(tape, states, states, rounding).bounds.max(axis=1)
    goal = ENOUGH * np.where(np.isfinite(found.attained) & (found.attained > 0), found.attained, np.inf)
    tried = min(TRIED, count // (2 + 4 * len(low)))
    choice = _Choice.of(tape, (low, high), rounding, rng, tried)
    open_, used = [0], 0
    while used < count:
        ratios = np.array([_looseness(found.bounds[node], goal) for node in open_])
        wanted = [open_[k] for k in np.argsort(-ratios, kind="stable")[:AT_ONCE] if ratios[k] > 1]
        wanted = [node for node in wanted if choice.input(found, node, goal) >= 0]
        if not wanted:
            break
        used += 2 * len(wanted)
        _halve(tape, found, wanted, [choice.input(found, node, goal) for node in wanted], rounding)
        new = {child for node in wanted for child in (found.children[node], found.children[node] + 1)}
        open_ = [node for node in open_ if found.splits[node] < 0] + sorted(new)
    return found


def random_states(rng: np.random.Generator, low: Array, high: Array, count: int) -> Array:
    """States (n, count) in a box: the first half evenly drawn, the second with three quarters of the inputs at ends."""
    even = rng.uniform(size=(len(low), count))
    second = np.arange(count) >= count // 2
    ends = rng.uniform(size=even.shape) < 0.75
    places = np.where(second & ends, np.round(even), even)
    states: Array = np.clip(low[:, None] + places * (high - low)[:, None], low[:, None], high[:, None])
    return states


def _looseness(bound: Array, goal: Array) -> float:
    with np.errstate(invalid="ignore"):
        return float(np.max(np.where(np.isfinite(bound), bound / goal, np.finfo(float).max)))


def _halve(tape: Tape, found: Partition, nodes: Sequence[int], inputs: Sequence[int], rounding: Rounding) -> None:
    low = np.array([found.low[node] for node in nodes for _ in range(2)]).T
    high = np.array([found.high[node] for node in nodes for _ in range(2)]).T
    for k, (node, split) in enumerate(zip(nodes, inputs, strict=True)):
        found.splits[node], found.children[node] = split, len(found.splits) + 2 * k
        high[split, 2 * k] = low[split, 2 * k + 1] = middle(found.low[node][split], found.high[node][split])
    above = np.array([found.bounds[node] for node in nodes for _ in range(2)]).T
    found.add(low, high, look(tape, low, high, rounding), above)


@dataclass(frozen=True, slots=True)
class _Choice:
    """Which input is halved next.

    Attributes:
        gains: logarithm of what halving gained in trials, (places, n).
        widths: of the boxes that were tried, (n,).
        bends: inputs of sines, divisors and roots, (n,).
    """

    gains: Array
    widths: Array
    bends: Array

    @classmethod
    def of(
        cls, tape: Tape, box: tuple[Array, Array], rounding: Rounding, rng: np.random.Generator, tried: int
    ) -> _Choice:
        """What trials at some random boxes show, narrow in the inputs that bend."""
        low, high = box
        bends = np.array([*_bending(tape)])
        widths = (high - low) / np.where(bends, NARROW, 1.0)
        if tried == 0:
            return cls(np.zeros((len(tape.places), len(low))), widths, bends)
        starts = low + rng.uniform(size=(tried, len(low))) * np.maximum(high - low - widths, 0)
        boxes = [(start, start + widths) for start in starts]
        halves = []
        for first, last in boxes:
            for k in range(len(low)):
                below, above = last.copy(), first.copy()
                below[k] = above[k] = middle(first[k], last[k])
                halves += [(first, below), (above, last)]
        lows, highs = np.array([*boxes, *halves]).transpose(1, 2, 0)
        seen = look(tape, lows, highs, rounding).bounds
        whole = seen[:, :tried, None]
        best = seen[:, tried:].reshape(len(seen), tried, len(low), 2).max(axis=3)
        with np.errstate(all="ignore"):
            gains = np.where(np.isfinite(best) & (best > 0), np.log(whole / best), 0.0)
        gains = np.where(np.isfinite(gains), gains, 1.0).mean(axis=1)
        return cls(np.maximum(gains, 0.0), widths, bends)

    def input(self, found: Partition, node: int, goal: Array) -> int:
        """The input that is halved; -1 where none is worth it."""
        bound, width = found.bounds[node], found.high[node] - found.low[node]
        with np.errstate(all="ignore"):
            parts = np.where(self.widths > 0, width / self.widths, 0.0)
            worst = int(np.argmax(np.where(np.isfinite(bound), bound / goal, np.inf)))
        gains = self.gains[worst] if self.gains[worst].any() else self.bends * 1.0
        scores = gains * np.where(self.bends, parts * parts, parts)
        # Halves of what is a few doubles wide are no narrower.
        scores = np.where(width > 1e-9 * (np.abs(found.low[node]) + np.abs(found.high[node])), scores, 0.0)
        best = int(np.argmax(scores))
        return best if scores[best] > 1e-6 else -1


def _bending(tape: Tape) -> Iterator[bool]:
    """Of each input whether a sine, a divisor or a root depends on it."""
    marked: set[int] = set()
    for place in range(len(tape.steps) - 1, -1, -1):
        step = tape.steps[place]
        if step.kind in (*ROUNDED_BY_LIBRARY, "sqrt"):
            marked.update(step.operands)
        elif step.kind == "/":
            marked.add(step.operands[1])
        if place in marked:
            marked.update(step.operands)
    for place, step in enumerate(tape.steps):
        if step.kind == "input":
            yield place in marked
