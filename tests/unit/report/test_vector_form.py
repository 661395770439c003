"""Short forms: what documents print, computed by NumPy, is what the reference computes by other mathematics."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

import mbsym
from mbsym.cli import main
from mbsym.errors import DerivationError, ProofError
from mbsym.formulations.kane import vector_form
from mbsym.reference.reference import Reference
from mbsym.report import velocity_products
from mbsym.report.document import document
from mbsym.report.equations import Equations
from mbsym.report.forms import FORMS
from mbsym.report.lengths import Length, lengths
from mbsym.testing import assert_same_equations
from mechanisms.benchmark_chains import spatial_chain
from mechanisms.examples import some
from mechanisms.random_trees import random_tree
from mechanisms.trees import tree_model

KINDS = ("revolute", "prismatic", "universal", "spherical", "cylindrical", "helical", "planar", "free", "fixed")
BOTH = ("mass_matrix", "bias_force")


def forked(*, backwards: bool) -> mbsym.Model:
    """A tree with every joint type, some of them walked backwards."""
    return tree_model((0, 1, 2, 1, 4, 5, 4, 7, 8), KINDS, backwards=backwards)


def without_centers() -> mbsym.Model:
    """An arm whose first moments are no multiples of its masses, with names that vectors have too."""
    return mbsym.Model(
        "arm",
        bodies=(
            mbsym.Body("upper", "m", inertia=(2, 3, 4, 0, 0, 0), inertia_about="frame", first_moment=("s_1", 0, 0.5)),
            mbsym.Body("lower", "m", ("c_2", 0, 0), (1, "g", "g", 0, 0, 0)),
        ),
        joints=(
            mbsym.Joint("turn", "revolute", "ground", "upper", axis=(1, 0, 0)),
            mbsym.Joint(
                "bend",
                "revolute",
                "upper",
                "lower",
                axis=(0, 1, 0),
                predecessor_placement=mbsym.Placement((0, "c_2", 0.7)),
            ),
        ),
        parameters=(
            mbsym.Parameter("m", 2),
            mbsym.Parameter("s_1", 0.3),
            mbsym.Parameter("c_2", 0.4),
            mbsym.Parameter("g", 3),
        ),
    )


def computed(equations: Equations, found: dict[str, Any], numbers: dict[str, float]) -> dict[tuple[int, ...], float]:
    """The entries of a document, by NumPy's dot and cross products in base axes."""
    labelling = equations.mechanism.labelling
    bodies = {label: str(name) for name, label in labelling.body_labels.items()}
    known: dict[str, Any] = {**vars(sp), **numbers, "dot": np.dot, "cross": np.cross}

    def components(each: dict[str, Any]) -> np.ndarray:
        return np.array([float(eval(text, known)) for text in each["components"]])

    turned = {}
    known |= {each["name"]: None for each in found["definitions"]}
    for each in found["definitions"]:
        if "meaning" not in each:
            known[each["name"]] = eval(each["value"], known)
        if "takes components" in each.get("meaning", ""):
            label = int(each["name"].removesuffix("_vec").removeprefix("R_"))
            turned[label] = components(each).reshape(3, 3)
    axes = {"ground": np.eye(3), bodies[0]: np.eye(3)}
    for label, parent in enumerate(labelling.inboard, start=1):
        axes[bodies[label]] = axes[bodies[parent]] @ turned.get(label, np.eye(3))
    for each in found["definitions"]:
        if "takes components" in each.get("meaning", "takes components"):
            continue
        if "value" in each:
            value = eval(each["value"], known)
        else:
            value, R = components(each), axes[each["axes"]]
            value = R @ value if len(value) == 3 else R @ value.reshape(3, 3) @ R.T
        known[each["name"]] = value
    return {tuple(map(int, place.split(","))): float(eval(text, known)) for place, text in found["entries"].items()}


