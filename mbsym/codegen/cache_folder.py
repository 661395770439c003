"""Where what was computed once is kept; it can be deleted at any time."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """MBSYM_CACHE, or the folder mbsym in XDG_CACHE_HOME, which is ~/.cache where it is not set."""
    own = os.environ.get("MBSYM_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mbsym"
