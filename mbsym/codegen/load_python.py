"""Functions for many states that Python calls without a detour: NumPy's arrays go to C by an extension type."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.codegen.build import SharedLibrary
from mbsym.codegen.cache import library_of
from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.load import arguments_of_entry
from mbsym.errors import ToolchainError

FLAGS: Final = ("-std=c99", "-O2")
OUT: Final = "out"
"""The word for arrays that results are written into."""


def calls_of(manifest: Mapping[str, Any]) -> GeneratedFile:
    """C that is compiled together with a module, in which its functions for many states have one signature."""
    calls = []
    structure = ["parameters", "stride"] if manifest["run_time_parameters"] else []
    for entry in manifest["functions"]:
        if "batch" in entry:
            fails = "status" in entry
            places = [f"places[{k}], strides[{k}]" for k in range(len(entry["arguments"]))]
            actual = ["n", *structure, *places, *(["status"] if fails else [])]
            calls.append({"symbol": entry["batch"]["c_symbol"], "actual": ", ".join(actual), "fails": fails})
    fields = {
        "name": manifest["name"],
        "has_parameters": bool(structure),
        "calls": tuple(calls),
    }
    return GeneratedFile(f"{manifest['name']}_python.c", render_template("c/python_calls.c.jinja", **fields))


@dataclass(frozen=True, slots=True)
class PythonCalls:
    """Makes functions of a library, compiled with its calls, that Python calls.

    Attributes:
        library: of the module.
        manifest: of the module.
        extension: the compiled type.
    """

    library: SharedLibrary
    manifest: Mapping[str, Any]
    extension: SharedLibrary

    def function(self, name: str, general: Callable[..., Any], results: type | None) -> Any:
        """The function of that name.

        It is called with arrays of its type of number that lie contiguously and have the same leading axes, or
        none, and with ``out``. With anything else, and where a state has no result, ``general`` is called instead.

        Args:
            name: of the function.
            general: takes the same arguments, and whatever else there is; has the attributes.
            results: the named tuple of several results, or None for one.
        """
        entry = next(item for item in self.manifest["functions"] if item["name"] == name)
        inputs, outputs = arguments_of_entry(entry)
        words = (*(sys.intern(item.name) for item in inputs), sys.intern(OUT))
        address = ctypes.cast(getattr(self.library.handle, f"{entry['batch']['c_symbol']}_call"), ctypes.c_void_p)
        arguments = tuple((self._type(item), item.shape) for item in (*inputs, *outputs))
        make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(("mbsym_function", self.extension.handle))
        return make((address.value, general, words, results, arguments))

    def _type(self, item: Argument) -> int:
        """NumPy's number of an argument's type."""
        real = np.float64 if self.manifest["real"] == "double" else np.float32
        return np.dtype(np.intc if item.kind == "int" else real).num


def extension() -> SharedLibrary:
    """The type of functions that Python calls, from the cache or compiled for this Python and put there.

    Raises:
        ToolchainError: there is no C compiler, or the headers of Python or NumPy are missing.
        CodegenError: it does not compile.
    """
    headers = {"Python.h": sysconfig.get_path("include"), "numpy/arrayobject.h": np.get_include()}
    for header, directory in headers.items():
        if sys.implementation.name != "cpython" or not (Path(directory) / header).is_file():
            raise ToolchainError(f"no {header} for this Python", remedy="install it (Debian and Ubuntu: python3-dev)")
    name = f"mbsym-{sysconfig.get_config_var('SOABI')}-numpy-{np.__version__}.c"
    text = fixed_text("c/python.c", "")
    return library_of([GeneratedFile(name, text)], (*FLAGS, *_LINKED, *(f"-I{path}" for path in headers.values())))


_LINKED: Final[Sequence[str]] = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
"""Python's own symbols are there when the library is loaded."""
