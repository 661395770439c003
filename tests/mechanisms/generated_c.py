"""Generated C for gates of compilers and analysers: cases, commands, symbols, and a program that calls everything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

import mbsym
from mbsym import examples
from mbsym.codegen.build import runs
from mbsym.codegen.description import Real, Trigonometry
from mbsym.codegen.load import read_manifest
from mbsym.registry import TRANSFER_MATRIX

PACKAGES: Final = {
    "gcc": "gcc",
    "g++": "g++",
    "clang": "clang",
    "clang++": "clang",
    "nm": "binutils",
    "cppcheck": "cppcheck",
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    "arm-none-eabi-nm": "binutils-arm-none-eabi",
    "arm-none-eabi-size": "binutils-arm-none-eabi",
    "qemu-system-arm": "qemu-system-arm",
    "cmake": "cmake",
    "cargo": "cargo",
    "rustc": "rustc",
}
"""Programs that gates need, and the Debian packages that have them."""

TOPOLOGIES: Final = {"driver_cab", "qi_closed_loops", "qi_small", "slides_tree", "stanford_arm"}
"""Bundled examples without masses, for which there is no code."""

LARGE: Final = 200_000
"""Bytes of source above which compilers take long."""

LIKE_OTHERS: Final = ("engine", "hydraulic_excavator", "quadruped_on_ground")
"""Bundled examples whose code is that of others together: a slider-crank and a table, cylinders, contacts and legs."""

LONGEST: Final = "driver_cab_motion"
"""The bundled example with the longest code by far, 2.4 MB."""

STEPPED: Final = ("double_pendulum", "four_bar", "rhombus_spatial", "spinning_top")
"""Bundled examples for stepping code: parameters and none, trees and loops, the plane and space."""


def require(*tools: str) -> None:
    """Skips a test whose tools are missing, saying which, or fails it where no gate may be left out."""
    missing = [tool for tool in tools if not runs(tool)]
    if not missing:
        return
    packages = " ".join(dict.fromkeys(PACKAGES[tool] for tool in missing))
    leave_out(f"not checked without {', '.join(missing)} (Debian: {packages})")


def leave_out(text: str) -> NoReturn:
    """Skips a test, or fails it where no gate may be left out."""
    if os.environ.get("MBSYM_GATES") == "required":
        pytest.fail(text)
    pytest.skip(text)


@dataclass(frozen=True)
class Module:
    """A generated C module."""

    source: Path
    manifest: Mapping[str, Any]

    @classmethod
    def in_directory(cls, directory: Path) -> Module:
        """The one that stands there."""
        (manifest,) = directory.glob("*.json")
        return cls(manifest.with_suffix(".c"), read_manifest(manifest))

    @property
    def header(self) -> Path:
        return self.source.with_suffix(".h")

    @property
    def is_large(self) -> bool:
        return self.source.stat().st_size > LARGE

    def compiled(self, *command: str) -> Path:
        """An object file, without a word from the compiler."""
        made = self.source.with_name(f"{self.source.stem}-{'-'.join(command).replace('/', '')[:60]}.o")
        done = run(*command, "-c", str(self.source), "-o", str(made))
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
        return made


@dataclass(frozen=True)
class Case:
    """What to generate."""

    model: str
    formulation: str = "auto"
    symbolic: str = ""
    trigonometry: Trigonometry = "auto"

    def __str__(self) -> str:
        way = self.trigonometry.replace("auto", "")
        return "-".join(filter(None, (Path(self.model).stem, self.formulation.replace("auto", ""), self.symbolic, way)))

    def module(self, directory: Path, real: Real = "double", prefix: str = "") -> Module:
        """The files, written."""
        mbsym.generate(
            self.model,
            directory,
            languages=("c",),
            formulation=self.formulation,
            symbolic_parameters=self.symbolic,
            real=real,
            prefix=prefix,
            trigonometry=self.trigonometry,
        )
        return Module.in_directory(directory)


CASES: Final = (
    *(Case(name) for name in examples.names() if name not in (*TOPOLOGIES, *LIKE_OTHERS)),
    *(Case(name, TRANSFER_MATRIX) for name in STEPPED),
    Case("four_bar", symbolic="all"),
    Case("double_pendulum", trigonometry="inline"),
)
"""Bundled examples that have equations, stepping code, loops with parameters, and sines and cosines inline."""


def run(*command: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command, done in English."""
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=cwd)


