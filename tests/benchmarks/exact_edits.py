"""Two hundred edits of one character in emitted C and NumPy: how many `verify --exact` names; and how long it takes.

Prints each edit that is not named, the counts by text, and with --examples a table of times and outcomes of all bundled
examples. What an edit leaves as it was (a digit behind the last that counts) is told apart: the text says the same.

    python tests/benchmarks/exact_edits.py [COUNT]
    python tests/benchmarks/exact_edits.py --examples
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbsym import examples, generate
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.errors import MbsymError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.verification.exact_texts import exact_verdicts
from mechanisms.character_edits import character_edits

MODULES = ("puma560", "four_bar", "cart_pole", "quadruped")
STEPS = {"puma560": {}, "four_bar": {}, "cart_pole": {}, "quadruped": {"functions": ["forward_dynamics", "body_poses"]}}
"""Models and how they are generated."""


def outcomes(directory: Path, name: str) -> Counter[str]:
    """Verdicts of a directory, counted."""
    manifest = read_manifest(directory / f"{name}.json")
    model = read_native(TextSource(name, manifest["model"]))
    return Counter(verdict.outcome for verdict in exact_verdicts(directory, manifest, model))


def edits(count: int) -> int:
    """Makes so many edits; the exit status."""
    print(f"{'text':14} {'edits':>6} {'named':>6} {'missed':>7} {'no change':>10}")
    totals, began = Counter[str](), time.perf_counter()
    each = count // (2 * len(MODULES))
    with TemporaryDirectory(prefix="mbsym") as scratch:
        for name in MODULES:
            directory = Path(scratch) / name
            generate(examples.load(name), directory, **STEPS[name])
            assert not outcomes(directory, name)["differs"], name
            for suffix in (".c", ".py"):
                file, found = directory / f"{name}{suffix}", Counter[str]()
                text = file.read_text(encoding="utf-8")
                for edit in character_edits(text, python=suffix == ".py", seed=1, count=each):
                    changed = edit.applied(text)
                    file.write_text(changed, encoding="utf-8")
                    kind = "named" if outcomes(directory, name)["differs"] else "missed"
                    if kind == "missed" and says_the_same(text, changed, python=suffix == ".py"):
                        kind = "no change"
                    if kind != "named":
                        print(f"  {kind}: {edit.old} -> {edit.new} in {edit.line[:90]}", flush=True)
                    found[kind] += 1
                file.write_text(text, encoding="utf-8")
                totals += found
                print(f"{name + suffix:14} {found.total():6} {found['named']:6} {found['missed']:7}"
                      f" {found['no change']:10}", flush=True)  # fmt: skip
    print(f"{'all':14} {totals.total():6} {totals['named']:6} {totals['missed']:7} {totals['no change']:10}"
          f"   in {time.perf_counter() - began:.0f} s")  # fmt: skip
    return 0


def says_the_same(text: str, changed: str, *, python: bool) -> bool:
    """Whether numbers that are written otherwise are the same doubles."""
    pattern = __import__("re").compile(r"\d+\.?\d*(?:e[-+]?\d+)?")
    pairs = zip(pattern.findall(text), pattern.findall(changed), strict=False)
    same = pattern.sub("", text) == pattern.sub("", changed)
    return same and all(float(a) == float(b) for a, b in pairs)


def times() -> int:
    """A table of all examples; the exit status."""
    print(f"{'example':22} {'functions':>10} {'proven':>7} {'agrees':>7} {'not proven':>11} {'differs':>8} {'time':>8}")
    with TemporaryDirectory(prefix="mbsym") as scratch:
        for name in examples.names():
            try:
                generate(examples.load(name), Path(scratch) / name)
            except MbsymError:
                continue
            began = time.perf_counter()
            found = outcomes(Path(scratch) / name, name)
            print(f"{name:22} {found.total():10} {found['proven']:7} {found['agrees']:7} {found['not proven']:11}"
                  f" {found['differs']:8} {time.perf_counter() - began:6.1f} s", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(times() if "--examples" in sys.argv else edits(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
