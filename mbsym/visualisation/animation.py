"""A motion as one HTML page with its own three-dimensional view; it loads nothing from elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from mbsym.codegen.environment import render_template
from mbsym.doors import Array
from mbsym.visualisation.linkage import scenery
from mbsym.visualisation.parts import rounded
from mbsym.visualisation.plots import MOST_CURVES, Panel
from mbsym.visualisation.scene import extent, scene_of, scene_text, script
from mbsym.visualisation.skeleton import Skeleton
from mbsym.visualisation.surfaces import Surface

TEMPLATE: Final = "animation/page.html.jinja"

MOST_POINTS: Final = 400
"""Of a curve beside the motion."""


@dataclass(frozen=True, slots=True)
class Motion:
    """What moves: name and title, times (n,), body frames (n, nb, 4, 4) in base axes, and the mark of the file."""

    name: str
    title: str
    times: Array
    poses: Array
    mark: str


def animation_html(
    shape: Skeleton, motion: Motion, surfaces: Sequence[Surface] = (), panels: Sequence[Panel] = ()
) -> str:
    """The page.

    Args:
        shape: lines of the mechanism.
        motion: of its bodies.
        surfaces: of its bodies and ground.
        panels: curves at the times of the motion, to be drawn beside it.
    """
    items = scenery(shape, motion.poses[0], surfaces)
    scene = {**scene_of(shape, items, extent(shape, items, motion.poses)), "times": rounded(motion.times)}
    scene["plots"] = [_plot(panel) for panel in panels if not panel.logarithmic]
    frames = np.ascontiguousarray(motion.poses[:, :, :3, :], dtype="<f4")
    return render_template(
        TEMPLATE,
        mark=escape(motion.mark),
        name=escape(motion.name),
        title=escape(motion.title),
        scene=scene_text(scene),
        poses=base64.b64encode(frames.tobytes()).decode("ascii"),
        script=script("camera", "solids", "view", "motion"),
    )


def _plot(panel: Panel) -> dict[str, object]:
    """Title, unit, and curves at every so many times that few enough are left."""
    curves = panel.curves[:MOST_CURVES]
    every = 1 + max(len(values) for _, values in curves) // MOST_POINTS
    return {
        "title": panel.title,
        "unit": panel.unit,
        "every": every,
        "curves": [{"name": name, "values": rounded(values[::every])} for name, values in curves],
    }
