"""Mechanisms whose mass matrix is positive definite in every state.

The kinetic energy is a sum over the bodies. If it is zero, so is the twist of every body along which that body has
inertia of its own. Where each joint moves its own body in such directions alone, then from ground outward every joint
is at rest: no state makes the mass matrix singular, and no pivot of its factors vanishes, whatever their order. A
massless link of a gimbal, or a rod without inertia about its own axis on a universal joint, shows that this may fail.
Parameters that stay symbolic count with their defaults: the condition holds as long as they keep the inertias positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.spatial.inertia import ArticulatedInertia
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

LEAST: Final = 1e-9
"""Part of a body's inertia, its directions brought to equal size, below which a direction counts as without any."""


def never_singular(mechanism: Mechanism) -> bool:
    """Whether it is shown that no state makes the mass matrix singular."""
    return all(_moves_own_inertia(mechanism, body) for body in mechanism.true.bodies if body.columns)


def _moves_own_inertia(mechanism: Mechanism, body: TreeBody) -> bool:
    rows = ArticulatedInertia.of_rigid(body.inertia).rows()
    inertia = _numbers(mechanism, [entry for row in rows for entry in row])
    if inertia is not None and _is_positive(inertia.reshape(6, 6)):
        return True
    columns = _numbers(mechanism, [entry for angular, linear in body.columns for entry in (*angular, *linear)])
    armature = _numbers(mechanism, body.armature)
    if inertia is None or columns is None or armature is None:
        return False
    subspace = columns.reshape(-1, 6)
    reduced = subspace @ inertia.reshape(6, 6) @ subspace.T
    reduced.flat[:: len(armature) + 1] += armature
    return _is_positive(reduced)


def _numbers(mechanism: Mechanism, entries: Sequence[Scalar]) -> Array | None:
    """Values that depend on parameters alone, by their defaults; None where they depend on the state."""
    output = Output("values", (len(entries),), tuple(entry.ref for entry in entries))
    program = Program("values", mechanism.graph, (), (output,), mechanism.parameters)
    return None if program.free_symbols() else Evaluator(program)()["values"]


def _is_positive(matrix: Array) -> bool:
    """Whether a symmetric matrix is positive definite, its rows brought to equal size."""
    import numpy as np

    diagonal = np.diagonal(matrix)
    if not (diagonal > 0).all():
        return False
    scale = 1 / np.sqrt(diagonal)
    return bool(np.linalg.eigvalsh(matrix * np.outer(scale, scale))[0] > LEAST)
