"""Whether values of a mechanism are equal in every motion, decided exactly."""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar


def equal_in_motion(mechanism: Mechanism, found: Sequence[Scalar], expected: Sequence[Scalar]) -> bool:
    """Whether all entries are equal for all q, v, tau, inputs and parameters, quaternions being of unit length."""
    inputs = (mechanism.q, mechanism.v, mechanism.tau, *mechanism.extra_inputs)
    sides = (
        Program("side", mechanism.graph, inputs, (output,), mechanism.parameters)
        for output in (Output("entries", (len(side),), tuple(x.ref for x in side)) for side in (found, expected))
    )
    return bool(compare(*sides))
