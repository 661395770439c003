"""Operations that manifests declare are those that the generated C has while it runs: its numbers count them."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsym
from mbsym.codegen.load import arguments_of_entry
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.loops.assembly import assemble
from mechanisms.generated_c import require

KINDS = ("add", "mul", "div", "sqrt", "sincos", "other")

COUNTED = """
#include <math.h>
extern "C" { long counts[6]; }
struct Counted {
    double x;
    Counted() = default;
    Counted(double value) : x(value) {}
};
#define BINARY(op, kind) \\
    static inline Counted operator op(Counted a, Counted b) { ++counts[kind]; return a.x op b.x; } \\
    static inline Counted &operator op##=(Counted &a, Counted b) { ++counts[kind]; a.x op##= b.x; return a; }
BINARY(+, 0)
BINARY(-, 0)
BINARY(*, 1)
BINARY(/, 2)
#define COMPARED(op) static inline bool operator op(Counted a, Counted b) { return a.x op b.x; }
COMPARED(<) COMPARED(<=) COMPARED(>) COMPARED(>=) COMPARED(==) COMPARED(!=)
static inline Counted operator-(Counted a) { return -a.x; }
static inline Counted fabs(Counted a) { ++counts[5]; return fabs(a.x); }
static inline bool isfinite(Counted a) { return __builtin_isfinite(a.x); }
static inline Counted sqrt(Counted a) { ++counts[3]; return sqrt(a.x); }
static inline void paired(double angle, int which)
{
    static double last = NAN;
    static bool known[2];
    if (angle != last || known[which]) {
        ++counts[4];
        last = angle;
        known[0] = known[1] = false;
    }
    known[which] = true;
}
static inline Counted sin(Counted a) { paired(a.x, 0); return sin(a.x); }
static inline Counted cos(Counted a) { paired(a.x, 1); return cos(a.x); }
static inline Counted atan2(Counted a, Counted b) { ++counts[5]; return atan2(a.x, b.x); }
extern "C" void forget(void) { paired(NAN, 0); for (long &count : counts) { count = 0; } }
"""
"""Numbers for C that is compiled as C++; a pair is sine and cosine of one angle, one after the other."""


def counted(directory: Path, name: str) -> ctypes.CDLL:
    """The module with numbers that count, its tolerances among them: what is printed counts, whatever compilers fold.

    Whether a number is finite is no operation.
    """
    require("g++")
    for suffix, pattern, replacement in (
        (".h", r"typedef double (\w+_real);", r"typedef Counted \1;"),
        (".c", r"fabs\((x\[i\])\) < HUGE_VAL", r"isfinite(\1)"),
        (".c", r"(#define \w+) (\S*[.e]\S*)\n", r"\1 Counted(\2)\n"),
    ):
        file = directory / f"{name}{suffix}"
        file.write_text(re.sub(pattern, replacement, file.read_text(encoding="utf-8")))
    (directory / "counted.hpp").write_text(COUNTED)
    flags = ["-shared", "-fPIC", "-O0", "-w", "-Drestrict=", "-include", "counted.hpp", "-x", "c++"]
    done = subprocess.run(
        ["g++", *flags, f"{name}.c", "-o", "counted.so"], cwd=directory, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(directory / "counted.so"))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("four_bar", {"functions": ("constrained_dynamics_derivatives", "closed_form_position", "project_velocity")}),
        ("puma560", {"style": "shared", "functions": ("inverse_dynamics", "mass_matrix", "forward_dynamics")}),
    ],
)
def test_declared_operations_are_those_of_a_run(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Of functions that iterate at an ordinary state, from which one Newton step closes the loops."""
    # What the library computes is counted as a pair.
    mbsym.generate(name, tmp_path, languages=("c",), trigonometry="libm", **options)
    library, manifest = counted(tmp_path, name), read_manifest(tmp_path)
    counts = (ctypes.c_long * len(KINDS)).in_dll(library, "counts")
    defaults = np.array(list(manifest["run_time_parameters"].values()))
    rng = np.random.default_rng(7)
    start = assemble(mbsym.load(name)).q + (1e-9 if name == "four_bar" else rng.uniform(-1, 1, manifest["nq"]))
    told = {entry["name"]: entry["operations"] for entry in manifest["functions"]}
    found = {}
    for entry in manifest["functions"]:
        inputs, outputs = arguments_of_entry(entry)
        arrays = [start if item.name == "q" else rng.uniform(0.5, 1, item.shape) for item in inputs]
        arrays += [np.zeros(max(item.size, 1), np.intc if item.kind == "int" else float) for item in outputs]
        arrays = [defaults, *arrays] if len(defaults) else arrays
        library.forget()
        getattr(library, entry["c_symbol"])(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
        found[entry["name"]] = dict(zip(KINDS, counts, strict=True))
    assert found == told
