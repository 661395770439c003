"""The languages that code is generated in: what each is called, how it is printed, and how it is loaded for calls.

What prints and what loads a language is imported when that is done.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.limb_programs import WIDTHS
from mbsym.codegen.lowered_module import LoweredModule
from mbsym.errors import CodegenError
from mbsym.records import Registry

if TYPE_CHECKING:
    from mbsym.codegen import build, load, load_batch, manifest_reader
    from mbsym.codegen.c import batches, views
    from mbsym.codegen.javascript import module as javascript
    from mbsym.codegen.load import LoadedFunction, LoadedModule
    from mbsym.codegen.numpy import views as python
else:
    from mbsym.doors import Door

    build, load, load_batch, manifest_reader = (
        Door(f"mbsym.codegen.{name}") for name in ("build", "load", "load_batch", "manifest_reader")
    )
    batches, views, javascript, python = (
        Door(f"mbsym.codegen.{name}") for name in ("c.batches", "c.views", "javascript.module", "numpy.views")
    )

LARGEST_OPTIMISED: Final = 400_000
"""Bytes of C above which it is compiled for checks without optimisation, which takes a tenth of the time."""

BATCH: Final = "batch"
"""The language of functions for many states."""

THREADS: Final = "threads"
"""What certificates call C that is compiled with OpenMP."""

LIMBS: Final = "limbs"
"""What certificates call C that is compiled with vectors of equal limbs, however wide these are."""

BY: Final = "c by "
"""What certificates call C that another compiler compiled, before its command and flags."""

OPENMP: Final = "-fopenmp"
"""The flag with which compilers take the lines for threads."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language that modules are printed in.

    Attributes:
        name: as the command line has it.
        sentence: what is written, for help.
        suffixes: of the files; the first one's is the one that is loaded.
        render: the files of a module.
        load: the functions of module NAME in a directory, with its manifest beside it; whether its files are those that
            were generated has been looked at before. None where code is printed and not run: such a language is printed
            where it is asked for, and certificates tell that they say nothing of it.
        needs: language whose files it uses; it is printed only where functions are asked for in it.
    """

    name: str
    sentence: str
    suffixes: tuple[str, ...]
    render: Callable[[LoweredModule], Sequence[GeneratedFile]]
    load: Callable[[Path, str], LoadedModule] | None
    needs: str = ""

    def is_in(self, directory: Path, name: str) -> bool:
        """True where the directory holds the module in this language."""
        return (directory / f"{name}{self.suffixes[0]}").is_file()

    @property
    def is_run(self) -> bool:
        """True where mbsym loads what it prints."""
        return self.load is not None

    def files(self, name: str) -> tuple[str, ...]:
        """Names of the files of module NAME."""
        return tuple(f"{name}{suffix}" for suffix in self.suffixes)


def _load_c(directory: Path, name: str, also: Sequence[str] = ()) -> LoadedModule:
    size = (directory / f"{name}.c").stat().st_size
    flags = build.DEFAULT_FLAGS if size <= LARGEST_OPTIMISED else (*build.WARNINGS, "-O0")
    library = build.compile_c(directory, name, (*flags, *also))
    return load.c_module(library, manifest_reader.read_manifest(directory / f"{name}.json"))


def load_threads(directory: Path, name: str, threaded: Sequence[str]) -> LoadedModule | None:
    """The C of module NAME compiled with OpenMP, those functions alone; None where the compiler knows none."""
    from concurrent.futures import ThreadPoolExecutor

    if not build.knows_flag(OPENMP):
        return None
    module = _load_c(directory, name, [OPENMP])
    # A fork has none of the threads that OpenMP may have kept for the process that it was forked from, and would wait
    # for them forever; OpenMP keeps others for each thread that calls it.
    caller = ThreadPoolExecutor(max_workers=1)

    def called(function: LoadedFunction) -> LoadedFunction:
        return replace(function, call=lambda *given: caller.submit(function.call, *given).result())

    own = {function: called(module.functions[function]) for function in threaded}
    return replace(module, language=THREADS, functions=own, compiler="")


def load_limbs(directory: Path, name: str, functions: Sequence[str]) -> LoadedModule:
    """The C of module NAME compiled with equal limbs side by side, those functions alone."""
    module = _load_c(directory, name, [f"-D{name}_LIMBS={WIDTHS[-1]}"])
    own = {function: module.functions[function] for function in functions}
    return replace(module, language=LIMBS, functions=own, compiler="")


def load_by(directory: Path, name: str, command: str) -> LoadedModule:
    """The C of module NAME as a compiler compiles it, given with its flags, such as "clang -O3".

    Raises:
        ToolchainError: there is no such compiler.
        CodegenError: the source does not compile.
    """
    compiler, *flags = shlex.split(command)
    library = build.compile_c(directory, name, (*build.WARNINGS, *flags), shlex.quote(compiler))
    module = load.c_module(library, manifest_reader.read_manifest(directory / f"{name}.json"))
    return replace(module, language=f"{BY}{command}")


OTHERWISE_COMPILED: Final[Mapping[str, Callable[[Path, str, Sequence[str]], LoadedModule | None]]] = {
    THREADS: load_threads,
    LIMBS: load_limbs,
}
"""What loads functions whose C can be compiled in another way too, by what their entries in a manifest say of it."""


def _load_batch(directory: Path, name: str) -> LoadedModule:
    return load_batch.load_batch(directory, manifest_reader.read_manifest(directory / f"{name}.json"))


def _load_numpy(directory: Path, name: str) -> LoadedModule:
    return load.imported(directory / f"{name}.py", manifest_reader.read_manifest(directory / f"{name}.json"))


LANGUAGES: Final = Registry(
    "language",
    (
        Language("c", "C99", (".c", ".h"), lambda module: views.render_c(module), _load_c),
        Language("numpy", "Python with NumPy", (".py",), lambda module: python.render_numpy(module), _load_numpy),
        Language(
            BATCH,
            "C for many states at once",
            ("_batch.c", "_batch.h"),
            lambda module: batches.render_batch(module),
            _load_batch,
            needs="c",
        ),
        Language(
            "javascript",
            "for pages and node; printed and not run",
            (".mjs",),
            lambda module: javascript.render_javascript(module),
            None,
        ),
    ),
    CodegenError,
)
"""All languages; each is listed in help, and those that can be loaded are run by the certificate."""


def by_default() -> tuple[str, ...]:
    """The languages that are printed where none is asked for: those that run by themselves."""
    return tuple(name for name, language in LANGUAGES.items() if language.is_run and not language.needs)
