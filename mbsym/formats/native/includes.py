"""``include:``: other model files as parts of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from mbsym.errors import ModelError, SymbolicError
from mbsym.formats.native.places import Places, Where
from mbsym.formats.text_source import TextSource, read_text
from mbsym.formats.xml_document import require_under
from mbsym.formats.yaml_document import Document, DocumentPath
from mbsym.model.beams_of_models import without_beams
from mbsym.model.submodels import PARTS, Attachment, fragment, joined
from mbsym.model.system import Model

Load: TypeAlias = Callable[[Path], Model]
"""Reads a model of any format."""

SUFFIXES: Final = (".yaml", ".yml")
"""Of parts that are read here."""

BUNDLED: Final = Path(__file__).resolve().parents[2] / "examples" / "parts"
"""Where the parts lie that every model may include by their names."""


@dataclass(frozen=True, slots=True)
class Include:
    """What a file says of a part.

    Attributes:
        file: of the part, from the directory of the model's own; or the name of a bundled one.
        how: it is put into the model.
    """

    file: str
    how: Attachment


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    Attributes:
        snap_angles: numbers nearer than this to a multiple of 90 degrees become exact [rad].
        others: reads parts in other formats, if anything does.
        within: the file that is read, behind those that include it.
        under: the directory beneath which all files must lie, if there is one.
    """

    snap_angles: float
    others: Load | None
    within: tuple[Path, ...]
    under: str | None


@cache
def bundled_parts() -> Mapping[str, Path]:
    """Files of the parts that every model may include by their names."""
    return {path.stem: path for path in sorted(BUNDLED.glob("*.yaml"))}


def with_includes(
    model: Model,
    document: Document,
    includes: Mapping[str, Include],
    reading: Reading,
    places_of: Callable[[TextSource, Reading], Places],
) -> Places:
    """The model with its parts, one after the other, and where its entries stand.

    Args:
        model: of the file without them.
        document: the file.
        includes: by name.
        reading: of the file.
        places_of: reads a part in the native format.

    Raises:
        FormatError: a part cannot be read or includes itself, or does not fit.
    """
    origins: dict[int, Where] = {}
    here = Path(document.source.name).parent
    for name, include in includes.items():
        entry: DocumentPath = ("include", name)
        file = bundled_parts().get(include.file, here / include.file)
        if not file.is_file():
            path = (*entry, "file") if (*entry, "file") in document.values else entry
            remedy = f"check the path, which starts at this file's; by their names alone: {', '.join(bundled_parts())}"
            raise document.error(path, f"there is no file {str(file)!r}", remedy)
        if file.resolve() in reading.within:
            names = " > ".join(each.name for each in (*reading.within, file))
            raise document.error(entry, f"a part that includes itself: {names}", "include something else", of_key=True)
        if file.parent == BUNDLED:
            pass  # it came with mbsym
        elif reading.under is not None:
            require_under(
                file, repr(include.file), reading.under, str(document.source.at(document.place(entry, of_key=True)))
            )
        elif not file.resolve().is_relative_to(reading.within[0].parent):
            told = f"{include.file!r} of part {name!r} lies outside the directory of the model: {file.resolve()}"
            model = replace(model, warnings=(*model.warnings, told))
        if file.suffix.lower() in SUFFIXES:
            inside = replace(reading, within=(*reading.within, file.resolve()))
            places = places_of(read_text(file), inside)
            part = replace(places.model, directory=str(file.parent))
        elif reading.others is not None:
            places, part = None, reading.others(file)
        else:
            raise document.error(entry, f"{file.name} is no file in the native format", "include one", of_key=True)
        try:
            added = fragment(replace(model, directory=str(here)), part, include.how)
            model = joined(model, added)
        except (ModelError, SymbolicError) as error:
            raise document.error(entry, error.what, error.remedy, of_key=True) from None
        origins |= _origins(added, part, places, include, document, entry)
    return Places(model, document, origins)


def _origins(
    added: Model, part: Model, places: Places | None, include: Include, document: Document, entry: DocumentPath
) -> Iterator[tuple[int, Where]]:
    """Where the entries stand that a part brought: in its file if that is in the native format, else in ours."""
    bare = replace(without_beams(part), beams=part.beams)
    for kind in PARTS:
        places_in_part = {id(item): place for place, item in enumerate(getattr(part, kind))}
        old = [item for item in getattr(bare, kind) if kind != "bodies" or item.name not in include.how.connect]
        given = getattr(added, kind)
        for item in given[len(old) :]:  # frames of what is connected, which expressions name
            yield id(item), _at(document, entry)
        for item, before in zip(given[: len(old)], old, strict=True):
            if kind == "parameters" and before.name in include.how.parameters:
                yield id(item), _at(document, (*entry, "parameters", before.name))
            elif places is None:
                yield id(item), _at(document, entry)
            else:
                yield id(item), _inside(places, kind, places_in_part[id(before)])


def _at(document: Document, path: DocumentPath) -> Where:
    return lambda diagnostic: str(document.source.at(document.place(path, of_key=len(path) == 2)))


def _inside(places: Places, kind: str, index: int) -> Where:
    # Columns are those of values under their new names.
    return lambda diagnostic: places.where(replace(diagnostic, path=(kind, index, *diagnostic.path[2:]), column=1))
