"""Constants, indices, statuses, limits, tolerances and defaults, read back through what users compile and import.

They are compared with what the model says, derived again: the manifest, which can be changed with them, is not asked.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import numpy as np

from mbsym.codegen.build import build_library
from mbsym.codegen.load import executed
from mbsym.codegen.lowered_module import LoweredModule, arrays, step_functions
from mbsym.codegen.statuses import Status
from mbsym.verification.checks import READ_BACK, Check

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_TABLE: Final = "mbsym_read_back"
_HEAD: Final = (f"void {_TABLE}(double *values);", f"void {_TABLE}(double *values)", "{")


_Told: TypeAlias = tuple[str, str, float, Any]
"""Table and name of a number of a module, what it must be, and what was read."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A number of C text.

    Attributes:
        table: that it belongs to, in words.
        name: as the source writes it.
        expression: that has its value.
        value: what it must be.
    """

    table: str
    name: str
    expression: str
    value: float


def read_back_c(module: LoweredModule, directory: Path) -> tuple[Check, ...]:
    """Numbers of the header, and of the source's tolerances, as a compiler has them.

    Raises:
        CodegenError: what reads the header does not compile.
    """
    prefix = module.names.module
    header = _without_comments(directory / f"{prefix}.h")
    source = _without_comments(directory / f"{prefix}.c")
    macros = dict(re.findall(rf"^[ \t]*#[ \t]*define[ \t]+({prefix}_\w+)[ \t]+(\S.*)$", source, re.MULTILINE))
    entries = [*_c_entries(module)]
    words = set(re.findall(r"\w+", header))
    known = [entry for entry in entries if entry.name in (macros if entry.table == "tolerances" else words)]
    values = _compiled(known, directory / f"{prefix}.h", f"{prefix}_real", macros)
    found = dict(zip((entry.expression for entry in known), values[:-1], strict=True))
    told: list[_Told] = [
        (entry.table, entry.name, entry.value, found.get(entry.expression, np.nan)) for entry in entries
    ]
    real = _real(module)
    told.append(("type of numbers", f"{prefix}_real", real.itemsize, values[-1]))
    wanted = {entry.name for entry in entries}
    others = (name for name in re.findall(rf"\b({prefix}_\w+)\s*=", header) if name not in wanted)
    told += [("constants", name, np.nan, np.nan) for name in others]
    return (*_checks("c", told, real), *_columns(module, directory, "c"))


def read_back_batch(module: LoweredModule, directory: Path) -> tuple[Check, ...]:
    """Numbers of the model's tables in the source for many states, as a compiler has them.

    Raises:
        CodegenError: what reads them does not compile.
    """
    return _columns(module, directory, "batch")


def _columns(module: LoweredModule, directory: Path, language: str) -> tuple[Check, ...]:
    """Checks of the numbers of tables in a C source, which defines arrays of them; states meet few of them."""
    prefix, wanted = module.names.module, arrays(step_functions(module))
    if not wanted:
        return ()
    source = _without_comments(directory / f"{prefix}{'_batch' * (language == 'batch')}.c")
    pattern = rf"^static const {prefix}_real ({prefix}_\w+)\[\d+\] = {{[^}}]*}};"
    defined = {each[1]: each[0] for each in re.finditer(pattern, source, re.MULTILINE)}
    if language == "batch":
        # Functions that go state by state call those of the other source, which has all.
        wanted = {name: numbers for name, numbers in wanted.items() if f"{prefix}_{name}" in defined}
    lines, count = [*_opening(directory / f"{prefix}.h"), *defined.values(), *_HEAD], 0
    for name, numbers in wanted.items():
        array, size = f"{prefix}_{name}", len(numbers)
        own = f"(int)(sizeof({array}) / sizeof({array}[0]))"
        copied = f"for (int k = 0; k < {size} && k < {own}; ++k) values[{count} + k] = (double){array}[k];"
        lines += [copied, f"values[{count + size}] = (double){own};"] * (array in defined)
        count += size + 1
    found = iter(_values([*lines, "}", ""], count))
    others = {*defined} - {f"{prefix}_{name}" for name in wanted}
    told: list[_Told] = [("tables", name, np.nan, np.nan) for name in sorted(others)]
    for name, numbers in wanted.items():
        told += [("tables", f"{name}[{place}]", number, next(found)) for place, number in enumerate(numbers)]
        told.append(("tables", f"{name}, entries", len(numbers), next(found)))
    return _checks(language, told, _real(module))


def _without_comments(file: Path) -> str:
    return _COMMENT.sub(" ", file.read_text(encoding="utf-8"))


def _c_entries(module: LoweredModule) -> Iterable[_Entry]:
    prefix, names, description = module.names.module, module.names, module.description
    for key, value in description.constants.items():
        yield _whole("constants", f"{prefix}_{names.constants[key]}", value)
    for item in description.indices:
        for name, (start, _) in item.places.items():
            yield _whole(f"places {item.name}", f"{prefix}_{item.name}_{names.indices[item.name][name]}", start)
    if module.can_fail:
        for status in Status:
            yield _whole("statuses", f"{prefix}_{status.name}", status.value)
    for title, numbers in description.limits.items():
        yield from _array("limits", f"{prefix}_{title}", numbers)
    for title, rows in description.index_arrays.items():
        yield from _array("compressed columns", f"{prefix}_{names.index_arrays[title]}", rows)
    for tolerance in module.tolerances:
        name = f"{prefix}_{tolerance.name}"
        yield _Entry("tolerances", name, name, tolerance.of(description.real))
    for parameter in module.parameters:
        name = names.parameters[parameter.name]
        yield _Entry("default parameters", name, f"{_TABLE}_defaults.{name}", float(parameter.default))


def _whole(table: str, name: str, value: int) -> _Entry:
    return _Entry(table, name, name, float(value))


def _array(table: str, name: str, numbers: Iterable[float]) -> Iterable[_Entry]:
    values = [*numbers]
    size = f"sizeof({name}) / sizeof({name}[0])"
    yield _Entry(table, name, size, float(len(values)))
    for place, value in enumerate(values):
        # Beyond the end of a shorter array nothing is read.
        yield _Entry(table, name, f"({size} > {place} ? {name}[{place} % ({size})] : 0)", float(value))


def _compiled(entries: Iterable[_Entry], header: Path, real: str, macros: Mapping[str, str]) -> list[float]:
    """Values of expressions, and at last the size of the type of numbers."""
    known = [*entries]
    prefix = real.removesuffix("_real")
    lines = _opening(header)
    for entry in known:
        if entry.table == "tolerances":
            lines += [f"#ifndef {entry.name}", f"#define {entry.name} {macros[entry.name]}", "#endif"]
    if any(entry.table == "default parameters" for entry in known):
        lines.append(f"static const {prefix}_parameters {_TABLE}_defaults = {prefix}_default_parameters;")
    lines += _HEAD
    lines += [f"    values[{place}] = (double)({entry.expression});" for place, entry in enumerate(known)]
    lines += [f"    values[{len(known)}] = (double)sizeof({real});", "}", ""]
    return _values(lines, len(known) + 1)


def _opening(header: Path) -> list[str]:
    return ["#include <math.h>", f'#include "{header.resolve()}"']


def _values(lines: Sequence[str], count: int) -> list[float]:
    """What the lines of a source write; not a number where they write nothing."""
    with TemporaryDirectory(prefix="mbsym") as scratch:
        source, library = Path(scratch) / "read_back.c", Path(scratch) / "read_back.so"
        source.write_text("\n".join(lines), encoding="utf-8")
        build_library([source], library, ("-std=c99", "-O0"))
        values = (ctypes.c_double * count)(*[np.nan] * count)
        getattr(ctypes.CDLL(str(library)), _TABLE)(values)
    return [*values]


def read_back_numpy(module: LoweredModule, directory: Path) -> tuple[Check, ...]:
    """Numbers of the NumPy module as Python has them.

    Raises:
        CodegenError: Python cannot import it.
    """
    names, description = module.names, module.description
    made = executed(directory / f"{names.module}.py")
    told = [*_numpy_entries(module, made)]
    wanted = {*names.functions.values(), *(name for _, name, _, _ in told)}
    wanted |= {*description.limits, *names.index_arrays.values(), *(item.name for item in description.indices)}
    for name in getattr(made, "__all__", ()):
        if name not in wanted and isinstance(getattr(made, name, None), (int, float, dict, tuple)):
            told.append(("constants", name, np.nan, np.nan))
    return _checks("numpy", told, np.dtype(np.float64))


def _numpy_entries(module: LoweredModule, made: Any) -> Iterable[_Told]:
    names, description = module.names, module.description
    for key, constant in description.constants.items():
        yield "constants", names.constants[key], constant, getattr(made, names.constants[key], None)
    for item in description.indices:
        yield from _places(item.name, item.places, getattr(made, item.name, {}))
    for status in Status if module.can_fail else ():
        read = getattr(getattr(made, "Status", None), status.name, None)
        yield "statuses", f"Status.{status.name}", status.value, read
    columns = {names.index_arrays[title]: rows for title, rows in description.index_arrays.items()}
    real = _real(module).type
    of_tables = {
        f"_{name}": [float(real(x)) for x in numbers] for name, numbers in arrays(step_functions(module)).items()
    }
    for table, every in (("limits", description.limits), ("compressed columns", columns), ("tables", of_tables)):
        for title, numbers in every.items():
            own = [*getattr(made, title, ())]
            yield table, title, len(numbers), len(own)
            for place, (value, read) in enumerate(zip(numbers, own, strict=False)):
                yield table, f"{title}[{place}]", value, read
    for tolerance in module.tolerances:
        yield "tolerances", tolerance.name, tolerance.of(description.real), getattr(made, tolerance.name, None)
    defaults = made.Parameters() if module.parameters and hasattr(made, "Parameters") else None
    for parameter in module.parameters:
        name = names.parameters[parameter.name]
        yield "default parameters", f"Parameters.{name}", float(parameter.default), getattr(defaults, name, None)
    yield "type of numbers", "_REAL", _real(module).itemsize, np.dtype(getattr(made, "_REAL", np.int8)).itemsize


def _places(table: str, places: Mapping[str, tuple[int, int]], read: Any) -> Iterable[_Told]:
    """First entries and ends by name, and the names."""
    for name, (start, stop) in places.items():
        own = read.get(name) if isinstance(read, dict) else None
        first, end = (own.start, own.stop) if isinstance(own, slice) else (own, own + 1 if own is not None else None)
        yield f"places {table}", f"{table}[{name!r}]", start, first
        yield f"places {table}", f"{table}[{name!r}] end", stop, end
    yield f"places {table}", f"len({table})", len(places), len(read)


def _real(module: LoweredModule) -> np.dtype[Any]:
    """The type of the module's numbers."""
    return np.dtype(np.float32 if module.description.real == "float" else np.float64)


def _checks(language: str, told: Iterable[_Told], real: np.dtype[Any]) -> tuple[Check, ...]:
    """A check of each table, or of each name in it that is wrong."""
    wrong: dict[str, dict[str, float]] = {}
    for table, name, value, read in told:
        own = wrong.setdefault(table, {})
        with np.errstate(over="ignore"):
            expected = float(real.type(value))
        number = float(read) if isinstance(read, (int, float, np.number)) else np.nan
        if number != expected:
            own[name] = max(own.get(name, 0.0), _size(number, expected))
    checks = []
    for table, names in wrong.items():
        checks += [Check(f"{table}: {name}", language, READ_BACK, error, 0.0, 0) for name, error in names.items()]
        if not names:
            checks.append(Check(table, language, READ_BACK, 0.0, 0.0, 0))
    return tuple(checks)


def _size(read: float, expected: float) -> float:
    """How far a number is off; infinite where one is not finite."""
    difference = abs(read - expected)
    return float(difference) if np.isfinite(difference) and difference > 0 else float("inf")
