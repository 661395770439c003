"""Beams with assumed modes: energies are integrals over the beam, frequencies those of formulas and finite elements."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh

import mbsym
from mbsym.errors import AnalysisError, MbsymError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.beam_shapes import SUPPORTS, Supports, sliding_masses
from mbsym.model.system import Model
from mbsym.registry import available_functions
from mbsym.symbolic.interpret import interpret

Array = NDArray[Any]
LENGTH, MASS, EI = 1.2, 0.6, 2.5
UNIT = sqrt(EI / (MASS * LENGTH**3))
CANTILEVER = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613])

FLOATING = """
bodies: {hub: {mass: 3, inertia: [0.2, 0.3, 0.4]}, e: {}}
joints: {orbit: [free, ground, hub]}
beams:
  b: {from: hub, to: e, length: L, mass: 0.6, bending_stiffness: [EI, 2*EI], bends: both, modes: 2,
      at: [0.3, 0.1, -0.2]}
parameters: {EI: {value: 2.5, unit: N m^2, symbolic: true}, L: {value: 1.2, unit: m, symbolic: true}}
"""


def model(text: str) -> Model:
    return read_native(TextSource("beam.yaml", f"name: beam\ngravity: [0, 0, 0]\n{text}"))


def beam(more: str, tip: str = "") -> str:
    to = f"to: {tip}, " if tip else ""
    return f"beams:\n  b: {{from: ground, {to}length: 1.2, mass: 0.6, bending_stiffness: 2.5, {more}}}\n"


def tip_of(mechanism: Mechanism, q: Array) -> Array:
    """Place of the beam's end in the hub's frame, and its small turns about y and z (5,)."""
    program = available_functions(mechanism, "auto").functions["body_poses"](mechanism)
    poses = interpret(program, {"q": q})["poses"].reshape(-1, 4, 4)
    labels = mechanism.labelling.body_labels
    relative = np.linalg.inv(poses[labels["hub"] - 1]) @ poses[labels["e"] - 1]
    # Turned about -y, then about z.
    turns = np.arctan2(-relative[0, 2], relative[2, 2]), np.arctan2(relative[1, 0], relative[1, 1])
    return np.array([*relative[:3, 3], *turns])


def test_energies_are_integrals_over_the_deflected_beam(agreement: Callable[[object], None]) -> None:
    """Cubic deflections in both planes on a moving, turning frame, of any size: all inertial couplings at once."""
    mechanism = build_mechanism(whole := model(FLOATING), whole.label())
    functions = available_functions(mechanism, "auto").functions
    rng = np.random.default_rng(3)
    q = np.zeros(mechanism.nq)
    q[3] = 1.0
    own, rates = rng.normal(size=4) * 0.2, rng.normal(size=4)
    twist = rng.normal(size=6)
    sliders = slice(mechanism.nq - 4, mechanism.nq)
    straight = tip_of(mechanism, _with(q, sliders, 0 * own))
    assert np.abs(straight - [0.3 + LENGTH, 0.1, -0.2, 0, 0]).max() < 1e-14

    def ends(way: Array) -> Array:
        """Deflections and slopes of the end along y and z, linear in the ways of the masses."""
        found = (tip_of(mechanism, _with(q, sliders, 0.1 * way)) - straight) / 0.1
        return found[[1, 4, 2, 3]]

    x, weights = np.polynomial.legendre.leggauss(8)
    x, weights = 0.5 * (x + 1) * LENGTH, 0.5 * weights
    s = x / LENGTH
    shapes = np.array([3 * s**2 - 2 * s**3, LENGTH * (s**3 - s**2)])
    bends = np.array([6 - 12 * s, LENGTH * (6 * s - 2)]) / LENGTH**2
    bent, bent_rate = ends(own), ends(rates)
    place = np.array([0.3 + x, 0.1 + bent[:2] @ shapes, -0.2 + bent[2:] @ shapes])
    speed = twist[3:, None] + np.cross(twist[:3], place.T).T
    speed[1] += bent_rate[:2] @ shapes
    speed[2] += bent_rate[2:] @ shapes
    hub = 0.5 * 3 * twist[3:] @ twist[3:] + 0.5 * twist[:3] ** 2 @ [0.2, 0.3, 0.4]
    kinetic = hub + 0.5 * MASS * (weights * speed**2).sum()
    M = interpret(functions["mass_matrix"](mechanism), {"q": _with(q, sliders, own)})["M"]
    v = np.concatenate([twist, rates])
    # Factors of the masses have fifteen digits.
    assert 0.5 * v @ M @ v == pytest.approx(kinetic, rel=1e-12)
    agreement(abs(0.5 * v @ M @ v / kinetic - 1.0))
    elastic = 0.5 * LENGTH * weights @ (2 * EI * (bent[:2] @ bends) ** 2 + EI * (bent[2:] @ bends) ** 2)
    potential = interpret(functions["potential_energy"](mechanism), {"q": _with(q, sliders, own)})
    assert next(iter(potential.values())) == pytest.approx(elastic, rel=1e-12)


def _with(q: Array, place: slice, values: Array) -> Array:
    found = q.copy()
    found[place] = values
    return found


@pytest.mark.parametrize("supports", SUPPORTS)
def test_masses_of_shapes_are_those_of_the_beam(supports: Supports) -> None:
    """More shapes never take more than the beam has, and a force at a supported shape's end is held exactly."""
    for count in (1, 2, 5, 20):
        found = sliding_masses(count, supports)
        mass, first, second = (sum(item.mass * item.place**k for item in found) for k in range(3))
        # The mass of the straight axis that is left, and its inertia about its own centre.
        assert 1 - mass > 0
        assert 1 / 3 - second - (0.5 - first) ** 2 / (1 - mass) > 0
        compliance = sum(item.deflection**2 / item.stiffness for item in found)
        assert compliance == pytest.approx(1 / 3, rel=1e-12 if supports != "clamped-free" else 0.03)
    assert [(item.stiffness / item.mass) ** 0.25 for item in found[:3]] == pytest.approx(CANTILEVER, rel=2e-6)


