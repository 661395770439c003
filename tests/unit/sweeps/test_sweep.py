"""Sweeps: the same results by any executor and any chunks, resumed, kept, and refused where they make no sense."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.errors import CodegenError
from mechanisms.failing_executor import Failing

RNG = np.random.default_rng(0)
Q, V = RNG.normal(size=(50, 2)), RNG.normal(size=(50, 2))
LENGTHS = RNG.uniform(0.4, 0.8, 50)
STATE = (Q, V, [0.1, 0.0], 0.0, [0.5])


def expected() -> Any:
    cart = mbsym.compile("cart_pole", ["forward_dynamics"])
    return cart.forward_dynamics(*STATE, parameters={"l": LENGTHS})


def swept(**options: Any) -> Any:
    return mbsym.sweep("cart_pole", "forward_dynamics", *STATE, parameters={"l": LENGTHS}, **options)


@pytest.mark.parametrize("chunk", [1, 20, 1000])
def test_chunks_change_nothing(chunk: int) -> None:
    done = swept(chunk=chunk)
    np.testing.assert_array_equal(done["vdot"], expected())
    assert done.status.shape == (50,) and not done.status.any()


def test_threads_and_processes() -> None:
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as threads:
        done = swept(chunk=8, executor=threads, progress=lambda what, k, n: told.append((k, n)))
    np.testing.assert_array_equal(done["vdot"], expected())
    assert told == [(k, 7) for k in range(1, 8)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        np.testing.assert_array_equal(swept(chunk=20, executor=processes)["vdot"], expected())


def test_it_goes_on_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "results" / "sweep.npz"
    monkeypatch.setattr("mbsym.sweeps.sweep.IN_FLIGHT", 1)
    with pytest.raises(ConnectionError):
        swept(chunk=10, output=output, executor=Failing(3))
    parts = output.parent / "sweep.npz.parts"
    assert len(list(parts.iterdir())) == 3 and not output.exists()
    next(parts.iterdir()).write_bytes(b"PK")  # cut off: it does not count
    # What a writer that was killed leaves.
    for folder in (parts, output.parent):
        (folder / ".left.npz.mbsym-new").write_bytes(b"PK")
    again = Failing(3)
    done = swept(chunk=10, output=output, executor=again)
    assert again.left == 0  # two that were missing, and the one that was damaged
    np.testing.assert_array_equal(done["vdot"], expected())
    with np.load(output) as file:
        assert sorted(file) == ["status", "vdot"]
        np.testing.assert_array_equal(file["vdot"], done["vdot"])
    assert [path.name for path in output.parent.iterdir()] == ["sweep.npz"]


def test_other_numbers_are_another_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "sweep.npz"
    monkeypatch.setattr("mbsym.sweeps.sweep.IN_FLIGHT", 1)
    with pytest.raises(ConnectionError):
        swept(chunk=10, output=output, executor=Failing(3))
    done = mbsym.sweep("cart_pole", "forward_dynamics", *STATE, chunk=10, output=output)
    cart = mbsym.compile("cart_pole", ["forward_dynamics"])
    np.testing.assert_array_equal(done["vdot"], cart.forward_dynamics(*STATE))


def test_chunks_of_another_version_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "sweep.npz"
    monkeypatch.setattr("mbsym.sweeps.sweep.IN_FLIGHT", 1)
    with pytest.raises(ConnectionError):
        swept(chunk=10, output=output, executor=Failing(3))
    monkeypatch.setattr("mbsym.sweeps.stores.__version__", "another")
    again = Failing(100)
    swept(chunk=10, output=output, executor=again)
    assert again.left == 95


def test_states_without_a_result_are_told() -> None:
    model = mbsym.load("four_bar")
    bars = mbsym.compile(model, ["constrained_dynamics"])
    shapes = [item.shape for item in bars.constrained_dynamics.function.inputs]
    arguments = [np.zeros((2, *shape)) for shape in shapes]
    arguments[-1][1] = np.nan
    done = mbsym.sweep(model, "constrained_dynamics", *arguments)
    assert sorted(done.results) == ["lambda", "vdot"] and done.status[1] != 0


def test_no_states_at_all() -> None:
    done = mbsym.sweep("double_pendulum", "mass_matrix", np.zeros((0, 2)))
    assert done["M"].shape == (0, 2, 2) and done.status.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "options", "told"),
    [
        ((Q, V[:3], Q), {}, "the numbers of states differ: q: 50, v: 3"),
        ((Q[0], V[0], Q[0]), {}, "none has an axis of states"),
        ((Q[None], V, Q), {}, "q has several axes of states"),
        ((Q, V), {}, "2 arguments given, 3 expected"),
        ((Q, V, Q), {"chunk": 0}, "chunks of 0 states"),
        ((Q, V, Q), {"executor": 4}, "nothing can be computed by int"),
        ((Q, V, Q), {"output": "sweep.csv"}, r"end it in \.npz or \.zarr"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: Any, options: Any, told: str) -> None:
    with pytest.raises(CodegenError, match=told):
        mbsym.sweep("double_pendulum", "inverse_dynamics", *arguments, **options)
