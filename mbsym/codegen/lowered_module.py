"""A module description with all names decided and all programs lowered: what printers and manifest share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mbsym.codegen.description import EVERY, Argument, ModuleDescription, Real, RuntimeFunction, Tolerance, arguments_of
from mbsym.codegen.guards import GUARDED, VANISHES, failures_of
from mbsym.codegen.identifiers import Scope, identifier_map
from mbsym.codegen.lower import LoweredFunction, lower
from mbsym.codegen.lower_rolled import LoweredRolled, lower_rolled
from mbsym.codegen.statuses import Failure, Status
from mbsym.errors import CodegenError
from mbsym.symbolic.domains import Guard, guards
from mbsym.symbolic.program import OperationCount, Output, ParameterInput, Program
from mbsym.symbolic.rolled import RolledProgram

# Modules that a generated Python file imports, and which it would hide from itself under the same name.
IMPORTED_MODULES = ("numpy", "math", "dataclasses", "typing", "mbsym")
# Names that C reserves behind the prefix, and NumPy behind an underscore.
C_SUFFIXES = (
    "real", "parameters", "default_parameters", "evaluate", "WRENCHES", "interface", "finite", "spoil", "sincos",
    "ABREAST", "FOUR", "angles", "bits", "NEAR", "status", "lanes", "LANES", "ALL", "places", "load", "store",
    "lanes_parameters", "lanes_mask", "lanes_rows", *(status.name for status in Status),
)  # fmt: skip
# Names that NumPy modules give to what can fail.
PYTHON_NAMES = ("Status", "StatusError")
# Names that functions which can fail give to what is their own.
INNER_NAMES = (GUARDED, "status")


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """Identifiers by the names they stand for.

    Attributes:
        module: of files, and before every symbol of C.
        functions, arguments, parameters, constants, index_arrays: as sources write them.
        linked: C symbols of the functions in object files.
        inner: local variables of functions that can fail.
        indices: what stands behind the prefix and the name of a table, by table and by name.
    """

    module: str
    functions: Mapping[str, str]
    linked: Mapping[str, str]
    arguments: Mapping[str, str]
    parameters: Mapping[str, str]
    constants: Mapping[str, str]
    index_arrays: Mapping[str, str]
    inner: Mapping[str, str]
    indices: Mapping[str, Mapping[str, str]]

    def c_symbol(self, function: str) -> str:
        """What C sources call a function."""
        return f"{self.module}_{self.functions[function]}"

    def batch_symbol(self, function: str) -> str:
        """What objects call a function for many states."""
        own = self.c_symbol(function)
        return f"{own}_batch{self.linked[function].removeprefix(own)}"


@dataclass(frozen=True, slots=True)
class ModuleFunction:
    """A function of the module.

    Attributes:
        name: as the description has it.
        identifier: its name in Python; in C the prefix comes before it.
        arguments: inputs, then outputs.
        identifiers: of the arguments, in order.
        body: None for a function with fixed text, and for one that is rolled.
        fixed_operations: of an ordinary call of a function that has no body, where they are known.
        fixed: the function with fixed text, else None.
        failures: statuses besides OK; a function that has none returns nothing in C.
        guards: what decides on them in derived code, in the order of the last result of the body.
        rolled: steps and calls of a function that is made of these, else None.
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
    rolled: LoweredRolled | None = None

    @property
    def is_side_by_side(self) -> bool:
        """True where several states at once are computed in vectors; else one comes after the other."""
        return self.body is not None or (self.fixed is not None and self.fixed.lanes)

    @property
    def operations(self) -> OperationCount | None:
        """Operations of one evaluation; None where they depend on the arguments."""
        return self.fixed_operations if self.body is None else self.body.operations

    @property
    def unused(self) -> frozenset[str]:
        """Names of inputs that a derived function takes because its kind does, and never looks at."""
        code = self.body or self.rolled
        if code is None or self.guards:
            return frozenset()
        paired = zip(self.arguments, self.identifiers, strict=True)
        return frozenset(
            item.name for item, identifier in paired if item.direction == "in" and identifier not in code.used
        )


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


