"""The functions of a module as they are going to be printed, read back into a graph.

Statements, parts that share an array, loops over lanes, steps that bodies share, sines computed in front, workspaces
and given sines are followed one by one, as a processor would follow the text. Every function sees what its text sees:
its arguments, the parameters, and what was handed to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from mbsym.codegen.c.parts import split
from mbsym.codegen.c.pieces import NUMBERS, SHARED, Loop
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
from mbsym.codegen.lowered import Assignment, LoweredFunction, LoweredStep, Statement, Store
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.passes.given_sines import SINES_COSINES
from mbsym.proof.residues import is_turn
from mbsym.proof.steps import Evaluate, Steps, unwritten
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program

Results: TypeAlias = Mapping[str, Sequence[Reference]]
"""The entries of each result, by its name, row-major."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A function as one of the languages has it.

    Attributes:
        function: its name.
        way: how it is written, for people.
        results: what it returns, over the graph; of steps if that was asked for.
        steps: of which it is made, if it is.
    """

    function: str
    way: str
    results: Results
    steps: Steps | None = None


def readings(module: LoweredModule, graph: Graph, languages: Sequence[str], *, follow_steps: bool) -> Iterator[Reading]:
    """Every derived function in every way in which it is written.

    Args:
        module: what is going to be printed.
        graph: where the results are made; symbols of equal name are one.
        languages: that are printed.
        follow_steps: functions made of steps have results over the graph too, which takes long in long mechanisms.
    """
    heads = {program.name: program for program in module.description.programs}
    # A workspace, or sines and cosines, for the functions that follow.
    handed: dict[str, list[Reference]] = {}
    for function in module.functions:
        if function.body is None:
            continue
        scene = _scene(module, function, heads[function.name], graph, handed)
        if function.body.loops:
            arrays = {name: [_written(ref, name) for ref in entries] for name, entries in scene.arrays.items()}
            steps = Steps(function.body, function, arrays, scene.variables)
            yield Reading(function.name, "shared steps", _followed(steps, graph) if follow_steps else {}, steps)
            continue
        for way, results in _ways(module, function, scene, languages):
            named = {item.name: results[identifier] for item, identifier in function.paired if item.direction == "out"}
            if function.name in producers(module):
                # The first way; the others have to be equal to it.
                handed = {**{name: list(entries) for name, entries in named.items()}, **handed}
            yield Reading(function.name, way, named)


def producers(module: LoweredModule) -> tuple[str, ...]:
    """Functions that compute what others take."""
    return module.description.prepares, SINES_COSINES


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
    graph, value = scene.graph, expression.value
    return graph.mul(graph.const(value / PI), graph.pi()) if is_turn(value) else graph.const(value)


def _sum(scene: _Scene, expression: Sum) -> Reference:
    total: Reference = 0
    for negative, term in expression.terms:
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
        raise unwritten(where)
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
    scene.arrays = {**scene.arrays, SHARED: shared}
    _run(loop.common, scene, {})
    for lane in range(loop.width):
        own, found = scene.inside(), [*shared[lane:]]
        numbers = [own.value(row[lane]) for row in loop.table]
        own.arrays = {**scene.arrays, SHARED: shared[lane:], NUMBERS: numbers}
        _run(loop.statements, own, {SHARED: found})
        shared[lane:] = found


def _followed(steps: Steps, graph: Graph) -> Results:
    """The results of a function made of steps, call by call."""

    def known(step: LoweredStep) -> Evaluate:
        formal = list(zip(step.arguments, step.identifiers, strict=True))

        def evaluate(inputs: Sequence[Sequence[Reference]], call: int) -> list[Sequence[Reference]]:
            own = _Scene(graph, dict(steps.variables))
            numbers = [[graph.const(number) for number in step.numbers[call]]] if step.has_numbers else []
            for (item, identifier), entries in zip(formal, [*inputs, *numbers], strict=False):
                if item.shape:
                    own.arrays[identifier] = list(entries)
                else:
                    (own.variables[identifier],) = entries
            results = _straight(step.body, own)
            return [results[identifier] for item, identifier in formal if item.direction == "out"]

        return evaluate

    return steps.over(lambda ref: ref, known)
