"""Bytes of stack of each function of C sources, as a compiler tells them for its flags."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mbsym.codegen.build import WARNINGS, compiler_version, find_compiler
from mbsym.codegen.description import GeneratedFile
from mbsym.errors import ToolchainError

USUAL: Final = ("-O2",)
"""Flags where the environment has no CFLAGS."""


@dataclass(frozen=True, slots=True)
class Frames:
    """What a compiler told.

    Attributes:
        compiler: first line of its version, "" where there was none.
        command: with all flags, without files.
        is_quiet: it had nothing to say with all warnings.
        sizes: bytes by FILE:FUNCTION; functions that were put into their callers have none.
        reason: why there are none; else empty.
    """

    compiler: str = ""
    command: tuple[str, ...] = ()
    is_quiet: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""


def frames_of(files: Sequence[GeneratedFile]) -> Frames:
    """Frames of all functions, by the compiler of CC, else the usual one, with the flags of CFLAGS, else -O2.

    GCC and Clang write them on ``-fstack-usage``. The parts into which a compiler splits a function are added up.
    """
    try:
        compiler = find_compiler()
        flags = tuple(shlex.split(os.environ.get("CFLAGS", ""))) or USUAL
    except (ToolchainError, ValueError) as error:
        return Frames(reason=str(error))
    warnings = (flag for flag in WARNINGS if flag != "-Werror")
    command = (*compiler, *warnings, *flags, "-fstack-usage")
    version = compiler_version(compiler)
    sizes: dict[str, int] = {}
    is_quiet = True
    with TemporaryDirectory(prefix="mbsym") as scratch:
        place = Path(scratch)
        for file in files:
            (place / file.name).write_text(file.text, encoding="utf-8")
        for file in files:
            if not file.name.endswith(".c"):
                continue
            usage = place / f"{file.name[:-2]}.su"
            done = run_at(place, (*command, "-c", file.name, "-o", f"{file.name[:-2]}.o"))
            if done.returncode or not usage.is_file():
                said = next(iter(done.stderr.strip().splitlines()), "it writes no .su file")
                return Frames(version, command, False, reason=f"{compiler[0]} does not tell: {said}")
            is_quiet = is_quiet and not done.stderr
            for line in usage.read_text(encoding="utf-8").splitlines():
                name, size, kind = line.split("\t")
                if kind not in ("static", "dynamic,bounded"):
                    return Frames(version, command, is_quiet, reason=f"the frame of {name} has no bound")
                key = f"{name.partition(':')[0]}:{name.rpartition(':')[2].partition('.')[0]}"
                sizes[key] = sizes.get(key, 0) + int(size)
    return Frames(version, command, is_quiet, sizes)


def run_at(place: Path, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Runs a program in a folder, with nothing to read, and returns what it printed."""
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
