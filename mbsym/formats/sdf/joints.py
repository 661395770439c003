"""Joints of an SDF: joints, gears between them, couplings, and the springs and dampers along them.

A revolute2 joint is two revolute joints one behind the other: a universal joint where its axes are perpendicular. A
screw advances ``screw_thread_pitch`` metres a turn; the older ``thread_pitch`` counts radians a metre, left-handed. A
gearbox holds the angle of its child to -``gearbox_ratio`` times that of its parent, both seen from the reference body.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from mbsym.constraints import GearConstraint
from mbsym.forces import JointDamper, JointFriction, JointSpring
from mbsym.formats.findings import listing
from mbsym.formats.foreign_joints import resistance, resistance_left_out, suffix_of
from mbsym.formats.load_options import LoadOptions
from mbsym.formats.sdf.axes import JointAxis, read_axis
from mbsym.formats.sdf.document import is_true
from mbsym.formats.sdf.frames import Frames, Node
from mbsym.formats.text_source import FilePlace
from mbsym.formats.xml_document import Element
from mbsym.joints.fixed import FIXED
from mbsym.joints.helical import HELICAL, PITCH
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.joints.universal import UNIVERSAL
from mbsym.model.body import COINCIDENT, Body
from mbsym.model.frame import Frame
from mbsym.model.geometry import dot, norm, placement_numbers, times
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import free_name
from mbsym.values.diagnostic import nearest
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

JOINT_TYPES: Final[dict[str, JointType]] = {
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "fixed": FIXED,
    "ball": SPHERICAL,
    "universal": UNIVERSAL,
    "revolute2": UNIVERSAL,
    "screw": HELICAL,
}
"""What SDF's words for types of joints mean."""

GEARBOX: Final = "gearbox"
SPECIAL: Final = ("axis2", "gearbox_ratio", "gearbox_reference_body", "thread_pitch", "screw_thread_pitch")
"""What some types of joints alone have."""

PARALLEL: Final = 1e-6
"""Sine of the angle between axes that six printed digits explain."""


