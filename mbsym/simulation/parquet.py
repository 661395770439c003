"""Results as Parquet, which tools for large tables read by columns."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from mbsym.doors import optional
from mbsym.simulation.output import MARK, Column


def require_pyarrow() -> Any:
    """The library that writes Parquet.

    Raises:
        ToolchainError: it is missing, with what to install.
    """
    optional("pyarrow.parquet", "Parquet needs pyarrow", "parquet")
    return optional("pyarrow", "Parquet needs pyarrow", "parquet")


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
