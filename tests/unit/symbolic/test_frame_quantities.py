"""The words for frames in expressions: how they are written, spelt in one way, found in a text, and refused."""

from __future__ import annotations

import pytest

from mbsym.errors import SymbolicError
from mbsym.symbolic.frame_quantities import WORDS, FrameQuantity, quantity_of
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.reader import expression_parts, free_names, read_expression
from mbsym.symbolic.scalar import symbol

QUANTITIES = {
    "position(tool).z": FrameQuantity("position", ("tool",), component="z"),
    'velocity("left wheel", in="body:a b").x': FrameQuantity("velocity", ("left wheel",), "", "body:a b", "x"),
    "axis(x, y, in=z).z": FrameQuantity("axis", ("x",), "y", "z", "z"),
    "direction(a, b).y": FrameQuantity("direction", ("a", "b"), component="y"),
    "distance(x, y)": FrameQuantity("distance", ("x", "y")),
    "distance_rate(ä, b_1)": FrameQuantity("distance_rate", ("ä", "b_1")),
    'angle(a, "from, in=b", about=z)': FrameQuantity("angle", ("a", "from, in=b"), "z"),
    'angular_velocity("in").x': FrameQuantity("angular_velocity", ("in",), component="x"),
}


@pytest.mark.parametrize(("name", "quantity"), QUANTITIES.items())
def test_each_has_one_spelling(name: str, quantity: FrameQuantity) -> None:
    assert quantity.name == name
    assert quantity_of(name) == quantity
    assert free_names(f"2*{name} + k") == tuple(sorted(("k", name)))


def test_blanks_and_quotes_make_no_difference() -> None:
    assert free_names("axis( a,y,in = 'b' ) .x") == ("axis(a, y, in=b).x",)


def test_all_words_are_tried() -> None:
    assert {quantity.word for quantity in QUANTITIES.values()} == set(WORDS)


@pytest.mark.parametrize(
    "name",
    [
        "q_j", "position", "position()", "sin(a)", "position(a).w", "distance(a, b) ", "position( a ).z",
        "position(a)", "distance(a)", "distance(a, b).x", "distance(a, b, c)", "position(a, b).x", "axis(a).x",
        "axis(a, w).x", "angle(a, b)", "velocity(a, about=b).x", "velocity(a, in=b, in=c).x", "distance(a, b, in=c)",
    ],
)  # fmt: skip
def test_other_names_are_none(name: str) -> None:
    assert quantity_of(name) is None


def test_they_are_looked_up_among_the_names() -> None:
    graph = Graph()
    names = {"distance(a, b)": symbol(graph, "d"), "distance": symbol(graph, "x"), "angle": symbol(graph, "y")}
    found = read_expression("2*distance(a,b)*distance - angle", graph, names)
    assert found == 2 * names["distance(a, b)"] * names["distance"] - names["angle"]


def test_the_text_around_them_is_found() -> None:
    text = '  k*velocity("a b",in = hub).x/max(distance(a, b), axis(a, y).z) - ü'
    parts = expression_parts(text)
    assert [part if isinstance(part, str) else part.name for part in parts] == [
        "k*", 'velocity("a b", in=hub).x', "/max(", "distance(a, b)", ", ", "axis(a, y).z", ") - ü",
    ]  # fmt: skip
    assert expression_parts("  k*sin(x)") == ["  k*sin(x)"]


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("1 + position(a)", 5, "position is a vector; write position(a).x, or .y or .z"),
        ("position(a).w", 1, "position is a vector"),
        ("distance(a, b).x", 1, "distance is a number and has no component x; write distance(a, b)"),
        ("distance(a)", 1, "distance(a) is not how distance is written; write distance(a, b)"),
        ("2*position(a, b).x", 3, "position(a, b) is not how position is written; write position(a).x, and in=NAME"),
        ("position(a, at=b).x", 1, "is not how position is written"),
        ("angle(a, b)", 1, "write angle(a, b, about=z)"),
        ("angle(a, b, about=w)", 1, "write angle(a, b, about=z)"),
        ("angle(a, b, about=z, in=c)", 1, "write angle(a, b, about=z)"),
        ("axis(a).x", 1, "write axis(a, z).x"),
        ("axis(a, w).x", 1, "write axis(a, z).x"),
        ("position(2).x", 10, '2 is no name of a frame; write names such as "left wheel" in quotes'),
        ("position(a-b).x", 10, "a-b is no name of a frame"),
        ("position(a", 9, "this is no expression"),
        ("position(left wheel).z", 10, 'stand in quotes, as in position("left wheel").z'),
        ("velocity(a, in=b, in=c).x", 1, "velocity(a, in=b, in=c) is not how velocity is written"),
        ("angle(a, b, about=x, about=z)", 1, "is not how angle is written"),
        ("velocity(a, IN=b).x", 1, "velocity(a, IN=b) is not how velocity is written"),
        ("position('').x", 10, "'' is no name of a frame"),
        (r'position("a\x41").x', 10, "is no name of a frame"),
        ('position("a" "b").x', 10, "is no name of a frame"),
        ("(position)(a).x", 1, "(position)(a) is no name"),
        ("position(a).x + 'b'", 17, "'b' is no decimal number"),
        ("k + 'b'", 5, "has no place in an expression"),
        ("position(a).x; 1", 14, "has no place in an expression"),
    ],
)
def test_mistakes_have_their_column(text: str, column: int, words: str) -> None:
    with pytest.raises(SymbolicError) as refused:
        free_names(text)
    assert refused.value.where == f"column {column}"
    assert words in str(refused.value)


def test_where_nothing_moves_they_are_refused() -> None:
    with pytest.raises(SymbolicError, match=r"column 3: distance of frames is not known here; expressions of force"):
        read_expression("k*distance(a, b)", graph := Graph(), {"k": symbol(graph, "k")})
