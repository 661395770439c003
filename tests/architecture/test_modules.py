"""A module has one job: it is named after it, and it is short."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VAGUE_NAMES = {"utils", "util", "common", "helpers", "helper", "misc", "core"}
MOST_LINES = {"mbsym": 500, "tests": 700}

# These read better whole; none of them may grow beyond the longer limit.
LONGEST = 700
WHOLE = {
    "mbsym/formats/native/schema.py": "the native format's schema, in the order of a model file",
}


def vague_names(root: Path) -> list[str]:
    paths = {path for directory in ("mbsym", "tests") for path in (root / directory).rglob("*.py")}
    paths |= {parent for path in paths for parent in path.relative_to(root).parents}
    relative = {path.relative_to(root) if path.is_absolute() else path for path in paths}
    return sorted(path.as_posix() for path in relative if path.stem.strip("_") in VAGUE_NAMES)


def long_modules(root: Path) -> list[str]:
    found = []
    for directory, most in MOST_LINES.items():
        for path in sorted((root / directory).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            lines = len(path.read_text(encoding="utf-8").splitlines())
            limit = LONGEST if name in WHOLE else most
            if lines > limit:
                found.append(f"{name} has {lines} lines, the limit is {limit}")
    return found


MOST_ARGUMENTS = 8
"""More are options, which are fields of one dataclass (``mbsym/option.py``), or parts of something without a name."""


def long_signatures(root: Path) -> list[str]:
    """Functions with more arguments, those by keyword among them; a method's own object is none."""
    found = []
    for path in sorted((root / "mbsym").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own = [item.arg for item in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                if len(own) - (own[:1] in (["self"], ["cls"])) > MOST_ARGUMENTS:
                    found.append(f"{path.relative_to(root).as_posix()}:{node.name}")
    return found


def test_no_signature_is_long() -> None:
    assert long_signatures(ROOT) == []


def test_a_long_signature_is_found(tmp_path: Path) -> None:
    (tmp_path / "mbsym").mkdir()
    names = [f"a{k}" for k in range(9)]
    lines = [f"def f({', '.join(names)}): ...", f"def g({', '.join(names[1:])}): ...", "class A:"]
    lines += [f"    def h(self, {', '.join(names[:5])}, *, {', '.join(names[5:])}): ..."]
    (tmp_path / "mbsym" / "m.py").write_text("\n".join(lines), encoding="utf-8")
    assert long_signatures(tmp_path) == ["mbsym/m.py:f", "mbsym/m.py:h"]


def test_names_say_what_a_module_does() -> None:
    assert vague_names(ROOT) == []


def test_modules_are_short() -> None:
    assert long_modules(ROOT) == []


def test_exceptions_are_needed() -> None:
    lengths = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in WHOLE}
    assert [name for name, lines in lengths.items() if lines <= MOST_LINES["mbsym"]] == []


def test_complicated_functions_are_refused() -> None:
    """Ruff counts the ways through each function; the limit stands in pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert "C901" in settings["select"]
    assert settings["mccabe"]["max-complexity"] <= 20


@pytest.mark.parametrize("name", ["mbsym/symbolic/utils.py", "mbsym/core/graph.py", "tests/unit/_helpers.py"])
def test_a_planted_vague_name_is_found(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).touch()
    assert len(vague_names(tmp_path)) == 1


@pytest.mark.parametrize(
    ("name", "limit"), [("mbsym/a.py", 500), ("tests/unit/test_a.py", 700), ("mbsym/formats/native/schema.py", 700)]
)
def test_a_planted_long_module_is_found(tmp_path: Path, name: str, limit: int) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("0\n" * limit, encoding="utf-8")
    assert long_modules(tmp_path) == []
    path.write_text("0\n" * (limit + 1), encoding="utf-8")
    assert long_modules(tmp_path) == [f"{name} has {limit + 1} lines, the limit is {limit}"]
