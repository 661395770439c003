"""URDF, with URDF+ and files of loops beside it."""

from __future__ import annotations

from mbsym.formats.urdf.reader import load_urdf, read_urdf

__all__ = ["load_urdf", "read_urdf"]
