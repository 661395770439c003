"""Equations of motion linearised about a state: xdot = A x + B u, y = C x + D u.

x are increments [dq; dv] of independent coordinates and their speeds, q moved along the speeds, and of states of
drives. With closed loops the others follow: dq = N dq_i, and dv = N dv_i + N' dq_i where the loops move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mbsym.doors import Array
from mbsym.errors import AnalysisError
from mbsym.kinematics.measures import Measures, measures_of
from mbsym.linear.eigen import EigenPair, eigenpairs, eigenvalues
from mbsym.linear.equations import POSITIONS, LinearEquations, State, ValueSlopes
from mbsym.linear.freedom import Freedom, freedom_at
from mbsym.linear.motion import Slopes
from mbsym.linear.observed import observed
from mbsym.linear.state_space import StateSpace
from mbsym.linear.tables import eigenvalue, pairs, with_units
from mbsym.linear.tangent import increment_names, increment_units, turning_at
from mbsym.simulation.equations import drive_quantities, speed_quantities
from mbsym.values.numbers import evaluate, parameter_values

if TYPE_CHECKING:
    from mbsym.linear.symbols import SymbolicSystem


@dataclass(frozen=True, slots=True, repr=False)
class Linearisation(StateSpace):
    """A linear system with n states, m inputs and p outputs, and where it holds.

    It unpacks as A, B, C, D, so that ``scipy.signal.StateSpace(*found)`` and ``control.ss(*found)`` take it.

    Attributes:
        A, B, C, D: (n, n), (n, m), (p, n), (p, m).
        states, inputs, outputs: names.
        state_units, input_units: units of the increments.
        state: about which.
        rates: of the states at that state (n,); zero at an equilibrium.
        freedom: independent coordinates, and how all others move with them.
        mass: of the independent speeds, of which there are m (m, m).
        measures: of the increments of the states, by which entries of different units are compared (n,).
        pace: rate of the quickest motion that the forces at work could make by themselves [1/s].
        equations: of the model.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    state_units: tuple[str, ...]
    input_units: tuple[str, ...]
    state: State
    rates: Array
    freedom: Freedom
    mass: Array
    measures: Array
    pace: float
    equations: LinearEquations

    @property
    def text(self) -> str:
        """Where it holds, the matrices with their names, and the poles."""
        lines = self.heading("linearised")
        if not self.is_equilibrium:
            lines.append(f"{'rates':12}{pairs(self.states, self.rates)}")
        lines.append(f"{'x':12}{with_units(self.states, self.state_units)}")
        lines.append(f"{'u':12}{with_units(self.inputs, self.input_units)}")
        lines.append(f"{'y':12}{'x' if self.outputs == self.states else ', '.join(self.outputs)}")
        lines += self.lines("ABCD" if self.outputs != self.states else "AB")
        # Of a pair the upper one says both.
        poles = [eigenvalue(pole) for pole in self.poles.tolist() if pole.imag >= 0.0]
        return "\n".join([*lines, "", f"{'poles':12}{', '.join(poles)}", *self.caution("they say")]) + "\n"

    def caution(self, words: str) -> list[str]:
        """A line behind what A tells of a state that moves on; none of an equilibrium."""
        told = f"of A at this state alone: where it changes along the motion, {words} nothing of its stability"
        return [] if self.is_equilibrium else [f"{'':12}{told}"]

    def heading(self, what: str) -> list[str]:
        """What a text is about, and the state."""
        kind = "an equilibrium" if self.is_equilibrium else "a state that is no equilibrium"
        return [f"{self.equations.name}: {what} about {kind}", "", *self.equations.lines(self.state)]

    @property
    def is_equilibrium(self) -> bool:
        """True where nothing moves and nothing is accelerated, but for round-off."""
        places = np.cumsum([len(self.freedom.independent), len(self.freedom.speeds)])
        speeds, accelerations, drives = np.split(np.abs(self.rates) / self.measures, places)
        first_order = np.concatenate([speeds, drives])
        return bool(np.all(first_order <= AT_REST * self.pace) and np.all(accelerations <= AT_REST * self.pace**2))

    def symbolic(self, *, general: bool = False, shared: bool = False) -> SymbolicSystem:
        """The same matrices in the model's run-time parameters, as SymPy matrices.

        With closed loops they hold as long as the parameters leave the loops closed at the state.

        Args:
            general: in coordinates, speeds, forces and inputs too, at any state.
            shared: with symbols for what occurs several times, told in ``replacements`` as ``sympy.cse`` does.

        Raises:
            AnalysisError: the entries written out are too long, speeds alone are held, motions are prescribed, or
                drives have states.
        """
        from mbsym.linear.symbols import symbolic_system

        held = self.freedom.speeds != self.freedom.independent
        model = self.equations.mechanism.model
        if held or model.motions or model.drives:
            what = "motions are prescribed" if model.motions else "drives have states"
            what = "velocity constraints leave more coordinates than speeds free" if held else what
            raise AnalysisError(
                f"{what}, which has no symbolic form here",
                where=self.equations.name,
                remedy="take the matrices in numbers",
            )
        names, own = (self.inputs, self.outputs), self.freedom.independent
        return symbolic_system(self.equations, self.state, names, own, general=general, shared=shared)

    @property
    def poles(self) -> Array:
        """Eigenvalues of A (n,), by real and imaginary part."""
        return eigenvalues(self.A, self.mass, self.measures, self.pace, len(self.equations.drives))

    def eigenpairs(self) -> tuple[EigenPair, ...]:
        """Eigenvalues of A, of complex pairs the upper one, with shapes over the independent increments."""
        return eigenpairs(self.A, self.mass, self.measures, self.pace, len(self.equations.drives))

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return {
            "name": self.equations.name,
            **self.equations.by_name(self.state),
            "equilibrium": self.is_equilibrium,
            "rates": dict(zip(self.states, self.rates.tolist(), strict=True)),
            "states": list(self.states),
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "state_units": list(self.state_units),
            "input_units": list(self.input_units),
            **self.matrices(),
            "poles": [{"real": float(pole.real), "imaginary": float(pole.imag)} for pole in self.poles],
        }


