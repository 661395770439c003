"""Mechanisms whose mass matrix is positive definite in every state.

The kinetic energy is a sum over the bodies. If it is zero, so is the twist of every body along which that body has
inertia of its own. Where each joint moves its own body in such directions alone, then from ground outward every joint
is at rest: no state makes the mass matrix singular, and no pivot of its factors vanishes, whatever their order. A
massless link of a gimbal, or a rod without inertia about its own axis on a universal joint, shows that this may fail.
Parameters that stay symbolic count with their defaults: the condition holds as long as they keep the inertias positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.kinematics.simplified import true
from mbsym.spatial.inertia import ArticulatedInertia
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

LEAST: Final = 1e-9
"""Part of a body's inertia, its directions brought to equal size, below which a direction counts as without any."""


def never_singular(mechanism: Mechanism) -> bool:
    """Whether it is shown that no state makes the mass matrix singular."""
    given = true(mechanism)
    whole = given if given.limbs is None else given.limbs.whole
    return all(_moves_own_inertia(whole, body) for body in whole.bodies if body.columns)


def _moves_own_inertia(mechanism: Mechanism, body: TreeBody) -> bool:
    rows = ArticulatedInertia.of_rigid(body.inertia).rows()
    entries = _numbers(mechanism, [entry for row in rows for entry in row])
    if entries is None:
        return False
    inertia = _rows(entries)
    if _is_positive(inertia):
        return True
    columns = _numbers(mechanism, [entry for angular, linear in body.columns for entry in (*angular, *linear)])
    armature = _numbers(mechanism, body.armature)
    if columns is None or armature is None:
        return False
    subspace = _rows(columns)
    forces = [[_product(row, column) for row in inertia] for column in subspace]
    reduced = [[_product(column, force) for force in forces] for column in subspace]
    for k, value in enumerate(armature):
        reduced[k][k] += value
    return _is_positive(reduced)


def _numbers(mechanism: Mechanism, entries: Sequence[Scalar]) -> list[float] | None:
    """Values that depend on parameters alone, by their defaults; None where they depend on the state."""
    output = Output("values", (len(entries),), tuple(entry.ref for entry in entries))
    program = Program("values", mechanism.graph, (), (output,), mechanism.parameters)
    return None if program.free_symbols() else Evaluator(program).entries()["values"]


def _rows(entries: Sequence[float]) -> list[list[float]]:
    return [list(entries[k : k + 6]) for k in range(0, len(entries), 6)]


def _is_positive(matrix: Sequence[Sequence[float]]) -> bool:
    """Whether a symmetric matrix is positive definite, its rows brought to equal size.

    It is, by more than ``LEAST``, where Cholesky's factorisation of what is left without that much of the identity has
    positive pivots.
    """
    if not all(row[k] > 0 for k, row in enumerate(matrix)):
        return False
    scale = [1 / math.sqrt(row[k]) for k, row in enumerate(matrix)]
    factor: list[list[float]] = []
    for k, row in enumerate(matrix):
        found: list[float] = []
        for n in range(k):
            rest = scale[k] * scale[n] * row[n] - _product(found, factor[n][:n])
            found.append(rest / factor[n][n])
        pivot = 1.0 - LEAST - _product(found, found)
        if not pivot > 0:
            return False
        factor.append([*found, math.sqrt(pivot)])
    return True


def _product(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
