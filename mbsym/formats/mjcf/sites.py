"""Sites, cameras and nested frames of MJCF as frames on bodies."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mbsym.formats.mjcf.frames import AngleRules, read_frame
from mbsym.formats.mjcf.geoms import segment
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.model.frame import Frame, FrameKind

FRAME_TAGS: Final[tuple[FrameKind, ...]] = ("site", "camera", "frame")
"""Elements that are frames of the body around them where they have a name."""


def named_frame(source: TextSource, element: Element, body: str, rules: AngleRules, taken: Collection[str]) -> Frame:
    """The frame of a site, camera or nested frame, which MJCF names independently of each other.

    Args:
        source: the file.
        element: with its defaults.
        body: around it.
        rules: how angles are meant.
        taken: names that other frames have; a second frame of a name gets SITE:, CAMERA: or FRAME: before it.

    Raises:
        FormatError: it is nowhere.
    """
    name = element.attributes["name"]
    placement = segment(source, element)[0] if "fromto" in element.attributes else read_frame(source, element, rules)
    kind = next(tag for tag in FRAME_TAGS if tag == element.tag)
    return Frame(f"{kind}:{name}" if name in taken else name, body, placement, kind=kind)
