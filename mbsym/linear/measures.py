"""By what a mechanism's own quantities are measured, so that no result depends on the units that they come in.

Angles are measured by the radian, lengths by the mechanism's size, forces along a speed by an energy over the measure
of its increment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.kinematics.initial_coordinates import initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.placement import scalars, vector_of
from mbsym.linear.tangent import increment_units
from mbsym.spatial.vector import Vector3
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar

Array: TypeAlias = NDArray[Any]


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
        """Of a length, else 1."""
        return self.length if unit == "m" else 1.0


def measures_of(mechanism: Mechanism) -> Measures:
    """The measures of a mechanism for the default values of its parameters."""
    length = _size(mechanism)
    in_lengths = np.array([unit == "m" for unit in increment_units(mechanism)], dtype=bool)
    coordinates = np.ones(mechanism.nq)
    for body in mechanism.bodies_by_coordinates:
        units = body.joint.shape.coordinate_units
        coordinates[slice(*body.q_range)] = [length if unit == "m" else 1.0 for unit in units]
    return Measures(length, coordinates, np.where(in_lengths, length, 1.0))


def _size(mechanism: Mechanism) -> float:
    """Largest length that the mechanism has: of its bodies, else of its springs and where it starts; 1 m of none."""
    own, other = list(_of_bodies(mechanism)), list(_of_springs(mechanism))
    mass, turning = Scalar(mechanism.graph, 0), Scalar(mechanism.graph, 0)
    for body in mechanism.bodies:
        xx, yy, zz = body.inertia.about_origin[:3]
        mass, turning = mass + body.inertia.mass, turning + xx + yy + zz
        if body.inertia.mass:
            x, y, z = (moment / body.inertia.mass for moment in body.inertia.first_moment)
            own.append((x, y, z))
    outputs = [
        Output(name, (len(flat),), tuple(x.ref for x in flat))
        for name, flat in (
            ("own", [x for vector in own for x in vector]),
            ("other", [x for vector in other for x in vector]),
            ("inertia", [mass, turning]),
        )
    ]
    program = Program("size", mechanism.graph, (), tuple(outputs), mechanism.parameters)
    found = Evaluator(program)()
    mass_value, turning_value = found["inertia"]
    gyration = np.sqrt(turning_value / mass_value) if mass_value > 0.0 and turning_value > 0.0 else 0.0
    size = max(_longest(found["own"]), float(gyration))
    return size or max(_longest(found["other"]), _start(mechanism)) or 1.0


def _longest(values: Array) -> float:
    vectors = np.where(np.isfinite(values), values, 0.0).reshape(-1, 3)
    return float(np.linalg.norm(vectors, axis=1).max(initial=0.0))


def _of_bodies(mechanism: Mechanism) -> Iterator[Vector3]:
    """Places of joints on bodies; where the mechanism stands on ground is none of its lengths."""
    for body in mechanism.bodies:
        if body.parent:
            yield body.inboard.translation
    for cut in mechanism.cut_joints:
        if cut.predecessor:
            yield cut.predecessor_frame.translation
        if cut.successor:
            yield cut.successor_frame.translation


def _of_springs(mechanism: Mechanism) -> Iterator[Vector3]:
    """Ends of springs and their lengths without force."""
    graph, zero = mechanism.graph, Scalar(mechanism.graph, 0)
    bodies = {body.joint.name: body for body in mechanism.bodies}
    for force in mechanism.model.forces:
        law = force.linear_law()
        if law is None:
            continue
        joints = [bodies[name] for name in force.named("joint") if name in bodies]
        if law.ends or any(body.joint.shape.coordinate_units[law.index or 0] == "m" for body in joints):
            yield (scalars((law.rest,), graph, mechanism.names)[0], zero, zero)
        for _, point in law.ends:
            yield vector_of(point, graph, mechanism.names)


def _start(mechanism: Mechanism) -> float:
    """Largest length among the coordinates at the start [m]."""
    q = initial_coordinates(mechanism)
    found = [0.0]
    for body in mechanism.bodies_by_coordinates:
        units = body.joint.shape.coordinate_units
        found += [abs(float(value)) for value, unit in zip(q[slice(*body.q_range)], units, strict=True) if unit == "m"]
    return max(found)


def vector_numbers(mechanism: Mechanism, vector: Vector3) -> Array:
    """A vector for the default values of the parameters (3,)."""
    output = Output("vector", (3,), tuple(x.ref for x in vector))
    return Evaluator(Program("vector", mechanism.graph, (), (output,), mechanism.parameters))()["vector"]
