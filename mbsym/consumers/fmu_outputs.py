"""What a functional mock-up unit tells besides its states: outputs of the model, places and velocities of frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mbsym.consumers.consumer import Exported
from mbsym.consumers.motion import Quantity, call_of, quantities
from mbsym.formulations.output_functions import OUTPUT_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, PlacedFrame

AXES: Final = "xyz"


@dataclass(frozen=True, slots=True)
class OutputBlock:
    """The results of a function behind the rates of a unit.

    Attributes:
        place: what the sources call the place of the first one.
        offset: of it from the end of the rates.
        size: how many there are.
        call: of the function, into them.
        fails: whether that returns a status.
        variables: those that the unit tells, with their places behind the rates; others are 0 or 1 by structure.
    """

    place: str
    offset: int
    size: int
    call: str
    fails: bool
    variables: tuple[tuple[int, Quantity], ...]


def output_functions(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the functions whose results a unit tells."""
    of_model = tuple(OUTPUT_FUNCTIONS) if mechanism.model.outputs else ()
    return (*of_model, *(_OF_FRAMES if mechanism.frames else ()))


def place_of(function: str) -> str:
    """What the sources call the place of the first result."""
    return function.upper()


def output_blocks(exported: Exported) -> tuple[OutputBlock, ...]:
    """The blocks in the order of ``output_functions``."""
    found, offset, frames = [], 0, exported.mechanism.frames
    for name in output_functions(exported.mechanism):
        function = exported.function(name)
        (result,) = function.outputs
        if name in _OF_FRAMES:
            stride = result.size // len(frames)
            told = [
                (stride * k + place, item) for k, frame in enumerate(frames) for place, item in _OF_FRAMES[name](frame)
            ]
        else:
            told = list(enumerate(quantities(exported).outputs))
        variables = tuple((offset + place, item) for place, item in told)
        call = call_of(exported, name, f"value + {place_of(name)}")
        found.append(OutputBlock(place_of(name), offset, result.size, call, bool(function.failures), variables))
        offset += result.size
    return tuple(found)


def _pose(frame: PlacedFrame) -> Iterator[tuple[int, Quantity]]:
    """The upper three rows of a 4 by 4 matrix."""
    stem = f"frame.{frame.name}"
    for row, axis in enumerate(AXES):
        yield 4 * row + 3, Quantity(f"{stem}.{axis}", "m", 0.0, f"{axis} of the origin of {frame.name} in base axes")
    for row, axis in enumerate(AXES):
        for column, own in enumerate(AXES):
            sentence = f"{axis} component in base axes of the {own} axis of {frame.name}"
            yield 4 * row + column, Quantity(f"{stem}.R[{row + 1},{column + 1}]", "", 0.0, sentence)


def _velocity(frame: PlacedFrame) -> Iterator[tuple[int, Quantity]]:
    """[omega; v] in the frame's axes."""
    axes = "its own axes" if frame.axes == "local" else "base axes"
    point = "of the point at the base origin" if frame.axes == "base" else "of the origin"
    kinds = (("omega", "rad/s", f"angular velocity of {frame.name}"), ("v", "m/s", f"velocity {point} of {frame.name}"))
    for k, (letter, unit, what) in enumerate(kinds):
        for row, axis in enumerate(AXES):
            yield (
                3 * k + row,
                Quantity(f"frame.{frame.name}.{letter}_{axis}", unit, 0.0, f"{axis} of the {what}, {axes}"),
            )


_OF_FRAMES: Final = {"frame_pose": _pose, "frame_velocity": _velocity}
