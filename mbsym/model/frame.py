"""Frames on bodies: where tools, sensors and loads are, beside the frames that bodies and joints bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from mbsym.model.body import COINCIDENT, Placement

FrameAxes: TypeAlias = Literal["local", "aligned", "base"]
"""In which axes, and at which point, quantities of a frame are expressed.

``local``: at the frame's origin, in its own axes. ``aligned``: at the frame's origin, in the axes of the base.
``base``: at the base's origin, in the axes of the base, as if the body reached there.
"""

FrameKind: TypeAlias = Literal["frame", "body", "joint", "site", "camera", "sensor", "model"]
"""What a frame is in the file that it comes from, where names are often unique within a kind alone."""

FRAME_KINDS: Final[tuple[FrameKind, ...]] = get_args(FrameKind)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that is fixed to a body.

    Attributes:
        name: unique among frames; where its file has another of the name, KIND: stands before it.
        body: that carries it, or ground.
        placement: in the body's frame.
        axes: in which its velocity, acceleration and Jacobian are expressed.
        kind: what it is; a body or joint where that was made part of the body.
        in_functions: whether it is among all frames where functions of frames are asked for; False of one that is only
            named in elements and expressions.
    """

    name: str
    body: str
    placement: Placement = COINCIDENT
    axes: FrameAxes = "local"
    kind: FrameKind = "frame"
    in_functions: bool = True

    @property
    def short_name(self) -> str:
        """The name in its file."""
        return self.name.removeprefix(f"{self.kind}:")

    @property
    def full_name(self) -> str:
        """KIND:NAME, which no frame of another kind, body or joint has."""
        return f"{self.kind}:{self.short_name}"

    @property
    def home(self) -> tuple[str, Placement, FrameAxes]:
        """Where it is: frames of one home are one frame under several names."""
        return self.body, self.placement, self.axes
