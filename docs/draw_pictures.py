"""Draws the moving pictures of the README and of the page on labelling anew: ``python docs/draw_pictures.py``."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from pathlib import Path

import numpy as np

import mbsym
from mbsym.cli import main
from mbsym.simulation.output import MARK
from mbsym.visualisation.image_files import gif_bytes
from mbsym.visualisation.raster import film
from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.surfaces import surfaces_of

PICTURE = Path(__file__).parent / "pictures" / "platform.gif"

CAB = Path(__file__).parent / "figures" / "labelling" / "driver_cab.svg"

PERIOD = 3.0
"""Of the motion [s]."""

FRAMES = 36
"""In which it is shown."""


def driven_platform() -> mbsym.Model:
    """The Stewart platform with a servo on each leg, whose goals go round one after the other."""
    platform = mbsym.load("stewart_platform")
    legs = [joint.name for joint in platform.joints if joint.actuated]
    servos = []
    for number, leg in enumerate(legs):
        goal = f"0.885 + 0.09*sin({2 * pi / PERIOD}*t - {number * pi / 3}) + 0.03*sin({4 * pi / PERIOD}*t)"
        servos.append(mbsym.JointForce(f"servo_{leg}", leg, f"30 - 40000*(q_{leg} - ({goal})) - 1500*v_{leg}"))
    return replace(platform, name="driven_platform", forces=tuple(servos))


def platform_film() -> bytes:
    """One period, after a first one in which the platform has come to it."""
    motion = mbsym.simulate(driven_platform(), 2 * PERIOD, output_step=PERIOD / FRAMES)
    mechanism = motion.equations.mechanism
    poses = motion.poses[FRAMES : 2 * FRAMES]
    pictures = [*film(skeleton(mechanism), np.asarray(poses), surfaces_of(mechanism.model)[0], (440, 300))]
    return gif_bytes(pictures, round(100 * PERIOD / FRAMES), MARK)


if __name__ == "__main__":
    PICTURE.write_bytes(platform_film())
    main(["label", "driver_cab", "--film", str(CAB), "--force"])
