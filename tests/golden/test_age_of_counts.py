"""Operation counts in pages that tests of the derivations hold, and those that benchmarks print, are those of the code.

The tests fail when they find less than 95 per cent of what they hold (``mechanisms.told``), so that a page cannot keep
a figure that the code no longer gives.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mbsym import examples
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.loops.contracts import CONSTRAINED_DYNAMICS_DERIVATIVES
from mbsym.pipeline import optimise
from mbsym.registry import available_functions
from mechanisms.mechanism import mechanism_of

ROOT = Path(__file__).resolve().parents[2]

COUNTS, FIRST, SECOND = "test_operation_counts", "test_derivatives", "test_second_derivatives"
CELLS = r"((?:\|[\d ]*)+)"

HELD = [
    ("README.md", r"\| (?:UR5|Panda|Solo12|chain of \d+ joints), [^|]* \| (\d+ \| \d+) \|\n", (COUNTS,)),
    ("docs/derivatives.md", r"\| 7 revolute joints[^|]*((?: \| \d+){4})", (COUNTS, FIRST)),
    ("docs/derivatives.md", r"\| 30 of them((?: \| \d+){3})", (COUNTS, FIRST)),
    ("docs/derivatives.md", rf"\| UR5, from its URDF {CELLS}", (COUNTS, FIRST)),
    ("docs/derivatives.md", r"\| 7 revolute joints[^|]*((?: \| \d+){2}) \|\n", (SECOND,)),
    ("docs/derivatives.md", r"\| 30 of them( \| \d+) \| \|\n", (SECOND,)),
    ("docs/derivatives.md", rf"\| (?:PUMA 560|quadruped, free base)[^|]*{CELLS}", (SECOND,)),
    ("docs/derivatives.md", r"\| (?:second )?derivatives of (?:inverse|forward) dynamics \| (\d+) \|", (FIRST,)),
    ("docs/derivatives.md", r"takes (\d+) operations for the right sides", ("test_loop_derivatives",)),
    ("docs/derivatives.md", r"independent coordinates it is (\d+) operations", ("test_independent_derivatives",)),
    (
        "docs/control.md",
        r"`(?:joint_wrenches_of_motion|centroidal_\w+|operational_\w+)` (\d+)[ ,.]",
        ("test_control_quantities",),
    ),
    ("docs/identification.md", r"6 x 66, takes (\d+) operations", ("test_regressors",)),
    ("docs/identification.md", r"Y beta: (\d+) operations", ("test_base_parameters",)),
    ("docs/limbs.md", r"(?m)^\| (?:Solo12|Talos)? ?\| [a-z ]+ \|(.*)$", (COUNTS, "test_limbs")),
    (
        "docs/constraint_forces.md",
        r"\| (?:revolute|cylindrical|spherical) \| \d+ \| (\d+) ",
        ("test_formulations_constraint_forces",),
    ),
]
"""Page, a pattern whose group has the counts that are told, and the tests that hold them."""

SOLUTIONS = {"chain": ("chain", 16), "four arms on a node": ("arms", 17), "comb": ("comb", 16)}
"""Rows of the table of solutions that are counted here, with the shapes of the benchmark."""


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def benchmark(name: str) -> ModuleType:
    """A script of the benchmarks; those import each other by name."""
    folder = ROOT / "tests" / "benchmarks"
    sys.path.append(str(folder))
    try:
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


@pytest.mark.parametrize(("page", "pattern", "tests"), HELD)
def test_counts_are_held_by_tests(page: str, pattern: str, tests: tuple[str, ...]) -> None:
    found = [count for match in re.finditer(pattern, text(page)) for count in re.findall(r"\d+", match[1])]
    assert found, f"{page} tells nothing like {pattern!r} any more"
    files = [path for test in tests for path in (ROOT / "tests").rglob(f"{test}.py")]
    assert len(files) == len(tests)
    held = "".join(path.read_text(encoding="utf-8") for path in files)
    missing = [count for count in found if not re.search(rf"\b{count}\b", held)]
    assert not missing, f"{page} tells {', '.join(missing)}, which no test holds: see {' and '.join(tests)}"


def row(page: str, start: str) -> list[str]:
    """Cells of the first row of a page that starts so."""
    line = next(line for line in text(page).splitlines() if line.startswith(start))
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("title", SOLUTIONS)
def test_operations_of_solving_for_the_constraint_forces(title: str) -> None:
    operations = benchmark("cfa_operations")
    shape, bodies = SOLUTIONS[title]
    parents = getattr(operations, shape)(bodies)
    cells = row("docs/constraint_forces.md", f"| {title} | {bodies} |")
    counts = [round(operations.solution_count(parents, way) / bodies) for way in operations.SOLUTIONS.values()]
    assert [cell.split()[0] for cell in cells[3:6]] == [str(count) for count in counts], "run cfa_operations.py"
    assert cells[2] == str(len(operations.rake_and_compress(parents)))
    assert cells[6] == f"{operations.dense_count(bodies) / bodies:.0f}"


def test_operations_of_thirty_bodies() -> None:
    """The recursion on a comb of equal bodies: what saves operations shows there first."""
    bodies = benchmark("cfa_thirty_bodies")
    mechanism = bodies.alike(bodies.tree(bodies.comb(bodies.N), "revolute"))
    count = optimise(TREE_FUNCTIONS["forward_dynamics"](mechanism))[0].operation_count().arithmetic
    told = int(row("docs/constraint_forces.md", "| comb, equal bodies | recursive |")[2])
    assert 0.95 * told <= count <= told, f"{count} operations: run cfa_thirty_bodies.py, copy its table"


def test_operations_of_the_derivatives_of_a_stewart_platform() -> None:
    """What solving for them takes follows from sizes; the dynamics are derived."""
    mechanism = mechanism_of(examples.load("stewart_platform"))
    available = available_functions(mechanism, "auto")
    fixed = available.fixed_for([CONSTRAINED_DYNAMICS_DERIVATIVES.name])
    assert fixed is not None
    (solving,) = (each.own for each in fixed.runtime if each.name == CONSTRAINED_DYNAMICS_DERIVATIVES.name)
    page = "docs/derivatives.md"
    told = re.search(r"(\d+) for the dynamics and (\d+) for the\s+solution", text(page))
    assert told is not None and solving is not None
    assert int(told[2]) == solving.arithmetic, f"{page}: the solution takes {solving.arithmetic}"
    count = optimise(available.every["constrained_terms"](mechanism))[0].operation_count().arithmetic
    assert 0.95 * int(told[1]) <= count <= int(told[1]), f"{page}: the dynamics take {count}"


PROSE = re.compile(r"\b(\d{3,})(?: [\w-]+){0,3} operations\b|\boperations[^.|;]{0,25}? (\d{3,})\b")
"""A count of three digits and more beside the word."""


def test_every_count_in_prose_is_checked() -> None:
    """A sentence that tells a count is in HELD; tables and blocks that are executed have tests of their own."""
    checked = {
        (page, count)
        for page, pattern, _ in HELD
        for match in re.finditer(pattern, text(page))
        for count in re.findall(r"\d+", match[1])
    }
    pages = ["README.md", *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md")))]
    missed = []
    for page in pages:
        prose = re.sub(r"```.*?```", "", text(page), flags=re.DOTALL)
        lines = [line for line in prose.splitlines() if not line.startswith("|")]
        for match in PROSE.finditer(" ".join(lines)):
            count = match[1] or match[2]
            if (page, count) not in checked:
                missed.append(f"{page}: {match[0]}")
    assert not missed, f"{'; '.join(missed)}: no test holds them; name one in HELD"
