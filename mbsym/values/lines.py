"""How elements between bodies are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mbsym.values.parameter import Vector


@dataclass(frozen=True, slots=True)
class Line:
    """A line between points of two bodies, each in its body's frame.

    Attributes:
        kind: "spring" is drawn in dashes and dots, "slide" in dashes; a "rod" is part of the bodies that it joins, a
            "rim" of the wheel on whose body both ends are.
        first_body, second_body: their names.
        first_point, second_point: the ends.
    """

    kind: Literal["spring", "rod", "slide", "rim"]
    first_body: str
    first_point: Vector
    second_body: str
    second_point: Vector
