"""All definitions by the names of functions: those of trees, and those that closed loops add."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mbsym.exact.dynamics import ExactState
from mbsym.exact.functions import OF_TREES, Given, Results

DEFINITIONS: Final[Mapping[str, Callable[[ExactState, Given], Results]]] = OF_TREES
