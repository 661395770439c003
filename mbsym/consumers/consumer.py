"""A consumer of generated C, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mbsym.codegen.description import GeneratedFile, Real
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.consumers.archive import Archive
from mbsym.consumers.derivative_plan import TANGENT_MAP, DerivativePlan
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.errors import CodegenError, SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.options.exclusion import Exclusion
from mbsym.options.generation import DEFAULTS, GenerationOptions
from mbsym.pipeline import Derivation
from mbsym.symbolic.program import Program
from mbsym.values.numbers import evaluate
from mbsym.values.units import si_value


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export.

    Attributes:
        generation: what is asked for of the module; no functions stand for those that the consumer asks for.
        settings: of the consumer, by name; what is not given is as the consumer has it.
    """

    generation: GenerationOptions = DEFAULTS
    settings: Mapping[str, str] = field(default_factory=dict)


def step_of(options: ExportOptions) -> float:
    """The setting ``step`` [s].

    Raises:
        CodegenError: it is no length of time.
    """
    text = options.settings["step"]
    try:
        step = evaluate(si_value(text, "s"))
    except SymbolicError:
        step = 0.0
    if not 0.0 < step < float("inf"):
        raise CodegenError(
            f"{text!r} is no length of a step", where="`settings step`", remedy="give seconds, such as 0.01 or 10 ms"
        )
    return step


def says_yes(setting: str, options: ExportOptions) -> bool:
    """A setting that is yes or no.

    Raises:
        CodegenError: it is neither.
    """
    text = options.settings[setting]
    if text not in ("yes", "no"):
        raise CodegenError(f"{text!r} is neither yes nor no", where=f"`settings {setting}`", remedy="say yes or no")
    return text == "yes"


@dataclass(frozen=True, slots=True)
class Request:
    """Functions of the module that a consumer needs.

    Attributes:
        functions: names from the catalogue.
        derivatives: of functions, by arguments and run-time parameters.
        compressed: matrices on request and derivatives are given as compressed columns.
        batch: functions that are written for many states too, see ``pipeline.GenerationOptions``.
        plans: where derivatives of functions stand.
    """

    functions: tuple[str, ...]
    derivatives: tuple[DerivativeRequest, ...] = ()
    compressed: bool = False
    batch: tuple[str, ...] = ()
    plans: tuple[DerivativePlan, ...] = ()


def with_derivatives(
    mechanism: Mechanism, plans: Sequence[DerivativePlan], more: Iterable[str] = (), **how: Any
) -> Request:
    """Functions and what has their derivatives.

    Args:
        mechanism: of which; with quaternions derivatives need its tangent map.
        plans: of the functions.
        more: names of others.
        how: as ``Request`` has it.
    """
    names = [name for plan in plans for name in (plan.function, *plan.functions)]
    tangent = [TANGENT_MAP] if mechanism.q.quaternions else []
    requests = dict.fromkeys(request for plan in plans for request in plan.requests)
    return Request(tuple(dict.fromkeys((*names, *more, *tangent))), tuple(requests), plans=tuple(plans), **how)


@dataclass(frozen=True, slots=True)
class NumberView:
    """A name with a value and a sentence, as templates list them."""

    name: str
    value: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Exported:
    """A module on its way to a consumer.

    Attributes:
        module: the C module, names decided.
        derivation: behind it.
        options: what was asked for, with all settings of the consumer.
        plans: where derivatives of its functions stand.
    """

    module: LoweredModule
    derivation: Derivation
    options: ExportOptions
    plans: tuple[DerivativePlan, ...] = ()

    @property
    def name(self) -> str:
        """Prefix of the module's symbols, and name of its files."""
        return self.module.names.module

    @property
    def mechanism(self) -> Mechanism:
        """What the functions are of."""
        return self.derivation.mechanism

    def function(self, name: str) -> ModuleFunction:
        """The function of that name."""
        return next(item for item in self.module.functions if item.name == name)

    @property
    def is_closed(self) -> bool:
        """True where loops constrain the motion."""
        loops = self.derivation.loops
        return loops is not None and bool(loops.rows)

    @property
    def sizes(self) -> tuple[NumberView, ...]:
        """Constants of the module."""
        return tuple(NumberView(name, str(value)) for name, value in self.module.description.constants.items())

    @property
    def statuses(self) -> tuple[NumberView, ...]:
        """What functions return, all being well first; nothing where none can fail."""
        found = (NumberView(item.name, str(item.value), SENTENCES[item]) for item in Status)
        return tuple(found) if self.module.can_fail else ()

    def refusals(self, sentence: str) -> tuple[str, ...]:
        """What is told of functions without derivatives, with {} for the function's name."""
        return tuple(f"{sentence.format(plan.function)}: {plan.refusal}" for plan in self.plans if plan.refusal)

    def program(self, name: str) -> Program | None:
        """The derived function of that name; None for one with fixed text."""
        return next((item for item in self.derivation.programs if item.name == name), None)


def takes_no_functions(who: str, sentence: str, remedy: str) -> Exclusion:
    """The row of a consumer that asks for its functions itself."""
    return Exclusion(
        f"functions for {who}",
        ("functions",),
        lambda options, facts: bool(options.functions),
        sentence,
        remedy,
        f"export to {who}",
    )


def needs_dynamics(who: str) -> Exclusion:
    """The row of a consumer that moves states, or does where nobody names functions."""
    return Exclusion(
        f"steps for {who}",
        ("formulation",),
        lambda options, facts: facts.steps and not options.functions,
        "the formulation {formulation} has no forward_dynamics, with which states move",
        "use auto",
        f"export to {who}, where it gives steps",
    )


@dataclass(frozen=True, slots=True)
class Consumer:
    """Somebody who takes generated C in a form of their own.

    Attributes:
        name: as the command line has it.
        sentence: what is written, for help.
        reals: floating-point types that the consumer can take.
        request: which functions of a mechanism to generate.
        files: what is written beside the module; names without a directory.
        settings: that the consumer has besides, by name, with their defaults.
        notes: sentences for the user about what is not there, and why.
        archive: of the module's files and these, where the consumer takes one.
        reason: why the consumer has no other floating-point type, for messages.
        excludes: what cannot be asked for here besides all that cannot be generated.
    """

    name: str
    sentence: str
    reals: tuple[Real, ...]
    request: Callable[[Mechanism, ExportOptions], Request]
    files: Callable[[Exported], Sequence[GeneratedFile]]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Callable[[Exported], Sequence[str]] = lambda exported: ()
    archive: Callable[[Exported, Sequence[GeneratedFile]], Archive] | None = None
    reason: str = ""
    excludes: tuple[Exclusion, ...] = ()

    def accepted(self, options: ExportOptions) -> ExportOptions:
        """The options with all settings.

        Raises:
            CodegenError: the consumer has no such precision or setting.
        """
        if options.generation.real not in self.reals:
            raise CodegenError(
                f"{self.name} cannot take {options.generation.real}" + (f": {self.reason}" if self.reason else ""),
                where="`real`",
                remedy=f"export it in {' or '.join(self.reals)}",
            )
        if options.generation.takes_sines:
            raise CodegenError(
                "sines and cosines cannot be had from 'argument' here",
                where="`trigonometry`",
                remedy="use libm or inline",
            )
        for name in options.settings:
            if name not in self.settings:
                own = ", ".join(self.settings)
                raise CodegenError(
                    f"{self.name} has no setting {name!r}",
                    where=f"`settings {name}`",
                    remedy=f"use one of {own}" if own else "leave it out",
                )
        return replace(options, settings={**self.settings, **options.settings})
