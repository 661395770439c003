"""Relative motion of a joint's outboard frame to its inboard frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, add, dot, is_zero, negate, scale, subtract, zero_vector
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar

Motion: TypeAlias = tuple[Vector3, Vector3]
"""[angular; linear]."""


@dataclass(frozen=True, slots=True)
class JointMotion:
    """Kinematics of a joint at symbolic coordinates.

    Attributes:
        placement: outboard frame in the inboard frame.
        columns: motion subspace H, one spatial column per speed, at the outboard origin in outboard axes.
        bias: H-dot v in outboard components, the derivative taken as seen in the outboard frame.
        position_rate: qdot.
    """

    placement: Transform
    columns: tuple[Motion, ...]
    bias: Motion
    position_rate: tuple[Scalar, ...]

    @property
    def graph(self) -> Graph:
        """The graph of all entries."""
        return self.placement.rotation.graph

    def reversed(self) -> JointMotion:
        """The same joint walked from its outboard side: X' = X^-1, H' = -X^-T H, and H'-dot v = -X^-T H-dot v, since
        the terms of the turning frame cancel."""

        def turned(motion: Motion) -> Motion:
            angular, linear = self.placement.twist_to_parent(*motion)
            return negate(angular), negate(linear)

        return JointMotion(
            self.placement.inverse(), tuple(turned(h) for h in self.columns), turned(self.bias), self.position_rate
        )

    def twist(self, speeds: tuple[Scalar, ...]) -> Motion:
        """H v."""
        return combination(self.graph, self.columns, speeds)


def motion_of(entries: Sequence[Scalar]) -> Motion:
    """Six entries as [angular; linear], or [moment; force]."""
    a, b, c, d, e, f = entries
    return (a, b, c), (d, e, f)


def six(motion: Motion) -> list[Scalar]:
    """The six entries of [angular; linear], or of [moment; force]: what ``motion_of`` takes."""
    return [*motion[0], *motion[1]]


def sum_of(a: Motion, b: Motion) -> Motion:
    """a + b, of twists or of wrenches about one point."""
    return add(a[0], b[0]), add(a[1], b[1])


def difference_of(a: Motion, b: Motion) -> Motion:
    """a - b, likewise."""
    return subtract(a[0], b[0]), subtract(a[1], b[1])


def power(motion: Motion, wrench: Motion) -> Scalar:
    """angular^T moment + linear^T force."""
    return dot(six(motion), six(wrench))


def combination(graph: Graph, columns: tuple[Motion, ...], factors: tuple[Scalar, ...]) -> Motion:
    """Sum of spatial columns times scalars."""
    angular, linear = zero_vector(graph), zero_vector(graph)
    for (w, u), factor in zip(columns, factors, strict=True):
        if not is_zero(w):
            angular = add(angular, scale(w, factor))
        if not is_zero(u):
            linear = add(linear, scale(u, factor))
    return angular, linear
