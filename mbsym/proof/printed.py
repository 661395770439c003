"""The functions of a module as they are going to be printed, read back into a graph.

Statements, parts that share an array, loops over lanes, steps that bodies share, sines computed in front, workspaces
and given sines are followed one by one, as a processor would follow the text. Every function sees what its text sees:
its arguments, the parameters, and what was handed to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias

from mbsym.codegen import expressions as ex
from mbsym.codegen.c.parts import split
from mbsym.codegen.c.pieces import NUMBERS, SHARED, Loop
from mbsym.codegen.c.trigonometry import Front, in_front, limbs_in_front
from mbsym.codegen.expressions import evaluated
from mbsym.codegen.limbs import LimbBody
from mbsym.codegen.lowered import Assignment, LoweredFunction, LoweredStep, Result, Store, Straight
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.passes.given_sines import SINES_COSINES
from mbsym.proof.field import Field
from mbsym.proof.steps import Evaluate, Steps, at_a_point, written
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.program import Program

WAYS_OF_STEPS: Final = (("shared steps", False), ("shared steps by several threads", True))
"""By one thread what threads share comes in order; by several it may come in any, and is followed last first."""

Results: TypeAlias = Mapping[str, Sequence[Reference]]
"""The entries of each result, by its name, row-major."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A function as one of the languages has it.

    Attributes:
        function: its name.
        way: how it is written, for people.
        results: what it returns, over the graph.
    """

    function: str
    way: str
    results: Results


def readings(module: LoweredModule, graph: Graph, languages: Sequence[str]) -> Iterator[Reading]:
    """Every derived function in every way in which it is written.

    Args:
        module: what is going to be printed.
        graph: where the results are made, or a field; symbols of equal name are one.
        languages: that are printed.
    """
    heads = {program.name: program for program in module.description.programs}
    # A workspace, or sines and cosines, for the functions that follow.
    handed: dict[str, list[Reference]] = {}
    for function in module.functions:
        if function.body is None:
            continue
        scene = _scene(module, function, heads[function.name], graph, handed)
        if function.body.steps:
            arrays = {name: [_written(ref, name) for ref in entries] for name, entries in scene.arrays.items()}
            for way, last_first in WAYS_OF_STEPS[: 2 if function.body.threads else 1]:
                steps = Steps(function.body, function, graph, arrays, scene.variables, last_first=last_first)
                results = at_a_point(steps, graph) if isinstance(graph, Field) else _followed(steps, graph)
                yield Reading(function.name, way, results)
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

    def value(self, expression: ex.Expression) -> Reference:
        """What an expression is."""
        found: Reference = evaluated(expression, _RULES, self)
        return found


_RULES: Final[ex.Rules] = {
    ex.Constant: lambda scene, constant, _: scene.graph.const(constant.value),
    ex.Variable: lambda scene, variable, _: scene.variables[variable.identifier],
    ex.Element: lambda scene, element, _: _written(scene.arrays[element.array][element.index], element.array),
    ex.Sum: lambda scene, _, terms: reduce(
        scene.graph.add, (-value if negative else value for negative, value in terms)
    ),
    ex.Product: lambda scene, _, factors: reduce(scene.graph.mul, factors),
    ex.Quotient: lambda scene, _, parts: scene.graph.div(*parts),
    ex.Call: lambda scene, call, arguments: scene.graph.function(call.function, *arguments),
    ex.Select: lambda scene, _, parts: scene.graph.select(*parts),
    ex.Negation: lambda scene, _, operands: -operands[0],
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
    way = module.description.trigonometry
    front = in_front(body, module.names.inside(own), way)
    if ("c" in languages or module.description.batch) and (front.angles or split(body) is not None):
        yield "in C", _with_front(front, scene.inside())
    if function in module.batched and not front.angles:
        yield "in lanes", _with_front(in_front(body, module.names.inside(own)), scene.inside())
    if "c" in languages and function.limbs is not None:
        limbs, front = limbs_in_front(function.limbs, body, module.names.inside(own), way)
        yield "with its limbs side by side", _side_by_side(limbs, _behind(front, scene.inside()), body.results)


def _straight(body: LoweredFunction, scene: _Scene) -> Results:
    for block in body.blocks:
        _run(block.statements, scene, {})
    return {item.identifier: [scene.value(entry) for entry in item.entries] for item in body.results}


def _with_front(front: Front, scene: _Scene) -> Results:
    """The body behind what computes its sines and cosines, whole or in parts."""
    scene = _behind(front, scene)
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


def _behind(front: Front, scene: _Scene) -> _Scene:
    """The scene with the sines and cosines that are computed in front."""
    if front.angles:
        angles = [scene.value(angle) for angle in front.angles]
        halves = ((front.sine, "sin"), (front.cosine, "cos"))
        found = {name: [scene.graph.function(half, angle) for angle in angles] for name, half in halves}
        scene.arrays = {**scene.arrays, **found}
    return scene


def _side_by_side(body: LimbBody, scene: _Scene, results: Sequence[Result]) -> Results:
    """Statements one by one; a vector is an array with a value in each lane, of which each takes its own."""
    scene.arrays = {**scene.arrays}
    vectors: dict[str, Sequence[Reference | None]] = {}
    found: dict[str, list[Reference | None]] = {item.identifier: [None] * len(item.entries) for item in results}
    zero = scene.graph.const(0)
    for item in body.zeros:
        found[item.identifier] = [zero if isinstance(entry, ex.Constant) else None for entry in item.entries]
    for statement in (each for block in body.blocks for each in block.statements):
        if not isinstance(statement, Assignment) or not statement.width:
            _run([statement], scene, found)
            continue
        if isinstance(statement.expression, ex.Gather):
            vectors[statement.identifier] = [scene.value(lane) for lane in statement.expression.lanes]
        else:
            lanes = [scene.inside() for _ in range(statement.width)]
            for lane, own in enumerate(lanes):
                own.variables |= {
                    name: _written(each[lane], name) for name, each in vectors.items() if len(each) > lane
                }
            vectors[statement.identifier] = [own.value(statement.expression) for own in lanes]
        scene.arrays |= vectors
    return {name: [_written(entry, name) for entry in entries] for name, entries in found.items()}


def _written(value: Reference | None, where: str) -> Reference:
    """A value that was written before it is read."""
    found: Reference = written([value], where)[0]
    return found


def _run(statements: Sequence[Straight], scene: _Scene, written: Mapping[str, list[Reference | None]]) -> None:
    """Statements one by one, which fill arrays."""
    for statement in statements:
        if isinstance(statement, Assignment):
            scene.variables[statement.identifier] = scene.value(statement.expression)
        elif isinstance(statement, Store):
            written[statement.array][statement.index] = scene.value(statement.expression)
        else:
            # All entries are filled at once: what is not constant is zero until it is stored.
            entries = statement.result.entries
            filled = [
                scene.value(entry if isinstance(entry, ex.Constant) else ex.Constant(Fraction(0))) for entry in entries
            ]
            written[statement.result.identifier][:] = filled


def _run_lanes(loop: Loop, scene: _Scene, shared: list[Reference | None]) -> None:
    scene.arrays = {**scene.arrays, SHARED: shared}
    _run(loop.common, scene, {})
    for lane in range(loop.width):
        own, found = scene.inside(), [*shared[lane:]]
        numbers = [own.value(row[lane]) for row in loop.table]
        own.arrays = {**scene.arrays, SHARED: found, NUMBERS: numbers}
        _run(loop.statements, own, {SHARED: found})
        shared[lane:] = found


def _followed(steps: Steps, graph: Graph) -> Results:
    """The results of a function made of steps, call by call."""

    def known(step: LoweredStep) -> Evaluate:
        formal = list(zip(step.arguments, step.identifiers, strict=True))

        def evaluate(inputs: Sequence[Sequence[Reference]]) -> list[Sequence[Reference]]:
            own = _Scene(graph, dict(steps.variables))
            for (item, identifier), entries in zip(formal, inputs, strict=False):
                if item.shape:
                    own.arrays[identifier] = list(entries)
                else:
                    (own.variables[identifier],) = entries
            results = _straight(step.body, own)
            return [results[identifier] for item, identifier in formal if item.direction == "out"]

        return evaluate

    return steps.results(known, abreast=False)
