"""What SDF elements may hold, and what of it bears on the mechanics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mbsym.formats.vocabulary import Words

NAMED: Final = ("link", "joint", "frame", "model")
"""Elements that have a frame and a name."""

MODEL_FRAME: Final = "__model__"
"""What a model calls its own frame."""

_SEEN: Final = ("visual", "collision", "sensor", "light", "plugin", "projector", "gripper")

_AXIS: Final = Words(
    # The axis of <mimic> is an attribute.
    once=("xyz", "dynamics", "limit", "mimic", "use_parent_model_frame", "initial_position"),
)

_WORDS: Final[Mapping[str, Words]] = {
    "sdf": Words(("version",), once=("world", "model"), silent=("actor", "light")),
    "world": Words(
        ("name",),
        once=("gravity",),
        many=("model", "include", "frame", "joint"),
        silent=(
            "audio", "wind", "magnetic_field", "atmosphere", "gui", "physics", "scene", "light", "actor", "plugin",
            "road", "spherical_coordinates", "state", "population",
        ),
    ),
    "model": Words(
        ("name", "canonical_link", "placement_frame"),
        once=("pose", "static"),
        many=("model", "include", "frame", "joint", "link"),
        silent=("namespace", "self_collide", "allow_auto_disable", "enable_wind", *_SEEN),
    ),
    "include": Words(
        ("merge",),
        once=("uri", "name", "pose", "static", "placement_frame"),
        silent=("namespace", "plugin"),
        refused="any",
    ),
    "static": Words(),
    "uri": Words(),
    "name": Words(),
    "placement_frame": Words(),
    "frame": Words(("name", "attached_to"), once=("pose",), refused="any"),
    "pose": Words(("relative_to", "frame", "degrees", "rotation_format"), refused="any"),
    "gravity": Words(),
    "link": Words(
        ("name",),
        once=("pose", "inertial", "gravity", "velocity_decay", "kinematic"),
        silent=(
            "enable_wind", "self_collide", "must_be_base_link", "audio_sink", "audio_source", "battery",
            "particle_emitter", *_SEEN,
        ),
    ),
    "velocity_decay": Words(once=("linear", "angular")),
    "inertial": Words(
        ("auto",), once=("pose", "mass", "inertia", "density", "fluid_added_mass"), silent=("auto_inertia_params",),
        refused="any",
    ),
    "mass": Words(refused="any"),
    "inertia": Words(once=("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), refused="any"),
    "joint": Words(
        ("name", "type"),
        once=(
            "parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch", "gearbox_ratio",
            "gearbox_reference_body", "physics",
        ),
        silent=("sensor", "plugin"),
    ),
    "parent": Words(refused="any"),
    "child": Words(refused="any"),
    "axis": _AXIS,
    "axis2": _AXIS,
    "xyz": Words(("expressed_in",), refused="any"),
    "limit": Words(once=("lower", "upper", "effort", "velocity"), silent=("stiffness", "dissipation"), refused="none"),
    "dynamics": Words(once=("damping", "friction", "spring_reference", "spring_stiffness")),
    "mimic": Words(("joint", "axis"), once=("multiplier", "offset", "reference"), refused="any"),
    "physics": Words(once=("simbody",), silent=("ode", "provide_feedback"), refused="none"),
    "simbody": Words(once=("must_be_loop_joint",), refused="none"),
}  # fmt: skip

SDF_WORDS: Final[Mapping[str, Words]] = {
    tag: words if words.once or words.many else replace(words, text=True) for tag, words in _WORDS.items()
}
"""By tag. Elements without children have their values as text."""