AT_REST: Final = 1e-8
"""Part of what the forces at work could do that counts as none: equilibria are found to about 1e-10 of them."""


def linearised(
    equations: LinearEquations,
    state: State,
    inputs: str | Sequence[str] = "auto",
    outputs: Sequence[str] = (),
    independent: Sequence[str] = (),
) -> Linearisation:
    """The linear system about a state.

    Args:
        equations: of the model.
        state: with closed loops.
        inputs: "u" (control inputs), "motors" (forces of joints marked as actuated), "tau" (forces along all speeds),
            "auto" for the first of these that the model has; "all" control inputs and forces; or names of control
            inputs and of speeds along which forces act.
        outputs: names of coordinates, speeds and accelerations (``vdot_X`` of the speed ``v_X``), and places FRAME.x,
            FRAME.y and FRAME.z of frames, and outputs of the model, that the equations were prepared with; default the
            states.
        independent: names of the independent coordinates of closed loops; default those that tell the others best.

    Raises:
        AnalysisError: a name is unknown or may mean two things, the loops are not closed, or the state is singular.
    """
    mechanism, nv, nx = equations.mechanism, equations.mechanism.nv, len(equations.drives)
    freedom = freedom_at(equations, state, independent)
    slopes, drives = equations.slopes(state), equations.drive_slopes(state)
    entries = _entered(equations, slopes, inputs)
    by_input = np.array([column for _, _, column, _ in entries]).reshape(len(entries), nv).T
    controls = np.array([column for *_, column in entries]).reshape(len(entries), len(equations.inputs)).T
    motion = np.block(
        [
            [turning_at(mechanism, state.v), np.eye(nv), np.zeros((nv, nx))],
            [slopes.by_q, slopes.by_v, slopes.by_x],
            [drives.by_q, drives.by_v, drives.by_x],
        ]
    )
    entry = np.concatenate([np.zeros_like(by_input), by_input, drives.by_u @ controls])
    carried = _with_drives(freedom.of_states, nx)
    kept = [*freedom.states, *range(2 * nv, 2 * nv + nx)]
    every = (*increment_names(mechanism), *equations.speeds, *equations.drives)
    names = tuple(every[k] for k in kept)
    quantities = (*speed_quantities(mechanism), *drive_quantities(mechanism))
    units = (*increment_units(mechanism), *(item.unit for item in quantities))
    C, D = np.eye(len(kept)), np.zeros((len(kept), len(entries)))
    if outputs:
        rows = [_output(equations, slopes, (by_input, controls), state, name) for name in outputs]
        C, D = np.array([row for row, _ in rows]) @ carried, np.array([row for _, row in rows])
    measures = measures_of(mechanism)
    pace = _pace(equations, state, slopes, drives, measures)
    moving = measures.increments[[k % nv for k in freedom.states]]
    return Linearisation(
        motion[kept] @ carried,
        entry[kept],
        C,
        D,
        names,
        tuple(name for name, *_ in entries),
        tuple(outputs) or names,
        tuple(units[k] for k in kept),
        tuple(unit for _, unit, *_ in entries),
        state,
        np.concatenate([state.v, slopes.vdot, drives.values])[kept],
        freedom,
        freedom.rates.T @ slopes.mass @ freedom.rates,
        np.concatenate([moving, _measures_of_drives(state, slopes, drives, measures, pace)]),
        pace,
        equations,
    )


def _with_drives(carried: Array, nx: int) -> Array:
    """What all states are of the independent ones, states of drives behind both."""
    rows, columns = carried.shape
    found = np.zeros((rows + nx, columns + nx))
    found[:rows, :columns], found[rows:, columns:] = carried, np.eye(nx)
    return found


