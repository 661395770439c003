"""Steps by the discrete time transfer matrix method, generalised-alpha with 0.8, as a simulation takes them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.simulation.equations import Equations
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.stepper import TransferMatrixStepper, failure

Array: TypeAlias = NDArray[Any]


class TransferMatrixSteps:
    """Takes steps of a given length (``Stepper``).

    A step builds on the history of those before it, which a state of q and v does not show: it is kept for the state
    that the last call returned, and a call from any other state starts without a past.
    """

    def __init__(self, equations: Equations) -> None:
        """Takes the steps among prepared equations, or generates them where these were prepared without.

        Raises:
            DerivationError: the model has an element that is not covered.
        """
        if equations.steps is not None:
            self._stepper = TransferMatrixStepper(equations.steps, module=equations.module)
        else:
            system = transfer_system(equations.mechanism)
            self._stepper = TransferMatrixStepper(system, engine="numpy" if equations.library is None else "c")
        self._layout = equations.layout
        self._name = equations.mechanism.model.name
        self._last: tuple[Array, Array] | None = None

    def advance(self, t: float, h: float, x: Array, steps: int) -> Array:
        """See ``Stepper``."""
        layout = self._layout
        known = self._last is not None and np.array_equal(self._last[0], x)
        state = self._last[1] if self._last is not None and known else self._stepper.start(layout.q(x), layout.v(x))
        state, report = self._stepper.advance(state, h, steps)
        if report.status:
            raise failure(report, t + (report.steps + 1) * h, self._name)
        q, v = self._stepper.coordinates_of(self._stepper.observe(state))
        for first in layout.quaternions:
            # Of the two signs of a quaternion the one nearer to the last.
            part = slice(first, first + 4)
            q[part] *= -1.0 if q[part] @ x[part] < 0.0 else 1.0
        moved = layout.state(q, v)
        self._last = moved.copy(), state
        return moved
