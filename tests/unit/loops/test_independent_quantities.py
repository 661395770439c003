"""Equations in independent speeds by name: as textbooks print them, where they hold, compared, refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import sympy as sp

import mbsym
from mbsym.cli import main
from mbsym.errors import DerivationError, SymbolicError
from mbsym.loops.independent_quantities import INDEPENDENT_QUANTITIES
from mbsym.options.texts import names_in
from mbsym.report.document import FORMATS, document
from mbsym.report.equations import Equations
from mbsym.testing import assert_same_equations
from mechanisms.textbook_wheels import DISC, SLEIGH, SNAKEBOARD, UPSIDE_DOWN, read

FORWARD = ("u=velocity(sleigh, in=sleigh).x", "w=v_turn")


def derived(tmp_path: Path, text: str, independent: Sequence[str] = ()) -> Equations:
    return mbsym.derive(read(tmp_path, text), "kane", independent=independent)


def entries(of: Equations, name: str) -> list[str]:
    """As they are printed, without those that are zero."""
    return [str(entry) for entry in of.matrix(name) if entry != 0]


# ---- as textbooks print them -----------------------------------------------------------------------------------------


def test_a_sleigh(tmp_path: Path) -> None:
    """u' = a w^2, (I + m a^2) w' = -m a u w."""
    of = derived(tmp_path, SLEIGH, FORWARD)
    assert entries(of, "independent_speeds") == ["v_x*cos(q_turn) + v_y*sin(q_turn)", "v_turn"]
    assert entries(of, "N") == ["cos(q_turn)", "sin(q_turn)", "1"]
    assert entries(of, "reduced_mass_matrix") == ["m", "I + a**2*m"]
    assert entries(of, "reduced_bias") == ["-a*m*w**2", "a*m*u*w"]
    assert entries(of, "reduced_forces") == ["tau_x*cos(q_turn) + tau_y*sin(q_turn)", "tau_turn"]
    assert entries(of, "reduced_equations") == ["m*(-a*w**2 + udot)", "I*wdot + a*m*(a*wdot + u*w)"]


def test_a_disc(tmp_path: Path) -> None:
    of = derived(tmp_path, DISC, ("v_yaw", "v_lean", "v_spin"))
    mass = of.matrix("reduced_mass_matrix")
    assert [str(mass[r, c]) for r, c in ((0, 0), (0, 2), (1, 1), (2, 2))] == [
        "m*r**2*(5*sin(q_lean)**2 + 1)/4",
        "3*m*r**2*sin(q_lean)/2",
        "5*m*r**2/4",
        "3*m*r**2/2",
    ]
    assert mass[0, 1] == mass[1, 2] == 0
    assert entries(of, "reduced_bias")[2] == "5*m*r**2*v_lean*v_yaw*cos(q_lean)/2"


@pytest.mark.more
def test_a_disc_along_the_axes_of_its_shaft(tmp_path: Path) -> None:
    of = derived(tmp_path, DISC, ("u1=v_lean", "u2=v_yaw*sin(q_lean) + v_spin", "u3=v_yaw*cos(q_lean)"))
    assert entries(of, "reduced_mass_matrix") == ["5*m*r**2/4", "3*m*r**2/2", "m*r**2/4"]
    assert entries(of, "reduced_bias")[1] == "m*r**2*u1*u3"
    assert "udot_2" in str(of.matrix("reduced_equations"))
    assert of.quantities["N"].told(of.mechanism)[-1] == "This holds where cos(q_lean) is positive."


def test_a_snakeboard(tmp_path: Path) -> None:
    of = derived(tmp_path, SNAKEBOARD, ("u=velocity(board, in=board).x", "v_psi", "v_phi"))
    assert entries(of, "N") == ["cos(q_turn)", "sin(q_turn)", "tan(q_phi)/l", "1", "1"]
    mass = of.matrix("reduced_mass_matrix")
    assert [str(entry) for entry in mass[:2, :2]][1:] == ["Jr*tan(q_phi)/l", "Jr*tan(q_phi)/l", "Jr"]
    assert entries(of, "reduced_bias")[1] == "Jr*u*v_phi/(l*cos(q_phi)**2)"


def test_a_slider_crank_moves_with_its_crank() -> None:
    of = mbsym.derive("slider_crank", "kane")
    crank, pin = of.coordinates[0], of.coordinates[1]
    l, r = sp.symbols("l r")
    motion = of.matrix("N")
    assert sp.simplify(motion[2] - r * sp.sin(pin) / sp.cos(crank + pin)) == 0
    assert sp.simplify(motion[1] + 1 + r * sp.cos(crank) / (l * sp.cos(crank + pin))) == 0
    assert entries(of, "independent_speeds") == ["v_crank_bearing"]


def test_what_is_long_is_in_terms_of_entries_of_N() -> None:
    text = document(mbsym.derive("four_bar", "kane"), "text", ("reduced_mass_matrix",))
    lines = {line.split(" = ")[0].strip(): line for line in text.splitlines() if " = " in line}
    assert {"N_21", "N_31", "M_r[1]"} <= set(lines)
    assert "N_21" in lines["M_r[1]"] and len(lines["M_r[1]"]) < 300


# ---- where they hold -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_documents_say_where_it_holds(tmp_path: Path, form: str) -> None:
    text = document(derived(tmp_path, SLEIGH, ("v_x", "v_turn")), form, ("N",)).replace("\\_", "_")
    assert "Here u = (v_x, v_turn). " in text or "Here u = (v_x, v_turn)." in text
    assert "This holds where cos(q_turn) is not zero." in text
    assert "closed" not in text.split("Here u =")[1].split("source")[0]


def test_loops_say_that_coordinates_are_all(tmp_path: Path) -> None:
    of = derived(tmp_path, DISC, ("v_yaw", "v_lean", "v_spin"))
    assert of.quantities["N"].told(of.mechanism) == (
        "Here u = (v_yaw, v_lean, v_spin).",
        "The coordinates are all of q, with the loops closed: they are not independent.",
        "This holds where cos(q_lean) is positive.",
    )


def test_a_root_has_the_sign_of_where_the_loops_were_closed(tmp_path: Path) -> None:
    of = derived(tmp_path, UPSIDE_DOWN, ("v_yaw", "v_lean", "v_spin"))
    assert of.quantities["N"].told(of.mechanism)[-1] == "This holds where -cos(q_lean) is positive."
    assert str(of.matrix("N")[2, 1]) == "r*sin(q_lean)"


def test_many_rows_are_solved_by_their_normal_equations() -> None:
    of = mbsym.derive("stewart_platform", "kane")
    assert of.matrix("N", any_size=True).shape == (of.mechanism.nv, 6)
    assert of.quantities["N"].told(of.mechanism)[-1] == "This holds where all other speeds follow from u."


# ---- comparison with a user's own ------------------------------------------------------------------------------------


def by_hand() -> dict[str, object]:
    m, a, inertia, u, w, udot, wdot = sp.symbols("m a I u w udot wdot")
    return {
        "reduced_mass_matrix": sp.diag(m, inertia + m * a**2),
        "reduced_bias": [-m * a * w**2, m * a * u * w],
        "reduced_equations": [m * udot - m * a * w**2, (inertia + m * a**2) * wdot + m * a * u * w],
    }


def test_equations_by_hand_are_those_of_the_model(tmp_path: Path) -> None:
    assert_same_equations(by_hand(), read(tmp_path, SLEIGH), formulation="kane", independent=FORWARD)


def test_a_mistake_by_hand_is_found(tmp_path: Path) -> None:
    model, mine = read(tmp_path, SLEIGH), by_hand()
    mine["reduced_bias"] = [-mine["reduced_bias"][0], mine["reduced_bias"][1]]  # type: ignore[index]
    with pytest.raises(AssertionError, match=r"reduced_bias\[0\] is different"):
        assert_same_equations(mine, model, formulation="kane", independent=FORWARD)
    with pytest.raises(SymbolicError, match="nobody knows what udot"):
        assert_same_equations({"reduced_equations": by_hand()["reduced_equations"]}, model, formulation="kane")


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", INDEPENDENT_QUANTITIES)
def test_trees_have_none(name: str) -> None:
    of = mbsym.derive("double_pendulum", "kane")
    assert name not in of.quantities
    with pytest.raises(DerivationError, match=f"there is no {name}: no closed loop and no constraint") as error:
        of.matrix(name)
    assert "kane has T, H, origins" in error.value.remedy
    with pytest.raises(DerivationError, match="no closed loop and no constraint"):
        mbsym.derive("double_pendulum", "kane", independent=["v_elbow"])


def test_structures_have_none() -> None:
    frame = mbsym.examples.load("four_bar")
    still = mbsym.Model(
        frame.name,
        frame.bodies,
        frame.joints,
        parameters=frame.parameters,
        constraints=(mbsym.ExpressionConstraint("stop", "q_A - 0.8", unit="rad"),),
    )
    with pytest.raises(DerivationError, match="no entries, for the constraints leave no freedom: this is a structure"):
        mbsym.derive(still, "kane").matrix("N")


@pytest.mark.parametrize(
    ("independent", "said"),
    [
        (("v_x", "v_trun"), "no independent speed is called 'v_trun'; did you mean v_turn"),
        (("v_x",), "2 freedoms take as many independent speeds, not 1: v_x; choose 2"),
        (("v_x", "q_x"), "2 freedoms take as many independent speeds, not 2: v_x, v_x; choose 2, each once"),
        (("v_x", "v_y"), "v_x, v_y cannot be independent: the other speeds do not follow"),
        (("u=velocity(sleigh, in=sleigh).y", "w=v_turn"), "u, w cannot be independent"),
        (("m=v_x", "v_turn"), "the name m is taken"),
        (("2u=v_x", "v_turn"), "'2u' is no name"),
        (("u=v_x*v_y", "v_turn"), "no speed is defined so: it is not linear in speeds"),
        (("u=v_x + 1", "v_turn"), "no speed is defined so: it is not zero at rest"),
        (("u=velocity(boat).x", "v_turn"), "there is no body or frame 'boat'"),
    ],
)
def test_choices_that_cannot_be(tmp_path: Path, independent: Sequence[str], said: str) -> None:
    with pytest.raises(DerivationError, match=said.replace("(", r"\(")):
        derived(tmp_path, SLEIGH, independent).matrix("N")


def test_other_formulations_take_no_choice() -> None:
    with pytest.raises(DerivationError, match="takes no choice of them; leave it out, or derive with formulation kane"):
        mbsym.derive("four_bar", "lagrange", independent=["v_A"])


# ---- command line ----------------------------------------------------------------------------------------------------


def test_commas_in_parentheses_part_no_names() -> None:
    assert names_in(["u=velocity(a, in=b).x, w=f(g(1, 2), 3)", "c"]) == [
        "u=velocity(a, in=b).x",
        "w=f(g(1, 2), 3)",
        "c",
    ]


def test_the_command_line_takes_a_choice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "sleigh.yaml").write_text(SLEIGH, encoding="utf-8")
    line = ["derive", str(tmp_path / "sleigh.yaml"), "--formulation", "kane", "--quantity", "reduced_mass_matrix"]
    assert main([*line, "--independent", ",".join(FORWARD), "--json"]) == 0
    content = json.loads(capsys.readouterr().out)["quantities"]["reduced_mass_matrix"]
    assert content["entries"] == [["m", "0"], ["0", "I + a**2*m"]]
    assert content["description"].endswith("Here u = (u, w).")
    assert main([*line, "--independent", "v_x"]) == 2
    assert "2 freedoms take as many independent speeds" in capsys.readouterr().err
