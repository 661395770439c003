"""Functions in CasADi's calling convention over generated ones: pointers to arrays of what is stored of each matrix.

An argument that is not given is zero, a result that is not asked for is not stored, and memory comes from the caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from textwrap import wrap
from typing import Final

from mbsym.codegen.description import Argument
from mbsym.consumers.consumer import Exported
from mbsym.consumers.derivative_plan import DerivativePlan
from mbsym.consumers.places import Pattern, Result, dense, empty, matrix_size, pattern_of, result_of
from mbsym.errors import CodegenError

PARAMETERS: Final = "parameters"
"""The argument that holds all run-time parameters, in the order of the structure."""

TANGENT_MAP: Final = "tangent_map"
WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class Slot:
    """An argument or a result of an external function."""

    name: str
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class ExternalFunction:
    """A function in CasADi's convention.

    Attributes:
        symbol: of the function, before which and behind which the names of its companions are made.
        sentence: for the comment above it.
        inputs, outputs: in order.
        work: doubles of memory that it needs.
        lines: of its body.
    """

    symbol: str
    sentence: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    work: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class Body:
    """The lines of a body while they are written, and the memory that they need."""

    exported: Exported
    lines: list[str] = field(default_factory=list)
    work: int = 0

    def array(self, size: int) -> str:
        """Memory for an array."""
        place = self.work
        self.work += max(size, 1)
        return f"(w + {place})"

    def add(self, *lines: str) -> None:
        """Lines of the body."""
        self.lines += [f"    {line}" if line else "" for line in lines]

    def call(self, function: str, values: Mapping[str, str]) -> None:
        """Calls a generated function; what it fails with is returned."""
        exported = self.exported
        symbol = exported.module.names.c_symbol(function)
        actual = [f"&{PARAMETERS}"] if exported.module.parameters else []
        actual += [values[item.name] for item in exported.function(function).arguments]
        text = f"{symbol}({', '.join(actual)})"
        if exported.function(function).failures:
            self.add("{", f"    const int status = {text};", "    if (status != 0) { return status; }", "}")
        else:
            self.add(f"{text};")

    def inputs(self, arguments: Sequence[Argument], unit: bool) -> dict[str, str]:
        """Expressions for the inputs of generated functions; coordinates are made unit quaternions where need be."""
        values = {}
        for place, item in enumerate(arguments):
            if not item.shape:
                values[item.name] = f"(arg[{place}] != NULL ? arg[{place}][0] : 0.0)"
                continue
            local = f"in_{place}"
            given = f"arg[{place}] != NULL ? arg[{place}] : {self.exported.name}_zeros"
            if unit and item.name == "q":
                self.add(f"double *const {local} = {self.array(item.size)};")
                self.add(f"double *const shrink = {self.array(item.size)};")
                self.add(f"{self.exported.name}_unit({given}, {local}, shrink);")
            else:
                self.add(f"const double *const {local} = {given};")
            values[item.name] = local
        if self.exported.module.parameters:
            place = len(arguments)
            names = self.exported.module.names
            self.add(f"const double *const p = arg[{place}] != NULL ? arg[{place}] : {names.module}_zeros;")
            self.add(f"{names.module}_parameters {PARAMETERS};")
            for k, parameter in enumerate(self.exported.module.parameters):
                self.add(f"{PARAMETERS}.{names.parameters[parameter.name]} = p[{k}];")
        return values

    def table(self, name: str, numbers: Sequence[int]) -> None:
        """A table of integers inside a block."""
        self.add(f"    static const int {name}[{max(len(numbers), 1)}] = {{")
        text = ", ".join(map(str, numbers)) or "0"
        self.add(*(f"        {line}" for line in wrap(text, WIDTH)), "    };")

    def gather(self, place: int, source: str, places: Sequence[int]) -> None:
        """Copies what is stored of a result, if it is asked for."""
        if not places:
            return
        self.add(f"if (res[{place}] != NULL) {{")
        self.table("places", places)
        self.add(f"    for (int k = 0; k < {len(places)}; ++k) {{", f"        res[{place}][k] = {source}[places[k]];")
        self.add("    }", "}")

    def products(self, place: int, source: str, terms: Sequence[Sequence[tuple[int, int]]], columns: list[int]) -> None:
        """Stores sums of products of a derivative along speeds with the inverse of the tangent map."""
        if not terms:
            return
        starts = [0]
        for entry in terms:
            starts.append(starts[-1] + len(entry))
        self.add(f"if (res[{place}] != NULL) {{")
        self.table("starts", starts)
        self.table("left", [left for entry in terms for left, _ in entry])
        self.table("right", [right for entry in terms for _, right in entry])
        self.table("columns", columns)
        self.add(
            f"    for (int k = 0; k < {len(terms)}; ++k) {{",
            "        double sum = 0.0;",
            "        for (int m = starts[k]; m < starts[k + 1]; ++m) {",
            f"            sum += {source}[left[m]] * back[right[m]];",
            "        }",
            f"        res[{place}][k] = sum * shrink[columns[k]];",
            "    }",
            "}",
        )


def has_unit(exported: Exported, names: Sequence[str]) -> bool:
    """True where coordinates among the arguments hold quaternions."""
    return "q" in names and bool(exported.mechanism.q.quaternions)


def arguments_in(exported: Exported, function: str) -> tuple[Argument, ...]:
    """Inputs of a generated function."""
    return tuple(item for item in exported.function(function).arguments if item.direction == "in")


def arguments_out(exported: Exported, function: str) -> tuple[Argument, ...]:
    """Results of a generated function.

    Raises:
        CodegenError: one is an integer, which the convention does not have.
    """
    found = tuple(item for item in exported.function(function).arguments if item.direction == "out")
    for item in found:
        if item.kind != "real":
            raise CodegenError(
                f"{function} returns the integers {item.name}, and there are none in CasADi's convention",
                where="`functions`",
                remedy="leave it out",
            )
    return found


def slots_of(exported: Exported, function: str) -> tuple[Slot, ...]:
    """The arguments of an external function."""
    slots = [Slot(item.name, dense(item.shape)) for item in arguments_in(exported, function)]
    if exported.module.parameters:
        slots.append(Slot(PARAMETERS, dense((len(exported.module.parameters),))))
    return tuple(slots)


def _stored(result: Result) -> tuple[Pattern, list[int]]:
    """The pattern of a result, and where its entries stand in the array that the function fills."""
    entries = result.entries
    pattern = pattern_of(*matrix_size(result.shape), entries)
    return pattern, [entries[entry] for entry in pattern.entries]


def value_function(exported: Exported, function: str, symbol: str) -> ExternalFunction:
    """The function itself."""
    body = Body(exported)
    arguments = arguments_in(exported, function)
    values = body.inputs(arguments, has_unit(exported, [item.name for item in arguments]))
    slots, gathers = [], []
    for place, item in enumerate(arguments_out(exported, function)):
        result = result_of(exported, function, item.name)
        pattern, places = _stored(result)
        slots.append(Slot(item.name, pattern))
        local = f"out_{place}"
        if places == list(range(result.size)):
            body.add(f"double *const {local} = res[{place}] != NULL ? res[{place}] : {body.array(result.size)};")
        else:
            body.add(f"double *const {local} = {body.array(result.size)};")
            gathers.append((place, local, places))
        values[item.name] = local
    body.call(function, values)
    for gather in gathers:
        body.gather(*gather)
    sentence = exported.function(function).description
    return finished(body, symbol, f"{function}: {sentence}", slots_of(exported, function), tuple(slots))


def jacobian_function(exported: Exported, plan: DerivativePlan, symbol: str) -> ExternalFunction:
    """The Jacobian in CasADi's convention: inputs and results of the function in, a block for each pair out."""
    function = plan.function
    body = Body(exported)
    arguments = arguments_in(exported, function)
    unit = has_unit(exported, [item.name for item in arguments])
    values = body.inputs(arguments, unit)
    results = arguments_out(exported, function)
    blocks = [block_of(exported, plan, result, argument) for result in results for argument in arguments]
    slots: list[Slot] = []
    if exported.module.parameters:
        blocks, plain = [], blocks
        for k, result in enumerate(results):
            blocks += plain[k * len(arguments) : (k + 1) * len(arguments)]
            blocks.append(_parameter_block(exported, plan, result))
    direct = {
        block.sources[0]: place
        for place, block in enumerate(blocks)
        if block.is_direct and not (unit and block.argument == "q")
    }
    needed = dict.fromkeys(source[0] for block in blocks for source in block.sources)
    outputs: dict[tuple[str, str], str] = {}
    for name in needed:
        for item in arguments_out(exported, name):
            local = f"a{len(outputs)}"
            own = body.array(item.size)
            place = direct.get((name, item.name))
            given = f"res[{place}] != NULL ? res[{place}] : {own}" if place is not None else own
            body.add(f"double *const {local} = {given};")
            outputs[name, item.name] = local
    for name in needed:
        own_values = {item.name: outputs[name, item.name] for item in arguments_out(exported, name)}
        body.call(name, {**values, **own_values})
    if unit:
        _turn_back(body, values)
    for place, block in enumerate(blocks):
        slots.append(Slot(f"jac_{block.result}_{block.argument}", block.pattern))
        if unit and block.argument == "q" and block.sources:
            pattern, terms, columns = _along_coordinates(exported, block)
            slots[-1] = Slot(slots[-1].name, pattern)
            body.products(place, outputs[block.sources[0]], terms, columns)
        elif place not in direct.values():
            _gather_block(body, place, block, outputs)
    inputs = slots_of(exported, function)
    seeds = tuple(Slot(f"out_{item.name}", empty(result_of(exported, function, item.name).shape)) for item in results)
    return finished(body, symbol, f"derivatives of {function}", (*inputs, *seeds), tuple(slots))


