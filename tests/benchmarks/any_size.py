"""What chains of 10 to 1000 joints cost, and how that grows.

Run: python tests/benchmarks/any_size.py [--straight] [--write PAGE] [JOINTS ...]

For inverse and forward dynamics, mass matrix and Jacobians of a chain of bodies in general position: process time to
derive and print, text of the C source, process time of the compiler at -O2, machine code and tables in the object, and
nanoseconds of one call, the best of several rounds. The exponents are slopes of straight lines through the logarithms;
a call of the last two fills what grows with the square of the length. Each row has a process of its own. With
--straight, the same for functions whose operations are all written out, up to 100 joints unless more are named.
With --write the table of all functions takes its place in the page, with rows of functions written out beside.
"""

from __future__ import annotations

import json
import math
import platform
import random
import re
import resource
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbsym.options.generation import Style

JOINTS = (10, 30, 100, 300, 1000)
SIZES = {"mass_matrix": "NAME_NV*NAME_NV", "body_jacobians": "6*NAME_NV*NAME_NV"}
"""Of dense results, which take q alone."""

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", *SIZES)
BESIDE = {"inverse_dynamics": 100, "forward_dynamics": 100, "mass_matrix": 60}
"""Joints of chains whose operations are all written out, for comparison."""

MOST_EXPONENT = 1.05
MOST_SECONDS = 5.0
"""To derive and print 1000 joints, and to compile them."""

COLUMNS = (("derive", "s"), ("text", "kB"), ("compile", "s"), ("code", "kB"), ("tables", "kB"), ("call", "ns"))

HARNESS = """
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include "NAME.h"
int main(void)
{
    static double q[NAME_NV], v[NAME_NV], x[NAME_NV], result[SIZE];
    double sum = 0.0, best = 1e12;
    for (int k = 0; k < NAME_NV; k++) {
        q[k] = 0.1 * (k % 30) - 1.2;
        v[k] = 0.01 * (k % 30) - 0.04;
        x[k] = 0.5 - 0.03 * (k % 30);
    }
    for (int round = 0; round < 9; round++) {
        struct timespec from, to;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        for (int call = 0; call < CALLS; call++) {
            NAME_FUNCTION(GIVEN, result);
            sum += result[0] + v[0] + x[0];
            q[0] += 1e-6;
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        double ns = 1e9 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec);
        if (ns / CALLS < best) { best = ns / CALLS; }
    }
    printf("%.0f\\n", best);
    return sum == 0.5;
}
"""


