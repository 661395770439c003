"""Files of meshes: where the names in a model file lead, and the triangles in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import FormatError, optional

MSH: Final = ".msh"
SUFFIXES: Final = (".stl", ".obj", ".dae", ".ply", ".off", MSH)
PACKAGE: Final = ("package://", "model://")
PACKAGE_PATHS: Final = (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share"), ("GZ_SIM_RESOURCE_PATH", ""))
"""Variables of the environment with directories that packages are in, and where in these."""

LARGEST: Final = 200_000_000
"""Bytes beyond which a file is no mesh of a robot."""

_WORD: Final = 4
_HEADER: Final = 4 * _WORD

UNPAINTED: Final = (102, 102, 102, 255)
"""The colour that the library gives to what has none."""


@dataclass(frozen=True, slots=True)
class Triangles:
    """A surface of one colour.

    Attributes:
        vertices: (n, 3) [m], after the unit that the file states.
        faces: (m, 3) places of vertices, seen from outside anticlockwise.
        color: red, green, blue and opacity from 0 to 1; None where the file says nothing.
    """

    vertices: Array
    faces: Array
    color: tuple[float, float, float, float] | None = None


def find_mesh(file: str, directory: str) -> Path:
    """The path that the name of a mesh in a model file stands for.

    Relative names start at the directory of the model file. ``package://NAME/...`` is looked for in the directories
    around the model file and in those that the environment names.

    Args:
        file: as the model file has it.
        directory: of the model file.

    Raises:
        FormatError: there is no such file; it says where was looked.
    """
    home = Path(directory).resolve()
    for prefix in PACKAGE:
        if file.startswith(prefix):
            package, _, rest = file.removeprefix(prefix).partition("/")
            return _in_package(file, package, rest, home)
    path = (home / file.removeprefix("file://")).resolve()
    if not path.is_file():
        raise FormatError(f"there is no mesh {file!r}", where=directory, remedy=f"looked for {path}")
    return path


def _in_package(file: str, package: str, rest: str, home: Path) -> Path:
    looked: list[Path] = []
    for place in package_directories(package, home):
        looked.append(place)
        path = (place / rest).resolve()
        if path.is_file() and path.is_relative_to(place.resolve()):
            return path
    places = ", ".join(map(str, looked))
    raise FormatError(
        f"there is no mesh {file!r}",
        where=str(home),
        remedy=f"looked in {places}"
        if looked
        else f"no directory {package!r} is around the file, or on the path of "
        f"{' or '.join(name for name, _ in PACKAGE_PATHS)}",
    )


def package_directories(package: str, home: Path) -> Iterator[Path]:
    """Directories of that name, the nearest first."""
    if package in ("", ".", ".."):
        return
    places = [home, *home.parents]
    for name, within in PACKAGE_PATHS:
        places += (Path(entry) / within for entry in os.environ.get(name, "").split(os.pathsep) if entry)
    candidates: list[Path] = []
    for place in places:
        candidates += [place] if place.name == package else []
        candidates.append(place / package)
    yield from (place for place in dict.fromkeys(candidates) if place.is_dir())


def require_mesh_reader() -> None:
    """Refuses to go on without the library that reads meshes.

    Raises:
        ToolchainError: saying how to install it.
    """
    optional("trimesh", "meshes are read by trimesh", "meshes")


def read_mesh(path: Path) -> tuple[Triangles, ...]:
    """The surfaces in a file, in its order.

    Raises:
        FormatError: it is no mesh, too large, or holds no triangle.
        ToolchainError: the library that reads meshes is not installed.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(
            f"a mesh that ends in {path.suffix!r} is of no known format",
            where=str(path),
            remedy=f"convert it to one of {', '.join(SUFFIXES)}",
        )
    if suffix != MSH:
        require_mesh_reader()
    try:
        if path.stat().st_size > LARGEST:
            raise FormatError(
                f"the mesh has more than {LARGEST // 1_000_000} MB", where=str(path), remedy="decimate it"
            )
        content = path.read_bytes()
    except OSError as error:
        raise FormatError(f"the mesh cannot be read ({error.strerror})", where=str(path), remedy="check it") from None
    if suffix == MSH:
        vertices, faces = _read_msh(content, str(path))
        found = [Triangles(vertices, faces)] if len(faces) else []
    else:
        found = list(_surfaces(content, suffix[1:], path))
    if not found:
        raise FormatError("the mesh holds no triangle", where=str(path), remedy="check the file")
    return tuple(found)


