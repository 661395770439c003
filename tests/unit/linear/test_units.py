"""Results of linear analysis change as units of length, mass and time do, and by nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym.linear.modal_system import transfer_matrix_system
from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes
from mechanisms.in_units import BEAM, CART, FLOATING, SLIDER, UNLOADED_SLIDER, Units, in_units

Array = NDArray[Any]

UNITS = {"large": Units(1e6, 1e-9, 3.2e-8), "small": Units(1e-6, 1e6, 1e9)}
"""Of the plain models, whose numbers are near one."""

TOLERANCE = 1e-7
"""Of the largest: equilibria are found to 1e-10 of the forces at work, which angles feel by their stiffness."""


def same(found: Array, plain: Array) -> bool:
    return found.shape == plain.shape and bool(np.abs(found - plain).max() <= TOLERANCE * np.abs(plain).max())


def system(text: str, units: Units) -> tuple[Array, Array, Array, Array, Array]:
    """A and B over measured states and inputs, poles, responses, and what the equilibrium search finds."""
    model = in_units(text, units)
    found = mbsym.linearise(model, "equilibrium", inputs="tau")
    assert found.is_equilibrium
    assert not mbsym.linearise(model, inputs="tau").is_equilibrium
    states, inputs = (np.array([units.of(unit) for unit in own]) for own in (found.state_units, found.input_units))
    hertz = np.array([0.1, 0.7]) / units.time
    responses = mbsym.frequency_response(model, hertz, inputs="tau").values * inputs / states[:, None]
    places = np.array([found.state.q / [1.0 if u == "rad" else units.length for u in _units(found)]])
    return (
        found.A * states / states[:, None] * units.time,
        found.B * inputs / states[:, None] * units.time,
        found.poles * units.time,
        responses,
        places,
    )


def _units(found: mbsym.linear.linearised.Linearisation) -> list[str]:
    return [found.equations.units[name] for name in found.equations.coordinates]


@pytest.mark.parametrize(("text", "name"), [(CART, "small"), (SLIDER, "large")], ids=["cart", "slider"])
def test_linear_systems_scale(text: str, name: str) -> None:
    found, plain = (system(text, units) for units in (UNITS[name], Units()))
    assert all(same(own, other) for own, other in zip(found, plain, strict=True))


@pytest.mark.parametrize("name", UNITS)
def test_what_loads_could_do_scales(name: str) -> None:
    """The quickest motion is that of the force along the slide, which is no angle."""

    def pace(units: Units) -> float:
        return mbsym.linearise(in_units(CART, units), tau={"v_A": 1e3 * units.of("N")}).pace * units.time

    assert pace(UNITS[name]) == pytest.approx(pace(Units()), rel=TOLERANCE)
    assert pace(Units()) > 3 * mbsym.linearise(in_units(CART, Units())).pace


@pytest.mark.parametrize(("text", "name"), [(CART, "large"), (SLIDER, "small")], ids=["cart", "slider"])
def test_all_equilibria_are_found_in_any_units(text: str, name: str) -> None:
    def searched(units: Units) -> list[tuple[str, tuple[str, ...]]]:
        return [(item.stability.sentence, item.idle) for item in mbsym.equilibrium(in_units(text, units))]

    assert searched(UNITS[name]) == searched(Units())


@pytest.mark.parametrize(
    ("text", "name"),
    [(CART, "small"), (UNLOADED_SLIDER, "large"), (BEAM, "small"), (BEAM, "large"), (FLOATING, "large")],
)
def test_modes_of_both_methods_scale(text: str, name: str) -> None:
    """The same words too: what drifts, oscillates, decays."""

    def told(units: Units) -> tuple[Array, Array, list[str]]:
        model = in_units(text, units)
        own, other = mbsym.modes(model), transfer_matrix_modes(model, count=4)
        values = [np.array([mode.eigenvalue for mode in found]) * units.time for found in (own, other)]
        return values[0], values[1], [mode.behaviour for mode in (*own, *other)]

    found, plain = told(UNITS[name]), told(Units())
    assert same(found[0], plain[0])
    assert same(found[1], plain[1])
    assert found[2] == plain[2]


def test_systems_by_transfer_matrices_scale() -> None:
    """D too, which is what the modes left out answer to slow forces."""

    def told(units: Units) -> tuple[Array, Array]:
        names = {"inputs": ["e.y", "e.rz"], "outputs": ["e.y", "b_1.rz"]}
        found = transfer_matrix_system(in_units(BEAM, units), count=2, **names)
        across = np.array([units.of("N"), units.of("N m")]) / np.array([units.of("m"), 1.0])[:, None]
        return found.response(np.array([0.5, 3.0]) / units.time) * across, found.D * across

    found, plain = told(UNITS["large"]), told(Units())
    assert same(found[0], plain[0])
    assert same(found[1], plain[1])


def test_small_numbers_of_a_small_mechanism_are_printed() -> None:
    """A cart that is some hundred-thousandth of a micrometre long stands beside zero by its own measure."""
    found = mbsym.equilibrium(in_units(CART, Units(1e-11)), starts=1)
    place = found[0].q[0]
    assert 1e-12 < place < 1e-11
    assert f"q_A = {place:.6g}, " in found.text
