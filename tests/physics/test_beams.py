"""Beams of bars against textbooks and exact elements: frequencies, large deflections, rotation, closed loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh, ldl

import mbsym
from mbsym import examples
from mbsym.errors import AnalysisError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.beams_of_models import with_beams, without_beams
from mbsym.model.system import Model
from mechanisms.examples import further, some

Array = NDArray[Any]
OWN = "length: 1, mass: 1, bending_stiffness: 1"


def model(text: str) -> Model:
    return read_native(TextSource("beam.yaml", f"name: beam\ngravity: [0, 0, 0]\n{text}"))


# ---- textbook frequencies --------------------------------------------------------------------------------------------

PIN = "bodies: {e: {}}\njoints: {pin: {type: revolute, from: ground, to: e, at: [1, 0, 0]}}\n"
PINS = PIN.replace("{e: {}}", "{e: {}, f: {}}").replace("{pin:", "{root: {type: revolute, from: ground, to: f}, pin:")
HELD = {
    "clamped-free": ("beams: {b: {from: ground, ", 1.8751040687119611**2),
    "clamped-pinned": (f"{PIN}beams: {{b: {{from: ground, to: e, axial_stiffness: 1e4, ", 3.926602312047919**2),
    "clamped-clamped": (
        "beams: {b: {from: ground, to: ground, at_tip: [1, 0, 0], axial_stiffness: 1e4, ",
        4.730040744862704**2,
    ),
    "pinned-pinned": (f"{PINS}beams: {{b: {{from: f, to: e, axial_stiffness: 1e4, ", np.pi**2),
}


@pytest.mark.parametrize("name", HELD)
def test_bars_come_to_the_frequencies_of_textbooks(name: str) -> None:
    """From equations of motion in the default order, with the cube of the segments; transfer matrices have them."""
    text, expected = HELD[name]
    found = [mbsym.modes(model(f"{text}{OWN}, segments: {n}}}}}")).frequencies[0] for n in (4, 8, 16)]
    errors = np.array(found) / expected - 1
    assert abs(errors[1]) < 5e-3
    assert all(6.5 < a / b < 9.5 for a, b in pairwise(errors))
    exact = mbsym.transfer_matrix_modes(model(f"{text}{OWN}, segments: 3}}}}"), count=1).frequencies[0]
    assert exact == pytest.approx(expected, rel=1e-11)


def test_a_held_beam_of_fixed_length_is_told_what_it_lacks() -> None:
    text = HELD["clamped-pinned"][0].replace("axial_stiffness: 1e4, ", "")
    with pytest.raises(AnalysisError, match=r"singular.*held at both ends cannot move: give b axial_stiffness"):
        mbsym.modes(model(f"{text}{OWN}, segments: 4}}}}"))
    run = mbsym.simulate(model(f"{text}{OWN}, segments: 4}}}}"), 1e-3, preparation=mbsym.Preparation("numpy"))
    assert any("give b axial_stiffness" in note for note in run.notes)


def test_rods_and_shafts_have_their_closed_frequencies() -> None:
    """(k - 1/2) pi sqrt(EA/(m L)), likewise of GJ and J, damped too; among those of bending none is missed."""
    text = (
        "beams: {b: {from: ground, length: 1.2, mass: 0.6, bending_stiffness: 2.5, bends: both, axial_stiffness: 700, "
    )
    text += "torsional_stiffness: 0.9, torsional_inertia: 0.001, segments: %d%s}}"
    bending = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613, 10.995540734875467]) ** 2
    waves = (np.arange(4) + 0.5) * np.pi
    rods, shafts = waves * np.sqrt(700 / (0.6 * 1.2)), waves * np.sqrt(0.9 / (0.001 * 1.2))
    expected = np.sort([*np.repeat(bending * np.sqrt(2.5 / (0.6 * 1.2**3)), 2), *rods, *shafts])
    for segments in (1, 3):
        exact = mbsym.transfer_matrix_modes(model(text % (segments, "")), count=12).frequencies
        assert np.abs(exact[:8] / expected[:8] - 1).max() < 1e-11
    damped = mbsym.transfer_matrix_modes(model(text % (2, ", damping: 1e-4")), count=8)
    ratios = [-each.eigenvalue.real / abs(each.eigenvalue) for each in damped]
    assert ratios == pytest.approx(0.5e-4 * expected[:8], rel=1e-8)
    bars = [mbsym.modes(model(text % (n, ""))).frequencies for n in (6, 12)]
    for wave in (rods[0], shafts[0]):
        coarse, fine = (abs(found[np.argmin(abs(found - wave))] / wave - 1) for found in bars)
        assert 3.6 < coarse / fine < 4.4 and fine < 1e-3


# ---- frames and grids ------------------------------------------------------------------------------------------------

GRID = """
bodies: {c: {mass: 0.1, inertia: [0.001, 0.002, 0.003]}}
beams:
  a: {from: ground, to: c, length: 1, mass: 1, bending_stiffness: [2, 1], bends: both, axial_stiffness: 1e3,
      torsional_stiffness: 0.7, torsional_inertia: 0.01, segments: %d}
  b: {from: c, to: ground, at: {rotation: [[z, pi/2]]}, at_tip: {translation: [1, 1, 0], rotation: [[z, pi/2]]},
      length: 1, mass: 1, bending_stiffness: [2, 1], bends: both, axial_stiffness: 1e3,
      torsional_stiffness: 0.7, torsional_inertia: 0.01, segments: %d}
