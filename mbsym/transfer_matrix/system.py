"""A mechanism as transfer matrix elements: rigid bodies with one input end, hinges, cut joints, point springs.

Bodies held together by fixed joints become one element. In the plane, attitude zero is where the body frame is parallel
to the base frame if it can be (else where all coordinates are neutral), so that angles are those of the body axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.joint import Joint
from mbsym.symbolic.graph import exact
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar, constant
from mbsym.transfer_matrix.kernel import Kernel
from mbsym.transfer_matrix.layout import LAYOUTS, Layout, RotationVariable

Rows = tuple[tuple[float, ...], ...]

COVERED: Final = (
    "it covers revolute, prismatic and planar joints of one plane, or in space those and cylindrical, universal, "
    "spherical and free joints; and fixed joints"
)
"""The joints that become hinges, in words."""


class Kind(IntEnum):
    """What a coordinate of a hinge does, as the joint table says it."""

    SLIDE = 0
    TURN = 1
    BALL = 2
    """One of three turns about the base axes; what they add up to is the body's attitude."""


@dataclass(frozen=True, slots=True)
class HingeCoordinate:
    """A coordinate of a hinge: its joint's own, or against it where the tree walks the joint backwards.

    Attributes:
        kind: what it does.
        axis: in the parent's axes where all coordinates are zero; of the plane's two components a turn has none.
        place: of the joint's coordinate in q and of its speed in v.
        sign: +1, or -1 against the joint's own.
        law: stiffness, damping, rotor inertia and the value without force.
        is_driven: whether a motion prescribes it.
    """

    kind: Kind
    axis: tuple[float, ...]
    place: tuple[int, int]
    sign: int
    law: tuple[Scalar, ...]
    is_driven: bool


@dataclass(frozen=True, slots=True)
class Hinge:
    """The joint at a body's input end, or several with bodies without mass between them.

    Attributes:
        joints: as the user gave them, from the parent outward.
        flipped: True where the body is the last joint's predecessor.
        coordinates: in the order in which they move the body.
        attachment: the parent's end, from its input end in its axes (ground: base coordinates).
        turned: rotation from the body's axes to the parent's where all coordinates are zero; its angle in the plane.
        ball: rotations from the joint's frames on the predecessor and on the successor to the axes of these, where
            the body turns about any axis; else nothing.
    """

    joints: tuple[Joint, ...]
    flipped: bool
    coordinates: tuple[HingeCoordinate, ...]
    attachment: tuple[Scalar, ...]
    turned: tuple[float, ...]
    ball: tuple[Rows, ...]

    @property
    def joint(self) -> Joint:
        """The one that holds the body."""
        return self.joints[-1]

    @property
    def acts(self) -> bool:
        """Whether springs, dampers or rotor inertia act in it."""
        return any(any(each.law) for each in self.coordinates)

    @property
    def is_pin(self) -> bool:
        """Whether it turns about the normal of the plane and does no more."""
        return [each.kind for each in self.coordinates] == [Kind.TURN] and len(self.turned) == 1

    @property
    def is_ball(self) -> bool:
        """Whether it turns about any axis and does no more."""
        return bool(self.ball) and not self.slides

    @property
    def slides(self) -> bool:
        """Whether its input end moves against the parent."""
        return any(each.kind == Kind.SLIDE for each in self.coordinates)


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


def tidy(value: float) -> float:
    """Rounding errors of rotations by right angles removed."""
    nearest = round(value)
    return float(nearest) if abs(value - nearest) < 1e-15 else value


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
    def coordinates(self) -> int:
        """Coordinates that each hinge has room for."""
        return max(len(body.hinge.coordinates) for body in self.bodies)

    @property
    def load_size(self) -> int:
        """Entries of the loads on a body and its hinge."""
        return self.layout.load + self.coordinates

    @property
    def body_state(self) -> int:
        """Entries of a body's state."""
        return self.layout.state(self.coordinates)

    @property
    def state_size(self) -> int:
        """Entries of the state."""
        return self.body_state * len(self.bodies) + self.unknowns

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
        row = layout.joint(self.coordinates)
        for k, body in enumerate(self.bodies, start=1):
            hinge = body.hinge
            bodies += [body.mass, *body.center, *body.inertia]
            joints += [number(body.parent), number(len(hinge.coordinates)), *hinge.attachment]
            joints += [constant(graph, exact(tidy(x))) for x in hinge.turned]
            for each in hinge.coordinates:
                joints += [number(each.kind), *(constant(graph, exact(tidy(x))) for x in each.axis)]
                joints += [*each.law, number(int(each.is_driven))]
            joints += [zero] * (k * row - len(joints))
        cuts: list[Scalar] = []
        for cut in self.cuts:
            cuts += [number(int(cut.is_spring)), number(cut.first), number(cut.second)]
            cuts += [cut.stiffness, cut.damping, cut.free_length, *cut.first_point, *cut.second_point]
        n = len(self.bodies)
        kernel.output("bodies", (n, layout.body), bodies, "mass, centre of mass, inertia about it")
        words = (
            "parent, number of coordinates, end, rotation, slots of kind, axis, stiffness, damping, rotor, rest, driven"
        )
        kernel.output("joints", (n, row), joints, words)
        kernel.output("cuts", (len(self.cuts), layout.cut), cuts, "kind, bodies, stiffness, damping, length, points")
        kernel.output("gravity", layout.dimension, self.gravity or (zero,) * layout.dimension, "", "m/s^2")
        program = kernel.program()
        return Program(program.name, graph, (), program.outputs, self.mechanism.parameters, program.description)
