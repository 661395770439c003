"""The figures of the house are counted as they say."""

from __future__ import annotations

import ast
from pathlib import Path

from architecture import figures


def _function(text: str) -> figures.Function:
    (function,) = ast.parse(text).body
    assert isinstance(function, figures.Function)
    return function


def test_complexity_counts_each_place_where_a_function_goes_two_ways() -> None:
    assert figures.complexity(_function("def f(x):\n    return x")) == 1
    assert figures.complexity(_function("def f(x):\n    if x and x > 1 or not x:\n        return 1\n    return 2")) == 4
    assert figures.complexity(_function("def f(x):\n    return [y for y in x if y if y > 1]")) == 4
    assert figures.complexity(_function("def f(x):\n    for y in x:\n        pass\n    else:\n        return 1")) == 3
    assert figures.complexity(_function("def f(x):\n    def g(y):\n        return 1 if y else 2\n    return g")) == 3


def test_an_option_that_a_lower_floor_names_is_counted_and_one_in_a_docstring_is_not(tmp_path: Path) -> None:
    (tmp_path / "mbsym" / "cli").mkdir(parents=True)
    (tmp_path / "mbsym" / "lower.py").write_text(
        '"""Of --frame."""\nTEXT = "leave out --frame"\nOTHER = "a -- b"\nPROGRAM = "--std=c99"\n'
    )
    (tmp_path / "mbsym" / "cli" / "verb.py").write_text('TEXT = "--frame"\n')
    assert figures.options_told(figures.Tree(tmp_path)) == 1
