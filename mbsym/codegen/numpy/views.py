"""What the NumPy template is filled with."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from mbsym import __version__
from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lower import LoweredFunction, Result
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.numpy.expressions import NumpyPrinter
from mbsym.codegen.numpy.rolled import RolledText
from mbsym.codegen.routines.arrays import print_arrays
from mbsym.codegen.routines.module import MEMORY, routine_file, routine_of
from mbsym.codegen.routines.numpy import memory_class, print_numpy
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.codegen.text import WIDTH, docstring, plain_line, wrapped

INDENT = "    "
DEEPER = "        "
FAILURES = '"raise", "mask" with NaN, "keep" the results documented, or "return" (results, status).'


@dataclass(frozen=True, slots=True)
class ParameterView:
    """A field of the parameter class."""

    name: str
    default: str
    comment: str


@dataclass(frozen=True, slots=True)
class FieldView:
    """A result among several."""

    name: str
    documentation: str


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A function and its kernel.

    Attributes:
        definition: lines of the function's head.
        returns: annotation of the result; the class that packs several results bears this name.
        documentation: lines of the docstring after its summary.
        arguments: the rows that tell how to read each argument: its name as text, its value, its shape.
        outputs: the shapes of all results.
        fields: of the class that packs several results; empty if there is one result.
        kernel_formals: what the kernel takes after the table of functions.
        lines: of the kernel's body.
        guards: need and size of each guarded value, which the kernel returns besides its results.
    """

    name: str
    definition: tuple[str, ...]
    returns: str
    summary: str
    documentation: tuple[str, ...]
    arguments: tuple[str, ...]
    outputs: str
    fields: tuple[FieldView, ...]
    kernel_formals: str
    lines: tuple[str, ...]
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleContext:
    """Fields of ``numpy/module.py.jinja``."""

    version: str
    name: str
    head: tuple[str, ...]
    exported: tuple[str, ...]
    real: str
    parameters: tuple[ParameterView, ...]
    packed: bool
    constants: tuple[str, ...]
    statuses: tuple[str, ...]
    evaluate: str
    functions: tuple[FunctionView, ...]
    runtime: tuple[str, ...]


def render_numpy(module: LoweredModule) -> tuple[GeneratedFile, ...]:
    """NAME.py."""
    return (
        GeneratedFile(f"{module.names.module}.py", render_template("numpy/module.py.jinja", module_context(module))),
    )


def module_context(module: LoweredModule) -> ModuleContext:
    """The Python module."""
    description, names = module.description, module.names
    classes = Scope({"Parameters", *names.functions.values(), *names.constants.values()})
    rolled = {
        function.name: RolledText(function, function.rolled, kernel_lines, tuple(names.parameters.values()))
        for function in module.functions
        if function.rolled is not None
    }
    functions = tuple(
        _function_view(module, function, function.body.used, kernel_lines(function.body), classes)
        if function.body is not None
        else _function_view(module, function, _used(function), rolled[function.name].kernel(), classes)
        for function in module.functions
        if function.fixed is None
    )
    printer = NumpyPrinter()
    exported = [f"{function.identifier}" for function in module.functions]
    exported += [function.returns for function in functions if function.fields]
    exported += [item.name for item in module.tolerances] + [item.name for item in description.indices]
    exported += [*description.limits, *names.index_arrays.values()]
    exported += ["Status", "StatusError"] if module.can_fail else []
    exported += list(names.constants.values()) + (["Parameters"] if module.parameters else [])
    digest = description.model_sha256
    head = [f"model sha256 {digest}", *description.header] if digest else list(description.header)
    return ModuleContext(
        version=__version__,
        name=names.module,
        head=tuple(docstring(line) for line in head),
        exported=tuple(sorted(exported)),
        real={"double": "float64", "float": "float32"}[description.real],
        parameters=tuple(
            ParameterView(
                names.parameters[item.name],
                printer.format_number(item.default),
                plain_line(" ".join(filter(None, (item.name, f"[{item.unit}]" if item.unit else "")))),
            )
            for item in module.parameters
        ),
        constants=(
            *(f"{names.constants[key]} = {int(value)}" for key, value in description.constants.items()),
            *_table_lines(module),
            *_tolerance_lines(module),
        ),
        statuses=_status_lines() if module.can_fail else (),
        packed=any(function.fields for function in functions),
        evaluate="\n\n\n".join(
            fixed_text(f"numpy/{file}.py", "") for file in ("evaluate", "libraries", *["statuses"] * module.can_fail)
        ),
        functions=functions,
        runtime=(
            *(text.steps() for text in rolled.values()),
            *(text for file in module.runtime_files for text in _runtime_texts(module, file)),
        ),
    )


