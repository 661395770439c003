"""A derivation on its way: what is asked of a mechanism, and what stages have made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mbsym.codegen.interface import RuntimeFunction
from mbsym.codegen.limb_programs import LimbProgram
from mbsym.derivatives.sparsity import Sparsity
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.options.exclusion import Facts
from mbsym.options.generation import GenerationOptions
from mbsym.passes.pass_manager import Report
from mbsym.registry import Available, FixedFunctions
from mbsym.symbolic.program import OperationCount, Program

Progress = Callable[[str, int, int], None]
"""Called with what is being done, steps done, and steps in all; no steps in all make it a sentence to be read."""


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """Functions of a mechanism as they are asked for.

    Attributes:
        mechanism: what they are derived from.
        options: what is asked for.
        found: all that can be derived of it.
        facts: what decides what excludes what, as far as it is known.
        wanted: names of functions that are still to be derived, in catalogue order.
        programs: the functions, in catalogue order, optimised; behind them those made of steps which bodies share.
        reports: what the passes did to each of the former.
        fixed: functions with fixed text that call the programs, if there are any.
        sparsity: of the matrices of functions on request and derivatives, by function and result.
        limbs: functions in which one limb of each kind stands for all, beside those written out.
        left_out: functions that nobody named and that would be too large, with the megabytes of each.
    """

    mechanism: Mechanism
    options: GenerationOptions
    found: Available
    facts: Facts
    wanted: tuple[str, ...]
    programs: tuple[Program, ...] = ()
    reports: tuple[Report, ...] = ()
    fixed: FixedFunctions | None = None
    sparsity: Mapping[str, Mapping[str, Sparsity]] = field(default_factory=dict)
    limbs: Mapping[str, LimbProgram] = field(default_factory=dict)
    left_out: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Derivation of {self.mechanism.model.name!r}, {self.formulation}: {', '.join(self.names)}>"

    @property
    def formulation(self) -> str:
        """By which the functions are derived."""
        return self.options.formulation

    @property
    def loops(self) -> LoopAnalysis | None:
        """What is known of closed loops, None for a tree."""
        return self.found.loops

    @property
    def names(self) -> list[str]:
        """Of all functions."""
        return [program.name for program in self.programs] + [function.name for function in self.runtime]

    @property
    def operation_counts(self) -> dict[str, OperationCount]:
        """Of each derived function."""
        return {program.name: program.operation_count() for program in self.programs}

    @property
    def runtime(self) -> tuple[RuntimeFunction, ...]:
        """Functions with fixed text."""
        return self.fixed.runtime if self.fixed is not None else ()


@dataclass(frozen=True, slots=True)
class Stage:
    """One step from what is asked for to the functions of a module.

    Attributes:
        name: in a word.
        sentence: what holds afterwards.
        apply: the derivation after it; told of what it does.
    """

    name: str
    sentence: str
    apply: Callable[[Derivation, Progress], Derivation]
