"""What can be identified of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mbsym.errors import IdentificationError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import express, read
from mbsym.regressors.base_parameters import BaseParameters, base_parameters_of


def base_parameters(
    source: Model | str | Path, *, symbolic_parameters: str | Sequence[str] = "", order: str = "weight"
) -> BaseParameters:
    """The fewest sums of standard parameters that the forces of a model depend on.

    Args:
        source: a model, a model file, or the name of a bundled example.
        symbolic_parameters: those that stay symbols in coefficients: "" as the model says, "all", "none", or names.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.

    Raises:
        MbsymError: the model or a name is unusable, loops cannot be closed, or nothing can move.
    """
    asked = symbolic_parameters if isinstance(symbolic_parameters, str) else tuple(symbolic_parameters)
    mechanism = express(read(source), GenerationOptions(symbolic_parameters=asked, order=order))
    return base_parameters_of(mechanism, loops_of(mechanism))


def loops_of(mechanism: Mechanism) -> LoopAnalysis | None:
    """The closed loops, None for a tree.

    Raises:
        DerivationError: they cannot be closed.
        IdentificationError: nothing can move.
    """
    closed = mechanism.cut_joints or mechanism.model.constraints
    loops = analyse_loops(mechanism) if closed else None
    if not mechanism.nv or (loops is not None and loops.is_structure):
        raise IdentificationError(
            "a structure, which tells nothing of its parameters" + (": its loops leave no freedom" if loops else ""),
            where=mechanism.model.name,
            remedy="give the model something that moves: a joint that is not fixed, or loops with a freedom",
        )
    return loops
