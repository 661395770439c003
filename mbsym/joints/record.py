"""What is asked of a type of joint: the record that each of the modules beside this one makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from mbsym.joints.closure_rows import ClosureGap, RowDraft
from mbsym.joints.coordinate_groups import CoordinateGroup
from mbsym.joints.motion import JointMotion
from mbsym.joints.subspaces import JointSubspaces
from mbsym.spatial.rotation import Rotation, align_xy, align_z
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar

Entry: TypeAlias = Literal["axis", "second_axis"]
Turning: TypeAlias = Literal["never", "about its axis", "in space"]
Moment: TypeAlias = Literal["mass", "first moments", "first moment z", "second moments", "second moment zz"]
Motions: TypeAlias = Callable[[Graph, tuple[Scalar, ...], tuple[Scalar, ...], tuple[Scalar, ...]], JointMotion]
Directions: TypeAlias = Callable[[JointMotion, tuple[Scalar, ...], bool], JointSubspaces]
ClosureRows: TypeAlias = Callable[[ClosureGap], Sequence[RowDraft]]

ANGLE: Final = ("rad", "rad/s", "N m")
"""Units of an angle, its rate and its generalised force."""

LENGTH: Final = ("m", "m/s", "N")
"""Units of a displacement, its rate and its generalised force."""


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


def shape_of_rates(*axes: tuple[str, tuple[str, str, str]]) -> JointShape:
    """Shape of a joint whose speeds are the rates of its coordinates, from suffix and units of each."""
    names = tuple(name for name, _ in axes)
    coordinates, speeds, forces = (tuple(units[k] for _, units in axes) for k in range(3))
    return JointShape(names, coordinates, names, speeds, forces, (0,) * len(axes))


@dataclass(frozen=True, slots=True)
class JointNumber:
    """A number that joints of a type have beside their frames and axes, which must not be zero.

    Attributes:
        name: its key in files.
        sentence: what it is, for schema and help, without a full stop.
        unit: of it; "m" and "m/rad" count among the lengths of a loop.
        remedy: what to do where it is missing.
    """

    name: str
    sentence: str
    unit: str
    remedy: str


@dataclass(frozen=True, slots=True)
class JointType:
    """Everything about one type of joint, in frames turned so that its axes are coordinate axes.

    P is the joint frame on the predecessor, S the one on the successor. A joint that takes one axis has it along z,
    one that takes two has the first along x of P and the second along y of S.

    Attributes:
        name: as models call it.
        sentence: what it allows, for schema and help.
        shape: its coordinates and speeds.
        entries: what it takes of a joint's geometry beside the frames.
        numbers: what else it takes.
        turning: how S turns in P; "about its axis" keeps that axis fixed in both.
        slides: S parts from P although its freedoms are held together, so closure equations are taken at S.
        motion: S in P, ``motion(graph, q, v, numbers)``, the numbers as they are listed.
        subspaces: free and held directions, ``subspaces(motion, q, flipped)`` with the motion in the tree's sense;
            flipped where the tree walks from S to P.
        closure_rows: what holds S and P together where the joint is cut; none if nothing does.
        unfelt: moments of mass on S that no motion of the joint changes as seen from P, nor needs a force for.
        sliding: coordinate axes along which the origins of P and S may be moved together; the joint stays the same.
        group: how coordinates move along speeds.
        tie_break: orders types of equal freedom in the choice of cut joints, larger is cut sooner; 0 to 9.
        convention: what every generated file says about its q and v, or nothing where no choice was made.
        likelihood: how often random mechanisms draw it.
    """

    name: str
    sentence: str
    shape: JointShape
    entries: tuple[Entry, ...]
    turning: Turning
    slides: bool
    motion: Motions
    subspaces: Directions
    closure_rows: ClosureRows
    numbers: tuple[JointNumber, ...] = ()
    unfelt: tuple[Moment, ...] = ()
    sliding: tuple[int, ...] = ()
    group: CoordinateGroup = CoordinateGroup.SUMS
    tie_break: int = 0
    convention: str = ""
    likelihood: float = 1.5

    @property
    def is_rigid(self) -> bool:
        """True where nothing moves."""
        return not self.shape.nv

    @property
    def is_unbound(self) -> bool:
        """True where nothing is held."""
        return self.shape.nv == 6

    @property
    def speeds_are_rates(self) -> bool:
        """True where v is the rate of q, entry by entry."""
        return self.group is CoordinateGroup.SUMS

    @property
    def quaternion(self) -> int | None:
        """Where the unit quaternion starts among the coordinates, None where there is none."""
        return self.group.quaternion

    def aligned(self, graph: Graph, axis: Sequence[float], second_axis: Sequence[float]) -> Rotation:
        """Takes components in the frame in which the axes are coordinate axes to those in the user's joint frame.

        Args:
            graph: that the rotation belongs to.
            axis, second_axis: in the user's joint frame, of any length but zero where they are taken.
        """
        if "second_axis" in self.entries:
            return align_xy(graph, axis, second_axis)
        return align_z(graph, axis) if "axis" in self.entries else Rotation(graph)