@dataclass(frozen=True, slots=True)
class Block:
    """The derivatives of a result by an argument.

    Attributes:
        result, argument: which.
        pattern: rows are the entries of the result column by column, columns those of the argument.
        sources: functions and their results that it is taken from.
        places: of each stored entry, which source and where in its array.
        whole: size of the array of the only source, 0 where there are several.
    """

    result: str
    argument: str
    pattern: Pattern
    sources: tuple[tuple[str, str], ...]
    places: tuple[tuple[int, int], ...]
    whole: int

    @property
    def is_direct(self) -> bool:
        """True where the source fills just what is stored."""
        return self.whole > 0 and [place for _, place in self.places] == list(range(self.whole))


def block_of(exported: Exported, plan: DerivativePlan, result: Argument, argument: Argument) -> Block:
    """Where the derivatives of a result by an argument stand; empty where it does not depend on it."""
    source = plan.sources.get((result.name, argument.name))
    # Of coordinates what is here is along the speeds.
    width = exported.mechanism.nv if argument.name == "q" else argument.size
    rows = prod(result.shape)
    if source is None or not argument.size:
        return Block(result.name, argument.name, Pattern(rows, argument.size, ()), (), (), 0)
    found = result_of(exported, *source)
    entries = {}
    for flat, place in found.places.items():
        row, column = divmod(flat, width)
        entries[_column_major(row, result.shape), column] = place
    pattern = pattern_of(rows, width, entries)
    places = tuple((0, entries[entry]) for entry in pattern.entries)
    return Block(result.name, argument.name, pattern, (source,), places, found.size)


