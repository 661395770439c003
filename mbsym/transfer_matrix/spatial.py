"""Kernels of the rigid body and its hinges, in the form of a Riccati recursion, in space and in the plane.

Rotation unknowns are delta, in space in one of two variants: the change of an increment psi, R = R_0 exp(psi~),
which has no singular attitude, or of Cardan angles about the body's x, y, z. G takes delta to a small rotation in base
axes, phi = G delta. A point of the body moves by dr + phi x beta. The loads at the input end are moments N about it
and forces Q, [N; Q] = W [phi; dr] + w, N in axes that turn with the body; the inertia torque tau = J omega' + omega x J
omega in body axes adds R (tau + E delta) = R tau + P phi.

A coordinate of a hinge turns about an axis a or slides along one; axes of coordinates turn with those before them. In
the plane what turns, turns about its normal, and the same formulas hold for what is left of them there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, NamedTuple, TypeAlias

from mbsym.spatial.vector import (
    Matrix3,
    Vector3,
    add,
    add_matrices,
    cross,
    dot,
    multiply,
    product,
    scale,
    skew,
    subtract,
    transpose,
)
from mbsym.symbolic.scalar import Scalar, constant, cos, sin
from mbsym.transfer_matrix.hinge_elimination import hinge_kernels
from mbsym.transfer_matrix.kernel import Kernel, Kernels, Write, entries_of, rows_of
from mbsym.transfer_matrix.layout import LAYOUTS, Layout
from mbsym.transfer_matrix.spatial_matrices import MotionParts, diagonal, minus, times

_Quarters: TypeAlias = tuple[tuple[Matrix3, Matrix3], tuple[Matrix3, Matrix3]]


class Space:
    """How kernels take and give rotations and vectors: those of space as they are."""

    layout: ClassVar[Layout] = LAYOUTS["incremental"]
    places: ClassVar[tuple[int, ...]] = (0, 1, 2, 3, 4, 5)
    """Of what there is, among rotations about x, y, z and displacements along them."""

    def rotation(self, entries: Sequence[Scalar]) -> Vector3:
        """About x, y and z."""
        return _spread(entries, self.places[: self.layout.angles])

    def vector(self, entries: Sequence[Scalar]) -> Vector3:
        """Along x, y and z."""
        return _spread(entries, [place - 3 for place in self.places[self.layout.angles :]])

    def parts(self, entries: Sequence[Scalar]) -> tuple[Vector3, Vector3]:
        """A rotation and a vector, or a moment and a force."""
        count = self.layout.angles
        return self.rotation(entries[:count]), self.vector(entries[count:])

    def turn(self, rotation: Vector3) -> tuple[Scalar, ...]:
        """The entries of a rotation or moment."""
        return tuple([rotation[place] for place in self.places[: self.layout.angles]])

    def entries(self, rotation: Vector3, vector: Vector3) -> tuple[Scalar, ...]:
        """Those of both, side by side."""
        return (*self.turn(rotation), *vector[: self.layout.dimension])

    def quarters(self, W: Sequence[Scalar]) -> _Quarters:
        """What a matrix of loads makes of rotations and of displacements: moments, and forces."""
        zero, count = Scalar(W[0].graph, 0), len(self.places)
        known = {(i, j): W[count * a + b] for a, i in enumerate(self.places) for b, j in enumerate(self.places)}

        def quarter(row: int, column: int) -> Matrix3:
            return rows_of([known.get((row + i, column + j), zero) for i in range(3) for j in range(3)])

        return (quarter(0, 0), quarter(0, 3)), (quarter(3, 0), quarter(3, 3))

    def matrix(self, quarters: _Quarters) -> tuple[Scalar, ...]:
        """The matrix of loads, row-major."""
        rows = [(*left[i], *right[i]) for left, right in quarters for i in range(3)]
        return tuple([rows[i][j] for i in self.places for j in self.places])

    def body(self, k: Kernel) -> tuple[Scalar, Vector3, tuple[Scalar, ...]]:
        """Mass, centre of mass and entries of the inertia from the row of the body table."""
        m, *rest = k.array("body", self.layout.body, "row of the body table")
        return m, self.vector(rest[: self.layout.dimension]), tuple(rest[self.layout.dimension :])

    def lever(self, k: Kernel, name: str, description: str, unit: str = "m") -> Vector3:
        """A vector that a kernel takes."""
        return self.vector(k.array(name, self.layout.dimension, description, unit))

    def slot(self, k: Kernel) -> tuple[Scalar, Scalar, Vector3]:
        """1 for what turns, 1 for what slides, axis."""
        kind, *axis = k.array("slot", self.layout.slot, "of a coordinate in the joint table")
        return kind, 1 - kind, self.vector(axis[: self.layout.dimension])

    # ---- what the plane has in its own way ---------------------------------------------------------------------------

    def motion(self, k: Kernel) -> MotionParts:
        """Parts of the motion array."""
        return MotionParts(k)

    def rotary(self, motion: MotionParts, inertia: Sequence[Scalar], C: Scalar) -> tuple[Vector3, Matrix3]:
        """Inertia torque in base axes, and its derivative by a rotation."""
        return motion.torque, motion.P

    def frame(self, k: Kernel) -> Matrix3:
        """Axes that a coordinate moves in."""
        return rows_of(k.array("frame", self.layout.frame, "axes that the coordinate moves in, a rotation matrix"))

    def about(self, axis: Vector3) -> Vector3:
        """What a coordinate with that axis turns about."""
        return axis

    def hinge_turn(self, k: Kernel) -> None:
        """The axes beyond a coordinate."""
        k.output("next_frame", self.layout.frame, entries_of(self._turned(k)), "axes beyond")

    def hinge_gap(self, k: Kernel) -> None:
        """The rotation from the body to where its hinge has it."""
        offset = rows_of(k.array("turned", self.layout.turned, "of the joint table"))
        there = transpose(product(self._turned(k), offset))
        here = transpose(MotionParts(k).R)
        total = add(add(cross(here[0], there[0]), cross(here[1], there[1])), cross(here[2], there[2]))
        trace = dot(here[0], there[0]) + dot(here[1], there[1]) + dot(here[2], there[2])
        # 2 tan(angle/2) about the axis, which is the angle but for its cube, and does not vanish for half a turn.
        gap = scale(total, 2 / (1 + trace))
        k.output("gap", 3, gap, "small rotation from the body to where its hinge has it, base axes", "rad")

    def _turned(self, k: Kernel) -> Matrix3:
        """The axes beyond a coordinate, by Rodrigues' formula."""
        turns, _, e = self.slot(k)
        R = self.frame(k)
        turn = turns * k.scalar("q", "coordinate")
        tilde = skew(e)
        return add_matrices(
            R, product(R, add_matrices(times(tilde, sin(turn)), times(product(tilde, tilde), 1 - cos(turn))))
        )


