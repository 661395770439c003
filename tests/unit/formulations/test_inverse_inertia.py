"""Which bodies have an inverse inertia, without which there are no matrices of constraint forces."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbsym.formulations.constraint_force.joint_compliance import SMALLEST_INERTIA_RATIO, why_singular
from mbsym.spatial.inertia import RigidInertia
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, constant


def body(graph: Graph, *principal: Fraction | int) -> RigidInertia:
    """One kilogram about its centre."""
    zero = Scalar(graph, 0)
    xx, yy, zz = (constant(graph, Fraction(value)) for value in principal)
    return RigidInertia(constant(graph, Fraction(1)), (zero, zero, zero), (xx, yy, zz, zero, zero, zero))


@pytest.mark.parametrize("along", range(3))
def test_slender_rods_have_one_until_they_are_lines(along: int) -> None:
    """The ratio of determinant, minors and trace of (1, 1, e) is e/((1 + 2 e) (2 + e)), whatever the axis."""
    for e, singular in (
        (Fraction(1, 1000), False),
        (2 * SMALLEST_INERTIA_RATIO * (1 + Fraction(1, 10**6)), False),
        (2 * SMALLEST_INERTIA_RATIO, True),
        (0, True),
    ):
        principal: list[Fraction | int] = [1, 1, 1]
        principal[along] = e
        assert bool(why_singular(body(Graph(), *principal))) == singular, e
