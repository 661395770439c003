"""CUDA: the same functions on a graphics processor, a thread for each state."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from mbsym.codegen.c.formals import closed, comment_lines, operation_line
from mbsym.codegen.c.views import source_fields
from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.consumers.cmake import as_asked
from mbsym.consumers.consumer import Consumer, Exported

DEFINITION: Final = re.compile(r"^(?:static )?(?=(?:const |inline |bool|int|void|\w+_real)\b[^;]*$)", re.MULTILINE)
"""Where a function or a table of the C begins."""


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """NAME_cuda.cu and NAME_cuda.h."""
    module, name = exported.module, exported.name
    # Vectors of the host's compiler are none of the device's.
    straight = tuple(replace(function, limbs=None) for function in module.functions)
    by_default = module.description.trigonometry == "auto"
    description = replace(module.description, trigonometry="libm") if by_default else module.description
    source = source_fields(replace(module, functions=straight, description=description), "")
    body = DEFINITION.sub(f"{name}_DEVICE ", render_template("c/body.c.jinja", **source)).strip()
    kernels = tuple(_kernel(module, function) for function in module.functions)
    both = {"name": name, "kernels": kernels}
    text = render_template("consumers/cuda.cu.jinja", **both, includes=source["includes"], body=body)
    header = render_template("consumers/cuda.h.jinja", **both, has_parameters=bool(module.parameters))
    return GeneratedFile(f"{name}_cuda.cu", text), GeneratedFile(f"{name}_cuda.h", header)


def _kernel(module: LoweredModule, function: ModuleFunction) -> dict[str, Any]:
    """A function over many states; ``inner`` are the formal arguments of one state, without the stream."""
    prefix, symbol = module.names.module, module.names.c_symbol(function.name)
    scope = module.names.inside(function.identifiers)
    count, state, stream = scope.claim("n"), scope.claim("k"), scope.claim("stream")
    blocks = scope.claim("blocks")
    stride, statuses, entry = scope.claim("parameters_stride"), scope.claim("status"), scope.claim("i")
    formals, actual, own, loads, given, stores = [], [], [], [], [], []
    if module.takes_parameters(function):
        formals += [f"const {prefix}_parameters *parameters", f"ptrdiff_t {stride}"]
        actual += ["parameters", stride]
        given.append(f"parameters + {state} * {stride}")
    for item, identifier in function.paired:
        real = "int" if item.kind == "int" else f"{prefix}_real"
        formals.append(f"{'const ' if item.direction == 'in' else ''}{real} *{identifier}")
        actual.append(identifier)
        if not item.size:
            given.append(identifier)
        elif item.direction == "in" and not item.shape:
            given.append(f"{identifier}[{state}]")
        else:
            array = scope.claim(f"{identifier}_one")
            own.append(f"{real} {array}[{item.size}];")
            given.append(array)
            every = f"for (ptrdiff_t {entry} = 0; {entry} < {item.size}; ++{entry}) {{"
            place = f"{identifier}[{entry} * {count} + {state}]"
            if item.direction == "in":
                loads += [every, f"    {array}[{entry}] = {place};", "}"]
            else:
                stores += [every, f"    {place} = {array}[{entry}];", "}"]
    if function.failures:
        formals.append(f"int *{statuses}")
        actual.append(statuses)
    told = f"{statuses}[{state}] = " if function.failures else ""
    whole = [*formals, f"void *{stream}"]
    return {
        "name": symbol,
        "symbol": f"{symbol}_state",
        "comment": comment_lines(
            [f"{function.name}: {function.description}", *(_sentence(*pair) for pair in function.paired)]
        ),
        "operations": operation_line(function.operations),
        "declared": closed(whole, ");"),
        "defined": closed(whole),
        "inner": closed(formals),
        "actual": ", ".join(actual),
        "own": tuple(own),
        "loads": tuple(loads),
        "call": f"{told}{prefix}_device::{symbol}({', '.join(given)});",
        "stores": tuple(stores),
        "count": count,
        "state": state,
        "stream": stream,
        "blocks": blocks,
    }


def _sentence(item: Argument, identifier: str) -> str:
    shape = " x ".join(map(str, item.shape)) or "1"
    return f"  {item.direction:3} {identifier}: {shape} times the number of states"


CUDA: Final = Consumer(
    name="cuda",
    sentence="kernels for graphics processors, a thread for each state",
    reals=("double", "float"),
    request=as_asked,
    files=files,
)
