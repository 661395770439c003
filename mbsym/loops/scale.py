"""By what a closure residual is measured: the sizes of what it is the sum of.

A gap counts as none where it is within a few roundings of what it was summed from; a bare bound would call a wheel open
after some turns, and a closed loop of nanometres open for good. Two things are rounded:

* what is computed on the way around the loop, some hundred operations with the lengths of its bodies: its *size*;
* each coordinate, to half a unit in its last place: a travel moves the far side of the loop by that much, an angle by
  that part of it times its lever, which is no longer than the shorter way from the joint to where the loop is closed
  and how far the frames that close it are apart there.

With L the lengths of a loop, s its travels, a its angles, l their levers and n its joints, a row has

    lengths                     size = sum L                         rounding = (n sum (L + |s|) + sum l |a|) / 64
    angles                      size = 1                             rounding = sum |a| / 64
    coordinates in proportion   size = |offset| + sum |factor of a|  rounding = n sum |factor q| / 64

A residual counts as zero up to a tolerance times size + rounding: 32 and 256 epsilon are half a unit and four units in
the last place of each coordinate. A rounding counts up to a part of the size, though (``COARSE``): farther out nothing
is known, and a Newton step that flings the mechanism there has closed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, Final

from mbsym.doors import numpy as np
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.loops.tolerances import ACCEPTED, COARSE
from mbsym.model.joint import Joint
from mbsym.model.own_units import length_unit
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import dot
from mbsym.symbolic.scalar import Scalar, constant, sqrt
from mbsym.values.numbers import to_scalar

SHARE: Final = Fraction(1, 64)
"""Of what coordinates contribute, which is rounded once, beside sizes on which some hundred operations are made."""


def rounded_to(part: float, size: Any, rounding: Any) -> Any:
    """Up to where residuals are round-off: ``part`` of their sizes, and what their coordinates add [m, rad].

    What is asked of a gap beside round-off leaves the coordinates' part as it is.
    """
    return part * size + np.minimum(min(part, ACCEPTED.double) * rounding, COARSE.double * size)


@dataclass(frozen=True, slots=True)
class RowScale:
    """By what the residual of a row is measured.

    Attributes:
        size: of what does not depend on the state; 1 for angles [m, rad].
        rounding: of what coordinates contribute [m, rad].
    """

    size: Scalar
    rounding: Scalar

    @classmethod
    def of_speeds(cls, mechanism: Mechanism, unit: str) -> RowScale:
        """That of rows without a residual: rates of lengths by the mechanism's own, a power of a thousand [m]."""
        graph = mechanism.graph
        return cls(constant(graph, length_unit(mechanism.model) if unit == "m/s" else 1), Scalar(graph, 0))


@dataclass(frozen=True, slots=True)
class LoopScale:
    """Sizes along the way around a loop.

    Attributes:
        lengths: of its bodies [m].
        travels: [m].
        angles: [rad].
        swept: by the ends of levers, angle times lever [m].
        joints: their number.
    """

    lengths: Scalar
    travels: Scalar
    angles: Scalar
    swept: Scalar
    joints: int

    def of_row(self, unit: str) -> RowScale:
        """By what a row of lengths or of angles is measured; one without lengths by its coordinates alone."""
        if unit != "m":
            return RowScale(constant(self.angles.graph, 1), self.angles * SHARE)
        rounding = ((self.lengths + self.travels) * self.joints + self.swept) * SHARE
        return RowScale(self.lengths or rounding, rounding)


