"""Deliberate edits of generated texts, with manifests signed again: how many `mbsym verify` names; and what it reaches.

Prints each edit that passes, and the counts by kind. With --coverage the branches and statuses that the certificates
of all bundled examples reach are printed; with --write they take their place in the page.

    python tests/benchmarks/verified_edits.py [PART_OF_AN_EDIT]
    python tests/benchmarks/verified_edits.py --coverage [--write docs/explanations/what_verification_reaches.md]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbsym import examples, verify
from mbsym.errors import MbsymError
from mechanisms.text_edits import EDITS, MODULES, UNNAMED, edited, generated, named

BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"

STATES = 3


def edits(part: str) -> int:
    """Makes each edit whose words have a part, and verifies; the exit status."""
    chosen = [edit for edit in EDITS if part in str(edit)]
    passed, kinds = Counter[str](), Counter[str]()
    began = time.perf_counter()
    with TemporaryDirectory(prefix="mbsym") as scratch:
        whole = {
            name: generated(name, Path(scratch) / "whole" / name)
            for name in MODULES
            if any(edit.module == name for edit in chosen)
        }
        for name, directory in whole.items():
            if wrong := named(directory, STATES):
                print(f"{name} fails as it is: {wrong}")
        for number, edit in enumerate(chosen):
            found = named(edited(edit, whole[edit.module], Path(scratch) / str(number)), STATES)
            kinds[edit.kind] += 1
            passed[edit.kind] += not found
            if not found:
                reason = next((why for end, why in UNNAMED.items() if str(edit).endswith(end)), "NO REASON")
                print(f"not named  {edit}: {reason}", flush=True)
            elif part:
                print(f"named      {edit}: {', '.join(found)[:100]}", flush=True)
    print(f"\n{'edits of':16} {'made':>5} {'named':>6}")
    for kind, count in kinds.items():
        print(f"{kind:16} {count:5} {count - passed[kind]:6}")
    print(f"{'all':16} {len(chosen):5} {len(chosen) - passed.total():6}   in {time.perf_counter() - began:.0f} s")
    return 0


def coverage() -> list[str]:
    """Rows of a table: branches and statuses reached, example by example."""
    rows = ["| example | branches | statuses | not reached |", "|---|---|---|---|"]
    totals = [0, 0, 0, 0]
    for name in examples.names():
        try:
            found = verify(name, states=STATES).as_dict()["coverage"]
        except MbsymError as error:
            print(f"{name}: {error}")
            continue
        counts = [found[key] for key in ("branches_taken", "branches", "statuses_met", "statuses")]
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        left = [f"{item['function']}: {', '.join(item['not_reached'])}" for item in found["functions"]]
        told = "; ".join(text for text in left if not text.endswith(": "))
        rows.append(f"| `{name}` | {counts[0]} of {counts[1]} | {counts[2]} of {counts[3]} | {told} |")
        print(rows[-1], flush=True)
    rows.append(f"| all | {totals[0]} of {totals[1]} | {totals[2]} of {totals[3]} | |")
    print(rows[-1])
    return rows


def write(page: Path, rows: list[str]) -> None:
    """Puts the rows between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text("\n".join([f"{before}{BEGIN}", "", *rows, "", f"{END}{after}"]), encoding="utf-8")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if "--coverage" in arguments:
        table = coverage()
        if "--write" in arguments:
            write(Path(arguments[arguments.index("--write") + 1]), table)
        raise SystemExit(0)
    raise SystemExit(edits(arguments[0] if arguments else ""))
