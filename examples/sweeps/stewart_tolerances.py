"""What tolerances of a Stewart platform do to its motion: a Monte Carlo sweep of mass, centre, inertia.

    python examples/sweeps/stewart_tolerances.py [COUNT] [WORKERS] [OUTPUT]

COUNT parameter sets, 2000 by default, a million in less than a minute; WORKERS processes of Dask where it is installed,
else of concurrent.futures; OUTPUT, an .npz file or .zarr store, keeps all accelerations, and an interrupted sweep goes
on from there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

import mbsym

MODEL, BODY, FUNCTION = "stewart_platform", "platform", "constrained_dynamics"
TOLERANCE = 0.02
"""Standard deviation of mass, first moment and inertia, of their sizes."""


@contextmanager
def workers(count: int) -> Iterator[Any]:
    """Where the chunks are computed."""
    if count < 2:
        yield None
    elif find_spec("distributed") is None:
        with ProcessPoolExecutor(count) as executor:
            yield executor
    else:
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster) as client:
            yield client


def main(count: int = 2000, number: int = 1, output: str | None = None) -> None:
    """Prints mean and spread of the platform's acceleration where it stands, released from rest."""
    # Mass, first moment and inertia become arguments of the function.
    symbolic = (f"{BODY}.inertial",)
    compiled = mbsym.compile(MODEL, (FUNCTION,), symbolic_parameters=symbolic)
    nominal = compiled.manifest["run_time_parameters"]
    rng = np.random.default_rng(0)
    least = 0.01 * max(map(abs, nominal.values()))  # Of products of inertia, which are zero.
    sets = {name: x + TOLERANCE * rng.normal(size=count) * max(abs(x), least) for name, x in nominal.items()}
    start = mbsym.simulate(MODEL, 1e-3, method="rk4")
    at_rest = [start.q[0], 0 * start.v[0], 0 * start.v[0]]
    with workers(number) as executor:
        found = mbsym.sweep(
            MODEL,
            FUNCTION,
            *at_rest,
            parameters=sets,
            executor=executor,
            output=output,
            symbolic_parameters=symbolic,
            progress=lambda what, done, every: print(f"\r{what}: {done} of {every}", end="", file=sys.stderr),
        )
    vdot = np.asarray(found["vdot"])[found.status == 0]
    print(f"\n{len(vdot)} of {count} sets have an acceleration")
    for name, mean, spread in zip(start.speed_names, vdot.mean(axis=0), vdot.std(axis=0), strict=True):
        print(f"{name:24} {mean:10.4f} +- {spread:.4f}")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*(int(float(word)) for word in words[:2]), *words[2:])
