"""The statements of functions for many states: blocks of states loaded into vectors, computed, judged and stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbsym.codegen.c.expressions import LanePrinter
from mbsym.codegen.c.formals import closed
from mbsym.codegen.c.statuses import is_sound
from mbsym.codegen.description import GUARDED
from mbsym.codegen.environment import render_template
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction

WORTH_THREADS: Final = 256
"""States below which threads take longer to start than to help."""

_NAMES: Final = {
    "states": "n",
    "parameters_stride": "parameters_stride",
    "statuses": "status",
    "first": "first",
    "lane": "lane",
    "entry": "i",
    "worst": "worst",
    "found": "found",
    "unsound": "unsound",
    "sound": "sound",
    "common": "common",
    "own": "own",
    "given": "given",
    "structure_places": "parameters_places",
}
"""Identifiers beside those of the arguments, where these leave them free."""


@dataclass(frozen=True, slots=True)
class ArgumentView:
    """An argument: its identifier, those of what belongs to it, and what it is.

    Attributes:
        kind: type of its entries.
        written: its block as an array of that type.
    """

    name: str
    strides: str
    places: str
    block: str
    one: str
    size: int
    kind: str
    written: str
    is_int: bool
    is_input: bool
    is_scalar: bool

    def given(self, array: str) -> str:
        """The argument in a call where it stands in that array; one without numbers stands nowhere."""
        return (f"{array}[0]" if self.is_scalar else array) if self.size else "NULL"


def batch_formals(module: LoweredModule, function: ModuleFunction, close: str) -> tuple[str, ...]:
    """Formal arguments: how many states, parameters, and each argument with its strides."""
    prefix = module.names.module
    names, arguments = _named(module, function)
    texts = [f"ptrdiff_t {names['states']}"]
    if module.parameters:
        texts += [f"const {prefix}_parameters *parameters", f"ptrdiff_t {names['parameters_stride']}"]
    for item in arguments:
        texts.append(f"{'const ' * item.is_input}{item.kind} *{item.name}")
        texts.append(f"const ptrdiff_t *{item.strides}")
    if function.failures:
        texts.append(f"int *{names['statuses']}")
    return closed(texts, close)


def _named(module: LoweredModule, function: ModuleFunction) -> tuple[dict[str, str], tuple[ArgumentView, ...]]:
    """Identifiers beside those of the arguments, and the arguments with theirs."""
    scope = module.names.inside((*function.identifiers, module.names.inner[GUARDED]))
    strides, places, blocks, ones = (
        {identifier: scope.claim(f"{identifier}_{ending}") for identifier in function.identifiers}
        for ending in ("strides", "places", "block", "one")
    )
    names = {meaning: scope.claim(name) for meaning, name in _NAMES.items()}
    real = f"{module.names.module}_real"
    arguments = tuple(
        ArgumentView(
            identifier,
            strides[identifier],
            places[identifier],
            blocks[identifier],
            ones[identifier],
            size=item.size,
            kind="int" if item.kind == "int" else real,
            written=blocks[identifier] if item.kind == "int" else f"(({real} *){blocks[identifier]})",
            is_int=item.kind == "int",
            is_input=item.direction == "in",
            is_scalar=item.direction == "in" and not item.shape,
        )
        for item, identifier in function.paired
    )
    return names, arguments


def driver_lines(module: LoweredModule, function: ModuleFunction, printer: LanePrinter) -> tuple[str, ...]:
    """The statements of a function for many states."""
    prefix, symbol = module.names.module, module.names.c_symbol(function.name)
    names, every = _named(module, function)
    arguments = tuple(item for item in every if item.size)
    guarded = module.names.inner[GUARDED] if function.guards else ""
    ones = [item.given(item.one) for item in every]

    def call(name: str, structure: str, actual: list[str]) -> str:
        return f"{name}({', '.join([*[structure] * bool(module.parameters), *actual])})"

    def of_state(state: str) -> str:
        return call(symbol, f"parameters + ({state}) * {names['parameters_stride']}", ones)

    def of_lane(array: str, place: int) -> str:
        return f"((const {prefix}_real *){array})[{place} * {prefix}_LANES + {names['lane']}]"

    blocks = [*(item.given(item.block) for item in every), *[guarded] * bool(guarded)]
    conditions = [is_sound(of_lane(guarded, k), guard, prefix, printer) for k, guard in enumerate(function.guards)]
    conditions += [f"{of_lane('&' + names['sound'], 0)} > 0"] * (function.fixed is not None)
    fields = {
        "prefix": prefix,
        "empty": tuple(item for item in every if not item.size),
        "arguments": arguments,
        "inputs": tuple(item for item in arguments if item.is_input),
        "outputs": tuple(item for item in arguments if not item.is_input),
        "numbers": tuple(item for item in arguments if not item.is_int),
        "names": names,
        "structure": len(module.parameters) if function.is_side_by_side else 0,
        "step": f"{prefix}_LANES" if function.is_side_by_side else "1",
        "side_by_side": function.is_side_by_side,
        "is_fixed": function.fixed is not None,
        "fails": bool(function.failures),
        "guarded": guarded,
        "guards": len(function.guards),
        "conditions": tuple(conditions),
        "absolute": printer.library("abs"),
        "infinity": printer.infinity,
        "worth_threads": WORTH_THREADS,
        "call_of_lanes": call(f"{symbol}_lanes", names["given"], blocks),
        "call_of_lane": of_state(f"{names['first']} + {names['lane']}"),
        "call_of_state": of_state(names["first"]),
    }
    return tuple(render_template("c/batch_driver.c.jinja", **fields).splitlines())
