"""The files of a module in a directory, whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mbsym import markup
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.languages import BATCH, LANGUAGES
from mbsym.codegen.manifest import BOUNDS_SUFFIXES, CERTIFICATE_SUFFIXES
from mbsym.codegen.write import write_files
from mbsym.embedded.beside import SUFFIXES_BESIDE, reports_beside
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
    # The manifest comes last and bears the module's name.
    files = (*(reports_beside(files) if options.safety_report else ()), *files)
    stem, names = Path(files[-1].name).stem, {file.name for file in files}
    # Functions for many states, a self-test and a report go with the C beside which they were written, no other.
    of_c = (*LANGUAGES[BATCH].suffixes, *SUFFIXES_BESIDE) if f"{stem}.c" in names else ()
    suffixes = (*CERTIFICATE_SUFFIXES, *BOUNDS_SUFFIXES, *of_c)
    outdated = [name for name in (f"{stem}{suffix}" for suffix in suffixes) if name not in names]
    paths = write_files(directory, files, force=force, outdated=outdated)
    return Generation(Path(directory), paths, derivation, options)
