"""Tables as polynomials between their points, and as values of a graph.

An argument lies in a piece, whose number a step function gives; others give the point where the piece begins and the
coefficients of its polynomial in the distance from there. All else are ordinary operations, so that derivatives of a
table are those of its pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from functools import cache, partial
from itertools import pairwise
from typing import Final, TypeAlias

from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.given_functions import Column, Definition, GivenFunction, PieceNumber, StepFunction
from mbsym.symbolic.graph import ZERO, Graph, Reference
from mbsym.symbolic.program import Input, Output, Program
from mbsym.values.table import Table

DIGITS: Final = 40
"""To which coefficients are computed, so that the numbers in code are the nearest ones."""

COEFFICIENTS: Final = ("value", "slope", "second", "third")
"""Of a piece, by the power of the distance that they belong to."""

Floats: TypeAlias = tuple[float, ...]
Numbers: TypeAlias = Sequence[Decimal]


def definitions(tables: Iterable[Table]) -> dict[str, Definition]:
    """What the names of tables are in expressions."""
    return {table.name: Definition(table.arguments, partial(_written, table)) for table in tables}


def by_name(tables: Iterable[Table]) -> dict[str, Definition]:
    """The same with nothing but their names in a graph, for formulas that people read; these have no derivatives."""
    return {table.name: Definition(table.arguments, partial(_called, table)) for table in tables}


def _called(table: Table, graph: Graph, arguments: Sequence[Reference]) -> Reference:
    return graph.function(GivenFunction(table.name, partial(_number, table)), *arguments)


def _number(table: Table, *arguments: float) -> float:
    """The value of a table."""
    return Evaluator(table_program(table)).entries(*([number] for number in arguments))["value"][0]


def table_program(table: Table) -> Program:
    """A table by itself: its value, of x or of x and y."""
    graph = Graph()
    inputs = tuple(Input(name, (), (graph.symbol(name),)) for name in "xy"[: table.arguments])
    value = _written(table, graph, [item.symbols[0] for item in inputs])
    return Program(table.name, graph, inputs, (Output("value", (), (value,)),))


def _written(table: Table, graph: Graph, arguments: Sequence[Reference]) -> Reference:
    """The value of a table at some arguments."""
    if len(arguments) == 1:
        number, distance = _placed(graph, table, "", table.x, arguments[0])
        value = ZERO
        for name, column in reversed([*zip(COEFFICIENTS, coefficients(table), strict=False)]):
            entry = _stepped(graph, Column(f"{table.name}_{name}", column), number)
            value = graph.add(graph.mul(value, distance), entry)
        return value
    (i, u), (j, v) = (
        _placed(graph, table, f"_{axis}", points, argument)
        for axis, points, argument in zip("xy", (table.x, table.y), arguments, strict=True)
    )
    # A half more than the number, so that it is the one meant however its terms are rounded.
    number = graph.add(graph.mul(graph.const(len(table.y) - 1), i), graph.add(j, graph.const(0.5)))
    value, along_x, along_y, twist = (
        _stepped(graph, Column(f"{table.name}_{name}", column), number)
        for name, column in zip(("value", "slope_x", "slope_y", "twist"), _bilinear(table), strict=True)
    )
    rising = graph.add(along_y, graph.mul(twist, u))
    return graph.add(graph.add(value, graph.mul(along_x, u)), graph.mul(rising, v))


def _placed(
    graph: Graph, table: Table, suffix: str, points: Sequence[float], argument: Reference
) -> tuple[Reference, Reference]:
    """The number of the piece that an argument lies in, and its distance from where that begins."""
    if table.outside == "hold":
        first, last = graph.const(points[0]), graph.const(points[-1])
        # What is not a number passes both choices.
        argument = graph.select(graph.sub(argument, last), last, argument)
        argument = graph.select(graph.sub(first, argument), first, argument)
    starts = tuple(points[:-1])
    array = f"{table.name}_start{suffix}"
    number = _stepped(graph, PieceNumber(f"{table.name}_piece{suffix}", starts, array), argument)
    return number, graph.sub(argument, _stepped(graph, Column(array, starts), number))


def _stepped(graph: Graph, function: StepFunction, argument: Reference) -> Reference:
    """A step function of an argument, which is a number where it has one value alone."""
    if len(set(function.values)) == 1:
        return graph.const(function.values[0])
    return graph.function(function, argument)


# ---- pieces of one argument ------------------------------------------------------------------------------------------


@cache
def coefficients(table: Table) -> tuple[Floats, ...]:
    """Of a table of one argument: for each power of the distance a coefficient for each piece."""
    with localcontext() as context:
        context.prec = DIGITS
        x, y = ([Decimal(number) for number in numbers] for numbers in (table.x, table.y))
        lengths = [b - a for a, b in pairwise(x)]
        slopes = [(b - a) / length for (a, b), length in zip(pairwise(y), lengths, strict=True)]
        columns: tuple[Numbers, ...] = (y[:-1], slopes)
        if table.between != "linear" and len(slopes) > 1:
            ends = (_monotone if table.between == "cubic" else _smooth)(lengths, slopes)
            columns = (y[:-1], *_cubics(lengths, slopes, ends))
        return tuple(tuple(map(float, column)) for column in columns)


def _cubics(lengths: Numbers, slopes: Numbers, ends: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Slope, second and third coefficient of cubics with given slopes at their ends."""
    second, third = [], []
    for length, slope, (left, right) in zip(lengths, slopes, pairwise(ends), strict=True):
        second.append((3 * slope - 2 * left - right) / length)
        third.append((left + right - 2 * slope) / length**2)
    return ends[:-1], second, third