def test_modes_of_a_cantilever_are_those_of_the_formula_with_symbols() -> None:
    text = "parameters: {EI: {value: 2.5, symbolic: true}}\n" + beam("modes: 3").replace("2.5", "EI")
    found = mbsym.modes(model(text)).frequencies
    assert np.abs(found / (CANTILEVER**2 * UNIT) - 1).max() < 1e-12
    # The vibration analysis knows the beam behind them.
    exact = mbsym.transfer_matrix_modes(model(text), count=3)
    assert np.abs(exact.frequencies / (CANTILEVER**2 * UNIT) - 1).max() < 1e-10
    assert exact.elements == ("b_1",)


def consistent(count: int) -> Array:
    """Frequencies of a cantilever of cubic elements with consistent mass and a mass of 0.3 kg at its end."""
    h = LENGTH / count
    k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h], [-12, -6 * h, 12, -6 * h],
                  [6 * h, 2 * h * h, -6 * h, 4 * h * h]])  # fmt: skip
    m = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h], [54, 13 * h, 156, -22 * h],
                  [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])  # fmt: skip
    K, M = np.zeros((2 * count + 2,) * 2), np.zeros((2 * count + 2,) * 2)
    for i in range(count):
        own = slice(2 * i, 2 * i + 4)
        K[own, own] += EI / h**3 * k
        M[own, own] += MASS / count / 420 * m
    M[-2, -2] += 0.3
    frequencies: Array = np.sqrt(eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True))
    return frequencies


CHAIN = "bodies: {e: {mass: 0.3}}\n" + beam("modes: 2, segments: 3", "e")


def test_two_modes_of_each_segment_are_consistent_finite_elements() -> None:
    """As equations of motion, and as elements of transfer matrices."""
    exact = consistent(3)
    assert np.abs(mbsym.modes(model(CHAIN)).frequencies / exact - 1).max() < 1e-11
    found = mbsym.transfer_matrix_modes(model(CHAIN), beams="consistent", count=6).frequencies
    assert np.abs(found / exact - 1).max() < 1e-11


def test_few_modes_of_a_carried_body_come_to_the_beam() -> None:
    """Static shapes and four modes between clamped ends, a body with inertia at the end, a moving hub; from above."""
    text = "bodies: {h: {mass: 1, inertia: [0, 0, 0.1]}, e: {mass: 0.3, inertia: [0, 0, 0.02]}}\n"
    text += "joints: {f: [planar, ground, h]}\n" + beam("modes: 6", "e").replace("ground", "h")
    exact = mbsym.transfer_matrix_modes(model(text), count=6).frequencies
    errors = mbsym.modes(model(text)).frequencies[3:6] / exact[3:] - 1
    assert np.all(errors > 0)
    assert np.all(errors < [1e-6, 3e-6, 1e-4])


def test_lumped_masses_stand_at_the_ends_of_segments() -> None:
    """Rods without mass that turn in the middle of each third, masses at thirds."""
    at, hinges = np.array([1, 2, 3]) * LENGTH / 3, np.array([0.5, 1.5, 2.5]) * LENGTH / 3
    ways = np.maximum(at[:, None] - hinges[None, :], 0.0)
    M = ways.T @ np.diag([0.2, 0.2, 0.1]) @ ways
    expected = np.sqrt(eigh(3 * EI / LENGTH * np.eye(3), M, eigvals_only=True))
    found = mbsym.modes(model(beam("segments: 3, lumped: true"))).frequencies
    assert np.abs(found / expected - 1).max() < 1e-12


def test_entries_of_modes_are_written_and_read_back() -> None:
    for more in ("modes: 2, supports: clamped-pinned", "modes: 1, segments: 2", "lumped: true"):
        first = model(beam(more))
        assert read_native(TextSource("b.yaml", dump_native(first))) == first
        assert more.split(", ")[0] in dump_native(first)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("modes: 21", "21 modes; give 1 to 20"),
        ("supports: clamped-free", "supports without modes; give modes: N too"),
        ("modes: 1, supports: clamped", "'clamped' is not known here"),
        ("modes: 1, lumped: true", "a beam with modes has no bars to lump"),
    ],
)
def test_what_does_not_fit_is_told(more: str, what: str) -> None:
    with pytest.raises(MbsymError) as caught:
        model(beam(more))
    assert what in str(caught.value)


def test_a_beam_that_hangs_on_its_end_is_told_to_be_turned_round() -> None:
    text = "bodies: {h: {mass: 1}, e: {mass: 1}}\njoints: {f: [planar, ground, e]}\n"
    with pytest.raises(AnalysisError, match="exchange 'from' and 'to'"):
        mbsym.transfer_matrix_modes(model(text + beam("modes: 2", "e").replace("ground", "h")), count=1)
