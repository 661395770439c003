"""URDF+: elements <loop> and <coupling> beside the links and joints of a URDF.

A loop is a joint between a frame on its predecessor and one on its successor, its axis in both. A coupling ties what
turns its successor to what turns its predecessor, both seen from the link that carries them, as q_successor = ratio
q_predecessor; where several joints lie between, their coordinates are added. The joints of loops are cut, so that the
coordinates are those of the tree; the mark ``independent`` of joints chooses among these, which mbsym does itself.
Source: Chignoli, Slotine, Wensing, Kim: URDF+: an enhanced URDF for robots with kinematic loops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mbsym.constraints import LinearCoupling
from mbsym.formats.text_source import FilePlace
from mbsym.formats.urdf.loop_file import LoopFile
from mbsym.formats.xml_document import Element
from mbsym.joints.fixed import FIXED
from mbsym.joints.planar import PLANAR
from mbsym.joints.prismatic import PRISMATIC
from mbsym.joints.record import JointType
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.spherical import SPHERICAL
from mbsym.model.body import Placement
from mbsym.model.joint import Coupling, Joint
from mbsym.model.system import Model
from mbsym.values.diagnostic import nearest
from mbsym.values.numbers import evaluate

LOOP_TYPES: Final[dict[str, JointType]] = {
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "fixed": FIXED,
    "planar": PLANAR,
    "spherical": SPHERICAL,
}
"""What the words for types of joints mean in a loop."""


def read_plus(robot: Element, model: Model, origin: Callable[[Element, str], Placement]) -> LoopFile:
    """The joints and couplings that close the loops of a robot.

    Args:
        robot: the root element.
        model: the tree of its links and joints.
        origin: reads the placement of an element for its owner.

    Raises:
        FormatError: a loop or coupling is not whole, or names what does not exist.
    """
    reader = _Reader(model, origin)
    loops = tuple(reader.loop(element) for element in robot.all("loop"))
    couplings = [reader.coupling(element) for element in robot.all("coupling")]
    return LoopFile(
        loops,
        tuple(item for item in couplings if not isinstance(item, Coupling)),
        reader.places,
        tuple(item for item in couplings if isinstance(item, Coupling)),
    )


class _Reader:
    def __init__(self, model: Model, origin: Callable[[Element, str], Placement]) -> None:
        self.places: dict[tuple[str, ...], FilePlace] = {}
        self._links = (model.ground, *(body.name for body in model.bodies))
        self._inboard = {joint.successor: joint for joint in model.joints}
        self._origin = origin

    def loop(self, element: Element) -> Joint:
        """The joint that an element <loop> describes."""
        name = element.required("name")
        kind = element.required("type")
        if kind not in LOOP_TYPES:
            raise element.error(f"loop {name!r} has the unknown type {kind!r}", nearest(kind, LOOP_TYPES))
        self.places["joints", name] = element.place
        predecessor, successor = (self._end(element, name, tag) for tag in ("predecessor", "successor"))
        axis = element.part("axis").triple("xyz", (1, 0, 0))
        return Joint(
            name,
            LOOP_TYPES[kind].name,
            self._link(predecessor, name),
            self._link(successor, name),
            axis=axis if "axis" in LOOP_TYPES[kind].entries else (0, 0, 1),
            predecessor_placement=self._origin(predecessor, f"loop {name}"),
            successor_placement=self._origin(successor, f"loop {name}"),
            cut="cut",
        )

    def coupling(self, element: Element) -> Coupling | LinearCoupling:
        """What an element <coupling> describes: a coupling of two joints, or a relation of more."""
        name = element.required("name")
        ends = [self._end(element, name, tag) for tag in ("predecessor", "successor")]
        ways = [self._way(self._link(end, name)) for end in ends]
        shared = {joint.name for joint in ways[0]} & {joint.name for joint in ways[1]}
        turning = [[joint for joint in way if joint.name not in shared and not joint.kind.is_rigid] for way in ways]
        for end, joints in zip(ends, turning, strict=True):
            if not joints:
                raise end.error(
                    f"no joint carries the {end.tag} of coupling {name!r} from the link that carries both",
                    "couple links that joints carry there",
                )
        stated = element.child("ratio")
        if stated is None:
            raise element.error(f"coupling {name!r} has no ratio", 'add <ratio value="..."/>')
        ratio = stated.number("value")
        if not evaluate(ratio):
            raise stated.error(f"the ratio of coupling {name!r} is zero", "give a ratio")
        leading, following = ([joint.name for joint in reversed(joints)] for joints in turning)
        if len(leading) + len(following) > 2:
            self.places["constraints", name] = element.place
            factors = (*(1 for _ in following), *(f"-({ratio})" for _ in leading))
            return LinearCoupling(name, (*following, *leading), factors)
        (leader,), (follower,) = leading, following
        self.places["couplings", follower] = element.place
        return Coupling(follower, leader, ratio)

    def _way(self, link: str) -> list[Joint]:
        """The joints from a link to the root."""
        way = []
        while link in self._inboard:
            way.append(self._inboard[link])
            link = way[-1].predecessor
        return way

    def _end(self, element: Element, name: str, tag: str) -> Element:
        end = element.child(tag)
        if end is None:
            raise element.error(f"{element.tag} {name!r} has no {tag}", f'add <{tag} link="..."/>')
        return end

    def _link(self, end: Element, name: str) -> str:
        link = end.required("link")
        if link not in self._links:
            raise end.error(
                f"the {end.tag} of {name!r} is link {link!r}, which does not exist", nearest(link, self._links)
            )
        return link
