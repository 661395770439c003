"""What has the four matrices of a linear system."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


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
