"""Symbolic equations of motion of multibody systems, as verified C and NumPy code."""

from __future__ import annotations

__version__ = "0.1.0"
