"""Overconstrained mechanisms: rows kept by the analysis, rank and accelerations by maximal coordinates, and its time.

Rows of windows from the flat position, then random mechanisms from generic and singular starts.

    python tests/benchmarks/overconstrained.py [WINDOWS] [MECHANISMS]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mechanisms.generic_motion import Compared, compared
from mechanisms.overconstrained import windows
from mechanisms.random_overconstrained import leaning_windows, random_overconstrained


def is_right(found: Compared, mobility: int) -> bool:
    """True where ranks agree with each other and with theory, and accelerations agree."""
    return found.rows == found.rank and found.freedoms == mobility and found.error < 1e-7


def main() -> None:
    """Prints two tables, and fails where something is wrong."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    wrong = []
    print("windows  rows  rank  freedoms  accelerations  analysis")
    for n in range(1, most + 1):
        found = compared(windows(n), 1, generic=leaning_windows(n), states=1)
        print(
            f"{n:7}  {found.rows:4}  {found.rank:4}  {found.freedoms:8}  {found.error:13.1e}  {found.seconds:6.1f} s",
            flush=True,
        )
        if not is_right(found, 1):
            wrong.append(f"{n} windows")
    kinds: dict[tuple[str, bool], list[Compared]] = defaultdict(list)
    for seed in range(count):
        drawn = random_overconstrained(seed)
        found = compared(drawn.model, drawn.mobility)
        kinds[drawn.kind, drawn.singular].append(found)
        if not is_right(found, drawn.mobility):
            wrong.append(f"seed {seed} ({drawn.kind}): {found}")
    print("\nmechanisms from a start that is     count  worst accelerations  slowest analysis")
    for (kind, singular), several in sorted(kinds.items()):
        worst, slowest = max(item.error for item in several), max(item.seconds for item in several)
        start = "singular" if singular else "generic"
        print(f"{kind:22} {start:11} {len(several):6}  {worst:19.1e}  {slowest:14.2f} s")
    print(f"\nwrong: {', '.join(wrong) if wrong else 'none'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
