"""Packages for pip: functions without mbsym, as those of ``mbsym.compile``."""

from __future__ import annotations

import importlib
import os
import pickle
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.build import WARNINGS
from mbsym.errors import CodegenError
from mbsym.loops.assembly import assemble

pytest.importorskip("setuptools", reason="setuptools is not installed: pip install setuptools")
FUNCTIONS = ("constrained_dynamics", "mass_matrix", "project_position_report", "kinetic_energy")


def built(directory: Path, model: str, **options: Any) -> Path:
    """A directory with what pip would put into a wheel."""
    place = directory / "project"
    mbsym.export(model, "python", place, **options)
    command = [sys.executable, "setup.py", "-q", "build", "--build-lib", str(directory / "built")]
    environment = {**os.environ, "CFLAGS": "-O1 -Wall -Wextra -Werror"}
    done = subprocess.run(
        command, cwd=directory / "project", env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    names = sorted(path.name.partition(".")[0] for path in (directory / "built" / model).iterdir())
    assert names == ["__init__", f"_{model}"]
    return directory / "built"


@pytest.fixture(scope="module")
def bars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    place = built(tmp_path_factory.mktemp("bars"), "four_bar", functions=FUNCTIONS, symbolic_parameters="all")
    sys.path.insert(0, str(place))
    try:
        yield importlib.import_module("four_bar")
    finally:
        sys.path.remove(str(place))
        for name in ("four_bar", "four_bar._four_bar"):
            sys.modules.pop(name, None)


def states(count: int = 5) -> tuple[np.ndarray[Any, Any], ...]:
    q = np.tile(assemble(mbsym.load("four_bar")).q, (count, 1))
    return q, np.zeros_like(q), np.linspace(-1, 1, q.size).reshape(q.shape)


def test_values_are_those_of_compiled_functions(bars: Any) -> None:
    compiled = mbsym.compile("four_bar", FUNCTIONS, symbolic_parameters="all")
    q, v, tau = states()
    given = {"q": q, "v": v, "tau": tau}
    for name in FUNCTIONS:
        function = getattr(bars, name)
        arrays = [given[item] for item in compiled.functions[name].inputs]
        expected, found = compiled.functions[name](*arrays), function(*arrays)
        longer = function.__call__(*(array.tolist() for array in arrays))
        single = function(*(array[1] for array in arrays))
        results = ((item if isinstance(item, tuple) else (item,)) for item in (expected, found, longer, single))
        for one, two, three, four in zip(*results, strict=True):
            assert (one.dtype, one.shape) == (two.dtype, two.shape)
            np.testing.assert_allclose(two, one, rtol=1e-9, atol=1e-12)
            assert two.tobytes() == three.tobytes() and two[1].tobytes() == four.tobytes()
    found = bars.constrained_dynamics(q, v, tau)
    assert found._fields[0] == "vdot"
    lengths = {"l_crank": np.linspace(0.3, 0.31, 5), "l_base": 0.7}
    expected = compiled.mass_matrix(q, parameters=lengths)
    np.testing.assert_allclose(bars.mass_matrix(q, parameters=lengths), expected, rtol=1e-12)
    assert bars.mass_matrix(q[0], parameters=lengths).shape == expected.shape
    assert found.vdot.tobytes() == bars.constrained_dynamics(q, v, tau, parameters=bars.PARAMETERS).vdot.tobytes()


def test_states_without_results(bars: Any) -> None:
    q, v, tau = states()
    tau[2] = np.nan
    with pytest.raises(bars.StatusError, match=r"in 1 of 5 states, first in state \(2,\): NOT_FINITE: ") as raised:
        bars.constrained_dynamics(q, v, tau)
    assert raised.value.status.tolist() == [0, 0, raised.value.status[2], 0, 0]
    masked = bars.constrained_dynamics(q, v, tau, failures="mask")
    assert np.isnan(masked.vdot).all(axis=1).tolist() == [False, False, True, False, False]
    results, status = bars.constrained_dynamics(q, v, tau, failures="return")
    assert (status == raised.value.status).all() and np.isfinite(results.vdot[3]).all()
    assert bars.constrained_dynamics(q[0], v[0], tau[0], failures="return")[1].shape == ()


def test_results_into_given_arrays(bars: Any) -> None:
    q = states()[0]
    expected, out = bars.mass_matrix(q), np.empty((5, 3, 3))
    for given in (q, q.tolist(), np.asfortranarray(q), q[::-1].copy()[::-1]):
        out[...] = 0
        assert bars.mass_matrix(q=given, out=out) is out
        assert out.tobytes() == expected.tobytes()
    room = np.zeros(q.nbytes + 1, dtype=np.uint8)
    apart = room[1:].view(np.float64).reshape(q.shape)
    apart[...] = q
    assert bars.mass_matrix(apart).tobytes() == expected.tobytes()


def test_what_does_not_fit_is_refused(bars: Any) -> None:
    q, v, tau = states()
    function = bars.constrained_dynamics
    closed = np.empty((5, 3, 3))
    closed.flags.writeable = False
    for wrong, error, message in (
        (lambda: function(q, v), TypeError, "takes q, v, tau and the parameters l_crank"),
        (lambda: function(q, v, tau, q=q), TypeError, "takes q, v, tau"),
        (lambda: function(q, v, tau, parameters={"l": 1.0}), TypeError, "takes q, v, tau"),
        (
            lambda: function(q, v, tau[:, :2]),
            ValueError,
            r"tau has the shape \(5, 2\); give batch axes and then \(3,\)",
        ),
        (lambda: function(q[:3], v, tau), ValueError, "broadcast"),
        (lambda: function(q, v, 1j * tau), TypeError, "tau is complex"),
        (lambda: function(q, v, tau, failures="x"), ValueError, "failures is 'x'"),
        (lambda: bars.mass_matrix(q, out=closed), ValueError, "out does not fit"),
        (lambda: bars.mass_matrix(q, out=closed[:2].copy()), ValueError, "float64 of shape"),
        (lambda: function(q, v, tau, out=(closed,)), ValueError, "out does not fit"),
    ):
        with pytest.raises(error, match=message):
            wrong()


def test_they_pickle_by_their_names(bars: Any) -> None:
    assert pickle.loads(pickle.dumps(bars.mass_matrix)) is bars.mass_matrix
    assert bars.mass_matrix.__doc__.startswith("mass_matrix(q) -> M: ")


def test_they_need_neither_mbsym_nor_double_precision(tmp_path: Path) -> None:
    place = built(tmp_path, "cart_pole", functions=["mass_matrix"], real="float")
    text = """import sys, numpy, cart_pole
q = numpy.array([0, 0.5], numpy.float32)
found = cart_pole.mass_matrix(q)
assert (cart_pole.mass_matrix(q.tolist()) == found).all() and found.dtype == "float32" and "mbsym" not in sys.modules
print(found[1, 1])
"""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(0.2 * 0.6**2 / 3, rel=1e-6)


def test_the_project_says_its_version(tmp_path: Path) -> None:
    mbsym.export("cart_pole", "python", tmp_path, functions=["mass_matrix"], settings={"version": "1.2.0rc1"})
    assert re.search(r'^version = "1\.2\.0rc1"$', (tmp_path / "pyproject.toml").read_text(), re.MULTILINE)
    mbsym.verify(tmp_path, states=3).raise_on_failure()
    with pytest.raises(CodegenError, match="'newest' is no version"):
        mbsym.export("cart_pole", "python", tmp_path, settings={"version": "newest"})


@pytest.mark.parametrize("options", [{}, {"symbolic_parameters": "all"}])
def test_compilers_say_nothing(options: dict[str, Any], tmp_path: Path) -> None:
    mbsym.export("four_bar", "python", tmp_path, functions=FUNCTIONS, **options)
    headers = [f"-isystem{path}" for path in (sysconfig.get_path("include"), np.get_include())]
    for name, warnings in (("four_bar_python.c", WARNINGS), ("four_bar_module.c", [*WARNINGS[:1], *WARNINGS[3:]])):
        command = ["gcc", *warnings, "-Wmissing-prototypes", *headers, "-fsyntax-only", str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
