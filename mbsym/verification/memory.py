"""Calls of generated C made once more by a program in which a compiler watches each access to memory.

A place beyond an array holds something, most often what was there before. So what a text makes of one entry too many is
right where it is tried, and wrong where it is used.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from mbsym.codegen.build import build_program
from mbsym.codegen.environment import render_template
from mbsym.codegen.languages import BATCH
from mbsym.codegen.load import LoadedFunction, LoadedModule, state_rows, unwritten
from mbsym.codegen.load_batch import laid_out
from mbsym.doors import Array
from mbsym.errors import CodegenError, VerificationError
from mbsym.verification.checks import WITHIN_ARRAYS, Check

FLAGS: Final = (
    *("-std=c99", "-O0", "-g1", "-Wno-psabi"),
    *("-fsanitize=address,bounds,shift,signed-integer-overflow,float-cast-overflow", "-fno-sanitize-recover=all"),
)

OPTIONS: Final = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1", "UBSAN_OPTIONS": ""}
"""Of what watches; the program is not asked to free what it holds when it ends."""

_SAID: Final = re.compile(r"runtime error: (.*)|ERROR: AddressSanitizer: ([\w-]+)")
_PLACE: Final = re.compile(r"(\w+\.[ch]):(\d+)")

_NOTHING: Final = "int main(void) { return 0; }\n"


@dataclass(frozen=True, slots=True)
class _Passed:
    """An argument of calls as C has it.

    Attributes:
        rows: its bytes call after call, or one row that all calls have.
        form: how it is passed, given where it lies.
    """

    rows: Array
    form: str = "{}"


class Calls:
    """Calls of the compiled functions of a module, kept so that they can be made again."""

    def __init__(self, directory: Path, manifest: Mapping[str, Any]) -> None:
        self._directory, self._manifest = directory, manifest
        self._entries = {entry["name"]: entry for entry in manifest["functions"]}
        self._file = TemporaryFile(prefix="mbsym")  # noqa: SIM115 (it has no name, and ends with the process)
        self._known: set[int] = set()
        self._called: dict[tuple[str, str], str] = {}  # language and name of functions, and how C calls them
        self._most = 1

    @property
    def name(self) -> str:
        """Of the module."""
        return str(self._manifest["name"])

    def keep(
        self, module: LoadedModule, function: LoadedFunction, inputs: Sequence[ArrayLike], values: Mapping[str, float]
    ) -> None:
        """Keeps a call of a function in a language that is compiled; others check each place themselves."""
        if module.language not in ("c", BATCH):
            return
        arrays = [np.asarray(value) for value in inputs]
        laid = tuple((array.strides, array.tobytes()) for array in arrays)
        call = hash((module.language, function.name, laid, tuple(values.items())))
        if call in self._known:
            return
        self._known.add(call)
        entry = self._entries[function.name]
        real = np.dtype(np.float32 if self._manifest["real"] == "float" else np.float64)
        defaults = self._manifest["run_time_parameters"]
        parameters = np.array([[values.get(name, defaults[name]) for name in function.parameters]], real)
        if module.language == BATCH:
            count, passed = _in_batch(function, inputs, parameters, real, has_status="status" in entry)
        else:
            count, passed = _in_turn(function, inputs, parameters, real)
        key = (module.language, function.name)
        if key not in self._called:
            symbol = (entry["batch"] if module.language == BATCH else entry)["c_symbol"]
            actual = ", ".join(item.form.format(f"x[{place}]") for place, item in enumerate(passed))
            self._called[key] = f"{symbol}({actual})"
            self._most = max(self._most, len(passed))
        self._file.write(np.array([[*self._called].index(key), count, len(passed)], dtype=np.intc).tobytes())
        for item in passed:
            rows = np.ascontiguousarray(item.rows)
            self._file.write(np.array([rows[:1].nbytes, len(rows)], dtype=np.int64).tobytes() + rows.tobytes())

    def checks(self) -> tuple[Check, ...]:
        """A check of each function that was called; of the one that left its arrays alone, where one did.

        None where the compiler has nothing that watches.

        Raises:
            CodegenError: the module does not compile with what watches, although the compiler has it.
            VerificationError: the calls that were kept cannot be read.
        """
        functions = [*self._called]
        if not functions:
            return ()
        name, place = self._manifest["name"], self._directory.resolve()
        names = [name, f"{name}_batch"] if any(language == BATCH for language, _ in functions) else [name]
        headers = tuple(place / f"{each}.h" for each in names)
        text = render_template("c/memory.c.jinja", headers=headers, most=self._most, calls=tuple(self._called.values()))
        sources = [header.with_suffix(".c") for header in headers]
        self._file.seek(0)
        try:
            done = _watched(text, sources, self._file)
        except CodegenError:
            if _can_watch():
                raise
            return ()
        reached = np.frombuffer(done.stdout, dtype=np.intc)
        if not done.returncode:
            return tuple(Check(name, language, WITHIN_ARRAYS, 0.0, 0.5, 0) for language, name in functions)
        if not len(reached):
            return ()  # what watches does not start on this machine
        if reached[-1] < 0:
            raise VerificationError(f"its calls cannot be made again: {_said(done)}", where=name, remedy="report it")
        language, function = functions[reached[-1]]
        return (Check(function, language, f"{WITHIN_ARRAYS}: {_said(done)}", np.inf, 0.5, 0),)


def _in_turn(
    function: LoadedFunction, inputs: Sequence[ArrayLike], parameters: Array, real: np.dtype[Any]
) -> tuple[int, list[_Passed]]:
    """Calls for one state each: their number, and the arguments."""
    batch, arrays = state_rows(function.name, function.inputs, inputs, real)
    passed = [_Passed(parameters)] * bool(parameters.size)
    name = {"d": "double", "f": "float"}[real.char]
    for item, rows in zip(function.inputs, arrays, strict=True):
        passed.append(_Passed(rows[:, : item.size], "{}" if item.shape else f"*(const {name} *){{}}"))
    for item in function.outputs:
        passed.append(_Passed(unwritten((1, item.size), np.intc if item.kind == "int" else real)))
    return int(np.prod(batch, dtype=np.int64)), passed


def _in_batch(
    function: LoadedFunction, inputs: Sequence[ArrayLike], parameters: Array, real: np.dtype[Any], *, has_status: bool
) -> tuple[int, list[_Passed]]:
    """One call for many states: its arguments, inputs as they lie in memory with what lies between."""
    batch, _ = state_rows(function.name, function.inputs, inputs, real)
    count = int(np.prod(batch, dtype=np.int64))
    number = "*(const ptrdiff_t *){}"
    passed = [_Passed(np.array([[count]], dtype=np.intp), number)]
    if parameters.size:
        passed += [_Passed(parameters), _Passed(np.zeros((1, 1), dtype=np.intp), number)]
    for item, value in zip(function.inputs, inputs, strict=True):
        flat, strides = laid_out(np.broadcast_to(np.asarray(value, real), (*batch, *item.shape)), item, count)
        length = 1 + int(np.dot(strides, np.array(flat.shape) - 1)) if flat.size else 0
        whole = unwritten((1, length), real)
        np.lib.stride_tricks.as_strided(whole, flat.shape, flat.strides)[...] = flat
        passed += [_Passed(whole), _Passed(np.array([strides], dtype=np.intp))]
    for item in function.outputs:
        passed.append(_Passed(unwritten((1, count * item.size), np.intc if item.kind == "int" else real)))
        passed.append(_Passed(np.zeros((1, 0)), "NULL"))
    if has_status:
        passed.append(_Passed(unwritten((1, count), np.intc)))
    return 1, passed


def _watched(text: str, sources: Sequence[Path], given: Any = subprocess.DEVNULL) -> subprocess.CompletedProcess[bytes]:
    """Builds the program of a text and other sources, and runs it.

    Raises:
        CodegenError: it does not compile.
    """
    with TemporaryDirectory(prefix="mbsym") as scratch:
        main, program = Path(scratch) / "main.c", Path(scratch) / "main"
        main.write_text(text, encoding="utf-8")
        build_program([main, *sources], program, FLAGS)
        return subprocess.run(
            [str(program)], stdin=given, capture_output=True, check=False, env={**os.environ, **OPTIONS}
        )


def _can_watch() -> bool:
    """Whether the compiler makes programs that are watched."""
    try:
        return not _watched(_NOTHING, ()).returncode
    except CodegenError:
        return False


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """What the program said when it stopped, and the line of the module's text."""
    text = done.stderr.decode("utf-8", "replace")
    said, place = _SAID.search(text), _PLACE.search(text)
    what = next(filter(None, said.groups())) if said else f"exit status {done.returncode}"
    return f"{what} in {place[1]}, line {place[2]}" if place else what