def row(joints: int, function: str, style: Style) -> dict[str, float]:
    """The figures of one chain, in this process."""
    import mbsym
    from mbsym.codegen.build import find_compiler

    model = chain(joints)
    # What is loaded on demand is loaded by a small chain.
    with tempfile.TemporaryDirectory() as scratch:
        mbsym.generate(chain(4), scratch, languages=["c"], functions=[function], style=style)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        start = process_time()
        mbsym.generate(model, place, languages=["c"], functions=[function], style=style)
        derive = process_time() - start
        name = model.name
        compiler = [*find_compiler(), "-std=c99", "-O2"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*compiler, "-c", f"{name}.c"], cwd=place, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        listed = subprocess.run(["size", "-A", f"{name}.o"], cwd=place, check=True, capture_output=True, text=True)
        sections = [line.split() for line in listed.stdout.splitlines() if line.startswith(".")]
        source = HARNESS.replace("NAME_FUNCTION", f"{name}_{function}").replace("SIZE", SIZES.get(function, "NAME_NV"))
        source = source.replace("GIVEN", "q" if function in SIZES else "q, v, x").replace("NAME", name)
        calls = max(20, 200_000 // (joints**2 if function in SIZES else joints))
        (place / "main.c").write_text(source.replace("CALLS", str(calls)), encoding="utf-8")
        subprocess.run([*compiler, "main.c", f"{name}.o", "-o", "main", "-lm"], cwd=place, check=True)
        ran = subprocess.run(["./main"], cwd=place, capture_output=True, text=True, check=False)
        return {
            "derive": derive,
            "text": (place / f"{name}.c").stat().st_size / 1000,
            "compile": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            "code": sum(int(size) for section, size, *_ in sections if section.startswith(".text")) / 1000,
            "tables": sum(int(size) for section, size, *_ in sections if section.startswith(".rodata")) / 1000,
            "call": float(ran.stdout),
        }


def chain(joints: int):  # type: ignore[no-untyped-def]  # mbsym is imported where a row is measured
    """Bodies in general position on hinges about x, y, z in turn, with three decimals to each number."""
    from mbsym.model.body import Body, Placement
    from mbsym.model.joint import Joint
    from mbsym.model.system import Model

    draw = random.Random(joints)

    def number(low: float = 0.1, high: float = 0.4) -> str:
        return f"{draw.uniform(low, high):.3f}"

    def point() -> tuple[str, str, str]:
        return number(), number(), number()

    def moments() -> tuple[str, ...]:
        return (*(number(0.3, 0.4) for _ in range(3)), "0.01", "0.02", "0.03")

    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    bodies = [Body(f"b{k}", number(1, 3), point(), moments()) for k in range(joints)]
    hinges = [
        Joint(f"j{k}", "revolute", f"b{k - 1}" if k else "ground", f"b{k}", axes[k % 3],
              predecessor_placement=Placement(point()))
        for k in range(joints)
    ]  # fmt: skip
    return Model(f"chain{joints}", tuple(bodies), tuple(hinges))


def exponent(points: list[tuple[float, float]]) -> float:
    """Slope of the straight line through the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(each[k] for each in logs) / len(logs) for k in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def measured(function: str, style: str, sizes: tuple[int, ...]) -> list[tuple[int, dict[str, float]]]:
    """The rows of one function, each from a process of its own, printed as they come."""
    print(f"\n{function}, {style}")
    print(f"{'joints':>8}" + "".join(f"{f'{name} {unit}':>12}" for name, unit in COLUMNS))
    rows: list[tuple[int, dict[str, float]]] = []
    for joints in sizes:
        command = [sys.executable, __file__, "row", str(joints), function, style]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append((joints, json.loads(done.stdout)))
        print(f"{joints:>8}" + "".join(f"{rows[-1][1][name]:>12.4g}" for name, _ in COLUMNS), flush=True)
    return rows


def exponents(rows: list[tuple[int, dict[str, float]]]) -> dict[str, float]:
    """With which powers of the joints the columns grow."""
    return {name: exponent([(n, max(found[name], 1e-9)) for n, found in rows]) for name, _ in COLUMNS}


def main(style: str, sizes: tuple[int, ...], page: Path | None) -> int:
    """Prints the tables; exit status 1 if a chain costs more than it may."""
    failed = False
    lines = [
        "| | joints | derive and print | C source | compile | machine code | tables | one call |",
        f"|{'---|' * 8}",
    ]
    for function in FUNCTIONS:
        rows = measured(function, style, sizes)
        words = function.replace("_", " ")
        lines += [table_row(words if k == 0 else "", str(joints), found) for k, (joints, found) in enumerate(rows)]
        if len(rows) > 1:
            slopes = exponents(rows)
            print(f"{'exponent':>8}" + "".join(f"{slopes[name]:>12.2f}" for name, _ in COLUMNS))
            linear = ("derive", "text", "compile", *["call"] * (function not in SIZES))
            failed |= any(slopes[name] > MOST_EXPONENT for name in linear)
            shown = (f"{round(slopes[name], 2) + 0.0:.2f}" for name, _ in COLUMNS)
            lines.append(f"|  | exponent | {' | '.join(shown)} |")
        failed |= any(found[name] > MOST_SECONDS for _, found in rows for name in ("derive", "compile"))
        if page is not None and function in BESIDE:
            ((joints, found),) = measured(function, "straight", (BESIDE[function],))
            lines.append(table_row("the same, straight", str(joints), found))
    if page is not None:
        from mbsym.codegen.build import compiler_version, find_compiler

        compiler = compiler_version(find_compiler()).splitlines()[0]
        lines += ["", f"{compiler}, Python {platform.python_version()}, {date.today().isoformat()}."]
        between = r"(<!-- costs -->\n).*?(<!-- costs end -->)"
        text = page.read_text(encoding="utf-8")
        changed = re.sub(between, lambda found: f"{found[1]}{chr(10).join(lines)}\n{found[2]}", text, flags=re.DOTALL)
        page.write_text(changed, encoding="utf-8")
    return int(failed) if style == "shared" else 0


def table_row(name: str, joints: str, found: dict[str, float]) -> str:
    """A row of the page, two digits to each figure."""
    shown, units = {**found, "call": found["call"] / 1000}, {**dict(COLUMNS), "call": "us"}
    if shown["call"] >= 1000:
        shown["call"], units["call"] = shown["call"] / 1000, "ms"
    return f"| {name} | {joints} | {' | '.join(f'{two_digits(shown[key])} {units[key]}' for key in units)} |"


def two_digits(value: float) -> str:
    """Two significant digits, more of what has more before the point."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["row"]:
        _, _, joints, function, style = sys.argv
        print(json.dumps(row(int(joints), function, "shared" if style == "shared" else "straight")))
    else:
        straight = "--straight" in sys.argv
        target = Path(sys.argv[sys.argv.index("--write") + 1]) if "--write" in sys.argv else None
        named = tuple(int(text) for text in sys.argv[1:] if text.isdigit())
        sys.exit(main("straight" if straight else "shared", named or (JOINTS[:3] if straight else JOINTS), target))
