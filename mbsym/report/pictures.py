"""The mechanism where it starts: a picture for paper, and a page inside the page that turns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.assembly import assemble
from mbsym.reference.mechanism import numeric_mechanism
from mbsym.reference.placements import configuration
from mbsym.simulation.output import MARK
from mbsym.visualisation.animation import Array, Motion, animation_html
from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.still import still_svg
from mbsym.visualisation.surfaces import surfaces_of

LARGEST: Final = 200
"""Bodies above which there are no pictures."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """An SVG picture, and a whole page; both empty where there is too much to draw."""

    still: str
    turning: str


def pictures(mechanism: Mechanism, most: int = LARGEST) -> Pictures:
    """The mechanism at its initial coordinates, its loops closed, if it has so many bodies at most.

    Raises:
        MbsymError: the loops cannot be closed, or a mesh file is no such.
    """
    if mechanism.nb > most:
        return Pictures("", "")
    poses = start_poses(mechanism)
    shape = skeleton(mechanism)
    surfaces, _ = surfaces_of(mechanism.model)
    motion = Motion(mechanism.model.name, "where it starts", np.zeros(1), poses[None], MARK)
    return Pictures(still_svg(shape, poses), animation_html(shape, motion, surfaces))


def start_poses(mechanism: Mechanism) -> Array:
    """Body frames in base axes (nb, 4, 4) at the initial coordinates, loops closed.

    Raises:
        SimulationError: the loops cannot be closed.
    """
    q = assemble(mechanism).q
    at = configuration(numeric_mechanism(mechanism.model, mechanism.labelling), q)
    poses = np.tile(np.eye(4), (len(at.origins) - 1, 1, 1))
    poses[:, :3, :3] = at.rotations[1:]
    poses[:, :3, 3] = at.origins[1:]
    return poses
