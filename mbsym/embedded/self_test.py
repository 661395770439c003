"""NAME_selftest.c: a program that runs generated C on its target and says whether it does there what it should."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from textwrap import wrap
from typing import Any, Final

import numpy as np

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import GeneratedFile, ModuleDescription
from mbsym.codegen.environment import render_template
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction, lower_module
from mbsym.codegen.manifest import SELF_TEST_SUFFIX
from mbsym.codegen.statuses import Status
from mbsym.codegen.text import c_comment
from mbsym.doors import Array
from mbsym.embedded.choice import Strength
from mbsym.embedded.frozen import Frozen, freeze
from mbsym.embedded.results import UNCALLED, FrozenFunction, FrozenResult
from mbsym.formulations.contracts import Contract
from mbsym.kinematics.mechanism import Mechanism

WIDTH: Final = 104

_TEMPLATE: Final = """
    STATES compared wrong first_name first_state first_entry parameters note compare compare_integers not_a_number
    spoilt copy compare_status refuses main statuses
"""
_OWN_NAMES: Final = tuple(_TEMPLATE.split())
"""What the template calls its own."""


@dataclass(frozen=True, slots=True)
class ArrayView:
    """A table of numbers, or memory for results."""

    name: str
    type: str
    size: str
    rows: tuple[str, ...]


def self_test(
    description: ModuleDescription, mechanism: Mechanism, contracts: Mapping[str, Contract]
) -> tuple[GeneratedFile, Strength]:
    """The self-test of a module, and what it sees of planted faults.

    Raises:
        DerivationError: there is none for such a module; see ``freeze``.
    """
    module = lower_module(description)
    frozen = freeze(description, mechanism, contracts)
    text = render_template("c/selftest.c.jinja", **self_test_fields(module, frozen))
    return GeneratedFile(f"{module.names.module}{SELF_TEST_SUFFIX}.c", text), frozen.strength


def self_test_fields(module: LoweredModule, frozen: Frozen) -> dict[str, Any]:
    """What the template is filled with."""
    name, single = module.names.module, module.description.real == "float"
    printer = CPrinter(module.description.real)
    functions = {function.name: function for function in module.functions}
    own = _Names(module, frozen)
    most: dict[tuple[str, int], int] = {}
    for function in module.functions:
        for place, item in enumerate(item for item in function.arguments if item.direction == "out"):
            most[item.kind, place] = max(most.get((item.kind, place), 1), item.size)
    return {
        "name": name,
        "model": c_comment(module.description.model_sha256),
        "epsilon": "FLT_EPSILON" if single else "DBL_EPSILON",
        "absolute": printer.library("abs"),
        "nan": f"({name}_real)NAN",
        "states": len(next(iter(frozen.inputs.values()))),
        "strength": tuple(wrap(frozen.strength.sentence, WIDTH)),
        "parameters": bool(module.parameters),
        "inputs": tuple(
            ArrayView(own.inputs[key], f"{name}_real", str(max(values.shape[1], 1)), _rows(values, printer, " " * 4))
            for key, values in frozen.inputs.items()
        ),
        "outputs": tuple(
            ArrayView(own.outputs[kind, place], "int" if kind == "int" else f"{name}_real", str(size), ())
            for (kind, place), size in sorted(most.items())
        ),
        "tests": tuple(_test(module, functions[item.name], item, own, printer) for item in frozen.functions),
        "integers": any(result.kind == "int" for item in frozen.functions for result in item.results),
        "judged": any(item.statuses is not None for item in frozen.functions),
    }


class _Names:
    """Identifiers of tables and functions, besides those that the template has.

    Attributes:
        inputs: tables of arguments by the names of these.
        outputs: memory for results, by kind and place among a function's results.
        tests: functions that test others, by the names of these.
        inner: scope of their own tables.
    """

    def __init__(self, module: LoweredModule, frozen: Frozen) -> None:
        scope = module.names.inside(_OWN_NAMES)
        self.inputs = {key: scope.claim(f"in_{key}") for key in frozen.inputs}
        count = max(len(function.arguments) for function in module.functions)
        self.outputs = {(kind, k): scope.claim(f"out{k}_{kind}") for k in range(count) for kind in ("int", "real")}
        self.tests = {function.name: scope.claim(f"test_{function.identifier}") for function in module.functions}
        self.inner = scope.inside(("s",))


def _rows(values: Array, printer: CPrinter, indent: str = " " * 8) -> tuple[str, ...]:
    """A row of numbers for each state."""
    rows = []
    for row in values:
        numbers = ", ".join(_number(float(value), printer) for value in row) or _number(0.0, printer)
        rows.append("\n".join(wrap(f"{{{numbers}}},", WIDTH, initial_indent=indent, subsequent_indent=f"{indent} ")))
    return tuple(rows)


def _number(value: float, printer: CPrinter) -> str:
    text = printer.literal(Fraction(repr(abs(value))))
    return f"-{text}" if value < 0 and float(text.rstrip("f")) else text


def _test(
    module: LoweredModule, function: ModuleFunction, item: FrozenFunction, own: _Names, printer: CPrinter
) -> dict[str, Any]:
    inner, symbol = own.inner.inside(), module.names.c_symbol(function.name)
    outputs = [argument.name for argument in function.arguments if argument.direction == "out"]
    tables: list[ArrayView] = []
    compared = []
    for result in item.results:
        expected, allowed = (inner.claim(f"{what}_{result.name}") for what in ("expected", "allowed"))
        tables += _tables(result, expected, allowed, printer, f"{module.names.module}_real")
        what = f'"{function.name} {result.name}"'
        found, size = own.outputs[result.kind, outputs.index(result.name)], result.values.shape[1]
        if result.kind != "int":
            compared.append(f"compare({what}, s, {found}, {expected}[s], {size}, {allowed}[s]);")
            continue
        call = f"compare_integers({what}, s, {found}, {expected}[s], {size});"
        # Integers are compared where the function has a result.
        compared.append(call if item.statuses is None else f"if (statuses[s] == 0) {{ {call} }}")
    actual = _actual(module, function, own)
    if item.statuses is None:
        return {
            "name": own.tests[function.name],
            "tables": tuple(tables),
            "lines": (f"{symbol}({', '.join(actual)});", *compared),
        }
    tables.append(ArrayView("statuses", "int", "", (f"        {', '.join(map(str, item.statuses))}",)))
    lines = ["if (statuses[s] < 0) {", "    return;", "}"] if UNCALLED in item.statuses else []
    lines.append(f'compare_status("{function.name}", s, {symbol}({", ".join(actual)}), statuses[s]);')
    lines += [*compared, *_refusal(function, symbol, own, actual)]
    return {"name": own.tests[function.name], "tables": tuple(tables), "lines": tuple(lines)}


def _tables(result: FrozenResult, expected: str, allowed: str, printer: CPrinter, real: str) -> tuple[ArrayView, ...]:
    """What a result must be, and how far off, if it is no integer."""
    size = str(result.values.shape[1])
    if result.kind == "int":
        return (ArrayView(expected, "int", size, _integers(result.values)),)
    limits = np.vectorize(lambda x: float(f"{x:.2g}"), otypes=[float])(result.allowed)
    return (
        ArrayView(expected, real, size, _rows(result.values, printer)),
        ArrayView(allowed, "float", size, _rows(limits, CPrinter("float"))),
    )


def _refusal(function: ModuleFunction, symbol: str, own: _Names, actual: Sequence[str]) -> Iterator[str]:
    """Lines that ask whether coordinates that are no number are refused."""
    size = next((item.size for item in function.arguments if item.direction == "in" and item.name == "q"), 0)
    if size and any(failure.status is Status.NOT_FINITE for failure in function.failures):
        q = f"{own.inputs['q']}[s]"
        spoilt = ["spoilt" if argument == q else argument for argument in actual]
        yield f"copy(spoilt, {q}, {size});"
        yield "spoilt[0] = not_a_number;"
        yield f'refuses("{function.name}", s, {symbol}({", ".join(spoilt)}));'


def _integers(values: Array) -> tuple[str, ...]:
    return tuple(f"        {{{', '.join(str(int(x)) for x in row)}}}," for row in values)


def _actual(module: LoweredModule, function: ModuleFunction, own: _Names) -> list[str]:
    """Actual arguments at state ``s``."""
    texts = ["&parameters"] if module.parameters else []
    outputs = [item for item in function.arguments if item.direction == "out"]
    for item in function.arguments:
        if item.direction == "in":
            texts.append(f"{own.inputs[item.name]}[s]{'' if item.shape else '[0]'}")
        else:
            texts.append(own.outputs[item.kind, outputs.index(item)])
    return texts
