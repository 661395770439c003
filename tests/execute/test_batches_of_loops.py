"""Closed loops for many states: Newton's steps and factors in lanes, and states among them that need more."""

from __future__ import annotations

import ctypes
import ctypes.util
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym.codegen.build import compile_c
from mbsym.codegen.load import LoadedModule, c_module, load_numpy
from mbsym.codegen.load_batch import CHECKED, batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.statuses import Status
from mechanisms.examples import further
from mechanisms.singular import CASES

Array = NDArray[Any]
FUNCTIONS = (
    "project_position",
    "project_position_report",
    "project_velocity",
    "constrained_dynamics_report",
    "stabilised_dynamics",
    "joint_wrenches",
    "constrained_dynamics_derivatives",
)
EPSILON = {"double": 2.0**-52, "float": 2.0**-23}
EXCEPTIONS = 0x01 | 0x04 | 0x08
"""Invalid operation, division by zero and overflow on x86; elsewhere the test asks for what these bits are there."""


@cache
def modules(case: str, real: Any, lanes: int) -> tuple[LoadedModule, LoadedModule]:
    """Functions for one state and for many."""
    with TemporaryDirectory() as scratch:
        model = CASES[case]().model
        mbsym.generate(model, scratch, functions=FUNCTIONS, languages=("c", "batch"), real=real)
        manifest = read_manifest(scratch)
        name = manifest["name"]
        flags = (*CHECKED, "-O1", f"-D{name}_LANES={lanes}")
        library = compile_c(Path(scratch), f"{name}_batch", flags, also=(name,))
        return c_module(library, manifest), batch_module(library, manifest)


def states(case: str, real: Any = "double") -> dict[str, Array]:
    """Arguments of 21 states: closed ones, some that are to be closed, and those of which each status is due."""
    found = CASES[case]().states
    rng = np.random.default_rng(7)
    near = np.array(found[Status.OK]) + rng.normal(0, 0.02, (21, len(found[Status.OK])))
    nv = near.shape[1]
    v, tau = rng.normal(size=(2, 21, nv))
    for k, status in ((3, Status.SINGULAR), (9, Status.NOT_CLOSED), (10, Status.SINGULAR)):
        near[k] = found.get(status, near[k])
    near[5, 0], near[13, -1], v[17, 0] = np.nan, np.inf, -np.inf
    near[15] = (
        np.array(found[Status.SINGULAR]) + EPSILON[real] ** 0.4
    )  # Regular, but not so that Cholesky's factor serves.
    return {"q": near, "v": v, "tau": tau, "gains": np.array([3.0, 5.0])}


def told(module: LoadedModule, name: str, given: dict[str, Array]) -> tuple[list[Array], Array]:
    """Results and statuses of a function."""
    function = module.functions[name]
    results, status = function.with_status(*(given[item.name] for item in function.inputs))
    return [np.asarray(x) for x in (results if isinstance(results, tuple) else (results,))], np.asarray(status)


@pytest.mark.parametrize(
    ("case", "real", "lanes"),
    [("crane", "double", 1), *further(("flat_loop", "double", 8), ("flat_loop", "float", 16))],
)
def test_each_state_is_as_the_function_for_one_has_it(case: str, real: Any, lanes: int) -> None:
    """The same statuses; the same bits where that function does it; else the same but for round-off."""
    one, many = modules(case, real, lanes)
    given = states(case, real)
    seen = set()
    for name in FUNCTIONS:
        expected, status = told(one, name, given)
        found, statuses = told(many, name, given)
        np.testing.assert_array_equal(statuses, status)
        seen |= set(status.tolist())
        well = status == Status.OK
        assert 10 < well.sum() < 21
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a[~well], b[~well])
            # Sines and cosines differ in their last place; solutions of regular rows magnify that a thousandfold at
            # most, and derivatives, products of such, once more.
            size = (1 + np.abs(b[well]).max()) * EPSILON[real]
            assert np.abs(a[well] - b[well]).max() < (1e6 if "derivatives" in name else 1e4) * size
    assert seen >= {Status.OK, Status.SINGULAR, Status.NOT_CLOSED, Status.NOT_FINITE}


def test_what_nearly_vanishes_in_a_lane_is_refused() -> None:
    """A rod of 1e-14 m has a direction, finite and all round-off: the function for one state does not take it."""
    one, many = modules("crane", "double", 1)
    given = states("crane")
    given["q"][19] = np.array(CASES["crane"]().states[Status.SINGULAR]) + 1e-14
    for name in FUNCTIONS:
        statuses = told(many, name, given)[1]
        np.testing.assert_array_equal(statuses, told(one, name, given)[1])
        assert statuses[19] in (Status.SINGULAR, Status.NOT_CLOSED), name


