"""The passes that every generated function goes through, in order."""

from __future__ import annotations

from typing import Final

from mbsym.passes.factor import factor
from mbsym.passes.fold_constants import fold_constants
from mbsym.passes.pass_manager import Pass
from mbsym.passes.reciprocal import reciprocal

STANDARD_PASSES: Final[tuple[Pass, ...]] = (fold_constants, factor, reciprocal)
