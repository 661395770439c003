"""Model files of every format damaged at random: none may end in a traceback, take ten seconds or a gigabyte, or say
something else without a word.

Prints how many are taken and refused, and how many of the taken say something else than the sound file but give the
same model; exits with status 1 where there is such a one, or one that is neither taken nor refused. Children read many
files each, under limits of memory and of time for each file.

    python tests/benchmarks/mutated_files.py [FILES OF EACH FORMAT, default 10000]
"""

from __future__ import annotations

import resource
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mechanisms.damaged_models import SEEDS, outcome
from mechanisms.mutated_models import mutated
from mechanisms.silent_changes import silent_change

FORMATS = ("everything", "four_bar", "urdf", "mjcf", "sdf", "loops", "pairs")
SECONDS = 10
BYTES = 1 << 30
SHARE = 250
"""Files that a child reads at a time."""


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    signal.signal(signal.SIGPROF, _too_long)


def read_share(name: str, first: int, count: int) -> tuple[Counter[str], list[str], float]:
    """Kinds of outcome, faults in words, and the longest time of a share of files [s]."""
    kinds: Counter[str] = Counter()
    faults: list[str] = []
    slowest = 0.0
    for number in range(first, first + count):
        content = mutated(SEEDS[name], number)
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        kind, sentence = outcome(SEEDS[name], content)
        signal.setitimer(signal.ITIMER_PROF, 0)
        slowest = max(slowest, time.process_time() - start)
        kinds[kind] += 1
        if kind in ("no place", "traceback"):
            faults.append(f"{name} {number}: {sentence[:300]}")
        elif kind == "taken" and silent_change(name, content):
            kinds["silent"] += 1
            faults.append(f"{name} {number}: passed over")
    return kinds, faults, slowest


def main(count: int) -> int:
    """Reads that many files of each format; returns the exit status."""
    every: list[str] = []
    columns = f"{'taken':>7} {'refused':>8} {'no place':>9} {'traceback':>10} {'silent':>7} {'slowest':>9}"
    print(f"{'format':12} {'files':>7} {columns}")
    with ProcessPoolExecutor(initializer=_limits) as pool:
        for name in FORMATS:
            starts = range(0, count, SHARE)
            shares = pool.map(read_share, [name] * len(starts), starts, [min(SHARE, count - k) for k in starts])
            kinds: Counter[str] = Counter()
            slowest = 0.0
            for found, faults, longest in shares:
                kinds += found
                every += faults
                slowest = max(slowest, longest)
            print(
                f"{name:12} {count:7} {kinds['taken']:7} {kinds['refused']:8} {kinds['no place']:9}"
                f" {kinds['traceback']:10} {kinds['silent']:7} {slowest:7.2f} s",
                flush=True,
            )
    print("\n".join(every))
    return 1 if every else 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
