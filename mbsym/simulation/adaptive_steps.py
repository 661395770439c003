"""Steps of Runge-Kutta pairs, which choose their lengths: the text of them, and the integrator that takes them.

The text stands around the rates of a state: in C beside the time steps, else in Python. What is held for the rates in C
are the loads, the runs and the scratch memory of the time steps, one behind the other. The integrator has the
attributes of SciPy's that a trajectory reads and sets, and takes the same steps to round-off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from math import ulp
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.routines.language import Signature
from mbsym.doors import Array
from mbsym.simulation.methods import METHODS
from mbsym.simulation.options import Accuracy
from mbsym.simulation.stepping_text import CompiledEngine, Engine, EvaluatedEngine, SteppingText
from mbsym.simulation.time_stepping import DONE, NOT_FINITE, StateLayout, StepSizes, step_text

Rates: TypeAlias = Callable[[float, Array], Array]

TOO_SHORT: Final = 2
STUCK: Final = 3

MOST_IDLE: Final = 200
"""Steps in a row that may lead nowhere."""

STIFF_ROW: Final = 15
CALM_STEPS: Final = 6
"""Steps at the edge of stability in a row from which a motion counts as stiff, and those away from it that end a row:
those of Hairer's codes."""

STIFF_STEPS: Final = 300
"""Such steps from which it is told: fewer cost less than reading it."""

NUMBERS: Final[Mapping[str, int | float]] = {
    "DONE": DONE,
    "NOT_FINITE": NOT_FINITE,
    "TOO_SHORT": TOO_SHORT,
    "STUCK": STUCK,
    "MOST_IDLE": MOST_IDLE,
    "STIFF_ROW": STIFF_ROW,
    "CALM_STEPS": CALM_STEPS,
    "STIFF_STEPS": STIFF_STEPS,
    "SAFETY": 0.9,
    "MOST_GROWTH": 10.0,
    "LEAST_GROWTH": 0.2,
    "ROOT_STEPS": 100,
    "ROOT_ENOUGH": 1e-16,
    # The shortest step as a part of the time that it is taken at, and at time zero.
    "SPACING": 10.0 * ulp(1.0),
    "LEAST_LENGTH": 1e-300,
}

MOST_AT_ONCE: Final = 5_000
"""Steps of one call of compiled code, which nothing interrupts."""

_MESSAGES: Final = {
    NOT_FINITE: "the state is not finite",
    TOO_SHORT: "the step that errors ask for is shorter than the spacing of numbers",
    STUCK: "its steps no longer get anywhere",
}

END, RELATIVE, LONGEST, MOST, COUNT, IDLE_LENGTH, TIME, LENGTH, FRESH, DUE = range(10)
STATUS, STEPS, EVALUATIONS, COORDINATES, FELT = range(14, 19)
HELD_STEPS, SINCE, FASTEST, IS_TOLD = range(21, 25)
"""Entries of ``control`` that are given and told, as the text has them."""

CONTROL: Final = 25

_SHIM: Final = """\
static void NAME_rates(const double *held, double t, const double *x, double *rates)
{
    /* The last part of what is held is scratch memory; the state is only read. */
    double *work = (double *)held + WORK;
    double report[2] = {0.0, 0.0};
    NAME_state_rates(held, held + RUNS, t, (double *)x, rates, report, work);
    if (report[0] != 0.0) {
        rates[0] = NAN;
    }
}
"""


@cache
def adaptive_text(states: int, quaternions: int, held: int) -> SteppingText:
    """The text with its sizes decided."""
    sizes = {"ADAPTIVE_STATES": states, "ADAPTIVE_QUATERNIONS": quaternions, "ADAPTIVE_HELD": held}
    kernels = {"rates": Signature(((held,), (), (states,)), ((states,),))}
    return SteppingText("adaptive_steps", sizes, NUMBERS, kernels, ("between", "adaptive"))


def _text_of(sizes: StepSizes) -> SteppingText:
    """The text around the rates in C."""
    layout = sizes.layout
    held = layout.nv + sizes.inputs + 4 * len(sizes.runs) + step_text(sizes).memory
    return adaptive_text(layout.size, len(layout.quaternions), held)


