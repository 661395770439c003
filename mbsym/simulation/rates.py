"""What acts in a state, the functions of a module as fast as they can be called, and closed loops put right."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.load import LoadedFunction
from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.loops.corrections import Correction, Keeper, NoCorrection, Projection
from mbsym.loops.looped_system import LoopedSystem
from mbsym.simulation.equations import Equations
from mbsym.simulation.options import Law
from mbsym.simulation.singular_positions import SINGULAR, smallest


@dataclass(frozen=True, slots=True)
class ActingLoads:
    """Generalised forces tau (nv,) and control inputs u, each constant or a function of t, q and v.

    Attributes:
        tau, u: which.
        inputs: how many control inputs there are; None where nobody looks.
    """

    tau: Array | Law
    u: Array | Law
    inputs: int | None = None

    @property
    def constant(self) -> bool:
        """True where neither depends on anything."""
        return not callable(self.tau) and not callable(self.u)

    def at(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """tau and u in a state.

        Raises:
            SimulationError: a function returns another number of entries than at the start.
        """
        tau, u = self._values(t, q, v)
        if tau.shape != v.shape or (self.inputs is not None and u.shape != (self.inputs,)):
            self._refuse(t, tau, u, len(v))
        return tau, u

    def _values(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return (
            np.asarray(self.tau(t, q, v), dtype=float) if callable(self.tau) else self.tau,
            np.asarray(self.u(t, q, v), dtype=float) if callable(self.u) else self.u,
        )

    def check(self, q: Array, v: Array) -> None:
        """Refuses functions that fail at the start, or return no finite arrays of the right shape.

        Raises:
            SimulationError: naming the function.
        """
        try:
            tau, u = self._values(0.0, q.copy(), v.copy())
        except Exception as error:
            names = " and ".join(name for name, law in (("tau", self.tau), ("u", self.u)) if callable(law))
            raise SimulationError(
                f"the function of {names} failed at the start with {type(error).__name__}: {error}",
                remedy=f"it is called with t, q ({len(q)}) and v ({len(v)}) and returns an array",
            ) from error
        self._refuse(0.0, tau, u, len(v))

    def _refuse(self, t: float, tau: Array, u: Array, nv: int) -> None:
        for name, array, size in (("tau", tau, nv), ("u", u, self.inputs)):
            if size is not None and (array.shape != (size,) or (t == 0.0 and not np.all(np.isfinite(array)))):
                when = "the start" if t == 0.0 else f"t = {t:.6g} s"
                raise SimulationError(f"{name} is {array.tolist()} at {when}", remedy=f"give {size} finite numbers")


class CompiledFunction:
    """A C function for one state at a time, with buffers of its own: no checks, no batches."""

    __slots__ = ("_actual", "_library", "_outputs", "_symbol", "_targets", "inputs", "outputs")

    def __init__(self, library: SharedLibrary, symbol: Any, function: LoadedFunction) -> None:
        """Binds buffers.

        Args:
            library: that stays loaded as long as this lives.
            symbol: of the function.
            function: its arguments.
        """
        self.inputs, self.outputs = function.inputs, function.outputs
        self._library, self._symbol = library, symbol
        self._targets: list[Any] = []
        self._actual: list[Any] = []
        for item in self.inputs:
            if not item.shape:
                scalar = ctypes.c_double()
                self._targets.append(scalar)
                self._actual.append(scalar)
            else:
                # An empty array still passes a valid address, which the function does not read.
                buffer = np.zeros(max(item.size, 1))
                self._targets.append(buffer[: item.size].reshape(item.shape))
                self._actual.append(ctypes.c_void_p(buffer.ctypes.data))
        self._outputs = [np.zeros(item.shape, np.intc if item.kind == "int" else float) for item in self.outputs]
        self._actual += [ctypes.c_void_p(array.ctypes.data) for array in self._outputs]

    def __call__(self, *inputs: Any) -> Any:
        """The result, or the tuple of results, as new arrays, whatever their status."""
        return self.with_status(*inputs)[0]

    def with_status(self, *inputs: Any) -> tuple[Any, int]:
        """The result, or the tuple of results, as new arrays, and the status."""
        for target, value in zip(self._targets, inputs, strict=True):
            if isinstance(target, ctypes.c_double):
                target.value = value
            else:
                target[...] = value
        status = self._symbol(*self._actual) or 0
        if len(self._outputs) == 1:
            return self._outputs[0].copy(), status
        return tuple(array.copy() for array in self._outputs), status


def callable_functions(equations: Equations, *names: str) -> Mapping[str, Callable[..., Any]]:
    """The functions of a model's module by name, or some of them, as fast as they can be called from Python."""
    module, library = equations.module, equations.library
    if library is None:
        return module.functions
    symbols = {entry["name"]: entry["c_symbol"] for entry in module.manifest["functions"]}
    return {
        name: CompiledFunction(library, getattr(library.handle, symbols[name]), module.functions[name])
        for name in names or module.functions
    }


