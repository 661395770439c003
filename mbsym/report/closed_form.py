"""Values in closed form, where that can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric

if TYPE_CHECKING:
    import sympy

LARGEST_SHOWN: Final = 800
"""Operations, as printed, up to which the values of a section are shown."""


def closed_form(mechanism: Mechanism, references: Sequence[Reference]) -> list[sympy.Expr] | None:
    """Simplified values of one section, nothing where they would fill pages."""
    graph = mechanism.graph
    sizes = PrintedSizes(graph)
    if sizes.of_all(references) > 4 * LARGEST_SHOWN:
        return None
    units = [mechanism.q.symbols[first : first + 4] for first in mechanism.q.quaternions]
    short = simplify_all_trigonometric(graph, references, units)
    return None if sizes.of_all(short) > LARGEST_SHOWN else list(to_sympy(graph, short))
