"""The script of the tutorial as type checkers see it: no error, and no name of it is Any."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial" / "cart_pole.md"


def script() -> str:
    """All blocks of Python of the tutorial, one after the other, and a question for the type of each name."""
    text = TUTORIAL.read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    names = dict.fromkeys(re.findall(r"^(\w+)(?:: [^=\n]+)? = ", code, re.MULTILINE))
    assert len(names) > 15
    return code + "".join(f"reveal_type({name})\n" for name in names if name != "Array")


def unknown(kind: str) -> bool:
    """True for a type with Any in it, but for an array of any shape, which NumPy writes so."""
    return re.search(r"\b(Any|Unknown)\b", kind.replace("tuple[Any, ...]", "")) is not None


def test_mypy_has_nothing_to_say(tmp_path: Path, checked_types: Path) -> None:
    pytest.importorskip("mypy")
    path = tmp_path / "tutorial.py"
    path.write_text(script(), encoding="utf-8")
    settings = ["--strict", "--config-file", "", "--cache-dir", str(checked_types)]
    command = [sys.executable, "-m", "mypy", *settings, str(path)]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.findall(r'note: Revealed type is "(.*)"', out)
    assert [line for line in out.splitlines() if "error" in line and str(path.name) in line] == []
    assert len(found) == script().count("reveal_type")
    assert [kind for kind in found if unknown(kind)] == []


@pytest.mark.more
def test_pyright_has_nothing_to_say(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    path = tmp_path / "tutorial.py"
    path.write_text(script(), encoding="utf-8")
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert [item["message"] for item in found if item["severity"] == "error"] == []
    kinds = [item["message"] for item in found if item["severity"] == "information"]
    assert len(kinds) == script().count("reveal_type")
    assert [kind for kind in kinds if unknown(kind)] == []