def adaptive_source(name: str, sizes: StepSizes) -> str:
    """C text to follow that of the time steps of module NAME."""
    loads = sizes.layout.nv + sizes.inputs
    shim = _SHIM.replace("NAME", name).replace("WORK", str(loads + 4 * len(sizes.runs))).replace("RUNS", str(loads))
    return f"{shim}\n{_text_of(sizes).in_c(name)}"


def compiled_engine(library: SharedLibrary, name: str, sizes: StepSizes, loads: Array) -> Engine:
    """The functions of a library, with the rates in C.

    Args:
        library: compiled with ``adaptive_source``.
        name: of the generated module.
        sizes: of the time steps.
        loads: constant forces and inputs.
    """
    held = np.concatenate([loads, sizes.tables()[0].ravel(), np.zeros(step_text(sizes).memory)])
    return CompiledEngine(library, name, _text_of(sizes), {"held": held})


def _evaluated_engine(rates: Rates, states: int, quaternions: int) -> Engine:
    """The functions in Python around rates of any origin."""

    def evaluate(_: object, _held: object, t: float, x: list[float]) -> tuple[list[float]]:
        return (rates(t, np.array(x)).tolist(),)

    return EvaluatedEngine({"rates": evaluate}, adaptive_text(states, quaternions, 0), {"held": np.zeros(0)})


@dataclass(frozen=True, slots=True)
class Stiffness:
    """A stretch of motion whose explicit steps stability holds short, far below what errors ask for.

    Attributes:
        method: that is held.
        t: when it began [s].
        steps: that were at the edge of stability.
        rate: largest size of an eigenvalue of the motion that was felt [1/s].
        remedy: another method.
    """

    method: str
    t: float
    steps: int
    rate: float
    remedy: str = "Radau"

    @property
    def sentence(self) -> str:
        """What is told of it."""
        return (
            f"stiff from t = {self.t:.6g} s: stability, and not the errors that are allowed, holds {self.steps} steps "
            f"of {self.method} short, as some motion dies away at {self.rate:.2g} 1/s; take the method {self.remedy}"
        )

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return asdict(self)


