"""An embedded Runge-Kutta pair that integrates: steps in compiled code where there is any, else in Python.

It has the attributes of SciPy's integrators that a trajectory reads and sets, and takes the same steps to round-off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.simulation import adaptive_steps as text
from mbsym.simulation.adaptive_steps import Rates, evaluated_engine
from mbsym.simulation.methods import METHODS
from mbsym.simulation.options import Accuracy
from mbsym.simulation.stepping_text import Engine
from mbsym.simulation.time_stepping import DONE, NOT_FINITE, StateLayout

MOST_AT_ONCE: Final = 5_000
"""Steps of one call of compiled code, which nothing interrupts."""

_MESSAGES: Final = {
    NOT_FINITE: "the state is not finite",
    text.TOO_SHORT: "the step that errors ask for is shorter than the spacing of numbers",
    text.STUCK: "its steps no longer get anywhere",
}


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
        compiled: Callable[[], Engine | None] = lambda: None,
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
            compiled: gives before each step the text in C that may take it; None where ``rates`` must be asked.

        Raises:
            ValueError: rates are not finite.
        """
        self._rates, self._compiled, self._method = rates, compiled, method
        self._size, self._quaternions = len(x), () if layout is None else layout.quaternions
        self.tell: Callable[[str], None] | None = None
        self._evaluated: Engine | None = None
        self._last: Engine | None = None
        self._times = np.ascontiguousarray(times, dtype=float)
        self.status = "running"
        self.y = x.astype(float)
        self.atol: float | Array = accuracy.absolute
        self._control = np.zeros(text.CONTROL)
        pair = METHODS[method].pair
        assert pair is not None
        self._table = pair.table()
        entries = {
            text.END: times[-1],
            text.RELATIVE: accuracy.rtol,
            text.LONGEST: accuracy.max_step,
            text.IDLE_LENGTH: idle,
            text.TIME: times[0],
            text.FRESH: 1.0,
            text.EVALUATIONS: 2.0,
            text.COORDINATES: 0 if layout is None else layout.nq,
            text.FELT: len(x) if layout is None else layout.nq + layout.nv,
        }
        for entry, value in entries.items():
            self._control[entry] = value
        self.h_abs = self._first_length(accuracy, pair.order)

    @property
    def t(self) -> float:
        """Time of ``y``."""
        return float(self._control[text.TIME])

    @property
    def h_abs(self) -> float:
        """Length of the next step, unless its error asks for a shorter one."""
        return float(self._control[text.LENGTH])

    @h_abs.setter
    def h_abs(self, length: float) -> None:
        self._control[text.LENGTH] = length

    @property
    def nfev(self) -> int:
        """Evaluations of the rates, those of changed states left out."""
        return int(self._control[text.EVALUATIONS])

    @property
    def stiffness(self) -> Stiffness | None:
        """What is known of a stiff stretch, None where there was none worth telling."""
        steps = int(self._control[text.HELD_STEPS])
        if steps < text.STIFF_STEPS:
            return None
        since, rate = (float(self._control[entry]) for entry in (text.SINCE, text.FASTEST))
        return Stiffness(self._method, since, steps, rate)

    def restart(self, t: float, x: Array) -> None:
        """Goes on from another state."""
        self.y = x.copy()
        self._control[text.TIME] = t
        self._control[text.FRESH] = 1.0

    def step(self) -> str | None:
        """Takes one step; what is wrong, if it fails."""
        self._advance(1, np.zeros(0))
        return self._judge()

    def run(self, samples: Array, due: int) -> tuple[int, int, str | None]:
        """Takes many steps, and fills the rows of the grid that they pass, from the row that is due.

        Returns:
            How many steps, the row that is due then, and what is wrong if they failed.
        """
        self._control[text.COUNT], self._control[text.DUE] = len(self._times), due
        self._advance(MOST_AT_ONCE, samples.reshape(-1))
        return int(self._control[text.STEPS]), int(self._control[text.DUE]), self._judge()

    def dense_output(self) -> Callable[[float], Array]:
        """The state at a time within the last step."""

        def state(time: float) -> Array:
            assert self._last is not None
            found = np.zeros(self._size)
            self._last.call("between", {**self._given(), "time": float(time), "x": found, "control": self._control})
            return found

        return state

    def _given(self) -> dict[str, Array]:
        allowances = np.broadcast_to(np.asarray(self.atol, dtype=float), (self._size,))
        return {
            "tableau": self._table,
            "quaternions": np.array(self._quaternions, dtype=float),
            "allowances": np.ascontiguousarray(allowances),
        }

    def _advance(self, steps: int, samples: Array) -> None:
        engine = self._compiled() or self._in_python()
        if engine is not self._last:
            # Rates at the start of a step are kept by what took the last one.
            self._last = engine
            self._control[text.FRESH] = 1.0
        self._control[text.MOST] = steps
        arrays = {"grid": self._times, "samples": samples, "x": self.y, "control": self._control}
        is_told = self._control[text.IS_TOLD]
        engine.call("adaptive", {**self._given(), **arrays})
        stiffness = self.stiffness
        if stiffness is not None and self.tell is not None and is_told != self._control[text.IS_TOLD]:
            self.tell(stiffness.sentence)

    def _in_python(self) -> Engine:
        if self._evaluated is None:
            self._evaluated = evaluated_engine(self._rates, self._size, self._quaternions)
        return self._evaluated

    def _judge(self) -> str | None:
        status = int(self._control[text.STATUS])
        if status != DONE:
            self.status = "failed"
            return _MESSAGES[status]
        if self.t >= self._control[text.END]:
            self.status = "finished"
        return None

    def _first_length(self, accuracy: Accuracy, order: int) -> float:
        """By the sizes of the state, of its rates and of what an Euler step changes them by (Hairer I, II.4)."""
        x, t = self.y, self.t
        scale = accuracy.absolute + np.abs(x) * accuracy.rtol
        whole = float(self._control[text.END]) - t

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
