"""Singular positions that a motion comes through: where, what lost rank, and how the motion went on.

A position is singular where closure rows that are independent elsewhere depend on each other. There branches of the
motion meet, and a mechanism may leave on another one than it would by its inertia, through errors that are as small as
round-off. The measure of it is the smallest singular value of G with rows that are one long where they have been
longest. It is zero in a singular position and changes by no more than G does (Weyl), which tells how closely a step has
to be looked at. Between the ends of a step coordinates are taken from the cubic through both with their rates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.loops.looped_system import LoopedSystem
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.simulation.equations import Equations, speed_quantities
from mbsym.simulation.time_stepping import StateLayout

Way: TypeAlias = Literal["straight on", "turned", "started there", "ended there"]

ZONE: Final = 0.05
"""Measure below which a position counts as near a singular one: speeds on both sides are compared from there. Long rows
of loops never have a larger one; half of the largest that they have had takes its place."""

_SHARE: Final = 0.5
"""Part of the largest measure so far that ends the zone of a mechanism whose measure is small everywhere."""

_LEAST_ZONE: Final = 1e-2

SINGULAR: Final = 1e-3
"""Measure below which a position is told as singular: with lengths of a metre, a millimetre beside one."""

TURNED: Final = 0.5
"""Distance of the directions of v before and after, each of length one, above which the motion turned: what
accelerations change within the zone is much less, another branch is at an angle of about one."""

_LONGEST: Final = 0.5
"""Motion [rad, m] within which a step's ends tell enough to go by Weyl's bound."""

_DEPTH: Final = 12
_SECANTS: Final = 5
_PART: Final = 0.3
"""Part of the largest share above which a row or a joint takes part."""

_WORDS: Final = {
    "straight on": "the motion goes straight on",
    "started there": "the motion starts there, on whatever branch errors choose",
    "ended there": "the motion ends there",
}


@dataclass(frozen=True, slots=True)
class SingularPosition:
    """One singular position.

    Attributes:
        t: when [s].
        measure: smallest singular value of G, its rows one long where they have been longest.
        lost: number of closure rows that follow from the others there.
        rows: which closure rows take part, in words.
        joints: those which gain a freedom there.
        way: how the motion went on.
        before, after: speeds by joint coordinate on both sides, of length one; empty where there is no such side.
    """

    t: float
    measure: float
    lost: int
    rows: tuple[str, ...]
    joints: tuple[str, ...]
    way: Way
    before: dict[str, float]
    after: dict[str, float]

    @property
    def sentence(self) -> str:
        """What is told of it."""
        went = self._changes() if self.way == "turned" else _WORDS[self.way]
        follow = "1 closure row follows" if self.lost == 1 else f"{self.lost} closure rows follow"
        rows = f"{follow} from the others among {_listed(self.rows)}"
        return f"singular at t = {self.t:.6g} s: {rows}; {_listed(self.joints)} could move by themselves; {went}"

    def _changes(self) -> str:
        """The largest changes of speed."""
        change = {name: self.after[name] - value for name, value in self.before.items()}
        largest = max(abs(value) for value in change.values())
        told = [name for name, value in change.items() if abs(value) > _PART * largest]
        turned = _listed([f"{name} from {self.before[name]:.2f} to {self.after[name]:.2f}" for name in told])
        return f"the motion leaves its branch: speeds, scaled to a length of one, turn, {turned}"

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return asdict(self) | {"rows": list(self.rows), "joints": list(self.joints)}


@dataclass(frozen=True, slots=True)
class Sample:
    """A position on the way.

    Attributes:
        t: time [s].
        q, v: state.
        matrix: G with rows one long where they have been longest.
        measure: its smallest singular value.
    """

    t: float
    q: Array
    v: Array
    matrix: Array
    measure: float


@dataclass(slots=True)
class _Zone:
    """A stay near a singular position: the sample before it and the worst one in it."""

    before: Sample | None
    worst: Sample


class SingularWatch:
    """Follows the measure from step to step.

    Attributes:
        found: singular positions, in order of time.
    """

    def __init__(self, equations: Equations, analysis: LoopAnalysis, system: LoopedSystem) -> None:
        """Knows nothing yet; ``start`` gives the first state.

        Args:
            equations: of the model.
            analysis: its closure rows.
            system: its functions, as fast as there are.
        """
        mechanism = equations.mechanism
        self._system = system
        self._layout: StateLayout = equations.layout
        self._rows = tuple(f"{row.closure} ({row.quantity})" for row in analysis.rows)
        self._joints = tuple(body.joint.name for body in mechanism.bodies for _ in range(*body.v_range))
        self._speeds = tuple(item.name for item in speed_quantities(mechanism))
        self._longest = np.zeros(len(analysis.rows))
        self._largest = 0.0
        self._zone: _Zone | None = None
        self._outside: Sample | None = None
        self.last: Sample | None = None
        self.found: list[SingularPosition] = []

    def start(self, t: float, x: Array) -> SingularPosition | None:
        """Takes the first state; what is told of it where it is singular."""
        sample = self.last = self._sample(t, self._layout.q(x).copy(), self._layout.v(x).copy())
        self._take(sample)
        return self._position(None, sample, None) if sample.measure < SINGULAR else None

    def step(self, t: float, x: Array) -> None:
        """Takes the state after a step."""
        before = self.last
        assert before is not None
        after = self._sample(t, self._layout.q(x).copy(), self._layout.v(x).copy())
        if t > before.t:
            rates = self._system.position_rate(before.q, before.v), self._system.position_rate(after.q, after.v)
            between = partial(self._between, before, after, rates)
            pieces = int(np.clip(np.max(np.abs(after.v) + np.abs(before.v)) * (t - before.t) / _LONGEST, 1, 64))
            stations = [before, *(between(k / pieces) for k in range(1, pieces)), after]
            for a, b in pairwise(stations):
                self._look(a, b, lambda time: between((time - before.t) / (after.t - before.t)), _DEPTH)
        self.last = after

    def measure(self, x: Array) -> float:
        """That of a state which is not passed on."""
        return self._sample(0.0, self._layout.q(x), self._layout.v(x)).measure

    def finish(self) -> tuple[SingularPosition, ...]:
        """All that were found, that of the end included."""
        if self._zone is not None:
            self._leave(None)
        return tuple(self.found)

    def _look(self, a: Sample, b: Sample, at: Callable[[float], Sample], depth: int) -> None:
        """Passes on the samples from a to b, as many as it takes not to miss a singular position between them."""
        change = b.matrix - a.matrix
        # The sum of squares bounds the largest singular value, and costs a tenth of it.
        if a.measure + b.measure > 1.5 * float(np.linalg.norm(change)):
            self._take(b)
            return
        way = float(np.linalg.norm(change, 2))
        if a.measure + b.measure > 1.5 * way or not depth:
            self._take(b)
            return
        if way > self._zone_size / 4:
            middle = at((a.t + b.t) / 2)
            self._look(a, middle, at, depth - 1)
            self._look(middle, b, at, depth - 1)
            return
        # The measure falls and rises linearly, so that the place of its zero follows from both ends.
        left, right = a, b
        u, _, vt = np.linalg.svd(a.matrix, full_matrices=False)
        for _ in range(_SECANTS):
            t = (left.t * right.measure + right.t * left.measure) / (left.measure + right.measure + 1e-300)
            if not left.t < t < right.t:
                break
            inner = at(t)
            self._take(inner)
            # The measure with a sign: that of what is smallest in a.
            left, right = (inner, right) if float(u[:, -1] @ inner.matrix @ vt[-1]) > 0.0 else (left, inner)
        self._take(b)

    @property
    def _zone_size(self) -> float:
        return float(np.clip(_SHARE * self._largest, _LEAST_ZONE, ZONE))

    def _take(self, sample: Sample) -> None:
        """One more sample, in order of time or close to it."""
        self._largest = max(self._largest, sample.measure)
        zone, size = self._zone, self._zone_size
        if zone is None:
            if sample.measure < size:
                self._zone = _Zone(self._outside, sample)
            else:
                self._outside = sample
            return
        if zone.before is None and zone.worst.measure >= SINGULAR and np.any(zone.worst.v):
            # The motion starts in the zone and not in a singular position: speeds before are those of the start.
            zone.before = zone.worst
        if sample.measure < zone.worst.measure:
            zone.worst = sample
        if sample.measure >= size:
            self._leave(sample)
            self._outside = sample

    def _leave(self, after: Sample | None) -> None:
        zone, self._zone = self._zone, None
        assert zone is not None
        if zone.worst.measure < SINGULAR:
            self.found.append(self._position(zone.before, zone.worst, after))

    def _position(self, before: Sample | None, worst: Sample, after: Sample | None) -> SingularPosition:
        u, sizes, vt = np.linalg.svd(worst.matrix, full_matrices=False)
        lost = sizes < max(10.0 * worst.measure, SINGULAR)
        way: Way = "straight on"
        end = self.last if after is None else after
        if before is None:
            way = "started there"
        elif end is not None and _angle(before.v, end.v) > TURNED:
            # Also onto a branch that is singular all along.
            way, after = "turned", end
        elif after is None and (end is None or end.measure < SINGULAR):
            way = "ended there"
        else:
            after = end
        return SingularPosition(
            t=worst.t,
            measure=worst.measure,
            lost=int(np.sum(lost)),
            rows=_sharing(self._rows, np.linalg.norm(u[:, lost], axis=1)),
            joints=_sharing(self._joints, np.linalg.norm(vt[lost], axis=0)),
            way=way,
            before=self._named(before),
            after=self._named(after),
        )

    def _named(self, sample: Sample | None) -> dict[str, float]:
        if sample is None:
            return {}
        return dict(zip(self._speeds, _direction(sample.v).tolist(), strict=True))

    def _sample(self, t: float, q: Array, v: Array) -> Sample:
        matrix = np.asarray(self._system.functions["constraint_jacobian"](q))
        self._longest = np.fmax(self._longest, np.linalg.norm(matrix, axis=1))
        matrix = matrix / np.where(self._longest > 0.0, self._longest, 1.0)[:, None]
        return Sample(t, q, v, matrix, smallest(matrix))

    def _between(self, a: Sample, b: Sample, rates: tuple[Array, Array], part: float) -> Sample:
        """On the cubic between two states with those rates of q."""
        h, s = b.t - a.t, part
        rest = 1.0 - s
        q = rest * rest * (1.0 + 2.0 * s) * a.q + s * s * (3.0 - 2.0 * s) * b.q
        q += h * s * rest * (rest * rates[0] - s * rates[1])
        return self._sample(a.t + s * h, self._layout.normalise(q), rest * a.v + s * b.v)


def smallest(matrix: Array) -> float:
    """The smallest singular value, infinite where an entry is not finite."""
    if not np.all(np.isfinite(matrix)):
        return float("inf")
    return float(np.linalg.svd(matrix, compute_uv=False)[-1])


def _direction(v: Array) -> Array:
    size = float(np.linalg.norm(v))
    return v / size if size > 0.0 else v


def _angle(v: Array, w: Array) -> float:
    """Distance of the lines along which two motions go: one that turns round within the zone stays on its branch."""
    a, b = _direction(v), _direction(w)
    return float(min(np.linalg.norm(a - b), np.linalg.norm(a + b)))


def _sharing(names: Sequence[str], shares: Array) -> tuple[str, ...]:
    """The names of what has a share of note, each once."""
    most = float(np.max(shares, initial=0.0))
    return tuple(dict.fromkeys(name for name, share in zip(names, shares, strict=True) if share > _PART * most))


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
