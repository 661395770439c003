"""Functions as Python calls them: straight from arrays, whatever is given, and to the last bit as the general way."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import sys
import sysconfig
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym.batches.compiled import CompiledFunction, CompiledModel, StatusError
from mbsym.codegen.load import LoadedFunction
from mbsym.errors import CodegenError
from mbsym.formats.registry import load
from mbsym.loops.assembly import assemble
from mechanisms.examples import some

Array = NDArray[Any]
MODELS = ("cart_pole", "double_pendulum", "five_bar", "four_bar", "puma560")
REALS = ("double", "float", "float", "double", "float")
OF_EACH_RUN = ("double_pendulum", "four_bar")
LOOPED = ("five_bar", "four_bar")


ASKED = {"cart_pole": ("forward_dynamics", "mass_matrix"), "puma560": ("inverse_dynamics",)}
"""Functions that are called where not all are."""


compiled_once = cache(mbsym.compile)


def compiled(model: str, real: Any = "double", threads: bool = False) -> CompiledModel:
    return compiled_once(model, ASKED.get(model, ()), real=real, threads=threads)


def drawn(function: CompiledFunction, *batch: int, seed: int = 0) -> list[Array]:
    """Arguments of a function; unit quaternions are such."""
    rng = np.random.default_rng(seed)
    arrays = []
    for item in function.function.inputs:
        array = rng.uniform(-1, 1, (*batch, *item.shape))
        for start in item.quaternions:
            flat = array.reshape((*batch, item.size))[..., start : start + 4]
            flat /= np.linalg.norm(flat, axis=-1, keepdims=True)
        arrays.append(array.astype(np.float32 if function.files[-1].text.find('"real": "float"') > 0 else np.float64))
    return arrays


@cache
def closed_at(model: str) -> Array:
    """Coordinates at which its loops are closed."""
    return np.asarray(assemble(load(model)).q)


def bits(results: Any) -> list[tuple[str, tuple[int, ...], bytes]]:
    """Types, shapes and bytes."""
    several = results if isinstance(results, tuple) else (results,)
    assert all(type(one) is np.ndarray for one in several)
    return [(one.dtype.str, one.shape, one.tobytes()) for one in several]


@pytest.fixture
def general_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of functions as they are called in the general way."""
    names: list[str] = []
    way = CompiledFunction.__call__

    def noted(self: CompiledFunction, *inputs: Any, **named: Any) -> Any:
        names.append(self.name)
        return way(self, *inputs, **named)

    monkeypatch.setattr(CompiledFunction, "__call__", noted)
    return names


# Each model in one of the types, which trees and loops see both.
@pytest.mark.parametrize(
    ("model", "real"), some(zip(MODELS, REALS, strict=True), zip(OF_EACH_RUN, ("float", "double"), strict=True))
)
def test_the_direct_way_gives_the_bits_of_the_general_one(model: str, real: str, general_calls: list[str]) -> None:
    functions = compiled_once(model, (), real=real, threads=False).functions
    assert functions
    for (name, function), batch in product(functions.items(), ((), (1,), (0,), (7,), (3, 11))):
        given = drawn(function, *batch)
        if model in LOOPED and function.inputs[0] == "q":
            given[0][...] = closed_at(model)
        expected, status = function.__call__(*given, failures="return")
        general_calls.clear()
        if np.asarray(status).any():
            with pytest.raises(StatusError):
                function(*given)
            continue
        found = function(*given)
        assert general_calls == []
        assert bits(found) == bits(expected), f"{name}, {batch}"
        assert getattr(found, "_fields", None) == getattr(expected, "_fields", None)


def test_shared_arguments_and_numbers(general_calls: list[str]) -> None:
    function = compiled("cart_pole").forward_dynamics
    q, v, tau, _, u = drawn(function, 13)
    for given in (
        (q, v, tau[0], 0.5, u),
        (q[0], v, tau, 1, u[0]),
        (q, v, tau, np.float64(0.5), u),
        (q[0], v[0], tau[0], 0.5, u[0]),
        (q[0], v[0], tau[0], np.array(0.5), u[0]),
    ):
        found = function(*given)
        assert general_calls == []
        assert bits(found) == bits(function.__call__(*given))
        general_calls.clear()
    small = compiled("cart_pole", "float").forward_dynamics
    given = tuple(array[0] for array in drawn(small, 2))
    third = (given[0], given[1], given[2], 1 / 3, given[4])
    found = small(*third)
    assert general_calls == []
    assert bits(found) == bits(small.__call__(*third))


