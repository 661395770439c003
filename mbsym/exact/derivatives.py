"""Derivatives of definitions: these are evaluated at arguments that are series in one variable; slopes are read off.

Derivatives by q are along the speeds: direction k is the rate of q where speed k is one and the others are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.exact.closures import LoopState
from mbsym.exact.functions import OF_TREES, Given, Results, momentum
from mbsym.exact.kinematics import position_rate
from mbsym.exact.linear import solved
from mbsym.exact.loops import OF_LOOPS
from mbsym.exact.maximal import wrenches_of_motion
from mbsym.exact.residues import Series, UndecidedError, term
from mbsym.reference.rotations import Array

Definition: TypeAlias = Callable[[LoopState, Given], Results]

_OF_STATE: Final = ("q", "v", "t", "u", "x")


def _unit(size: int, k: int) -> Array:
    found = np.zeros(size, dtype=object)
    found[k] = 1
    return found


def _moved(values: Array, slopes: Array, level: int) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = [Series(pair, level) for pair in zip(values, slopes, strict=True)]
    return found


def along(state: LoopState, given: Given, name: str, slopes: Array, level: int) -> tuple[LoopState, Given]:
    """The state and the arguments, one of which goes on with given slopes."""
    values = given[name]
    moved: Any = _moved(values, slopes, level) if np.ndim(values) else Series((values, slopes[0]), level)
    changed: dict[str, Any] = {name: tuple(moved) if name in ("u", "x") else moved} if name in _OF_STATE else {}
    return replace(state, **changed), {**given, name: moved}


def derivative(of: Definition, names: Sequence[str], level: int = 1) -> Definition:
    """dRESULT_dNAME for each name and result, of the result's shape with the name's behind it."""

    def evaluated(state: LoopState, given: Given) -> Results:
        found: list[Any] = []
        for name in names:
            if name not in given:
                raise UndecidedError(f"a derivative by {name}")
            columns = []
            for slopes in _directions(state, given, name):
                results = of(*along(state, given, name, slopes, level))
                columns.append([[term(entry, 1, level) for entry in result] for result in results])
            for each in zip(*columns, strict=True):
                found.append([entry for row in zip(*each, strict=True) for entry in row])
        return found

    return evaluated


def _directions(state: LoopState, given: Given, name: str) -> list[Array]:
    if name == "q":
        nv = state.mechanism.nv
        return [position_rate(state.mechanism, state.q, _unit(nv, k)) for k in range(nv)]
    size = len(given[name]) if np.ndim(given[name]) else 1
    return [_unit(size, k) for k in range(size)]


def _by(name: str, *names: str) -> Definition:
    return derivative(OF_TREES[name], names)


def _tangent_map(state: LoopState, given: Given) -> Results:
    columns = _directions(state, given, "q")
    return [np.stack(columns, axis=1).ravel()]


def _inverse_mass_matrix(state: LoopState, given: Given) -> Results:
    M = state.mass_matrix
    rows = [dict(enumerate(row)) for row in M]
    columns = [solved(rows, list(_unit(len(M), k)), len(M)) for k in range(len(M))]
    return [np.array(columns, dtype=object).T.ravel()]


def _centroidal_momentum_matrix(state: LoopState, given: Given) -> Results:
    nv = state.mechanism.nv
    columns = [momentum(replace(state, v=_unit(nv, k)), given)[0] for k in range(nv)]
    return [np.array(columns, dtype=object).T.ravel()]


def _centroidal_momentum_rate_v(state: LoopState, given: Given) -> Results:
    rate = position_rate(state.mechanism, state.q, state.v)
    (found,) = momentum(*along(state, given, "q", rate, 1))
    return [[term(entry, 1, 1) for entry in found]]


def _with_motion(state: LoopState, given: Given) -> Results:
    """vdot and its derivatives: those of inverse dynamics at that vdot, brought to the left side."""
    (vdot,) = OF_TREES["forward_dynamics"](state, given)
    (inverse,) = (each.reshape(len(vdot), -1) for each in _inverse_mass_matrix(state, given))
    slopes = _by("inverse_dynamics", "q", "v")(state, {**given, "vdot": vdot})
    found = [-(inverse @ np.array(each, dtype=object).reshape(len(vdot), -1)) for each in slopes]
    return [vdot, *(each.ravel() for each in found), inverse.ravel()]


def _constrained(of: Definition) -> Definition:
    """Derivatives of vdot by q, v and tau, then those of multipliers."""

    def evaluated(state: LoopState, given: Given) -> Results:
        found = derivative(of, ("q", "v", "tau"))(state, given)
        return [*found[::2], *found[1::2]]

    return evaluated


DERIVATIVES: Final[Mapping[str, Definition]] = {
    "inverse_dynamics_derivatives": _by("inverse_dynamics", "q", "v"),
    "forward_dynamics_derivatives": lambda state, given: _with_motion(state, given)[1:],
    "forward_dynamics_with_derivatives": _with_motion,
    "tangent_map": _tangent_map,
    "inverse_mass_matrix": _inverse_mass_matrix,
    "centroidal_momentum_matrix": _centroidal_momentum_matrix,
    "centroidal_momentum_rate_v": _centroidal_momentum_rate_v,
    "joint_wrenches_of_motion": lambda state, given: [wrenches_of_motion(state, given["vdot"]).ravel()],
}
"""Of trees, and what is made of motions along the speeds."""

OF_CLOSED: Final[Mapping[str, Definition]] = {
    "constrained_dynamics_derivatives": _constrained(OF_LOOPS["constrained_dynamics"]),
}
"""Of mechanisms with closed loops."""
