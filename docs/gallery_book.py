"""The mechanisms of the gallery, their textbooks' equations, and the comparison of both.

    python docs/gallery_book.py

prints a table; each mechanism's equations are compared exactly.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

import sympy as sp  # noqa: E402

from mbsym.formats.native import read_native  # noqa: E402
from mbsym.formats.text_source import TextSource  # noqa: E402
from mbsym.model.system import Model  # noqa: E402
from mbsym.report.equations import Equations, derive  # noqa: E402
from mbsym.testing import assert_same_equations  # noqa: E402

MECHANISMS = ROOT / "docs" / "gallery" / "mechanisms.yaml"


@dataclass(frozen=True)
class Exhibit:
    """A mechanism of the gallery.

    Attributes:
        name: identifier.
        title: heading.
        book: whose equations these are.
        model: as mbsym reads it, all parameters symbolic.
        mass_matrix, bias_force: the author's.
        start: speeds of the motion that is shown, by name.
        held: constant forces of it, by joint.
    """

    name: str
    title: str
    book: str
    model: Model
    mass_matrix: sp.Matrix
    bias_force: sp.Matrix
    start: Mapping[str, float]
    held: Mapping[str, float]

    def derived(self) -> Equations:
        """mbsym's equations."""
        return derive(self.model, symbolic_parameters="all")

    def check(self) -> None:
        """Compares both exactly.

        Raises:
            AssertionError: they are not the same.
        """
        assert_same_equations({"mass_matrix": self.mass_matrix, "bias_force": self.bias_force}, self.model)


def exhibits() -> tuple[Exhibit, ...]:
    """All mechanisms in the order of the file."""
    entries = yaml.safe_load(MECHANISMS.read_text(encoding="utf-8"))
    return tuple(_exhibit(name, entry) for name, entry in entries.items())


def _exhibit(name: str, entry: Mapping[str, Any]) -> Exhibit:
    table = dict(entry["model"])
    table["parameters"] = {
        key: {"value": value, "symbolic": True} for key, value in table.get("parameters", {}).items()
    }
    text = yaml.safe_dump({"name": name, **table}, sort_keys=False)
    model = read_native(TextSource(f"{MECHANISMS.name}:{name}", text))
    mass = sp.Matrix([[_expression(value) for value in row] for row in entry["mass_matrix"]])
    bias = sp.Matrix([_expression(value) for value in entry["bias_force"]])
    return Exhibit(
        name, entry["title"], entry["book"], model, mass, bias, entry.get("start", {}), entry.get("held", {})
    )


def _expression(value: object) -> sp.Expr:
    """A formula in which every name is a symbol."""
    names = set(re.findall(r"[A-Za-z_]\w*", str(value))) - {"sin", "cos"}
    return sp.sympify(str(value), locals={name: sp.Symbol(name) for name in names}, rational=True)


def operations(mass_matrix: sp.Matrix, bias_force: sp.Matrix) -> int:
    """Operations of the upper triangle of M and of h as they are printed, by SymPy's count; a sign in front is none."""
    size = mass_matrix.rows
    upper = [mass_matrix[i, j] for i in range(size) for j in range(i, size)]
    counted = sum(sp.count_ops(value, visual=True) for value in (*upper, *bias_force))
    return int(counted.subs("NEG", 0).replace(lambda item: item.is_Symbol, lambda _: sp.Integer(1)))


def main() -> None:
    """Prints the table."""
    begun = perf_counter()
    print(f"{'mechanism':28}  book  mbsym")
    for exhibit in exhibits():
        exhibit.check()
        found = exhibit.derived()
        ours = operations(found.mass_matrix, found.bias_force)
        print(f"{exhibit.name:28}  {operations(exhibit.mass_matrix, exhibit.bias_force):4}  {ours:5}")
    print(f"{len(exhibits())} mechanisms, all equal, {perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
