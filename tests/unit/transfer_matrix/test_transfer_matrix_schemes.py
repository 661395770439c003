"""Integration schemes as linear maps: exact on uniformly accelerated motion, parameters checked, printed in code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mbsym.errors import SimulationError, ToolchainError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.transfer_matrix import stepper
from mbsym.transfer_matrix.schemes import SCHEME_FUNCTIONS, SCHEME_SIZE, scheme_programs
from mbsym.transfer_matrix.stepper import SCHEMES, Scheme
from mechanisms.bars import hanging_bars

H = 0.25
PARAMETERS = {
    "generalised_alpha": {"spectral_radius": 0.8},
    "newmark": {"beta": 0.3025, "gamma": 0.6},
    "wilson": {"theta": 1.4},
}
# Steps after the start at which a scheme collocates; the others do at the first.
AFTER = {"wilson": 1.4}


def constants(name: str) -> dict[str, Any]:
    """A scheme's array taken apart."""
    program = next(program for program in scheme_programs(Graph()) if program.name == name)
    array = interpret(program, {"h": H, **PARAMETERS.get(name, {})})["scheme"]
    assert array.shape == (SCHEME_SIZE,)
    return {
        "A": array[0],
        "C": array[1],
        "B": array[2:8],
        "D": array[8:14],
        "predictor": array[14:20],
        "history": array[20:].reshape(6, 7),
    }


def uniformly_accelerated(t: float) -> tuple[float, float, float]:
    """Value, velocity and acceleration."""
    return 1 + 2 * t + 3 * t * t, 2 + 6 * t, 6.0


@pytest.mark.parametrize("name", SCHEME_FUNCTIONS)
def test_uniformly_accelerated_motion_is_exact(name: str) -> None:
    scheme = constants(name)
    t = 0.7
    past: Callable[[float], tuple[float, float, float]] = uniformly_accelerated
    history = np.array([*past(t), 6.0, past(t - H)[0], past(t - 2 * H)[0]])
    collocation = t + AFTER.get(name, 1.0) * H
    z, velocity, acceleration = past(collocation)
    assert scheme["predictor"] @ history == pytest.approx(z, rel=1e-13)
    assert scheme["A"] * z + scheme["B"] @ history == pytest.approx(velocity, rel=1e-12)
    assert scheme["C"] * z + scheme["D"] @ history == pytest.approx(acceleration, rel=1e-11)
    fresh = scheme["history"] @ np.concatenate([[z], history])
    np.testing.assert_allclose(fresh, [*past(t + H), 6.0, past(t)[0], past(t - H)[0]], rtol=1e-11)


def test_generalised_alpha_has_the_spectral_radius_asked_for() -> None:
    """The amplification of an infinitely stiff coordinate, z = 0 in every step."""
    scheme = constants("generalised_alpha")
    step = scheme["history"][:4, 1:5]
    assert np.abs(np.linalg.eigvals(step)).max() == pytest.approx(0.8, rel=1e-6)


def test_schemes_of_the_simulation_and_their_defaults() -> None:
    """Starting steps are no schemes of their own."""
    assert SCHEMES == {
        "generalised-alpha": {"spectral_radius": 0.8}, "newmark": {"beta": 0.3025, "gamma": 0.6},
        "wilson": {"theta": 1.4}, "houbolt": {}, "fox-euler": {},
    }  # fmt: skip
    assert Scheme("newmark").values == (0.3025, 0.6)


@pytest.mark.parametrize(
    ("name", "parameters", "complaint"),
    [
        ("euler", {}, "known are generalised-alpha, newmark, wilson, houbolt, fox-euler"),
        ("wilson", {"beta": 1}, "it takes theta"),
        ("houbolt", {"beta": 1}, "it takes none"),
        ("generalised-alpha", {"spectral_radius": 1.2}, "outside"),
        ("newmark", {"beta": 0}, "positive"),
        ("newmark", {"gamma": 0.4}, "1/2 at least"),
        ("wilson", {"theta": 0.5}, "1 at least"),
    ],
)
def test_schemes_that_do_not_exist_are_refused(name: str, parameters: dict[str, float], complaint: str) -> None:
    with pytest.raises(SimulationError) as caught:
        Scheme(name, parameters)
    assert complaint in str(caught.value)


def test_numpy_takes_over_where_there_is_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise ToolchainError("no C compiler")

    monkeypatch.setattr(stepper, "load_c", none)
    own = stepper.TransferMatrixStepper(hanging_bars(1, 1.0))
    assert own.observe(own.start(np.zeros(1), np.zeros(1))).energy == pytest.approx(0)
    with pytest.raises(ToolchainError):
        stepper.TransferMatrixStepper(hanging_bars(1, 1.0), engine="c")
