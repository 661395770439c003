"""The joints of an SDF in order: a tree from the world, depth first, and the joints that close its loops.

A joint belongs to the tree if it closes no loop with fixed joints, with those along which something acts, and with
lighter joints by the weights that decide which joints a model cuts, unless the file itself has it close one. What is
not joined to the world floats with its canonical link or first one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from mbsym.formats.findings import listing
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
    joints, ground = model.joints, model.ground
    links = [body.name for body in model.bodies]
    weights = joint_weights(joint_traits(model))
    rigid, sets = _Sets(), _Sets()
    tree: dict[str, Joint] = {}
    for joint in joints:
        if joint.kind.is_rigid and rigid.join(joint):
            sets.join(joint)
            tree[joint.name] = joint
    idle = [
        joint.name
        for joint in joints
        if joint.name not in tree and rigid.find(joint.predecessor) == rigid.find(joint.successor)
    ]
    for joint in sorted(joints, key=lambda item: (item.name not in driven, weights[item.name])):
        if joint.name not in tree and joint.name not in idle and joint.cut != "cut" and sets.join(joint):
            tree[joint.name] = joint
    free: list[Joint] = []
    names = {joint.name for joint in joints}
    for link in (*roots, *links):
        if sets.find(link) != sets.find(ground):
            joint = Joint(free_name(f"{link}_free", names), FREE.name, ground, link)
            names.add(joint.name)
            sets.join(joint)
            free.append(joint)
    closing = [joint for joint in joints if joint.name not in tree and joint.name not in idle]
    inner = [joint for joint in joints if joint.name in tree]
    if closing:
        inner = [replace(joint, cut="tree") if joint.name in driven else joint for joint in inner]
    ordered = _depth_first([*inner, *free], ground)
    return Arrangement(
        (*ordered, *closing),
        tuple(joint.name for joint in ordered if joint.kind.is_rigid),
        tuple(joint.successor for joint in free),
        tuple(idle),
        tuple(joint.name for joint in closing if joint.name in driven),
    )


def _depth_first(joints: Sequence[Joint], ground: str) -> list[Joint]:
    """The joints of a tree branch after branch, those of one body in the order given, fixed ones leading outward."""
    around: dict[str, list[Joint]] = {}
    for joint in joints:
        around.setdefault(joint.predecessor, []).append(joint)
        around.setdefault(joint.successor, []).append(joint)
    found: dict[str, Joint] = {}
    waiting = [(joint, ground) for joint in reversed(around.get(ground, []))]
    while waiting:
        joint, inner = waiting.pop()
        outer = joint.successor if joint.predecessor == inner else joint.predecessor
        found[joint.name] = _outward(joint, inner) if joint.type == FIXED.name else joint
        waiting += [(item, outer) for item in reversed(around[outer]) if item.name not in found]
    return list(found.values())


def _outward(joint: Joint, inner: str) -> Joint:
    """A fixed joint, its frame that of its successor, from the body named."""
    if joint.predecessor == inner:
        return joint
    return replace(
        joint,
        predecessor=joint.successor,
        successor=joint.predecessor,
        predecessor_placement=inverse(joint.predecessor_placement),
    )