def states(equations: Equations, seed: int) -> tuple[dict[str, float], np.ndarray, np.ndarray]:
    """Numbers of all symbols, and q and v."""
    mechanism = equations.mechanism
    random = np.random.default_rng(seed)
    q, v = random.uniform(-1, 1, mechanism.nq), random.uniform(-1, 1, mechanism.nv)
    for first in mechanism.q.quaternions:
        q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    numbers = {item.name: float(Fraction(item.default)) for item in mechanism.parameters}
    numbers |= dict(zip(map(str, equations.coordinates), q, strict=True))
    numbers |= {**dict(zip(map(str, equations.speeds), v, strict=True)), "t": 0.0}
    if mechanism.controls is not None:
        names = [str(mechanism.graph.arguments[ref][0]) for ref in mechanism.controls.symbols]
        numbers |= dict.fromkeys(names, 0.0)
    return numbers, q, v


MODELS = {
    "planar_3r": lambda: mbsym.examples.load("planar_3r"),
    "puma560": lambda: mbsym.examples.load("puma560"),
    "cart_pole": lambda: mbsym.examples.load("cart_pole"),
    "four_bar": lambda: mbsym.examples.load("four_bar"),
    "spatial_3": lambda: spatial_chain(3),
    "every joint": lambda: forked(backwards=False),
    "every joint, walked backwards": lambda: forked(backwards=True),
    "few joints, walked backwards": lambda: tree_model((0, 1, 1), ("universal", "spherical", "planar"), backwards=True),
    "no centres": without_centers,
    "space_robot": lambda: mbsym.examples.load("space_robot"),
    **{f"random {seed}": partial(random_tree, seed, bodies=5) for seed in range(6)},
}


@pytest.mark.parametrize("name", some(MODELS, ("planar_3r", "few joints, walked backwards", "no centres")))
def test_what_is_printed_is_what_the_reference_computes(name: str) -> None:
    model = MODELS[name]()
    equations = mbsym.derive(model)
    numbers, q, v = states(equations, seed=1)
    reference = Reference(model)
    quantities = json.loads(document(equations, "json", BOTH, "vectors"))["quantities"]
    M, h = np.zeros((len(v), len(v))), np.zeros(len(v))
    for (i, j), value in computed(equations, quantities["mass_matrix"], numbers).items():
        M[i - 1, j - 1] = M[j - 1, i - 1] = value
    for (i,), value in computed(equations, quantities["bias_force"], numbers).items():
        h[i - 1] = value
    size = np.abs(M).max()
    assert pytest.approx(reference.mass_matrix(q), abs=1e-11 * size) == M
    assert h == pytest.approx(reference.bias_force(q, v), abs=1e-11 * max(size, np.abs(h).max()))


# ---- the same in SymPy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quantity", BOTH)
def test_the_steps_in_sympy_are_the_closed_form_exactly(quantity: str) -> None:
    equations = mbsym.derive("planar_3r")
    steps, matrix = equations.vectors(quantity).reduced()
    assert any(str(name).startswith(("P_", "L_", "r_", "a_", "A_")) for name, _ in steps)
    symbols = sorted(equations.matrix(quantity).free_symbols, key=str)
    angles = {str(symbol) for symbol in equations.coordinates}
    # Points of the unit circle with rational sines and cosines make the comparison exact.
    at: dict[Any, Any] = {
        symbol: sp.Rational(3 + k, 7) for k, symbol in enumerate(symbols) if str(symbol) not in angles
    }
    for k, angle in enumerate(equations.coordinates):
        at[angle] = 2 * sp.atan(sp.Rational(1, k + 2))
    for name, value in steps:
        at[name] = sp.expand_trig(value.subs(at)) if value.has(sp.sin, sp.cos) else value.subs(at)
    found, known = matrix.subs(at), equations.matrix(quantity).subs(at)
    assert all(sp.simplify(sp.expand_trig(x)) == 0 for x in found - known)


# ---- what a reader sees ----------------------------------------------------------------------------------------------


