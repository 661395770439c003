"""Every pair of settings together: options of ``generate``, joints, elements, parameters, compilers.

    python tests/benchmarks/combinations.py [--strength 2] [--seed 1] [--minutes M] [--rows N] [--write PAGE]

Makes a covering array: rows of settings in which each pair (triple, with --strength 3) stands somewhere. Each row is a
small mechanism that has what the row says; it is generated, compiled, run, and compared with the plain module of the
same mechanism at ordinary and far states. What the table of exclusions refuses is left out of later rows, so that a
refusal hides nothing else. A difference is printed with the fewest settings that show it, and then the command ends
with status 1. Nothing is asserted about time.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from mechanisms.combination import Outcome, factors, generated_outcome, outcome, quick_outcome, reason, smallest  # noqa: E402
from mechanisms.covering_array import CoveringArray  # noqa: E402


class Run:
    """A covering array on its way."""

    def __init__(self, strength: int, seed: int) -> None:
        self.array = CoveringArray(factors(), strength, seed)
        self.strength, self.started = strength, time.perf_counter()
        self.rows = self.refused = 0
        self.exclusions: Counter[str] = Counter()
        self.found: dict[tuple[tuple[str, str], ...], str] = {}

    def go(self, seconds: float, rows: int) -> None:
        """Takes rows until all is covered, or time or rows are spent."""
        for row in self.array.rows():
            if self.seconds > seconds or self.rows >= rows:
                return
            before = self.rows
            self._take(row)
            if self.rows > before and self.rows % 5 == 0:
                told = f"{self.rows} rows, {self.array.covered} covered, {len(self.array.left)} left"
                print(f"{told}, {self.seconds:.0f} s", file=sys.stderr, flush=True)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.perf_counter() - self.started

    def _take(self, row: dict[str, str]) -> None:
        judge, came = quick_outcome, quick_outcome(row)
        if came.kind == "equal":
            judge, came = generated_outcome, outcome(row)
            self.rows += 1
        if came.kind == "equal":
            self.array.cover(row)
        elif came.kind == "difference":
            self._note(row, came)
        else:
            self.exclusions[came.told if came.kind == "refused" else came.kind] += 1
            self.refused += self.array.forbid(reason(row, came, judge))

    def _note(self, row: dict[str, str], came: Outcome) -> None:
        """Keeps a difference with the fewest settings that show it, which later rows leave out."""
        settings = smallest(row, came)
        told = outcome({**{factor.name: factor.values[0] for factor in factors()}, **settings}).told
        self.found[tuple(settings.items())] = told
        print(f"difference: {told.splitlines()[0]}\n  {settings}", flush=True)
        self.array.forbid(frozenset(settings.items()) if settings else frozenset(row.items()))

    def table(self) -> str:
        """What was done, for a page."""
        array = self.array
        refused = array.total - array.covered - len(array.left) - len(array.impossible)
        lines = [
            ("settings", f"{len(array.factors)} with {sum(len(f.values) for f in array.factors.values())} values"),
            (f"combinations of {self.strength}", f"{array.total}"),
            ("covered by rows that are equal", f"{array.covered}"),
            ("refused, or not to be built", f"{refused}"),
            ("impossible beside what is refused", f"{len(array.impossible)}"),
            ("left", f"{len(array.left)}"),
            ("rows generated, compiled and run", f"{self.rows}"),
            ("differences", f"{len(self.found)}"),
            ("time", f"{self.seconds / 60:.0f} min"),
        ]
        return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in lines)])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--strength", type=int, default=2, help="settings in a combination")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--rows", type=int, default=sys.maxsize)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="puts the table between the markers of a page")
    asked = parser.parse_args()
    run = Run(asked.strength, asked.seed)
    run.go(60 * asked.minutes, asked.rows)
    print(run.table())
    for name, count in run.exclusions.most_common():
        print(f"{count:5} {name}")
    for settings, told in run.found.items():
        print(f"difference: {told.splitlines()[0]}\n  {dict(settings)}")
    if asked.write:
        mark = f"<!-- combinations of {asked.strength} -->"
        text = asked.write.read_text(encoding="utf-8")
        new = re.sub(f"{mark}\n.*?{mark}", lambda _: f"{mark}\n{run.table()}\n{mark}", text, flags=re.DOTALL)
        asked.write.write_text(new, encoding="utf-8")
    sys.exit(1 if run.found else 0)


if __name__ == "__main__":
    main()
