"""Each force element and each constraint in random mechanisms, with and without closed loops, beside the reference.

    python tests/benchmarks/elements.py [--count COUNT] [--seed SEED] [--write]

Prints, and writes into docs/combinations.md, for each type in how many mechanisms it changes the accelerations, and the
worst difference from the reference by the largest entry: of inverse dynamics in trees, of accelerations in loops. Ends
with status 1 where that is more than rounding.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sweep import put

from mbsym.constraints import CONSTRAINTS, GearConstraint, LinearCoupling
from mbsym.errors import DerivationError
from mbsym.forces import FORCE_ELEMENTS
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.loops.functions import LOOP_FUNCTIONS
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mbsym.verification.random_state import random_state
from mechanisms.elements import with_constraint, with_element
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.random_trees import random_tree

PAGE = Path(__file__).resolve().parents[2] / "docs" / "combinations.md"

ROUNDING = 1e-9
"""Tyres count a slip as a millionth longer at right angles than the reference: 1e-10 where curves are steep."""

ACTS = 1e-6
"""Of the largest entry: where an element changes less it does nothing."""

MOST = 20
"""Seeds that are tried for each mechanism that is asked for."""

TIME = 0.3

GEARED = ("gear", "linear_coupling")
"""Between joints; all others are between bodies."""


class UnsuitedError(Exception):
    """A mechanism was drawn that has no place for what is tried."""


def difference(found: Any, expected: Any) -> float:
    """By the largest entry, one at least."""
    return float(np.abs(found - expected).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0)))


def of_tree(model: Model, seed: int) -> tuple[float, Any]:
    """Difference of inverse dynamics, and what the reference has."""
    reference, mechanism = Reference(model), mechanism_of(model)
    rng = np.random.default_rng([seed, 1])
    q, v, vdot = random_state(model, reference.labelling, rng, reference=reference)
    u = rng.normal(size=len(model.inputs))
    program = TREE_FUNCTIONS["inverse_dynamics"](mechanism)
    (found,) = interpret(program, {"q": q, "v": v, "vdot": vdot, **given(mechanism, u)}).values()
    expected = reference.inverse_dynamics(q, v, vdot, TIME, list(u))
    return difference(found, expected), expected


def of_loops(model: Model, q: Any, seed: int) -> tuple[float, Any]:
    """Difference of accelerations, and what the reference has."""
    reference, mechanism = Reference(model), mechanism_of(model)
    rng = np.random.default_rng(seed)
    v = reference.consistent_velocity(q, rng.normal(size=reference.nv))
    tau, u = rng.normal(size=reference.nv), rng.normal(size=len(model.inputs))
    program = LOOP_FUNCTIONS["constrained_dynamics"](mechanism, analyse_loops(mechanism))
    found = interpret(program, {"q": q, "v": v, "tau": tau, **given(mechanism, u)})["vdot"]
    expected = reference.solve(q, v, tau, TIME, list(u)).vdot
    return difference(found, expected), expected


def given(mechanism: Any, u: Any) -> dict[str, Any]:
    return {"t": TIME, "u": u} if mechanism.controls is not None else {}


def force_in_trees(kind: str, seed: int) -> tuple[float, bool]:
    model = with_element(random_tree(seed, bodies=(2, 4), forces=False), kind, seed)
    found, expected = of_tree(model, seed)
    return found, difference(of_tree(replace(model, forces=()), seed)[1], expected) > ACTS


def force_in_loops(kind: str, seed: int) -> tuple[float, bool]:
    model, q = random_closed_loops(seed, forces=False, bodies=(3, 4), loops=(1, 2))
    pushed = with_element(model, kind, seed)
    require_same_tree(model, pushed)
    found, expected = of_loops(pushed, q, seed)
    return found, difference(of_loops(model, q, seed)[1], expected) > ACTS


def constraint_in_trees(kind: str, seed: int) -> tuple[float, bool]:
    tree = random_tree(seed, bodies=(3, 5), forces=False, free_roots=False)
    if kind in GEARED and sum(joint.shape.nv == 1 for joint in tree.joints) < 2:
        raise UnsuitedError
    model, q = with_constraint(tree, kind, seed)
    try:
        return of_loops(model, q, seed)[0], True
    except DerivationError as error:
        if "in every motion" not in error.what:
            raise
        raise UnsuitedError from None  # what is drawn between bodies of one rigid group holds nothing


def constraint_in_loops(kind: str, seed: int) -> tuple[float, bool]:
    if kind in GEARED:
        return of_loops(*geared(kind, *random_closed_loops(seed, forces=False, bodies=(4, 6), loops=(1, 2))), seed)[
            0
        ], True
    model, q = random_closed_loops(seed, constraints=(kind,), forces=False, bodies=(4, 6), loops=3)
    if not model.constraints:
        raise UnsuitedError
    return of_loops(model, q, seed)[0], True


def geared(kind: str, model: Model, q: Any) -> tuple[Model, Any]:
    """With such a constraint between two joints of the tree, which holds in this position."""
    reference = Reference(model)
    singles = [joint for joint in reference.mechanism.tree_joints if len(q[joint.coordinates]) == 1]
    if len(singles) < 2:
        raise UnsuitedError
    first, second = singles[-2:]
    one, other = (float(q[joint.coordinates][0]) for joint in (first, second))
    element = (
        GearConstraint("geared", first.name, second.name, 1.3, one - 1.3 * other)
        if kind == "gear"
        else LinearCoupling("geared", (first.name, second.name), (1.0, 0.7), one + 0.7 * other)
    )
    with_it = replace(model, constraints=(*model.constraints, element))
    require_same_tree(model, with_it)
    return with_it, q


def require_same_tree(model: Model, other: Model) -> None:
    """Elements keep their joints in the tree, and q is laid out by the tree.

    Raises:
        UnsuitedError: other joints are cut with the elements, or one of theirs.
    """
    one, two = model.label(), other.label()
    theirs = {getattr(element, "joint", "") for element in other.forces}
    if one.joint_names != two.joint_names or theirs & set(two.cut_joints):
        raise UnsuitedError


def tried(draw: Callable[[str, int], tuple[float, bool]], kind: str, count: int, begin: int) -> tuple[int, int, float]:
    """How many mechanisms, in how many of them it acts, and the worst difference; seeds without such one are passed."""
    found: list[tuple[float, bool]] = []
    for seed in range(begin, begin + MOST * count):
        try:
            found.append(draw(kind, seed))
        except UnsuitedError:
            continue
        if len(found) == count:
            break
    return len(found), sum(acts for _, acts in found), max((worst for worst, _ in found), default=0.0)


def rows(count: int, begin: int) -> Iterator[tuple[str, list[tuple[int, int, float]]]]:
    for kind in FORCE_ELEMENTS:
        yield kind, [tried(draw, kind, count, begin) for draw in (force_in_trees, force_in_loops)]
    for kind in CONSTRAINTS:
        yield kind, [tried(draw, kind, count, begin) for draw in (constraint_in_trees, constraint_in_loops)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    lines = [
        "| type | trees | acts in | difference | with loops | acts in | difference |",
        "|---|---|---|---|---|---|---|",
    ]
    worst = 0.0
    print(*lines, sep="\n")
    for kind, found in rows(asked.count, asked.seed):
        told = (f"{number} | {acting} | {apart:.0e}" for number, acting, apart in found)
        lines.append(f"| `{kind}` | {' | '.join(told)} |")
        print(lines[-1], flush=True)
        worst = max(worst, *(apart for _, _, apart in found))
    if asked.write:
        put("elements", lines, PAGE)
    return int(worst > ROUNDING)


if __name__ == "__main__":
    sys.exit(main())
