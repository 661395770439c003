"""MJCF: the XML models of MuJoCo, as far as they describe rigid bodies and joints.

Contacts, tendons, sensors and all that is only seen are left out. Coordinates are those of MuJoCo but for free joints,
whose position follows the quaternion here and whose linear velocity is in body axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path

from mbsym.forces import ForceElement, JointSpring
from mbsym.formats.fixed_joints import finished
from mbsym.formats.foreign_joints import resistance, start_of
from mbsym.formats.load_options import DEFAULTS, LoadOptions
from mbsym.formats.mjcf.actuators import with_actuators, with_rotors
from mbsym.formats.mjcf.assets import Assets, read_assets
from mbsym.formats.mjcf.defaults import MAIN, Defaults, read_defaults
from mbsym.formats.mjcf.equality import closures
from mbsym.formats.mjcf.frames import AngleRules, read_frame, reference_shift
from mbsym.formats.mjcf.geoms import geom_group, geom_mass, stated_mass, with_total_mass
from mbsym.formats.mjcf.keyframes import read_states
from mbsym.formats.mjcf.meshes import MeshMasses
from mbsym.formats.mjcf.nested import FRAME_TAGS, Part, joined, named_frame, parts_within
from mbsym.formats.mjcf.settings import Settings, angle_rules, read_settings
from mbsym.formats.mjcf.shapes import read_shapes
from mbsym.formats.mjcf.spring_dampers import with_spring_dampers
from mbsym.formats.mjcf.words import MJCF_WORDS, PASSIVE_FLAGS, check_keywords
from mbsym.formats.mjcf.written_out import with_copies, with_includes
from mbsym.formats.rigid_frames import ExactMass, turned_vector
from mbsym.formats.text_source import FilePlace, TextSource, read_text
from mbsym.formats.vocabulary import unknown_words
from mbsym.formats.xml_document import Element, read_xml
from mbsym.joints.fixed import FIXED
from mbsym.joints.free import FREE
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.model.body import COINCIDENT, Body, Placement
from mbsym.model.frame import Frame
from mbsym.model.joint import Joint
from mbsym.model.names import free_name, model_name
from mbsym.model.shape import Shape, in_body_order
from mbsym.model.system import Model
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value, Vector

JOINT_TYPES: dict[str, JointType] = {"hinge": REVOLUTE, "slide": PRISMATIC, "ball": SPHERICAL, "free": FREE}
"""What MJCF's words for types of joints mean."""

FREE_WORD = next(word for word, kind in JOINT_TYPES.items() if kind is FREE)
GROUND = "world"
OF_BODIES = ("joint", "freejoint", "inertial")
"""What a frame holds for the body around it, of which the world has none."""

LONGEST_STEM = 40
"""Characters of the name of a body from which those that it carries have theirs, if they have none of their own."""

MOTORS = {"actuator": "actuators"}
OF_TENDONS = ("stiffness", "damping", "armature", "frictionloss")
LEFT_OUT = {"tendon": "tendons", "contact": "contacts", "deformable": "deformable bodies"}


def load_mjcf(path: str | Path, options: LoadOptions = DEFAULTS) -> Model:
    """The model that an MJCF file describes.

    Raises:
        FormatError: the file cannot be read, holds what is not covered, or is no mechanism; ``where`` is
            ``FILE:LINE:COL``.
    """
    return read_mjcf(read_text(path), options)


def read_mjcf(source: TextSource, options: LoadOptions = DEFAULTS) -> Model:
    """The model that an MJCF text describes; errors as ``load_mjcf``."""
    root = read_xml(source)
    if root.tag != "mujoco":
        remedy = "give the file the suffix .urdf" if root.tag == "robot" else "an MJCF file holds one element <mujoco>"
        raise root.error(f"<{root.tag}> is no model in MJCF", remedy)
    root, told = with_includes(source, root, options.files_under)
    check_keywords(root)
    rules, settings = angle_rules(root, options.snap_angles), read_settings(root)
    notes = [*told, *unknown_words(root, MJCF_WORDS, strict=options.strict)]
    root = with_copies(root, rules)
    classes = read_defaults(root)
    assets = read_assets(root, classes)
    meshes = MeshMasses(assets, rules, settings.exact_meshes)
    reader = _Reader(options, rules, settings, classes, assets, meshes, notes)
    model = reader.model(root)
    return finished(model, options, reader.places, reader.welds)


