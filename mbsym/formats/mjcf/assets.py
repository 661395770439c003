"""Assets of MJCF that bodies refer to: meshes and materials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from mbsym.formats.foreign_shapes import Color, possible_color
from mbsym.formats.mjcf.defaults import MAIN, Defaults
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.formats.xml_numbers import read_numbers


@dataclass(frozen=True, slots=True)
class Assets:
    """Meshes and materials of a file.

    Attributes:
        source: the file.
        meshes: elements with their defaults, by name.
        colors: of materials, None where one has none.
        directory: where mesh files are, relative to the model's.
        strip: True looks for files by their last name alone.
    """

    source: TextSource
    meshes: Mapping[str, Element]
    colors: Mapping[str, Color | None]
    directory: str
    strip: bool

    def mesh(self, geom: Element) -> Element:
        """The mesh that a geom names.

        Raises:
            FormatError: there is none of that name.
        """
        name = geom.attributes.get("mesh", "")
        if name not in self.meshes:
            remedy = "add it under <asset>" if name else 'add mesh="..."'
            raise self.source.error(geom.place, f"there is no mesh {name!r}", remedy)
        return self.meshes[name]

    def file_of(self, mesh: Element) -> str:
        """The file of a mesh as the model names it, "" for one that has none."""
        name = mesh.attributes.get("file", "").strip()
        if not name:
            return ""
        path = PurePosixPath(name)
        return str(PurePosixPath(self.directory) / (path.name if self.strip else path))

    def color_of(self, geom: Element) -> Color | None:
        """The colour of a geom: its own, or its material's.

        Raises:
            FormatError: it is no four numbers, or there is no such material.
        """
        if "rgba" in geom.attributes:
            return read_color(self.source, geom)
        material = geom.attributes.get("material", "")
        if material and material not in self.colors:
            raise self.source.error(geom.place, f"there is no material {material!r}", "add it under <asset>")
        return self.colors.get(material)


def read_color(source: TextSource, element: Element) -> Color | None:
    """The colour that an element states, None if there is none that can be."""
    return possible_color(read_numbers(source, element, "rgba", 4)) if "rgba" in element.attributes else None


def read_assets(source: TextSource, root: Element, defaults: Defaults) -> Assets:
    """The assets of a file.

    Raises:
        FormatError: a colour is no four numbers, a class does not exist, or a name is given twice.
    """
    settings: dict[str, str] = {}
    for compiler in root.all("compiler"):
        settings.update(compiler.attributes)
    meshes: dict[str, Element] = {}
    colors: dict[str, Color | None] = {}
    for child in root.within("asset"):
        if child.tag not in ("mesh", "material"):
            continue
        element = defaults.applied(child, MAIN)
        name = element.attributes.get("name") or PurePosixPath(element.attributes.get("file", "")).stem
        if name in (meshes if child.tag == "mesh" else colors):
            raise source.error(child.place, f"two elements <{child.tag}> are named {name!r}", "rename one of them")
        if child.tag == "mesh":
            meshes[name] = element
        else:
            colors[name] = read_color(source, element)
    directory = settings.get("meshdir", settings.get("assetdir", ""))
    return Assets(source, meshes, colors, directory, settings.get("strippath") == "true")
