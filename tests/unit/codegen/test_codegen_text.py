"""Free text stays inside comments and docstrings; long expressions break before operators."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym import examples
from mbsym.codegen.text import c_comment, docstring, plain_line, table, wrapped
from mbsym.pipeline import GenerationOptions, generate_files


@pytest.mark.parametrize(
    "text", ["*/ EVIL(); /*", "/*/", "**//**//", "*\0/", "??/", "a\nb", "\u202e", "\x0c", "\u2028x"]
)
def test_hostile_comments(text: str) -> None:
    line = c_comment(text)
    assert "*/" not in line and "/*" not in line and "??" not in line
    assert line.isprintable()


@given(st.text(alphabet=st.sampled_from("*/?\\\"'\n\r\0 ax\u2029\u202e"), max_size=30))
def test_no_text_leaves_its_comment_or_docstring(text: str) -> None:
    comment = c_comment(text)
    assert "*/" not in comment and "/*" not in comment and "??" not in comment and "\n" not in comment
    tree = ast.parse(f'"""{docstring(text)}\n"""\n# {plain_line(text)}\n')
    assert len(tree.body) == 1
    assert ast.get_docstring(tree, clean=False) == plain_line(text).replace('"', "'") + "\n"


def test_ordinary_text_is_unchanged() -> None:
    text = "M(q) vdot + h = tau, ω in rad/s, 2*x"
    assert c_comment(text) == plain_line(text) == docstring(text) == text


def test_a_short_expression_stays_on_its_line() -> None:
    assert wrapped("a + b", first=20, following="    ") == "a + b"


def test_a_long_sum_breaks_before_its_outermost_operator() -> None:
    text = "a*(b + c + d) + e*(f + g - h) - i"
    broken = wrapped(text, first=10, following="    ", width=30)
    assert broken == "a*(b + c + d)\n    + e*(f + g - h) - i"
    assert broken.replace("\n    ", " ") == text


def test_what_cannot_be_broken_stays() -> None:
    assert wrapped("x" * 200, first=0, following="  ", width=80) == "x" * 200


@given(st.lists(st.sampled_from(["alpha", "b*(c - d)", "f(x, y)", "-2.0*z"]), min_size=1, max_size=40))
def test_breaking_only_moves_blanks(terms: list[str]) -> None:
    text = " + ".join(terms)
    broken = wrapped(text, first=30, following="        ", width=60)
    assert broken.replace("\n        ", " ") == text
    assert all(len(line) <= 60 for line in broken.split("\n")[1:])


def test_table_aligns() -> None:
    assert table([("a", "bcd", ""), ("ab", "c", "x")]) == ("a   bcd", "ab  c    x")
    assert table([]) == ()


def test_every_function_of_a_module_says_what_it_returns() -> None:
    _, files = generate_files(examples.load("cart_pole"), GenerationOptions(languages=("numpy",)))
    (text,) = (file.text for file in files if file.name.endswith(".py"))
    functions = [item for item in ast.parse(text).body if isinstance(item, ast.FunctionDef) and item.name[0] != "_"]
    said = {item.name: (ast.get_docstring(item) or "").partition("Returns:")[2].split("\n\n")[0] for item in functions}
    assert "2, 2)" in said["mass_matrix"]
    assert not [name for name, words in said.items() if not words.strip() or "nothing" in words]