def _monotone(lengths: Numbers, slopes: Numbers) -> Numbers:
    """Slopes at the points with which cubics overshoot nowhere (Fritsch, Butland 1984), as SciPy has them."""
    inner = []
    for (h, other_h), (m, other_m) in zip(pairwise(lengths), pairwise(slopes), strict=True):
        weight, other_weight = h + 2 * other_h, 2 * h + other_h
        same = m * other_m > 0
        inner.append((weight + other_weight) / (weight / m + other_weight / other_m) if same else Decimal(0))
    first = _end_slope(*lengths[:2], *slopes[:2])
    last = _end_slope(*lengths[:-3:-1], *slopes[:-3:-1])
    return [first, *inner, last]


def _end_slope(h: Decimal, other_h: Decimal, m: Decimal, other_m: Decimal) -> Decimal:
    """Slope at an end, of a parabola through three points where that does not overshoot."""
    slope = ((2 * h + other_h) * m - h * other_m) / (h + other_h)
    if slope * m <= 0:
        return Decimal(0)
    return 3 * m if m * other_m <= 0 and abs(slope) > abs(3 * m) else slope


def _smooth(lengths: Numbers, slopes: Numbers) -> Numbers:
    """Slopes at the points with which curvature is continuous, the first two pieces are one and the last two, too."""
    if len(slopes) == 2:
        (h, other_h), (m, other_m) = lengths, slopes
        middle = (other_h * m + h * other_m) / (h + other_h)
        return [2 * m - middle, middle, 2 * other_m - middle]
    rows = [_first_row(*lengths[:2], *slopes[:2])]
    for (h, other_h), (m, other_m) in zip(pairwise(lengths), pairwise(slopes), strict=True):
        rows.append((other_h, 2 * (h + other_h), h, 3 * (other_h * m + h * other_m)))
    _, diagonal, right, value = _first_row(*lengths[:-3:-1], *slopes[:-3:-1])
    rows.append((right, diagonal, Decimal(0), value))
    return _solved(rows)


def _first_row(h: Decimal, other_h: Decimal, m: Decimal, other_m: Decimal) -> tuple[Decimal, Decimal, Decimal, Decimal]:
    """The equation of a first slope: the third derivative is the same on both sides of the next point."""
    both = h + other_h
    return Decimal(0), other_h, both, ((h + 2 * both) * other_h * m + h**2 * other_m) / both


def _solved(rows: Sequence[tuple[Decimal, Decimal, Decimal, Decimal]]) -> Numbers:
    """The solution of equations (left, diagonal, right, value)."""
    eliminated: list[tuple[Decimal, Decimal]] = []
    above, before = Decimal(0), Decimal(0)
    for left, diagonal, right, value in rows:
        pivot = diagonal - left * above
        above, before = right / pivot, (value - left * before) / pivot
        eliminated.append((above, before))
    found = [Decimal(0)]
    for above, value in reversed(eliminated):
        found.append(value - above * found[-1])
    return found[:0:-1]


# ---- pieces of two arguments -----------------------------------------------------------------------------------------


@cache
def _bilinear(table: Table) -> tuple[Floats, Floats, Floats, Floats]:
    """Of a table of two arguments: value at the corner of each piece, slopes there, and what both distances share."""
    with localcontext() as context:
        context.prec = DIGITS
        x, y = ([Decimal(number) for number in numbers] for numbers in (table.x, table.y))
        z = [[Decimal(number) for number in row] for row in table.z]
        rows = []
        for i, (left, right) in enumerate(pairwise(x)):
            for j, (low, high) in enumerate(pairwise(y)):
                (a, b), (c, d) = z[i][j : j + 2], z[i + 1][j : j + 2]
                h, k = right - left, high - low
                rows.append((a, (c - a) / h, (b - a) / k, (a - b - c + d) / (h * k)))
        value, along_x, along_y, twist = (tuple(map(float, column)) for column in zip(*rows, strict=True))
        return value, along_x, along_y, twist
