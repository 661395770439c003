"""Steps of functions with loops, and what they hand on: which entries of it vary, and in which block they stand.

What is handed on is zero or one in some places for all bodies: such places are found by deriving the steps until
nothing changes, and do not stand in the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mbsym.kinematics.mechanism import TreeBody
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import MEMORY, Input, Output, ParameterInput, Program, Step
from mbsym.symbolic.scalar import Scalar, symbol

Key: TypeAlias = tuple[str, int]
"""The name of values in the memory, and the kind of bodies that keep them; COMMON for what all kinds hand on."""

COMMON: Final = -1

Shape: TypeAlias = tuple[int | None, ...]
"""Of values in the memory: 0, 1 or -1 where they are that for all bodies, None where they vary."""

Row: TypeAlias = tuple[str, str, Sequence[Scalar]]
"""What a step reads or writes: its name there, the array, and the entries."""

JOINT: Final = "joint"
"""What the first step of a body finds of its joint's position, for the later ones."""

NUMBERS: Final = "numbers"
"""The last input of a step: those that a call brings."""


@dataclass(slots=True)
class Handed:
    """What steps hand on.

    Attributes:
        shapes: of it.
        blocks: of the memory that are taken.
    """

    shapes: dict[Key, Shape] = field(default_factory=dict)
    blocks: int = 0

    def settle(self, derive: Callable[[], None]) -> None:
        """Derives steps until what they write keeps its shapes."""
        before: dict[Key, Shape] | None = None
        while self.shapes != before:
            before = dict(self.shapes)
            derive()

    def widen(self, key: Key, values: Sequence[Scalar]) -> None:
        """Takes values into account: places that are not what they were for others vary."""
        marks = tuple(value.ref if abs(value.ref) <= 1 else None for value in values)
        known = self.shapes.setdefault(key, marks)
        self.shapes[key] = tuple(a if a == b else None for a, b in zip(known, marks, strict=True))

    def entries(self, graph: Graph, name: str, key: Key) -> list[Scalar]:
        """The values as a step sees them: those that vary are symbols."""
        named = [(mark, f"{name}{place}") for place, mark in enumerate(self.shapes[key])]
        return [symbol(graph, own) if mark is None else Scalar(graph, mark) for mark, own in named]

    def varying(self, key: Key, values: Sequence[Scalar]) -> list[Scalar]:
        """Those of the values that stand in the memory."""
        return [value for value, mark in zip(values, self.shapes[key], strict=True) if mark is None]

    def block(self) -> int:
        """One more block of the memory."""
        self.blocks += 1
        return self.blocks - 1

    def given(
        self, title: str, name: str, values: Sequence[Scalar], parameters: tuple[ParameterInput, ...] = ()
    ) -> Step:
        """The step of that title, which hands on what no body has found."""
        row = (f"{name}_out", MEMORY, self.varying((name, COMMON), values))
        return step_of(f"{title}_{name}", values[0].graph, (), (row,), parameters=parameters)

    def added(self, name: str) -> Step:
        """The step that adds up what two bodies hand on."""
        graph, key = Graph(), (name, COMMON)
        names = (name, f"other_{name}")
        two = [self.entries(graph, own, key) for own in names]
        total = [a + b for a, b in zip(*two, strict=True)]
        rows = [(own, MEMORY, values) for own, values in zip(names, two, strict=True)]
        return step_of(f"sum_{name}", graph, rows, ((f"{name}_out", MEMORY, self.varying(key, total)),))


def step_of(
    name: str,
    graph: Graph,
    reads: Sequence[Row],
    writes: Sequence[Row],
    numbers: Sequence[Scalar] = (),
    parameters: tuple[ParameterInput, ...] = (),
    labels: tuple[str, ...] = (),
) -> Step:
    """A step; what it reads that is the same for all bodies is no argument of it.

    Args:
        name: of its Program.
        graph: of all values.
        reads, writes: in order.
        numbers: of each call.
        parameters: run-time parameters that it may use.
        labels: what entries of q are called in names of their sines and cosines.
    """
    varying = [(own, array, [value for value in values if value.constant is None]) for own, array, values in reads]
    inputs = [_input(own, values, labels if own == "q" else ()) for own, _, values in varying]
    inputs += [_input(NUMBERS, numbers)] * bool(numbers)
    outputs = tuple(Output(own, (len(values),), tuple(value.ref for value in values)) for own, _, values in writes)
    program = Program(name, graph, tuple(inputs), outputs, parameters)
    read, written = (tuple(array for _, array, _ in rows) for rows in (reads, writes))
    return Step(program, read, written, len(numbers))


def argument(graph: Graph, name: str, body: TreeBody) -> Row:
    """What a step reads of an argument of the function: the entries of a body's joint."""
    return name, name, [symbol(graph, f"{name}{k}") for k in range(len(body.q if name == "q" else body.v))]


def first_of(name: str, body: TreeBody) -> int:
    """Where these begin there."""
    return body.q_range[0] if name == "q" else body.v_range[0]


def _input(name: str, values: Sequence[Scalar], labels: tuple[str, ...] = ()) -> Input:
    return Input(name, (len(values),), tuple(value.ref for value in values), labels=labels)
