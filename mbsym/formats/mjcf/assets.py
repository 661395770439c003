"""Assets of MJCF that bodies refer to: meshes and materials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path, PurePosixPath

from mbsym.formats.foreign_shapes import Color, possible_color
from mbsym.formats.mjcf.defaults import MAIN, Defaults
from mbsym.formats.mjcf.settings import compiler_words
from mbsym.formats.xml_document import Element


@dataclass(frozen=True, slots=True)
class Assets:
    """Meshes and materials of a file.

    Attributes:
        meshes: elements with their defaults, by name.
        colors: of materials, None where one has none.
        home: directory of the model's file.
        directory: where mesh files are, relative to that.
        strip: True looks for files by their last name alone.
    """

    meshes: Mapping[str, Element]
    colors: Mapping[str, Color | None]
    home: str
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
            raise geom.error(f"there is no mesh {name!r}", remedy)
        return self.meshes[name]

    def file_of(self, mesh: Element) -> str:
        """The file of a mesh as the model names it, "" for one that has none."""
        name = mesh.words("file")
        if not name:
            return ""
        path = PurePosixPath(name)
        file = str(PurePosixPath(self.directory) / (path.name if self.strip else path))
        beside = Path(mesh.place.file).parent / file
        # Some name meshes from the file that they write this in, though MuJoCo starts at the model's.
        if not (Path(self.home) / file).exists() and beside.exists():
            return relpath(beside, self.home)
        return file

    def color_of(self, geom: Element) -> Color | None:
        """The colour of a geom: its own, or its material's.

        Raises:
            FormatError: it is no four numbers, or there is no such material.
        """
        if "rgba" in geom.attributes:
            return read_color(geom)
        material = geom.attributes.get("material", "")
        if material and material not in self.colors:
            raise geom.error(f"there is no material {material!r}", "add it under <asset>")
        return self.colors.get(material)


def read_color(element: Element) -> Color | None:
    """The colour that an element states, None if there is none that can be."""
    return possible_color(element.numbers("rgba", 4)) if "rgba" in element.attributes else None


def read_assets(root: Element, defaults: Defaults) -> Assets:
    """The assets of a file.

    Raises:
        FormatError: a colour is no four numbers, a class does not exist, or a name is given twice.
    """
    settings = compiler_words(root)
    meshes: dict[str, Element] = {}
    colors: dict[str, Color | None] = {}
    for child in root.within("asset"):
        if child.tag not in ("mesh", "material"):
            continue
        element = defaults.applied(child, MAIN)
        name = element.attributes.get("name") or PurePosixPath(element.attributes.get("file", "")).stem
        if name in (meshes if child.tag == "mesh" else colors):
            raise child.error(f"two elements <{child.tag}> are named {name!r}", "rename one of them")
        if child.tag == "mesh":
            meshes[name] = element
        else:
            colors[name] = read_color(element)
    directory = settings.get("meshdir", settings.get("assetdir", ""))
    home = str(Path(root.place.file).parent)
    return Assets(meshes, colors, home, directory, settings.get("strippath") == "true")
