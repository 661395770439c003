"""Settings that hold for every test."""

from __future__ import annotations

import os

from hypothesis import settings

# A first derivation pays for imports that later ones do not, so a deadline per example would only be noise.
settings.register_profile("local", deadline=None)
settings.register_profile("continuous", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("continuous" if os.environ.get("CI") else "local")