def _spread(entries: Sequence[Scalar], places: Sequence[int]) -> Vector3:
    known = dict(zip(places, entries, strict=True))
    zero = Scalar(entries[0].graph, 0)
    return known.get(0, zero), known.get(1, zero), known.get(2, zero)


def _give(space: Space, k: Kernel, name: str, a: Vector3, description: str, unit: str) -> None:
    """A vector as a result."""
    k.output(name, space.layout.dimension, a[: space.layout.dimension], description, unit)


def _inertia(space: Space, k: Kernel) -> None:
    m, c, inertia = space.body(k)
    motion = space.motion(k)
    C = k.scalar("C", "of the scheme")
    geometric = k.scalar("geometric", "1 to linearise levers, 0 to keep them fixed")
    a = space.lever(k, "a", "acceleration of the centre of mass at the iterate", "m/s^2")
    force = k.array("force", space.layout.load, "force and moment at the centre of mass, base axes")
    torque, P = space.rotary(motion, inertia, C)
    rho = multiply(motion.R, c)
    q = subtract(scale(a, m), space.vector(force[: space.layout.dimension]))
    mC = m * C
    lever = skew(rho)
    coupling = times(lever, mC)
    negative = times(coupling, constant(k.graph, -1))
    rotational = add_matrices(P, product(lever, minus(times(skew(q), geometric), coupling)))
    W = space.matrix(((rotational, coupling), (negative, diagonal(mC))))
    k.output("W", (space.layout.load, space.layout.load), W, "")
    moment = subtract(add(torque, cross(rho, q)), space.rotation(force[space.layout.dimension :]))
    k.output("w", space.layout.load, space.entries(moment, q), "")


