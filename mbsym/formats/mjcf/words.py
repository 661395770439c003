"""What MJCF elements may hold, and what of it bears on the mechanics.

Of words that an attribute chooses from, any other is an error, as it is in MuJoCo: no default takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.formats.mjcf.frames import ORIENTATIONS
from mbsym.formats.vocabulary import Words, shortened
from mbsym.formats.xml_document import Element

FRAME: Final = ("pos", *ORIENTATIONS)

REFUSED: Final = {
    "composite": "write its bodies out",
    "flexcomp": "deformable bodies are not covered",
    "attach": "write the attached bodies out",
    "plugin": "plugins are not covered",
}
"""Elements that would change the mechanics if they were passed over, with advice."""

SEEN: Final = ("site", "camera", "light")

_SOLVER: Final = ("solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin")

_GEOM_SEEN: Final = (
    *_SOLVER, "name", "class", "contype", "conaffinity", "condim", "group", "priority", "material", "rgba", "friction",
    "solmix", "gap", "hfield", "fitscale", "user", "fluidshape", "fluidcoef",
)  # fmt: skip

_SETTINGS: Final = (
    "strippath", "fitaabb", "meshdir", "texturedir", "assetdir", "discardvisual", "usethread",
    "fusestatic", "saveinertial", "conflict",
)  # fmt: skip

_OPTIONS: Final = (
    "timestep", "apirate", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "magnetic",
    "o_margin", "o_solref", "o_solimp", "o_friction", "integrator", "cone", "jacobian", "solver", "iterations",
    "ls_iterations", "noslip_iterations", "ccd_iterations", "mpr_iterations", "mpr_tolerance", "sdf_iterations",
    "sdf_initpoints", "actuatorgroupdisable", "sleep_tolerance", "collision",
)  # fmt: skip

PASSIVE_FLAGS: Final = ("passive", "spring", "damper", "frictionloss", "equality", "actuation", "constraint")
"""Flags that switch off what is modelled here."""

_OTHER_FLAGS: Final = (
    "limit", "contact", "clampctrl", "warmstart", "filterparent", "refsafe", "sensor", "midphase", "eulerdamp",
    "autoreset", "nativeccd", "island", "override", "energy", "fwdinv", "invdiscrete", "multiccd", "sleep",
)  # fmt: skip

_EQUALITY: Final = Words(
    ("name", "active", "body1", "body2", "site1", "site2", "anchor", "relpose", "joint1", "joint2", "polycoef"),
    silent=("class", *_SOLVER, "torquescale"),
)

MJCF_WORDS: Final[Mapping[str, Words]] = {
    "mujoco": Words(
        ("model",),
        many=("compiler", "option", "default", "worldbody", "equality", "keyframe", "asset"),
        silent=(
            "size", "visual", "statistic", "contact", "deformable", "tendon", "actuator", "sensor",
            "custom", "extension", *REFUSED,
        ),
    ),
    "compiler": Words(
        (
            "angle", "eulerseq", "coordinate", "inertiafromgeom", "inertiagrouprange", "settotalmass", "boundmass",
            "boundinertia", "balanceinertia", "autolimits", "exactmeshinertia", "alignfree",
        ),
        silent=(*_SETTINGS, "lengthrange"),
    ),
    "option": Words(("gravity", "density", "viscosity"), many=("flag",), silent=_OPTIONS),
    "flag": Words(("gravity", *PASSIVE_FLAGS), silent=_OTHER_FLAGS),
    "default": Words(
        ("class",),
        once=("joint", "geom"),
        many=("default",),
        silent=(
            "mesh", "material", "site", "camera", "light", "pair", "equality", "tendon", "general", "motor", "position",
            "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "plugin",
        ),
    ),
    "replicate": Words(
        ("count", "offset", "euler", "sep"),
        many=("body", "geom", "frame", "replicate"),
        silent=(*SEEN, *REFUSED),
        refused="any",
    ),
    "worldbody": Words(many=("body", "geom", "frame", "replicate"), silent=(*SEEN, *REFUSED)),
    "frame": Words(
        ("name", "childclass", *FRAME),
        once=("inertial", "freejoint"),
        many=("body", "joint", "geom", "frame", "replicate"),
        silent=(*SEEN, *REFUSED),
    ),
    "body": Words(
        ("name", "childclass", "mocap", "gravcomp", *FRAME),
        once=("inertial", "freejoint"),
        many=("body", "joint", "geom", "frame", "replicate"),
        silent=(*SEEN, *REFUSED, "user", "sleep"),
    ),
    "inertial": Words(("mass", "diaginertia", "fullinertia", *FRAME), refused="any"),
    "joint": Words(
        (
            "name", "class", "type", "pos", "axis", "ref", "springref", "stiffness", "damping", "armature",
            "frictionloss", "range", "limited", "springdamper",
        ),
        silent=(
            *_SOLVER, "group", "user", "actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp",
            # The attributes of <equality><joint>, which bears the same tag.
            *(word for word in _EQUALITY.attributes if word not in ("name",)),
        ),
    ),
    "freejoint": Words(("name",), silent=("group", "align")),
    "geom": Words(
        ("type", "size", "fromto", "mass", "density", "shellinertia", "mesh", *FRAME), silent=(*_GEOM_SEEN, "plugin")
    ),
    "equality": Words(
        many=("connect", "weld", "joint"), silent=("tendon", "flex", "flexvert", "flexstrain", "distance")
    ),
    "asset": Words(many=("mesh", "material"), silent=("texture", "hfield", "skin", "model")),
    "mesh": Words(
        ("name", "class", "file", "vertex", "face", "scale", "refpos", "refquat", "inertia"),
        silent=(
            "content_type", "normal", "texcoord", "smoothnormal", "maxhullvert", "material", "builtin", "params",
            "plugin", "needsdf", "octree_maxdepth",
        ),
    ),
    "material": Words(
        ("name", "class", "rgba"),
        silent=(
            "texture", "texrepeat", "texuniform", "emission", "specular", "shininess", "reflectance", "metallic",
            "roughness", "layer",
        ),
    ),
    "keyframe": Words(many=("key",)),
    "key": Words(("name", "qpos", "qvel"), silent=("time", "act", "ctrl", "mpos", "mquat")),
    "connect": _EQUALITY,
    "weld": _EQUALITY,
}  # fmt: skip

_BOTH: Final = ("false", "true")
_THREE: Final = ("false", "true", "auto")

KEYWORDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "compiler": {"inertiafromgeom": _THREE, "autolimits": _BOTH, "balanceinertia": _BOTH, "exactmeshinertia": _BOTH},
    "body": {"mocap": _BOTH},
    "joint": {"limited": _THREE, "active": _BOTH},
    "geom": {"shellinertia": _BOTH},
    "equality": {"active": _BOTH},
    "connect": {"active": _BOTH},
    "weld": {"active": _BOTH},
    "tendon": {"active": _BOTH},
}
"""By element and attribute. The attributes of <flag> all are "enable" or "disable"."""


def check_keywords(root: Element) -> None:
    """Looks at all elements.

    Raises:
        FormatError: an attribute has a word that is not among those it can have.
    """
    for element in root.every():
        if element.tag == "flag":
            table: Mapping[str, tuple[str, ...]] = dict.fromkeys(element.attributes, ("enable", "disable"))
        else:
            table = KEYWORDS.get(element.tag, {})
        for key, words in table.items():
            given = element.attributes.get(key, words[0])
            if given not in words:
                what = f"{key} of <{element.tag}> is {shortened(given)}"
                raise element.error(what, f"use one of {', '.join(words)}")
