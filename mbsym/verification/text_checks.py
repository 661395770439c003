"""Checks of printed text against its own Program, derived again: at the borders of its conditions, and far from home.

The Program is interpreted in extended precision, and beside it in double at states a few roundings off: what that
changes is what rounding may change in the text. So a tolerance is as wide as the numbers that are summed at that state
ask for, and where it is too wide to say anything the state counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from mbsym.codegen.description import Argument
from mbsym.codegen.load import LoadedModule
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.statuses import Status
from mbsym.doors import Array
from mbsym.passes.given_sines import COORDINATES
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.verification.anew import Anew
from mbsym.verification.checks import OWN_EQUATIONS, OWN_STATUSES, Worst
from mbsym.verification.conditions import Condition, conditions_of
from mbsym.verification.coverage import Coverage
from mbsym.verification.edge_states import EdgeSearch, joined
from mbsym.verification.evidence import called
from mbsym.verification.far_states import (
    ORDINARY,
    Sizes,
    States,
    far_states,
    not_finite_states,
    precision,
    sized,
    spoilt_states,
)

Rounding: TypeAlias = Callable[[Array, Array], Array]
"""A value that an operation gives and the size of what it was made of, to the value rounded."""
SizesOf: TypeAlias = Callable[[str, Sequence[Argument]], Sizes]
"""What arguments of a function are counted in, by its name."""

ROUNDINGS: Final = 64.0
"""Allowance over what rounding of the arguments and of the operations changed in the Program: the text brackets sums
otherwise, and its library rounds sines otherwise, in as many operations as a function has for one result."""

UNDERFLOW: Final = 1e3
"""Times the smallest normal number: what is lost below it may be multiplied by masses and lengths."""

DECIDED: Final = 8.0
"""Times what rounding changed in a value, within which it may be on either side of a border: text and Program make it
by the same operations, so that less is allowed than of results."""

COPIES: Final = 3
"""Copies of a state, each a few roundings off, by which rounding is measured."""

SHAKEN: Final = 2
"""More copies, in which each operation is a rounding off, up or down: what one order of a sum happens to make exactly
another order, as a text may have it, rounds as the largest of what is summed."""

JITTER: Final = 4.0
"""Roundings by which arguments of copies differ."""

BLUNT: Final = 1e-5
"""Allowance over the size of the result from which on a state shows nothing; 1e-2 in single precision."""

BLUNT_SINGLE: Final = 1e-2

FEW: Final = 8
"""States at which run-time parameters other than the defaults are given."""

PARAMETERS: Final = ((0.8, 1.2), (-1.2, -0.8), (0.1, 4.0), (0.1, 4.0), (-4.0, 4.0))
"""Ranges of factors of run-time parameters: near the defaults, of the other sign, and what may leave no motion."""

SIZES: Final = (1, 2, 3, 5, 7, 8, 9, 17, 33)
"""States of a call: whole vectors of two, four, eight and sixteen lanes, and what these leave over."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a Program says of a batch of states.

    Attributes:
        results: arrays by the names of results.
        allowed: largest differences, by name, an entry a state.
        status: of each state; -1 where rounding decides.
        values: of the conditions: states, conditions.
        faint: states at which rounding may be as large as a result: a pivot that it leaves may be zero as well.
    """

    results: Mapping[str, Array]
    allowed: Mapping[str, Array]
    status: Array
    values: Array
    faint: Array

    def at(self, chosen: Array) -> Expected:
        """The same of some of the states."""
        results, allowed = ({name: array[chosen] for name, array in x.items()} for x in (self.results, self.allowed))
        return Expected(results, allowed, self.status[chosen], self.values[chosen], self.faint[chosen])


def shaken(epsilon: float, rng: np.random.Generator) -> Rounding:
    """Each value a rounding off, up or down."""

    def rounded(value: Array, size: Array) -> Array:
        return np.asarray(value + epsilon * size * (2.0 * rng.integers(0, 2, np.shape(value)) - 1.0))

    return rounded


def in_ones(function: str, arguments: Sequence[Argument]) -> Sizes:
    """Sizes of arguments that are counted in SI."""
    return {}


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a module beside its equations.

    Attributes:
        anew: the module, derived again.
        modules: as they were loaded.
        worst: takes the checks.
        coverage: takes the sides of conditions that states were on, and the statuses that were met.
        seed: of the states.
        sizes_of: what arguments of each function are counted in.
    """

    anew: Anew
    modules: Sequence[LoadedModule]
    worst: Worst
    coverage: Coverage
    seed: int
    sizes_of: SizesOf = in_ones

    def of(self, function: str) -> list[LoadedModule]:
        """The modules that have a function."""
        return [module for module in self.modules if function in module.functions]