def _hinge_motion(space: Space, k: Kernel) -> None:
    turns, slides, e = space.slot(k)
    R = space.frame(k)
    q = k.scalar("q", "coordinate")
    a = multiply(R, e)
    axis = space.entries(scale(space.about(a), turns), scale(a, slides))
    k.output("axis", space.layout.load, axis, "rotation and displacement per change of the coordinate, base axes")
    _give(space, k, "shift", scale(a, slides * q), "displacement, base axes", "m")


def _hinge_bias(space: Space, k: Kernel) -> None:
    turns, slides, e = space.slot(k)
    R = space.frame(k)
    omega = space.rotation(k.array("omega", space.layout.angles, "angular velocity of these axes, base axes", "rad/s"))
    q, rate = k.scalar("q", "coordinate"), k.scalar("speed", "of the coordinate")
    turning, moving = space.parts(k.array("bias", space.layout.load, "of the coordinates before"))
    a = multiply(R, e)
    about, across = space.about(a), cross(omega, a)
    # What lies beyond a slide is carried at a distance a q by all that turns before it.
    carried = add(cross(turning, a), cross(omega, across))
    slid = scale(add(scale(carried, q), scale(across, 2 * rate)), slides)
    turned = scale(cross(omega, about), turns * rate)
    beyond = space.turn(add(omega, scale(about, turns * rate)))
    k.output("next_omega", space.layout.angles, beyond, "of the axes beyond", "rad/s")
    bias = space.entries(add(turning, turned), add(moving, slid))
    k.output("next_bias", space.layout.load, bias, "acceleration with the coordinates' second derivatives zero")


def _carried(space: Space, k: Kernel) -> None:
    turning, moving = space.parts(k.array("axis", space.layout.load, "of a coordinate"))
    shift = space.lever(k, "shift", "displacement of a coordinate beyond it")
    moved = space.entries(turning, add(moving, cross(turning, shift)))
    k.output("moved", space.layout.load, moved, "at the point so displaced")