def loop_scale(
    mechanism: Mechanism,
    ways: tuple[Sequence[int], Sequence[int]],
    frames: tuple[Transform, Transform],
    fixed: Scalar,
    slid: Scalar,
) -> LoopScale:
    """The sizes along a way around a loop.

    Args:
        mechanism: whose tree joints the way leads through.
        ways: labels of these joints, up from the first frame and down to the second.
        frames: between which the loop is closed, on their bodies.
        fixed: length that stands in the closure itself, such as that of a rod.
        slid: how far the frames are apart by what closes the loop.
    """
    zero = Scalar(mechanism.graph, 0)
    bodies = [[body for body in map(mechanism.body, way) if not body.joint.kind.is_rigid] for way in ways]
    # Lengths, travels and angles, one after the other.
    passed = [(length(frames[0].translation), zero, zero)]
    for descending, way in enumerate(bodies):
        for body in way:
            moved = _sum(mechanism, _travels(mechanism, body)), _sum(mechanism, _terms(mechanism, body, "rad"))
            both = [(zero, *moved), (length(body.inboard.translation), zero, zero)]
            passed += reversed(both) if descending else both
    passed.append((length(frames[1].translation), zero, zero))
    lengths, travels, angles = (_sum(mechanism, column) for column in zip(*passed, strict=True))
    swept = zero
    for k, (_, own, turned) in enumerate(passed):
        if turned:
            near, far = (
                _sum(mechanism, [x for step in part for x in step[:2]]) for part in (passed[:k], passed[k + 1 :])
            )
            swept = swept + turned * (near.apply("min", far) + own + fixed.apply("abs") + slid.apply("abs"))
    joints = sum(len(way) for way in bodies)
    return LoopScale(lengths + fixed.apply("abs"), travels + slid.apply("abs"), angles, swept, joints)


def proportion_scale(mechanism: Mechanism, terms: Sequence[tuple[TreeBody, Scalar]], offset: Scalar) -> RowScale:
    """By what the residual sum of factor * q - offset is measured, of joints with their factors.

    Where only lengths are summed, nothing but their rounding is there to measure by.
    """
    size, summed = [offset], [offset]
    for body, factor in terms:
        unit = body.joint.shape.coordinate_units[0]
        size += [factor] if unit == "rad" else []
        summed += [factor * x for x in _terms(mechanism, body, unit)]
    rounding = _sum(mechanism, summed) * len(terms) * SHARE
    return RowScale(_sum(mechanism, size) if len(size) > 1 else rounding, rounding)


def _travels(mechanism: Mechanism, body: TreeBody) -> list[Scalar]:
    """By how much a body's joint slides, by its coordinates or by its numbers."""
    joint, angles = body.joint, _terms(mechanism, body, "rad")
    threads = [pitch * x for pitch in _lengths(mechanism, joint, "m/rad") for x in angles]
    return [*_terms(mechanism, body, "m"), *threads, *_lengths(mechanism, joint, "m")]


def fixed_length(mechanism: Mechanism, joint: Joint) -> Scalar:
    """What the numbers of a joint that closes a loop add to its length; a thread a radian's advance."""
    lengths = [*_lengths(mechanism, joint, "m"), *_lengths(mechanism, joint, "m/rad")]
    return lengths[0] if len(lengths) == 1 else _sum(mechanism, lengths)


def _lengths(mechanism: Mechanism, joint: Joint, unit: str) -> list[Scalar]:
    """The numbers of a joint that have that unit."""
    numbers = zip(joint.kind.numbers, joint.values, strict=True)
    return [to_scalar(value, mechanism.graph, mechanism.names) for number, value in numbers if number.unit == unit]


def _terms(mechanism: Mechanism, body: TreeBody, unit: str) -> list[Scalar]:
    """The coordinates of a body's joint that have that unit; of a coupled one, also what it is the sum of.

    Turns of a quaternion are part of the size.
    """
    found = [x for x, own in zip(body.q, body.joint.shape.coordinate_units, strict=True) if own == unit]
    if found and body.q_range[0] == body.q_range[1]:
        ((column, ratio),) = mechanism.speed_of[body.label - 1]
        source = next(other for other in mechanism.bodies if column in range(*other.v_range))
        found.append(ratio * source.q[0])
    return found


def _sum(mechanism: Mechanism, entries: Iterable[Scalar]) -> Scalar:
    """Of the sizes of entries."""
    total = Scalar(mechanism.graph, 0)
    for entry in entries:
        total = total + entry.apply("abs")
    return total


def length(vector: Sequence[Scalar]) -> Scalar:
    """Of a vector up to its sign, without a root where one entry is there or all are numbers."""
    entries = [x for x in vector if x]
    if len(entries) < 2:
        return entries[0] if entries else vector[0]
    square = dot(vector, vector)
    known = square.constant
    if known is None:
        return sqrt(square)
    # Correctly rounded, and so the same on every machine.
    shift = max(0, 128 - known.numerator.bit_length() - known.denominator.bit_length()) // 2 + 64
    root = Fraction(isqrt((known.numerator * known.denominator) << (2 * shift)), known.denominator << shift)
    return constant(square.graph, Fraction(float(root)))
