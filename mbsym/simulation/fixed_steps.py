"""Steps of fixed length: classical Runge-Kutta steps and the variational midpoint rule, in C or in Python."""

from __future__ import annotations

from typing import Any, Final, Protocol, TypeAlias

from numpy.typing import NDArray

from mbsym.errors import SimulationError
from mbsym.simulation.time_stepping import ITERATIONS, NOT_SOLVED, Steps

Array: TypeAlias = NDArray[Any]

MOST_AT_ONCE: Final = 20_000
"""Steps of one call of compiled code, which nothing interrupts."""


class Stepper(Protocol):
    """Takes steps of a given length."""

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """The state ``steps`` steps of length h later, a new array.

        Raises:
            SimulationError: a state is not finite, or an implicit equation was not solved.
        """


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


class FixedStepper:
    """Steps of one method."""

    def __init__(self, steps: Steps, method: str, name: str) -> None:
        self._steps, self._method, self._name = steps, method, name

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """See ``Stepper``."""
        self._steps.state[:] = x
        for start in range(0, steps, MOST_AT_ONCE):
            count = min(MOST_AT_ONCE, steps - start)
            done, status = self._steps.advance(self._method, t + start * h, h, count)
            if status:
                raise (not_solved if status == NOT_SOLVED else not_finite)(self._name, t + (start + done) * h)
        return self._steps.state.copy()
