"""Compilers, what they are told, and libraries that are built once, under a hash of text, command and compiler."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import which

DRIVERS = Path(__file__).parent / "drivers"
KEPT = Path(__file__).resolve().parents[3] / "build" / "peers"
"""Where libraries and generated text are kept."""

COMPILERS = {"gcc": "g++", "clang": "clang++"}
FLAGS = (("-O2",), ("-O3", "-march=native"))
BUILDS = tuple((name, *flags) for name in COMPILERS if which(name) for flags in FLAGS)
"""Compilers of C with what they are told; those of C++ by those of C."""


@dataclass(frozen=True, slots=True)
class Job:
    """A library to build.

    Attributes:
        name: it begins with.
        build: compiler of C and flags, an entry of BUILDS.
        texts: sources by file name; the first is compiled, by the compiler of C++ if it ends in .cpp.
        extra: what the compiler is told besides.
        others: of the files, that are compiled too.
    """

    name: str
    build: tuple[str, ...]
    texts: Mapping[str, str]
    extra: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def command(self) -> tuple[str, ...]:
        """The compiler and what it is told, without files."""
        compiler, *flags = self.build
        if next(iter(self.texts)).endswith(".cpp"):
            return COMPILERS[compiler], "-std=c++17", "-w", *flags, *self.extra
        return compiler, "-std=gnu99", "-w", *flags, *self.extra

    def path(self, kept: Path) -> Path:
        """Where the library lies."""
        made_with = _version(self.command[0]), processor()
        key = sha256(repr((sorted(self.texts.items()), self.command, self.others, made_with)).encode())
        return kept / f"{self.name}-{''.join(self.build)}-{key.hexdigest()[:12]}.so"


@cache
def _version(compiler: str) -> str:
    return subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout


def processor() -> str:
    """The name of this machine's processor."""
    return _processor("model name") or "unknown"


def here(instructions: str) -> bool:
    """Whether the processor has these instructions."""
    return instructions in _processor("flags").split()


@cache
def _processor(entry: str) -> str:
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(entry)), "")


def compilers() -> str:
    """The compilers that are here, with their versions."""
    return ", ".join(f"{name} {_number(name)}" for name in COMPILERS if which(name))


def _number(compiler: str) -> str:
    command = [compiler, "-dumpversion" if compiler == "clang" else "-dumpfullversion"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def library(job: Job, kept: Path = KEPT) -> Path:
    """The library, built if it is not there yet."""
    target = job.path(kept)
    if target.exists():
        return target
    print(f"building {target.name}", file=sys.stderr, flush=True)
    place = target.with_suffix("")
    place.mkdir(parents=True, exist_ok=True)
    for name, text in job.texts.items():
        (place / name).write_text(text)
    built = place / "built.so"
    shared = ("-shared", "-fPIC", "-fvisibility=hidden")
    sources = (next(iter(job.texts)), *job.others)
    links = [item for item in job.extra if item.startswith(("-l", "-L", "-Wl,"))]
    subprocess.run([*job.command, *shared, *sources, "-o", built.name, *links, "-lm"], cwd=place, check=True)
    os.replace(built, target)
    return target


def libraries(jobs: Iterable[Job], kept: Path = KEPT) -> list[Path]:
    """All of them, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        return list(executor.map(lambda job: library(job, kept), jobs))


def driver(name: str) -> dict[str, str]:
    """The text of a driver, with the clock beside it."""
    return {item: (DRIVERS / item).read_text() for item in (name, "clock.h")}


def loaded(path: Path) -> ctypes.CDLL:
    """A library of a driver, with the types of its functions."""
    code = ctypes.CDLL(str(path))
    code.peer_open.restype = ctypes.c_void_p
    code.peer_spent.restype = ctypes.c_double
    code.peer_spent.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_long]
    return code


def pinocchio_jobs(part: str = "", builds: Sequence[tuple[str, ...]] = BUILDS) -> list[Job]:
    """Pinocchio's algorithms from its headers, which takes minutes a build; none where headers are missing.

    Args:
        part: DERIVATIVES in the place of the dynamics.
        builds: of BUILDS.
    """
    headers = wheel_headers()
    if headers is None or find_spec("pinocchio") is None:
        return []
    eigen = eigen_headers()
    if eigen is None:
        return []
    # More kinds of joints than Boost's lists hold by default.
    defined = [f"-DBOOST_MPL_LIMIT_{size}_SIZE=30" for size in ("LIST", "VECTOR")]
    defined += ["-DBOOST_FUSION_INVOKE_MAX_ARITY=12", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DNDEBUG"]
    # Two libraries in one process share nothing.
    defined += ["-fvisibility-inlines-hidden", *([f"-D{part}"] if part else [])]
    include = (f"-I{eigen}", "-isystem", str(headers))
    texts = driver("pinocchio.cpp")
    name = f"pinocchio{part and '-'}{part.lower()}"
    return [
        Job(name, build, texts, (*defined, *(["-fno-gnu-unique"] if build[0] == "gcc" else []), *include))
        for build in builds
        if which(COMPILERS[build[0]])
    ]


def wheel_headers() -> Path | None:
    """Headers that came with Pinocchio's wheel."""
    for place in sys.path:
        found = Path(place) / "cmeel.prefix" / "include"
        if (found / "pinocchio").is_dir():
            return found
    return None


def eigen_headers() -> Path | None:
    """Eigen's headers: of EIGEN_INC, of the system, or those that CasADi brings."""
    casadi = find_spec("casadi")
    places = [os.environ.get("EIGEN_INC", ""), "/usr/include/eigen3"]
    if casadi is not None and casadi.origin is not None:
        places.append(str(Path(casadi.origin).parent / "include" / "eigen3"))
    return next((Path(place) for place in places if place and (Path(place) / "Eigen").is_dir()), None)
