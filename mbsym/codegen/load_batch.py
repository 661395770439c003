"""Loading compiled functions for many states: NumPy arrays go to them as they lie in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsym.codegen.build import WARNINGS, SharedLibrary, compile_c
from mbsym.codegen.description import Argument
from mbsym.codegen.load import (
    Array,
    LoadedModule,
    Results,
    arguments_of_entry,
    batch_axes,
    lacks,
    loaded,
    unwritten,
)
from mbsym.errors import CodegenError

CHECKED: Final = (*WARNINGS, "-O2", "-fno-math-errno", "-Wno-psabi")
"""Flags of the certificate: those of any processor of the kind."""


def load_batch(
    directory: Path, manifest: Mapping[str, Any], flags: Sequence[str] = CHECKED, cc: str | None = None
) -> LoadedModule:
    """Compiles and loads the functions for many states of a directory.

    Raises:
        ToolchainError: there is no C compiler.
        CodegenError: a source is missing or does not compile, or lacks a function of the manifest.
    """
    name = manifest["name"]
    library = compile_c(directory, f"{name}_batch", flags, cc, also=(name,))
    return batch_module(library, manifest)


def batch_module(library: SharedLibrary, manifest: Mapping[str, Any]) -> LoadedModule:
    """The functions for many states of a compiled library."""
    real = np.dtype({"double": np.float64, "float": np.float32}[manifest["real"]])
    defaults: dict[str, float] = manifest["run_time_parameters"]
    functions = {}
    known = set()
    for entry in manifest["functions"]:
        known.add(entry["c_symbol"])
        if "batch" not in entry:
            continue
        symbol = getattr(library.handle, entry["batch"]["c_symbol"], None)
        if symbol is None:
            raise lacks(entry["name"])
        known.add(entry["batch"]["c_symbol"])
        symbol.restype = ctypes.c_int if "status" in entry else None
        inputs, outputs = arguments_of_entry(entry)
        called = BatchFunction(library, symbol, entry["name"], inputs, outputs, real, defaults, "status" in entry)
        functions[entry["name"]] = loaded(entry, inputs, outputs, tuple(defaults), called.evaluate)
    unlisted = tuple(sorted(library.symbols - known))
    return LoadedModule("batch", manifest, functions, library.compiler, tuple(library.command), unlisted)


@dataclass(frozen=True, slots=True)
class BatchFunction:
    """A C function that takes all states at once.

    Attributes:
        library: which must live as long.
        symbol: of ctypes.
        name: for messages.
        inputs, outputs: its arguments.
        real: type of the numbers.
        defaults: of the run-time parameters, in the order of the structure.
        fails: whether it has statuses.
    """

    library: SharedLibrary
    symbol: Any
    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    real: np.dtype[Any]
    defaults: Mapping[str, float]
    fails: bool

    def evaluate(
        self, inputs: Sequence[ArrayLike], parameters: Mapping[str, ArrayLike]
    ) -> tuple[Results, NDArray[np.intc]]:
        """Results and statuses; parameters may have batch axes too.

        Raises:
            CodegenError: an argument has another shape than its own behind its batch axes, or these do not broadcast;
                or what the function returns is not the largest status.
        """
        arrays = [np.asarray(value, dtype=self.real) for value in inputs]
        values = [np.asarray(parameters.get(name, default), dtype=self.real) for name, default in self.defaults.items()]
        given = [(item.name, array, item.shape) for item, array in zip(self.inputs, arrays, strict=True)]
        given += [(name, value, ()) for name, value in zip(self.defaults, values, strict=True)]
        batch = batch_axes(self.name, given)
        count = int(np.prod(batch, dtype=np.int64))
        structure, stride = _structure(values, batch)
        kept: list[Any] = [structure]  # what is pointed at must live until the call is over
        actual: list[Any] = [ctypes.c_ssize_t(count)]
        actual += [ctypes.c_void_p(structure.ctypes.data), ctypes.c_ssize_t(stride)] if self.defaults else []
        for item, array in zip(self.inputs, arrays, strict=True):
            flat, strides = laid_out(np.broadcast_to(array, (*batch, *item.shape)), item, count)
            kept += [flat, (ctypes.c_ssize_t * 2)(*strides)]
            actual += [ctypes.c_void_p(flat.ctypes.data), kept[-1]]
        results = [unwritten((count, item.size), np.intc if item.kind == "int" else self.real) for item in self.outputs]
        for result in results:
            actual += [ctypes.c_void_p(result.ctypes.data), ctypes.c_void_p(None)]
        status = np.zeros(count if self.fails else 1, dtype=np.intc)
        if self.fails:
            actual.append(ctypes.c_void_p(status.ctypes.data))
        largest = self.symbol(*actual)
        if self.fails and largest != status.max(initial=0):
            raise CodegenError(
                f"it returns the status {largest}, and the largest of its states is {status.max(initial=0)}",
                where=self.name,
                remedy="generate it again",
            )
        shapes = ((*batch, *item.shape) for item in self.outputs)
        shaped = tuple(result.reshape(shape) for result, shape in zip(results, shapes, strict=True))
        return shaped[0] if len(shaped) == 1 else shaped, np.broadcast_to(status, (count,)).reshape(batch)


def _structure(values: Sequence[Array], batch: tuple[int, ...]) -> tuple[Array, int]:
    """Parameters as rows, and how far it is to that of the next state: one row for all states, or a row a state."""
    many = any(value.ndim for value in values)
    rows = [np.broadcast_to(value, batch) for value in values] if many else values
    return np.ascontiguousarray(np.stack([np.reshape(row, -1) for row in rows], axis=-1) if values else []), int(many)


def laid_out(array: Array, item: Argument, count: int) -> tuple[Array, list[int]]:
    """An argument state by state and entry by entry, and the numbers from one to the next; one where there are none.

    Copied only where no stride in whole numbers leads from state to state: fields of a structured array may lie
    between other bytes.
    """
    flat = array.reshape((count, item.size)) if count and item.size else np.zeros((1, 1), dtype=array.dtype)
    size = flat.itemsize
    if not flat.flags.aligned or any(stride % size for stride in flat.strides):
        flat = flat.copy()
    return flat, [stride // size for stride in flat.strides]
