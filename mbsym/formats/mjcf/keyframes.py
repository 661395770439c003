"""Keyframes of MJCF as named states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from mbsym.formats.rigid_frames import exact, placement_matrix, rounded, text
from mbsym.formats.text_source import TextSource
from mbsym.formats.xml_document import Element
from mbsym.formats.xml_numbers import read_numbers
from mbsym.joints.free import FREE
from mbsym.model.body import Placement
from mbsym.model.geometry import times, transposed
from mbsym.model.joint import Joint
from mbsym.model.named_state import JointValues, NamedState
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value


def read_states(source: TextSource, root: Element, joints: Sequence[Joint]) -> tuple[NamedState, ...]:
    """The states that the keyframes of a file are; those without a name are key_1, key_2, ... by their place.

    Args:
        source: the file.
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
        name = key.attributes.get("name", "").strip() or f"key_{position}"
        if any(state.name == name for state in states):
            raise source.error(key.place, f"two keyframes are named {name!r}", "rename one of them")
        q = _split(source, key, "qpos", moving, [joint.shape.nq for joint in moving])
        v = _split(source, key, "qvel", moving, [joint.shape.nv for joint in moving])
        places = dict(q)
        for joint, values in _with_joints(moving, q):
            quaternion = _pose(joint, values)[:4] if joint.kind.quaternion is not None else (1,)
            if not any(evaluate(value) for value in quaternion):
                raise source.error(
                    key.place, f"the quaternion of joint {joint.name!r} is zero", "give one of length one"
                )
        states.append(
            NamedState(
                name,
                tuple((joint.name, _pose(joint, values)) for joint, values in _with_joints(moving, q)),
                tuple(
                    (joint.name, _velocity(joint, values, places.get(joint.name)))
                    for joint, values in _with_joints(moving, v)
                ),
            )
        )
    return tuple(states)


def _split(source: TextSource, key: Element, word: str, joints: Sequence[Joint], sizes: list[int]) -> JointValues:
    """The numbers of an attribute by joint; nothing where the keyframe leaves them out."""
    if word not in key.attributes or not key.attributes[word].split():
        return ()
    numbers = read_numbers(source, key, word, sum(sizes))
    found = []
    for joint, size in zip(joints, sizes, strict=True):
        found.append((joint.name, numbers[:size]))
        numbers = numbers[size:]
    return tuple(found)


def _with_joints(joints: Sequence[Joint], values: JointValues) -> Iterable[tuple[Joint, tuple[Value, ...]]]:
    return ((joint, own) for joint, (_, own) in zip(joints, values, strict=bool(values)))


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
