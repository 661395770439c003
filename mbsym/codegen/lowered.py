"""Functions ready for printing, in the words of no language: straight code, and loops over tables of calls."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

from mbsym.codegen.description import Argument
from mbsym.codegen.expressions import Element, Expression, Variable, leaves
from mbsym.symbolic.program import OperationCount

MOST_RUNS: Final = 4
"""Runs of calls of one step in a loop, above which it is one loop that chooses the step."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A temporary and the expression it holds."""

    identifier: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Result:
    """An output and the expressions of its entries, row-major."""

    identifier: str
    shape: tuple[int, ...]
    entries: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """An entry of an array, and what is written there."""

    array: str
    index: int
    expression: Expression


@dataclass(frozen=True, slots=True)
class StoreConstants:
    """All entries of a result that are constants."""

    result: Result


Statement: TypeAlias = Assignment | Store | StoreConstants


@dataclass(frozen=True, slots=True)
class Block:
    """Statements under one section title, which may be empty; those of a whole body are assignments."""

    title: str
    statements: tuple[Statement, ...]

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """Those that hold a temporary."""
        return tuple(item for item in self.statements if isinstance(item, Assignment))


@dataclass(frozen=True, slots=True)
class LoweredFunction:
    """The body of a function: straight code, or loops that call steps.

    Attributes:
        blocks: temporaries in the order of evaluation.
        results: outputs, written after all temporaries.
        used: identifiers of the arguments and parameters that occur in the body or in a step.
        calls: elementary functions that occur in the body, sorted; "select" counts as one.
        operations: of one evaluation, as printed: constants that meet in a flattened sum or product are one.
        temporaries: number of temporaries.
        loops: in order; none in straight code.
        steps: that they call.
        arrays: the function's own, by their identifiers with their sizes.
        memory: entries of the array that calls hand on.
        threads: that may take parts of loops.
    """

    blocks: tuple[Block, ...]
    results: tuple[Result, ...]
    used: frozenset[str]
    calls: tuple[str, ...]
    operations: OperationCount
    temporaries: int
    loops: tuple[LoweredZeros | LoweredFor | LoweredPairs, ...] = ()
    steps: tuple[LoweredStep, ...] = ()
    arrays: Mapping[str, int] = field(default_factory=dict)
    memory: int = 0
    threads: int = 0
    known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was made of it once: printing and proof need the same."""

    def pruned(self, left: Collection[str] = ()) -> LoweredFunction:
        """The body without statements whose temporaries nothing reads.

        Args:
            left: identifiers of results that are left out.
        """
        results = tuple(result for result in self.results if result.identifier not in left)
        used: set[str] = set()

        def note(expression: Expression) -> None:
            for leaf in leaves(expression):
                if isinstance(leaf, (Element, Variable)):
                    used.add(leaf.array if isinstance(leaf, Element) else leaf.identifier)

        for result in results:
            for entry in result.entries:
                note(entry)
        blocks: list[Block] = []
        for block in reversed(self.blocks):
            kept = []
            for assignment in reversed(block.assignments):
                if assignment.identifier in used:
                    kept.append(assignment)
                    note(assignment.expression)
            blocks += [Block(block.title, tuple(reversed(kept)))] * bool(kept)
        return replace(self, blocks=tuple(reversed(blocks)), results=results, used=self.used & used)


# ---- loops -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoweredStep:
    """A step ready for printing.

    Attributes:
        name: within the function.
        arguments: inputs, the numbers last, and then outputs.
        identifiers: of these.
        arrays: of inputs and outputs, the numbers left out: an argument's identifier, or "" for the memory.
        body: its statements.
        numbers: of each call, in order.
        places: of each call, in order: where each of ``arrays`` begins.
    """

    name: str
    arguments: tuple[Argument, ...]
    identifiers: tuple[str, ...]
    arrays: tuple[str, ...]
    body: LoweredFunction
    numbers: tuple[tuple[Fraction, ...], ...]
    places: tuple[tuple[int, ...], ...]

    @property
    def sizes(self) -> tuple[int | None, ...]:
        """How many entries each of ``arrays`` has; None for what is no array but a number."""
        given = [item for k, item in enumerate(self.arguments) if not (self.has_numbers and k == self.inputs)]
        return tuple(item.size if item.shape else None for item in given)

    @property
    def inputs(self) -> int:
        """How many of ``arrays`` are read."""
        return sum(item.direction == "in" for item in self.arguments) - self.has_numbers

    @property
    def has_numbers(self) -> bool:
        """Whether calls bring numbers."""
        return bool(self.numbers and self.numbers[0])


@dataclass(frozen=True, slots=True)
class Run:
    """Calls of one step, one after the other: the first of its calls, and the one behind the last."""

    step: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class LoweredZeros:
    """A result that is filled with zeros: its identifier and its size."""

    identifier: str
    size: int


@dataclass(frozen=True, slots=True)
class LoweredFor:
    """Runs in order under a title.

    Attributes:
        title: of the sweep.
        runs: in order; those of one step, each part of which is a call, are one.
        parts: where the runs of each part begin that a thread may take; none where one thread takes all, and where
            each call is a part.
        is_spread: each call is a part.
    """

    title: str
    runs: tuple[Run, ...]
    parts: tuple[int, ...] = ()
    is_spread: bool = False

    @property
    def in_turn(self) -> tuple[Run, ...]:
        """The runs that have a loop each: all if they are few, else those in front that are the only ones of their
        steps."""
        if len(self.runs) <= MOST_RUNS:
            return self.runs
        steps = [run.step for run in self.runs]
        return self.runs[: next((k for k, step in enumerate(steps) if steps.count(step) > 1), len(steps))]

    @property
    def mixed(self) -> tuple[Run, ...]:
        """The others, which one loop takes that chooses the step."""
        return self.runs[len(self.in_turn) :]


@dataclass(frozen=True, slots=True)
class LoweredPairs:
    """A step for each outer item with the inner ones on its path.

    Attributes:
        title: what is found.
        step: which.
        size: entries that it finds.
        targets: identifier of each result that takes them, and how far they are apart there.
        outer, inner: a row for each item: what it is paired with first or what comes next, -1 for nothing; its share
            of the place in each target; and where what the step reads of it begins in the memory.
        count: how many pairs there are.
    """

    title: str
    step: int
    size: int
    targets: tuple[tuple[str, int], ...]
    outer: tuple[tuple[int, ...], ...]
    inner: tuple[tuple[int, ...], ...]
    count: int
