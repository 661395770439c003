"""Whether pairs of values are equal: decided in GF(2^61 - 1), and in floating point where the field cannot.

Values that differ in the field are different functions, but for two reasons: an elementary function that the field
knows nothing about lies below them, or a number in them was rounded where exact fractions had grown long. Floating
point tells these from defects: values that agree there to ``AGREEMENT`` of their size are not called different,
only not proven, and so are values with rounded numbers where rounding alone moves the results that far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from mbsym.doors import numpy as np
from mbsym.errors import SymbolicError
from mbsym.symbolic.equality import doubtful_functions
from mbsym.symbolic.finite_field import prepare, signed
from mbsym.symbolic.graph import Graph, Reference
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, ParameterInput, Program

POINTS: Final = 2
"""Random points of the field; a difference goes unseen at both with a chance of its degree over 2^61, squared."""

AGREEMENT: Final = 1e-6
"""Of the largest value of an entry at the states looked at: rounding of ill-conditioned solutions stays below it, and
faults worth their name do not."""

SWAY: Final = 100.0
"""What lies apart may be rounding if it is less than this many times what results move where every operation is off by
one unit of it: each of the many numbers of a long mechanism may have been rounded."""

_LONG: Final = 40
"""Bits of the numerator of a number that was rounded to a double; decimals that are doubles are shorter."""

_STATES: Final = 12
_LARGEST: Final = 2.5


def points(
    graph: Graph,
    inputs: Sequence[Input],
    parameters: Sequence[ParameterInput],
    refs: Sequence[Reference],
) -> Iterator[Mapping[Reference, int]]:
    """The residues of some values at random points of the field.

    Args:
        graph: of the values.
        inputs, parameters: symbols that are known of.
        refs: the values.

    Raises:
        SymbolicError: a divisor is zero everywhere.
    """
    sampler = prepare((Program("proof", graph, tuple(inputs), (_array(refs),), tuple(parameters)),))
    for trial in range(POINTS):
        (values,) = sampler.evaluate(0, trial)
        yield {0: 0, **{ref: signed(values, ref) for ref in refs}}


def reasons(graph: Graph, pairs: Iterable[tuple[Reference, Reference]]) -> tuple[str, ...]:
    """Functions below some values that make a difference in the field inconclusive."""
    refs = tuple(ref for pair in pairs for ref in pair)
    return doubtful_functions(Program("proof", graph, (), (_array(refs),)))


class Agreement(Enum):
    """What floating point says of pairs: equal, different, moved as far by rounding, or that no state is finite."""

    EQUAL = "equal"
    DIFFERENT = "different"
    SWAYED = "swayed"
    NOWHERE = "nowhere"


def agreement(
    graph: Graph,
    inputs: Sequence[Input],
    parameters: Sequence[ParameterInput],
    pairs: Sequence[tuple[Reference, Reference]],
) -> Agreement:
    """Whether pairs agree in floating point at random states."""
    random = np.random.default_rng(0)
    state = {}
    for item in {item.name: item for item in inputs}.values():
        entries = random.uniform(-_LARGEST, _LARGEST, (_STATES, len(item.symbols)))
        for start in item.quaternions:
            entries[:, start : start + 4] /= np.linalg.norm(entries[:, start : start + 4], axis=1)[:, None]
        state[item.name] = entries.reshape((_STATES, *item.shape))
    given = tuple({item.name: item for item in inputs}.values())
    sides = tuple(zip(*pairs, strict=True))
    program = Program("proof", graph, given, tuple(map(_array, sides, "ab")), tuple(parameters))
    try:
        found = interpret(program, state)
    except SymbolicError:
        return Agreement.NOWHERE
    a, b = found["a"], found["b"]
    finite = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
    if not finite.any():
        return Agreement.NOWHERE
    a, b = a[finite], b[finite]
    # Each entry by its own size over all states: a small one is not lost beside a large one.
    allowed = AGREEMENT * np.maximum(np.abs(a), np.abs(b)).max(axis=0)
    apart = np.abs(a - b).max(axis=0)
    if (apart <= allowed).all():
        return Agreement.EQUAL
    if not has_rounded(program):
        return Agreement.DIFFERENT

    def off(value: Any, size: Any) -> Any:
        return value + np.finfo(float).eps * random.choice((-1, 1)) * size

    near = interpret(program, state, rounded=off)
    moved = [np.abs(near[side] - found[side])[finite].max(axis=0) for side in "ab"]
    swayed = apart <= np.maximum(allowed, SWAY * np.maximum(*moved))
    return Agreement.SWAYED if swayed.all() else Agreement.DIFFERENT


def has_rounded(program: Program) -> bool:
    """Whether some number of a program is a double that stands for a longer fraction."""
    graph = program.graph
    numbers = (graph.arguments[node][0] for node in program.nodes() if graph.kinds[node] == "const")
    return any(
        number.numerator.bit_length() > _LONG and not number.denominator & (number.denominator - 1)
        for number in numbers
    )


def _array(refs: Sequence[Reference], name: str = "values") -> Output:
    return Output(name, (len(refs),), tuple(refs))
