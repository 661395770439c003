"""The passes that every generated function goes through, in order."""

from __future__ import annotations

from typing import Final

from mbsym.passes.factor import factor
from mbsym.passes.fold_constants import fold_constants
from mbsym.passes.pass_manager import Pass
from mbsym.passes.reassociate import reassociate
from mbsym.passes.reciprocal import reciprocal

PLAIN_PASSES: Final[tuple[Pass, ...]] = (fold_constants, factor, reciprocal)
"""Those that keep the order in which a derivation adds and multiplies."""

STANDARD_PASSES: Final[tuple[Pass, ...]] = (fold_constants, factor, reassociate, factor, reassociate, reciprocal)
"""What is bracketed anew has new common factors, and what is factored other sums."""
