"""Quantities of formulations by name: listed, printed, compared, refused with a reason; so on the command line too."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
import sympy as sp

import mbsym
from mbsym.cli import main
from mbsym.errors import DerivationError, SymbolicError
from mbsym.formulations.constraint_force.matrices import cfa_matrices
from mbsym.loops.independent_quantities import INDEPENDENT_QUANTITIES
from mbsym.loops.loop_quantities import CONSTRAINT_FORCE_LOOPS, KANE_LOOPS, MULTIPLIERS
from mbsym.registry import FORMULATIONS, contracts_of
from mbsym.report.document import FORMATS, document
from mbsym.report.equations import LARGEST_WRITTEN_OUT, Equations
from mbsym.testing import assert_same_equations
from mechanisms.trees import tree_model

WITH_QUANTITIES = [name for name, each in FORMULATIONS.items() if each.quantities]


def rod() -> mbsym.Model:
    """A pendulum on a hinge whose inertia is a symbol."""
    return mbsym.Model(
        "rod",
        bodies=(mbsym.Body("rod", "m", ("l/2", 0, 0), ("J", "J", "J", 0, 0, 0)),),
        joints=(mbsym.Joint("hinge", "revolute", "ground", "rod", axis=(0, 0, 1)),),
        parameters=(mbsym.Parameter("m", 1), mbsym.Parameter("l", 2), mbsym.Parameter("J", 1)),
        gravity=(0, "-9.81", 0),
    )


@cache
def equations(formulation: str) -> Equations:
    if formulation == "transfer-matrix":  # which has no sliding joints
        return mbsym.derive(rod(), formulation)
    return mbsym.derive(tree_model((0, 1, 1), ("revolute", "prismatic", "revolute")), formulation)


# ---- what there is ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", WITH_QUANTITIES)
def test_each_says_what_it_is_and_where_it_is_from(formulation: str) -> None:
    of = equations(formulation)
    sizes = {
        "nv": 3,
        "nb": 3,
        "6nb": 18,
        "held": 15,
        "unknowns": 33,
        "state": 7,
        "states": 14,
        "ends": 2,
        "ends + 1": 3,
    }
    known = FORMULATIONS[formulation].quantities
    held = {**INDEPENDENT_QUANTITIES, **MULTIPLIERS, **CONSTRAINT_FORCE_LOOPS, **KANE_LOOPS}
    assert list(of.quantities) == [name for name in known if name not in held and name != "R"]
    for name, quantity in of.quantities.items():
        assert quantity.name == name and quantity.title and quantity.source
        assert quantity.sentence.endswith(".")
        shape = tuple(sizes.get(size, size) for size in quantity.shape)
        assert of.form(name).shape == shape
        assert of.matrix(name).shape == ((*shape, 1)[:2] if shape else (1, 1))
        assert repr(quantity).startswith(f"<Quantity {name}") and quantity.sentence in repr(quantity)


@pytest.mark.parametrize("formulation", WITH_QUANTITIES)
def test_names_are_not_those_of_functions(formulation: str) -> None:
    assert contracts_of(equations("auto").mechanism).keys().isdisjoint(FORMULATIONS[formulation].quantities)


def test_letters_of_the_algorithm_are_there() -> None:
    assert {"A", "B", "C", "W", "H", "P", "I", "X", "b", "gamma"} <= set(equations("cfa").quantities)
    assert equations("auto").quantities == {}


@pytest.mark.parametrize("name", ["A", "B", "C", "W", "P", "I"])
def test_matrices_are_those_that_the_formulation_derives(name: str) -> None:
    of = equations("cfa")
    known = cfa_matrices(of.mechanism).to_sympy(name).as_explicit()  # type: ignore[arg-type]
    point = dict(zip(of.coordinates, (sp.Rational(1, 3), sp.Rational(2, 5), sp.Rational(-3, 7)), strict=True))
    assert (of.matrix(name) - known).subs(point).evalf(30).norm() < 1e-25


def test_speeds_are_in_the_order_of_v() -> None:
    """Written last, the hinge at ground comes last in v and first among the labels."""
    model = tree_model((0, 1), ("revolute", "prismatic"))
    model = mbsym.Model("turned", model.bodies, model.joints[::-1])
    of = mbsym.derive(model, "cfa")
    assert [str(x) for x in of.speeds] == ["v_J2", "v_J1"]
    assert [place for place, entry in of.matrix("H").todok().items() if entry] == [(2, 1), (11, 0)]


# ---- documents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("formulation", "names"), [("cfa", ("A", "X")), ("kane", ("T", "mass_matrix"))])
def test_documents_of_quantities_hold_these_alone(form: str, formulation: str, names: tuple[str, ...]) -> None:
    of = equations(formulation)
    text = document(of, form, names)
    titles = [of.display(name).title for name in names]
    if form != "json":
        assert all(title in text for title in titles)
        assert "Operations of the generated functions" not in text and "Bias forces" not in text
        assert "source: " in text
    else:
        content = json.loads(text)
        assert list(content["quantities"]) == list(names)
        assert list(content["own_quantities"]) == list(of.quantities)
        assert "sections" not in content


def test_a_symmetric_matrix_is_shown_by_half() -> None:
    text = document(equations("cfa"), "text", ("A",))
    assert "Entries below the diagonal are those above it." in text
    places = [tuple(map(int, place)) for place in re.findall(r"^  A\[(\d+),(\d+)\]", text, re.M)]
    assert places and all(row <= column for row, column in places)


def test_json_is_the_matrix() -> None:
    of = equations("cfa")
    found = json.loads(document(of, "json", ("A", "gamma")))["quantities"]
    for name in ("A", "gamma"):
        assert found[name]["steps"] is None
        read = sp.Matrix([[sp.sympify(entry) for entry in row] for row in found[name]["entries"]])
        assert (read - of.matrix(name)).expand().is_zero_matrix


def test_a_document_names_the_size_of_what_it_lists_as_steps() -> None:
    of = mbsym.derive("space_robot", "kane")
    text = document(of, "text", ("inertia_forces",))
    operations = of.written_out("inertia_forces")
    assert operations > LARGEST_WRITTEN_OUT
    assert f"Written out it would have {operations} operations, about" in " ".join(text.split())
    assert len(text) < 400_000


def test_what_is_too_large_says_so_and_is_there_reduced() -> None:
    of = mbsym.derive("space_robot", "kane")
    with pytest.raises(DerivationError, match=r"inertia_forces written out has \d+ operations, about 33 MB") as error:
        of.matrix("inertia_forces")
    assert "reduced('inertia_forces'), 4508 operations" in error.value.remedy
    steps, values = of.reduced("inertia_forces")
    assert values.shape == (18, 1) and sum(sp.count_ops(value) for _, value in steps) < 20_000
    assert of.matrix("inertia_forces", any_size=True).shape == (18, 1)
    # Functions are there in any size, as ever.
    assert of.matrix("inverse_dynamics").shape == (18, 1)


# ---- refusals --------------------------------------------------------------------------------------------------------


def test_a_body_that_nothing_holds_has_no_constraint_matrix() -> None:
    of = mbsym.derive(tree_model((0,), ("free",)), "cfa")
    assert list(of.quantities) == ["C", "H", "H_bar", "P", "I", "b", "gamma", "F_known"]
    with pytest.raises(DerivationError, match=r"there is no A: A has no entries, for no joint holds") as error:
        of.matrix("A")
    assert "cfa has C, H, H_bar, P, I, b, gamma, F_known here" in error.value.remedy


def test_a_single_body_on_a_hinge_has_one() -> None:
    assert mbsym.derive(rod(), "cfa").matrix("A").shape == (5, 5)


def test_a_welded_body_has_no_columns_of_speeds() -> None:
    of = mbsym.derive(tree_model((0,), ("fixed",)), "kane")
    assert "T" in of.quantities and "H" not in of.quantities
    with pytest.raises(DerivationError, match=r"there is no partial_velocities: .* for no joint moves"):
        of.matrix("partial_velocities")


@pytest.mark.parametrize("name", ["A", "B", "C", "X"])
def test_without_an_inverse_inertia_the_reason_is_told(name: str) -> None:
    of = mbsym.derive("cart_pole", "cfa")
    assert name not in of.quantities
    with pytest.raises(DerivationError, match=f"there is no {name}: .*has no inverse inertia") as error:
        of.matrix(name)
    assert "use cfa-kkt" in error.value.remedy and "cfa has H, H_bar, W" in error.value.remedy


def test_another_formulation_names_the_one_that_has_it() -> None:
    with pytest.raises(DerivationError, match=r"kane has no quantity 'A', which belongs to cfa, cfa-serial") as error:
        equations("kane").matrix("A")
    assert "derive with formulation cfa; kane has T, H" in error.value.remedy
    with pytest.raises(DerivationError, match=r"auto has none of its own here"):
        equations("auto").reduced("T")


def test_an_unknown_name_lists_all() -> None:
    with pytest.raises(DerivationError, match=r"no quantity is called 'Z'; known: A, B, .*mass_matrix"):
        equations("cfa").form("Z")


# ---- comparison with a user's own ------------------------------------------------------------------------------------


def kane_by_hand() -> dict[str, sp.Matrix]:
    """Of the rod: it turns about z, and its centre moves across itself."""
    q, v, vdot, tau, m, l, J = sp.symbols("q_hinge v_hinge vdot_hinge tau_hinge m l J")
    V = sp.Matrix([0, 0, 1, -l / 2 * sp.sin(q), l / 2 * sp.cos(q), 0])
    g = sp.Rational("9.81")
    return {
        "T": sp.Matrix([[-1]]),
        "partial_velocities": V,
        "active_forces": sp.Matrix([tau - m * g * l / 2 * sp.cos(q)]),
        "inertia_forces": sp.Matrix([-(J + m * l**2 / 4) * vdot]),
        "mass_matrix": sp.Matrix([J + m * l**2 / 4]),
        "inertia_wrenches": sp.Matrix(
            [0, 0, -J * vdot, *(-m * l / 2 * x for x in (-sp.sin(q) * vdot - sp.cos(q) * v**2,
                                                         sp.cos(q) * vdot - sp.sin(q) * v**2, 0))]
        ),
    }  # fmt: skip


def test_quantities_by_hand_are_those_of_the_model() -> None:
    assert_same_equations(kane_by_hand(), rod(), formulation="kane")


@pytest.mark.parametrize("name", ["T", "partial_velocities", "active_forces", "inertia_forces", "inertia_wrenches"])
def test_a_mistake_is_found(name: str) -> None:
    mine = kane_by_hand()[name]
    row = max(k for k, entry in enumerate(mine) if entry != 0)
    mine[row] = 2 * mine[row]
    with pytest.raises(AssertionError, match=rf"{name}\[{row}"):
        assert_same_equations({name: mine}, rod(), formulation="kane")


def test_comparisons_that_cannot_be_made() -> None:
    mine = kane_by_hand()
    with pytest.raises(SymbolicError, match=r"it has 5 entries; this model's has 6.*6 x 1: V has the partial"):
        assert_same_equations({"partial_velocities": mine["partial_velocities"][:5]}, rod(), formulation="kane")
    for maps in ({"coordinates": {"q_hinge": 2 * sp.Symbol("phi")}}, {"speeds": ["v_hinge"]}):
        with pytest.raises(SymbolicError, match=r"T is compared in the model's own coordinates"):
            assert_same_equations({"T": mine["T"]}, rod(), formulation="kane", **maps)  # type: ignore[arg-type]
    with pytest.raises(SymbolicError, match=r"no equations were given; give one of .*residual, A, B"):
        assert_same_equations({"T": mine["T"]}, rod(), formulation="cfa")
    with pytest.raises(DerivationError, match=r"no entries"):
        assert_same_equations({"A": [1]}, tree_model((0,), ("free",)), formulation="cfa")
    # A matrix has attributes T and H, which are no equations.
    with pytest.raises(SymbolicError, match=r"no equations were given"):
        assert_same_equations(mine["T"], rod(), formulation="kane")


# ---- command line ----------------------------------------------------------------------------------------------------


def test_the_command_line_has_the_same_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["derive", "planar_3r", "--formulation", "kane", "--quantity", "T,H", "--quantity", "rotors,T"]) == 0
    text = capsys.readouterr().out
    assert re.findall(r"^(.*): \d+ operations$", text, re.M) == ["Path matrix T", "Joint columns H", "Rotor inertias"]
    out = tmp_path / "t.tex"
    line = ["derive", "planar_3r", "--formulation", "kane", "--quantity", "T", "--format", "latex-fragment"]
    assert main([*line, "-o", str(out)]) == 0
    assert r"\subsection*{Path matrix T}" in out.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main([*line[:6], "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["quantities"]["T"]["entries"] == [["-1", "-1", "-1"], ["0", "-1", "-1"], ["0", "0", "-1"]]


@pytest.mark.parametrize(
    ("formulation", "names", "said"),
    [
        ("cfa", "A", "there is no A"),
        ("kane", "A", "belongs to cfa"),
        ("kane", "T,nope", "no quantity is called 'nope'"),
        ("kane", ",", "no quantity is called ''"),
        ("transfer-matrix", "A", "belongs to cfa"),
    ],
)
def test_the_command_line_refuses(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, formulation: str, names: str, said: str
) -> None:
    out = tmp_path / "out.txt"
    line = ["derive", "double_pendulum", "--formulation", formulation, "--quantity", names]
    assert main([*line, "-o", str(out)]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and not captured.out and not out.exists()


def test_help_lists_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    main(["manual", "derive"])
    text = "".join(capsys.readouterr().out.split())
    for formulation in WITH_QUANTITIES:
        assert f"{formulation}:{','.join(FORMULATIONS[formulation].quantities)}" in text
