"""Tables as their definitions read, in exact numbers: of each piece the cubic with given values and slopes at its ends.

Which piece an argument lies in the field does not say: pieces have weights, and what holds for all weights whose sum is
one holds for each piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

from mbsym.exact.linear import solved
from mbsym.exact.numbers import NumberClass
from mbsym.symbolic.graph import exact
from mbsym.values.table import Table

Fractions: TypeAlias = tuple[Fraction, ...]
Line: TypeAlias = tuple[Fraction, Fraction]
"""Between two points of a table: length and slope."""


def value(table: Table, point: NumberClass, arguments: Sequence[Any]) -> Any:
    """The value of a table at a point of the field.

    Args:
        table: which.
        point: the class of its numbers.
        arguments: of the table, numbers of the point or series.
    """
    places, distances = [], []
    for at, points in zip(arguments, (table.x, table.y), strict=False):
        starts, last = [point.of(exact(x)) for x in points], len(points) - 1
        if table.outside == "hold":
            at = at.stands("min", starts[last]).stands("max", starts[0])
        place = at.piece([*points[:-1]])
        places.append(place)
        distances.append(at - place.read(starts.__getitem__))
    number = places[0]
    if table.arguments == 2:
        number = places[0] * (len(table.y) - 1) + places[1]
    found: Any = 0
    for powers, column in zip(_POWERS[table.arguments], coefficients(table), strict=False):
        entries = [point.of(each) for each in column]
        part = number.read(entries.__getitem__)
        for distance, power in zip(distances, powers, strict=True):
            for _ in range(power):
                part = part * distance
        found = found + part
    return found


_POWERS = {1: ((0,), (1,), (2,), (3,)), 2: ((0, 0), (1, 0), (0, 1), (1, 1))}
"""Of the distances from where a piece begins, of each coefficient; by the number of arguments."""


def numbers_of(table: Table) -> Iterator[Fraction]:
    """All numbers of a table's pieces: where these begin, and their coefficients."""
    for points in (table.x, table.y)[: table.arguments]:
        yield from map(exact, points)
    for column in coefficients(table):
        yield from column


@cache
def coefficients(table: Table) -> tuple[Fractions, ...]:
    """Those of the table's pieces as the doubles that code has, in their shortest decimals."""
    return tuple(tuple(exact(float(each)) for each in column) for column in exact_coefficients(table))


def exact_coefficients(table: Table) -> tuple[Fractions, ...]:
    """For each power of the distance a coefficient for each piece; of two arguments the second runs fastest.

    Points are the doubles that code compares with.
    """
    x, y = (list(map(Fraction, points)) for points in (table.x, table.y))
    rows: list[Fractions]
    if table.arguments == 2:
        z = [list(map(Fraction, row)) for row in table.z]
        rows = [
            (z[i][j], (z[i + 1][j] - z[i][j]) / (b - a), (z[i][j + 1] - z[i][j]) / (d - c),
             ((z[i + 1][j + 1] - z[i + 1][j]) - (z[i][j + 1] - z[i][j])) / ((b - a) * (d - c)))
            for i, (a, b) in enumerate(pairwise(x)) for j, (c, d) in enumerate(pairwise(y))
        ]  # fmt: skip
    else:
        lines = [(b - a, (high - low) / (b - a)) for (a, b), (low, high) in zip(pairwise(x), pairwise(y), strict=True)]
        if table.between == "linear" or len(lines) == 1:
            rows = [(low, slope) for low, (_, slope) in zip(y, lines, strict=False)]
        else:
            slopes = (_monotone if table.between == "cubic" else _smooth)(lines)
            rows = [_cubic(*each) for each in zip(y, lines, pairwise(slopes), strict=False)]
    return tuple(zip(*rows, strict=True))


def _cubic(value: Fraction, line: Line, slopes: tuple[Fraction, ...]) -> Fractions:
    """The cubic with slopes at both ends of a line, by powers of the distance from the first: Newton's differences."""
    h, straight = line
    bent = (straight - slopes[0]) / h
    twisted = ((slopes[1] - straight) / h - bent) / h
    return value, slopes[0], bent - twisted * h, twisted


def _monotone(lines: Sequence[Line]) -> list[Fraction]:
    """Slopes of Fritsch and Butland: inside harmonic means of those on both sides, weighted, zero where these differ in
    sign; at an end that of the parabola through three points, as long as it overshoots by nothing."""
    inner = []
    for (h, m), (k, n) in pairwise(lines):
        shares = Fraction(2 * k + h, 3 * (h + k)), Fraction(k + 2 * h, 3 * (h + k))
        inner.append(m * n / (shares[0] * n + shares[1] * m) if m * n > 0 else Fraction(0))
    ends = []
    for (h, m), (k, n) in (lines[:2], lines[:-3:-1]):
        slope = m + (m - n) * h / (h + k)
        if slope * m <= 0:
            slope = Fraction(0)
        elif m * n <= 0 and abs(slope) > 3 * abs(m):
            slope = 3 * m
        ends.append(slope)
    return [ends[0], *inner, ends[1]]


def _smooth(lines: Sequence[Line]) -> list[Fraction]:
    """Slopes with which curvature is continuous and the third derivative too at the last points but those at the ends:
    of three points the parabola through them."""
    pairs = [*pairwise(lines)]
    if len(pairs) == 1:
        (((h, m), (k, n)),) = pairs
        half = (n - m) / (h + k)
        return [m - half * h, m + half * h, n + half * k]
    rows, right = [], []
    for i, ((h, m), (k, n)) in enumerate(pairs, start=1):
        # Second derivatives of both cubics are the same at the point: (2 s_- + 4 s - 6 m)/h = (6 n - 4 s - 2 s_+)/k.
        rows.append({i - 1: 2 / h, i: 4 / h + 4 / k, i + 1: 2 / k})
        right.append(6 * m / h + 6 * n / k)
    for i in (1, len(pairs)):
        (h, m), (k, n) = pairs[i - 1]
        # So are third ones: (s_- + s - 2 m)/h^2 = (s + s_+ - 2 n)/k^2.
        rows.append({i - 1: 1 / h**2, i: 1 / h**2 - 1 / k**2, i + 1: -1 / k**2})
        right.append(2 * m / h**2 - 2 * n / k**2)
    return solved(rows, right, len(lines) + 1)
