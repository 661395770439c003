"""Arguments of a simulation that are of another kind than what is asked for, told with what to write."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from mbsym.errors import SimulationError

_LONGEST: Final = 80
"""Letters of a value that an error shows."""


def check_named(name: str, given: object, remedy: str) -> None:
    """Refuses what does not give values by name.

    Raises:
        SimulationError: naming the keyword.
    """
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise SimulationError(f"{name} = {shown(given)} does not give values by name", remedy=remedy)


def check_callable(name: str, given: object) -> None:
    """Refuses what is neither None nor a function.

    Raises:
        SimulationError: naming the keyword.
    """
    if given is not None and not callable(given):
        raise SimulationError(f"{name} = {shown(given)} is no function", remedy="give one, or leave it out")


def shown(value: object) -> str:
    """A value as an error shows it, on one line and not for ever."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def finite(name: str, value: object) -> float:
    """The value as a float.

    Raises:
        SimulationError: it is no finite number.
    """
    try:
        # Text that looks like a number is a slip where numbers are computed with.
        number = math.nan if isinstance(value, (str, bytes)) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        remedy = "give a number, or one function in the place of them all" if callable(value) else "give a number"
        raise SimulationError(
            f"{name} = {shown(value) if callable(value) else value} is no finite number", remedy=remedy
        )
    return number
