"""The text of the time steps for a mechanism: its sizes and constants, and rates and steps of fixed length by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from mbsym.codegen.routines.language import Signature
from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.joints.coordinate_groups import CoordinateGroup
from mbsym.kinematics.initial_coordinates import normalised
from mbsym.kinematics.mechanism import Mechanism
from mbsym.simulation.methods import METHODS
from mbsym.simulation.stepping_text import Engine, SteppingText

MOST_AT_ONCE: Final = 20_000
"""Steps of one call of compiled code, which nothing interrupts."""

DONE: Final = 0
NOT_FINITE: Final = 1
NOT_SOLVED: Final = 2

ITERATIONS: Final = 100

NUMBERS: Final[Mapping[str, int | float]] = {
    "DONE": DONE,
    "NOT_FINITE": NOT_FINITE,
    "NOT_SOLVED": NOT_SOLVED,
    # The implicit equation: changes of speeds below the first sum are none; those below the second, which is looser,
    # are none where they no longer shrink.
    "ITERATIONS": ITERATIONS,
    "LEAST_CHANGE": 1e-18,
    "RELATIVE_CHANGE": 1e-15,
    "LOOSE_CHANGE": 1e-14,
    "LOOSE_RELATIVE_CHANGE": 1e-12,
    "SHRINKING": 0.5,
    # The square of the angle below which functions of it are series.
    "SMALL": 1e-4,
}

SERIES: Final = 13

TANGENT: Final = tuple((-1.0) ** n / d for n, d in enumerate(np.cumprod(np.arange(1.0, SERIES + 1.0)).tolist()))
"""Coefficients of (1 - exp(-X))/X."""

INVERSE_TANGENT: Final = (
    1.0, 1 / 2, 1 / 12, 0.0, -1 / 720, 0.0, 1 / 30240, 0.0, -1 / 1209600, 0.0, 1 / 47900160, 0.0, -691 / 1307674368000
)  # fmt: skip
"""Coefficients of X/(1 - exp(-X))."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of coordinates of one group; rotations and poses of one joint each."""

    kind: CoordinateGroup
    q: int
    v: int
    speeds: int


def coordinate_runs(mechanism: Mechanism) -> tuple[Run, ...]:
    """The independent coordinates in stretches as long as possible."""
    runs: list[Run] = []
    for body in mechanism.bodies_by_coordinates:
        q, v = body.q_range[0], body.v_range[0]
        count = body.v_range[1] - v
        kind = body.joint.kind.group
        if runs and kind is runs[-1].kind is CoordinateGroup.SUMS:
            runs[-1] = Run(kind, runs[-1].q, runs[-1].v, runs[-1].speeds + count)
        else:
            runs.append(Run(kind, q, v, count))
    return tuple(runs)


@dataclass(frozen=True, slots=True)
class StateLayout:
    """A state x: q, v, the states of drives and, with ``work``, the work of external forces.

    Attributes:
        nq, nv: sizes of q and v.
        work: True where the last entry is a work.
        quaternions: first index of each quaternion.
        drives: number of their states.
    """

    nq: int
    nv: int
    work: bool
    quaternions: tuple[int, ...]
    drives: int = 0

    @property
    def size(self) -> int:
        """Length of x."""
        return self.nq + self.nv + self.drives + int(self.work)

    def state(self, q: Array, v: Array, drives: Array | tuple[()] = ()) -> Array:
        """x of q, v and the states of drives, no work done yet."""
        return np.concatenate([q, v, drives, np.zeros(int(self.work))])

    def q(self, x: Array) -> Array:
        """q of one state or of rows."""
        return x[..., : self.nq]

    def v(self, x: Array) -> Array:
        """v of one state or of rows."""
        return x[..., self.nq : self.nq + self.nv]

    def of_drives(self, x: Array) -> Array:
        """States of drives of one state or of rows."""
        return x[..., self.nq + self.nv : self.nq + self.nv + self.drives]

    def parts(self, x: Array) -> tuple[Array, Array, Array]:
        """q, v and states of drives of one state or of rows."""
        return self.q(x), self.v(x), self.of_drives(x)

    def normalise(self, x: Array) -> Array:
        """Gives the quaternions of x unit length, in place, and returns x."""
        return normalised(x, self.quaternions)


@dataclass(frozen=True, slots=True)
class StepSizes:
    """What the text of the time steps is specialised to.

    Attributes:
        layout: of a state.
        runs: the coordinates.
        inputs: number of control inputs.
        timed: derived functions take time and inputs.
        powered: there is a function external_power.
        variational: there is what the variational steps need.
        staged: q and v are changed by a function ``stage`` before rates are found.
        driven: motions are prescribed.
    """

    layout: StateLayout
    runs: tuple[Run, ...]
    inputs: int = 0
    timed: bool = False
    powered: bool = False
    variational: bool = False
    staged: bool = False
    driven: bool = False

    def names(self) -> dict[str, int]:
        """The sizes by the names under which the text knows them."""
        return {
            "STEPS_NQ": self.layout.nq,
            "STEPS_NV": self.layout.nv,
            "STEPS_DRIVES": self.layout.drives,
            "STEPS_INPUTS": self.inputs,
            "STEPS_RUNS": len(self.runs),
            "STEPS_SERIES": SERIES,
            "STEPS_WORK": int(self.layout.work),
            "STEPS_TIMED": int(self.timed),
            "STEPS_POWERED": int(self.powered),
            "STEPS_STAGED": int(self.staged),
            "STEPS_DRIVEN": int(self.driven),
        }

    def tables(self) -> tuple[Array, Array]:
        """The runs (runs, 4) and the coefficients of the series (2, SERIES), which the functions take."""
        rows = [[run.kind, run.q, run.v, run.speeds] for run in self.runs]
        return np.array(rows, dtype=float).reshape(-1, 4), np.array([TANGENT, INVERSE_TANGENT])


