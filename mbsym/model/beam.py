"""Elastic beams: Euler-Bernoulli beams as chains of rigid segments, and what is known of them beyond that.

A beam of n segments is n + 1 bars with hinges in the middle of each nth of its length, the first bar held by the body
that carries the beam, the last one holding the body at its end. A hinge has the stiffness EI n/L of the piece that it
stands for (the finite segment method). All formulations take it as the rigid bodies that it is; deflections and low
frequencies are those of the beam but for a part of order 1/n^2. The vibration analysis knows the beam behind the bars.

Source: R. L. Huston, Multi-body dynamics including the effects of flexibility and compliance, Computers and Structures
14 (1981) 443.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from mbsym.errors import ModelError
from mbsym.forces.joint_damper import JointDamper
from mbsym.forces.joint_spring import JointSpring
from mbsym.joints.fixed import FIXED
from mbsym.joints.revolute import REVOLUTE
from mbsym.joints.universal import UNIVERSAL
from mbsym.model.body import COINCIDENT, Body, Placement
from mbsym.model.joint import Joint
from mbsym.values.given import entries, set_plain, several
from mbsym.values.numbers import decimal_number
from mbsym.values.parameter import Value

Bending: TypeAlias = Literal["y", "z", "both"]

MOST_SEGMENTS: Final = 10000
"""Segments of one beam: more are a mistake of writing."""


@dataclass(frozen=True, slots=True)
class Beam:
    """An Euler-Bernoulli beam along the x axis of its root frame: it bends, and is rigid along and about its axis.

    Attributes:
        name: unique; the bars are NAME_0, NAME_1, ..., the hinges NAME_1, NAME_2, ...
        body: that carries its root, or ground.
        length: [m].
        mass: in all, evenly spread [kg].
        bending_stiffness: EI [N m^2]; one value, or two about y and z where it bends about both.
        bends: about y or z of the root frame, or about both.
        tip: body at its end, "" for none.
        damping: time constant of the material: a hinge's damper is so many times its spring [s].
        segments: hinges that stand for it.
        at: root frame in the frame of the body.
        at_tip: end frame, which is parallel to the root frame, in the frame of the tip.
    """

    name: str
    body: str
    length: Value
    mass: Value
    bending_stiffness: tuple[Value, ...]
    bends: Bending = "z"
    tip: str = ""
    damping: Value = 0
    segments: int = 8
    at: Placement = COINCIDENT
    at_tip: Placement = COINCIDENT

    def __post_init__(self) -> None:
        set_plain(self, "bending_stiffness", several(self.bending_stiffness))
        for key in ("at", "at_tip"):
            given: Any = getattr(self, key)
            if not isinstance(given, Placement):
                set_plain(self, key, Placement(entries(given)))
        where = f"beam {self.name}"
        if self.bends not in ("y", "z", "both"):
            raise ModelError(f"a beam cannot bend about {self.bends!r}", where=where, remedy="say y, z or both")
        if not 1 <= self.segments <= MOST_SEGMENTS:
            raise ModelError(f"{self.segments} segments", where=where, remedy=f"give 1 to {MOST_SEGMENTS}")
        if not 1 <= len(self.bending_stiffness) <= len(self.axes):
            remedy = "give one, or two about y and z" if self.bends == "both" else "give one"
            raise ModelError(f"{len(self.bending_stiffness)} bending stiffnesses", where=where, remedy=remedy)

    @property
    def axes(self) -> tuple[Literal["y", "z"], ...]:
        """Of the root frame, about which it bends."""
        return ("y", "z") if self.bends == "both" else (self.bends,)

    @property
    def stiffness_about(self) -> tuple[Value, ...]:
        """EI about each of its axes."""
        given = self.bending_stiffness
        return given if len(given) == len(self.axes) else given * len(self.axes)

    @property
    def bars(self) -> tuple[str, ...]:
        """Names of its bodies from root to tip."""
        return tuple(f"{self.name}_{k}" for k in range(self.segments + 1))

    @property
    def hinges(self) -> tuple[str, ...]:
        """Names of its joints between bars, from root to tip."""
        return tuple(f"{self.name}_{k}" for k in range(1, self.segments + 1))

    @property
    def ends(self) -> tuple[str, ...]:
        """Names of the joints that hold the root and the tip."""
        return (f"{self.name}_root", f"{self.name}_tip")[: 2 if self.tip else 1]

    def parts(self) -> tuple[tuple[Body, ...], tuple[Joint, ...], tuple[JointSpring | JointDamper, ...]]:
        """Bars, joints, and springs and dampers of the hinges."""
        n = self.segments
        half, whole = _times(self.length, Fraction(1, 2 * n)), _times(self.length, Fraction(1, n))
        joints = [Joint(self.ends[0], FIXED.name, self.body, self.bars[0], predecessor_placement=self.at)]
        forces: list[JointSpring | JointDamper] = []
        for k, hinge in enumerate(self.hinges):
            placed = Placement((half if k == 0 else whole, 0, 0))
            kind, first, second = REVOLUTE.name, _DIRECTION[self.axes[0]], None
            if len(self.axes) == 2:
                kind, second = UNIVERSAL.name, _DIRECTION["z"]
            joints.append(Joint(hinge, kind, self.bars[k], self.bars[k + 1], first, second, placed))
            for index, stiffness in enumerate(self.stiffness_about):
                name = f"{hinge}_{self.axes[index]}"
                spring = _divided(_times(stiffness, n), self.length)
                forces.append(JointSpring(f"{name}_spring", hinge, spring, index=index))
                if self.damping != 0:
                    damper = _product(spring, self.damping)
                    forces.append(JointDamper(f"{name}_damper", hinge, damper, index))
        if self.tip:
            end = Placement((half, 0, 0))
            joints.append(Joint(self.ends[1], FIXED.name, self.bars[-1], self.tip, (0, 0, 1), None, end, self.at_tip))
        bodies = [self._bar(0, half, Fraction(1, 2 * n))]
        bodies += [self._bar(k, whole, Fraction(1, n)) for k in range(1, n)]
        return (*bodies, self._bar(n, half, Fraction(1, 2 * n))), tuple(joints), tuple(forces)

    def _bar(self, k: int, length: Value, share: Fraction) -> Body:
        mass = _times(self.mass, share)
        inertia = _times(_product(mass, _product(length, length)), Fraction(1, 12))
        return Body(self.bars[k], mass, (_times(length, Fraction(1, 2)), 0, 0), (0, inertia, inertia, 0, 0, 0))


_DIRECTION: Final = {"y": (0, 1, 0), "z": (0, 0, 1)}


def _times(value: Value, factor: Fraction | int) -> Value:
    """The value times a number, exactly."""
    number = _number(value)
    if number is not None:
        found = number * factor
        return int(found) if found.denominator == 1 else found
    if isinstance(value, str):
        ratio = Fraction(factor)
        return f"({value})*{ratio.numerator}" + (f"/{ratio.denominator}" if ratio.denominator != 1 else "")
    product: Any = value
    return product * factor


def _number(value: Value) -> Fraction | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Decimal | Fraction):
        return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    return decimal_number(value) if isinstance(value, str) else None


def _product(a: Value, b: Value) -> Value:
    first, second = _number(a), _number(b)
    if second is not None:
        return _times(a, second)
    if first is not None:
        return _times(b, first)
    return f"({a})*({b})"


def _divided(a: Value, b: Value) -> Value:
    number = _number(b)
    return _times(a, 1 / number) if number else f"({a})/({b})"
