"""SDF: models and worlds in SDFormat 1.4 to 1.12, as far as they describe rigid bodies and joints.

The world is ground. What nothing joins to it floats on a free joint, which starts where the file has it; links of
static models are part of it. Joints form any graph: loops come in as they are. What links show is kept as shapes.
Source: the specification of SDFormat.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from mbsym.conventions import STANDARD_GRAVITY
from mbsym.errors import FormatError
from mbsym.formats.angles import rounded_note
from mbsym.formats.findings import listing
from mbsym.formats.fixed_joints import finished
from mbsym.formats.foreign_joints import start_of
from mbsym.formats.load_options import DEFAULTS, LoadOptions
from mbsym.formats.rigid_frames import placed_body
from mbsym.formats.sdf.document import is_set, is_true, read_document
from mbsym.formats.sdf.frames import Frames, Node
from mbsym.formats.sdf.joints import JointReader
from mbsym.formats.sdf.shapes import collision_mass, link_shapes
from mbsym.formats.sdf.tree import Arrangement, arranged
from mbsym.formats.text_source import FilePlace, TextSource, read_text
from mbsym.formats.xml_document import Element
from mbsym.joints.fixed import FIXED
from mbsym.model.body import Body
from mbsym.model.frame import Frame
from mbsym.model.joint import Joint
from mbsym.model.names import model_name
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value, Vector

WORLD_GRAVITY: Vector = (0, 0, "-9.8")
"""Of a world that states none."""


def load_sdf(path: str | Path, options: LoadOptions = DEFAULTS) -> Model:
    """The model that an SDF file describes.

    Raises:
        FormatError: the file cannot be read, holds what is not covered, or is no mechanism; ``where`` is
            ``FILE:LINE:COL``.
    """
    return read_sdf(read_text(path), options)


def read_sdf(source: TextSource, options: LoadOptions = DEFAULTS) -> Model:
    """The model that an SDF text describes; errors as ``load_sdf``."""
    top, notes = read_document(source, strict=options.strict, under=options.files_under)
    reader = _Reader(options, top, list(notes), Frames(top, options.snap_angles))
    model = reader.model()
    return finished(model, options, reader.places, reader.rigid)


@dataclass(slots=True)
class _Reader:
    """Reads one file.

    Attributes:
        places: of links, joints and their parts, by kind, name and attribute of the model.
        rigid: names of the fixed joints whose successors are part of their predecessors.
    """

    options: LoadOptions
    top: Element
    notes: list[str]
    frames: Frames
    places: dict[tuple[str, ...], FilePlace] = field(default_factory=dict)
    rigid: tuple[str, ...] = ()

    def model(self) -> Model:
        """The model with all links as they stand."""
        self.places[()] = self.places["name",] = self.top.place
        links = LinkReader(self.frames, self.places)
        read = links.bodies()
        joints = JointReader(self.frames, self.options, self.places)
        joints.read()
        bodies = (*read, *joints.bodies)
        made = Model(
            name=model_name(self.top.attributes.get("name"), self.top.place.file),
            bodies=bodies,
            joints=(*self._static(), *joints.joints),
            forces=tuple(joints.forces),
            couplings=tuple(joints.couplings),
            constraints=tuple(joints.constraints),
            gravity=self._gravity(),
            shapes=self._shapes(),
            ground=self.frames.world.name,
            accept_impossible_inertia=True,
        )
        driven = joints.driven()
        arrangement = arranged(made, self._canonical_links(), driven)
        for name in arrangement.without_coordinate:
            raise FormatError(
                f"joint {name!r} closes a loop of joints that all have forces or gears, so {driven[name]} has no "
                "coordinate",
                where=str(self.places["joints", name]),
                remedy="leave one joint of the loop without, for instance by leaving out `joint_dynamics`",
            )
        self.rigid = arrangement.rigid
        frames = self._named_frames(joints.frames)
        self.notes += rounded_note(self.frames.rounded)
        return replace(
            made,
            joints=self._starting(arrangement),
            frames=frames,
            warnings=(*self.notes, *links.notes, *joints.notes, *arrangement.notes()),
        )

    def _gravity(self) -> Vector:
        if self.top.tag != "world":
            return STANDARD_GRAVITY
        gravity = self.top.child("gravity")
        return WORLD_GRAVITY if gravity is None else gravity.triple("")

    # ---- what is ground, and what floats ----------------------------------------------------------------------------

    def _static(self) -> list[Joint]:
        """Fixed joints from the world to the links of static models."""
        joints = []
        for node in self.frames.of_kind("link"):
            if node.static:
                name = f"{node.name} is static"
                self.places["joints", name] = node.element.place
                placement = self.frames.placement(node, self.frames.world)
                joints.append(
                    Joint(name, FIXED.name, self.frames.world.name, node.name, predecessor_placement=placement)
                )
        return joints

    def _canonical_links(self) -> list[str]:
        """The links that models stand for, from the outside in."""
        links = [self.frames.body(node) for node in self.frames.of_kind("model")]
        return [link.name for link in links if link.kind == "link"]

    def _starting(self, arrangement: Arrangement) -> tuple[Joint, ...]:
        """The joints, free ones with the coordinates that the file has."""
        links = {node.name: node for node in self.frames.of_kind("link")}
        found = []
        for joint in arrangement.joints:
            if joint.kind.is_unbound:
                place = links.get(joint.successor)
                self.places["joints", joint.name] = self.places["bodies", joint.successor]
                if place is not None:
                    joint = replace(joint, initial=start_of(self.frames.placement(place, self.frames.world)))
            found.append(joint)
        return tuple(found)

    # ---- frames -----------------------------------------------------------------------------------------------------

    def _named_frames(self, fixed: list[Frame]) -> tuple[Frame, ...]:
        """Elements <frame>, sensors, models within models, and the frames of fixed joints."""
        found: list[Frame] = []
        taken = {node.name for node in self.frames.nodes if node.kind in ("link", "joint")}
        for node in self.frames.nodes:
            if node.kind in ("frame", "sensor") or (node.kind == "model" and node.element is not self.top):
                body = self.frames.body(node)
                placement = self.frames.placement(node, body)
                name = f"{node.kind}:{node.name}" if node.name in taken else node.name
                self.places["frames", name] = node.element.place
                found.append(Frame(name, body.name, placement, kind=node.kind))
                taken.add(name)
        links = {node.name for node in self.frames.of_kind("link")}
        for frame in fixed:
            name = f"joint:{frame.name}" if frame.name in links else frame.name
            self.places["frames", name] = self.places["joints", frame.name]
            found.append(replace(frame, name=name))
        return tuple(found)

    def _shapes(self) -> tuple[Shape, ...]:
        return tuple(shape for link in self.frames.of_kind("link") for shape in link_shapes(self.frames, link))


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
