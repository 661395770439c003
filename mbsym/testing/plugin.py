"""pytest's plugin: the fixture ``mbsym_equal``, and nothing else; no option, no hook, no import before it is used."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mbsym.model.system import Model
    from mbsym.testing.same_function import FunctionComparison


@dataclass(frozen=True, slots=True)
class Equal:
    """The assertions of ``mbsym.testing``, for one test.

    Attributes:
        folders: in which files are looked for whose path is relative: that of the test's module, then ``tmp_path``.
    """

    folders: tuple[Path, ...]

    def equations(self, mine: Any, model: Model | str | Path, **options: Any) -> None:
        """``mbsym.testing.assert_same_equations``.

        Raises:
            AssertionError: an entry differs.
        """
        from mbsym.testing.same_equations import assert_same_equations

        assert_same_equations(mine, self._found(model), **options)

    def function(
        self, function: Callable[..., Any] | str | Path, model: Model | str | Path, name: str, **options: Any
    ) -> FunctionComparison:
        """``mbsym.testing.assert_same_function``.

        Raises:
            AssertionError: an entry differs.
        """
        from mbsym.testing.same_function import assert_same_function

        return assert_same_function(self._found(function), self._found(model), name, **options)

    def _found(self, given: Any) -> Any:
        """A file where it is, as far as it is one; other things as they are."""
        if not isinstance(given, (str, Path)):
            return given
        places = (folder / given for folder in self.folders)
        return next((place for place in places if place.is_file()), given)


@pytest.fixture
def mbsym_equal(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Equal:
    """Assertions that equations and functions are those of a model: ``mbsym_equal.function(mine, model, name)`` and
    ``mbsym_equal.equations(mine, model)``.

    Paths are relative to the test's module, or to ``tmp_path``. What is compiled is kept in pytest's own cache,
    unless MBSYM_CACHE says where.
    """
    if "MBSYM_CACHE" not in os.environ:
        cache = getattr(request.config, "cache", None)
        monkeypatch.setenv("MBSYM_CACHE", str(cache.mkdir("mbsym") if cache else tmp_path / "mbsym_cache"))
    return Equal((request.path.parent, tmp_path))
