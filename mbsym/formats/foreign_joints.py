"""What resists the motion of joints in foreign files: damping and dry friction along each speed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mbsym.forces import JointDamper, JointFriction
from mbsym.formats.findings import listing
from mbsym.model.joint import Joint
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value


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