def test_bias_of_a_spatial_three_link_arm_is_on_one_page() -> None:
    equations = mbsym.derive(spatial_chain(3))
    found = equations.vectors("bias_force")
    text = str(found)
    assert len(text.splitlines()) <= 45
    assert 5 * found.operations <= equations.written_out("bias_force")
    entries = [line.strip() for line in text.splitlines() if line.startswith("  h_")]
    assert entries == [
        "h_1 = e_1 . (N_1 + c_1 x F_1 + N_2 + r_21 x F_2 + N_3 + r_31 x F_3)",
        "h_2 = e_2 . (N_2 + c_2 x F_2 + N_3 + r_32 x F_3)",
        "h_3 = e_3 . (N_3 + c_3 x F_3)",
    ]


def test_parallel_axes_have_one_name_and_what_vanishes_is_left_out() -> None:
    found = mbsym.derive("planar_3r").vectors("bias_force")
    names = [row.left for row in found.defined.rows]
    assert [name for name in names if name.startswith("e_")] == ["e_1"]
    assert not any(name.startswith(("alpha_", "N_", "J_")) for name in names)


def test_operations_are_counted_as_they_are_printed() -> None:
    found = mbsym.derive("planar_3r").vectors("bias_force")
    # A dot and two cross products with a plus between; the same; a dot and a cross product.
    assert found.operations_of_entries == 4 + 4 + 2
    # omega_1 to omega_3, A_2 and A_3, a_2 and a_3, F_2 and F_3, r_21, r_32 and r_31, and these.
    assert found.operations == (1 + 2 + 2) + (2 + 3) + (3 + 3) + (1 + 1) + 3 + 10


@pytest.mark.parametrize(
    ("language", "pieces"),
    [
        ("text", ("h_3 = e_1 . (c_3 x F_3)", "F_3     = m3 a_3")),
        ("latex", (r"h_{3} &= \boldsymbol{e_{1}} \cdot \left(\boldsymbol{c_{3}} \times \boldsymbol{F_{3}}\right)",)),
        ("html", ("<mo>×</mo>", "𝝎", "<small>angular velocity of link2</small>")),
        ("json", ('"3": "dot(e_1, cross(c_3, F_3))"',)),
    ],
)
def test_every_format_has_them(language: str, pieces: tuple[str, ...]) -> None:
    text = document(mbsym.derive("planar_3r"), language, ("bias_force",), "vectors")
    for piece in pieces:
        assert piece in text


def test_every_form_is_in_every_format() -> None:
    equations = mbsym.derive("planar_3r")
    for form in FORMS:
        if form in ("vectors", "lengths"):
            html = document(equations, "html", ("bias_force",), form)
            ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", html))
        (found,) = json.loads(document(equations, "json", ("bias_force",), form))["quantities"].values()
        assert {"entries", "lengths"} & found.keys()
        latex = document(equations, "latex-fragment", ("bias_force",), form)
        assert latex.count("{") == latex.count("}")
        assert "Bias forces" in document(equations, "text", ("bias_force",), form)


def test_what_does_not_move_is_said_to_be_zero() -> None:
    slide = mbsym.Model(
        "slide",
        bodies=(mbsym.Body("block", 1),),
        joints=(mbsym.Joint("rail", "prismatic", "ground", "block", axis=(1, 0, 0)),),
        gravity=(0, 0, 0),
    )
    assert "all entries are zero" in document(mbsym.derive(slide), "text", ("bias_force",), "vectors")


def test_names_of_the_model_are_not_used_for_vectors() -> None:
    found = mbsym.derive(without_centers()).vectors("bias_force")
    names = {row.left for row in found.defined.rows}
    assert {"g_vec", "s_1_vec", "c_2_vec"} <= names and not {"g", "s_1", "c_2"} & names


# ---- what is wrong, and what is refused ------------------------------------------------------------------------------