def _used(function: ModuleFunction) -> frozenset[str]:
    """Identifiers of what the steps of a function use."""
    return function.rolled.used if function.rolled is not None else frozenset()


def _table_lines(module: LoweredModule) -> list[str]:
    """Where things stand in arrays, by the user's names, and limits."""
    lines: list[str] = []
    for item in module.description.indices:
        lines += textwrap.wrap(item.sentence, WIDTH, initial_indent="# ", subsequent_indent="# ")
        lines.append(f"{item.name} = {{")
        for name, (start, stop) in item.places.items():
            lines.append(f"{INDENT}{json.dumps(name)}: {start if stop == start + 1 else f'slice({start}, {stop})'},")
        lines.append("}")
    for title, values in module.description.limits.items():
        lines.append(f"{title} = (")
        lines += [f"{INDENT}{_limit(value)}," for value in values]
        lines.append(")")
    arrays = module.description.index_arrays
    if arrays:
        lines.append(
            "# Compressed columns: the row of each entry that a function returns, and where each column starts."
        )
    for title, numbers in arrays.items():
        lines.append(f"{module.names.index_arrays[title]} = np.array(")
        text = f"[{', '.join(str(value) for value in numbers)}]"
        lines += textwrap.wrap(text, WIDTH, initial_indent=INDENT, subsequent_indent=f"{INDENT} ")
        lines.append(")")
    return lines


def _limit(value: float) -> str:
    return repr(value) if isfinite(value) else ("math.inf" if value > 0 else "-math.inf")


def _tolerance_lines(module: LoweredModule) -> list[str]:
    """Numbers that may be changed, looked up whenever they are used."""
    lines = []
    for item in module.tolerances:
        value = item.of(module.description.real)
        text = item.reason if isinstance(value, int) else f"{item.measure}. {item.reason}"
        lines += textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ")
        lines.append(f"{item.name} = {value!r}")
    return lines


def _status_lines() -> tuple[str, ...]:
    """The class of the statuses, and what each of them means."""
    return (
        "class Status(enum.IntEnum):",
        f'{INDENT}"""What became of a state; functions that can fail raise StatusError unless it is OK."""',
        "",
        *(f"{INDENT}{status.name} = {status.value}" for status in Status),
        "",
        "",
        "_SENTENCES = {",
        *(f'{INDENT}Status.{status.name}: "{SENTENCES[status]}",' for status in Status),
        "}",
    )


def _runtime_texts(module: LoweredModule, file: str) -> tuple[str, ...]:
    """A routine printed in Python with its public functions, or else the fixed text of that name.

    A routine with scratch memory goes from state to state, one without takes all states at once.
    """
    if not routine_file(file).is_file():
        return (fixed_text(f"numpy/{file}.py", ""),)
    functions = [item for item in module.functions if item.fixed is not None and item.fixed.file == file]
    routine = routine_of(module, file)
    if routine.memory:
        public = ("\n".join(_routine_lines(module, function)) for function in functions)
        return (fixed_text("numpy/routines.py", ""), print_numpy(routine), *public)
    public = ("\n".join(_states_lines(module, function)) for function in functions)
    return (fixed_text("numpy/states.py", ""), print_arrays(routine), *public)


