"""Libraries and modules that are opened when they are asked for: some take longer to import than most models take to
derive."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as numpy
    import scipy as scipy
    import sympy as sympy
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
else:
    Array = Any

    class Door:
        """Looks like a library or a module, and imports it at the first look inside."""

        def __init__(self, library):
            self.library = library

        def __getattr__(self, name):
            found = getattr(import_module(self.library), name)
            setattr(self, name, found)
            return found

    numpy, scipy, sympy = Door("numpy"), Door("scipy"), Door("sympy")


_LINEAR_ALGEBRA: Final = ("numpy.linalg._umath_linalg", "scipy.linalg._fblas")
"""What NumPy and SciPy call, each with a library of its own."""


@cache
def _threads(path: str) -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """What tells and what sets the threads of OpenBLAS behind an extension; None where that is not found."""
    library = ctypes.CDLL(path)
    for prefix, suffix in product(("scipy_openblas", "openblas"), ("64_", "")):
        try:
            told, chosen = (getattr(library, f"{prefix}_{verb}_num_threads{suffix}") for verb in ("get", "set"))
        except AttributeError:
            continue
        return told, chosen
    return None


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra in one thread, as a block or around a function.

    Matrices of mechanisms are small: threads that share one wait for each other, on a busy machine a hundred times as
    long as one thread takes. What the process had before it has again afterwards; other calls meanwhile are as right.
    """
    numpy.linalg  # noqa: B018  it is imported before it is looked for
    loaded = [path for name in _LINEAR_ALGEBRA if (path := getattr(sys.modules.get(name), "__file__", None))]
    found = [(chosen, told()) for told, chosen in filter(None, map(_threads, loaded))]
    several = [(chosen, before) for chosen, before in found if before > 1]
    for chosen, _ in several:
        chosen(1)
    try:
        yield
    finally:
        for chosen, before in several:
            chosen(before)
