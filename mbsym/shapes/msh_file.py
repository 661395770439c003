"""MuJoCo's own files of meshes, ``.msh``.

Four numbers of 32 bits, little-endian, say how many vertices, normals, texture coordinates and faces follow, in this
order; all but the faces in single precision. Source: MuJoCo, XML reference, asset/mesh.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import FormatError

Array: TypeAlias = NDArray[Any]

_WORD: Final = 4
_HEADER: Final = 4 * _WORD


def read_msh(content: bytes, where: str) -> tuple[Array, Array]:
    """Vertices (n, 3) and faces (m, 3) of a file.

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
