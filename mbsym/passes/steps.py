"""What makes the steps of programs with loops smaller: their own passes, and numbers that are computed beforehand.

What a step computes of a call's numbers alone is computed here, exactly, and is one of its numbers then. Numbers that
are the same in all calls become constants, those that are equal in each call one; what nobody reads is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, TypeAlias, TypeVar

from mbsym.passes.rebuild import depending_on, edge, rebuild
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import MEMORY, Call, For, ForPairs, Input, Item, Program, Statement, Step

Numbers: TypeAlias = tuple[Fraction, ...]
T = TypeVar("T")

_EXACT: Final = frozenset(("add", "mul", "div", "const"))
_NUMBERED: Final = re.compile(r"0(?=_|$)")
"""In names of values, the label of a body that stands for many."""


def simplified_steps(whole: Program, optimise: Callable[[Program], Program]) -> Program:
    """An equal program with fewer operations, numbers and entries of the memory.

    Args:
        whole: to simplify.
        optimise: the passes that each step goes through.
    """
    calls: list[list[Call]] = [[] for _ in whole.steps]
    for call in whole.calls:
        calls[call.step].append(call)
    steps: list[Step] = []
    numbers: list[list[Numbers]] = []
    for step, own in zip(whole.steps, calls, strict=True):
        values = [call.numbers for call in own]
        program, values = _hoisted(step, values)
        program = optimise(program)
        # What is done once for all bodies keeps their labels.
        program = _renamed(program) if MEMORY in (*step.reads, *step.writes) else program
        program, values = _hoisted(replace(step, program=program, numbers=_count(values)), values)
        steps.append(replace(step, program=program, numbers=_count(values)))
        numbers.append(values)
    counters = [iter(values) for values in numbers]
    made = _changed(whole, steps, lambda call: replace(call, numbers=next(counters[call.step])), lambda pairs: pairs)
    return _pruned(made)


def _changed(
    whole: Program,
    steps: Iterable[Step],
    of_call: Callable[[Call], Call | None],
    of_pairs: Callable[[ForPairs], ForPairs],
) -> Program:
    """The program with other steps, calls, of which some are left out, and pairs."""
    body: list[Statement] = []
    for statement in whole.body:
        if isinstance(statement, For):
            calls = tuple(call for call in map(of_call, statement.calls) if call is not None)
            body += [replace(statement, calls=calls)] * bool(calls)
        else:
            body.append(of_pairs(statement) if isinstance(statement, ForPairs) else statement)
    return replace(whole, steps=tuple(steps), body=tuple(body))


def _count(values: Sequence[Numbers]) -> int:
    return len(values[0]) if values else 0


def _renamed(program: Program) -> Program:
    """The program whose values are named after a body, not after the one with label 0."""
    names = program.graph.names
    for node, (name, sign) in names.items():
        names[node] = (_NUMBERED.sub("", name, count=1), sign)
    return program


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _hoisted(step: Step, calls: Sequence[Numbers]) -> tuple[Program, list[Numbers]]:
    """The step's program with what depends on numbers alone as numbers, and these for each call."""
    program = step.program
    if not step.numbers or not calls:
        return program, list(calls)
    given = replace(program, inputs=program.inputs[:-1])
    images: dict[int, tuple[str, int] | Fraction] = {}
    kept: list[Numbers] = []
    seen: dict[Numbers, str] = {}
    for node, column in _columns(program, calls).items():
        if all(value == column[0] for value in column):
            images[node] = column[0]
            continue
        sign = 1 if next(value for value in column if value) > 0 else -1
        values = tuple(sign * value for value in column)
        if values not in seen:
            seen[values] = f"n{len(kept)}"
            kept.append(values)
        images[node] = (seen[values], sign)

    def rule(target: Graph, node: int, _: dict[int, Reference]) -> Reference:
        found = images[node]
        if isinstance(found, Fraction):
            return target.const(found)
        return found[1] * target.symbol(found[0])

    made = rebuild(given, rule, images)
    symbols = tuple(made.graph.symbol(f"n{k}") for k in range(len(kept)))
    inputs = (*made.inputs, *[Input("numbers", (len(kept),), symbols)] * bool(kept))
    return replace(made, inputs=inputs), [tuple(row) for row in zip(*kept, strict=True)] or [()] * len(calls)


