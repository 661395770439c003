"""What has the four matrices of a linear system."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from mbsym.doors import Array
from mbsym.errors import AnalysisError


class StateSpace(ABC):
    """xdot = A x + B u, y = C x + D u: a sequence of the four matrices, as ``scipy.signal`` and ``control`` take it."""

    __slots__ = ()

    A: Array
    B: Array
    C: Array
    D: Array

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Array:
        return (self.A, self.B, self.C, self.D)[index]

    def response(self, hertz: ArrayLike) -> Array:
        """C (i w - A)^-1 B + D over frequencies above zero (k, outputs, inputs).

        Raises:
            AnalysisError: it is infinite at one of them.
        """
        return np.array([self.at(2j * np.pi * frequency) for frequency in np.atleast_1d(hertz)])

    def at(self, s: complex) -> Array:
        """C (s - A)^-1 B + D."""
        try:
            states = np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B)
        except np.linalg.LinAlgError:
            raise AnalysisError(
                f"the response is infinite at {abs(s) / (2.0 * np.pi):.6g} Hz",
                remedy="take a frequency beside, or dampers",
            ) from None
        return np.asarray(self.C @ states + self.D)

    def matrices(self) -> dict[str, object]:
        """The four for machines."""
        return {"A": self.A.tolist(), "B": self.B.tolist(), "C": self.C.tolist(), "D": self.D.tolist()}
