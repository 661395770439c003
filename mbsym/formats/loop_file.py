"""The side file that closes the loops of a tree-shaped robot description: joints and constraints in native form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mbsym.constraints import ConstraintElement
from mbsym.formats.native import read_native_parts, read_tables
from mbsym.formats.text_source import LARGEST_YAML, TextSource, read_text
from mbsym.formats.yaml_document import read_yaml
from mbsym.model.joint import Joint

ALLOWED = ("joints", "constraints")


@dataclass(frozen=True, slots=True)
class LoopFile:
    """Joints and constraints that close loops.

    Attributes:
        joints: between bodies of the description that they belong to.
        constraints: likewise.
        places: ``FILE:LINE:COL`` by kind and name.
    """

    joints: tuple[Joint, ...]
    constraints: tuple[ConstraintElement, ...]
    places: dict[tuple[str, str], str]


def read_loops(path: str | Path) -> LoopFile:
    """The joints and constraints of a file ``NAME.loops.yaml``.

    Raises:
        FormatError: the file cannot be read, or holds anything but joints and constraints.
    """
    return parse_loops(read_text(path, LARGEST_YAML))


def parse_loops(source: TextSource) -> LoopFile:
    """The joints and constraints of a text; errors as ``read_loops``."""
    document = read_yaml(source)
    table = read_tables(document)
    for key in document.data:
        if key not in ALLOWED:
            raise source.error(
                document.keys[(key,)],
                f"{key!r} has no place in a file of loops",
                f"keep to {' and '.join(ALLOWED)}, or write a native file",
            )
    joints, constraints = read_native_parts(table)
    places = {path: source.at(place) for path, place in document.keys.items() if len(path) == 2}
    return LoopFile(joints, constraints, places)  # type: ignore[arg-type]