def looped_system(equations: Equations) -> LoopedSystem:
    """The closed loops of a model on the fastest functions there are."""
    functions = callable_functions(equations)
    report: Any = functions.get("project_position_report")
    projection = None if report is None else report.with_status
    return replace(LoopedSystem.of_module(equations.module), functions=functions, projection=projection)


def leaves_rates(keeper: Keeper | None) -> bool:
    """True where the rates are those of the closed loops themselves, which the module has as forward_dynamics."""
    return keeper is None or isinstance(keeper, (NoCorrection, Projection))


_CORRECTED: Final = 1e-4
"""Part of the speeds that a correction does not exceed away from singular positions."""


def extra_values(equations: Equations, t: float, u: Array, drives: Array) -> tuple[Any, ...]:
    """Time, control inputs and states of drives, as far as the functions of a module take them."""
    return tuple({"t": t, "u": u, "x": drives}[item.name] for item in equations.mechanism.extra_inputs)


def driving_forces(equations: Equations, t: float, q: Array, v: Array, tau: Array, u: Array, drives: Array) -> Array:
    """What motions take in a state under what acts, and zeros along speeds that are free (nv,)."""
    extra = extra_values(equations, t, u, drives)
    return np.asarray(equations.module.functions["driving_forces"](q, v, tau, *extra))


class DrivenState:
    """Puts in what motions prescribe."""

    def __init__(self, equations: Equations) -> None:
        self._function = (
            callable_functions(equations, "driven_state")["driven_state"] if equations.sizes.driven else None
        )
        self._equations = equations
        # No position or speed is prescribed by control inputs or drives.
        self._others = np.zeros(equations.sizes.inputs), np.zeros(equations.layout.drives)

    def __call__(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """q and v at a time; as they are where no motion is prescribed."""
        if self._function is None:
            return q, v
        found_q, found_v = self._function(q, v, *extra_values(self._equations, t, *self._others))
        return np.asarray(found_q), np.asarray(found_v)


class LoopCorrection:
    """Puts a state right after a step."""

    def __init__(self, equations: Equations, system: LoopedSystem, keeper: Keeper) -> None:
        self._system, self._keeper = system, keeper
        self._layout = equations.layout
        self._name = equations.mechanism.model.name
        self._driven = DrivenState(equations)

    def __call__(self, t: float, x: Array) -> Array:
        """The state put right, a new array.

        Raises:
            SimulationError: the loops stay open.
        """
        q, v = self._driven(t, self._layout.q(x), self._layout.v(x))
        done = self._keeper.after_step(self._system, q, v)
        if not done.converged:
            raise SimulationError(
                f"the loops could not be closed at t = {t:.6g} s, a gap of {done.gap:.3g} m or rad is left",
                where=self._name,
                remedy="take a smaller step or allow smaller errors, and look for singular positions",
            )
        moved = x.copy()
        self._layout.q(moved)[:] = done.q
        if not self._is_no_correction(done, v):
            self._layout.v(moved)[:] = done.v
        return moved

    def _is_no_correction(self, done: Correction, v: Array) -> bool:
        """True where speeds were changed because closure rows that ought to be zero are round-off."""
        if np.max(np.abs(done.v - v), initial=0.0) <= _CORRECTED * np.max(np.abs(v), initial=0.0):
            return False
        return smallest(np.asarray(self._system.functions["constraint_jacobian"](done.q))) < SINGULAR
