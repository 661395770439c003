"""Steps by the discrete time transfer matrix method as a simulation takes them."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.errors import SimulationError
from mbsym.simulation.equations import Equations
from mbsym.simulation.options import Stepping
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.stepper import TransferMatrixStepper, failure

Array: TypeAlias = NDArray[Any]

_SAME_PLACE: Final = 1e-9
"""Change of coordinates that closing loops again makes where they are closed to round-off [rad, m]."""

_SAME_LENGTH: Final = 1e-9
"""Relative difference of two steps that round-off in the times makes."""


class TransferMatrixSteps:
    """Takes steps of a given length (``Stepper``).

    A step builds on the history of those before it, which a state of q and v does not show: it is kept for the state
    that the last call returned, and a call from any other state starts without a past.
    """

    def __init__(self, equations: Equations, stepping: Stepping = Stepping()) -> None:
        """Takes the steps among prepared equations, or generates them where these were prepared without.

        Raises:
            DerivationError: the model has an element that is not covered.
            SimulationError: the equations were prepared with another rotation variable.
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
        self._last: tuple[Array, Array] | None = None
        self._taken, self._step = 0, 0.0

    def _with_velocities(self, state: Array, other: Array) -> Array:
        """A state with the velocities of another one at the same place: what a correction of speeds leaves of it."""
        sizes = self._stepper.system.layout
        corrected = state.copy()
        for body in range(len(self._stepper.system.bodies)):
            first = body * sizes.state + sizes.base + sizes.load
            corrected[first : first + sizes.load] = other[first : first + sizes.load]
        return corrected

    def _fits(self, h: float) -> bool:
        """True where a step of length h can build on the steps taken: differences over several take them for equal."""
        if self._scheme is None or self._scheme.name != "houbolt":
            return True
        return abs(h - self._step) <= _SAME_LENGTH * h

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """See ``Stepper``."""
        layout = self._layout
        if self._last is not None and self._fits(h) and np.array_equal(self._last[0], x):
            state = self._last[1]
        elif self._last is not None and np.allclose(layout.q(self._last[0]), layout.q(x), rtol=0.0, atol=_SAME_PLACE):
            state = self._with_velocities(self._last[1], self._stepper.start(layout.q(x), layout.v(x)))
        else:
            state, self._taken = self._stepper.start(layout.q(x), layout.v(x)), 0
        state, report = self._stepper.advance(state, h, steps, self._scheme, done=self._taken)
        if report.status:
            raise failure(report, t + (report.steps + 1) * h, self._name)
        q, v = self._stepper.coordinates_of(self._stepper.observe(state))
        for first in layout.quaternions:
            # Of the two signs of a quaternion the one nearer to the last.
            part = slice(first, first + 4)
            q[part] *= -1.0 if q[part] @ x[part] < 0.0 else 1.0
        moved = layout.state(q, v)
        self._last, self._taken, self._step = (moved.copy(), state), self._taken + steps, h
        return moved
