"""Routines for several states at once: branches, loops and ends that differ from state to state, by masks."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym.codegen.build import DEFAULT_FLAGS, compile_c
from mbsym.codegen.c.routines import print_c
from mbsym.codegen.environment import fixed_text
from mbsym.codegen.expressions import Call
from mbsym.codegen.interface import Argument, ModuleDescription, Real, RuntimeFunction, render
from mbsym.codegen.load import c_module
from mbsym.codegen.load_batch import CHECKED, batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.numpy.arrays import print_arrays
from mbsym.codegen.routines.counts import count_operations
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.reader import read_routine
from mbsym.codegen.routines.seldom import without_seldom
from mbsym.codegen.statements import Do, walk
from mbsym.codegen.statuses import Failure, Status
from mbsym.codegen.write import write_files
from mbsym.errors import CodegenError

TEXT = '''"""What differs from state to state."""

from __future__ import annotations


class Kept:
    """What is found on the way."""

    order: integers[N]  # ascending
    rounds: int


def sorted_places(kept: Kept, x: vector[N]):
    for i in range(N):
        kept.order[i] = i
    for last in range(N - 1, 0, -1):
        for i in range(last):
            if x[kept.order[i]] > x[kept.order[i + 1]]:
                moved = kept.order[i]
                kept.order[i] = kept.order[i + 1]
                kept.order[i + 1] = moved


def first_above(x: vector[N], bound: real) -> int:
    for i in range(N):
        if x[i] > bound:
            return i
    return N


@seldom
def doubled(x: array[N], by: real) -> real:
    for i in range(N):
        if x[i] < 0.0:
            x[i] *= by
    return x[0] * x[N - 1]


def shrunk(kept: Kept, x: array[N], bound: real):
    kept.rounds = 0
    carried = 0.0
    while peak(x) > bound:
        carried += x[0]
        x[:] = 0.5 * x
        kept.rounds += 1
        if kept.rounds > 3 and carried > 0.0:
            break
    x[N - 1] += carried


def settle(x: vector[N], y: array[N], found: integers[3]) -> int:
    """Everything once."""
    kept = Kept()
    if not finite(x):
        return BAD
    sorted_places(kept, x)
    for i in range(N):
        y[kept.order[i]] = x[i] if i > 0 else x[kept.order[0]]
    shrunk(kept, y, 1.0)
    found[0] = kept.rounds
    found[1] = first_above(y, 0.25)
    if y[0] < 0.0:
        y[1] = doubled(y, 3.0)
    else:
        y[1] -= 1.0
        if y[1] > 0.0 or y[2] > 0.5:
            return kept.order[0]
    found[2] = kept.order[N - 1]
    return OK if y[1] < 0.0 else BAD
'''
N = 4

COUNTED = '''"""Whole numbers that differ from state to state beside those that all states share."""

from __future__ import annotations


@seldom
def doubled(y: array[N]) -> real:
    y[:] = 2.0 * y
    return y[0]


def settle(x, y, rounds) -> int:
    """Halves until all is small; as many entries as there were rounds change their sign."""
    taken = 0
    y[:] = x
    while peak(y) > 1.0 and taken < 6:
        y[:] = 0.5 * y
        taken += 1
    for i in range(N):
        if taken > i:
            y[i] = i * x[0] - y[i]
    if y[0] < -0.75:
        y[1] = doubled(y)
    rounds[0] = taken
    return NOT_CONVERGED if taken == 6 else OK
'''


def routine(text: str = TEXT) -> Routine:
    return read_routine(text, "sides", {"N": N}, {"OK": 0, "BAD": 7}, {}, {"settle": None})


def one_by_one(place: Path, states: np.ndarray) -> list[np.ndarray]:
    heads = {"settle": ("const M_real *x,", "M_real *y,", "int *found)")}
    head = "#include <math.h>\n#include <stdbool.h>\ntypedef double M_real;\n"
    head += f"int M_settle({' '.join(heads['settle'])};\n"
    helper = fixed_text("c/statuses.c", "M_").replace("M_ABS", "fabs").replace("M_INFINITY", "HUGE_VAL")
    printed = print_c(routine(), "M_", heads, "double", has_parameters=False)
    (place / "sides.c").write_text(f"{head}{helper}\n{printed}\n")
    library: Any = compile_c(place, "sides", DEFAULT_FLAGS).handle
    y, found = np.zeros_like(states), np.zeros((len(states), 3), dtype=np.intc)
    status = np.array(
        [
            library.M_settle(*(ctypes.c_void_p(array.ctypes.data) for array in (x, y[k], found[k])))
            for k, x in enumerate(states)
        ]
    )
    return [y, found, status]


def all_at_once(states: np.ndarray) -> list[np.ndarray]:
    names: dict[str, Any] = {"np": np, "_REAL": np.float64, "_axes": lambda _, found, shape: len(found) - len(shape)}
    exec(fixed_text("numpy/states.py", ""), names)
    exec(print_arrays(routine()), names)
    results = [((N,), float), ((3,), int)]
    found, status = names["_for_states"](names["_settle"], {}, [("x", states, (N,))], results)
    return [*found, status]


def test_all_states_at_once_do_what_each_does_alone(tmp_path: Path) -> None:
    states = np.random.default_rng(3).normal(size=(400, N)) * np.repeat([0.4, 2.0, 30.0, 1.0], 100)[:, None]
    states[7, 2], states[11, 0] = np.nan, np.inf
    y, found, status = one_by_one(tmp_path, states)
    assert {0, 7} < set(status) and len(set(status)) > 3 and len(set(found[:, 0])) > 3
    for result, expected in zip(all_at_once(states), (y, found, status), strict=True):
        np.testing.assert_array_equal(result, expected)
    for k in (0, 7, 150, 399):
        for result, expected in zip(all_at_once(states[k]), (y[k], found[k], status[k]), strict=True):
            np.testing.assert_array_equal(result, expected)
    grid = all_at_once(states.reshape(20, 20, N))
    np.testing.assert_array_equal(grid[0], y.reshape(20, 20, N))
    np.testing.assert_array_equal(grid[2], status.reshape(20, 20))


def halved(x: np.ndarray) -> tuple[np.ndarray, int]:
    """What COUNTED does."""
    taken = next((k for k in range(6) if np.abs(x).max() <= 2.0**k), 6)
    y = x / 2.0**taken
    y[:taken] = np.arange(N)[:taken] * x[0] - y[:taken]
    if y[0] < -0.75:
        y *= 2.0
        y[1] = y[0]
    return y, taken


@pytest.mark.parametrize(("real", "lanes"), [("double", 4), ("float", 8), ("float", 1)])
def test_whole_numbers_of_each_lane_meet_those_of_all(
    real: Real, lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sides.py").write_text(COUNTED, encoding="utf-8")
    monkeypatch.setattr("mbsym.codegen.routines.module.runtime_directory", lambda: tmp_path)
    arguments = (Argument("x", "in", (N,)), Argument("y", "out", (N,)), Argument("rounds", "out", (1,), kind="int"))
    failures = (Failure(Status.NOT_CONVERGED, "those of the last round"),)
    settle = RuntimeFunction("settle", "sides", arguments, failures=failures, lanes=True)
    description = ModuleDescription("sides", (), constants={"N": N}, runtime=(settle,), real=real, batch=("all",))
    write_files(tmp_path, render(description, ("c", "batch")))
    library = compile_c(tmp_path, "sides_batch", (*CHECKED, f"-Dsides_LANES={lanes}"), also=("sides",))
    manifest = read_manifest(tmp_path)
    # Halves of small whole numbers are exact in both types.
    states = np.random.default_rng(3).integers(-4, 5, (43, N)) * np.resize([0.25, 0.5, 3.0, 40.0], 43)[:, None]
    y, taken = (np.array(each) for each in zip(*map(halved, states), strict=True))
    assert set(taken) == {0, 1, 2, 3, 4, 6} and (y[:, 0] == y[:, 1]).sum() > 5
    for module in (c_module(library, manifest), batch_module(library, manifest)):
        (found, rounds), status = module.functions["settle"].with_status(states)
        np.testing.assert_array_equal(found, y)
        np.testing.assert_array_equal(rounds[:, 0], taken)
        np.testing.assert_array_equal(status, np.where(taken == 6, Status.NOT_CONVERGED, Status.OK))


def test_what_few_states_need_is_left_to_the_function_for_one() -> None:
    made = without_seldom(routine())
    assert made.function("doubled") is None
    settle = made.function("settle")
    assert settle is not None
    required = [each for each in walk(settle.body) if isinstance(each, Do) and each.call.function == "require"]
    assert len(required) == 1 and isinstance(required[0].call, Call)


def test_operations_are_those_of_an_ordinary_call() -> None:
    """One round of the loop: a sum and N products; then the sum after it and one difference."""
    counted, calls = count_operations(routine(), "settle")
    assert (counted.add, counted.mul, counted.div) == (3, N, 0)
    assert not calls


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("for i in range(last):", "for i in range(kept.rounds):", "a range that varies"),
        ("            break", "            continue", "continue under a condition that varies"),
    ],
)
def test_what_has_no_masks_is_refused(old: str, new: str, complaint: str) -> None:
    assert TEXT.count(old) == 1
    with pytest.raises(CodegenError, match=complaint):
        print_arrays(routine(TEXT.replace(old, new)))
