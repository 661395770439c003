"""The state that a simulation starts from: the model's own, with entries that the caller gives by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import ModelError, SimulationError
from mbsym.kinematics.driven import driven_speeds
from mbsym.kinematics.initial_coordinates import initial_coordinates, initial_drives, initial_speeds, normalised
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.assembly import Assembly, assemble, consistent_velocity
from mbsym.loops.looped_system import LoopedSystem
from mbsym.loops.start import given_joints
from mbsym.model.names import expression_names
from mbsym.model.system import Model
from mbsym.options.quantities import in_si
from mbsym.options.texts import numbers_in
from mbsym.simulation.argument_checks import finite
from mbsym.simulation.equations import coordinate_quantities, speed_quantities, suggestion
from mbsym.values.diagnostic import nearest
from mbsym.values.numbers import evaluate, parameter_values

COARSE: Final = 1e-6
"""Angles [rad] between neighbouring numbers that are told: far above what methods allow as errors of a step."""


def is_text(given: object) -> bool:
    """True for what is typed: the name of a state, or several of these and NAME=NUMBER."""
    texts = given if isinstance(given, list | tuple) else (given,)
    return bool(texts) and all(isinstance(text, str) for text in texts)


def starting_values(
    model: Model, given: Mapping[str, float | str] | Sequence[str] | None, where: str = "`initial`"
) -> Mapping[str, float]:
    """Values to start from by name, of which named states of the model give those that stand nowhere else.

    Args:
        model: whose names they are.
        given: numbers by name, or texts: names of states and NAME=NUMBER.
        where: the option, for errors.

    Raises:
        SimulationError: a text is neither the name of a state nor NAME=NUMBER, or a unit measures something else.
    """
    if given is None or isinstance(given, Mapping):
        return in_si(given, model)
    texts = (given,) if isinstance(given, str) else given
    found = in_si(numbers_in([text for text in texts if "=" in text], where), model)
    known = [state.name for state in model.states]
    for name in (text.strip() for text in texts if "=" not in text):
        if name not in known:
            raise SimulationError(
                f"{name!r} gives no number a name, and no state of the model has that name",
                where=where,
                remedy=" or one of ".join(["write NAME=NUMBER", *([", ".join(known)] if known else [])]),
            )
        found = {**state_values(model, name), **found}
    return found


@dataclass(frozen=True, slots=True)
class StartingState:
    """Where a motion starts, its loops not closed yet.

    Attributes:
        q, v: coordinates and speeds.
        drives: states of drives.
        named: names of coordinates and speeds that the caller gave, or that motions prescribe.
    """

    q: Array
    v: Array
    drives: Array
    named: tuple[str, ...]


def initial_state(mechanism: Mechanism, given: Mapping[str, float]) -> StartingState:
    """The state to start from.

    Coordinates and states of drives that are not given are the model's initial ones, speeds are zero but for those that
    motions prescribe, which count as given. Quaternions get unit length.

    Raises:
        SimulationError: a name is unknown, is of no independent coordinate or of one that is prescribed, or a value is
            not finite.
    """
    q, v = np.array(initial_coordinates(mechanism), dtype=float), initial_speeds(mechanism)
    coordinates = [item.name for item in coordinate_quantities(mechanism)]
    speeds = [item.name for item in speed_quantities(mechanism)]
    states = [item.name for item in mechanism.model.drives]
    drives = initial_drives(mechanism)
    driven: dict[str, str] = {}
    for each in driven_speeds(mechanism):
        own = [coordinates[each.coordinate]] if each.coordinate is not None else []
        driven |= dict.fromkeys([*own, *([speeds[each.column]] if each.speed is not None else [])], each.motion.name)
    for name in given:
        if name in driven:
            raise SimulationError(
                f"{name} is given, which motion {driven[name]} prescribes",
                where=mechanism.model.name,
                remedy="leave it out, or take another law",
            )
        value = finite(name, given[name])
        if name in coordinates:
            q[coordinates.index(name)] = value
        elif name in speeds:
            v[speeds.index(name)] = value
        elif name in states:
            drives[states.index(name)] = value
        else:
            raise _unknown(mechanism, name, (*coordinates, *speeds, *states))
    for first in mechanism.q.quaternions:
        if not q[first : first + 4].any():
            raise SimulationError(
                f"the quaternion {', '.join(coordinates[first : first + 4])} is zero",
                where=mechanism.model.name,
                remedy="give it a length",
            )
    named = (*(name for name in given if name not in states), *driven)
    return StartingState(normalised(q, mechanism.q.quaternions), v, drives, named)


def coarse_angles(mechanism: Mechanism, q: Array) -> tuple[str, ...]:
    """Sentences on angles that are so large that numbers beside them are far apart, and sines of them mean little."""
    angles = (
        (item.name, float(value))
        for item, value in zip(coordinate_quantities(mechanism), q, strict=True)
        if item.unit == "rad"
    )
    gaps = ((name, value, float(np.spacing(abs(value)))) for name, value in angles)
    return tuple(
        f"{name} starts at {value:g} rad, where neighbouring numbers are {gap:.2g} rad apart and sines know no better; "
        "take whole turns off it"
        for name, value, gap in gaps
        if gap > COARSE
    )


def closed_state(
    mechanism: Mechanism, system: LoopedSystem, q: Array, v: Array, named: Sequence[str]
) -> tuple[Assembly, Array]:
    """What closing the loops near q made of it, and speeds near v that keep them closed.

    Coordinates and speeds that are named stay, where speeds are no rates with what moves the coordinate; joints with
    initial values in the model keep them if they fit together; the others follow, speeds as near to zero as they can.

    Raises:
        SimulationError: no such coordinates were found, or the speeds contradict the closed loops; it says where.
    """
    table = expression_names(mechanism.model)
    fixed = [item.name for item in coordinate_quantities(mechanism) if item.name in named]
    wanted = [name for name in given_joints(mechanism) if set(table.coordinates[name]).isdisjoint(fixed)]
    assembly = assemble(mechanism, q, fixed=fixed, wanted=wanted)
    quantities = speed_quantities(mechanism)
    speeds = {item.name: float(value) for item, value in zip(quantities, v, strict=True) if item.name in named}
    found = consistent_velocity(mechanism, system, assembly.q, speeds)
    chosen = tuple((quantities[k].name, float(found.v[k]), quantities[k].unit) for k in found.chosen)
    return replace(assembly, speeds=chosen), found.v


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


def _unknown(mechanism: Mechanism, name: str, known: Sequence[str]) -> SimulationError:
    model = mechanism.model
    table = expression_names(model)
    cut = {item.joint.name for item in mechanism.cut_joints}
    sources = {coupling.joint: coupling.source for coupling in model.couplings}
    for joint in model.joints:
        own = [each for each in (*table.coordinates[joint.name], *table.speeds[joint.name]) if each in known]
        if name == joint.name and own:
            return SimulationError(
                f"{name!r} is a joint and no coordinate or speed",
                where=model.name,
                remedy=f"give {', '.join(own[:-1])} or {own[-1]}",
            )
        if name not in (joint.name, *table.coordinates[joint.name], *table.speeds[joint.name]):
            continue
        subject = f"joint {name}" if name == joint.name else f"{name} belongs to joint {joint.name}, which"
        if joint.name in cut:
            return SimulationError(
                f"{subject} is cut and follows from the others",
                where=model.name,
                remedy=f"give {', '.join(known)}",
            )
        return SimulationError(
            f"{subject} follows joint {sources[joint.name]} by a coupling", where=model.name, remedy="give that joint's"
        )
    return SimulationError(
        f"no coordinate or speed is called {name!r}", where=model.name, remedy=suggestion(name, known)
    )


def state_values(model: Model, name: str) -> dict[str, float]:
    """Coordinates, speeds and states of drives of a named state, by the names that they have in expressions.

    Those of joints that follow others by a coupling are left out, because they are not free.

    Raises:
        ModelError: there is no such state.
    """
    state = next((item for item in model.states if item.name == name), None)
    if state is None:
        known = [item.name for item in model.states]
        raise ModelError(f"there is no state {name!r}", where=model.name, remedy=nearest(name, known))
    numbers, names = parameter_values(model), expression_names(model)
    following = {coupling.joint for coupling in model.couplings}
    moving = {
        entry: evaluate(value, numbers)
        for table, entries in ((names.coordinates, state.q), (names.speeds, state.v))
        for joint, values in entries
        if joint not in following
        for entry, value in zip(table[joint], values, strict=True)
    }
    return moving | {drive: evaluate(value, numbers) for drive, value in state.x}
