"""mbsym's own format, in YAML: read and written."""

from __future__ import annotations

from mbsym.formats.native.reader import load_native, read_native, read_tables

__all__ = ["load_native", "read_native", "read_tables"]