def awkward(array: Array) -> Iterator[tuple[str, Any]]:
    """The same numbers as they are not read directly."""
    yield "list", array.tolist()
    yield "single", array.astype(np.float32)
    yield "swapped", array.astype(array.dtype.newbyteorder())
    yield "columns", np.asfortranarray(array)
    yield "steps", np.repeat(array, 2, axis=-1)[..., ::2]
    yield "backwards", array[::-1].copy()[::-1]
    room = np.zeros(array.nbytes + 1, dtype=np.uint8)
    apart = room[1:].view(array.dtype).reshape(array.shape)
    apart[...] = array
    yield "not aligned", apart
    yield "more axes", array[None]
    yield "subclass", array.view(np.recarray)
    yield "buffer", memoryview(array)


@pytest.mark.parametrize("states", [5, 8, 21])
def test_whatever_way_numbers_lie(states: int) -> None:
    function = compiled("double_pendulum").inverse_dynamics
    q, v, vdot = drawn(function, states)
    q = q.astype(np.float32).astype(np.float64)  # exact in single precision
    expected = function(q, v, vdot)
    for what, other in awkward(q):
        found = function(other, v, vdot)
        assert found.reshape(expected.shape).tobytes() == expected.tobytes(), what
        assert function(other, v=v, vdot=vdot, out=np.empty(found.shape)).tobytes() == expected.tobytes(), what
    q.flags.writeable = False
    assert function(q, v, vdot).tobytes() == expected.tobytes()


def test_names_of_arguments(general_calls: list[str]) -> None:
    function = compiled("double_pendulum").inverse_dynamics
    q, v, vdot = drawn(function, 3)
    expected = function(q, v, vdot)
    spelt = "".join(["v", "dot"])  # not the word that the call has
    for found in (function(q, v, vdot=vdot), function(vdot=vdot, v=v, q=q), function(q, vdot=vdot, v=v)):
        assert bits(found) == bits(expected)
    assert general_calls == []
    assert bits(function(q, v, **{spelt: vdot})) == bits(expected)
    for given, named, message in (
        ((q, v), {"q": q}, "q is given twice"),
        ((q, v, vdot), {"q": v}, "q is given twice"),
        ((q, v), {"a": q}, "no argument 'a'.*give q, v, vdot; and out, parameters or failures"),
        ((q,), {"vdot": vdot}, "2 arguments given, 3 expected"),
        ((q, v, vdot, q), {}, "4 arguments given, 3 expected"),
        ((), {}, "0 arguments given, 3 expected"),
    ):
        with pytest.raises(CodegenError, match=message):
            function(*given, **named)


def test_results_into_given_arrays(general_calls: list[str]) -> None:
    function = compiled("double_pendulum").mass_matrix
    for batch in ((), (9,), (0,)):
        (q,) = drawn(function, *batch)
        out = np.full((*batch, 2, 2), np.nan)
        assert function(q, out=out) is out
        assert general_calls == []
        assert bits(out) == bits(function(q))
    q = drawn(function, 9)[0]
    expected = function(q)
    steps = np.zeros((9, 2, 4))[..., ::2]
    assert function(q, out=steps) is steps
    assert steps.tobytes() == expected.tobytes()
    assert function(q.tolist(), out=np.empty((9, 2, 2))).tobytes() == expected.tobytes()
    assert function(q, out=None).tobytes() == expected.tobytes()


def test_several_results_into_given_arrays(general_calls: list[str]) -> None:
    function = compiled("four_bar").constrained_dynamics
    q = np.tile(closed_at("four_bar"), (4, 1))
    v, tau = np.zeros_like(q), np.ones_like(q)
    results = function(q, v, tau)
    out = tuple(np.empty_like(result) for result in results)
    found = function(q, v, tau, out=out)
    assert general_calls == []
    assert type(found) is type(results) and all(a is b for a, b in zip(found, out, strict=True))
    assert bits(found) == bits(results)
    assert bits(function(q, v, tau, out=results)) == bits(found)
    assert bits(function(q, v, tau, out=list(out))) == bits(found)
    alike = (out[0], out[0])
    for wrong in (out[:1], out[0], alike if out[0].shape != out[1].shape else None, (*out, out[0])):
        if wrong is not None:
            with pytest.raises(CodegenError, match="out"):
                function(q, v, tau, out=wrong)


