"""Generated functions and their Jacobians in CasADi's calling convention, and the C file of such functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.codegen.text import c_comment
from mbsym.consumers.consumer import Exported
from mbsym.consumers.derivative_plan import TANGENT_MAP, DerivativePlan
from mbsym.consumers.external_body import (
    PARAMETERS,
    Body,
    ExternalFunction,
    Slot,
    Statement,
    arguments_out,
    table,
)
from mbsym.consumers.places import Pattern, Result, dense, empty, matrix_size, result_of, stored


def has_unit(exported: Exported, arguments: Sequence[Argument]) -> bool:
    """True where coordinates among the arguments hold quaternions."""
    return any(item.name == "q" for item in arguments) and bool(exported.mechanism.q.quaternions)


def slots_of(exported: Exported, function: str) -> tuple[Slot, ...]:
    """The arguments of an external function."""
    slots = [Slot(item.name, dense(item.shape)) for item in exported.function(function).inputs]
    if exported.module.parameters:
        slots.append(Slot(PARAMETERS, dense((len(exported.module.parameters),))))
    return tuple(slots)


def unread(exported: Exported, function: str) -> tuple[Slot, ...]:
    """Results of the function itself among the arguments of its derivatives, which nobody reads."""
    results = arguments_out(exported, function)
    return tuple(Slot(f"out_{item.name}", empty(result_of(exported, function, item.name).shape)) for item in results)


def _stored(result: Result) -> tuple[Pattern, tuple[int, ...]]:
    """The pattern of a result, and where its entries stand in the array that the function fills."""
    return stored(*matrix_size(result.shape), result.entries)


def value_function(exported: Exported, function: str, symbol: str) -> ExternalFunction:
    """The function itself."""
    body = Body(exported)
    arguments = exported.function(function).inputs
    values = body.inputs(arguments, has_unit(exported, arguments))
    slots, gathers = [], []
    for place, item in enumerate(arguments_out(exported, function)):
        result = result_of(exported, function, item.name)
        pattern, places = _stored(result)
        slots.append(Slot(item.name, pattern))
        local, own = f"out_{place}", body.array(result.size)
        is_direct = places == tuple(range(result.size))
        body.add(f"double *const {local} = {body.asked_for(place, own) if is_direct else own}")
        if not is_direct:
            gathers.append((place, local, places))
        values[item.name] = local
    body.call(function, values)
    for gather in gathers:
        body.gather(*gather)
    sentence = exported.function(function).description
    return body.finished(symbol, f"{function}: {sentence}", slots_of(exported, function), tuple(slots))


def jacobian_function(exported: Exported, plan: DerivativePlan, symbol: str) -> ExternalFunction:
    """The Jacobian in CasADi's convention: inputs and results of the function in, a block for each pair out."""
    function = plan.function
    body = Body(exported)
    arguments = exported.function(function).inputs
    turned = {"q"} if has_unit(exported, arguments) else set()
    values = body.inputs(arguments, bool(turned))
    blocks = list(_blocks(exported, plan))
    direct = {
        block.sources[0]: place
        for place, block in enumerate(blocks)
        if block.is_direct and block.argument not in turned
    }
    needed = list(dict.fromkeys(name for block in blocks for name, _ in block.sources))
    body.call_all(needed, values, direct)
    if turned:
        _turn_back(body, values)
    slots = []
    for place, block in enumerate(blocks):
        pattern = block.pattern
        if block.argument in turned and block.sources:
            pattern = _store_turned(body, place, block)
        elif place not in direct.values():
            _store(body, place, block)
        slots.append(Slot(f"jac_{block.result}_{block.argument}", pattern))
    inputs = (*slots_of(exported, function), *unread(exported, function))
    return body.finished(symbol, f"derivatives of {function}", inputs, tuple(slots))


@dataclass(frozen=True, slots=True)
class Block:
    """The derivatives of a result by an argument.

    Attributes:
        result, argument: which.
        pattern: rows are the entries of the result column by column, columns those of the argument.
        places: of each stored entry, which source and where in its array.
        sources: functions and their results that it is taken from.
        whole: size of the array of the only source, 0 where there are several.
    """

    result: str
    argument: str
    pattern: Pattern
    places: tuple[tuple[int, int], ...]
    sources: tuple[tuple[str, str], ...]
    whole: int

    @property
    def is_direct(self) -> bool:
        """True where the source fills just what is stored."""
        return self.whole > 0 and [place for _, place in self.places] == list(range(self.whole))


def _blocks(exported: Exported, plan: DerivativePlan) -> Iterator[Block]:
    """By results and then by arguments, the parameters behind them."""
    for result in arguments_out(exported, plan.function):
        for argument in exported.function(plan.function).inputs:
            yield block_of(exported, plan, result, argument)
        if exported.module.parameters:
            yield _parameter_block(exported, plan, result)


def block_of(exported: Exported, plan: DerivativePlan, result: Argument, argument: Argument) -> Block:
    """Where the derivatives of a result by an argument stand; empty where it does not depend on it."""
    source = plan.sources.get((result.name, argument.name))
    # Of coordinates what is here is along the speeds.
    width = exported.mechanism.nv if argument.name == "q" else argument.size
    rows = prod(result.shape)
    if source is None or not argument.size:
        return Block(result.name, argument.name, Pattern(rows, argument.size, ()), (), (), 0)
    found = result_of(exported, *source)
    entries = {}
    for flat, place in found.places.items():
        row, column = divmod(flat, width)
        entries[_column_major(row, result.shape), column] = 0, place
    return Block(result.name, argument.name, *stored(rows, width, entries), (source,), found.size)


