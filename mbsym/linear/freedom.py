"""Independent coordinates, and how all others move with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import AnalysisError
from mbsym.linear.equations import LinearEquations, State

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Freedom:
    """Which increments are independent, n of nv.

    Attributes:
        independent: their places in v.
        motion: all increments of the independent ones, N in dq = N dq_i (nv, n).
        change: of all speeds with the independent increments at constant independent speeds (nv, n).
    """

    independent: tuple[int, ...]
    motion: Array
    change: Array

    @property
    def of_states(self) -> Array:
        """[dq; dv] of [dq_i; dv_i] (2 nv, 2 n)."""
        return np.block([[self.motion, np.zeros_like(self.motion)], [self.change, self.motion]])


def freedom_at(equations: LinearEquations, state: State, independent: Sequence[str] = ()) -> Freedom:
    """The freedom of a mechanism at a state; all coordinates of a tree are independent.

    Raises:
        AnalysisError: coordinates of a tree are chosen.
    """
    nv = equations.mechanism.nv
    if independent:
        raise AnalysisError(
            "all coordinates of a tree are independent", where=equations.name, remedy="choose none of them"
        )
    return Freedom(tuple(range(nv)), np.eye(nv), np.zeros((nv, nv)))
