"""A function or a simulation over very many states or parameters: in chunks, by any executor, resumed where left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mbsym.doors import Array
from mbsym.errors import CodegenError
from mbsym.formats.native.text import dump_native
from mbsym.model.system import Model
from mbsym.option import takes
from mbsym.options.generation import GenerationOptions, chosen
from mbsym.options.keywords import OfFunctions
from mbsym.pipeline import Progress, read
from mbsym.simulation.argument_checks import check_callable, shown
from mbsym.simulation.initial_state import initial_state
from mbsym.simulation.integrate import check_model, with_parameters
from mbsym.sweeps.stores import require_suffix, store_of
from mbsym.sweeps.values import Values, arrays, named_arrays
from mbsym.sweeps.work import (
    STATUS,
    Chunk,
    FunctionTask,
    Simulations,
    SimulationTask,
    Task,
    equations_of,
    function_of,
    simulated,
)

IN_FLIGHT: Final = 64
"""Chunks that an executor has at a time, so that a sweep of any length takes little memory on its way."""
CHUNK: Final = 16384
"""States of a function that are computed at a time, if nothing is said."""
CHUNK_OF_SIMULATIONS: Final = 64


class Client(Protocol):
    """Dask's distributed client, or what gives an executor likewise."""

    def get_executor(self, *, pure: bool) -> Executor:
        """Its workers as an executor."""
        ...


@dataclass(frozen=True, slots=True)
class Sweep:
    """Results of all states.

    Attributes:
        function: that was evaluated, or "simulate".
        results: by name, an array of the states and of the result's own axes; of a Zarr store its arrays.
        status: of each state, 0 where all is well.
    """

    function: str
    results: Mapping[str, Array]
    status: Array

    def __getitem__(self, name: str) -> Array:
        """The result of that name."""
        return self.results[name]


@takes(GenerationOptions, OfFunctions)
def sweep(
    source: Model | str | Path,
    function: str | Simulations,
    *inputs: ArrayLike,
    initial: Mapping[str, ArrayLike] | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    executor: Executor | Client | None = None,
    chunk: int | None = None,
    output: str | Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[OfFunctions],
) -> Sweep:
    """A function or a simulation for many states, parameter sets or both, chunk by chunk.

    Args:
        source: a model, a model file, or the name of a bundled example.
        function: its name, or the simulations to be made.
        inputs: arguments in order; each has one axis of states in front, or none where all states share it.
        initial: coordinates and speeds that simulations start from by name, numbers or one a simulation.
        parameters: parameters that are not as the model has them, numbers or one a state; run-time parameters of a
            function, and any of simulations, whose equations are then made for each set.
        executor: of ``concurrent.futures``: processes, threads, MPI; or Dask's distributed client; None computes here.
        chunk: states that are computed at a time; default 16384, and 64 simulations.
        output: .npz file or .zarr store for the results and statuses. Chunks that are done wait in a folder beside the
            file, or are in the store; the same sweep goes on with the others when it is started again.
        **options: see below.
        progress: told of chunks done, and of all.

    Raises:
        CodegenError: the axes of states do not fit, the chunk is not positive, or the output ends otherwise.
        SimulationError: the simulations cannot be made, or the name of a coordinate is unknown.
        ToolchainError: a Zarr store is asked for and zarr is not installed.
        MbsymError: the model or the function is unusable.
    """
    _check(source, function, chunk, output)
    check_callable("progress", progress)
    simulations = function if isinstance(function, Simulations) else None
    name = "simulate" if not isinstance(function, str) else function
    size = chunk if chunk is not None else CHUNK if simulations is None else CHUNK_OF_SIMULATIONS
    if size < 1:
        raise CodegenError(f"chunks of {size} states", where="sweep", remedy="give a positive number")
    target = None if output is None else Path(output)
    if target is not None:
        require_suffix(target)
    model = read(source)
    starts, changed = named_arrays("initial", initial), named_arrays("parameters", parameters)
    task: Task
    if simulations is None:
        if starts:
            raise CodegenError(f"{name} starts from no state", where="sweep", remedy="give its arguments in order")
        of_function = chosen(options)
        task = FunctionTask(
            dump_native(model), name, of_function.formulation, of_function.real, of_function.symbolic_parameters
        )
        values = _arguments(task, arrays(inputs), changed)
    else:
        if inputs:
            raise CodegenError("simulations take no arguments", where="sweep", remedy="give initial and parameters")
        values = Values(parameters=changed, initial=starts)
        task = _simulation_task(model, simulations, values)
    states = values.states(name)
    pieces = [(start, min(start + size, states)) for start in range(0, states, size)] or [(0, 0)]
    store = store_of(target, task, values, pieces)
    there = store.there()
    done = len(there)
    for place, found in _computed(task, values, pieces, there, _executor(executor)):
        store.write(place, found)
        done += 1
        if progress is not None:
            progress(f"sweep {name}", done, len(pieces))
    whole = store.whole()
    status = np.asarray(whole.pop(STATUS))
    return Sweep(name, whole, status)