@dataclass(slots=True)
class _Reader:
    """Reads one model.

    Attributes:
        classes: default classes.
        assets: meshes and materials.
        places: of bodies, joints and their parts, by kind, name and attribute of the model.
        bodies: read so far, in order.
        sites: by name, those among the frames.
        poses: of each body in the world at the reference position.
        welds: names of the fixed joints of bodies without joints.
        references: the value of each joint's coordinate at the reference position.
        anchors: frame of each joint's anchor in the world there, and its axis in it.
        times: time constant and damping ratio of joints that state these.
        names, joint_names: of bodies and joints: those that the file gives, then those made so far as well.
        friction: how many joints have dry friction that is left out.
    """

    options: LoadOptions
    rules: AngleRules
    settings: Settings
    classes: Defaults
    assets: Assets
    mesh_masses: MeshMasses
    notes: list[str]
    places: dict[tuple[str, ...], FilePlace] = field(default_factory=dict)
    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    forces: list[ForceElement] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    sites: dict[str, Frame] = field(default_factory=dict)
    shapes: list[Shape] = field(default_factory=list)
    poses: dict[str, Placement] = field(default_factory=lambda: {GROUND: COINCIDENT})
    welds: list[str] = field(default_factory=list)
    references: dict[str, Value] = field(default_factory=dict)
    anchors: dict[str, tuple[Placement, Vector]] = field(default_factory=dict)
    times: dict[str, tuple[float, float]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    joint_names: set[str] = field(default_factory=set)
    friction: int = 0

    def model(self, root: Element) -> Model:
        """The model with all bodies as they stand."""
        self.places[()] = root.place
        if any(item.attributes.get("alignfree") == "true" for item in root.all("compiler")):
            self.notes.insert(0, "frames of free bodies are where the file has them; alignfree would move them")
        worlds = list(root.all("worldbody"))
        if not worlds:
            raise root.error("the model has no <worldbody>", "add one with bodies")
        self.names |= _given_names(worlds, "body")
        self.joint_names |= _given_names(worlds, "joint", "freejoint")
        for world in worlds:
            parts = parts_within(world, MAIN, self.rules)
            for part in parts:
                if part.element.tag in OF_BODIES:
                    what = f"<{part.element.tag}> of the world, which does not move"
                    raise part.element.error(what, "put it into a body")
            self._read_frames(parts, GROUND)
            self.shapes += read_shapes(self._geoms(parts), GROUND, self.assets, self.rules)
            self._read_children(parts)
        self.notes += self.mesh_masses.notes()
        joints_by_name = {joint.name: joint for joint in self.joints}
        closing = closures(self.classes, root, joints_by_name, self.poses, self.sites, self.references, self.places)
        self._note_what_is_left_out(root)
        driven = {element.attributes.get("joint", "") for element in root.within("actuator")}
        joints = tuple(replace(joint, actuated=joint.name in driven) for joint in self.joints)
        model = Model(
            name=model_name(root.attributes.get("model"), root.place.file),
            bodies=with_total_mass(root, self.bodies),
            joints=(*joints, *closing.loops),
            forces=tuple(self.forces),
            couplings=tuple(closing.couplings),
            constraints=tuple(closing.relations),
            frames=tuple(self.frames),
            shapes=in_body_order(self.shapes, (GROUND, *(body.name for body in self.bodies))),
            states=read_states(root, self.joints),
            gravity=self._gravity(root),
            ground=GROUND,
            accept_impossible_inertia=True,
            warnings=tuple(self.notes),
        )
        motors = [self.classes.applied(element, MAIN) for element in root.within("actuator")]
        model = with_spring_dampers(with_rotors(motors, model), self.times, self.anchors)
        return model if self.options.actuators == "ignore" else with_actuators(motors, model)

    def _gravity(self, root: Element) -> Vector:
        gravity: Vector = (0, 0, "-9.81")
        acts = True
        for option in root.all("option"):
            if "gravity" in option.attributes:
                gravity = option.triple("gravity")
            for flag in option.all("flag"):
                acts = flag.attributes.get("gravity", "enable" if acts else "disable") == "enable"
                off = [key for key in PASSIVE_FLAGS if flag.attributes.get(key) == "disable"]
                if off:
                    self.notes.append(f"{', '.join(off)} are disabled in the file and act here all the same")
            for key in ("density", "viscosity"):
                if key in option.attributes and evaluate(option.number(key)) != 0:
                    self.notes.append(f"the {key} of the medium is left out of the dynamics")
        return gravity if acts else (0, 0, 0)

    def _note_what_is_left_out(self, root: Element) -> None:
        ties = [item.attributes for item in root.within("equality") if item.tag == "tendon"]
        tying = {item.get(key) for item in ties for key in ("tendon1", "tendon2")}
        for tag, word in {**LEFT_OUT, **(MOTORS if self.options.actuators == "ignore" else {})}.items():
            count = sum(tag != "tendon" or item.attributes.get("name") not in tying for item in root.within(tag))
            if count:
                self.notes.append(f"{count} {word} are left out of the dynamics")
        for tendon in root.within("tendon"):
            given = self.classes.applied(replace(tendon, tag="tendon"), MAIN).attributes
            own = [key for key in OF_TENDONS if any(part != "0" for part in given.get(key, "0").split())]
            if own and given.get("name") in tying:
                told = " and ".join(own)
                self.notes.append(f"{told} of tendon {given['name']!r}, which ties joints, is left out of the dynamics")
        if self.friction:
            self.notes.append(f"the dry friction of {self.friction} joints is left out of the dynamics")

    # ---- bodies -----------------------------------------------------------------------------------------------------

    def _read_children(self, parts: Iterable[Part]) -> None:
        """The bodies of the world, from the outside in: a stack, because files may be deeper than Python's."""
        stack = [(part, GROUND) for part in reversed(list(parts)) if part.element.tag == "body"]
        while stack:
            body, carrier = stack.pop()
            name, within = self._read_body(body, carrier)
            stack += [(part, name) for part in reversed(within) if part.element.tag == "body"]

    def _read_body(self, part: Part, carrier: str) -> tuple[str, list[Part]]:
        """Reads one body; returns its name and what is within."""
        element = part.element
        inner = element.attributes.get("childclass", part.around)
        name = element.attributes.get("name") or self._made_name(element, carrier)
        if element.attributes.get("mocap") == "true":
            self.notes.append(f"body {name!r}, which may be moved from outside (mocap), stays where the file has it")
        if element.attributes.get("gravcomp", "0") != "0":
            self.notes.append(f"the compensation of gravity of body {name!r} is left out of the dynamics")
        self.places["bodies", name] = element.place
        placement = part.on_body(read_frame(element, self.rules))
        self.poses[name] = joined(self.poses[carrier], placement)
        within = parts_within(element, inner, self.rules)
        joints = [
            replace(item, element=self.classes.applied(item.element, item.around))
            if item.element.tag == "joint"
            else item
            for item in within
            if item.element.tag in ("joint", "freejoint")
        ]
        below = carrier
        for position, joint in enumerate(joints):
            last = position == len(joints) - 1
            above = name if last else self._new_name(f"{name}_{position + 1}", self.names)
            if not last:
                self.places["bodies", above] = element.place
                self.bodies.append(Body(above))
            self._read_joint(joint, name, below, above, placement if position == 0 else COINCIDENT, len(joints))
            below = above
        if not joints:
            weld = self._new_name(f"{name}_weld", self.joint_names)
            self.places["joints", weld] = element.place
            self.welds.append(weld)
            self._add(Joint(weld, FIXED.name, carrier, name, predecessor_placement=placement), name)
        geoms = self._geoms(within)
        self.bodies.append(self.settings.bounded(self._mass(within, geoms, name)))
        self._read_frames(within, name)
        self.shapes += read_shapes(geoms, name, self.assets, self.rules)
        return name, within

    def _read_frames(self, parts: Iterable[Part], body: str) -> None:
        for part in parts:
            if part.element.tag in FRAME_TAGS and "name" in part.element.attributes:
                taken = {frame.name for frame in self.frames}
                element = self.classes.applied(part.element, part.around)
                frame = named_frame(element, body, self.rules, taken)
                self.places["frames", frame.name] = element.place
                self.frames.append(replace(frame, placement=part.on_body(frame.placement)))
                if part.element.tag == "site":
                    self.sites[part.element.attributes["name"]] = self.frames[-1]

    def _geoms(self, parts: Iterable[Part]) -> list[Part]:
        """The geoms with the attributes of their default classes."""
        return [
            replace(part, element=self.classes.applied(part.element, part.around))
            for part in parts
            if part.element.tag == "geom"
        ]

    def _made_name(self, body: Element, carrier: str) -> str:
        """A name by the line of a body without one, by that of its carrier unless it would grow with the depth."""
        stem = carrier if len(carrier) <= LONGEST_STEM else "body"
        return self._new_name(f"{stem}_{body.place.before + body.place.line}", self.names)

    def _new_name(self, wanted: str, taken: set[str]) -> str:
        name = free_name(wanted, taken)
        taken.add(name)
        return name

    def _mass(self, parts: Iterable[Part], geoms: Iterable[Part], name: str) -> Body:
        inertial = next((part for part in parts if part.element.tag == "inertial"), None)
        if inertial is not None and self.settings.from_geoms != "true":
            self.places["bodies", name, "mass"] = self.places["bodies", name, "inertia"] = inertial.element.place
            return stated_mass(inertial, name, self.rules)
        if self.settings.from_geoms == "false":
            return Body(name)
        found = []
        for part in geoms:
            if self.settings.counts(geom_group(part.element)):
                own = geom_mass(part.element, self.rules, self.mesh_masses.geom_mass)
                if own is not None:
                    found.append(own if part.outer == COINCIDENT else own.moved(part.outer))
        return reduce(ExactMass.joined, found).body(name) if found else Body(name)

    # ---- joints -----------------------------------------------------------------------------------------------------

    def _read_joint(self, part: Part, body: str, below: str, above: str, placement: Placement, count: int) -> None:
        element = part.element
        kind = FREE_WORD if element.tag == "freejoint" else element.attributes.get("type", "hinge")
        if kind not in JOINT_TYPES:
            raise element.error(f"there is no joint type {kind!r}", f"use one of {', '.join(JOINT_TYPES)}")
        name = element.attributes.get("name") or self._new_name(f"{body}_{kind}", self.joint_names)
        if any(joint.name == name for joint in self.joints):
            raise element.error(f"two joints are named {name!r}", "rename one of them")
        self.places["joints", name] = element.place
        if kind == FREE_WORD:
            self._read_free_joint(element, name, below, above, placement, count)
            return
        anchor = element.triple("pos", (0, 0, 0))
        axis: Vector = (0, 0, 1)
        if kind in ("hinge", "slide") and "axis" in element.attributes:
            axis = element.triple("axis")
        reference = self._angle(element, "ref", kind) if kind in ("hinge", "slide") else 0
        if part.outer != COINCIDENT:
            axis = turned_vector(part.outer, axis)
        at = part.on_body(Placement(anchor))
        at = Placement(at.translation)
        lower, upper = self._limits(element, kind)
        joint = Joint(
            name,
            JOINT_TYPES[kind].name,
            below,
            above,
            axis=axis,
            predecessor_placement=joined(joined(placement, at), reference_shift(kind, axis, reference)),
            successor_placement=COINCIDENT if at == COINCIDENT else at,
            armature=element.number("armature", "0"),
            lower=lower,
            upper=upper,
        )
        self.references[name] = reference
        self._add(joint, body)
        self._read_forces(element, joint, kind)

    def _read_free_joint(
        self, element: Element, name: str, below: str, above: str, placement: Placement, count: int
    ) -> None:
        if below != GROUND or count > 1:
            raise element.error(f"free joint {name!r} is not the only joint of a body of the world", "use other joints")
        armature = element.number("armature", "0") if element.tag == "joint" else 0
        joint = Joint(name, FREE.name, below, above, initial=start_of(placement), armature=armature)
        self._add(joint, above)
        if element.tag == "joint":
            self._read_forces(element, joint, FREE_WORD)

    def _add(self, joint: Joint, body: str) -> None:
        self.joints.append(joint)
        self.anchors[joint.name] = joined(self.poses[body], joint.successor_placement), joint.axis

    def _angle(self, element: Element, key: str, kind: str) -> Value:
        value = element.number(key, "0")
        return self.rules.radians(value) if kind == "hinge" else value

    def _first_power(self, element: Element, key: str) -> Value:
        """A coefficient that newer files may follow up with those of higher powers."""
        words = element.attributes.get(key, "").split()
        if len(words) < 2:
            return element.number(key, "0")
        first, *higher = element.numbers(key, len(words))
        if any(evaluate(value) != 0 for value in higher):
            raise element.error(
                f"{key} as a polynomial is not covered", "keep the first number, or write a joint force"
            )
        return first

    def _limits(self, element: Element, kind: str) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """Lower and upper limits of the coordinates, empty if there are none."""
        if kind not in ("hinge", "slide") or "range" not in element.attributes:
            return (), ()
        lower, upper = element.numbers("range", 2)
        if not self.settings.is_limited(element, lower, upper):
            return (), ()
        if kind == "hinge":
            lower, upper = self.rules.radians(lower), self.rules.radians(upper)
        return (lower,), (upper,)

    def _read_forces(self, element: Element, joint: Joint, kind: str) -> None:
        damping = self._first_power(element, "damping")
        stiffness = self._first_power(element, "stiffness")
        if "springdamper" in element.attributes:
            constant, ratio = element.numbers("springdamper", 2)
            if evaluate(constant) > 0 and evaluate(ratio) > 0:
                self.times[joint.name] = evaluate(constant), evaluate(ratio)
                damping = stiffness = 1  # sized when all bodies are read
        if evaluate(damping) != 0:
            self.forces += resistance(joint, damping, 0)
        if evaluate(stiffness) != 0:
            if kind not in ("hinge", "slide"):
                raise element.error(f"the stiffness of {kind} joint {joint.name!r} is not covered", "remove it")
            rest = self._angle(element, "springref", kind)
            self.forces.append(JointSpring(f"{joint.name}_stiffness", joint.name, stiffness, rest))
        friction = element.number("frictionloss", "0")
        if evaluate(friction) != 0 and self.options.joint_dynamics == "ignore":
            self.friction += 1
        elif evaluate(friction) != 0:
            self.forces += resistance(joint, 0, friction)


def _given_names(worlds: Iterable[Element], *tags: str) -> set[str]:
    """The names of all elements of these tags in the bodies of the world."""
    found: set[str] = set()
    stack = list(worlds)
    while stack:
        inside = stack.pop()
        stack += [child for child in inside.children if child.tag in ("body", "frame")]
        found |= {child.attributes["name"] for tag in tags for child in inside.all(tag) if "name" in child.attributes}
    return found
