"""Where the entries of a model stand in the files that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from mbsym.formats.yaml_document import Document, DocumentPath
from mbsym.model.beams_of_models import beam_of
from mbsym.model.frame_ends import attachable_frames
from mbsym.model.system import Model
from mbsym.values.diagnostic import Diagnostic

Where: TypeAlias = Callable[[Diagnostic], str]
"""``FILE:LINE:COL`` of a diagnostic."""

LIMITS: Final = ("lower", "upper", "effort", "velocity")

KEYS: Final[Mapping[str, Mapping[str, DocumentPath]]] = {
    "joints": {
        "predecessor": ("from",),
        "successor": ("to",),
        "predecessor_placement": ("at",),
        "successor_placement": ("at_successor",),
        **{key: ("limits", key) for key in LIMITS},
    },
    "frames": {"placement": ("at",)},
}
"""Keys of attributes where they differ from the attribute's name."""

INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")

LISTS = ("gravity", "coordinate_order", "pinocchio_order")
"""Entries of a model that are lists of values and names."""

SHORT_JOINT = {"type": 0, "from": 1, "to": 2}
"""Positions in the short form of a joint."""


class Places:
    """Where the entries of a model stand in its file.

    Args:
        model: that the file describes.
        document: the file.
        origins: of entries that other files brought, by their identities: where these have them.
    """

    def __init__(self, model: Model, document: Document, origins: Mapping[int, Where]) -> None:
        self.model = model
        self.document = document
        self.origins = origins

    def where(self, diagnostic: Diagnostic) -> str:
        """``FILE:LINE:COL`` of a diagnostic."""
        origin = self._origin(diagnostic.path)
        if origin is not None:
            return origin(diagnostic)
        path, of_key = self._path(diagnostic.path)
        # A mass that follows from a density is an expression of ours, whose columns are not in the file.
        column = diagnostic.column if path[-1:] != ("density",) else 1
        place = self.document.place(path, of_key=of_key, column=column)
        return str(self.document.source.at(place))

    def _origin(self, path: DocumentPath) -> Where | None:
        """Where another file has an entry, if it brought it."""
        if len(path) < 2 or not isinstance(path[1], int) or path[0] in LISTS:
            return None
        kind, entry = str(path[0]), getattr(self.model, str(path[0]))[path[1]]
        beam = beam_of(self.model, kind, entry.joint if kind == "couplings" else getattr(entry, "name", ""))
        return self.origins.get(id(entry if beam is None else beam))

    def _path(self, path: tuple[str | int, ...]) -> tuple[DocumentPath, bool]:
        """The path in the file, and whether its key is meant."""
        if len(path) < 2 or not isinstance(path[1], int) or path[0] in LISTS:
            return path, False
        kind, index, rest = str(path[0]), path[1], path[2:]
        if kind == "shapes":
            return self._existing((*self._shape(index), *("at" if key == "placement" else key for key in rest))), False
        entry = getattr(self.model, kind)[index]
        name = entry.joint if kind == "couplings" else entry.name
        beam = beam_of(self.model, kind, name)
        if beam is not None and (kind, name) not in self.document.values:
            return ("beams", beam.name), True
        if kind == "forces" and (kind, name) not in self.document.values:
            return self._existing(("joints", *entry.named("joint"), "limits", "stop", *rest)), False
        if not rest or (rest in (("name",), ("joint",)) and kind != "forces"):
            listed: DocumentPath = (kind, index)
            return (listed, False) if listed in self.document.values else ((kind, name), True)
        found = self._existing((kind, name, *self._keys(kind, name, str(rest[0]), rest[1:])))
        return found, len(found) == 2 and found in self.document.keys and kind != "parameters"

    def _existing(self, path: DocumentPath) -> DocumentPath:
        """The path itself, without the word for a translation that stands alone, or that of what is around."""
        while len(path) > 2 and path not in self.document.values:
            path = tuple(part for part in path if part != "translation") if "translation" in path else path[:-1]
        return path

    def _shape(self, index: int) -> DocumentPath:
        shapes = self.model.shapes
        body = shapes[index].body
        position = sum(shape.body == body for shape in shapes[:index])
        if body in attachable_frames(self.model):
            return "frames", body, "geometry", position
        return ("ground_geometry", position) if body == self.model.ground else ("bodies", body, "geometry", position)

    def _keys(self, kind: str, name: str, attribute: str, within: DocumentPath) -> DocumentPath:
        """The keys of a part of an attribute."""
        given = self.document.values
        keys = KEYS.get(kind, {}).get(attribute, (attribute,))
        if kind == "joints":
            short = ("joints", name, SHORT_JOINT.get(str(keys[0]), -1))
            return (*(short[2:] if short in given else keys), *within)
        if kind == "bodies" and attribute == "inertia" and within:
            return (attribute, within[0] if (kind, name, attribute, within[0]) in given else INERTIA[int(within[0])])
        if kind == "bodies" and (kind, name, "density") in given:
            return ("density",)
        return (*keys, *within)
