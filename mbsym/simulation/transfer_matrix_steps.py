"""Steps by the discrete time transfer matrix method as a simulation takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.simulation.equations import Equations
from mbsym.simulation.options import Stepping
from mbsym.simulation.rates import ActingLoads, driving_forces
from mbsym.transfer_matrix.applied_loads import LOADS, without_elements
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.schemes import HISTORY_SIZE
from mbsym.transfer_matrix.stepper import TransferMatrixStepper, failure

_SAME_PLACE: Final = 1e-9
"""Change of coordinates that closing loops again makes where they are closed to round-off [rad, m]."""

_SAME_LENGTH: Final = 1e-9
"""Relative difference of two steps that round-off in the times makes."""

SETTLED: Final = 1e-11
"""Relative change of the loads of a step at which they are those of its end."""

MOST_ROUNDS: Final = 50
"""Rounds to settle them: forces that need more are too stiff for the step."""


@dataclass(frozen=True, slots=True)
class _Past:
    """What steps leave for the next: the state that they ended in and the method's, their number and their length."""

    x: Array
    state: Array
    taken: int
    h: float


class TransferMatrixSteps:
    """Takes steps of a given length.

    A step builds on the history of those before it, which a state of q and v does not show: it is kept for the state
    that the last call returned, and a call from any other state starts without a past. Forces that the method has no
    element for enter as loads at the end of each step, found by repeating it until they settle, and so does what
    motions prescribe there; the work of what is external is summed by the trapezoidal rule.
    """

    def __init__(
        self, equations: Equations, stepping: Stepping = Stepping(), acting: ActingLoads | None = None
    ) -> None:
        """Takes the steps among prepared equations, or generates them where these were prepared without.

        Raises:
            DerivationError: the model has an element that is not covered.
            SimulationError: the equations were prepared with another rotation variable, or without what the forces
                need.
        """
        self._scheme = stepping.scheme
        if equations.steps is not None:
            if stepping.rotation not in (None, equations.steps.layout.rotation):
                raise SimulationError(
                    f"the equations were prepared with {equations.steps.layout.rotation} rotations",
                    where=equations.mechanism.model.name,
                    remedy=f"prepare them with rotation={stepping.rotation!r}",
                )
            self._stepper = TransferMatrixStepper(equations.steps, module=equations.module)
        else:
            system = transfer_system(equations.mechanism, stepping.rotation)
            self._stepper = TransferMatrixStepper(system, engine="numpy" if equations.library is None else "c")
        self._layout = equations.layout
        self._name = equations.mechanism.model.name
        self._past: _Past | None = None
        self._takes_equal_steps = self._scheme is not None and self._scheme.name == "houbolt"
        self._forces = AppliedForces(equations, acting)
        if self._forces.act and self._scheme is not None and self._scheme.name == "wilson":
            raise SimulationError(
                "Wilson's scheme holds the equations beyond the step, where forces and motions are not known",
                where=self._name,
                remedy="take another scheme",
            )

    def _with_velocities(self, state: Array, other: Array) -> Array:
        """A state with the velocities of another one at the same place: what a correction of speeds leaves of it."""
        system = self._stepper.system
        sizes, corrected = system.layout, state.copy()
        for body in range(len(system.bodies)):
            first = body * system.body_state + sizes.base + sizes.load
            corrected[first : first + sizes.load] = other[first : first + sizes.load]
            rates = slice((body + 1) * system.body_state - HISTORY_SIZE * system.coordinates + 1, None, HISTORY_SIZE)
            corrected[: (body + 1) * system.body_state][rates] = other[: (body + 1) * system.body_state][rates]
        return corrected

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """The state ``steps`` steps of length h after x, a new array.

        Raises:
            SimulationError: a step fails, or forces do not settle.
        """
        if not self._forces.act and not self._layout.work:
            return self._advanced(t, h, x, steps)
        for k in range(steps):
            x = self._settled(t + k * h, h, x)
        return x

    def _settled(self, t: float, h: float, x: Array) -> Array:
        """One step at whose end the loads are those of the forces there, and the work of all that is external."""
        layout, forces = self._layout, self._forces
        end = t + h
        loads = forces.loads(end, layout.q(x), layout.v(x))
        past = self._past
        unsettled = SimulationError(
            f"the forces of the step to t = {end:.6g} s do not settle", where=self._name, remedy="take a smaller step"
        )
        for round_ in range(MOST_ROUNDS):
            self._past = past
            try:
                moved = self._advanced(t, h, x, 1, loads)
            except SimulationError:
                if round_:
                    raise unsettled from None
                raise
            new = forces.loads(end, layout.q(moved), layout.v(moved))
            settled = np.abs(new - loads).max(initial=0.0) <= SETTLED * np.abs(new).max(initial=0.0)
            loads = new
            if settled:
                break
        else:
            raise unsettled
        if layout.work:
            before = forces.power(t, layout.q(x), layout.v(x))
            moved[-1] = x[-1] + 0.5 * h * (before + forces.power(end, layout.q(moved), layout.v(moved)))
            assert self._past is not None
            self._past = replace(self._past, x=moved.copy())
        return moved

    def _advanced(self, t: float, h: float, x: Array, steps: int, loads: Array | None = None) -> Array:
        layout, past = self._layout, self._past
        if past is not None and self._takes_equal_steps and abs(h - past.h) > _SAME_LENGTH * h:
            past = None
        if past is not None and np.array_equal(past.x, x):
            state, taken = past.state, past.taken
        else:
            now = self._forces.loads(t, layout.q(x), layout.v(x), start=True) if self._forces.act else None
            state, taken = self._stepper.start(layout.q(x), layout.v(x), now), 0
            if past is not None and np.allclose(layout.q(past.x), layout.q(x), rtol=0.0, atol=_SAME_PLACE):
                state, taken = self._with_velocities(past.state, state), past.taken
        given = loads if loads is not None and loads.size else None
        state, report = self._stepper.advance(state, h, steps, self._scheme, loads=given, done=taken)
        if report.status:
            raise failure(report, t + (report.steps + 1) * h, self._name)
        q, v = self._stepper.coordinates_of(self._stepper.observe(state))
        for first in layout.quaternions:
            # Of the two signs of a quaternion the one nearer to the last.
            part = slice(first, first + 4)
            q[part] *= -1.0 if q[part] @ x[part] < 0.0 else 1.0
        moved = layout.state(q, v)
        self._past = _Past(moved.copy(), state, taken + steps, h)
        return moved


