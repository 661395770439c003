"""Model files: the native format, URDF, MJCF and SDF. ``load`` is the way in; readers are imported when needed."""

from __future__ import annotations

from mbsym.formats.registry import LoadOptions, example_names, example_path, load

__all__ = ["LoadOptions", "example_names", "example_path", "load"]
