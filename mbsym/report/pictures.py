"""The mechanism where it starts: a picture for paper, and a page inside the page that moves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.assembly import assemble
from mbsym.model.frame_ends import on_bodies
from mbsym.simulation.output import MARK
from mbsym.visualisation.posing import poses_at, show_html
from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.still import still_svg
from mbsym.visualisation.surfaces import surfaces_of

LARGEST: Final = 200
"""Bodies above which there are no pictures."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """An SVG picture, and a whole page; both empty where there is too much to draw, the page where nothing moves."""

    still: str
    turning: str


def pictures(mechanism: Mechanism, most: int = LARGEST) -> Pictures:
    """The mechanism at its initial coordinates, its loops closed, if it has so many bodies at most.

    Raises:
        MbsymError: the loops cannot be closed, or a mesh file is no such.
    """
    if mechanism.nb > most:
        return Pictures("", "")
    # In numbers, under the same labels.
    numbers = build_mechanism(on_bodies(mechanism.model), mechanism.labelling, "none")
    q = assemble(numbers).q
    still = still_svg(skeleton(numbers), poses_at(numbers, q))
    if not numbers.nv:
        return Pictures(still, "")
    surfaces, _ = surfaces_of(numbers.model)
    return Pictures(still, show_html(numbers, q, MARK, surfaces))
