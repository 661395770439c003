"""Rigid and articulated inertias: the same body from another frame has the same energy."""

from __future__ import annotations

from fractions import Fraction

from mbsym.spatial.inertia import ArticulatedInertia, RigidInertia
from mbsym.spatial.rotation import about_axis, from_constant_quaternion
from mbsym.spatial.transform import Transform
from mbsym.spatial.vector import Vector3, cross, dot, scale
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mechanisms.exact import equal


def free_vector(graph: Graph, name: str) -> Vector3:
    x, y, z = (symbol(graph, f"{name}_{axis}") for axis in "xyz")
    return x, y, z


def body(graph: Graph, name: str = "") -> RigidInertia:
    """A body with all ten parameters as symbols."""
    about = (*free_vector(graph, f"J{name}"), *free_vector(graph, f"K{name}"))
    return RigidInertia(symbol(graph, f"m{name}"), free_vector(graph, f"h{name}"), about)


def placement(graph: Graph) -> Transform:
    turn = from_constant_quaternion(graph, (Fraction(2), Fraction(-1), Fraction(3), Fraction(1)))
    return Transform(about_axis(0, symbol(graph, "q")).then(turn), free_vector(graph, "p"))


def twice_the_energy(inertia: RigidInertia | ArticulatedInertia, w: Vector3, v: Vector3) -> Scalar:
    moment, force = inertia.times(w, v)
    return dot((*w, *v), (*moment, *force))


def test_a_point_mass_has_the_inertia_of_a_point() -> None:
    graph = Graph()
    m, c = symbol(graph, "m"), free_vector(graph, "c")
    zero = constant(graph, 0)
    at_itself = RigidInertia(m, (zero, zero, zero), (zero,) * 6)
    moved = at_itself.to_parent(placement(graph).rotation, c)
    w, v = free_vector(graph, "w"), free_vector(graph, "v")
    moment, force = moved.times(w, v)
    momentum = scale((v[0] + cross(w, c)[0], v[1] + cross(w, c)[1], v[2] + cross(w, c)[2]), m)
    assert equal((*moment, *force), (*cross(c, momentum), *momentum))


def test_the_energy_does_not_depend_on_the_frame() -> None:
    graph = Graph()
    X, inertia = placement(graph), body(graph)
    w, v = free_vector(graph, "w"), free_vector(graph, "v")
    moved = inertia.to_parent(X.rotation, X.translation)
    assert equal([twice_the_energy(moved, w, v)], [twice_the_energy(inertia, *X.twist_to_child(w, v))])
    assert not equal([twice_the_energy(inertia, w, v)], [twice_the_energy(inertia, *X.twist_to_child(w, v))])


def test_bodies_joined_add_their_inertias() -> None:
    graph = Graph()
    a, b = body(graph, "1"), body(graph, "2")
    w, v = free_vector(graph, "w"), free_vector(graph, "v")
    assert equal([twice_the_energy(a + b, w, v)], [twice_the_energy(a, w, v) + twice_the_energy(b, w, v)])
    X = placement(graph)
    together = (a + b).to_parent(X.rotation, X.translation)
    apart = a.to_parent(X.rotation, X.translation) + b.to_parent(X.rotation, X.translation)
    assert equal([twice_the_energy(together, w, v)], [twice_the_energy(apart, w, v)])


def test_an_articulated_inertia_begins_as_the_rigid_one() -> None:
    graph = Graph()
    inertia = body(graph)
    w, v = free_vector(graph, "w"), free_vector(graph, "v")
    wide = ArticulatedInertia.of_rigid(inertia)
    assert equal([*wide.times(w, v)[0], *wide.times(w, v)[1]], [*inertia.times(w, v)[0], *inertia.times(w, v)[1]])
    rows = wide.rows()
    assert equal([rows[i][k] for i in range(6) for k in range(6)], [rows[k][i] for i in range(6) for k in range(6)])
    again = ArticulatedInertia.of_rows(rows).rows()
    assert [x.ref for row in again for x in row] == [x.ref for row in rows for x in row]


def test_articulated_inertias_are_carried_like_rigid_ones_and_beyond() -> None:
    """A general symmetric 6 x 6 inertia, no rigid body's, keeps v^T I v."""
    graph = Graph()
    X = placement(graph)
    entries = {(i, k): symbol(graph, f"i{i}{k}") for i in range(6) for k in range(i, 6)}
    general = ArticulatedInertia.of_rows([[entries[min(i, k), max(i, k)] for k in range(6)] for i in range(6)])
    w, v = free_vector(graph, "w"), free_vector(graph, "v")
    moved = general.to_parent(X.rotation, X.translation)
    assert equal([twice_the_energy(moved, w, v)], [twice_the_energy(general, *X.twist_to_child(w, v))])
    total = (general + moved).rows()
    expected = [a + b for x, y in zip(general.rows(), moved.rows(), strict=True) for a, b in zip(x, y, strict=True)]
    assert equal([x for row in total for x in row], expected)


def test_nothing_is_no_inertia() -> None:
    graph = Graph()
    zero = constant(graph, 0)
    assert not RigidInertia(zero, (zero, zero, zero), (zero,) * 6).is_anything
    assert body(graph).is_anything
