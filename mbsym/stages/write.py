"""The files of a module in a directory, whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from mbsym import markup
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.languages import BATCH, LANGUAGES
from mbsym.codegen.manifest import BOUNDS_SUFFIXES, CERTIFICATE_SUFFIXES
from mbsym.codegen.write import write_files
from mbsym.embedded.beside import SUFFIXES_BESIDE, reports_beside
from mbsym.errors import VerificationError
from mbsym.options.generation import GenerationOptions
from mbsym.stages.derivation import Derivation


@dataclass(frozen=True, slots=True, repr=False)
class Generation:
    """Files that were written, the derivation behind them, and what was asked for."""

    directory: Path
    paths: tuple[Path, ...]
    derivation: Derivation
    options: GenerationOptions

    def __repr__(self) -> str:
        names = ", ".join(path.name for path in self.paths)
        without = f", without {', '.join(self.derivation.left_out)}" if self.derivation.left_out else ""
        about = f"{self.derivation.mechanism.model.name!r}: {len(self.derivation.names)} functions in {names}"
        return f"<Generation of {about}{without}>"

    def _repr_html_(self) -> str:
        """For notebooks: the functions with their operations, and the files."""
        counts = self.derivation.operation_counts
        rows = ((name, count.arithmetic, count.sincos) for name, count in counts.items())
        files = markup.paragraph(", ".join(str(path) for path in self.paths))
        return files + markup.table(("function", "+ - * /", "sin, cos"), rows)


def written(
    derivation: Derivation,
    files: Sequence[GeneratedFile],
    directory: str | Path,
    options: GenerationOptions,
    *,
    force: bool = False,
) -> Generation:
    """Writes the files of a module, its manifest last, and what is asked for beside them.

    What belongs to other code of the name that stands there is removed: its certificate and bounds, and with new C its
    functions for many states and its self-test.

    Raises:
        CodegenError: somebody else's file stands there; nothing is written then.
    """
    files = _all_files(files, options)
    stem, names = Path(files[-1].name).stem, {file.name for file in files}
    # Functions for many states, a self-test and a report go with the C beside which they were written, no other.
    of_c = (*LANGUAGES[BATCH].suffixes, *SUFFIXES_BESIDE) if f"{stem}.c" in names else ()
    suffixes = (*CERTIFICATE_SUFFIXES, *BOUNDS_SUFFIXES, *of_c)
    outdated = [name for name in (f"{stem}{suffix}" for suffix in suffixes) if name not in names]
    paths = write_files(directory, files, force=force, outdated=outdated)
    return Generation(Path(directory), paths, derivation, options)


def require_current(
    derivation: Derivation, files: Sequence[GeneratedFile], directory: str | Path, options: GenerationOptions
) -> Generation:
    """Finds that the files that stand in a directory are those that would be written; nothing is written.

    Raises:
        VerificationError: some are missing or have another text.
    """
    files = _all_files(files, options)
    paths = [Path(directory) / file.name for file in files]
    stale = [_first_difference(path, file.text) for path, file in zip(paths, files, strict=True)]
    told = [f"{path.name} {what}" for path, what in zip(paths, stale, strict=True) if what]
    if told:
        raise VerificationError(
            f"not what is generated now: {', '.join(told)}",
            where=str(directory),
            remedy="generate again with the same options and `check` left out",
        )
    return Generation(Path(directory), tuple(paths), derivation, options)


def _all_files(files: Sequence[GeneratedFile], options: GenerationOptions) -> tuple[GeneratedFile, ...]:
    """With what is asked for beside them. The manifest comes last and bears the module's name."""
    return (*(reports_beside(files) if options.safety_report else ()), *files)


def _first_difference(path: Path, text: str) -> str:
    """Where a file differs from a text, in words; nothing where it does not."""
    if not path.is_file():
        return "is missing"
    there = path.read_bytes().decode("utf-8", "replace")
    if there == text:
        return ""
    for number, (old, new) in enumerate(zip_longest(there.splitlines(), text.splitlines()), 1):
        if old != new:
            return f"differs from line {number} on"
    return "differs in what ends its lines"
