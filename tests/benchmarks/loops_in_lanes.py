"""Closed loops: nanoseconds a state, one after the other by the function for one state, and side by side in lanes.

    python tests/benchmarks/loops_in_lanes.py [MODEL ...] [--write]

Processor time of one thread, both in turn, the median of several rounds; a loop in C calls the function for one state.
The statuses of both must be the same, and results agree. With --write the table goes into docs/batches.md.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sweep import put, told

import mbsym
from mbsym.codegen.build import find_compiler
from mbsym.codegen.load import read_manifest
from mbsym.loops.assembly import assemble

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.generated_c import run

MODELS = ("four_bar", "slider_crank", "five_bar", "stewart_platform")
FUNCTIONS = ("forward_dynamics", "joint_wrenches", "project_position", "project_velocity")
FLAGS = ("-std=gnu99", "-O3", "-march=native", "-fno-math-errno", "-Wno-psabi", "-shared", "-fPIC")
STATES, ROUNDS, SECONDS = 256, 5, 0.1
OPENED = 1e-2
"""What coordinates that are to be closed are off by."""
AGREE = 1e-9
HEAD = ("| mechanism | function | ns, one by one | ns, in lanes | times |", "|---|---|---|---|---|")


def driver(name: str, entry: dict[str, Any], has_parameters: bool) -> str:
    """Two functions in C that return seconds of processor time."""
    sizes = [int(np.prod(item["shape"], dtype=int)) for item in entry["arguments"]]
    places = [f"a{k}" for k in range(len(sizes))]
    single = [
        f"{place}[i]" if item["direction"] == "in" and not item["shape"] else f"{place} + i * {size}"
        for place, size, item in zip(places, sizes, entry["arguments"], strict=True)
    ]
    heads = ", ".join(f"double *{place}" for place in places)
    given = f"static const {name}_parameters p = {name}_default_parameters;" if has_parameters else ""
    one = ", ".join(["&p"] * has_parameters + single)
    many = ", ".join(["n"] + ["&p, 0"] * has_parameters + [f"{place}, NULL" for place in places])
    calls = {
        "one": f"for (long i = 0; i < n; ++i) status[i] = {entry['c_symbol']}({one});",
        "many": f"{entry['batch']['c_symbol']}({many}, status);",
    }
    text = f'#include <time.h>\n#include "{name}_batch.h"\n{given}\n'
    for title, call in calls.items():
        text += f"""double {title}(long n, long calls, {heads}, int *status)
{{
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (long k = 0; k < calls; ++k) {{ {call} }}
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}}
"""
    return text


def measured(name: str, function: str, scratch: Path) -> str:
    """A row of the table.

    Raises:
        ValueError: states have other statuses or results in lanes.
    """
    model = mbsym.load(name)
    mbsym.generate(model, scratch, functions=(function,), languages=("batch",), batch=(function,))
    manifest = read_manifest(scratch)
    entry = next(item for item in manifest["functions"] if item["name"] == function)
    (scratch / "driver.c").write_text(driver(name, entry, bool(manifest["run_time_parameters"])))
    sources = ("driver.c", f"{name}.c", f"{name}_batch.c")
    done = run(*find_compiler(), *FLAGS, *sources, "-o", "driver.so", "-lm", cwd=scratch)
    if done.returncode:
        raise ValueError(done.stderr)
    library = ctypes.CDLL(str(scratch / "driver.so"))
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(-1, 1, (STATES, *item["shape"])) for item in entry["arguments"]]
    opened = OPENED * (function == "project_position")
    arrays[0] = np.tile(assemble(model).q, (STATES, 1)) + opened * arrays[0]
    status = np.zeros(STATES, dtype=np.intc)
    given: list[np.ndarray] = [*arrays, status]
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in given]
    spent: dict[str, list[float]] = {"one": [], "many": []}
    found = {}
    for title in spent:
        getattr(library, title).restype = ctypes.c_double
    for _ in range(ROUNDS):
        for title, seconds in spent.items():
            call = getattr(library, title)
            calls = max(1, int(SECONDS / call(ctypes.c_long(STATES), ctypes.c_long(1), *pointers)))
            seconds.append(call(ctypes.c_long(STATES), ctypes.c_long(calls), *pointers) / calls / STATES * 1e9)
            found[title] = (status.copy(), arrays[-1].copy())
    (expected, values), (statuses, others) = found["one"], found["many"]
    if not np.array_equal(expected, statuses) or not np.abs(values - others).max() < AGREE * (1 + np.abs(values).max()):
        raise ValueError(f"{name}, {function}: lanes do not agree with single states")
    one, many = (statistics.median(seconds) for seconds in spent.values())
    return f"| {name} | {function} | {one:.0f} | {many:.0f} | {one / many:.1f} |"


def main(names: list[str]) -> list[str]:
    """Prints the table and returns its rows."""
    print(*HEAD, sep="\n")
    rows = []
    for name in names or MODELS:
        for function in FUNCTIONS:
            with TemporaryDirectory() as scratch:
                rows.append(measured(name, function, Path(scratch)))
            print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"default: {', '.join(MODELS)}")
    parser.add_argument("--write", action="store_true", help="put the table into docs/batches.md")
    given = parser.parse_args()
    table = main(given.models)
    if given.write:
        put("loops in lanes", [*HEAD, *table, "", told()])
