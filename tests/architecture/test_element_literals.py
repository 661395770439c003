"""Force elements and closure constraints are told apart by their own answers: nothing else asks which one it has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbsym.constraints import CONSTRAINTS
from mbsym.forces import FORCE_ELEMENTS

PACKAGE = Path(__file__).resolve().parents[2] / "mbsym"
ROOMS = ("forces", "constraints", "reference", "exact")
CLASSES = {record.element.__name__ for record in (*FORCE_ELEMENTS.values(), *CONSTRAINTS.values())}
TYPES = {*FORCE_ELEMENTS, *CONSTRAINTS} - {
    "distance",
    "gear",
    "expression",
    "velocity",
    "contact",
}  # words of every day
FOREIGN_WORDS = {"formats/mjcf/reader.py": {"actuator"}, "formats/mjcf/words.py": {"actuator"}}
"""Elements of other formats that happen to have the name of one of ours."""


def offences(package: Path) -> Iterator[str]:
    """Where an element's type stands as text, or its class is asked for, outside the rooms that may."""
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        if place.startswith(tuple(f"{room}/" for room in ROOMS)):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in TYPES - FOREIGN_WORDS.get(place, set()):
                yield f"{place}:{node.lineno}: {node.value}"
            asks = isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass")
            if asks or isinstance(node, ast.MatchClass | ast.Compare):
                names = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
                yield from (f"{place}:{node.lineno}: {name}" for name in sorted(names & CLASSES))


def test_nothing_asks_which_element_it_has() -> None:
    assert list(offences(PACKAGE)) == []


@pytest.mark.parametrize(
    ("source", "offence"),
    [
        ("x = isinstance(force, JointSpring)", "JointSpring"),
        ("x = isinstance(force, (A, forces.Other, Actuator))", "Actuator"),
        ("x = type(force) is AppliedWrench", "AppliedWrench"),
        ("x = isinstance(item, GearConstraint)", "GearConstraint"),
        ("match force:\n    case JointDamper():\n        pass", "JointDamper"),
        ("x = force.type == 'point_spring_damper'", "point_spring_damper"),
    ],
)
def test_a_planted_question_is_found(tmp_path: Path, source: str, offence: str) -> None:
    package = tmp_path / "mbsym"
    (package / "simulation").mkdir(parents=True)
    (package / "simulation" / "work.py").write_text(source, encoding="utf-8")
    assert [found.rpartition(": ")[2] for found in offences(package)] == [offence]
