"""Generated C of any functions, for one state at a time and for batches, as entries of a measurement."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

from mbsym.codegen.description import Argument
from mbsym.codegen.interface import Trigonometry
from mbsym.codegen.load import arguments_of_entry
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.model.system import Model
from mbsym.options.generation import Style
from mbsym.pipeline import generate
from peers.builds import BUILDS, DRIVERS, FLAGS, KEPT, Job, libraries
from peers.measure import Entry

Array: TypeAlias = np.ndarray[Any, Any]

HEAD = """#include <stddef.h>
#include <string.h>
#include "clock.h"
#include "m{batch}.h"

#define PUBLIC __attribute__((visibility("default")))

typedef struct {{ long states; const m_real *in[16]; }} Peer;

"""


LINE = 16
"""Numbers between columns, a line of the processor's cache: columns of 256 states would all stand on the same lines."""


@dataclass(frozen=True, slots=True)
class Code:
    """Generated text with what its functions take and give.

    Attributes:
        texts: by file name.
        functions: inputs and outputs by name.
        operations: by function.
        real: of the numbers.
    """

    texts: Mapping[str, str]
    functions: Mapping[str, tuple[tuple[Argument, ...], tuple[Argument, ...]]]
    operations: Mapping[str, int]
    real: str


def code(
    model: Model,
    functions: Sequence[str],
    trigonometry: Trigonometry = "auto",
    real: str = "double",
    batch: bool = False,
    style: Style = "auto",
) -> Code:
    """What mbsym generates, all names with the prefix m."""
    with TemporaryDirectory() as scratch:
        done = generate(
            model,
            scratch,
            languages=("batch",) if batch else ("c",),
            functions=tuple(functions),
            trigonometry=trigonometry,
            real="float" if real == "float" else "double",
            prefix="m",
            style=style,
        )
        manifest = read_manifest(Path(scratch) / "m.json")
        every = {entry["name"]: arguments_of_entry(entry) for entry in manifest["functions"]}
        names = ("m.c", "m.h", *(("m_batch.c", "m_batch.h") if batch else ()))
        texts = {name: (Path(scratch) / name).read_text() for name in names}
    counts = {item.name: item.operation_count().arithmetic for item in done.derivation.programs}
    return Code(texts, {name: every[name] for name in functions}, counts, real)


def job(name: str, made: Code, build: tuple[str, ...], extra: Sequence[str] = (), states: int = 0) -> Job:
    """A library that calls the functions for one state after the other, or for so many together.

    With states, functions are counted twice: of odd numbers are those that have the states in columns.
    """
    text = HEAD.format(batch="_batch" if states else "")
    names = _inputs(made)
    cases = []
    for k, (function, (inputs, outputs)) in enumerate(made.functions.items()):
        rows = states + LINE if states else 1
        text += "".join(f"static m_real out{k}_{i}[{item.size * rows}];\n" for i, item in enumerate(outputs))
        if states:
            cases += _batch(function, k, states, [f"peer->in[{names[item.name]}]" for item in inputs], len(outputs))
            continue
        # Scalars are given by value and returned by address.
        taken = [f"{'' if item.shape else '*'}(peer->in[{names[item.name]}] + {item.size}*k)" for item in inputs]
        taken += [f"out{k}_{i}" for i in range(len(outputs))]
        cases.append(f"    case {k}: CALLS(calls, m_{function}({', '.join(taken)}))\n")
    text += """
PUBLIC double peer_spent(void *opened, int function, long calls)
{
    Peer *peer = opened;
    const double start = now();
    switch (function) {
"""
    text += "".join(cases) + "    default: return -1;\n    }\n    return now() - start;\n}\n"
    text += "\nPUBLIC void peer_result(int function, m_real *result, long count)\n{\n"
    ways = 2 if states else 1
    for k in range(len(made.functions)):
        text += f"    if (function/{ways} == {k}) memcpy(result, out{k}_0, (size_t)count * sizeof *result);\n"
    text += "}\n"
    texts = {"driver.c": text, "clock.h": (DRIVERS / "clock.h").read_text(), **made.texts}
    others = ("m.c", *(("m_batch.c",) if states else ()))
    return Job(name, build, texts, tuple(extra), others)


def _batch(function: str, k: int, states: int, inputs: Sequence[str], outputs: int) -> list[str]:
    cases = []
    for way, steps in enumerate(("NULL", "columns")):
        taken = [f"{name}, {steps}" for name in (*inputs, *(f"out{k}_{i}" for i in range(outputs)))]
        declared = f"const ptrdiff_t columns[2] = {{1, {states + LINE}}}; (void)columns;"
        call = f"m_{function}_batch({states}, {', '.join(taken)})"
        cases.append(f"    case {2 * k + way}: {{ {declared} CALLS(calls, {call}) }}\n")
    return cases


def _inputs(made: Code) -> dict[str, int]:
    names: dict[str, int] = {}
    for inputs, _ in made.functions.values():
        for item in inputs:
            names.setdefault(item.name, len(names))
    return names


class Opened:
    """A built library with its inputs.

    Args:
        path: of the library.
        made: what it was built from.
        values: states by the names of inputs.
    """

    def __init__(self, path: Path, made: Code, values: Mapping[str, Array]) -> None:
        self._code = ctypes.CDLL(str(path))
        self._code.peer_spent.restype = ctypes.c_double
        self._code.peer_spent.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_long]
        real = np.float32 if made.real == "float" else np.float64
        states = len(values[next(iter(_inputs(made)))])
        # As many numbers as columns take with a line between them; which state has which does not matter to the time.
        self._arrays = [np.resize(values[name], (states + LINE, *np.shape(values[name])[1:])) for name in _inputs(made)]
        self._arrays = [np.ascontiguousarray(array, dtype=real) for array in self._arrays]
        words = [states, *(array.ctypes.data for array in self._arrays)]
        self._peer = (ctypes.c_void_p * 17)(*words)
        self.real = real

    def spent(self, function: int, calls: int) -> float:
        """Seconds of so many calls of a function, by its number."""
        return float(self._code.peer_spent(self._peer, function, calls))

    def result(self, function: int, size: int) -> Array:
        """The first result that the last call of a function left."""
        found = np.zeros(size, dtype=self.real)
        self._code.peer_result(function, ctypes.c_void_p(found.ctypes.data), ctypes.c_long(size))
        return found


def entries(
    robot: str,
    model: Model,
    functions: Mapping[str, str],
    values: Mapping[str, Array],
    *,
    trigonometry: Sequence[Trigonometry] = ("libm", "auto"),
    extra: Sequence[tuple[str, ...]] = ((),),
    kept: Path = KEPT,
) -> Iterator[tuple[Entry, Opened, int]]:
    """Of all builds, with what was opened and the function's number.

    Args:
        robot: the model's name.
        model: it is.
        functions: their names in tables by their own.
        values: states by the names of inputs.
        trigonometry: each of these.
        extra: what compilers are told in turn besides, where they optimise for this processor.
        kept: where libraries lie.
    """
    made = {kind: code(model, tuple(functions), kind) for kind in trigonometry}
    every = [
        (kind, (*build, *more), job(f"{robot}-{kind}", made[kind], build, more))
        for kind in trigonometry
        for build in BUILDS
        for more in (extra if build[1:] != FLAGS[0] else ((),))
    ]
    paths = libraries([item for _, _, item in every], kept)
    for (kind, build, _), path in zip(every, paths, strict=True):
        opened = Opened(path, made[kind], values)
        for k, short in enumerate(functions.values()):
            yield Entry(robot, short, "mbsym", " ".join((*build, kind)), partial(opened.spent, k)), opened, k