def test_results_that_do_not_fit_are_refused() -> None:
    function = compiled("double_pendulum").inverse_dynamics
    given = drawn(function, 3)
    closed = np.empty((3, 2))
    closed.flags.writeable = False
    for out, message in (
        (np.empty((3, 3)), r"out for tau is float64 of shape \(3, 3\).*give an array, float64 of shape \(3, 2\)"),
        (np.empty(2), r"shape \(2,\)"),
        (np.empty((3, 2), dtype=np.float32), "float32 of shape"),
        (closed, "read-only"),
        ([[0.0] * 2] * 3, "out for tau is a list"),
    ):
        with pytest.raises(CodegenError, match=message):
            function(*given, out=out)
    with pytest.raises(CodegenError, match=r"q has the shape \(3, 3\)"):
        function(np.zeros((3, 3)), *given[1:])
    with pytest.raises(CodegenError, match=r"q has the shape \(\)"):
        function(0.0, *given[1:])
    with pytest.raises(CodegenError, match="do not fit"):
        function(np.zeros((4, 2)), *given[1:])
    with pytest.raises(CodegenError, match="complex"):
        function(np.zeros((3, 2), dtype=complex), *given[1:])


def test_results_over_their_arguments() -> None:
    """States that are written are arguments of others still; the general way computes first and writes then."""
    function = compiled("double_pendulum").inverse_dynamics
    q, v, vdot = drawn(function, 40)
    expected = function(q, v, vdot)
    assert function(q, v, vdot, out=vdot) is vdot
    assert vdot.tobytes() == expected.tobytes()
    _, _, vdot = drawn(function, 40)
    room = np.zeros((41, 2))
    room[:40] = vdot
    assert function(q, v, room[:40], out=room[1:]).tobytes() == expected.tobytes()


def test_states_without_results() -> None:
    function = compiled("four_bar").constrained_dynamics
    q = np.tile(closed_at("four_bar"), (5, 1))
    v, tau = np.zeros_like(q), np.ones_like(q)
    expected = function(q, v, tau)
    tau[3] = np.nan
    out = tuple(np.empty_like(result) for result in expected)
    for named in ({}, {"out": out}):
        with pytest.raises(StatusError, match="in 1 of 5 states, first in state"):
            function(q, v, tau, **named)
        with pytest.raises(StatusError):
            function(q[3], v[3], tau[3])
    found = function(q, v, tau, failures="mask", out=out)
    assert found.vdot is out[0]
    assert np.isnan(found.vdot[3]).all()
    rest = np.arange(5) != 3
    assert found.vdot[rest].tobytes() == expected.vdot[rest].tobytes()
    (kept, status) = function(q, v, tau, failures="return")
    assert status.nonzero()[0].tolist() == [3] and kept.vdot.shape == q.shape
    with pytest.raises(ValueError, match="give 'raise'"):
        function(q, v, tau, failures="ignore")


def test_parameters_take_the_general_way() -> None:
    function = compiled("cart_pole").mass_matrix
    q = np.array([0.0, 0.5])
    assert function(q, parameters={}).tobytes() == function(q).tobytes()
    np.testing.assert_allclose(function(q, parameters={"l": 0.3})[1, 1], 0.2 * 0.3**2 / 3)


def test_they_are_what_they_were() -> None:
    """Attributes, copies and pickles are those of the function behind."""
    function = compiled("double_pendulum").mass_matrix
    assert isinstance(function, CompiledFunction) and callable(function)
    assert (function.name, function.inputs, function.outputs) == ("mass_matrix", ("q",), ("M",))
    assert isinstance(function.function, LoadedFunction) and repr(function) == "<mass_matrix(q (2,)) -> M (2, 2)>"
    assert function.__name__ == "mass_matrix"
    assert str(inspect.signature(function)) == "(q, *, out=None, parameters=None, failures='raise')"
    assert compiled("double_pendulum").functions["mass_matrix"] is function
    assert "mass_matrix" in dir(compiled("double_pendulum"))
    q = drawn(function, 3)[0]
    for again in (copy.copy(function), copy.deepcopy(function), pickle.loads(pickle.dumps(function))):
        assert type(again).__name__ == type(function).__name__ == "Function"
        assert bits(again(q)) == bits(function(q))
    with pytest.raises(AttributeError):
        function.nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises((AttributeError, TypeError)):
        function.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("threads", [False, True])
