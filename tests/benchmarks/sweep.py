"""A sweep over masses of the Stewart platform by one and by two workers: processes, and Dask where it is installed.

    python tests/benchmarks/sweep.py [COUNT]

COUNT is a million by default. Each worker has computed a chunk before the clock starts, so that it has its library.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import numpy as np

import mbsym

NAME, BODY, FUNCTION = "stewart_platform", "platform", "constrained_dynamics"


@contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """Processes of this machine."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        yield executor


@contextmanager
def dask(workers: int) -> Iterator[Any]:
    """Dask's distributed client with workers of one thread each."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield client


def main(count: int) -> None:
    """Prints seconds and ratios."""
    # Mass, first moment and inertia of the platform are parameters.
    symbolic = (f"{BODY}.inertial",)
    compiled = mbsym.compile(NAME, (FUNCTION,), symbolic_parameters=symbolic)
    mass, value = next(iter(compiled.manifest["run_time_parameters"].items()))
    masses = value * np.random.default_rng(0).uniform(0.9, 1.1, count)
    sizes = [item.shape for item in compiled.functions[FUNCTION].function.inputs]
    state = [np.zeros(shape) for shape in sizes]
    for start in compiled.functions[FUNCTION].function.inputs[0].quaternions:
        state[0][start] = 1.0
    for title, executors in (("processes", processes), ("Dask", dask)):
        if title == "Dask" and find_spec("distributed") is None:
            print("Dask: not installed (pip install distributed)")
            continue
        seconds = []
        for workers in (1, 2):
            with executors(workers) as executor:
                for some in (64 * workers, count):
                    start = time.perf_counter()
                    mbsym.sweep(
                        NAME,
                        FUNCTION,
                        *state,
                        parameters={mass: masses[:some]},
                        executor=executor,
                        chunk=16 if some < count else 16384,
                        symbolic_parameters=symbolic,
                    )
                    took = time.perf_counter() - start
            seconds.append(took)
        one, two = seconds
        print(
            f"{title}: {count} sets, one worker {one:.2f} s, two {two:.2f} s, {one / two:.2f} times as fast", flush=True
        )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
