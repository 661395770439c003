"""Edits of one character in emitted C, headers, batches and NumPy: how many `verify --exact` names.

Prints each edit that is not named, and the counts by text. What changes no bit of any result is told apart: a number
times zero, a digit too many; of batches and of headers all that is not named counts as missed.

    python tests/benchmarks/exact_edits.py [COUNT OF EACH TEXT] [SEED] [FILE...]
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

from exact_proofs import verdicts

from mbsym import examples, generate
from mbsym.codegen.load import arguments_of_entry
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.texts.c_reader import read_c
from mbsym.texts.machine import Arithmetic, Machine, View
from mbsym.texts.python_reader import read_python
from mechanisms.character_edits import character_edits

DYNAMICS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "body_jacobians")
TEXTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "puma560.c": ("puma560", {"languages": ["c"], "functions": DYNAMICS}),
    "puma560.py": ("puma560", {"languages": ["numpy"], "functions": DYNAMICS}),
    "four_bar.c": ("four_bar", {"languages": ["c"]}),
    "four_bar.py": ("four_bar", {"languages": ["numpy"]}),
    "cart_pole.c": ("cart_pole", {"languages": ["c"]}),
    "cart_pole.py": ("cart_pole", {"languages": ["numpy"]}),
    "floating_two_arm.c": ("floating_two_arm", {"languages": ["c"], "functions": ("forward_dynamics", "body_poses")}),
    "floating_two_arm.py": (
        "floating_two_arm",
        {"languages": ["numpy"], "functions": ("forward_dynamics", "body_poses")},
    ),
    "cart_pole_batch.c": ("cart_pole", {"languages": ["c", "batch"], "batch": "all"}),
    "double_pendulum.c": ("double_pendulum", {"languages": ["c"], "style": "shared"}),
    "quadruped.c": ("quadruped", {"languages": ["c"], "style": "limbs", "functions": ("inverse_dynamics",)}),
    "four_bar.h": ("four_bar", {"languages": ["c"]}),
}
"""Files, each with the model and what it is generated with."""


def differs(directory: Path, name: str) -> bool:
    """Whether anything does."""
    return any(verdict.outcome == "differs" for verdict in verdicts(directory, name))


def edits(count: int, seed: int, wanted: Sequence[str]) -> int:
    """Makes so many edits of each text; the exit status."""
    print(f"{'text':20} {'edits':>6} {'named':>6} {'missed':>7} {'no change':>10}")
    totals, began = Counter[str](), time.perf_counter()
    with TemporaryDirectory(prefix="mbsym") as scratch:
        for number, file in enumerate(wanted):
            name, options = TEXTS[file]
            directory = Path(scratch) / str(number)
            generate(examples.load(name), directory, **options)
            assert not differs(directory, name), name
            found = _edited(directory / file, name, count, seed)
            totals += found
            print(_row(file, found), flush=True)
    print(f"{_row('all', totals)}   in {time.perf_counter() - began:.0f} s")
    return bool(totals["missed"])


def _edited(file: Path, name: str, count: int, seed: int) -> Counter[str]:
    """What became of edits of a file, which is put back."""
    text, found = file.read_text(encoding="utf-8"), Counter[str]()
    for edit in character_edits(text, python=file.suffix == ".py", seed=seed, count=count):
        changed = edit.applied(text)
        file.write_text(changed, encoding="utf-8")
        kind = "named" if differs(file.parent, name) else "missed"
        if kind == "missed" and file.stem == name and file.suffix != ".h" and says_the_same(text, changed, file, name):
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


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:] if each.isdigit()]
    files = [each for each in sys.argv[1:] if not each.isdigit()]
    raise SystemExit(edits(numbers[0] if numbers else 25, numbers[1] if len(numbers) > 1 else 1, files or list(TEXTS)))
