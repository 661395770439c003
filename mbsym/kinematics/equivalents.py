"""Mechanisms that move alike and are shorter to write: what derivations ask for that need no more than that.

A mechanism says which of these ways it allows. Whatever is told of the user's own bodies, such as forces in joints and
centres of mass, is derived from the mechanism as it is.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Final

from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.regrouping import regrouped
from mbsym.kinematics.simplified import true
from mbsym.kinematics.sliding import slid

SLIDE: Final = "slide"
REGROUP: Final = "regroup"


def for_forces(mechanism: Mechanism) -> Mechanism:
    """An equivalent mechanism for Newton's and Euler's equations: its generalised forces are the same."""
    return _equivalent(mechanism, to_turn=True)


def for_mass_matrix(mechanism: Mechanism) -> Mechanism:
    """An equivalent mechanism for composite and articulated inertias: its mass matrix is the same."""
    return _equivalent(mechanism, to_turn=False)


def for_elimination(mechanism: Mechanism, keeping: Container[int]) -> Mechanism:
    """An equivalent mechanism for articulated inertias, some bodies of which keep inertias that can be inverted.

    Args:
        mechanism: of any tree joints.
        keeping: labels of those bodies.
    """
    return _equivalent(mechanism, to_turn=False, keeping=keeping)


def _equivalent(mechanism: Mechanism, *, to_turn: bool, keeping: Container[int] = ()) -> Mechanism:
    given = true(mechanism)
    if given.limbs is not None:
        return given.limbs.equivalent(given, lambda whole: _equivalent(whole, to_turn=to_turn, keeping=keeping))
    found = slid(given, to_turn=to_turn) if SLIDE in given.ways else given
    if REGROUP in given.ways:
        found = regrouped(found, to_turn=to_turn, keeping=keeping)
    return found if found is given else replace(found, stands_for=given)
