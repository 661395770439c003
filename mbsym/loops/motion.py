"""Motion of one frame relative to another along the joints between them: one walk around a loop.

The walk starts at a frame s on one body, climbs to the first common ancestor and descends to a frame p on the other.
All is expressed in s, so that motion subspaces of the loop's joints are the only columns, and what lies between the
loop and ground drops out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbsym.joints.motion import Motion, combination, difference_of
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import add, cross, dot, negate, scale, subtract, zero_vector
from mbsym.symbolic.scalar import Scalar


@dataclass(frozen=True, slots=True)
class LoopMotion:
    """Where frame p is in frame s, and how it moves as seen from there.

    Attributes:
        bodies: labels of those that carry s and p.
        frames: s and p on them.
        at_end: twists are taken at the origin of p, else at that of s.
        joints: labels of the tree joints in between, up to the common ancestor and down from there.
        placement: p in s.
        end: the internal frame of p's body in s.
        columns: twist of p's body relative to s's body for a unit speed, by column of v; in the axes of s. Columns that
            are not there are zero.
        twist: the same for the actual speeds.
        bias: rate of the components of ``twist`` that remains where all vdot are zero.
    """

    bodies: tuple[int, int]
    frames: tuple[Transform, Transform]
    at_end: bool
    joints: tuple[tuple[int, ...], tuple[int, ...]]
    placement: Transform
    end: Transform
    columns: Mapping[int, Motion]
    twist: Motion
    bias: Motion


def loop_joints(mechanism: Mechanism, first: int, second: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Labels of the tree joints from body ``first`` up to the common ancestor, and from there down to ``second``."""
    up, down = [], []
    a, b = first, second
    # Labels grow outward, so the larger one is never the common ancestor.
    while a != b:
        if a > b:
            up.append(a)
            a = mechanism.body(a).parent
        else:
            down.append(b)
            b = mechanism.body(b).parent
    return tuple(up), tuple(reversed(down))


def loop_motion(
    mechanism: Mechanism,
    start: int,
    start_frame: Transform,
    end: int,
    end_frame: Transform,
    *,
    at_end: bool = False,
) -> LoopMotion:
    """Walks from a frame on body ``start`` to one on body ``end``; frames are placed in the bodies' internal frames.

    Args:
        mechanism: whose tree joints are walked along.
        start, start_frame: where s is.
        end, end_frame: where p is.
        at_end: take twists at the origin of p instead of that of s; their linear part is then the rate of p's place
            in s.
    """
    zero = zero_vector(mechanism.graph)
    up, down = joints = loop_joints(mechanism, start, end)
    at = start_frame.inverse()
    stations: list[tuple[TreeBody, Transform, bool]] = []
    for label in up:
        body = mechanism.body(label)
        stations.append((body, at, True))
        at = at.then(body.placement.inverse()).flat()
    for label in down:
        body = mechanism.body(label)
        at = at.then(body.placement).flat()
        stations.append((body, at, False))
    placement = at.then(end_frame).flat()
    columns: dict[int, Motion] = {}
    twist: Motion = (zero, zero)
    bias: Motion = (zero, zero)
    for body, place, climbing in stations:
        seen = Transform(place.rotation, subtract(place.translation, placement.translation)) if at_end else place
        own, moving, own_bias = _joint_terms(mechanism, body, seen)
        turned = sum_of(motion_cross(twist, moving), own_bias)
        if climbing:
            own = {column: (negate(motion[0]), negate(motion[1])) for column, motion in own.items()}
            twist, bias = difference_of(twist, moving), difference_of(bias, turned)
        else:
            twist, bias = sum_of(twist, moving), sum_of(bias, turned)
        for column, motion in own.items():
            columns[column] = sum_of(columns.get(column), motion)
    if at_end:
        # The point at which twists are taken moves with the linear part of the twist itself.
        bias = bias[0], add(bias[1], cross(*twist))
    bodies, frames = (start, end), (start_frame, end_frame)
    return LoopMotion(bodies, frames, at_end, joints, placement, at, dict(sorted(columns.items())), twist, bias)


def _joint_terms(mechanism: Mechanism, body: TreeBody, at: Transform) -> tuple[dict[int, Motion], Motion, Motion]:
    """Columns by speed, H v and H-dot v of a joint in the frame in which ``at`` places the body."""
    carried = tuple(at.twist_to_parent(*column) for column in body.columns)
    columns: dict[int, Motion] = {}
    for motion, (column, ratio) in zip(carried, mechanism.speed_of[body.label - 1], strict=True):
        columns[column] = sum_of(columns.get(column), (scale(motion[0], ratio), scale(motion[1], ratio)))
    return columns, combination(mechanism.graph, carried, body.v), at.twist_to_parent(*body.motion.bias)


def motion_cross(first: Motion, second: Motion) -> Motion:
    """Rate of the second twist when it is fixed in a body that moves with the first."""
    (w, v), (angular, linear) = first, second
    return cross(w, angular), add(cross(v, angular), cross(w, linear))


def sum_of(first: Motion | None, second: Motion) -> Motion:
    """Of two twists or wrenches, the first of which may not be there yet."""
    return second if first is None else (add(first[0], second[0]), add(first[1], second[1]))


def power(wrench: Motion, twist: Motion) -> Scalar:
    """Of a wrench along a twist, both at one point in one frame."""
    return dot((*wrench[0], *wrench[1]), (*twist[0], *twist[1]))
