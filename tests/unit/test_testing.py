"""Hand-derived equations against the model, as a user's own test would have it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

import mbsym
from mbsym.errors import SymbolicError
from mbsym.testing import assert_same_equations, compare_equations
from mechanisms.one_joint import one_joint


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
    with pytest.raises(AssertionError, match=r"bias_force\[0\] \(row v_rail\) is different[\s\S]*yours:[\s\S]*q_pin ="):
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
    model = replace(one_joint(), forces=(mbsym.JointForce("f", "j", "-tanh(v_j)"),))
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


# ---- quaternions -----------------------------------------------------------------------------------------------------


def top_by_hand() -> dict[str, sp.Matrix]:
    """Euler's equations of a symmetric top about its tip, gravity along the vertical in body axes."""
    m, l, t, a = sp.symbols("m l I_t I_s")
    w, x, y, z = sp.symbols("q_tip_w q_tip_x q_tip_y q_tip_z")
    omega = sp.Matrix(sp.symbols("v_tip_x v_tip_y v_tip_z"))
    inertia = sp.diag(t, t, a)
    up = sp.Matrix([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)])
    weight = sp.Matrix([0, 0, l]).cross(-m * sp.Rational(981, 100) * up)
    return {"mass_matrix": inertia, "bias_force": omega.cross(inertia * omega) - weight}


def test_spinning_top_by_hand() -> None:
    model = mbsym.examples.load("spinning_top")
    assert_same_equations(top_by_hand(), model)
    wrong = top_by_hand()
    wrong["mass_matrix"] = sp.diag(*sp.symbols("I_t I_s I_s"))
    with pytest.raises(AssertionError, match=r"mass_matrix\[1, 1\] \(row v_tip_y, column v_tip_y\)"):
        assert_same_equations(wrong, model)


def test_unit_length_may_be_used() -> None:
    """Third row of the rotation matrix in its other form, which is equal for unit quaternions only."""
    mine = top_by_hand()
    w, x, y, z = sp.symbols("q_tip_w q_tip_x q_tip_y q_tip_z")
    mine["bias_force"] = mine["bias_force"] * (w**2 + x**2 + y**2 + z**2)
    assert_same_equations(mine, mbsym.examples.load("spinning_top"))


def test_lagrangian_of_the_spinning_top() -> None:
    model = mbsym.examples.load("spinning_top")
    m, l, t, a, x, y = sp.symbols("m l I_t I_s q_tip_x q_tip_y")
    wx, wy, wz = sp.symbols("v_tip_x v_tip_y v_tip_z")
    height = l * (1 - 2 * (x**2 + y**2))
    lagrangian = (t * wx**2 + t * wy**2 + a * wz**2) / 2 - m * sp.Rational(981, 100) * height
    assert_same_equations({"lagrangian": lagrangian}, model)
    with pytest.raises(AssertionError, match=r"residual\[0\] \(row v_tip_x\)"):
        assert_same_equations({"lagrangian": lagrangian + wz**2}, model)


def test_lagrangian_of_a_free_body_with_an_arm() -> None:
    """Angular and linear velocities of the body beside the rate of an angle; everything couples."""
    model = mbsym.Model(
        "free",
        bodies=(
            mbsym.Body("hull", mass="M", inertia=("A", "B", "C", 0, 0, 0)),
            mbsym.Body("arm", mass="m", center_of_mass=("l", 0, 0)),
        ),
        joints=(
            mbsym.Joint("base", "free", "ground", "hull"),
            mbsym.Joint("hinge", "revolute", "hull", "arm", predecessor_placement=mbsym.Placement((0, "d", 0))),
        ),
        parameters=tuple(mbsym.Parameter(name, 1) for name in ("M", "m", "l", "d", "A", "B", "C")),
    )
    M, m, l, d, A, B, C = sp.symbols("M m l d A B C")
    omega = sp.Matrix(sp.symbols("v_base_wx v_base_wy v_base_wz"))
    v = sp.Matrix(sp.symbols("v_base_vx v_base_vy v_base_vz"))
    q, rate = sp.symbols("q_hinge v_hinge")
    arm = sp.Matrix([l * sp.cos(q), d + l * sp.sin(q), 0])
    tip = v + omega.cross(arm) + rate * sp.Matrix([-l * sp.sin(q), l * sp.cos(q), 0])
    kinetic = M * v.dot(v) / 2 + omega.dot(sp.diag(A, B, C) * omega) / 2 + m * tip.dot(tip) / 2
    w, x, y, z, pz = sp.symbols("q_base_w q_base_x q_base_y q_base_z q_base_pz")
    up = sp.Matrix([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)])
    g = sp.Rational(981, 100)
    potential = M * g * pz + m * g * (pz + up.dot(arm))
    assert_same_equations({"lagrangian": kinetic - potential}, model)
    with pytest.raises(AssertionError, match="row v_base_wx"):
        assert_same_equations({"lagrangian": kinetic - potential + omega[0] * v[1]}, model)


# ---- inputs, time, couplings, loops ----------------------------------------------------------------------------------


