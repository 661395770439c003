"""URDF: the Unified Robot Description Format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from mbsym.errors import FormatError, optional
from mbsym.forces import ForceElement, JointDamper, JointFriction
from mbsym.formats.angles import looks_rounded, rounded_note, snapped_angle
from mbsym.formats.findings import listing
from mbsym.formats.fixed_joints import finished
from mbsym.formats.foreign_joints import depth_first, resistance, resistance_left_out
from mbsym.formats.load_options import DEFAULTS, LoadOptions
from mbsym.formats.rigid_frames import placed_body
from mbsym.formats.text_source import FilePlace, TextSource, read_text
from mbsym.formats.urdf.loop_file import Closing, loops_beside, read_loops
from mbsym.formats.urdf.plus import read_plus
from mbsym.formats.urdf.shapes import ShapeReader, named_colors
from mbsym.formats.vocabulary import Words, unknown_words
from mbsym.formats.xml_document import Element, read_xml
from mbsym.joints.fixed import FIXED
from mbsym.joints.free import FREE
from mbsym.joints.planar import PLANAR
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.revolute import REVOLUTE
from mbsym.model.body import COINCIDENT, Body, Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import free_name, model_name
from mbsym.model.shape import in_body_order
from mbsym.model.system import Model
from mbsym.values.diagnostic import nearest
from mbsym.values.parameter import Value

URDF_WORDS: Final[Mapping[str, Words]] = {
    "robot": Words(
        ("name",),
        many=("link", "joint", "loop", "coupling"),
        silent=("version", "material", "transmission", "gazebo", "ros2_control", "sensor", "loop_joint", "plugin"),
    ),
    "link": Words(("name",), once=("inertial",), silent=("type", "visual", "collision", "sensor", "gazebo", "contact")),
    "inertial": Words(once=("origin", "mass", "inertia"), refused="any"),
    "mass": Words(("value",), refused="any"),
    "inertia": Words(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), refused="any"),
    "origin": Words(("xyz", "rpy"), refused="any"),
    "joint": Words(
        ("name", "type", "independent"),
        once=("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"),
        silent=("calibration", "safety_controller", "hardwareInterface", "gazebo"),
    ),
    "parent": Words(("link",), refused="any"),
    "child": Words(("link",), refused="any"),
    "axis": Words(("xyz",), told=("rpy",), refused="any"),
    "limit": Words(("lower", "upper", "effort", "velocity"), silent=("acceleration", "jerk"), refused="none"),
    "dynamics": Words(("damping", "friction")),
    "loop": Words(("name", "type"), once=("predecessor", "successor", "axis"), refused="any"),
    "coupling": Words(("name", "type"), once=("predecessor", "successor", "ratio"), refused="any"),
    "predecessor": Words(("link",), once=("origin",), refused="any"),
    "successor": Words(("link",), once=("origin",), refused="any"),
    "ratio": Words(("value",), refused="any"),
    "mimic": Words(("joint", "multiplier", "offset"), refused="any"),
}


JOINT_TYPES: dict[str, JointType] = {
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "fixed": FIXED,
    "floating": FREE,
    "planar": PLANAR,
}
"""What URDF's words for types of joints mean."""

PLACED = {
    "origin": ("predecessor_placement",),
    "axis": ("axis",),
    "limit": ("lower", "upper", "effort", "velocity"),
}
"""Attributes of a joint that each of its elements says."""
OUR_NAMES = ("world", "ground")
"""Link names that mean ground elsewhere."""


def load_urdf(path: str | Path, options: LoadOptions = DEFAULTS) -> Model:
    """The model that a URDF file describes; its root link is ground unless ``options.floating``.

    Raises:
        FormatError: the file cannot be read, or what it describes is no mechanism; ``where`` is ``FILE:LINE:COL``.
    """
    source = expanded(path) if Path(path).suffix.lower() == SUFFIX else read_text(path)
    loops = options.loops or loops_beside(path)
    return read_urdf(source, options, read_loops(loops, options.snap_angles) if loops is not None else None)


