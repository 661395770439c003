"""What functions of shared steps have in common: which mechanisms they are for, their arguments and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from mbsym.formulations.contracts import Contract, Derived, sizes_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.program import WRITTEN, Program
from mbsym.symbolic.scalar import Scalar


def is_plain(mechanism: Mechanism) -> bool:
    """True where each joint has coordinates of its own and closes no loop."""
    return not (mechanism.is_coupled or mechanism.cut_joints or mechanism.model.constraints)


def head_of(contract: Contract, mechanism: Mechanism, how: str = "") -> Program:
    """Arguments and results, which statements will write."""
    sizes = sizes_of(mechanism)
    zero = Scalar(mechanism.graph, 0)
    entries = {
        result.name: [zero] * prod(sizes[n] if isinstance(n, str) else n for n in result.shape)
        for result in contract.results
    }
    program = contract.program(mechanism, Derived(entries, f"{how}, bodies of a kind share their steps"))
    outputs = (replace(item, values=(WRITTEN,) * len(item.values)) for item in program.outputs)
    return replace(program, outputs=tuple(outputs))


def vector(entries: Sequence[Scalar]) -> Vector3:
    """Three entries."""
    x, y, z = entries
    return x, y, z
