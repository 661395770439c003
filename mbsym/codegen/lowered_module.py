"""A module description with all names decided and all programs lowered: what printers and manifest share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mbsym.codegen.description import (
    EVERY,
    GUARDED,
    VANISHES,
    Argument,
    ModuleDescription,
    RuntimeFunction,
    Tolerance,
    arguments_of,
    failures_of,
)
from mbsym.codegen.identifiers import spelled
from mbsym.codegen.limb_programs import LimbProgram
from mbsym.codegen.limbs import LimbBody, lower_limbs
from mbsym.codegen.lower import lower
from mbsym.codegen.lower_loops import lower_loops
from mbsym.codegen.lowered import LoweredFunction, LoweredStep
from mbsym.codegen.module_names import ModuleNames, module_names
from mbsym.codegen.statuses import Failure
from mbsym.errors import CodegenError
from mbsym.symbolic.domains import Guard, guards
from mbsym.symbolic.given_functions import PieceNumber, StepFunction
from mbsym.symbolic.program import OperationCount, Output, ParameterInput, Program

WORTH_A_CALL: Final = 100
"""Operations from which a function that computes what an earlier one does is a call of it, and not the same text."""


@dataclass(frozen=True, slots=True)
class ModuleFunction:
    """A function of the module.

    Attributes:
        name: as the description has it.
        identifier: its name in Python; in C the prefix comes before it.
        arguments: inputs, then outputs.
        identifiers: of the arguments, in order.
        body: None for a function with fixed text.
        fixed_operations: of an ordinary call of one with fixed text, where they are known.
        fixed: the function with fixed text, else None.
        failures: statuses besides OK; a function that has none returns nothing in C.
        guards: what decides on them in derived code, in the order of the last result of the body.
        equal: name of an earlier function of much text that computes the same and is called instead, or nothing.
        limbs: the body with equal limbs side by side, which C takes where it has vectors, or None.
    """

    name: str
    identifier: str
    description: str
    notes: tuple[str, ...]
    arguments: tuple[Argument, ...]
    identifiers: tuple[str, ...]
    body: LoweredFunction | None
    fixed_operations: OperationCount | None = None
    fixed: RuntimeFunction | None = None
    failures: tuple[Failure, ...] = ()
    guards: tuple[Guard, ...] = ()
    equal: str = ""
    limbs: LimbBody | None = None

    @property
    def is_side_by_side(self) -> bool:
        """True where several states at once are computed in vectors; else one comes after the other."""
        return self.fixed.lanes if self.fixed is not None else not self.steps

    @property
    def paired(self) -> tuple[tuple[Argument, str], ...]:
        """Arguments with their identifiers."""
        return tuple(zip(self.arguments, self.identifiers, strict=True))

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """The arguments that it reads."""
        return tuple(item for item in self.arguments if item.direction == "in")

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Those that it fills."""
        return tuple(item for item in self.arguments if item.direction == "out")

    @property
    def steps(self) -> tuple[LoweredStep, ...]:
        """What its loops call."""
        return self.body.steps if self.body is not None else ()

    @property
    def threads(self) -> int:
        """That may take parts of its loops."""
        return self.body.threads if self.body is not None else 0

    @property
    def operations(self) -> OperationCount | None:
        """Operations of one evaluation; None where they depend on the arguments."""
        return self.fixed_operations if self.body is None else self.body.operations

    @property
    def unused(self) -> frozenset[str]:
        """Names of inputs that a derived function takes because its kind does, and never looks at."""
        if self.body is None or self.guards:
            return frozenset()
        used = self.body.used
        unread = (item for item, identifier in self.paired if identifier not in used)
        return frozenset(item.name for item in unread if item.direction == "in")


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """A module ready for printing."""

    description: ModuleDescription
    names: ModuleNames
    parameters: tuple[ParameterInput, ...]
    functions: tuple[ModuleFunction, ...]

    @property
    def batched(self) -> tuple[ModuleFunction, ...]:
        """Functions that there are for many states too."""
        wanted = self.description.batch
        return tuple(function for function in self.functions if EVERY in wanted or function.name in wanted)

    def takes_parameters(self, function: ModuleFunction) -> bool:
        """True where the function has the parameters among its arguments."""
        return bool(self.parameters) and self.description.prepares in ("", function.name)

    @property
    def is_guarded(self) -> bool:
        """True where some derived function can fail."""
        return any(function.guards for function in self.functions)

    @property
    def tolerances(self) -> tuple[Tolerance, ...]:
        """Numbers that the code compares with and that users may change."""
        divides = any(guard.need == "nonzero" for function in self.functions for guard in function.guards)
        return (*self.description.tolerances, *[VANISHES] * divides)

    @property
    def can_fail(self) -> bool:
        """True where some function can."""
        return any(function.failures for function in self.functions)

    @property
    def runtime_files(self) -> tuple[str, ...]:
        """Names of the fixed files that the module includes, each once, in order."""
        return tuple(dict.fromkeys(function.file for function in self.description.runtime))


