"""Compiled templates in the cache folder: kept, used, and of no account where they are spoilt or cannot be kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Template

from mbsym.codegen.environment import environment


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    """An environment that has compiled nothing yet, before and after."""
    environment.cache_clear()
    yield
    environment.cache_clear()


def source() -> str:
    """Name of some template."""
    return sorted(environment().list_templates())[0]


def loaded() -> Template:
    """A template, compiled or from the cache."""
    environment.cache_clear()
    return environment().get_template(source())


def test_a_template_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MBSYM_CACHE", str(tmp_path / "deep" / "cache"))
    loaded()
    (kept,) = (tmp_path / "deep" / "cache").iterdir()
    bytes_kept = kept.read_bytes()
    with monkeypatch.context() as without:
        without.setattr("jinja2.Environment._generate", None)
        loaded()
    kept.write_bytes(bytes_kept[: len(bytes_kept) // 2])
    loaded()
    assert kept.read_bytes() == bytes_kept


def test_templates_are_compiled_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("", encoding="utf-8")
    monkeypatch.setenv("MBSYM_CACHE", str(in_the_way))
    assert loaded().name == source()
    assert in_the_way.read_text(encoding="utf-8") == ""
