"""Hand-derived equations against the model, as a user's own test would have it."""

from __future__ import annotations

import pytest
import sympy as sp

import mbsym
from mbsym.errors import SymbolicError
from mbsym.testing import assert_same_equations, compare_equations


@pytest.fixture(scope="module")
def cart_pole() -> tuple[mbsym.Model, dict[str, sp.Symbol]]:
    """A cart along x with a point mass m on a massless rod l that hangs from it at angle q_pin."""
    model = mbsym.Model(
        "cart",
        bodies=(mbsym.Body("cart", mass="M"), mbsym.Body("bob", mass="m", center_of_mass=(0, 0, "-l"))),
        joints=(
            mbsym.Joint("rail", "prismatic", "ground", "cart", axis=(1, 0, 0)),
            mbsym.Joint("pin", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ),
        parameters=tuple(mbsym.Parameter(n, v) for n, v in (("M", 2), ("m", 1), ("l", 0.5), ("g", 9.81))),
        gravity=(0, 0, "-g"),
    )
    names = ("q_rail", "q_pin", "v_rail", "v_pin", "M", "m", "l", "g")
    return model, {name: sp.Symbol(name) for name in names}


def by_hand(s: dict[str, sp.Symbol]) -> dict[str, sp.Matrix]:
    m, l, q = s["m"], s["l"], s["q_pin"]
    mass = sp.Matrix([[s["M"] + m, -m * l * sp.cos(q)], [-m * l * sp.cos(q), m * l**2]])
    bias = sp.Matrix([m * l * sp.sin(q) * s["v_pin"] ** 2, m * s["g"] * l * sp.sin(q)])
    return {"mass_matrix": mass, "bias_force": bias}


def test_textbook_cart_pole_is_accepted(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    model, s = cart_pole
    assert_same_equations(by_hand(s), model)


def test_a_wrong_sign_is_named_and_shown(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    model, s = cart_pole
    mine = by_hand(s)
    mine["bias_force"] = sp.Matrix([-mine["bias_force"][0], mine["bias_force"][1]])
    with pytest.raises(AssertionError, match=r"bias_force\[0\] is different[\s\S]*yours:[\s\S]*q = "):
        assert_same_equations(mine, model)


def test_rows_follow_the_speeds_that_the_user_names(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    model, s = cart_pole
    swapped = by_hand(s)["mass_matrix"][::-1, ::-1]
    assert_same_equations({"mass_matrix": swapped}, model, speeds=("v_pin", "v_rail"))
    with pytest.raises(AssertionError):
        assert_same_equations({"mass_matrix": swapped}, model)


def test_lagrangian_of_time_functions(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    model, s = cart_pole
    t = sp.Symbol("t")
    x, a = sp.Function("x")(t), sp.Function("a")(t)
    px, pz = x - s["l"] * sp.sin(a), -s["l"] * sp.cos(a)
    kinetic = s["M"] * x.diff(t) ** 2 / 2 + s["m"] * (px.diff(t) ** 2 + pz.diff(t) ** 2) / 2
    lagrangian = kinetic - s["m"] * s["g"] * pz
    names = {x: "q_rail", a: "q_pin"}
    assert_same_equations({"lagrangian": lagrangian}, model, symbols=names)
    with pytest.raises(AssertionError, match="residual"):
        assert_same_equations({"lagrangian": lagrangian + s["m"] * pz}, model, symbols=names)


def test_residual_of_either_sign(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    model, s = cart_pole
    mine = by_hand(s)
    rates, forces = sp.Matrix(sp.symbols("vdot_rail vdot_pin")), sp.Matrix(sp.symbols("tau_rail tau_pin"))
    residual = mine["mass_matrix"] * rates + mine["bias_force"] - forces
    assert_same_equations({"residual": residual}, model)
    assert_same_equations({"residual": [-residual[0], residual[1]]}, model)
    with pytest.raises(AssertionError):
        assert_same_equations({"residual": residual + sp.Matrix([rates[0], 0])}, model)


def test_kanes_method_of_sympy_agrees(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    from sympy.physics import mechanics as me

    model, s = cart_pole
    x, a = me.dynamicsymbols("q_rail q_pin")
    u, w = me.dynamicsymbols("v_rail v_pin")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    rod = frame.orientnew("B", "Axis", (a, frame.y))
    rod.set_ang_vel(frame, w * frame.y)
    cart = origin.locatenew("C", x * frame.x)
    cart.set_vel(frame, u * frame.x)
    bob = cart.locatenew("P", -s["l"] * rod.z)
    bob.v2pt_theory(cart, frame, rod)
    t = me.dynamicsymbols._t
    kane = me.KanesMethod(frame, [x, a], [u, w], [x.diff(t) - u, a.diff(t) - w])
    loads = [(bob, -s["m"] * s["g"] * frame.z), (cart, -s["M"] * s["g"] * frame.z)]
    kane.kanes_equations([me.Particle("c", cart, s["M"]), me.Particle("p", bob, s["m"])], loads)
    bias = -kane.forcing
    assert_same_equations({"mass_matrix": kane.mass_matrix, "bias_force": bias}, model)


def test_functions_without_field_meaning_fall_back_to_floats() -> None:
    q, v = sp.symbols("q_j v_j")
    model = mbsym.Model(
        "damped",
        bodies=(mbsym.Body("b", mass=1, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(mbsym.Joint("j", "revolute", "ground", "b"),),
        forces=(mbsym.JointForce("f", "j", "-tanh(v_j)"),),
    )
    assert_same_equations({"bias_force": [sp.tanh(v)]}, model)
    exponential = (sp.exp(v) - sp.exp(-v)) / (sp.exp(v) + sp.exp(-v))
    (found,) = compare_equations({"bias_force": [exponential]}, model)
    assert found.verdict.kind == "equal" and "tanh" in found.verdict.functions
    with pytest.raises(AssertionError):
        assert_same_equations({"bias_force": [exponential + q / 1000]}, model)


def test_nothing_to_compare_is_an_error(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    with pytest.raises(SymbolicError, match="no equations"):
        assert_same_equations({"masses": 3}, cart_pole[0])
    with pytest.raises(SymbolicError, match="speeds are v_rail, v_pin"):
        assert_same_equations(by_hand(cart_pole[1]), cart_pole[0], speeds=("v_rail",))
    with pytest.raises(SymbolicError, match="mass_of_cart"):
        assert_same_equations({"mass_matrix": [[sp.Symbol("mass_of_cart"), 0], [0, 1]]}, cart_pole[0])
