"""The side file that closes the loops of a tree-shaped robot description: joints and constraints in native form."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from mbsym.constraints import ConstraintElement
from mbsym.errors import FormatError
from mbsym.formats.angles import SAME_ANGLE
from mbsym.formats.frame_pairs import PAIRS, FramePairs, read_frame_pairs
from mbsym.formats.native.reader import read_native_parts, read_tables
from mbsym.formats.text_source import LARGEST_YAML, FilePlace, TextSource, read_text
from mbsym.formats.yaml_document import read_yaml
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model

ALLOWED = ("joints", "constraints")


@dataclass(frozen=True, slots=True)
class LoopFile:
    """Joints, constraints and couplings that close loops.

    Attributes:
        joints: between bodies of the description that they belong to.
        constraints: likewise.
        places: of them, by kind and name.
        couplings: of its joints.
    """

    joints: tuple[Joint, ...]
    constraints: tuple[ConstraintElement, ...]
    places: dict[tuple[str, ...], FilePlace]
    couplings: tuple[Coupling, ...] = ()

    def applied(self, model: Model) -> Model:
        """The tree with its loops closed."""
        return replace(
            model,
            joints=(*model.joints, *self.joints),
            constraints=(*model.constraints, *self.constraints),
            couplings=(*model.couplings, *self.couplings),
        )


Closing: TypeAlias = LoopFile | FramePairs
"""What closes the loops of a tree."""


def loops_beside(path: str | Path) -> Path | None:
    """The file beside a robot description that closes its loops, None if there is none.

    That is NAME.loops.yaml, or NAME.yaml where it pairs frames; of that name a native model may be.
    """
    own, shared = (Path(path).with_suffix(suffix) for suffix in (".loops.yaml", ".yaml"))
    if own.is_file():
        return own
    if not shared.is_file():
        return None
    try:
        text = read_text(shared, LARGEST_YAML).text
    except FormatError:
        return None
    return shared if re.search(rf"^{PAIRS}\s*:", text, re.MULTILINE) else None


def read_loops(path: str | Path, snap_angles: float = SAME_ANGLE) -> Closing:
    """What closes loops by a file ``NAME.loops.yaml``, or by one that pairs frames.

    Raises:
        FormatError: the file cannot be read, or holds anything but joints and constraints, or pairs of frames.
    """
    return parse_loops(read_text(path, LARGEST_YAML), snap_angles)


def parse_loops(source: TextSource, snap_angles: float = SAME_ANGLE) -> Closing:
    """What closes loops by a text; errors as ``read_loops``."""
    document = read_yaml(source)
    if isinstance(document.data, dict) and PAIRS in document.data:
        return read_frame_pairs(document)
    table = read_tables(document, snap_angles)
    for key in document.data:
        if key not in ALLOWED:
            raise source.error(
                document.keys[(key,)],
                f"{key!r} has no place in a file of loops",
                f"keep to {' and '.join(ALLOWED)}, or write a native file",
            )
    joints, constraints = read_native_parts(table)
    places = {tuple(map(str, path)): source.at(place) for path, place in document.keys.items() if len(path) == 2}
    return LoopFile(joints, constraints, places)
