"""Whether two programs compute the same thing, decided exactly by evaluation in a finite field.

See ``finite_field`` for what a random point is. Equality is proved up to a stated probability of failure; a difference
is certain, since an identity of real functions of these kinds holds in the field as well; and where functions are
involved that the field does not know, a difference there proves nothing and the verdict is "undecided".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan, prod
from random import Random
from typing import TYPE_CHECKING, Final, Literal

from mbsym.doors import numpy as np
from mbsym.errors import SymbolicError
from mbsym.symbolic.angles import is_opaque
from mbsym.symbolic.degree import degree_of_difference
from mbsym.symbolic.finite_field import PRIME, Prepared, Sampler, is_unknown, prepare, signed
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.unroll import unrolled

if TYPE_CHECKING:
    import numpy as np

WANTED_PROBABILITY: Final = 1e-12
_FEWEST_TRIALS: Final = 2
_MOST_TRIALS: Final = 8
_TRIALS_WITH_ROOTS: Final = 40
_POINTS: Final = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a comparison; true exactly if it is "equal".

    Attributes:
        kind: "equal", "different" or "undecided".
        output: name of the first differing output, or "".
        index: where in that output.
        point: arguments and parameters at which the two sides were evaluated in floating point: input name -> entries,
            row-major. Empty for equality.
        values: the two sides at that point.
        failure_probability: for equality, the chance that two different programs were taken for equal.
        functions: what made it undecided: functions that the field does not know, square roots, or "sin of ..."
            for angles that are no polynomial and no dyadic fraction of pi.
        trials: random points at which the two sides were compared.
    """

    kind: Literal["equal", "different", "undecided"]
    output: str = ""
    index: tuple[int, ...] = ()
    point: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    values: tuple[float, float] = (nan, nan)
    failure_probability: float = 0.0
    functions: tuple[str, ...] = ()
    trials: int = 0

    def __bool__(self) -> bool:
        return self.kind == "equal"

    def __str__(self) -> str:
        if self.kind == "equal":
            return f"equal at {self.trials} random points, wrong with probability below {self.failure_probability:.1e}"
        place = f"{self.output}{list(self.index) if self.index else ''}"
        first, second = self.values
        if self.kind == "different":
            return f"different in {place}: {first!r} against {second!r}"
        known = ", ".join(self.functions)
        return f"undecided in {place}: its {known} may obey identities beyond algebra ({first!r} against {second!r})"


def compare(a: Program, b: Program, *, trials: int | None = None, seed: int = 0) -> Verdict:
    """Whether two programs have equal outputs for all arguments, parameters and free symbols.

    Inputs, parameters and free symbols are matched by name, outputs by name and shape.

    Args:
        a: one program.
        b: the other, possibly in another graph.
        trials: random points; by default as many as make the failure probability less than 1e-12.
        seed: the same seed gives the same verdict.

    Raises:
        SymbolicError: the outputs' names or shapes differ, equal names of inputs have different shapes, or a divisor
            is zero everywhere.
    """
    a, b = unrolled(a), unrolled(b)
    _check_interfaces(a, b)
    sampler = prepare((_complete(a), _complete(b)))
    doubts = [_doubts(item) for item in sampler.prepared]
    pairs = _pairs(a, b)
    rooted = any("sqrt" in item for doubt in doubts for item in doubt.values())
    degree: int | None = None
    if trials is None:
        degree = degree_of_difference(sampler, [(x, y) for _, _, x, y in pairs])
        trials = _TRIALS_WITH_ROOTS if rooted else _trials(degree)
    for trial in range(trials):
        left, right = sampler.evaluate(seed, trial)
        different = [pair for pair in pairs if signed(left, pair[2]) != signed(right, pair[3])]
        if different:
            return _difference(sampler, different, doubts, trial + 1, seed)
    if degree is None:
        degree = degree_of_difference(sampler, [(x, y) for _, _, x, y in pairs])
    return Verdict("equal", failure_probability=_failure_probability(degree, rooted, trials), trials=trials)


def doubtful_functions(program: Program) -> tuple[str, ...]:
    """What lies below the outputs of a program that makes a difference in the field inconclusive, sorted."""
    (item,) = prepare((_complete(program),)).prepared
    found = _doubts(item)
    return tuple(sorted({name for ref in program.output_references for name in found.get(abs(ref), ())}))


def is_zero(graph: Graph, *refs: Reference, inputs: tuple[Input, ...] = ()) -> bool:
    """Whether all the values are zero for all values of their symbols.

    False means that one differs from zero, or that it cannot be decided; ``compare`` tells which.

    Args:
        graph: where the values live.
        refs: the values.
        inputs: with unit quaternions among the symbols.
    """
    values = Program("values", graph, inputs, (Output("value", (len(refs),), refs),))
    zeros = Program("zeros", graph, inputs, (Output("value", (len(refs),), (0,) * len(refs)),))
    return bool(compare(values, zeros))


_Pair = tuple[str, tuple[int, ...], Reference, Reference]


def _check_interfaces(a: Program, b: Program) -> None:
    first = {item.name: item.shape for item in a.outputs}
    second = {item.name: item.shape for item in b.outputs}
    if first != second:
        raise SymbolicError(
            f"{a.name} has the outputs {first} and {b.name} has {second}", remedy="compare programs of equal outputs"
        )
    shapes = {item.name: item.shape for item in a.inputs}
    for item in b.inputs:
        if shapes.get(item.name, item.shape) != item.shape:
            raise SymbolicError(
                f"input {item.name} has shape {shapes[item.name]} in {a.name} and {item.shape} in {b.name}",
                remedy="give arguments of equal meaning equal shapes and others other names",
            )