def _read_msh(content: bytes, where: str) -> tuple[Array, Array]:
    """Vertices (n, 3) and faces (m, 3) of a file of MuJoCo's own kind.

    Four numbers of 32 bits, little-endian, say how many vertices, normals, texture coordinates and faces follow, in
    this order; all but the faces in single precision. Source: MuJoCo, XML reference, asset/mesh.

    Args:
        content: of the file.
        where: its path, for messages.

    Raises:
        FormatError: it is shorter or longer than its header says, or a vertex or face is impossible.
    """
    counts = [int(count) for count in np.frombuffer(content[:_HEADER], "<i4")] if len(content) >= _HEADER else []
    if not counts or min(counts) < 0:
        raise FormatError("the file has no header of a .msh mesh", where=where, remedy="export it anew")
    vertices, normals, texture, faces = counts
    sizes = (3 * vertices, 3 * normals, 2 * texture, 3 * faces)
    if len(content) != _HEADER + _WORD * sum(sizes):
        raise FormatError(
            f"the mesh has {len(content)} bytes, its header says {_HEADER + _WORD * sum(sizes)}",
            where=where,
            remedy="export it anew",
        )
    points = np.frombuffer(content, "<f4", sizes[0], _HEADER).astype(float).reshape(-1, 3)
    places = np.frombuffer(content, "<i4", sizes[3], _HEADER + _WORD * sum(sizes[:3])).astype(np.int64).reshape(-1, 3)
    if len(places) and not (places.min() >= 0 and places.max() < vertices):
        raise FormatError(f"a face names none of the {vertices} vertices", where=where, remedy="export it anew")
    if not np.isfinite(points).all():
        raise FormatError("a vertex is no finite number", where=where, remedy="export it anew")
    return points, places


def _surfaces(content: bytes, kind: str, path: Path) -> Iterator[Triangles]:
    import trimesh

    try:
        # Vertices stay as they are: merged ones would be moved.
        beside = _Beside(path.parent)
        scene: Any = trimesh.load_scene(BytesIO(content), file_type=kind, resolver=beside, process=False)
        nodes = [scene.graph[name] for name in sorted(scene.graph.nodes_geometry)]
        unit = trimesh.units.unit_conversion(scene.units, "meters") if scene.units else 1.0
        parts = [(np.asarray(transform, dtype=float), scene.geometry[name]) for transform, name in nodes]
    except Exception as error:  # whatever a reader of foreign files stumbles over
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise FormatError(
            f"the file cannot be read as a mesh ({reason})", where=str(path), remedy="export it anew"
        ) from None
    for transform, part in parts:
        faces = np.asarray(getattr(part, "faces", ()), dtype=np.int64).reshape(-1, 3)
        if len(faces):
            vertices = np.asarray(part.vertices, dtype=float) @ transform[:3, :3].T + transform[:3, 3]
            if np.linalg.det(transform[:3, :3]) < 0:
                faces = faces[:, ::-1]
            yield Triangles(unit * vertices, faces, _color(part))


def _color(part: Any) -> tuple[float, float, float, float] | None:
    material = getattr(part.visual, "material", None)
    color = getattr(material, "main_color", None)
    if color is None or tuple(color) == UNPAINTED:
        return None
    red, green, blue, opacity = (round(float(value) / 255, 4) for value in color)
    return red, green, blue, opacity


@dataclass(frozen=True, slots=True)
class _Beside(Mapping[str, bytes]):
    """Gives the library the materials beside a mesh, and nothing else."""

    directory: Path

    def __getitem__(self, name: str) -> bytes:
        path = (self.directory / name).resolve()
        inside = path.suffix.lower() == ".mtl" and path.is_relative_to(self.directory.resolve())
        if not inside or not path.is_file():
            raise KeyError(name)
        return path.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
