"""Results as Parquet, which tools for large tables read by columns."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from mbsym.errors import ToolchainError
from mbsym.simulation.output import MARK, Column


def require_pyarrow() -> Any:
    """The library that writes Parquet.

    Raises:
        ToolchainError: it is missing, with what to install.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise ToolchainError(
            "Parquet needs pyarrow, which is not installed", remedy="install it (pip install 'mbsym[parquet]')"
        ) from None
    return pyarrow


def parquet_bytes(columns: Sequence[Column], title: str) -> bytes:
    """A table of doubles under the columns' names; each has its unit in its metadata, as ``unit``.

    Raises:
        ToolchainError: there is no pyarrow.
    """
    arrow = require_pyarrow()
    kinds = [arrow.field(column.name, arrow.float64(), False, {"unit": column.unit}) for column in columns]
    schema = arrow.schema(kinds, {"mbsym": MARK, "title": title})
    stream = io.BytesIO()
    arrow.parquet.write_table(arrow.table([column.values for column in columns], schema=schema), stream)
    return stream.getvalue()
