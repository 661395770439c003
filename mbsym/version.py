"""The version, which stands in everything that is written."""

from __future__ import annotations

__version__ = "0.2.0"
