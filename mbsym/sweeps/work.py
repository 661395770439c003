"""What a worker does with a chunk: a compiled function, or a simulation from each start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Final, Protocol, TypeAlias

import numpy as np

from mbsym.batches.compiled import CompiledFunction, compile
from mbsym.codegen.description import Real
from mbsym.doors import Array
from mbsym.errors import MbsymError, ToolchainError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.simulation.equations import Equations, prepare
from mbsym.simulation.integrate import simulate
from mbsym.simulation.options import DEFAULTS, Accuracy, Keeping, Loads, Preparation, check_kinds
from mbsym.simulation.result import SimulationResult
from mbsym.sweeps.values import Values

Chunk: TypeAlias = dict[str, Array]

STATUS: Final = "status"
EXCEEDED: Final = "exceeded"


class Task(Protocol):
    """What a worker needs besides the numbers; it has a ``repr`` that tells it from others, and can be pickled."""

    def run(self, values: Values, states: int) -> Chunk:
        """Results by name, an axis of states in front, and ``status``: 0 where all is well."""
        ...


@dataclass(frozen=True, slots=True)
class FunctionTask:
    """A generated function: the model as text, and how it is generated."""

    model: str
    function: str
    formulation: str
    real: Real
    symbolic_parameters: str | tuple[str, ...]

    def run(self, values: Values, states: int) -> Chunk:
        """The function's results."""
        called = function_of(self)
        results, status = called(*values.inputs, parameters=values.parameters, failures="return")
        named = results if isinstance(results, tuple) else (results,)
        found: Chunk = dict(zip(called.outputs, named, strict=True))
        return {**found, STATUS: np.broadcast_to(status, (states,)).astype(np.int32)}


@dataclass(frozen=True, slots=True)
class Simulations:
    """A simulation from each start of a sweep; see ``mbsym.simulate``.

    Attributes:
        duration: [s].
        method, step, output_step: likewise.
        loads, keeping, accuracy, preparation: likewise.
        last: only the last state of each is kept.
    """

    duration: float
    method: str = DEFAULTS.method
    step: float | None = None
    output_step: float | None = None
    loads: Loads = Loads()
    keeping: Keeping = Keeping()
    accuracy: Accuracy = Accuracy()
    preparation: Preparation = Preparation()
    last: bool = False

    def __post_init__(self) -> None:
        check_kinds(self)


@dataclass(frozen=True, slots=True)
class SimulationTask:
    """Simulations of a model.

    Attributes:
        model: as text.
        simulations: what is simulated.
        rows, nq, nv, nx: of each result.
    """

    model: str
    simulations: Simulations
    rows: int
    nq: int
    nv: int
    nx: int = 0

    def run(self, values: Values, states: int) -> Chunk:
        """Times, coordinates, speeds and states of drives of each simulation, and whether it exceeded a limit.

        NaN and status 1 stand where one cannot go on.
        """
        shape = (states,) if self.simulations.last else (states, self.rows)
        t, q, v, x = (np.full((*shape, *own), np.nan) for own in ((), (self.nq,), (self.nv,), (self.nx,)))
        status, exceeded = np.zeros(states, dtype=np.int32), np.zeros(states, dtype=bool)
        kept = -1 if self.simulations.last else slice(None)
        for k in range(states):
            try:
                done = self._one(_numbers(values.initial, k), _numbers(values.parameters, k))
                t[k], q[k], v[k], x[k] = done.t[kept], done.q[kept], done.v[kept], done.x[kept]
                exceeded[k] = bool(done.exceeded)
            except ToolchainError:
                raise
            except MbsymError:
                # Numbers without a motion, such as a mass that is not finite.
                status[k] = 1
        drives = {"x": x} if self.nx else {}
        return {"t": t, "q": q, "v": v, **drives, EXCEEDED: exceeded, STATUS: status}

    def _one(self, initial: Mapping[str, float], parameters: Mapping[str, float]) -> SimulationResult:
        # Parameters become numbers of the equations, which are those of one set then.
        model: Model | Equations = model_of(self.model) if parameters else equations_of(self)
        return simulated(model, self.simulations, initial, parameters)


def simulated(
    model: Model | Equations, how: Simulations, initial: Mapping[str, float], parameters: Mapping[str, float]
) -> SimulationResult:
    """One simulation."""
    alike = {item.name: getattr(how, item.name) for item in fields(how) if item.name not in ("duration", "last")}
    return simulate(model, how.duration, initial=initial, parameters=parameters, **alike)


def _numbers(named: Mapping[str, Array], k: int) -> dict[str, float]:
    return {name: float(array[k] if array.ndim else array) for name, array in named.items()}


@lru_cache(maxsize=8)
def function_of(task: FunctionTask) -> CompiledFunction:
    """The function of a task, compiled once a process; the library is compiled once a machine."""
    compiled = compile(
        model_of(task.model),
        (task.function,),
        formulation=task.formulation,
        real=task.real,
        symbolic_parameters=task.symbolic_parameters,
    )
    return compiled.functions[task.function]


@lru_cache(maxsize=8)
def model_of(text: str) -> Model:
    """The model that was written so."""
    return read_native(TextSource("sweep.yaml", text))


_PREPARED: Final[dict[str, Equations]] = {}
"""Of the last task, by what tells it from others: loads need not be hashable."""


def equations_of(task: SimulationTask) -> Equations:
    """What the simulations of a task call, made once a process."""
    key = repr(task)
    if key not in _PREPARED:
        _PREPARED.clear()
        how = task.simulations
        _PREPARED[key] = prepare(
            model_of(task.model), how.preparation, loaded=how.loads.drive, variational=how.method == "symplectic"
        )
    return _PREPARED[key]
