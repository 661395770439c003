"""The constraint force algorithm in parts of a tree that threads take at the same time, and that are joined in rounds.

Inside a part the forces in joints are eliminated in the inertia form. A segment, a part with two handles, is left with
an inertia at its first body, a compliance at its last one, and what carries wrenches between them. Joining two parts
solves for the constraint forces of the joint between them: the block of A F = X that eliminating all joints inside of
both has left (``part_roles`` has the equations). When all parts are one, it is a tree on ground.

Source: F. Liu, Q. Hu, J. Zhang, Constraint force algorithm for tree-like multibody system dynamics, 2016, section 2;
R. Featherstone, A divide-and-conquer articulated-body algorithm for parallel O(log(n)) calculation of rigid-body
dynamics, 1999.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Final

from mbsym.formulations.constraint_force.block_system import BlockSystem, solve
from mbsym.formulations.constraint_force.joint_compliance import carried_sizes, why_singular
from mbsym.formulations.constraint_force.leaf_to_root import functions_by
from mbsym.formulations.constraint_force.part_roles import (
    ALONG,
    BACK,
    BACK_LAST,
    CARRY,
    COMPOSE,
    FIRST_TURN,
    HANDED_WIDTH,
    JOIN,
    JOIN_LAST,
    POSITION,
    PULL,
    PULL_ALONG,
    RAKE,
    REACH_WIDTH,
    SPIN,
    START,
    TURN,
)
from mbsym.formulations.constraint_force.parts import Join, Parts, divided
from mbsym.formulations.contracts import FORWARD_DYNAMICS
from mbsym.formulations.regular_mass import never_singular
from mbsym.formulations.shared.heads import head_of, is_plain
from mbsym.formulations.shared.roles import Act, Cast, Stage, cast_in_roles
from mbsym.kinematics.equivalents import for_elimination
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.kinematics.rotors import rotor_forces
from mbsym.kinematics.simplified import true
from mbsym.spatial.vector import negate
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar

FEWEST_PARTS: Final = 2

MOST_IN_TURN: Final = 32
"""Segments whose angular velocities one thread finds from each other: rounds would wait longer."""


# ---- written out -----------------------------------------------------------------------------------------------------


def from_all_ends(system: BlockSystem, parents: tuple[int, ...], right: list[Scalar]) -> list[Scalar]:
    """The solution of A F = X in an order that begins at all ends, ground among them: no block fills up."""
    order = divided(parents, FEWEST_PARTS).order(parents)
    return solve(system, tuple((joint,) for joint in order), right)


CFA_PARALLEL_FUNCTIONS: Final = functions_by("constraint force algorithm from all ends", from_all_ends)
"""Functions of the catalogue that are derived from all ends, each operation written out."""


# ---- as steps of parts -----------------------------------------------------------------------------------------------


def forward_dynamics_in_parts(mechanism: Mechanism, threads: int) -> Program | None:
    """Forward dynamics whose parts threads can take; None where it cannot be made so.

    That is where something besides joints and gravity acts, where values are run-time parameters, where the mass
    matrix may be singular, and where a tree does not fall into two parts.

    Args:
        mechanism: a tree.
        threads: for how many it is divided, of which the code takes no more than there are parts; with none it knows
            nothing of threads, and is divided for two.
    """
    if not is_plain(mechanism) or not never_singular(mechanism):
        return None
    if mechanism.model.forces or rotor_forces(mechanism, joint_speeds(mechanism)) is not None:
        return None
    # Whether a body has an inverse inertia is asked of numbers, which is cheap, for those between two parts alone.
    bodies = true(mechanism).bodies
    if any(entry.constant is None for body in bodies for entry in (body.inertia.mass, *body.inertia.about_origin)):
        return None
    carried = carried_sizes(true(mechanism))

    def may_begin(label: int) -> bool:
        return not why_singular(bodies[label - 1].inertia, carried=carried[label - 1])

    parts = divided(mechanism.labelling.inboard, threads or FEWEST_PARTS, may_begin)
    if len(parts.tasks) < FEWEST_PARTS:
        return None
    zero = Scalar(mechanism.graph, 0)
    head = head_of(FORWARD_DYNAMICS, mechanism, "constraint forces in parts")
    ground = {"omega": [zero] * 3, "moved": [*[zero] * 3, *negate(mechanism.gravity)]}
    handed = {"push": 6, "reach": REACH_WIDTH, "turn": 12} if parts.segments else {}
    variant = for_elimination(mechanism, frozenset(join.body for join in parts.joins))
    # More threads than parts would start only to wait.
    useful = min(threads, len(parts.tasks))
    cast = Cast(ground, {"articulated": HANDED_WIDTH}, handed)
    return cast_in_roles(head, variant, cast, _Acts(variant, parts).stages(), useful)


class _Acts:
    """Who does what when in a tree in parts."""

    def __init__(self, mechanism: Mechanism, parts: Parts) -> None:
        self._mechanism, self._parts = mechanism, parts
        self._parents = (0, *mechanism.labelling.inboard)
        self._handles = {body: segment[-1] for segment in parts.segments for body in segment}
        self._last = frozenset(self._handles.values())
        # What is found of first bodies waits for what follows outboard of them.
        self._first = frozenset({segment[0] for segment in parts.segments} | {join.body for join in parts.joins})
        self._in_turn = len(parts.segments) <= MOST_IN_TURN

    def stages(self) -> list[Stage]:
        """All of them in order."""
        parts = self._parts
        assembly = [[tuple(map(_together, item)) for item in items] for items in parts.rounds]
        assembly += [[tuple(map(_apart, item[::-1])) for item in items] for items in parts.rounds[::-1]]
        found = [
            Stage("positions of the joints", tuple((Act(POSITION, body.label),) for body in self._mechanism.bodies)),
            Stage("how segments turn", tuple(map(self._turning, parts.segments))),
            *_rounds("angular velocities between the parts", self._spinning()),
            Stage("inside the parts, inward", tuple(tuple(self._inward(task)) for task in parts.tasks)),
            *_rounds("between the parts", assembly),
            Stage("inside the parts, outward", tuple(tuple(self._outward(task)) for task in parts.tasks)),
        ]
        return [stage for stage in found if any(stage.parts)]

    # ---- angular velocities ------------------------------------------------------------------------------------------

    def _spins_at_once(self, segment: Sequence[int]) -> bool:
        """True for a segment on ground, whose angular velocities depend on no other part."""
        return self._in_turn and not self._parents[segment[0]]

    def _turning(self, segment: Sequence[int]) -> tuple[Act, ...]:
        """From the first body of a segment outward."""
        if self._spins_at_once(segment):
            return tuple(Act(SPIN, body) for body in segment)
        return (Act(FIRST_TURN, segment[0]), *(Act(TURN, body) for body in segment[1:]))

    def _spinning(self) -> list[list[tuple[Act, ...]]]:
        """Angular velocities of last bodies of segments and of those between the parts."""
        return self._spinning_in_turn() if self._in_turn else self._spinning_in_rounds()

    def _spinning_in_turn(self) -> list[list[tuple[Act, ...]]]:
        segments = (segment for segment in self._parts.segments if not self._spins_at_once(segment))
        acts = {each[-1]: Act(CARRY, each[-1], inner=self._parents[each[0]]) for each in segments}
        acts |= {body: Act(SPIN, body) for body in self._parts.between}
        return [[tuple(acts[body] for body in sorted(acts))]]

    def _spinning_in_rounds(self) -> list[list[tuple[Act, ...]]]:
        parts, parents = self._parts, self._parents
        joins = [[each for item in items for each in item if isinstance(each, Join)] for items in parts.rounds]
        found: list[list[tuple[Act, ...]]] = [
            [(Act(COMPOSE, join.outer, inner=parents[join.body]),) for join in own if join.outer] for own in joins
        ]
        between = frozenset(parts.between)

        def spun(each: Join | int) -> Iterator[Act]:
            body = each if isinstance(each, int) else each.body
            if isinstance(each, Join):
                yield Act(CARRY, parents[body], inner=parents[each.inner])
            if body in between:
                yield Act(SPIN, body)

        found += [[tuple(chain.from_iterable(map(spun, item[::-1]))) for item in items] for items in parts.rounds[::-1]]
        return [[item for item in items if item] for items in found]

    # ---- forces and accelerations ------------------------------------------------------------------------------------

    def _inward(self, task: Sequence[int]) -> Iterator[Act]:
        """From the leaves and the last bodies of segments to the first bodies of parts."""
        known = {body for segment in self._parts.segments if self._spins_at_once(segment) for body in segment}
        yield from (Act(SPIN, body) for body in task if body not in self._last | known)
        for body in reversed(task):
            if body in self._last:
                yield Act(START, body)
            if body not in self._first:
                handle = self._handles.get(body)
                yield Act(ALONG, body, outer=handle) if handle else Act(RAKE, body)

    def _outward(self, task: Sequence[int]) -> Iterator[Act]:
        """Back to them."""
        for body in task:
            if body not in self._first:
                handle = self._handles.get(body)
                yield Act(PULL_ALONG, body, outer=handle) if handle else Act(PULL, body)


def _together(each: Join | int) -> Act:
    if isinstance(each, int):
        return Act(RAKE, each)
    return Act(JOIN if each.outer else JOIN_LAST, each.body, each.inner, each.outer)


def _apart(each: Join | int) -> Act:
    if isinstance(each, int):
        return Act(PULL, each)
    return Act(BACK if each.outer else BACK_LAST, each.body, each.inner, each.outer)


def _rounds(title: str, rounds: Sequence[Sequence[tuple[Act, ...]]]) -> Iterator[Stage]:
    """Rounds as stages; those with one item that follow each other are one."""
    for is_alone, group in groupby(rounds, key=lambda items: len(items) == 1):
        if is_alone:
            yield Stage(title, (tuple(act for (item,) in group for act in item),))
        else:
            yield from (Stage(title, tuple(items)) for items in group)
