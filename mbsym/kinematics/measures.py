"""By what a mechanism's own quantities are measured, so that no result depends on the units that they come in.

Angles are measured by the radian, lengths by the mechanism's size, forces along a speed by an energy over the measure
of its increment.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.own_units import own_length


@dataclass(frozen=True, slots=True)
class Measures:
    """Of a mechanism.

    Attributes:
        length: its size [m].
        coordinates: of the entries of q (nq,).
        increments: of the increments along the speeds (nv,).
    """

    length: float
    coordinates: Array
    increments: Array

    def of_unit(self, unit: str) -> float:
        """Of a length or the rate of one, else 1."""
        return self.length if unit in ("m", "m/s") else 1.0


def measures_of(mechanism: Mechanism, length: float | None = None) -> Measures:
    """The measures of a mechanism, by its size for the default values of its parameters or by another length [m]."""
    size = own_length(mechanism.model) if length is None else length
    coordinates, increments = np.ones(mechanism.nq), np.ones(mechanism.nv)
    for body in mechanism.bodies_by_coordinates:
        shape = body.joint.shape
        coordinates[slice(*body.q_range)] = [size if unit == "m" else 1.0 for unit in shape.coordinate_units]
        increments[slice(*body.v_range)] = [size if unit == "m/s" else 1.0 for unit in shape.speed_units]
    return Measures(size, coordinates, increments)
