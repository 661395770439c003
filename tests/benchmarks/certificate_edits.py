"""Faults planted in a certificate, in the bounds and the report that it tells of, and in the texts: which are found.

Each is forged as well as somebody can who has mbsym, hashes and page among it; see ``mechanisms/certificate_edits.py``.
Prints a table by kind, and each fault that is not found. A changed version of a tool may be told as a remark, since it
may be another one wherever a certificate is checked.

With --every each place of the certificate's data has its fault, one after the other; what is found again is then found
once, since the texts stay as they are.

    python tests/benchmarks/certificate_edits.py [COUNT]
    python tests/benchmarks/certificate_edits.py --every
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

import mbsym
from mbsym.errors import MbsymError
from mbsym.verification import recheck
from mbsym.verification.options import VerifyOptions
from mbsym.verification.recheck import Rechecked, check_certificate
from mechanisms.certificate_edits import (
    KINDS,
    Fault,
    beside_otherwise,
    content,
    forged,
    on_the_whole,
    places,
    told_otherwise,
    with_fault,
)

NAME = "double_pendulum"
FUNCTIONS = ("forward_dynamics", "gravity_force")
BOX = "v: [-2, 2]\ntau: [-10, 10]\nq: [-0.3, 0.3]\nparameters: {m2: [0.5, 1]}\n"


def certified(directory: Path, *functions: str) -> Path:
    """A directory with code, bounds, a safety report, and a certificate of all of them."""
    mbsym.generate(NAME, directory, functions=functions, safety_report=True)
    (directory / "box.yaml").write_text(BOX, encoding="utf-8")
    mbsym.certify(directory, directory / "box.yaml", effort=1e-3, samples=100)
    mbsym.verify(directory, states=2, exact=True)
    return directory


def outcome(directory: Path, fault: Fault) -> tuple[str, str]:
    """Whether a fault is found, and the first words about it."""
    with TemporaryDirectory(prefix="mbsym") as scratch:
        copy = Path(scratch) / "copy"
        shutil.copytree(directory, copy)
        fault.plant(copy)
        return checked(copy)


def checked(directory: Path) -> tuple[str, str]:
    """Whether a check of a directory finds a fault, and the first words about it."""
    try:
        found: Rechecked = check_certificate(directory / f"{NAME}.json")
    except MbsymError as error:
        return "found", str(error)
    if found.faults:
        return "found", found.faults[0]
    told = [each for each in found.remarks if each.startswith("other tools")]
    return ("remark", told[0]) if told else ("missed", "")


def every() -> int:
    """Plants a fault in each place of the data, one after the other; 1 where one is missed."""
    table = Counter[str]()
    with TemporaryDirectory(prefix="mbsym") as scratch:
        place = certified(Path(scratch), *FUNCTIONS)
        data = content(place, f"{NAME}.certificate.json")
        found = recheck.certified(place / f"{NAME}.json", VerifyOptions(states=2, exact=True))
        with (
            patch.object(recheck, "certified", lambda *_: found),
            patch.multiple(recheck._Check, bounds=lambda _: None, safety=lambda _: None),
        ):
            for path, value in places(data):
                forged(place, NAME, with_fault(data, path, value))
                kind, words = checked(place)
                table[kind] += 1
                if kind != "found":
                    print(f"  {kind}: {'.'.join(map(str, path))}: {words}", flush=True)
    print(f"planted {table.total()}, " + ", ".join(f"{kind} {count}" for kind, count in table.items()))
    return int(table["missed"] > 0)


def main(count: int) -> int:
    """Plants so many faults in the certificate's data, and a third as many elsewhere; 1 where one is missed."""
    began, table, missed = time.perf_counter(), Counter[tuple[str, str]](), 0
    with TemporaryDirectory(prefix="mbsym") as scratch:
        place = certified(Path(scratch) / "own", *FUNCTIONS)
        other = certified(Path(scratch) / "other", "forward_dynamics", "mass_matrix")
        assert check_certificate(place / f"{NAME}.json").faults == ()
        faults = told_otherwise(place, NAME, count)
        faults += beside_otherwise(place, NAME, "bounds", count // 4)
        faults += beside_otherwise(place, NAME, "safety report", count // 8)
        faults += on_the_whole(NAME, other)
        for fault in faults:
            kind, words = outcome(place, fault)
            table[fault.kind, kind] += 1
            if kind != "found":
                missed += kind == "missed"
                print(f"  {kind}: {fault.kind}: {fault.what}: {words}", flush=True)
    print(f"{'in':16} {'planted':>8} {'found':>6} {'remarks':>8} {'missed':>7}")
    for name in KINDS:
        own = [table[name, kind] for kind in ("found", "remark", "missed")]
        print(f"{name:16} {sum(own):8} {own[0]:6} {own[1]:8} {own[2]:7}")
    print(f"in {time.perf_counter() - began:.0f} s")
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(every() if "--every" in sys.argv else main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