# ---- compilers -------------------------------------------------------------------------------------------------------

_GCC: Final = (
    *(
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wconversion",
        "-Wsign-conversion",
        "-Wfloat-conversion",
        "-Wshadow",
        "-Wundef",
    ),
    *("-Wcast-qual", "-Wcast-align=strict", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wold-style-definition"),
    *("-Wdouble-promotion", "-Wvla", "-Wformat=2", "-Wswitch-default", "-Wswitch-enum", "-Wunused-macros"),
    *("-Wredundant-decls", "-Wnested-externs", "-Wwrite-strings", "-Wpointer-arith", "-Wbad-function-cast"),
    *("-Wlogical-op", "-Wduplicated-cond", "-Wnull-dereference", "-Wjump-misses-init"),
)
_SINGLE: Final = ("-Wunsuffixed-float-constants",)
GCC: Final = {"double": _GCC, "float": (*_GCC, *_SINGLE)}
"""All warnings that concern such code, by floating-point type."""

_CLANG: Final = (
    "-Weverything",
    "-Wno-unknown-warning-option",
    "-Wno-declaration-after-statement",  # declarations stand where their values are known, as C99 has it
    "-Wno-padded",  # structures end where alignment wants it
    "-Wno-unsafe-buffer-usage",  # arrays are indexed
)
CLANG: Final = {"double": _CLANG, "float": _CLANG}

SANITIZED: Final = (
    *("-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-g1"),
    *("-Wall", "-Wextra", "-Wconversion"),
)

_MATHEMATICS: Final = (
    *("sqrt", "sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "pow"),
    *("fabs", "fmin", "fmax"),
)
_MEMORY: Final = {"memcpy", "memset", "memmove", "__stack_chk_fail"}
"""What compilers call of their own accord."""

IMPORTS: Final = {*_MATHEMATICS, *_MEMORY}
FLOAT_IMPORTS: Final = {*(f"{name}f" for name in _MATHEMATICS), *_MEMORY}

# ---- symbols ---------------------------------------------------------------------------------------------------------


def symbols(file: Path, nm: str = "nm") -> dict[str, str]:
    """Symbols of an object file with their kinds, as nm tells them; U is what it lacks."""
    rows = [line.split() for line in run(nm, str(file)).stdout.splitlines()]
    return {row[-1]: row[-2] for row in rows}


def lacking(file: Path, nm: str = "nm") -> set[str]:
    """Symbols that an object file imports."""
    return {name for name, kind in symbols(file, nm).items() if kind == "U"}


# ---- a program that calls every function -----------------------------------------------------------------------------

HEAD: Final = """
#include "{header}"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
{head}
typedef {prefix}_real real;

/* Inputs of one kind, the last kind a mixture of all; every array ends where its memory ends. */
static real value(int kind, unsigned *seed)
{{
    *seed = *seed * 1664525U + 1013904223U;
    {{
        const unsigned drawn = *seed >> 8;
        const real ordinary = (real)(drawn % 20001U) / (real)10000 - (real)1;
        switch (kind < KINDS - 1 ? kind : (int)(drawn % (unsigned)KINDS)) {{
        case 0: return (real)0;
        case 1: return (real)NAN;
        case 2: return (real)INFINITY;
        case 3: return -(real)INFINITY;
        case 4: return ordinary < (real)0 ? -LARGEST : LARGEST;
        case 5: return ordinary * SMALLEST;
        case 6: return ordinary * (real)1e18;
        default: return ordinary;
        }}
    }}
}}

static real *filled(int size, int kind, unsigned *seed)
{{
    real *const array = malloc((size_t)(size > 0 ? size : 1) * sizeof *array);
    if (array == NULL) abort();
    for (int k = 0; k < size; ++k) array[k] = value(kind, seed);
    return array;
}}
"""

KINDS: Final = 9
LIMITS: Final = {"LARGEST": "MAX", "SMALLEST": "MIN"}


def caller(module: Module, head: str = "") -> str:
    """C text with ``static void call_all(int kind, unsigned seed, void (*told)(const char *, const real *, int))``.

    It calls every function of a module once, with inputs of one kind, and tells each output with its size.
    """
    name, single = module.manifest["name"], module.manifest["real"] == "float"
    macros = "\n".join(f"#define {name} {'FLT' if single else 'DBL'}_{limit}" for name, limit in LIMITS.items())
    lines = [
        HEAD.format(header=module.header.name, prefix=name, head=f"{head}\n#define KINDS {KINDS}\n{macros}").strip(),
        "",
    ]
    lines.append("static void call_all(int kind, unsigned seed, void (*told)(const char *, const real *, int))\n{")
    structure = module.manifest["run_time_parameters"]
    if structure:
        lines.append(f"    const {name}_parameters parameters = {name}_default_parameters;")
    for entry in module.manifest["functions"]:
        function = f"{name}_{module.manifest['names'].get('functions', {}).get(entry['name'], entry['name'])}"
        actual, release = (["&parameters"] if structure else []), []
        lines.append("    {")
        for place, item in enumerate(entry["arguments"]):
            size = 1
            for extent in item["shape"]:
                size *= extent
            if item["direction"] == "in" and not item["shape"]:
                actual.append("value(kind, &seed)")
                continue
            actual.append(f"a{place}")
            if item.get("type") == "int":
                lines.append(f"        int *const a{place} = malloc({max(size, 1)} * sizeof *a{place});")
                release.append(f"free(a{place});")
                continue
            kind = "kind" if item["direction"] == "in" else "0"
            lines.append(f"        real *const a{place} = filled({size}, {kind}, &seed);")
            if item["direction"] == "out" and item["name"] != "work":
                release.append(f'told("{entry["name"]} {item["name"]}", a{place}, {size});')
            release.append(f"free(a{place});")
        lines.append(f"        (void){function}({', '.join(actual)});")
        lines += [f"        {text}" for text in release]
        lines.append("    }")
    return "\n".join([*lines, "}", ""])


ALL_CALLS: Final = """
static void nothing(const char *name, const real *x, int size) { (void)name; (void)x; (void)size; }

int main(void)
{
    for (int kind = 0; kind < KINDS - 1; ++kind) call_all(kind, (unsigned)kind, nothing);
    for (unsigned seed = 0; seed < 40U; ++seed) call_all(KINDS - 1, seed, nothing);
    return 0;
}
"""
"""Calls everything with inputs of every kind, and 40 times with mixtures."""

THREADS: Final = """
static pthread_key_t sum_of_this_thread;

static void add(const char *name, const real *x, int size)
{
    double *const sum = pthread_getspecific(sum_of_this_thread);
    (void)name;
    for (int k = 0; k < size; ++k) if (isfinite(x[k])) *sum += atan((double)x[k]);
}

static void *work(void *sum)
{
    pthread_setspecific(sum_of_this_thread, sum);
    for (unsigned seed = 0; seed < 50U; ++seed) call_all(7, seed, add);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    double sums[3] = {0, 0, 0};
    pthread_key_create(&sum_of_this_thread, NULL);
    for (int k = 0; k < 2; ++k) if (pthread_create(&threads[k], NULL, work, &sums[k])) return 2;
    for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
    work(&sums[2]);
    return memcmp(&sums[0], &sums[2], sizeof sums[0]) || memcmp(&sums[1], &sums[2], sizeof sums[0]);
}
"""
"""Calls everything from two threads and then from one; the sums of all results are the same."""
