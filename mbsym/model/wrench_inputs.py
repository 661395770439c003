"""Wrenches at frames as run-time inputs: six control inputs, and a force element that brings them to the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from mbsym.errors import ModelError
from mbsym.forces.applied_wrench import AppliedWrench
from mbsym.model.frame_ends import body_end, turned
from mbsym.model.names import identifier_part
from mbsym.model.system import Model
from mbsym.values.parameter import ControlInput

WrenchAxes: TypeAlias = Literal["local", "aligned"]


def with_wrench_inputs(model: Model, names: Sequence[str], axes: WrenchAxes = "local") -> Model:
    """The model with a wrench acting at each of the frames named, which the caller gives as entries of u.

    For a frame NAME these are NAME_mx, NAME_my, NAME_mz [N m] and NAME_fx, NAME_fy, NAME_fz [N]: moment and force on
    the body at the frame's origin.

    Args:
        model: that has the frames.
        names: of frames, bodies or joints.
        axes: of moment and force, the frame's own or those of the base.

    Raises:
        ModelError: there is nothing of a name, or it is on ground, where a wrench moves nothing.
    """
    inputs, forces = list(model.inputs), list(model.forces)
    for name in names:
        frame = model.frame(name)
        if frame.body == model.ground:
            raise ModelError(
                f"frame {name!r} is on ground, where a wrench moves nothing",
                where=model.name,
                remedy="name a frame of a body",
            )
        own = {}
        for letter, unit in (("m", "N m"), ("f", "N")):
            x, y, z = (f"{identifier_part(name)}_{letter}{axis}" for axis in "xyz")
            own[letter] = turned(frame.placement, (x, y, z)) if axes == "local" else (x, y, z)
            for part in (x, y, z):
                if any(item.name == part for item in inputs):
                    raise ModelError(
                        f"there is an input {part!r} already", where=model.name, remedy="rename the frame or the input"
                    )
                inputs.append(ControlInput(part, unit))
        carried: Literal["base", "body"] = "body" if axes == "local" else "base"
        at = frame.placement.translation
        forces.append(AppliedWrench(f"wrench at {name}", body_end(model, frame.body), own["f"], own["m"], at, carried))
    return replace(model, inputs=tuple(inputs), forces=tuple(forces))
