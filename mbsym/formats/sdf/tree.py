"""The joints of an SDF in order: a tree from the world, depth first, and the joints that close its loops.

A joint belongs to the tree if it closes no loop with fixed joints, with those along which something acts, and with
lighter joints by the weights that decide which joints a model cuts, unless the file itself has it close one. What is
not joined to the world floats with its canonical link or first one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from mbsym.formats.findings import listing
from mbsym.formats.foreign_joints import depth_first
from mbsym.formats.rigid_frames import inverse
from mbsym.joints.fixed import FIXED
from mbsym.joints.free import FREE
from mbsym.model.joint import Joint
from mbsym.model.labelling import joint_traits
from mbsym.model.names import free_name
from mbsym.model.system import Model
from mbsym.topology.joint_weights import joint_weights


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Joints in order.

    Attributes:
        joints: the tree, depth first with free joints to what floats, then the joints that close loops.
        rigid: names of the fixed joints of the tree, whose predecessors are nearer to the world.
        floating: links that were given free joints.
        idle: joints between bodies that fixed joints hold together.
        without_coordinate: joints along which something acts that close a loop of such joints.
    """

    joints: tuple[Joint, ...]
    rigid: tuple[str, ...]
    floating: tuple[str, ...]
    idle: tuple[str, ...]
    without_coordinate: tuple[str, ...]

    def notes(self) -> list[str]:
        """Sentences for the user."""
        if not self.idle:
            return []
        return [f"{len(self.idle)} joints ({listing(self.idle)}) join what fixed joints hold together and are left out"]


@dataclass(slots=True)
class _Sets:
    """Bodies in sets that joints connect."""

    parent: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> str:
        while (above := self.parent.get(name, name)) != name:
            self.parent[name] = self.parent.get(above, above)
            name = above
        return name

    def hold(self, joint: Joint) -> bool:
        """Whether the ends of the joint are together."""
        return self.find(joint.predecessor) == self.find(joint.successor)

    def join(self, joint: Joint) -> bool:
        """Whether the ends of the joint were apart; they are together now."""
        first, second = self.find(joint.predecessor), self.find(joint.successor)
        self.parent[first] = second
        return first != second


def arranged(model: Model, roots: Sequence[str], driven: Collection[str]) -> Arrangement:
    """The joints of a model in order.

    Args:
        model: with its joints in the order and the directions of the file.
        roots: the links that float, if what they belong to does; the first of each part counts.
        driven: names of joints whose coordinates something needs, which stay in the tree.
    """
    tree, idle, sets = _chosen(model, driven)
    free = _floating(model, roots, sets)
    inner = [joint for joint in model.joints if joint.name in tree]
    closing = [joint for joint in model.joints if joint.name not in tree and joint.name not in idle]
    if closing:
        inner = [replace(joint, cut="tree") if joint.name in driven else joint for joint in inner]
    ordered = [_outward(joint, carrier) for joint, carrier in depth_first([*inner, *free], model.ground)]
    return Arrangement(
        (*ordered, *closing),
        tuple(joint.name for joint in ordered if joint.kind.is_rigid),
        tuple(joint.successor for joint in free),
        tuple(idle),
        tuple(joint.name for joint in closing if joint.name in driven),
    )


def _chosen(model: Model, driven: Collection[str]) -> tuple[set[str], dict[str, None], _Sets]:
    """Names of the tree's joints and of those between bodies that fixed joints hold, and what the tree connects."""
    rigid, sets, weights = _Sets(), _Sets(), joint_weights(joint_traits(model))
    tree = {joint.name for joint in model.joints if joint.kind.is_rigid and rigid.join(joint) and sets.join(joint)}
    others = [joint for joint in model.joints if joint.name not in tree]
    idle = dict.fromkeys(joint.name for joint in others if rigid.hold(joint))
    for joint in sorted(others, key=lambda item: (item.name not in driven, weights[item.name])):
        if joint.name not in idle and joint.cut != "cut" and sets.join(joint):
            tree.add(joint.name)
    return tree, idle, sets


def _floating(model: Model, roots: Sequence[str], sets: _Sets) -> list[Joint]:
    """A free joint from ground to each part that nothing connects to it, which it is connected to now."""
    free: list[Joint] = []
    names = {joint.name for joint in model.joints}
    for link in (*roots, *(body.name for body in model.bodies)):
        if sets.find(link) != sets.find(model.ground):
            free.append(Joint(free_name(f"{link}_free", names), FREE.name, model.ground, link))
            names.add(free[-1].name)
            sets.join(free[-1])
    return free


def _outward(joint: Joint, inner: str) -> Joint:
    """The joint; if it is fixed, its frame that of its successor, from the body named."""
    if joint.predecessor == inner or joint.type != FIXED.name:
        return joint
    return replace(
        joint,
        predecessor=joint.successor,
        successor=joint.predecessor,
        predecessor_placement=inverse(joint.predecessor_placement),
    )
