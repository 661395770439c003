"""Keyframes of MJCF as named states."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

from mbsym.formats.rigid_frames import exact, placement_matrix, rounded, text
from mbsym.formats.xml_document import Element
from mbsym.joints.free import FREE
from mbsym.model.body import Placement
from mbsym.model.geometry import times, transposed
from mbsym.model.joint import Joint
from mbsym.model.named_state import NamedState
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value


def read_states(root: Element, joints: Sequence[Joint]) -> tuple[NamedState, ...]:
    """The states that the keyframes of a file are; those without a name are key_1, key_2, ... by their place.

    Args:
        root: the model.
        joints: in the order of the file.

    Raises:
        FormatError: there are more or fewer numbers than coordinates or speeds, a quaternion is zero, or two keyframes
            have one name.
    """
    moving = [joint for joint in joints if not joint.kind.is_rigid]
    keys = [key for frame in root.all("keyframe") for key in frame.all("key")]
    states: list[NamedState] = []
    for position, key in enumerate(keys, start=1):
        name = key.words("name") or f"key_{position}"
        if any(state.name == name for state in states):
            raise key.error(f"two keyframes are named {name!r}", "rename one of them")
        q = _split(key, "qpos", [(joint, joint.shape.nq) for joint in moving])
        v = _split(key, "qvel", [(joint, joint.shape.nv) for joint in moving])
        poses = {joint.name: values for joint, values in q}
        for joint, values in q:
            quaternion = _pose(joint, values)[:4] if joint.kind.quaternion is not None else (1,)
            if not any(evaluate(value) for value in quaternion):
                raise key.error(f"the quaternion of joint {joint.name!r} is zero", "give one of length one")
        states.append(
            NamedState(
                name,
                tuple((joint.name, _pose(joint, values)) for joint, values in q),
                tuple((joint.name, _velocity(joint, values, poses.get(joint.name))) for joint, values in v),
            )
        )
    return tuple(states)


def _split(key: Element, word: str, sizes: list[tuple[Joint, int]]) -> list[tuple[Joint, tuple[Value, ...]]]:
    """The numbers of an attribute by joint; nothing where the keyframe leaves them out."""
    if not key.words(word):
        return []
    numbers = iter(key.numbers(word, sum(size for _, size in sizes)))
    return [(joint, tuple(islice(numbers, size))) for joint, size in sizes]


def _pose(joint: Joint, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Theirs has the position of a free joint first."""
    return (*values[3:], *values[:3]) if joint.kind is FREE else values


def _velocity(joint: Joint, values: tuple[Value, ...], pose: tuple[Value, ...] | None) -> tuple[Value, ...]:
    """Theirs has the velocity of a free joint first, in axes of the world; a keyframe without pose is at the start."""
    if joint.kind is not FREE:
        return values
    start = joint.initial[:4] or (1, 0, 0, 0)
    w, x, y, z = pose[3:] if pose is not None else start
    R = transposed(placement_matrix(Placement(quaternion=(w, x, y, z))))
    a, b, c = (exact(value) for value in values[:3])
    turned: tuple[Fraction, ...] = times(R, (a, b, c))
    return (*values[3:], *(text(rounded(part)) for part in turned))
