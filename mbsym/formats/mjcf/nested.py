"""What stands within a body of MJCF, nested frames resolved; what has a frame and a name among it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from mbsym.formats.mjcf.frames import AngleRules, read_frame, segment
from mbsym.formats.mjcf.words import REFUSED
from mbsym.formats.rigid_frames import placed_on
from mbsym.formats.xml_document import Element
from mbsym.model.body import COINCIDENT, Placement
from mbsym.model.frame import Frame, FrameKind

FRAME_TAGS: Final[tuple[FrameKind, ...]] = ("site", "camera", "frame")
"""Elements that are frames of the body around them where they have a name."""


@dataclass(frozen=True, slots=True)
class Part:
    """An element within a body.

    Attributes:
        element: as it stands.
        around: the default class of its surroundings.
        outer: where the nested frames around it are on the body.
    """

    element: Element
    around: str
    outer: Placement

    def on_body(self, placement: Placement) -> Placement:
        """A placement in the nested frames as one on the body."""
        return joined(self.outer, placement)


def parts_within(parent: Element, around: str, rules: AngleRules) -> list[Part]:
    """The elements of a body in the order of the file, nested frames among them and what these hold behind them.

    Raises:
        FormatError: an element is not covered, or a frame is nowhere.
    """
    found: list[Part] = []
    waiting = [Part(child, around, COINCIDENT) for child in reversed(parent.children)]
    while waiting:
        part = waiting.pop()
        element = part.element
        if element.tag in REFUSED:
            raise element.error(f"<{element.tag}> is not covered", REFUSED[element.tag])
        found.append(part)
        if element.tag == "frame":
            inner = element.attributes.get("childclass", part.around)
            outer = part.on_body(read_frame(element, rules))
            waiting += [Part(child, inner, outer) for child in reversed(element.children)]
    return found


def named_frame(element: Element, body: str, rules: AngleRules, taken: Collection[str]) -> Frame:
    """The frame of a site, camera or nested frame, which MJCF names independently of each other.

    Args:
        element: with its defaults.
        body: around it.
        rules: how angles are meant.
        taken: names that other frames have; a second frame of a name gets SITE:, CAMERA: or FRAME: before it.

    Raises:
        FormatError: it is nowhere.
    """
    name = element.attributes["name"]
    placement = segment(element)[0] if "fromto" in element.attributes else read_frame(element, rules)
    kind = next(tag for tag in FRAME_TAGS if tag == element.tag)
    return Frame(f"{kind}:{name}" if name in taken else name, body, placement, kind=kind)


def joined(outer: Placement, inner: Placement) -> Placement:
    """The placement of a frame at ``inner`` in a frame at ``outer``."""
    return placed_on(outer, inner, 1e-13)
