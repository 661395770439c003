"""Sweeps into Zarr stores, and by Dask's distributed client with two local workers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster

import mbsym
from mbsym.errors import CodegenError, ToolchainError
from mechanisms.failing_executor import Failing

RNG = np.random.default_rng(0)
Q, V, TAU = RNG.normal(size=(3, 50, 2))


def expected() -> Any:
    return mbsym.compile("double_pendulum", ["inverse_dynamics"]).inverse_dynamics(Q, V, TAU)


def swept(**options: Any) -> Any:
    return mbsym.sweep("double_pendulum", "inverse_dynamics", Q, V, TAU, **options)


def test_a_store_has_the_results_and_goes_on_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "sweep.zarr"
    monkeypatch.setattr("mbsym.sweeps.sweep.IN_FLIGHT", 1)
    with pytest.raises(ConnectionError):
        swept(chunk=20, output=output, executor=Failing(2))
    again = Failing(100)
    done = swept(chunk=20, output=output, executor=again)
    assert again.left == 99  # the third of three chunks
    assert isinstance(done["tau"], zarr.Array) and not done.status.any()
    np.testing.assert_array_equal(np.asarray(done["tau"]), expected())
    group = zarr.open_group(str(output), mode="r")
    assert sorted(group) == ["done", "status", "tau"] and group["tau"].chunks == (20, 2)
    # Other numbers are another sweep, which begins anew.
    other = Failing(100)
    mbsym.sweep("double_pendulum", "inverse_dynamics", Q, V, 2 * TAU, chunk=20, output=output, executor=other)
    assert other.left == 97
    # What is done is not done again.
    finished = Failing(0)
    mbsym.sweep("double_pendulum", "inverse_dynamics", Q, V, 2 * TAU, chunk=20, output=output, executor=finished)
    assert finished.left == 0


def test_without_zarr_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ToolchainError, match="zarr, which is not installed") as refused:
        swept(output=tmp_path / "sweep.zarr")
    assert refused.value.exit_status == 3 and "mbsym[zarr]" in str(refused.value)


def test_two_local_workers_of_dask_compute_the_same(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        done = swept(chunk=8, executor=client, progress=lambda what, k, n: told.append((k, n)))
        assert len(client.scheduler_info()["workers"]) == 2
        simulations = mbsym.Simulations(0.1, step=0.01, last=True)
        angles = np.linspace(0, 1, 5)
        moved = mbsym.sweep("double_pendulum", simulations, initial={"q_shoulder": angles}, chunk=2, executor=client)
    np.testing.assert_array_equal(done["tau"], expected())
    assert told == [(k, 7) for k in range(1, 8)]
    here = mbsym.sweep("double_pendulum", simulations, initial={"q_shoulder": angles})
    np.testing.assert_array_equal(moved["q"], here["q"])


@pytest.mark.parametrize("suffix", [".npz", ".zarr"])
def test_what_no_sweep_wrote_is_not_overwritten(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"mine{suffix}"
    if suffix == ".zarr":
        zarr.open_group(str(target), mode="w").create_array("precious", shape=(3,), dtype="f8")
    else:
        np.savez(target, precious=[1.0])
    with pytest.raises(CodegenError, match="here stands something that no sweep wrote"):
        swept(output=target)
    kept = zarr.open_group(str(target), mode="r") if suffix == ".zarr" else np.load(target)
    assert "precious" in kept
    for _ in range(2):  # its own results are
        np.testing.assert_allclose(swept(output=tmp_path / f"ours{suffix}")["tau"][:], expected(), rtol=1e-12)


class Push:
    """A law that changes without its name."""

    def __init__(self) -> None:
        self.gain = 1.0

    def __call__(self, t: float, q: Any, v: Any) -> Any:
        return np.array([self.gain])


def test_motions_under_a_law_are_never_those_of_another(tmp_path: Path) -> None:
    """Python shows a function by its place in memory alone."""
    law = Push()
    fall = mbsym.Simulations(0.2, method="rk4", step=0.02, output_step=0.1, loads=mbsym.Loads(inputs=law))
    start = {"q_hinge": np.array([0.1, 0.2])}
    found = []
    for gain in (1.0, 5.0):
        law.gain = gain
        found.append(np.array(mbsym.sweep("cart_pole", fall, initial=start, output=tmp_path / "x.zarr")["q"]))
    assert np.abs(found[1] - found[0]).max() > 0.01
