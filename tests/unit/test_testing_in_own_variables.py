"""Hand-derived equations in coordinates and speeds that are not the model's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import mbsym
from mbsym.errors import FormatError, SymbolicError
from mbsym.testing import assert_same_equations, compare_equations

G = sp.Rational(981, 100)
M1, M2, L1, L2, P1, P2, W1, W2 = sp.symbols("m1 m2 l1 l2 phi1 phi2 v_phi1 v_phi2")
ABSOLUTE = {"q_shoulder": P1, "q_elbow": P2 - P1}
"""Angles of both rods from the vertical."""


def pendulum() -> dict[str, sp.Matrix]:
    """The double pendulum's equations in angles from the vertical, as textbooks have them."""
    coupling = M2 * L1 * L2 / 2
    mass = sp.Matrix(
        [[(M1 / 3 + M2) * L1**2, coupling * sp.cos(P2 - P1)], [coupling * sp.cos(P2 - P1), M2 * L2**2 / 3]]
    )
    gravity = sp.Matrix([G * (M1 / 2 + M2) * L1 * sp.sin(P1), M2 * G * L2 / 2 * sp.sin(P2)])
    turning = coupling * sp.sin(P2 - P1) * sp.Matrix([-(W2**2), W1**2])
    return {"mass_matrix": mass, "bias_force": turning + gravity, "gravity_force": gravity}


def lagrangian() -> sp.Expr:
    kinetic = (
        M1 * L1**2 * W1**2 / 6 + M2 * (L1**2 * W1**2 + L1 * L2 * W1 * W2 * sp.cos(P2 - P1) + L2**2 * W2**2 / 3) / 2
    )
    return kinetic + (M1 / 2 + M2) * G * L1 * sp.cos(P1) + M2 * G * L2 / 2 * sp.cos(P2)


def test_absolute_angles_of_a_double_pendulum() -> None:
    mine: dict[str, Any] = {**pendulum(), "lagrangian": lagrangian(), "forcing": -pendulum()["bias_force"]}
    assert_same_equations(mine, "double_pendulum", coordinates=ABSOLUTE)
    for kind in mine:
        assert all(
            item.verdict.kind == "equal" for item in compare_equations(mine, "double_pendulum", coordinates=ABSOLUTE)
        )
        with pytest.raises((AssertionError, SymbolicError)):
            assert_same_equations({kind: mine[kind]}, "double_pendulum")


@pytest.mark.parametrize("kind", ["mass_matrix", "bias_force", "gravity_force"])
def test_a_wrong_sign_is_named_in_ones_own_words(kind: str) -> None:
    mine = {kind: pendulum()[kind].copy()}
    mine[kind][0] = -mine[kind][0]
    with pytest.raises(
        AssertionError, match=rf"{kind}\[0[\s\S]*row v_phi1[\s\S]*phi2 = [\s\S]*v_phi1 = [\s\S]*tau_phi2 = "
    ):
        assert_same_equations(mine, "double_pendulum", coordinates=ABSOLUTE)


def test_functions_of_time_and_generalised_forces() -> None:
    """The moment along an absolute angle is what acts on that rod alone: the map's Jacobian transposed."""
    t = sp.Symbol("t")
    first, second = sp.Function("phi1")(t), sp.Function("phi2")(t)
    of_time = lagrangian().subs({W1: first.diff(t), W2: second.diff(t)}).subs({P1: first, P2: second})
    coordinates = {"q_shoulder": first, "q_elbow": second - first}
    own = sp.symbols("tau_phi1 tau_phi2")
    free = [of_time.diff(x.diff(t)).diff(t) - of_time.diff(x) for x in (first, second)]
    residual = [row - force for row, force in zip(free, own, strict=True)]
    assert_same_equations({"residual": residual}, "double_pendulum", coordinates=coordinates)
    with pytest.raises(AssertionError):
        wrong = [free[0] - own[0] + own[1], free[1] - own[1]]
        assert_same_equations({"residual": wrong}, "double_pendulum", coordinates=coordinates)


def test_rows_follow_the_speeds_that_are_named() -> None:
    swapped = {"mass_matrix": pendulum()["mass_matrix"][::-1, ::-1]}
    assert_same_equations(swapped, "double_pendulum", coordinates=ABSOLUTE, speeds=("v_phi2", "v_phi1"))


def test_speeds_alone_may_be_ones_own() -> None:
    shoulder, elbow, a, b = sp.symbols("q_shoulder q_elbow a b")
    seen = {P1: shoulder, P2: shoulder + elbow, W1: a, W2: b}
    mine = {kind: value.subs(seen, simultaneous=True) for kind, value in pendulum().items()}
    assert_same_equations(mine, "double_pendulum", speeds={"v_shoulder": a, "v_elbow": b - a})
    both = {kind: value.subs({W1: a, W2: b}) for kind, value in pendulum().items()}
    assert_same_equations(both, "double_pendulum", coordinates=ABSOLUTE, speeds={"v_shoulder": a, "v_elbow": b - a})


