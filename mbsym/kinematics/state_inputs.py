"""The arrays q, v, vdot and tau as arguments of functions: their symbols, units, and what their entries are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mbsym.joints.record import JointShape
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.program import Input

RATES: Final = {"rad/s": "rad/s^2", "m/s": "m/s^2"}
"""Units of the rates of speeds."""


def state_inputs(
    shapes: Mapping[int, JointShape], symbols: Sequence[tuple[Reference, ...]], quaternions: tuple[int, ...]
) -> tuple[Input, Input, Input, Input]:
    """The arguments q, v, vdot and tau.

    Args:
        shapes: of the joints that have coordinates of their own, by label in the order of these.
        symbols: of the entries of q, v, vdot and tau.
        quaternions: where unit quaternions start in q.
    """
    q, v, vdot, tau = symbols
    own = list(shapes.values())
    speed = common_unit(shape.speed_units for shape in own)
    labels = tuple(
        f"{label}_{suffix}" if suffix else str(label) for label, shape in shapes.items() for suffix in shape.coordinates
    )
    return (
        Input(
            "q", (len(q),), q, common_unit(shape.coordinate_units for shape in own), "coordinates", quaternions, labels
        ),
        Input("v", (len(v),), v, speed, "generalised speeds"),
        Input("vdot", (len(vdot),), vdot, RATES.get(speed, ""), "rates of the speeds"),
        Input("tau", (len(tau),), tau, common_unit(shape.force_units for shape in own), "generalised forces"),
    )


def common_unit(units: Iterable[Sequence[str]]) -> str:
    """The unit of all entries of an array, or "" where they differ or there are none."""
    found = {unit for own in units for unit in own}
    return found.pop() if len(found) == 1 else ""
