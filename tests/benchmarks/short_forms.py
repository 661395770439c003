"""How long M and h are in each form beside what people published: operations as they are printed.

    python tests/benchmarks/short_forms.py

The rows of docs/short_forms.md; sines and cosines are letters, a product of vectors is one operation.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import mbsym
from mbsym.report.equations import derive
from mbsym.report.lengths import lengths

sys.path.append(str(Path(__file__).resolve().parents[1]))
from mechanisms.textbook_arms import PLANAR_3R, PUMA_560, spatial_arm, stanford

FORMS = ("flat", "products", "vectors", "steps")
HEAD = ("arm", "", "by hand", *FORMS)

ARMS: dict[str, tuple[Callable[[], mbsym.Model], str]] = {
    "planar 3R": (lambda: mbsym.examples.load("planar_3r"), "all"),
    "PUMA 560, in numbers": (lambda: mbsym.examples.load("puma560"), "none"),
    "three links in space": (spatial_arm, "all"),
    "Stanford arm": (stanford, "all"),
    "space robot, in numbers": (lambda: mbsym.examples.load("space_robot"), "none"),
}


def operations(formulas: Iterable[str]) -> int:
    """+ - * / and powers in the texts of formulas; changes of sign are free."""
    trees = (ast.walk(ast.parse(formula, mode="eval")) for formula in formulas)
    return sum(isinstance(node, ast.BinOp) for tree in trees for node in tree)


PUBLISHED = {
    ("planar 3R", "M"): operations(PLANAR_3R["M"]),
    ("planar 3R", "h"): operations(PLANAR_3R["h"]),
    ("PUMA 560, in numbers", "M"): operations(PUMA_560.values()),
}


def rows(arms: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """A row for M and one for h of each arm."""
    for arm in arms:
        make, symbolic = ARMS[arm]
        equations = derive(make(), symbolic_parameters=symbolic)
        for letter, name in (("M", "mass_matrix"), ("h", "bias_force")):
            found = {each.form: str(each.operations) for each in lengths(equations, name)}
            by_hand = str(PUBLISHED.get((arm, letter), ""))
            yield (arm, letter, by_hand, *(found.get(form, "") for form in FORMS))


def line(cells: Iterable[str]) -> str:
    """A row of a table as pages have it."""
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(line(HEAD))
    print(line(["---"] * 3 + ["---:"] * len(FORMS)))
    for row in rows(ARMS):
        print(line(row))
