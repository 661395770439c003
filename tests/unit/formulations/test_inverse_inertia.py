"""Which bodies have an inverse inertia, without which there are no matrices of constraint forces."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbsym.formulations.constraint_force.joint_compliance import LEAST_PART, Size, why_singular
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
        (2 * LEAST_PART * (1 + Fraction(1, 10**4)), False),
        (2 * LEAST_PART, True),
        (0, True),
    ):
        principal: list[Fraction | int] = [1, 1, 1]
        principal[along] = e
        assert bool(why_singular(body(Graph(), *principal))) == singular, e


def test_what_a_body_carries_may_make_it_light() -> None:
    """Mass and moments count each by itself; the sum of products of two moments is 3 for (1, 1, 1)."""
    own = body(Graph(), 1, 1, 1)
    assert why_singular(own, carried=Size(1 / LEAST_PART - 1)) == ""
    assert "its mass is nothing beside" in why_singular(own, carried=Size(1 / LEAST_PART))
    assert why_singular(own, carried=Size(moments=1 / (3 * LEAST_PART) - 1)) == ""
    assert "centre of mass is nothing beside" in why_singular(own, carried=Size(moments=1 / (3 * LEAST_PART)))
    assert "centre of mass is nothing beside" in why_singular(
        own, carried=Size(moments=Fraction(4)), least=Fraction(1, 12)
    )