@dataclass(slots=True)
class JointReader:
    """Reads joints.

    Attributes:
        places: of joints and their parts, to which what is read is added.
        joints: that were read, in the order of the file, in its directions.
        bodies: without mass, between the axes of joints.
        frames: where fixed joints are.
        notes: sentences for the user.
    """

    scene: Frames
    options: LoadOptions
    places: dict[tuple[str, ...], FilePlace]
    joints: list[Joint] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    forces: list[JointDamper | JointFriction | JointSpring] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    constraints: list[GearConstraint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _damped: list[str] = field(default_factory=list)
    _idle: list[str] = field(default_factory=list)
    _beside: list[str] = field(default_factory=list)
    _partly: list[str] = field(default_factory=list)
    _axes: dict[str, tuple[Node, JointAxis]] = field(default_factory=dict)

    def read(self) -> None:
        """Reads all joints.

        Raises:
            FormatError: a joint refers to what does not exist, or is not covered.
        """
        nodes = self.scene.of_kind("joint")
        gears = []
        for node in nodes:
            self.places["joints", node.name] = self.places["forces", node.name] = node.element.place
            kind = node.element.words("type")
            if kind == GEARBOX:
                gears.append(node)
            elif kind in JOINT_TYPES:
                self._joint(node, kind)
                told = _told(JOINT_TYPES[kind])
                if any(item.tag in SPECIAL and item.tag not in told for item in node.element.children):
                    self._beside.append(node.name)
            else:
                what = f"has the unknown type {kind!r}" if kind else "has no type"
                raise node.element.error(f"joint {node.name!r} {what}", nearest(kind, [*JOINT_TYPES, GEARBOX]))
        for node in gears:
            self._gear(node)
        for node in nodes:
            for tag in ("axis", "axis2"):
                mimic = node.element.part(tag).child("mimic")
                if mimic is not None:
                    self._mimic(node, tag, mimic)
        self._note()

    def driven(self) -> dict[str, str]:
        """The joints whose coordinates something needs, and what that is."""
        found = {force.joint: f"force {force.name!r}" for force in self.forces}
        for gear in self.constraints:
            found |= dict.fromkeys((gear.first_joint, gear.second_joint), f"gearbox {gear.name!r}")
        for coupling in self.couplings:
            found |= dict.fromkeys((coupling.joint, coupling.source), f"what joint {coupling.joint!r} mimics")
        return found

    def _note(self) -> None:
        self.notes += resistance_left_out(self._damped)
        if self._beside:
            self.notes.append(
                f"a second axis, thread or gear ratio of {len(self._beside)} joints ({listing(self._beside)}) is left "
                "out: joints of their types have none"
            )
        if self._partly:
            self.notes.append(
                f"limits that only one axis of {len(self._partly)} joints ({listing(self._partly)}) states are left out"
            )
        if self._idle:
            self.notes.append(
                f"what is said of the axes of {len(self._idle)} ball joints ({listing(self._idle)}) is left out: "
                "they have none"
            )

    # ---- joints -----------------------------------------------------------------------------------------------------

    def _joint(self, node: Node, kind: str) -> None:
        parent, child = (self._body(node, tag) for tag in ("parent", "child"))
        if parent is child:
            raise node.element.error(f"joint {node.name!r} connects {parent.name!r} with itself", "connect two links")
        joint_type = JOINT_TYPES[kind]
        if joint_type is FIXED:
            # Fixed joints have no sense of direction, so the frame of the child serves, and their own is kept.
            self.frames.append(Frame(node.name, child.name, self.scene.placement(node, child), kind="joint"))
            placement = self.scene.placement(child, parent)
            self.joints.append(Joint(node.name, FIXED.name, parent.name, child.name, predecessor_placement=placement))
            return
        joint = Joint(
            node.name,
            joint_type.name,
            parent.name,
            child.name,
            predecessor_placement=self.scene.placement(node, parent),
            successor_placement=self.scene.placement(node, child),
            cut="cut" if is_true(node.element.part("physics").part("simbody").child("must_be_loop_joint")) else "auto",
        )
        if joint_type is SPHERICAL:
            if any(node.element.child(tag) is not None for tag in ("axis", "axis2")):
                self._idle.append(node.name)
            self.joints.append(joint)
            return
        axes = [read_axis(self.scene, node, "axis")]
        if joint_type is UNIVERSAL:
            axes.append(read_axis(self.scene, node, "axis2"))
        numbers = ((PITCH.name, self._pitch(node)),) if joint_type is HELICAL else ()
        self._place_axes(node.name, axes)
        if kind == "revolute2" and not _are_perpendicular(*axes):
            self._two_revolutes(joint, node, axes)
        else:
            self._with_axes(joint, node, kind, axes, numbers)

    def _body(self, node: Node, tag: str) -> Node:
        return self.scene.body(self.scene.end(node, "parent" if tag == "parent" else "child"))

    def _place_axes(self, name: str, axes: list[JointAxis]) -> None:
        for key, axis in zip(("axis", "second_axis"), axes, strict=False):
            self.places["joints", name, key] = (axis.element.child("xyz") or axis.element).place
            limit = axis.element.child("limit")
            if limit is not None:
                self.places.setdefault(("joints", name, "lower"), limit.place)

    def _with_axes(
        self, joint: Joint, node: Node, kind: str, axes: list[JointAxis], numbers: tuple[tuple[str, Value], ...]
    ) -> None:
        """The joint with what its axes say."""
        stated = {word: [axis.limits[word] for axis in axes] for word in axes[0].limits}
        if any(0 < found.count(None) < len(found) for found in stated.values()):
            self._partly.append(joint.name)
        limits: dict[str, Any] = {word: tuple(found) for word, found in stated.items() if None not in found}
        if kind == "continuous":
            limits |= {"lower": (), "upper": ()}
        made = replace(
            joint,
            axis=axes[0].direction,
            second_axis=axes[1].direction if len(axes) > 1 else None,
            numbers=numbers,
            initial=tuple(axis.initial for axis in axes) if any(evaluate(axis.initial) for axis in axes) else (),
            **limits,
        )
        self.joints.append(made)
        self._axes[made.name] = node, axes[0]
        for index, axis in enumerate(axes):
            self._forces(made, axis, index)

    def _two_revolutes(self, joint: Joint, node: Node, axes: list[JointAxis]) -> None:
        """Two revolute joints with a body without mass between them."""
        bodies = {link.name for link in self.scene.of_kind("link")} | {body.name for body in self.bodies}
        joints = {item.name for item in self.scene.of_kind("joint")} | {item.name for item in self.joints}
        between, behind = free_name(f"{joint.name}_between", bodies), free_name(f"{joint.name}_2", joints)
        self.bodies.append(Body(between))
        self.places["bodies", between] = node.element.place
        self.places["joints", behind] = node.element.place
        joint = replace(joint, type=REVOLUTE.name)
        first = replace(joint, successor=between, successor_placement=COINCIDENT, cut="auto")
        second = replace(joint, name=behind, predecessor=between, predecessor_placement=COINCIDENT)
        for part, axis in zip((first, second), axes, strict=True):
            self._with_axes(part, node, "", [axis], ())

    def _pitch(self, node: Node) -> Value:
        """Metres a radian, right-handed."""
        element = node.element
        self.places["joints", node.name, PITCH.name] = element.place
        for tag in ("screw_thread_pitch", "thread_pitch"):
            stated = element.child(tag)
            if stated is None:
                continue
            value = element.number_of(tag, 0)
            if not evaluate(value):
                raise stated.error(f"the thread of joint {node.name!r} has pitch zero", "make the joint revolute")
            return f"({value})/(2*pi)" if tag == "screw_thread_pitch" else f"-1/({value})"
        self.notes.append(f"screw joint {node.name!r} has no pitch, which SDF takes as 1 m a turn")
        return "1/(2*pi)"

    def _forces(self, joint: Joint, axis: JointAxis, index: int) -> None:
        place = (axis.element.child("dynamics") or axis.element).place
        found: list[JointDamper | JointFriction | JointSpring] = [
            *resistance(joint, axis.damping, axis.friction, index)
        ]
        if found and self.options.joint_dynamics == "ignore":
            self._damped.append(joint.name)
            found = []
        if evaluate(axis.stiffness):
            name = f"{joint.name}_spring{suffix_of(joint, index)}"
            found.append(JointSpring(name, joint.name, axis.stiffness, axis.reference, index))
        for force in found:
            self.places["forces", force.name] = place
        self.forces += found

    # ---- gears and couplings ----------------------------------------------------------------------------------------

    def _gear(self, node: Node) -> None:
        """q_child = -ratio q_parent of the joints that join child and parent to the reference body."""
        element = node.element.part("gearbox_reference_body")
        name = element.words("")
        if not name:
            raise node.element.error(
                f"gearbox {node.name!r} has no reference body",
                "add <gearbox_reference_body>...</gearbox_reference_body>",
            )
        reference = self.scene.body(self.scene.named(node.scope, name, element, f"gearbox {node.name!r}"))
        ratio = node.element.number_of("gearbox_ratio", 1)
        if not evaluate(ratio):
            raise node.element.error(f"the ratio of gearbox {node.name!r} is zero", "give a ratio")
        self.places["constraints", node.name] = node.element.place
        leading, first = self._gear_joint(node, "parent", "axis", reference)
        following, second = self._gear_joint(node, "child", "axis2", reference)
        sign = "-" if first == second else ""
        self.constraints.append(GearConstraint(node.name, following, leading, f"{sign}({ratio})"))

    def _gear_joint(
        self, node: Node, tag: Literal["parent", "child"], axis_tag: Literal["axis", "axis2"], reference: Node
    ) -> tuple[str, int]:
        """The joint between the reference body and one side of a gearbox, and the sense of its coordinate."""
        body = self._body(node, tag)
        ends = {reference.name, body.name}
        for joint in self.joints:
            if joint.type == REVOLUTE.name and {joint.predecessor, joint.successor} == ends:
                break
        else:
            raise node.element.error(
                f"no revolute joint joins the {tag} {body.name!r} of gearbox {node.name!r} to its reference body "
                f"{reference.name!r}",
                "add one",
            )
        axis = read_axis(self.scene, node, axis_tag)
        cosine = self._cosine(node, axis, *self._axes[joint.name])
        if 1 - cosine * cosine > PARALLEL**2:
            raise axis.element.error(
                f"the {axis_tag} of gearbox {node.name!r} is not that of joint {joint.name!r}",
                "give both the same direction",
            )
        sense = 1 if cosine > 0 else -1
        return joint.name, sense if joint.predecessor == reference.name else -sense

    def _cosine(self, first: Node, first_axis: JointAxis, second: Node, second_axis: JointAxis) -> float:
        """Of the angle between the axes of two joints, with all joints at zero."""
        R, _ = placement_numbers(self.scene.placement(second, first), evaluate)
        ax, ay, az = (evaluate(value) for value in first_axis.direction)
        bx, by, bz = (evaluate(value) for value in second_axis.direction)
        turned = times(R, (bx, by, bz))
        return dot((ax, ay, az), turned) / (norm((ax, ay, az)) * norm(turned))

    def _mimic(self, node: Node, tag: str, mimic: Element) -> None:
        """q = multiplier (q_leader - reference) + offset."""
        self.places["couplings", node.name] = mimic.place
        if self.options.mimic == "ignore":
            self.notes.append(f"joint {node.name!r} mimics another and is taken as a free one")
            return
        name = mimic.required("joint")
        leader = self.scene.named(node.scope, name, mimic, f"joint {node.name!r}")
        axis = mimic.words("axis", "axis")
        if tag != "axis" or axis != "axis":
            raise mimic.error("a second axis that mimics or leads is not covered", "use two joints")
        if leader.kind != "joint":
            raise mimic.error(f"joint {node.name!r} mimics {leader.kind} {name!r}", "name a joint")
        ratio, offset, reference = (
            mimic.number_of(key, usual) for key, usual in (("multiplier", 1), ("offset", 0), ("reference", 0))
        )
        if evaluate(reference):
            offset = f"({offset}) - ({ratio})*({reference})"
        self.couplings.append(Coupling(node.name, leader.name, ratio, offset))


def _told(kind: JointType) -> tuple[str, ...]:
    """Which of what some types alone have is read for a type."""
    if kind is UNIVERSAL:
        return SPECIAL[:1]
    return SPECIAL[3:] if kind is HELICAL else ()


def _are_perpendicular(first: JointAxis, second: JointAxis) -> bool:
    a = [evaluate(value) for value in first.direction]
    b = [evaluate(value) for value in second.direction]
    return abs(dot(a, b)) <= PARALLEL * norm(a) * norm(b)