class PairIntegrator:
    """A pair on its way through time.

    Attributes:
        status: "running", "finished" or "failed".
        y: the state; changes of it are told by ``restart``.
        atol: absolute errors that are allowed, a number or one for each entry of the state.
        tell: is given a sentence where the motion is stiff, once.
        compiled: gives before each step the text in C that may take it; None where the rates must be asked.
    """

    def __init__(
        self,
        method: str,
        rates: Rates,
        x: Array,
        times: Array,
        accuracy: Accuracy,
        layout: StateLayout | None = None,
        idle: float = 0.0,
    ) -> None:
        """Chooses the length of the first step.

        Args:
            method: that has a pair.
            rates: of a state.
            x: state at the first time.
            times: the output grid.
            accuracy: errors and the longest step.
            layout: of the state, on whose work no rate depends; None for states of one kind.
            idle: length of steps that lead nowhere.

        Raises:
            ValueError: rates are not finite.
        """
        self._rates, self._method = rates, method
        self.compiled: Callable[[], Engine | None] = lambda: None
        self._size = len(x)
        self.tell: Callable[[str], None] | None = None
        self._evaluated: Engine | None = None
        self._last: Engine | None = None
        self._times = np.ascontiguousarray(times, dtype=float)
        self.status = "running"
        self.y = x.astype(float)
        self.atol: float | Array = accuracy.absolute
        self._control = np.zeros(CONTROL)
        pair = METHODS[method].pair
        assert pair is not None
        quaternions = np.array(() if layout is None else layout.quaternions, dtype=float)
        self._arrays = {"tableau": pair.table(), "quaternions": quaternions, "control": self._control}
        entries = {
            END: times[-1],
            RELATIVE: accuracy.rtol,
            LONGEST: accuracy.max_step,
            IDLE_LENGTH: idle,
            TIME: times[0],
            FRESH: 1.0,
            EVALUATIONS: 2.0,
            COORDINATES: 0 if layout is None else layout.nq,
            FELT: len(x) if layout is None else layout.nq + layout.nv + layout.drives,
        }
        for entry, value in entries.items():
            self._control[entry] = value
        self.h_abs = self._first_length(accuracy, pair.order)

    @property
    def t(self) -> float:
        """Time of ``y``."""
        return float(self._control[TIME])

    @property
    def h_abs(self) -> float:
        """Length of the next step, unless its error asks for a shorter one."""
        return float(self._control[LENGTH])

    @h_abs.setter
    def h_abs(self, length: float) -> None:
        self._control[LENGTH] = length

    @property
    def nfev(self) -> int:
        """Evaluations of the rates, those of changed states left out."""
        return int(self._control[EVALUATIONS])

    @property
    def stiffness(self) -> Stiffness | None:
        """What is known of a stiff stretch, None where there was none worth telling."""
        steps = int(self._control[HELD_STEPS])
        if steps < STIFF_STEPS:
            return None
        since, rate = (float(self._control[entry]) for entry in (SINCE, FASTEST))
        return Stiffness(self._method, since, steps, rate)

    def restart(self, t: float, x: Array) -> None:
        """Goes on from another state."""
        self.y = x.copy()
        self._control[TIME] = t
        self._control[FRESH] = 1.0

    def step(self) -> str | None:
        """Takes one step; what is wrong, if it fails."""
        self._advance(1, np.zeros(0))
        return self._judge()

    def run(self, samples: Array, due: int) -> tuple[int, int, str | None]:
        """Takes many steps, and fills the rows of the grid that they pass, from the row that is due.

        Returns:
            How many steps, the row that is due then, and what is wrong if they failed.
        """
        self._control[COUNT], self._control[DUE] = len(self._times), due
        self._advance(MOST_AT_ONCE, samples.reshape(-1))
        return int(self._control[STEPS]), int(self._control[DUE]), self._judge()

    def dense_output(self) -> Callable[[float], Array]:
        """The state at a time within the last step."""

        def state(time: float) -> Array:
            assert self._last is not None
            found = np.zeros(self._size)
            self._call(self._last, "between", {"time": float(time), "x": found})
            return found

        return state

    def _call(self, engine: Engine, function: str, given: Mapping[str, Any]) -> None:
        engine.call(function, {**self._arrays, "allowances": np.full(self._size, self.atol), **given})

    def _advance(self, steps: int, samples: Array) -> None:
        engine = self.compiled() or self._in_python()
        if engine is not self._last:
            # Rates at the start of a step are kept by what took the last one.
            self._last = engine
            self._control[FRESH] = 1.0
        self._control[MOST] = steps
        is_told = self._control[IS_TOLD]
        self._call(engine, "adaptive", {"grid": self._times, "samples": samples, "x": self.y})
        stiffness = self.stiffness
        if stiffness is not None and self.tell is not None and is_told != self._control[IS_TOLD]:
            self.tell(stiffness.sentence)

    def _in_python(self) -> Engine:
        if self._evaluated is None:
            self._evaluated = _evaluated_engine(self._rates, self._size, len(self._arrays["quaternions"]))
        return self._evaluated

    def _judge(self) -> str | None:
        status = int(self._control[STATUS])
        if status != DONE:
            self.status = "failed"
            return _MESSAGES[status]
        if self.t >= self._control[END]:
            self.status = "finished"
        return None

    def _first_length(self, accuracy: Accuracy, order: int) -> float:
        """By the sizes of the state, of its rates and of what an Euler step changes them by (Hairer I, II.4)."""
        x, t = self.y, self.t
        scale = accuracy.absolute + np.abs(x) * accuracy.rtol
        whole = float(self._control[END]) - t

        def size(values: Array) -> float:
            return float(np.linalg.norm(values / scale) / self._size**0.5)

        rates = self._rates(t, x)
        if not np.all(np.isfinite(rates)):
            raise ValueError
        first, second = size(x), size(rates)
        length = 1e-6 if first < 1e-5 or second < 1e-5 else 0.01 * first / second
        length = min(length, whole)
        third = size(self._rates(t + length, x + length * rates) - rates) / length
        most = max(second, third)
        longer = max(1e-6, length * 1e-3) if most <= 1e-15 else (0.01 / most) ** (1.0 / (order + 1))
        return min(100.0 * length, longer, whole, accuracy.max_step)