@pytest.fixture(scope="module")
def particle() -> mbsym.Model:
    """A particle in the plane."""
    return mbsym.Model(
        "particle",
        bodies=(mbsym.Body("slide"), mbsym.Body("bead", "m")),
        joints=(
            mbsym.Joint("x", "prismatic", "ground", "slide", axis=(1, 0, 0)),
            mbsym.Joint("y", "prismatic", "slide", "bead", axis=(0, 1, 0)),
        ),
        parameters=(mbsym.Parameter("m", 2),),
        gravity=(0, 0, 0),
    )


def test_polar_coordinates(particle: mbsym.Model) -> None:
    m, r, a, rate, spin = sp.symbols("m r a v_r v_a")
    polar = {"q_x": r * sp.cos(a), "q_y": r * sp.sin(a)}
    mine = {"mass_matrix": sp.diag(m, m * r**2), "bias_force": [-m * r * spin**2, 2 * m * r * rate * spin]}
    # Own coordinates stand by name where they occur in one expression: a before r.
    assert_same_equations(mine, particle, coordinates=polar, speeds=("v_r", "v_a"))
    assert_same_equations({"lagrangian": m * (rate**2 + r**2 * spin**2) / 2}, particle, coordinates=polar)
    with pytest.raises(AssertionError, match="row v_a"):
        mine["bias_force"] = [-m * r * spin**2, m * r * rate * spin]
        assert_same_equations(mine, particle, coordinates=polar, speeds=("v_r", "v_a"))


def test_speeds_that_are_no_rates_turn_with_the_coordinates(particle: mbsym.Model) -> None:
    """Radial and tangential velocity: Bdot holds the rate of the angle, which is the tangential one over the radius."""
    m, r, a, u, w = sp.symbols("m r a u w")
    polar = {"q_x": r * sp.cos(a), "q_y": r * sp.sin(a)}
    moving = {"v_x": u * sp.cos(a) - w * sp.sin(a), "v_y": u * sp.sin(a) + w * sp.cos(a)}
    mine = {"mass_matrix": sp.diag(m, m), "bias_force": [-m * w**2 / r, m * u * w / r]}
    assert_same_equations(mine, particle, coordinates=polar, speeds=moving)
    with pytest.raises(AssertionError, match="row w"):
        assert_same_equations({"bias_force": [-m * w**2 / r, 0]}, particle, coordinates=polar, speeds=moving)
    with pytest.raises(SymbolicError, match="Lagrangian is differentiated by rates of coordinates"):
        assert_same_equations({"lagrangian": m * (u**2 + w**2) / 2}, particle, coordinates=polar, speeds=moving)


def test_what_is_not_mapped_stays_beside_a_quaternion() -> None:
    """The height of a free body above a floor that is not at zero, its attitude as it is."""
    model = mbsym.Model(
        "box",
        bodies=(mbsym.Body("box", "m", inertia=("A", "B", "C", 0, 0, 0)), mbsym.Body("mass", "n", ("l", 0, 0))),
        joints=(
            mbsym.Joint("base", "spherical", "ground", "box"),
            mbsym.Joint("rail", "prismatic", "box", "mass", axis=(1, 0, 0)),
        ),
        parameters=tuple(mbsym.Parameter(name, 1) for name in ("m", "n", "l", "A", "B", "C")),
        gravity=(0, 0, 0),
    )
    n, l, A, B, C, s, rate = sp.symbols("n l A B C s v_s")
    x, y, z = sp.symbols("v_base_x v_base_y v_base_z")
    own = {"q_rail": s - l}
    kinetic = (A * x**2 + B * y**2 + C * z**2 + n * (rate**2 + s**2 * (y**2 + z**2))) / 2
    assert_same_equations({"lagrangian": kinetic}, model, coordinates=own)
    mass = sp.diag(A, B + n * s**2, C + n * s**2, n)
    assert_same_equations({"mass_matrix": mass}, model, coordinates=own)
    with pytest.raises(SymbolicError, match="q_base_w is no coordinate whose rate is a speed"):
        assert_same_equations({"mass_matrix": mass}, model, coordinates={"q_base_w": s})


def test_other_names_of_parameters_and_coordinates() -> None:
    """``symbols`` renames constants as well; a map may name the model's coordinates by the user's symbols."""
    q1, q2, mass, length = sp.symbols("q1 q2 M_1 L_1")
    mine = {kind: value.subs({M1: mass, L1: length}) for kind, value in pendulum().items()}
    names = {q1: "q_shoulder", q2: "q_elbow", mass: "m1", length: "l1"}
    assert_same_equations(mine, "double_pendulum", symbols=names, coordinates={q1: P1, q2: P2 - P1})


def test_own_names_may_be_those_of_the_model() -> None:
    shoulder, elbow = sp.symbols("q_shoulder q_elbow")
    mine = {"mass_matrix": pendulum()["mass_matrix"].subs({P1: shoulder, P2: elbow}, simultaneous=True)}
    own = {"q_shoulder": shoulder, "q_elbow": elbow - shoulder}
    assert_same_equations(mine, "double_pendulum", coordinates=own)


