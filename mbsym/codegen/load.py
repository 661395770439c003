"""Loading generated modules for calls: C and NumPy behind one calling convention.

Every function takes its inputs as arrays whose leading axes are batch axes that broadcast, and returns one array, or a
tuple of arrays, of the batch axes followed by the output's own shape. States that fail give what the function says of
them; their status is there for those who ask.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsym.codegen.build import DEFAULT_FLAGS, SharedLibrary, compile_c
from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.manifest_reader import read_manifest, require_unchanged
from mbsym.errors import CodegenError

Array: TypeAlias = NDArray[Any]
Results: TypeAlias = "Array | tuple[Array, ...]"
ParameterValues: TypeAlias = Mapping[str, float]
Call: TypeAlias = "Callable[[Sequence[ArrayLike], ParameterValues], Results]"
JudgedCall: TypeAlias = "Callable[[Sequence[ArrayLike], ParameterValues], tuple[Results, NDArray[np.intc]]]"


def unwritten(shape: tuple[int, ...], kind: Any) -> Array:
    """Memory for results in which what is not written shows: not a number, or the least integer."""
    return np.full(shape, np.nan if np.dtype(kind).kind == "f" else np.iinfo(kind).min, dtype=kind)


@dataclass(frozen=True, slots=True)
class LoadedFunction:
    """A generated function; calling it evaluates it for one state or a batch of states.

    Attributes:
        name: as the manifest has it.
        inputs: arguments in order.
        outputs: results in order.
        parameters: names of the run-time parameters that a call may set.
        call: evaluates it.
        statuses: names of those that it can return; none if it cannot fail.
        judged: evaluates it and its status; None if it cannot fail.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    parameters: tuple[str, ...]
    call: Call
    statuses: tuple[str, ...] = ()
    judged: JudgedCall | None = None

    def __call__(self, *inputs: ArrayLike, parameters: ParameterValues | None = None) -> Results:
        """The result, or the tuple of results, whatever their status.

        Raises:
            CodegenError: the number or shape of the arguments is wrong, one is complex, or a parameter is unknown.
        """
        return self.call(inputs, self._checked(inputs, parameters))

    def with_status(
        self, *inputs: ArrayLike, parameters: ParameterValues | None = None
    ) -> tuple[Results, NDArray[np.intc]]:
        """The result or the tuple of results, and the status of each state, 0 for a function that cannot fail.

        Raises:
            CodegenError: the number or shape of the arguments is wrong, or a parameter is unknown.
        """
        values = self._checked(inputs, parameters)
        if self.judged is None:
            return self.call(inputs, values), np.zeros((), dtype=np.intc)
        return self.judged(inputs, values)

    def _checked(self, inputs: Sequence[ArrayLike], parameters: ParameterValues | None) -> ParameterValues:
        if len(inputs) != len(self.inputs):
            raise CodegenError(
                f"{len(inputs)} arguments given, {len(self.inputs)} expected",
                where=self.name,
                remedy=f"give {', '.join(item.name for item in self.inputs)}",
            )
        given = dict(zip([item.name for item in self.inputs], inputs, strict=True))
        for name, value in {**given, **(parameters or {})}.items():
            if np.iscomplexobj(value):
                raise CodegenError(
                    f"{name} is complex, and the code computes with real numbers",
                    where=self.name,
                    remedy=f"give its real part, {name}.real",
                )
        values = dict(parameters or {})
        for name in values:
            if name not in self.parameters:
                raise CodegenError(
                    f"no parameter {name!r}", where=self.name, remedy=f"known are {', '.join(self.parameters)}"
                )
        return values


@dataclass(frozen=True, slots=True, repr=False)
class LoadedModule:
    """All functions of a generated module by name, and its manifest.

    Attributes:
        language: that it is written in.
        manifest: as read.
        functions: by name.
        compiler: first line of the compiler's version, empty where nothing was compiled.
        command: compiler and flags.
        unlisted: public functions that the code has and the manifest does not list.
    """

    language: str
    manifest: Mapping[str, Any]
    functions: Mapping[str, LoadedFunction]
    compiler: str = ""
    command: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<LoadedModule {self.manifest.get('name', '')!r}, {self.language}: {', '.join(self.functions)}>"


def load_c(
    directory: Path | str, name: str | None = None, flags: Sequence[str] = DEFAULT_FLAGS, cc: str | None = None
) -> LoadedModule:
    """Compiles and loads the C module of a directory; ``name`` is needed where there are several.

    Raises:
        ToolchainError: there is no C compiler.
        CodegenError: the manifest or the source is missing or not as it was written, or the source does not compile.
    """
    place = Path(directory)
    manifest = read_manifest(place if name is None else place / f"{name}.json")
    require_unchanged(place, manifest, [f"{manifest['name']}{suffix}" for suffix in (".c", ".h")])
    library = compile_c(place, manifest["name"], flags, cc)
    return c_module(library, manifest)


