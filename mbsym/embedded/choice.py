"""Which states a self-test has: those that show most of the faults planted in what is derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.codegen.description import Real
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.doors import Array
from mbsym.embedded.planted import MOST, Faults, judged, with_faults
from mbsym.embedded.results import UNCALLED, FrozenFunction
from mbsym.embedded.states import KINDS, Drawing, State

STATES: Final = 3
"""At least."""
MOST_STATES: Final = 20
FOR_CONSTANTS: Final = 12
"""States behind these are taken for signs alone."""
SIGN: Final = 4
"""Constants that count as much as a sign."""
ENTRIES: Final = 20000
"""Of results at all states that are taken unseen, since no faults are planted where steps are shared."""
MOST_AT_FIRST: Final = 6
"""Of the first round, which does not know what will show elsewhere."""
ROUND: Final = 2 * len(KINDS)
"""Candidates that are looked at together."""
ROUNDS: Final = 6
PATIENCE: Final = 5
"""Rounds that may show nothing more, while something that changes results is not seen."""
CANDIDATES: Final = ROUND * ROUNDS

OFF: Final[Mapping[str, float]] = {"float": 0.01, "double": 0.0001}
"""Part by which constants are off when faults are planted."""

EXACT: Final = 64 * 2.0**-52
"""Times its allowance by which an entry changes, in double precision, where a fault changes results at all: some turn
signs of what only decides on statuses."""

CERTAIN: Final = 1.5
"""Times its allowance an entry has to be wrong by, for a fault to count as seen whatever rounding does."""


@dataclass(frozen=True, slots=True)
class Strength:
    """Faults planted in what is derived, one at a time, and those of them that the self-test sees.

    Attributes:
        off: part by which constants were off.
        constants, seen_constants, signs, seen_signs: counts; faults that change no result at any of the candidates
            for states are not among them.
        without: derived functions in which none were planted, since their steps are shared.
    """

    off: float
    constants: int
    seen_constants: int
    signs: int
    seen_signs: int
    without: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What they say."""
        shared = f" None were planted in {', '.join(self.without)}: their steps are shared." if self.without else ""
        return (
            f"Planted one at a time in the derived functions, {self.seen_constants} of {self.constants} constants that "
            f"were off by {100 * self.off:g} % and {self.seen_signs} of {self.signs} turned signs are seen at these "
            f"states. Faults that change no result at any of {CANDIDATES} candidates for states are left out; of more "
            f"than {MOST} in a function some are taken.{shared}"
        )

    def as_manifest(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "planted": self.sentence,
            "off": self.off,
            "constants": {"planted": self.constants, "seen": self.seen_constants},
            "signs": {"planted": self.signs, "seen": self.seen_signs},
            **({"without": list(self.without)} if self.without else {}),
        }


@dataclass(slots=True)
class _Planted:
    """The faults of a function.

    Attributes:
        function: which.
        places: of the faults.
        is_sign, counts, is_seen: of each; whether it changes a result at any candidate, and is seen at a state that is
            taken.
    """

    function: ModuleFunction
    places: Array
    is_sign: Array
    counts: Array
    is_seen: Array

    @property
    def open_signs(self) -> Array:
        """Which of the faults that are not seen yet are signs."""
        return self.is_sign[~self.is_seen]

    @property
    def is_open(self) -> bool:
        """Whether something that changes results is not seen yet."""
        return bool((self.counts & ~self.is_seen).any())


