"""Closed forms beside those of textbooks: exactly equal, and with no more operations than the author wrote.

Both sides are counted by SymPy's ``count_ops`` as they are printed; M's upper triangle and the bias. The tables are
printed: ``pytest -s`` shows them.

Sources: M. W. Spong, S. Hutchinson, M. Vidyasagar, Robot Modeling and Control, 2006, section 7.4 (planar elbow
manipulator, absolute terms by Christoffel symbols); J. J. Craig, Introduction to Robotics, 3rd edition, 2005, section
6.7 (two links with point masses); R. V. Florian, Correct equations for the dynamics of the cart-pole system, 2007; the
arm of three links follows from section 7.3 of Spong et al., written out by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import sympy as sp

import mbsym
from mbsym.report.equations import derive
from mbsym.testing import assert_same_equations
from mechanisms.benchmark_chains import spatial_chain


@dataclass(frozen=True)
class Textbook:
    model: mbsym.Model
    mass_matrix: sp.Matrix
    bias_force: sp.Matrix


def symbols(text: str) -> Any:
    return sp.symbols(text)


def double_pendulum() -> Textbook:
    """Spong et al. 7.4 with lc = l/2, I = m l^2/12, angles from the vertical: uniform rods."""
    m1, m2, l1, l2 = symbols("m1 m2 l1 l2")
    q1, q2, v1, v2 = symbols("q_shoulder q_elbow v_shoulder v_elbow")
    g = sp.Rational(981, 100)
    d11 = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * sp.cos(q2))
    d12 = m2 * (l2**2 / 3 + l1 * l2 * sp.cos(q2) / 2)
    d22 = m2 * l2**2 / 3
    h = m2 * l1 * l2 * sp.sin(q2) / 2
    gravity2 = m2 * g * l2 * sp.sin(q1 + q2) / 2
    bias = [
        -m2 * l1 * l2 * sp.sin(q2) * (2 * v1 * v2 + v2**2) / 2 + (m1 / 2 + m2) * g * l1 * sp.sin(q1) + gravity2,
        h * v1**2 + gravity2,
    ]
    return Textbook(mbsym.examples.load("double_pendulum"), sp.Matrix([[d11, d12], [d12, d22]]), sp.Matrix(bias))


def planar_elbow() -> Textbook:
    """Spong et al. 7.4 as printed: lengths to the centres of mass and moments of inertia are symbols."""
    m1, m2, l1, lc1, lc2, I1, I2, g = symbols("m1 m2 l1 lc1 lc2 I1 I2 g")
    q1, q2, v1, v2 = symbols("q_1 q_2 v_1 v_2")
    d11 = m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * sp.cos(q2)) + I1 + I2
    d12 = m2 * (lc2**2 + l1 * lc2 * sp.cos(q2)) + I2
    d22 = m2 * lc2**2 + I2
    bias = [
        -m2 * l1 * lc2 * sp.sin(q2) * (2 * v1 * v2 + v2**2)
        + (m1 * lc1 + m2 * l1) * g * sp.cos(q1)
        + m2 * lc2 * g * sp.cos(q1 + q2),
        m2 * l1 * lc2 * sp.sin(q2) * v1**2 + m2 * lc2 * g * sp.cos(q1 + q2),
    ]
    model = mbsym.Model(
        "planar_elbow",
        bodies=(
            mbsym.Body("one", "m1", ("lc1", 0, 0), (0, 0, "I1", 0, 0, 0)),
            mbsym.Body("two", "m2", ("lc2", 0, 0), (0, 0, "I2", 0, 0, 0)),
        ),
        joints=(
            mbsym.Joint("1", "revolute", "ground", "one"),
            mbsym.Joint("2", "revolute", "one", "two", predecessor_placement=mbsym.Placement(("l1", 0, 0))),
        ),
        parameters=tuple(mbsym.Parameter(name, 1) for name in ("m1", "m2", "l1", "lc1", "lc2", "I1", "I2", "g")),
        gravity=(0, "-g", 0),
    )
    return Textbook(model, sp.Matrix([[d11, d12], [d12, d22]]), sp.Matrix(bias))


def point_masses() -> Textbook:
    """Craig 6.7, equation (6.58 and following): point masses at the ends of two massless links."""
    m1, m2, l1, l2, g = symbols("m1 m2 l1 l2 g")
    q1, q2, v1, v2 = symbols("q_1 q_2 v_1 v_2")
    c1, c2, s2, c12 = sp.cos(q1), sp.cos(q2), sp.sin(q2), sp.cos(q1 + q2)
    m11 = l2**2 * m2 + 2 * l1 * l2 * m2 * c2 + l1**2 * (m1 + m2)
    m12 = l2**2 * m2 + l1 * l2 * m2 * c2
    bias = [
        -m2 * l1 * l2 * s2 * v2**2 - 2 * m2 * l1 * l2 * s2 * v1 * v2 + m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1,
        m2 * l1 * l2 * s2 * v1**2 + m2 * l2 * g * c12,
    ]
    model = mbsym.Model(
        "point_masses",
        bodies=(mbsym.Body("one", "m1", ("l1", 0, 0)), mbsym.Body("two", "m2", ("l2", 0, 0))),
        joints=(
            mbsym.Joint("1", "revolute", "ground", "one"),
            mbsym.Joint("2", "revolute", "one", "two", predecessor_placement=mbsym.Placement(("l1", 0, 0))),
        ),
        parameters=tuple(mbsym.Parameter(name, 1) for name in ("m1", "m2", "l1", "l2", "g")),
        gravity=(0, "-g", 0),
    )
    return Textbook(model, sp.Matrix([[m11, m12], [m12, l2**2 * m2]]), sp.Matrix(bias))


def cart_pole() -> Textbook:
    """Florian 2007, a uniform pole; there with half the length, friction of the cart linear here."""
    M, m, l, d, push = symbols("m_cart m_pole l d push")
    q, v, w = symbols("q_hinge v_rail v_hinge")
    m12 = m * l * sp.cos(q) / 2
    bias = [d * v - push - m * l * w**2 * sp.sin(q) / 2, -m * sp.Rational(981, 100) * l * sp.sin(q) / 2]
    mass = sp.Matrix([[M + m, m12], [m12, m * l**2 / 3]])
    return Textbook(mbsym.examples.load("cart_pole"), mass, sp.Matrix(bias))


def planar_3r() -> Textbook:
    """By hand from the kinetic energy of the absolute velocities, and Christoffel symbols."""
    m1, m2, m3, l1, l2, c1, c2, c3, I1, I2, I3 = symbols("m1 m2 m3 l1 l2 c1 c2 c3 I1 I2 I3")
    q2, q3, v1, v2, v3 = symbols("q_elbow q_wrist v_shoulder v_elbow v_wrist")
    C2, C3, C23, S2, S3, S23 = sp.cos(q2), sp.cos(q3), sp.cos(q2 + q3), sp.sin(q2), sp.sin(q3), sp.sin(q2 + q3)
    d33 = I3 + m3 * c3**2
    d23 = I3 + m3 * (c3**2 + l2 * c3 * C3)
    d13 = I3 + m3 * (c3**2 + l1 * c3 * C23 + l2 * c3 * C3)
    d22 = I2 + I3 + m2 * c2**2 + m3 * (l2**2 + c3**2 + 2 * l2 * c3 * C3)
    d12 = I2 + I3 + m2 * (c2**2 + l1 * c2 * C2) + m3 * (l2**2 + c3**2 + l1 * l2 * C2 + l1 * c3 * C23 + 2 * l2 * c3 * C3)
    d11 = (
        I1
        + I2
        + I3
        + m1 * c1**2
        + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * C2)
        + m3 * (l1**2 + l2**2 + c3**2 + 2 * l1 * l2 * C2 + 2 * l1 * c3 * C23 + 2 * l2 * c3 * C3)
    )
    a, b, c = (m2 * c2 + m3 * l2) * l1 * S2, m3 * l1 * c3 * S23, m3 * l2 * c3 * S3
    bias = [
        -a * v2 * (2 * v1 + v2) - b * (v2 + v3) * (2 * v1 + v2 + v3) - c * v3 * (2 * v1 + 2 * v2 + v3),
        (a + b) * v1**2 - c * v3 * (2 * v1 + 2 * v2 + v3),
        b * v1**2 + c * (v1 + v2) ** 2,
    ]
    mass = sp.Matrix([[d11, d12, d13], [d12, d22, d23], [d13, d23, d33]])
    return Textbook(mbsym.examples.load("planar_3r"), mass, sp.Matrix(bias))


TEXTBOOKS = {each.__name__: each for each in (double_pendulum, planar_elbow, point_masses, cart_pole, planar_3r)}


def entries(mass: sp.Matrix, bias: sp.Matrix) -> dict[str, sp.Expr]:
    n = bias.rows
    upper = {f"M[{i + 1},{j + 1}]": mass[i, j] for i in range(n) for j in range(i, n)}
    return upper | {f"h[{i + 1}]": bias[i] for i in range(n)}


def table(ours: Mapping[str, sp.Expr], theirs: Mapping[str, sp.Expr]) -> str:
    lines = [f"{'entry':8} {'mbsym':>5} {'book':>5}"]
    for name, mine in ours.items():
        lines.append(f"{name:8} {sp.count_ops(mine):5} {sp.count_ops(theirs[name]):5}   {mine}")
        lines.append(f"{'':20}   {theirs[name]}")
    return "\n".join(lines)


@pytest.mark.parametrize("name", TEXTBOOKS)
def test_closed_form_is_the_textbooks_and_no_longer(name: str) -> None:
    book = TEXTBOOKS[name]()
    assert_same_equations({"mass_matrix": book.mass_matrix, "bias_force": book.bias_force}, book.model)
    equations = derive(book.model)
    assert_same_equations(equations, book.model)
    ours = entries(equations.mass_matrix, equations.bias_force)
    theirs = entries(book.mass_matrix, book.bias_force)
    print(f"\n{name}\n{table(ours, theirs)}")
    for entry, mine in ours.items():
        assert sp.count_ops(mine) <= sp.count_ops(theirs[entry]), entry


@pytest.mark.parametrize("name", TEXTBOOKS)
def test_only_angles_of_the_book_occur(name: str) -> None:
    """Sums of angles are recognised: no product of sines and cosines of two joints is left."""
    book = TEXTBOOKS[name]()
    equations = derive(book.model)
    for mine, theirs in ((equations.mass_matrix, book.mass_matrix), (equations.bias_force, book.bias_force)):
        assert mine.atoms(sp.sin, sp.cos) == theirs.atoms(sp.sin, sp.cos)


@pytest.mark.parametrize("name", ["double_pendulum", "cart_pole", "planar_3r"])
@pytest.mark.parametrize("formulation", ["kane", "newton-euler", "cfa", "lagrange"])
def test_every_formulation_ends_in_the_same_text(name: str, formulation: str) -> None:
    book = TEXTBOOKS[name]()
    mine, theirs = derive(book.model, formulation), derive(book.model)
    assert str(mine.mass_matrix) == str(theirs.mass_matrix)
    assert str(mine.bias_force) == str(theirs.bias_force)


def test_a_wrong_term_in_the_book_is_found() -> None:
    book = planar_3r()
    wrong = book.mass_matrix + sp.diag(0, 0, sp.Symbol("I1"))
    with pytest.raises(AssertionError, match=r"mass_matrix\[2, 2\]"):
        assert_same_equations({"mass_matrix": wrong}, book.model)


@pytest.mark.parametrize("name", ["double_pendulum", "planar_3r"])
def test_wrenches_bear_absolute_speeds(name: str) -> None:
    """Force rows hold squares of absolute angular velocities and no products of them."""
    book = TEXTBOOKS[name]()
    equations = derive(book.model)
    speeds = set(equations.speeds)
    row = equations.joint_wrenches.row(equations.mechanism.nb - 1)
    squares = [
        power
        for power in row.atoms(sp.Pow)
        if power.exp == 2 and isinstance(power.base, sp.Add) and power.base.free_symbols <= speeds
    ]
    assert sp.Pow(sum(equations.speeds), 2) in squares


def test_three_spatial_joints_are_written_out() -> None:
    """All quantities in closed form, exactly; the bias is a fifth of the text that the derivation would have."""
    model = spatial_chain(3)
    equations = derive(model)
    assert all(equations.form(name).is_expanded for name in equations.names)
    assert_same_equations(equations, model)
    assert sum(map(sp.count_ops, equations.mass_matrix.upper_triangular())) < 450
    assert sum(map(sp.count_ops, equations.bias_force)) < 900
