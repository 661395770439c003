"""Closure equations of cut joints: the rows that several joint types share.

Residuals are chosen so that d(residual)/dt = G v wherever the loop is closed, and have no roots but closed loops:

* alignment of two axes: 2 tan(half the angle between them), which has no value where they are opposite;
* equal attitude: 2 tan(half the angle) times the axis of the relative rotation, without value at a half turn;
* points: the place of P in S, or for joints that slide, the distance of S from the axis or plane of P.

For points that holds everywhere. For alignments, attitudes and what slides, d(residual)/dt = N(q) G v with
N = E + O(residual) away from closed loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mbsym.joints.motion import Motion
from mbsym.spatial.rotation import identity_matrix
from mbsym.spatial.vector import Matrix3, Vector3, cross, dot, negate, scale, subtract, transpose, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar


@dataclass(frozen=True, slots=True)
class ClosureGap:
    """Where the joint frame P on the predecessor is and how it moves, as seen from S on the successor.

    Attributes:
        matrix: rotation from P to S; its columns are the axes of P in S.
        place: origin of P in S.
        twist: [angular velocity of P relative to S; velocity of the point at which closure equations are taken], in S.
        numbers: of the joint, as its type lists them.
    """

    matrix: Matrix3
    place: Vector3
    twist: Motion
    numbers: tuple[Scalar, ...]

    @property
    def graph(self) -> Graph:
        """The graph of all entries."""
        return self.place[0].graph

    @property
    def zero(self) -> Vector3:
        """The zero vector."""
        return zero_vector(self.graph)

    @property
    def unit(self) -> Matrix3:
        """The unit vectors."""
        return identity_matrix(self.graph)

    def axis(self, k: int) -> Vector3:
        """Axis k of P in S."""
        return self.matrix[0][k], self.matrix[1][k], self.matrix[2][k]


@dataclass(frozen=True, slots=True)
class RowDraft:
    """A closure equation before the loop's joints are put in.

    Attributes:
        quantity: what the row holds together, in words.
        unit: of the residual.
        residual: zero where the loop is closed.
        rate: what to multiply the twist with for the residual's rate, exact everywhere.
        wrench: [moment; force] per unit multiplier, whose product with the twist is G v.
        wrench_rate: its rate as seen from S.
        of_speeds: the row closes nothing: speeds alone are held.
    """

    quantity: str
    unit: str
    residual: Scalar
    rate: Motion
    wrench: Motion
    wrench_rate: Motion
    of_speeds: bool = False


def rotation_row(quantity: str, residual: Scalar, rate: Vector3, moment: Vector3, change: Vector3) -> RowDraft:
    """A row that no translation enters."""
    zero = zero_vector(residual.graph)
    return RowDraft(quantity, "rad", residual, (rate, zero), (moment, zero), (change, zero))


def translation_row(quantity: str, residual: Scalar, rate: Motion, wrench: Motion) -> RowDraft:
    """A row of a length whose wrench is at rest in S."""
    zero = zero_vector(residual.graph)
    return RowDraft(quantity, "m", residual, rate, wrench, (zero, zero))


def aligned_axes(gap: ClosureGap) -> list[RowDraft]:
    """Both z axes agree: 2 tan(angle/2) between them about x and y of S.

    With z = (a, b, c) the predecessor's axis in S: 2 (b, -a) / (1 + c), and the rate of z is w x z.
    """
    unit = gap.unit
    a, b, c = axis = gap.axis(2)
    factor = 2 / (1 + c)
    residuals = (b * factor, -(a * factor))
    ways = tuple(cross(axis, e) for e in unit)
    half = factor * Fraction(1, 2)
    bending = scale(ways[2], half)
    first = subtract(scale(ways[1], factor), scale(bending, residuals[0]))
    second = subtract(scale(negate(ways[0]), factor), scale(bending, residuals[1]))
    return [
        rotation_row(f"rotation about {'xy'[k]}", residuals[k], (first, second)[k], negate(unit[k]), gap.zero)
        for k in (0, 1)
    ]


def equal_attitude(gap: ClosureGap) -> list[RowDraft]:
    """Both frames agree in attitude: g = 2 tan(angle/2) axis of the rotation from P to S in S, whose rates are the
    rows of -(E + g~/2 + g g^T/4) times w."""
    unit = gap.unit
    r = transpose(gap.matrix)
    trace = r[0][0] + r[1][1] + r[2][2]
    factor = 2 / (1 + trace)
    g = (
        (r[2][1] - r[1][2]) * factor,
        (r[0][2] - r[2][0]) * factor,
        (r[1][0] - r[0][1]) * factor,
    )
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    rows = []
    for k in range(3):
        # Row k of g~ is (e_k x g)^T up to its sign: (g x w)_k = w . (e_k x g).
        bent = cross(unit[k], g)
        x, y, z = (unit[k][i] + bent[i] * half + g[k] * g[i] * quarter for i in range(3))
        rate = negate((x, y, z))
        rows.append(rotation_row(f"rotation about {'xyz'[k]}", g[k], rate, negate(unit[k]), gap.zero))
    return rows


def same_point(gap: ClosureGap) -> list[RowDraft]:
    """Both origins agree."""
    ways = [(gap.zero, negate(axis)) for axis in gap.unit]
    return [translation_row(f"translation along {'xyz'[k]}", -gap.place[k], ways[k], ways[k]) for k in range(3)]


def point_on_axis(gap: ClosureGap) -> list[RowDraft]:
    """The origin of S lies on the z axis of P."""
    unit, d, axis = gap.unit, gap.place, gap.axis(2)
    along = dot(axis, d)
    rows = []
    for k in (0, 1):
        # Rate of d_k - z_k (z . d): that of d is v + w x d, that of z . d is z . v, that of z is w x z.
        pull = subtract(unit[k], scale(axis, axis[k]))
        turn = subtract(cross(d, unit[k]), scale(cross(axis, unit[k]), along))
        residual = -(d[k] - axis[k] * along)
        rate = (negate(turn), negate(pull))
        rows.append(translation_row(f"translation along {'xy'[k]}", residual, rate, (gap.zero, negate(unit[k]))))
    return rows


def point_on_planes(gap: ClosureGap, normals: Sequence[int]) -> list[RowDraft]:
    """The origin of S lies on the planes through the origin of P with those axes of P for normals."""
    rows = []
    for k in normals:
        axis = gap.axis(k)
        residual = -dot(axis, gap.place)
        rate, wrench = (gap.zero, negate(axis)), (gap.zero, negate(gap.unit[k]))
        rows.append(translation_row(f"translation along {'xyz'[k]}", residual, rate, wrench))
    return rows
