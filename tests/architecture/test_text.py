"""Tracked text is clean: UTF-8, no tabs, no trailing blanks, no traces of one machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Put together from parts, so that this file passes its own test.
MACHINE_PATHS = re.compile("/(" + "|".join(["work", "opt", "tmp", "root", "home"]) + ")/")
OUTSIDE = re.compile("|".join([r"(?<!formulations/)\bshared" + "/", "py" + "pi"]), re.IGNORECASE)

TABS_BELONG = {"Makefile"}
PATHS_BELONG = (".ci/",)
WRITTEN_BADLY_ON_PURPOSE = ("tests/models/",)


def tracked_files(root: Path) -> list[Path]:
    run = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True, cwd=root)
    return [root / name for name in sorted(filter(None, run.stdout.split("\0"))) if (root / name).is_file()]


def complaints(name: str, content: bytes) -> list[str]:
    """What is wrong with the text of the file ``name``, as ``NAME:LINE: what``."""
    if b"\0" in content:
        return []  # no text
    on_purpose = name.startswith(WRITTEN_BADLY_ON_PURPOSE)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return [] if on_purpose else [f"{name}: not UTF-8 at byte {error.start}"]
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        faults = {
            "a machine's path": MACHINE_PATHS.search(line) and not name.startswith(PATHS_BELONG),
            "a name from outside the project": OUTSIDE.search(line),
            "a tab": "\t" in line and Path(name).name not in TABS_BELONG and not on_purpose,
            "blanks at the end": line != line.rstrip() and not on_purpose,
        }
        found += [f"{name}:{number}: {fault}" for fault, present in faults.items() if present]
    if text and not on_purpose and (not text.endswith("\n") or text.endswith("\n\n")):
        found.append(f"{name}: does not end with one newline")
    return found


def test_tracked_text_is_clean() -> None:
    files = tracked_files(ROOT)
    assert ROOT / "pyproject.toml" in files
    assert [c for path in files for c in complaints(path.relative_to(ROOT).as_posix(), path.read_bytes())] == []


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("mbsym/a.py", b"x = 1\nopen('/" + b"tmp/x')\n", "mbsym/a.py:2: a machine's path"),
        ("README.md", b"see /" + b"work/main\n", "README.md:1: a machine's path"),
        ("README.md", b"see ../sha" + b"red/spec\n", "README.md:1: a name from outside the project"),
        ("README.md", b"from Py" + b"PI\n", "README.md:1: a name from outside the project"),
        ("mbsym/a.py", b"if x:\n\ty\n", "mbsym/a.py:2: a tab"),
        ("mbsym/a.py", b"x = 1 \n", "mbsym/a.py:1: blanks at the end"),
        ("templates/a.c", b"int x;\r\n", "templates/a.c:1: blanks at the end"),
        ("mbsym/a.py", b"x = 1", "mbsym/a.py: does not end with one newline"),
        ("mbsym/a.py", b"x = 1\n\n", "mbsym/a.py: does not end with one newline"),
        ("mbsym/a.py", b"# \xe9\n", "mbsym/a.py: not UTF-8 at byte 2"),
    ],
)
def test_planted_dirt_is_found(name: str, content: bytes, complaint: str) -> None:
    assert complaints(name, content) == [complaint]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("Makefile", b"test:\n\tpytest\n"),
        ("mbsym/py.typed", b""),
        ("tests/models/latin1.yaml", b"\xe9\t \n\n"),
        ("figure.png", b"\x89PNG\0\t"),
    ],
)
def test_what_is_meant_is_accepted(name: str, content: bytes) -> None:
    assert complaints(name, content) == []
