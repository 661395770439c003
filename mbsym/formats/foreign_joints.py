"""Joints of foreign files: their order from the root outward, where free ones start, what resists their motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mbsym.forces import JointDamper, JointFriction
from mbsym.formats.findings import listing
from mbsym.formats.rigid_frames import pose_values
from mbsym.model.body import Placement
from mbsym.model.joint import Joint
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value

NEUTRAL = (1, 0, 0, 0, 0, 0, 0)


def depth_first(joints: Sequence[Joint], root: str) -> list[tuple[Joint, str]]:
    """The joints of a tree branch after branch, those of one body in the order given, each with its inner body."""
    around: dict[str, list[Joint]] = {root: []}
    for joint in joints:
        around.setdefault(joint.predecessor, []).append(joint)
        around.setdefault(joint.successor, []).append(joint)
    found: dict[str, tuple[Joint, str]] = {}
    waiting = [(joint, root) for joint in reversed(around[root])]
    while waiting:
        joint, inner = waiting.pop()
        found[joint.name] = joint, inner
        outer = joint.successor if joint.predecessor == inner else joint.predecessor
        waiting += [(item, outer) for item in reversed(around[outer]) if item.name not in found]
    return list(found.values())


def start_of(placement: Placement) -> tuple[Value, ...]:
    """The coordinates of a free joint whose successor starts there, () for the neutral ones."""
    values = pose_values(placement)
    return () if values == NEUTRAL else values


def suffix_of(joint: Joint, index: int) -> str:
    """What tells elements along a speed of a joint from those along its others."""
    return f"_{index}" if joint.shape.nv > 1 else ""


def resistance(
    joint: Joint, damping: Value, friction: Value, index: int | None = None
) -> Iterator[JointDamper | JointFriction]:
    """The damper and the friction along each speed of a joint, or along one of them; none of size zero."""
    for k in range(joint.shape.nv) if index is None else (index,):
        suffix = suffix_of(joint, k)
        if evaluate(damping):
            yield JointDamper(f"{joint.name}_damping{suffix}", joint.name, damping, k)
        if evaluate(friction):
            yield JointFriction(f"{joint.name}_friction{suffix}", joint.name, friction, index=k)


def resistance_left_out(names: Iterable[str]) -> list[str]:
    """A sentence about the joints whose resistance is not taken, if there are any."""
    joints = list(dict.fromkeys(names))
    if not joints:
        return []
    return [f"damping and friction of {len(joints)} joints ({listing(joints)}) are left out of the dynamics"]
