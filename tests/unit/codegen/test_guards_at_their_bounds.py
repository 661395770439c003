"""Guarded functions at the bounds of their domains, for one state and for many, wherever arguments lie in memory."""

from __future__ import annotations

import ctypes
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym.codegen.build import SharedLibrary, compile_c
from mbsym.codegen.description import ModuleDescription
from mbsym.codegen.interface import render
from mbsym.codegen.load import LoadedModule, c_module, load_numpy
from mbsym.codegen.load_batch import batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.statuses import Status
from mbsym.codegen.write import write_files
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, ParameterInput, Program

Array = NDArray[Any]

GOOD: Final = (0.25, 0.5, 2.0, 1.0, 1.0)
STATES: Final[dict[tuple[float, ...], Status]] = {
    GOOD: Status.OK,
    (0.0, 1.0, 2.0, 1.0, 1.0): Status.OK,  # a root of zero, an arc of one
    (-1e-300, 0.5, 2.0, 1.0, 1.0): Status.OUT_OF_REACH,
    (0.25, -1.0, 2.0, 1.0, 1.0): Status.OK,
    (0.25, 1.0 + 2.0**-52, 2.0, 1.0, 1.0): Status.OUT_OF_REACH,
    (0.25, 0.5, 5e-324, 1.0, 1.0): Status.OK,
    (0.25, 0.5, 0.0, 1.0, 1.0): Status.OUT_OF_REACH,
    (0.25, 0.5, 2.0, 0.1, 1.0): Status.OK,  # what is divided by is 1e-13, and ordinarily 1e-12
    (0.25, 0.5, 2.0, 1e-13, 1.0): Status.SINGULAR,
    (0.25, 0.5, 0.0, 1e-13, 1.0): Status.OUT_OF_REACH,
    (0.25, 0.5, 2.0, 1.0, np.nan): Status.NOT_FINITE,  # of which no result depends
    (-1.0, 0.5, 2.0, 1.0, -np.inf): Status.NOT_FINITE,
    (0.5, 0.5, 2.0, 1.0, 1.0): Status.OK,
}
"""States and what becomes of them; more than fill two vectors, the last of them good."""


def guarded() -> Program:
    """A vector and a number of every guarded function, and an argument that only stands there."""
    graph = Graph()
    x = [graph.symbol(f"x[{k}]") for k in range(4)]
    idle, factor = graph.symbol("idle"), graph.symbol("factor")
    root = graph.function("sqrt", graph.mul(factor, x[0]))
    arc = graph.function("asin", x[1])
    logarithm = graph.function("log", x[2])
    inverse = graph.div(1, graph.mul(graph.const(Fraction(1, 10**12)), x[3]))
    outputs = (Output("y", (2,), (graph.add(root, arc), inverse)), Output("z", (), (graph.add(logarithm, root),)))
    inputs = (Input("x", (4,), tuple(x)), Input("idle", (), (idle,)))
    return Program("guarded", graph, inputs, outputs, (ParameterInput("factor", factor, Fraction(1)),))


@cache
def modules() -> tuple[LoadedModule, LoadedModule, LoadedModule, SharedLibrary]:
    """In C for one state and for many, in Python, and the library."""
    with TemporaryDirectory() as scratch:
        write_files(scratch, render(ModuleDescription("model", (guarded(),), batch=("all",))))
        manifest = read_manifest(scratch)
        library = compile_c(Path(scratch), "model_batch", ("-O1", "-Dmodel_LANES=4"), also=("model",))
        module = load_numpy(Path(scratch) / "model.py")
        return c_module(library, manifest), batch_module(library, manifest), module, library


def test_each_bound_in_all_forms() -> None:
    x = np.array([state[:4] for state in STATES])
    idle = np.array([state[4] for state in STATES])
    for module in modules()[:3]:
        (y, z), status = module.functions["guarded"].with_status(x, idle)
        assert status.tolist() == list(STATES.values()), module.language
        good = status == Status.OK
        with np.errstate(all="ignore"):
            expected = np.stack((np.sqrt(x[:, 0]) + np.arcsin(x[:, 1]), 1e12 / x[:, 3]), axis=-1)
            number = np.log(x[:, 2]) + np.sqrt(x[:, 0])
        # One or two roundings of the library's functions.
        np.testing.assert_allclose(np.asarray(y)[good], expected[good], rtol=1e-14)
        np.testing.assert_allclose(np.asarray(z)[good], number[good], rtol=1e-14)
        assert np.isnan(np.asarray(y)[~good]).all() and np.isnan(np.asarray(z)[~good]).all(), module.language


@pytest.mark.parametrize("stride", [0, 2])
def test_results_statuses_and_parameters_lie_anywhere(stride: int) -> None:
    """The function for many states as C calls it: the worst status is returned, what lies between is not touched."""
    count = len(STATES)
    x = np.array([[*state[:4]] for state in STATES])
    idle = np.array([state[4] for state in STATES])
    x[10:12, 0], idle[10:12] = -1.0, 1.0
    factors = np.full(3 * count, -1.0)
    factors[: 2 * count : 2] = 1.0 if stride else -1.0
    factors[0] = 1.0
    y, z, statuses = np.full((count, 2, 3), 7.0), np.full((count, 2), 7.0), np.full(count, 99, np.intc)
    # Of each array by how many numbers states lie apart, and its entries.
    far = {id(y): (6, 3), id(z): (2, 1)}
    call = modules()[3].handle.model_guarded_batch
    call.restype = ctypes.c_int
    actual: list[Any] = [ctypes.c_ssize_t(count), ctypes.c_void_p(factors.ctypes.data), ctypes.c_ssize_t(stride)]
    for array in (x, idle, y, z):
        strides = (ctypes.c_ssize_t * 2)(*far[id(array)]) if id(array) in far else None
        actual += [ctypes.c_void_p(array.ctypes.data), strides]
    worst = call(*actual, ctypes.c_void_p(statuses.ctypes.data))
    expected = [*STATES.values()][:10] + [Status.OUT_OF_REACH] * 2 + [Status.OK]
    assert statuses.tolist() == expected and worst == max(expected) != expected[-1]
    (one, number), _ = modules()[0].functions["guarded"].with_status(x, idle)
    # The same operations in the same order, but for what vectors' libraries round otherwise.
    np.testing.assert_allclose(y[:, :, 0], one, rtol=1e-14)
    np.testing.assert_allclose(z[:, 0], number, rtol=1e-14)
    assert (y[:, :, 1:] == 7.0).all() and (z[:, 1] == 7.0).all()


def test_state_by_state_results_lie_anywhere_too(tmp_path: Path) -> None:
    mbsym.generate("puma560", tmp_path, functions=["gravity_force"], style="shared", batch=["gravity_force"])
    manifest = read_manifest(tmp_path)
    library = compile_c(tmp_path, "puma560_batch", ("-O0",), also=("puma560",))
    q, found = np.random.default_rng(4).normal(size=(5, 6)), np.full((5, 6, 2), 7.0)
    strides = (ctypes.c_ssize_t * 2)(12, 2)
    call = library.handle.puma560_gravity_force_batch
    call.restype = None
    call(ctypes.c_ssize_t(5), ctypes.c_void_p(q.ctypes.data), None, ctypes.c_void_p(found.ctypes.data), strides)
    expected = c_module(library, manifest).functions["gravity_force"](q)
    np.testing.assert_array_equal(found[:, :, 0], expected)
    assert (found[:, :, 1] == 7.0).all() and np.ptp(found[:, 1, 0]) > 1
