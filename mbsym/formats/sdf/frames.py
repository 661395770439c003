"""Frames of an SDF: what has one, what carries it, and where it is.

World, models, links, joints, sensors and elements <frame> have frames. A pose is in the frame that it is
``relative_to``: without the attribute a link's in its model, a joint's in its child, a frame's in what it is attached
to, that of a sensor in the link or joint that it is on. Names are looked up in the model or world around an element;
``a::b`` is what the model a there calls b. Source: the specification of SDFormat, pose frame semantics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, cast

from mbsym.formats.angles import looks_rounded
from mbsym.formats.mjcf.frames import AngleRules
from mbsym.formats.rigid_frames import inverse, joined_turns, placed_on, tidied
from mbsym.formats.sdf.document import WORLD, is_set, is_true
from mbsym.formats.sdf.words import MODEL_FRAME, NAMED
from mbsym.formats.xml_document import Element
from mbsym.model.body import COINCIDENT, Axis, Placement
from mbsym.model.geometry import norm
from mbsym.values.diagnostic import nearest
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value, Vector

Kind = Literal["world", "model", "link", "joint", "frame", "sensor"]

SCOPE: Final = "::"
NEAR: Final = 3
"""Poses in a row that are composed anew, which keeps angles and decimals as they are; more of them go by the world."""
MOST_NESTED: Final = 100
"""Models within each other."""


@dataclass(slots=True, eq=False)
class Node:
    """Something with a frame.

    Attributes:
        name: in the model that is made, the names of the models around it before its own.
        kind: of element.
        element: that it stands for; the world of a lone model is that model's.
        around: the world or model that it stands in, None for the world.
        static: whether it is, or stands in, a static model.
        on: of a sensor, the link or joint that has it.
        inner: of a world or model, what stands in it, by its own name.
    """

    name: str
    kind: Kind
    element: Element
    around: Node | None = None
    static: bool = False
    on: Node | None = None
    inner: dict[str, Node] = field(default_factory=dict)

    @property
    def scope(self) -> Node:
        """Where the names that it refers to are looked up."""
        return self.around if self.around is not None else self


class Frames:
    """All frames of a file.

    Attributes:
        world: the frame of the world, which is ground.
        nodes: all others, in the order of the file.
        rounded: names of elements with angles that look rounded, with one such angle each.
    """

    def __init__(self, top: Element, snap_angles: float) -> None:
        self.tolerance = max(snap_angles, 1e-13)
        self.rounded: dict[str, str] = {}
        self._snap = snap_angles
        self._carriers: dict[Node, tuple[Node, Placement]] = {}
        self._bodies: dict[Node, Node] = {}
        self.world = Node(WORLD, "world", top)
        self._placed = {self.world: COINCIDENT}
        self.nodes: list[Node] = []
        if top.tag == "model":
            self._read(self._node(top, self.world, ""))
        else:
            self._read(self.world)

    # ---- what there is ----------------------------------------------------------------------------------------------

    def _read(self, top: Node) -> None:
        """Everything within; what stands in the one model of a world has no prefix."""
        lone = top.kind == "model" or len(list(top.element.all("model"))) == 1
        pending = [(element, top, "") for element in reversed(top.element.children)]
        while pending:
            element, around, prefix = pending.pop()
            if element.tag not in NAMED:
                continue
            node = self._node(element, around, prefix)
            if element.tag == "model":
                if node.name.count(SCOPE) > MOST_NESTED:
                    raise element.error("the models are nested too deeply", "flatten them")
                inner = "" if lone and around.kind == "world" else f"{node.name}{SCOPE}"
                pending += [(child, node, inner) for child in reversed(element.children)]

    def _node(self, element: Element, around: Node, prefix: str) -> Node:
        name = element.required("name")
        if name == WORLD or (name.startswith("__") and name.endswith("__")):
            raise element.error(f"the name {name!r} is reserved", "rename it")
        static = around.static or (element.tag == "model" and is_true(element.child("static")))
        node = Node(f"{prefix}{name}", cast("Kind", element.tag), element, around, static)
        other = around.inner.get(name)
        if other is not None and other.kind == node.kind:
            raise element.error(
                f"two {element.tag}s are named {name!r}, the first in line {other.element.place.shown_line}",
                "rename one of them",
            )
        # Before version 1.7 a joint may have the name of a link, which is what a reference to that name means.
        if other is None or (node.kind == "link" and other.kind != "link"):
            around.inner[name] = node
        self.nodes.append(node)
        if node.kind in ("link", "joint"):
            self.nodes += (
                Node(f"{node.name}{SCOPE}{sensor.attributes['name'].strip()}", "sensor", sensor, around, static, node)
                for sensor in element.all("sensor")
                if sensor.words("name")
            )
        return node

    def of_kind(self, kind: Kind) -> list[Node]:
        """The nodes of a kind, in the order of the file."""
        return [node for node in self.nodes if node.kind == kind]

    def named(self, scope: Node, name: str, element: Element, word: str) -> Node:
        """What a name means in a world or model.

        Args:
            scope: where it is looked up.
            name: that an element refers to.
            element: for messages.
            word: what refers to it, for messages.

        Raises:
            FormatError: there is nothing of that name.
        """
        node = scope
        rest = name
        while rest:
            if rest == MODEL_FRAME and node.kind == "model":
                return node
            if rest == WORLD and node.kind == "world":
                return node
            if rest in node.inner:
                return node.inner[rest]
            first, _, rest = rest.partition(SCOPE)
            if first not in node.inner or node.inner[first].kind != "model":
                break
            node = node.inner[first]
        known = [*node.inner, MODEL_FRAME if node.kind == "model" else WORLD]
        shown = name if node is scope else name.rpartition(SCOPE)[2]
        raise element.error(f"{word} refers to {name!r}, which does not exist", nearest(shown, known))

    # ---- what moves with what ---------------------------------------------------------------------------------------

    def body(self, node: Node) -> Node:
        """The link, or the world, that a frame moves with.

        Raises:
            FormatError: frames are attached in a circle, or a model has no link.
        """
        way: list[Node] = []
        found = node
        while found.kind not in ("link", "world"):
            if found in self._bodies:
                found = self._bodies[found]
                break
            if found in way:
                raise node.element.error(
                    f"what {node.kind} {node.name!r} is attached to goes round in a circle: "
                    f"{' <- '.join(item.name for item in [*way, found])}",
                    "attach one of these frames to a link",
                )
            way.append(found)
            found = self._attached_to(found)
        for item in way:
            self._bodies[item] = found
        return found

    def _attached_to(self, node: Node) -> Node:
        element, scope = node.element, node.scope
        if node.on is not None:
            return node.on
        if node.kind == "joint":
            return self.end(node, "child")
        if node.kind == "frame":
            name = element.words("attached_to")
            return self.named(scope, name, element, f"frame {node.name!r}") if name else scope
        name = "" if node.static else element.words("canonical_link")
        if name:
            return self.named(node, name, element, f"the canonical link of model {node.name!r}")
        pending = [node]
        while pending:
            model = pending.pop()
            if model.static:
                return self.world
            links = [item for item in model.inner.values() if item.kind == "link"]
            if links:
                return links[0]
            pending += [item for item in reversed(model.inner.values()) if item.kind == "model"]
        raise element.error(f"model {node.name!r} has no <link>", "add its links")

    def end(self, joint: Node, tag: Literal["parent", "child"]) -> Node:
        """The frame that a joint names as its parent or child.

        Raises:
            FormatError: it names none, or one that does not exist.
        """
        element = joint.element.part(tag)
        name = element.words("")
        if not name:
            raise joint.element.error(f"joint {joint.name!r} has no {tag}", f"add <{tag}>...</{tag}>")
        if name == WORLD:
            if tag == "child":
                raise element.error(f"the world is the child of joint {joint.name!r}", "make it the parent")
            return self.world
        return self.named(joint.scope, name, element, f"joint {joint.name!r}")

    # ---- where it is ------------------------------------------------------------------------------------------------

    def placement(self, node: Node, carrier: Node) -> Placement:
        """Where a frame is in another one, with all joints at zero.

        Raises:
            FormatError: poses are relative to each other in a circle.
        """
        outward, inward = self._way(node), self._way(carrier)
        while outward and inward and outward[-1] is inward[-1]:
            outward.pop()
            inward.pop()
        if max(len(outward), len(inward)) > NEAR:
            back, at = self._in_world(carrier), self._in_world(node)
        else:
            back, at = self._along(inward), self._along(outward)
        return at if back == COINCIDENT else placed_on(inverse(back), at, self.tolerance)

    def _way(self, node: Node) -> list[Node]:
        """The frames that a pose is in, from itself to the world."""
        way = {node: None}
        while node is not self.world:
            carrier, _ = self._carrier(node)
            if carrier in way:
                raise node.element.error(
                    f"the pose of {node.kind} {node.name!r} is relative to itself: "
                    f"{' <- '.join(item.name for item in [*way, carrier])}",
                    "give one of these poses relative to the model",
                )
            way[carrier] = None
            node = carrier
        return list(way)

    def _along(self, way: list[Node]) -> Placement:
        """Where the first frame of a way is in what carries its last."""
        at = COINCIDENT
        for node in way:
            at = placed_on(self._carrier(node)[1], at, self.tolerance)
        return at

    def _in_world(self, node: Node) -> Placement:
        for item in reversed(self._way(node)):
            if item not in self._placed:
                carrier, pose = self._carrier(item)
                self._placed[item] = placed_on(self._placed[carrier], pose, self.tolerance)
        return self._placed[node]

    def _carrier(self, node: Node) -> tuple[Node, Placement]:
        """The frame that a pose is in, and the pose."""
        known = self._carriers.get(node)
        if known is not None:
            return known
        element, scope = node.element, node.scope
        pose = element.part("pose")
        placement = self.pose(pose, f"{node.kind} {node.name}")
        name = pose.words("relative_to")
        if name:
            carrier = self.named(scope, name, pose, f"the pose of {node.kind} {node.name!r}")
        elif node.kind == "joint":
            carrier = self.end(node, "child")
        elif node.kind in ("frame", "sensor"):
            carrier = self._attached_to(node)
        else:
            carrier = scope
        self._carriers[node] = carrier, placement
        placed = element.words("placement_frame") if node.kind in ("model", "frame") else ""
        if placed:
            # The frame of a merged model stands beside what was in the model.
            around = node if node.kind == "model" else scope
            frame = self.named(around, placed, element, f"the placement frame of {node.kind} {node.name!r}")
            way = self._way(frame)
            back = inverse(self._along(way[: way.index(node)]))
            self._carriers[node] = carrier, placed_on(placement, back, self.tolerance)
        return self._carriers[node]

    def on_link(self, link: Node, element: Element) -> Placement:
        """Where an element of a link is in it; errors as ``placement``."""
        pose = element.part("pose")
        placement = self.pose(pose, f"{element.tag} of link {link.name}")
        name = pose.words("relative_to")
        if not name:
            return placement
        carrier = self.named(link.scope, name, pose, f"the pose of a {element.tag} of link {link.name!r}")
        return placed_on(self.placement(carrier, link), placement, self.tolerance)

    def pose(self, element: Element, owner: str) -> Placement:
        """The placement that an element <pose> holds.

        Args:
            element: one without text is no pose.
            owner: what has the pose, for notes.

        Raises:
            FormatError: it does not hold six numbers, or seven with a quaternion.
        """
        form = element.words("rotation_format", "euler_rpy")
        if form not in ("euler_rpy", "quat_xyzw"):
            raise element.error(f"there is no rotation_format {form!r}", "say euler_rpy or quat_xyzw")
        degrees = is_set(element, "degrees")
        if not element.text.strip():
            return COINCIDENT
        if form == "quat_xyzw":
            if degrees:
                raise element.error("a quaternion has no degrees", "remove degrees")
            x, y, z, a, b, c, w = element.numbers("", 7)
            if norm([evaluate(value) for value in (w, a, b, c)]) == 0:
                raise element.error("the quaternion of <pose> is zero", "give one of length one")
            placement = Placement(_tidy(x, y, z), quaternion=(w, a, b, c))
            placement = tidied(placement, self.tolerance)
        else:
            x, y, z, roll, pitch, yaw = element.numbers("", 6)
            rules = AngleRules(degrees, "xyz", self._snap)
            turns: list[tuple[Axis, Value]] = []
            axes: tuple[tuple[Axis, Value], ...] = (("z", yaw), ("y", pitch), ("x", roll))
            for axis, written in axes:
                angle = rules.radians(written)
                turns.append((axis, angle))
                if not degrees and looks_rounded(angle):
                    self.rounded.setdefault(owner, str(written))
            placement = Placement(_tidy(x, y, z), joined_turns(tuple(turns), self._snap))
        return COINCIDENT if placement == COINCIDENT else placement


def _tidy(x: Value, y: Value, z: Value) -> Vector:
    """The components with every zero as the integer."""
    a, b, c = (value if evaluate(value) else 0 for value in (x, y, z))
    return a, b, c
