"""Checks beyond random states: numbers of headers, borders of conditions, far states, all pieces of tables, statuses;
and what was reached.

Whatever can be said of a text without the mechanics is said here of the module's own equations, derived again; that
those are right is what the reference says at random states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.codegen.load import LoadedModule
from mbsym.doors import Array
from mbsym.model.system import Model
from mbsym.reference.tables import table_values
from mbsym.registry import TRANSFER_MATRIX
from mbsym.symbolic.interpret import interpret
from mbsym.transfer_matrix.stepper import TransferMatrixStepper
from mbsym.values.table import Table
from mbsym.values.table_pieces import table_program
from mbsym.verification.anew import derived_anew
from mbsym.verification.checks import Worst
from mbsym.verification.coverage import Coverage, FunctionCoverage
from mbsym.verification.edge_states import MOST_WORK
from mbsym.verification.loop_checks import check_loops
from mbsym.verification.read_back import read_back_batch, read_back_c, read_back_numpy
from mbsym.verification.stepping_statuses import check_stepping_statuses
from mbsym.verification.text_checks import SizesOf, Texts, check_texts, in_ones

OWN_SEED: Final = 7
"""Added to the seed of the random states, so that these states are others."""


def check_beyond(
    worst: Worst,
    model: Model,
    manifest: Mapping[str, Any],
    modules: Sequence[LoadedModule],
    directory: Path,
    states: Sequence[Mapping[str, Any]],
    seed: int,
    sizes_of: SizesOf = in_ones,
) -> tuple[FunctionCoverage, ...]:
    """Notes all these checks, and returns what the states reached.

    Args:
        worst: takes the checks.
        model: of the manifest.
        manifest: asked only what was wanted.
        modules: as they were loaded.
        directory: of the texts.
        states: those at which the reference was asked; of closed loops they are closed.
        seed: of the states.
        sizes_of: what arguments of functions are counted in.

    Raises:
        MbsymError: the model cannot be derived, or a header does not compile.
    """
    anew = derived_anew(model, manifest)
    coverage = Coverage()
    texts = Texts(anew, modules, worst, coverage, seed + OWN_SEED, sizes_of)
    for function in anew.module.functions:
        if function.failures:
            coverage.require_statuses(function.name, ("OK", *(failure.status.name for failure in function.failures)))
    for module in modules:
        if module.language == "c":
            worst.add(read_back_c(anew.module, directory))
        elif module.language == "numpy":
            worst.add(read_back_numpy(anew.module, directory))
        elif module.language == "batch":
            worst.add(read_back_batch(anew.module, directory))
    check_tables(worst, model.tables, modules[0].language)
    check_texts(texts, MOST_WORK)
    if manifest["formulation"] == TRANSFER_MATRIX:
        order = manifest.get("order", "weight")
        steppers = [TransferMatrixStepper(model, order=order, module=module) for module in modules]
        check_stepping_statuses(worst, steppers, states[0], coverage)
    elif anew.module.description.tolerances:
        check_loops(texts, np.array([state["q"] for state in states]))
    return coverage.functions()


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