"""


def bending(L: float, EI: float, m: float, sign: float) -> tuple[Array, Array]:
    """Stiffness and mass over [v1, r1, v2, r2] of cubic shapes, rotations with the sign of dv/dx."""
    a = sign * L
    K = np.array([[12, 6 * a, -12, 6 * a], [0, 4 * a * a, -6 * a, 2 * a * a], [0, 0, 12, -6 * a], [0, 0, 0, 4 * a * a]])
    M = np.array(
        [[156, 22 * a, 54, -13 * a], [0, 4 * a * a, 13 * a, -3 * a * a], [0, 0, 156, -22 * a], [0, 0, 0, 4 * a * a]]
    )
    K, M = (np.triu(x) + np.triu(x, 1).T for x in (K, M))
    return EI / L**3 * K, m / 420 * M


def frame_element(L: float) -> tuple[Array, Array]:
    """Of a straight piece along x over [x, y, z, rx, ry, rz] of both ends (12, 12)."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    for places, (k, m) in (
        ([1, 5, 7, 11], bending(L, 1.0, L, 1.0)),
        ([2, 4, 8, 10], bending(L, 2.0, L, -1.0)),
        ([0, 6], (1e3 / L * np.array([[1, -1], [-1, 1]]), L / 6 * np.array([[2, 1], [1, 2]]))),
        ([3, 9], (0.7 / L * np.array([[1, -1], [-1, 1]]), 0.01 * L / 6 * np.array([[2, 1], [1, 2]]))),
    ):
        K[np.ix_(places, places)] += k
        M[np.ix_(places, places)] += m
    return K, M


PORTAL = """
bodies: {c: {mass: 0.1, inertia: [0.001, 0.002, 0.003]}, d: {mass: 0.1, inertia: [0.001, 0.002, 0.003]}}
beams:
  a: {from: ground, to: c, at: {rotation: [[z, pi/2]]}, at_tip: {rotation: [[z, pi/2]]}, OWN}
  b: {from: c, to: d, OWN}
  c: {from: ground, to: d, at: {translation: [1, 0, 0], rotation: [[z, pi/2]]}, at_tip: {rotation: [[z, pi/2]]}, OWN}
""".replace(
    "OWN",
    "length: 1, mass: 1, bending_stiffness: [2, 1], bends: both, axial_stiffness: 1e3, torsional_stiffness: 0.7, "
    "torsional_inertia: 0.01, segments: %d",
)
# Turns about z of the beams, one after the other, from a clamped end to a clamped end.
GRID_TURNS, PORTAL_TURNS = (0, 1), (1, 0, -1)


