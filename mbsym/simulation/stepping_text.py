"""Texts of ``runtime`` that step, called alike in both languages: compiled with a module, or Python around kernels."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import CodeType
from typing import Any, Final, Protocol

import numpy as np

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.c.routines import print_c
from mbsym.codegen.expressions import Kind
from mbsym.codegen.numpy.routines import memory_class, print_numpy
from mbsym.codegen.routines.language import Signature
from mbsym.codegen.routines.module import routine_file
from mbsym.codegen.routines.reader import read_routine
from mbsym.codegen.statements import Formal
from mbsym.doors import Array

_SCALARS: Final[Mapping[Kind | None, Any]] = {"real": ctypes.c_double, "int": ctypes.c_int}


class SteppingText:
    """A text with its sizes decided.

    Attributes:
        routine: as it was read.
        functions: arguments of its public functions by name, without scratch memory, which comes last.
        memory: entries of the scratch memory.
    """

    def __init__(
        self,
        name: str,
        sizes: Mapping[str, int],
        numbers: Mapping[str, int | float],
        kernels: Mapping[str, Signature],
        public: Iterable[str],
    ) -> None:
        """Reads a file.

        Args:
            name: of the file in ``runtime``.
            sizes: integers that the text is specialised to.
            numbers: constants that keep their names.
            kernels: functions that it calls.
            public: its functions that are called.
        """
        text = routine_file(name).read_text(encoding="utf-8")
        self.routine = read_routine(text, name, sizes, numbers, kernels, dict.fromkeys(public))
        self.functions = {item.name: item.formals for item in self.routine.functions if item.is_public}
        self.memory = sum(array.size for array in self.routine.memory)

    def in_c(self, name: str) -> str:
        """The text in C, to follow that of the module of a name; its functions bear the name in front."""
        heads = {
            function: (*(f"{_c_formal(formal)}," for formal in formals), "double *work)")
            for function, formals in self.functions.items()
        }
        declared = [f"void {name}_{function}({' '.join(head)};" for function, head in heads.items()]
        printed = print_c(self.routine, f"{name}_", heads, "double", has_parameters=False)
        return "\n".join([*declared, "", printed]) + "\n"

    @cached_property
    def in_python(self) -> CodeType:
        """The text in Python, compiled."""
        return compile(print_numpy(self.routine), f"runtime/{self.routine.name}.py", "exec")


def _c_formal(formal: Formal) -> str:
    if formal.array is None:
        return f"{'int' if formal.kind == 'int' else 'double'} {formal.name}"
    return f"{'' if formal.array.writable else 'const '}double *{formal.name}"


class Engine(Protocol):
    """The public functions of a text, with some of their arguments."""

    def call(self, function: str, given: Mapping[str, Any]) -> None:
        """Calls a function with the other arguments; arrays that it fills are filled in place."""


class CompiledEngine:
    """The functions of a library."""

    def __init__(self, library: SharedLibrary, name: str, text: SteppingText, kept: Mapping[str, Array]) -> None:
        """Binds the functions.

        Args:
            library: with the module, into which the text was printed.
            name: of the module.
            text: of the functions.
            kept: arguments that stay where they are.
        """
        self._library = library
        self._kept = {**kept, "work": np.zeros(text.memory)}
        addresses = {item: array.ctypes.data for item, array in self._kept.items()}
        # By name: the function in C, and the addresses of its arguments in order; those that are given are still open.
        self._functions: dict[str, tuple[Any, dict[str, Any]]] = {}
        for function, formals in text.functions.items():
            symbol = getattr(library.handle, f"{name}_{function}")
            symbol.argtypes = [*(_SCALARS.get(formal.kind, ctypes.c_void_p) for formal in formals), ctypes.c_void_p]
            symbol.restype = None
            names = (*(formal.name for formal in formals), "work")
            self._functions[function] = symbol, {item: addresses.get(item) for item in names}

    def call(self, function: str, given: Mapping[str, Any]) -> None:
        """See ``Engine``."""
        symbol, kept = self._functions[function]
        actual = kept.copy()
        for name, item in given.items():
            actual[name] = item.ctypes.data if isinstance(item, np.ndarray) else item
        if len(actual) != len(kept) or None in actual.values():
            raise KeyError(f"{function} takes {', '.join(kept)}; given are {', '.join(given)}")
        symbol(*actual.values())


class EvaluatedEngine:
    """The functions in Python.

    Attributes:
        functions: by the names that they are printed with.
        memory: their scratch memory.
    """

    def __init__(
        self, kernels: Mapping[str, Callable[..., Any]], text: SteppingText, kept: Mapping[str, Array]
    ) -> None:
        """Runs the text once, which defines the functions.

        Args:
            kernels: what they call, each with a first argument that says nothing here.
            text: of the functions.
            kept: arguments that stay where they are.
        """
        names: dict[str, Any] = {"math": math, "_Floats": None}
        names |= {f"_{name}": kernel for name, kernel in kernels.items()}
        exec(text.in_python, names)
        self.functions, self.memory = names, names[memory_class(text.routine.name)]({})
        self._text, self._kept = text, kept

    def call(self, function: str, given: Mapping[str, Any]) -> None:
        """See ``Engine``."""
        arguments = {**self._kept, **given}
        formals = self._text.functions[function]
        values = [arguments[formal.name] for formal in formals]
        actual = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
        self.functions[f"_{function}"](*actual, self.memory)
        for formal, value, found in zip(formals, values, actual, strict=True):
            if formal.array is not None and formal.array.writable:
                value[...] = found
