"""Libraries compiled once: kept in the user's cache folder under a hash of everything that they depend on."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from ctypes import CDLL
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Final

from mbsym.codegen.build import SharedLibrary, build_library, compiler_version, find_compiler
from mbsym.codegen.cache_folder import cache_folder
from mbsym.codegen.description import GeneratedFile

_NEW: Final = "new-"
"""What directories in the cache begin with in which a library is made."""


def library_of(files: Sequence[GeneratedFile], flags: Sequence[str]) -> SharedLibrary:
    """The library of generated C files, from the cache or compiled and put there.

    Texts, flags, compiler and processor are all in the key, so that nothing is out of date. Where the folder cannot be
    written, the library is temporary.

    Raises:
        ToolchainError: there is no C compiler.
        CodegenError: the files do not compile.
    """
    command = find_compiler()
    compiler = compiler_version(command)
    texts = [compiler, *command, *flags, _processor(), *(text for file in files for text in (file.name, file.text))]
    key = sha256("\0".join(texts).encode()).hexdigest()[:32]
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _clear_left(folder)
        with TemporaryDirectory(dir=folder, prefix=_NEW) as scratch, _held(Path(scratch)):
            library = folder / f"{key}.so"
            if not library.is_file():
                # Renaming is one step: another process sees the whole library or none.
                os.replace(_built(files, flags, Path(scratch)), library)
            handle = CDLL(str(library))
    except OSError:
        with TemporaryDirectory(prefix="mbsym") as scratch:
            handle = CDLL(str(_built(files, flags, Path(scratch))))
    return SharedLibrary(handle, compiler, (*command, *flags), "", frozenset())


@contextmanager
def _held(directory: Path) -> Iterator[None]:
    """Keeps others from clearing a directory; the system lets go of it when its holder ends, however that ends."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _clear_left(folder: Path) -> None:
    """Removes directories whose makers were killed."""
    for left in sorted(folder.glob(f"{_NEW}*")):
        with suppress(OSError), _held(left):
            rmtree(left, ignore_errors=True)


def _built(files: Sequence[GeneratedFile], flags: Sequence[str], scratch: Path) -> Path:
    for file in files:
        (scratch / file.name).write_text(file.text, encoding="utf-8")
    library = scratch / "module.so"
    build_library([scratch / file.name for file in files if file.name.endswith(".c")], library, flags)
    return library


def _processor() -> str:
    """What tells processors apart that share a cache: the kind, and the instructions where the system lists them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = [platform.processor()]
    told = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{platform.machine()} {told}"