def c_module(library: SharedLibrary, manifest: Mapping[str, Any]) -> LoadedModule:
    """The functions of a compiled library."""
    real = np.dtype({"double": np.float64, "float": np.float32}[manifest["real"]])
    defaults: dict[str, float] = manifest["run_time_parameters"]
    functions = {}
    for entry in manifest["functions"]:
        inputs, outputs = arguments_of_entry(entry)
        symbol = getattr(library.handle, entry["c_symbol"], None)
        if symbol is None:
            raise lacks(entry["name"])
        symbol.restype = ctypes.c_int if "status" in entry else None
        taken = defaults if entry.get("takes_parameters", True) else {}
        call = _CFunction(library, symbol, entry["name"], inputs, outputs, real, taken)
        functions[entry["name"]] = loaded(entry, inputs, outputs, tuple(taken), call.evaluate)
    unlisted = library.symbols.difference(entry["c_symbol"] for entry in manifest["functions"])
    return LoadedModule("c", manifest, functions, library.compiler, tuple(library.command), tuple(sorted(unlisted)))


def loaded(
    entry: Mapping[str, Any],
    inputs: tuple[Argument, ...],
    outputs: tuple[Argument, ...],
    parameters: tuple[str, ...],
    judged: JudgedCall,
) -> LoadedFunction:
    """The function of an entry of a manifest, given what evaluates it and its status."""

    def call(inputs: Sequence[ArrayLike], values: ParameterValues) -> Results:
        return judged(inputs, values)[0]

    statuses = tuple(entry.get("status", ()))
    return LoadedFunction(entry["name"], inputs, outputs, parameters, call, statuses, judged if statuses else None)


def lacks(function: str) -> CodegenError:
    """The error that a function of the manifest is not in the code."""
    return CodegenError(
        f"the manifest lists {function}, the code does not have it", where=function, remedy="generate again"
    )


def arguments_of_entry(entry: Mapping[str, Any]) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
    """Inputs and outputs of a function as the manifest has them."""
    arguments = [
        Argument(
            item["name"],
            item["direction"],
            tuple(item["shape"]),
            item.get("unit", ""),
            quaternions=tuple(item.get("quaternions", ())),
            kind=item.get("type", "real"),
        )
        for item in entry["arguments"]
    ]
    return (
        tuple(item for item in arguments if item.direction == "in"),
        tuple(item for item in arguments if item.direction == "out"),
    )


@dataclass(frozen=True, slots=True)
class _CFunction:
    """A C function called once for each state of a batch."""

    library: SharedLibrary
    symbol: Any
    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    real: np.dtype[Any]
    defaults: Mapping[str, float]

    def evaluate(self, inputs: Sequence[ArrayLike], values: ParameterValues) -> tuple[Results, NDArray[np.intc]]:
        batch, arrays = state_rows(self.name, self.inputs, inputs, self.real)
        count = int(np.prod(batch, dtype=np.int64))
        kinds = {"real": self.real, "int": np.dtype(np.intc)}
        results = [unwritten((count, item.size), kinds[item.kind]) for item in self.outputs]
        status = np.zeros(count, dtype=np.intc)
        structure = [values.get(name, default) for name, default in self.defaults.items()]
        parameters = np.array(structure, dtype=self.real)
        scalar = ctypes.c_double if self.real == np.float64 else ctypes.c_float
        # An empty array still passes a valid address, which the function does not read.
        rows = [(array, array.ctypes.data, array.strides[0]) for array in arrays]
        columns = [(result.ctypes.data, result.strides[0]) for result in results]
        for state in range(count):
            actual: list[Any] = [ctypes.c_void_p(parameters.ctypes.data)] if len(structure) else []
            for item, (array, address, stride) in zip(self.inputs, rows, strict=True):
                by_value = not item.shape
                actual.append(scalar(array[state, 0]) if by_value else ctypes.c_void_p(address + state * stride))
            actual.extend(ctypes.c_void_p(address + state * stride) for address, stride in columns)
            status[state] = self.symbol(*actual) or 0
        shaped = tuple(
            result.reshape((*batch, *item.shape)) for item, result in zip(self.outputs, results, strict=True)
        )
        return shaped[0] if len(shaped) == 1 else shaped, status.reshape(batch)


def batch_axes(function: str, arguments: Iterable[tuple[str, Array, tuple[int, ...]]]) -> tuple[int, ...]:
    """The axes in front that arrays have together, by name, array and the shape that one state has of it.

    Raises:
        CodegenError: an array has another shape, or axes that do not broadcast.
    """
    batch: tuple[int, ...] = ()
    for name, array, shape in arguments:
        axes = array.ndim - len(shape)
        if axes < 0 or array.shape[axes:] != shape:
            raise CodegenError(
                f"{name} has the shape {array.shape}", where=function, remedy=f"give it batch axes and then {shape}"
            )
        try:
            batch = np.broadcast_shapes(batch, array.shape[:axes])
        except ValueError:
            raise CodegenError(
                f"the batch axes of {name}, {array.shape[:axes]}, do not fit {batch}",
                where=function,
                remedy="give axes that broadcast",
            ) from None
    return batch


