"""A module has one job: it is named after it, and it is short."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VAGUE_NAMES = {"utils", "util", "common", "helpers", "helper", "misc", "core"}
MOST_LINES = 700


def vague_names(root: Path) -> list[str]:
    paths = {path for directory in ("mbsym", "tests") for path in (root / directory).rglob("*.py")}
    paths |= {parent for path in paths for parent in path.relative_to(root).parents}
    relative = {path.relative_to(root) if path.is_absolute() else path for path in paths}
    return sorted(path.as_posix() for path in relative if path.stem.strip("_") in VAGUE_NAMES)


def long_modules(root: Path) -> list[str]:
    found = []
    for directory in ("mbsym", "tests"):
        for path in sorted((root / directory).rglob("*.py")):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MOST_LINES:
                found.append(f"{path.relative_to(root).as_posix()} has {lines} lines, the limit is {MOST_LINES}")
    return found


def test_names_say_what_a_module_does() -> None:
    assert vague_names(ROOT) == []


def test_modules_are_short() -> None:
    assert long_modules(ROOT) == []


@pytest.mark.parametrize("name", ["mbsym/symbolic/utils.py", "mbsym/core/graph.py", "tests/unit/_helpers.py"])
def test_a_planted_vague_name_is_found(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).touch()
    assert len(vague_names(tmp_path)) == 1


def test_a_planted_long_module_is_found(tmp_path: Path) -> None:
    (tmp_path / "mbsym").mkdir()
    (tmp_path / "mbsym" / "short.py").write_text("0\n" * MOST_LINES, encoding="utf-8")
    assert long_modules(tmp_path) == []
    (tmp_path / "mbsym" / "long.py").write_text("0\n" * (MOST_LINES + 1), encoding="utf-8")
    assert long_modules(tmp_path) == ["mbsym/long.py has 701 lines, the limit is 700"]