def _complete(program: Program) -> Program:
    """The program with its free symbols as scalar inputs."""
    names = program.graph.arguments
    free = tuple(Input(names[node][0], (), (node,)) for node in program.free_symbols())
    return replace(program, inputs=program.inputs + free) if free else program


def _pairs(a: Program, b: Program) -> list[_Pair]:
    """Output name, index and the two values of every entry."""
    return [
        (output.name, _index(output.shape, place), x, y)
        for output in a.outputs
        for place, (x, y) in enumerate(zip(output.values, b.output(output.name).values, strict=True))
    ]


def _index(shape: Sequence[int], place: int) -> tuple[int, ...]:
    return tuple(place // prod(shape[axis + 1 :]) % extent for axis, extent in enumerate(shape))


def _doubts(item: Prepared) -> dict[int, frozenset[str]]:
    """For each node the functions below it that make a difference in the field inconclusive."""
    graph = item.program.graph
    nothing: frozenset[str] = frozenset()
    doubts: dict[int, frozenset[str]] = {}
    for node in (*item.radicands, *item.rest):
        kind = graph.kinds[node]
        doubt = nothing
        for operand in graph.operands(node):
            below = doubts.get(abs(operand), nothing)
            if below is not doubt and below:
                doubt |= below
        if kind == "sqrt" or is_unknown(kind):
            doubt |= {kind}
        elif kind in ("sin", "cos", "tan"):
            for monomial, factor in item.angles[graph.arguments[node][0]]:
                if is_opaque(monomial):
                    doubt |= {f"{kind} of no polynomial"}
                elif monomial == ("pi",) and factor.denominator & (factor.denominator - 1):
                    doubt |= {f"{kind} of {factor}*pi"}
        if doubt:
            doubts[node] = doubt
    return doubts


def _trials(degree: int) -> int:
    """Points needed for the wanted probability."""
    trials = _FEWEST_TRIALS
    while trials < _MOST_TRIALS and _failure_probability(degree, False, trials) > WANTED_PROBABILITY:
        trials += 1
    return trials


def _failure_probability(degree: int, rooted: bool, trials: int) -> float:
    """Schwartz-Zippel for independent points; a root may also have the wrong sign, by chance 1/2 at a point."""
    single = 1.0 if degree >= PRIME else degree / PRIME
    return max(single, 0.5) ** trials if rooted else single**trials


def _difference(
    sampler: Sampler, different: Sequence[_Pair], doubts: Sequence[Mapping[int, frozenset[str]]], trials: int, seed: int
) -> Verdict:
    a, b = (item.program for item in sampler.prepared)
    nothing: frozenset[str] = frozenset()
    doubtful = [doubts[0].get(abs(x), nothing) | doubts[1].get(abs(y), nothing) for _, _, x, y in different]
    first = next((place for place, doubt in enumerate(doubtful) if not doubt), 0)
    name, index, x, y = different[first]
    point, values = _counterexample(a, b, x, y, seed)
    functions = tuple(sorted(doubtful[first]))
    return Verdict("undecided" if functions else "different", name, index, point, values, 0.0, functions, trials)


def _counterexample(
    a: Program, b: Program, x: Reference, y: Reference, seed: int
) -> tuple[dict[str, tuple[float, ...]], tuple[float, float]]:
    """A floating-point state at which the two values differ most clearly, among a few random ones."""
    random = Random(seed)
    sides = [replace(side, outputs=(Output("value", (), (ref,)),)) for side, ref in ((a, x), (b, y))]
    best: tuple[float, dict[str, tuple[float, ...]], tuple[float, float]] = (-1.0, {}, (nan, nan))
    for _ in range(_POINTS):
        point: dict[str, tuple[float, ...]] = {}
        for side in sides:
            for parameter in side.parameters:
                near = random.uniform(0.7, 1.3) * float(parameter.default) or random.uniform(0.5, 1.5)
                point.setdefault(parameter.name, (near,))
            for item in side.inputs:
                point.setdefault(item.name, _random_entries(item, random))
        first, second = (_value(side, point) for side in sides)
        gap = abs(first - second) / (1.0 + abs(first) + abs(second))
        if isfinite(gap) and gap > best[0]:
            best = (gap, point, (first, second))
        elif not best[1]:
            best = (-1.0, point, (first, second))
    return best[1], best[2]


def _random_entries(item: Input, random: Random) -> tuple[float, ...]:
    entries = [random.uniform(0.1, 1.5) for _ in item.symbols]
    for start in item.quaternions:
        norm = sum(entry * entry for entry in entries[start : start + 4]) ** 0.5
        entries[start : start + 4] = [entry / norm for entry in entries[start : start + 4]]
    return tuple(entries)


def _value(side: Program, point: Mapping[str, tuple[float, ...]]) -> float:
    arguments: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {
        item.name: np.asarray(point[item.name]).reshape(item.shape) for item in side.inputs
    }
    return float(interpret(side, arguments, {item.name: point[item.name][0] for item in side.parameters})["value"])