def test_threads_call_at_once(threads: bool) -> None:
    model = compiled("puma560", threads=threads)
    function = model.inverse_dynamics
    many = [drawn(function, 700, seed=seed) for seed in range(8)]
    expected = [function.__call__(*given) for given in many]

    def work(k: int) -> bool:
        same = [function(*many[k]).tobytes() == expected[k].tobytes() for _ in range(20)]
        for row in range(100):
            same.append((function(*(array[row] for array in many[k])) == expected[k][row]).all())
        return all(same)

    with ThreadPoolExecutor(8) as executor:
        assert all(executor.map(work, range(8)))


@pytest.mark.more
def test_nothing_is_kept() -> None:
    """Neither arguments nor results nor memory, whether calls succeed or not."""
    pendulum, bars = compiled("double_pendulum").inverse_dynamics, compiled("four_bar").constrained_dynamics
    q, v, vdot = drawn(pendulum, 3)
    out = np.empty((3, 2))
    closed = closed_at("four_bar").copy()
    zero, bad = np.zeros_like(closed), np.full_like(closed, np.nan)
    pair = tuple(np.empty_like(one) for one in bars(closed, zero, zero))

    def fails(call: Callable[[], Any]) -> None:
        try:
            call()
        except (CodegenError, StatusError):
            return
        raise AssertionError("it does not fail")

    def direct() -> None:
        pendulum(q, v, vdot)
        pendulum(q, v=v, vdot=vdot, out=out)
        bars(closed, zero, zero)
        bars(closed, zero, zero, out=pair)

    def failing() -> None:
        fails(lambda: pendulum(q, v))
        fails(lambda: pendulum(q, v, vdot, out=out[:2]))
        fails(lambda: bars(closed, zero, bad))
        fails(lambda: bars(closed, zero, bad, out=pair))
        fails(lambda: bars(closed, zero, zero, out=pair[:1]))

    watched = (q, v, vdot, out, closed, zero, bad, *pair, pendulum, bars, bars.results)
    for call, times in ((direct, 2500), (failing, 2500)):
        for _ in range(50):
            call()
        gc.collect()
        counts = [sys.getrefcount(one) for one in watched]
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            call()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert [sys.getrefcount(one) for one in watched] == counts
        # Python keeps some freed memory, however often; an object a round that is not freed has 48 bytes or more.
        assert grown < 32 * times, f"{grown} bytes after {times} rounds"


@pytest.mark.parametrize("what", ["Python.h", "arrayobject.h", "broken"])
def test_ctypes_calls_where_there_are_no_headers(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        direct = mbsym.compile("double_pendulum", ("mass_matrix",))
    if what == "Python.h":
        monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    elif what == "arrayobject.h":
        monkeypatch.setattr(np, "get_include", lambda: str(tmp_path))
    else:
        (tmp_path / "Python.h").write_text("#error\n")
        monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    message = "does not compile" if what == "broken" else f"no .*{what} for this Python"
    with pytest.warns(RuntimeWarning, match=f"(?s){message}.*each call takes tens of microseconds more") as told:
        plain = mbsym.compile("double_pendulum", ("mass_matrix",))
    assert len(told) == 1 and told[0].filename == __file__
    function = plain.mass_matrix
    assert (plain.language, type(function)) == ("batch", CompiledFunction)
    q = drawn(function, 4)[0]
    assert bits(function(q)) == bits(direct.mass_matrix(q)) == bits(function(q=q, out=np.empty((4, 2, 2))))


def test_numpy_takes_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.warns(RuntimeWarning, match="NumPy computes instead"):
        plain = mbsym.compile("cart_pole", ("mass_matrix", "forward_dynamics"))
    q, v, tau, t, u = drawn(plain.forward_dynamics, 3)
    out = np.empty((3, 2))
    assert plain.forward_dynamics(q, v, tau, u=u, t=t, out=out) is out
    np.testing.assert_array_equal(out, plain.forward_dynamics(q, v, tau, t, u))
