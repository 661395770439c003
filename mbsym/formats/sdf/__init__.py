"""SDF, SDFormat."""

from __future__ import annotations

from mbsym.formats.sdf.reader import load_sdf, read_sdf

__all__ = ["load_sdf", "read_sdf"]
