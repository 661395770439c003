"""The functions of a module as they are going to be printed, read back into a graph.

Statements, parts that share an array, loops over lanes, steps that bodies share, sines computed in front, workspaces
and given sines are followed one by one, as a processor would follow the text. Every function sees what its text sees:
its arguments, the parameters, and what was handed to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, TypeAlias

from mbsym.codegen.c.parts import SHARED, Loop, split
from mbsym.codegen.c.trigonometry import Front, in_front
from mbsym.codegen.expressions import (
    Call,
    Constant,
    Element,
    Expression,
    Negation,
    Product,
    Quotient,
    Select,
    Sum,
    Variable,
)
from mbsym.codegen.lower import PI
from mbsym.codegen.lowered import (
    Assignment,
    LoweredFor,
    LoweredFunction,
    LoweredPairs,
    LoweredStep,
    LoweredZeros,
    Run,
    Statement,
    Store,
)
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.errors import SymbolicError
from mbsym.passes.given_sines import SINES_COSINES
from mbsym.proof.residues import residues_of, written_terms
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program

Results: TypeAlias = Mapping[str, Sequence[Reference]]
"""The entries of each result, by its name, row-major."""

MOST_PAIRS: Final = 2000
"""Pairs whose entries are nodes of the graph; those of more are evaluated where they are needed."""

_LONGEST_TURN: Final = 64
"""Bits of the fraction of pi that a constant may be: longer ones are decimals."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A function as one of the languages has it.

    Attributes:
        function: its name.
        way: how it is written, for people.
        results: what it returns.
        dense: what it returns for each two of very many things, found where it is evaluated; the results are then
            made by ``whole``.
        whole: makes the results.
    """

    function: str
    way: str
    results: Results
    dense: Mapping[str, Dense] = field(default_factory=dict)
    whole: Callable[[], Results] | None = None


@dataclass(frozen=True, slots=True)
class Dense:
    """A result that a step finds entry by entry for pairs, too many to be nodes of a graph.

    Attributes:
        known: entries by their places that were there before.
        read: what the pairs read.
        pairs: for each table of pairs, with residues of what is read: places and residues of its entries.
    """

    known: Mapping[int, Reference]
    read: Sequence[Reference]
    pairs: Callable[[Mapping[Reference, int]], Iterator[tuple[int, int]]]

    @property
    def references(self) -> list[Reference]:
        """Values that it is made of."""
        return [*self.known.values(), *self.read]

    def at(self, values: Mapping[Reference, int], size: int) -> list[int]:
        """All entries at a point, where these values have those residues."""
        entries = [0] * size
        for place, ref in self.known.items():
            entries[place] = values[ref]
        for place, value in self.pairs(values):
            entries[place] = value
        return entries


def readings(module: LoweredModule, graph: Graph, languages: Sequence[str]) -> Iterator[Reading]:
    """Every derived function in every way in which it is written.

    Args:
        module: what is going to be printed.
        graph: where the results are made; symbols of equal name are one.
        languages: that are printed.
    """
    heads = {program.name: program for program in module.description.programs}
    # A workspace, or sines and cosines, for the functions that follow.
    handed: dict[str, list[Reference]] = {}
    for function in module.functions:
        if function.body is None:
            continue
        scene = _scene(module, function, heads[function.name], graph, handed)
        if function.body.loops:
            yield _reading_of_steps(function.body, function, scene)
            continue
        for way, results in _ways(module, function, scene, languages):
            named = {
                item.name: results[identifier]
                for item, identifier in zip(function.arguments, function.identifiers, strict=True)
                if item.direction == "out"
            }
            if function.name in (module.description.prepares, SINES_COSINES):
                handed.update({name: list(entries) for name, entries in named.items()})
            yield Reading(function.name, way, named)


@dataclass(slots=True)
class _Scene:
    """What a text sees.

    Attributes:
        graph: of the values.
        variables: numbers by identifier.
        arrays: arrays by identifier.
    """

    graph: Graph
    variables: dict[str, Reference] = field(default_factory=dict)
    arrays: dict[str, Sequence[Reference | None]] = field(default_factory=dict)

    def inside(self) -> _Scene:
        """The same for a text of its own, which leaves nothing behind but what it writes to arrays."""
        return _Scene(self.graph, dict(self.variables), self.arrays)

    def value(self, expression: Expression) -> Reference:
        """What an expression is."""
        return _READERS[expression.__class__](self, expression)


def _constant(scene: _Scene, expression: Constant) -> Reference:
    turns = expression.value / PI
    if turns.denominator.bit_length() <= _LONGEST_TURN and expression.value:
        return scene.graph.mul(scene.graph.const(turns), scene.graph.pi())
    return scene.graph.const(expression.value)


def _sum(scene: _Scene, expression: Sum) -> Reference:
    total: Reference = 0
    for negative, term in written_terms(expression):
        value = scene.value(term)
        total = scene.graph.add(total, -value if negative else value)
    return total


def _product(scene: _Scene, expression: Product) -> Reference:
    result: Reference = 1
    for factor in expression.factors:
        result = scene.graph.mul(result, scene.value(factor))
    return result


def _select(scene: _Scene, expression: Select) -> Reference:
    parts = (expression.condition, expression.positive, expression.otherwise)
    return scene.graph.make("select", [scene.value(part) for part in parts])


_READERS: Final[Mapping[type, Callable[[_Scene, Any], Reference]]] = {
    Constant: _constant,
    Variable: lambda scene, expression: scene.variables[expression.identifier],
    Element: lambda scene, expression: _written(scene.arrays[expression.array][expression.index], expression.array),
    Sum: _sum,
    Product: _product,
    Quotient: lambda scene, expression: scene.graph.div(
        scene.value(expression.numerator), scene.value(expression.denominator)
    ),
    Call: lambda scene, expression: scene.graph.function(
        expression.function, *(scene.value(argument) for argument in expression.arguments)
    ),
    Select: _select,
    Negation: lambda scene, expression: -scene.value(expression.operand),
}


def _scene(
    module: LoweredModule,
    function: ModuleFunction,
    head: Program,
    graph: Graph,
    handed: Mapping[str, list[Reference]],
) -> _Scene:
    """Arguments and parameters of a function by their identifiers."""
    scene = _Scene(graph)
    names = head.graph.arguments
    for item in head.inputs:
        identifier = module.names.arguments[item.name]
        symbols = handed.get(item.name)
        if symbols is None:
            symbols = [graph.symbol(names[abs(ref)][0]) * (1 if ref > 0 else -1) for ref in item.symbols]
        if item.shape:
            scene.arrays[identifier] = symbols
        else:
            (scene.variables[identifier],) = symbols
    if module.takes_parameters(function):
        for parameter in head.parameters:
            symbol = graph.symbol(names[parameter.symbol][0])
            scene.variables[module.names.parameters[parameter.name]] = symbol
    return scene


def _ways(
    module: LoweredModule, function: ModuleFunction, scene: _Scene, languages: Sequence[str]
) -> Iterator[tuple[str, Results]]:
    body = function.body
    assert body is not None
    yield "straight", _straight(body, scene.inside())
    own = (*module.names.inner.values(), *function.identifiers, *module.names.parameters.values())
    inline = module.description.trigonometry != "libm"
    if "c" in languages or module.description.batch:
        front = in_front(body, module.names.inside(own)) if inline else Front(body, ())
        if inline or split(body) is not None:
            yield "in C", _with_front(front, scene.inside())
    if function in module.batched and not inline:
        yield "in lanes", _with_front(in_front(body, module.names.inside(own)), scene.inside())


def _straight(body: LoweredFunction, scene: _Scene) -> Results:
    for block in body.blocks:
        _run(block.statements, scene, {})
    return {item.identifier: [scene.value(entry) for entry in item.entries] for item in body.results}


def _with_front(front: Front, scene: _Scene) -> Results:
    """The body behind what computes its sines and cosines, whole or in parts."""
    graph = scene.graph
    if front.angles:
        angles = [scene.value(angle) for angle in front.angles]
        scene.arrays = {
            **scene.arrays,
            front.sine: [graph.function("sin", angle) for angle in angles],
            front.cosine: [graph.function("cos", angle) for angle in angles],
        }
    parts = split(front.body)
    if parts is None:
        return _straight(front.body, scene)
    shared: list[Reference | None] = [None] * parts.shared
    found: dict[str, list[Reference | None]] = {
        item.identifier: [None] * len(item.entries) for item in front.body.results
    }
    for part in parts.parts:
        if isinstance(part, Loop):
            _run_lanes(part, scene.inside(), shared)
        else:
            own, written = scene.inside(), {**found, SHARED: shared}
            own.arrays = {**scene.arrays, SHARED: shared}
            for statements in (*(block.statements for block in part.blocks), part.entries, part.moves):
                _run(statements, own, written)
    return {name: [_written(entry, name) for entry in entries] for name, entries in found.items()}


def _written(value: Reference | None, where: str) -> Reference:
    """A value that was written before it is read.

    Raises:
        SymbolicError: it was not, so that the text would read what nobody knows.
    """
    if value is None:
        raise SymbolicError(
            f"{where} is read before it is written", remedy="this is a defect of mbsym, please report it"
        )
    return value


def _run(statements: Sequence[Statement], scene: _Scene, written: Mapping[str, list[Reference | None]]) -> None:
    """Statements one by one, which fill arrays."""
    for statement in statements:
        if isinstance(statement, Assignment):
            scene.variables[statement.identifier] = scene.value(statement.expression)
        elif isinstance(statement, Store):
            written[statement.array][statement.index] = scene.value(statement.expression)
        else:
            for index, entry in enumerate(statement.result.entries):
                if isinstance(entry, Constant):
                    written[statement.result.identifier][index] = scene.value(entry)


def _run_lanes(loop: Loop, scene: _Scene, shared: list[Reference | None]) -> None:
    graph = scene.graph
    for load in loop.common:
        scene.variables[load.identifier] = _written(shared[load.place], load.identifier)
    for lane in range(loop.width):
        own = scene.inside()
        for statement in loop.statements:
            for load in statement.loads:
                own.variables[load.identifier] = _written(shared[load.place + lane], load.identifier)
            for number in statement.numbers:
                own.variables[number.identifier] = own.value(loop.table[number.place][lane])
            value = own.variables[statement.identifier] = own.value(statement.expression)
            if statement.store is not None:
                sign = 1 if statement.sign is None else own.value(loop.table[statement.sign][lane])
                shared[statement.store + lane] = graph.mul(sign, value)


# ---- steps ----------------------------------------------------------------------------------------------------------


class _Memory:
    """Arrays of a function of steps: what it takes, what it gives, and what its calls hand on."""

    def __init__(self, body: LoweredFunction, function: ModuleFunction, scene: _Scene) -> None:
        self._scene = scene
        self.arrays: dict[str, list[Reference | None]] = {"": [None] * body.memory}
        self.arrays.update({name: list(entries) for name, entries in scene.arrays.items()})
        self.arrays.update({name: [value] for name, value in scene.variables.items()})
        self.arrays.update({name: [None] * size for name, size in body.arrays.items()})
        for item, identifier in zip(function.arguments, function.identifiers, strict=True):
            if item.direction == "out":
                self.arrays[identifier] = [None] * item.size

    def read(self, array: str, place: int, size: int) -> list[Reference]:
        """Some entries behind each other."""
        return [_written(value, array or "the memory") for value in self.arrays[array][place : place + size]]

    def called(
        self, step: LoweredStep, inputs: Sequence[Sequence[Reference]], numbers: Sequence[Fraction]
    ) -> list[Sequence[Reference]]:
        """The results of a step, in order."""
        own = _Scene(self._scene.graph, dict(self._scene.variables))
        given = [*inputs, *([[own.graph.const(number) for number in numbers]] if step.has_numbers else [])]
        formal = list(zip(step.arguments, step.identifiers, strict=True))
        for (item, identifier), entries in zip(formal, given, strict=False):
            if item.shape:
                own.arrays[identifier] = list(entries)
            else:
                (own.variables[identifier],) = entries
        results = _straight(step.body, own)
        return [results[identifier] for item, identifier in formal if item.direction == "out"]


def _reading_of_steps(body: LoweredFunction, function: ModuleFunction, scene: _Scene) -> Reading:
    memory = _Memory(body, function, scene)
    every = [each for each in body.loops if isinstance(each, LoweredPairs)]
    # What is found for pairs may be dense, and comes last.
    assert body.loops[len(body.loops) - len(every) :] == tuple(every)
    for each in body.loops:
        if isinstance(each, LoweredZeros):
            memory.arrays[each.identifier] = [0] * each.size
        elif isinstance(each, LoweredFor):
            for run in _taken(each, body.threads):
                for call in range(run.start, run.stop):
                    _call(body.steps[run.step], call, memory)
    way = "shared steps"
    named = {
        item.name: (identifier, item.size)
        for item, identifier in zip(function.arguments, function.identifiers, strict=True)
        if item.direction == "out"
    }

    def whole() -> Results:
        for pairs in every:
            for (array, place), entry in _of_pairs(pairs, body.steps[pairs.step], memory):
                memory.arrays[array][place] = entry
        return {name: memory.read(identifier, 0, size) for name, (identifier, size) in named.items()}

    if sum(pairs.count for pairs in every) <= MOST_PAIRS:
        return Reading(function.name, way, whole())
    dense = {name: _dense(identifier, body.steps, every, memory) for name, (identifier, _) in named.items()}
    return Reading(function.name, way, {}, dense, whole)


def _taken(sweep: LoweredFor, threads: int) -> Iterator[Run]:
    """The runs of a sweep; parts that threads may take come last first, for no part may wait for one before it."""
    if threads and sweep.is_spread:
        for run in reversed(sweep.runs):
            yield from (Run(run.step, call, call + 1) for call in reversed(range(run.start, run.stop)))
    elif threads and sweep.parts:
        for start, stop in reversed([*pairwise((*sweep.parts, len(sweep.runs)))]):
            yield from sweep.runs[start:stop]
    else:
        yield from sweep.runs


def _dense(result: str, steps: Sequence[LoweredStep], every: Sequence[LoweredPairs], memory: _Memory) -> Dense:
    known = {place: ref for place, ref in enumerate(memory.arrays[result]) if ref}
    handed = memory.arrays[""]
    read = sorted({ref for ref in handed if ref is not None})

    def pairs(values: Mapping[Reference, int]) -> Iterator[tuple[int, int]]:
        residues = [None if ref is None else values[ref] for ref in handed]
        for table in every:
            step = steps[table.step]
            inputs = [i for item, i in zip(step.arguments, step.identifiers, strict=True) if item.direction == "in"]
            evaluate = residues_of(step.body, inputs)
            places = [target for target in range(len(table.targets)) if table.targets[target][0] == result]
            for entries, starts in _each_pair(table, step, lambda a, b: residues[a:b], evaluate):
                for target in places:
                    stride = table.targets[target][1]
                    for k, value in enumerate(entries):
                        yield starts[target] + k * stride, value

    return Dense(known, read, pairs)


def _call(step: LoweredStep, call: int, memory: _Memory) -> None:
    places = step.places[call]
    sizes = [1 if size is None else size for size in step.sizes]
    taken = list(zip(step.arrays, places, sizes, strict=True))
    inputs = [memory.read(*one) for one in taken[: step.inputs]]
    results = memory.called(step, inputs, step.numbers[call] if step.has_numbers else ())
    for (array, place, _), entries in zip(taken[step.inputs :], results, strict=True):
        memory.arrays[array][place : place + len(entries)] = entries


def _of_pairs(pairs: LoweredPairs, step: LoweredStep, memory: _Memory) -> Iterator[tuple[tuple[str, int], Reference]]:
    """Where the entries of all pairs go, and what they are."""

    def evaluate(*inputs: Sequence[Reference]) -> Sequence[Reference]:
        (entries,) = memory.called(step, inputs, ())
        return entries

    for entries, starts in _each_pair(pairs, step, lambda a, b: memory.read("", a, b - a), evaluate):
        for (array, stride), start in zip(pairs.targets, starts, strict=True):
            yield from (((array, start + k * stride), value) for k, value in enumerate(entries))


def _each_pair(
    pairs: LoweredPairs,
    step: LoweredStep,
    read: Callable[[int, int], Sequence[Any]],
    evaluate: Callable[..., Sequence[Any]],
) -> Iterator[tuple[Sequence[Any], list[int]]]:
    """For each outer item with the inner ones on its path, what the step finds, and where it begins in each target."""
    behind = 1 + len(pairs.targets)
    sizes = [1 if size is None else size for size in step.sizes]
    outer_sizes, inner_sizes = sizes[: len(pairs.outer[0]) - behind], sizes[len(pairs.outer[0]) - behind :]
    blocks: dict[int, list[Sequence[Any]]] = {}
    for outer in pairs.outer:
        own = [read(place, place + size) for place, size in zip(outer[behind:], outer_sizes, strict=True)]
        following = outer[0]
        while following >= 0:
            inner = pairs.inner[following]
            if following not in blocks:
                given = zip(inner[behind:], inner_sizes, strict=False)
                blocks[following] = [read(place, place + size) for place, size in given]
            entries = evaluate(*own, *blocks[following])
            yield entries, [a + b for a, b in zip(outer[1:behind], inner[1:behind], strict=True)]
            following = inner[0]
