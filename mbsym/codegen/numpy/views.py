"""What the NumPy template is filled with."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.environment import fixed_text, render_template
from mbsym.codegen.identifiers import Scope
from mbsym.codegen.lowered import LoweredFunction
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction, arrays, step_functions
from mbsym.codegen.numpy.arrays import print_arrays
from mbsym.codegen.numpy.bodies import INDENT, kernel_lines
from mbsym.codegen.numpy.loops import LoopText
from mbsym.codegen.numpy.routines import memory_class, print_numpy
from mbsym.codegen.printer import double_literal
from mbsym.codegen.routines.module import MEMORY, routine_file, routine_of
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.codegen.text import WIDTH, docstring, plain_line

FAILURES: Final = '"raise", "mask" with NaN, "keep" the results documented, or "return" (results, status).'


@dataclass(frozen=True, slots=True)
class ArgumentView:
    """An argument or a result: what is said of it, and its shape."""

    name: str
    documentation: str
    shape: str


@dataclass(frozen=True, slots=True)
class ValueView:
    """A name below a comment, with its value, which may go on for some rows up to what closes it."""

    name: str
    value: str
    comment: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    close: str = ""


def render_numpy(module: LoweredModule) -> tuple[GeneratedFile, ...]:
    """NAME.py."""
    return (
        GeneratedFile(f"{module.names.module}.py", render_template("numpy/module.py.jinja", **module_fields(module))),
    )


def module_fields(module: LoweredModule) -> dict[str, Any]:
    """The Python module."""
    description, names = module.description, module.names
    classes = Scope({"Parameters", *names.functions.values(), *names.constants.values()})
    derived = [(function, function.body) for function in module.functions if function.body is not None]
    parameters = tuple(names.parameters.values())
    loops = {function.name: LoopText(function, body, parameters) for function, body in derived if body.steps}
    functions = tuple(
        _function_view(module, function, body, _kernel(module, function, body, loops.get(function.name)), classes)
        for function, body in derived
    )
    steps = step_functions(module)
    fixed = ("evaluate", "libraries", *["statuses"] * module.can_fail, *["pieces"] * bool(steps))
    values = tuple(_values(module))
    exported = [function.identifier for function in module.functions] + [item.name for item in values]
    exported += [function["returns"] for function in functions if function["packs"]]
    exported += [*["Status", "StatusError"] * module.can_fail, *["Parameters"] * bool(module.parameters)]
    digest = description.model_sha256
    head = [*[f"model sha256 {digest}"] * bool(digest), *description.header]
    return {
        "name": names.module,
        "head": tuple(map(docstring, head)),
        "exported": tuple(sorted(exported)),
        "real": {"double": "float64", "float": "float32"}[description.real],
        "parameters": tuple(
            {
                "name": names.parameters[item.name],
                "default": double_literal(item.default),
                "comment": plain_line(f"{item.name} [{item.unit}]" if item.unit else item.name),
            }
            for item in module.parameters
        ),
        "packed": any(function["packs"] for function in functions),
        "values": (*values, *_of_tables(arrays(steps))),
        "statuses": tuple(
            {"name": x.name, "value": x.value, "sentence": SENTENCES[x]} for x in Status if module.can_fail
        ),
        "evaluate": "\n\n\n".join(fixed_text(f"numpy/{file}.py", "") for file in fixed),
        "functions": functions,
        "failures": FAILURES,
        "runtime": (
            *(text.steps() for text in loops.values()),
            *(text for file in module.runtime_files for text in _runtime_texts(module, file)),
        ),
    }


def _values(module: LoweredModule) -> Iterator[ValueView]:
    """Sizes, where things stand, limits, rows and columns of compressed matrices, and tolerances."""
    description, names = module.description, module.names
    for key, value in description.constants.items():
        yield ValueView(names.constants[key], str(int(value)))
    for item in description.indices:
        rows = tuple(f"{_place(name, *place)}," for name, place in item.places.items())
        yield ValueView(item.name, "{", _comment(item.sentence), rows, "}")
    for title, limits in description.limits.items():
        yield ValueView(title, "(", (), tuple(f"{_limit(value)}," for value in limits), ")")
    told = _comment("Compressed columns: the row of each entry that a function returns, and where each column starts.")
    for place, (title, numbers) in enumerate(description.index_arrays.items()):
        rows = tuple(textwrap.wrap(f"[{', '.join(map(str, numbers))}]", WIDTH - len(INDENT), subsequent_indent=" "))
        yield ValueView(names.index_arrays[title], "np.array(", told if not place else (), rows, ")")
    for tolerance in module.tolerances:
        number = tolerance.of(description.real)
        text = tolerance.reason if isinstance(number, int) else f"{tolerance.measure}. {tolerance.reason}"
        yield ValueView(tolerance.name, repr(number), _comment(text))


def _of_tables(found: Mapping[str, Sequence[float]]) -> Iterator[ValueView]:
    """Numbers of the model's tables, which are not offered."""
    for name, numbers in found.items():
        rows = textwrap.wrap(f"[{', '.join(map(repr, numbers))}],", WIDTH - len(INDENT), subsequent_indent=" ")
        yield ValueView(f"_{name}", "np.array(", (), (*rows, "dtype=_REAL,"), ")")


def _comment(text: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(text, WIDTH - 2))


def _place(name: str, start: int, stop: int) -> str:
    return f"{json.dumps(name)}: {start if stop == start + 1 else f'slice({start}, {stop})'}"


def _limit(value: float) -> str:
    return repr(value) if isfinite(value) else ("math.inf" if value > 0 else "-math.inf")


