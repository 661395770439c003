"""Rotations over graph scalars: whatever way they are kept and applied, they are one orthogonal matrix."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbsym.spatial.rotation import (
    MatrixRotation,
    Rotation,
    about_axis,
    from_constant_quaternion,
    from_quaternion,
    identity_matrix,
)
from mbsym.spatial.vector import Matrix3, Vector3, cross, multiply, product, symmetric_matrix, transpose
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import count_operations
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mechanisms.exact import equal

KINDS = ("plane", "quaternion", "constant", "product")
AXIS = (Fraction(2, 3), Fraction(-1, 3), Fraction(2, 3))


def rotation(graph: Graph, kind: str) -> Rotation:
    """A rotation of each kind; the quaternion is of unit length for every angle."""
    angle = symbol(graph, "angle")
    if kind == "plane":
        return about_axis(1, angle)
    if kind == "quaternion":
        cosine, sine = angle.apply("cos"), angle.apply("sin")
        return from_quaternion((cosine, sine * AXIS[0], sine * AXIS[1], sine * AXIS[2]))
    if kind == "constant":
        return from_constant_quaternion(graph, (Fraction(3), Fraction(1, 7), Fraction(-2), Fraction(5, 3)))
    parts = [rotation(graph, "plane"), rotation(graph, "constant"), rotation(graph, "quaternion")]
    return parts[0].then(parts[1]).then(parts[2]).then(about_axis(2, symbol(graph, "other")))


def free_vector(graph: Graph, name: str = "a") -> Vector3:
    x, y, z = (symbol(graph, f"{name}_{axis}") for axis in "xyz")
    return x, y, z


def entries(m: Matrix3) -> list[Scalar]:
    return [entry for row in m for entry in row]


@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix_is_orthogonal_and_keeps_the_hand(kind: str) -> None:
    graph = Graph()
    R = rotation(graph, kind).matrix()
    assert equal(entries(product(R, transpose(R))), entries(identity_matrix(graph)))
    assert equal(cross(R[0], R[1]), R[2])
    assert not equal(cross(R[1], R[0]), R[2])


@pytest.mark.parametrize("kind", KINDS)
def test_turning_is_multiplying_by_the_matrix(kind: str) -> None:
    graph = Graph()
    R, a = rotation(graph, kind), free_vector(graph)
    assert equal(R.to_parent(a), multiply(R.matrix(), a))
    assert equal(R.to_child(a), multiply(transpose(R.matrix()), a))
    assert equal(R.inverse().to_parent(a), R.to_child(a))
    assert equal(R.inverse().then(R).to_parent(a), a)


@pytest.mark.parametrize("kind", KINDS)
def test_congruences_are_products_of_matrices(kind: str) -> None:
    """The shorter formulas of a plane rotation use c^2 + s^2 = 1, which holds in the field too."""
    graph = Graph()
    R = rotation(graph, kind)
    B: Matrix3 = (free_vector(graph, "b1"), free_vector(graph, "b2"), free_vector(graph, "b3"))
    expected = product(product(R.matrix(), B), transpose(R.matrix()))
    assert equal(entries(R.congruent(B)), entries(expected))
    S = (*free_vector(graph, "d"), *free_vector(graph, "o"))
    dense = product(product(R.matrix(), symmetric_matrix(S)), transpose(R.matrix()))
    assert equal(entries(symmetric_matrix(R.symmetric_to_parent(S))), entries(dense))


def test_the_outer_rotation_comes_after_the_inner() -> None:
    graph = Graph()
    outer, inner, a = rotation(graph, "plane"), rotation(graph, "constant"), free_vector(graph)
    assert equal(outer.then(inner).to_parent(a), outer.to_parent(inner.to_parent(a)))
    assert not equal(inner.then(outer).to_parent(a), outer.to_parent(inner.to_parent(a)))


def test_constant_neighbours_become_one_matrix() -> None:
    graph = Graph()
    turn = rotation(graph, "constant")
    assert len(turn.then(turn).factors) == 1
    assert turn.then(turn.inverse()).is_identity
    assert len(turn.then(rotation(graph, "plane")).factors) == 2


def test_right_angles_cost_nothing() -> None:
    """A quarter turn is a signed permutation, a plane rotation four products and two sums."""
    graph = Graph()
    a = free_vector(graph)
    quarter = from_constant_quaternion(graph, (Fraction(1), Fraction(0), Fraction(0), Fraction(1)))
    assert [x.ref for x in quarter.to_parent(a)] == [-a[1].ref, a[0].ref, a[2].ref]
    assert about_axis(0, constant(graph, 0)).is_identity
    turned = about_axis(2, symbol(graph, "q")).to_parent(a)
    count = count_operations(graph, graph.reachable(tuple(x.ref for x in turned)))
    assert (count.mul, count.add, count.sincos) == (4, 2, 1)


def test_a_positive_angle_turns_x_to_y() -> None:
    """Right-handed about each axis."""
    graph = Graph()
    angle = symbol(graph, "q")
    sine, cosine = angle.apply("sin"), angle.apply("cos")
    units = [
        (constant(graph, int(k == 0)), constant(graph, int(k == 1)), constant(graph, int(k == 2))) for k in range(3)
    ]
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turned = about_axis(axis, angle).to_parent(units[i])
        assert [turned[i].ref, turned[j].ref, turned[axis].ref] == [cosine.ref, sine.ref, 0]


def test_a_matrix_is_a_rotation_too() -> None:
    graph = Graph()
    R = rotation(graph, "product")
    a = free_vector(graph)
    assert equal(Rotation(graph, (MatrixRotation(R.matrix()),)).to_child(a), R.to_child(a))