def _columns(program: Program, calls: Sequence[Numbers]) -> dict[int, Numbers]:
    """What depends on numbers alone and is used by what does not, with its values in all calls, in order."""
    graph = program.graph
    numbers = {symbol: place for place, symbol in enumerate(program.inputs[-1].symbols)}
    chosen = edge(program, depending_on(program, numbers, _EXACT))
    order = graph.reachable(chosen)
    rows = []
    for row in calls:
        found: dict[int, Fraction] = {}
        for node in order:
            found[node] = row[numbers[node]] if node in numbers else _value(graph, node, found)
        rows.append([found[node] for node in chosen])
    return dict(zip(chosen, zip(*rows, strict=True), strict=True))


def _value(graph: Graph, node: int, found: dict[int, Fraction]) -> Fraction:
    kind, operands = graph.kinds[node], graph.arguments[node]
    if kind == "const":
        constant: Fraction = operands[0]
        return constant
    first, second = (found[ref] if ref >= 0 else -found[-ref] for ref in operands)
    if kind == "add":
        return first + second
    return first * second if kind == "mul" else first / second


# ---- what nobody reads -----------------------------------------------------------------------------------------------


def _pruned(whole: Program) -> Program:
    """Without arguments that a step does not look at, without blocks that no step reads, and without idle steps."""
    while (smaller := _pruned_once(whole)).steps != whole.steps:
        whole = smaller
    called = sorted({call.step for call in smaller.calls} | {each.step for each in smaller.pairs})
    number = {step: place for place, step in enumerate(called)}

    return _changed(
        smaller,
        [smaller.steps[step] for step in called],
        lambda call: replace(call, step=number[call.step]),
        lambda pairs: replace(pairs, step=number[pairs.step]),
    )


def _pruned_once(whole: Program) -> Program:
    reads = [_looked_at(step) for step in whole.steps]
    wanted = {
        place
        for call in whole.calls
        for k, place in enumerate(call.reads)
        if reads[call.step][k] and whole.steps[call.step].reads[k] == MEMORY
    }
    paired = (_pairs_with(each, reads[each.step]) for each in whole.pairs)
    wanted.update(place for each in paired for item in (*each.outer, *each.inner) for place in item.reads)
    writes = [[array != MEMORY for array in step.writes] for step in whole.steps]
    for call in whole.calls:
        own = writes[call.step]
        for k, place in enumerate(call.writes):
            own[k] = own[k] or place in wanted
    steps = tuple(map(_with, whole.steps, reads, writes))
    idle = {place for place, step in enumerate(steps) if not step.writes}

    def less(call: Call) -> Call | None:
        read, written = _kept(call.reads, reads[call.step]), _kept(call.writes, writes[call.step])
        return None if call.step in idle else replace(call, reads=read, writes=written)

    return _changed(whole, steps, less, lambda pairs: _pairs_with(pairs, reads[pairs.step]))


def _kept(items: Iterable[T], keep: Sequence[bool]) -> tuple[T, ...]:
    """Those of some items that are kept, of which each is told."""
    return tuple(item for item, is_kept in zip(items, keep, strict=True) if is_kept)


def _pairs_with(pairs: ForPairs, reads: Sequence[bool]) -> ForPairs:
    """The pairs whose step has some of its inputs."""
    first = len(pairs.outer[0].reads) if pairs.outer else 0

    def less(items: Sequence[Item], keep: Sequence[bool]) -> tuple[Item, ...]:
        return tuple(replace(item, reads=_kept(item.reads, keep)) for item in items)

    return replace(pairs, outer=less(pairs.outer, reads[:first]), inner=less(pairs.inner, reads[first:]))


def _looked_at(step: Step) -> list[bool]:
    """Whether a step uses anything of each of its inputs."""
    nodes = set(step.program.nodes())
    return [not nodes.isdisjoint(item.symbols) for item in step.program.inputs[: len(step.reads)]]


def _with(step: Step, reads: Sequence[bool], writes: Sequence[bool]) -> Step:
    """The step with some of its inputs and outputs."""
    if all(reads) and all(writes):
        return step
    given, numbers = step.program.inputs[: len(reads)], step.program.inputs[len(reads) :]
    outputs = _kept(step.program.outputs, writes)
    return replace(
        step,
        program=replace(step.program, inputs=(*_kept(given, reads), *numbers), outputs=outputs),
        reads=_kept(step.reads, reads),
        writes=_kept(step.writes, writes),
    )
