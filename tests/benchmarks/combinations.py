"""Every pair of settings together: options of ``generate``, joints, elements, parameters, compilers.

    python tests/benchmarks/combinations.py [--strength 2] [--seed 1] [--minutes M] [--rows N] [--processes P]
        [--write PAGE]

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
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from mechanisms import combination as judging  # noqa: E402
from mechanisms.combination import Outcome, factors, outcome  # noqa: E402
from mechanisms.covering_array import Combination, CoveringArray  # noqa: E402

AHEAD: Final = 12
"""Rows under way at once. It does not depend on the number of processes, so that the rows do not either."""

BESIDE: Final = {1: 400, 2: 12}
"""Other rows with the settings that a refusal is thought to be about, by the number of these, which have to be refused
as well; three where there are more settings."""

Settings: TypeAlias = "tuple[tuple[str, str], ...]"


def tried(row: Mapping[str, str]) -> tuple[Outcome, Combination, bool]:
    """What becomes of a row, the settings that are why if it is not equal, and whether anything was derived."""
    judge, came = judging.quick_outcome, judging.quick_outcome(row)
    if derived := came.kind == "equal":
        judge, came = judging.generated_outcome, outcome(row)
    if came.kind == "equal":
        return came, frozenset(), derived
    if came.kind != "difference":
        return came, judging.reason(row, came, judge), derived
    settings = judging.smallest(row, came)
    again = outcome({**{factor.name: factor.values[0] for factor in factors()}, **settings})
    return (
        replace(came, told=f"{again.told or came.told} ({again.kind})"),
        frozenset((settings or row).items()),
        derived,
    )


def checked(
    row: Mapping[str, str], came: Outcome, settings: Combination, others: Sequence[Mapping[str, str]], derived: bool
) -> Combination:
    """The settings that a refusal is about, and more of them where another row has those and is not refused."""
    judge = judging.generated_outcome if derived else judging.quick_outcome
    for other in others:
        if settings <= other.items() and judge(other).kind == "equal":
            settings |= judging.narrower(row, other, came, judge)
    return settings


class Run:
    """A covering array on its way."""

    def __init__(self, strength: int, seed: int, held: Mapping[str, str]) -> None:
        kept = (replace(each, values=(held[each.name],)) if each.name in held else each for each in factors())
        self.array = CoveringArray(tuple(kept), strength, seed)
        self.strength, self.started = strength, time.perf_counter()
        self.rows = 0
        self.exclusions: Counter[str] = Counter()
        self.found: dict[Settings, str] = {}
        self._unchecked: dict[Combination, tuple[dict[str, str], Outcome, bool]] = {}
        self._under_way: deque[tuple[dict[str, str], list[Combination], Future[tuple[Outcome, Combination, bool]]]] = (
            deque()
        )

    def go(self, seconds: float, rows: int, processes: int) -> None:
        """Takes rows until all is covered, or time or rows are spent."""
        with ProcessPoolExecutor(processes) as pool:
            while self.seconds < seconds and self.rows < rows:
                row = next(self.array.rows(), None)
                if row is None and not self._under_way and self._check(pool):
                    continue
                if row is not None:
                    self._under_way.append((row, self.array.take(row), pool.submit(tried, row)))
                if len(self._under_way) == AHEAD or (row is None and self._under_way):
                    self._receive()
                elif row is None:
                    return
            while self._under_way:
                self._receive()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.perf_counter() - self.started

    def _receive(self) -> None:
        """What became of the first row under way."""
        row, taken, future = self._under_way.popleft()
        came, settings, derived = future.result()
        self.rows += derived
        if came.kind == "equal":
            self.array.covers(taken)
        else:
            self._learn(row, came, settings, derived)
            self.array.give_back(taken)
        if derived and self.rows % 5 == 0:
            told = f"{self.rows} rows, {len(self.array.forbidden)} refusals, {self.array.covered} covered"
            print(f"{told}, {len(self.array.left)} left, {self.seconds:.0f} s", file=sys.stderr, flush=True)

    def _learn(self, row: dict[str, str], came: Outcome, settings: Combination, derived: bool) -> None:
        """Keeps what came instead of equal results, which later rows leave out."""
        if came.kind == "difference":
            self.found[tuple(sorted(settings))] = came.told
            print(f"difference: {came.told.splitlines()[0]}\n  {dict(sorted(settings))}", flush=True)
        else:
            self.exclusions[came.told if came.kind == "refused" else came.kind] += 1
            self._unchecked[settings] = (row, came, derived)
        self.array.forbid(settings)

    def _check(self, pool: ProcessPoolExecutor) -> int:
        """Looks whether refusals are about more settings than was thought, now that what else is refused is known.

        Says how many combinations are to be looked after again.
        """
        asked = []
        for settings, (row, came, derived) in self._unchecked.items():
            alike = [one for one, (_, other, _) in self._unchecked.items() if other.told == came.told]
            tries = range(BESIDE.get(len(settings), 3))
            others = [other for _ in tries if (other := self.array.beside(settings, alike)) is not None]
            asked.append((settings, pool.submit(checked, row, came, settings, others, derived)))
        known, self._unchecked = self._unchecked, {}
        again = 0
        for settings, future in asked:
            narrowed = future.result()
            if narrowed != settings:
                print(f"{dict(settings)} goes with some: {dict(narrowed)}", file=sys.stderr, flush=True)
                self._unchecked[narrowed] = known[settings]
                self.array.forbid(narrowed)
                again += self.array.allow(settings)
        return again

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
    parser.add_argument("--with", action="append", default=[], metavar="NAME=VALUE", help="a setting of all rows")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--rows", type=int, default=sys.maxsize)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="puts the table between the markers of a page")
    asked = parser.parse_args()
    run = Run(asked.strength, asked.seed, dict(each.split("=", 1) for each in vars(asked)["with"]))
    run.go(60 * asked.minutes, asked.rows, asked.processes)
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