class AppliedForces:
    """Forces that transfer matrices have no element for, as loads in a state, and the power of all that is external.

    Attributes:
        act: whether there are any such forces, or motions.
    """

    def __init__(self, equations: Equations, acting: ActingLoads | None) -> None:
        """Finds the functions among prepared equations.

        Raises:
            SimulationError: the equations were prepared without them.
        """
        mechanism = equations.mechanism
        functions = equations.module.functions
        self._acting = acting or ActingLoads(np.zeros(mechanism.nv), np.zeros(len(mechanism.model.inputs)))
        given = callable(self._acting.tau) or bool(np.any(self._acting.tau))
        self.act = given or bool(without_elements(mechanism.model) or mechanism.model.motions)
        if self.act and LOADS not in functions:
            raise SimulationError(
                "the equations were prepared without what these forces need",
                where=mechanism.model.name,
                remedy="add stepped=True" + (" and loaded=True" if given else ""),
            )
        self._loads = functions.get(LOADS)
        self._power = functions["external_power"] if equations.sizes.powered else None
        self._timed = mechanism.time is not None
        self._equations = equations

    def _at(self, t: float, q: Array, v: Array) -> tuple[Array, Array, tuple[Any, ...]]:
        tau, u = self._acting.at(t, q, v)
        return tau, u, (t, u) if self._timed else ()

    def loads(self, t: float, q: Array, v: Array, *, start: bool = False) -> Array:
        """Force and moment at each element's centre of mass, forces along hinges, and there what motions prescribe:
        positions, or accelerations at the start."""
        if self._loads is None:
            return np.zeros(0)
        tau, _, extra = self._at(t, q, v)
        found = self._loads(q, v, tau, *extra)
        return np.asarray(found[start] if self._equations.sizes.driven else found, dtype=float)

    def power(self, t: float, q: Array, v: Array) -> float:
        """Of force elements that supply or take energy, of generalised forces and of what drives motions [W]."""
        tau, u, extra = self._at(t, q, v)
        if self._equations.sizes.driven:
            tau = tau + driving_forces(self._equations, t, q, v, tau, u, np.zeros(0))
        own = 0.0 if self._power is None else np.asarray(self._power(q, v, *extra)).item()
        return float(own + tau @ v)
