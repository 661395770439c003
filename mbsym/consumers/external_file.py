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
    """An argument or result: its number, name, and the name of its pattern."""

    number: int
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
    """Fields of ``consumers/external.c.jinja``."""

    file: str
    name: str
    about: tuple[str, ...]
    has_unit: bool
    has_zeros: bool
    zeros: int
    coordinates: int
    quaternions: tuple[QuaternionView, ...]
    integer: str
    defines_integer: bool
    memory: str
    patterns: tuple[SparsityView, ...]
    prelude: tuple[str, ...]
    functions: tuple[ExternalView, ...]


def external_file(
    exported: Exported,
    file: str,
    about: Sequence[str],
    functions: Sequence[ExternalFunction],
    integer: str,
    memory: str,
    prelude: Sequence[str] = (),
) -> GeneratedFile:
    """The file.

    Args:
        exported: the module that the functions call.
        file: its name.
        about: lines for its head.
        functions: in order.
        integer: type of counts, "casadi_int" for CasADi's own.
        memory: the last argument of each function.
        prelude: text before the functions, such as what they call.
    """
    patterns: dict[tuple[int, ...], SparsityView] = {}
    views = []
    for function in functions:
        inputs, outputs = (
            tuple(_slot_view(exported, number, slot, patterns) for number, slot in enumerate(group))
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
    context = ExternalContext(
        file=file,
        name=exported.name,
        about=tuple(c_comment(line) for line in about),
        has_unit=f"{exported.name}_unit(" in text,
        has_zeros=f"{exported.name}_zeros" in text,
        zeros=max([1, *sizes]),
        coordinates=exported.mechanism.nq,
        quaternions=tuple(_quaternion_view(start) for start in exported.mechanism.q.quaternions),
        integer=integer,
        defines_integer=integer == "casadi_int",
        memory=memory,
        patterns=tuple(patterns.values()),
        prelude=tuple(prelude),
        functions=tuple(views),
    )
    return GeneratedFile(file, render_template("consumers/external.c.jinja", context))


def _slot_view(exported: Exported, number: int, slot: Slot, patterns: dict[tuple[int, ...], SparsityView]) -> SlotView:
    numbers = slot.pattern.numbers
    if numbers not in patterns:
        name = f"{exported.name}_pattern{len(patterns)}"
        patterns[numbers] = SparsityView(name, len(numbers), ", ".join(map(str, numbers)))
    return SlotView(number, slot.name, patterns[numbers].name)


def _quaternion_view(start: int) -> QuaternionView:
    square = " + ".join(f"q[{k}] * q[{k}]" for k in range(start, start + 4))
    return QuaternionView(start, start + 4, square)
