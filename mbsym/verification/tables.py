"""Tables in all of their pieces, of which random states meet few: those of the equations beside the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.reference.tables import table_values
from mbsym.symbolic.interpret import interpret
from mbsym.values.table import Table
from mbsym.values.table_pieces import table_program
from mbsym.verification.checks import Worst

ALLOWED: Final = 1e-13
"""Of the largest value; of splines times the ratio of the longest piece to the shortest, since SciPy solves for their
slopes in double precision."""


def check_tables(worst: Worst, tables: Iterable[Table], language: str) -> None:
    """Notes a check of each table; the numbers of its texts are read back, and compared with those of the equations."""
    for table in tables:
        points = [_points(at) for at in (table.x, table.y)[: table.arguments]]
        grid = np.meshgrid(*points, indexing="ij")
        found = interpret(table_program(table), dict(zip("xy", grid, strict=False)))["value"]
        expected = table_values(table)(*grid)
        error = float(np.abs(found - expected).max() / (np.abs(expected).max() or 1.0))
        lengths = np.diff(table.x)
        allowed = ALLOWED * float(lengths.max() / lengths.min() if table.between == "spline" else 1.0)
        worst.note(f"table {table.name}", language, "reference", error, allowed, 0)


def _points(at: Sequence[float]) -> Array:
    """Two in each piece, and one beyond either end."""
    starts, lengths = np.array(at[:-1]), np.diff(at)
    return np.concatenate(
        [starts[:1] - lengths[:1], starts + lengths / 4, starts + 0.8 * lengths, at[-1:] + lengths[-1:]]
    )
