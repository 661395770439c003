"""Two hundred edits of one character in emitted C and NumPy: how many `verify --exact` names; and how long it takes.

Prints each edit that is not named, the counts by text, and with --examples a table of outcomes and processor times of
bundled examples. What changes no bit of any result is told apart: a number times zero, a digit too many.

    python tests/benchmarks/exact_edits.py [COUNT]
    python tests/benchmarks/exact_edits.py --examples [NAME...]
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbsym import examples, generate
from mbsym.codegen.load import arguments_of_entry
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.errors import MbsymError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.texts.c_reader import read_c
from mbsym.texts.machine import Arithmetic, Machine, View
from mbsym.texts.python_reader import read_python
from mbsym.verification.exact_texts import exact_verdicts
from mechanisms.character_edits import character_edits

MODULES = {
    "puma560": ("forward_dynamics", "inverse_dynamics", "mass_matrix", "body_jacobians"),
    "four_bar": (),
    "cart_pole": (),
    "floating_two_arm": ("forward_dynamics", "body_poses"),
}
"""Models, and the functions that are generated where these are not all."""


def outcomes(directory: Path, name: str) -> Counter[str]:
    """Verdicts of a directory, counted."""
    manifest = read_manifest(directory / f"{name}.json")
    model = read_native(TextSource(name, manifest["model"]))
    return Counter(verdict.outcome for verdict in exact_verdicts(directory, manifest, model))


def edits(count: int) -> int:
    """Makes so many edits; the exit status."""
    print(f"{'text':20} {'edits':>6} {'named':>6} {'missed':>7} {'no change':>10}")
    totals, began = Counter[str](), time.perf_counter()
    each = count // (2 * len(MODULES))
    with TemporaryDirectory(prefix="mbsym") as scratch:
        for name, functions in MODULES.items():
            for language, suffix in (("c", ".c"), ("numpy", ".py")):
                directory = Path(scratch) / language / name
                generate(examples.load(name), directory, languages=[language], functions=functions)
                assert not outcomes(directory, name)["differs"], name
                found = _edited(directory / f"{name}{suffix}", name, each)
                totals += found
                print(_row(name + suffix, found), flush=True)
    print(f"{_row('all', totals)}   in {time.perf_counter() - began:.0f} s")
    return 0


def _edited(file: Path, name: str, count: int) -> Counter[str]:
    """What became of edits of a file, which is put back."""
    text, found = file.read_text(encoding="utf-8"), Counter[str]()
    for edit in character_edits(text, python=file.suffix == ".py", seed=1, count=count):
        changed = edit.applied(text)
        file.write_text(changed, encoding="utf-8")
        kind = "named" if outcomes(file.parent, name)["differs"] else "missed"
        if kind == "missed" and says_the_same(text, changed, file, name):
            kind = "no change"
        if kind != "named":
            print(f"  {kind}: {edit.old} -> {edit.new} in {edit.line[:90]}", flush=True)
        found[kind] += 1
    file.write_text(text, encoding="utf-8")
    return found


def _row(what: str, found: Counter[str]) -> str:
    return f"{what:20} {found.total():6} {found['named']:6} {found['missed']:7} {found['no change']:10}"


def says_the_same(text: str, changed: str, file: Path, name: str) -> bool:
    """Whether a changed text computes the same bits: what was changed is multiplied by zero, or a digit too many."""
    return _computed(text, file, name) == _computed(changed, file, name)


def _computed(text: str, file: Path, name: str) -> list[float]:
    """Results of all functions of a text at a state, followed over floats."""
    if file.suffix == ".py":
        read, prefix = read_python(text).text, ""
    else:
        headers = {path.name: path.read_text(encoding="utf-8") for path in file.parent.glob("*.h")}
        read, prefix = read_c(text, headers), f"{name}_"
    library = {each: getattr(math, each) for each in ("sin", "cos", "sqrt", "atan2")} | {"fabs": abs}
    names = {"HUGE_VAL": math.inf, "NAN": math.nan}
    machine = Machine(read, Arithmetic(lambda number: float(number.value), library, {}, names))
    parameters = read_manifest(file.with_suffix(".json"))["run_time_parameters"]
    found: list[float] = []
    for entry in read_manifest(file.with_suffix(".json"))["functions"]:
        if f"{prefix}{entry['name']}" not in read.functions:
            continue
        inputs, outputs = arguments_of_entry(entry)
        rng = random.Random(entry["name"])
        plain = iter([View([rng.uniform(0.3, 1.2) for _ in range(math.prod(item.shape))]) for item in inputs])
        formals = [item.name for item in read.functions[f"{prefix}{entry['name']}"].arguments]
        given = [_argument(name, parameters, plain) for name in formals[: len(formals) - bool(prefix) * len(outputs)]]
        results = [View([None] * max(1, math.prod(item.shape))) for item in outputs]
        if prefix:
            machine.call(f"{prefix}{entry['name']}", [*given, *results])
        else:
            results = [View(list(each)) for each in machine.call(entry["name"], given)]
        found += [float(x) for each in results for x in each.cells]
    return found


def _argument(name: str, parameters: Mapping[str, float], plain: Iterator[View]) -> Any:
    """A run-time parameter, all of them, or the next array."""
    if name == "parameters":
        return parameters
    return parameters[name.removeprefix("parameters.")] if "." in name else next(plain)


def times(names: Sequence[str]) -> int:
    """A table of examples; the exit status."""
    print(f"{'example':22} {'functions':>10} {'proven':>7} {'agrees':>7} {'not proven':>11} {'differs':>8} {'time':>9}")
    with TemporaryDirectory(prefix="mbsym") as scratch:
        for name in names:
            try:
                generate(examples.load(name), Path(scratch) / name)
            except MbsymError:
                continue
            began = time.process_time()
            found = outcomes(Path(scratch) / name, name)
            print(f"{name:22} {found.total():10} {found['proven']:7} {found['agrees']:7} {found['not proven']:11}"
                  f" {found['differs']:8} {time.process_time() - began:7.1f} s", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    wanted = [each for each in sys.argv[1:] if each != "--examples"] or examples.names()
    raise SystemExit(
        times(wanted) if "--examples" in sys.argv else edits(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    )
