"""Checks beyond random states: numbers of headers, borders of conditions, far states, statuses; and what was reached.

Whatever can be said of a text without the mechanics is said here of the module's own equations, derived again; that
those are right is what the reference says at random states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.codegen.load import LoadedModule
from mbsym.model.system import Model
from mbsym.registry import TRANSFER_MATRIX
from mbsym.transfer_matrix.stepper import TransferMatrixStepper
from mbsym.verification.anew import derived_anew
from mbsym.verification.checks import Worst
from mbsym.verification.coverage import Coverage, FunctionCoverage
from mbsym.verification.edge_states import MOST_WORK
from mbsym.verification.loop_checks import check_loops
from mbsym.verification.read_back import read_back_batch, read_back_c, read_back_numpy
from mbsym.verification.stepping_statuses import check_stepping_statuses
from mbsym.verification.tables import check_tables
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
