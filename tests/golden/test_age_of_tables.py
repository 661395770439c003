"""Operation counts in tables of pages are those of the code: a table that has grown old fails here.

A count may not be more than is told, and not less than 95 per cent of it: small savings need no new table. Times are
measured by the commands below the tables and are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import mbsym
from mbsym import examples
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.constraint_force.leaf_to_root import CFA_FUNCTIONS
from mbsym.formulations.constraint_force.odd_even_elimination import CFA_ELIMINATION_FUNCTIONS
from mbsym.formulations.constraint_force.serial import CFA_SERIAL_FUNCTIONS
from mbsym.formulations.kane.closed_form import KANE_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism
from mbsym.pipeline import optimise
from mbsym.symbolic.program import Program
from mechanisms.mechanism import mechanism_of

ROOT = Path(__file__).resolve().parents[2]
SPACE_ROBOT: dict[str, Mapping[str, Callable[[Mechanism], Program]]] = {
    "conventional Kane": KANE_FUNCTIONS,
    "recursive (articulated bodies)": TREE_FUNCTIONS,
    "CFA, leaf to root": CFA_FUNCTIONS,
    "serialised CFA, reduction": CFA_SERIAL_FUNCTIONS,
    "serialised CFA, elimination": CFA_ELIMINATION_FUNCTIONS,
}
"""Rows of the table of the space robot; the dense solution is counted by its benchmark alone."""

IN_README = {
    "conventional Kane": "conventional Kane",
    "recursive (articulated bodies)": "recursive (articulated bodies)",
    "constraint forces, leaf to root (`cfa`)": "CFA, leaf to root",
    "serialised, reduction (`cfa-serial`)": "serialised CFA, reduction",
    "serialised, elimination": "serialised CFA, elimination",
}


@cache
def operations(title: str) -> int:
    mechanism = mechanism_of(examples.load("space_robot"))
    return optimise(SPACE_ROBOT[title]["forward_dynamics"](mechanism))[0].operation_count().arithmetic


def rows(page: str) -> dict[str, list[str]]:
    """Cells behind the first one, by the first one, of all tables of a page; of equal first cells the last table's."""
    found = {}
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            first, *others = (cell.strip() for cell in line.strip("|").split("|"))
            found[first] = others
    return found


@pytest.mark.parametrize("title", SPACE_ROBOT)
def test_operations_of_the_space_robot(title: str) -> None:
    told = int(rows("docs/constraint_forces.md")[title][0])
    where = f"docs/constraint_forces.md: {title}: run space_robot_cpu.py, copy its table"
    assert 0.95 * told <= operations(title) <= told, where


@pytest.mark.parametrize("title", IN_README)
def test_the_readme_has_the_same(title: str) -> None:
    told = rows("README.md")[title][0]
    assert told == rows("docs/constraint_forces.md")[IN_README[title]][0], f"README.md: {title}: copy it"


def test_both_pages_tell_the_same_of_the_dense_solution() -> None:
    page, readme = rows("docs/constraint_forces.md"), rows("README.md")
    assert page["general CFA, dense solution"][0] == readme["constraint forces, dense solution"][0]


def test_what_holds_of_the_papers_table_1() -> None:
    """Liu, Hu and Zhang rank by time: Kane slowest, recursion fastest, the serialised form before the general one.

    By operations the last two hold, and Kane comes before the general form; times are space_robot_cpu.py's to tell.
    """
    dense = int(rows("docs/constraint_forces.md")["general CFA, dense solution"][0])
    count = {title: operations(title) for title in SPACE_ROBOT}
    recursive = count.pop("recursive (articulated bodies)")
    assert all(recursive < other for other in (*count.values(), dense))
    assert count["serialised CFA, reduction"] < count["CFA, leaf to root"] < count["conventional Kane"]
    assert count["serialised CFA, elimination"] < dense / 4
    assert 8 < dense / count["conventional Kane"] < 10


def test_lengths_of_models_are_those_of_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the six that Modelica describes too have its freedoms: a chain of two, a slide on a hinge, a wheel, loops."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    lengths = import_module("model_lengths")
    assert "\n".join(lengths.table()) in (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    files = [ROOT / row.files[0] for row in lengths.ROWS if row.there]
    assert [len(mbsym.linearise(file).freedom.speeds) for file in files] == [2, 2, 3, 1, 1, 6]
    text = 'model a "is # one" // two\n  B b(c=3) annotation (Placement(x={{(1)}}));\n  /* d */\n\nend a;\n'
    assert lengths.of_modelica(text) == (3, 19)
    assert lengths.of_model("a: 1 # b\n\n# c\nd: '#e'\n") == (2, 9)
