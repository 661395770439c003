"""Words that attributes of MJCF choose from. Any other is an error, as it is in MuJoCo: no default takes its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.formats.text_source import TextSource
from mbsym.formats.vocabulary import shortened
from mbsym.formats.xml_document import Element

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


def check_keywords(source: TextSource, root: Element) -> None:
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
                raise source.error(element.place, what, f"use one of {', '.join(words)}")
