"""Robot files for others with the angles that mbsym takes them to have."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def with_right_angles(path: Path) -> str:
    """The text of a file whose angles are right where they nearly are."""
    robot = ElementTree.parse(path).getroot()
    for origin in robot.iter("origin"):
        angles = [float(word) for word in origin.get("rpy", "").split()]
        quarters = [round(angle / (math.pi / 2)) * (math.pi / 2) for angle in angles]
        pairs = zip(angles, quarters, strict=True)
        origin.set("rpy", " ".join(repr(q if abs(a - q) <= 1e-8 else a) for a, q in pairs) or "0 0 0")
    return ElementTree.tostring(robot, encoding="unicode")
