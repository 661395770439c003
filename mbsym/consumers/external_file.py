"""The C file of functions in CasADi's convention, with the types of who reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.codegen.text import c_comment
from mbsym.consumers.consumer import Exported
from mbsym.consumers.external_body import ExternalFunction, Slot


@dataclass(frozen=True, slots=True)
class SparsityView:
    """A pattern as the convention writes it."""

    name: str
    size: int
    numbers: str


@dataclass(frozen=True, slots=True)
class SlotView:
    """An argument or result, and the name of its pattern."""

    name: str
    pattern: str


@dataclass(frozen=True, slots=True)
class ExternalView:
    """A function with its companions."""

    symbol: str
    comment: str
    text: str
    inputs: tuple[SlotView, ...]
    outputs: tuple[SlotView, ...]
    input_count: int
    output_count: int
    work: int


@dataclass(frozen=True, slots=True)
class QuaternionView:
    """Where a quaternion starts and ends in q, and the square of its length."""

    start: int
    end: int
    square: str


@dataclass(frozen=True, slots=True)
class ExternalContext:
    """Fields of ``consumers/external.c.jinja``; how many zeros and which quaternions where functions ask for them."""

    file: str
    name: str
    about: tuple[str, ...]
    zeros: int
    coordinates: int
    quaternions: tuple[QuaternionView, ...]
    for_casadi: bool
    integer: str
    memory: str
    patterns: tuple[SparsityView, ...]
    prelude: tuple[str, ...]
    functions: tuple[ExternalView, ...]


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
    views = []
    for function in functions:
        inputs, outputs = (
            tuple(_slot_view(exported, slot, patterns) for slot in group)
            for group in (function.inputs, function.outputs)
        )
        views.append(
            ExternalView(
                function.symbol,
                c_comment(function.sentence),
                function.text,
                inputs,
                outputs,
                len(inputs),
                len(outputs),
                function.work,
            )
        )
    text = "\n".join(function.text for function in functions)
    sizes = [slot.pattern.rows * slot.pattern.columns for function in functions for slot in function.inputs]
    quaternions = exported.mechanism.q.quaternions
    context = ExternalContext(
        file=file,
        name=exported.name,
        about=tuple(c_comment(line) for line in about),
        zeros=max([1, *sizes]) if f"{exported.name}_zeros" in text else 0,
        coordinates=exported.mechanism.nq,
        quaternions=tuple(map(_quaternion_view, quaternions)) if f"{exported.name}_unit(" in text else (),
        for_casadi=for_casadi,
        integer="casadi_int" if for_casadi else "int",
        memory="int mem" if for_casadi else "void *mem",
        patterns=tuple(patterns.values()),
        prelude=tuple(prelude),
        functions=tuple(views),
    )
    return GeneratedFile(file, render_template("consumers/external.c.jinja", context))


def _slot_view(exported: Exported, slot: Slot, patterns: dict[tuple[int, ...], SparsityView]) -> SlotView:
    numbers = slot.pattern.numbers
    if numbers not in patterns:
        name = f"{exported.name}_pattern{len(patterns)}"
        patterns[numbers] = SparsityView(name, len(numbers), ", ".join(map(str, numbers)))
    return SlotView(slot.name, patterns[numbers].name)


def _quaternion_view(start: int) -> QuaternionView:
    square = " + ".join(f"q[{k}] * q[{k}]" for k in range(start, start + 4))
    return QuaternionView(start, start + 4, square)