def check_texts(texts: Texts, work: int) -> None:
    """Notes how far each derived function is from its Program, and whether its statuses are those of its guards.

    The search for borders may take ``work`` operations of interpreted values.
    """
    anew, coverage, rng = texts.anew, texts.coverage, np.random.default_rng(texts.seed)
    single = anew.single
    parameters = {item.name: float(item.default) for item in anew.module.parameters}
    for name, program in anew.programs.items():
        own = {item.name: parameters[item.name] for item in program.parameters}
        function = anew.functions[name]
        arguments = function.inputs
        if not arguments:
            _check_constant(texts, name, program, own)
            continue
        conditions = conditions_of(program, function.guards, single)
        sizes = texts.sizes_of(name, arguments)
        search = EdgeSearch(program, rng, work, sizes)
        groups = [sized(far_states(arguments, rng, single), sizes)]
        edges = []
        for condition in conditions:
            edges.append(search.states(condition))
            coverage.explain(name, condition, search.reason)
        groups += edges
        if function.guards:
            groups.append(sized(not_finite_states(arguments, rng), sizes))
            # What is no number counts before what a guard says.
            groups += [spoilt_states(arguments, edge) for edge in edges]
        work = max(search.work, 0)
        states = for_precision(joined(groups), single)
        few = {key: array[:FEW] for key, array in states.items()}
        cases: list[tuple[States, Mapping[str, float]]] = [(states, {})]
        if own:
            cases += [
                (few, {key: value * float(rng.uniform(low, high)) for key, value in own.items()})
                for low, high in PARAMETERS
            ]
        for given, changed in cases:
            expected = expect(program, function, conditions, given, changed or own, single)
            coverage.note_conditions(name, conditions, expected.values)
            coverage.note_statuses(name, expected.status)
            for module in texts.of(name):
                compare_texts(texts.worst, module, name, given, expected, changed)
                if given is states:
                    _compare_sizes(texts.worst, module, name, states, expected)


def _check_constant(texts: Texts, name: str, program: Program, parameters: Mapping[str, float]) -> None:
    """Notes the same of a function that takes parameters alone."""
    expected = interpret(program, {}, parameters)
    share = ROUNDINGS * float(precision(texts.anew.single).eps)
    for module in texts.of(name):
        found, _ = called(module.functions[name], {})
        error = 0.0
        for item, array in zip(module.functions[name].outputs, found, strict=True):
            wanted = expected[item.name][None]
            ratio = over_allowance(largest(apart(array[None], wanted)), share * largest(wanted))
            error = max(error, float(ratio.max()))
        texts.worst.note(name, module.language, OWN_EQUATIONS, error, 1.0, 0)


def expect(
    program: Program,
    function: ModuleFunction,
    conditions: Sequence[Condition],
    states: States,
    parameters: Mapping[str, float],
    single: bool,
) -> Expected:
    """Results of a Program, what rounding does to them, and the statuses that its guards give."""
    seen = Output("values of conditions", (len(conditions),), tuple(condition.value for condition in conditions))
    whole = replace(program, outputs=(*program.outputs, seen))
    exact = interpret(whole, {name: array.astype(np.longdouble) for name, array in states.items()}, parameters)
    kind = precision(single)
    epsilon = float(kind.eps)
    # Rounding in single precision is that in double precision, so many times.
    double = float(precision(False).eps)
    times = epsilon / double
    spread = {name: np.zeros(len(array)) for name, array in exact.items()}
    rng = np.random.default_rng(0)
    moved = np.zeros_like(exact[seen.name], dtype=float)
    rounded = shaken(double, rng)

    for copy in range(COPIES + SHAKEN):
        factor = double * JITTER if copy else 0.0
        with np.errstate(invalid="ignore"):
            near = {
                key: array + factor * rng.uniform(-1, 1, array.shape) * _size(key, array)
                for key, array in states.items()
            }
        for key, array in interpret(whole, near, parameters, rounded if copy >= COPIES else None).items():
            difference = times * apart(as_double(array), as_double(exact[key]))
            if key == seen.name and copy < COPIES:
                # Text and Program make what is looked at by the same operations.
                moved = np.fmax(moved, difference)
            # What is no number has no rounding.
            spread[key] = np.maximum(spread[key], largest(np.where(np.isfinite(difference), difference, 0.0)))
    values = as_double(exact.pop(seen.name))
    results = {name: as_double(array) for name, array in exact.items()}
    allowed = {
        name: ROUNDINGS * (spread[name] + epsilon * largest(array) + UNDERFLOW * float(kind.tiny))
        for name, array in results.items()
    }
    faint = np.any([ROUNDINGS * spread[name] > largest(array) for name, array in results.items()], axis=0)
    return Expected(results, allowed, _statuses(function, conditions, states, results, values, moved), values, faint)


def _size(name: str, array: Array) -> Array:
    """What roundings of an argument are counted in: a far angle is given exactly, and its sine must be its own."""
    return np.clip(array, -ORDINARY, ORDINARY) if name == COORDINATES else array


def apart(found: Array, expected: Array) -> Array:
    """Sizes of differences; what is not a number differs by what is not a number."""
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(found - expected))


def largest(array: Array) -> Array:
    """Size of the largest entry of each state; not a number where one is not."""
    return np.asarray(np.abs(array).max(axis=tuple(range(1, array.ndim)), initial=0.0))


def are_numbers(*arrays: Array) -> Array:
    """Which states have numbers alone in each of some arrays."""
    return np.asarray(np.logical_and.reduce([np.isfinite(largest(array)) for array in arrays]))


