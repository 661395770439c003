"""Vibrations by transfer matrices: beams against closed formulas and finite elements, mechanisms against equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, cosh, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import brentq

import mbsym
from mbsym.cli import main
from mbsym.errors import AnalysisError, ModelError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.linear import modal_system, shapes
from mbsym.linear.options import LinearOptions
from mbsym.linear.transfer_matrix_modes import TransferMatrixModes, transfer_matrix_modes, vibrating_elements
from mbsym.linear.vibration import beam_matrices
from mbsym.linear.vibration.roots import modes as roots_of_tree
from mbsym.model.system import Model
from mechanisms.loaded_tree import LOADED_TREE

Array = NDArray[Any]
LENGTH, MASS, EI = 1.2, 0.6, 2.5
UNIT = sqrt(EI / (MASS * LENGTH**3))

FREE_ROOT = "bodies: {r: {}}\njoints: {f: [planar, ground, r]}\n"
PINNED_ROOT = (
    "bodies: {r: {}, e: {}}\njoints:\n  f: [revolute, ground, r]\n"
    "  g: {type: revolute, from: ground, to: e, at: [1.2, 0, 0], cut: cut}\n"
)
HELD_TIP = "bodies: {e: {}}\njoints:\n  g: {type: fixed, from: ground, to: e, at: [1.2, 0, 0], cut: cut}\n"


def model(text: str, gravity: str = "[0, 0, 0]") -> Model:
    return read_native(TextSource("beam.yaml", f"name: beam\ngravity: {gravity}\n{text}"))


def beam(root: str = "ground", tip: str = "", more: str = "") -> str:
    to = f"to: {tip}, " if tip else ""
    return f"beams:\n  b: {{from: {root}, {to}length: 1.2, mass: 0.6, bending_stiffness: 2.5, segments: 3{more}}}\n"


def roots(equation: Any, count: int) -> list[float]:
    """The first positive roots of cos b cosh b = +1 or -1, or tan b = tanh b, one around each odd multiple of pi/4."""
    grid = np.linspace(0.5, (count + 1) * pi, 40 * count)
    values = [equation(x) for x in grid]
    pairs = [(a, b) for a, b, u, v in zip(grid, grid[1:], values, values[1:], strict=False) if u * v < 0]
    return [brentq(equation, a, b, xtol=1e-14) for a, b in pairs][:count]


CASES = {
    "clamped-free": (beam(), lambda b: cos(b) + 1 / cosh(b), 0),
    "free-free": (FREE_ROOT + beam("r"), lambda b: cos(b) - 1 / cosh(b), 3),
    "clamped-clamped": (HELD_TIP + beam(tip="e"), lambda b: cos(b) - 1 / cosh(b), 0),
    "simply supported": (PINNED_ROOT + beam("r", "e"), lambda b: np.sin(b), 0),
}


@pytest.mark.parametrize("name", CASES)
def test_beams_have_the_frequencies_of_closed_formulas(name: str, agreement: Callable[[object], None]) -> None:
    """To 1e-12, some thousand times round-off: roots are polished by the quadratic form of their shapes."""
    text, equation, resting = CASES[name]
    found = transfer_matrix_modes(model(text), count=resting + 4).frequencies
    assert list(found[:resting]) == [0.0] * resting
    exact = np.array(roots(equation, 4)) ** 2 * UNIT
    error = np.abs(found[resting:] / exact - 1.0).max()
    assert error < 1e-12
    agreement(error)


def test_a_beam_that_bends_about_two_axes_has_each_frequency_of_both() -> None:
    """Equal stiffnesses give pairs of equal frequencies, none of which is missed; shapes are perpendicular."""
    found = transfer_matrix_modes(model(beam(more=", bends: both")), count=4)
    plane = transfer_matrix_modes(model(beam()), count=2)
    assert np.abs(found.frequencies.reshape(2, 2) / plane.frequencies[:, None] - 1.0).max() < 1e-12
    a, b = (found[k].shape.reshape(-1, 6)[:, 3:].ravel() for k in (0, 1))
    assert abs(a @ b) < 1e-9 * sqrt(a @ a * (b @ b))


HUB = "{mass: 3, inertia: [0.2, 0.2, 0.3]}"
CARRIERS = {
    "ground": ("", "ground"),
    "a fixed hub": (
        f"  h: {HUB}\njoints:\n  f: {{type: fixed, from: ground, to: h, "
        "at: {translation: [0.1, 0.2, 0], rotation: [[z, 0.4]]}}\n",
        "h",
    ),
    "a free hub": (f"  h: {HUB}\njoints:\n  f: [free, ground, h]\n", "h"),
}


@pytest.mark.parametrize("name", CARRIERS)
def test_a_beam_with_modes_starts_where_it_is_placed(name: str) -> None:
    """Its first body is fixed to the carrier, whose frame is another; equations with six modes are exact to 1e-4."""
    more, root = CARRIERS[name]
    text = "bodies:\n  c: {mass: 0.8, inertia: [0.02, 0.02, 0.02]}\n" + more
    text += (
        f"beams:\n  b: {{from: {root}, to: c, at: {{translation: [0.4, 0.1, 0], rotation: [[z, 0.3]]}}, length: 1.2, "
    )
    checked = model(text + "mass: 0.6, bending_stiffness: 2.5, modes: 6}\n")
    resting = 6 if name == "a free hub" else 0
    found = transfer_matrix_modes(checked, count=resting + 2)
    tip = np.array([0.4 + 1.2 * cos(0.3), 0.1 + 1.2 * np.sin(0.3), 0.0])
    if name == "a fixed hub":
        c, s = cos(0.4), np.sin(0.4)
        tip = np.array([0.1, 0.2, 0.0]) + np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ tip
    assert np.abs(found.points[-1] - tip).max() < 1e-12
    exact = np.sort([mode.frequency for mode in mbsym.modes(checked, at={}) if mode.frequency > 1e-3])[:2]
    assert np.abs(found.frequencies[resting:] / exact - 1.0).max() < 1e-4


def test_the_page_moves_bodies_as_the_modes_of_equations_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Poses of bars about two axes, of both methods, up to the size and sense of the swing, which is small here."""
    drawn: list[Array] = []

    def caught(parts: object, motion: Any) -> str:
        drawn.append(motion.poses.reshape(-1, shapes.FRAMES, *motion.poses.shape[1:]))
        return ""

    monkeypatch.setattr(shapes, "animation_html", caught)
    monkeypatch.setattr(shapes, "SWING", 1e-5)
    text = "bodies: {h: {mass: 1, inertia: [0.1, 0.2, 0.3]}}\njoints: {A: [revolute, ground, h]}\n"
    text += "forces: {k: {type: joint_spring, joint: A, stiffness: 3}}\n"
    own = model(text + beam("h").replace("segments: 3", "segments: 2"))
    transfer_matrix_modes(own, beams="segments", count=3).page(tmp_path / "a.html")
    mbsym.modes(own).page(tmp_path / "b.html")
    one, other = (poses[:, 0] - 0.5 * (poses[:, 0] + poses[:, shapes.FRAMES // 4]) for poses in drawn)
    for a, b in zip(one, other, strict=True):
        scale = (a * b).sum() / (b * b).sum()
        assert np.abs(a).max() > 1e-7
        assert np.abs(a - scale * b).max() < 1e-4 * np.abs(a).max()


def test_the_shape_of_a_clamped_beam_is_that_of_the_closed_formula() -> None:
    b = roots(lambda x: cos(x) + 1 / cosh(x), 2)[1]
    shape = transfer_matrix_modes(model(beam()), count=2)[1].shape.reshape(-1, 6)[:, 4]
    x = np.array([1, 2, 3]) / 3 * b
    ratio = (np.cos(b) + np.cosh(b)) / (np.sin(b) + np.sinh(b))
    exact = np.cosh(x) - np.cos(x) - ratio * (np.sinh(x) - np.sin(x))
    assert np.abs(shape / shape[-1] - exact / exact[-1]).max() < 1e-9


def assembled(count: int, tension: float = 0.0) -> tuple[Array, Array]:
    """Stiffness and mass of a clamped beam under tension, without the clamped end."""
    K, M = whole(count, [tension] * count)
    return K[2:, 2:], M[2:, 2:]


def whole(count: int, tensions: Sequence[float]) -> tuple[Array, Array]:
    """Stiffness and mass of a beam, each piece under a tension of its own, by cubic elements written here."""
    h = LENGTH / count
    k = np.array([[12, 6 * h, -12, 6 * h], [0, 4 * h * h, -6 * h, 2 * h * h], [0, 0, 12, -6 * h], [0, 0, 0, 4 * h * h]])
    g = np.array([[36, 3 * h, -36, 3 * h], [0, 4 * h * h, -3 * h, -h * h], [0, 0, 36, -3 * h], [0, 0, 0, 4 * h * h]])
    m = np.array([[156, 22 * h, 54, -13 * h], [0, 4 * h * h, 13 * h, -3 * h * h], [0, 0, 156, -22 * h],
                  [0, 0, 0, 4 * h * h]])  # fmt: skip
    K, M = np.zeros((2 * count + 2,) * 2), np.zeros((2 * count + 2,) * 2)
    for i in range(count):
        own = slice(2 * i, 2 * i + 4)
        upper = EI / h**3 * k + tensions[i] / (30 * h) * g
        K[own, own] += upper + np.triu(upper, 1).T
        M[own, own] += MASS / count / 420 * (m + np.triu(m, 1).T)
    return K, M


def finite_elements(count: int, tip_mass: float, spring: float) -> Array:
    """Frequencies of a clamped beam with a point mass and a spring at its end."""
    K, M = assembled(count)
    K[-2, -2] += spring
    M[-2, -2] += tip_mass
    frequencies: Array = np.sqrt(eigh(K, M, eigvals_only=True))
    return frequencies


TIP = (
    "bodies: {e: {mass: 0.3}}\nforces:\n"
    "  s: {type: point_spring_damper, first_body: e, second_body: ground, stiffness: 20, free_length: 0.5, "
    "second_point: [1.2, 0.5, 0]}\n"
)


def test_a_beam_with_mass_and_spring_against_finite_elements() -> None:
    """The exact element is what 60 cubic elements come to: their error in the third mode is about 1e-7."""
    found = transfer_matrix_modes(model(TIP + beam(tip="e")), count=3).frequencies
    assert np.abs(found / finite_elements(60, 0.3, 20.0)[:3] - 1.0).max() < 3e-7


def test_consistent_elements_are_those_of_an_assembled_matrix() -> None:
    found = transfer_matrix_modes(model(TIP + beam(tip="e")), beams="consistent", count=6).frequencies
    assert np.abs(found / finite_elements(3, 0.3, 20.0) - 1.0).max() < 1e-11


def test_a_hanging_beam_is_stiffened_by_its_load() -> None:
    """Gravity along the beam: finite elements take the tension, without the beam's own weight as in a light beam."""
    text = "bodies: {e: {mass: 0.3}}\n" + beam(tip="e").replace("0.6", "1e-9")
    found = transfer_matrix_modes(model(text, "[9.81, 0, 0]"), beams="consistent", count=1).frequencies[0]
    compliance = np.linalg.inv(assembled(3, 0.3 * 9.81)[0])[-2, -2]
    assert found == pytest.approx(sqrt(1 / (0.3 * compliance)), rel=1e-7)
    with pytest.raises(AnalysisError, match="a static load acts along this beam"):
        transfer_matrix_modes(model(text, "[9.81, 0, 0]"))


def test_a_beam_that_slides_along_itself_moves_with_its_mass() -> None:
    """sqrt(k/(m + mass of the beam)) of a carriage on a spring, of the exact element and of the others."""
    text = "bodies: {c: {mass: 0.3}}\njoints: {A: {type: prismatic, from: ground, to: c, axis: x}}\n"
    text += "forces: {k: {type: joint_spring, joint: A, stiffness: 1e-2}}\n" + beam("c")
    for kind in ("exact", "consistent"):
        first = transfer_matrix_modes(model(text), beams=kind, count=1).frequencies[0]
        assert first == pytest.approx(sqrt(1e-2 / (0.3 + MASS)), rel=1e-12)


def test_a_heavy_beam_that_hangs_from_a_pin_is_stiffened_by_its_own_weight() -> None:
    """Each piece is under the weight of those below it and half its own; the pin turns pieces as rigid bars too."""
    text = "bodies: {r: {}}\njoints: {f: [revolute, ground, r]}\n" + beam("r")
    found = transfer_matrix_modes(model(text, "[9.81, 0, 0]"), beams="consistent", count=6).frequencies
    tensions = [MASS / 3 * 9.81 * (2.5 - k) for k in range(3)]
    K, M = (matrix[1:, 1:] for matrix in whole(3, tensions))
    assert found == pytest.approx(np.sqrt(eigh(K, M, eigvals_only=True))[:6], rel=1e-10)


def test_segments_are_the_bars_of_other_methods_and_converge_to_the_beam() -> None:
    """As bars the beam has the modes of the equations of motion; the error falls with the cube of the segments."""
    first = []
    for segments in (4, 8):
        own = model(beam().replace("segments: 3", f"segments: {segments}"))
        bars = transfer_matrix_modes(own, beams="segments", count=3).frequencies
        assert np.abs(bars / mbsym.modes(own).frequencies[:3] - 1.0).max() < 1e-11
        first.append(bars[0])
    exact = transfer_matrix_modes(model(beam()), count=1).frequencies[0]
    errors = np.array(first) / exact - 1.0
    assert 7.2 < errors[0] / errors[1] < 8.8
    assert 0 < errors[1] < 2e-4


def test_material_damping_moves_eigenvalues_as_its_closed_formula_does() -> None:
    """Stress E (strain + d rate) makes each mode's ratio d omega / 2."""
    d = 1e-3
    found = transfer_matrix_modes(model(beam(more=f", damping: {d}")), count=2)
    omegas = transfer_matrix_modes(model(beam()), count=2).frequencies
    for mode, omega in zip(found, omegas, strict=True):
        assert mode.eigenvalue == pytest.approx(
            -d * omega**2 / 2 + 1j * omega * sqrt(1 - (d * omega / 2) ** 2), rel=1e-9
        )


def test_the_overall_product_of_transfer_matrices_is_singular_at_the_frequencies() -> None:
    """Clamped root, three pieces, a point mass: [M, Q] = 0 beyond it, and so det U[M Q; M Q] of the product."""
    found = transfer_matrix_modes(model("bodies: {e: {mass: 0.3}}\n" + beam(tip="e")), count=3).frequencies

    def determinant(omega: float) -> float:
        s = 1j * omega
        piece = beam_matrices.transfer_matrix(LENGTH / 3, MASS / 3, EI, s)
        body = np.eye(4, dtype=complex)
        body[3, 0] = -(s**2) * 0.3
        U = body @ piece @ piece @ piece
        return float(np.linalg.det(U[2:, 2:]).real)

    for omega in found:
        assert determinant(omega * (1 - 1e-9)) * determinant(omega * (1 + 1e-9)) < 0


def test_a_loaded_spatial_tree_has_the_modes_of_its_equations_of_motion() -> None:
    """Static loads, flipped joints, universal joints, rotors, dampers, springs between bodies: eigenvalues to 1e-10."""
    tree = read_native(TextSource("tree.yaml", LOADED_TREE))
    expected = [mode.eigenvalue for mode in mbsym.modes(tree)]
    found = [mode.eigenvalue for mode in transfer_matrix_modes(tree, count=20)]
    assert len(found) == len(expected)
    for one in expected:
        assert min(abs(one - other) for other in found) < 1e-10 * abs(one)


FLOATING = """
bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.25]}, b: {mass: 2, inertia: [0.1, 0.2, 0.25]}}
joints:
  A: [free, ground, a]
  B: {type: free, from: ground, to: b, initial: [1, 0, 0, 0, 1, 0, 0]}
forces:
"""


def test_bodies_that_float_on_springs_between_them_keep_their_resting_motions() -> None:
    """Six motions that rest and none that is missed; two springs lie side by side, one is pressed against another."""
    up, down, left, middle = "[0, 0, 0.5]", "[0, 0, -0.5]", "[0, 0.5, 0]", "[0, 0, 0]"
    ends = [(up, up, 1), (left, left, 1), (left, left, 1), (down, left, 1.5**0.5), (left, down, 1.5**0.5)]
    ends += [(down, down, 1), (middle, middle, 1.5), (middle, middle, 0.5)]
    text = "".join(
        f"  s{k}: {{type: point_spring_damper, first_body: a, second_body: b, stiffness: 20, "
        f"free_length: {length}, first_point: {one}, second_point: {other}}}\n"
        for k, (one, other, length) in enumerate(ends)
    )
    whole = model(FLOATING + text)
    found = transfer_matrix_modes(whole, count=20).frequencies
    expected = mbsym.modes(whole).frequencies
    assert list(found[:6]) == [0.0] * 6
    assert found[6:] == pytest.approx(expected[6:], rel=1e-10)


def test_a_pressed_spring_between_two_bodies_pushes_them_aside() -> None:
    """K = [[30 + T + T/L, T/L], [T/L, 30 + T + T/L]] of arms of 1 m and a spring of force T = -6 N, 1 m long."""
    arm = "{mass: 1, center_of_mass: [X, 0, 0], inertia: [0, 0, 1]}"
    text = f"bodies: {{a: {arm.replace('X', '0.5')}, b: {arm.replace('X', '-0.5')}}}\n"
    text += "joints:\n  A: [revolute, ground, a]\n  B: {type: revolute, from: ground, to: b, at: [3, 0, 0]}\nforces:\n"
    text += "".join(f"  k{joint}: {{type: joint_spring, joint: {joint}, stiffness: 30}}\n" for joint in "AB")
    text += "  s: {type: point_spring_damper, first_body: a, second_body: b, stiffness: 10, free_length: 1.6, "
    text += "first_point: [1, 0, 0], second_point: [-1, 0, 0]}\n"
    found = transfer_matrix_modes(model(text), at=None).frequencies
    assert found == pytest.approx([sqrt(12 / 1.25), sqrt(24 / 1.25)], rel=1e-12)


COINCIDING = """
bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1]}, b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints:
  ja: [free, ground, a]
  jb: [free, ground, b]
forces:
  s0: {type: point_spring_damper, first_body: ground, second_body: a, stiffness: 100, free_length: 0}
  s1: {type: point_spring_damper, first_body: a, second_body: b, stiffness: 50, free_length: 0}
"""


def test_a_spring_without_length_between_points_that_coincide_resists_in_all_directions() -> None:
    """Two masses in space, on springs to ground and to each other: three times the frequencies of a line."""
    found = transfer_matrix_modes(model(COINCIDING), at={}, count=12).frequencies
    squares = np.linalg.eigvals(np.array([[150.0, -50.0], [-25.0, 25.0]]))
    assert list(found[:6]) == [0.0] * 6
    assert np.abs(found[6:] ** 2 / np.repeat(np.sort(squares), 3) - 1.0).max() < 1e-10
    for more in ("50, free_length: 0.1}", "50, free_length: 0, damping: 1}"):
        with pytest.raises(AnalysisError, match="force s1: its ends coincide"):
            transfer_matrix_modes(model(COINCIDING.replace("50, free_length: 0}", more)), at={})


@pytest.mark.parametrize("name", ["boom", "satellite"])
def test_motions_that_rest_are_found_when_no_more_are_asked_for(name: str) -> None:
    """Up to all that rest and beyond: fewer modes are the first of more."""
    path = Path(__file__).parents[3] / "examples" / "vibration" / f"{name}.yaml"
    resting, more = (6, 7) if name == "boom" else (3, 6)
    # One piece of each panel is as good as six.
    few = read_native(TextSource(path.name, path.read_text().replace("segments: 6", "segments: 1")))
    whole = transfer_matrix_modes(few, count=more).frequencies
    assert not whole[:resting].any() and whole[resting] > 1.0
    tree = vibrating_elements(few, None, LinearOptions(), None).tree
    for count in range(1, 7):
        assert roots_of_tree(tree, count)[0] == pytest.approx(whole[:count], rel=1e-4)


def test_the_pace_of_a_heavy_rotor_on_a_slide_is_its_frequency() -> None:
    """Whatever the size of the mechanism, here the 4 m between two carriages: the spring moves the rotor."""
    carriages = "bodies: {a: {mass: 0.001}, b: {mass: 0.001}}\n"
    joints = (
        "joints:\n  A: {type: prismatic, from: ground, to: a, axis: x, armature: 5}\n"
        "  B: {type: prismatic, from: ground, to: b, axis: x, at: [4, 0, 0]}\n"
    )
    springs = "forces:\n" + "".join(f"  k{j}: {{type: joint_spring, joint: {j}, stiffness: 3}}\n" for j in "AB")
    tree = vibrating_elements(model(carriages + joints + springs), None, LinearOptions(), None).tree
    assert (tree.size, tree.pace) == (4.0, pytest.approx(sqrt(3 / 5), rel=1e-12))


def test_slow_and_quick_mechanisms_keep_their_lowest_frequency_and_their_rest() -> None:
    solid = "{mass: 1, inertia: [1, 1, 1]}"
    joints = "A: {type: prismatic, from: ground, to: a, axis: x}\n  C: {type: prismatic, from: a, to: c, axis: x}\n"
    two = f"bodies: {{a: {solid}, c: {solid}}}\njoints:\n  {joints}"
    for stiffness in (1e-10, 1.0, 1e12):  # 1.0: the frequency is a round number, where a pivot would be zero
        spring = f"forces:\n  k: {{type: joint_spring, joint: C, stiffness: {stiffness!r}}}\n"
        assert list(transfer_matrix_modes(model(two + spring), at=None, count=1).frequencies) == [0.0]
        held = spring.replace("joint: C", "joint: A")
        found = transfer_matrix_modes(model(two + held), at=None, count=2).frequencies
        assert found == pytest.approx([0.0, sqrt(stiffness)], rel=1e-9)


def test_an_unstable_state_tells_the_model_and_how_many_motions_grow() -> None:
    text = "bodies: {a: {mass: 1, inertia: [1, 1, 1], center_of_mass: [0, 1, 0]}}\n"
    text += "joints:\n  A: {type: revolute, from: ground, to: a}\n"
    with pytest.raises(AnalysisError, match=r"^beam: the state is unstable: 1 motion grows; take"):
        transfer_matrix_modes(model(text, "[0, -9.81, 0]"), at=None)


def test_parameters_that_no_beam_can_have_are_refused() -> None:
    path = Path(__file__).parents[3] / "examples" / "vibration" / "satellite.yaml"
    for stiffness in (0.0, -1.0):
        what = f"^parameter EI: a bending stiffness of beam 'right' is {stiffness:g}; give one above zero"
        with pytest.raises(ModelError, match=what):
            transfer_matrix_modes(path, count=1, parameters={"EI": stiffness})
        with pytest.raises(ModelError, match=what):
            mbsym.frequency_response(
                path, [1.0], inputs=["hub.rz"], method="transfer-matrix", parameters={"EI": stiffness}
            )
    loose = beam().replace("mass: 0.6", "mass: 2*m") + "parameters: {m: 0.3}\n"
    with pytest.raises(ModelError, match=r"^parameter m: the mass of beam 'b' is -2"):
        transfer_matrix_modes(model(loose), count=1, parameters={"m": -1.0})


def test_modes_write_no_page_where_the_result_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign, page = tmp_path / "foreign.json", tmp_path / "new.html"
    foreign.write_text("{}")
    for method in ("transfer-matrix", "equations"):
        line = ["modes", "double_pendulum", "--method", method, "--page", str(page), "-o", str(foreign)]
        assert main(line) == 2
        assert "was not written by mbsym" in capsys.readouterr().err
        assert not page.exists() and foreign.read_text() == "{}"


LINE = """
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  b: {mass: 2, inertia: [0.1, 0.1, 0.1]}
  c: {mass: 1.5, inertia: [0.1, 0.1, 0.1]}
joints:
  ja: {type: prismatic, from: ground, to: a, axis: x}
  jb: {type: prismatic, from: ground, to: b, axis: x, at: [1, 0, 0]}
  jc: {type: prismatic, from: ground, to: c, axis: x, at: [2, 0, 0]}
forces:
  s0: {type: joint_spring, joint: ja, stiffness: KS}
  s1: {type: point_spring_damper, first_body: a, second_body: b, stiffness: K1, damping: D1, free_length: 1}
  s2: {type: point_spring_damper, first_body: b, second_body: c, stiffness: K2, damping: D2, free_length: 1}
"""


def masses_on_a_line(KS: float, K1: float, K2: float, D1: float = 0.0, D2: float = 0.0, more: str = "") -> Model:
    text = LINE
    for name, value in (("KS", KS), ("K1", K1), ("K2", K2), ("D1", D1), ("D2", D2)):
        text = text.replace(name, repr(float(value)))
    return model(text + more)


def test_a_soft_spring_keeps_its_digits_beside_a_stiff_one() -> None:
    """Two masses as one to 1e-8, and a pivot that is singular where the search begins."""
    found = transfer_matrix_modes(masses_on_a_line(1e4, 1e12, 30.0), at={}).frequencies
    squares = np.linalg.eigvals(np.array([[10030.0 / 3.0, -10.0], [-20.0, 20.0]]))
    assert np.abs(found[:2] ** 2 / np.sort(squares) - 1.0).max() < 1e-7
    found = transfer_matrix_modes(masses_on_a_line(1.0, 1.0, 2.0), at={}).frequencies
    squares = np.linalg.eigvals(np.array([[2.0, -1.0, 0.0], [-0.5, 1.5, -1.0], [0.0, -4.0 / 3.0, 4.0 / 3.0]]))
    assert np.abs(found**2 / np.sort(squares) - 1.0).max() < 1e-10


def test_springs_on_the_same_motions_that_are_too_far_apart_are_refused() -> None:
    more = "  s3: {type: point_spring_damper, first_body: a, second_body: b, stiffness: 50, free_length: 1}\n"
    assert transfer_matrix_modes(masses_on_a_line(100, 1e9, 30.0, more=more), at={}, count=1)[0].frequency > 0.0
    with pytest.raises(AnalysisError, match=r"30 to 1e\+12 N/m, are too far apart"):
        transfer_matrix_modes(masses_on_a_line(100, 1e12, 30.0, more=more), at={})


@pytest.mark.parametrize(("D1", "D2"), [(20, 0), (0, 25), (500, 0), (300, 400), (20, 20)])
def test_overdamped_modes_are_their_real_eigenvalues(D1: float, D2: float) -> None:
    """One or two modes of three, by rising size; shapes of what decays satisfy the damped equations."""
    damped = masses_on_a_line(100, 50, 80, D1, D2)
    exact = sorted((mode.eigenvalue for mode in mbsym.modes(damped, at={})), key=abs)
    own = transfer_matrix_modes(damped, at={})
    assert [mode.eigenvalue for mode in own] == pytest.approx(exact, rel=1e-9)
    expected = {mode.eigenvalue.real: mode.shape.real for mode in mbsym.modes(damped, at={})}
    for mode in own:
        if not mode.eigenvalue.imag:
            ways = mode.shape.reshape(-1, 6)[:, 3]
            close = expected[min(expected, key=lambda rate: abs(rate - mode.eigenvalue.real))]
            assert ways / ways[np.argmax(np.abs(ways))] == pytest.approx(
                close[:3] / close[np.argmax(np.abs(close[:3]))], abs=1e-5
            )


def test_damped_exact_beams_tell_that_modes_are_overdamped() -> None:
    heavy = model(beam(more=", damping: 0.05"))
    with pytest.raises(AnalysisError, match="not found of exact beams that are damped"):
        transfer_matrix_modes(heavy, count=6)
    finite = transfer_matrix_modes(heavy, beams="consistent", count=6)
    assert len([mode for mode in finite if not mode.eigenvalue.imag]) >= 2


def test_an_overdamped_mode_that_is_lost_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search from its frequency ends at another mode's eigenvalue, which is no second mode."""
    sides = {"inputs": ["a.x"], "outputs": ["c.x"]}
    for D1, D2, pair in ((20.0, 0.0, "1 and 3"), (0.0, 25.0, "2 and 3")):
        damped = masses_on_a_line(100, 50, 80, D1, D2)
        with pytest.raises(AnalysisError, match=f"modes {pair} lead to one damped eigenvalue"):
            mbsym.transfer_matrix_system(damped, at={}, **sides)
    little = masses_on_a_line(100, 50, 80, 12, 2)
    exact = [mode.eigenvalue for mode in mbsym.modes(little, at={})]
    found = mbsym.transfer_matrix_system(little, at={}, **sides).eigenvalues
    assert max(np.abs(found - value).min() for value in exact) < 1e-8
    # Were one lost in another way, the response would tell.
    monkeypatch.setattr(modal_system, "_eigenvalues", lambda *_: found[:2])
    with pytest.raises(AnalysisError, match="the modes found miss the response at"):
        mbsym.transfer_matrix_system(little, at={}, **sides)


def test_what_is_not_covered_is_refused_with_a_word() -> None:
    def refused(text: str, gravity: str = "[0, 0, 0]") -> str:
        with pytest.raises(AnalysisError) as caught:
            transfer_matrix_modes(model(text, gravity), at=None)
        return str(caught.value)

    solid = "{mass: 1, inertia: [1, 1, 1]}"
    two = f"bodies: {{a: {solid}, c: {solid}}}\njoints:\n  A: {{type: revolute, from: ground, to: a}}\n"
    two += "  C: {type: revolute, from: a, to: c, at: [1, 0, 0]}\n"
    wrench = "forces:\n  w: {type: applied_wrench, body: a, force: [1, 0, 0]}\n"
    assert "takes no applied wrench that acts at rest" in refused(two + wrench)
    heavy = two.replace("mass: 1,", "mass: 1, center_of_mass: [1, 0, 0],")
    assert "the state is no equilibrium" in refused(heavy, "[0, -9.81, 0]")
    assert isinstance(transfer_matrix_modes(model(beam()), count=1), TransferMatrixModes)
