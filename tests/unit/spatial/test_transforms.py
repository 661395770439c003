"""Transforms of points, twists and wrenches: one placement, seen from both sides."""

from __future__ import annotations

from fractions import Fraction

from mbsym.spatial.rotation import about_axis, from_constant_quaternion
from mbsym.spatial.transform import Transform, identity_transform
from mbsym.spatial.vector import Vector3, add, cross, dot, subtract
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import symbol
from mechanisms.exact import equal


def free_vector(graph: Graph, name: str) -> Vector3:
    x, y, z = (symbol(graph, f"{name}_{axis}") for axis in "xyz")
    return x, y, z


def placements(graph: Graph) -> tuple[Transform, Transform]:
    """Two placements that share nothing."""
    fixed = from_constant_quaternion(graph, (Fraction(2), Fraction(-1), Fraction(3), Fraction(1)))
    first = Transform(about_axis(0, symbol(graph, "q1")).then(fixed), free_vector(graph, "p"))
    second = Transform(about_axis(2, symbol(graph, "q2")), free_vector(graph, "r"))
    return first, second


def test_points_go_there_and_back() -> None:
    graph = Graph()
    X, _ = placements(graph)
    a = free_vector(graph, "a")
    assert equal(X.point_to_child(X.point_to_parent(a)), a)
    assert equal(X.inverse().point_to_parent(a), X.point_to_child(a))
    assert equal(X.point_to_parent(a), add(X.translation, X.rotation.to_parent(a)))
    assert [x.ref for x in identity_transform(graph).point_to_parent(a)] == [x.ref for x in a]


def test_placements_follow_each_other() -> None:
    graph = Graph()
    X, Y = placements(graph)
    a = free_vector(graph, "a")
    assert equal(X.then(Y).point_to_parent(a), X.point_to_parent(Y.point_to_parent(a)))
    assert equal(X.then(X.inverse()).point_to_parent(a), a)


def test_twists_go_there_and_back() -> None:
    graph = Graph()
    X, Y = placements(graph)
    twist = free_vector(graph, "w"), free_vector(graph, "v")
    there = X.twist_to_child(*twist)
    back = X.twist_to_parent(*there)
    assert equal((*back[0], *back[1]), (*twist[0], *twist[1]))
    one, both = X.then(Y).twist_to_child(*twist), Y.twist_to_child(*there)
    assert equal((*one[0], *one[1]), (*both[0], *both[1]))


def test_the_moved_twist_is_the_velocity_of_the_other_origin() -> None:
    """v at the child's origin is v + omega x p, in the child's components."""
    graph = Graph()
    X, _ = placements(graph)
    w, v = free_vector(graph, "w"), free_vector(graph, "v")
    _, moved = X.twist_to_child(w, v)
    assert equal(X.rotation.to_parent(moved), add(v, cross(w, X.translation)))
    assert not equal(X.rotation.to_parent(moved), subtract(v, cross(w, X.translation)))


def test_power_does_not_depend_on_the_frame() -> None:
    """Wrenches are carried by the transpose of what carries twists."""
    graph = Graph()
    X, _ = placements(graph)
    w, v = free_vector(graph, "w"), free_vector(graph, "v")
    moment, force = free_vector(graph, "m"), free_vector(graph, "f")
    inner, outer = X.twist_to_child(w, v), X.wrench_to_parent(moment, force)
    power = dot((*inner[0], *inner[1]), (*moment, *force))
    assert equal([power], [dot((w[0], w[1], w[2], *v), (*outer[0], *outer[1]))])
