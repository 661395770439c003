"""Assembly: a consistent configuration and consistent speeds from a guess that need not be near.

Damped Newton steps from the guess come first, then from places ever farther from it, so that the nearest configuration
is found first. Coordinates can be held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mbsym.errors import SimulationError
from mbsym.kinematics.initial_coordinates import initial_coordinates, normalised
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.closing import (
    Closing,
    ClosingProblem,
    close_from_anywhere,
    closing_problem,
    largest,
)
from mbsym.loops.constraints import ClosureRow, closures
from mbsym.loops.looped_system import Array, LoopedSystem
from mbsym.loops.tolerances import CLOSED, DEPENDENT
from mbsym.model.system import Model


@dataclass(frozen=True, slots=True)
class Assembly:
    """A configuration with closed loops.

    Attributes:
        q: coordinates (nq,).
        gap: largest closure residual that remains [m, rad].
        moved: largest change of a coordinate of the guess.
        iterations: Newton steps taken.
    """

    q: Array
    gap: float
    moved: float
    iterations: int


def assemble(
    source: Model | Mechanism | LoopedSystem,
    q_guess: Array | Sequence[float] | None = None,
    *,
    fixed: Sequence[str] = (),
    parameters: Mapping[str, float] | None = None,
) -> Assembly:
    """Finds a configuration in which all loops are closed.

    Args:
        source: a model or its mechanism; or a generated module's system, for which ``fixed`` must be empty.
        q_guess: where to start (nq,), default the model's initial coordinates.
        fixed: names of joints whose coordinates stay as they are.
        parameters: values of run-time parameters.

    Raises:
        SimulationError: the guess has the wrong size, a name is unknown, or the loops cannot be closed; the error names
            the loop with the widest gap and says how wide it is.
    """
    if isinstance(source, LoopedSystem):
        return _assemble_system(source, q_guess, fixed)
    mechanism = build_mechanism(source, source.label()) if isinstance(source, Model) else source
    guess = _guess(mechanism, q_guess)
    found = closures(mechanism)
    rows = [row for closure in found for row in closure.rows]
    if not rows:
        return Assembly(guess, 0.0, 0.0, 0)
    held = _held(mechanism, fixed)
    problem = closing_problem(mechanism, found, dict(parameters or {}))
    done = close_from_anywhere(problem, guess, held)
    if not done.closed:
        raise _open_loop(mechanism, problem, rows, done, held, fixed)
    return Assembly(done.q, done.gap, float(np.max(np.abs(done.q - guess))), done.iterations)


def consistent_velocity(
    mechanism: Mechanism, system: LoopedSystem, q: Array, speeds: Mapping[str, float | Sequence[float]]
) -> Array:
    """Speeds that keep the loops closed at q and give the named joints the given speeds (nv,).

    Of several, those with the least kinetic energy.

    Raises:
        SimulationError: a joint is unknown or cut, or the given speeds contradict the closed loops.
    """
    given = np.zeros(system.nv)
    held = list(_held(mechanism, tuple(speeds)))
    bodies = {body.joint.name: body for body in mechanism.bodies}
    for name, values in speeds.items():
        start, stop = bodies[name].v_range
        given[start:stop] = values
    mobility = system.mobility(q, held)
    forces = np.linalg.lstsq(mobility[held], given[held], rcond=DEPENDENT.double)[0]
    v = np.asarray(mobility @ forces)
    missing = largest(v[held] - given[held])
    v[held] = given[held]
    if missing > CLOSED * (1.0 + largest(v)):
        raise SimulationError(
            f"the given speeds of {', '.join(speeds)} contradict the closed loops by {missing:.3g}",
            where=mechanism.model.name,
            remedy="give the speeds of fewer joints",
        )
    return v


def _guess(mechanism: Mechanism, given: Array | Sequence[float] | None) -> Array:
    if given is None:
        return initial_coordinates(mechanism)
    guess = np.array(given, dtype=float)
    if guess.shape != (mechanism.nq,):
        raise SimulationError(
            f"the guess has the shape {guess.shape}",
            where=mechanism.model.name,
            remedy=f"give {mechanism.nq} coordinates",
        )
    if not np.all(np.isfinite(guess)):
        raise SimulationError(
            "the guess holds infinite or missing numbers", where=mechanism.model.name, remedy="give finite ones"
        )
    return normalised(guess, mechanism.q.quaternions)


def _held(mechanism: Mechanism, fixed: Sequence[str]) -> tuple[int, ...]:
    bodies = {body.joint.name: body for body in mechanism.bodies}
    held: list[int] = []
    for name in fixed:
        if name not in bodies:
            cut = any(item.joint.name == name for item in mechanism.cut_joints)
            raise SimulationError(
                f"joint {name} is cut, so it has no coordinates" if cut else f"there is no joint {name!r}",
                where=mechanism.model.name,
                remedy=f"keep joint {name} in the tree (cut: tree)" if cut else f"known: {', '.join(bodies)}",
            )
        held.extend(column for column, _ in mechanism.speed_of[bodies[name].label - 1])
    return tuple(sorted(set(held)))


def _open_loop(
    mechanism: Mechanism,
    problem: ClosingProblem,
    rows: Sequence[ClosureRow],
    done: Closing,
    held: Sequence[int],
    fixed: Sequence[str],
) -> SimulationError:
    """The error that names the loop that stays open, and whether held joints are to blame."""
    worst = rows[int(np.argmax(np.abs(done.residual)))]
    what = f"the loop of {worst.closure} cannot be closed: the smallest gap found is {done.gap:.3g} {worst.unit}"
    remedy = "check the lengths and placements around that loop, or give a better guess"
    if held and close_from_anywhere(problem, done.q).closed:
        remedy = f"it closes if {', '.join(fixed)} may move: hold other coordinates, or give them other values"
    return SimulationError(f"{what} ({worst.quantity})", where=mechanism.model.name, remedy=remedy)


def _assemble_system(system: LoopedSystem, q_guess: Array | Sequence[float] | None, fixed: Sequence[str]) -> Assembly:
    if fixed or q_guess is None:
        raise SimulationError(
            "a generated module knows neither joints' names nor initial coordinates",
            where=system.name,
            remedy="give a guess and no fixed joints, or assemble the model",
        )
    guess = normalised(np.array(q_guess, dtype=float), system.quaternions)

    def gap(q: Array) -> tuple[Array, Array]:
        at = system.closure(q)
        return at.residual, at.residual_jacobian

    done = close_from_anywhere(ClosingProblem(gap, system.move, system.nv), guess)
    if not done.closed:
        worst = int(np.argmax(np.abs(done.residual)))
        raise SimulationError(
            f"the loops cannot be closed: the smallest gap found is {done.gap:.3g}, in closure row {worst + 1}",
            where=system.name,
            remedy="check lengths and placements, or give a better guess",
        )
    polished = system.project_position(done.q)
    return Assembly(polished.q, polished.gap, float(np.max(np.abs(polished.q - guess))), done.iterations)
