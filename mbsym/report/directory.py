"""The model files of a directory: a line of figures for each, and why some are not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbsym.errors import FormatError, MbsymError
from mbsym.formats.registry import known_suffixes
from mbsym.markup import fitted_table
from mbsym.report.overview import Overview
from mbsym.report.overview_text import bullet

_HEADING = ("file", "name", "bodies", "joints", "cut", "speeds", "freedoms", "to look at")


@dataclass(frozen=True, slots=True)
class DirectoryOverview:
    """What the files of a directory are.

    Attributes:
        models: overviews by paths below it.
        not_read: reasons by paths below it.
    """

    models: dict[str, Overview]
    not_read: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """The same as lists and dictionaries that JSON can hold; None where something is not known."""
        return {
            "models": [
                {
                    "file": path,
                    "name": found.model.name,
                    "bodies": found.labelling.nb,
                    "joints": found.labelling.nj,
                    "cut_joints": len(found.labelling.cut_joints),
                    "nv": found.nv,
                    "degrees_of_freedom": found.freedoms,
                    "findings": list(found.findings),
                }
                for path, found in self.models.items()
            ],
            "not_read": [{"file": path, "reason": reason} for path, reason in self.not_read.items()],
        }

    def as_text(self, width: int | None = None) -> str:
        """The same in lines.

        Args:
            width: of the terminal in letters, None where lines may be as long as they are.
        """
        rows = [_HEADING, *(_row(path, found) for path, found in self.models.items())]
        blocks = ["\n".join(fitted_table(rows, width))] if self.models else []
        sentences = [f"{path}{reason}" for path, reason in self.not_read.items()]
        if sentences:
            blocks.append("\n".join(("not read", *(line for text in sentences for line in bullet(text, width)))))
        return "\n\n".join(blocks) + "\n"


def directory_overview(
    directory: Path, look: Callable[[str], Overview], progress: Callable[[str, int, int], None]
) -> DirectoryOverview:
    """Looks over every file that ends as model files do, in the directory and below it; what is hidden is left out.

    Args:
        directory: it.
        look: reads a file and looks its model over.
        progress: told of each file.

    Raises:
        FormatError: there is no such file.
    """
    paths = sorted(_model_files(directory))
    if not paths:
        remedy = f"model files end in {', '.join(known_suffixes())}"
        raise FormatError("there is no model file in this directory", where=str(directory), remedy=remedy)
    found = DirectoryOverview({}, {})
    for number, path in enumerate(paths):
        name = path.relative_to(directory).as_posix()
        progress(name, number, len(paths))
        try:
            found.models[name] = look(str(path))
        except MbsymError as error:
            place = str(path)
            text = str(error)
            found.not_read[name] = text.removeprefix(place) if text.startswith(place) else f": {text}"
    return found


def _model_files(directory: Path) -> Iterator[Path]:
    for path in directory.rglob("*"):
        is_hidden = any(part.startswith(".") for part in path.relative_to(directory).parts)
        if path.suffix.lower() in known_suffixes() and path.is_file() and not is_hidden:
            yield path


def _row(path: str, found: Overview) -> tuple[str, ...]:
    freedoms = "unknown" if found.freedoms is None else str(found.freedoms)
    labelling = found.labelling
    numbers = (labelling.nb, labelling.nj, len(labelling.cut_joints), found.nv)
    return (path, found.model.name, *map(str, numbers), freedoms, str(len(found.findings)))
