"""How far results of a self-test may be off."""

from __future__ import annotations

import numpy as np

from mbsym.codegen.description import Argument
from mbsym.codegen.load import LoadedFunction
from mbsym.embedded.results import GROWTH, LINEAR, frozen_function
from mbsym.embedded.states import State

EPSILON = float(np.finfo(np.float32).eps)


def of_difference(kind: type[np.floating], off: float = 0.0) -> LoadedFunction:
    """(1000 + x) - 1000 and x in that precision: much of the first is lost, and nothing of the second."""

    def call(values: list[np.ndarray], parameters: object) -> np.ndarray:
        x = np.asarray(values[0], dtype=kind)
        return np.stack([(kind(1000) + x) - kind(1000) + off, x], axis=-1).astype(float)

    return LoadedFunction("f", (Argument("x", "in", ()),), (Argument("y", "out", (2,)),), (), call)  # type: ignore[arg-type]


def allowed(rounded: LoadedFunction, most: float | None = None) -> np.ndarray:
    states, generator = [State({"x": np.array(0.3)})], np.random.default_rng(1)
    double, single = of_difference(np.float64), of_difference(np.float32)
    return frozen_function(double, single, rounded, states, generator, most=most).results[0].allowed[0]


def test_whichever_loses_more_decides() -> None:
    """Four roundings of an entry are allowed at least."""
    once = allowed(of_difference(np.float64))
    assert 300 < once[0] < 3000 and once[1] == 4 * 0.3
    assert (allowed(of_difference(np.float32)) == once).all()
    off = 1e4 * EPSILON
    assert np.isclose(allowed(of_difference(np.float64, off))[0], GROWTH * 1e4, rtol=1e-6)


def test_nothing_is_compared_where_single_precision_loses_too_much() -> None:
    assert allowed(of_difference(np.float64), LINEAR)[0] > 0
    assert (allowed(of_difference(np.float64), 1e-6) == -1.0).all()