class Choice:
    """Looks at candidates round by round: at all faults first, and then at those alone that no state shows yet."""

    def __init__(
        self, module: LoweredModule, drawing: Drawing, at: Callable[[str, Sequence[State]], FrozenFunction]
    ) -> None:
        """Nothing is looked at yet.

        Args:
            module: whose derived functions get faults.
            drawing: of candidates.
            at: what a function returns at some states, by its name.
        """
        self._module, self._drawing, self._at = module, drawing, at
        self._real: Real = module.description.real
        self._parameters = {module.names.parameters[item.name]: float(item.default) for item in module.parameters}
        self._planted: dict[str, _Planted] = {}

    def states(self) -> list[State]:
        """Those that are taken."""
        derived = [item for item in self._module.functions if item.body is not None and not item.steps and _takes(item)]
        kept: list[State] = []
        fruitless = number = 0
        while (derived or not kept) and len(kept) < MOST_STATES and fruitless < PATIENCE:
            states = [self._drawing.state(number * ROUND + k, scaled=number % 2 == 1) for k in range(ROUND)]
            shown = [(item.name, self._shown(item, states)) for item in derived]
            taken = self._taken(states, shown, len(kept))
            kept += taken
            number += 1
            derived = [item for item in derived if not self._planted[item.name].is_seen.all()]
            if number >= ROUNDS:
                derived = [item for item in derived if self._planted[item.name].is_open]
                fruitless = 0 if taken else fruitless + 1
        return kept

    @property
    def strength(self) -> Strength:
        """What they show."""
        none = np.zeros(0, dtype=bool)
        found = [(none, none, none), *((item.counts, item.is_seen, item.is_sign) for item in self._planted.values())]
        counts, seen, signs = map(np.concatenate, zip(*found, strict=True))
        return Strength(
            off=OFF[self._real],
            constants=int(np.sum(counts & ~signs)),
            seen_constants=int(np.sum(seen & ~signs)),
            signs=int(np.sum(counts & signs)),
            seen_signs=int(np.sum(seen & signs)),
            without=tuple(function.name for function in self._module.functions if function.steps),
        )

    def _taken(self, states: Sequence[State], shown: Sequence[tuple[str, Array]], before: int) -> list[State]:
        """The states that show most of what none has shown, one after the other; they are noted."""
        visible = np.concatenate([np.zeros((0, len(states)), dtype=bool), *(each for _, each in shown)])
        signs = np.concatenate([np.zeros(0, dtype=bool), *(self._planted[name].open_signs for name, _ in shown)])
        taken = [] if before else self._always(states)
        while before + len(taken) < (MOST_STATES if before else MOST_AT_FIRST):
            weights = np.where(signs, SIGN, before + len(taken) < FOR_CONSTANTS)
            gains = weights @ (visible & ~visible[:, taken].any(axis=1, keepdims=True))
            gains[taken] = -1
            best = int(np.argmax(gains))
            if gains[best] <= 0 and before + len(taken) >= STATES:
                break
            taken.append(best)
        for name, each in shown:
            planted = self._planted[name]
            planted.is_seen[np.flatnonzero(~planted.is_seen)] = each[:, taken].any(axis=1)
        return [states[k] for k in taken]

    def _always(self, states: Sequence[State]) -> list[int]:
        """An ordinary state, and where no faults are planted more: for fixed text one of each kind, with quarters of a
        turn at which most of it is called; all where steps are shared, as far as results are not too many."""
        functions = self._module.functions
        if any(item.steps for item in functions):
            size = sum(item.size for function in functions for item in function.arguments if item.direction == "out")
            return [*range(min(max(ENTRIES // size, STATES), len(states)))]
        fixed = [self._at(item.name, states) for item in functions if item.fixed is not None]
        if not fixed:
            return [0]
        called = np.array([[status != UNCALLED for status in item.statuses or ()] for item in fixed]).sum(axis=0)
        best = max((k for k, state in enumerate(states) if state.quarters), key=lambda k: called[k])
        return [*(k for k in range(len(KINDS)) if not states[k].quarters), best]

    def _shown(self, function: ModuleFunction, states: Sequence[State]) -> Array:
        """At which states each fault shows that was not seen before, (faults, states)."""
        body, own = function.body, {item.name: identifier for item, identifier in function.paired}
        assert body is not None
        values = {
            own[argument.name]: np.array([state.values[argument.name].ravel() for state in states])
            for argument in function.arguments
            if argument.direction == "in" and argument.size
        }
        known = self._planted.get(function.name)
        places = None if known is None else known.places[~known.is_seen]
        faults = with_faults(body, values, self._parameters, OFF[self._real], places)
        here, counts = self._compared(function, self._at(function.name, states), faults, own)
        if known is None:
            none = np.zeros(len(faults.places), dtype=bool)
            known = self._planted[function.name] = _Planted(function, faults.places, faults.is_sign, none, none.copy())
        known.counts[~known.is_seen] |= counts
        return here

    def _compared(
        self, function: ModuleFunction, item: FrozenFunction, faults: Faults, own: Mapping[str, str]
    ) -> tuple[Array, Array]:
        """At which states faults show, and which change results anywhere."""
        epsilon = float(np.finfo(np.float32 if self._real == "float" else np.float64).eps)
        states = next(iter(faults.right.values())).shape[0]
        here = np.zeros((len(faults.places), states), dtype=bool)
        counts = np.zeros(len(faults.places), dtype=bool)
        for result in item.results:
            allowed = np.where(result.allowed < 0, np.inf, result.allowed)
            difference = np.abs(faults.wrong[own[result.name]] - faults.right[own[result.name]])
            counts |= (difference > EXACT * allowed).any(axis=(1, 2))
            beyond = (difference > CERTAIN * epsilon * allowed) | (np.isnan(difference) & np.isfinite(allowed))
            here |= beyond.any(axis=2)
        if function.guards and function.body is not None:
            guarded = function.body.results[-1].identifier
            right, wrong = (judged(function.guards, each[guarded], self._real) for each in (faults.right, faults.wrong))
            here |= (wrong != right) & (right == np.array(item.statuses))
        return here, counts | here.any(axis=1)


def _takes(function: ModuleFunction) -> bool:
    return any(item.direction == "in" and item.size for item in function.arguments)
