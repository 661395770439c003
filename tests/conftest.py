"""Settings that hold for every test."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from mechanisms.shares import Share

# A first derivation pays for imports that later ones do not, so a deadline per example would only be noise.
settings.register_profile("local", deadline=None)
settings.register_profile("continuous", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("continuous" if os.environ.get("CI") else "local")


# Tests run side by side already: threads of linear algebra on matrices of this size only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Graphs are many small objects without circles: looking for circles after every 700 of them is a tenth of the time.
gc.set_threshold(100_000, 20, 50)

# Where Python is told to keep no bytecode, each process that a test starts would compile the package anew, and each run
# would rewrite the assertions of all tests anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file's tests run in one process: what they derive and compile once is not done again in each."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


def pytest_configure() -> None:
    """A share that is none is refused at once, not in each process."""
    if (text := os.environ.get("MBSYM_SHARE")) is not None:
        try:
            Share.read(text)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where ``MBSYM_SHARE`` says which, a share of the further examples runs, and all that is none of them."""
    if (text := os.environ.get("MBSYM_SHARE")) is None:
        return
    share = Share.read(text)
    others = [item for item in items if item.get_closest_marker("more") and item.nodeid not in share]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in set(others)]


@pytest.fixture(autouse=True, scope="session")
def own_cache_of_libraries(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither use nor fill the user's cache; processes that run side by side share theirs."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cache"
    os.environ.setdefault("MBSYM_CACHE", str(shared))


@pytest.fixture
def agreement(request: pytest.FixtureRequest) -> Callable[[Any], None]:
    """Takes what a test of docs/papers.md measures, and fails where that is more than the page tells of it.

    Where ``MBSYM_FIGURES`` names a file it is written there instead (tests/benchmarks/paper_figures.py).
    """
    from mechanisms import paper_rows

    test = request.node.nodeid.partition("[")[0]

    def held(measured: Any) -> None:
        value, figure = float(measured), paper_rows.told(test)
        if path := os.environ.get("MBSYM_FIGURES"):
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps([test, value]) + "\n")
        else:
            assert value <= figure, f"docs/papers.md tells {figure:g} of {test}: run paper_figures.py --write"

    return held


@pytest.fixture(scope="session")
def checked_types(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where mypy, strict and without a file of settings, keeps what it knows of the package."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "mypy"


@pytest.fixture(autouse=True, scope="session")
def compiled_as_large_sources_are(request: pytest.FixtureRequest) -> Iterator[None]:
    """C that is verified, simulated or called is compiled as long sources are, in a half or a quarter of the time.

    What optimising does to it is for tests that ask for a level, and for further examples, where it is done as for
    users.
    """
    from mbsym.batches import compiled
    from mbsym.codegen import languages
    from mbsym.simulation import equations

    with pytest.MonkeyPatch.context() as patch:
        if request.config.option.markexpr == "not more":
            for module in (compiled, equations, languages):
                patch.setattr(module, "LARGEST_OPTIMISED", 0)
            patch.setattr(compiled, "LARGEST_VECTORISED", 0)
        yield
