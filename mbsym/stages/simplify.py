"""Each function derived in the ways that are allowed, and brought to fewest operations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from mbsym.kinematics.equivalents import REGROUP, SLIDE
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.simplifications import REASSOCIATE
from mbsym.kinematics.simplified import simplified
from mbsym.passes.pass_manager import Report, run
from mbsym.passes.prepare import gather_parameters, remaining_operations
from mbsym.passes.standard import PLAIN_PASSES, STANDARD_PASSES
from mbsym.registry import DeriveFunction
from mbsym.stages.derivation import Derivation, Progress, Stage
from mbsym.symbolic.program import Program


def _derive(derivation: Derivation, tell: Progress) -> Derivation:
    available = derivation.found.with_derivatives(derivation.options.derivatives)
    untouched, count = derivation.mechanism.untouched(), len(derivation.wanted)
    programs, reports = [], []
    for done, name in enumerate(derivation.wanted):
        tell(f"derive {name}", done, count)
        program, report = shortest(available[name], untouched, prepare=derivation.options.prepare)
        programs.append(program)
        reports.append(report)
    return replace(derivation, wanted=(), programs=(*programs, *derivation.programs), reports=tuple(reports))


def shortest(derive: DeriveFunction, mechanism: Mechanism, *, prepare: bool = False) -> tuple[Program, Report]:
    """A function with fewest operations after the passes, or fewest that depend on more than parameters.

    Regrouping parameters that stay run-time arguments takes operations, and so do points of bodies whose frames have
    slid: there it is counted what is shorter. The mechanism is one ``afresh``, and is that again afterwards.
    """
    allowed = mechanism.ways
    doubtful = [REGROUP] if _has_bodies_by_parameters(mechanism) else []
    doubtful += [SLIDE] if any(force.meets_bodies for force in mechanism.model.forces) else []
    ways = [allowed]
    for name in doubtful:
        ways += [tuple(kept for kept in way if kept != name) for way in ways if name in way]
    variants = (simplified(mechanism, way, prepared=prepare) for way in ways)
    found = [optimise(program, allowed) for program in _different(alone(derive, variant) for variant in variants)]
    if prepare:
        gathered = ((gather_parameters(program), report) for program, report in found)
        return min(gathered, key=lambda pair: remaining_operations(pair[0]))
    return min(found, key=lambda pair: pair[0].operation_count().arithmetic)


def _has_bodies_by_parameters(mechanism: Mechanism) -> bool:
    """True where masses, inertias or places of joints depend on run-time parameters."""
    values = [
        entry.ref
        for body in mechanism.bodies
        for entry in (*body.inertia.entries(), *chain(*body.inboard.rotation.matrix()), *body.inboard.translation)
    ]
    return not {item.symbol for item in mechanism.parameters}.isdisjoint(mechanism.graph.reachable(values))


def _different(programs: Iterable[Program]) -> Iterator[Program]:
    """Each program once: many functions do not see in which way bodies are simplified."""
    seen: list[Program] = []
    for program in programs:
        if program.body or not any(_is_same(program, other) for other in seen):
            seen.append(program)
            yield program


def _is_same(a: Program, b: Program) -> bool:
    """Of programs from graphs that begin alike."""
    one, other = a.graph, b.graph
    return (
        a.output_references == b.output_references
        and one.kinds == other.kinds
        and one.arguments == other.arguments
        and one.names == other.names
    )


def alone(derive: Callable[[Mechanism], Program], mechanism: Mechanism) -> Program:
    """What is derived from a mechanism, in a graph of its own; the mechanism's graph is then again as it was before.

    So a function depends on nothing that was derived before it, as it would not on a mechanism written ``afresh``.

    Raises:
        DerivationError: the derivation does not cover the mechanism.
    """
    graph = mechanism.graph
    begun = graph.copy()
    try:
        program = derive(mechanism)
        # All values of the mechanism belong to its graph: it is the nodes of the function that move.
        return replace(program, graph=graph.copy()) if program.graph is graph else program
    finally:
        graph.become(begun)


def optimise(program: Program, simplifications: Collection[str] = (REASSOCIATE,)) -> tuple[Program, Report]:
    """The program after the standard passes."""
    return run(program, STANDARD_PASSES if REASSOCIATE in simplifications else PLAIN_PASSES)


DERIVE: Final = Stage("derive", "each function is a program with fewest operations", _derive)
