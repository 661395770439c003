"""Shapes of modes as an animated page, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.kinematics.initial_coordinates import normalised
from mbsym.kinematics.mechanism import Mechanism
from mbsym.linear.equations import LinearEquations
from mbsym.loops.closing import close, closing_problem
from mbsym.simulation.output import MARK, check_writable, write_whole
from mbsym.simulation.result import check_suffix
from mbsym.symbolic.interpret import interpret
from mbsym.visualisation.animation import Motion, animation_html
from mbsym.visualisation.skeleton import skeleton

SECONDS: Final = 4.0
"""For which each mode is shown: two oscillations."""

FRAMES: Final = 120
"""Frames of each mode."""

SWING: Final = 0.15
"""Largest way of a joint or centre of mass, as a part of the size of the mechanism."""


def write_shapes(
    mechanism: Mechanism, captions: Sequence[str], poses: Callable[[], Sequence[Array]], path: Path, force: bool
) -> Path:
    """Writes the page: each shape for ``SECONDS``, all equally fast.

    Args:
        mechanism: of the model.
        captions: a word on each shape.
        poses: body frames of each as it swings (FRAMES, nb, 4, 4), asked for when the page can be written.
        path: of the page.
        force: overwrite a file that mbsym did not write.

    Raises:
        SimulationError: the suffix is not .html, or the file cannot be written.
    """
    check_suffix(path, (".html",))
    check_writable(path, force)
    found = np.concatenate(list(poses()))
    told = "; ".join(f"from {SECONDS * k:g} s {caption}" for k, caption in enumerate(captions))
    motion = Motion(mechanism.model.name, told, np.arange(len(found)) * (SECONDS / FRAMES), found, MARK)
    return write_whole(path, animation_html(skeleton(mechanism), motion).encode(), force=force)


def moved_frames(rest: Array, at: Array, motion: Array) -> Array:
    """Body frames (FRAMES, nb, 4, 4) of a swing that tells how each body moves.

    Args:
        rest: body frames about which it swings (nb, 4, 4).
        at: points of the bodies, base axes (nb, 3) [m].
        motion: [rotation; displacement] of these points in base axes (nb, 6).
    """
    swing = _swing(_longest(rest[:, :3, 3]), _longest(motion[:, 3:]), _longest(motion[:, :3]))
    turns = np.cos(4.0 * np.pi * np.arange(FRAMES) / FRAMES)
    steps = turns[:, None, None] * swing * motion
    moved = np.repeat(rest[None], FRAMES, axis=0)
    about = _turns(steps[..., :3])
    moved[..., :3, :3] = about @ rest[:, :3, :3]
    moved[..., :3, 3] = at + steps[..., 3:] + np.einsum("fbij,bj->fbi", about, rest[:, :3, 3] - at)
    return moved


def _longest(vectors: Array) -> float:
    """Length of the longest of vectors (..., 3)."""
    return float(np.linalg.norm(vectors, axis=-1).max(initial=0.0))


def _swing(size: float, way: float, turn: float) -> float:
    """By what a motion is taken, so that neither its longest way nor its largest turn is more than can be watched.

    Args:
        size: of the mechanism, 0 for that of one metre [m].
        way: the longest of the motion.
        turn: the largest of the motion. What turns about its own axis moves no point.
    """
    return min(SWING * (size or 1.0) / way if way else np.inf, 0.5 / (turn or 1e-300))


def _turns(vectors: Array) -> Array:
    """Rotations by rotation vectors (..., 3, 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    return np.asarray(
        np.eye(3) + np.sinc(angle / np.pi) * cross + 0.5 * np.sinc(angle / 2 / np.pi) ** 2 * cross @ cross
    )


def swinging_frames(equations: LinearEquations, q: Array, increments: Array) -> Array:
    """Body frames (FRAMES, nb, 4, 4) of a swing of constant size.

    Args:
        equations: of the model.
        q: coordinates about which it swings (nq,).
        increments: complex, along all speeds (nv,).
    """
    turns = np.exp(4.0j * np.pi * np.arange(FRAMES) / FRAMES)
    steps = np.real(turns[:, None] * increments[None, :])
    small = 1e-4
    still = _places(equations, q[None, :])
    moved = _places(equations, _along(equations, q, small * steps))
    swing = _swing(_longest(still), _longest(moved - still) / small, float(np.abs(steps).max(initial=0.0)))
    return _poses(equations, _along(equations, q, swing * steps))


def _along(equations: LinearEquations, q: Array, steps: Array) -> Array:
    """Coordinates after small motions along the speeds, with closed loops (n, nq)."""
    (tangent,) = equations.evaluator("tangent_map")(q).values()
    moved = normalised(q + steps @ tangent.T, equations.mechanism.q.quaternions)
    if equations.loops is None:
        return moved
    problem = closing_problem(equations.mechanism, equations.loops.closures)
    return np.array([close(problem, place).q for place in moved])


def _places(equations: LinearEquations, q: Array) -> Array:
    """Centres of mass of all bodies (n, nb, 3)."""
    centers = np.array([body.center for body in skeleton(equations.mechanism).bodies])
    poses = _poses(equations, q)
    return np.asarray(np.einsum("nbij,bj->nbi", poses[..., :3, :3], centers) + poses[..., :3, 3])


def _poses(equations: LinearEquations, q: Array) -> Array:
    """Body frames (n, nb, 4, 4)."""
    (poses,) = interpret(equations.evaluator("body_poses").program, {"q": q}).values()
    return poses