def read_urdf(source: TextSource, options: LoadOptions = DEFAULTS, loops: Closing | None = None) -> Model:
    """The model that a URDF text describes; errors as ``load_urdf``.

    Args:
        source: the text.
        options: how links, joints and angles are taken.
        loops: what closes loops beside the elements <loop> and <coupling> of the text.
    """
    reader = _Reader(options)
    robot = _robot(source)
    model = reader.model(robot)
    tree_joints = [joint.name for joint in model.joints]
    closings: list[Closing] = [read_plus(robot, model, reader.origin)]
    closings += [] if loops is None else [loops]
    places = reader.places
    for closing in closings:
        model = closing.applied(model)
        # A joint of the tree that has the name of a loop is told by the place of the loop.
        places = {key: place for key, place in places.items() if key[:2] not in closing.places} | closing.places
    return finished(model, options, places, tree_joints, keep_joints=True)


def _robot(source: TextSource) -> Element:
    robot = read_xml(source)
    if robot.tag != "robot":
        remedy = {
            "sdf": "convert it from SDF to URDF",
            "mujoco": "give the file the suffix .xml, so that it is read as MJCF",
        }.get(robot.tag, "a URDF file holds one element <robot>")
        raise robot.error(f"<{robot.tag}> is no robot description in URDF", remedy)
    for element in robot.every():
        if element.tag.startswith("xacro:"):
            remedy = f"end its name in {SUFFIX}, so that the package xacro expands it"
            raise element.error("this file is written in xacro, a macro language", remedy)
    return robot


