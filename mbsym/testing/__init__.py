"""For users' own tests: are equations that I derived by hand those of my model, and does my function compute them?

Equations are compared exactly: both sides become graphs, which are compared at random points of a finite field. Where a
function has no meaning there (exp, tanh, ...), equality is still proved if both sides apply it to equal arguments;
otherwise floating-point states decide. Functions that are written in Python or C are compared in the same field where
they compute with other numbers than doubles, and at random states.
"""

from __future__ import annotations

from mbsym.testing.same_equations import Comparison, assert_same_equations, compare_equations
from mbsym.testing.same_function import FunctionComparison, assert_same_function, compare_function

__all__ = [
    "Comparison",
    "FunctionComparison",
    "assert_same_equations",
    "assert_same_function",
    "compare_equations",
    "compare_function",
]
