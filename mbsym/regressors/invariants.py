"""What of a body's inertia its inboard joint cannot tell from inertia of its parent.

Such an inertia D moves freely with the joint, D H = 0, and looks the same from the parent wherever the joint stands,
ad_H^T D + D ad_H = 0 for each column of H. It can then be added to the body and taken from its parent, at any
configuration, and no force anywhere changes: M. Gautier's and W. Khalil's rules of grouping for all joint types at
once. For a revolute joint these are the mass on its axis, its first moment along the axis, and a ring about it.

Source: M. Gautier, W. Khalil, Direct calculation of minimum set of inertial parameters of serial robots, 1990;
P. M. Wensing, G. Niemeyer, J.-J. E. Slotine, A geometric characterization of observability in inertial parameter
identification, 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import DerivationError
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.symbolic import finite_field
from mbsym.symbolic.field_matrix import Echelon, rational
from mbsym.symbolic.finite_field import PRIME
from mbsym.symbolic.program import Output, Program

Ten = tuple[Fraction, ...]

_PLACES: Final = (3, 2, 1, 5, 6, 4, 7, 8, 9, 0)
"""Order in which the ten are solved for; those solved for last are free."""

_POINTS: Final = 3
"""Configurations of the joint at which both conditions are asked; one suffices where H does not depend on them."""


def invariants(mechanism: Mechanism, body: TreeBody) -> tuple[Ten, ...]:
    """A basis of them in the body's internal frame: mass, first moment, (xx, yy, zz, xy, xz, yz); short fractions."""
    units = [tuple(Fraction(int(j == k)) for j in range(10)) for k in range(10)]
    if not body.columns:
        return tuple(units)
    refs = tuple(entry.ref for motion in body.columns for half in motion for entry in half)
    program = Program("H", mechanism.graph, (mechanism.q,), (Output("H", (len(refs),), refs),), mechanism.parameters)
    echelon = Echelon(_PLACES)
    for seed in range(_POINTS):
        values = finite_field.evaluate([program], seed=seed)[0]["H"]
        for k in range(0, len(values), 6):
            conditions = [_conditions(values[k : k + 6], place) for place in range(10)]
            for row in zip(*conditions, strict=True):
                echelon.add(dict(enumerate(row)))
    found = []
    for free in (place for place in _PLACES if place not in echelon.pivots):
        vector = [Fraction(0)] * 10
        vector[free] = Fraction(1)
        for place, residue in echelon.combination(free).items():
            number = rational(-residue)
            if number is None:
                raise DerivationError(
                    f"what joint {body.joint.name} leaves unseen is no simple inertia", where=mechanism.model.name
                )
            vector[place] = number
        found.append(tuple(vector))
    return tuple(found)


def solved_places(tens: Sequence[Ten]) -> tuple[int, ...]:
    """For each of a basis, the place at which it alone is not zero."""
    return tuple(
        next(place for place in range(10) if ten[place] and not any(other[place] for other in tens if other is not ten))
        for ten in tens
    )


def _conditions(direction: Sequence[int], place: int) -> list[int]:
    """D H, and the upper triangle of ad_H^T D + D ad_H, for one of the ten as D."""
    inertia = _matrix(place)
    s, t = _crossing(direction[:3]), _crossing(direction[3:])
    half = inertia @ np.block([[s, 0 * s], [t, s]])
    both = half + half.T
    return [entry % PRIME for entry in (*(inertia @ np.array(direction, object)), *both[np.triu_indices(6)])]


def _matrix(place: int) -> Array:
    """The 6 x 6 inertia [[I, h~], [-h~, m]] of one of the ten."""
    entries = np.zeros((6, 6), object)
    if place == 0:
        entries[3:, 3:] = np.eye(3, dtype=int)
    elif place < 4:
        arm = _crossing([int(k == place - 1) for k in range(3)])
        entries[:3, 3:], entries[3:, :3] = arm, -arm
    else:
        i, j = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))[place - 4]
        entries[i, j] = entries[j, i] = 1
    return entries


def _crossing(a: Sequence[int]) -> Array:
    """The matrix of a x, of whole numbers of any size."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], object)
