"""Tables in exact numbers: coefficients of pieces, and which piece is left open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from mbsym.exact.numbers import real_point
from mbsym.exact.residues import chosen, field_point
from mbsym.exact.tables import exact_coefficients, value
from mbsym.reference.tables import table_values
from mbsym.texts.several import Several
from mbsym.values.table import BETWEEN, Between, Outside, Table
from mbsym.values.table_pieces import coefficients as printed

RNG = np.random.default_rng(11)


def drawn(count: int, between: Between, *, wild: bool = False) -> Table:
    x = np.cumsum(RNG.uniform(0.1, 1, count)).round(3)
    y = RNG.uniform(-2, 2, count).round(3) if wild else np.sin(x).round(6)
    return Table("curve", x, y, between=between)


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 12])
def test_coefficients_round_to_those_that_are_printed(between: Between, count: int) -> None:
    """Fractions of another derivation, and decimals of forty digits: their doubles are the same."""
    for wild in (False, True):
        table = drawn(count, between, wild=wild)
        assert [tuple(map(float, column)) for column in exact_coefficients(table)] == [*printed(table)]


def test_pieces_meet_at_their_ends() -> None:
    """Values, slopes and curvatures of a spline, exactly."""
    table = drawn(7, "spline")
    x = [*map(Fraction, table.x)]
    pieces = [*zip(*exact_coefficients(table), strict=True)]
    for (a, b, c, d), after, (left, right) in zip(pieces, pieces[1:], pairwise(x), strict=False):
        h = right - left
        assert (a + h * (b + h * (c + h * d)), b + h * (2 * c + 3 * h * d), c + 3 * h * d) == after[:3]


@pytest.mark.parametrize("outside", ["hold", "extrapolate"])
def test_real_numbers_give_what_scipy_does(outside: Outside) -> None:
    """Where numbers have an order, pieces and ends are those of SciPy's interpolators, of one argument and of two."""
    point = real_point("tables")
    grid = Table("grid", (0, 1, 3), (0, 2, 5, 6), RNG.uniform(-1, 1, (3, 4)).round(3), outside=outside)
    for table in (*(replace(drawn(6, each), outside=outside) for each in BETWEEN), grid):
        for arguments in RNG.uniform(-1, 7, (20, table.arguments)):
            found = value(table, point, [point.of(float(x)) for x in arguments])
            assert float(found.value) == pytest.approx(float(table_values(table)(*arguments)), abs=1e-12)


def test_a_whole_number_that_stands_for_several() -> None:
    """Row and column of a table in one number, halves left out, as texts compute it."""
    row, column = Several({0: 2, 2: 3}), Several({0: 5, 4: 7})
    number = (row * 3 + column) + 0
    assert number.weights == {0: 10, 4: 14, 6: 15, 10: 21}
    entries = [10**k for k in range(6)]
    assert number.read(entries.__getitem__) == 10 * 1 + 14 * 100 + 15 * 1000 + 21 * 10**5


def test_a_choice_is_each_of_its_sides_where_signs_are_signs() -> None:
    """The larger of two and the smaller are their sum together; a sign of its own stands for each number."""
    point = field_point("choices")
    a, b = point.drawn("a"), point.drawn("b")
    assert a.stands("max", b) == b.stands("max", a) == chosen(a - b, a, b)
    assert a.stands("max", b) + a.stands("min", b) == a + b
    assert (-a).stands("sign") == -a.stands("sign") and (-a).stands("abs") == a.stands("abs")
    assert point.of(0).stands("sign") == 0 and a.stands("sign") != b.stands("sign")
