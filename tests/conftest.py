"""Settings that hold for every test."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A first derivation pays for imports that later ones do not, so a deadline per example would only be noise.
settings.register_profile("local", deadline=None)
settings.register_profile("continuous", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("continuous" if os.environ.get("CI") else "local")


# Tests run side by side already: threads of linear algebra on matrices of this size only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Where Python is told to keep no bytecode, each process that a test starts would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(autouse=True, scope="session")
def own_cache_of_libraries(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither use nor fill the user's cache."""
    os.environ.setdefault("MBSYM_CACHE", str(tmp_path_factory.mktemp("cache")))
