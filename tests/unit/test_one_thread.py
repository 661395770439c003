"""Small linear algebra takes one thread, and the process has afterwards what it had before."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  it has threads of its own

import mbsym
from mbsym import doors, examples
from mbsym.linear import motion
from mbsym.loops import redundancy
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import express


def counts() -> list[int]:
    """Threads of the libraries that are loaded."""
    paths = [sys.modules[name].__file__ for name in doors._LINEAR_ALGEBRA if name in sys.modules]
    found = [doors._threads(str(path)) for path in paths]
    return [each[0]() for each in found if each is not None]


@pytest.fixture
def two() -> Any:
    """Two threads, where the library can be asked."""
    found = [doors._threads(str(sys.modules[name].__file__)) for name in doors._LINEAR_ALGEBRA if name in sys.modules]
    known = [(each[1], each[0]()) for each in found if each is not None]
    if not known:
        pytest.skip("nothing tells the threads of this NumPy")
    for chosen, _ in known:
        chosen(2)
    yield counts()
    for chosen, before in known:
        chosen(before)


def test_a_block_and_blocks_in_it(two: list[int]) -> None:
    with doors.one_thread():
        assert set(counts()) == {1}
        with doors.one_thread():
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    assert counts() == two
    with pytest.raises(ZeroDivisionError), doors.one_thread():
        1 / 0  # noqa: B018
    assert counts() == two


@pytest.mark.parametrize(
    ("module", "name", "work"),
    [
        (motion, "require_resistance", lambda: mbsym.linearise("puma560")),
        (motion, "require_resistance", lambda: mbsym.equilibrium("cart_pole", starts=1)),
        (redundancy, "rank_of", lambda: redundancy.analyse_loops(looped())),
    ],
)
def test_analyses_take_one(monkeypatch: pytest.MonkeyPatch, two: list[int], module: Any, name: str, work: Any) -> None:
    seen: list[int] = []
    own = getattr(module, name)

    def watched(*arguments: Any, **options: Any) -> Any:
        seen.extend(counts())
        return own(*arguments, **options)

    monkeypatch.setattr(module, name, watched)
    work()
    assert set(seen) == {1}
    assert counts() == two


def looped() -> Any:
    return express(examples.load("four_bar"), GenerationOptions())


def test_a_library_that_tells_nothing_is_left_alone() -> None:
    import _ctypes

    assert doors._threads(_ctypes.__file__) is None
    assert np.linalg.norm(np.ones(4)) == 2.0
