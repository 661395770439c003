"""Functions ready for printing, in the words of no language: straight code, and loops over tables of calls."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from mbsym.codegen.description import Argument
from mbsym.codegen.expressions import Element, Expression, Variable, leaves
from mbsym.codegen.statements import Function, Table, Threads
from mbsym.symbolic.program import OperationCount


@dataclass(frozen=True, slots=True)
class Assignment:
    """A temporary and the expression it holds; a vector of limbs has a width, and a value of it in every lane."""

    identifier: str
    expression: Expression
    width: int = 0


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
    """All entries of a result that are constants; the others are zero until they are stored."""

    result: Result


Straight: TypeAlias = Assignment | Store | StoreConstants
"""A statement of straight code."""


@dataclass(frozen=True, slots=True)
class Block:
    """Statements under one section title, which may be empty; those of a whole body are assignments."""

    title: str
    statements: tuple[Straight, ...]

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """Those that hold a temporary."""
        return tuple(item for item in self.statements if isinstance(item, Assignment))


STRAIGHT: Final = Function()
"""In the place of loops where there are none."""


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
        loops: that call steps, with arrays in which calls leave what later ones read; empty in straight code.
        steps: what they call.
        tables: constants that they look up.
    """

    blocks: tuple[Block, ...]
    results: tuple[Result, ...]
    used: frozenset[str]
    calls: tuple[str, ...]
    operations: OperationCount
    temporaries: int
    loops: Function = STRAIGHT
    steps: tuple[LoweredStep, ...] = ()
    tables: tuple[Table, ...] = ()
    known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was made of it once: printing and proof need the same."""

    @property
    def threads(self) -> int:
        """That may take parts of its loops."""
        return max((each.count for each in self.loops.body if isinstance(each, Threads)), default=0)

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
    """A step ready for printing: what the loops of a function call.

    Attributes:
        name: within the function.
        arguments: inputs, the numbers of a call last, and then outputs.
        identifiers: of these.
        body: its statements.
    """

    name: str
    arguments: tuple[Argument, ...]
    identifiers: tuple[str, ...]
    body: LoweredFunction
