"""What stands within a body of MJCF, nested frames resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.formats.mjcf.frames import AngleRules, read_frame
from mbsym.formats.rigid_frames import placed_on
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.model.body import COINCIDENT, Placement

NOT_COVERED: Final = {
    "composite": "write its bodies out",
    "flexcomp": "deformable bodies are not covered",
    "attach": "write the attached bodies out",
    "plugin": "plugins are not covered",
}
"""Elements that would change the mechanics if they were passed over."""


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


def parts_within(source: TextSource, parent: Element, around: str, rules: AngleRules) -> list[Part]:
    """The elements of a body in the order of the file, nested frames among them and what these hold behind them.

    Raises:
        FormatError: an element is not covered, or a frame is nowhere.
    """
    found: list[Part] = []
    waiting = [Part(child, around, COINCIDENT) for child in reversed(parent.children)]
    while waiting:
        part = waiting.pop()
        element = part.element
        if element.tag in NOT_COVERED:
            raise source.error(element.place, f"<{element.tag}> is not covered", NOT_COVERED[element.tag])
        found.append(part)
        if element.tag == "frame":
            inner = element.attributes.get("childclass", part.around)
            outer = part.on_body(read_frame(source, element, rules))
            waiting += [Part(child, inner, outer) for child in reversed(element.children)]
    return found


def joined(outer: Placement, inner: Placement) -> Placement:
    """The placement of a frame at ``inner`` in a frame at ``outer``."""
    return placed_on(outer, inner, 1e-13)