def lower_module(description: ModuleDescription) -> LoweredModule:
    """Decides names and lowers all programs.

    Raises:
        CodegenError: two functions, arguments of one function or parameters share a name, or a program uses a symbol
            that it does not declare.
    """
    parameters = _module_parameters(description)
    names = _module_names(description, parameters)
    reserved = frozenset(
        {
            *(names.c_symbol(name) for name in names.functions),
            *names.linked.values(),
            *(f"{names.module}_{suffix}" for suffix in (*C_SUFFIXES, *tolerance_names(description))),
            *(f"{names.module}_{identifier}" for identifier in names.constants.values()),
            *(f"{names.module}_{table}_{name}" for table, own in names.indices.items() for name in own.values()),
            *(f"{names.module}_{name}" for name in description.limits),
            *(f"{names.module}_{name}" for name in names.index_arrays.values()),
            *names.functions.values(),
        }
    )
    functions = [_derived(program, names, reserved) for program in description.programs]
    functions += [_rolled(rolled, names, reserved) for rolled in description.rolled]
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


def _derived(program: Program, names: ModuleNames, reserved: frozenset[str]) -> ModuleFunction:
    """A function with derived code; its guards are one more result of the body."""
    found = () if program.trusting else guards(program)
    array = Output(GUARDED, (len(found),), tuple(guard.value for guard in found))
    whole = replace(program, outputs=(*program.outputs, array)) if found else program
    return ModuleFunction(
        program.name,
        names.functions[program.name],
        program.description,
        program.notes,
        arguments_of(program),
        _argument_identifiers(program.name, arguments_of(program), names),
        lower(whole, {**names.arguments, **names.inner}, names.parameters, reserved),
        failures=failures_of(found),
        guards=found,
    )


def _rolled(rolled: RolledProgram, names: ModuleNames, reserved: frozenset[str]) -> ModuleFunction:
    """A function made of steps."""
    head = rolled.head
    lowered = lower_rolled(rolled, names.arguments, names.parameters, reserved)
    return ModuleFunction(
        head.name,
        names.functions[head.name],
        head.description,
        head.notes,
        arguments_of(head),
        _argument_identifiers(head.name, arguments_of(head), names),
        None,
        lowered.operations,
        rolled=lowered,
    )


def tolerance_names(description: ModuleDescription) -> tuple[str, ...]:
    """What stands behind the prefix in macros of the runtime's tolerances."""
    return (*(item.name for item in description.tolerances), VANISHES.name)


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
    for program in description.heads:
        for item in program.parameters:
            known = parameters.setdefault(item.name, item)
            if known.default != item.default:
                raise CodegenError(
                    f"parameter {item.name!r} has the defaults {known.default} and {item.default}",
                    where=program.name,
                    remedy="give it one",
                )
    return tuple(parameters.values())


def _module_names(description: ModuleDescription, parameters: tuple[ParameterInput, ...]) -> ModuleNames:
    module = _module_name(description)
    functions = [program.name for program in description.heads] + [fixed.name for fixed in description.runtime]
    tables = [*description.limits, *(item.name for item in description.indices)]
    top = Scope((*C_SUFFIXES, *PYTHON_NAMES, *tolerance_names(description), *tables))
    function_names = identifier_map(functions, top, "functions")
    constants = identifier_map(description.constants, top, "constants")
    # What begins like the module's symbols may be one of them: arm_real in the module arm is its floating-point type.
    inside = Scope(foreign=(f"{module}_", f"MBSYM_{module}_"))
    arguments = dict.fromkeys(
        item.name for program in description.heads for item in arguments_of(program)
    ) | dict.fromkeys(item.name for fixed in description.runtime for item in fixed.arguments)
    return ModuleNames(
        module,
        function_names,
        _linked(module, function_names, description.real),
        identifier_map(arguments, inside, "arguments"),
        identifier_map([item.name for item in parameters], inside, "parameters"),
        constants,
        identifier_map(description.index_arrays, top, "arrays"),
        identifier_map(INNER_NAMES, inside, "inner names"),
        {item.name: identifier_map(item.places, Scope(), "names") for item in description.indices},
    )


def _module_name(description: ModuleDescription) -> str:
    """The prefix if one is given, else the model's name made an identifier.

    Raises:
        CodegenError: the prefix is no free identifier.
    """
    scope = Scope(IMPORTED_MODULES)
    if not description.prefix:
        return scope.claim(description.name)
    if scope.claim(description.prefix) != description.prefix or description.prefix.endswith("_"):
        raise CodegenError(
            f"{description.prefix!r} cannot be a prefix",
            where=description.name,
            remedy="use letters, digits and single underscores between them, a letter first, and no reserved word",
        )
    return description.prefix


def _linked(module: str, functions: Mapping[str, str], real: Real) -> dict[str, str]:
    """Symbols in object files: in single precision they say so, lest a header of double precision link with them."""
    symbols = {name: f"{module}_{identifier}" for name, identifier in functions.items()}
    if real == "double":
        return symbols
    scope = Scope(symbols.values())
    return {name: scope.claim(f"{symbol}_{real}") for name, symbol in symbols.items()}
