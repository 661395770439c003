"""Quantities of frames that values of a model name."""

from __future__ import annotations

from mbsym.symbolic.frame_quantities import MENTIONED, quantity_of
from mbsym.symbolic.frame_quantities import FrameQuantity as FrameQuantity
from mbsym.values.numbers import value_names
from mbsym.values.parameter import Value


def value_quantities(value: Value) -> dict[str, FrameQuantity]:
    """The quantities by their one spelling, sorted.

    Raises:
        SymbolicError: a text is no expression.
    """
    if isinstance(value, str) and MENTIONED.search(value) is None:
        return {}
    found = {name: quantity_of(name) for name in value_names(value)}
    return {name: quantity for name, quantity in found.items() if quantity is not None}


def value_frames(value: Value) -> tuple[str, ...]:
    """Names of the frames that these are of, each once.

    Raises:
        SymbolicError: a text is no expression.
    """
    return tuple(dict.fromkeys(frame for each in value_quantities(value).values() for frame in each.every_frame))
