"""Functions that are written by hand, in C and in Python, against those of a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.errors import CodegenError
from mbsym.testing import assert_same_function, compare_function
from mbsym.testing.meaning import meant

BY_HAND = """#include <math.h>

/* Two rods, by Lagrange's equations; double pendulum(double q) would be another. */
static const double g = 9.81;

static double half(double x) { return x/2; }

void pendulum(const double q[2], const double v[2], const double a[2], double m1, double m2, double l1, double l2,
              double tau[2])
{
    double c = cos(q[1]), s = sin(q[1]);
    double m11 = m1*l1*l1/3 + m2*(l1*l1 + l2*l2/3 + l1*l2*c);
    double m12 = m2*(l2*l2/3 + half(l1)*l2*c);
    double h = m2*l1*l2*s/2;
    double weight = m2*g*l2/2*sin(q[0] + q[1]);
    int k;

    tau[0] = m11*a[0] + m12*a[1] - h*(2*v[0]*v[1] + pow(v[1], 2)) + (m1/2 + m2)*g*l1*sin(q[0]);
    tau[1] = m12*a[0] + m2*l2*l2/3*a[1] + h*v[0]*v[0];
    for (k = 0; k < 2; k++)
        tau[k] += weight;
}
"""

G = 9.81


def rods(q1, q2, w1, w2, a1, a2, m1=1.0, m2=0.8, l1=0.5, l2=0.4):  # type: ignore[no-untyped-def]
    """The same in plain numbers."""
    mass = np.zeros((2, 2))
    mass[0] = [
        m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * cos(q2)),
        m2 * (l2**2 * (1 / 3) + l1 * l2 * cos(q2) / 2),
    ]
    mass[1] = mass[0, 1], m2 * l2**2 / 3
    h, weight = m2 * l1 * l2 * math.sin(q2) / 2, m2 * G * l2 / 2 * np.sin(q1 + q2)
    bias = [-h * (2 * w1 * w2 + w2**2) + (m1 / 2 + m2) * G * l1 * sin(q1) + weight, h * w1**2 + weight]
    return mass @ np.array([a1, a2]) + bias


@pytest.fixture
def c_file(tmp_path: Path) -> Callable[[str], Path]:
    def written(text: str) -> Path:
        path = tmp_path / "pendulum.c"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_c_by_hand_is_exactly_the_same(c_file: Callable[[str], Path]) -> None:
    found = assert_same_function(c_file(BY_HAND), "double_pendulum", "inverse_dynamics")
    assert (found.way, found.states) == ("exact", 20)
    assert 0 < found.probability < 1e-12
    assert "exact: probability of error below" in found.sentence


@pytest.mark.parametrize(
    ("right", "wrong", "entry"),
    [
        ("+ h*v[0]*v[0]", "- h*v[0]*v[0]", r"tau\[1\] \(row v_elbow\)"),
        ("2*v[0]*v[1]", "v[0]*v[1]", r"tau\[0\] \(row v_shoulder\)"),
        ("return x/2;", "return x*(1/2);", r"tau\[0\] \(row v_shoulder\)"),
        ("k < 2", "k < 1", r"tau\[1\] \(row v_elbow\)"),
    ],
)
def test_a_planted_error_in_c_is_named_with_a_state(
    c_file: Callable[[str], Path], right: str, wrong: str, entry: str
) -> None:
    assert BY_HAND.count(right) == 1
    message = rf"pendulum of pendulum\.c and .*: {entry} is different\n  yours: .*\n  mbsym: .*\nat\n  q_shoulder = "
    with pytest.raises(AssertionError, match=message) as caught:
        assert_same_function(c_file(BY_HAND.replace(right, wrong)), "double_pendulum", "inverse_dynamics")
    assert "(exact: they differ in the field" in str(caught.value)


def test_a_term_that_no_double_shows_is_found_in_the_field(c_file: Callable[[str], Path]) -> None:
    tiny = c_file(BY_HAND.replace("+ h*v[0]*v[0]", "+ h*v[0]*v[0] + 1e-30*v[1]"))
    with pytest.raises(AssertionError, match=r"tau\[1\] .* differs in the field .* 20 states do not show it"):
        assert_same_function(tiny, "double_pendulum", "inverse_dynamics")
    assert compare_function(tiny, "double_pendulum", "inverse_dynamics", way="numeric")


def test_c_that_compares_is_compared_at_states(c_file: Callable[[str], Path]) -> None:
    branching = c_file(BY_HAND.replace("int k;", "int k; if (c > 2.0) { tau[0] = 0.0; return; }"))
    found = assert_same_function(branching, "double_pendulum", "inverse_dynamics", states=7)
    assert (found.way, found.why, found.states) == ("numeric", "a comparison of numbers", 7)
    with pytest.raises(AssertionError, match="it is not decided: a comparison of numbers"):
        assert_same_function(branching, "double_pendulum", "inverse_dynamics", way="exact")


def test_names_that_are_declared_twice_are_left_to_states(c_file: Callable[[str], Path]) -> None:
    """Blocks have variables of their own in C, which the reader of C does not know."""
    shadowing = c_file(BY_HAND.replace("int k;", "int k; { double h = 3.0; (void)h; }"))
    found = compare_function(shadowing, "double_pendulum", "inverse_dynamics")
    assert found and (found.way, found.why) == ("numeric", "pendulum, line 16: h is declared twice")


def test_whole_numbers_that_become_real_ones_divide_as_these_do(c_file: Callable[[str], Path]) -> None:
    path = c_file("""
