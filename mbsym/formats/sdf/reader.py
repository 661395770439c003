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
from mbsym.formats.fixed_joints import finished
from mbsym.formats.foreign_joints import start_of
from mbsym.formats.load_options import DEFAULTS, LoadOptions
from mbsym.formats.sdf.document import read_document
from mbsym.formats.sdf.frames import Frames
from mbsym.formats.sdf.joints import JointReader
from mbsym.formats.sdf.links import LinkReader
from mbsym.formats.sdf.shapes import link_shapes
from mbsym.formats.sdf.tree import Arrangement, arranged
from mbsym.formats.text_source import LARGEST_XML, FilePlace, TextSource, read_text
from mbsym.formats.xml_document import Element
from mbsym.joints.fixed import FIXED
from mbsym.model.frame import Frame
from mbsym.model.joint import Joint
from mbsym.model.names import model_name
from mbsym.model.shape import Shape
from mbsym.model.system import Model
from mbsym.values.parameter import Vector

WORLD_GRAVITY: Vector = (0, 0, "-9.8")
"""Of a world that states none."""


def load_sdf(path: str | Path, options: LoadOptions = DEFAULTS) -> Model:
    """The model that an SDF file describes.

    Raises:
        FormatError: the file cannot be read, holds what is not covered, or is no mechanism; ``where`` is
            ``FILE:LINE:COL``.
    """
    return read_sdf(read_text(path, LARGEST_XML), options)


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