def _parameter_block(exported: Exported, plan: DerivativePlan, result: Argument) -> Block:
    names = [item.name for item in exported.module.parameters]
    sources = tuple(plan.sources[result.name, name] for name in names)
    entries = {}
    for column, source in enumerate(sources):
        for flat, place in result_of(exported, *source).places.items():
            entries[_column_major(flat, result.shape), column] = (column, place)
    return Block(result.name, PARAMETERS, *stored(prod(result.shape), len(names), entries), sources, 0)


def _column_major(flat: int, shape: tuple[int, ...]) -> int:
    rows, columns = matrix_size(shape)
    row, column = divmod(flat, columns)
    return column * rows + row


def _store(body: Body, place: int, block: Block) -> None:
    if len(block.sources) == 1:
        body.gather(place, body.results[block.sources[0]], [entry for _, entry in block.places])
    elif block.places:
        body.store(place, values=tuple(f"{body.results[block.sources[k]]}[{entry}]" for k, entry in block.places))


# ---- coordinates with quaternions ------------------------------------------------------------------------------------


def _tangent_entries(exported: Exported) -> Result:
    """The map T(q) with qdot = T v."""
    return result_of(exported, TANGENT_MAP, "T")


def _turn_back(body: Body, values: Mapping[str, str]) -> None:
    """The inverse of the tangent map on motions that keep quaternions unit: its columns are orthogonal."""
    found = _tangent_entries(body.exported)
    body.add(f"double *const tangent = {body.array(found.size)}", f"double *const back = {body.array(found.size)}")
    body.call(TANGENT_MAP, {**values, "T": "tangent"})
    pattern, places = _stored(found)
    body.statements.append(Statement(columns=(table("starts", pattern.starts), table("places", places))))


def _store_turned(body: Body, place: int, block: Block) -> Pattern:
    """Stores a derivative by coordinates, which is one along speeds times the tangent map turned back."""
    by_speed: dict[int, list[tuple[int, int]]] = {}
    for (coordinate, speed), right in sorted(_tangent_entries(body.exported).entries.items()):
        by_speed.setdefault(speed, []).append((coordinate, right))
    terms: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for (row, speed), (_, left) in zip(block.pattern.entries, block.places, strict=True):
        for coordinate, right in by_speed.get(speed, ()):
            terms.setdefault((row, coordinate), []).append((left, right))
    pattern, sums = stored(block.pattern.rows, body.exported.mechanism.nq, terms)
    body.sums(place, (body.results[block.sources[0]], "back"), sums, [column for _, column in pattern.entries])
    return pattern


# ---- the file --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SparsityView:
    """A pattern as the convention writes it."""

    name: str
    size: int
    numbers: str


def external_file(
    exported: Exported,
    file: str,
    about: Sequence[str],
    functions: Sequence[ExternalFunction],
    prelude: Sequence[str] = (),
    *,
    for_casadi: bool = False,
) -> GeneratedFile:
    """The file.

    Args:
        exported: the module that the functions call.
        file: its name.
        about: lines for its head.
        functions: in order.
        prelude: text before the functions, such as what they call.
        for_casadi: counts and memory have the types of CasADi itself, not those of acados.
    """
    patterns: dict[tuple[int, ...], SparsityView] = {}

    def named(slots: Sequence[Slot]) -> tuple[Slot, ...]:
        for slot in slots:
            numbers = slot.pattern.numbers
            name = f"{exported.name}_pattern{len(patterns)}"
            patterns.setdefault(numbers, SparsityView(name, len(numbers), ", ".join(map(str, numbers))))
        return tuple(replace(slot, table=patterns[slot.pattern.numbers].name) for slot in slots)

    views = [
        replace(
            function,
            sentence=c_comment(function.sentence),
            inputs=named(function.inputs),
            outputs=named(function.outputs),
        )
        for function in functions
    ]
    text = "\n".join(statement.text for function in functions for statement in function.statements)
    sizes = [slot.pattern.rows * slot.pattern.columns for function in functions for slot in function.inputs]
    quaternions = exported.mechanism.q.quaternions
    fields = {
        "file": file,
        "name": exported.name,
        "about": tuple(c_comment(line) for line in about),
        "zeros": max([1, *sizes]) if f"{exported.name}_zeros" in text else 0,
        "coordinates": exported.mechanism.nq,
        "speeds": exported.mechanism.nv,
        "quaternions": tuple(map(_quaternion_view, quaternions)) if f"{exported.name}_unit(" in text else (),
        "for_casadi": for_casadi,
        "integer": "casadi_int" if for_casadi else "int",
        "memory": "int mem" if for_casadi else "void *mem",
        "patterns": tuple(patterns.values()),
        "prelude": tuple(prelude),
        "functions": tuple(views),
    }
    return GeneratedFile(file, render_template("consumers/external.c.jinja", **fields))


def _quaternion_view(start: int) -> dict[str, Any]:
    square = " + ".join(f"q[{k}] * q[{k}]" for k in range(start, start + 4))
    return {"start": start, "end": start + 4, "square": square}
