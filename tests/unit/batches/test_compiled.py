"""Compiled functions from Python: values, shapes, failures, the cache, and NumPy where there is no compiler."""

from __future__ import annotations

import ctypes
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym.batches.compiled import StatusError
from mbsym.codegen.cache_folder import cache_folder
from mbsym.codegen.description import Argument
from mbsym.codegen.load import load_numpy
from mbsym.codegen.load_batch import BatchFunction
from mbsym.errors import CodegenError, DerivationError

NAMES = ("inverse_dynamics", "forward_dynamics", "mass_matrix")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("MBSYM_CACHE", str(folder))
    return folder


def test_leading_axes_broadcast() -> None:
    arm = mbsym.compile("double_pendulum", NAMES)
    assert (arm.language, sorted(arm.functions)) == ("batch", sorted(NAMES))
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(3, 5, 2)), rng.normal(size=(5, 2))
    tau = arm.inverse_dynamics(q, v, [0.3, -0.2])
    assert tau.shape == (3, 5, 2) and arm.mass_matrix(q[0, 0]).shape == (2, 2)
    np.testing.assert_allclose(arm.forward_dynamics(q, v, tau), np.broadcast_to([0.3, -0.2], tau.shape), atol=1e-12)
    bias = np.array([[arm.inverse_dynamics(q[i, j], v[j], [0.0, 0.0]) for j in range(5)] for i in range(3)])
    np.testing.assert_allclose(tau - bias, arm.mass_matrix(q) @ [0.3, -0.2], atol=1e-12)
    assert arm.mass_matrix(np.empty((0, 2))).shape == (0, 2, 2)


def test_fields_of_structured_arrays_need_not_lie_in_whole_numbers() -> None:
    arm = mbsym.compile("double_pendulum", ["mass_matrix"])
    q = np.random.default_rng(1).normal(size=(7, 2))
    for before in ("u1", "f4"):
        rows = np.zeros(7, dtype=[("number", before), ("q", "f8", (2,))])
        rows["q"] = q
        np.testing.assert_array_equal(arm.mass_matrix(rows["q"]), arm.mass_matrix(q))


def test_only_numbers_that_are_not_aligned_are_copied() -> None:
    """What is aligned is read where it lies; the rest need not be readable on every processor, whatever its strides."""
    places: list[int] = []

    def caught(_: object, address: ctypes.c_void_p, *__: object) -> None:
        places.append(address.value or 0)

    item, result = Argument("q", "in", (2,)), Argument("x", "out", (2,))
    function = BatchFunction(None, caught, "f", (item,), (result,), np.dtype(float), {}, False)  # type: ignore[arg-type]
    rows = np.zeros(7, dtype=[("number", "u1"), ("q", "f8", (2,)), ("rest", "u1", (7,))])
    assert rows.strides == (24,) and not rows["q"].flags.aligned
    for array in (np.zeros((7, 2)), rows["q"]):
        function.evaluate([array], {})
        assert (places[-1] == array.ctypes.data) is array.flags.aligned
        assert places[-1] % 8 == 0


def test_parameters_of_each_state() -> None:
    cart = mbsym.compile("cart_pole", ["mass_matrix"])
    lengths = np.array([0.2, 0.6, 1.0])
    found = cart.mass_matrix([0.0, 0.5], parameters={"l": lengths})
    np.testing.assert_allclose(found[:, 1, 1], 0.2 * lengths**2 / 3)
    with pytest.raises(CodegenError, match="no parameter 'length'"):
        cart.mass_matrix([0.0, 0.5], parameters={"length": 1.0})


