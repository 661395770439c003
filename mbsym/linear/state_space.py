"""What has the four matrices of a linear system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.linear.tables import number, numbered
from mbsym.markup import Told

_NOTHING: Final = 1e-12
"""Part of the largest number of a matrix below which one is printed as 0."""

_SIDES: Final = {
    "A": ("states", "states"),
    "B": ("states", "inputs"),
    "C": ("outputs", "states"),
    "D": ("outputs", "inputs"),
}
"""What rows and columns of the matrices are."""


class StateSpace(Told):
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

    def lines(self, letters: str) -> list[str]:
        """Those of the matrices that have entries, each below a line without text, with names of rows and columns."""
        lines = []
        for letter in letters:
            matrix: Array = getattr(self, letter)
            rows, columns = (getattr(self, side) for side in _SIDES[letter])
            least = _NOTHING * float(np.abs(matrix).max(initial=0.0))
            table = [(letter, *columns)]
            for name, row in zip(rows, matrix, strict=True):
                table.append((name, *(number(float(x) if abs(x) > least else 0.0) for x in row)))
            if matrix.size:
                lines += ["", *numbered(table)]
        return lines

    def matrices(self) -> dict[str, object]:
        """The four for machines."""
        return {"A": self.A.tolist(), "B": self.B.tolist(), "C": self.C.tolist(), "D": self.D.tolist()}
