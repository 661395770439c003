"""Routines: what the language takes, what it refuses and where, and equal results of C and Python."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from mbsym.codegen.build import WARNINGS
from mbsym.codegen.c.routines import print_c
from mbsym.codegen.expressions import Array
from mbsym.codegen.interface import Argument, ModuleDescription, Real, RuntimeFunction, render
from mbsym.codegen.load import load_c, load_numpy
from mbsym.codegen.numpy.routines import print_numpy
from mbsym.codegen.routines.language import Signature
from mbsym.codegen.routines.reader import read_routine
from mbsym.codegen.statements import Formal
from mbsym.codegen.write import write_files
from mbsym.errors import CodegenError
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import symbol

MEAN = '''"""A routine with a bit of everything."""

from __future__ import annotations

ROWS, WIDTH = COUNT, 3
EVEN = 0

# What is kept.
rows: array[ROWS, WIDTH]
last: array[WIDTH]
deep: array[ROWS, 2, WIDTH]


def largest(x: vector[WIDTH]) -> real:
    """The largest size of an entry."""
    found = 0.0
    for k in range(WIDTH):
        if abs(x[k]) > found or x[k] != x[k]:
            found = abs(x[k])
    return found


def middle(i: int, weight: real) -> vector[WIDTH]:
    """Between a row and the next one."""
    if i + 1 >= ROWS:
        return rows[i]
    return (1.0 - weight) * rows[i] + weight * rows[i + 1]


@otherwise(BAD)
def scaled(divisor: real, counted: array[2]) -> int:
    """Divides the last row."""
    last[:] = rows[ROWS - 1] / divisor
    counted[1] += 1
    if not isfinite(largest(last)):
        return BAD
    return GOOD


def unused(i: int) -> int:
    return i


def smooth(data, weight, divisor, result, counted):
    """Smooths rows of data."""
    zero = zeros(WIDTH)
    idle = copy(zero)
    for i in range(ROWS):
        row = data[i] if i != 1 else zero
        rows[i] = row
        deep[i][1] = -row + 0.5 * row
        rows[i][:2] += data[i][1:]
    counted[:] = zeros(2)
    steps = 0
    while True:
        steps += 1
        # A row is doubled as the derived function has it.
        for i in range(ROWS - 1, -1, -1):
            twice, square = doubled(rows[i], weight)
            result[i] = middle(i, weight)
            result[i] += doubled_only(deep[i][1])
            result[i][0] += square[0] + dot(twice[1:], data[i][1:])
            if EVEN:
                result[i] = zero
        if steps >= 2 and not (largest(result[0]) < LIMIT and steps < 3):
            break
    counted[0] = steps
    status = scaled(divisor, counted)
    if status == GOOD:
        result[ROWS - 1] -= last
        return
    counted[1] = status
'''


def module(
    directory: Path, monkeypatch: pytest.MonkeyPatch, text: str = MEAN, real: Real = "double"
) -> ModuleDescription:
    """A module around a routine of that text."""
    runtime = directory / "runtime"
    runtime.mkdir(exist_ok=True)
    (runtime / "mean.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr("mbsym.codegen.routines.module.runtime_directory", lambda: runtime)
    graph = Graph()
    x = [symbol(graph, f"x{k}") for k in range(3)]
    w = symbol(graph, "w")
    entries = tuple(value.ref for value in x)
    twice = Output("twice", (3,), tuple((value + value).ref for value in x))
    square = Output("square", (), ((x[0] * x[0] * w).ref,))
    programs = (
        Program("doubled", graph, (Input("x", (3,), entries), Input("w", (), (w.ref,))), (twice, square)),
        Program("doubled_only", graph, (Input("x", (3,), entries),), (twice,)),
    )
    arguments = (
        Argument("data", "in", (4, 3)),
        Argument("weight", "in", ()),
        Argument("divisor", "in", ()),
        Argument("result", "out", (4, 3)),
        Argument("counted", "out", (2,)),
        Argument("work", "out", (39,)),
    )
    smooth = RuntimeFunction("smooth", "mean", arguments, numbers={"BAD": -1, "GOOD": 0, "LIMIT": 2.5, "OTHER": 1.0})
    return ModuleDescription("rows", programs, constants={"COUNT": 4}, runtime=(smooth,), real=real)


def expected(data: np.ndarray, weight: float, divisor: float) -> tuple[np.ndarray, list[float]]:
    rows = data.copy()
    rows[1] = 0
    shifted = -0.5 * rows
    rows[:, :2] += data[:, 1:]
    result = rows.copy()
    result[:-1] = (1 - weight) * rows[:-1] + weight * rows[1:]
    result += 2 * shifted
    result[:, 0] += rows[:, 0] ** 2 * weight + np.sum(2 * rows[:, 1:] * data[:, 1:], axis=1)
    steps = 2 if np.abs(result[0]).max() >= 2.5 else 3
    if divisor == 0:
        return result, [steps, -1]
    result[-1] -= rows[-1] / divisor
    return result, [steps, 1]


@pytest.mark.parametrize(("real", "tolerance"), [("double", 1e-13), ("float", 1e-5)])
@pytest.mark.parametrize("divisor", [2.0, 0.0])
def test_c_and_python_do_the_same(
    real: Real, tolerance: float, divisor: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, render(module(tmp_path, monkeypatch, real=real)))
    engines = [load_c(tmp_path, flags=(*WARNINGS, "-O2")), load_numpy(tmp_path / "rows.py")]
    for seed in range(6):
        data = np.random.default_rng(seed).normal(size=(4, 3))
        for engine in engines:
            result, counted, work = engine.functions["smooth"](data, 0.25, divisor)
            wanted, counts = expected(data, 0.25, divisor)
            np.testing.assert_allclose(result, wanted, rtol=0, atol=tolerance * 10)
            assert list(counted) == counts
            assert work.shape == (39,)


def test_a_batch_is_a_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, render(module(tmp_path, monkeypatch)))
    smooth = load_numpy(tmp_path / "rows.py").functions["smooth"]
    data = np.random.default_rng(1).normal(size=(5, 1, 4, 3))
    divisors = np.array([1.0, 2.0])
    result, counted, _ = smooth(data, 0.5, divisors)
    assert result.shape == (5, 2, 4, 3) and counted.shape == (5, 2, 2)
    np.testing.assert_allclose(result[3, 1], expected(data[3, 0], 0.5, 2.0)[0], atol=1e-13)
    with pytest.raises(CodegenError, match=r"data has the shape \(3,\)"):
        smooth(np.zeros(3), 0.5, 1.0)


def test_what_nothing_needs_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {file.name: file.text for file in render(module(tmp_path, monkeypatch))}
    for text in (texts["rows.c"], texts["rows.py"]):
        assert not re.search(r"\b(unused|idle|EVEN|OTHER)\b", text)
        assert "A row is doubled as the derived function has it." in text
        assert "Between a row and the next one." in text
    assert "rows_mean_BAD = -1" in texts["rows.c"]
    assert "if (EVEN" not in texts["rows.c"] and "_mean_LIMIT" in texts["rows.py"]


def test_scratch_memory_that_is_too_small_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    description = module(
        tmp_path, monkeypatch, MEAN.replace("last: array[WIDTH]", "last: array[WIDTH]\nmore: array[1]")
    )
    with pytest.raises(CodegenError, match="mean needs 40 entries of scratch memory"):
        render(description)


@pytest.mark.parametrize(
    ("old", "new", "below", "complaint"),
    [
        ("    steps = 0\n", "    steps = [0]\n", 0, "List is not in the routine language"),
        ("    steps = 0\n", "    steps = lambda: 0\n", 0, "Lambda is not in the routine language"),
        ("    steps = 0\n", "    steps = 0.5\n    steps = 1\n", 1, "steps is real and cannot become int"),
        ("    steps = 0\n", "    steps = rows[0][0] + zero\n", 0, "vectors are added to vectors"),
        ("    steps = 0\n", "    steps = 0\n    zero += doubled_only(rows[0][:2])\n", 1, "needs 3 entries"),
        ("    steps = 0\n", "    steps = 0\n    data[0] = zero\n", 1, "data is only read here"),
        ("    steps = 0\n", "    steps = 0\n    row[0] = 1.0\n", -5, "row is a vector of its own"),
        ("    steps = 0\n", "    steps = 0\n    rows[0] = zeros(2)\n", 1, "2 entries for 3"),
        ("    steps = 0\n", "    steps = 0\n    rows[0] = zero + zeros(2)\n", 1, "a vector of 3 and one of 2 entries"),
        ("    steps = 0\n", "    steps = 0\n    rows[4][0] = 1.0\n", 1, "entry 4 of 4"),
        ("    steps = 0\n", "    steps = 0\n    rows[0][1:5] = zeros(4)\n", 1, "entries 1 to 5 of 3"),
        ("    steps = 0\n", "    steps = 0\n    other = unknown + 1\n    steps = other\n", 1, "unknown is not known"),
        ("    steps = 0\n", "    steps = 0\n    last = zero\n", 1, "last is an array"),
        ("    steps = 0\n", "    steps = 0\n    rows[0] = 1.0\n", 1, "a scalar cannot be given to a vector"),
        ("    steps = 0\n", "    steps = 1 < 2 < 3\n    counted[0] = steps\n", 0, "comparisons are not chained"),
        ("    steps = 0\n", "    steps = 0\n    for x in rows:\n        steps = 1\n", 1, "a loop runs over a range"),
        ("    steps = 0\n", "    steps = 0\n    fresh += zero\n", 1, "fresh has no value yet"),
        ("    status = scaled(divisor, counted)", "    status = scaled(1, rows[0])", 0, "hand over a whole array"),
        ("    status = scaled(divisor, counted)", "    status = scaled(divisor)", 0, "no call of a function"),
        ("    status = scaled(divisor, counted)", "    status = nowhere(divisor)", 0, "no call of a function"),
        ("twice, square = doubled(", "twice = doubled(", 0, "doubled has 2 results"),
        ("doubled_only(deep[i][1])", "doubled_only(weight)", 0, "doubled_only takes a vector here"),
        ("def smooth(data, weight", "def smooth(weight, data", 0, "smooth takes data, weight, divisor"),
        ("def unused(i: int)", "def unused(i)", 0, "i has no type"),
        ("def unused(i: int)", "def unused(i: int = 0)", 0, "no defaults"),
        ("@otherwise(BAD)", "@staticmethod", 0, "the only decorator is otherwise"),
        ("EVEN = 0", "EVEN = 0.5", 0, "a size is a name for an integer"),
        ("EVEN = 0", "EVEN = 0\nprint(EVEN)", 1, "neither a size, nor scratch memory, nor a function"),
        ("EVEN = 0", "EVEN = = 0", 0, "no Python"),
    ],
)
def test_what_is_not_in_the_language_is_refused_with_its_line(
    old: str, new: str, below: int, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MEAN.count(old) == 1
    description = module(tmp_path, monkeypatch, MEAN.replace(old, new))
    line = MEAN[: MEAN.index(old.strip())].count("\n") + 1 + below
    for language in ("c", "numpy"):
        with pytest.raises(CodegenError, match=complaint) as caught:
            render(description, (language,))
        assert caught.value.where == f"runtime/mean.py:{line}"


def test_a_missing_public_function_is_refused() -> None:
    with pytest.raises(CodegenError, match="the function f is missing"):
        read_routine("def g():\n    return\n", "mean", {}, {}, {}, {"f": ()})


def test_alternatives_on_sizes_are_decided() -> None:
    text = "def f(x, y):\n    a = 1.0 if N == 2 else 2.0\n    if N > 2 or x[0] > a and N >= 0:\n        y[0] = a\n"
    formals = [Formal("x", None, Array("x", (1,), False)), Formal("y", None, Array("y", (1,), True))]
    for size, wanted in ((2, "if x[0] > a:"), (3, "y[0] = a")):
        routine = read_routine(text, "mean", {"N": size}, {}, {"k": Signature((), ())}, {"f": formals})
        printed = print_numpy(routine)
        assert wanted in printed and ("if" in printed) == (size == 2)
        assert f"a = {3.0 if size < 2 else 1.0 if size == 2 else 2.0}" in printed


def test_elementary_functions_are_those_of_each_language() -> None:
    text = "def f(x, y):\n    y[0] = sin(x[0]) - 2.0 * cos(x[0]) + sqrt(abs(x[0]))\n"
    formals = [Formal("x", None, Array("x", (1,), False)), Formal("y", None, Array("y", (1,), True))]
    routine = read_routine(text, "mean", {}, {}, {}, {"f": formals})
    names: dict = {"math": math}
    exec(print_numpy(routine), names)
    y = [0.0]
    names["_f"]([-0.7], y, None)
    assert y[0] == pytest.approx(np.sin(-0.7) - 2 * np.cos(0.7) + np.sqrt(0.7), rel=1e-15)
    heads = {"f": ("const float *x,", "float *y,", "float *work)")}
    assert "sinf(x[0]) - 2.0f * cosf(x[0]) + sqrtf(fabsf(x[0]))" in print_c(routine, "m_", heads, "float", False)


def test_text_is_computed_in_the_order_in_which_it_is_written() -> None:
    """What stands in parentheses behind * and - is computed first; two signs never meet as a decrement."""
    given = ("x[0] / x[1] * (x[0] / x[1])", "x[0] - (x[1] - x[2])", "-(-x[0])", "-x[0] * x[1] + x[2]")
    text = "def f(x, y):\n" + "".join(f"    y[{place}] = {each}\n" for place, each in enumerate(given))
    formals = [Formal("x", None, Array("x", (3,), False)), Formal("y", None, Array("y", (4,), True))]
    routine = read_routine(text, "mean", {}, {}, {}, {"f": formals})
    for printed in (print_numpy(routine), print_c(routine, "m_", {}, "double", False)):
        assert [each for each in given if f" = {each}" in printed] == list(given)
