"""How many single faults in generated C its self-test sees: ``selftest_strength.py [MODEL...] [--every N]``.

Constants are off by 1 % in single and by 0.01 % in double precision; each text is compiled and run. Both the derived
functions and the fixed texts of closed loops are edited. Prints a table, and what was not seen with ``--show``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import get_args

import mbsym
from mbsym.codegen.description import Real
from mbsym.embedded.frozen import OFF

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mechanisms.planted_text import planted, seen

MODELS = ("puma560", "four_bar", "quadruped", "stewart_platform", "cart_pole")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--every", type=int, default=1, help="take each Nth fault of a kind")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    print("| model | real | constants | seen | signs | seen |\n|---|---|---|---|---|---|")
    for model in given.models:
        for real in get_args(Real):
            with tempfile.TemporaryDirectory() as directory:
                done = mbsym.generate(model, directory, languages=("c",), real=real, self_test=True)
                code, test = sorted(path for path in done.paths if path.suffix == ".c")
                counts: Counter[str] = Counter()
                found: Counter[str] = Counter()
                for kind, place, text in planted(code.read_text(encoding="utf-8"), OFF[real]):
                    counts[kind] += 1
                    if counts[kind] % given.every == 0:
                        is_seen = seen(code, text, test)
                        found[kind] += is_seen
                        if given.show and not is_seen:
                            print(f"  {kind}: {place}")
            taken = {kind: count // given.every for kind, count in counts.items()}
            columns = (f"{taken[kind]} | {found[kind]}" for kind in ("constant", "sign"))
            print(f"| {Path(model).stem} | {real} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
