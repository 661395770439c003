"""Numbers of the exact derivation: residues on the circle, power series, sparse elimination, degrees."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mbsym.exact.degrees import Degrees
from mbsym.exact.following import over_numbers
from mbsym.exact.linear import solved
from mbsym.exact.numbers import real_point
from mbsym.exact.residues import Series, UndecidedError, field_point, term
from mbsym.symbolic.finite_field import PRIME


def test_sines_and_cosines_obey_the_group_law_and_no_more() -> None:
    point = field_point("here")
    q, p = point.drawn("q"), point.drawn("p")
    point.relate(q, [Fraction(2), Fraction(-3, 2)])
    assert q.sin() * q.sin() + q.cos() * q.cos() == 1
    assert (2 * q).sin() == 2 * q.sin() * q.cos() and (-q).sin() == -q.sin()
    assert (q * Fraction(-3, 2)).cos() == (q * Fraction(3, 2)).cos()
    p.sin()
    assert (q + p).cos() == q.cos() * p.cos() - q.sin() * p.sin()
    assert (point.pi() / 2).sin() == 1 and point.pi().cos() == -1 and (point.pi() / 4).tan() == 1
    point.circle.is_open = False
    with pytest.raises(UndecidedError, match="no angle of a joint"):
        point.drawn("another").sin()


def test_real_numbers_are_eliminated_without_loss_of_digits() -> None:
    """The first row is as short as the second, and its factor so small that thirty digits would be lost."""
    point = real_point("here")
    tiny, one = point.of(Fraction(1, 10**30)), point.of(1)
    x, y = solved([{0: tiny, 1: one}, {0: one, 1: one}], [one, 2 * one], 2)
    assert abs(float((x - 1 / (1 - tiny)).value)) < 1e-38 and abs(float((x + y - 2).value)) < 1e-38


def test_residues_are_rationals_and_are_not_compared() -> None:
    point = field_point("here")
    assert point.of(Fraction(1, 3)) * 3 == 1 and 1 / point.of(0.25) == 4
    root = point.of(9).sqrt()
    assert root * root == 9
    with pytest.raises(UndecidedError, match="a comparison of numbers"):
        _ = point.of(1) < point.of(2)
    with pytest.raises(ZeroDivisionError):
        point.of(Fraction(1, PRIME))
    x = point.drawn("x")
    assert x.stands("tanh") == -((-x).stands("tanh")) and x.stands("exp") != (-x).stands("exp")


def test_functions_that_are_not_known_know_their_symmetry_alone() -> None:
    point = field_point("here")
    a, b = point.drawn("a"), point.drawn("b")
    assert a.stands("min", b) == b.stands("min", a) != a.stands("max", b)
    assert a.stands("atan2", b) != b.stands("atan2", a)
    with pytest.raises(UndecidedError, match="a derivative of pow"):
        a.stands("pow", Series((b, 1), 0))
    assert term(a.stands("min", Series((b, 1), 0)), 1, 0) == (1 + (a - b).stands("sign")) / 2
    assert over_numbers(point, Fraction).library["select"](a - b, a, b) == a.stands("max", b)
    with pytest.raises(UndecidedError, match="a comparison of numbers"):
        _ = a < b


def test_series_are_cut_off_behind_their_last_term_and_nest() -> None:
    x, y = Series((Fraction(2), Fraction(1), Fraction(0)), 9), Series((Fraction(5), Fraction(1)), 1)
    assert (x * x).terms == (4, 4, 1) and (1 / x).terms == (Fraction(1, 2), Fraction(-1, 4), Fraction(1, 8))
    product = x * y
    assert product.level == 9 and term(product.terms[1], 1, 1) == 1 and (y * x).terms[0].terms == (10, 2)
    point = field_point("here")
    q, v = point.drawn("q"), point.drawn("v")
    turned = Series((q, v, 0 * q), 9).sin()
    assert turned.terms[1] == v * q.cos() and turned.terms[2] == -(v * v * q.sin()) / 2
    root = Series((point.of(Fraction(1, 4)), v, 0 * q), 9).sqrt()
    assert (root * root).terms[1] == v and (root * root).terms[2] == 0


def test_sparse_equations_are_solved_and_contradictions_told() -> None:
    rows = [{0: Fraction(2), 2: Fraction(1)}, {1: Fraction(1), 0: Fraction(1)}, {2: Fraction(4)}]
    assert solved(rows, [Fraction(7), Fraction(3), Fraction(12)], 3) == [2, 1, 3]
    assert solved([*rows, {1: Fraction(2)}], [7, 3, 12, 2], 3) == [2, 1, 3]
    with pytest.raises(UndecidedError, match="contradict"):
        solved([*rows, {1: Fraction(2)}], [7, 3, 12, 5], 3)
    with pytest.raises(UndecidedError, match="not determined"):
        solved(rows[:2], [7, 3], 3)


def test_degrees_bound_those_of_numerators_and_denominators() -> None:
    degrees = Degrees()
    x, y, one = degrees.drawn(), degrees.drawn(), degrees.constant()
    assert (x * y + one).bound == 2 and (x - x * x * x).bound == 3 and (x / one).bound == 1
    inverse = 1 / (x * y + one)
    # A shared divisor counts for its powers, and not once for each sum that it is in.
    assert (inverse + inverse * x).bound == 3 and (inverse * inverse).bound == 4
    assert (x.turned() * y.turned()).bound == 4


def test_real_numbers_have_forty_digits_and_the_same_face() -> None:
    point = real_point("here")
    third = point.of(Fraction(1, 3))
    assert third * 3 == 1 and abs(float((third * 3 - 1).value)) < 1e-39
    assert np.sin(point.pi() / 6) == point.of(Fraction(1, 2)) and point.of(2).sqrt() > point.of(Fraction(141, 100))
    assert point.drawn("a") == real_point("here").drawn("a") != point.drawn("b")
    assert point.of(-3).stands("abs") == 3 and point.of(2).stands("max", point.of(5)) == 5
