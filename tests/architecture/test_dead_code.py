"""Nothing in the package is dead: what vulture finds is listed with the reason why it is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "mbsym"
LISTED = Path(__file__).with_name("not_dead.txt")
VERBS = ("@verb", "@app.callback")
"""What these decorate is called by Typer."""


def unused(package: Path) -> set[tuple[str, str]]:
    """Modules and names of what nothing in the package uses."""
    vulture = pytest.importorskip("vulture").Vulture(ignore_decorators=VERBS)
    vulture.scavenge([str(package)])
    return {
        (Path(item.filename).relative_to(package).as_posix(), str(item.name))
        for item in vulture.get_unused_code(min_confidence=60)
    }


def listed(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        module, _, names = line.partition(":")
        if line and not line.startswith("#"):
            yield from ((module, name) for name in names.split())


def test_what_is_unused_is_listed_with_a_reason() -> None:
    forgotten = unused(PACKAGE) - set(listed(LISTED.read_text(encoding="utf-8")))
    assert sorted(forgotten) == [], f"delete it, or say in {LISTED.name} why it is not dead"


def test_a_planted_dead_function_is_found(tmp_path: Path) -> None:
    (tmp_path / "room.py").write_text("def forgotten():\n    return 1\n", encoding="utf-8")
    assert unused(tmp_path) == {("room.py", "forgotten")}
