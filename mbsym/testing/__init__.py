"""For users' own tests: are equations that I derived by hand those of my model, and does my function compute them?

Equations are compared exactly: both sides become graphs, which are compared at random points of a finite field. Where a
function has no meaning there (exp, tanh, ...), equality is still proved if both sides apply it to equal arguments;
otherwise floating-point states decide. Functions that are written in Python or C are compared in the same field where
they compute with other numbers than doubles, and at random states.

The names below are imported when they are first used, so that pytest's plugin costs nothing where nobody asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mbsym.testing.same_equations import Comparison as Comparison
    from mbsym.testing.same_equations import assert_same_equations as assert_same_equations
    from mbsym.testing.same_equations import compare_equations as compare_equations
    from mbsym.testing.same_function import FunctionComparison as FunctionComparison
    from mbsym.testing.same_function import assert_same_function as assert_same_function
    from mbsym.testing.same_function import compare_function as compare_function

__all__ = [
    "Comparison",
    "FunctionComparison",
    "assert_same_equations",
    "assert_same_function",
    "compare_equations",
    "compare_function",
]

_HOMES: Final = {
    "Comparison": "same_equations",
    "FunctionComparison": "same_function",
    "assert_same_equations": "same_equations",
    "assert_same_function": "same_function",
    "compare_equations": "same_equations",
    "compare_function": "same_function",
}


def _found(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mbsym.testing' has no attribute {name!r}")
    value = getattr(import_module(f"mbsym.testing.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:
    # Type checkers would take any name for one of ours.
    __getattr__ = _found