def _routine_lines(module: LoweredModule, function: ModuleFunction) -> list[str]:
    """The public function around one of a routine, whose scratch memory it returns as zeros."""
    memory = [item for item in function.arguments if item.name == MEMORY]
    lines = _routine_head(module, function)
    outputs = [item for item in function.arguments if item.direction == "out" and item.name != MEMORY]
    lines += [f"{INDENT}shapes = (", *(f"{DEEPER}{_tuple(item.shape)}," for item in outputs)]
    assert function.fixed is not None
    keywords = "keywords" if module.parameters else "{}"
    name = memory_class(function.fixed.file)
    call = f"_run(_{function.identifier}, {name}, {keywords}, arguments, shapes)"
    added = "".join(f", np.zeros({item.size})" for item in memory)
    lines += [f"{INDENT})", f"{INDENT}results, {'status' if function.failures else '_'} = {call}"]
    results = f"(*results{added or ','})"
    if function.failures:
        return [*lines, f'{INDENT}return _settled("{function.name}", {results}, status, failures)']
    return [*lines, f"{INDENT}return {results}"]


def _states_lines(module: LoweredModule, function: ModuleFunction) -> list[str]:
    """The public function around one of a routine for all states at once."""
    outputs = [item for item in function.arguments if item.direction == "out"]
    lines = [*_routine_head(module, function), f"{INDENT}shapes = ("]
    lines += [f"{DEEPER}({_tuple(item.shape)}, {'int' if item.kind == 'int' else '_REAL'})," for item in outputs]
    keywords = "keywords" if module.parameters else "{}"
    call = f"_for_states(_{function.identifier}, {keywords}, arguments, shapes)"
    results = "tuple(results)" if len(outputs) > 1 else "results[0]"
    return [
        *lines,
        f"{INDENT})",
        f"{INDENT}results, status = {call}",
        f'{INDENT}return _settled("{function.name}", {results}, status, failures)',
    ]


def _routine_head(module: LoweredModule, function: ModuleFunction) -> list[str]:
    """Head, docstring and arguments of the public function around one of a routine."""
    paired = list(zip(function.arguments, function.identifiers, strict=True))
    inputs = [(item, identifier) for item, identifier in paired if item.direction == "in"]
    outputs = [(item, identifier) for item, identifier in paired if item.direction == "out" and item.name != MEMORY]
    memory = [item for item in function.arguments if item.name == MEMORY]
    signature = [f"{identifier}: ArrayLike" for _, identifier in inputs]
    signature += ["*", 'failures: str = "raise"'] * bool(function.failures)
    signature += ["**keywords: Parameters"] * bool(module.parameters)
    several = len(outputs) + len(memory) > 1
    lines = [*_definition(function.identifier, signature, "tuple[np.ndarray, ...]" if several else "np.ndarray")]
    lines += [f'{INDENT}"""{docstring(function.description or function.name)}', "", f"{INDENT}Args:"]
    lines += [f"{DEEPER}{identifier}: {_documented(item)}" for item, identifier in inputs]
    lines += [f"{DEEPER}failures: {FAILURES}"] * bool(function.failures)
    lines += ["", f"{INDENT}Returns:"]
    lines += [f"{DEEPER}{identifier}: {_documented(item)}" for item, identifier in outputs]
    lines += [f"{DEEPER}{item.name}: {_documented(item)}" for item in memory]
    lines += [f'{INDENT}"""', f"{INDENT}arguments = ("]
    lines += [f'{DEEPER}("{identifier}", {identifier}, {_tuple(item.shape)}),' for item, identifier in inputs]
    return [*lines, f"{INDENT})"]


