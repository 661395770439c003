"""A function over very many states or parameters: in chunks, by any executor, resumed where it was left."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsym import __version__
from mbsym.batches.compiled import CompiledFunction, compile
from mbsym.codegen.description import Real
from mbsym.errors import CodegenError
from mbsym.formats.native import read_native
from mbsym.formats.native_text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.system import Model
from mbsym.pipeline import Progress, read

Array: TypeAlias = NDArray[Any]
Chunk: TypeAlias = dict[str, Array]

IN_FLIGHT: Final = 64
"""Chunks that an executor has at a time, so that a sweep of any length takes little memory on its way."""
STATUS: Final = "status"


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker needs besides the numbers: the model as text, the function, how it is generated."""

    model: str
    function: str
    formulation: str
    real: Real
    symbolic_parameters: str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Results of all states.

    Attributes:
        function: that was evaluated.
        results: by name, an array of the states and of the result's own axes.
        status: of each state, 0 where all is well.
    """

    function: str
    results: Mapping[str, Array]
    status: Array

    def __getitem__(self, name: str) -> Array:
        """The result of that name."""
        return self.results[name]


def sweep(
    source: Model | str | Path,
    function: str,
    *inputs: ArrayLike,
    parameters: Mapping[str, ArrayLike] | None = None,
    executor: Executor | None = None,
    chunk: int = 16384,
    output: str | Path | None = None,
    formulation: str = "auto",
    real: Real = "double",
    symbolic_parameters: str | Sequence[str] = "",
    progress: Progress | None = None,
) -> Sweep:
    """A function for many states, parameter sets or both, chunk by chunk.

    Args:
        source: a model, a model file, or the name of a bundled example.
        function: its name.
        inputs: arguments in order; each has one axis of states in front, or none where all states share it.
        parameters: run-time parameters that are not as the model has them, numbers or one a state.
        executor: of ``concurrent.futures``: processes, threads, MPI, or Dask's ``client.get_executor()``; None computes
            here.
        chunk: states that are computed at a time.
        output: .npz file for the results and statuses. Chunks that are done wait beside it in a folder until all are,
            and the same sweep takes them from there when it is started again.
        formulation, real, symbolic_parameters: see ``mbsym.generate``.
        progress: told of chunks done, and of all.

    Raises:
        CodegenError: the axes of states do not fit, the chunk is not positive, or the output is no .npz file.
        MbsymError: the model or the function is unusable.
    """
    if chunk < 1:
        raise CodegenError(f"chunks of {chunk} states", where="sweep", remedy="give a positive number")
    target = None if output is None else Path(output)
    if target is not None and target.suffix != ".npz":
        raise CodegenError(f"no results can be kept in {target.name!r}", where="sweep", remedy="end it in .npz")
    symbolic = symbolic_parameters if isinstance(symbolic_parameters, str) else tuple(symbolic_parameters)
    task = Task(dump_native(read(source)), function, formulation, real, symbolic)
    called = _function(task)
    arrays = [np.asarray(value, dtype=float) for value in inputs]
    values = {name: np.asarray(value, dtype=float) for name, value in (parameters or {}).items()}
    own = [len(item.shape) for item in called.function.inputs]
    if len(arrays) != len(own):
        raise CodegenError(
            f"{len(arrays)} arguments given, {len(own)} expected",
            where=function,
            remedy=f"give {', '.join(called.inputs)}",
        )
    states = _states(function, [*zip(called.inputs, arrays, own, strict=True)], values)
    pieces = [(start, min(start + chunk, states)) for start in range(0, states, chunk)]
    kept = None if target is None else _Kept(target, task, [*arrays, *values.values()], tuple(values), chunk)
    found: dict[int, Chunk] = {}
    if kept is not None:
        found = {place: done for place in range(len(pieces)) if (done := kept.read(place)) is not None}
    todo = [place for place in range(len(pieces)) if place not in found]

    def cut(place: int) -> tuple[Task, list[Array], dict[str, Array]]:
        start, end = pieces[place]
        some = [a[start:end] if a.ndim > k else a for a, k in zip(arrays, own, strict=True)]
        return task, some, {name: value[start:end] if value.ndim else value for name, value in values.items()}

    for place, done in _computed(todo, cut, executor):
        found[place] = done
        if kept is not None:
            kept.write(place, done)
        if progress is not None:
            progress(f"sweep {function}", len(found), len(pieces))
    if not pieces:
        found = {0: _work(*_nothing(task, called, values))}
    whole = {name: np.concatenate([found[place][name] for place in sorted(found)]) for name in found[0]}
    status = whole.pop(STATUS)
    if target is not None and kept is not None:
        _write(target, {**whole, STATUS: status})
        kept.clear()
    return Sweep(function, whole, status)


def _states(function: str, inputs: Sequence[tuple[str, Array, int]], parameters: Mapping[str, Array]) -> int:
    """How many there are: the length of all axes of states."""
    lengths = {name: array.shape[0] for name, array, own in inputs if array.ndim == own + 1}
    lengths |= {name: array.shape[0] for name, array in parameters.items() if array.ndim == 1}
    deep = [name for name, array, own in inputs if array.ndim > own + 1]
    deep += [name for name, array in parameters.items() if array.ndim > 1]
    if deep:
        raise CodegenError(f"{deep[0]} has several axes of states", where=function, remedy="give one axis")
    if len(set(lengths.values())) != 1:
        told = ", ".join(f"{name}: {length}" for name, length in lengths.items()) or "none has an axis of states"
        raise CodegenError(f"the numbers of states differ: {told}", where=function, remedy="give arrays of one length")
    (length,) = set(lengths.values())
    return int(length)


def _nothing(task: Task, called: CompiledFunction, values: Mapping[str, Array]) -> Any:
    return task, [np.zeros((0, *item.shape)) for item in called.function.inputs], {name: 0.0 for name in values}


def _computed(todo: Sequence[int], cut: Any, executor: Executor | None) -> Iterator[tuple[int, Chunk]]:
    """Chunks as they are done."""
    if executor is None:
        yield from ((place, _work(*cut(place))) for place in todo)
        return
    waiting: dict[Future[Chunk], int] = {}
    left = iter(todo)
    while True:
        for place in left:
            waiting[executor.submit(_work, *cut(place))] = place
            if len(waiting) >= IN_FLIGHT:
                break
        if not waiting:
            return
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield waiting.pop(future), future.result()


def _work(task: Task, inputs: Sequence[Array], parameters: Mapping[str, Array]) -> Chunk:
    """One chunk, in whatever process this is."""
    called = _function(task)
    results, status = called(*inputs, parameters=parameters, failures="return")
    named = results if isinstance(results, tuple) else (results,)
    found: Chunk = dict(zip(called.outputs, named, strict=True))
    count = len(named[0])
    return {**found, STATUS: np.broadcast_to(status, (count,)).astype(np.int32)}


@lru_cache(maxsize=8)
def _function(task: Task) -> CompiledFunction:
    """The function of a task, compiled once a process; the library is compiled once a machine."""
    model = read_native(TextSource("sweep.yaml", task.model))
    compiled = compile(
        model,
        (task.function,),
        formulation=task.formulation,
        real=task.real,
        symbolic_parameters=task.symbolic_parameters,
    )
    return compiled.functions[task.function]


class _Kept:
    """Chunks of a sweep that are done, in a folder beside the output; another sweep's do not count."""

    def __init__(self, target: Path, task: Task, arrays: Sequence[Array], names: tuple[str, ...], chunk: int) -> None:
        shapes = [array.shape for array in arrays]
        digest = sha256(repr((__version__, task, names, chunk, shapes)).encode())
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        self._folder = target.with_name(f"{target.name}.parts")
        self._key = digest.hexdigest()[:16]

    def _path(self, place: int) -> Path:
        return self._folder / f"{self._key}-{place}.npz"

    def read(self, place: int) -> Chunk | None:
        """The chunk, if it is there and whole."""
        try:
            with np.load(self._path(place), allow_pickle=False) as file:
                return dict(file)
        except (OSError, ValueError, BadZipFile):
            return None

    def write(self, place: int, chunk: Chunk) -> None:
        """Keeps a chunk."""
        self._folder.mkdir(parents=True, exist_ok=True)
        _write(self._path(place), chunk)

    def clear(self) -> None:
        """Removes the chunks of this sweep, and the folder if nothing else is there."""
        if self._folder.is_dir():
            for path in self._folder.glob(f"{self._key}-*.npz"):
                path.unlink()
            if not any(self._folder.iterdir()):
                self._folder.rmdir()


def _write(path: Path, arrays: Mapping[str, Array]) -> None:
    """The arrays in a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.new")
    named: dict[str, Any] = dict(arrays)
    with scratch.open("wb") as file:
        np.savez(file, **named)
    os.replace(scratch, path)