def over_allowance(difference: Array, allowed: Array) -> Array:
    """Differences over what is allowed; infinite where the difference is not a number."""
    with np.errstate(all="ignore"):
        ratio = np.where(difference == 0, 0.0, difference / np.maximum(allowed, np.finfo(float).tiny))
    return np.where(np.isnan(ratio), np.inf, ratio)


def as_double(array: Array) -> Array:
    """Numbers of extended precision rounded to double; what is too large is infinite."""
    with np.errstate(all="ignore"):
        return np.asarray(array, dtype=float)


def _statuses(
    function: ModuleFunction,
    conditions: Sequence[Condition],
    states: States,
    results: Mapping[str, Array],
    values: Array,
    rounding: Array,
) -> Array:
    """Of each state: what counts is the last that applies, as the text says; -1 where rounding may decide."""
    status = np.zeros(len(values), dtype=int)
    doubtful = np.zeros(len(values), dtype=bool)
    for place, condition in enumerate(conditions):
        # On neither side of a branch that rounding decides is a number expected.
        doubtful |= condition.is_doubtful(values[:, place], DECIDED * rounding[:, place])
    if not function.guards:
        return np.where(doubtful, -1, status)
    for wanted, needs in ((Status.SINGULAR, ("nonzero",)), (Status.OUT_OF_REACH, None)):
        for place, condition in enumerate(conditions):
            if condition.kind in (needs or ("not negative", "positive", "within one")):
                status[~condition.is_above(values[:, place])] = wanted
    status[(status == Status.OK) & ~are_numbers(*results.values())] = Status.NOT_FINITE
    given = are_numbers(*states.values())
    status[~given] = Status.NOT_FINITE
    return np.where(doubtful & given, -1, status)


def for_precision(states: States, single: bool) -> States:
    """States as code of that precision can be given them."""
    return {name: array.astype(np.float32).astype(float) for name, array in states.items()} if single else states


def worst_ratio(found: Array, wanted: Array, allowed: Array, usable: Array, blunt: float) -> float:
    """Largest difference over what is allowed, among usable states at which that is small beside the result."""
    size = largest(wanted)
    sharp = usable & np.isfinite(size) & (allowed <= blunt * np.maximum(size, np.finfo(float).tiny))
    return float(over_allowance(largest(apart(found, wanted)), allowed)[sharp].max(initial=0.0))


def compare_texts(
    worst: Worst,
    module: LoadedModule,
    name: str,
    states: States,
    expected: Expected,
    parameters: Mapping[str, float],
) -> None:
    """Notes one call's largest difference over what is allowed, and whether statuses and what comes with them agree."""
    function = module.functions[name]
    found, status = called(function, states, parameters)
    count = len(expected.status)
    blunt = BLUNT_SINGLE if module.manifest["real"] == "float" else BLUNT
    said = np.broadcast_to(status, (count,))
    no_number = np.any([~np.isfinite(largest(np.reshape(array, (count, -1)))) for array in found], axis=0)
    if function.statuses:
        no_number = said == Status.NOT_FINITE
    allowed_status = np.where(expected.faint & no_number, Status.NOT_FINITE, expected.status)
    known = allowed_status >= 0
    usable = allowed_status == Status.OK
    errors = [
        worst_ratio(array, expected.results[item.name], expected.allowed[item.name], usable, blunt)
        for item, array in zip(function.outputs, found, strict=True)
    ]
    worst.note(name, module.language, OWN_EQUATIONS, max(errors, default=0.0), 1.0, 0)
    if function.statuses:
        missed = np.any((said != allowed_status)[known])
        failed = known & (allowed_status != Status.OK)
        # Whatever is not OK has no numbers.
        kept = any(np.any(np.isfinite(array.reshape(count, -1)[failed])) for array in found if array.size)
        worst.note(name, module.language, OWN_STATUSES, float(missed or kept), 0.5, 0)


def _laid_out(array: Array, way: int) -> Array:
    """The same numbers state after state, entry after entry, with states between, or with numbers between."""
    if way == 1:
        return np.asfortranarray(array)
    if way == 2:
        return np.repeat(array, 2, axis=0)[::2]
    if way == 3 and array.ndim > 1:
        return np.repeat(np.repeat(array, 2, axis=0), 2, axis=-1)[::2, ..., ::2]
    return array


def _compare_sizes(worst: Worst, module: LoadedModule, name: str, states: States, expected: Expected) -> None:
    """The same in calls of other sizes, in other places of memory, and for one state without an axis of states."""
    function = module.functions[name]
    total = len(expected.status)
    if module.language == "c":
        return  # one state a call, whatever the caller does
    start = 0
    for number, size in enumerate(SIZES):
        chosen = (start + np.arange(size)) % total
        start += size
        part = {key: array[chosen] for key, array in states.items()}
        part = {key: _laid_out(array, number % 4) for key, array in part.items()}
        few = expected.at(chosen)
        compare_texts(worst, module, name, part, few, {})
        if number == 0 and function.inputs:
            alone = {key: array[0] for key, array in part.items()}
            compare_texts(worst, module, name, alone, few, {})