def _function_view(
    module: LoweredModule, function: ModuleFunction, used: frozenset[str], lines: tuple[str, ...], classes: Scope
) -> FunctionView:
    """A function whose kernel uses those identifiers and has those statements."""
    names = module.names
    paired = list(zip(function.arguments, function.identifiers, strict=True))
    inputs = [(item, identifier) for item, identifier in paired if item.direction == "in"]
    outputs = [(item, identifier) for item, identifier in paired if item.direction == "out"]
    several = len(outputs) > 1
    stem = "".join(part[:1].upper() + part[1:] for part in function.identifier.split("_"))
    signature = [f"{identifier}: ArrayLike" for _, identifier in inputs]
    rows = [f'("{identifier}", {identifier}, {_tuple(item.shape)})' for item, identifier in inputs]
    kernel_formals = [identifier for _, identifier in inputs]
    documentation = [docstring(note) for note in function.notes]
    documentation += ["", "Args:"] if inputs or module.takes_parameters(function) else []
    documentation += [f"    {identifier}: {_documented(item)}" for item, identifier in inputs]
    if module.takes_parameters(function):
        signature.append("parameters: Parameters = Parameters()")
        documentation.append("    parameters: values of the parameters, numbers or batches.")
        for parameter in module.parameters:
            identifier = names.parameters[parameter.name]
            if identifier in used:
                rows.append(f'("{identifier}", parameters.{identifier}, ())')
                kernel_formals.append(identifier)
    if function.guards:
        signature += ["*", 'failures: str = "raise"']
        documentation.append(f"    failures: {FAILURES}")
    documentation += ["", "Returns:"]
    if several:
        documentation += [f"    {identifier}: {_documented(item)}" for item, identifier in outputs]
    else:
        documentation += [f"    {_documented(item)}" for item, _ in outputs] or ["    nothing."]
    if function.guards:
        documentation += ["", "Raises:"]
        for item in function.failures:
            text = f"StatusError: {item.status.name}, results {item.results}."
            documentation += textwrap.wrap(text, WIDTH - 4, initial_indent="    ", subsequent_indent="        ")
    returns = classes.claim(f"{stem}Result") if several else "np.ndarray"
    return FunctionView(
        name=function.identifier,
        definition=_definition(function.identifier, signature, returns),
        returns=returns,
        summary=docstring(function.description or function.name),
        documentation=tuple(documentation),
        arguments=tuple(rows),
        outputs=_tuple(tuple(item.shape for item, _ in outputs)),
        fields=tuple(FieldView(identifier, plain_line(_documented(item))) for item, identifier in outputs)
        if several
        else (),
        kernel_formals=", ".join(kernel_formals),
        lines=lines,
        guards=tuple(f'("{guard.need}", {guard.size!r})' for guard in function.guards),
    )


def _definition(name: str, signature: Sequence[str], returns: str) -> tuple[str, ...]:
    line = f"def {name}({', '.join(signature)}) -> {returns}:"
    if len(line) <= WIDTH:
        return (line,)
    return (f"def {name}(", *(f"{INDENT}{formal}," for formal in signature), f") -> {returns}:")


def _tuple(values: tuple[object, ...]) -> str:
    inner = ", ".join(_tuple(value) if isinstance(value, tuple) else str(value) for value in values)
    return f"({inner},)" if len(values) == 1 else f"({inner})"


def _documented(item: Argument) -> str:
    shape = f"shape (..., {', '.join(str(extent) for extent in item.shape)})" if item.shape else "shape (...)"
    parts = [docstring(item.description), shape, f"in {docstring(item.unit)}" if item.unit else ""]
    return ", ".join(filter(None, parts)) + "."


def kernel_lines(body: LoweredFunction) -> tuple[str, ...]:
    """The statements of a kernel."""
    printer = NumpyPrinter()
    lines = [f"{INDENT}{name} = function.{name}" for name in body.calls]
    for block in body.blocks:
        if block.title:
            lines.append(f"{INDENT}# {plain_line(block.title)}")
        for assignment in block.assignments:
            before = f"{INDENT}{assignment.identifier} = "
            lines.append(before + _enclosed(printer.format(assignment.expression), len(before)))
    for result in body.results:
        lines += _result_lines(result, printer)
    names = [result.identifier for result in body.results]
    lines.append(f"{INDENT}return ({''.join(f'{name}, ' for name in names).rstrip()})")
    return tuple(lines)


def _enclosed(text: str, first: int) -> str:
    """An expression on one line, or in parentheses on several."""
    broken = wrapped(text, first=first, following=DEEPER)
    if broken is text:
        return text
    broken = wrapped(text, first=len(DEEPER), following=DEEPER)
    return f"(\n{DEEPER}{broken}\n{INDENT})"


def _result_lines(result: Result, printer: NumpyPrinter) -> list[str]:
    if not result.entries:
        return [f"{INDENT}{result.identifier} = ()"]
    lines = [f"{INDENT}{result.identifier} = ("]
    for entry in result.entries:
        lines.append(f"{DEEPER}{wrapped(printer.format(entry), first=len(DEEPER), following=DEEPER + INDENT)},")
    return [*lines, f"{INDENT})"]
