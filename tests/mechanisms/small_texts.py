"""Small C texts, as emitted ones are written, for what is computed of a text operation by operation."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsym.codegen.build import build_library
from mbsym.rounding.recording import record
from mbsym.rounding.tape import Tape
from mbsym.texts.c_reader import read_c


def small_text(body: str, inputs: int, outputs: int, real: str = "double") -> str:
    """A function f(x, y) with statements between its braces."""
    return (
        f"#include <math.h>\ntypedef {real} T_real;\n\n"
        f"void f(const T_real x[{inputs}], T_real y[{outputs}])\n{{\n{body}\n}}\n"
    )


def small_tape(body: str, inputs: int, outputs: int = 1, real: str = "double") -> Tape:
    """What it computes."""
    return record(read_c(small_text(body, inputs, outputs, real)), "f", single=real == "float")


def compiled(text: str, directory: Path, states: NDArray[Any], outputs: int, flags: Sequence[str] = ()) -> NDArray[Any]:
    """Results (outputs, N) of the compiled function at states (n, N), whose type its numbers have."""
    source, library = directory / "f.c", directory / "f.so"
    source.write_text(text, encoding="utf-8")
    build_library([source], library, ("-std=c99", "-O2", *flags))
    function = ctypes.CDLL(str(library)).f
    rows = np.ascontiguousarray(states.T)
    results = np.zeros((len(rows), outputs), dtype=states.dtype)
    for k in range(len(rows)):
        function(ctypes.c_void_p(rows[k].ctypes.data), ctypes.c_void_p(results[k].ctypes.data))
    return results.T
