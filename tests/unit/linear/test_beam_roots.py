"""Frequencies of exact beams beside those of a piece with both ends held, and under loads that hardly move."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, cosh, pi, sin, sqrt, tanh
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

from mbsym.errors import AnalysisError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.linear.transfer_matrix_modes import TransferMatrixModes, transfer_matrix_modes
from mechanisms.examples import further

UNIT = sqrt(2.5 / (0.6 * 1.2**3))
"""sqrt(EI / (m L^3)) of the beam here."""


def found(segments: int, count: int, tip: str = "", *, joints: str = "{}", more: str = "") -> TransferMatrixModes:
    bodies, to = (f"{{e: {tip}}}", "to: e, ") if tip else ("{}", "")
    entries = f"from: ground, {to}length: 1.2, mass: 0.6, bending_stiffness: 2.5, segments: {segments}{more}"
    text = f"name: b\ngravity: [0, 0, 0]\nbodies: {bodies}\njoints: {joints}\nbeams: {{b: {{{entries}}}}}\n"
    return transfer_matrix_modes(read_native(TextSource("b.yaml", text)), count=count)


def roots(equation: Callable[[float], float], count: int) -> NDArray[Any]:
    """The first roots b of a frequency equation in b, squared."""
    grid = np.linspace(0.4, (count + 1) * pi, 60 * count)
    values = [equation(x) for x in grid]
    pairs = [(a, b) for a, b, u, v in zip(grid, grid[1:], values, values[1:], strict=False) if u * v < 0]
    return np.array([brentq(equation, a, b, xtol=1e-15) for a, b in pairs])[:count] ** 2


@pytest.mark.parametrize("segments", [1, 3])
def test_a_clamped_beam_has_as_many_frequencies_as_are_asked_for(segments: int) -> None:
    """From the fifth on they differ by exp(-b) from those of the beam with both ends held, where matrices end.

    To 1e-10: the counts part roots to 3e-8, and polishing squares what is left.
    """
    exact = roots(lambda b: cos(b) + 1 / cosh(b), 16) * UNIT
    assert np.abs(found(segments, 16).frequencies / exact - 1.0).max() < 1e-10


def test_a_beam_between_walls_moves_between_its_ends_alone(tmp_path: Path) -> None:
    """No point of one segment moves, so that shapes are zero; frequencies are the held ones themselves."""
    wall = "{g: {type: fixed, from: ground, to: e, at: [1.2, 0, 0]}}"
    held = found(1, 6, "{}", joints=wall)
    exact = roots(lambda b: cos(b) - 1 / cosh(b), 6) * UNIT
    assert np.abs(held.frequencies / exact - 1.0).max() < 1e-10
    assert not any(mode.shape.any() for mode in held)
    assert "mode 1" in held.page(tmp_path / "modes.html").read_text(encoding="utf-8")
    parted = found(2, 1, "{}", joints=wall)
    middle = dict(zip(parted.names, parted[0].shape, strict=True))
    assert middle["b_1.y"] == pytest.approx(1.0)


@pytest.mark.parametrize("segments", [1, 2])
@pytest.mark.parametrize("mass", [1e3, 1e6, 1e12])
def test_a_heavy_point_at_the_tip_is_a_pin(mass: float, segments: int) -> None:
    """The closed formula of a point mass at the end; the slow swing has count 1, beside which others are looked for."""
    ratio = mass / 0.6
    exact = roots(lambda b: (1 / cosh(b) + cos(b)) / (ratio * b) + cos(b) * tanh(b) - sin(b), 8) * UNIT
    high = found(segments, 9, f"{{mass: {mass}}}").frequencies[1:]
    assert np.abs(high / exact - 1.0).max() < 1e-10


@pytest.mark.parametrize("size", [1e9, *further(1e6)])
def test_a_heavy_body_at_the_tip_is_a_wall(size: float) -> None:
    """Frequencies between walls, but for a part of the beam's mass over the body's, some tens of it."""
    exact = roots(lambda b: cos(b) - 1 / cosh(b), 8) * UNIT
    for segments in (1, 2, 3):
        high = found(segments, 10, f"{{mass: {size}, inertia: [{size}, {size}, {size}]}}").frequencies[2:]
        assert np.abs(high / exact - 1.0).max() < 100 * 0.6 / size


def test_a_slow_swing_under_a_heavy_tip_is_found() -> None:
    """sqrt(3 EI / (M L^3)), the beam's mass beside it left out: that is some 1e-6 of it."""
    slow = found(1, 5, "{mass: 1.0e6}").frequencies[0]
    assert slow == pytest.approx(sqrt(3 * 2.5 / (1e6 * 1.2**3)), rel=1e-6)


def test_digits_that_are_lost_are_told() -> None:
    """Turned against the base axes, a weight of 1e9 kg leaves round-off in what the beam resists: no wrong numbers."""
    body = "{mass: 1.0e9, inertia: [1.0e9, 1.0e9, 1.0e9]}"
    with pytest.raises(AnalysisError, match="round-off hides frequencies near"):
        found(2, 14, body, more=", at: {rotation: [[x, 0.3], [y, 0.5], [z, -0.7]]}")
    light = found(2, 14, "{mass: 1.0e3}", more=", at: {rotation: [[x, 0.3], [y, 0.5], [z, -0.7]]}")
    assert np.abs(light.frequencies / found(2, 14, "{mass: 1.0e3}").frequencies - 1.0).max() < 1e-9


def test_damping_of_one_segment_is_that_of_its_material() -> None:
    """Stress E (strain + d rate): s^2 + omega^2 (1 + s d) = 0 of each mode, also where no end of a piece moves."""
    damped = found(1, 6, more=", damping: 1.0e-4")
    omega = roots(lambda b: cos(b) + 1 / cosh(b), 6) * UNIT
    exact = -0.5e-4 * omega**2 + 1j * omega * np.sqrt(1 - (0.5e-4 * omega) ** 2)
    assert np.abs(np.array([mode.eigenvalue for mode in damped]) / exact - 1.0).max() < 1e-10
