"""The C driver: time steps compiled together with a generated module, called through ctypes with fixed buffers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.environment import fixed_text
from mbsym.joints.coordinate_groups import CoordinateGroup
from mbsym.kinematics.mechanism import Mechanism

Array: TypeAlias = NDArray[Any]

DRIVER_FILE: Final = "c/time_steps.c"
NOT_FINITE: Final = 1
NOT_SOLVED: Final = 2


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
    for body in mechanism.bodies:
        q, v = body.q_range[0], body.v_range[0]
        count = body.v_range[1] - v
        if not count:
            continue
        kind = body.joint.kind.group
        if runs and kind is runs[-1].kind is CoordinateGroup.SUMS:
            runs[-1] = Run(kind, runs[-1].q, runs[-1].v, runs[-1].speeds + count)
        else:
            runs.append(Run(kind, q, v, count))
    return tuple(runs)


def driver_source(mechanism: Mechanism, name: str, *, work: bool, powered: bool, variational: bool) -> str:
    """C text that includes NAME.c and adds the functions that step.

    Args:
        mechanism: the tree.
        name: of the generated module.
        work: the work of external forces is part of the state.
        powered: the module has the function external_power.
        variational: it has what the variational steps need.
    """
    runs = ", ".join(f"{{{run.kind:d}, {run.q}, {run.v}, {run.speeds}}}" for run in coordinate_runs(mechanism))
    lines = [
        f'#include "{name}.c"',
        "#include <math.h>",
        f"enum {{ {name}_WORK = {int(work)}, {name}_RUNS = {len(coordinate_runs(mechanism))} }};",
        f"#define {name}_TIMED {'t, u,' if mechanism.time is not None else ''}",
        f"#define {name}_POWERED {int(powered)}",
        f"#define {name}_VARIATIONAL {int(variational)}",
        f"static const int {name}_runs[{name}_RUNS][4] = {{{runs}}};",
        fixed_text(DRIVER_FILE, f"{name}_"),
    ]
    return "\n".join(lines) + "\n"


class CompiledSteps:
    """The functions of the driver on one state buffer.

    Attributes:
        state: the buffer (states,); steps change it in place.
    """

    def __init__(self, library: SharedLibrary, name: str, states: int, tau: Array, u: Array) -> None:
        """Binds the functions.

        Args:
            library: compiled from ``driver_source``.
            name: of the generated module.
            states: length of the state.
            tau, u: constant forces and inputs.
        """
        self.state = np.zeros(states)
        self._rates = np.zeros(states)
        self._tau = np.array(tau, dtype=float)
        # An address is needed even where there is nothing to read.
        self._u = np.array([*u, 0.0], dtype=float)
        self._library = library
        self._done = ctypes.c_long()
        self._prefix = name
        real, address = ctypes.c_double, ctypes.c_void_p
        function = getattr(library.handle, f"{name}_state_rates")
        function.argtypes = [address, address, real, address, address]
        self._state_rates: Callable[..., int] = function
        self._loads = (self._tau.ctypes.data, self._u.ctypes.data)
        self._state_at = self.state.ctypes.data
        self._rates_at = self._rates.ctypes.data
        self._steppers = {
            method: self._stepper(symbol)
            for method, symbol in (("rk4", "runge_kutta"), ("symplectic", "variational"))
            if hasattr(library.handle, f"{name}_{symbol}")
        }

    def _stepper(self, symbol: str) -> Callable[..., int]:
        function: Any = getattr(self._library.handle, f"{self._prefix}_{symbol}")
        real, address = ctypes.c_double, ctypes.c_void_p
        function.argtypes = [address, address, real, real, ctypes.c_long, address, address]
        stepper: Callable[..., int] = function
        return stepper

    def rates(self, t: float, x: Array) -> Array:
        """Rates of a state, a new array."""
        self.state[:] = x
        self._state_rates(*self._loads, t, self._state_at, self._rates_at)
        return self._rates.copy()

    def advance(self, method: str, t: float, h: float, steps: int) -> tuple[int, int]:
        """Steps ``state``; returns the steps done, and 0, ``NOT_FINITE`` or ``NOT_SOLVED``."""
        status = self._steppers[method](*self._loads, t, h, steps, self._state_at, ctypes.addressof(self._done))
        return self._done.value, status