def lower_module(description: ModuleDescription, reserved: Collection[str] = ()) -> LoweredModule:
    """Decides names, none of which is reserved besides those of C, C++ and Python, and lowers all programs.

    Raises:
        CodegenError: two functions, arguments of one function or parameters share a name, or a program uses a symbol
            that it does not declare.
    """
    parameters = _module_parameters(description)
    names = module_names(description, [item.name for item in parameters], reserved)
    functions: list[ModuleFunction] = []
    for program in description.programs:
        function = _calling_equal(_derived(program, names), functions)
        limbs = description.limbs.get(program.name) if not function.equal and not function.guards else None
        functions.append(_with_limbs(function, limbs, names) if limbs is not None else function)
    functions += [
        ModuleFunction(
            fixed.name,
            names.functions[fixed.name],
            fixed.description,
            (),
            fixed.arguments,
            _argument_identifiers(fixed.name, fixed.arguments, names),
            None,
            _operations(fixed, {function.name: function.operations for function in functions}),
            fixed,
            fixed.failures,
        )
        for fixed in description.runtime
    ]
    return LoweredModule(description, names, parameters, tuple(functions))


def _derived(program: Program, names: ModuleNames) -> ModuleFunction:
    """A function with derived code; its guards are one more result of the body."""
    found = () if program.trusting else guards(program)
    if found and program.body:
        raise CodegenError("a step of it may fail, and nobody would be told", where=program.name, remedy="unroll it")
    array = Output(GUARDED, (len(found),), tuple(guard.value for guard in found))
    whole = replace(program, outputs=(*program.outputs, array)) if found else program
    lowering = lower_loops if program.body else lower
    return ModuleFunction(
        program.name,
        names.functions[program.name],
        program.description,
        program.notes,
        arguments_of(program),
        _argument_identifiers(program.name, arguments_of(program), names),
        lowering(whole, {**names.arguments, **names.inner}, names.parameters, names.inside()),
        failures=failures_of(found),
        guards=found,
    )


def _with_limbs(function: ModuleFunction, limbs: LimbProgram, names: ModuleNames) -> ModuleFunction:
    """The function, which has its limbs side by side too."""
    return replace(function, limbs=lower_limbs(limbs, names.arguments, names.inside()))


def _calling_equal(function: ModuleFunction, earlier: Sequence[ModuleFunction]) -> ModuleFunction:
    """The function, which knows whether an earlier one computes the same from the same arguments."""
    body = function.body
    if body is None or body.steps or function.guards or body.operations.arithmetic < WORTH_A_CALL:
        return function
    alike = (
        other.name
        for other in earlier
        if (other.operations, other.inputs, other.guards) == (function.operations, function.inputs, ())
        and _values(other) == _values(function)
    )
    return replace(function, equal=next(alike, ""))


def _values(function: ModuleFunction) -> tuple[object, ...]:
    """What a function computes, whatever its results are called."""
    body = function.body
    assert body is not None
    return body.blocks, [(result.shape, result.entries) for result in body.results]


def _operations(fixed: RuntimeFunction, derived: Mapping[str, OperationCount | None]) -> OperationCount | None:
    """Operations of an ordinary call of a function with fixed text, those of the functions it calls included."""
    if fixed.own is None:
        return None
    total = fixed.own.as_dict()
    for name in fixed.calls:
        called = derived.get(name)
        if called is None:
            return None
        for kind, count in called.as_dict().items():
            total[kind] += count
    return OperationCount(**total)


def _argument_identifiers(function: str, arguments: tuple[Argument, ...], names: ModuleNames) -> tuple[str, ...]:
    if len({item.name for item in arguments}) != len(arguments):
        raise CodegenError("two arguments share a name", where=function, remedy="give each its own name")
    return tuple(names.arguments[item.name] for item in arguments)


def _module_parameters(description: ModuleDescription) -> tuple[ParameterInput, ...]:
    """Parameters of all programs, each once, in order of first occurrence."""
    parameters: dict[str, ParameterInput] = {}
    for program in description.programs:
        for item in program.parameters:
            known = parameters.setdefault(item.name, item)
            if known.default != item.default:
                raise CodegenError(
                    f"parameter {item.name!r} has the defaults {known.default} and {item.default}",
                    where=program.name,
                    remedy="give it one",
                )
    return tuple(parameters.values())


def step_functions(module: LoweredModule) -> tuple[StepFunction, ...]:
    """Those that derived functions of a module call, each once, by their names."""
    bodies = [function.body for function in module.functions if function.body is not None]
    bodies += [step.body for body in bodies for step in body.steps]
    found = {call: None for body in bodies for call in body.calls if isinstance(call, StepFunction)}
    return tuple(sorted(found))


def arrays(functions: Iterable[StepFunction]) -> dict[str, Sequence[float]]:
    """The numbers that they look up, by the identifier of the array; equally spaced pieces need none.

    Raises:
        CodegenError: two arrays have one identifier.
    """
    found: dict[str, Sequence[float]] = {}
    for function in functions:
        if isinstance(function, PieceNumber) and function.spacing is not None:
            continue
        name, numbers = spelled(function.array), tuple(function.numbers)
        if found.setdefault(name, numbers) != numbers:
            what = f"two tables become {name!r} in code"
            raise CodegenError(what, where=function.array, remedy="rename one of them")
    return dict(sorted(found.items()))
