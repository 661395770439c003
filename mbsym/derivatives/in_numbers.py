"""Derivatives at a state in numbers, q moved along the speeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mbsym.doors import Array
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.closing import rate_program
from mbsym.symbolic.adjoints import Adjoints
from mbsym.symbolic.program import Program


class NumericDerivatives:
    """A function of a mechanism, for values and derivatives at single states.

    It takes the function's arguments by name, those that are left out as zero, and gives its results by name, and their
    derivatives by the names of result and argument: an axis more, of nv directions for q.
    """

    __slots__ = ("_adjoints", "_inputs", "_nv", "_rate")

    def __init__(
        self, mechanism: Mechanism, program: Program, by: Sequence[str] = ("q",), results: Sequence[str] = ()
    ) -> None:
        """Prepares a function.

        Args:
            mechanism: whose function it is.
            program: the function.
            by: names of the arguments to differentiate by.
            results: names of those that are differentiated; default all.
        """
        self._inputs, self._nv = program.inputs, mechanism.nv
        self._adjoints = Adjoints(program, by, results)
        self._rate = Adjoints(rate_program(mechanism), ("v",))

    def _arguments(self, given: Mapping[str, Any]) -> Iterator[Any]:
        return (given.get(item.name, np.zeros(item.shape)) for item in self._inputs)

    def values(self, given: Mapping[str, Any]) -> dict[str, Array]:
        """Results alone."""
        return self._adjoints.values(*self._arguments(given))

    def __call__(self, given: Mapping[str, Any]) -> tuple[dict[str, Array], dict[tuple[str, str], Array]]:
        """Results and derivatives."""
        values, slopes = self._adjoints(*self._arguments(given))
        tangent = self._rate(given["q"], np.zeros(self._nv))[1]["qdot", "v"]
        return values, {name: slope @ tangent if name[1] == "q" else slope for name, slope in slopes.items()}