def _check(source: object, function: object, chunk: object, output: object) -> None:
    """Refuses what is of another kind than what is asked for."""
    check_model(source)
    kinds = (
        (function, (str, Simulations), "is no function to sweep", "give its name, or Simulations(duration)"),
        (chunk, (int, type(None)), "is no number of states to compute at a time", "give a whole number"),
        (output, (str, Path, type(None)), "is no path", "name an .npz file or a .zarr store"),
    )
    for given, kind, what, remedy in kinds:
        if not isinstance(given, kind):
            raise CodegenError(f"{shown(given)} {what}", where="sweep", remedy=remedy)


def _arguments(task: FunctionTask, inputs: tuple[Array, ...], parameters: Mapping[str, Array]) -> Values:
    called = function_of(task)
    own = tuple(len(item.shape) for item in called.function.inputs)
    if len(inputs) != len(own):
        raise CodegenError(
            f"{len(inputs)} arguments given, {len(own)} expected",
            where=task.function,
            remedy=f"give {', '.join(called.inputs)}",
        )
    return Values(called.inputs, inputs, own, parameters)


def _simulation_task(model: Model, simulations: Simulations, values: Values) -> SimulationTask:
    """Refuses what cannot be simulated before any worker starts, by one simulation of the model as it is."""

    def first(named: Mapping[str, Array]) -> dict[str, float]:
        return {name: float(array.flat[0]) for name, array in named.items() if array.size}

    with_parameters(model, first(values.parameters))
    text = dump_native(model)
    equations = equations_of(SimulationTask(text, simulations, 0, 0, 0))
    initial_state(equations.mechanism, first(values.initial))
    done = simulated(equations, simulations, {}, {})
    return SimulationTask(text, simulations, len(done.t), done.q.shape[1], done.v.shape[1], done.x.shape[1])


def _executor(given: Executor | Client | None) -> Executor | None:
    if given is None or isinstance(given, Executor):
        return given
    try:
        # Comparing chunks by their numbers, so as to compute equal ones once, costs more than it saves.
        return given.get_executor(pure=False)
    except AttributeError:
        what = f"nothing can be computed by {type(given).__name__}"
        remedy = "give an executor of concurrent.futures, or Dask's client"
        raise CodegenError(what, where="sweep", remedy=remedy) from None


def _computed(
    task: Task, values: Values, pieces: Sequence[tuple[int, int]], there: set[int], executor: Executor | None
) -> Iterator[tuple[int, Chunk]]:
    """Chunks as they are done."""

    def given(place: int) -> tuple[Values, int]:
        start, end = pieces[place]
        return values.part(start, end), end - start

    todo = [place for place in range(len(pieces)) if place not in there]
    if executor is None or pieces == [(0, 0)]:
        yield from ((place, task.run(*given(place))) for place in todo)
        return
    waiting: dict[Future[Chunk], int] = {}
    left = iter(todo)
    while True:
        for place in left:
            waiting[executor.submit(task.run, *given(place))] = place
            if len(waiting) >= IN_FLIGHT:
                break
        if not waiting:
            return
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield waiting.pop(future), future.result()
