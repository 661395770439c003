"""The name of a joint type stands in its record and in those of the two other opinions, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbsym.joints.registry import JOINT_TYPES

PACKAGE = Path(__file__).resolve().parents[2] / "mbsym"
AT_HOME = ("joints", "reference", "exact")

OTHER_MEANINGS = {
    ("formats/mjcf/reader.py", "JOINT_TYPES"): "MJCF's own words for types of joints",
    ("formats/mjcf/equality.py", "_fixed_tendon"): "MJCF's own word for tendons over joints",
    ("formats/sdf/joints.py", "JOINT_TYPES"): "SDF's own words for types of joints",
    ("formats/urdf/reader.py", "JOINT_TYPES"): "URDF's own words for types of joints",
    ("formats/urdf/plus.py", "LOOP_TYPES"): "URDF+'s own words for types of joints",
    ("linear/options.py", "LinearOptions"): "an option: what may take any value in equilibrium",
    ("linear/options.py", "OF_EQUILIBRIA"): "the same option",
    ("loops/contracts.py", "CONSTRAINED_TERMS"): "an output: accelerations of the tree with its loops left free",
    ("loops/functions.py", "_constrained_terms"): "the same output",
    ("verification/loop_identities.py", "_open_motion"): "the same output",
    ("verification/own_measures.py", "DIMENSIONS"): "the same output",
}
"""Constants and functions whose words are somebody else's, with the reason."""


def words_of(tree: ast.Module) -> Iterator[tuple[ast.Constant, str]]:
    """All text in a module that is no docstring, with the module's constant, function or class that it is part of."""

    def walk(node: ast.AST, owner: str) -> Iterator[tuple[ast.Constant, str]]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node, owner
        for child in ast.iter_child_nodes(node):
            if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
                yield from walk(child, owner)

    for statement in tree.body:
        owner = getattr(statement, "name", "")
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            owner = statement.targets[0].id
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            owner = statement.target.id
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield from walk(statement, owner)


def literals(package: Path) -> list[str]:
    found = []
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if place.parts[0] in AT_HOME:
            continue
        for word, owner in words_of(ast.parse(path.read_text(encoding="utf-8"))):
            if word.value in JOINT_TYPES and (place.as_posix(), owner) not in OTHER_MEANINGS:
                found.append(f"{place.as_posix()}:{word.lineno}: {word.value!r}")
    return found


def test_no_joint_type_is_named_outside_its_record() -> None:
    assert literals(PACKAGE) == []


def test_what_has_other_meanings_exists() -> None:
    for (place, owner), _ in OTHER_MEANINGS.items():
        owners = {name for _, name in words_of(ast.parse((PACKAGE / place).read_text(encoding="utf-8")))}
        assert owner in owners


@pytest.mark.parametrize(
    ("where", "source", "found"),
    [
        ("loops/a.py", '"""free"""\n\ndef f(x):\n    """fixed"""\n    return x == "fixed"', ["loops/a.py:5: 'fixed'"]),
        ("cli/a.py", 'KINDS = {"planar": 1}\nNAME = "a free joint"', ["cli/a.py:1: 'planar'"]),
        (
            "formats/urdf/reader.py",
            'JOINT_TYPES = {"fixed": 1}\nOTHER = "fixed"',
            ["formats/urdf/reader.py:2: 'fixed'"],
        ),
        ("joints/revolute.py", 'NAME = "revolute"', []),
    ],
)
def test_a_planted_literal_is_found(tmp_path: Path, where: str, source: str, found: list[str]) -> None:
    path = tmp_path / where
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert literals(tmp_path) == found
