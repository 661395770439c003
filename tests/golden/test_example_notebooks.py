"""The notebooks under examples run, and show what is committed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def runner() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "docs"))
    yield import_module("run_notebooks")
    sys.path.remove(str(ROOT / "docs"))


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_committed(path: Path, runner: ModuleType) -> None:
    """If a change is meant, run ``make docs`` and commit the difference."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert runner.texts(runner.executed(notebook)) == runner.texts(notebook)
    kinds = {
        kind for cell in notebook["cells"] for output in cell.get("outputs", []) for kind in output.get("data", {})
    }
    assert "text/plain" in kinds


def test_a_planted_difference_is_found(runner: ModuleType) -> None:
    cell = {"cell_type": "code", "source": ["print(1)\n", "1 + 1"], "outputs": []}
    found = runner.executed({"cells": [cell]})
    assert runner.texts(found) == ["1\n", "2"]
    with pytest.raises(ZeroDivisionError):
        runner.executed({"cells": [{**cell, "source": ["1 / 0"]}]})
