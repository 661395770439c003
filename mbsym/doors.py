"""Libraries that are opened when they are asked for: some take longer to import than most models take to derive, others
are not installed everywhere."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from mbsym.errors import ToolchainError

if TYPE_CHECKING:
    import numpy as numpy
    import sympy as sympy
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
else:
    Array = Any

    class _Door:
        """Looks like the library, and imports it at the first look inside."""

        def __init__(self, library):
            self.library = library

        def __getattr__(self, name):
            found = getattr(import_module(self.library), name)
            setattr(self, name, found)
            return found

    numpy, sympy = _Door("numpy"), _Door("sympy")


def optional(library: str, what: str, extra: str, otherwise: str = "") -> Any:
    """A library of one of mbsym's extras.

    Args:
        library: its module.
        what: needs it, as the beginning of a sentence that names the library.
        extra: with which it is installed.
        otherwise: what to do instead.

    Raises:
        ToolchainError: it is not installed; the message says how it is.
    """
    try:
        return import_module(library)
    except ImportError:
        remedy = f"install it (pip install 'mbsym[{extra}]'){otherwise and f', or {otherwise}'}"
        raise ToolchainError(f"{what}, which is not installed", remedy=remedy) from None
