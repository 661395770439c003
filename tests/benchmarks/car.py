"""The car of the examples: how long its code takes to be made, a call of its forward dynamics, and a lane change.

    python tests/benchmarks/car.py [--write]

Processor time of one thread, the median of several runs. With --write the table goes into docs/contacts.md.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from timeit import Timer

import numpy as np
from sweep import put, told

import mbsym
from mbsym.simulation.equations import prepare
from mbsym.simulation.integrate import simulate

ROOT = Path(__file__).resolve().parents[2]
CAR, PAGE = ROOT / "examples" / "car" / "car.yaml", ROOT / "docs" / "contacts.md"
RUNS, CALLS, DURATION = 5, 20_000, 6.0


def median(work: Callable[[], object], runs: int = RUNS) -> float:
    """Processor seconds."""
    return statistics.median(Timer(work, timer=process_time).timeit(1) for _ in range(runs))


def generated() -> float:
    """Seconds until the default files stand there, without those of the first import."""
    with TemporaryDirectory() as place:
        return median(lambda: mbsym.generate(CAR, place), runs=1)


def called() -> float:
    """Seconds of a call for one state, from Python."""
    function = mbsym.compile(CAR, ("forward_dynamics",)).forward_dynamics
    motion = mbsym.simulate(CAR, 0.01, initial="at_20")
    arguments = motion.q[-1], motion.v[-1], np.zeros(motion.v.shape[1]), 0.0, np.zeros(1)
    return Timer(lambda: function(*arguments), timer=process_time).timeit(CALLS) / CALLS


def simulated() -> tuple[float, int]:
    """Seconds of a lane change with equations that are ready, and its steps."""
    equations = prepare(mbsym.load(CAR))
    steps = simulate(equations, DURATION, output_step=0.05, initial="at_20").statistics.steps
    return median(lambda: simulate(equations, DURATION, output_step=0.05, initial="at_20")), steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    lane_change, steps = simulated()
    rows = [
        "| what | processor time |",
        "|---|---|",
        f"| `mbsym generate`, all default functions | {generated():.1f} s |",
        f"| a call of `forward_dynamics` | {1e6 * called():.1f} us |",
        f"| {DURATION:.0f} s of the lane change, {steps} steps, files apart | {lane_change:.2f} s: "
        f"{DURATION / lane_change:.0f} times as fast as it happens |",
        "",
        told(),
    ]
    print("\n".join(rows))
    if write:
        put("car", rows, PAGE)


if __name__ == "__main__":
    main()
