"""Readable closed forms: what is merged, and that nothing grows or changes."""

from __future__ import annotations

import numpy as np
import pytest

from mbsym.symbolic.equality import is_zero
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.reader import free_names, read_expression
from mbsym.symbolic.scalar import Scalar, symbol
from mbsym.symbolic.trigonometry import simplify_all_trigonometric


def _read(text: str, graph: Graph) -> int:
    return read_expression(text, graph, {name: symbol(graph, name) for name in free_names(text)}).ref


def _cost(graph: Graph, ref: int) -> int:
    return PrintedSizes(graph).of(ref)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sin(a)*cos(b) + cos(a)*sin(b)", "sin(a + b)"),
        ("sin(a)*cos(b) - cos(a)*sin(b)", "sin(a - b)"),
        ("cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)"),
        ("sin(a)*sin(b) + cos(a)*cos(b)", "cos(a - b)"),
        ("-cos(a)*sin(b) - cos(b)*sin(a)", "-sin(a + b)"),
        ("m*l*cos(a)*cos(a + b) + m*l*sin(a)*sin(a + b)", "m*l*cos(b)"),
        ("x*sin(a)**2 + x*cos(a)**2 + y", "x + y"),
        ("(sin(a)**2 + cos(a)**2*sin(b)**2) + cos(a)**2*cos(b)**2", "1"),
        ("cos(a)**2 - sin(a)**2", "cos(2*a)"),
        ("2*sin(a)*cos(a)*x", "sin(2*a)*x"),
        ("(cos(a)*cos(b) - sin(a)*sin(b))*cos(c) - (sin(a)*cos(b) + cos(a)*sin(b))*sin(c)", "cos(a + b + c)"),
        ("I*cos(a)**2 + J*sin(a)**2 - J", "(I - J)*cos(a)**2"),
        ("(cos(a)*sin(b) + sin(a)*cos(b))/(1 + x*sin(b)**2 + x*cos(b)**2)", "sin(a + b)/(1 + x)"),
        ("sqrt((x*cos(a))**2 + (x*sin(a))**2 + y)", "sqrt(x**2 + y)"),
        ("sin(a/2)*cos(a/2) + cos(a/2)*sin(a/2)", "sin(a)"),
        ("cos(a)*cos(0.5) - sin(a)*sin(0.5)", "cos(a + 0.5)"),
        ("2*c*l*m*cos(a)*cos(b) - 2*c*l*m*sin(a)*sin(b) + l*m*x*cos(a)", "l*m*(2*c*cos(a + b) + x*cos(a))"),
        ("m*(v**2 + 2*v*w + w**2)*sin(a) + n*(v + w)**2*sin(b)", "(v + w)**2*(m*sin(a) + n*sin(b))"),
        ("v*v*sin(a)*cos(b) + v*v*cos(a)*sin(b)", "v**2*sin(a + b)"),
        ("x*m/(m*y) + a/y", "(a + x)/y"),
        ("m*(h/m)**2*cos(a)**2 + h*(h/m)*sin(a)**2", "h**2/m"),
        ("x/cos(a)*cos(a) + y/(z + 1)*(z + 1)", "x + y"),
        ("x + y", "x + y"),
        ("sin(a)", "sin(a)"),
        ("0", "0"),
    ],
)
def test_merged_forms(text: str, expected: str) -> None:
    graph = Graph()
    ref = _read(text, graph)
    (result,) = simplify_all_trigonometric(graph, [ref])
    assert is_zero(graph, graph.sub(result, ref))
    assert _cost(graph, result) <= _cost(graph, _read(expected, graph))


def test_mass_matrix_of_the_double_pendulum() -> None:
    """Velocities in inertial axes give the textbook's matrix in the relative angle."""
    graph = Graph()
    q1, q2, m1, m2, l1, l2 = (symbol(graph, name) for name in ("q1", "q2", "m1", "m2", "l1", "l2"))
    c1, s1, c12, s12 = q1.apply("cos"), q1.apply("sin"), (q1 + q2).apply("cos"), (q1 + q2).apply("sin")
    first = ((-l1 * s1, 0 * q1), (l1 * c1, 0 * q1))
    second = ((-l1 * s1 - l2 * s12, -l2 * s12), (l1 * c1 + l2 * c12, l2 * c12))

    def entry(i: int, j: int) -> Scalar:
        return m1 * (first[0][i] * first[0][j] + first[1][i] * first[1][j]) + m2 * (
            second[0][i] * second[0][j] + second[1][i] * second[1][j]
        )

    refs = [entry(0, 0).ref, entry(0, 1).ref, entry(1, 1).ref]
    results = simplify_all_trigonometric(graph, refs)
    c2 = q2.apply("cos")
    textbook = [
        (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2 * m2 * l1 * l2 * c2,
        m2 * (l2 * l2 + l1 * l2 * c2),
        m2 * l2 * l2,
    ]
    for ref, result, expected in zip(refs, results, textbook, strict=True):
        assert is_zero(graph, graph.sub(ref, result), graph.sub(result, expected.ref))
        assert _cost(graph, result) <= _cost(graph, expected.ref)
    assert "q1" not in repr(Scalar(graph, results[0]))


def test_random_values_never_grow_and_never_change() -> None:
    rng = np.random.default_rng(7)
    graph = Graph()
    a, b, c, x = (symbol(graph, name) for name in ("a", "b", "c", "x"))
    angles = [a, b, c, a + b, b - c, 2 * a]
    pool = [angle.apply(name) for angle in angles for name in ("sin", "cos")] + [x, a, 1 / (x + 2)]
    for _ in range(60):
        first, second = (pool[int(k)] for k in rng.integers(0, len(pool), 2))
        pool.append([first + second, first - second, first * second][int(rng.integers(0, 3))])
    refs = [each.ref for each in pool[-40:]]
    for ref, result in zip(refs, simplify_all_trigonometric(graph, refs), strict=True):
        assert is_zero(graph, graph.sub(ref, result))
        assert _cost(graph, result) <= _cost(graph, ref)


def test_rotation_by_a_unit_quaternion_keeps_lengths() -> None:
    """R^T I R of a symmetric body is I, since the squares of a unit quaternion add up to one."""
    graph = Graph()
    w, x, y, z, size = (symbol(graph, name) for name in ("w", "x", "y", "z", "size"))
    row = (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
    total = size * (row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
    unit = [each.ref for each in (w, x, y, z)]
    assert simplify_all_trigonometric(graph, [total.ref], [unit]) == [size.ref]
    assert simplify_all_trigonometric(graph, [total.ref]) != [size.ref]


def test_long_values_are_left_in_parts() -> None:
    graph = Graph()
    x = symbol(graph, "x")
    value = x
    for k in range(12):
        value = value * (symbol(graph, f"a{k}").apply("sin") + symbol(graph, f"b{k}"))
    assert simplify_all_trigonometric(graph, [value.ref]) == [value.ref]