def test_a_wrong_form_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_form, "_swing", lambda alpha, omega, arm: vector_form.crossed(alpha, arm))
    with pytest.raises(ProofError, match="bias_force in vectors is not what the recursive derivation gives"):
        mbsym.derive("planar_3r").vectors("bias_force")


def test_other_quantities_have_no_vectors() -> None:
    with pytest.raises(DerivationError, match="gravity_force has no form in vectors"):
        mbsym.derive("planar_3r").vectors("gravity_force")


def test_what_is_flat_and_large_says_how_large_and_what_is_shorter(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mbsym.report.contents.LARGEST_WRITTEN_OUT", 50_000)
    assert main(["derive", "puma560", "--form", "flat", "--quantity", "bias_force"]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert "MB of text; take" in told.err and "--form vectors" in told.err and "--form steps" in told.err


def test_the_command_line_knows_the_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "planar_3r", "--form", "vector"]) == 2
    assert "did you mean 'vectors'?" in capsys.readouterr().err
    assert main(["derive", "planar_3r", "--form", "vectors"]) == 0
    text = capsys.readouterr().out
    assert "Mass matrix in vectors" in text and "Bias forces in vectors" in text
    assert main(["derive", "planar_3r", "--form", "steps", "--quantity", "mass_matrix"]) == 0
    assert "t1 = " in capsys.readouterr().out


# ---- products of speeds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", some(("planar_3r", "cart_pole", "puma560", "four_bar"), ("planar_3r", "cart_pole")))
def test_products_of_speeds_are_the_bias_exactly(name: str) -> None:
    equations = mbsym.derive(name)
    found = equations.velocity_products().steps
    values = {sp.Symbol(left): value for left, value in found.groups[0].steps}
    h = sp.Matrix([entry.xreplace(values) for entry in found.outputs])
    assert_same_equations({"bias_force": h}, name)
    speeds = set(equations.speeds)
    assert all(not value.free_symbols & speeds for value in values.values())


def test_the_puma_has_fewer_coefficients_than_its_authors_found() -> None:
    found = mbsym.derive("puma560", symbolic_parameters="none").velocity_products().steps
    assert len(found.groups[0].steps) == 35 < 39


def test_wrong_coefficients_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    derive = velocity_products._coefficients
    monkeypatch.setattr(velocity_products, "_coefficients", lambda *given: dict(list(derive(*given).items())[:-1]))
    equations = mbsym.derive("cart_pole")
    assert equations.velocity_products()
    monkeypatch.setattr(velocity_products, "_coefficients", lambda *given: dict(list(derive(*given).items())[3:]))
    with pytest.raises(DerivationError, match="h is more than products of speeds"):
        equations.velocity_products()


def test_speeds_that_are_no_rates_are_refused() -> None:
    with pytest.raises(DerivationError, match="speeds are not the rates of the coordinates; take `form vectors`"):
        mbsym.derive("spinning_top").velocity_products()


# ---- lengths ---------------------------------------------------------------------------------------------------------


def test_lengths_are_counted_as_they_are_printed() -> None:
    rod = mbsym.Model(
        "rod",
        bodies=(mbsym.Body("rod", "m", ("l", 0, 0), (0, 0, "J", 0, 0, 0)),),
        joints=(mbsym.Joint("hinge", "revolute", "ground", "rod", axis=(0, 0, 1)),),
        parameters=(mbsym.Parameter("m", 1), mbsym.Parameter("l", 2), mbsym.Parameter("J", 1)),
        gravity=(0, -10, 0),
    )
    equations = mbsym.derive(rod)
    # M = J + l**2*m; h = 10*l*m*cos(q), once more in products of speeds, of which there are none.
    assert lengths(equations, "mass_matrix")[0] == Length("flat", 2, 3)
    assert lengths(equations, "bias_force")[:2] == (Length("flat", 1, 3), Length("products", 1, 3))
    # L = J.e + m c x (e x c), M = e.L: two dots, two crosses, a product and a sum.
    assert lengths(equations, "mass_matrix")[1] == Length("vectors", 3, 6)
