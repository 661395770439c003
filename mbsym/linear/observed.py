"""What the names of outputs stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mbsym.linear.equations import LinearEquations
from mbsym.linear.tangent import increment_names
from mbsym.model.system import Model

AXES: Final = "xyz"
"""Of the base, along which places of frames are told."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What an output is, and where it stands.

    Attributes:
        kind: "increment", "speed", "acceleration", "coordinate", or "position" of a frame along a base axis.
        place: in v or q; of a position, in the frames that were asked for.
        axis: of a position, 0 to 2.
    """

    kind: str
    place: int
    axis: int = 0


def spelt_out(model: Model, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Outputs with each frame or body by its three places FRAME.x, FRAME.y and FRAME.z, and the frames among them.

    The name of a joint may be that of a coordinate, so that its frame is joint:NAME.
    """
    joints = {joint.name for joint in model.joints}
    known = [name for name, found in model.all_frames().items() if name not in joints or found[0].kind != "joint"]
    found: list[str] = []
    frames: dict[str, None] = {}
    for name in names:
        stem, _, axis = name.rpartition(".")
        if name in known:
            found += (f"{name}.{letter}" for letter in AXES)
            frames[name] = None
        else:
            found.append(name)
            if stem in known and axis in tuple(AXES):
                frames[stem] = None
    return tuple(found), tuple(frames)


def observed(equations: LinearEquations, name: str) -> Observed:
    """What the name of an output stands for.

    Raises:
        AnalysisError: nothing is called so.
    """
    increments, speeds = increment_names(equations.mechanism), equations.speeds
    accelerations = tuple(f"vdot_{speed.removeprefix('v_')}" for speed in speeds)
    tables = {
        "increment": increments,
        "speed": speeds,
        "acceleration": accelerations,
        "coordinate": equations.coordinates,
    }
    for kind, names in tables.items():
        if name in names:
            return Observed(kind, names.index(name))
    frames = tuple(frame.name for frame in equations.mechanism.frames)
    stem, _, axis = name.rpartition(".")
    if stem in frames and axis in tuple(AXES):
        return Observed("position", frames.index(stem), AXES.index(axis))
    bodies = (body.name for body in equations.mechanism.model.bodies)
    known = (*increments, *speeds, *accelerations, *bodies)
    raise equations.unknown("coordinate, speed, acceleration, frame or body", name, known)
