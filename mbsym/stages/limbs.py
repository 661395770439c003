"""Functions in which equal limbs are computed side by side, where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Final

from mbsym.codegen.limb_programs import NUMBERS, SUMMANDS, SUMS, WIDTHS, Entries, LimbProgram
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.kinematics.limbs import Group, Limbs, equal_limbs
from mbsym.kinematics.mechanism import Mechanism
from mbsym.options.exclusions import require_compatible
from mbsym.stages.derivation import Derivation, Progress, Stage
from mbsym.stages.simplify import alone, optimise
from mbsym.symbolic.program import Input, Output, Program

FUNCTIONS: Final = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "bias_force", "gravity_force")
"""Functions whose recursions say what limbs hand on."""
FORMULATIONS: Final = ("auto", "articulated-body")
"""By which these are derived so."""
WRITTEN_OUT: Final = ("threads", "prepare", "trigonometry argument", "self_test", "safety_report")
"""Options with which functions are straight as long as nobody asks for limbs: what they say is of that text."""
WORTH: Final = 0.9
"""Part of the operations of straight code above which limbs side by side are not worth their gathering."""
DOUBTFUL: Final = 0.75
"""Part of these above which it is tried whether a group among others costs more than it saves."""


def has_limbs(mechanism: Mechanism) -> bool:
    """True where limbs may stand for each other: in branched trees without forces and motions, of values in numbers."""
    parents = [body.parent for body in mechanism.bodies]
    if len({*parents}) == len(parents):
        return False
    model = mechanism.model
    others = (
        mechanism.cut_joints,
        model.constraints,
        model.couplings,
        model.motions,
        model.forces,
        mechanism.parameters,
    )
    return not any(others) and not mechanism.extra_inputs


def side_by_side(straight: Program, mechanism: Mechanism, groups: Sequence[Group]) -> LimbProgram:
    """A function with one limb of each group for all.

    Args:
        straight: the function.
        mechanism: ``afresh``, and again so afterwards.
        groups: of equal limbs.
    """
    limbs = Limbs(mechanism, tuple(groups))

    def derive(whole: Mechanism) -> Program:
        program = TREE_FUNCTIONS[straight.name](limbs.mechanism())
        graph, needed = whole.graph, set[int]()
        refs = list(program.output_references)
        while True:
            reached = set(graph.reachable(refs))
            found = {place for place, made in enumerate(limbs.sums.values()) if made.ref in reached}
            if found == needed:
                break
            needed = found
            refs += [key[1] for place, key in enumerate(limbs.sums) if place in needed]
        sums = [item for place, item in enumerate(limbs.sums.items()) if place in needed]
        numbers = [made.ref for made in limbs.constants.values()]
        limbs.sums = dict(sums)
        inputs = (
            Input(NUMBERS, (len(numbers),), tuple(numbers)),
            Input(SUMS, (len(sums),), tuple(made.ref for _, made in sums)),
        )
        summands = Output(SUMMANDS, (len(sums),), tuple(key[1] for key, _ in sums))
        return replace(program, inputs=(*program.inputs, *inputs), outputs=(*program.outputs, summands))

    program, _ = optimise(alone(derive, mechanism), mechanism.ways)
    places = {what: Entries(tuple(limbs.groups_at(what)), tuple(limbs.places(what))) for what in ("q", "v")}
    arrays = {item.name: places["q" if item.name == "q" else "v"] for item in straight.inputs}
    arrays |= {item.name: _product([places["v"]] * len(item.shape), item.shape) for item in straight.outputs}
    return LimbProgram(
        program,
        tuple(len(group[0]) for group in limbs.groups),
        arrays,
        {item.name: item.shape for item in straight.outputs},
        tuple(limbs.constants),
        tuple(group for group, _ in limbs.sums),
    ).folded()


def _product(axes: Sequence[Entries], shape: Sequence[int]) -> Entries:
    """Entries along several axes; limbs of different groups, or of one, have none with each other."""
    groups: list[int] = [-1]
    places: list[tuple[int, ...]] = [(0,)]
    for axis, stride in zip(axes, (prod(shape[k + 1 :]) for k in range(len(shape))), strict=True):
        pairs = [
            _pair(group, place, own, other, stride)
            for group, place in zip(groups, places, strict=True)
            for own, other in zip(axis.groups, axis.places, strict=True)
        ]
        groups, places = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return Entries(tuple(groups), tuple(places))


def _pair(
    group: int, places: tuple[int, ...], own: int, others: tuple[int, ...], stride: int
) -> tuple[int, tuple[int, ...]]:
    if group >= 0 and own >= 0 and group != own:
        return -1, ()
    count = max(len(places), len(others))
    rows = zip(places * (count // max(len(places), 1)), others * (count // len(others)), strict=True)
    return max(group, own), tuple(place + other * stride for place, other in rows)


def groupings(mechanism: Mechanism) -> tuple[tuple[Group, ...], ...]:
    """Groups of equal limbs that vectors can hold: of the same zeros, and of the same joints."""
    kinds = (equal_limbs(mechanism, by_zeros=by_zeros) for by_zeros in (True, False))
    return tuple(dict.fromkeys(tuple(group for group in kind if len(group[0]) <= WIDTHS[-1]) for kind in kinds))


def best(straight: Program, mechanism: Mechanism, kinds: Sequence[tuple[Group, ...]]) -> LimbProgram | None:
    """A function with its limbs side by side as it takes fewest operations; None where none are worth it.

    A group that costs more than it saves is left out.

    Args:
        straight: the function.
        mechanism: ``afresh``, and again so afterwards.
        kinds: what is tried.
    """
    tried: dict[tuple[Group, ...], LimbProgram] = {}

    def found(groups: tuple[Group, ...]) -> float:
        if groups and groups not in tried:
            tried[groups] = side_by_side(straight, mechanism, groups)
        return tried[groups].cost if groups else WORTH * straight.operation_count().arithmetic

    groups = min(kinds, key=found)
    is_doubtful = len(groups) > 1 and found(groups) > DOUBTFUL * straight.operation_count().arithmetic
    for group in groups if is_doubtful else ():
        groups = min((groups, tuple(each for each in groups if each != group)), key=found)
    return tried[groups] if groups and found(groups) < found(()) else None


def _put_side_by_side(derivation: Derivation, tell: Progress) -> Derivation:
    options = derivation.options
    by_itself = options.style == "auto" and not any(map(options.asks, WRITTEN_OUT))
    if not options.has_c or not (options.style == "limbs" or by_itself):
        return derivation
    made: dict[str, LimbProgram] = {}
    wanted = [program for program in derivation.programs if program.name in FUNCTIONS and not program.body]
    if wanted and has_limbs(derivation.mechanism) and options.formulation in FORMULATIONS:
        kinds, mechanism = groupings(derivation.mechanism.afresh()), derivation.mechanism.afresh()
        for program in wanted if any(kinds) else ():
            limbs = best(program, mechanism, kinds)
            made |= {program.name: limbs} if limbs is not None else {}
    facts = replace(derivation.facts, beside=tuple(made))
    require_compatible(options, facts)
    return replace(derivation, facts=facts, limbs=made)


PUT_SIDE_BY_SIDE: Final = Stage(
    "limbs", "where that is asked for, equal limbs are side by side in functions of C", _put_side_by_side
)
