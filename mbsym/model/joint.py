"""Joints as the user gives them, couplings between joints, and extra closure constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mbsym.model.body import Placement
from mbsym.values.parameter import Value, Vector

JointType: TypeAlias = Literal[
    "revolute", "prismatic", "helical", "cylindrical", "universal", "spherical", "planar", "free", "fixed"
]


@dataclass(frozen=True, slots=True)
class JointShape:
    """What a joint type is before any geometry: its coordinates and speeds.

    Attributes:
        coordinates: suffix of each entry of q.
        coordinate_units: of each entry of q.
        speeds: suffix of each entry of v.
        speed_units: of each entry of v.
        force_units: of each entry of tau.
        neutral: q at which the joint frames coincide.
    """

    coordinates: tuple[str, ...]
    coordinate_units: tuple[str, ...]
    speeds: tuple[str, ...]
    speed_units: tuple[str, ...]
    force_units: tuple[str, ...]
    neutral: tuple[int, ...]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return len(self.speeds)


COINCIDENT: Final = Placement()
"""The placement of a frame on another one's."""

_ANGLE = ("rad", "rad/s", "N m")
_LENGTH = ("m", "m/s", "N")


def _shape(*axes: tuple[str, tuple[str, str, str]]) -> JointShape:
    """Shape of a joint whose speeds are the rates of its coordinates."""
    names = tuple(name for name, _ in axes)
    units = tuple(zip(*(unit for _, unit in axes), strict=True)) if axes else ((), (), ())
    return JointShape(names, units[0], names, units[1], units[2], (0,) * len(axes))


JOINT_SHAPES: Final[dict[str, JointShape]] = {
    "revolute": _shape(("", _ANGLE)),
    "prismatic": _shape(("", _LENGTH)),
    "helical": _shape(("", _ANGLE)),
    "cylindrical": _shape(("z", _LENGTH), ("angle", _ANGLE)),
    "universal": _shape(("1", _ANGLE), ("2", _ANGLE)),
    "planar": _shape(("x", _LENGTH), ("y", _LENGTH), ("angle", _ANGLE)),
    "spherical": JointShape(
        ("w", "x", "y", "z"), ("1",) * 4, ("x", "y", "z"), ("rad/s",) * 3, ("N m",) * 3, (1, 0, 0, 0)
    ),
    "free": JointShape(
        ("w", "x", "y", "z", "px", "py", "pz"),
        ("1",) * 4 + ("m",) * 3,
        ("wx", "wy", "wz", "vx", "vy", "vz"),
        ("rad/s",) * 3 + ("m/s",) * 3,
        ("N m",) * 3 + ("N",) * 3,
        (1, 0, 0, 0, 0, 0, 0),
    ),
    "fixed": _shape(),
}


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint from a predecessor to a successor body, in the user's sense.

    At the neutral coordinates the joint frame on the predecessor and the joint frame on the successor coincide; the
    coordinates move the successor's joint frame relative to the predecessor's.

    Attributes:
        name: any non-empty text, unique among joints.
        type: a key of ``JOINT_SHAPES``.
        predecessor: body (or ground) that the joint starts from.
        successor: body that it leads to.
        axis: of revolute, prismatic, helical and cylindrical joints; normal of planar, first axis of universal joints;
            in the joint frame, any length but zero.
        second_axis: of universal joints, perpendicular to ``axis``, fixed in the successor's joint frame.
        predecessor_placement: joint frame on the predecessor, in that body's frame.
        successor_placement: joint frame on the successor, in that body's frame.
        pitch: of helical joints, translation per radian [m/rad].
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
    type: JointType
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

    @property
    def shape(self) -> JointShape:
        """Coordinates and speeds of this type of joint."""
        return JOINT_SHAPES[self.type]


@dataclass(frozen=True, slots=True)
class Coupling:
    """A gear between two joints of one degree of freedom: q_joint = ratio * q_source + offset (URDF's mimic)."""

    joint: str
    source: str
    ratio: Value = 1
    offset: Value = 0


@dataclass(frozen=True, slots=True)
class DistanceConstraint:
    """A massless rod: the distance between two points stays ``length`` [m]."""

    name: str
    first_body: str
    second_body: str
    length: Value
    first_point: Vector = (0, 0, 0)
    second_point: Vector = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class PointOnLineConstraint:
    """A point of the second body stays on a line of the first, given by a point and a direction."""

    name: str
    first_body: str
    second_body: str
    line_point: Vector = (0, 0, 0)
    line_direction: Vector = (1, 0, 0)
    second_point: Vector = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class GearConstraint:
    """Two coordinates of joints stay in proportion as a closure constraint: q_first = ratio * q_second + offset."""

    name: str
    first_joint: str
    second_joint: str
    ratio: Value = 1
    offset: Value = 0


Constraint: TypeAlias = DistanceConstraint | PointOnLineConstraint | GearConstraint
