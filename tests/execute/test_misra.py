"""Findings of cppcheck's MISRA addon in generated C are those that the page names, with a reason, and no more."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from mbsym.registry import TRANSFER_MATRIX
from mechanisms.examples import some
from mechanisms.generated_c import Case, leave_out, require, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "generated_c.md"
VERSION = "Cppcheck 2.10"
COLUMNS = ("double_pendulum", "puma560", "puma560, in parts", "four_bar", "four_bar, stepping")


def recorded(column: str) -> dict[str, int]:
    """The table of the page: the most findings of each rule."""
    _, _, part = PAGE.read_text(encoding="utf-8").partition("## MISRA C:2012")
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if "|" in line
    ]
    assert tuple(head) == ("rule", *COLUMNS, "why")
    assert all(row[-1] for row in rows)
    return {row[0]: int(row[head.index(column)]) for row in rows}


def findings(source: Path) -> Counter[str]:
    """How often each rule is broken."""
    require("cppcheck")
    if VERSION not in run("cppcheck", "--version").stdout:
        leave_out(f"the findings were recorded with {VERSION}")
    # Findings of one text are told once, so that each needs its place.
    options = ("--addon=misra", "--std=c99", "--enable=style", "--quiet", "--template={id} {file}:{line}:{column}")
    done = run("cppcheck", *options, source.name, cwd=source.parent)  # it leaves a file where it stands
    assert done.returncode == 0, done.stdout
    return Counter(re.findall(r"^misra-c2012-([\d.]+) ", done.stderr, re.MULTILINE))


@pytest.mark.parametrize("column", some(COLUMNS, ("double_pendulum", "four_bar, stepping")))
def test_findings_are_recorded(column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, _, what = column.partition(", ")
    if what == "in parts":
        monkeypatch.setattr("mbsym.codegen.c.parts.LARGEST_WHOLE", 300)
        monkeypatch.setattr("mbsym.codegen.c.parts.PART_SIZE", 200)
    module = Case(name, TRANSFER_MATRIX if what == "stepping" else "auto").module(tmp_path)
    assert ("_part2(" in module.source.read_text()) == (what == "in parts")
    found, most = findings(module.source), recorded(column)
    assert {rule: count for rule, count in found.items() if count > most.get(rule, 0)} == {}
    assert found["12.1"] > 0  # the addon has run


def test_a_planted_finding_is_found(tmp_path: Path) -> None:
    source = tmp_path / "planted.c"
    source.write_text(
        "double f(double x);\ndouble f(double x)\n{\n    double a = x, b = x;\n    return a + b * x;\n}\n"
    )
    assert findings(source).keys() == {"12.1", "12.3"}
