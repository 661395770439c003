"""Positions of a mechanism as pictures, drawn without a browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.visualisation.camera import camera
from mbsym.visualisation.linkage import scenery
from mbsym.visualisation.raster import Painter
from mbsym.visualisation.scene import extent
from mbsym.visualisation.skeleton import Skeleton
from mbsym.visualisation.surfaces import Surface

SIZE: Final = (480, 300)
"""Width and height of moving pictures [pixels]."""


def film(
    shape: Skeleton, poses: Array, surfaces: Sequence[Surface] = (), size: tuple[int, int] = SIZE
) -> Iterator[Array]:
    """A picture (height, width, 3) of bytes of each position, from where the pages look.

    Args:
        shape: lines of the mechanism.
        poses: body frames in base axes (n, nb, 4, 4).
        surfaces: of its bodies and ground.
        size: width and height [pixels].
    """
    up = np.array(shape.up)
    items = scenery(shape, poses[0], surfaces)
    where = extent(shape, items, poses)
    painter = Painter(items, camera(where, up, size), up, where.floor)
    return (painter.paint(frames) for frames in poses)
