"""C++17: a header of views over both precisions, without allocation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from mbsym.codegen.c.formals import closed
from mbsym.codegen.description import Argument, GeneratedFile, Real
from mbsym.codegen.environment import render_template
from mbsym.codegen.interface import render
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction, lower_module
from mbsym.codegen.text import c_comment
from mbsym.consumers.cmake import as_asked, cmake_file
from mbsym.consumers.consumer import Consumer, Exported


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """NAME.hpp, the module in single precision, and CMakeLists.txt."""
    name = exported.name
    other = replace(exported.module.description, real="float", prefix=f"{name}_float")
    single = lower_module(other)
    sources = render(other, ("c",))
    fields = {
        "name": name,
        "sizes": tuple(replace(size, name=size.name.lower()) for size in exported.sizes),
        "statuses": tuple(replace(status, sentence=c_comment(status.sentence)) for status in exported.statuses),
        "precisions": (_precision(exported.module, "double"), _precision(single, "float")),
    }
    header = GeneratedFile(f"{name}.hpp", render_template("consumers/module.hpp.jinja", **fields))
    headers = [f"{name}.hpp", f"{name}.h", f"{name}_float.h"]
    return (*sources, cmake_file(name, [f"{name}.c", f"{name}_float.c"], headers), header)


def _precision(module: LoweredModule, real: Real) -> dict[str, Any]:
    prefix = module.names.module
    methods = tuple(_method(module, function, real) for function in module.functions)
    return {"real": real, "prefix": prefix, "has_parameters": bool(module.parameters), "methods": methods}


def _method(module: LoweredModule, function: ModuleFunction, real: Real) -> dict[str, Any]:
    formals = ["const parameters &constants"] if module.parameters else []
    actual = ["&constants"] if module.parameters else []
    for item, identifier in function.paired:
        is_scalar = item.direction == "in" and not item.shape
        formals.append(_formal(item, identifier, real))
        actual.append(identifier if is_scalar else f"{identifier}.data()")
    # Of the module "actuated" a function of C has the name that another has as a method.
    call = f"::{module.names.c_symbol(function.name)}({', '.join(actual)})"
    return {
        "name": function.identifier,
        "comment": c_comment(function.description),
        "returns": "[[nodiscard]] static status" if function.failures else "static void",
        "formals": closed(formals),
        "statement": f"return static_cast<status>({call});" if function.failures else f"{call};",
    }


def _formal(item: Argument, identifier: str, real: Real) -> str:
    kind = "int" if item.kind == "int" else real
    if item.direction == "in":
        return f"view<const {kind}, {item.size}> {identifier}" if item.shape else f"{kind} {identifier}"
    form = "matrix" if len(item.shape) > 1 else "view"
    return f"{form}<{kind}, {item.size}> {identifier}"


CPP: Final = Consumer(
    name="cpp",
    sentence="a C++17 header over both precisions, with CMake",
    reals=("double",),
    request=as_asked,
    files=files,
    reason="its header has both precisions anyhow",
)
