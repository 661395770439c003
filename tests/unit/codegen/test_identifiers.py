"""Identifiers are harmless in C, C++ and Python, unique, and the same every time."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbsym.codegen.identifiers import MAXIMUM_LENGTH, RESERVED, Scope, identifier_map, spelled
from mbsym.errors import CodegenError

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("w3_x", "w3_x"),
        ("link 1", "link_1"),
        ("left-arm/hand", "left_arm_hand"),
        ("1st", "n1st"),
        ("_hidden", "hidden"),
        ("__dunder__", "dunder_"),
        ("a__b", "a_b"),
        ("", "unnamed"),
        ("///", "unnamed"),
        ("θ", "theta"),
        ("θ̇_2", "theta_2"),
        ("Schürze", "Schurze"),
        ("λ1", "lambda1"),
        ("関節", "u95a2u7bc0"),
        ("x²", "x2"),
        ('a"); EVIL("', "a_EVIL_"),
        ("../../etc/passwd", "etc_passwd"),
        ("a\nb\0c", "a_b_c"),
        ("\ud800", "unnamed"),
    ],
)
def test_spelling(name: str, identifier: str) -> None:
    assert spelled(name) == identifier


@pytest.mark.parametrize(
    "word", ["for", "lambda", "class", "restrict", "gamma", "sinf", "None", "y0", "np", "abs", "I"]
)
def test_a_reserved_word_gets_an_underscore(word: str) -> None:
    assert Scope().claim(word) == f"{word}_"


def test_every_python_keyword_is_reserved() -> None:
    assert set(keyword.kwlist) <= RESERVED


def test_equal_demands_are_numbered_in_order() -> None:
    scope = Scope({"t1"})
    assert [scope.claim(name) for name in ("a", "a", "a b", "a/b", "a_2", "t1", "for", "for")] == [
        "a",
        "a_2",
        "a_b",
        "a_b_2",
        "a_2_2",
        "t1_2",
        "for_",
        "for_2",
    ]


def test_numbered_names_skip_what_is_taken() -> None:
    scope = Scope({"t1", "t3"})
    assert scope.numbered("t", 1) == ("t2", 2)
    assert scope.numbered("t", 3) == ("t4", 4)


def test_a_long_name_is_cut() -> None:
    scope = Scope()
    first, second = scope.claim("x" * 10**6), scope.claim("x" * 10**5)
    assert len(first) == MAXIMUM_LENGTH
    assert second == f"{first}_2"


@given(st.lists(st.text(max_size=12), max_size=12))
def test_any_names_become_distinct_plain_identifiers(names: list[str]) -> None:
    scope = Scope()
    identifiers = [scope.claim(name) for name in names]
    assert len(set(identifiers)) == len(names)
    for identifier in identifiers:
        assert IDENTIFIER.fullmatch(identifier)
        assert "__" not in identifier
        assert identifier not in RESERVED
    again = Scope()
    assert identifiers == [again.claim(name) for name in names]


def test_a_doubled_name_is_an_error() -> None:
    with pytest.raises(CodegenError, match="two parameters are named 'm'"):
        identifier_map(["m", "m"], Scope(), "parameters")


def test_names_that_begin_like_the_module_are_set_apart() -> None:
    scope = Scope(foreign=("arm_", "MBSYM_arm_"))
    assert [scope.claim(name) for name in ("arm_real", "arm", "MBSYM_arm_H", "own_arm_real")] == [
        "own_arm_real",
        "arm",
        "own_MBSYM_arm_H",
        "own_arm_real_2",
    ]