def _parameter_block(exported: Exported, plan: DerivativePlan, result: Argument) -> Block:
    names = [item.name for item in exported.module.parameters]
    sources = tuple(plan.sources[result.name, name] for name in names)
    entries = {}
    for column, source in enumerate(sources):
        for flat, place in result_of(exported, *source).places.items():
            entries[_column_major(flat, result.shape), column] = (column, place)
    pattern = pattern_of(prod(result.shape), len(names), entries)
    return Block(result.name, PARAMETERS, pattern, sources, tuple(entries[entry] for entry in pattern.entries), 0)


def _column_major(flat: int, shape: tuple[int, ...]) -> int:
    rows, columns = matrix_size(shape)
    row, column = divmod(flat, columns)
    return column * rows + row


def _gather_block(body: Body, place: int, block: Block, outputs: Mapping[tuple[str, str], str]) -> None:
    if len(block.sources) == 1:
        body.gather(place, outputs[block.sources[0]], [entry for _, entry in block.places])
        return
    if not block.places:
        return
    body.add(f"if (res[{place}] != NULL) {{")
    for k, (source, entry) in enumerate(block.places):
        body.add(f"    res[{place}][{k}] = {outputs[block.sources[source]]}[{entry}];")
    body.add("}")


# ---- coordinates with quaternions ------------------------------------------------------------------------------------