def _pace(equations: LinearEquations, state: State, slopes: Slopes, drives: ValueSlopes, measures: Measures) -> float:
    """Square root of the largest measured acceleration that weight, springs, inputs, drives or forces could make [1/s].

    A drive whose state follows a speed resists motions like a spring.
    """
    steps, model = measures.increments, equations.mechanism.model
    numbers = parameter_values(model)
    found = [
        np.abs(slopes.by_q * steps / steps[:, None]),
        np.abs(slopes.by_tau * state.tau / steps[:, None]),
        np.abs(slopes.by_u * state.u / steps[:, None]),
        np.abs(slopes.by_x * state.x / steps[:, None]),
        np.abs(slopes.by_x) @ np.abs(drives.by_v) * steps / steps[:, None],
        np.array([np.linalg.norm([evaluate(value, numbers) for value in model.gravity]) / measures.length]),
    ]
    return float(np.sqrt(max(float(part.max(initial=0.0)) for part in found)))


def _measures_of_drives(state: State, slopes: Slopes, drives: ValueSlopes, measures: Measures, pace: float) -> Array:
    """Changes of states of drives that make accelerations as the forces at work do, by way of other drives too."""
    found = np.zeros(len(state.x))
    target = pace or 1.0
    felt = np.abs(slopes.by_x / measures.increments[:, None]).max(axis=0, initial=0.0)
    found[felt > 0.0] = target**2 / felt[felt > 0.0]
    for _ in range(len(found)):
        known = found > 0.0
        through = np.abs(drives.by_x[known] / found[known, None]).max(axis=0, initial=0.0)
        reached = ~known & (through > 0.0)
        found[reached] = target / through[reached]
    # What moves nothing counts by its own size.
    return np.where(found > 0.0, found, np.maximum(np.abs(state.x), 1.0))


_Entry: TypeAlias = tuple[str, str, Array, Array]
"""Name and unit of an input, and the derivatives of vdot and of the control inputs by it."""


def _entries(equations: LinearEquations, slopes: Slopes) -> tuple[dict[str, _Entry], dict[str, tuple[str, ...]]]:
    """All inputs by the names that they go by, and groups of these."""
    mechanism, speeds = equations.mechanism, equations.speeds
    bodies = mechanism.bodies_by_coordinates
    units = [unit for body in bodies for unit in body.joint.shape.force_units]
    controls = mechanism.model.inputs
    own = np.eye(len(controls))
    inputs = {item.name: (item.name, item.unit, slopes.by_u[:, k], own[k]) for k, item in enumerate(controls)}
    # Results call the force along v_X tau_X.
    forces = {
        name: (f"tau_{name.removeprefix('v_')}", unit, slopes.by_tau[:, k], np.zeros(len(controls)))
        for k, (name, unit) in enumerate(zip(speeds, units, strict=True))
    }
    motors = tuple(speeds[k] for body in bodies if body.joint.actuated for k in range(*body.v_range))
    groups = {"u": tuple(inputs), "motors": motors, "tau": tuple(forces), "all": (*inputs, *forces)}
    return {**{force[0]: force for force in forces.values()}, **forces, **inputs}, groups


def _entered(equations: LinearEquations, slopes: Slopes, asked: str | Sequence[str]) -> list[_Entry]:
    """What enters: control inputs, or generalised forces along speeds."""
    known, groups = _entries(equations, slopes)
    if asked == "auto":
        asked = next(group for group, names in groups.items() if names)
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    chosen = groups.get(names[0], names) if isinstance(asked, str) else names
    if names and not chosen:
        what = "control inputs" if asked == "u" else "joints that are marked as actuated"
        raise AnalysisError(
            f"the model has no {what}", where=equations.name, remedy="take tau: forces along all speeds"
        )
    for name in chosen:
        if name not in known:
            raise equations.unknown("control input or speed", name, (*groups, *groups["all"]))
    return [known[name] for name in chosen]


def _output(
    equations: LinearEquations, slopes: Slopes, by_inputs: tuple[Array, Array], state: State, name: str
) -> tuple[Array, Array]:
    """Rows of C and D of a quantity over all increments (2 nv + nx,) and the inputs, of which are vdot and u."""
    by_input, controls = by_inputs
    (nv, inputs), found = by_input.shape, observed(equations, name)
    row, through, k = np.zeros(2 * nv + len(state.x)), np.zeros(inputs), found.place
    if found.kind == "acceleration":
        return np.concatenate([slopes.by_q[k], slopes.by_v[k], slopes.by_x[k]]), by_input[k]
    if found.kind == "output":
        own = equations.output_slopes(state)
        return np.concatenate([own.by_q[k], own.by_v[k], own.by_x[k]]), own.by_u[k] @ controls
    if found.kind == "drive":
        row[2 * nv + k] = 1.0
        return row, through
    if found.kind == "position":
        row[:nv] = equations.evaluate(POSITIONS, state)[0][k, 3 + found.axis]
    elif found.kind == "coordinate":
        row[:nv] = equations.evaluate("tangent_map", state)[0][k]
    else:
        row[k + nv * (found.kind == "speed")] = 1.0
    return row, through