def state_rows(
    function: str, arguments: Sequence[Argument], values: Sequence[ArrayLike], real: np.dtype[Any]
) -> tuple[tuple[int, ...], list[Array]]:
    """Batch shape, and each value as a contiguous array of one row a state."""
    arrays = [np.asarray(value, dtype=real) for value in values]
    batch = batch_axes(
        function, [(item.name, array, item.shape) for item, array in zip(arguments, arrays, strict=True)]
    )
    return batch, [
        np.ascontiguousarray(np.broadcast_to(array, (*batch, *item.shape))).reshape(-1, max(item.size, 1))
        if item.size
        else np.empty((1, 1), dtype=real)
        for item, array in zip(arguments, arrays, strict=True)
    ]


def load_numpy(path: Path | str) -> LoadedModule:
    """Imports a generated NumPy module, given its file; the manifest stands beside it.

    Raises:
        CodegenError: the file or its manifest is missing or not as it was written, or Python cannot import it.
    """
    file = _python_file(path)
    manifest = read_manifest(file.with_suffix(".json"))
    require_unchanged(file.parent, manifest, [file.name])
    return imported(file, manifest)


def imported(path: Path, manifest: Mapping[str, Any]) -> LoadedModule:
    """A generated NumPy module with its manifest, whether or not the file is the one that was generated.

    Raises:
        CodegenError: the file is missing, or Python cannot import it.
    """
    return _numpy(manifest, executed(path))


def executed(path: Path | str) -> ModuleType:
    """A generated NumPy module as Python has it, with its constants; whether it was changed is not looked at.

    Raises:
        CodegenError: the file is missing, or Python cannot import it.
    """
    file = _python_file(path)
    return _executed(file.stem, file.read_bytes(), str(file))


def numpy_module(python: GeneratedFile, manifest: GeneratedFile, arithmetic: Any = None) -> LoadedModule:
    """The NumPy module of two files that were generated and not written.

    Args:
        python, manifest: the files.
        arithmetic: what the module computes with instead of NumPy.
    """
    module = _executed(Path(python.name).stem, python.text, python.name)
    if arithmetic is not None:
        vars(module)["np"] = arithmetic
    return _numpy(json.loads(manifest.text), module)


def _numpy(manifest: Mapping[str, Any], module: ModuleType) -> LoadedModule:
    names = manifest.get("names", {})
    parameters = tuple(manifest["run_time_parameters"])
    fields = {name: names.get("parameters", {}).get(name, name) for name in parameters}
    functions = {}
    public = {name for name in getattr(module, "__all__", ()) if isinstance(getattr(module, name, None), FunctionType)}
    for entry in manifest["functions"]:
        inputs, outputs = arguments_of_entry(entry)
        public.discard(names.get("functions", {}).get(entry["name"], entry["name"]))
        function = getattr(module, names.get("functions", {}).get(entry["name"], entry["name"]), None)
        if function is None:
            raise lacks(entry["name"])
        judged = _with_dataclass(module, function, entry, fields)
        taken = parameters if entry.get("takes_parameters", True) else ()
        functions[entry["name"]] = loaded(entry, inputs, outputs, taken, judged)
    return LoadedModule("numpy", manifest, functions, unlisted=tuple(sorted(public)))


def _with_dataclass(
    module: ModuleType, function: Callable[..., Any], entry: Mapping[str, Any], fields: Mapping[str, str]
) -> JudgedCall:
    def evaluate(inputs: Sequence[ArrayLike], parameters: ParameterValues) -> tuple[Results, NDArray[np.intc]]:
        keywords: dict[str, Any] = {"failures": "return"} if "status" in entry else {}
        if parameters:
            values = {fields[key]: value for key, value in parameters.items()}
            keywords["parameters"] = module.Parameters(**values)
        try:
            result = function(*inputs, **keywords)
        except ValueError as error:
            raise CodegenError(
                str(error), where=str(entry["name"]), remedy="give arrays of the documented shapes"
            ) from None
        result, status = result if "status" in entry else (result, np.zeros((), dtype=np.intc))
        return tuple(result) if isinstance(result, tuple) else result, np.asarray(status)

    return evaluate


def _python_file(path: Path | str) -> Path:
    file = Path(path).resolve()
    if not file.is_file():
        raise CodegenError(
            "there is no such Python module", where=str(file), remedy="generate it with `languages numpy`"
        )
    return file


def _executed(stem: str, text: bytes | str, where: str) -> ModuleType:
    """The module of a text; compiled here, not by a loader, which would leave a cache beside generated files."""
    name = f"_mbsym_generated_{stem}"
    module = ModuleType(name)
    module.__file__ = where
    # Dataclasses look their module up while it is being executed.
    sys.modules[name] = module
    try:
        exec(compile(text, where, "exec"), module.__dict__)
    except Exception as error:
        raise CodegenError(f"Python cannot import it: {error}", where=where, remedy="generate it again") from error
    finally:
        del sys.modules[name]
    return module
