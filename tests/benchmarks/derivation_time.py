"""How long it takes to derive equations and print them as C, and how fast the printed C runs.

Every row is measured in a fresh process: import, derivation and memory must not profit from what ran before. "first"
is the process's first derivation, which still loads what is loaded on demand; "again" the best of five more. Times
are process times. Run: python tests/benchmarks/derivation_time.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

TESTS = str(Path(__file__).resolve().parents[1])
sys.path.append(TESTS)

FUNCTIONS = ("inverse_dynamics", "forward_dynamics")

DERIVE = """
import json, resource, sys
from time import perf_counter, process_time
wall, start = perf_counter(), process_time()
import mbsym
imported, imported_wall = process_time() - start, perf_counter() - wall
from mbsym.pipeline import GenerationOptions, generate_files
pipeline = process_time() - start
if sys.argv[1] == "chain":
    sys.path.append(sys.argv[3])
    from mechanisms.benchmark_chains import benchmark_chain
    model = benchmark_chain(int(sys.argv[2]), "z")
else:
    model = mbsym.load(sys.argv[2])
options = GenerationOptions(languages=("c",), functions=("inverse_dynamics", "forward_dynamics"))
times = []
for _ in range(6):
    start = process_time()
    derivation, printed = generate_files(model, options)
    times.append(process_time() - start)
print(json.dumps({
    "import": imported, "import_wall": imported_wall, "pipeline": pipeline, "first": times[0], "again": min(times[1:]),
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "operations": {p.name: p.operation_count().arithmetic for p in derivation.programs},
    "lines": sum(file.text.count("\\n") for file in printed if file.name.endswith(".c")),
}))
"""

LIMITS = {"import": 0.3, "chain 7": 0.050, "chain 30": 0.5, "memory of chain 30": 200.0}

HARNESS = """
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <time.h>
#include "NAME.h"
int main(void)
{
    enum { CALLS = REPETITIONS };
    PARAMETERS
    double q[NAME_NQ], v[NAME_NV], x[NAME_NV], result[NAME_NV], sum = 0.0;
    for (int k = 0; k < NAME_NQ; k++) { q[k] = 0.1 * k + 0.3; }
    for (int k = 0; k < NAME_NV; k++) { v[k] = 0.2 * k - 0.4; x[k] = 0.5 - 0.1 * k; }
    double best = 1e9;
    for (int round = 0; round < 7; round++) {
        struct timespec from, to;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        for (int call = 0; call < CALLS; call++) {
            NAME_FUNCTION(ARGUMENT q, v, x, result);
            sum += result[0];
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


def derivation(*arguments: str) -> dict[str, Any]:
    """Times, memory and operations of one model in a process of its own."""
    done = subprocess.run([sys.executable, "-c", DERIVE, *arguments, TESTS], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def nanoseconds(arguments: tuple[str, str], function: str) -> float:
    """Time of one call of the generated C, compiled with -O2, the best of seven rounds."""
    import mbsym
    from mbsym.codegen.build import find_compiler
    from mechanisms.benchmark_chains import benchmark_chain

    model = benchmark_chain(int(arguments[1]), "z") if arguments[0] == "chain" else mbsym.load(arguments[1])
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        mbsym.generate(model, place, languages=["c"], functions=[function])
        manifest = json.loads(next(place.glob("*.json")).read_text(encoding="utf-8"))
        name = manifest["name"]
        structured = bool(manifest["run_time_parameters"])
        source = HARNESS.replace("NAME_FUNCTION", f"{name}_{function}").replace("NAME_NQ", str(manifest["nq"]))
        source = source.replace("NAME_NV", str(manifest["nv"])).replace("NAME", name)
        parameters = f"const {name}_parameters parameters = {name}_default_parameters;" if structured else ""
        source = source.replace("PARAMETERS", parameters).replace("ARGUMENT", "&parameters," if structured else "")
        (place / "main.c").write_text(source.replace("REPETITIONS", "20000"), encoding="utf-8")
        program = str(place / "program")
        inputs = (str(place / "main.c"), str(place / f"{name}.c"))
        subprocess.run([*find_compiler(), "-std=c99", "-O2", *inputs, "-o", program, "-lm"], check=True)
        return float(subprocess.run([program], capture_output=True, text=True, check=False).stdout)


def ur5() -> str | None:
    """The UR5's description, where the collection of robots is installed."""
    try:
        listed = files("example-robot-data") or ()
    except PackageNotFoundError:
        return None
    return next((str(file.locate()) for file in listed if file.name == "ur5_robot.urdf"), None)


def main() -> None:
    """Prints the tables."""
    cases = {"chain 7": ("chain", "7"), "chain 30": ("chain", "30"), "puma560": ("model", "puma560")}
    robot = ur5()
    if robot is not None:
        cases["UR5"] = ("model", robot)
    found = {name: derivation(*arguments) for name, arguments in cases.items()}

    print("Inverse and forward dynamics derived, optimised and printed as C")
    print(
        f"{'model':10}{'first ms':>10}{'again ms':>10}{'limit ms':>10}{'memory MB':>11}{'lines':>8}{'operations':>14}"
    )
    for name, row in found.items():
        limit = f"{1e3 * LIMITS[name]:.0f}" if name in LIMITS else ""
        operations = " + ".join(str(row["operations"][function]) for function in FUNCTIONS)
        print(
            f"{name:10}{1e3 * row['first']:10.1f}{1e3 * row['again']:10.1f}{limit:>10}{row['memory']:11.0f}"
            f"{row['lines']:8}{operations:>14}"
        )
    rows = list(found.values())
    limit = f"limit {1e3 * LIMITS['import']:.0f} ms"
    for key, what in (
        ("import", "import mbsym, process time"),
        ("import_wall", "import mbsym, wall clock"),
        ("pipeline", "import of all that generating needs, process time"),
    ):
        print(f"{what}: {1e3 * min(row[key] for row in rows):.0f} ms, {limit}")
    print(f"peak memory of chain 30: {found['chain 30']['memory']:.0f} MB, limit {LIMITS['memory of chain 30']:.0f} MB")

    print("\nOne call of the generated C, compiled with -O2")
    print(f"{'model':10}" + "".join(f"{function + ' ns':>22}" for function in FUNCTIONS))
    for name, arguments in cases.items():
        print(f"{name:10}" + "".join(f"{nanoseconds(arguments, function):22.0f}" for function in FUNCTIONS))


if __name__ == "__main__":
    main()