def test_each_of_several_rods_is_looked_at(tmp_path: Path) -> None:
    """Of two rods the first one or the second has no direction."""
    model = CASES["crane"]().model
    far = mbsym.DistanceConstraint("far", "ground", "mass", 1, first_point=(1.2, 0, 0))
    mbsym.generate(
        replace(model, constraints=(*model.constraints, far)),
        tmp_path,
        functions=("project_velocity",),
        languages=("c", "batch"),
    )
    manifest = read_manifest(tmp_path)
    library = compile_c(tmp_path, "crane_batch", (*CHECKED, "-O0"), also=("crane",))
    q = np.array([(0.6, 0.8), (1e-14, 1e-14), (1.2 + 1e-14, 1e-14), (0.6, 0.8), (0.6, -0.8)])
    given = {"q": q, "v": np.ones((5, 2))}
    for module in (c_module(library, manifest), batch_module(library, manifest)):
        statuses = told(module, "project_velocity", given)[1]
        assert statuses.tolist() == [Status.OK, Status.SINGULAR, Status.SINGULAR, Status.OK, Status.OK]


def test_neighbours_do_not_matter() -> None:
    """Not a bit of any result changes with the company that a state is in."""
    many, given = modules("flat_loop", "double", 8)[1], states("flat_loop")
    order = np.random.default_rng(0).permutation(21)
    other = {name: array[order] if len(array) == 21 else array for name, array in given.items()}
    for name in FUNCTIONS:
        for a, b in zip(*(told(many, name, arguments)[0] for arguments in (given, other)), strict=True):
            assert a[order].tobytes() == b.tobytes(), name


def test_lanes_go_on_as_long_as_one_state_does() -> None:
    """Steps of each state are counted: those of neighbours that go on leave a closed one as it is."""
    one, many = modules("flat_loop", "double", 8)
    q = np.tile(states("flat_loop")["q"][0], (8, 1))
    q = np.asarray(one.functions["project_position"](q)) + np.array([0, 0, 1, 1, 10, 100, 1000, 3000])[:, None] * 1e-4
    (closed, gap, steps), status = many.functions["project_position_report"].with_status(q)
    expected = one.functions["project_position_report"](q)
    assert not status.any() and gap.max() < 1e-13
    np.testing.assert_array_equal(steps, expected[2])
    assert steps[0] == 0 < steps[2] < steps[6]
    np.testing.assert_array_equal(closed[:2], q[:2])


SPECIAL = (0.0, 5e-324, 1e9, 1e16, 1e200, 1e308, -1e308, np.inf, -np.inf, np.nan)
"""Arguments that something overflows with, vanishes with, or that are none."""


def special_states(case: str) -> dict[str, Array]:
    """Good states with one special argument each, good ones between them, those of each status, and a short tail."""
    found = CASES[case]().states
    good = np.array(found[Status.OK])
    rng = np.random.default_rng(5)
    plain = {name: rng.normal(size=(101, len(good))) for name in ("v", "tau")}
    given = {"q": good + rng.normal(0, 1e-3, plain["v"].shape), **plain, "gains": np.full((101, 2), 3.0)}
    for k, value in enumerate(SPECIAL):
        for j, (name, place) in enumerate((("q", 0), ("q", -1), ("v", 0), ("tau", -1), ("gains", 0))):
            given[name][2 * (5 * k + j), place] = value
    for place, q in zip((1, 37, 99, 100), [*found.values(), found[Status.SINGULAR]], strict=False):
        given["q"][place] = q
    return given


@pytest.mark.parametrize(("case", "real", "lanes"), [("flat_loop", "double", 8), ("crane", "double", 1)])
def test_what_is_called_good_is_finite_and_all_say_the_same(case: str, real: Any, lanes: int) -> None:
    """In C, in lanes and in NumPy, beside states of any other status and in the tail of a batch."""
    with TemporaryDirectory() as scratch:
        mbsym.generate(CASES[case]().model, scratch, functions=FUNCTIONS, languages=("numpy",))
        numpy = load_numpy(Path(scratch) / f"{read_manifest(scratch)['name']}.py")
    one, many = modules(case, real, lanes)
    given, seen = special_states(case), set()
    for name in FUNCTIONS:
        statuses = []
        for module in (one, many, numpy):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                results, status = told(module, name, given)
            well = status == Status.OK
            assert 40 < well.sum() < 101
            assert all(np.isfinite(result[well]).all() for result in results), name
            statuses.append(status)
        np.testing.assert_array_equal(statuses[1], statuses[0], name)
        # Where rows vanish and what they ask for overflows, two faults are there, of which one is told.
        np.testing.assert_array_equal(statuses[2] == Status.OK, statuses[0] == Status.OK, name)
        seen |= set(statuses[0].tolist())
    assert seen == {Status.OK, Status.SINGULAR, Status.NOT_CLOSED, Status.NOT_FINITE}


def test_no_lane_raises_what_a_program_may_trap() -> None:
    """Singular rows, and coordinates that cannot be closed, raise no exception of arithmetic in lanes either."""
    mathematics = ctypes.CDLL(ctypes.util.find_library("m"))
    one, many = modules("flat_loop", "double", 8)
    given = {name: array[:5] if len(array) == 21 else array for name, array in states("flat_loop").items()}
    given["q"][4] = CASES["flat_loop"]().states[Status.NOT_CLOSED]
    for name in FUNCTIONS:
        mathematics.feclearexcept(EXCEPTIONS)
        told(one, name, given)
        allowed = mathematics.fetestexcept(EXCEPTIONS)
        mathematics.feclearexcept(EXCEPTIONS)
        status = told(many, name, given)[1]
        assert status.any() and mathematics.fetestexcept(EXCEPTIONS) & ~allowed == 0, name