def finite_elements(n: int, turns: tuple[int, ...] = GRID_TURNS) -> tuple[Array, Array]:
    """Stiffness and mass of a grid or portal with n elements a beam, put together as finite elements are."""
    size = 6 * (len(turns) * n + 1)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    k, m = frame_element(1 / n)
    for first in range(len(turns) * n):
        s, c = turns[first // n], 1 - abs(turns[first // n])
        T = np.kron(np.eye(4), np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))
        own = slice(6 * first, 6 * first + 12)
        K[own, own] += T.T @ k @ T
        M[own, own] += T.T @ m @ T
    for corner in range(1, len(turns)):
        at = slice(6 * n * corner, 6 * n * corner + 6)
        M[at, at] += np.diag([0.1, 0.1, 0.1, 0.001, 0.002, 0.003])
    free = slice(6, size - 6)
    return K[free, free], M[free, free]


def grid_of_finite_elements(n: int) -> Array:
    """Frequencies of the grid with n elements a beam."""
    return np.sqrt(eigh(*finite_elements(n), eigvals_only=True))


@pytest.mark.parametrize(("text", "turns"), [(GRID % (1, 1), GRID_TURNS), *further((PORTAL % (1, 1, 1), PORTAL_TURNS))])
def test_frames_and_grids_have_the_roots_of_finite_elements_and_no_others(text: str, turns: tuple[int, ...]) -> None:
    """Exact beams, one segment each, to 1e-8; roots of a fine mesh below each gap between two are counted by Sturm.

    Squared frequencies of meshes are series in squares of h, which five of them take to h^10.
    """
    exact = mbsym.transfer_matrix_modes(model(text), count=4).frequencies
    meshes = np.array([4, 6, 8, 11, 14])
    squares = [eigh(*finite_elements(n, turns), eigvals_only=True, subset_by_index=(0, 3)) for n in meshes]
    limit = np.linalg.solve(np.vander(1.0 / meshes**2, increasing=True), squares)[0]
    np.testing.assert_allclose(exact, np.sqrt(limit), rtol=1e-8)
    K, M = finite_elements(14, turns)
    for count, (below, above) in enumerate(pairwise(exact), start=1):
        _, D, _ = ldl(K - ((below + above) / 2) ** 2 * M)
        assert np.count_nonzero(np.linalg.eigvalsh(D) < 0) == count


@pytest.mark.more
def test_a_grid_of_beams_is_that_of_finite_elements() -> None:
    """Bending in both planes, stretch and twist, in a closed loop: elements alike, and bars that come to the beam."""
    for n in (1, 3):
        own = mbsym.transfer_matrix_modes(model(GRID % (n, n)), beams="consistent", count=6).frequencies
        assert np.abs(own / grid_of_finite_elements(n)[:6] - 1).max() < 1e-8
    exact = mbsym.transfer_matrix_modes(model(GRID % (2, 1)), count=3)
    assert exact.elements == ("a_1", "c", "b_1")
    bars = [mbsym.modes(model(GRID % (n, n))).frequencies[:3] / exact.frequencies[:3] - 1 for n in (4, 8)]
    assert np.abs(bars[1]).max() < 2.5e-3 and np.all(np.abs(bars[1]) < 0.3 * np.abs(bars[0]))


