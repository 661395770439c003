"""States on each side of a condition, solved for: first where its value vanishes, then a little off it both ways.

The border is found by Gauss-Newton steps on the values that vanish together, with slopes by differences of the
interpreted Program. What cannot be found in a few trials is left, and the certificate says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mbsym.verification.conditions import Condition, squares, with_values
from mbsym.verification.far_states import Sizes, States, by_name, sized

TRIALS: Final = 12
STEPS: Final = 24
"""Gauss-Newton steps of a trial: they double the digits near a border, and few borders are farther."""

SLOPE_STEP: Final = 1e-6
"""Of differences: slopes right to six digits leave a millionth of the distance after a step."""

DEPENDENT: Final = 1e-5
"""Part of the largest slope below which one is the error of differences: no step is made along it."""

SHORTENED: Final = np.array([2.0, 1.0, 0.5, 0.2, 0.05])
"""Parts of a step that are tried, the best of which is taken; twice a step leads to where a value touches zero."""

SIZED: Final = 9
"""Ordinary states whose median says how large a value is."""

OFFSETS: Final = np.logspace(-13, 0, 40)
"""Distances from the border, in units of the mechanism's own size, of which the nearest ones that are clearly on a side
are taken."""

FINE: Final = 24
MOST_CROSSED: Final = 3
"""States between two neighbours that are on different sides, and of how many such pairs."""

BESIDE: Final = 1e-9
"""Part of the size of a value from which on it is clearly on its side of a border at zero: rounding is a thousandth of
it."""

REACHED: Final = 1e-6
"""Part of the size of a value that counts as a border where steps end: roots of rounding are a hundredth of it."""

SAME: Final = 1e-6
"""Part by which a value differs that is the same everywhere: elimination leaves a pivot of one so near to one."""

MOST_WORK: Final = 900_000
"""Operations of interpreted values, each for a few states at once, that the search of a module may take: a second or
so. What is left then is not sought."""


class EdgeSearch:
    """Looks for states on both sides of the conditions of one Program.

    Attributes:
        work: operations that may still be interpreted.
        reason: why no state was found at the last condition that was asked for, or none on one of its sides.
    """

    def __init__(
        self, program: Program, rng: np.random.Generator, work: int = MOST_WORK, sizes: Sizes = MappingProxyType({})
    ) -> None:
        """Searches in units of the mechanism's own size.

        Args:
            program: with the conditions.
            rng: draws where to begin.
            work: operations that may be interpreted.
            sizes: those units, by the names of arguments.
        """
        self._program = program
        self._units = sizes
        self._scales: dict[Reference, float] = {}
        self._programs: dict[tuple[Reference, ...], Program] = {}
        self._rng = rng
        self._size = sum(len(item.symbols) for item in program.inputs)
        self.work = work
        self.reason = ""
        self._nearest = np.inf

    def states(self, condition: Condition) -> States:
        """States at the border and on both sides of it, as many as were found; none where no border was."""
        graph = self._program.graph
        residuals = squares(graph, condition.value)
        within = condition.kind == "within one"
        scales = np.array([1.0 if within else self._scale(ref) for ref in residuals])
        self._nearest, best = np.inf, np.zeros((0, self._size))
        for _ in range(TRIALS):
            for aim in (1.0, -1.0) if within else (0.0,):
                start = self._rng.uniform(-3, 3, self._size)
                found, slope = self._border(residuals, scales, start, aim)
                if found is None:
                    continue
                rows = self._beside(condition, found, slope)
                sides = condition.is_above(self._values([condition.value], rows)[:, 0])
                if sides.any() and not sides.all():
                    return self._split(rows)
                best = rows
        self.reason = "beside its border nothing was clearly on that side" if len(best) else self._why(condition)
        return self._split(best)

    def _why(self, condition: Condition) -> str:
        """What is known of a condition at whose border no state was found."""
        values = self._values([condition.value], self._rng.uniform(-3, 3, (SIZED, self._size)))[:, 0]
        value = float(np.median(values))
        if np.all(np.abs(values - value) <= SAME * abs(value)):
            return f"it is {value:.4g} everywhere"
        if self.work <= 0:
            return "not sought to the end"
        return f"no nearer than {self._nearest:.0e} of its size in {TRIALS} searches"

    def _scale(self, value: Reference) -> float:
        """Size of a value at ordinary states; 1 where it vanishes at all of them."""
        if value not in self._scales:
            sizes = np.abs(self._values([value], self._rng.uniform(-3, 3, (SIZED, self._size))))
            found = float(np.median(sizes[np.isfinite(sizes)])) if np.isfinite(sizes).any() else 0.0
            self._scales[value] = found or 1.0
        return self._scales[value]

    def _border(
        self, residuals: Sequence[Reference], scales: Array, x: Array, aim: float
    ) -> tuple[Array | None, Array]:
        """Where all residuals are ``aim``, near a start, and a direction that leaves there; None where none was."""

        def values_at(rows: Array) -> Array:
            return self._values(residuals, rows) / scales - aim

        r = values_at(x[None])[0]
        slope = np.zeros_like(x)
        for _ in range(STEPS):
            if self.work <= 0 or not np.all(np.isfinite(r)):
                return None, slope
            self._nearest = min(self._nearest, float(np.abs(r).max()))
            jacobian = (values_at(x + SLOPE_STEP * np.eye(len(x))) - r).T / SLOPE_STEP
            if not np.all(np.isfinite(jacobian)):
                return None, slope
            size = np.linalg.norm(jacobian)
            if size < BESIDE:
                return (x, slope) if not np.any(r) else (None, slope)
            slope = jacobian[int(np.argmax(np.linalg.norm(jacobian, axis=1)))]
            slope = slope / np.linalg.norm(slope)
            if np.abs(r).max() <= 1e-15 * size:
                return x, slope
            step = np.linalg.lstsq(jacobian, -r, rcond=DEPENDENT)[0]
            tried = x + SHORTENED[:, None] * step
            values = values_at(tried)
            norms = np.where(np.isfinite(values).all(axis=1), np.linalg.norm(values, axis=1), np.inf)
            best = int(np.argmin(norms))
            if not norms[best] < np.linalg.norm(r):
                break
            x, r = tried[best], values[best]
        return (x, slope) if np.linalg.norm(r) < REACHED else (None, slope)

    def _beside(self, condition: Condition, x: Array, slope: Array) -> Array:
        """The border itself, and on each side the nearest states that are clearly on it, and one farther away."""
        beside = BESIDE * (1.0 if condition.kind == "within one" else self._scale(condition.value))
        offsets = np.concatenate([OFFSETS, -OFFSETS])
        values = self._values([condition.value], x + offsets[:, None] * slope)[:, 0]
        above = condition.is_above(values)
        # Between neighbours on different sides the border is looked for once more.
        crossed = np.flatnonzero(above[1:] != above[:-1])
        ends = [(offsets[k], offsets[k + 1]) for k in crossed if offsets[k] * offsets[k + 1] > 0]
        fine = [np.sign(a) * np.geomspace(abs(a), abs(b), FINE) for a, b in ends[:MOST_CROSSED]]
        offsets = np.concatenate([[0.0], *fine, offsets])
        rows = x + offsets[:, None] * slope
        values = self._values([condition.value], rows)[:, 0]
        above = condition.is_above(values)
        clear = np.isfinite(values) & ~condition.is_doubtful(
            values, np.full(len(rows), beside if not condition.bound else 0.0)
        )
        chosen = [0]
        for side in (True, False):
            places = np.flatnonzero(clear & (above == side))
            places = places[places > 0]
            if len(places):
                distance = np.abs(np.abs(values[places]) - condition.bound)
                chosen += [int(places[np.argmin(distance)]), int(places[np.argmax(distance)])]
        return np.asarray(rows[list(dict.fromkeys(chosen))])

    def _values(self, wanted: Sequence[Reference], rows: Array) -> Array:
        key = tuple(wanted)
        if key not in self._programs:
            self._programs[key] = with_values(self._program, key)
        program = self._programs[key]
        self.work -= len(program.nodes())
        return interpret(program, self._split(rows))["values"]

    def _split(self, rows: Array) -> States:
        return sized(by_name(self._program.inputs, rows), self._units)


def joined(groups: Sequence[Mapping[str, Array]]) -> States:
    """Several batches of states as one."""
    return {name: np.concatenate([group[name] for group in groups]) for name in groups[0]}