@dataclass(slots=True)
class _Reader:
    """Reads one robot.

    Attributes:
        places: of links, joints and their parts, by kind, name and attribute of the model.
        rounded: names of the joints and links with angles that look rounded, with one such angle each.
        notes: sentences for the user.
    """

    options: LoadOptions
    places: dict[tuple[str, ...], FilePlace] = field(default_factory=dict)
    rounded: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def model(self, robot: Element) -> Model:
        """The model with all links and fixed joints as they stand."""
        self.places[()] = self.places["name",] = robot.place
        self.notes += unknown_words(robot, URDF_WORDS, strict=self.options.strict)
        links = self._named(robot, "link")
        joints = self._named(robot, "joint")
        if not links:
            raise robot.error("the robot has no <link>", "add its links; xacro macros must be expanded")
        self.places |= {("bodies", name): element.place for name, element in links.items()}
        self.places |= {("joints", name): element.place for name, element in joints.items()}
        root = self._root(links, joints)
        bodies = [self._body(name, element) for name, element in links.items()]
        read = [self._joint(name, element, links) for name, element in joints.items()]
        ground, first = self._base(root, links, read)
        # Pinocchio takes joints of one link in the order of their names.
        by_name = sorted(read, key=lambda joint: joint.name.encode())
        own_order, their_order = ([*first, *_ordered(root, order)] for order in (read, by_name))
        self._note_our_names(links, root, ground)
        self.notes += rounded_note(self.rounded)
        couplings = self._couplings(joints)
        graphics = ShapeReader(named_colors(robot.all("material")), self.origin)
        shapes = [shape for name, element in links.items() for shape in graphics.shapes(element, name)]
        driven = {joint.attributes.get("name") for item in robot.all("transmission") for joint in item.all("joint")}
        model_joints = [replace(joint, actuated=joint.name in driven) for joint in own_order]
        moved = [body for body in bodies if body.name != ground]
        return Model(
            name=model_name(robot.attributes.get("name"), robot.place.file),
            bodies=tuple(moved),
            joints=tuple(model_joints),
            forces=self._forces(joints, {joint.name: joint for joint in model_joints}),
            couplings=couplings,
            shapes=in_body_order(shapes, (ground, *(body.name for body in moved))),
            ground=ground,
            pinocchio_order=tuple(joint.name for joint in their_order if not joint.kind.is_rigid),
            accept_impossible_inertia=True,
            warnings=tuple(self.notes),
        )

    def _base(self, root: str, links: dict[str, Element], joints: Sequence[Joint]) -> tuple[str, list[Joint]]:
        """The name of ground, and the free joint from it to the root of what floats."""
        floating = self.options.floating
        if not floating and all(joint.kind.is_rigid for joint in joints):
            floating = True
            self.notes.append(f"nothing moves relative to the root link {root!r}, so the robot is taken as floating")
        if not floating:
            return root, []
        free = Joint(
            free_name(f"{root}_free", [joint.name for joint in joints]), FREE.name, free_name("ground", links), root
        )
        self.places["joints", free.name] = links[root].place
        return free.predecessor, [free]

    def _named(self, robot: Element, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for element in robot.all(tag):
            name = element.required("name")
            if name in found:
                raise element.error(
                    f"two {tag}s are named {name!r}, the first in line {found[name].place.line}", "rename one of them"
                )
            found[name] = element
        return found

    def _root(self, links: dict[str, Element], joints: dict[str, Element]) -> str:
        parent_of: dict[str, str] = {}
        for name, element in joints.items():
            parent, child = (self._link_of(element, tag, links) for tag in ("parent", "child"))
            if child in parent_of:
                raise element.error(
                    f"link {child!r} is the child of two joints, {parent_of[child]!r} and {name!r}",
                    "a URDF is a tree: put joints that close loops into NAME.loops.yaml",
                )
            if parent == child:
                raise element.error(
                    f"joint {name!r} connects link {child!r} with itself", "connect two different links"
                )
            parent_of[child] = name
        roots = [name for name in links if name not in parent_of]
        if not roots:
            raise next(iter(links.values())).error(
                "every link is the child of a joint", "leave one link without parent"
            )
        if len(roots) > 1:
            raise links[roots[1]].error(
                f"the links {listing(roots)} have no parent, so the robot falls into {len(roots)} parts",
                "connect them with joints",
            )
        return roots[0]

    def _link_of(self, joint: Element, tag: str, links: dict[str, Element]) -> str:
        element = joint.child(tag)
        if element is None:
            raise joint.error(f"joint {joint.attributes['name']!r} has no {tag}", f'add <{tag} link="..."/>')
        name = element.required("link")
        if name not in links:
            raise element.error(
                f"joint {joint.attributes['name']!r} refers to link {name!r}, which does not exist",
                _nearest(name, links),
            )
        return name

    # ---- links ------------------------------------------------------------------------------------------------------

    def _body(self, name: str, link: Element) -> Body:
        inertial = link.child("inertial")
        if inertial is None:
            return Body(name)
        mass = inertial.child("mass")
        if mass is None:
            raise inertial.error(f"the inertial of link {name!r} has no mass", "add <mass value=.../>")
        self.places["bodies", name, "mass"] = mass.place
        placement = self.origin(inertial, f"link {name}")
        origin = inertial.child("origin")
        if origin is not None:
            self.places["bodies", name, "center_of_mass"] = origin.place
        inertia = inertial.child("inertia")
        moments: list[Value] = [0] * 6
        if inertia is not None:
            self.places["bodies", name, "inertia"] = inertia.place
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            moments = [inertia.number(key, "0") for key in keys]
        return placed_body(name, mass.number("value"), placement, moments)

    # ---- joints -----------------------------------------------------------------------------------------------------

    def _joint(self, name: str, element: Element, links: dict[str, Element]) -> Joint:
        kind = element.required("type")
        if kind not in JOINT_TYPES:
            raise element.error(f"joint {name!r} has the unknown type {kind!r}", _nearest(kind, JOINT_TYPES))
        joint_type = JOINT_TYPES[kind]
        for tag, attributes in PLACED.items():
            part = element.child(tag)
            if part is not None:
                self.places |= {("joints", name, attribute): part.place for attribute in attributes}
        limit = element.part("limit")
        limits: dict[str, Any] = {}
        if joint_type.shape.nq == 1:
            ends = ("lower", "upper") if kind != "continuous" else ()
            stated = [key for key in ("effort", "velocity") if key in limit.attributes]
            for key in (*(ends if limit.attributes.keys() & set(ends) else ()), *stated):
                limits[key] = (limit.number(key, "0" if key in ends else ""),)
        return Joint(
            name,
            joint_type.name,
            self._link_of(element, "parent", links),
            self._link_of(element, "child", links),
            axis=element.part("axis").triple("xyz", (1, 0, 0)) if "axis" in joint_type.entries else (0, 0, 1),
            predecessor_placement=self.origin(element, f"joint {name}"),
            **limits,
        )

    def _couplings(self, joints: dict[str, Element]) -> tuple[Coupling, ...]:
        couplings = []
        fixed: list[str] = []
        ignored = 0
        for name, element in joints.items():
            mimic = element.child("mimic")
            if mimic is None:
                continue
            self.places["couplings", name] = mimic.place
            ignored += 1
            if self.options.mimic == "ignore":
                continue
            source = mimic.required("joint")
            if source not in joints:
                raise mimic.error(
                    f"joint {name!r} mimics joint {source!r}, which does not exist", _nearest(source, joints)
                )
            if JOINT_TYPES.get(element.required("type")) is FIXED:
                fixed.append(name)
                continue
            ratio = mimic.number("multiplier", "1")
            couplings.append(Coupling(name, source, ratio, mimic.number("offset", "0")))
        if ignored and self.options.mimic == "ignore":
            self.notes.append(f"{ignored} mimicking joints are taken as free ones")
        if fixed:
            self.notes.append(f"{len(fixed)} fixed joints ({listing(fixed)}) mimic others, which says nothing")
        return tuple(couplings)

    def _forces(self, joints: dict[str, Element], model_joints: dict[str, Joint]) -> tuple[ForceElement, ...]:
        forces: list[JointDamper | JointFriction] = []
        for name, element in joints.items():
            dynamics = element.part("dynamics")
            damping = dynamics.number("damping", "0")
            friction = dynamics.number("friction", "0")
            for force in resistance(model_joints[name], damping, friction):
                self.places["forces", force.name] = dynamics.place
                forces.append(force)
        if self.options.joint_dynamics == "forces":
            return tuple(forces)
        self.notes += resistance_left_out([force.joint for force in forces])
        return ()

    # ---- attributes -------------------------------------------------------------------------------------------------

    def origin(self, element: Element, owner: str = "") -> Placement:
        """The placement that an element has; its angles are noted where they look rounded and it has an owner."""
        origin = element.part("origin")
        translation = origin.triple("xyz", (0, 0, 0))
        written = origin.triple("rpy", (0, 0, 0))
        roll, pitch, yaw = (snapped_angle(angle, self.options.snap_angles) for angle in written)
        for angle in (yaw, pitch, roll):
            if owner and looks_rounded(angle):
                self.rounded.setdefault(owner, str(angle))
        placement = Placement.from_rpy(roll, pitch, yaw, translation)
        return COINCIDENT if placement == COINCIDENT else placement

    # ---- notes ------------------------------------------------------------------------------------------------------

    def _note_our_names(self, links: dict[str, Element], root: str, ground: str) -> None:
        for name in links:
            if name.lower() not in OUR_NAMES:
                continue
            if name == root == ground:
                self.notes.append(f"link {name!r} is the root and is taken as ground")
            else:
                self.notes.append(f"link {name!r} is a body like any other here; ground is called {ground!r}")


def _ordered(root: str, joints: Sequence[Joint]) -> list[Joint]:
    """The joints branch after branch from the root, then those that nothing connects with it."""
    found = {joint.name: joint for joint, _ in depth_first(joints, root)}
    return [*found.values(), *(joint for joint in joints if joint.name not in found)]


def _nearest(name: str, known: dict[str, Element] | dict[str, JointType]) -> str:
    names = sorted(known)
    return nearest(name, names, f"there are {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}")


SUFFIX: Final = ".xacro"


def expanded(path: str | Path) -> TextSource:
    """The URDF that a file in xacro stands for; places in it are those of what the package made.

    Raises:
        FormatError: the file cannot be read, or the package refuses it.
        ToolchainError: the package is not installed.
    """
    read_text(path)
    xacro = optional("xacro", f"{path} is written in xacro, which the package xacro expands", "xacro")
    try:
        text = xacro.process_file(str(path)).toprettyxml(indent=" ")
    except Exception as error:  # of the package's own kinds, of the expressions in the file, of files that it includes
        words = " ".join(str(error).split()) or type(error).__name__
        remedy = "check the file, or expand it where the packages are that it names"
        raise FormatError(f"xacro cannot expand it: {words}", where=f"{path}:1:1", remedy=remedy) from None
    return TextSource(f"{path} (expanded)", text)
