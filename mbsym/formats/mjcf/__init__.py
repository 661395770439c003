"""MJCF, MuJoCo's format."""

from __future__ import annotations

from mbsym.formats.mjcf.reader import load_mjcf, read_mjcf

__all__ = ["load_mjcf", "read_mjcf"]
