"""Checks of the shapes of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mbsym.model.body import Placement
from mbsym.model.frame_ends import attachable_frames
from mbsym.model.system import Model
from mbsym.values.diagnostic import Findings, Path, nearest
from mbsym.values.entry_checks import check_several, check_values

PlacementCheck: TypeAlias = Callable[[Placement, Path, str, Findings], None]


def check_carriers(model: Model, findings: Findings) -> None:
    """Notes shapes on what does not exist."""
    frames = attachable_frames(model)
    bodies = [*(body.name for body in model.bodies), *(frame.name for frame in model.frames)]
    for index, shape in enumerate(model.shapes):
        if shape.body != model.ground and shape.body not in bodies and shape.body not in frames:
            findings.error(
                ("shapes", index, "body"),
                f"a {shape.form.type} is on body {shape.body!r}, which does not exist",
                nearest(str(shape.body), (*bodies, model.ground)),
            )


def check_shapes(model: Model, check_placement: PlacementCheck, findings: Findings) -> None:
    """Notes sizes, placements and colours that cannot be.

    Args:
        model: whose names and references are right.
        check_placement: notes what is wrong with a placement.
        findings: where errors are noted.
    """
    for index, shape in enumerate(model.shapes):
        path: Path = ("shapes", index)
        word = f"a {shape.form.type} of {shape.body!r}"
        check_values(shape.form, path, word, findings)
        check_placement(shape.placement, (*path, "placement"), word, findings)
        if shape.color is None:
            continue
        color = check_several(findings, shape.color, (*path, "color"), 4)
        if color is not None and not all(0 <= part <= 1 for part in color):
            findings.error(
                (*path, "color"),
                f"a part of the colour of {word} lies outside 0 to 1",
                "give red, green, blue and opacity from 0 to 1",
            )
