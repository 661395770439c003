"""A sweep over masses of the Stewart platform by one and by two workers: processes, and Dask where it is installed.

    python tests/benchmarks/sweep.py [COUNT] [--write]

COUNT is a million by default. Each worker has computed a chunk before the clock starts, so that it has its library.
With --write the table goes into docs/batches.md.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import Any

import numpy as np

import mbsym

NAME, BODY, FUNCTION = "stewart_platform", "platform", "constrained_dynamics"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "batches.md"
HEAD = ("| sets | workers | one, s | two, s | times |", "|---|---|---|---|---|")


def put(title: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Writes lines into a page, between its comments of that title and of an end."""
    start, end = f"<!-- {title} -->\n", "<!-- end -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(start)
    if not found or end not in rest:
        raise ValueError(
            f"{page} has no place for the table: write <!-- {title} --> and <!-- end --> where it is to be"
        )
    text = "\n".join(lines)
    page.write_text(f"{before}{start}{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def processor() -> str:
    """The machine, in words."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def told() -> str:
    """The line below a table: when and where."""
    return f"Of {datetime.now(UTC).date()}, {processor()}, {cpu_count()} processors."


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


def main(count: int) -> list[str]:
    """Prints seconds and ratios; rows of the table."""
    rows = []
    # Mass, first moment and inertia of the platform are parameters.
    symbolic = (f"{BODY}.inertial",)
    compiled = mbsym.compile(NAME, (FUNCTION,), symbolic_parameters=symbolic)
    mass, value = next(iter(compiled.manifest["run_time_parameters"].items()))
    masses = value * np.random.default_rng(0).uniform(0.9, 1.1, count)
    sizes = [item.shape for item in compiled.functions[FUNCTION].function.inputs]
    state = [np.zeros(shape) for shape in sizes]
    for first in compiled.functions[FUNCTION].function.inputs[0].quaternions:
        state[0][first] = 1.0
    for title, executors in (("processes", processes), ("Dask", dask)):
        if title == "Dask" and find_spec("distributed") is None:
            print("Dask: not installed (pip install distributed)")
            continue
        seconds: list[float] = []
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
        rows.append(f"| {count} | {title} | {one:.2f} | {two:.2f} | {one / two:.2f} |")
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=float, nargs="?", default=1e6, metavar="COUNT")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    measured = main(int(given.count))
    if given.write:
        put("workers", [*HEAD, *measured, "", told()])