def sizes_of(mechanism: Mechanism, *, work: bool, powered: bool, variational: bool) -> StepSizes:
    """Sizes for the derived functions of a mechanism."""
    layout = StateLayout(mechanism.nq, mechanism.nv, work, mechanism.q.quaternions, len(mechanism.model.drives))
    inputs, timed = len(mechanism.model.inputs), mechanism.time is not None
    driven = bool(mechanism.model.motions)
    return StepSizes(layout, coordinate_runs(mechanism), inputs, timed, powered, variational, driven=driven)


@cache
def step_text(sizes: StepSizes) -> SteppingText:
    """The text with its sizes decided, cached because reading it takes as long as many steps."""
    q, v = (sizes.layout.nq,), (sizes.layout.nv,)
    drives = (sizes.layout.drives,)
    extra: tuple[tuple[int, ...], ...] = ((), (sizes.inputs,)) if sizes.timed else ()
    extra += (drives,) if sizes.layout.drives else ()
    kernels = {
        "stage": Signature((q, v), (q, v)),
        "position_rate": Signature((q, v), (q,)),
        "forward_dynamics": Signature((q, v, v, *extra), (v,)),
        "drive_rates": Signature((q, v, *extra), (drives,)),
        "driven_state": Signature((q, v, *extra), (q, v)),
        "driving_forces": Signature((q, v, v, *extra), (v,)),
        "external_power": Signature((q, v, *extra), ((1,),)),
        "variational_terms": Signature((q, v, *extra), (v, v)),
        "speeds_of_momentum": Signature((q, v), (v,)),
    }
    public = ("state_rates", "runge_kutta", *(["variational"] if sizes.variational else []))
    return SteppingText("time_steps", sizes.names(), NUMBERS, kernels, public)


def driver_source(name: str, sizes: StepSizes) -> str:
    """C text that includes NAME.c and adds the functions that step."""
    heads = f'#include "{name}.c"', "#include <math.h>", "#include <stdbool.h>"
    return "\n".join([*heads, step_text(sizes).in_c(name)])


class Steps:
    """Rates of a state, and steps of fixed length.

    Attributes:
        state: (states,) that of the last call: of a step where it ended, also before one that failed.
        report: status of the last call, and steps that it did.
    """

    def __init__(
        self,
        name: str,
        sizes: StepSizes,
        loads: Array,
        engine: Callable[[SteppingText, Mapping[str, Array]], Engine],
    ) -> None:
        """Binds buffers.

        Args:
            name: of the model, for errors.
            sizes: of the text.
            loads: constant forces and inputs.
            engine: calls the functions of a text with some arguments that stay where they are.
        """
        self._name = name
        states = sizes.layout.size
        self.state, self.report, self._rates = np.zeros(states), np.zeros(2), np.zeros(states)
        runs, coefficients = sizes.tables()
        read = {"loads": loads.astype(float), "runs": runs, "coefficients": coefficients}
        filled = {"x": self.state, "rates": self._rates, "report": self.report}
        self._engine = engine(step_text(sizes), {**read, **filled})

    def rates(self, t: float, x: Array) -> Array:
        """Rates of a state, a new array."""
        self.state[:] = x
        self._engine.call("state_rates", {"t": float(t)})
        return self._rates.copy()

    def advance(self, method: str, t: float, h: float, x: Array, steps: int) -> Array:
        """The state ``steps`` steps of length h after x, a new array.

        Args:
            method: whose steps the text has.
            t: time of x.
            h: length of a step.
            x: a state.
            steps: how many.

        Raises:
            SimulationError: a state is not finite, or an implicit equation was not solved.
        """
        self.state[:] = x
        for start in range(0, steps, MOST_AT_ONCE):
            count = min(MOST_AT_ONCE, steps - start)
            self._engine.call(METHODS[method].routine, {"t": t + start * h, "h": h, "steps": count})
            status, done = self.report
            if status:
                raise (not_solved if status == NOT_SOLVED else not_finite)(self._name, t + (start + done) * h)
        return self.state.copy()


def not_finite(name: str, t: float) -> SimulationError:
    """The error of a state that is no longer finite after a time."""
    return SimulationError(
        f"the state is not finite after t = {t:.6g} s",
        where=name,
        remedy="take a smaller step, or look at the model's forces and at singular positions",
    )


def not_solved(name: str, t: float) -> SimulationError:
    """The error of an implicit step without a solution."""
    return SimulationError(
        f"the implicit equation of the step at t = {t:.6g} s was not solved in {ITERATIONS} iterations",
        where=name,
        remedy="take a smaller step",
    )