def _turning(space: Space, axis: Sequence[Scalar], load: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
    """The moment as axes see it that the coordinate turns, and the force along an axis that is turned."""
    (turn, slide), (moment, force) = space.parts(axis), space.parts(load)
    return space.turn(cross(turn, moment)), space.turn(cross(slide, force))


def _rotation(space: Space, k: Kernel) -> None:
    motion, count = space.motion(k), space.layout.angles
    phi = space.rotation(k.array("phi", count, "change of rotation, base axes", "rad"))
    k.output("delta", count, space.turn(multiply(motion.G_inverse, phi)), "change of the rotation variable")


def _end(space: Space, k: Kernel) -> None:
    lever = skew(space.lever(k, "lever", "end, from the input end in base axes"))
    S = k.array("S", (space.layout.load, space.layout.load), "interface at the end")
    force = space.lever(k, "Q", "force at the end, last iterate; 0 keeps the lever fixed", "N")
    (turning, mixed), (mixed_below, free) = space.quarters(S)
    # T^T S T with T = [[1, 0], [-beta~, 1]].
    right, below = minus(turning, product(mixed, lever)), minus(mixed_below, product(free, lever))
    rotational = add_matrices(right, product(lever, add_matrices(below, skew(force))))
    W = space.matrix(((rotational, add_matrices(mixed, product(lever, free))), (below, free)))
    k.output("W", (space.layout.load, space.layout.load), W, "to add")


def _end_column(space: Space, k: Kernel) -> None:
    beta = space.lever(k, "lever", "end, from the input end in base axes")
    moment, force = space.parts(k.array("s", space.layout.load, "column of the interface at the end"))
    k.output("w", space.layout.load, space.entries(add(moment, cross(beta, force)), force), "to add")


def _point(space: Space, k: Kernel) -> None:
    motion = space.motion(k)
    b, r = space.lever(k, "b", "point, from the input end in body axes"), space.lever(k, "r", "input end")
    _give(space, k, "point", add(r, multiply(motion.X, b)), "", "m")


def _point_change(space: Space, k: Kernel) -> None:
    beta = space.lever(k, "lever", "point, from the input end in base axes")
    phi, dr = space.parts(k.array("change", space.layout.load, "rotation and displacement of the input end"))
    changed = space.entries(phi, add(dr, cross(phi, beta)))
    k.output("changed", space.layout.load, changed, "rotation and displacement of the point")


def _point_velocity(space: Space, k: Kernel) -> None:
    _, c, _ = space.body(k)
    motion = space.motion(k)
    v = space.lever(k, "velocity", "of the centre of mass", "m/s")
    beta = space.lever(k, "lever", "point, from the input end in base axes")
    lever = subtract(beta, multiply(motion.R, c))
    _give(space, k, "point_velocity", add(v, cross(motion.omega, lever)), "", "m/s")


class Rotation(NamedTuple):
    """The kernels that depend on how a body's attitude is integrated."""

    attitude: Write
    rate: Write
    start: Write
    rebase: Write
    past: Write
    observe: Write


def kernels_of(space: Space, rotation: Rotation) -> Kernels:
    """Every kernel of a variant, with what it does."""

    def own(write: Callable[[Space, Kernel], None]) -> Write:
        return partial(write, space)

    return (
        ("transfer_attitude", "attitude and what it adds to the equations at an iterate", rotation.attitude),
        ("transfer_attitude_rate", "attitude and what angular velocity contributes to accelerations", rotation.rate),
        ("transfer_start_rotation", "attitude and rotation history of a body from initial values", rotation.start),
        ("transfer_rebase", "attitude and past values after a step, as the next one takes them", rotation.rebase),
        ("transfer_past", "a past rotation as the scheme's formulas take it at the iterate", rotation.past),
        ("transfer_observe", "attitude, angular velocity and kinetic energy of a body", rotation.observe),
        ("transfer_inertia", "loads of a rigid body alone: [N; Q] = W [phi; dr] + w at its input end", own(_inertia)),
        ("transfer_hinge_motion", "how a coordinate of a hinge moves what lies beyond it", own(_hinge_motion)),
        ("transfer_hinge_turn", "the axes that the next coordinate of a hinge moves in", space.hinge_turn),
        (
            "transfer_hinge_bias",
            "acceleration that a hinge adds with its coordinates' second derivatives zero",
            own(_hinge_bias),
        ),
        (
            "transfer_hinge_gap",
            "rotation by which a body's attitude and its hinge's coordinates differ",
            space.hinge_gap,
        ),
        ("transfer_carried", "a coordinate's axis at the point to which coordinates beyond it move", own(_carried)),
        *hinge_kernels(space.layout, partial(_turning, space)),
        ("transfer_rotation", "change of a body's rotation variable from its rotation in base axes", own(_rotation)),
        ("transfer_end", "share of an output end in a body's loads", own(_end)),
        ("transfer_end_column", "share of an output end in one column of a body's loads", own(_end_column)),
        ("transfer_point", "a point of a body at the iterate (or its acceleration but for delta)", own(_point)),
        ("transfer_point_change", "change of a point of a body", own(_point_change)),
        ("transfer_point_velocity", "velocity of a point of a body", own(_point_velocity)),
    )
