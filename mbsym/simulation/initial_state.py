"""The state that a simulation starts from: the model's own, with entries that the caller gives by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import SimulationError
from mbsym.formulations.redundancy import LoopAnalysis, cannot_close
from mbsym.kinematics.loop_closing import close_from_anywhere, closing_problem, initial_coordinates
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.names import expression_names
from mbsym.simulation.corrections import project_velocity
from mbsym.simulation.equations import coordinate_quantities, speed_quantities, suggestion
from mbsym.simulation.looped_system import LoopedSystem

Array: TypeAlias = NDArray[Any]

_DEPENDENT: Final = 1e-10
_CONSISTENT: Final = 1e-8


def initial_state(mechanism: Mechanism, given: Mapping[str, float]) -> tuple[Array, Array, tuple[str, ...]]:
    """q and v to start from, and the names that the caller gave.

    Coordinates that are not given are the model's initial ones, speeds are zero. Quaternions get unit length.

    Raises:
        SimulationError: a name is unknown or belongs to no independent coordinate, or a value is not finite.
    """
    q, v = np.array(initial_coordinates(mechanism), dtype=float), np.zeros(mechanism.nv)
    coordinates = [item.name for item in coordinate_quantities(mechanism)]
    speeds = [item.name for item in speed_quantities(mechanism)]
    for name in given:
        value = finite(name, given[name])
        if name in coordinates:
            q[coordinates.index(name)] = value
        elif name in speeds:
            v[speeds.index(name)] = value
        else:
            raise _unknown(mechanism, name, (*coordinates, *speeds))
    for first in mechanism.q.quaternions:
        length = float(np.linalg.norm(q[first : first + 4]))
        if length == 0.0:
            raise SimulationError(
                f"the quaternion {', '.join(coordinates[first : first + 4])} is zero",
                where=mechanism.model.name,
                remedy="give it a length",
            )
        q[first : first + 4] /= length
    return q, v, tuple(given)


def closed_state(
    mechanism: Mechanism, loops: LoopAnalysis, system: LoopedSystem, q: Array, v: Array, named: Sequence[str]
) -> tuple[Array, Array]:
    """q and v near those given with closed loops; coordinates (but quaternions) and speeds that are named stay.

    Raises:
        DerivationError: no such coordinates were found; it says which loop stays open and by how much.
        SimulationError: the named speeds contradict the closed loops.
    """
    coordinates = [item.name for item in coordinate_quantities(mechanism)]
    fixed = [
        body.v_range[0] + k
        for body in mechanism.bodies
        if len(body.q) == len(body.v)
        for k, name in enumerate(coordinates[slice(*body.q_range)])
        if name in named
    ]
    closing = close_from_anywhere(closing_problem(mechanism, loops.closures), q, fixed)
    if not closing.closed:
        raise cannot_close(mechanism.model.name, loops.closures, closing)
    speeds = [item.name for item in speed_quantities(mechanism)]
    free = np.array([name not in named for name in speeds], dtype=bool)
    jacobian = system.closure(closing.q).jacobian
    v = v.copy()
    v[free] = -np.linalg.lstsq(jacobian[:, free], jacobian[:, ~free] @ v[~free], rcond=_DEPENDENT)[0]
    left = float(np.max(np.abs(jacobian @ v), initial=0.0))
    if left > _CONSISTENT * max(1.0, float(np.max(np.abs(v)))):
        given = ", ".join(name for name in speeds if name in named)
        raise SimulationError(
            f"the speeds {given} would open the loops at {left:.3g} m/s or rad/s",
            where=mechanism.model.name,
            remedy=f"give at most {loops.mobility} independent speeds; the others follow",
        )
    return closing.q, project_velocity(system, closing.q, v)


def constants(names: Sequence[str], given: Mapping[str, float], what: str, where: str) -> Array:
    """An array over names of the values given, the others zero.

    Raises:
        SimulationError: a name is unknown or a value is not finite.
    """
    values = np.zeros(len(names))
    for name in given:
        if name not in names:
            raise SimulationError(f"no {what} is called {name!r}", where=where, remedy=suggestion(name, names))
        values[list(names).index(name)] = finite(name, given[name])
    return values


def finite(name: str, value: object) -> float:
    """The value as a float.

    Raises:
        SimulationError: it is no finite number.
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise SimulationError(f"{name} = {value} is no finite number", remedy="give a number")
    return number


def _unknown(mechanism: Mechanism, name: str, known: Sequence[str]) -> SimulationError:
    model = mechanism.model
    table = expression_names(model)
    cut = {item.joint.name for item in mechanism.cut_joints}
    sources = {coupling.joint: coupling.source for coupling in model.couplings}
    for joint in model.joints:
        if name not in (*table.coordinates[joint.name], *table.speeds[joint.name]):
            continue
        if joint.name in cut:
            return SimulationError(
                f"{name} belongs to joint {joint.name}, which is cut and follows from the others",
                where=model.name,
                remedy=f"give {', '.join(known)}",
            )
        return SimulationError(
            f"{name} follows joint {sources[joint.name]} by a coupling", where=model.name, remedy="give that joint's"
        )
    return SimulationError(
        f"no coordinate or speed is called {name!r}", where=model.name, remedy=suggestion(name, known)
    )
