"""The mass matrix of a tree factored without being formed: articulated inertias eliminate joint after joint.

It has the interface of ``SparseFactor``: with M = L^T D L, ``inward`` is L^-T and ``outward`` (D L)^-1. Eliminating the
constraint forces of a tree from its leaves inward is this recursion, and closure rows are further columns of it, so
this is the constraint force algorithm with cut columns. Each column costs a fixed number of operations per body,
where sparse factors cost as many as there are joints between the body and ground.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from mbsym.errors import DerivationError
from mbsym.formulations.recursive.articulated_body import carried_motion, inverse_pivot, reduced
from mbsym.formulations.recursive.sparse_factor import Vector, product
from mbsym.formulations.regular_mass import never_singular
from mbsym.joints.motion import motion_of, six
from mbsym.kinematics.equivalents import for_mass_matrix
from mbsym.kinematics.mechanism import Mechanism
from mbsym.spatial.inertia import ArticulatedInertia
from mbsym.symbolic.scalar import Scalar

Rows: TypeAlias = Sequence[Sequence[Scalar]]


@dataclass(frozen=True, slots=True)
class _Freedom:
    """One eliminated freedom: its column h and gain I^A h / d."""

    column: Vector
    gain: Vector


@dataclass(frozen=True, slots=True)
class ArticulatedFactor:
    """Gains and pivots of the freedoms of a mechanism.

    Attributes:
        mechanism: without couplings.
        freedoms: by body label - 1, in the order of elimination.
        inverses: of the pivots, by speed.
        pivots: d of each freedom, by speed.
        inertias: I^A of each body before the freedoms of its joint are eliminated, 6 x 6, by label - 1.
    """

    mechanism: Mechanism
    freedoms: tuple[tuple[_Freedom, ...], ...]
    inverses: tuple[Scalar, ...]
    pivots: tuple[Scalar, ...]
    inertias: tuple[Rows, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """Of the speeds, by label."""
        return self.mechanism.columns_by_label

    def inward(self, right: Sequence[Scalar]) -> Vector:
        """L^-T times generalised forces."""
        zero = Scalar(self.mechanism.graph, 0)
        pulls: list[list[Scalar]] = [[zero] * 6 for _ in range(self.mechanism.nb + 1)]
        x = list(right)
        for body in reversed(self.mechanism.bodies):
            pull = pulls[body.label]
            first = body.v_range[0]
            for k, freedom in enumerate(self.freedoms[body.label - 1]):
                x[first + k] = right[first + k] - product(freedom.column, pull)
                pull = [p + g * x[first + k] if g else p for p, g in zip(pull, freedom.gain, strict=True)]
            if body.parent and any(pull):
                moved = six(body.placement.wrench_to_parent(*motion_of(pull)))
                pulls[body.parent] = [a + b for a, b in zip(pulls[body.parent], moved, strict=True)]
        return x

    def outward(self, right: Sequence[Scalar]) -> Vector:
        """(D L)^-1 times what ``inward`` gives."""
        zero = Scalar(self.mechanism.graph, 0)
        motions: list[list[Scalar]] = [[zero] * 6 for _ in range(self.mechanism.nb + 1)]
        x = list(right)
        for body in self.mechanism.bodies:
            motion = motions[body.parent]
            if any(motion):
                motion = carried_motion(body, motion)
            first = body.v_range[0]
            freedoms = self.freedoms[body.label - 1]
            for k in range(len(freedoms) - 1, -1, -1):
                column = first + k
                x[column] = right[column] * self.inverses[column] - product(freedoms[k].gain, motion)
                motion = [a + h * x[column] if h else a for a, h in zip(motion, freedoms[k].column, strict=True)]
            motions[body.label] = motion
        return x


def require_uncoupled(mechanism: Mechanism) -> None:
    """Checks that every joint moves by itself.

    Raises:
        DerivationError: the mechanism has couplings.
    """
    if mechanism.is_coupled:
        raise DerivationError(
            "couplings join joints of different bodies, which articulated inertias cannot hold",
            where=mechanism.model.name,
            remedy="use sparse factors of the mass matrix",
        )


def articulated_factor(mechanism: Mechanism, driven: AbstractSet[int] = frozenset()) -> ArticulatedFactor:
    """Eliminates all freedoms from the leaves inward; driven speeds stand by themselves.

    Raises:
        DerivationError: the mechanism has couplings, or nothing resists the motion of a joint.
    """
    require_uncoupled(mechanism)
    mechanism = for_mass_matrix(mechanism)
    regular = never_singular(mechanism)
    inertias: list[ArticulatedInertia | None] = [None] * (mechanism.nb + 1)
    freedoms: list[tuple[_Freedom, ...]] = [()] * mechanism.nb
    inverses = [Scalar(mechanism.graph, 1)] * mechanism.nv
    pivots, whole = list(inverses), list[Rows]([()] * mechanism.nb)
    still = [Scalar(mechanism.graph, 0)] * 6
    with mechanism.graph.section("articulated inertias, inward"):
        for body in reversed(mechanism.bodies):
            inertia = ArticulatedInertia.of_rigid(body.inertia)
            carried = inertias[body.label]
            rows = (inertia if carried is None else inertia + carried).rows()
            whole[body.label - 1] = rows
            own = []
            for k, h in enumerate(map(six, body.columns)):
                if body.v_range[0] + k in driven:
                    own.append(_Freedom(still, still))
                    continue
                pushed = [product(h, row) for row in rows]
                pivot = product(h, pushed) + body.armature[k]
                inverse = inverse_pivot(body, pivot, regular)
                gain = [x * inverse for x in pushed]
                inverses[body.v_range[0] + k], pivots[body.v_range[0] + k] = inverse, pivot
                own.append(_Freedom(h, gain))
                rows = reduced(rows, gain, pushed)
            freedoms[body.label - 1] = tuple(own)
            # What drives a body that is bound to nothing pushes off from its parent.
            if body.parent and not (body.leaves_parent and driven.isdisjoint(range(*body.v_range))):
                moved = ArticulatedInertia.of_rows(rows).to_parent(body.rotation, body.translation)
                before = inertias[body.parent]
                inertias[body.parent] = moved if before is None else before + moved
    return ArticulatedFactor(mechanism, tuple(freedoms), tuple(inverses), tuple(pivots), tuple(whole))