@pytest.mark.parametrize(
    ("maps", "said"),
    [
        (
            {"coordinates": {"q_sholder": P1}},
            "coordinates: 'q_sholder' is no coordinate of the model; did you mean q_sh",
        ),
        ({"coordinates": {"v_elbow": P1}}, "'v_elbow' is no coordinate of the model"),
        ({"coordinates": {"q_shoulder": P1, sp.Symbol("q_shoulder"): P2}}, "q_shoulder is mapped twice"),
        ({"coordinates": {"q_shoulder": P1, "q_elbow": P1}}, r"1 coordinates of your own \(phi1\) in place of 2"),
        ({"coordinates": {"q_elbow": 3}}, r"0 coordinates of your own \(none\) in place of 1"),
        ({"coordinates": {"q_elbow": P1 + sp.Symbol("t")}}, r"2 coordinates of your own \(phi1, t\) in place of 1"),
        ({"coordinates": {"q_shoulder": P1 + P2, "q_elbow": 2 * P1 + 2 * P2}}, "its Jacobian is singular everywhere"),
        ({"coordinates": {"q_elbow": sp.Symbol("v_shoulder")}}, "'v_shoulder' is taken"),
        ({"coordinates": {"q_elbow": sp.Symbol("shoulder")}}, "'v_shoulder' is taken"),
        ({"speeds": {"v_elbow": sp.Symbol("tau_elbow")}}, "'tau_elbow' is taken"),
        ({"speeds": {"v_elbow": W1**2}}, "the map is not linear in your speeds"),
        ({"speeds": {"v_shoulder": sp.sqrt(W1**2 + W2**2), "v_elbow": W2}}, "not linear in your speeds"),
        ({"speeds": {"v_elbow": W1 + 1}}, "not linear in your speeds"),
        ({"speeds": {"v_shoulder": W1 + W2, "v_elbow": W1 + W2}}, "speeds: the map is no change of variables"),
        ({"coordinates": ABSOLUTE, "speeds": ("v_shoulder", "v_elbow")}, "the speeds are v_phi1, v_phi2"),
    ],
)
def test_maps_that_are_none_are_refused(maps: dict[str, Any], said: str) -> None:
    with pytest.raises(SymbolicError, match=said):
        assert_same_equations({"mass_matrix": sp.eye(2)}, "double_pendulum", **maps)


# ---- what is said where something is missing -------------------------------------------------------------------------


def test_a_model_may_be_named_or_a_file(tmp_path: Path) -> None:
    mine = {"mass_matrix": pendulum()["mass_matrix"]}
    file = Path(mbsym.examples.path("double_pendulum"))
    for model in ("double_pendulum", str(file), file, mbsym.examples.load("double_pendulum")):
        assert_same_equations(mine, model, coordinates=ABSOLUTE)
    with pytest.raises(FormatError, match="neither a file nor an example"):
        assert_same_equations(mine, str(tmp_path / "double_pendulm"))


def test_all_unknown_symbols_are_named_with_what_there_is() -> None:
    M, lengths, angle, t = sp.Symbol("M1"), sp.Symbol("l3"), sp.Function("theta"), sp.Symbol("t")
    with pytest.raises(SymbolicError) as caught:
        assert_same_equations({"bias_force": [M * lengths * angle(t).diff(t), angle(t)]}, "double_pendulum")
    text = str(caught.value)
    assert text.startswith(
        "bias_force: nobody knows what theta, M1 (nearest: m1), l3 (nearest: l2) stand for; map them by symbols={...}"
    )
    for there in (
        "coordinates q_shoulder, q_elbow", "speeds v_shoulder, v_elbow", "their rates vdot_shoulder, vdot_elbow",
        "forces tau_shoulder, tau_elbow", "parameters m1, m2, l1, l2",
    ):  # fmt: skip
        assert there in text
    with pytest.raises(SymbolicError, match=r"what theta, given as 'q_sholder' \(nearest: q_shoulder\) stands for"):
        assert_same_equations({"gravity_force": [angle(t), 0]}, "double_pendulum", symbols={angle(t): "q_sholder"})


def test_a_residual_without_forces_gets_a_hint() -> None:
    free = pendulum()["mass_matrix"] * sp.Matrix(sp.symbols("vdot_phi1 vdot_phi2")) + pendulum()["bias_force"]
    hint = (
        r"your residual holds none of tau_phi1, tau_phi2, and it agrees where these are zero; a residual is M vdot \+ h"
    )
    with pytest.raises(AssertionError, match=hint):
        assert_same_equations({"residual": free}, "double_pendulum", coordinates=ABSOLUTE)
    with pytest.raises(AssertionError, match="does not agree where these are zero either"):
        assert_same_equations({"residual": free + sp.Matrix([M1, 0])}, "double_pendulum", coordinates=ABSOLUTE)
    with pytest.raises(AssertionError) as caught:
        wrong = free - sp.Matrix(sp.symbols("tau_phi1 tau_phi1"))
        assert_same_equations({"residual": wrong}, "double_pendulum", coordinates=ABSOLUTE)
    assert "holds none" not in str(caught.value)