FOUR_BAR = """
bodies:
  crank: {mass: 0.2, center_of_mass: [0.05, 0, 0], inertia: [0, 0, 2e-4]}
  rocker: {mass: 0.5, center_of_mass: [0.15, 0, 0], inertia: [0, 0, 5e-3]}
  head: {}
  foot: {mass: 0.05}
joints:
  A: {type: revolute, from: ground, to: crank, initial: 1.2}
  B: {type: revolute, from: crank, to: head, at: [0.1, 0, 0], initial: -0.8}
  C: {type: revolute, from: rocker, to: foot, at: [0.3, 0, 0]}
  D: {type: revolute, from: ground, to: rocker, at: [0.4, 0, 0], initial: 1.6}
beams:
  coupler: {from: head, to: foot, length: 0.4, mass: 0.3, bending_stiffness: 5, segments: %d}
"""


def test_a_flexible_coupler_vibrates_as_the_beam_does() -> None:
    """Closed with a straight beam in the default order; no cut inside it; the foot keeps its name."""
    exact = mbsym.transfer_matrix_modes(model(FOUR_BAR % 3), count=4)
    assert "foot" in exact.elements and exact.frequencies[0] == 0
    errors = []
    for n in (6, 12):
        own = model(FOUR_BAR % n)
        assert not {*own.label().cut_joints} & {*own.beams[0].hinges}
        found = mbsym.modes(own)
        hinges = [body for body in found.mechanism.bodies if body.joint.name in own.beams[0].hinges]
        q = found.linearisation.state.q
        assert hinges and not any(q[slice(*body.q_range)].any() for body in hinges)
        errors.append(found.frequencies[1:3] / exact.frequencies[1:3] - 1)
    assert np.abs(errors[1]).max() < 1e-3 and np.all(errors[0] > 6 * errors[1])


@pytest.mark.parametrize(
    "text",
    [HELD["clamped-pinned"][0] + OWN + ", segments: 3}}", *further(FOUR_BAR.replace("segments: %d", "modes: 3"))],
)
def test_loops_of_beams_are_verified(text: str, tmp_path: Any) -> None:
    """Bars that stretch; assumed modes, whose ends turn by many times a coordinate."""
    mbsym.generate(model(text), tmp_path, languages=["numpy"])
    assert mbsym.verify(tmp_path, states=5).passed


def test_loops_of_beams_keep_their_energy() -> None:
    own = replace(model(FOUR_BAR % 3), gravity=(0, "-9.81", 0))
    run = mbsym.simulate(own, 0.1, preparation=mbsym.Preparation("numpy"), output_step=0.05)
    # The motion exchanges about 0.3 J.
    assert run.monitors.worst_energy_drift < 1e-9


# ---- large deflections -----------------------------------------------------------------------------------------------

ELASTICA = {1: (0.30172, 0.05643), 10: (0.81061, 0.55500)}
"""Deflection and shortening of a cantilever under a force P L^2/EI at its end that keeps its direction: Mattiasson,
International Journal for Numerical Methods in Engineering 17 (1981) 145."""


@pytest.mark.parametrize("load", some(ELASTICA, [1]))
def test_large_deflections_are_those_of_the_elastica(load: int) -> None:
    errors = []
    for n in (8, 16):
        text = f"bodies: {{tip: {{}}}}\nbeams: {{b: {{from: ground, to: tip, {OWN}, segments: {n}}}}}\n"
        text += f"forces: {{w: {{type: applied_wrench, body: tip, force: [0, {load}, 0]}}}}\n"
        angles = np.cumsum(mbsym.equilibrium(model(text))[0].q)
        bars = np.array([49.0] * (n - 1) + [20.0]) / (49 * n - 9)
        place = bars @ np.sin(angles), 1 - 20 / (49 * n - 9) - bars @ np.cos(angles)
        errors.append(np.array(place) - ELASTICA[load])
    assert np.abs(errors[1]).max() < 6e-4
    assert abs(errors[1][0]) < 0.3 * abs(errors[0][0])


# ---- rotation --------------------------------------------------------------------------------------------------------

FLAP = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604, 10: 11.2023, 12: 13.1702}
"""First flapping frequency of a turning cantilever without a hub, both times sqrt(m L^3/EI): Wright, Smith, Thresher,
Wang, Journal of Applied Mechanics 49 (1982) 197."""


