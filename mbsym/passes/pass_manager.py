"""Runs passes over a program, or over the steps of one with loops, and reports what each of them saved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import process_time
from typing import Protocol

from mbsym.passes.steps import simplified_steps
from mbsym.symbolic.program import OperationCount, Program


class Pass(Protocol):
    """A function from a program to an equivalent one; its name is the pass's name in reports."""

    @property
    def __name__(self) -> str: ...

    def __call__(self, program: Program, /) -> Program: ...


@dataclass(frozen=True, slots=True)
class Step:
    """What one pass did.

    Attributes:
        name: of the pass.
        before: operations before it.
        after: operations after it.
        seconds: process time it took.
    """

    name: str
    before: OperationCount
    after: OperationCount
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """The steps of one program, in order; its text is a table."""

    program: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        columns = tuple(OperationCount().as_dict())
        width = max([len(step.name) for step in self.steps] + [len(self.program)])
        lines = [f"{self.program:{width}}" + "".join(f"{column:>14}" for column in columns) + f"{'ms':>10}"]
        for step in self.steps:
            before, after = step.before.as_dict(), step.after.as_dict()
            cells = (
                f"{before[key]} -> {after[key]}" if before[key] != after[key] else f"{after[key]}" for key in columns
            )
            lines.append(
                f"{step.name:{width}}" + "".join(f"{cell:>14}" for cell in cells) + f"{1e3 * step.seconds:>10.1f}"
            )
        return "\n".join(line.rstrip() for line in lines)


def run(program: Program, passes: Iterable[Pass]) -> tuple[Program, Report]:
    """The program after all passes, in the given order, and what each of them did; of loops, what all did to them."""
    steps: list[Step] = []
    before = program.operation_count()
    ordered = tuple(passes)

    def of_steps(whole: Program) -> Program:
        return simplified_steps(whole, lambda step: run(step, ordered)[0])

    for each in (of_steps,) if program.steps else ordered:
        start = process_time()
        program = each(program)
        seconds = process_time() - start
        after = program.operation_count()
        steps.append(Step(each.__name__, before, after, seconds))
        before = after
    return program, Report(program.name, tuple(steps))
