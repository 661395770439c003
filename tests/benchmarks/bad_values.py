"""Every number, name, reference and word of model files of every format, replaced by each of a set of bad values.

Prints how many are taken and refused; a traceback, a refusal without FILE:LINE:COL or more than ten seconds end the
program with status 1.

    python tests/benchmarks/bad_values.py [SEED ...]
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mechanisms.damaged_models import SEEDS, outcome, replaced, scalars

LONGEST = 10
"""Seconds that one file may take."""


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {LONGEST} s")


def main(names: list[str]) -> int:
    """Walks the seeds named, or all; returns the exit status."""
    signal.signal(signal.SIGALRM, _too_long)
    faults = []
    print(f"{'seed':16} {'places':>7} {'files':>7} {'taken':>7} {'refused':>8} {'faults':>7} {'slowest':>9} {'all':>8}")
    for name in names or SEEDS:
        seed = SEEDS[name]
        counts = {"taken": 0, "refused": 0, "no place": 0, "traceback": 0}
        slowest, began = 0.0, time.perf_counter()
        for span, value, text in replaced(seed):
            start = time.perf_counter()
            signal.alarm(LONGEST)
            kind, sentence = outcome(seed, text)
            signal.alarm(0)
            slowest = max(slowest, time.perf_counter() - start)
            counts[kind] += 1
            if kind in ("no place", "traceback"):
                line = seed.text.count("\n", 0, span[0]) + 1
                faults.append(f"{name}, line {line}: {seed.text[slice(*span)]!r} -> {value[:40]!r}: {sentence[:200]}")
        bad = counts["no place"] + counts["traceback"]
        print(
            f"{name:16} {len(scalars(seed)):7} {sum(counts.values()):7} {counts['taken']:7} {counts['refused']:8}"
            f" {bad:7} {1e3 * slowest:6.0f} ms {time.perf_counter() - began:6.1f} s",
            flush=True,
        )
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
