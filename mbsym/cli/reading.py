"""What says how a model is read: the options that all verbs share, and the warnings that are told."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import typer

from mbsym.cli.spoken import spoken
from mbsym.cli.taken import taken
from mbsym.errors import ModelError
from mbsym.formats.load_options import DEFAULTS, LoadOptions
from mbsym.formats.registry import FORMATS, load
from mbsym.model.body import Placement
from mbsym.model.coordinate_order import joints_by_coordinates
from mbsym.model.frame_ends import with_frame
from mbsym.model.system import with_cuts, with_virtual_joints
from mbsym.model.validate import require_valid
from mbsym.model.wrench_inputs import with_wrench_inputs
from mbsym.option import READ, Checked, alike, option
from mbsym.options.generation import GenerationOptions
from mbsym.options.texts import names_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbsym.model.body import Placement
    from mbsym.model.system import CoordinateOrder, Model
    from mbsym.model.wrench_inputs import WrenchAxes


AddedFrame: TypeAlias = "tuple[str, str, Placement]"
"""Name of a frame, what it is on, and where."""


def _frames(texts: Sequence[str]) -> tuple[AddedFrame, ...]:
    """Frames from texts such as "tool=hand:0,0,0.1,0,pi/2,0".

    Raises:
        ModelError: a text says no frame.
    """
    found = []
    for text in texts:
        name, _, rest = text.partition("=")
        on, _, numbers = rest.rpartition(":")
        values = [value.strip() for value in numbers.split(",")]
        if not name.strip() or not on.strip() or len(values) not in (3, 6) or not all(values):
            raise ModelError(f"{text!r} says no frame", where="`add_frame`", remedy="write NAME=BODY:X,Y,Z[,RX,RY,RZ]")
        # A plain zero turns nothing.
        x, y, z, *turns = (0 if value in ("0", "0.0") else value for value in values)
        roll, pitch, yaw = turns or (0, 0, 0)
        found.append((name.strip(), on.strip(), Placement.from_rpy(roll, pitch, yaw, (x, y, z))))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Reading(Checked):
    """How a model is read, and what is asked of it beyond its file."""

    load: LoadOptions = DEFAULTS
    add_frame: tuple[AddedFrame, ...] = option(
        (),
        "One more frame: NAME=BODY:X,Y,Z[,RX,RY,RZ], on a body, frame or joint, at a place [m], turned by roll, pitch "
        "and yaw [rad]; repeatable.",
        "add-frame",
        typed=_frames,
    )
    coordinates: str = option(
        "",
        "Order of q, v and tau: as joints stand in the 'file' (robot files depth first), by 'labels', or NAME,NAME: "
        "these joints first. Default: what the model says, else file.",
        "coordinates",
    )
    wrench_inputs: tuple[str, ...] = option(
        (),
        "Wrenches that are run-time inputs: NAME,... of frames, bodies or joints, six entries of u for each; "
        "repeatable.",
        "wrench-input",
    )
    wrench_axes: WrenchAxes = option(
        "local",
        "Axes of these wrenches: local (the frame's) or aligned (those of the base).",
        "wrench-axes",
        choices=("local", "aligned"),
        refused="there are no axes {}",
        error=ModelError,
    )
    order: str = alike(GenerationOptions, "order")
    cut: tuple[str, ...] = option((), "Joints that must be cut to open loops: NAME,...; repeatable.", "cut")
    keep: tuple[str, ...] = option((), "Joints that must not be cut: NAME,...; repeatable.", "keep")


PLAIN: Final = Reading()
"""As the file says."""


def _model() -> Any:
    suffixes = ", ".join(form.suffixes[0] for form in FORMATS.values())
    return typer.Argument(help=f"Model file ({suffixes}) or name of a bundled example.")


MODEL: Final[Any] = _model
READING: Final[Any] = taken(Reading, heading=READ)
READING_FOR_ANY_ORDER: Final[Any] = taken(Reading, without=("order",), heading=READ)
"""The defaults of a verb's parameters: which model, and how it is read; there is no order where nothing is labelled."""


def read_model(source: str, reading: Reading = PLAIN, *, tell: bool = True) -> Model:
    """The model, its warnings on standard error.

    Args:
        source: file, or name of a bundled example.
        reading: how it is read.
        tell: False leaves its warnings to the caller.
    """
    # What the pipeline reads is this; a verb that derives nothing does without the rest of it.
    model = load(source, reading.load)
    require_valid(model)
    for name, on, at in reading.add_frame:
        model = with_frame(model, name, on, at)
        require_valid(model)
    if reading.cut or reading.keep:
        model = with_cuts(model, reading.cut, reading.keep)
        # By name, where the model's entries have numbers: these demands come from the command line.
        model.label(order=reading.order)
        require_valid(model)
    if reading.coordinates:
        model = replace(model, coordinate_order=_order(reading.coordinates))
        require_valid(model)
        labelling = model.label(order=reading.order)  # the tree that the verb is going to take
        joints_by_coordinates(with_virtual_joints(model, labelling), labelling)
    if reading.wrench_inputs:
        model = with_wrench_inputs(model, reading.wrench_inputs, reading.wrench_axes)
        require_valid(model)
    if tell:
        for warning in model.warnings:
            tell_warning(warning)
        tell_immobility(model, reading.order)
    return model


def _order(text: str) -> CoordinateOrder:
    if text == "file" or text == "labels":
        return "file" if text == "file" else "labels"
    return tuple(names_in([text]))


def tell_warning(sentence: str) -> None:
    """Says it on standard error."""
    print(f"warning: {spoken(sentence)}", file=sys.stderr)


def tell_immobility(model: Model, order: str = "weight") -> None:
    """Says on standard error where nothing of the model can move."""
    from mbsym.loops.redundancy import immobility

    found = immobility(model, order)
    if found:
        tell_warning(found)
