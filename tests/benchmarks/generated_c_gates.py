"""Generated C of every bundled example under more compilers and levels than the tests have time for.

Prints, for each module, warnings of GCC and Clang at -O0 to -O3, and whether calls of all functions with special
numbers stay within defined behaviour under both compilers' sanitizers.

    python tests/benchmarks/generated_c_gates.py [PART_OF_A_NAME]
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.generated_c import ALL_CALLS, CASES, CLANG, GCC, LONGEST, SANITIZED, Case, caller, run

LEVELS = ("-O0", "-O1", "-O2", "-O3")


def row(case: Case, directory: Path) -> str:
    """Warnings and sanitizers' verdicts of one module."""
    cells = []
    for real in ("double", "float"):
        module = case.module(directory / real, real)
        levels = ("-O0",) if case.model == LONGEST else LEVELS
        for (compiler, flags), level in product((("gcc", GCC), ("clang", CLANG)), levels):
            made = str(module.source.with_suffix(".o"))
            done = run(compiler, "-std=c99", *flags[real], level, "-c", str(module.source), "-o", made)
            if done.returncode or done.stderr:
                cells.append(f"{compiler} {level} {real}: {done.stderr.count('warning:')} warnings")
        user, made = module.source.with_name("user.c"), str(module.source.with_name("user"))
        user.write_text(caller(module) + ALL_CALLS)
        for compiler in ("gcc", "clang"):
            files = (str(user), str(module.source), "-o", made, "-lm")
            done = run(compiler, "-std=c99", *SANITIZED, "-O0" if module.is_large else "-O2", *files)
            called = run(made)
            if done.returncode or done.stderr or called.returncode or called.stderr:
                cells.append(f"{compiler} {real}: {(done.stderr + called.stderr)[:200]}")
    return "; ".join(cells) or "nothing to say"


def main() -> None:
    """Prints the table."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    for case in CASES:
        if part in str(case):
            with TemporaryDirectory() as scratch:
                print(f"{case!s:34} {row(case, Path(scratch))}", flush=True)


if __name__ == "__main__":
    main()