def _runtime_texts(module: LoweredModule, file: str) -> tuple[str, ...]:
    """A routine printed in Python with its public functions, or else the fixed text of that name.

    A routine with scratch memory goes from state to state, one without takes all states at once.
    """
    if not routine_file(file).is_file():
        return (fixed_text(f"numpy/{file}.py", ""),)
    functions = [item for item in module.functions if item.fixed is not None and item.fixed.file == file]
    routine = routine_of(module, file)
    public = (
        render_template("numpy/routine.py.jinja", **_routine(module, function, bool(routine.memory))).rstrip("\n")
        for function in functions
    )
    if routine.memory:
        return (fixed_text("numpy/routines.py", ""), print_numpy(routine), *public)
    return (fixed_text("numpy/states.py", ""), print_arrays(routine), *public)


def _routine(module: LoweredModule, function: ModuleFunction, has_memory: bool) -> dict[str, Any]:
    """The public function around one of a routine, whose scratch memory it returns as zeros."""
    assert function.fixed is not None
    inputs, (*outputs,) = _argument_views(function)
    sizes = [item.size for item in function.arguments if item.name == MEMORY]
    memory = tuple(replace(outputs.pop(), name=MEMORY) for _ in sizes)
    several = len(outputs) + len(memory) > 1
    signature = [f"{view.name}: ArrayLike" for view in inputs]
    signature += ["*", 'failures: str = "raise"'] * bool(function.failures)
    signature += ["**keywords: Parameters"] * bool(module.parameters)
    handed = f"{'keywords' if module.parameters else '{}'}, arguments, shapes"
    if has_memory:
        call = f"_run(_{function.identifier}, {memory_class(function.fixed.file)}, {handed})"
        packed = f"(*results{''.join(f', np.zeros({size})' for size in sizes) or ','})"
    else:
        call = f"_for_states(_{function.identifier}, {handed})"
        packed = "tuple(results)" if several else "results[0]"
        kinds = (item.kind for item in function.arguments if item.direction == "out")
        types = ("int" if kind == "int" else "_REAL" for kind in kinds)
        outputs = [replace(view, shape=f"({view.shape}, {kind})") for view, kind in zip(outputs, types, strict=True)]
    return {
        "function": function.name,
        "definition": _definition(
            function.identifier, signature, "tuple[np.ndarray, ...]" if several else "np.ndarray"
        ),
        "summary": docstring(function.description or function.name),
        "inputs": inputs,
        "outputs": tuple(outputs),
        "memory": memory,
        "call": call,
        "packed": packed,
        "failures": FAILURES * bool(function.failures),
    }


def _kernel(
    module: LoweredModule, function: ModuleFunction, body: LoweredFunction, loops: LoopText | None
) -> tuple[str, ...]:
    """The statements of a kernel, or a call of the one that has them."""
    if not function.equal:
        return loops.kernel() if loops is not None else kernel_lines(body)
    inputs = [identifier for item, identifier in function.paired if item.direction == "in"]
    actual = ", ".join(("function", *inputs, *_parameters(module, function, body)))
    return (f"{INDENT}return _{module.names.functions[function.equal]}({actual})",)


def _parameters(module: LoweredModule, function: ModuleFunction, body: LoweredFunction) -> tuple[str, ...]:
    """Run-time parameters that a kernel takes."""
    takes = module.takes_parameters(function)
    return tuple(name for name in module.names.parameters.values() if takes and name in body.used)


def _function_view(
    module: LoweredModule, function: ModuleFunction, body: LoweredFunction, lines: tuple[str, ...], classes: Scope
) -> dict[str, Any]:
    """A function whose kernel has those statements; a class packs several results and bears the name ``returns``."""
    inputs, outputs = _argument_views(function)
    several = len(outputs) > 1
    stem = "".join(part[:1].upper() + part[1:] for part in function.identifier.split("_"))
    returns = classes.claim(f"{stem}Result") if several else "np.ndarray"
    takes = module.takes_parameters(function)
    parameters = _parameters(module, function, body)
    signature = [f"{view.name}: ArrayLike" for view in inputs]
    signature += ["parameters: Parameters = Parameters()"] * takes
    signature += ["*", 'failures: str = "raise"'] * bool(function.guards)
    failures = [f"StatusError: {item.status.name}, results {item.results}." for item in function.failures]
    return {
        "name": function.identifier,
        "definition": _definition(function.identifier, signature, returns),
        "returns": returns,
        "summary": docstring(function.description or function.name),
        "notes": tuple(map(docstring, function.notes)),
        "inputs": inputs,
        "has_arguments": bool(inputs) or takes,
        "takes_parameters": takes,
        "parameters": parameters,
        "packs": several,
        "outputs": outputs,
        "shapes": _tuple(tuple(item.shape for item in function.arguments if item.direction == "out")),
        "kernel_formals": ", ".join((*(view.name for view in inputs), *parameters)),
        "failures": tuple(
            line for text in failures for line in textwrap.wrap(text, WIDTH - 8, subsequent_indent=INDENT)
        ),
        "lines": lines,
        "guards": tuple(f'("{guard.need}", {guard.size!r})' for guard in function.guards),
    }


def _argument_views(function: ModuleFunction) -> tuple[tuple[ArgumentView, ...], tuple[ArgumentView, ...]]:
    """Arguments and results."""
    found: dict[str, list[ArgumentView]] = {"in": [], "out": []}
    for item, identifier in function.paired:
        found[item.direction].append(ArgumentView(identifier, _documented(item), _tuple(item.shape)))
    return tuple(found["in"]), tuple(found["out"])


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
