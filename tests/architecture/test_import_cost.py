"""``import mbsym`` stays light: what is heavy is imported where it is used."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "sympy", "scipy", "pydantic", "jinja2", "mbsym.pipeline")


def heavy_modules_loaded_by(statement: str, directory: Path) -> list[str]:
    """Those of ``HEAVY`` that a fresh interpreter, which sees ``directory`` first, has loaded after ``statement``."""
    program = f"import sys; {statement}; print(*(name for name in {HEAVY} if name in sys.modules))"
    environment = {**os.environ, "PYTHONPATH": str(directory)}
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=directory, env=environment
    )
    return run.stdout.split()


def statements_at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, those for type checking left out."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from statements_at_import(statement.orelse)
            continue
        yield statement
        for field in ("body", "orelse", "finalbody"):
            yield from statements_at_import(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from statements_at_import(handler.body)


def eager_sympy_imports(package: Path) -> list[str]:
    found = []
    for path in sorted(package.rglob("*.py")):
        for statement in statements_at_import(ast.parse(path.read_text(encoding="utf-8")).body):
            names: list[str] = []
            if isinstance(statement, ast.Import):
                names = [alias.name for alias in statement.names]
            elif isinstance(statement, ast.ImportFrom) and not statement.level:
                names = [statement.module or ""]
            if any(name.split(".")[0] == "sympy" for name in names):
                found.append(f"{path.relative_to(package.parent).as_posix()}:{statement.lineno}")
    return found


def test_import_mbsym_loads_nothing_heavy() -> None:
    assert heavy_modules_loaded_by("import mbsym", ROOT) == []


@pytest.mark.parametrize(("library", "inside"), [("numpy", "pi"), ("sympy", "pi"), ("scipy", "linalg")])
def test_a_door_is_opened_by_the_first_look_inside(library: str, inside: str) -> None:
    door = f"from mbsym.doors import {library}"
    assert heavy_modules_loaded_by(door, ROOT) == []
    looked = f"assert {library}.{inside} is __import__({library!r}).{inside}"
    assert library in heavy_modules_loaded_by(f"{door}; {looked}", ROOT)


def test_labels_take_neither_arrays_nor_what_derives() -> None:
    verb = "from mbsym.cli import main; main(['label', 'double_pendulum', '--json'])"
    assert {"numpy", "jinja2", "mbsym.pipeline"}.isdisjoint(heavy_modules_loaded_by(verb, ROOT))


@pytest.mark.parametrize(
    "verb",
    [
        "simulate', 'four_bar', '--duration', '0.01",
        "linearise', 'four_bar",
        "equilibrium', 'four_bar",
        "modes', 'cart_pole",
    ],
)
def test_motions_and_linear_analyses_take_no_scipy(verb: str) -> None:
    verb = f"from mbsym.cli import main; main(['{verb}', '--json'])"
    assert not {"scipy", "sympy"}.intersection(heavy_modules_loaded_by(verb, ROOT))


def test_sympy_is_imported_inside_functions_only() -> None:
    assert eager_sympy_imports(ROOT / "mbsym") == []


@pytest.mark.parametrize("name", HEAVY[:-1])
def test_a_planted_heavy_import_is_found(tmp_path: Path, name: str) -> None:
    (tmp_path / "mbsym").mkdir()
    (tmp_path / "mbsym" / "__init__.py").write_text(f"import {name}\n", encoding="utf-8")
    assert name in heavy_modules_loaded_by("import mbsym", tmp_path)


def test_a_planted_eager_import_of_sympy_is_found(tmp_path: Path) -> None:
    source = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import sympy\n"
        "def lazily():\n    import sympy\n"
        "try:\n    from sympy.core import Expr\nexcept ImportError:\n    import sympy as sp\n"
        "class Matrix:\n    import sympy\n"
    )
    (tmp_path / "module.py").write_text(source, encoding="utf-8")
    lines = sorted(place.rpartition(":")[2] for place in eager_sympy_imports(tmp_path))
    assert lines == ["11", "7", "9"]