def flapping(speed: float) -> float:
    """The first frequency by shapes x^(k+2) in Rayleigh's quotient, whose tension is speed^2 (1 - x^2)/2."""
    x, weights = np.polynomial.legendre.leggauss(40)
    x, weights = 0.5 * (x + 1), 0.5 * weights
    legendre = [
        np.polynomial.Legendre.basis(k, domain=[0, 1]).convert(kind=np.polynomial.Polynomial) for k in range(12)
    ]
    basis = [p * np.polynomial.Polynomial([0, 0, 1]) for p in legendre]
    shapes, slopes, bends = (np.array([(p.deriv(k) if k else p)(x) for p in basis]) for k in range(3))
    K = (bends * weights) @ bends.T + (slopes * weights * speed**2 * (1 - x**2) / 2) @ slopes.T
    return float(np.sqrt(eigh(K, (shapes * weights) @ shapes.T, eigvals_only=True)[0]))


def turning(segments: int, bends: str = "y") -> Model:
    own = examples.load("rotating_beam")
    return with_beams(without_beams(own), [replace(own.beams[0], segments=segments, bends=bends)])


def test_a_rotating_beam_has_its_published_frequencies() -> None:
    """Stiffened by tension as tables have it, to their digits by Ritz's method, by bars with the square of these."""
    reference = {speed: flapping(speed) for speed in FLAP}
    assert all(abs(reference[speed] - printed) < 1e-4 for speed, printed in FLAP.items())
    for speed, expected in reference.items():
        found = [
            mbsym.modes(turning(n), {"t": 0.0}, parameters={"speed": speed}).frequencies[0] / expected - 1
            for n in (10, 20)
        ]
        assert 0 < found[0] < 5e-3
        assert found[0] > 3.5 * found[1]


SPIN_UP = """
parameters: {T: {value: 15, unit: s}, w: {value: 6, unit: rad/s}}
bodies: {hub: {}, tip: {}}
joints: {spin: {type: revolute, from: ground, to: hub}}
motions:
  turn: {joint: spin, law: "w/T*(min(t, T)**2/2 + (T/(2*pi))**2*(cos(2*pi*min(t, T)/T) - 1)) + w*max(t - T, 0)"}
beams: {b: {from: hub, to: tip, length: 10, mass: 12, bending_stiffness: 1.4e4, axial_stiffness: 2.8e7, segments: 3}}
frames: {end: {body: tip}, root: {body: hub}}
outputs: {stretch: "position(end, in=root).x - 10", lag: "position(end, in=root).y"}
"""


def test_a_beam_that_is_spun_up_lags_and_is_stretched_in_the_end() -> None:
    """The manoeuvre of Simo and Vu-Quoc, Journal of Applied Mechanics 53 (1986) 855: L (tan b/b - 1), b^2 = w^2 m L/EA.

    Three segments, and what swings on after the manoeuvre, leave a part of a hundred.
    """
    run = mbsym.simulate(model(SPIN_UP), 20, output_step=0.1)
    b = 6 * 10 * np.sqrt(12 / 10 / 2.8e7)
    assert run.y[160:, 0].mean() == pytest.approx(10 * (np.tan(b) / b - 1), rel=0.005)
    assert -0.6 < run.y[:, 1].min() < -0.5 and np.abs(run.y[160:, 1]).max() < 0.01


@pytest.mark.parametrize("speed", [2, 12])
def test_a_beam_in_the_plane_of_rotation_is_softer_by_the_speed(speed: int) -> None:
    """Forces across it are those of flapping but for speed^2 y of each point: squares differ by that, of bars too."""
    flap, lag = (
        mbsym.modes(turning(6, axis), {"t": 0.0}, parameters={"speed": speed}).frequencies[:3] for axis in ("y", "z")
    )
    assert flap**2 - lag**2 == pytest.approx(speed**2, rel=1e-8)
