"""A model's functions over NumPy arrays with leading axes: compiled for this processor, or else by NumPy."""

from __future__ import annotations

import warnings
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from json import loads
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsym.codegen.cache import library_of
from mbsym.codegen.description import EVERY, GeneratedFile, Real
from mbsym.codegen.languages import LARGEST_OPTIMISED
from mbsym.codegen.load import LoadedFunction, LoadedModule, numpy_module
from mbsym.codegen.load_batch import batch_module
from mbsym.codegen.load_python import PythonCalls, calls_of, extension
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.doors import Array
from mbsym.errors import CodegenError, ToolchainError
from mbsym.model.system import Model
from mbsym.options.generation import chosen
from mbsym.pipeline import generate_files

Failures: TypeAlias = Literal["raise", "mask", "keep", "return"]

FLAGS: Final = ("-std=c99", "-fno-math-errno", "-Wno-psabi")
NATIVE: Final = "-march=native"
LARGEST_VECTORISED: Final = 2_000_000
"""Bytes of C above which loops over lanes are no longer worth the time that it takes to compile them as vectors."""


class StatusError(ArithmeticError):
    """A function has no result as it is meant to be for some states.

    Attributes:
        function: its name.
        status: of each state, an array of the batch axes; numbers of ``mbsym.codegen.statuses.Status``.
    """

    def __init__(self, function: str, status: Array) -> None:
        self.function = function
        self.status = status
        failed = status != Status.OK
        first = tuple(int(k) for k in np.argwhere(failed)[0])
        found = Status(int(status[first]))
        where = f" in {failed.sum()} of {failed.size} states, first in state {first}" if status.ndim else ""
        super().__init__(f"{function}: {found.name}{where}: {SENTENCES[found]}")


