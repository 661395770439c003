"""Reading the MODEL argument with its options, and telling its warnings."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mbsym.errors import ModelError
from mbsym.formats.angles import SAME_ANGLE

if TYPE_CHECKING:
    from mbsym.model.system import CoordinateOrder, Model


def read_model(
    source: str,
    *,
    strict: bool = False,
    snap_angles: float = SAME_ANGLE,
    floating: bool = False,
    loops: Path | None = None,
    joint_dynamics: str = "ignore",
    actuators: str = "ignore",
    coordinates: str = "",
    wrench_inputs: Sequence[str] = (),
    wrench_axes: str = "local",
    order: str = "weight",
    cut: Sequence[str] = (),
    keep: Sequence[str] = (),
    tell: bool = True,
) -> Model:
    """The model, its warnings on standard error.

    Args:
        source: file, or name of a bundled example.
        strict, snap_angles, floating, loops, joint_dynamics, actuators: see ``LoadOptions``.
        coordinates: the value of --coordinates, "" for the order that the model asks for.
        wrench_inputs, wrench_axes: the values of --wrench-input and --wrench-axes.
        order: the value of --order, refused here where there is none of that name.
        cut, keep: the values of --cut and --keep.
        tell: False leaves its warnings to the caller.
    """
    from mbsym.formats.registry import LoadOptions, load
    from mbsym.model.coordinate_order import joints_by_coordinates
    from mbsym.model.system import with_cuts, with_virtual_joints
    from mbsym.model.validate import require_valid
    from mbsym.model.wrench_inputs import with_wrench_inputs
    from mbsym.topology.assembly_orders import assembly_order

    assembly_order(order, "--order")
    if not 0 <= snap_angles < math.pi / 4:
        raise ModelError(
            f"{snap_angles} rad is no tolerance of angles",
            where="--snap-angles",
            remedy="use a small one, such as 1e-4",
        )
    for option, value, other in (("--joint-dynamics", joint_dynamics, "forces"), ("--actuators", actuators, "inputs")):
        if value not in ("ignore", other):
            raise ModelError(f"there is no choice {value!r}", where=option, remedy=f"say ignore or {other}")
    options = LoadOptions(
        strict=strict,
        floating=floating,
        joint_dynamics="forces" if joint_dynamics == "forces" else "ignore",
        actuators="inputs" if actuators == "inputs" else "ignore",
        snap_angles=snap_angles,
        loops=None if loops is None else str(loops),
    )
    # What the pipeline reads is this; a verb that derives nothing does without the rest of it.
    model = load(source, options)
    require_valid(model)
    if cut or keep:
        model = with_cuts(model, names_in(cut), names_in(keep))
        # By name, where the model's entries have numbers: these demands come from the command line.
        model.label(order=order)
        require_valid(model)
    if coordinates:
        model = replace(model, coordinate_order=_order(coordinates))
        require_valid(model)
        labelling = model.label(order=order)  # the tree that the verb is going to take
        joints_by_coordinates(with_virtual_joints(model, labelling), labelling)
    if wrench_axes not in ("local", "aligned"):
        raise ModelError(f"there are no axes {wrench_axes!r}", where="--wrench-axes", remedy="use local or aligned")
    if wrench_inputs:
        model = with_wrench_inputs(model, names_in(wrench_inputs), "local" if wrench_axes == "local" else "aligned")
        require_valid(model)
    if tell:
        for warning in model.warnings:
            tell_warning(warning)
        tell_immobility(model, order)
    return model


def names_in(texts: Sequence[str]) -> list[str]:
    """The names of a repeatable option whose values are lists."""
    return [name.strip() for text in texts for name in text.split(",")]


def symbols_in(text: str) -> str | tuple[str, ...]:
    """The value of --symbolic-parameters: all, none, or the names in a list."""
    return text if text in ("all", "none") else tuple(text.split(","))


def _order(text: str) -> CoordinateOrder:
    if text == "file":
        return "file"
    if text == "labels":
        return "labels"
    return tuple(names_in([text]))


def tell_warning(sentence: str) -> None:
    """Says it on standard error."""
    print(f"warning: {sentence}", file=sys.stderr)


def tell_immobility(model: Model, order: str = "weight") -> None:
    """Says on standard error where nothing of the model can move."""
    from mbsym.loops.immobility import immobility

    found = immobility(model, order)
    if found:
        tell_warning(found)
