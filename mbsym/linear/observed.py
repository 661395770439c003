"""What the names of outputs stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mbsym.errors import AnalysisError
from mbsym.linear.equations import LinearEquations
from mbsym.linear.tangent import increment_names
from mbsym.model.system import Model
from mbsym.values.diagnostic import one

AXES: Final = "xyz"
"""Of the base, along which places of frames are told."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What an output is, and where it stands.

    Attributes:
        kind: "increment", "speed", "acceleration", "coordinate", "drive", "output" of the model, or "position" of a
            frame along a base axis.
        place: in v, q or x, or in the model's outputs; of a position, in the frames that were asked for.
        axis: of a position, 0 to 2.
    """

    kind: str
    place: int
    axis: int = 0


OF_MODEL: Final = "output:"
"""Before the name of an output of the model, where that may be something else."""


def is_model_output(model: Model, name: str) -> bool:
    """True where an output of the model is called so, or output:NAME calls it."""
    return name.removeprefix(OF_MODEL) in (item.name for item in model.outputs)


def spelt_out(model: Model, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Outputs with each frame or body by its three places FRAME.x, FRAME.y and FRAME.z, and the frames among them.

    The name of a joint may be that of a coordinate, so that its frame is joint:NAME.

    Raises:
        AnalysisError: a name is that of an output of the model and of a frame or body.
    """
    joints = {joint.name for joint in model.joints}
    known = [name for name, found in model.all_frames().items() if name not in joints or found[0].kind != "joint"]
    found: list[str] = []
    frames: dict[str, None] = {}
    for name in names:
        stem, _, axis = name.rpartition(".")
        if name in known and is_model_output(model, name):
            other = model.all_frames()[name][0]
            raise _ambiguous(model, name, one(other.kind), f"{other.full_name} for its place")
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
        AnalysisError: nothing is called so, or an output of the model and something else are.
    """
    increments, speeds = increment_names(equations.mechanism), equations.speeds
    accelerations = tuple(f"vdot_{speed.removeprefix('v_')}" for speed in speeds)
    tables = {
        "increment": increments,
        "speed": speeds,
        "acceleration": accelerations,
        "coordinate": equations.coordinates,
        "drive": equations.drives,
    }
    output = name.removeprefix(OF_MODEL)
    for kind, names in tables.items():
        if name in names:
            if name in equations.outputs:
                raise _ambiguous(equations.mechanism.model, name, one(kind), "or give the output another name")
            return Observed(kind, names.index(name))
    if output in equations.outputs:
        return Observed("output", equations.outputs.index(output))
    frames = tuple(frame.name for frame in equations.mechanism.frames)
    stem, _, axis = name.rpartition(".")
    if stem in frames and axis in tuple(AXES):
        return Observed("position", frames.index(stem), AXES.index(axis))
    bodies = (body.name for body in equations.mechanism.model.bodies)
    outputs = (item.name for item in equations.mechanism.model.outputs)
    known = (*increments, *speeds, *accelerations, *equations.drives, *outputs, *bodies)
    raise equations.unknown("coordinate, speed, acceleration, output, frame or body", name, known)


def _ambiguous(model: Model, name: str, what: str, otherwise: str) -> AnalysisError:
    return AnalysisError(
        f"{name!r} is an output of the model and {what}",
        where=model.name,
        remedy=f"write {OF_MODEL}{name} for the output, {otherwise}",
    )
