"""A delta robot: three driven arms, two rods on each, and a platform that keeps its orientation."""

from __future__ import annotations

from math import asin, cos, pi, sin

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model

BASE, ARM, ROD, PLATFORM, HALF = 0.2, 0.3, 0.6, 0.08, 0.05
"""Radius of the motors, lengths of arms and rods, radius of the platform, half the distance of two rods [m]."""


def delta() -> Model:
    """Nine links of general inertia and the platform, drawn with its arms level."""
    bodies, joints = [Body("platform", 0.8, (0, 0, 0.01), (0.002, 0.002, 0.003, 0, 0, 0))], []
    slope = asin((BASE + ARM - PLATFORM) / ROD)
    for k in range(3):
        turn = Placement((BASE * cos(2 * pi * k / 3), BASE * sin(2 * pi * k / 3), 0), (("z", f"2*pi*{k}/3"),))
        bodies.append(Body(f"arm{k}", 1.5, (0.14, 0.01, 0.005), (0.002, 0.012, 0.013, 1e-4, 2e-4, 1e-4)))
        joints.append(
            Joint(
                f"motor{k}", "revolute", "ground", f"arm{k}", axis=(0, 1, 0), predecessor_placement=turn, actuated=True
            )
        )
        for side, y in (("left", HALF), ("right", -HALF)):
            rod = f"{side}{k}"
            bodies.append(Body(rod, 0.3, (0.002, 0.001, -ROD / 2), (0.009, 0.009, 0.0001, 1e-5, 1e-5, 1e-5)))
            joints.append(
                Joint(
                    f"elbow_{rod}", "universal", f"arm{k}", rod, axis=(0, 1, 0), second_axis=(1, 0, 0),
                    predecessor_placement=Placement((ARM, y, 0)), initial=(slope, 0),
                )
            )  # fmt: skip
            joints.append(
                Joint(
                    f"wrist_{rod}", "spherical", rod, "platform", predecessor_placement=Placement((0, 0, -ROD)),
                    successor_placement=Placement(
                        (
                            PLATFORM * cos(2 * pi * k / 3) - y * sin(2 * pi * k / 3),
                            PLATFORM * sin(2 * pi * k / 3) + y * cos(2 * pi * k / 3),
                            0,
                        )
                    ),
                )
            )  # fmt: skip
    return Model("delta", tuple(bodies), tuple(joints), gravity=(0, 0, -9.81))
