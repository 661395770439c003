"""Programs made by hand over a mechanism's graph."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar


def make_program(
    mechanism: Mechanism,
    name: str,
    inputs: Sequence[Input],
    outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Scalar], str, str]],
    description: str,
) -> Program:
    """A Program of any values; outputs are (name, shape, entries, unit, description)."""
    return Program(
        name,
        mechanism.graph,
        tuple(inputs),
        tuple(Output(n, shape, tuple(x.ref for x in values), unit, text) for n, shape, values, unit, text in outputs),
        mechanism.parameters,
        description,
    )