def tangent_entries(exported: Exported) -> Result:
    """The map T(q) with qdot = T v."""
    return result_of(exported, TANGENT_MAP, "T")


def _turn_back(body: Body, values: Mapping[str, str]) -> None:
    """The inverse of the tangent map on motions that keep quaternions unit: its columns are orthogonal."""
    found = tangent_entries(body.exported)
    columns = body.exported.mechanism.nv
    body.add(f"double *const tangent = {body.array(found.size)};")
    body.add(f"double *const back = {body.array(found.size)};")
    body.call(TANGENT_MAP, {**values, "T": "tangent"})
    pattern = pattern_of(*matrix_size(found.shape), found.entries)
    starts = pattern.starts
    body.add("{")
    body.table("starts", starts)
    body.table("places", [found.entries[entry] for entry in pattern.entries])
    body.add(
        f"    for (int column = 0; column < {columns}; ++column) {{",
        "        double square = 0.0;",
        "        for (int k = starts[column]; k < starts[column + 1]; ++k) {",
        "            square += tangent[places[k]] * tangent[places[k]];",
        "        }",
        "        for (int k = starts[column]; k < starts[column + 1]; ++k) {",
        "            back[places[k]] = tangent[places[k]] / square;",
        "        }",
        "    }",
        "}",
    )


def _along_coordinates(exported: Exported, block: Block) -> tuple[Pattern, list[list[tuple[int, int]]], list[int]]:
    """Pattern of a derivative by coordinates, the products that make each entry, and its column."""
    tangent = tangent_entries(exported).entries
    by_speed: dict[int, list[tuple[int, int]]] = {}
    for (coordinate, speed), place in sorted(tangent.items()):
        by_speed.setdefault(speed, []).append((coordinate, place))
    terms: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for (row, speed), (_, left) in zip(block.pattern.entries, block.places, strict=True):
        for coordinate, right in by_speed.get(speed, ()):
            terms.setdefault((row, coordinate), []).append((left, right))
    pattern = pattern_of(block.pattern.rows, exported.mechanism.nq, terms)
    return pattern, [terms[entry] for entry in pattern.entries], [column for _, column in pattern.entries]


def unit_lines(exported: Exported) -> tuple[str, ...]:
    """The body of a function that makes quaternions unit, with what derivatives by them are to be multiplied by."""
    q = exported.mechanism.q
    lines = [f"for (int k = 0; k < {q.shape[0]}; ++k) {{", "    unit[k] = q[k];", "    shrink[k] = 1.0;", "}"]
    for start in q.quaternions:
        square = " + ".join(f"q[{k}] * q[{k}]" for k in range(start, start + 4))
        lines += [
            "{",
            f"    const double length = sqrt({square});",
            f"    for (int k = {start}; k < {start + 4}; ++k) {{",
            "        unit[k] = q[k] / length;",
            "        shrink[k] = 1.0 / length;",
            "    }",
            "}",
        ]
    return tuple(f"    {line}" for line in lines)


def finished(
    body: Body, symbol: str, sentence: str, inputs: tuple[Slot, ...], outputs: tuple[Slot, ...]
) -> ExternalFunction:
    """The function with that body, which names what it does not use."""
    text = "\n".join(body.lines)
    used = {"arg": "arg[", "res": "res[", "w": "(w + "}
    unused = [f"    (void){name};" for name in ("arg", "res", "iw", "w", "mem") if used.get(name, name) not in text]
    lines = (*unused, *body.lines, "    return 0;")
    return ExternalFunction(symbol, sentence, inputs, outputs, body.work, tuple(lines))
