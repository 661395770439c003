"""Links of an SDF as bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

from mbsym.formats.findings import listing
from mbsym.formats.rigid_frames import placed_body
from mbsym.formats.sdf.document import is_set, is_true
from mbsym.formats.sdf.frames import Frames, Node
from mbsym.formats.sdf.shapes import collision_mass
from mbsym.formats.text_source import FilePlace
from mbsym.formats.xml_document import Element
from mbsym.model.body import Body
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@dataclass(slots=True)
class LinkReader:
    """Reads links.

    Attributes:
        places: of links and their parts, to which what is read is added.
        notes: sentences for the user.
    """

    frames: Frames
    places: dict[tuple[str, ...], FilePlace]
    notes: list[str] = field(default_factory=list)

    def bodies(self) -> tuple[Body, ...]:
        """All links, in the order of the file.

        Raises:
            FormatError: a value is no number, or what a link holds is not covered.
        """
        links = self.frames.of_kind("link")
        found = tuple(self._body(link) for link in links)
        for chosen, what in (
            (self._lacking(links, "inertia"), "have no inertia, which SDF takes as 1 kg m^2 about every axis"),
            (self._lacking(links, "mass"), "have no mass, which SDF takes as 1 kg"),
            (self._odd(links, "gravity", True), "without gravity are taken as any others"),
            (self._odd(links, "kinematic", False), "moved from outside are taken as any others"),
        ):
            if chosen:
                self.notes.append(f"{len(chosen)} links ({listing(chosen)}) {what}")
        decaying = [link.name for link in links if self._decays(link.element)]
        if decaying:
            self.notes.append(f"the decay of velocity of {len(decaying)} links ({listing(decaying)}) is left out")
        return found

    def _lacking(self, links: list[Node], tag: str) -> list[str]:
        return [link.name for link in links if self._lacks(link.element.child("inertial"), tag)]

    def _lacks(self, inertial: Element | None, tag: str) -> bool:
        if inertial is None:
            return True
        return inertial.child(tag) is None and not is_set(inertial, "auto")

    def _odd(self, links: list[Node], tag: str, usual: bool) -> list[str]:
        return [link.name for link in links if is_true(link.element.child(tag), usual) is not usual]

    def _decays(self, element: Element) -> bool:
        decay = element.part("velocity_decay")
        return any(evaluate(decay.number_of(tag, 0)) for tag in ("linear", "angular"))

    def _body(self, link: Node) -> Body:
        self.places["bodies", link.name] = link.element.place
        inertial = link.element.child("inertial")
        if inertial is None:
            return Body(link.name, 1, (0, 0, 0), (1, 1, 1, 0, 0, 0))
        added = inertial.child("fluid_added_mass")
        if added is not None:
            raise added.error("the added mass of a fluid is not covered", "remove it")
        if is_set(inertial, "auto"):
            return collision_mass(self.frames, link, inertial).body(link.name)
        inertia = inertial.child("inertia")
        pose = inertial.child("pose")
        for key, part in (("mass", inertial.child("mass")), ("center_of_mass", pose), ("inertia", inertia)):
            if part is not None:
                self.places["bodies", link.name, key] = part.place
        if inertial.part("pose").words("relative_to"):
            raise inertial.part("pose").error("the pose of an inertial is in its link", "remove relative_to")
        placement = self.frames.pose(inertial.part("pose"), f"link {link.name}")
        mass = inertial.number_of("mass", 1)
        moments: list[Value] = [1, 1, 1, 0, 0, 0]
        if inertia is not None:
            moments = [inertia.number_of(key, usual) for key, usual in zip(MOMENTS, moments, strict=True)]
        return placed_body(link.name, mass, placement, moments)
