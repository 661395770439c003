"""What URDF elements may hold, and what of it bears on the mechanics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.formats.vocabulary import Words

URDF_WORDS: Final[Mapping[str, Words]] = {
    "robot": Words(
        ("name",),
        many=("link", "joint", "loop", "coupling"),
        silent=("version", "material", "transmission", "gazebo", "ros2_control", "sensor", "loop_joint", "plugin"),
    ),
    "link": Words(("name",), once=("inertial",), silent=("type", "visual", "collision", "sensor", "gazebo", "contact")),
    "inertial": Words(once=("origin", "mass", "inertia"), refused="any"),
    "mass": Words(("value",), refused="any"),
    "inertia": Words(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), refused="any"),
    "origin": Words(("xyz", "rpy"), refused="any"),
    "joint": Words(
        ("name", "type", "independent"),
        once=("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"),
        silent=("calibration", "safety_controller", "hardwareInterface", "gazebo"),
    ),
    "parent": Words(("link",), refused="any"),
    "child": Words(("link",), refused="any"),
    "axis": Words(("xyz",), told=("rpy",), refused="any"),
    "limit": Words(("lower", "upper", "effort", "velocity"), silent=("acceleration", "jerk"), refused="none"),
    "dynamics": Words(("damping", "friction")),
    "loop": Words(("name", "type"), once=("predecessor", "successor", "axis"), refused="any"),
    "coupling": Words(("name", "type"), once=("predecessor", "successor", "ratio"), refused="any"),
    "predecessor": Words(("link",), once=("origin",), refused="any"),
    "successor": Words(("link",), once=("origin",), refused="any"),
    "ratio": Words(("value",), refused="any"),
    "mimic": Words(("joint", "multiplier", "offset"), refused="any"),
}
