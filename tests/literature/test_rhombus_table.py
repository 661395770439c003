"""The figures of the six-bar table of constraint keeping, to two digits, for steps of 10 ms."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from mbsym import examples
from mechanisms.examples import further
from mechanisms.looped_systems import looped_system
from mechanisms.mechanism import mechanism_of
from mechanisms.rhombus import Rhombus

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).parents[1] / "benchmarks" / "closed_loops_table.py"


def table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("closed_loops_table", TABLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name",
    [
        "projection",
        *further("baumgarte 5", "none", "velocity", "position and velocity", "partitioning", "baumgarte 20"),
    ],
)
def test_figures_agree_to_two_digits(name: str) -> None:
    module = table()
    model = examples.load("rhombus_regular")
    mechanism = mechanism_of(model)
    rhombus = Rhombus.of_mechanism(mechanism)
    system = looped_system(mechanism)
    figures = module.run(system, rhombus, module.way(name, rhombus), 1e-2)
    expected = module.EXPECTED[name, 1e-2]
    for place, (found, wanted) in enumerate(zip(figures, expected, strict=True)):
        if wanted < 1e-14:
            assert found < 2e-15, place
        else:
            # Two digits: half a unit of the second one, which is at most 5 per cent.
            assert abs(found - wanted) <= 0.051 * wanted, (place, found, wanted)


def rows(page: str) -> dict[str, list[str]]:
    """Cells of a page's tables behind the first one, by the first one up to its comma."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {first.lower().replace(", gains", "").replace(", direct reassignment", ""): rest for first, *rest in cells}


def test_the_pages_tell_these_figures() -> None:
    page, readme = rows("docs/closed_loops.md"), rows("README.md")
    told = 0
    for (name, step), expected in table().EXPECTED.items():
        row = page.get(name if step == 1e-2 else f"{name}, h = {step:g} s")
        if row is None:
            continue
        for text, wanted in zip(row, expected, strict=True):
            # Two digits of ours and two of theirs: half a unit each.
            assert float(text) < 1e-14 if wanted < 1e-14 else float(text) == pytest.approx(wanted, rel=0.1), name
        if step == 1e-2 and name in readme:
            assert readme[name] == [row[1], row[2], row[4]], f"README.md: {name}: copy it"
            told += 1
    assert told == 6