#include <math.h>
static const double two = 2, g = 9.81;
static double halved(double x) { return x/2; }
double height(double a, double b)
{ return -g*(halved(1)*(1/two)*cos(a) + 0.8*(halved(1)*cos(a) + 0.2*cos(a + b))); }
""")
    assert assert_same_function(path, "double_pendulum", "potential_energy").way == "exact"


def test_scalars_pointers_and_what_is_returned(c_file: Callable[[str], Path]) -> None:
    several = """
#include <math.h>
void masses(double q_elbow, double *a, double *b, double *c, double *d)
{ *a = 0.25/3 + 0.8*(0.25 + 0.16/3 + 0.2*cos(q_elbow)); *b = 0.8*(0.16/3 + 0.1*cos(q_elbow)); *c = *b;
  *d = 0.8*0.16/3; }
void in_rows(const double *angles, double M[2][2])
{ M[0][0] = 0.25/3 + 0.8*(0.25 + 0.16/3 + 0.2*cos(angles[1])); M[0][1] = 0.8*(0.16/3 + 0.1*cos(angles[1]));
  M[1][0] = M[0][1]; M[1][1] = 0.8*0.16/3; }
double height(double shoulder, double elbow)
{ return -9.81*(1.0*0.25*cos(shoulder) + 0.8*(0.5*cos(shoulder) + 0.2*cos(shoulder + elbow))); }
"""
    path = c_file(several)
    assert compare_function(path, "double_pendulum", "mass_matrix", symbol="in_rows").way == "exact"
    assert compare_function(path, "double_pendulum", "potential_energy", symbol="height").way == "exact"
    assert compare_function(path, "double_pendulum", "mass_matrix", symbol="masses").way == "exact"
    path = c_file(several.replace("*c = *b;", "*c = *d = *b;"))
    found = compare_function(path, "double_pendulum", "mass_matrix", symbol="masses")
    assert found and found.way == "numeric", "two assignments in one are no statement that the reader of C knows"
    with pytest.raises(CodegenError, match=r"which of its functions is mass_matrix is not clear; .*masses, in_rows"):
        compare_function(path, "double_pendulum", "mass_matrix")
    with pytest.raises(CodegenError, match="it has 0 pointers to results; mbsym's has 1 with 1 entries"):
        compare_function(path, "double_pendulum", "potential_energy", symbol="in_rows", arguments=("q", "q"))


def test_python_by_hand_is_exactly_the_same() -> None:
    found = assert_same_function(rods, "double_pendulum", "inverse_dynamics")
    assert found.way == "exact"


@pytest.mark.parametrize("helper", [lambda x: x + 1e-25, lambda x: -x])
def test_a_planted_error_in_python_is_found_through_what_it_calls(helper: Callable[[float], float]) -> None:
    def wrong(q, v, vdot):  # type: ignore[no-untyped-def]
        return rods(*q, helper(v[0]), v[1], *vdot)

    found = compare_function(wrong, "double_pendulum", "inverse_dynamics")
    assert not found and found.way == "exact"
    assert found.entry == "tau[0] (row v_shoulder)"


def test_linear_equations_are_solved_exactly() -> None:
    def accelerations(q, v, tau):  # type: ignore[no-untyped-def]
        bias = rods(*q, *v, 0, 0)
        columns = [rods(*q, *v, *unit) - bias for unit in np.eye(2, dtype=int)]
        return np.linalg.solve(np.array(columns).T, tau - bias)

    assert assert_same_function(accelerations, "double_pendulum", "forward_dynamics").way == "exact"


def test_python_that_takes_doubles_alone_is_compared_at_states() -> None:
    def iterating(q, v, vdot):  # type: ignore[no-untyped-def]
        return rods(*map(float, q), *v, *vdot)

    found = assert_same_function(iterating, "double_pendulum", "inverse_dynamics")
    assert found.way == "numeric" and found.why.startswith("it takes doubles alone (TypeError")
    assert "of what rounding allows" in found.sentence


def test_what_is_off_by_little_is_told_from_rounding() -> None:
    def nearly(q, v, vdot):  # type: ignore[no-untyped-def]
        return rods(*map(float, q), *v, *vdot) * (1 + 1e-11)

    found = compare_function(nearly, "double_pendulum", "inverse_dynamics")
    assert not found and found.way == "numeric"
    assert found.allowed < 1e-11 < 1e3 * found.allowed


def test_rounded_numbers_are_left_to_states() -> None:
    def rounded(q, v, vdot):  # type: ignore[no-untyped-def]
        return rods(*q, *v, *vdot, 1.0, 0.8, 0.5, 0.4000000000000001)

    found = compare_function(rounded, "double_pendulum", "inverse_dynamics")
    assert found.why == "its number 0.4000000000000001 may be rounded" and found.way == "numeric"


def test_closed_loops_are_compared_where_they_are_closed() -> None:
    compiled = mbsym.compile("four_bar", ("forward_dynamics",)).forward_dynamics
    found = compare_function(lambda q, v, tau: compiled(q, v, tau), "four_bar", "forward_dynamics", states=5)
    assert found and (found.way, found.why) == ("numeric", "the model has closed loops or constraints")
    assert not compare_function(lambda q, v, tau: 1.000001 * compiled(q, v, tau), "four_bar", "forward_dynamics")


def test_users_mistakes_are_told_with_what_to_do(c_file: Callable[[str], Path]) -> None:
    with pytest.raises(CodegenError, match="returns 1 numbers; mbsym's returns 2; return 2, row by row"):
        compare_function(lambda q: 1.0, "double_pendulum", "gravity_force")
    with pytest.raises(CodegenError, match=r"'vdt' is no argument .*; did you mean vdot\?"):
        compare_function(rods, "double_pendulum", "inverse_dynamics", arguments=("q", "v", "vdt"))
    with pytest.raises(
        CodegenError, match=r"not clear what a, b of your function stand for.*give arguments=\(\.\.\.\)"
    ):
        compare_function(lambda a, b: 1.0, "double_pendulum", "inverse_dynamics")
    with pytest.raises(CodegenError, match="does not compile"):
        compare_function(
            c_file("void f(const double *q, double *g) { g[0] = nothing; }"), "double_pendulum", "gravity_force"
        )
    with pytest.raises(CodegenError, match=r"takes or returns float; compare one of double"):
        compare_function(c_file("void f(const float *q, float *g) { g[0] = 1; }"), "double_pendulum", "gravity_force")
    with pytest.raises(CodegenError, match="cannot be read"):
        compare_function("nowhere.c", "double_pendulum", "gravity_force")


def test_what_numbers_mean() -> None:
    assert meant(9.81) == (Fraction(981, 100), False)
    assert meant(1 / 3) == (Fraction(1, 3), False)
    assert meant(1e-30) == (Fraction(1, 10**30), False)
    assert meant(math.pi)[1]