@dataclass(frozen=True, slots=True, repr=False)
class CompiledFunction:
    """A function over arrays; leading axes of the arguments are batch axes and broadcast.

    Pickled, it is the text of its module, which is compiled where it is read, or found in the cache there.

    Attributes:
        function: what evaluates it.
        files: of the module, its manifest last.
        threads: whether states are shared among threads.
        results: the type of several results, None where there is one.
    """

    function: LoadedFunction
    files: tuple[GeneratedFile, ...]
    threads: bool
    results: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return _function_of, (self.files, self.threads, self.name)

    def __repr__(self) -> str:
        given, found = (
            ", ".join(f"{item.name} {item.shape}" if item.shape else item.name for item in items)
            for items in (self.function.inputs, self.function.outputs)
        )
        return f"<{self.name}({given}) -> {found}>"

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __signature__(self) -> Signature:
        words = {"out": None, "parameters": None, "failures": "raise"}
        return Signature(
            [
                *(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in self.inputs),
                *(Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in words.items()),
            ]
        )

    @property
    def name(self) -> str:
        """As the manifest has it."""
        return self.function.name

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of its arguments in order."""
        return tuple(item.name for item in self.function.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of its results in order."""
        return tuple(item.name for item in self.function.outputs)

    def __call__(
        self,
        *inputs: ArrayLike,
        out: Array | Sequence[Array] | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        failures: Failures = "raise",
        **named: ArrayLike,
    ) -> Any:
        """One array of the batch axes and the result's own, or a named tuple of arrays.

        Args:
            inputs: arguments in order; those that all states share need no batch axes.
            out: the array that the result is written into and that is returned, or one for each of several results;
                of the results' shapes and types. Where an error is raised, what they hold is not defined.
            parameters: run-time parameters that are not as the model has them, numbers or arrays of the batch axes.
            failures: "raise" an error where a state has no result, "mask" its results with NaN, "keep" what the
                function left there, or "return" (results, statuses).
            named: arguments by name, behind those in order.

        Raises:
            CodegenError: the number or shape of the arguments is wrong, or a parameter is unknown; or results do not
                fit into ``out``.
            StatusError: a state has no result, and failures is "raise".
            ValueError: failures is none of these words.
        """
        if failures not in ("raise", "mask", "keep", "return"):
            raise ValueError(f"failures is {failures!r}; give 'raise', 'mask', 'keep' or 'return'")
        given: Any = parameters
        results, status = self.function.with_status(*self._in_order(inputs, named), parameters=given)
        several = results if isinstance(results, tuple) else (results,)
        failed = np.asarray(status) != Status.OK
        if failures == "raise" and failed.any():
            raise StatusError(self.name, np.asarray(status))
        if failures == "mask" and failed.any():
            several = tuple(_masked(result, failed) for result in several)
        if out is not None:
            several = self._written(several, (out,) if self.results is None else out)
        shaped = several[0] if self.results is None else self.results(*several)
        return (shaped, status) if failures == "return" else shaped

    def _in_order(self, inputs: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> list[ArrayLike]:
        """The arguments, those by name behind the others.

        Raises:
            CodegenError: a name is unknown or given already, or one is missing before it.
        """
        behind = self.inputs[len(inputs) :]
        for name in named:
            if name not in behind:
                raise CodegenError(
                    f"{name} is given twice" if name in self.inputs else f"no argument {name!r}",
                    where=self.name,
                    remedy=f"give {', '.join(self.inputs)}; and out, parameters or failures",
                )
        return [*inputs, *(named[name] for name in behind if name in named)]

    def _written(self, results: Sequence[Array], out: Any) -> tuple[Array, ...]:
        """The arrays of ``out``, which hold the results then.

        Raises:
            CodegenError: they are not as many arrays of these shapes and types, or cannot be written.
        """
        names = self.outputs
        if not isinstance(out, tuple | list) or len(out) != len(names):
            raise CodegenError(
                "out is not an array for each result", where=self.name, remedy=f"give {', '.join(names)}"
            )
        for name, result, place in zip(names, results, out, strict=True):
            asked = f"{result.dtype} of shape {result.shape}"
            if not isinstance(place, np.ndarray):
                found = f"a {type(place).__name__}"
            elif (place.dtype, place.shape) != (result.dtype, result.shape):
                found = f"{place.dtype} of shape {place.shape}"
            elif not place.flags.writeable:
                found = "read-only"
            else:
                continue
            raise CodegenError(f"out for {name} is {found}", where=self.name, remedy=f"give an array, {asked}")
        for result, place in zip(results, out, strict=True):
            place[...] = result
        return tuple(out)


def _masked(result: Array, failed: NDArray[np.bool_]) -> Array:
    """The result with NaN in the states that failed; integers say what happened and stay."""
    if result.dtype.kind == "i":
        return result
    return np.where(failed.reshape(failed.shape + (1,) * (result.ndim - failed.ndim)), np.nan, result)


@dataclass(frozen=True)
class CompiledModel:
    """Functions of a model, each an attribute: ``arm.inverse_dynamics(q, v, vdot)``.

    Pickled, it is its text, which is compiled where it is read, or found in the cache there.

    Attributes:
        name: of the module.
        functions: by name.
        manifest: of the module: arguments, shapes, units, where joints stand in q and v.
        language: "batch" where they are compiled, else "numpy".
        compiler: first line of the compiler's version, "" for NumPy.
        command: compiler and flags.
        files: the module, its manifest last.
        threads: whether states are shared among threads.
    """

    name: str
    functions: Mapping[str, CompiledFunction]
    manifest: Mapping[str, Any]
    language: str
    compiler: str
    command: tuple[str, ...]
    files: tuple[GeneratedFile, ...]
    threads: bool

    def __reduce__(self) -> tuple[Any, ...]:
        return _model_of, (self.files, self.threads)

    def __post_init__(self) -> None:
        # Found as any attribute is, a function costs less than a call of it; one named as a field is in functions only.
        for name, function in self.functions.items():
            vars(self).setdefault(name, function)

    def __getattr__(self, name: str) -> CompiledFunction:
        """There is no function of that name.

        Raises:
            AttributeError: always.
        """
        functions = object.__getattribute__(self, "functions")
        raise AttributeError(f"{self.name} has no function {name!r}; it has {', '.join(functions)}")

    def __repr__(self) -> str:
        return f"<CompiledModel {self.name!r}, {self.language}: {', '.join(self.functions)}>"


def compile(
    source: Model | str | Path,
    functions: Sequence[str] = (),
    *,
    formulation: str = "auto",
    real: Real = "double",
    symbolic_parameters: str | Sequence[str] = "",
    frames: Sequence[str] = (),
    threads: bool = False,
) -> CompiledModel:
    """A model's functions for many states at once, as fast as this processor can.

    The C of ``--batch`` is compiled with the system's compiler and kept in the user's cache folder (MBSYM_CACHE, else
    XDG_CACHE_HOME), under a hash of the text, the compiler, its flags and the processor. Without a compiler NumPy
    computes, with a warning.

    Args:
        source: a model, a model file, or the name of a bundled example.
        functions: names, empty for all that the mechanism has but those on request.
        formulation, real, symbolic_parameters, frames: see ``mbsym.generate``.
        threads: states are shared among the processor's threads (OpenMP; OMP_NUM_THREADS says how many).

    Raises:
        MbsymError: the model or a name is unusable.
    """
    own = {"functions": functions, "formulation": formulation, "real": real, "frames": frames}
    options = chosen({**own, "symbolic_parameters": symbolic_parameters, "style": "straight"})

    def files(*languages: str) -> tuple[GeneratedFile, ...]:
        batch = (EVERY,) if "batch" in languages else ()
        return generate_files(source, replace(options, languages=languages, batch=batch))[1]

    texts = files("c", "batch")
    try:
        return _model_of(texts, threads)
    except ToolchainError as error:
        warnings.warn(f"{error}; NumPy computes instead", RuntimeWarning, stacklevel=2)
        return _model_of(files("numpy"), threads)


def _model_of(files: tuple[GeneratedFile, ...], threads: bool) -> CompiledModel:
    """The functions of a module's texts, compiled unless they are Python.

    Raises:
        ToolchainError: there is no C compiler, and they are not.
    """
    python = None
    if files[0].name.endswith(".py"):
        module = numpy_module(*files)
    else:
        module, python = _compiled(files, threads)
    own = {}
    for name, function in module.functions.items():
        outputs = [item.name for item in function.outputs]
        results = namedtuple(name, outputs, rename=True) if len(outputs) > 1 else None
        general = CompiledFunction(function, files, threads, results)
        own[name] = python.function(name, general, results) if python else general
    manifest = module.manifest
    return CompiledModel(
        manifest["name"], own, manifest, module.language, module.compiler, module.command, files, threads
    )


def _function_of(files: tuple[GeneratedFile, ...], threads: bool, name: str) -> CompiledFunction:
    return _model_of(files, threads).functions[name]


def _compiled(texts: Sequence[GeneratedFile], threads: bool) -> tuple[LoadedModule, PythonCalls | None]:
    """The functions of a compiled library, for this very processor if the compiler can, and how Python calls them."""
    manifest = loads(texts[-1].text)
    sources = (*texts[:-1], calls_of(manifest))
    size = sum(len(file.text) for file in sources)
    level = "-O3" if size <= LARGEST_OPTIMISED else "-O2" if size <= LARGEST_VECTORISED else "-O1"
    flags = (*FLAGS, level, *(["-fopenmp"] if threads else []))
    try:
        library = library_of(sources, (*flags, NATIVE))
    except CodegenError:
        library = library_of(sources, flags)
    module = batch_module(library, manifest)
    try:
        return module, PythonCalls(library, manifest, extension())
    except (CodegenError, ToolchainError) as error:
        warnings.warn(f"{error}; each call takes tens of microseconds more", RuntimeWarning, stacklevel=4)
        return module, None
