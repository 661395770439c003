"""Joints as the user gives them, couplings between joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mbsym.joints.record import JointShape, JointType
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import COINCIDENT, Placement
from mbsym.values.given import GivenDirection, GivenVector, direction, entries, set_plain, several
from mbsym.values.parameter import Value, Vector

GivenPlacement: TypeAlias = "Placement | GivenVector"
"""A placement, or its translation."""

GivenValues: TypeAlias = "Value | Iterable[Value]"
"""A value for each coordinate or speed; one by itself where there is one."""


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint from a predecessor to a successor body, in the user's sense.

    At the neutral coordinates the joint frame on the predecessor and the joint frame on the successor coincide; the
    coordinates move the successor's joint frame relative to the predecessor's.

    Attributes:
        name: any non-empty text, unique among joints.
        type: a name in ``JOINT_TYPES``.
        predecessor: body (or ground) that the joint starts from.
        successor: body that it leads to.
        axis: of types that take one (the normal of planar, the first axis of universal joints); in the joint frame,
            any length but zero; "x", "-y" and the like are taken too.
        second_axis: of types that take two, perpendicular to ``axis``, fixed in the successor's joint frame.
        predecessor_placement: joint frame on the predecessor, in that body's frame.
        successor_placement: joint frame on the successor, in that body's frame.
        pitch: of types that take one, translation per radian [m/rad].
        armature: rotor inertia reflected to each speed [kg m^2 or kg].
        coordinates: names of the entries of q in expressions; default ``q_NAME`` or ``q_NAME_SUFFIX``.
        speeds: names of the entries of v; default ``v_NAME`` or ``v_NAME_SUFFIX``.
        actuated: a motor sits here, so the joint should stay in the tree.
        reaction_wanted: its reaction is looked for, so the joint should rather be cut.
        cut: "cut" or "tree" to demand it, "auto" to leave the choice to the weights.
        weight: the user's own weight for the choice of cut joints, larger is cut sooner.
        lower, upper: limits of q (one entry per coordinate or empty).
        effort, velocity: limits of tau and v (one entry per speed or empty).
        initial: coordinates to start from (assembly, simulation, random tests), or empty for the neutral ones.
    """

    name: str
    type: str
    predecessor: str
    successor: str
    axis: Vector = (0, 0, 1)
    second_axis: Vector | None = None
    predecessor_placement: Placement = COINCIDENT
    successor_placement: Placement = COINCIDENT
    pitch: Value = 0
    armature: Value = 0
    coordinates: tuple[str, ...] = ()
    speeds: tuple[str, ...] = ()
    actuated: bool = False
    reaction_wanted: bool = False
    cut: Literal["auto", "cut", "tree"] = "auto"
    weight: int | None = None
    lower: tuple[Value, ...] = ()
    upper: tuple[Value, ...] = ()
    effort: tuple[Value, ...] = ()
    velocity: tuple[Value, ...] = ()
    initial: tuple[Value, ...] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            type: str,
            predecessor: str,
            successor: str,
            axis: GivenDirection = ...,
            second_axis: GivenDirection | None = ...,
            predecessor_placement: GivenPlacement = ...,
            successor_placement: GivenPlacement = ...,
            pitch: Value = ...,
            armature: Value = ...,
            coordinates: str | Iterable[str] = ...,
            speeds: str | Iterable[str] = ...,
            actuated: bool = ...,
            reaction_wanted: bool = ...,
            cut: Literal["auto", "cut", "tree"] = ...,
            weight: int | None = ...,
            lower: GivenValues = ...,
            upper: GivenValues = ...,
            effort: GivenValues = ...,
            velocity: GivenValues = ...,
            initial: GivenValues = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        for key in ("axis", "second_axis"):
            set_plain(self, key, direction(getattr(self, key), f"{key} of joint {self.name!r}"))
        for key in ("predecessor_placement", "successor_placement"):
            given = getattr(self, key)
            if not isinstance(given, Placement):
                set_plain(self, key, Placement(entries(given)))
        for key in ("coordinates", "speeds", "lower", "upper", "effort", "velocity", "initial"):
            set_plain(self, key, several(getattr(self, key)))

    @property
    def kind(self) -> JointType:
        """The record of this type of joint.

        Raises:
            ModelError: no type has that name.
        """
        return JOINT_TYPES.named(self.type, self.name)

    @property
    def shape(self) -> JointShape:
        """Coordinates and speeds of this type of joint."""
        return self.kind.shape


@dataclass(frozen=True, slots=True)
class Coupling:
    """A gear between two joints of one degree of freedom: q_joint = ratio * q_source + offset (URDF's mimic)."""

    joint: str
    source: str
    ratio: Value = 1
    offset: Value = 0
