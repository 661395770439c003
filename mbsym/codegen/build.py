"""Compiling generated C into a shared library, and which programs of the machine can run."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from ctypes import CDLL
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mbsym.errors import CodegenError, ToolchainError

WARNINGS: Final = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
DEFAULT_FLAGS: Final = (*WARNINGS, "-O2")


@dataclass(frozen=True, slots=True)
class SharedLibrary:
    """A compiled and loaded module.

    Attributes:
        handle: for ctypes.
        compiler: first line of what the compiler says of its version.
        command: compiler and flags as they were used, without file names.
        warnings: what the compiler printed although it succeeded.
        symbols: functions that it defines for others.
    """

    handle: CDLL
    compiler: str
    command: tuple[str, ...]
    warnings: str
    symbols: frozenset[str]


def find_compiler(cc: str | None = None) -> tuple[str, ...]:
    """The C compiler's command: the one given, else the environment's CC, else cc, gcc or clang.

    Raises:
        ToolchainError: there is none that runs, or its command cannot be read.
    """
    asked = cc or os.environ.get("CC")
    candidates = [asked] if asked else ["cc", "gcc", "clang"]
    for candidate in candidates:
        try:
            command = tuple(shlex.split(candidate))
        except ValueError as error:
            raise ToolchainError(
                f"the compiler's command {candidate!r} cannot be read: {str(error).lower()}",
                remedy="close its quotation marks, or set CC to a path",
            ) from None
        if command and runs(command[0]):
            return command
    raise ToolchainError(
        f"no C compiler {asked!r} that runs" if asked else "no C compiler that runs",
        remedy="install one (Debian and Ubuntu: apt install gcc libc6-dev) or set CC",
    )


def compile_c(
    directory: Path | str,
    name: str,
    flags: Sequence[str] = DEFAULT_FLAGS,
    cc: str | None = None,
    also: Sequence[str] = (),
) -> SharedLibrary:
    """Compiles DIRECTORY/NAME.c and loads it; the library file itself is temporary.

    Args:
        directory: of the sources.
        name: of the source.
        flags: of the compiler.
        cc: its command, where it is not the usual one.
        also: names of sources that are compiled into the same library.

    Raises:
        ToolchainError: there is no C compiler.
        CodegenError: the source is missing or does not compile.
    """
    source = Path(directory).resolve() / f"{name}.c"
    with TemporaryDirectory(prefix="mbsym") as scratch:
        library = Path(scratch) / "module.so"
        built = build_library([source, *(source.with_name(f"{other}.c") for other in also)], library, flags, cc)
        symbols = _functions(library)
        handle = CDLL(str(library))
    return SharedLibrary(handle, built.compiler, built.command, built.warnings, symbols)


@dataclass(frozen=True, slots=True)
class Build:
    """How a library was built: the compiler's version, its command, and what it printed although it succeeded."""

    compiler: str
    command: tuple[str, ...]
    warnings: str


def build_library(sources: Sequence[Path], library: Path, flags: Sequence[str], cc: str | None = None) -> Build:
    """Compiles sources into a library file.

    Raises:
        ToolchainError: there is no C compiler, or it compiles nothing.
        CodegenError: a source is missing or does not compile.
    """
    return build_program(sources, library, (*flags, "-shared", "-fPIC"), cc)


def build_program(sources: Sequence[Path], program: Path, flags: Sequence[str], cc: str | None = None) -> Build:
    """The same of a program."""
    command = find_compiler(cc)
    for source in sources:
        if not source.is_file():
            raise CodegenError("there is no C source", where=str(source), remedy="generate it with `languages c`")
    done = _run((*command, *flags, *map(str, sources), "-o", str(program), "-lm"))
    if done.returncode != 0:
        _require_compiling(command)
        raise CodegenError(
            f"the C source does not compile:\n{done.stderr.strip()}",
            where=str(sources[0]),
            remedy="generate it again; if it fails still, report it with the model",
        )
    return Build(compiler_version(command), (*command, *flags), done.stderr)


def knows_flag(flag: str, cc: str | None = None) -> bool:
    """Whether a compiler takes a flag.

    Raises:
        ToolchainError: there is no C compiler.
    """
    return _least((*find_compiler(cc), flag)).returncode == 0


def _least(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """What comes of a library of next to nothing."""
    with TemporaryDirectory(prefix="mbsym") as scratch:
        source = Path(scratch) / "least.c"
        source.write_text("#include <math.h>\nint least;\n", encoding="utf-8")
        return _run((*command, "-shared", "-fPIC", str(source), "-o", f"{source}.so", "-lm"))


def _require_compiling(command: tuple[str, ...]) -> None:
    """Refuses a compiler that is there and compiles nothing, for want of headers, an assembler or a linker."""
    done = _least(command)
    if done.returncode:
        said = (done.stderr.strip() or "it says nothing").splitlines()[0]
        raise ToolchainError(
            f"the C compiler {' '.join(command)} compiles nothing: {said}",
            remedy="install what it lacks (Debian and Ubuntu: apt install gcc libc6-dev) or set CC to another",
        )


def compiler_version(command: tuple[str, ...]) -> str:
    """The first line of what a compiler says of its version, or else its command."""
    version = _run((*command, "--version")).stdout.splitlines()
    return version[0] if version else command[0]


def _functions(library: Path) -> frozenset[str]:
    """Functions that a library defines for others; names that begin with an underscore are the system's.

    Raises:
        ToolchainError: there is no program to tell.
    """
    program = next(filter(runs, ("nm", "llvm-nm")), None)
    if program is None:
        raise ToolchainError("no program nm", remedy="install it (Debian and Ubuntu: apt install binutils)")
    lines = _run((program, "-D", "--defined-only", str(library))).stdout.splitlines()
    fields = [line.split() for line in lines]
    return frozenset(name for *_, kind, name in fields if kind == "T" and not name.startswith("_"))


def _run(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=environment,
        stdin=subprocess.DEVNULL,
    )


PATIENCE: Final = 60.0
"""Seconds in which a program says its version, on a machine that is busy."""


def runs(program: str) -> bool:
    """Whether a program is there and can say its version.

    One that is there and cannot run is as good as none: the ``cargo`` of rustup without a toolchain, a compiler for
    another processor, a link into a package that is gone.
    """
    if shutil.which(program) is None:
        return False
    try:
        done = subprocess.run(
            (program, "--version"), capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