def test_several_results_have_names_and_failures_are_told() -> None:
    bars = mbsym.compile("four_bar", ["constrained_dynamics"])
    function = bars.constrained_dynamics
    assert (function.inputs, function.outputs) == (("q", "v", "tau"), ("vdot", "lambda"))
    q = np.zeros((3, len(bars.manifest["joints"])))[:, : bars.manifest["nq"]]
    results, status = function(q, 0 * q, [np.nan] * bars.manifest["nv"], failures="return")
    assert results._fields[0] == "vdot" and status.shape == (3,) and (status != 0).all()
    with pytest.raises(StatusError, match="in 3 of 3 states, first in state"):
        function(q, 0 * q, [np.nan] * bars.manifest["nv"])
    assert np.isnan(function(q, 0 * q, [np.nan] * bars.manifest["nv"], failures="mask").vdot).all()
    with pytest.raises(ValueError, match="give 'raise', 'mask', 'keep' or 'return'"):
        function(q, 0 * q, 0 * q, failures="ignore")  # type: ignore[arg-type]


def test_the_library_is_kept(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mbsym.compile("double_pendulum", ["mass_matrix"])
    libraries = sorted(own_cache.glob("*.so"))
    assert len(libraries) == 2  # the module's, and the type of functions that Python calls
    monkeypatch.setattr("mbsym.codegen.cache._built", None)  # nothing is compiled any more
    assert mbsym.compile("double_pendulum", ["mass_matrix"]).mass_matrix([0.0, 0.0]).shape == (2, 2)
    assert libraries == sorted(own_cache.glob("*.so"))


def test_a_cache_that_cannot_be_written_is_no_hindrance(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MBSYM_CACHE", str(tmp_path / "file" / "cache"))
    assert mbsym.compile("double_pendulum", ["mass_matrix"]).language == "batch"


def test_the_folder_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MBSYM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/mbsym")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "mbsym"


def test_numpy_computes_where_there_is_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = mbsym.compile("double_pendulum", NAMES)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.warns(RuntimeWarning, match="no C compiler 'no-such-compiler'.*NumPy computes instead"):
        plain = mbsym.compile("double_pendulum", NAMES)
    assert (plain.language, plain.compiler) == ("numpy", "")
    q = np.random.default_rng(0).normal(size=(4, 2))
    np.testing.assert_allclose(plain.inverse_dynamics(q, q, q), compiled.inverse_dynamics(q, q, q), rtol=1e-12)


def test_what_is_not_there() -> None:
    arm = mbsym.compile("double_pendulum", ["mass_matrix"])
    with pytest.raises(AttributeError, match="no function 'gravity'; it has mass_matrix"):
        arm.gravity  # noqa: B018
    assert "mass_matrix" in dir(arm)
    with pytest.raises(CodegenError, match=r"q has the shape \(3,\)"):
        arm.mass_matrix([0.0, 0.0, 0.0])
    with pytest.raises(DerivationError, match="no function 'gravity'"):
        mbsym.compile("double_pendulum", ["gravity"])


@pytest.mark.parametrize("compiler", ["", "no-such-compiler"])
def test_they_pickle_by_their_source(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiler:
        monkeypatch.setenv("CC", compiler)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        arm = mbsym.compile("double_pendulum", ("mass_matrix",))
    again, function = pickle.loads(pickle.dumps((arm, arm.mass_matrix)))
    q = np.array([[0.3, -0.2], [1.0, 2.0]])
    assert again.language == ("numpy" if compiler else "batch")
    assert (again.mass_matrix(q) == arm.mass_matrix(q)).all() and (function(q) == arm.mass_matrix(q)).all()
    assert again.name == "double_pendulum" and again.functions.keys() == arm.functions.keys()


def test_complex_arrays_are_refused(tmp_path: Path) -> None:
    """Their imaginary parts would be dropped."""
    arm = mbsym.compile("double_pendulum", ("mass_matrix",), symbolic_parameters="all")
    with pytest.raises(CodegenError, match=r"mass_matrix: q is complex, .* give its real part"):
        arm.mass_matrix(np.array([1.0, 2j]))
    name = next(iter(arm.manifest["run_time_parameters"]))
    with pytest.raises(CodegenError, match=f"{name} is complex"):
        arm.mass_matrix([1.0, 2.0], parameters={name: 1j})
    mbsym.generate("double_pendulum", tmp_path, functions=("mass_matrix",), languages=("numpy",))
    with pytest.raises(CodegenError, match="q is complex"):
        load_numpy(tmp_path / "double_pendulum.py").functions["mass_matrix"](np.array([1.0, 2j]))
