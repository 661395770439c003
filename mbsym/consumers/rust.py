"""Rust: a crate without the standard library over the C, which a build script compiles with the system's compiler."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.text import plain_line
from mbsym.consumers.cmake import as_asked
from mbsym.consumers.consumer import Consumer, Exported, NumberView

_KEYWORDS: Final = """
    abstract as async await become box break const continue crate do dyn else enum extern final fn for gen if impl in
    let loop macro match mod move mut override priv pub ref return self static struct super trait try type typeof unsafe
    unsized use virtual where while yield
"""
KEYWORDS: Final = frozenset(_KEYWORDS.split())


def named(identifier: str) -> str:
    """The identifier as Rust takes it."""
    return f"{identifier}_" if identifier in KEYWORDS else identifier


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """Cargo.toml, build.rs and lib.rs."""
    module = exported.module
    real = "f32" if module.description.real == "float" else "f64"
    printer = CPrinter("double")
    parameters = tuple(
        NumberView(
            named(module.names.parameters[item.name]),
            _literal(printer.literal(item.default)),
            plain_line(f"{item.name} {f'[{item.unit}]' if item.unit else ''}"),
        )
        for item in module.parameters
    )
    fields = {
        "name": exported.name,
        "real": real,
        "sizes": exported.sizes,
        "parameters": parameters,
        "statuses": tuple(
            replace(status, name="".join(part.capitalize() for part in status.name.split("_")))
            for status in exported.statuses[1:]
        ),
        "functions": tuple(_function(exported, function, real) for function in module.functions),
    }
    return (
        GeneratedFile("Cargo.toml", render_template("consumers/Cargo.toml.jinja", **fields)),
        GeneratedFile("build.rs", render_template("consumers/build.rs.jinja", **fields)),
        GeneratedFile("lib.rs", render_template("consumers/lib.rs.jinja", **fields)),
    )


def _literal(text: str) -> str:
    return text if "." in text or "e" in text else f"{text}.0"


def _function(exported: Exported, function: ModuleFunction, real: str) -> dict[str, Any]:
    structured = bool(exported.module.parameters)
    foreign = ["parameters: *const Parameters"] if structured else []
    formals = ["parameters: &Parameters"] if structured else []
    actual = ["parameters"] if structured else []
    lines = [f"{function.name}: {function.description}", ""]
    for item, identifier in function.paired:
        name, kind = named(identifier), "i32" if item.kind == "int" else real
        foreign.append(f"{name}: {_foreign(item, kind)}")
        formals.append(f"{name}: {_formal(item, kind)}")
        actual.append(name if not item.shape and item.direction == "in" else _pointer(item, name))
        shape = " x ".join(map(str, item.shape))
        about = ", ".join(filter(None, (shape, f"[{item.unit}]" if item.unit else "", item.description)))
        lines.append(f"* `{name}`: {about or 'a number'}")
    return {
        "name": named(function.identifier),
        "symbol": exported.module.names.linked[function.name],
        "sentences": tuple(plain_line(line) for line in lines),
        "foreign": ", ".join(foreign),
        "formals": ", ".join(formals),
        "actual": ", ".join(actual),
        "fails": bool(function.failures),
    }


def _foreign(item: Argument, kind: str) -> str:
    if item.direction == "in":
        return f"*const {kind}" if item.shape else kind
    return f"*mut {kind}"


def _formal(item: Argument, kind: str) -> str:
    if item.direction == "in":
        return f"&[{kind}; {item.size}]" if item.shape else kind
    return f"&mut [{kind}; {item.size}]" if item.shape else f"&mut {kind}"


def _pointer(item: Argument, name: str) -> str:
    if not item.shape:
        return name
    return f"{name}.as_ptr()" if item.direction == "in" else f"{name}.as_mut_ptr()"


RUST: Final = Consumer(
    name="rust",
    sentence="a no_std crate over the C",
    reals=("double", "float"),
    request=as_asked,
    files=files,
)
