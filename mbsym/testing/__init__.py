"""For users' own tests: are equations that I derived by hand those of my model?

The decision is exact: both sides become graphs, which are compared at random points of a finite field. Where a
function has no meaning there (exp, tanh, ...), equality is still proved if both sides apply it to equal arguments;
otherwise floating-point states decide.
"""

from __future__ import annotations

from mbsym.testing.same_equations import Comparison, assert_same_equations, compare_equations

__all__ = ["Comparison", "assert_same_equations", "compare_equations"]
