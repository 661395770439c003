"""Checks of tables: points that increase, as many values as points, and words that are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Final

from mbsym.doors import numpy as np
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.frame_quantities import WORDS
from mbsym.symbolic.program import Output, Program
from mbsym.values.diagnostic import Findings, Path, nearest
from mbsym.values.numbers import size_fault
from mbsym.values.table import BETWEEN, OUTSIDE, Table
from mbsym.values.table_pieces import table_program

LEVEL: Final = 1e-9
"""Slope at the end of a table, over that of its whole height, that is round-off."""

MOST_PIECES: Final = 100_000
"""Of a table: the number of a piece stays exact in single precision, too, and compilers take the arrays."""


def check_tables(tables: Sequence[Table], findings: Findings) -> None:
    """Notes what is wrong with tables."""
    for index, table in enumerate(tables):
        path: Path = ("tables", index)
        word = f"table {table.name!r}"
        if table.name in WORDS:
            findings.error((*path, "name"), f"{word} has the name of a quantity of frames", "rename it")
        for key, value, known in (("between", table.between, BETWEEN), ("outside", table.outside, OUTSIDE)):
            if value not in known:
                findings.error((*path, key), f"{key} of {word} is {value!r}", nearest(str(value), known))
        if table.z and table.between != "linear":
            what = f"{word} takes two arguments and is {table.between} between its points"
            findings.error((*path, "between"), what, "of two arguments linear alone is known")
        _check_points(table.x, (*path, "x"), word, findings)
        if table.z:
            _check_points(table.y, (*path, "y"), word, findings)
            _check_rows(table, path, word, findings)
        else:
            _check_values(table.y, len(table.x), (*path, "y"), word, findings)
        if (len(table.x) - 1) * (len(table.y) - 1 if table.z else 1) > MOST_PIECES:
            findings.error((*path, "x"), f"{word} has too many points", f"take fewer: {MOST_PIECES} pieces at most")


def _check_points(points: Sequence[float], path: Path, word: str, findings: Findings) -> None:
    if len(points) < 2:
        what = f"{word} has {len(points) or 'no'} point{'' if len(points) == 1 else 's'}"
        findings.error(path, what, "give two or more")
    elif _check_numbers(points, path, word, findings):
        for place, (before, point) in enumerate(pairwise(points), start=1):
            if not point > before:
                what = f"the points of {word} do not increase: {point:g} follows {before:g}"
                findings.error((*path, place), what, "sort them, each once")
                return


def _check_values(values: Sequence[float], count: int, path: Path, word: str, findings: Findings) -> None:
    if len(values) != count:
        findings.error(path, f"{word} has {count} points and {len(values)} values", "give a value for each point")
    _check_numbers(values, path, word, findings)


def _check_rows(table: Table, path: Path, word: str, findings: Findings) -> None:
    if len(table.z) != len(table.x):
        what = f"{word} has {len(table.x)} points of its first argument and {len(table.z)} rows of values"
        findings.error((*path, "z"), what, "give a row for each of them")
    for place, row in enumerate(table.z):
        _check_values(row, len(table.y), (*path, "z", place), f"row {place + 1} of {word}", findings)


def _check_numbers(numbers: Sequence[float], path: Path, word: str, findings: Findings) -> bool:
    """Whether all are finite and of a sensible size; what is wrong with the first that is not is noted."""
    for place, number in enumerate(numbers):
        fault = size_fault(number) if isfinite(number) else "not finite"
        if fault:
            findings.error((*path, place), f"{number:g} in {word} is {fault}", "check it, or leave the point out")
            return False
    return True


def check_followed(
    tables: Sequence[Table], expression: str, of_places: bool, word: str, path: Path, findings: Findings
) -> None:
    """Notes tables in an expression that is followed or held whose rates are not there where places are."""
    called = set(re.findall(r"\w+(?=\s*\()", expression))
    for table in tables:
        if table.name in called:
            _check_followed(table, of_places, f"{word} follows table {table.name!r}", path, findings)


def _check_followed(table: Table, of_places: bool, word: str, path: Path, findings: Findings) -> None:
    if table.arguments == 2:
        findings.error(path, f"{word}, which takes two arguments", "take a table of one")
    elif of_places and table.between == "linear":
        what = f"{word}, which is linear, so that its speed jumps"
        findings.error(path, what, "say between: spline, or cubic where it must not overshoot")
    elif of_places and table.outside == "hold" and not _is_level(table):
        what = f"{word}, which is held beyond ends where it is not level: its speed jumps there, by an impulse that "
        findings.warning(path, f"{what}no result has", "stay within it, or say outside: extrapolate")


def _is_level(table: Table) -> bool:
    """Whether a table has no slope at its ends."""
    program = table_program(table)
    slope = gradient(program.graph, program.outputs[0].values[0], [program.inputs[0].symbols[0]])
    evaluator = Evaluator(Program("slope", program.graph, program.inputs, (Output("slope", (), tuple(slope)),)))
    span, height = table.x[-1] - table.x[0], max(table.y) - min(table.y)
    ends = (table.x[0] + LEVEL * span, table.x[-1] - LEVEL * span)
    # The slope a little inside is off by its own rate times that little.
    found = [float(evaluator(np.array([x]))["slope"]) for x in ends]
    return all(abs(each) * span <= 100 * LEVEL * height for each in found)
