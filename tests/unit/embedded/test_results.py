"""How far results of a self-test may be off."""

from __future__ import annotations

import numpy as np

from mbsym.codegen.description import Argument
from mbsym.codegen.load import LoadedFunction
from mbsym.embedded.results import LINEAR, SOLVED, frozen_function
from mbsym.embedded.states import State


def of_difference(kind: type[np.floating]) -> LoadedFunction:
    """(1000 + x) - 1000 and x in that precision: much of the first is lost, and nothing of the second."""

    def call(values: list[np.ndarray], parameters: object) -> np.ndarray:
        x = np.asarray(values[0], dtype=kind)
        return np.stack([(kind(1000) + x) - kind(1000), x], axis=-1).astype(float)

    return LoadedFunction("f", (Argument("x", "in", ()),), (Argument("y", "out", (2,)),), (), call)  # type: ignore[arg-type]


def allowed(most: float | None) -> np.ndarray:
    states = [State({"x": np.array(0.3)})]
    generator = np.random.default_rng(1)
    found = frozen_function(of_difference(np.float64), of_difference(np.float32), states, generator, most=most)
    return found.results[0].allowed[0]


def test_twice_as_much_is_allowed_of_what_is_solved_for() -> None:
    """Where rounding decides; four roundings of an entry are allowed at least, solved for or not."""
    plain, solved = allowed(None), allowed(LINEAR)
    assert plain[0] > 300 and solved[0] == SOLVED * plain[0]
    assert solved[1] == plain[1] == 4 * 0.3
