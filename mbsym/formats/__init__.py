"""Model files: the native format, URDF and MJCF. ``load`` is the way in; each reader is imported when it is needed."""

from __future__ import annotations

from mbsym.formats.registry import LoadOptions, example_names, example_path, load

__all__ = ["LoadOptions", "example_names", "example_path", "load"]
