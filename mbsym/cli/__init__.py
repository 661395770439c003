"""The command line: one file per verb."""

from __future__ import annotations

from mbsym.cli.application import main

__all__ = ["main"]
