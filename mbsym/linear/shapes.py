"""Shapes of modes as an animated page, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.kinematics.initial_coordinates import normalised
from mbsym.linear.equations import LinearEquations
from mbsym.simulation.output import MARK, check_writable, write_whole
from mbsym.simulation.result import check_suffix
from mbsym.visualisation.animation import Motion, animation_html
from mbsym.visualisation.skeleton import skeleton

Array: TypeAlias = NDArray[Any]

SECONDS: Final = 4.0
"""For which each mode is shown: two oscillations."""

FRAMES: Final = 120
"""Frames of each mode."""

SWING: Final = 0.15
"""Largest way of a joint or centre of mass, as a part of the size of the mechanism."""


@dataclass(frozen=True, slots=True)
class Swing:
    """A shape to show: a word on it, and complex increments along all speeds (nv,)."""

    caption: str
    increments: Array


def write_shapes(equations: LinearEquations, q: Array, swings: Sequence[Swing], path: Path, force: bool) -> Path:
    """Writes the page: each shape for ``SECONDS``, all equally fast.

    Args:
        equations: of the model.
        q: coordinates about which it swings (nq,).
        swings: shapes, in order.
        path: of the page.
        force: overwrite a file that mbsym did not write.

    Raises:
        SimulationError: the suffix is not .html, or the file cannot be written.
    """
    check_suffix(path, (".html",))
    check_writable(path, force)
    poses = np.concatenate([_poses(equations, q, swing.increments) for swing in swings])
    times = np.arange(len(poses)) * (SECONDS / FRAMES)
    told = "; ".join(f"from {SECONDS * k:g} s {swing.caption}" for k, swing in enumerate(swings))
    page = animation_html(skeleton(equations.mechanism), Motion(equations.name, told, times, poses, MARK))
    return write_whole(path, page.encode(), force=force)


def _poses(equations: LinearEquations, q: Array, increments: Array) -> Array:
    """Body frames (FRAMES, nb, 4, 4) of a swing of constant size."""
    turns = np.exp(4.0j * np.pi * np.arange(FRAMES) / FRAMES)
    steps = np.real(turns[:, None] * increments[None, :])
    small = 1e-4
    still = _places(equations, q[None, :])
    moved = _places(equations, _along(equations, q, small * steps))
    way = float(np.linalg.norm(moved - still, axis=-1).max(initial=0.0)) / small
    size = float(np.linalg.norm(still.reshape(-1, 3), axis=-1).max(initial=0.0)) or 1.0
    # What turns about its own axis moves no point.
    swing = min(SWING * size / way if way > 0.0 else np.inf, 0.5 / float(np.abs(steps).max(initial=1e-300)))
    poses = np.asarray(equations.module.functions["body_poses"](_along(equations, q, swing * steps)))
    shape = (FRAMES, equations.mechanism.nb, 4, 4)
    return poses if poses.shape == shape else np.broadcast_to(poses, shape)


def _along(equations: LinearEquations, q: Array, steps: Array) -> Array:
    """Coordinates after small motions along the speeds, with closed loops (n, nq)."""
    tangent = np.asarray(equations.module.functions["tangent_map"](q))
    moved = normalised(q + steps @ tangent.T, equations.mechanism.q.quaternions)
    if "project_position" not in equations.module.functions:
        return moved
    return np.asarray(equations.module.functions["project_position"](moved))


def _places(equations: LinearEquations, q: Array) -> Array:
    """Centres of mass of all bodies (n, nb, 3)."""
    centers = np.array([body.center for body in skeleton(equations.mechanism).bodies])
    poses = np.asarray(equations.module.functions["body_poses"](q))
    poses = np.broadcast_to(poses, (len(q), len(centers), 4, 4))
    places: Array = np.einsum("nbij,bj->nbi", poses[..., :3, :3], centers) + poses[..., :3, 3]
    return places
