"""mbsym doctor: what this machine has, and what is missing for what."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from mbsym.cli.delivery import PRINTING, Delivery
from mbsym.cli.taken import verb
from mbsym.codegen.build import find_compiler
from mbsym.codegen.text import table
from mbsym.errors import ToolchainError

LIBRARIES: Final = ("numpy", "scipy", "sympy", "jinja2", "pyyaml", "pydantic", "typer", "rich")
"""That mbsym is made of."""

EXTRAS: Final[tuple[tuple[str, str, str], ...]] = (
    ("matplotlib", "plots of motions and responses", "pip install 'mbsym[plot]'"),
    ("pyarrow", "Parquet tables", "pip install 'mbsym[parquet]'"),
    ("xacro", "robots of ROS that are written in it", "pip install 'mbsym[xacro]'"),
    ("trimesh", "meshes of robots", "pip install 'mbsym[meshes]'"),
    ("distributed", "sweeps on several machines", "pip install 'mbsym[dask]'"),
    ("zarr", "sweeps that do not fit into memory", "pip install 'mbsym[zarr]'"),
    ("jax", "running what is exported to JAX", "pip install 'mbsym[jax]'"),
    ("casadi", "running what is exported to CasADi", "pip install casadi"),
    ("fmpy", "running functional mock-up units", "pip install fmpy"),
    ("pin", "Pinocchio as a witness, in the tests", "pip install 'mbsym[test]'"),
    ("mujoco", "MuJoCo as a witness, in the tests", "pip install 'mbsym[test]'"),
)
"""Packages, what for, and how they are installed."""

PROGRAMS: Final[tuple[tuple[str, str, str], ...]] = (
    ("gcc", "C in verify, compile, simulate", "apt install gcc libc6-dev"),
    ("clang", "the same, and the fastest code", "apt install clang"),
    ("cppcheck", "the MISRA part of safety reports", "apt install cppcheck"),
    ("cmake", "sources of units and of C++ examples", "apt install cmake"),
    ("cargo", "crates that are exported", "https://rustup.rs"),
    ("node", "running modules in JavaScript", "apt install nodejs"),
    ("arm-none-eabi-gcc", "stack and code size on a microcontroller", "apt install gcc-arm-none-eabi"),
    ("qemu-system-arm", "self-tests on an emulated one", "apt install qemu-system-arm"),
)
"""Programs, likewise."""

VECTORS: Final = (
    ("__AVX512F__", "AVX-512"),
    ("__AVX2__", "AVX2"),
    ("__AVX__", "AVX"),
    ("__ARM_NEON", "NEON"),
    ("__SSE2__", "SSE2"),
)
"""Macros of compilers that say for which vectors they compile, the widest first."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that a machine has or lacks.

    Attributes:
        name: of it.
        version: as it says itself; empty where it is missing or cannot run.
        purpose: what it is for.
        remedy: how it is installed.
    """

    name: str
    version: str
    purpose: str
    remedy: str = ""

    @property
    def line(self) -> tuple[str, str, str]:
        """For people."""
        return self.name, self.version or "missing", self.purpose if self.version else f"{self.purpose}: {self.remedy}"


@verb("mbsym doctor")
def doctor(delivery: Delivery = PRINTING) -> None:
    """Tell what this machine has: libraries, compilers and their vectors, and what is missing for what."""
    groups = {"libraries": [*_libraries()], "compiler": [*_compiler()], "programs": [*_programs()]}
    groups["extras"] = [Part(name, _package(name), purpose, remedy) for name, purpose, remedy in EXTRAS]
    text = "\n\n".join(
        "\n".join((title, *(f"  {line}" for line in table(part.line for part in parts))))
        for title, parts in groups.items()
    )
    delivery.tell("doctor", "", {title: [asdict(part) for part in parts] for title, parts in groups.items()}, (), text)


def _libraries() -> Iterator[Part]:
    yield Part("python", sys.version.split()[0], "runs mbsym")
    for name in LIBRARIES:
        yield Part(name, _package(name), "part of mbsym", f"pip install {name}")


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _compiler() -> Iterator[Part]:
    """The one that is taken where none is named, with what it can do on this machine."""
    try:
        command = find_compiler()
    except ToolchainError as error:
        yield Part("cc", "", "compiles generated C", error.remedy)
        return
    yield Part(command[0], _said((*command, "--version")), "compiles generated C where CC says nothing else")
    macros = _said((*command, "-march=native", "-dM", "-E", "-x", "c", "/dev/null"), whole=True)
    macros = macros or _said((*command, "-dM", "-E", "-x", "c", "/dev/null"), whole=True)
    found = next((name for macro, name in VECTORS if f"#define {macro} " in macros), "")
    yield Part("vectors", found, "several states at once, with -march=native", "code runs one state after the other")
    parallel = "#define _OPENMP " in _said((*command, "-fopenmp", "-dM", "-E", "-x", "c", "/dev/null"), whole=True)
    yield Part("OpenMP", "yes" * parallel, "threads in batches and long chains", "apt install libomp-dev, or use gcc")


def _programs() -> Iterator[Part]:
    for name, purpose, remedy in PROGRAMS:
        yield Part(name, _said((name, "--version")), purpose, remedy)


def _said(command: tuple[str, ...], *, whole: bool = False) -> str:
    """What a program prints, or the first line of it; nothing where it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = done.stdout if done.returncode == 0 else ""
    return text if whole else text.partition("\n")[0].strip()