def test_inputs_and_time_are_symbols_too() -> None:
    model = mbsym.Model(
        "driven",
        bodies=(mbsym.Body("b", mass="m"),),
        joints=(mbsym.Joint("slide", "prismatic", "ground", "b", axis=(1, 0, 0)),),
        parameters=(mbsym.Parameter("m", 2),),
        inputs=(mbsym.ControlInput("pull", "N"),),
        forces=(
            mbsym.JointForce("shaker", "slide", "3*sin(2*t)"),
            mbsym.JointForce("motor", "slide", "pull"),
        ),
    )
    t, pull = sp.symbols("t pull")
    assert_same_equations({"bias_force": [-3 * sp.sin(2 * t) - pull]}, model)
    of_time = sp.Function("pull")(t)
    assert_same_equations({"bias_force": [-3 * sp.sin(2 * t) - of_time]}, model)
    x = sp.Function("x")(t)
    acceleration = sp.Symbol("m") * x.diff(t, 2) - 3 * sp.sin(2 * t) - of_time - sp.Symbol("tau_slide")
    for meaning in ("q_slide", sp.Symbol("q_slide")):
        assert_same_equations({"residual": [acceleration]}, model, symbols={x: meaning})
    with pytest.raises(AssertionError, match=r"bias_force\[0\] \(row v_slide\)[\s\S]* t = [\s\S]*pull = "):
        assert_same_equations({"bias_force": [-3 * sp.sin(t) - pull]}, model)


def test_couplings_leave_the_independent_speeds() -> None:
    model = mbsym.Model(
        "geared",
        bodies=(mbsym.Body("a", inertia=(0, 0, "I", 0, 0, 0)), mbsym.Body("b", inertia=(0, 0, "J", 0, 0, 0))),
        joints=(mbsym.Joint("one", "revolute", "ground", "a"), mbsym.Joint("two", "revolute", "ground", "b")),
        couplings=(mbsym.Coupling("two", "one", -3),),
        parameters=(mbsym.Parameter("I", 1), mbsym.Parameter("J", 1)),
    )
    inertia, other, speed = sp.symbols("I J v_one")
    assert_same_equations({"mass_matrix": [[inertia + 9 * other]], "bias_force": [0]}, model)
    assert_same_equations({"lagrangian": (inertia + 9 * other) * speed**2 / 2}, model)


def test_loops_are_compared_as_trees() -> None:
    equations = mbsym.derive("four_bar")
    model = mbsym.examples.load("four_bar")
    assert_same_equations(equations, model)
    with pytest.raises(AssertionError):
        assert_same_equations({"mass_matrix": equations.mass_matrix + sp.eye(3)}, model)


def test_forcing_without_joint_forces(cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]]) -> None:
    """What KanesMethod and LagrangesMethod of SymPy give where nothing but weight acts."""
    model, s = cart_pole
    mine = by_hand(s)
    assert_same_equations({"forcing": -mine["bias_force"]}, model)
    tau = sp.Matrix(sp.symbols("tau_rail tau_pin"))
    assert_same_equations({"forcing": tau - mine["bias_force"]}, model)
    with pytest.raises(AssertionError, match="forcing"):
        assert_same_equations({"forcing": mine["bias_force"]}, model)


# ---- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "message"),
    [
        ({"mass_matrix": [[1, 0]]}, "mass_matrix: it has 2 entries; this model's has 4"),
        ({"residual": [0]}, "residual: it has 1 entries; this model's has 2"),
        ({"bias_force": sp.zeros(3, 1)}, "in the order of the speeds v_rail, v_pin"),
        ({"lagrangian": [0, 1]}, "give a scalar"),
    ],
)
def test_wrong_sizes_are_said(
    cart_pole: tuple[mbsym.Model, dict[str, sp.Symbol]], mine: dict[str, object], message: str
) -> None:
    with pytest.raises(SymbolicError, match=message):
        assert_same_equations(mine, cart_pole[0])


def test_float_states_show_where_they_differ() -> None:
    q, v = sp.symbols("q_j v_j")
    model = replace(one_joint(), forces=(mbsym.JointForce("f", "j", "-tanh(v_j)"),))
    exponential = (sp.exp(v) - sp.exp(-v)) / (sp.exp(v) + sp.exp(-v)) + 0 * q
    (found,) = compare_equations({"bias_force": [exponential + sp.Rational(1, 10)]}, model)
    assert found.verdict.kind == "different" and found.place == "row v_j"
    first, second = found.verdict.values
    assert abs(first - second - 0.1) < 1e-12 and "v" in found.verdict.point
    # States in which an expression has no real value decide nothing; the others do.
    (found,) = compare_equations({"bias_force": [exponential + sp.log(v) - sp.log(2 * v) + sp.log(2)]}, model)
    assert found.verdict.kind == "equal" and 0 < found.verdict.trials < 20


def test_of_two_values_the_first_is_the_users() -> None:
    """The cart's entry of the mass matrix is m_cart + m_pole, for which the user takes m_pole."""
    pole = sp.Symbol("m_pole")
    (found,) = compare_equations({"mass_matrix": sp.diag(pole, pole)}, "cart_pole")
    (cart,), (mass,) = (found.verdict.point[name] for name in ("m_cart", "m_pole"))
    assert found.verdict.values == pytest.approx((mass, cart + mass))
