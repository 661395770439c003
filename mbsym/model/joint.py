"""Joints as the user gives them, couplings between joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from mbsym.joints.record import JointShape, JointType
from mbsym.joints.registry import JOINT_TYPES
from mbsym.model.body import COINCIDENT, Placement, placement
from mbsym.model.joint_frame import default_second_axis
from mbsym.spatial.rotation import Rotation
from mbsym.symbolic.graph import Graph
from mbsym.values.given import GivenDirection, GivenVector, direction, set_plain, several
from mbsym.values.parameter import Value, Vector
from mbsym.values.units import si_given

GivenPlacement: TypeAlias = "Placement | GivenVector"
"""A placement, or its translation."""

GivenValues: TypeAlias = "Value | Iterable[Value]"
"""A value for each coordinate or speed; one by itself where there is one."""


class JointEntries(TypedDict, total=False):
    """What may be said of a joint beside its bodies and axes, in the forms in which it is taken."""

    successor_placement: GivenPlacement
    pitch: Value | None
    armature: Value
    coordinates: str | Iterable[str]
    speeds: str | Iterable[str]
    actuated: bool
    reaction_wanted: bool
    cut: Literal["auto", "cut", "tree"]
    weight: int | None
    lower: GivenValues
    upper: GivenValues
    effort: GivenValues
    velocity: GivenValues
    initial: GivenValues
    numbers: Mapping[str, Value] | Iterable[tuple[str, Value]]


@dataclass(frozen=True, slots=True, init=False)
class Joint:
    """A joint from a predecessor to a successor body, in the user's sense.

    At the neutral coordinates the joint frame on the predecessor and the joint frame on the successor coincide; the
    coordinates move the successor's joint frame relative to the predecessor's. Attributes are arguments of their names.

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
        numbers: what else its type takes, by name; a helical joint's pitch [m/rad] may be given by itself.
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
    numbers: tuple[tuple[str, Value], ...] = ()

    def __init__(
        self,
        name: str,
        type: str,
        predecessor: str,
        successor: str,
        axis: GivenDirection = (0, 0, 1),
        second_axis: GivenDirection | None = None,
        predecessor_placement: GivenPlacement = COINCIDENT,
        **entries: Unpack[JointEntries],
    ) -> None:
        numbers, pitch = dict(entries.pop("numbers", ())), entries.pop("pitch", None)
        if pitch is not None:
            numbers["pitch"] = pitch
        given: dict[str, Any] = {
            "name": name,
            "type": type,
            "predecessor": predecessor,
            "successor": successor,
            "axis": direction(axis, f"axis of joint {name!r}"),
            "second_axis": direction(second_axis, f"second_axis of joint {name!r}"),
            "predecessor_placement": predecessor_placement,
            "numbers": _numbers_in_si(type, name, numbers),
            **entries,
        }
        for item in fields(self):
            set_plain(self, item.name, _in_form(given.pop(item.name, item.default), item.default))
        if given:
            raise TypeError(f"Joint() got an unexpected keyword argument {min(given)!r}")

    @property
    def kind(self) -> JointType:
        """The record of this type of joint.

        Raises:
            ModelError: no type has that name.
        """
        return JOINT_TYPES.named(self.type, self.name)

    @property
    def values(self) -> tuple[Value, ...]:
        """Its numbers in the order of its type, 0 where one is missing."""
        given = dict(self.numbers)
        return tuple(given.get(number.name, 0) for number in self.kind.numbers)

    @property
    def pitch(self) -> Value:
        """Translation per radian [m/rad], 0 of joints that have none."""
        return dict(self.numbers).get("pitch", 0)

    @property
    def shape(self) -> JointShape:
        """Coordinates and speeds of this type of joint."""
        return self.kind.shape

    def aligned(self, graph: Graph, number: Callable[[Value], float]) -> Rotation:
        """Takes components in the frame in which its axes are coordinate axes to those in its joint frame.

        Args:
            graph: that the rotation belongs to.
            number: how a value becomes a number.
        """
        x, y, z = map(number, self.axis)
        second = [*map(number, self.second_axis or ())]
        if "second_axis" in self.kind.entries and not second:
            second = [*default_second_axis((x, y, z))]
        return self.kind.aligned(graph, (x, y, z), second)


def _in_form(given: Any, default: object) -> Any:
    """What is given for an entry, as a placement or a list where its default is one."""
    if isinstance(default, Placement):
        return placement(given)
    return several(given) if default == () else given


def _numbers_in_si(type: str, joint: str, numbers: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """The numbers of a joint that say something, by name."""
    units = {number.name: number.unit for number in JOINT_TYPES[type].numbers} if type in JOINT_TYPES else {}
    found = {key: si_given(numbers[key], units.get(key, ""), f"{key} of joint {joint!r}") for key in sorted(numbers)}
    return tuple((key, value) for key, value in found.items() if not _is_left_out(value))


def _is_left_out(value: Value) -> bool:
    """Whether a number of a joint says nothing: an integer zero, which the neutral value of all of them is."""
    return value == 0 and isinstance(value, int)


@dataclass(frozen=True, slots=True)
class Coupling:
    """A gear between two joints of one degree of freedom: q_joint = ratio * q_source + offset (URDF's mimic)."""

    joint: str
    source: str
    ratio: Value = 1
    offset: Value = 0
