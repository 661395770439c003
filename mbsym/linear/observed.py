"""What the names of outputs stand for."""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.errors import AnalysisError
from mbsym.linear.equations import LinearEquations
from mbsym.linear.tangent import increment_names
from mbsym.simulation.equations import suggestion


@dataclass(frozen=True, slots=True)
class Observed:
    """What an output is: "increment", "speed", "acceleration" or "coordinate", and its place in v or q."""

    kind: str
    place: int


def observed(equations: LinearEquations, name: str) -> Observed:
    """What the name of an output stands for.

    Raises:
        AnalysisError: nothing is called so.
    """
    increments, speeds = increment_names(equations.mechanism), equations.speeds
    accelerations = tuple(f"vdot_{speed.removeprefix('v_')}" for speed in speeds)
    tables = {
        "increment": increments,
        "speed": speeds,
        "acceleration": accelerations,
        "coordinate": equations.coordinates,
    }
    for kind, names in tables.items():
        if name in names:
            return Observed(kind, names.index(name))
    raise AnalysisError(
        f"no coordinate, speed or acceleration is called {name!r}",
        where=equations.name,
        remedy=suggestion(name, (*increments, *speeds, *accelerations)),
    )
