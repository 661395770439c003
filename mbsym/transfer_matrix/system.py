"""A mechanism as transfer matrix elements: rigid bodies with one input end, hinges, cut joints, point springs.

Bodies held together by fixed joints become one element. In the plane, attitude zero is where the body frame is parallel
to the base frame if it can be (else where all coordinates are neutral), so that angles are those of the body axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.joints.free import FREE
from mbsym.joints.planar import PLANAR
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.joint import Joint
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.transfer_matrix.kernel import Kernel
from mbsym.transfer_matrix.layout import LAYOUTS, Layout, RotationVariable

Rows = tuple[tuple[float, ...], ...]

COVERED: Final = (
    "it covers revolute and planar joints about one direction, or spherical and free joints; and fixed joints"
)
"""The joints that become hinges, in words."""

ELASTIC: Final = (PLANAR, FREE)
"""Joint types, in the plane and in space, that do not hold the input end at the parent's."""


@dataclass(frozen=True, slots=True)
class Hinge:
    """The joint at a body's input end.

    Attributes:
        joint: as the user gave it.
        flipped: True where the body is the joint's predecessor.
        sign: +1 or -1: what a positive coordinate turns about the plane's normal, successor against predecessor.
        offset: angle of the body less that of its parent at coordinate zero [rad].
        elastic: True where the input end is not held at the parent's end (bushing, or no connection at all).
        torsion: stiffness, damping, rotor inertia and free angle (body less parent) of the rotation.
        bushing: stiffness and damping of the displacement.
        attachment: the parent's end, from its input end in its axes (ground: base coordinates).
        free_displacement: of the bushing, base axes.
        predecessor_frame: rotation from the joint frame on the predecessor to that body's element axes; in the plane
            its two axes in the plane as columns.
        successor_frame: the same on the successor, in space.
    """

    joint: Joint
    flipped: bool
    sign: int
    offset: float
    elastic: bool
    torsion: tuple[Scalar, Scalar, Scalar, Scalar]
    bushing: tuple[Scalar, Scalar]
    attachment: tuple[Scalar, ...]
    free_displacement: tuple[Scalar, ...]
    predecessor_frame: Rows
    successor_frame: Rows

    @property
    def outward(self) -> int:
        """What a positive coordinate turns the outboard body against the inboard one."""
        return -self.sign if self.flipped else self.sign


@dataclass(frozen=True, slots=True)
class TransferBody:
    """A rigid body with one input end; lengths from it in body axes (in the plane: two components of them).

    Attributes:
        name: of the user's body that the input end belongs to.
        parent: number of the inboard element, 0 for ground.
        mass, center, inertia: inertia about the centre of mass, one number in the plane, (xx, yy, zz, xy, xz, yz) in
            space.
        hinge: at the input end.
        members: names of the user's bodies that fixed joints hold together.
    """

    name: str
    parent: int
    mass: Scalar
    center: tuple[Scalar, ...]
    inertia: tuple[Scalar, ...]
    hinge: Hinge
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TransferCut:
    """A cut joint (pin, ball) or a point spring; points from the bodies' input ends in body axes."""

    name: str
    is_spring: bool
    first: int
    second: int
    first_point: tuple[Scalar, ...]
    second_point: tuple[Scalar, ...]
    stiffness: Scalar
    damping: Scalar
    free_length: Scalar


@dataclass(frozen=True, slots=True)
class TransferSystem:
    """Elements by number 1..n, parents first, and the boundary conditions that close loops.

    Attributes:
        mechanism: where the elements come from.
        rotation: integrated rotation variable.
        bodies: element k + 1 at index k.
        cuts: cut joints, then point springs.
        gravity: in the plane's axes or base axes.
        plane: the two axes of the plane and its normal in base components; the unit matrix in space.
    """

    mechanism: Mechanism
    rotation: RotationVariable
    bodies: tuple[TransferBody, ...]
    cuts: tuple[TransferCut, ...]
    gravity: tuple[Scalar, ...]
    plane: Rows

    @property
    def layout(self) -> Layout:
        """Sizes of the kernels' arrays."""
        return LAYOUTS[self.rotation]

    @property
    def is_planar(self) -> bool:
        """True where bodies move in one plane."""
        return self.layout.dimension == 2

    @property
    def unknowns(self) -> int:
        """Unknowns of the final dense system: a force vector per cut joint, a tension per spring."""
        return sum(1 if cut.is_spring else self.layout.dimension for cut in self.cuts)

    @property
    def lengths(self) -> frozenset[str]:
        """Names of the run-time parameters on which centres of mass, and ends that hold each other, depend."""
        places = [x for body in self.bodies for x in (*body.center, *body.hinge.attachment)]
        places += [x for cut in self.cuts for x in (*cut.first_point, *cut.second_point)]
        graph = self.mechanism.graph
        needed = set(graph.reachable(x.ref for x in places))
        return frozenset(item.name for item in self.mechanism.parameters if item.symbol in needed)

    @property
    def state_size(self) -> int:
        """Entries of the state."""
        return self.layout.state * len(self.bodies) + self.unknowns

    def program(self) -> Program:
        """Program without arguments (but for run-time parameters) that returns the tables of the system."""
        graph = self.mechanism.graph
        layout = self.layout
        kernel = Kernel(graph, "transfer_matrix_system", "tables of the elements: bodies, joints, cuts, gravity")
        zero = constant(graph, 0)

        def number(value: int) -> Scalar:
            return constant(graph, value)

        bodies: list[Scalar] = []
        joints: list[Scalar] = []
        for body in self.bodies:
            hinge = body.hinge
            bodies += [body.mass, *body.center, *body.inertia]
            joints += [number(body.parent), number(int(hinge.elastic)), *hinge.torsion, *hinge.bushing]
            joints += [*hinge.attachment, *hinge.free_displacement]
        cuts: list[Scalar] = []
        for cut in self.cuts:
            cuts += [number(int(cut.is_spring)), number(cut.first), number(cut.second)]
            cuts += [cut.stiffness, cut.damping, cut.free_length, *cut.first_point, *cut.second_point]
        n = len(self.bodies)
        kernel.output("bodies", (n, layout.body), bodies, "mass, centre of mass, inertia about it")
        kernel.output("joints", (n, layout.joint), joints, "parent, elastic, torsion (4), bushing (2), end, free")
        kernel.output("cuts", (len(self.cuts), layout.cut), cuts, "kind, bodies, stiffness, damping, length, points")
        kernel.output("gravity", layout.dimension, self.gravity or (zero,) * layout.dimension, "", "m/s^2")
        program = kernel.program()
        return Program(program.name, graph, (), program.outputs, self.mechanism.parameters, program.description)
