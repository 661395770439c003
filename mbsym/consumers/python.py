"""Python: a package of functions over NumPy arrays, which pip builds from the C, and which needs nothing of mbsym."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mbsym.codegen.description import EVERY, Argument, GeneratedFile
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.load_python import calls_of
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.manifest import manifest_file
from mbsym.consumers.consumer import Consumer, Exported, ExportOptions, Request
from mbsym.errors import CodegenError
from mbsym.kinematics.mechanism import Mechanism


def request(mechanism: Mechanism, options: ExportOptions) -> Request:
    """The functions that were asked for, none meaning all of the catalogue, for many states."""
    version = options.settings["version"]
    if not re.fullmatch(r"\d+(\.\d+)*((a|b|rc)\d+)?", version):
        raise CodegenError(f"{version!r} is no version", where="`settings version`", remedy="give one such as 0.1.0")
    return Request(options.generation.functions, batch=(EVERY,))


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """``__init__.py``, NAME_module.c, NAME_python.c, pyproject.toml and setup.py."""
    module, name = exported.module, exported.name

    def rendered(template: str, program: str = "") -> str:
        return render_template(
            f"consumers/{template}.jinja",
            name=name,
            package_version=exported.options.settings["version"],
            real="float32" if module.description.real == "float" else "float64",
            parameters=repr({item.name: float(item.default) for item in module.parameters}),
            statuses=repr({int(item.value): f"{item.name}: {item.sentence}" for item in exported.statuses}),
            program=program,
            functions=tuple(_packaged(exported, function) for function in module.batched),
        )

    return (
        GeneratedFile("__init__.py", rendered("python_package.py", fixed_text("python/functions.py", ""))),
        GeneratedFile(f"{name}_module.c", rendered("python_module.c", fixed_text("c/python.c", ""))),
        calls_of(json.loads(manifest_file(module, ()).text)),
        GeneratedFile("pyproject.toml", rendered("pyproject.toml")),
        GeneratedFile("setup.py", rendered("setup.py")),
    )


def _packaged(exported: Exported, function: ModuleFunction) -> dict[str, Any]:
    inputs = {item.name: item.shape for item in function.arguments if item.direction == "in"}
    outputs = ", ".join(_result(item) for item in function.arguments if item.direction == "out")
    actual = f"{function.identifier!r}, {function.description!r}, {inputs!r}, {{{outputs}}}"
    return {"name": function.identifier, "symbol": exported.module.names.batch_symbol(function.name), "actual": actual}


def _result(item: Argument) -> str:
    return f"{item.name!r}: ({item.shape!r}, {'np.intc' if item.kind == 'int' else 'REAL'})"


PYTHON: Final = Consumer(
    name="python",
    sentence="a package for pip over the C",
    reals=("double", "float"),
    request=request,
    files=files,
    settings={"version": "0.1.0"},
)
