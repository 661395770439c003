"""Frames on bodies: where tools, sensors and loads are, beside the frames that bodies and joints bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mbsym.model.body import COINCIDENT, Placement

FrameAxes: TypeAlias = Literal["local", "aligned", "base"]
"""In which axes, and at which point, quantities of a frame are expressed.

``local``: at the frame's origin, in its own axes. ``aligned``: at the frame's origin, in the axes of the base.
``base``: at the base's origin, in the axes of the base, as if the body reached there.
"""


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that is fixed to a body.

    Attributes:
        name: unique among frames.
        body: that carries it, or ground.
        placement: in the body's frame.
        axes: in which its velocity, acceleration and Jacobian are expressed.
    """

    name: str
    body: str
    placement: Placement = COINCIDENT
    axes: FrameAxes = "local"
