"""Type checkers see what ``import mbsym`` offers: every public name has a type, and none is Any."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mbsym

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import mbsym

model = mbsym.load("four_bar")
reveal_type(model)
reveal_type(mbsym.Joint("pin", "revolute", "ground", "rod"))
reveal_type(mbsym.generate(model, "build"))
reveal_type(mbsym.verify("build"))
reveal_type(mbsym.simulate(model, 1.0, loads=mbsym.Loads()))
reveal_type(mbsym.derive(model))
reveal_type(mbsym.examples.names())
mbsym.nothing
mbsym.Body("rod", inertia="heavy")
"""


def names_for_checkers() -> dict[str, str]:
    """Names that the face imports for type checkers, with their modules."""
    tree = ast.parse((ROOT / "mbsym" / "__init__.py").read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {
        alias.name: statement.module or ""
        for block in blocks
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def test_checkers_see_the_names_that_there_are() -> None:
    assert sorted(names_for_checkers()) == sorted(set(mbsym.__all__) - {"__version__"})
    for name, module in names_for_checkers().items():
        home = mbsym._HOMES[name]
        assert module in (home, home.rpartition(".")[0])


@pytest.fixture
def recursion_limit() -> Iterator[None]:
    """mypy raises the limit of its process for good; later tests count on the usual one."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


def kinds_seen(revealed: list[str]) -> None:
    """Asserts the types that both checkers see, in the order of the script."""
    assert [kind.rpartition(".")[2] for kind in revealed[:6]] == [
        "Model", "Joint", "Generation", "Certificate", "SimulationResult", "Equations"
    ]  # fmt: skip
    assert revealed[6].startswith("tuple[") and "Any" not in revealed[6]


@pytest.mark.more
@pytest.mark.usefixtures("recursion_limit")
def test_no_public_name_is_any_to_mypy(tmp_path: Path, checked_types: Path) -> None:
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    out, _, _ = api.run(["--strict", "--cache-dir", str(checked_types), "--config-file", "", str(script)])
    kinds_seen([line.partition("is ")[2].strip('"') for line in out.splitlines() if "Revealed type" in line])
    assert 'Module has no attribute "nothing"' in out
    assert 'Argument "inertia" to "Body" has incompatible type' in out


def test_no_public_name_is_any_to_pyright(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    kinds_seen([item["message"].split('"')[-2] for item in found if item["severity"] == "information"])
    errors = [(item["range"]["start"]["line"], item["rule"]) for item in found if item["severity"] == "error"]
    last = SCRIPT.count("\n") - 1
    assert errors == [(last - 1, "reportAttributeAccessIssue"), (last, "reportArgumentType")]
